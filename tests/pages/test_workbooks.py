"""Workbooks that take long to read: another process does, the page shows how far it is."""

import io

import openpyxl
import pytest

from core.data.workbooks import weight
from core.errors import TimeLimitError
from core.jobs import carry_out
from pages.ui.data import uploads
from tests.hostile.files import sheet, workbook
from tests.pages.data_page import checked, errors, open_page, spec


@pytest.fixture
def slow(sweeps, monkeypatch):
    monkeypatch.setattr(uploads, "SLOW", 1_000)
    return sweeps


def brought(content=None, name="people.xlsx"):
    app = open_page()
    app.file_uploader(key="own_file").upload(name, workbook() if content is None else content)
    return checked(app.run())


def left(app):
    """Return what stands in the session's folder."""
    folder = app.session_state["_visit"].sources._folder
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def buttons(app):
    return [button.key for button in app.button]


def test_a_workbook_is_read_elsewhere_and_the_page_goes_on_with_it(slow):
    app = brought()
    assert len(slow.open) == 1
    assert "cancel_reading" in buttons(app)
    assert spec(app).source == "adult"
    assert left(app) == ["upload.data"]
    slow.finish()
    checked(app.run())
    assert spec(app).source.startswith("upload:")
    assert app.session_state["_visit"].sources.title(spec(app).source) == "people.xlsx"
    assert "cancel_reading" not in buttons(app)
    assert not app.error
    # as it came: for another of its sheets, or without a repair
    assert [name for name in left(app) if not name.endswith(".parquet")] == ["upload.data"]


def test_cancelled_it_changes_nothing_and_leaves_nothing(slow):
    app = brought()
    app.button(key="cancel_reading").click()
    checked(app.run())
    assert errors(app) == ["The work was canceled."]
    assert spec(app).source == "adult"
    assert (left(app), slow.open) == ([], [])


def test_where_it_takes_too_long_or_is_damaged_one_sentence_says_so(slow):
    app = brought()
    slow.fail(TimeLimitError("The work was stopped after 120 s, its time limit."))
    checked(app.run())
    assert errors(app) == ["people.xlsx takes more than 120 s to read. Save the table as CSV."]
    assert left(app) == []
    app = brought(workbook("sheet1", lambda part: part[:200]))
    job, read, arguments = slow.open[0]
    with pytest.raises(ValueError, match="is a damaged Excel file") as caught:
        carry_out(read, arguments, job.note)
    slow.fail(caught.value)
    checked(app.run())
    assert errors(app) == ["people.xlsx is a damaged Excel file."]
    assert left(app) == []


def test_another_file_takes_its_place(slow):
    app = brought()
    app.file_uploader(key="own_file").upload("a.csv", b"s,x\na,b\nc,d\n")
    checked(app.run())
    assert app.session_state["_visit"].sources.title(spec(app).source) == "a.csv"
    assert slow.open == []
    assert "upload.data" not in left(app)


def test_a_small_workbook_and_what_is_none_are_read_in_place():
    app = brought()
    assert spec(app).source.startswith("upload:")
    assert "cancel_reading" not in buttons(app)
    app = brought(b"PK\x03\x04" + bytes(100))
    assert errors(app) == ["people.xlsx is a damaged Excel file."]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_sheet_that_is_read_and_the_others_are_named(sweeps, monkeypatch, elsewhere):
    book = openpyxl.Workbook()
    book.active.title = "J_a_n"
    for row in (["s", "x"], ["a", "b"], ["c", "d"]):
        book.active.append(row)
    book.create_sheet("Feb")
    packed = io.BytesIO()
    book.save(packed)
    if elsewhere:
        monkeypatch.setattr(uploads, "SLOW", 1_000)
    app = brought(packed.getvalue())
    if elsewhere:
        sweeps.finish()
        checked(app.run())
    text = [item.value.replace("\\", "") for item in app.caption]
    assert "Sheet “J_a_n” is read; “Feb” is not: choose another sheet." in text
    assert not any("Sheet “" in item.value for item in brought(workbook(), "one.xlsx").caption)


def test_a_small_workbook_that_takes_much_is_read_elsewhere(sweeps):
    rows = ((1, {"A": "s", "B": "x"}), *((row, {"A": "a", "B": "b"}) for row in (2, 3)))
    content = sheet(*rows, (4, {"CV": "z"}), (30_000, {"A": "a"}))
    assert len(content) < 20_000
    assert weight(content, enough=0) <= uploads.SLOW < weight(content, uploads.SLOW)
    app = brought(content)
    assert len(sweeps.open) == 1
    assert "cancel_reading" in buttons(app)
    assert spec(app).source == "adult"
    few = sheet(*rows)
    assert weight(few, uploads.SLOW) <= uploads.SLOW
    assert "cancel_reading" not in buttons(brought(few))
