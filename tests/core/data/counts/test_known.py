"""The counts of S, X and K: by records one by one, and by what a filter on K leaves."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.data import Binning, DataSpec, Filter, RareLevels, Sources, TooManyLevelsError, count
from core.data.spec import LeftOut, Merge
from core.errors import InvalidInputError
from core.limits import MAX_LEVELS, MOST_KNOWN

SECRETS, VALUES, TOWNS = ["f", "m", "x"], ["a", "b", "c", "d"], ["north", "south", "west"]


def people(seed, n=300):
    """Draw records in which some combinations of S, X and K never occur."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(3 * 4 * 3, 0.4))
    s, x, k = np.unravel_index(rng.choice(p.size, n, p=p), (3, 4, 3))
    first = [("f", "a", "north", 1), ("m", "b", "south", 2), ("f", "b", "north", 1)]
    first += [("m", "a", "north", 3)]
    drawn = zip(
        (SECRETS[i] for i in s),
        (VALUES[i] for i in x),
        (TOWNS[i] for i in k),
        rng.integers(0, 9, n),
        strict=True,
    )
    return pd.DataFrame([*first, *drawn], columns=["s", "x", "town", "age"])


def kept(frame, **changes):
    sources = Sources()
    key = sources.add_bytes(frame.to_csv(index=False).encode(), "people.csv")
    request = {"source": key, "secret": ("s",), "released": ("x",), "known": ("town",)} | changes
    return DataSpec(**request), sources


def slices(counted):
    """Return the counts of each k by the joint's labels, without zeros, largest k unknown."""
    joint, table = counted.joint, counted.joint.known
    s_of = {int(kept): name for kept, name in zip(joint.kept_s, joint.s_labels, strict=True)}
    x_of = {int(kept): name for kept, name in zip(joint.kept_x, joint.x_labels, strict=True)}
    result = {}
    for s, x, k, n in zip(table.s, table.x, table.k, table.weight, strict=True):
        cells = result.setdefault(int(k), {})
        cell = s_of[int(s)], x_of[int(x)]
        cells[cell] = cells.get(cell, 0) + int(n)
    return [result[k] for k in sorted(result)]


def cells(joint):
    counts = np.rint(joint.p * joint.n).astype(int)
    named = {
        (s, x): int(counts[i, j])
        for i, s in enumerate(joint.s_labels)
        for j, x in enumerate(joint.x_labels)
    }
    return {cell: n for cell, n in named.items() if n}


@pytest.mark.parametrize("seed", range(2))
def test_it_counts_each_record_by_all_three(seed):
    frame = people(seed)
    spec, sources = kept(frame, known=("town", "age"))
    groups = frame.groupby(["town", "age"])
    by_hand = [part.groupby(["s", "x"]).size().to_dict() for _, part in groups]
    counted = count(spec, sources)
    assert slices(counted) == by_hand  # single digits: by text as by number
    alone = sum(len(part) for _, part in groups if len(set(part["s"])) == 1)
    assert counted.report.determined == alone
    assert len(counted.report.known_values) == len(by_hand)


TREATED = [
    {},
    {"secret_released": True},
    {"released": ("x", "age")},
    {"released": ("x", "age"), "rare_below": 3},
    {"rare_below_s": 60},
    {"binnings": (Binning("age", "edges", edges=(0, 3, 6, 9)),), "released": ("age",)},
    {"merges": (Merge(("x",), ("a", "c")), Merge(("s",), ("m", "x")))},
    {"left_out": (LeftOut(("x",), ("c",)), LeftOut(("s",), ("x",)))},
    {"left_out": (LeftOut(("x",), ("d",)),), "merges": (Merge(("x",), ("b", "c")),)},
    {"rare_levels": (RareLevels("x", 80),)},
]


@pytest.mark.parametrize("changes", TREATED)
def test_the_sum_over_k_is_the_count_without_it(changes):
    spec, sources = kept(people(0), **changes)
    counted = count(spec, sources)
    alone = count(replace(spec, known=()), sources)
    np.testing.assert_array_equal(counted.joint.p, alone.joint.p)
    assert counted.joint.s_labels == alone.joint.s_labels
    assert counted.joint.x_labels == alone.joint.x_labels
    total = {}
    for part in slices(counted):
        for cell, n in part.items():
            total[cell] = total.get(cell, 0) + n
    assert total == cells(alone.joint)


@pytest.mark.parametrize("changes", [item for item in TREATED if "rare" not in " ".join(item)])
def test_each_k_has_what_a_filter_on_it_leaves(changes):
    frame = people(3, 2_000)
    spec, sources = kept(frame, **changes)
    each = [replace(spec, known=(), filters=(Filter("town", (town,)),)) for town in TOWNS]
    parts = [cells(count(item, sources).joint) for item in each]
    assert slices(count(spec, sources)) == parts


def test_a_known_column_is_treated_as_any_other():
    frame = people(1)
    bins = Binning("age", "edges", edges=(0, 4, 9))
    spec, sources = kept(frame, known=("age",), binnings=(bins,))
    assert len(count(spec, sources).report.known_values) == 2
    few = RareLevels("town", int(frame["town"].value_counts().max()))
    spec, sources = kept(frame, rare_levels=(few,))
    assert len(count(spec, sources).report.known_values) == 2


def test_a_missing_known_value_is_a_value_and_leaves_no_record_out():
    frame = people(2)
    frame.loc[::7, "town"] = None
    spec, sources = kept(frame, missing="drop")
    counted = count(spec, sources)
    assert len(counted.report.known_values) == 4
    assert counted.report.n_used == len(frame)


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        (("s",), "'s' is a column of S, so it cannot also be known"),
        (("x", "town"), "'x' is a column of X, so it cannot also be known"),
        (("nowhere",), "has no column 'nowhere'"),
        (("town", "town"), "K has the column 'town' more than once"),
        (("twin",), "'twin', which others know, occurs with only one level of 's'"),
        (("id",), r"'id', which others know, has 2,304 values; at most 2,000 are allowed"),
        (("digits",), r"'digits', which others know, has about .* values; at most 2,000 are"),
    ],
)
def test_bad_columns_are_refused_in_a_sentence(known, sentence):
    frame = people(4, 2_300 if "id" in known else 2 * MAX_LEVELS + 2_000)
    frame["twin"] = frame["s"].str.upper()
    frame["id"] = frame["digits"] = np.arange(len(frame))
    spec, sources = kept(frame, known=known)
    with pytest.raises(InvalidInputError, match=sentence) as caught:
        count(spec, sources)
    assert "\n" not in str(caught.value)


def test_a_record_a_cell_is_refused_for_what_it_is():
    frame = people(5, MOST_KNOWN - 10)
    frame["id"] = np.arange(len(frame))
    spec, sources = kept(frame, known=("id",))
    with pytest.raises(InvalidInputError, match="nothing is left to hide"):
        count(spec, sources)


def test_too_many_cells_are_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"s": rng.integers(0, 60, 9_000), "x": rng.integers(0, 60, 9_000)}
        | {"k": np.arange(9_000) % 1_900}
    )
    spec, sources = kept(frame, known=("k",))
    with pytest.raises(TooManyLevelsError, match=r"6,840,000 cells; at most 5,000,000"):
        count(spec, sources)


def test_a_joint_has_no_column_that_others_know():
    with pytest.raises(InvalidInputError, match="without a column that others know"):
        count(DataSpec("random:uniform:3x4:1", (), (), known=("race",)))


def test_treated_columns_that_are_known_together_are_counted_record_by_record():
    frame = people(4, 2_000)
    frame["age"] = frame["age"].astype(float)
    frame.loc[::7, "town"] = None
    frame.loc[::11, "age"] = None
    places = frame["town"].fillna("(missing)")
    sizes = places.value_counts()
    rare = RareLevels("town", int(sizes.iloc[-2]))  # the smallest is below it
    bins = Binning("age", "edges", edges=(0, 4, 9))
    spec, sources = kept(frame, known=("age", "town"), binnings=(bins,), rare_levels=(rare,))
    by_hand = {}
    for s, x, town, age in frame.assign(town=places).itertuples(index=False):
        band = None if pd.isna(age) else age >= 4
        place = "rare" if sizes[town] < rare.below else town
        cells = by_hand.setdefault((band, place), {})
        cells[s, x] = cells.get((s, x), 0) + 1
    counted = count(spec, sources)
    result = slices(counted)
    assert len(result) == len(by_hand) == len(set(counted.report.known_values))
    assert sorted(map(repr, (sorted(item.items()) for item in result))) == sorted(
        map(repr, (sorted(item.items()) for item in by_hand.values()))
    )
    named = dict(zip(counted.report.known_values, result, strict=True))
    largest = sizes.index[0]
    assert named[f"(missing) · {largest}"] == by_hand[None, largest]
