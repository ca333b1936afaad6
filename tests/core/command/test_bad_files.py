"""Files that cannot be read: one sentence each on the command line, and nothing left behind."""

import io
import json
import tempfile
import zipfile

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from core.__main__ import main


def of_chart(folder):
    book = openpyxl.Workbook()
    book.active.append(["sex", "job"])
    book.active.append(["F", "nurse"])
    book.create_chartsheet("Plot").add_chart(openpyxl.chart.BarChart())
    book.save(folder / "file.xlsx")


def of_cut_sav(folder):
    people = pd.DataFrame({"sex": ["F", "M"] * 500, "job": ["nurse", "clerk"] * 500})
    pyreadstat.write_sav(people, folder / "whole.sav")
    content = (folder / "whole.sav").read_bytes()
    (folder / "file.sav").write_bytes(content[: len(content) // 2])


def of_bomb(folder):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("META-INF/manifest.xml", "<manifest/>")
        with book.open("content.xml", "w") as part:
            for _ in range(20):
                part.write(b" " * (1 << 20))
    (folder / "file.ods").write_bytes(packed.getvalue())


def of_text(text, name="file.csv"):
    return lambda folder: (folder / name).write_text(text)


WEIGHTED = "sex,job,n\nF,nurse,{}\nM,clerk,4\n"


@pytest.mark.parametrize(
    ("write", "read", "message"),
    [
        (of_text(",".join(f"c{i}" for i in range(10_000)) + "\n"), "", "has 10,000 columns"),
        (of_text("x" * 10_000_000 + ",b\n1,2\n"), "", "first line of more than 1,048,576"),
        (of_cut_sav, "", "is a damaged or incomplete SPSS file"),
        (of_bomb, "", "unpacks to 20 MB; at most 10 MB are allowed"),
        (of_text(WEIGHTED.format("many")), "weight=n", "record 1 (line 2) has 'many'"),
        (of_text(WEIGHTED.format("-1")), "weight=n", "record 1 (line 2) has '-1'"),
        (of_text(WEIGHTED.format("")), "weight=n", "record 1 (line 2) has no value"),
        (of_text(WEIGHTED.format("0.5")), "weight=n", "or read them as sampling weights"),
        (of_chart, "sheet=Plot", "'Plot'"),
    ],
    ids=["columns", "line", "sav", "ods", "text", "negative", "missing", "sampling", "chart"],
)
def test_one_sentence_and_nothing_left(write, read, message, tmp_path, capsys, monkeypatch):
    left = tmp_path / "left"
    left.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(left))
    monkeypatch.setattr("core.data.readers.sheets.MAX_UNPACKED_MB", 10)
    write(tmp_path)
    (file,) = tmp_path.glob("file.*")
    scenario = {"data": {"source": file.name, "secret": ["sex"], "released": ["job"]}, "eps": 1}
    (tmp_path / "own.json").write_text(json.dumps(scenario))
    settings = ["--read", read] if read else []
    assert main(["evaluate", str(tmp_path / "own.json"), "--data", str(file), *settings]) == 2
    sentence, *choices = capsys.readouterr().err.strip().splitlines()
    assert all(line.startswith("  --read ") for line in choices)
    assert message in sentence
    assert sentence.endswith(".")
    assert sorted(item.name for item in left.rglob("*") if item.is_file()) == []
