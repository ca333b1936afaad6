"""Files of SPSS, Stata and SAS: labels are levels, and what they call missing is missing."""

import base64
import datetime
import json
import struct
import zlib

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from pyarrow import parquet

from core.__main__ import main
from core.data import DataSpec, ReadOptions, Sources, count, tables
from core.data.readers import labelled, reading
from core.data.readers.doubts import questions_about
from core.errors import InvalidInputError, ReadingError

PEOPLE = """
eNpjYECAQ68aEzaLCJ7fO4mDgfO4YY+EvICgsRKDsTEjkyEjRIkIAwMzI4q4MaOyMYOICIMCMyPMnGDHYAU3Tx9XF8
cQx2DXEAVcgIEAAOmHqcvTFDbhLrvvCKMxFAtAMCOasKWegYmBoa+pT2ZeaQWSuLGeoYGega6hoZmBnqGhniG6cRUW
ZvFmJgg+yF6l9JpAGEZXP2PXnX/I7mQYBaNgFIyCUTAKRsEoGAWjYBSMglEwCgYRmAntt6IDYXYog4mfgRtI3eCBcD
WYUdUdgIpLoOnP4ILQEUyo4jJQcR+YALTD/oITQpugic/hxK4+BSpugSauAhV3QHPPEw7s4ksIiKMZD1XsCFeelpqb
mJMK43mCxQ+kXXUAicJHOC7+qIfRKOIMNhBzutYcQDVnFIyCUTAKRsEoGAX/fv8HA2LVGzCwUaSfUvsx9EO0/1eBtY
GgNDMQMjIww1sYTAyojas/UH2wNo4AlAb7jgXRsAI3VVgYGTjQ+MgAatR/eNODQQVqmwaU1mFgQXP3XzT7gUAEfQ4H
PMcT4hpQnFrBkJieypCUX5QHFHO11EMz7A+qWTC72GmUZnjYUcOQETnskNpzbGh+ZURzHzr/P5o6VjR1rGhxzojmT3
Q+NGkRTFu/iFT38z9laXWogW9AAMlLqOA7EIDoD1A+L5q8oIESSr+FBYf56ObC8i4XA1qmhAJ/tHTyf4TFB636o6QC
WD5jQuNzofF50Pj8aHwOmvmUAynNiSDZwwNmyxBpMwvQpYwYqXcFkjzOoAEDABK37DM=
"""
"""A small file of SAS, which no library of Python writes: by ReadStat's own writer."""


def sas():
    return zlib.decompress(base64.b64decode(PEOPLE))


def answers():
    """Return invented answers to a survey."""
    return pd.DataFrame(
        {
            "sex": [1, 2, 9, 1, np.nan, 3],
            "age": [34.0, 50, 98, -1, 2.5, 41],
            "town": ["a", "b", "", "ä é", "NA", "b"],
            "born": [datetime.date(1990, 1, day) for day in range(1, 6)] + [None],
        }
    )


def spss(tmp_path, name="answers.sav", frame=None, **more):
    path = tmp_path / name
    reported = {
        "variable_value_labels": {
            "sex": {1: "man", 2: "woman", 9: "refused"},
            "age": {98: "98 or more"},
            "town": {"a": "Aachen"},
        },
        "missing_ranges": {"sex": [9], "age": [{"lo": -9, "hi": -1}], "town": ["NA"]},
        "column_labels": {"sex": "Sex of the person"},
    }
    pyreadstat.write_sav(answers() if frame is None else frame, path, **(reported | more))
    return path.read_bytes()


def read(content, name="answers.sav", **options):
    """Return the upload, its columns as lists, and what was said."""
    sources = Sources()
    upload = sources.uploads[sources.add_bytes(content, name, ReadOptions(**options))]
    values = parquet.read_table(upload.table.paths[0]).to_pydict().values()
    columns = dict(zip(upload.table.columns, values, strict=True))
    return upload, columns, [item.sentence for item in upload.repairs]


@pytest.mark.parametrize("name", ["answers.sav", "answers.zsav"])
def test_labels_of_spss_are_levels_and_user_missing_values_are_missing(tmp_path, name):
    upload, columns, text = read(spss(tmp_path, name, compress=name == "answers.zsav"))
    assert (upload.kind, upload.rows) == ("SPSS", 6)
    assert upload.titles == (("sex", "Sex of the person"),)
    assert columns == {
        "sex": ["man", "woman", None, "man", None, "3"],
        "age": ["34", "50", "98 or more", None, "2.5", "41"],
        "town": ["Aachen", "b", "", "ä é", None, "b"],
        "born": answers()["born"].to_list(),
    }
    assert text == [
        "Labels replace the values in columns 'sex', 'age' and 'town'.",
        "Values that the file declares missing are missing: 1 of 'sex', 1 of 'age' and 1 of "
        "'town'.",
    ]


def test_labels_are_those_of_pandas(tmp_path):
    content = spss(tmp_path, variable_value_labels={"sex": {1: "man", 2: "woman"}})
    theirs = pd.read_spss(tmp_path / "answers.sav", usecols=["sex"])["sex"]
    ours = pd.Series(read(content)[1]["sex"])
    labelled = theirs.isin(["man", "woman"])
    assert labelled.sum() == 3
    assert (ours[labelled] == theirs[labelled]).all()
    assert (ours.isna() == theirs.isna()).all()


def test_labels_and_missing_values_can_be_undone(tmp_path):
    content = spss(tmp_path)
    upload, columns, _ = read(content)
    labels, missing = (dict(item.undo) for item in upload.repairs)
    _, codes, text = read(content, **labels)
    assert codes["sex"] == [1.0, 2.0, None, 1.0, None, 3.0]
    assert codes["age"] == [34.0, 50.0, 98.0, None, 2.5, 41.0]
    assert len(text) == 1
    assert read(content, **missing)[1]["sex"] == ["man", "woman", "refused", "man", None, "3"]
    both = read(content, kept=("labels", "missing"))
    assert both[1]["age"] == [34.0, 50.0, 98.0, -1.0, 2.5, 41.0]
    assert both[2] == []
    assert columns["sex"] != codes["sex"]


def test_a_type_follows_from_what_a_file_says_and_not_from_its_values(tmp_path):
    frame = pd.DataFrame({"n": [1.0, 2.0], "labels": [5.0, 6.0], "gone": [3.0, 9.0]})
    labels = {"labels": {98: "many"}, "gone": {9: "refused"}}
    content = spss(
        tmp_path,
        frame=frame,
        variable_value_labels=labels,
        missing_ranges={"gone": [9]},
        column_labels={},
    )
    assert read(content)[1] == {"n": [1.0, 2.0], "labels": ["5", "6"], "gone": [3.0, None]}


def test_two_values_with_one_label_stay_two_levels(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.0, 2, 3, 4]})
    labels = {"a": {1: "yes", 2: "yes", 3: "4"}, "b": {}}
    content = spss(
        tmp_path, frame=frame, variable_value_labels=labels, missing_ranges={}, column_labels={}
    )
    assert read(content)[1]["a"] == ["yes (1)", "yes (2)", "4", "4 (4)"]


def stata(tmp_path, frame, **more):
    path = tmp_path / "a.dta"
    pyreadstat.write_dta(frame, path, **more)
    return path.read_bytes()


def test_stata_values_are_those_of_pandas(tmp_path):
    frame = answers().drop(columns="born")
    frame["at"] = pd.to_datetime(["2020-01-02 03:04:05", None, *["1959-12-31 00:00:00"] * 4])
    frame["day"], frame["month"], frame["quarter"] = 10.0, [-1.0, 0, 1, 2, 3, 720], 240.0
    content = stata(
        tmp_path,
        frame,
        variable_format={"day": "%td", "month": "%tm", "quarter": "%tq"},
        variable_value_labels={"sex": {1: "man", 2: "woman"}},
    )
    theirs = pd.read_stata(tmp_path / "a.dta", convert_categoricals=False)
    upload, columns, text = read(content, kept=("labels",))
    assert (upload.kind, text) == ("Stata", [])
    assert list(columns) == list(theirs.columns)
    ours = pd.DataFrame(columns)
    for name in ("at", "day", "month", "quarter"):
        ours[name] = pd.to_datetime(ours[name]).astype(theirs[name].dtype)
    pd.testing.assert_frame_equal(ours, theirs, check_dtype=False)
    assert read(content)[1]["sex"] == ["man", "woman", "9", "man", None, "3"]


def test_old_stata_files_with_short_numbers_show_decimals_as_they_were(tmp_path):
    frame = pd.DataFrame({"f": np.array([0.1, 2.5, 7], np.float32), "s": ["a", "b", "c"]})
    frame.to_stata(tmp_path / "a.dta", write_index=False, version=114)
    _, columns, _ = read((tmp_path / "a.dta").read_bytes())
    assert columns == {"f": [0.1, 2.5, 7.0], "s": ["a", "b", "c"]}


def test_missing_values_of_stata_are_missing_or_levels_by_their_labels(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, "a", "z", None], "b": [1, 2, 3, "c", 5]})
    content = stata(
        tmp_path,
        frame,
        missing_user_values={"a": ["a", "z"], "b": ["c"]},
        variable_value_labels={"a": {1: "yes", "a": "refused"}},
    )
    upload, columns, text = read(content)
    assert columns == {"a": ["yes", "2", None, None, None], "b": [1.0, 2.0, 3.0, None, 5.0]}
    assert upload.repairs[1].undo == (("kept", ("missing",)),)
    assert text[1] == "Values that the file declares missing are missing: 2 of 'a' and 1 of 'b'."
    assert read(content, kept=("missing",))[1]["a"] == ["yes", "2", "refused", None, None]
    plain = stata(tmp_path, frame, missing_user_values={"a": ["a", "z"], "b": ["c"]})
    assert [item.undo for item in read(plain)[0].repairs] == [()]


def test_sas_values_are_those_of_pandas(tmp_path):
    (tmp_path / "a.sas7bdat").write_bytes(sas())
    theirs = pd.read_sas(tmp_path / "a.sas7bdat", encoding="utf-8")
    upload, columns, text = read(sas(), "people.sas7bdat")
    assert (upload.kind, upload.rows, text) == ("SAS", 4, [])
    assert columns["sex"] == theirs["sex"].to_list() == ["female", "male", "male", "female"]
    assert columns["age"] == [34.5, 50.0, None, 28.0]
    days = [None if np.isnan(item) else item for item in theirs["born"]]
    start = datetime.date(1960, 1, 1)
    assert columns["born"] == [
        None if item is None else start + datetime.timedelta(item) for item in days
    ]
    frame = pd.DataFrame({"s": ["a", "b"], "n": [1.5, 2.0]})
    pyreadstat.write_xport(frame, tmp_path / "a.xpt", file_format_version=5, table_name="T")
    pd.testing.assert_frame_equal(
        pd.read_sas(tmp_path / "a.xpt", encoding="utf-8"), frame, check_dtype=False
    )
    assert read((tmp_path / "a.xpt").read_bytes())[1] == frame.to_dict("list")


def test_portable_files_of_spss_are_read_and_are_no_text(tmp_path):
    frame = pd.DataFrame({"SEX": [1.0, 2, None], "TOWN": ["a", "b", "c"]})
    pyreadstat.write_por(frame, tmp_path / "a.por")
    upload, columns, text = read((tmp_path / "a.por").read_bytes(), "a.por")
    assert (upload.kind, text) == ("SPSS", [])
    assert columns == {"SEX": [1.0, 2.0, None], "TOWN": ["a", "b", "c"]}


def test_times_and_dates_of_spss(tmp_path):
    frame = pd.DataFrame(
        {
            "t": [datetime.time(1, 2, 3), datetime.time(23, 59)],
            "d": [datetime.date(1600, 2, 29), datetime.date(9999, 12, 31)],
            "at": pd.to_datetime(["1969-07-20 20:17:40", None]),
        }
    )
    reported = {"variable_value_labels": {}, "missing_ranges": {}, "column_labels": {}}
    columns = read(spss(tmp_path, frame=frame, **reported))[1]
    assert columns["t"] == ["01:02:03", "23:59:00"]
    assert columns["d"] == frame["d"].to_list()
    assert columns["at"] == [datetime.datetime(1969, 7, 20, 20, 17, 40), None]
    far = pd.DataFrame({"d": [1e300, 1.0], "x": [1.0, 2.0]})
    with pytest.raises(InvalidInputError, match=r"Column 'd' of answers.sav holds .* years away"):
        read(spss(tmp_path, frame=far, variable_format={"d": "DATE11"}, **reported))


def test_parts_make_the_same_table_as_the_whole(tmp_path, monkeypatch):
    frame = pd.concat([answers().drop(columns="born")] * 50, ignore_index=True)
    content = spss(tmp_path, frame=frame)
    whole = read(content)
    monkeypatch.setattr(labelled, "AT_ONCE", 3 * 7)
    assert read(content)[1:] == whole[1:]
    assert len(whole[1]["sex"]) == 300


def test_long_texts_of_stata_are_read_in_parts_and_have_a_limit(tmp_path, monkeypatch):
    long = "x" * 5_000
    frame = pd.DataFrame({"a": [long, "b", long, "c"], "n": [1.0, 2, 3, 4]})
    content = stata(tmp_path, frame)
    monkeypatch.setattr(labelled, "_HELD", 5_000)
    assert read(content)[1] == frame.to_dict("list")
    for module in (tables, reading):
        monkeypatch.setattr(module, "MAX_CELL", 4_000)
    with pytest.raises(InvalidInputError, match="has a cell of 5,000 characters; at most 4,000"):
        read(content, "a.dta")


def test_a_long_text_of_many_records_is_not_held_for_all_of_them_at_once(tmp_path, monkeypatch):
    """Stata keeps it once, so a small file may unpack to more than the memory that is allowed."""
    frame = pd.DataFrame({"a": ["x" * 20_000] * 300 + ["short"] * 300, "n": [1.0] * 600})
    content, held = stata(tmp_path, frame), 1_000_000
    assert len(content) < 100_000
    monkeypatch.setattr(labelled, "_HELD", held)
    sizes = []
    plain = pyreadstat.read_dta

    def spied(*given, **options):
        result = plain(*given, **options)
        if not options.get("metadataonly"):
            sizes.append(sum(map(len, result[0]["a"])))
        return result

    monkeypatch.setattr(pyreadstat, "read_dta", spied)
    assert read(content)[1] == frame.to_dict("list")
    assert max(sizes) <= held
    assert len(sizes) < 30  # short texts are read by more records at once


CUT = "is a damaged or incomplete {} file: bring the whole file, or save it as CSV."


@pytest.mark.parametrize("share", [0.15, 0.5, 0.98])
def test_what_is_cut_off_is_refused_in_one_sentence_and_leaves_nothing(tmp_path, share):
    made = {
        "SPSS": spss(tmp_path),
        "Stata": stata(tmp_path, answers().drop(columns="born")),
        "SAS": sas(),
    }
    for kind, content in made.items():
        sources = Sources()
        with pytest.raises(InvalidInputError) as caught:
            sources.add_bytes(content[: int(len(content) * share)], "x.bin")
        assert str(caught.value) == f"x.bin {CUT.format(kind)}"
        assert list(sources._folder.iterdir()) == []


def test_a_name_of_sas_without_its_content_is_read_as_what_it_is():
    upload, columns, text = read(b"s,x\na,b\nc,d\n", "people.sas7bdat")
    assert (upload.kind, columns["s"]) == ("CSV, separated by commas", ["a", "c"])
    assert text == ["Its name ends in .sas7bdat, but it is text: read as text."]
    with pytest.raises(InvalidInputError, match="is a binary file, not text; CSV, TSV, Parquet"):
        read(bytes(range(256)) * 20, "people.sas7bdat")


def test_too_many_columns_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "MAX_COLUMNS", 20)
    frame = pd.DataFrame(np.zeros((2, 21)), columns=[f"v{i}" for i in range(21)])
    with pytest.raises(InvalidInputError, match="has 21 columns; at most 20 are allowed"):
        read(stata(tmp_path, frame))


def test_too_many_records_or_cells_are_refused(tmp_path, monkeypatch):
    content = spss(tmp_path)
    monkeypatch.setattr(tables, "MAX_UPLOAD_CELLS", 20)
    with pytest.raises(InvalidInputError, match="has 24 cells in 4 columns; at most 20 are"):
        read(content)
    monkeypatch.setattr(tables, "MAX_UPLOAD_RECORDS", 5)
    with pytest.raises(InvalidInputError, match="has 6 records; at most 5 are allowed"):
        read(content)


def test_a_text_in_another_encoding_is_asked_about(tmp_path):
    content = spss(tmp_path).replace("ä é".encode(), b"\xe4 \xe9  ")
    with pytest.raises(ReadingError, match="text in another encoding than it declares") as caught:
        read(content)
    options = dict(caught.value.choices[0].options)
    assert options == {"encoding": "windows-1252"}
    assert read(content, **options)[1]["town"][3] == "ä é"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A question about a file of SPSS, both in the working folder."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"sex": [1.0, 2, 1, 2] * 5, "job": [1.0, 1, 2, 2] * 5})
    labels = {"sex": {1: "man", 2: "woman"}, "job": {1: "nurse", 2: "clerk"}}
    reported = {"missing_ranges": {}, "column_labels": {}}
    spss(tmp_path, "people.sav", frame=frame, variable_value_labels=labels, **reported)
    data = {"source": "people.sav", "secret": ["sex"], "released": ["job"]}
    scenario = {"data": data, "notion": "lip", "eps": 1.0, "mechanism": "watchdog"}
    (tmp_path / "scenario.json").write_text(json.dumps(scenario), encoding="utf-8")
    return tmp_path


def test_labels_are_counted(folder):
    sources = Sources()
    counted = count(DataSpec(sources.add_file(folder / "people.sav"), ("sex",), ("job",)), sources)
    assert counted.joint.s_labels == ("man", "woman")
    assert counted.joint.x_labels == ("clerk", "nurse")


@pytest.mark.usefixtures("folder")
def test_a_release_ends_as_csv_or_parquet_and_the_labels_are_said(capsys):
    assert main(["release", "scenario.json", "people.sav", "out.sav", "--seed", "5"]) != 0
    assert "must end in .parquet, .csv or .tsv" in capsys.readouterr().err
    assert main(["evaluate", "scenario.json"]) == 0
    text = "people.sav: Labels replace the values in columns 'sex' and 'job'.\n"
    assert text in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("out", ["out.csv", "out.parquet"])
def test_a_release_of_such_a_file_is_verified(out):
    release = f"release scenario.json people.sav {out} --seed 5 --certificate c.json"
    assert main(release.split()) == 0
    read = pd.read_csv if out.endswith(".csv") else pd.read_parquet
    assert read(out)["job"].to_list() == ["nurse", "nurse", "clerk", "clerk"] * 5
    assert main(f"verify c.json {out} people.sav --seed 5".split()) == 0


def broken_labels(content):
    """Return a file of SPSS whose labels are of a variable that it has not."""
    place = content.index(struct.pack("<iii", 4, 1, 1)) + 8
    return content[:place] + struct.pack("<i", 0x7F000001) + content[place + 4 :]


def weighed(content, place):
    """Return a file of SPSS that is weighed by its variable in this place, from 1."""
    return content[:76] + struct.pack("<i", place) + content[80:]


@pytest.mark.parametrize(
    ("name", "weights", "label", "choices", "n"),
    [
        ("n", [3.0, 4.0, 5.0], "", ["Count by n", "Each row is one record"], 12),
        ("number_of_people", [3.0, 4.0, 5.0], "x" * 9, ["Count by number_of_people"], 12),
        ("n", [0.5, 1.5, 1.0], "", ["Weight by n", "Each row is one record"], 2),
    ],
)
def test_weights_that_spss_has_switched_on_are_asked_about(
    tmp_path, name, weights, label, choices, n
):
    frame = pd.DataFrame({"long": ["a" * 20, "b", "a"], "x": ["u", "v", "u"], name: weights})
    reported = {"variable_value_labels": {}, "column_labels": {"long": label, name: label}}
    reported["missing_ranges"] = {"x": ["z"]}
    content = weighed(spss(tmp_path, frame=frame, **reported), 5)  # three for the long text
    sources = Sources()
    source = sources.add_bytes(content, "a.sav")
    (request,) = questions_about(source, sources)
    assert request.sentence.startswith(f"The file weights its records by '{name}'")
    assert [item.label for item in request.choices][: len(choices)] == choices
    read_so = ReadOptions(**dict(request.choices[0].options))
    assert questions_about(source, sources, read_so) == ()
    assert count(DataSpec(source, ("long",), ("x",), read=read_so), sources).joint.n == n


@pytest.mark.parametrize("place", [0, -3, 2, 9, 2**31 - 1])
def test_a_file_that_is_weighed_by_none_of_its_variables_is_read_without(tmp_path, place):
    frame = pd.DataFrame({"long": ["a" * 20, "b", "a"], "x": ["u", "v", "u"]})
    reported = {"variable_value_labels": {}, "column_labels": {}, "missing_ranges": {}}
    content = weighed(spss(tmp_path, frame=frame, **reported), place)
    assert read(content)[0].table.weigher == ""


def test_labels_of_a_portable_file_of_spss_are_levels(tmp_path):
    path = tmp_path / "a.por"
    pyreadstat.write_por(pd.DataFrame({"SEX": [1.0, 2, 1, 3], "AGE": [34.0, 50, 60, 70]}), path)
    text = path.read_bytes().replace(b"\r\n", b"")
    data = text.rindex(b"F")  # labels of 1 and 2 are written before it
    text = text[:data] + b"D1/3/SEX2/1/3/man2/5/woman" + text[data:]
    content = b"".join(text[i : i + 80] + b"\r\n" for i in range(0, len(text), 80))
    _, columns, message = read(content, "a.por")
    assert columns == {"SEX": ["man", "woman", "man", "3"], "AGE": [34.0, 50.0, 60.0, 70.0]}
    assert message == ["Labels replace the values in column 'SEX'."]
