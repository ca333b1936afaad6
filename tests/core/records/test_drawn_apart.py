"""Outputs of one seed or key under two mechanisms, or of a changed value, show no X together."""

import json

import pytest

from core.data import Sources
from core.data.spec import LeftOut
from core.errors import InvalidInputError
from core.records import applying
from core.records.certificate import make
from core.records.design import Plan
from core.records.draws import Keyed, Seeded
from core.records.fields import LINKED
from core.records.verifying import failed, verify
from tests.core.records.makers import SEED, answer_on, opened, read, released, with_kernel, write
from tests.core.records.test_verifying import certified

KEY = b"k" * 32
"""The key of the releases that are drawn by one."""

DRAWS = {"seed": Seeded(SEED), "key": Keyed(KEY, "id")}

WIDE, NARROW = [[0.6, 0.4], [0.4, 0.6]], [[0.7, 0.3], [0.3, 0.7]]
"""Two kernels: by one random number, only the second X has the outputs 0 and then 1."""

COUNT = 400


def people(jobs):
    return {
        "id": [f"p{i}" for i in range(len(jobs))],
        "sex": ["fm"[(i % 2 == 0) != (i % 5 == 0)] for i in range(len(jobs))],
        "job": jobs,
    }


JOBS = ["clerk", "nurse"] * (COUNT // 2)


def outputs(original, kernel, draw, folder):
    """Release a file by a kernel; return the index of each record's output."""
    result, _ = answer_on(original, released=("job",), mechanism="identity")
    made = with_kernel(result, kernel)
    _, answer = released(made, opened(original), folder / "out.csv", Plan(draw))
    return [made.mechanism.y_labels.index(item) for item in answer["job"]]


@pytest.mark.parametrize("kind", DRAWS)
def test_outputs_of_two_mechanisms_are_drawn_apart(kind, tmp_path):
    original = write(people(JOBS), tmp_path / "people.csv")
    first, second = (outputs(original, item, DRAWS[kind], tmp_path) for item in (WIDE, NARROW))
    pairs = list(zip(first, second, strict=True))
    for job, rare in (("clerk", 0.6 * 0.3), ("nurse", 0.4 * 0.7)):
        seen = [pair == (0, 1) for pair, own in zip(pairs, JOBS, strict=True) if own == job]
        assert abs(sum(seen) / len(seen) - rare) < 0.1  # by one number 0 and 0.1
    assert outputs(original, WIDE, DRAWS[kind], tmp_path) == first


@pytest.mark.parametrize("kind", DRAWS)
def test_values_that_changed_in_another_file_are_drawn_apart(kind, tmp_path):
    changed = ["nurse" if job == "clerk" else "clerk" for job in JOBS]
    result, mechanisms = [], set()
    for name, jobs in (("one", JOBS), ("other", changed)):
        (tmp_path / name).mkdir()
        original = write(people(jobs), tmp_path / name / "people.csv")
        made = with_kernel(answer_on(original, released=("job",), mechanism="identity")[0], WIDE)
        sources = Sources()
        upload = sources.uploads[sources.add_file(original)]
        target = tmp_path / name / "out.csv"
        mechanisms.add(
            make(made, upload, Plan(DRAWS[kind]), target).certificate["draw"]["mechanism"]
        )
        result.append([made.mechanism.y_labels.index(item) for item in read(target)["job"]])
    assert len(mechanisms) == 1
    moved = set(zip(JOBS, *result, strict=True))  # by one number each job moves one way
    assert moved == {(job, y, z) for job in ("clerk", "nurse") for y in (0, 1) for z in (0, 1)}


def test_the_output_of_a_changed_value_is_drawn_anew(tmp_path):
    changed = ["nurse" if job == "clerk" else "clerk" for job in JOBS]
    before, after = (
        outputs(write(people(jobs), tmp_path / "people.csv"), WIDE, DRAWS["key"], tmp_path)
        for jobs in (JOBS, changed)
    )
    moved = {
        (job, y, z) for job, y, z in zip(JOBS, before, after, strict=True) if y != z
    }  # by one number each job moves one way
    assert moved == {(job, y, 1 - y) for job in ("clerk", "nurse") for y in (0, 1)}
    same = ["clerk", *changed[1:]]  # one record as it was
    again = outputs(write(people(same), tmp_path / "people.csv"), WIDE, DRAWS["key"], tmp_path)
    assert (again[0], again[1:]) == (before[0], after[1:])


@pytest.mark.parametrize("kind", DRAWS)
def test_a_draw_for_another_mechanism_is_told(kind, tmp_path):
    original = write(people(JOBS), tmp_path / "people.csv")
    result, _ = answer_on(original, released=("job",), mechanism="grr")
    body, path = certified(tmp_path, result, original, Plan(DRAWS[kind]))
    (tmp_path / "key").write_bytes(KEY)
    own = {"seed": str(SEED)} if kind == "seed" else {"key": tmp_path / "key"}
    answer = {item.name: item for item in verify(json.dumps(body), path, original, **own)}
    assert (failed(list(answer.values())), answer[kind].passed) == ([], True)
    body["draw"]["mechanism"] = "0" * 64
    answer = {item.name: item for item in verify(json.dumps(body), path, original, **own)}
    assert answer[kind].passed is False
    assert "belongs to another mechanism" in answer[kind].sentence
    del body["draw"]["mechanism"]
    with pytest.raises(InvalidInputError, match=r"lacks the entry 'draw\.mechanism'"):
        verify(json.dumps(body), path, original, **own)
    body["version"] = LINKED  # as certificates had it before: other numbers
    answer = {item.name: item for item in verify(json.dumps(body), path, original, **own)}
    assert answer[kind].passed is False


def test_names_left_out_that_only_other_data_have_are_drawn_apart(tmp_path):
    """By what is shown of them, two releases may differ in nothing but their records."""
    design = people(JOBS)
    design["sex"][:40], design["job"] = ["t"] * 40, ["pilot"] * 40 + JOBS[40:]
    design = write(design, tmp_path / "design.csv")
    original = people(JOBS)
    original["sex"] = ["t" if i % 9 == 4 else sex for i, sex in enumerate(original["sex"])]
    secrets = original["sex"]
    original = write(original, tmp_path / "people.csv")
    no_x, no_s = LeftOut(("job",), ("pilot",)), LeftOut(("sex",), ("t",))
    shown, answer = [], []
    for names in ((no_x,), (no_x, no_s)):
        result, _ = answer_on(design, released=("job",), left_out=names, mechanism="optimal")
        body, path = certified(tmp_path, result, original, Plan(Seeded(SEED)), same=False)
        shown.append(body["draw"]["mechanism"])
        answer.append(read(path)["job"])
        checks = verify(json.dumps(body), path, original, str(SEED), design=design)
        assert failed(checks) == []
        assert next(item for item in checks if item.name == "seed").passed
    assert shown[0] == shown[1]
    left = [job for job, sex in zip(answer[0], secrets, strict=True) if sex != "t"]
    assert len(left) == len(answer[1])
    assert left != answer[1]


def test_a_seed_of_before_draws_a_release_that_leaves_names_out(tmp_path, monkeypatch):
    design = people(JOBS)
    design["job"] = ["pilot"] * 40 + JOBS[40:]
    design = write(design, tmp_path / "design.csv")
    original = write(people(JOBS), tmp_path / "people.csv")
    monkeypatch.setattr(applying, "withheld", lambda *_, **__: "")
    names = (LeftOut(("job",), ("pilot",)),)
    result, _ = answer_on(design, released=("job",), left_out=names, mechanism="optimal")
    body, path = certified(tmp_path, result, original, Plan(Seeded(SEED)), same=False)
    assert failed(verify(json.dumps(body), path, original, str(SEED), design=design)) == []
