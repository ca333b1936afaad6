"""Two originals that differ in records left out alone have the same release and certificate."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data.spec import DataSpec, Filter, LeftOut
from core.records.certificate import make
from core.records.design import LEAVE_OUT, Plan
from core.records.draws import Seeded
from core.records.files import BATCH, Writer
from core.records.verifying import failed
from core.scenario import Scenario, evaluate
from tests.core.records.makers import KEPT, SEED, Sources, write
from tests.core.records.test_verifying import outcomes

NAMED = {"commitment", "fingerprint", "sha256", "source"}
"""Entries of a certificate that name a file, by a secret or by the released bytes."""

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
    "S left out, S and X released": (NUMBERS | {"secret_released": True}, {"sex": "z"}),
    "S left out, X of two columns": (NUMBERS | {"released": ("job", "number")}, {"sex": "z"}),
    "missing X left out": ({"missing": "drop"}, {"job": ""}),
}
"""How records are left out: of the scenario, and what these records have."""

OTHER = (
    {"number": "-5"},
    {"number": "NA"},
    {"number": "2.5"},
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
        "number": [1, 2, 3, 2, 3, 1] * 10,
        "keep": ["yes"] * 60,
    }


def released(folder, spec, gone):
    """Release a file with more records, which are left out; return what `outcomes` needs."""
    folder.mkdir()
    columns = rows()
    for name, values in columns.items():
        values.extend([one.get(name, values[0]) for one in gone])
    original = write(columns, folder / "people.csv")
    sources = Sources()
    KEPT.append(sources)
    key = sources.add_file(original)
    data = DataSpec(key, **{"secret": ("sex",), "released": ("job",)} | spec)
    result = evaluate(Scenario(data=data, mechanism="grr", notion="lip", eps=0.3), sources)
    path = folder / "released.csv"
    made = make(result, sources.uploads[key], Plan(Seeded(SEED), unknown=LEAVE_OUT), path)
    return made.certificate, path, original


def plain(value):
    """Return a certificate without what names files."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if key not in NAMED}
    return [plain(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("way", WAYS)
def test_what_records_left_out_hold_changes_nothing(way, tmp_path):
    spec, gone = WAYS[way]
    others = [other for other in OTHER if not gone.keys() & other.keys()]
    if way == "missing X left out":
        others = [other for other in others if "sex" not in other]
    before, path, _ = released(tmp_path / "before", spec, [gone] * len(others))
    body, again, original = released(tmp_path / "after", spec, [gone | one for one in others])
    assert again.read_bytes() == path.read_bytes()
    assert json.dumps(plain(body)) == json.dumps(plain(before))
    assert failed(list(outcomes(body, again, original, str(SEED)).values())) == []


@pytest.mark.parametrize("parts", [(20_000,), (1, 19_999), (7_000, 6_000, 7_000)])
def test_bytes_of_a_parquet_file_do_not_tell_the_batches_of_its_records(parts, tmp_path):
    texts = pa.array([f"{i * 7_919 % 100_003:0100d}" for i in range(sum(parts))])
    schema = pa.schema([pa.field("text", pa.string())])
    found = []
    for name, sizes in (("whole", (len(texts),)), ("parts", parts)):
        path, first = tmp_path / f"{name}.parquet", 0
        path.touch()
        writer = Writer(path, "Parquet", schema)
        for size in sizes:
            writer.write(pa.RecordBatch.from_arrays([texts.slice(first, size)], schema=schema))
            first += size
        writer.close()
        found.append(path.read_bytes())
    assert parquet.read_metadata(path).row_group(0).num_rows == len(texts) < BATCH
    assert found[0] == found[1]
