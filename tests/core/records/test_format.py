"""The format of a released file: said in the certificate, and checked against the file."""

import json

import pytest

from core.errors import InvalidInputError
from core.records.certificate import fingerprint
from core.records.design import FORMATS
from core.records.draws import Seeded
from core.records.fields import LINKED
from core.records.readable import sections
from core.records.verifying import verify
from tests.core.records.makers import SEED, answer_on, keeping, people, read, write
from tests.core.records.test_verifying import certified

KINDS = {"Parquet": "out.parquet", "CSV": "out.csv", "TSV": "out.tsv"}


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    columns = people(300)
    columns["note"][3] = None
    columns["a, b\tc"] = ["=1+1", *columns["note"][1:]]
    return write(columns, tmp_path_factory.mktemp("format") / "people.csv")


def made(folder, original, kind, treatment="replaced"):
    result, _ = answer_on(original, mechanism="watchdog")
    return certified(folder, result, original, keeping(Seeded(SEED), treatment), KINDS[kind])


def outcome(body, path):
    text = json.dumps(body | {"fingerprint": fingerprint(body)})
    return next(item for item in verify(text, path) if item.name == "format")


@pytest.mark.parametrize("treatment", ["replaced", "dropped"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_certificate_says_how_the_file_is_laid_out(tmp_path, original, kind, treatment):
    body, path = made(tmp_path, original, kind, treatment)
    assert body["released"]["format"] == FORMATS[kind]
    assert outcome(body, path).passed is True
    rows = dict(sections(body)[0].rows)
    assert rows["Format of the file"] == FORMATS[kind]
    raw = path.read_bytes()
    if kind == "Parquet":
        assert raw[:4] == b"PAR1"
        return
    text = raw.decode("utf-8")
    assert "\r" not in text
    assert not text.startswith("\ufeff")
    if treatment == "replaced":
        header = ["id", "town", "age", "note", "a, b\tc"]
        mark = {"CSV": ",", "TSV": "\t"}[kind]
        assert text.startswith(mark.join(f'"{name}"' for name in header) + "\n")
        result = read(path)
        assert list(result) == header
        assert result["note"][3] == ""
        assert result["a, b\tc"][0] == "'=1+1"


@pytest.mark.parametrize("kind", KINDS)
def test_another_format_than_that_of_the_file_is_told(tmp_path, original, kind):
    body, path = made(tmp_path, original, kind)
    for other in set(KINDS) - {kind}:
        body["released"]["format"] = FORMATS[other]
        assert outcome(body, path).passed is False


def test_a_file_that_is_no_text_has_no_format(tmp_path, original):
    body, path = made(tmp_path, original, "CSV")
    path.write_bytes(b"\xff" + path.read_bytes())
    with pytest.raises(InvalidInputError, match="cannot be read"):
        outcome(body, path)


def test_a_format_that_nothing_has_is_refused_and_so_is_none(tmp_path, original):
    body, path = made(tmp_path, original, "CSV")
    text = json.dumps(body | {"released": body["released"] | {"format": "papyrus"}})
    with pytest.raises(InvalidInputError, match=r"'released\.format' is not a format"):
        verify(text, path)
    del body["released"]["format"]
    text = json.dumps(body | {"fingerprint": fingerprint(body)})
    with pytest.raises(InvalidInputError, match=r"lacks the entry 'released\.format'"):
        verify(text, path)
    old = json.dumps(body | {"version": LINKED})  # which may lack it
    assert "format" not in [item.name for item in verify(old, path)]
    assert "Format of the file" not in dict(sections(body)[0].rows)


def test_a_version_that_this_code_does_not_have_is_told(tmp_path, original):
    body, path = made(tmp_path, original, "CSV")
    body["code"]["version"] += "x"
    text = json.dumps(body | {"fingerprint": fingerprint(body)})
    (result,) = [item for item in verify(text, path) if item.name == "code"]
    assert result.passed is False
