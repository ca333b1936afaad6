"""Hierarchies and rare levels of single columns, against counts by plain Python."""

import math
import random
import unicodedata
from collections import Counter

import pytest

from core.data import (
    Binning,
    DataSpec,
    Filter,
    Hierarchy,
    RareLevels,
    Sources,
    TooManyLevelsError,
    count,
)
from core.errors import InvalidInputError
from core.scenario import Scenario
from core.scenario.url import from_query, to_query

WORDS = [
    "90210",
    "90211",
    "902",
    "9",
    "Köln",
    "Kö",
    "東京都",
    "東京",
    "e\u0301a",
    "👩‍🔬x",
    "a,b",
    "",
]


def made(values, column="zip", rows=600, seed=1):
    """Return records of S and a column, and a session that has them."""
    random.seed(seed)
    records = [
        (random.choice("fmfmf"), random.choice(values), random.choice(["p", "q", "r", "rare"]))
        for _ in range(rows)
    ]
    lines = [f"s,{column},other", *(f'{s},"{value}",{other}' for s, value, other in records)]
    sources = Sources()
    source = sources.add_bytes("\n".join(lines).encode() + b"\n", "records.csv")
    return records, sources, source


def cells(counted):
    """Return the number of records of each pair of labels."""
    joint = counted.joint
    return {
        (s, x): round(joint.p[i, j] * joint.n)
        for i, s in enumerate(joint.s_labels)
        for j, x in enumerate(joint.x_labels)
        if joint.p[i, j]
    }


def brute(pairs):
    return dict(Counter(pairs))


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("missing", ["level", "drop"])
def test_prefixes(level, missing):
    records, sources, source = made(WORDS)
    zips = Hierarchy("zip", "prefix", level, steps=(3, 2))
    spec = DataSpec(source, ("s",), ("zip",), missing=missing, hierarchies=(zips,))
    kept = {0: lambda text: text, 1: lambda text: text[:3] + "*", 2: lambda text: text[:2] + "*"}
    expected = brute(
        (s, kept[level](unicodedata.normalize("NFC", value)) if value else "(missing)")
        for s, value, _ in records
        if value or missing == "level"
    )
    result = count(spec, sources)
    assert cells(result) == expected
    assert result.x_values is None
    assert [zips.sentence()] * bool(level) == [
        message for message in result.report.sentences() if "hierarchy" in message
    ]


TABLE = (
    *((str(i), f"tens {i // 10}", f"half {i // 200}") for i in range(400)),
    ("Köln", "town", "place"),
    ("東京", "town", "place"),
)


@pytest.mark.parametrize("level", [1, 2])
def test_a_table_of_400_values_and_their_ancestors(level):
    values = [str(i) for i in range(400)] + ["Köln", "東京", ""]
    records, sources, source = made(values, rows=3_000)
    jobs = Hierarchy("zip", "table", level, rows=TABLE)
    parents = {row[0]: row[level] for row in TABLE}
    spec = DataSpec(source, ("s",), ("zip",), hierarchies=(jobs,))
    expected = brute((s, parents.get(value, "(missing)")) for s, value, _ in records)
    assert cells(count(spec, sources)) == expected


def test_a_value_without_a_row_is_named():
    _, sources, source = made(["a", "b", "c d", "e", ""])
    short = Hierarchy("zip", "table", 1, rows=(("a", "x"), ("b", "y")))
    with pytest.raises(InvalidInputError) as caught:
        count(DataSpec(source, ("s",), ("zip",), hierarchies=(short,)), sources)
    assert str(caught.value) == (
        "The hierarchy of 'zip' has no row for 'c d' and for 1 more: add them to its table."
    )
    kept = DataSpec(
        source, ("s",), ("zip",), hierarchies=(short,), filters=(Filter("zip", ("a", "b")),)
    )
    assert count(kept, sources).joint.x_labels == ("x", "y")


@pytest.mark.parametrize(("steps", "start"), [((5, 10), 0), ((7, 14), 3), ((0.5,), -1), ((40,), 0)])
def test_intervals_of_numbers(steps, start):
    values = ["0", "4", "5", "9.5", "10", "-3", "19", "20", "NA", ""]
    records, sources, source = made(values, column="age")
    for level, width in enumerate(steps, start=1):
        ages = Hierarchy("age", "interval", level, steps=steps, start=start)
        result = count(DataSpec(source, ("s",), ("age",), hierarchies=(ages,)), sources)
        expected = Counter()
        for s, value, _ in records:
            place = None if value in ("NA", "") else math.floor((float(value) - start) / width)
            expected[s, place] += 1
        by_place = Counter()
        for (s, label), n in cells(result).items():
            low = None if label == "(missing)" else float(label[1:].partition(",")[0])
            by_place[s, None if low is None else round((low - start) / width)] += n
        assert by_place == expected
        assert all(label.startswith(("[", "(missing)")) for label in result.joint.x_labels)


def test_intervals_give_numbers_to_x():
    _, sources, source = made(["1", "2", "9"], column="age")
    ages = Hierarchy("age", "interval", 1, steps=(4,))
    result = count(DataSpec(source, ("s",), ("age",), hierarchies=(ages,)), sources)
    assert result.joint.x_labels == ("[0, 4)", "[8, 12]")
    assert list(result.x_values) == [2, 10]


@pytest.mark.parametrize("missing", ["level", "drop"])
@pytest.mark.parametrize("below", [1, 30, 50, 10_000])
def test_rare_levels_of_one_column_are_grouped_by_themselves(below, missing):
    values = ["1"] * 9 + ["2"] * 9 + ["10"] * 2 + ["3", "東京", ""]
    records, sources, source = made(values, rows=700)
    used = [item for item in records if item[1] or missing == "level"]
    totals = Counter(value for _, value, _ in used)
    rare = {value for value, n in totals.items() if n < below}
    group = f"(rare: {len(rare):,} {'level' if len(rare) == 1 else 'levels'})"
    spec = DataSpec(
        source, ("s",), ("zip",), missing=missing, rare_levels=(RareLevels("zip", below),)
    )
    expected = brute((s, group if value in rare else value or "(missing)") for s, value, _ in used)
    if len({x for _, x in expected}) == 1:
        with pytest.raises(InvalidInputError, match="only one level"):
            count(spec, sources)
        return
    result = count(spec, sources)
    assert cells(result) == expected
    if rare:
        assert result.joint.x_labels[-1] == group
        left_out = sum(totals[value] for value in rare)
        how = "marked as rare" if len(rare) == 1 else "grouped into one"
        reported = [text for text in result.report.sentences() if how in text]
        assert [text.split("(")[0] for text in reported] == [
            f"{len(rare)} rare {'level' if len(rare) == 1 else 'levels'} of 'zip' with "
            f"{left_out} records "
        ]


def test_numbers_stay_in_order_beside_their_rare_group():
    _, sources, source = made(["10"] * 9 + ["9"] * 9 + ["100"] * 9 + ["7"])
    spec = DataSpec(source, ("s",), ("zip",), rare_levels=(RareLevels("zip", 40),))
    result = count(spec, sources)
    assert result.joint.x_labels == ("9", "10", "100", "(rare: 1 level)")
    assert result.x_values is None


def test_two_columns_keep_their_product_with_groups_of_their_own():
    records, sources, source = made(["a"] * 5 + ["b"] * 5 + ["c"])
    spec = DataSpec(source, ("s",), ("zip", "other"), rare_levels=(RareLevels("zip", 100),))
    result = count(spec, sources)
    assert [item.labels for item in result.attributes] == [
        ("a", "b", "(rare: 1 level)"),
        ("p", "q", "r", "rare"),
    ]
    expected = brute(
        (s, f"{'(rare: 1 level)' if value == 'c' else value} · {other}")
        for s, value, other in records
    )
    assert cells(result) == expected


def test_a_group_is_called_like_no_level():
    _, sources, source = made(["(rare: 1 level)"] * 9 + ["b"] * 9 + ["c"])
    spec = DataSpec(source, ("s",), ("zip",), rare_levels=(RareLevels("zip", 100),))
    assert count(spec, sources).joint.x_labels == ("(rare: 1 level)", "b", "(rare: 1 level) (2)")


def test_a_hierarchy_then_rare_levels_then_rare_symbols():
    records, sources, source = made(["ab", "ac", "b1", "b2", "c9", "d9"] + ["ab"] * 20)
    spec = DataSpec(
        source,
        ("s",),
        ("zip",),
        hierarchies=(Hierarchy("zip", "prefix", 1, steps=(1,)),),
        rare_levels=(RareLevels("zip", 40),),
    )
    totals = Counter(value[0] for _, value, _ in records)
    kept = {f"{value}*" for value, n in totals.items() if n >= 40}
    result = count(spec, sources)
    assert set(result.joint.x_labels) - kept == {f"(rare: {len(totals) - len(kept)} levels)"}


def test_what_has_too_many_levels_is_counted_at_a_higher_one():
    rows = [f"{'fm'[i % 2]},z{i:05}" for i in range(11_000)]
    sources = Sources()
    source = sources.add_bytes("\n".join(["s,zip", *rows]).encode(), "ids.csv")
    zips = Hierarchy("zip", "prefix", 0, steps=(4, 3))
    spec = DataSpec(source, ("s",), ("zip",), hierarchies=(zips,))
    with pytest.raises(TooManyLevelsError):
        count(spec, sources)
    higher = Hierarchy("zip", "prefix", 2, steps=(4, 3))
    result = count(DataSpec(source, ("s",), ("zip",), hierarchies=(higher,)), sources)
    assert cells(result) == brute((row[0], row[2:5] + "*") for row in rows)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kind": "tree"}, "must be of a kind among 'prefix', 'table', 'interval', got 'tree'"),
        ({"kind": "prefix", "steps": (2, 3)}, "whole, decreasing and at least 1, got 2, 3"),
        ({"kind": "prefix", "steps": (1.5,)}, "whole, decreasing and at least 1, got 1.5"),
        ({"kind": "prefix", "steps": (math.inf,)}, "got inf"),
        ({"kind": "prefix"}, "got none"),
        ({"kind": "prefix", "steps": (3,), "level": 2}, "has the levels 0 to 1, got 2"),
        ({"kind": "interval", "steps": (5, 12)}, "each a multiple of the one before, got 5, 12"),
        ({"kind": "interval", "steps": (0,)}, "widths above 0"),
        ({"kind": "interval", "steps": (5,), "start": math.inf}, "must be finite, got inf"),
        ({"kind": "table"}, "must have 1 to 10,000 rows, got 0"),
        ({"kind": "table", "rows": (("a",),)}, "row 1 has 1 entries"),
        ({"kind": "table", "rows": (("a", "b"), ("c",))}, "row 2 has 1 entries, the first 2"),
        ({"kind": "table", "rows": (("a", " "),)}, "Row 1 of the hierarchy of 'c' has an empty"),
        ({"kind": "table", "rows": (("a", "b"), ("a", "b"))}, "a value in more than one row"),
        ({"kind": "table", "rows": (("a", "b"), ("a", "c"))}, "gives 'a' two parents, 'b' and 'c'"),
        (
            {"kind": "table", "rows": (("a", "p", "x"), ("b", "p", "y"))},
            "gives 'p' two parents, 'x' and 'y'",
        ),
    ],
)
def test_a_hierarchy_that_is_none(values, message):
    with pytest.raises(InvalidInputError) as caught:
        Hierarchy("c", **values)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"hierarchies": [3]}, "A hierarchy must be a JSON object, got 3"),
        ({"hierarchies": [{"column": "a"}]}, "A hierarchy's kind must be a text"),
        ({"hierarchies": [{"column": "a", "kind": "prefix", "steps": 3}]}, "steps must be a list"),
        (
            {"hierarchies": [{"column": "a", "kind": "table", "rows": [["a", 3]]}]},
            "rows must be a list of texts",
        ),
        ({"hierarchies": [{"wide": 1}]}, "unknown entry 'wide'"),
        ({"rare_levels": [{"column": "a"}]}, "must name its column and a number"),
        ({"rare_levels": [{"column": "a", "below": 0}]}, "records below which levels of 'a' are"),
    ],
)
def test_what_is_no_json_of_one(values, message):
    with pytest.raises(InvalidInputError) as caught:
        DataSpec.from_dict(values)
    assert message in str(caught.value)


def test_what_does_not_go_together():
    prefix = Hierarchy("age", "prefix", 1, steps=(1,))
    interval = Hierarchy("age", "interval", 1, steps=(5,))
    rare = RareLevels("age", 5)
    for values, text in (
        ({"hierarchies": (prefix, interval)}, "more than one hierarchy"),
        ({"hierarchies": (prefix,), "binnings": (Binning("age"),)}, "bins and a hierarchy"),
        ({"rare_levels": (rare, rare)}, "more than one threshold for rare"),
        ({"rare_levels": (rare,), "binnings": (Binning("age"),)}, "make them wider"),
        ({"rare_levels": (rare,), "hierarchies": (interval,)}, "make them wider"),
    ):
        with pytest.raises(InvalidInputError, match=text):
            DataSpec(**values)


def test_old_questions_keep_their_hashes_and_new_ones_have_their_own():
    plain = Scenario()
    assert "hierarchies" not in plain.to_json()
    assert "rare_levels" not in plain.to_json()
    zips = Hierarchy("occupation", "prefix", 1, steps=(3, 2))
    request = [
        Scenario(DataSpec(hierarchies=(zips,))),
        Scenario(DataSpec(hierarchies=(Hierarchy("occupation", "prefix", 2, steps=(3, 2)),))),
        Scenario(DataSpec(rare_levels=(RareLevels("occupation", 5),))),
    ]
    assert len({item.content_hash() for item in (plain, *request)}) == 4
    for item in request:
        assert Scenario.from_json(item.to_json()) == item
        assert from_query(to_query(item)) == (item, ())


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"level": "["}, "which is ignored"),
        ({"level": '["a"]'}, 'It must be ["COLUMN", "KIND", LEVEL, [STEP or ROW, …]]'),
        ({"level": '["a", "prefix", 9, [3]]'}, "has the levels 0 to 1, got 9"),
        ({"level": '["age", "prefix", 1, [3]]', "bins": "age:width:4"}, "bins and a hierarchy"),
        ({"rare_of": '["a"]'}, 'It must be ["COLUMN", RECORDS]'),
        ({"rare_of": '["age", 5]', "bins": "age:width:4"}, "make them wider"),
    ],
)
def test_a_link_with_what_is_none_says_so(query, message):
    scenario, [notice] = from_query(query)
    assert message in notice
    assert not scenario.data.hierarchies
    assert not scenario.data.rare_levels
