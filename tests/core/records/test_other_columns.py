"""What columns beside Y give away: counted by the engine, told by a certificate, checked again."""

import datetime as dt
import io
import json
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from core.data import Filter
from core.errors import InvalidInputError
from core.mechanisms.result import make_mechanism
from core.records import other_columns
from core.records.certificate import fingerprint
from core.records.design import Layout, Plan
from core.records.draws import Seeded
from core.records.fields import beside_of
from core.records.other_columns import attacked, given_away
from core.records.readable import promises, sections
from core.records.verifying import failed, verify
from core.release import attack, beside
from core.release.file_words import attack_sentence
from core.scenario import measured
from tests.core.records.makers import SEED, answer_on, identity, opened, people, read, write
from tests.core.records.test_verifying import certified

PART = ("known", "added", "file")


def by_hand(result, columns, names, keep=lambda _: True, kernel=None):
    """Count the records of columns, as lists, by plain dictionaries."""
    joint = result.joint
    rows = [i for i in range(len(columns["sex"])) if keep(i)]
    seen = {}
    k = [seen.setdefault(tuple(repr(columns[name][i]) for name in names), len(seen)) for i in rows]
    counts = np.zeros((joint.n_s, joint.n_x, len(seen)))
    for i, item in zip(rows, k, strict=True):
        s = joint.s_labels.index(columns["sex"][i])
        counts[s, joint.x_labels.index(str(columns["town"][i])), item] += 1
    return beside(counts, result.mechanism.kernel if kernel is None else kernel)


def same(result, expected):
    for part in PART:
        for key, value in getattr(expected, part).items():
            assert getattr(result, part)[key] == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert result.determined == pytest.approx(expected.determined)
    assert (result.unique, result.records) == (expected.unique, expected.records)


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """Return the columns of a file, its path, and the optimum for it."""
    columns = people(800)
    columns["twin"] = [{"f": "F", "m": "M"}[item] for item in columns["sex"]]
    columns["age"][3], columns["age"][4] = None, 0.0
    columns["age"][5] = -0.0
    path = write(columns, tmp_path_factory.mktemp("town") / "people.parquet")
    result, table = answer_on(path, mechanism="optimal")
    return columns, path, result, table


@pytest.mark.parametrize(
    "names", [(), ("note",), ("age",), ("id",), ("twin",), ("note", "age"), ("note", "twin", "id")]
)
def test_the_engine_counts_what_a_dictionary_counts(names, town):
    columns, _, result, table = town
    (answer,) = given_away(result, table, [names])
    same(answer, by_hand(result, columns, names))


def test_an_x_may_have_the_name_of_a_number_of_the_count(tmp_path):
    columns = people(40)
    columns["n"] = columns.pop("town")
    result, table = answer_on(write(columns, tmp_path / "people.csv"), released=("n",))
    (answer,) = given_away(result, table, [("note",)])
    same(answer, by_hand(result, {"town": columns["n"], **columns}, ("note",)))


def test_several_groups_are_told_in_their_order_with_progress(town):
    columns, _, result, table = town
    done = []
    answer = given_away(result, table, [("note",), ("twin",)], progress=done.append)
    assert done == [1, 2]
    assert [item.determined for item in answer] == [0.0, 1.0]
    same(answer[0], by_hand(result, columns, ("note",)))


def test_an_id_names_every_record_and_a_twin_determines_s(town):
    _, _, result, table = town
    person, twin = given_away(result, table, [("id",), ("twin",)])
    assert (person.unique, person.determined) == (1.0, 1.0)
    assert twin.known["lip"] == math.inf
    assert max(twin.added.values()) < 1e-12


def test_of_records_that_pass_the_filters_and_were_counted(tmp_path):
    columns = people(400)
    columns["town"][7] = columns["town"][9] = None
    path = write(columns, tmp_path / "people.csv")
    spec = {"filters": (Filter("age", low=35.0),), "missing": "drop"}
    result, table = answer_on(path, mechanism="optimal", **spec)
    passing = [i not in (7, 9) and columns["age"][i] >= 35 for i in range(400)]
    (answer,) = given_away(result, table, [("note",)])
    same(answer, by_hand(result, columns, ("note",), passing.__getitem__))
    label = result.joint.x_labels[0]
    (taken,) = given_away(result, table, [("note",)], unknown=label)
    columns["town"][7] = columns["town"][9] = label
    own = [columns["age"][i] >= 35 for i in range(400)]
    same(taken, by_hand(result, columns, ("note",), own.__getitem__))


def test_of_a_mechanism_that_reads_s(town):
    columns, _, result, table = town
    kernel = np.random.default_rng(1).dirichlet([1, 1], result.joint.n_s * result.joint.n_x)
    made = make_mechanism(
        result.joint, kernel, name="Made", solver="none", status="made", notion=None
    )
    answer = given_away(measured(result.scenario, result.counted, made), table, [("note",)])
    same(answer[0], by_hand(result, columns, ("note",), kernel=kernel))


def test_a_blank_is_a_missing_value_in_a_file_of_text_alone(tmp_path):
    columns = people(200)
    columns["note"] = ["" if sex == "f" else None for sex in columns["sex"]]
    path = write(columns, tmp_path / "people.parquet")
    result, table = answer_on(path)
    (apart,), (item,) = (
        given_away(result, table, [("note",)], of_text=of_text) for of_text in (False, True)
    )
    assert (apart.determined, item.determined) == (1.0, 0.0)


def test_the_order_in_which_an_engine_returns_groups_changes_no_digit(town, monkeypatch):
    _, _, result, table = town
    counted, tables = other_columns.grouped, []

    def backwards(*args, **kwargs):
        rows = counted(*args, **kwargs)
        return rows.take(np.arange(rows.num_rows)[::-1])

    monkeypatch.setattr(other_columns, "beside", lambda *args: tables.append(args[0]))
    given_away(result, table, [["age", "twin"]])
    monkeypatch.setattr(other_columns, "grouped", backwards)
    given_away(result, table, [["age", "twin"]])
    first, second = tables
    for name in ("s", "x", "k", "weight"):
        assert getattr(first, name).tolist() == getattr(second, name).tolist()


def test_an_attack_sees_each_record_once(town, monkeypatch):
    """The numbers that reach it are those of the file's records, up to names and order."""
    columns, _, result, table = town
    names = ("age", "twin")
    seen = []

    def kept(secrets, values, seed):
        seen.append((secrets, values))
        return attack(secrets, values, seed=seed)

    monkeypatch.setattr(other_columns, "attack", kept)
    answer = attacked(result, table, names)
    assert (answer.right, answer.records) == (1.0, 800)  # by the twin
    ((s, (y, *k)),) = seen
    assert y.max() < result.mechanism.n_y

    def sizes(*some):
        return sorted(np.unique(np.stack(some), axis=1, return_counts=True)[1].tolist())

    written = [[repr(item) for item in columns[name]] for name in ("sex", *names)]
    codes = [np.unique(item, return_inverse=True)[1] for item in written]
    assert sizes(s, *k) == sizes(*codes)
    assert [sizes(item) for item in (s, *k)] == [sizes(item) for item in codes]


def test_an_attack_takes_some_records_of_a_large_file(town, monkeypatch):
    _, _, result, table = town
    monkeypatch.setattr(other_columns, "MOST_ATTACKED", 100)
    item, again, other = (attacked(result, table, ["age"], seed=seed) for seed in (0, 0, 1))
    assert (item.records, other.records) == (100, 100)
    assert item == again != other


def test_an_attack_takes_columns_of_every_type(tmp_path):
    columns = people(60)
    odd = [i % 2 for i in range(60)]
    columns |= {
        "truth": [bool(i) for i in odd],
        "time": [None if i == 3 else dt.datetime(2020, 1, 1 + item) for i, item in enumerate(odd)],
        "list": [[item] for item in odd],
        "raw": [bytes([255, item]) for item in odd],
        "price": [Decimal(item) for item in odd],
        "none": [None] * 60,
    }
    result, table = answer_on(write(columns, tmp_path / "people.parquet"), mechanism="optimal")
    answer = {name: attacked(result, table, [name]) for name in list(columns)[-6:]}
    assert {item.records for item in answer.values()} == {60}
    # columns with the same two kinds of values are one and the same attack
    assert answer["truth"] == answer["list"] == answer["raw"] == answer["price"]


def test_an_attack_needs_columns_that_are_there(town):
    _, _, result, table = town
    with pytest.raises(InvalidInputError, match="has no column 'passport'"):
        attacked(result, table, ["passport"])


@pytest.mark.parametrize("how", ["keep", "known"])
def test_texts_that_a_file_of_text_protects_alike_are_one(how, tmp_path):
    columns = people(200)
    columns["note"] = ["=1" if sex == "f" else "'=1" for sex in columns["sex"]]
    path = write(columns, tmp_path / "people.parquet")
    result, table = answer_on(path)
    (apart,), (item,) = (
        given_away(result, table, [("note",)], of_text=of_text) for of_text in (False, True)
    )
    assert (apart.determined, item.determined) == (1.0, 0.0)
    plan = Plan(Seeded(SEED), **{how: ("note",)})
    body, released = certified(tmp_path, result, path, plan)
    assert failed(verify(json.dumps(body), released, path, str(SEED))) == []


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("sex",), "'sex' is S itself"),
        (("town",), "'town' is X itself"),
        (("passport",), "has no column 'passport'"),
    ],
)
def test_a_column_that_cannot_be_known_is_one_sentence(names, sentence, town):
    _, _, result, table = town
    with pytest.raises(InvalidInputError) as error:
        given_away(result, table, [names])
    assert sentence in str(error.value)


def test_a_file_without_s_is_one_sentence(town, tmp_path):
    columns, _, result, _ = town
    fresh = {name: values for name, values in columns.items() if name != "sex"}
    with pytest.raises(InvalidInputError, match="has no column of S"):
        given_away(result, opened(write(fresh, tmp_path / "fresh.parquet")), [("note",)])


def test_the_columns_that_are_kept_are_written_in_the_files_order(town):
    columns, _, result, _ = town
    layout = Layout.of([result.scenario.data], tuple(columns), "chosen", ("twin", "id"))
    assert layout.written == ("id", "town", "twin")
    assert Plan(Seeded(1), keep=("id",)).columns == "chosen"
    assert Plan(Seeded(1)).columns == "dropped"
    for wrong in ({"columns": "chosen"}, {"columns": "kept", "keep": ("id",)}):
        with pytest.raises(InvalidInputError, match="Name columns to keep only if"):
            Plan(Seeded(1), **wrong)


@pytest.fixture(scope="module")
def kept(town, tmp_path_factory):
    """Return a certificate of a release that keeps two columns, its file and the original."""
    _, path, result, _ = town
    plan = Plan(Seeded(SEED), keep=("note", "age"), known=("id",))
    folder = tmp_path_factory.mktemp("kept")
    return (*certified(folder, result, path, plan), path)


def outcome(body, path, original):
    checks = verify(json.dumps(body), path, original, str(SEED))
    return {item.name: item for item in checks}


def test_a_certificate_says_what_its_columns_give_away_and_verify_agrees(kept, town):
    body, path, original = kept
    columns, _, result, _ = town
    assert list(read(path)) == ["town", "age", "note"]
    text = body["beside"]
    assert (text["columns"], text["known"], text["records"]) == (["age", "note"], ["id"], 800)
    assert list(text["each"]) == ["age", "note", "id"]
    same(
        beside_of(text["together"], 800),
        by_hand(result, columns, ("age", "note", "id")),
    )
    assert text["holds"] is False
    first = body["promises"][0]
    assert (first["about"], first["status"]) == ("the file", "not promised")
    assert first["sentence"].startswith("With the columns beside Y this file does not keep 0.3-LIP")
    assert "No two records have the same values" in first["sentence"]
    (reported,) = [item for item in sections(body) if item.title.startswith("How far beliefs")]
    assert dict(reported.rows)["all together"] == "×∞, ×1.00, ×∞"
    answer = outcome(body, path, original)
    assert {name: item.sentence for name, item in answer.items() if item.passed is not True} == {}
    assert answer["beside"].passed


@pytest.mark.parametrize("kind", ["out.csv", "out.parquet"])
def test_a_column_that_keeps_the_promise_is_promised(town, tmp_path, kind):
    """Notes are drawn without regard to sex and town, and a loose budget leaves room for chance."""
    _, path, _, _ = town
    result, _ = answer_on(path, mechanism="optimal", eps=2.0)
    body, out = certified(tmp_path, result, path, Plan(Seeded(SEED), keep=("note",)), kind)
    assert body["beside"]["holds"] is (body["beside"]["together"]["file"]["lip"] <= 2.0)
    answer = outcome(body, out, path)
    assert answer["beside"].passed
    assert not failed(answer.values())
    about = {item["about"]: item["status"] for item in body["promises"]}
    if body["beside"]["holds"]:
        assert about["the file"] == "promised"
        assert answer["promised: the file"].passed


def test_y_alone_has_no_figures_of_other_columns(town, tmp_path):
    _, path, result, _ = town
    body, out = certified(tmp_path, result, path, Plan(Seeded(SEED)))
    assert body["beside"] is None
    assert body["released"]["columns"] == ["town"]
    assert outcome(body, out, path)["beside"].passed
    (reported,) = [item for item in body["promises"] if item["about"] == "one record"]
    assert "and nothing else about the person" in reported["sentence"]


def test_an_owners_copy_has_none_either(town, tmp_path):
    _, path, result, _ = town
    body, out = certified(tmp_path, result, path, Plan(Seeded(SEED), "kept"))
    assert body["beside"] is None
    assert outcome(body, out, path)["beside"].passed


def lower(body):
    body["beside"]["together"]["file"]["lip"] = 0.1


def one_lower(body):
    body["beside"]["each"]["note"]["known"]["guess"] -= 0.01


def praised(body):
    body["beside"]["holds"] = True


def fewer(body):
    body["beside"]["together"]["unique"] = 0.0


def undetermined(body):
    body["beside"]["each"]["id"]["determined"] = 0.0


def without(body):
    body["beside"] = None


def another(body):
    body["beside"]["columns"] = ["note"]


def less(body):
    body["beside"]["records"] = 799


def stranger(body):
    body["beside"]["each"]["x"] = body["beside"]["together"]


@pytest.mark.parametrize(
    "edit",
    [lower, one_lower, praised, fewer, undetermined, without, another, less, stranger],
)
def test_a_figure_that_is_wrong_fails(kept, edit):
    body, path, original = kept
    body = json.loads(json.dumps(body))
    edit(body)
    del body["promises"]
    body["promises"] = promises(body)
    body["fingerprint"] = fingerprint(body)
    assert outcome(body, path, original)["beside"].passed is False


def test_without_the_original_they_are_not_checked(kept):
    body, path, _ = kept
    result = {item.name: item.passed for item in verify(json.dumps(body), path)}
    assert result["beside"] is result["attack"] is None
    assert None in result.values()


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        ("together", {"file": []}, r"entry 'beside\.together\.file' has the wrong"),
        ("attack", {"right": 1.5}, r"entry 'beside\.attack' must have shares from 0 to 1"),
        ("attack", {"blind": math.nan}, r"entry 'beside\.attack' must have shares from 0 to 1"),
        ("attack", {"records": 0}, "of at least 5 records"),
        ("attack", {"right": "1"}, r"entry 'beside\.attack\.right' has the wrong type"),
    ],
)
def test_a_form_that_is_wrong_is_one_sentence(kept, place, value, sentence):
    body, path, _ = kept
    body = json.loads(json.dumps(body))
    body["beside"][place] |= value
    with pytest.raises(InvalidInputError, match=sentence):
        verify(json.dumps(body), path)


def test_a_certificate_says_how_often_an_attack_is_right_and_verify_attacks_the_file(kept, town):
    body, path, original = kept
    _, _, result, table = town
    guess = attacked(result, table, ["age", "note", "id"], of_text=True)
    stated = {"right": guess.right, "blind": guess.blind, "records": 800}
    assert body["beside"]["attack"] == stated
    assert attack_sentence(guess, ["age", "note", "id"], "sex") in body["promises"][0]["sentence"]
    answer = outcome(body, path, original)["attack"]
    assert answer.passed
    # the outputs in the file, and its cells, by other code: pandas
    frame, secret = pd.read_csv(path, dtype=str), pd.read_csv(original_csv(original))
    columns = [pd.factorize(frame[name], use_na_sentinel=False)[0] for name in frame]
    columns.append(np.arange(800))  # the id, which is not in the file
    again = attack(pd.factorize(secret["sex"])[0], columns)
    assert again.right == pytest.approx(guess.right, abs=0.1)


def original_csv(original):
    """Return a Parquet file as a file of text."""
    return io.StringIO(pd.read_parquet(original).to_csv(index=False))


def edited(body, attack_of):
    """Return a certificate with another attack, and promises that follow from it."""
    body = json.loads(json.dumps(body))
    attack_of(body["beside"])
    del body["promises"]
    body["promises"] = promises(body)
    return body | {"fingerprint": fingerprint(body)}


@pytest.mark.parametrize(
    ("edit", "passed", "sentence"),
    [
        (lambda beside: beside["attack"].update(right=0.3), False, "'right' of its attack is 0.3,"),
        (lambda beside: beside["attack"].update(right=1.0), False, "'right' of its attack is 1,"),
        (lambda beside: beside["attack"].update(blind=0.9), False, "'blind' of its attack is 0.9,"),
        (lambda beside: beside["attack"].update(records=799), False, "on 799 records, not 800"),
        (lambda beside: beside.update(attack=None), False, "but the certificate has no attack"),
        (lambda beside: beside.pop("attack"), None, "but the certificate has no attack"),
    ],
)
def test_an_attack_that_is_far_from_one_on_the_file_fails(kept, edit, passed, sentence):
    body, path, original = kept
    body = edited(body, edit)
    answer = outcome(body, path, original)
    assert (answer["promises"].passed, answer["beside"].passed) == (True, True)
    assert answer["attack"].passed is passed
    assert sentence in answer["attack"].sentence


def test_outputs_that_tell_s_are_seen_by_an_attack_on_the_file(town, tmp_path):
    columns, original, result, _ = town
    body, path = certified(tmp_path, result, original, Plan(Seeded(SEED), keep=("note",)))
    frame, labels = pd.read_csv(path, dtype=str), result.mechanism.y_labels
    frame["town"] = [labels[sex == "f"] for sex in columns["sex"]]
    frame.to_csv(path, index=False)
    answer = outcome(body, path, original)
    assert answer["attack"].passed is False
    assert "far from 1 in this file" in answer["attack"].sentence


def test_four_records_are_too_few_for_an_attack(tmp_path):
    columns = people(4)
    original = write(columns, tmp_path / "people.csv")
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original, Plan(Seeded(SEED), keep=("note",)))
    assert body["beside"]["attack"] is None
    answer = outcome(body, path, original)
    assert answer["attack"].passed
    assert failed(answer.values()) == []


def test_identity_gives_all_of_x_away_to_whoever_knows_the_rest(town):
    _, _, result, table = town
    (answer,) = given_away(identity(result), table, [("note",)])
    assert answer.file["guess"] >= answer.known["guess"]
