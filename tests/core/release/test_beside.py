"""The three figures of a file against sums by definition, in exact fractions."""

import math
import sys
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.catalogue import FOLDER
from core.errors import InvalidInputError
from core.joint import MISSING
from core.measures.leakage import leakage
from core.release import beside
from core.scenario import Scenario, evaluate
from core.three_way import ThreeWay

KEYS = ("lip", "ldp", "pml", "min_lift", "guess")
quarters = st.sampled_from([0, 0, 1, 2, 3, 5])


@st.composite
def tables(draw):
    """Counts of (s, x, k) with many zeros, and a kernel in sixteenths, as lists."""
    n_s, n_x, n_k, n_y = (draw(st.integers(1, most)) for most in (3, 3, 4, 3))
    cells = st.lists(quarters, min_size=n_k, max_size=n_k)
    rows = st.lists(cells, min_size=n_x, max_size=n_x)
    counts = draw(st.lists(rows, min_size=n_s, max_size=n_s))
    counts[draw(st.integers(0, n_s - 1))][0][0] += 1
    kernel = []
    for _ in range(draw(st.sampled_from([n_x, n_s * n_x]))):
        cuts = sorted(draw(st.lists(st.integers(0, 16), min_size=n_y - 1, max_size=n_y - 1)))
        kernel.append([(b - a) / 16 for a, b in zip([0, *cuts], [*cuts, 16], strict=True)])
    return counts, kernel


def by_definition(counts, kernel):
    """Return the three figures as fractions: extremes of lifts and ratios, and chances."""
    n_s, n_x, n_k = len(counts), len(counts[0]), len(counts[0][0])
    n_y, n = len(kernel[0]), sum(c for plane in counts for row in plane for c in row)
    reads_s = len(kernel) == n_s * n_x
    p = {
        (s, y, k): sum(
            Fraction(counts[s][x][k], n) * Fraction(kernel[s * n_x + x if reads_s else x][y])
            for x in range(n_x)
        )
        for s, y, k in product(range(n_s), range(n_y), range(n_k))
    }
    p_sk = {
        (s, k): Fraction(sum(counts[s][x][k] for x in range(n_x)), n)
        for s, k in product(range(n_s), range(n_k))
    }
    p_s = {s: sum(p_sk[s, k] for k in range(n_k)) for s in range(n_s)}
    p_k = {k: sum(p_sk[s, k] for s in range(n_s)) for k in range(n_k)}
    occurring = [s for s in range(n_s) if p_s[s]]
    result = {"known": [], "added": [], "file": []}
    for k in range(n_k):
        if not p_k[k]:
            continue
        result["known"].append([p_sk[s, k] / p_k[k] / p_s[s] for s in occurring])
        for y in range(n_y):
            p_yk = sum(p[s, y, k] for s in range(n_s))
            if not p_yk:
                continue
            result["file"].append([p[s, y, k] / p_yk / p_s[s] for s in occurring])
            left = [s for s in occurring if p_sk[s, k]]
            result["added"].append([p[s, y, k] / p_yk / (p_sk[s, k] / p_k[k]) for s in left])
    guess = {
        "known": sum(max(p_sk[s, k] for s in range(n_s)) for k in range(n_k)),
        "file": sum(
            max(p[s, y, k] for s in range(n_s)) for y, k in product(range(n_y), range(n_k))
        ),
    }
    guess["added"] = guess["file"] - guess["known"]
    of_k = [sum(counts[s][x][k] for s, x in product(range(n_s), range(n_x))) for k in range(n_k)]
    determined = sum(
        (p_k[k] for k in range(n_k) if sum(p_sk[s, k] > 0 for s in range(n_s)) == 1), Fraction(0)
    )
    unique = Fraction(sum(c == 1 for c in of_k), n) if n > 1 else None
    return {key: levels(lifts) | {"guess": float(guess[key])} for key, lifts in result.items()}, (
        float(determined),
        None if unique is None else float(unique),
    )


def levels(lifts):
    """Return the levels of lists of lifts, one for each output."""
    low, high = min(map(min, lifts)), max(map(max, lifts))
    ratio = max(max(item) / min(item) if min(item) else math.inf for item in lifts)
    least = -math.log(low) if low else math.inf
    return {
        "lip": max(least, math.log(high)),
        "ldp": math.log(ratio),
        "pml": math.log(high),
        "min_lift": least,
    }


def agree(result, expected):
    for key in KEYS:
        assert result[key] == pytest.approx(expected[key], rel=1e-12, abs=1e-14), key
    assert list(result) == list(KEYS)


@settings(max_examples=60)
@given(tables())
def test_the_figures_are_those_of_the_definition(table):
    counts, kernel = table
    result = beside(counts, kernel)
    expected, (determined, unique) = by_definition(counts, kernel)
    agree(result.known, expected["known"])
    agree(result.added, expected["added"])
    agree(result.file, expected["file"])
    assert result.determined == pytest.approx(determined, abs=1e-15)
    assert result.unique == unique


@settings(max_examples=30)
@given(tables())
def test_a_small_batch_changes_nothing(table):
    counts, kernel = table
    whole = beside(counts, kernel)
    with patch.object(sys.modules[beside.__module__], "AT_ONCE", 1):
        split = beside(counts, kernel)
    for name in ("known", "added", "file"):
        agree(getattr(split, name), getattr(whole, name))
    assert (split.determined, split.unique) == (whole.determined, whole.unique)


@settings(max_examples=30)
@given(tables())
def test_what_the_file_gives_away_is_at_most_both_together(table):
    result = beside(*table)
    for key in ("lip", "ldp", "pml", "min_lift"):
        assert result.file[key] <= result.known[key] + result.added[key] + 1e-12
        assert result.known[key] <= result.file[key] + 1e-12  # Y averages to what K says
    assert result.known["guess"] <= result.file["guess"] + 1e-12


@settings(max_examples=30)
@given(tables())
def test_probabilities_give_the_same_without_records(table):
    counts, kernel = table
    shares = np.array(counts) / np.sum(counts)
    result, whole = beside(shares, kernel), beside(counts, kernel)
    assert result.unique is None
    for name in ("known", "added", "file"):
        agree(getattr(result, name), getattr(whole, name))


@settings(max_examples=30)
@given(tables())
def test_a_column_of_one_value_leaves_the_levels_of_y_alone(table):
    counts, kernel = table
    flat = np.array(counts).sum(axis=2, keepdims=True)
    result = beside(flat, kernel)
    n_s, n_x, _ = flat.shape
    cube = np.broadcast_to(
        np.reshape(kernel, (-1, n_x, len(kernel[0]))), (n_s, n_x, len(kernel[0]))
    )
    joint_sy = np.einsum("sx,sxy->sy", flat[:, :, 0] / flat.sum(), cube)
    alone = leakage(joint_sy[joint_sy.any(axis=1)], tuple(map(str, range(cube.shape[2]))))
    for key in ("lip", "ldp", "pml"):
        assert result.known[key] == pytest.approx(0, abs=1e-14)
        assert result.added[key] == pytest.approx(alone.achieved[key], abs=1e-12)
        assert result.file[key] == pytest.approx(alone.achieved[key], abs=1e-12)


def test_where_k_rules_a_secret_out_y_cannot_do_so_again():
    """Of three secrets k leaves two; Y moves their odds from 1 : 1 to 3 : 1."""
    counts = [[[2, 0], [2, 0]], [[2, 0], [2, 0]], [[0, 4], [0, 4]]]
    kernel = [[0.75, 0.25], [0.25, 0.75]] * 3
    kernel = [*kernel[:2], *kernel[2:4][::-1], *kernel[4:]]
    result = beside(counts, np.array([[0.75, 0.25]] * 2 + [[0.25, 0.75]] * 2 + [[0.5, 0.5]] * 2))
    assert result.known["lip"] == result.known["ldp"] == result.known["min_lift"] == math.inf
    assert result.known["pml"] == pytest.approx(math.log(2))
    assert result.added["ldp"] == pytest.approx(math.log(3))
    assert result.added["lip"] == pytest.approx(math.log(2))
    assert result.file["lip"] == math.inf
    assert result.determined == 0.5
    assert beside(counts, kernel).added["lip"] == 0  # Y says the same of both secrets


def test_where_k_determines_s_nothing_is_left_to_add():
    result = beside([[[3, 0], [1, 0]], [[0, 2], [0, 2]]], np.eye(2))
    assert set(result.added.values()) == {0.0}
    assert (result.determined, result.unique) == (1.0, 0.0)


def test_a_reader_who_guesses_gains_what_y_adds():
    """K is noise: S is guessed right half the time, and three times in four with Y."""
    result = beside([[[3, 3], [1, 1]], [[1, 1], [3, 3]]], np.eye(2))
    assert [result.known["guess"], result.added["guess"], result.file["guess"]] == [0.5, 0.25, 0.75]


def test_a_record_alone_on_k_is_counted():
    result = beside([[[1, 0, 2]], [[0, 1, 2]]], [[1.0]])
    assert result.unique == pytest.approx(2 / 6)
    assert beside([[[1]]], [[1.0]]).unique is None  # a distribution of a single cell


def test_combinations_may_be_listed_in_any_order_and_twice():
    counts = np.array([[[2, 1], [0, 3]], [[1, 1], [4, 0]]])
    s, x, k = np.nonzero(counts)
    weight = counts[s, x, k].astype(float)
    order = np.random.default_rng(1).permutation(len(s))
    twice = np.concatenate([order, order])
    listed = ThreeWay(s[twice], x[twice], k[twice], weight[twice] / 2, counts.shape)
    kernel = [[0.8, 0.2], [0.3, 0.7]]
    assert beside(listed, kernel).file["lip"] == pytest.approx(beside(counts, kernel).file["lip"])


@pytest.mark.parametrize(
    ("joint", "kernel", "sentence"),
    [
        ([[1, 2], [3, 4]], np.eye(2), "three axes, (s, x, k), got 2"),
        (np.zeros((2, 2, 2)), np.eye(2), "must not be all zero"),
        ([[[1, -1]], [[1, 1]]], [[1.0]], "at least 0, got -1"),
        ([[[1, np.nan]], [[1, 1]]], [[1.0]], "finite"),
        ([[[1, 1]], [[1, 1]]], np.eye(2), "must have 1 rows"),
        ([[[1, 1]], [[1, 1]]], [[0.5]], "sum to 1"),
        ([[["a"]]], [[1.0]], "numbers only"),
    ],
)
def test_bad_input_is_one_sentence(joint, kernel, sentence):
    if np.shape(kernel) == (2, 2) and np.shape(joint) == (2, 1, 2):
        kernel = np.eye(3)
    with pytest.raises(InvalidInputError) as error:
        beside(joint, kernel)
    assert sentence in str(error.value)


@pytest.fixture(scope="module")
def adult():
    """Return Adult's columns as codes, the kernel of sex | occupation at ALIP 1, and its X."""
    result = evaluate(Scenario())
    table = pq.read_table(FOLDER / "adult_train.parquet")
    encoded = {
        name: table[name].combine_chunks().dictionary_encode(null_encoding="encode")
        for name in table.column_names
    }
    codes = {
        name: (item.dictionary.to_pylist(), item.indices.to_numpy().astype(np.int64))
        for name, item in encoded.items()
    }
    place = {name: i for i, name in enumerate(result.joint.x_labels)}
    occupations, x = codes["occupation"]
    x = np.array([place[name or MISSING] for name in occupations])[x]
    others = [name for name in table.column_names if name not in ("sex", "occupation")]
    return codes, x, result, others


def counted(adult, names):
    codes, x, result, _ = adult
    k = np.zeros(len(x), dtype=np.int64)
    for name in names:
        _, k = np.unique(k * len(codes[name][0]) + codes[name][1], return_inverse=True)
    s = codes["sex"][1]
    table = ThreeWay(s, x, k, np.ones(len(x)), (2, len(result.joint.x_labels), int(k.max()) + 1))
    return beside(table, result.mechanism.kernel), k, s


def test_adult_relationship_moves_beliefs_by_4364(adult):
    result, _, _ = counted(adult, ["relationship"])
    assert round(math.exp(result.known["lip"])) == 4364
    assert result.added["lip"] == math.inf


def test_adult_y_beside_education_rules_a_sex_out(adult):
    result, _, _ = counted(adult, ["education"])
    assert result.added["lip"] == math.inf
    assert 0 < result.known["lip"] < math.inf


def test_adult_y_beside_income_moves_beliefs_by_3(adult):
    result, _, _ = counted(adult, ["income"])
    assert round(math.exp(result.added["lip"]), 1) == 3.0


def test_adult_y_alone_keeps_its_promise(adult):
    answer, _, _ = counted(adult, [])
    _, _, result, _ = adult
    assert answer.file["pml"] <= 0.5 + 1e-9
    assert answer.file["pml"] == pytest.approx(result.after.achieved["pml"], abs=1e-12)


def test_adult_21442_of_22443_combinations_determine_sex(adult):
    *_, others = adult
    result, k, s = counted(adult, others)
    pairs = len(np.unique(2 * k + s))
    kinds = int(k.max()) + 1
    assert len(others) == 9
    assert (kinds, 2 * kinds - pairs) == (22443, 21442)
    alone = np.bincount(k) == 1
    assert result.unique == pytest.approx(alone.sum() / len(k))
    of_k = [set() for _ in range(kinds)]
    for item, secret in zip(k.tolist(), s.tolist(), strict=True):
        of_k[item].add(secret)
    assert result.determined == pytest.approx(np.mean([len(of_k[item]) == 1 for item in k]))
