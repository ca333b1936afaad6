"""A released file is written again from the original: no other bytes pass, whatever they say."""

import json
import math
import unicodedata
from contextlib import suppress
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data import Filter
from core.errors import InvalidInputError
from core.records.certificate import fingerprint
from core.records.checking.contents import check_alone
from core.records.fields import LINKED, check_form
from core.records.files import BATCH, Writer, check_whole, file_hash
from core.records.verifying import failed, verify
from tests.core.records.makers import SEED, answer_on, write
from tests.core.records.test_verifying import certified

COUNT = 24

SEX = ["fm"[i % 2] for i in range(COUNT)]

ODD = np.array([0x7FF8000000000001, 0xFFF8000000000000, 0x7FF8000000000000], "u8").view("f8")
"""Doubles that are no number, each of other bits."""

COLUMNS = {
    "id": [f"p{i}" for i in range(COUNT)],
    "sex": SEX,
    "job": ["clerk" if i % 3 else "nurse" for i in range(COUNT)],
    "town": [(None, "=Ulm", "Köln", "")[i // 2 % 4] for i in range(COUNT)],
    "wage": [(math.nan, 0.0, 1000.0)[i // 2 % 3] for i in range(COUNT)],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Release two kinds of originals as two kinds of files; return all by their kinds."""
    answer = {}
    for of in ("parquet", "csv"):
        folder = tmp_path_factory.mktemp(of)
        original = write(COLUMNS, folder / f"people.{of}")
        result, _ = answer_on(original, released=("job",))
        for kind in ("parquet", "csv"):
            body, path = certified(folder, result, original, target=f"out.{kind}")
            answer[of, kind] = body, path, original
    return answer


def refused(body, path, original=None):
    """Return the checks that fail once the certificate has the file's hash."""
    body = json.loads(json.dumps(body))
    body["released"]["sha256"] = file_hash(path)
    body["fingerprint"] = fingerprint(body)
    return {item.name for item in failed(verify(json.dumps(body), path, original, str(SEED)))}


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("of", ["parquet", "csv"])
def test_a_true_release_is_written_again_byte_by_byte(of, kind, made):
    body, path, original = made[of, kind]
    result = {item.name: item for item in verify(json.dumps(body), path, original, str(SEED))}
    assert failed(list(result.values())) == []
    assert "byte by byte, the file that its records" in result["nothing else"].sentence


def column(name, values):
    """Return an edit of a column, whose values a function of them and the secrets gives."""

    def edit(table):
        place = table.column_names.index(name)
        own = table.schema.field(name).type
        made = values(table[name].to_pylist())
        made = made if isinstance(made, pa.Array) else pa.array(made, own, from_pandas=False)
        return table.set_column(place, table.schema.field(name), made)

    return edit


def paired(change):
    """Return what a function makes of the value and of the secret of each record."""
    return lambda values: [change(item, sex) for item, sex in zip(values, SEX, strict=True)]


def payload(values):
    bits = np.array(values).view("u8")
    bits[[item != item and sex == "m" for item, sex in zip(values, SEX, strict=True)]] += 1
    return pa.array(bits.view("f8"), from_pandas=False)


def other_order(table):
    return table.select(sorted(table.column_names, reverse=True))


TABLES = {
    "bits of no number": (("parquet",), column("wage", payload)),
    "-0 for 0": (
        ("parquet",),
        column("wage", paired(lambda v, s: -0.0 if v == 0 and s == "m" else v)),
    ),
    "missing or empty": (
        ("parquet", "csv"),
        column("town", paired(lambda v, s: v or (None if s == "m" else ""))),
    ),
    "an apostrophe": (
        ("parquet", "csv"),
        column("town", paired(lambda v, s: "'=Ulm" if v == "=Ulm" and s == "m" else v)),
    ),
    "composed or not": (
        ("parquet", "csv"),
        column(
            "town",
            paired(lambda v, s: unicodedata.normalize("NFD", v) if v and s == "m" else v),
        ),
    ),
    "another order of columns": (("parquet", "csv"), other_order),
}


@pytest.mark.parametrize(
    ("way", "of"), [(way, of) for way, (originals, _) in TABLES.items() for of in originals]
)
def test_cells_of_parquet_that_look_the_same_are_told_apart(way, of, made, tmp_path):
    body, path, original = made[of, "parquet"]
    table = TABLES[way][1](parquet.read_table(path))
    forged = tmp_path / "forged.parquet"
    forged.touch()
    writer = Writer(forged, "Parquet", table.schema)
    for batch in table.to_batches():
        writer.write(batch)
    writer.close()
    assert forged.read_bytes() != path.read_bytes()
    # a forger computes the figures of other columns again
    reported = refused(body, forged, original) - {"beside", "attack"}
    assert reported
    assert reported <= {"cells", "columns", "nothing else"}


TEXTS = {
    "a blank in quotes or not": lambda line, m: line.replace(",,", ',"",') if m else line,
    "a blank without quotes": lambda line, m: line.replace(',"",', ",,") if m else line,
    "no apostrophe": lambda line, m: line.replace("\"'=", '"=') if m else line,
    "one apostrophe more": lambda line, m: line.replace("\"'=", "\"''=") if m else line,
    "blanks within a text": lambda line, m: line.replace('Köln"', 'Köln "') if m else line,
    "another form of a number": lambda line, m: line.replace("1000", "1e3") if m else line,
    "other line ends": lambda line, m: line.replace("\n", "\r\n") if m else line,
    "another form of no number": lambda line, m: line.replace("nan", "NaN") if m else line,
}

WHOLE = {
    "a mark in front": lambda text: "\ufeff" + text,
    "lines behind": lambda text: text + "\n",
    "blanks behind": lambda text: text + "  ",
    "a blank in a name": lambda text: text.replace('"town"', '"town "'),
    "no last line end": lambda text: text.removesuffix("\n"),
}


@pytest.mark.parametrize(
    ("way", "of"),
    [
        *((way, "parquet") for way in [*TEXTS, *WHOLE] if way != "a blank without quotes"),
        *((way, "csv") for way in ("a blank without quotes", "no apostrophe")),
    ],
)
def test_texts_that_look_the_same_are_told_apart(way, of, made, tmp_path):
    body, path, original = made[of, "csv"]
    text = path.read_text(encoding="utf-8")
    if way in WHOLE:
        other = WHOLE[way](text)
    else:
        header, *lines = text.splitlines(keepends=True)
        pairs = zip(lines, SEX, strict=True)
        other = header + "".join(TEXTS[way](line, sex == "m") for line, sex in pairs)
    assert other != text
    forged = tmp_path / "forged.csv"
    forged.write_text(other, encoding="utf-8", newline="")
    assert refused(body, forged, original) - {"beside", "attack"}


def test_a_released_column_has_one_no_number(tmp_path):
    wages = pa.array(np.resize(ODD, COUNT), from_pandas=False)
    original = write(COLUMNS | {"wage": wages}, tmp_path / "odd.parquet")
    result, _ = answer_on(original, released=("job",))
    body, path = certified(tmp_path, result, original, target="out.parquet")
    bits = parquet.read_table(path)["wage"].combine_chunks().view(pa.uint64()).to_pylist()
    assert set(bits) == {0x7FF8000000000000}
    assert refused(body, path, original) == set()
    # without the original, other bits are found too; files of before were copied bit by bit
    table = parquet.read_table(path)
    place = table.column_names.index("wage")
    before = table.set_column(place, table.schema.field("wage"), wages)
    parquet.write_table(before, path, row_group_size=BATCH)
    assert check_alone(body, path).passed is False
    body["version"] = LINKED
    assert check_alone(body, path).passed is True


def test_other_bytes_of_an_earlier_version_are_said_to_be_unchecked(made, tmp_path):
    body, path, original = made["parquet", "csv"]
    forged = tmp_path / "forged.csv"
    forged.write_bytes(path.read_bytes().replace(b",,", b',"",', 1))
    result = verify(json.dumps(body | {"version": LINKED}), forged, original)
    (reported,) = [item for item in result if item.name == "nothing else"]
    assert reported.passed is None
    assert "other bytes than this version writes" in reported.sentence


def objects(value, place=()):
    """Yield where the objects of a certificate are."""
    if isinstance(value, dict):
        yield place
        for key, part in value.items():
            yield from objects(part, (*place, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from objects(part, (*place, number))


def with_one_more(body, place):
    """Return a certificate with an entry more in one of its objects."""
    forged = json.loads(json.dumps(body))
    at = forged
    for key in place:
        at = at[key]
    at["secrets"] = "".join(SEX)
    return forged


NAMED = {("levels", "design"): "levels", ("levels", "units"): "numbers"}
"""Objects with the names of notions, which other code may know, and what checks these."""


def test_no_object_of_a_certificate_has_an_entry_more(made):
    body, path, original = made["parquet", "csv"]
    places = [item for item in objects(json.loads(json.dumps(body))) if item not in NAMED]
    assert len(places) > 40
    for place in places:
        with pytest.raises(InvalidInputError, match="secrets'"):
            verify(json.dumps(with_one_more(body, place)), path)
    for place, name in NAMED.items():
        assert name in refused(with_one_more(body, place), path, original)


def test_an_entry_more_is_named_with_its_place(made):
    body = json.loads(json.dumps(made["parquet", "csv"][0]))
    body["draw"]["note"] = "S"
    with pytest.raises(InvalidInputError) as error:
        check_form(body)
    assert str(error.value) == (
        "The certificate has the entry 'draw.note', which no certificate has."
    )


def test_a_parquet_that_cannot_be_read_is_refused_in_one_line(made, tmp_path):
    body, path, original = made["parquet", "parquet"]
    text, damaged, content = json.dumps(body), tmp_path / "damaged.parquet", path.read_bytes()
    random, refusals = Random(3), 0
    for _ in range(40):
        turned = bytearray(content)
        turned[random.randrange(4, len(content) - 4)] ^= 1 << random.randrange(8)
        damaged.write_bytes(turned)
        with suppress(InvalidInputError):
            check_whole(damaged)
            continue
        refusals += 1
        with pytest.raises(
            InvalidInputError, match=r"^[^\n]*damaged\.parquet' cannot be read as Parquet: [^\n]*$"
        ):
            verify(text, damaged, original)
    assert refusals > 3


OF_BYTES = [b"a", b"b", b"'q", b'"', b"\\x", "é".encode(), b"\x00\xff", None]

OF_SINGLES = pa.array([0.1, 1e20, -2.5, 3, None, 1e-7, 0.3, 16777216], pa.float32())


TIMES = pa.array([0, 1577836800000, 1577836800500, 1577836801123] * 2).cast(pa.timestamp("ms"))

AT = ("2020-01-01 00:00:00", "2020-01-01 00:00:00.5")


@pytest.mark.parametrize(
    ("own", "levels"),
    [
        (pa.array(OF_BYTES, pa.binary()), ("a", "b", "\\x27q", "\\xC3\\xA9")),
        (OF_SINGLES, ("0.1", "1e+20", "0.3", "3")),
        (TIMES.cast(pa.timestamp("ms")), AT),
        (TIMES.cast(pa.timestamp("ns")), AT),
        (TIMES.cast(pa.timestamp("us", "Europe/Berlin")), tuple(f"{item}+00" for item in AT)),
    ],
    ids=["bytes", "single precision", "ms", "ns", "zone"],
)
def test_columns_of_every_kind_are_recounted_as_they_were_counted(own, levels, tmp_path):
    columns = COLUMNS | {"tag": own.take(pa.array([i % 8 for i in range(COUNT)]))}
    original = tmp_path / "people.parquet"
    parquet.write_table(pa.table(columns), original)
    for released, filters in ((("tag",), ()), (("job",), (Filter("tag", levels=levels),))):
        result, _ = answer_on(original, released=released, filters=filters)
        body, path = certified(tmp_path, result, original)
        assert body["released"]["records"] == (COUNT // 2 if filters else COUNT)
        assert failed(verify(json.dumps(body), path, original, str(SEED))) == []


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_all_doubles_that_are_no_number_are_one_value_to_a_reader(kind, tmp_path):
    wage = np.array([-math.nan, math.nan, 1.0])[[i % 3 for i in range(COUNT)]]
    original = tmp_path / "people.parquet"
    parquet.write_table(pa.table({**COLUMNS, "wage": wage}), original)
    result, _ = answer_on(original, released=("job",))
    body, path = certified(tmp_path, result, original, target=f"out.{kind}")
    assert failed(verify(json.dumps(body), path, original, str(SEED))) == []
