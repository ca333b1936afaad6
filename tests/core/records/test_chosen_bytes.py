"""A forger who hashes again says nothing by bytes that leave all cells as they are."""

import csv
import datetime
import decimal
import json

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.data.spec import Filter
from core.records.certificate import fingerprint
from core.records.checking.contents import check_alone
from core.records.files import file_hash
from core.records.verifying import failed
from tests.core.records.makers import SEED, answer_on, write
from tests.core.records.test_verifying import certified, outcomes

COUNT = 24

KEPT = ["Bonn", "Trier"]
GONE = [f"gone-{i}" for i in range(4)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("chosen")


@pytest.fixture(scope="module")
def original(folder):
    rows = range(COUNT + len(GONE))
    columns = {
        "sex": ["fm"[i % 2] for i in rows],
        "job": ["clerk" if i % 3 else "nurse" for i in rows],
        "town": [KEPT[i % 2] for i in range(COUNT)] + GONE,
        "wage": [None if i == 6 else 1.5 + i for i in rows],
        "n": list(rows),
        "flag": [i % 2 == 0 for i in rows],
        "day": [datetime.date(2020, 1, 1 + i) for i in rows],
        "at": [datetime.datetime(2020, 1, 1, i % 24) for i in rows],
        "money": [decimal.Decimal(100 + i) / 100 for i in rows],
    }
    return write(columns, folder / "people.parquet")


@pytest.fixture(scope="module")
def made(folder, original):
    """Release the file as Parquet and as CSV; return certificate and file by kind."""
    result, _ = answer_on(original, released=("job",), filters=(Filter("town", tuple(KEPT)),))
    return {
        kind: certified(folder, result, original, target=f"out.{kind}")
        for kind in ("parquet", "csv")
    }


def failing(body, path, original=None):
    """Return the names of the checks that fail once the certificate has the file's hash."""
    body = json.loads(json.dumps(body))
    body["released"]["sha256"] = file_hash(path)
    body["fingerprint"] = fingerprint(body)
    return [item.name for item in failed(list(outcomes(body, path, original, str(SEED)).values()))]


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_true_release_holds_nothing_else(kind, made, original):
    body, path = made[kind]
    result = outcomes(body, path, original, str(SEED))
    assert failed(list(result.values())) == []
    assert result["nothing else"].passed is True


def with_more_towns(table):
    """Return a table whose dictionary of towns lists those of records left out."""
    towns = pa.array([KEPT.index(item) for item in table["town"].to_pylist()], pa.int8())
    listed = pa.DictionaryArray.from_arrays(towns, pa.array([*KEPT, *GONE]))
    return table.set_column(table.schema.get_field_index("town"), "town", listed)


WAYS = {
    "names in a dictionary": {"store_schema": False, "compression": "none"},
    "packed by another codec": {"compression": "gzip"},
    "pages of other sizes": {"data_page_size": 1, "write_batch_size": 3, "use_dictionary": False},
    "no least and largest values": {"write_statistics": False},
}


@pytest.mark.parametrize("way", WAYS)
def test_bytes_of_parquet_that_say_more_are_told(way, made, folder):
    body, path = made["parquet"]
    table = parquet.read_table(path)
    table = with_more_towns(table) if "dictionary" in way else table
    chosen = folder / "chosen.parquet"
    parquet.write_table(table, chosen, **WAYS[way])
    assert (b"gone-3" in chosen.read_bytes()) == ("dictionary" in way)
    assert parquet.read_table(chosen).to_pydict() == parquet.read_table(path).to_pydict()
    assert failing(body, chosen) == ["nothing else"]


def test_the_name_of_the_program_that_wrote_it_is_told(made, folder):
    body, path = made["parquet"]
    own = parquet.read_metadata(path).created_by.encode()
    chosen = folder / "chosen.parquet"
    chosen.write_bytes(path.read_bytes().replace(own, b"fmffmmf".ljust(len(own), b".")))
    assert failing(body, chosen) == ["nothing else"]
    version = own.rpartition(b" ")[2]
    other = b".".join(b"9" * len(part) for part in version.split(b"."))
    chosen.write_bytes(path.read_bytes().replace(version, other))
    result = check_alone(body, chosen)
    assert result.passed is None
    assert "another version of Arrow" in result.sentence
    assert check_alone(body | {"version": 3}, chosen).passed is True
    assert check_alone(body | {"version": 2}, chosen).passed is True


def test_what_an_earlier_version_allowed_is_said_to_be_unchecked(made, folder):
    body, path = made["parquet"]
    chosen = folder / "chosen.parquet"
    table = parquet.read_table(path).replace_schema_metadata({"sex": "fmfm"})
    parquet.write_table(table, chosen)
    assert check_alone(body | {"version": 3}, chosen).passed is False
    assert check_alone(body | {"version": 2}, chosen).passed is None


LAYOUTS = {
    "texts without quotes": lambda line: line.replace('"Trier"', "Trier"),
    "numbers in quotes": lambda line: line.replace(",3,", ',"3",'),
    "other line ends": lambda line: line.replace("\n", "\r\n"),
    "blank lines": lambda line: line + "\n",
    "lines of blanks": lambda line: line + "  \n",
    "blanks around numbers": lambda line: line.replace(",3,", ", 3,"),
}


@pytest.mark.parametrize("way", LAYOUTS)
def test_another_layout_of_a_text_file_is_told(way, made, folder):
    body, path = made["csv"]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[4] = LAYOUTS[way](lines[4])
    chosen = folder / "chosen.csv"
    chosen.write_text("".join(lines), encoding="utf-8", newline="")
    assert failing(body, chosen) == ["nothing else"]
    with path.open(encoding="utf-8", newline="") as before, chosen.open(newline="") as after:
        rows = [[cell.strip() for cell in row] for row in csv.reader(after) if "".join(row).strip()]
        assert rows == list(csv.reader(before))


@pytest.mark.parametrize("content", ["", '"job"', '"job","town', '"job"\n"a""\n', "\n"])
def test_a_text_file_that_is_cut_is_told(content, made, tmp_path):
    (tmp_path / "cut.csv").write_text(content, encoding="utf-8")
    assert check_alone(made["csv"][0], tmp_path / "cut.csv").passed is False


def test_a_blank_line_of_a_file_with_one_column_is_told(made, tmp_path):
    for text, passes in (('"job"\n"a"\n"b"\n', True), ('"job"\n"a"\n\n"b"\n', False)):
        (tmp_path / "alone.csv").write_text(text, encoding="utf-8", newline="")
        assert check_alone(made["csv"][0], tmp_path / "alone.csv").passed is passes


FORMS = {
    "wage": ("4.5", "4.50"),
    "n": ("3", "+3"),
    "flag": ("false", "FALSE"),
    "at": ("2020-01-01 03:00:00.000000", "2020-01-01 03:00:00"),
    "money": ("1.03", "1.030"),
}


@pytest.mark.parametrize("name", FORMS)
def test_another_form_of_a_value_is_told(name, made, original, folder):
    body, path = made["csv"]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    before, after = FORMS[name]
    cells = lines[4].rstrip("\n").split(",")
    place = lines[0].rstrip("\n").split(",").index(f'"{name}"')
    assert cells[place] == before
    lines[4] = ",".join([*cells[:place], after, *cells[place + 1 :]]) + "\n"
    chosen = folder / "chosen.csv"
    chosen.write_text("".join(lines), encoding="utf-8", newline="")
    assert set(failing(body, chosen, original)) - {"beside"} == {"cells"}
