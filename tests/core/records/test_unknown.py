"""What becomes of values that a mechanism does not know, and of marks that filters read."""

import json

import pytest

from core.data import Filter
from core.errors import InvalidInputError
from core.records.certificate import fingerprint
from core.records.design import LEAVE_OUT, REFUSE, Plan
from core.records.draws import Seeded
from core.records.verifying import failed, verify
from tests.core.records.makers import SEED, answer_on, read, write
from tests.core.records.test_verifying import certified

COUNT = 240

JOBS = ("clerk", "nurse", "cook")

AGES = ("1", "2", "NA")


def people(jobs=JOBS, ages=AGES):
    rows = range(COUNT)
    return {
        "sex": ["fm"[i // 3 % 2] for i in rows],
        "job": [jobs[(i + i // 7) % len(jobs)] for i in rows],
        "age": [ages[i % len(ages)] for i in rows],
    }


@pytest.mark.parametrize("unknown", [LEAVE_OUT, REFUSE])
def test_a_symbol_of_x_may_be_called_as_a_treatment_is(unknown, tmp_path):
    columns = people(jobs=(LEAVE_OUT, REFUSE, "cook", ""))
    if unknown == REFUSE:
        columns["job"] = [item or "cook" for item in columns["job"]]
    original = write(columns, tmp_path / "people.csv")
    result, _ = answer_on(original, released=("job",), missing="drop")
    plan = Plan(Seeded(SEED), "replaced", unknown)
    body, path = certified(tmp_path, result, original, plan)
    assert body["unknown"]["records"] == columns["job"].count("")
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []
    # where unknown values are refused, none can have been released
    body["unknown"] = {"treatment": REFUSE, "records": 7}
    forged = json.dumps(body | {"fingerprint": fingerprint(body)})
    assert "codings" in {item.name for item in failed(verify(forged, path, original))}


@pytest.mark.parametrize("levels", [("1", "(missing)"), ("1", "NA"), ("1", "2")])
def test_a_filter_reads_marks_as_the_count_did(levels, tmp_path):
    columns = people()
    original = write(columns, tmp_path / "people.csv")
    result, _ = answer_on(original, released=("job",), filters=(Filter("age", levels),))
    plan = Plan(Seeded(SEED), keep=("age",))
    body, path = certified(tmp_path, result, original, plan)
    passing = {"1": "1", "2": "2", "(missing)": "NA"}
    kept = {passing[item] for item in levels if item in passing}
    assert set(read(path)["age"]) == kept
    assert (
        body["released"]["records"]
        == result.joint.n
        == sum(item in kept for item in columns["age"])
    )
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []


def test_a_filter_reads_marks_as_the_count_of_other_data_did(tmp_path):
    """No S in the file that is released: nothing else compares it with the count."""
    design = write(people(), tmp_path / "design.csv")
    columns = people()
    del columns["sex"]
    original = write(columns, tmp_path / "people.csv")
    answer = {}
    for levels in (("1", "NA"), ("1", "(missing)")):
        result, _ = answer_on(design, released=("job",), filters=(Filter("age", levels),))
        plan = Plan(Seeded(SEED), keep=("age",))
        body, path = certified(tmp_path, result, original, plan, same=False)
        answer[levels[1]] = set(read(path)["age"])
        assert body["design"]["marked"] == ["age"]
        checks = verify(json.dumps(body), path, original, str(SEED), design=design)
        assert failed(checks) == []
    assert answer == {"NA": {"1"}, "(missing)": {"1", "NA"}}


def test_other_data_whose_marks_a_filter_reads_otherwise_draw_apart(tmp_path):
    """One of them has marks, and one a word: all else that is shown of them is the same."""
    marks = people(ages=("1", "1", "NA"))
    words = {name: [*values, values[0]] for name, values in marks.items()}
    words["age"] = [item.replace("NA", "") for item in marks["age"]] + ["word"]
    original = write(people(), tmp_path / "people.csv")
    shown = []
    for name, columns in (("marks", marks), ("words", words)):
        design = write(columns, tmp_path / f"{name}.csv")
        filters = (Filter("age", ("1", "(missing)")),)
        result, _ = answer_on(design, released=("job",), filters=filters)
        body, _ = certified(tmp_path, result, original, Plan(Seeded(SEED)), same=False)
        shown.append(body)
    assert shown[0]["mechanism"] == shown[1]["mechanism"]
    assert [item["design"]["marked"] for item in shown] == [["age"], []]
    assert shown[0]["draw"]["mechanism"] != shown[1]["draw"]["mechanism"]


@pytest.mark.parametrize("keep", [(), ("age",)])
def test_a_release_of_no_record_is_refused(keep, tmp_path):
    design = write(people(), tmp_path / "design.csv")
    original = write(people(jobs=("vet", "smith")), tmp_path / "people.csv")
    result, _ = answer_on(design, released=("job",))
    plan = Plan(Seeded(SEED), keep=keep, unknown=LEAVE_OUT)
    with pytest.raises(InvalidInputError, match=r"^No record is left to release: "):
        certified(tmp_path, result, original, plan, same=False)
    assert {item.name for item in tmp_path.iterdir()} == {"design.csv", "people.csv"}
