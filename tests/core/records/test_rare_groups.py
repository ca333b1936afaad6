"""Releases with both a group of a column's rare levels and one of whole rare symbols."""

import json
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.data import RareLevels, Sources
from core.errors import InvalidInputError
from core.records.certificate import fingerprint, make
from core.records.coded import Coder
from core.records.draws import Seeded
from core.records.fields import plain_coding
from core.records.recount import recount
from core.records.verifying import failed
from tests.core.records.makers import KEPT, SEED, answer_on, identity, keeping, opened, read, write
from tests.core.records.test_verifying import certified, outcomes

SPREAD = [("d", town, "g2") for town in "uvwxyz"]
"""A level of `t` with six records, each of whose pairs with `n` is rare."""

ROWS = [("a", "u", "g1")] * 20 + [("b", "v", "g2")] * 20 + [("c", "u", "g1")] * 5 + SPREAD

HOLES = [
    *[("a", "u", "g1")] * 20,
    *[("b", "u", "g2")] * 20,
    *[(None, "u", "g1")] * 3,
    *[("c", "u", "g2")] * 3,
    ("a", "w", "g1"),
    (None, "w", "g2"),
    *[("b", "v", "g1")] * 15,
    *[(None, "v", "g2")] * 2,
    *[("c", "v", "g2")] * 9,
]
"""Missing values of `t` are rare: six records."""

BOTH = {"released": ("t", "n"), "rare_below": 3, "rare_levels": (RareLevels("t", 6),)}

SPECS = {
    "X": BOTH,
    "X, missing left out": BOTH | {"missing": "drop"},
    "S with X": BOTH | {"secret_released": True},
    "S": {"secret": ("t", "n"), "released": ("g",), "rare_below_s": 3}
    | {"rare_levels": (RareLevels("t", 6),)},
    "missing, a few": BOTH | {"rare_levels": (RareLevels("t", 7),)},
    "missing and another": BOTH | {"rare_levels": (RareLevels("t", 14),), "rare_below": 10},
    "two groups": BOTH | {"rare_levels": (RareLevels("t", 7), RareLevels("n", 8))},
}


def table(rows, path):
    return write(dict(zip("tng", map(list, zip(*rows, strict=True)), strict=True)), path)


def answered(path, **spec):
    secret, released = spec.pop("secret", ("g",)), spec.pop("released", ("t", "n"))
    return answer_on(path, secret, released, mechanism="identity", **spec)


@pytest.mark.parametrize("rows", [ROWS, HOLES])
@pytest.mark.parametrize("spec", SPECS)
def test_a_release_has_the_counted_symbols_and_verifies(spec, rows, tmp_path):
    original = table(rows, tmp_path / "a.csv")
    result, _ = answered(original, **SPECS[spec])
    plan = keeping(Seeded(SEED), unknown="drop")
    body, path = certified(tmp_path, result, original, plan)
    answer = Counter(read(path)[body["released"]["column"]])
    counted = np.rint(result.joint.p_x * result.joint.n).astype(int).tolist()
    assert answer == dict(zip(result.joint.x_labels, counted, strict=True))
    answer = outcomes(body, path, original, str(SEED))
    assert failed(list(answer.values())) == []
    assert answer["data"].passed
    assert answer["design"].passed


def test_a_level_all_of_whose_pairs_are_rare_is_not_its_columns_rare_group(tmp_path):
    original = table(ROWS, tmp_path / "a.csv")
    result, _ = answered(original, **BOTH)
    x = result.counted.codings[1]
    assert x.kept == (("a", "b", "d"), None)
    target = tmp_path / "out.csv"
    made = make(identity(result), upload(original), keeping(Seeded(1)), target)
    assert made.applied.cells.sum(axis=0).tolist() == [20, 20, 5, 6]
    assert result.joint.x_labels[2:] == ("(rare: 1 level) · u", "(rare: 6 levels)")


def test_new_values_join_the_columns_group(tmp_path):
    result, _ = answered(table(ROWS, tmp_path / "a.csv"), **BOTH)
    fresh = opened(table([("new", "u", "g1"), ("d", "u", "g1")], tmp_path / "b.csv"))
    with closing(Coder(result.counted, result.scenario.data, 4, fresh.columns, "b")) as records:
        answer = records(
            {"t": pa.array(["new", "d"]), "n": pa.array(["u", "u"]), "g": pa.array(["g1", "g1"])}, 2
        )
    assert answer.x.tolist() == [2, 3]


def test_a_certificate_without_the_list_is_refused_where_it_is_needed(tmp_path):
    original = table(ROWS, tmp_path / "a.csv")
    result, source = answered(original, **BOTH)
    body, path = certified(tmp_path, result, original, keeping(Seeded(SEED)))
    old = json.loads(json.dumps(body))
    assert old["design"]["coding"][1].pop("kept") == [["a", "b", "d"], None]
    old["fingerprint"] = fingerprint(old)
    assert outcomes(old, path)["certificate"].passed  # it is still read
    with pytest.raises(InvalidInputError, match="does not list the levels of 't'"):
        outcomes(old, path, original)
    s, x = result.counted.codings
    counted = replace(result.counted, codings=(s, replace(x, kept=())))
    with pytest.raises(InvalidInputError, match="The coding of 't' does not list the levels"):
        Coder(counted, result.scenario.data, 4, source.columns, "a")
    plain, _ = answered(original, released=("t", "n"), rare_levels=(RareLevels("t", 6),))
    body, path = certified(tmp_path, plain, original, keeping(Seeded(SEED)), "plain.csv")
    assert "kept" not in body["design"]["coding"][1]  # as before, and it needs none
    assert failed(list(outcomes(body, path, original).values())) == []


def test_a_list_that_was_changed_is_found(tmp_path):
    original = table(ROWS, tmp_path / "a.csv")
    result, _ = answered(original, **BOTH)
    body, path = certified(tmp_path, result, original, keeping(Seeded(SEED)))
    body["design"]["coding"][1]["kept"] = [["a", "b"], None]
    answer = outcomes(body, path, original)
    assert not answer["design"].passed
    for wrong in ([["a", 1], None], [["a"]], "a"):
        body["design"]["coding"][1]["kept"] = wrong
        with pytest.raises(InvalidInputError):
            outcomes(body, path, original)


def test_nothing_is_released_where_records_are_not_those_counted(tmp_path):
    original = table(ROWS, tmp_path / "a.csv")
    result, _ = answered(original, **BOTH)
    s, x = result.counted.codings
    wrong = replace(x, kept=(("a", "b"), None))
    result = replace(result, counted=replace(result.counted, codings=(s, wrong)))
    target = tmp_path / "out.csv"
    with pytest.raises(InvalidInputError, match=r"6 records of S = 'g1'|S = 'g2' and X = '\(rare"):
        make(result, upload(original), keeping(Seeded(1)), target)
    assert not target.exists()


def upload(path):
    KEPT.append(Sources())
    return KEPT[-1].uploads[KEPT[-1].add_file(path)]


LEVELS = st.sampled_from(["a", "b", "c", None])

CELLS = st.lists(
    st.tuples(LEVELS, LEVELS, st.sampled_from("uv"), st.integers(1, 9)), min_size=3, max_size=10
)


@settings(max_examples=30, deadline=None)
@given(CELLS, st.integers(4, 14), st.integers(0, 8), st.integers(3, 8), st.booleans())
@example([("a", n, "u", 1) for n in "abc"] + [("b", "a", "v", 2)], 3, 0, 2, False)
@example([(None, "a", "v", 2), ("a", "b", "u", 1)], 3, 0, 2, False)
def test_coded_records_are_those_counted(cells, of_t, of_n, below, drop):
    rows = [row for *row, n in [*cells, ("x", "x", "u", 20), ("y", "y", "v", 20)] for _ in range(n)]
    rare = tuple(RareLevels(name, n) for name, n in (("t", of_t), ("n", of_n)) if n)
    spec = {"rare_levels": rare, "rare_below": below, "missing": "drop" if drop else "level"}
    with tempfile.TemporaryDirectory() as folder:
        original = table(rows, Path(folder, "a.csv"))
        result, _ = answered(original, **spec)
        joint = result.joint
        counted = np.rint(joint.p * joint.n).tolist()
        body = {
            "design": {
                "s": list(joint.s_labels),
                "coding": [plain_coding(item) for item in result.counted.codings],
                "marked": [],
            },
            "mechanism": {"inputs": list(joint.x_labels), "reads_s": False},
            "unknown": {"treatment": "drop"},
        }
        assert recount(body, result.scenario.data, original).cells.tolist() == counted
    with closing(Coder(result.counted, result.scenario.data, joint.n_x, "tng", "a")) as records:
        columns = dict(zip("tng", map(pa.array, zip(*rows, strict=True)), strict=True))
        coded = records(columns, len(rows))
    known = (coded.s >= 0) & (coded.x >= 0)
    answer = np.zeros((joint.n_s, joint.n_x))
    np.add.at(answer, (coded.s[known], coded.x[known]), 1)
    assert answer.tolist() == counted
