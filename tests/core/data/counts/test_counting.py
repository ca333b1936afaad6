"""Counting inside DuckDB against pandas, and what it does with missing, rare and odd levels."""

import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.data import Binning, DataSpec, Filter, Sources, TooManyLevelsError, count
from core.data.treatment.symbols import distinct
from core.errors import InvalidInputError
from core.joint import JOINER, MISSING

KINDS = ["csv", "parquet"]
WORDS = [
    "a",
    "b",
    "?",
    "B b",
    'quo"te',
    "x'; DROP TABLE t; --",
    "<b>bold</b>",
    "=1+1",
    "é,;\t|",
    "$1",
]


def cells(joint):
    """Return counts by pair of labels, zero cells left out."""
    return {
        (s, x): round(joint.p[i, j] * joint.n)
        for i, s in enumerate(joint.s_labels)
        for j, x in enumerate(joint.x_labels)
        if joint.p[i, j] > 0
    }


def by_pandas(frame, secret, released):
    """Count with pandas: the second route."""

    def joined(names):
        columns = [
            frame[name].astype("object").where(frame[name].notna(), MISSING) for name in names
        ]
        return [JOINER.join(map(str, levels)) for levels in zip(*columns, strict=True)]

    table = pd.crosstab(pd.Series(joined(secret)), pd.Series(joined(released)))
    return {(s, x): int(n) for s, row in table.iterrows() for x, n in row.items() if n > 0}


def frames():
    level = st.one_of(st.none(), st.sampled_from(WORDS))
    record = st.tuples(level, level, st.integers(-3, 12))
    columns = ["first col", "sélect", 'od"d']
    known = pd.DataFrame([("a", "b", 1), ("b", "a", 2)], columns=columns)
    return st.lists(record, max_size=30).map(
        lambda rows: (
            pd.concat([known, pd.DataFrame(rows, columns=columns)], ignore_index=True)
            if rows
            else known
        )
    )


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(frames(), st.sampled_from(KINDS), st.booleans())
def test_counts_are_those_of_pandas(frame, kind, joined):
    sources = Sources()
    content = frame.to_parquet() if kind == "parquet" else frame.to_csv(index=False).encode()
    key = sources.add_bytes(content, "data")
    secret = ("first col",)
    released = ('od"d', "sélect") if joined else ("sélect",)
    counted = count(DataSpec(key, secret, released), sources)
    assert cells(counted.joint) == by_pandas(frame, secret, released)
    assert counted.report.n_used == counted.report.n_total == len(frame)
    missing = {name: int(frame[name].isna().sum()) for name in (*secret, *released)}
    assert dict(counted.report.missing) == missing

    kept = frame.dropna(subset=[*secret, *released])
    dropped = count(DataSpec(key, secret, released, missing="drop"), sources)
    assert cells(dropped.joint) == by_pandas(kept.reset_index(drop=True), secret, released)
    assert dropped.report.dropped_missing == len(frame) - len(kept)
    assert dropped.report.n_used == len(kept)


@pytest.mark.parametrize("kind", KINDS)
def test_labels_from_data_are_text_and_never_part_of_a_query(add, sources, kind):
    frame = pd.DataFrame({"s": WORDS * 2, "x); DROP TABLE cells; --": WORDS[::-1] * 2})
    joint = count(DataSpec(add(frame, kind), ("s",), (frame.columns[1],)), sources).joint
    assert set(joint.s_labels) == set(joint.x_labels) == set(WORDS)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_stand_in_the_order_of_the_number_line(add, sources, kind):
    frame = pd.DataFrame({"s": ["a", "b"] * 3, "x": [10, 9, -2, 100, 9, 10]})
    counted = count(DataSpec(add(frame, kind), ("s",), ("x",)), sources)
    assert counted.joint.x_labels == ("-2", "9", "10", "100")
    assert counted.x_values.tolist() == [-2, 9, 10, 100]


def test_whole_numbers_in_a_column_of_fractions_lose_their_point(add, sources):
    frame = pd.DataFrame({"s": ["a", "b", "a"], "x": [2.0, 0.25, np.nan]})
    counted = count(DataSpec(add(frame), ("s",), ("x",)), sources)
    assert counted.joint.x_labels == ("0.25", "2", MISSING)
    assert counted.x_values is None


def test_missing_levels_come_last_and_blank_cells_are_missing(sources):
    key = sources.add_bytes(b"s,x\na,z\nb,\na,  \nb,?\nb, z \n", "a.csv")
    joint = count(DataSpec(key, ("s",), ("x",)), sources).joint
    assert joint.x_labels == ("?", "z", MISSING)
    assert joint.p_x * joint.n == pytest.approx([1, 2, 2])


def test_a_level_that_is_called_missing_is_not_taken_for_a_missing_one(add, sources):
    frame = pd.DataFrame({"s": ["a", "b", "a"], "x": [MISSING, None, "z"]})
    joint = count(DataSpec(add(frame), ("s",), ("x",)), sources).joint
    assert joint.x_labels == (MISSING, "z", f"{MISSING} (2)")
    assert joint.p_x == pytest.approx([1 / 3] * 3)


def test_joined_levels_that_read_alike_stay_apart(add, sources):
    frame = pd.DataFrame({"s": ["a", "b"], "x": ["p", f"p{JOINER}q"], "y": [f"q{JOINER}r", "r"]})
    joint = count(DataSpec(add(frame), ("s",), ("x", "y")), sources).joint
    assert joint.x_labels == (f"p{JOINER}q{JOINER}r", f"p{JOINER}q{JOINER}r (2)")


def test_repeated_names_are_numbered_past_names_that_look_numbered():
    assert distinct(["a", "a (2)", "a", "a"]) == ("a", "a (2)", "a (3)", "a (4)")


def test_rare_levels_become_one_that_stands_last(add, sources):
    frame = pd.DataFrame({"s": list("aabbab"), "x": ["p"] * 3 + ["q", "r", "r"]})
    counted = count(DataSpec(add(frame), ("s",), ("x",), rare_below=3), sources)
    assert counted.joint.x_labels == ("p", "(rare: 2 levels)")
    assert counted.joint.p * 6 == pytest.approx(np.array([[2, 1], [1, 2]]))
    assert (counted.report.grouped_x.levels, counted.report.grouped_x.records) == (2, 3)
    assert counted.report.grouped_s.levels == 0
    assert counted.report.sentences() == (
        "2 rare levels of 'x' with 3 records (50%) were grouped into one.",
    )


def test_a_filter_keeps_the_records_that_have_its_levels(add, sources):
    frame = pd.DataFrame({"s": list("abab"), "x": list("ppqq"), "f": ["1", None, "2", "1"]})
    spec = DataSpec(add(frame), ("s",), ("x",), filters=(Filter("f", ("1", MISSING)),))
    counted = count(spec, sources)
    assert cells(counted.joint) == {("a", "p"): 1, ("b", "p"): 1, ("b", "q"): 1}
    assert (counted.report.n_total, counted.report.filtered) == (4, 1)
    assert counted.report.sentences()[0] == "1 of 4 records (25%) was left out by filters."


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [
        ({"low": 2}, ["2", "2.5", "10"]),
        ({"high": 2.5}, ["-1", "2", "2.5"]),
        ({"low": 2, "high": 2.5}, ["2", "2.5"]),
        ({"low": -1e9, "high": 1e9}, ["-1", "2", "2.5", "10"]),
    ],
)
def test_a_range_keeps_the_records_whose_number_is_in_it(add, sources, bounds, kept):
    numbers = ["-1", "2", "2.5", "10", None, "?"]
    frame = pd.DataFrame({"s": list("ab") * 6, "f": [n for n in numbers for _ in range(2)]})
    counted = count(DataSpec(add(frame), ("s",), ("f",), filters=(Filter("f", **bounds),)), sources)
    assert list(counted.joint.x_labels) == kept
    assert counted.report.filtered == 12 - 2 * len(kept)


def test_a_range_of_what_holds_no_numbers_is_refused(add, sources):
    frame = pd.DataFrame({"s": list("abab"), "x": list("ppqq"), "d": pd.Timestamp("2020-01-01")})
    spec = DataSpec(add(frame), ("s",), ("x",), filters=(Filter("d", low=1.0),))
    with pytest.raises(InvalidInputError, match="Column 'd' holds no numbers, so no range"):
        count(spec, sources)


def test_secret_released_makes_x_the_pair(add, sources):
    frame = pd.DataFrame({"s": list("aab"), "u": list("pqp")})
    counted = count(DataSpec(add(frame), ("s",), ("u",), secret_released=True), sources)
    assert counted.joint.x_labels == (f"a{JOINER}p", f"a{JOINER}q", f"b{JOINER}p")
    assert (counted.joint.p > 0).sum() == 3
    assert counted.report.zero_cells == 1


def test_a_column_may_be_in_both_s_and_x(add, sources):
    frame = pd.DataFrame({"s": list("aab"), "u": list("pqp")})
    joint = count(DataSpec(add(frame), ("s",), ("s", "u")), sources).joint
    assert cells(joint) == {
        ("a", f"a{JOINER}p"): 1,
        ("a", f"a{JOINER}q"): 1,
        ("b", f"b{JOINER}p"): 1,
    }


def test_bins_give_labels_and_middles_in_order(add, sources):
    frame = pd.DataFrame({"s": list("abab"), "x": [100, 20, 35, 90]})
    spec = DataSpec(add(frame), ("s",), ("x",), binnings=(Binning("x", "edges", 8, (20, 35, 90)),))
    counted = count(spec, sources)
    assert counted.joint.x_labels == ("[20, 35)", "[35, 90]", "> 90")
    assert counted.x_values is None
    inside = count(
        DataSpec(spec.source, ("s",), ("x",), binnings=(Binning("x", "width", 2),)), sources
    )
    assert inside.joint.x_labels == ("[20, 60)", "[60, 100]")
    assert inside.x_values.tolist() == [40, 80]
    assert inside.report.bins[0].edges == (20, 60, 100)


def test_nan_in_parquet_is_missing_whatever_the_file_s_statistics_say(sources, tmp_path):
    table = pa.table({"s": ["a", "b", "a"], "x": [1.0, float("nan"), 2.5]})
    pq.write_table(table, tmp_path / "nan.parquet")
    key = sources.add_file(tmp_path / "nan.parquet")
    spec = DataSpec(key, ("s",), ("x",), binnings=(Binning("x", "width", 1),))
    assert count(spec, sources).joint.x_labels == ("[1, 2.5]", MISSING)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"released": ("s",), "secret_released": True},
            "X is the secret 's' itself, so it cannot be released a second time: switch off “Also "
            "release S”, or choose another column for X.",
        ),
        ({"secret": ()}, "Choose at least one column for S."),
        ({"released": ("x", "x")}, "X has the column 'x' more than once."),
        ({"released": ("nope",)}, "data.csv has no column 'nope', only 's', 'x', 'one', 'none'."),
        ({"secret": ("one",)}, "S ('one') has only one level, 'k': there is nothing to hide."),
        ({"released": ("one",)}, "X ('one') has only one level, 'k': there is nothing to release."),
        ({"released": ("none",)}, "Column 'none' is empty: all its 4 values are missing."),
        (
            {"filters": (Filter("s", ("z",)),)},
            "There is nothing to count: no record passes the filters.",
        ),
        (
            {"released": ("y", "x"), "missing": "drop"},
            "data.csv has no column 'y', only 's', 'x', 'one', 'none'.",
        ),
    ],
)
def test_a_question_that_cannot_be_asked_gets_one_sentence(sources, changes, sentence):
    key = sources.add_bytes(b"s,x,one,none\na,p,k,\nb,q,k,\na,q,k,\nb,p,k,\n", "data.csv")
    values = {"source": key, "secret": ("s",), "released": ("x",)} | changes
    with pytest.raises(InvalidInputError) as caught:
        count(DataSpec(**values), sources)
    assert str(caught.value) == sentence


def test_dropping_every_record_is_refused(sources):
    key = sources.add_bytes(b"s,x\na,\n,q\n", "data.csv")
    with pytest.raises(InvalidInputError, match="Each of the 2 records has a missing value"):
        count(DataSpec(key, ("s",), ("x",), missing="drop"), sources)


def test_a_million_levels_are_refused_with_a_way_out(sources, tmp_path):
    n = 1_000_000
    table = pa.table({"s": np.arange(n) % 2, "name": pa.array(np.arange(n)).cast(pa.string())})
    pq.write_table(table, tmp_path / "many.parquet")
    key = sources.add_file(tmp_path / "many.parquet")
    with pytest.raises(TooManyLevelsError, match=r"'name' has about [\d,]+ levels; at most 10,000"):
        count(DataSpec(key, ("s",), ("name",)), sources)
    spec = DataSpec(key, ("s",), ("name",), binnings=(Binning("name", "quantile", 4),))
    assert count(spec, sources).joint.p == pytest.approx(np.full((2, 4), 1 / 8))


def test_levels_just_over_the_limit_are_counted_exactly(add, sources):
    frame = pd.DataFrame({"s": ["a", "b"] * 5_001, "x": np.arange(10_002)})
    key = add(frame)
    with pytest.raises(TooManyLevelsError, match="'x' has 10,002 levels; at most 10,000"):
        count(DataSpec(key, ("s",), ("x",)), sources)
    enough = pd.concat([frame, frame[frame["x"] < 1_500]])
    counted = count(DataSpec(add(enough), ("s",), ("x",), rare_below=2), sources)
    assert counted.joint.n_x == 1_501
    assert counted.report.grouped_x.levels == 8_502


def test_joints_with_too_many_cells_are_refused_before_they_are_made(add, sources):
    frame = pd.DataFrame({"s": np.arange(600), "x": np.arange(600)})
    with pytest.raises(TooManyLevelsError, match="600 levels and 'x' 600: 360,000 cells; at most"):
        count(DataSpec(add(frame), ("s",), ("x",)), sources)
    pairs = DataSpec("random:uniform:100x100:1", secret_released=True)
    with pytest.raises(TooManyLevelsError, match="1,000,000 cells, because S and X are released"):
        count(pairs)


def test_threads_count_side_by_side():
    wanted = count(DataSpec()).joint.p
    result = []
    threads = [
        threading.Thread(target=lambda: result.append(count(DataSpec()).joint.p)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(result) == 4
    assert all((p == wanted).all() for p in result)


def test_the_secret_itself_can_be_released(add, sources):
    frame = pd.DataFrame({"s": list("abac"), "t": list("xxyy")})
    key = add(frame)
    counted = count(DataSpec(key, ("s",), ("s",)), sources)
    np.testing.assert_array_equal(counted.joint.p, np.diag([0.5, 0.25, 0.25]))
    assert counted.joint.is_secret_released
    turned = count(DataSpec(key, ("s", "t"), ("t", "s")), sources)
    assert turned.joint.is_secret_released
    coarser = count(DataSpec(key, ("s",), ("s",), rare_below=2), sources)
    assert coarser.joint.p.shape == (3, 2)


@pytest.mark.parametrize(
    ("names", "values"), [("\t0\t2.5\t10\n", [0.0, 2.5, 10.0]), ("\t0\tb\t10\n", None), ("", None)]
)
def test_numbers_as_names_of_a_pasted_matrix_make_x_numeric(names, values):
    sources = Sources()
    rows = ("3\t1\t2", "1\t2\t3")
    text = names + "\n".join(f"s{i}\t{row}" if names else row for i, row in enumerate(rows))
    result = count(DataSpec(sources.add_matrix(text), (), ()), sources).x_values
    assert (None if result is None else result.tolist()) == values
