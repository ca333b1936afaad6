"""Two originals that differ in records left out alone have the same release and certificate."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import RareLevels, ReadOptions
from core.data.spec import DataSpec, Filter, LeftOut, Merge
from core.records import design
from core.records.applying import apply
from core.records.certificate import make
from core.records.design import LEAVE_OUT
from core.records.draws import Seeded
from core.records.files import BATCH, Writer
from core.records.verifying import failed
from core.scenario import Scenario, evaluate
from tests.core.records.makers import KEPT, SEED, Sources, keeping, read, write
from tests.core.records.test_verifying import outcomes

NAMED = {"commitment", "fingerprint", "sha256", "source"}
"""Entries of a certificate that name a file, by a secret or by the released bytes."""

SPREAD = [{"job": "baker", "town": f"t{i}"} for i in range(6)] + [{"job": "cook"}] * 2
"""Records of a level that is not rare, whose pairs with towns are, and of one that is."""

FILTERED = {"filters": (Filter("keep", ("yes",)),)}
NO_X = {"left_out": (LeftOut(("job",), ("spy",)),)}
NO_S = {"left_out": (LeftOut(("sex",), ("z",)),)}
NUMBERS = {"released": ("number",)} | NO_S

WAYS = {
    "filter": (FILTERED, {"keep": "no"}),
    "filter, X of numbers": (FILTERED | {"released": ("number",)}, {"keep": "no"}),
    "filter, rare levels": (FILTERED | {"rare_below": 5}, {"keep": "no"}),
    "filter, a task": (FILTERED | {"task": ("town",)}, {"keep": "no"}),
    "X left out": (NO_X, {"job": "spy"}),
    "S left out": (NO_S, {"sex": "z"}),
    "S left out, X of numbers": (NUMBERS, {"sex": "z"}),
    "S left out, X merged": (
        NO_S | {"merges": (Merge(("job",), ("clerk", "thief")),)},
        {"sex": "z"},
    ),
    "S left out, S and X released": (NUMBERS | {"secret_released": True}, {"sex": "z"}),
    "S left out, X of two columns": (NUMBERS | {"released": ("job", "number")}, {"sex": "z"}),
    "missing X left out": ({"missing": "drop"}, {"job": ""}),
}
"""How records are left out: of the scenario, and what these records have."""

OTHER = (
    {"number": "-5"},
    {"number": "NA"},
    {"number": "2.5"},
    {"number": "a word"},
    {"sex": "another"},
    {"sex": ""},
    {"job": "thief"},
    {"town": "Ulm"},
)
"""What records left out may have, beside values that others have."""


def rows():
    """Return the records that are released, by column."""
    return {
        "sex": ["f", "f", "f", "m", "m", "m"] * 10,
        "job": ["nurse", "nurse", "clerk", "clerk", "clerk", "nurse"] * 10,
        "town": ["Bonn", "Trier", "Bonn", "Bonn", "Trier", "Bonn"] * 10,
        "number": [2, 10, 9, 10, 9, 2] * 10,
        "keep": ["yes"] * 60,
    }


def released(folder, spec, gone, *, also=None, above="", below="", kind="csv"):
    """Release a file with more records, which are left out; return what `outcomes` needs.

    `also`: further columns. `above`, `below`: lines of the file that are no records.
    """
    folder.mkdir()
    columns = rows() | {name: list(values) for name, values in (also or {}).items()}
    for name, values in columns.items():
        values.extend([item.get(name, values[0]) for item in gone])
    original = write(columns, folder / "people.csv")
    text = original.read_text(encoding="utf-8")
    original.write_text(above + text + below, encoding="utf-8")
    return released_of(original, spec, folder / f"released.{kind}")


def released_of(original, spec, path):
    """Release a file; return what `outcomes` needs."""
    sources = Sources()
    KEPT.append(sources)
    read = spec.get("read", ReadOptions())
    key = sources.add_file(original, read.layout)
    data = DataSpec(key, **{"secret": ("sex",), "released": ("job",)} | spec)
    result = evaluate(Scenario(data=data, mechanism="grr", notion="lip", eps=0.3), sources)
    upload = design.original(key, sources, read)
    plan = keeping(Seeded(SEED), unknown=LEAVE_OUT)
    made = make(result, upload, plan, path)
    # random numbers are of the whole file, which only the seed shows: here of the mechanism alone
    apply(result, upload.table, alike(path), plan)
    return made.certificate, path, original


def alike(path):
    return path.with_name(f"alike{path.suffix}")


def plain(value):
    """Return a certificate without what names files, and the number of names left out."""
    if isinstance(value, dict):
        if value.keys() == {"s", "x"}:  # commitments, which are of a file
            return {key: len(item) for key, item in value.items()}
        return {key: plain(item) for key, item in value.items() if key not in NAMED}
    return [plain(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("way", WAYS)
def test_what_records_left_out_hold_changes_nothing(way, tmp_path):
    spec, gone = WAYS[way]
    others = [other for other in OTHER if not gone.keys() & other.keys()]
    if way == "missing X left out":
        others = [other for other in others if "sex" not in other]
    before, path, _ = released(tmp_path / "before", spec, [gone] * len(others))
    body, again, original = released(tmp_path / "after", spec, [gone | item for item in others])
    assert_same((before, path, None), (body, again, original))


LEVELS = {
    "X of two columns": {"released": ("job", "town"), "rare_below": 3},
    "S of two columns": {
        "secret": ("job", "town"),
        "released": ("sex",),
        "rare_below_s": 3,
        "left_out": (LeftOut(("sex",), ("z",)),),
    },
    "rare ones left out": {
        "released": ("job", "town"),
        "rare_below": 3,
        "left_out": (LeftOut(("job", "town"), ("(rare: 13 levels)",)),),
    },
}
"""Questions with a group of rare levels and one of rare symbols; some leave records out."""


@pytest.mark.parametrize("side", LEVELS)
def test_a_level_that_only_records_left_out_have_is_not_named(side, tmp_path):
    spec = NO_S | {"rare_levels": (RareLevels("job", 5),)} | LEVELS[side]
    result = []
    for level in ("smith", "thief"):
        more = [{"sex": "z", "job": level, "town": f"u{i}"} for i in range(6)]
        result.append(released(tmp_path / level, spec, [*SPREAD, *more]))
        assert level not in json.dumps(result[-1][0])
    assert_same(*result)
    (coding,) = [item for item in result[0][0]["design"]["coding"] if "kept" in item]
    baker = [] if side == "rare ones left out" else ["baker"]
    assert coding["kept"] == [[*baker, "clerk", "nurse"], None]


def test_how_many_of_the_names_left_out_occur_changes_nothing(tmp_path):
    spec = {"left_out": (LeftOut(("job",), ("spy", "thief", "pirate")),)}
    before = released(tmp_path / "before", spec, [{"job": "spy"}] * 2)
    after = released(tmp_path / "after", spec, [{"job": "spy"}, {"job": "thief"}])
    assert_same(before, after)
    assert len(after[0]["design"]["left_out"]["x"]) == 3
    assert "names of 3 values left out are withheld" in after[0]["promises"][-1]["sentence"]


def test_a_symbol_of_x_that_only_records_left_out_have_changes_no_product(tmp_path):
    spec = {"released": ("job", "town")}
    spec["left_out"] = (*NO_S["left_out"], LeftOut(("job", "town"), ("spy · Bonn",)))
    before = released(tmp_path / "before", spec, [{"sex": "z", "job": "clerk"}])
    after = released(tmp_path / "after", spec, [{"sex": "z", "job": "spy"}])
    assert_same(before, after)


def assert_same(before, after):
    """Compare two releases of what `released` returns, and verify the second."""
    (first, path, _), (second, again, original) = before, after
    assert alike(again).read_bytes() == alike(path).read_bytes()
    others, theirs = read(again), read(path)
    y = second["released"]["column"]
    assert len(others.pop(y)) == len(theirs.pop(y)) > 0
    assert others == theirs
    assert json.dumps(plain(second)) == json.dumps(plain(first))
    assert failed(list(outcomes(second, again, original, str(SEED)).values())) == []


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_how_many_records_a_row_left_out_stands_for_changes_nothing_but_their_number(
    kind, tmp_path
):
    spec = FILTERED | {"read": ReadOptions(weight="times")}
    also = {"times": [2, 1, 3] * 20}
    even = [{"keep": "no", "times": 2}] * 3
    odd = [{"keep": "no", "times": 1, "job": "thief"}, {"keep": "no", "times": 5, "sex": "z"}]
    before = released(tmp_path / "before", spec, even, also=also, kind=kind)
    after = released(tmp_path / "after", spec, odd, also=also, kind=kind)
    assert before[0]["original"]["records"] == 126
    assert before[0]["released"]["records"] == 120
    assert_same(before, after)
    order = [item["sentence"] for item in after[0]["promises"] if item["about"] == "order"]
    assert "as 'times' says, and they stand together" in order[0]


LINES = {
    "titles": ({"read": ReadOptions(header=(3,))}, "Staff, 2020\n\n", "Another title\n\n", "", ""),
    "titles, found": ({}, "Staff, 2020\n\n", "Another title\n\n", "", ""),
    "totals": ({"read": ReadOptions(skip_end=1)}, "", "", "Total,,,420,\n", "Total,spy,Ulm,7,\n"),
    "totals, found": ({}, "", "", "Total,,,420,\n", "Total,,,420.0,\n"),
    "notes": ({"read": ReadOptions(skip_end=2)}, "", "", "\nFrom: A\n", "\nFrom: another\n"),
}
"""Lines that are no records: how they are left out, those above of two files, and those below."""


@pytest.mark.parametrize("kind", LINES)
def test_lines_that_are_no_records_change_nothing(kind, tmp_path):
    spec, above, other_above, below, other_below = LINES[kind]
    before = released(tmp_path / "before", spec, [], above=above, below=below)
    after = released(tmp_path / "after", spec, [], above=other_above, below=other_below)
    assert before[0]["released"]["records"] == 60
    assert_same(before, after)


MARKS = {
    "X": {"job": "-9"},
    "X, another column of text": {"job": "NA", "town": "-9"},
    "X, of numbers": {"job": "", "number": "-9"},
}


@pytest.mark.parametrize("mark", MARKS)
def test_how_a_value_left_out_is_missing_changes_nothing(mark, tmp_path):
    spec = {"missing": "drop", "read": ReadOptions(missing=("-9", "NA"))}
    before = released(tmp_path / "before", spec, [{"job": "NA"}] * 3)
    after = released(tmp_path / "after", spec, [MARKS[mark]] * 3)
    assert before[0]["unknown"]["records"] == 3
    assert_same(before, after)


def test_whether_a_column_of_parquet_may_lack_values_changes_nothing(tmp_path):
    """A writer may find that out from all records, those that are left out among them."""
    result = []
    for name, gone in (("before", "Bonn"), ("after", None)):
        columns = {column: list(values) for column, values in rows().items()}
        for column, values in columns.items():
            values.append({"keep": "no", "town": gone}.get(column, values[0]))
        made = pa.table(columns)
        fields = [item.with_nullable(made[item.name].null_count > 0) for item in made.schema]
        folder = tmp_path / name
        folder.mkdir()
        parquet.write_table(made.cast(pa.schema(fields)), folder / "people.parquet")
        path = folder / "released.parquet"
        result.append(released_of(folder / "people.parquet", FILTERED, path))
    assert_same(*result)


@pytest.mark.parametrize("parts", [(20_000,), (1, 19_999), (7_000, 6_000, 7_000)])
def test_bytes_of_a_parquet_file_do_not_tell_the_batches_of_its_records(parts, tmp_path):
    texts = pa.array([f"{i * 7_919 % 100_003:0100d}" for i in range(sum(parts))])
    schema = pa.schema([pa.field("text", pa.string())])
    result = []
    for name, sizes in (("whole", (len(texts),)), ("parts", parts)):
        path, first = tmp_path / f"{name}.parquet", 0
        path.touch()
        writer = Writer(path, "Parquet", schema)
        for size in sizes:
            writer.write(pa.RecordBatch.from_arrays([texts.slice(first, size)], schema=schema))
            first += size
        writer.close()
        result.append(path.read_bytes())
    assert parquet.read_metadata(path).row_group(0).num_rows == len(texts) < BATCH
    assert result[0] == result[1]
