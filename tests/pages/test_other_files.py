"""Files of SPSS, OpenDocument and old Excel open on the page as any other."""

import pandas as pd
import pyreadstat
import pytest

from core.errors import TimeLimitError
from pages.ui.data import uploads
from tests.core.data.readers.books import ods, row, xls
from tests.pages.data_page import checked, errors, open_page, spec


def brought(content, name):
    app = open_page()
    app.file_uploader(key="own_file").upload(name, content)
    return checked(app.run())


def spss(tmp_path):
    frame = pd.DataFrame({"sex": [1.0, 2, 1, 2] * 5, "job": [1.0, 1, 2, 9] * 5})
    pyreadstat.write_sav(
        frame,
        tmp_path / "a.sav",
        variable_value_labels={"sex": {1: "man", 2: "woman"}},
        missing_ranges={"job": [9]},
    )
    return (tmp_path / "a.sav").read_bytes()


def notes_on(app):
    return [item.value.replace("\\", "") for item in (*app.caption, *app.markdown)]


def test_labels_of_spss_are_said_and_undone_by_a_click(tmp_path):
    app = brought(spss(tmp_path), "people.sav")
    assert not app.error
    assert any("Labels replace the values in column 'sex'." in item for item in notes_on(app))
    app.button(key="repair_0").click()
    checked(app.run())
    assert spec(app).read.kept == ("labels",)
    assert any("Values keep their codes in place of labels." in item for item in notes_on(app))


SHEETS = "Sheet “people” is read; “codes” is not: choose another sheet."
ROWS = [["sex", "job"], ["F", "nurse"], ["M", "clerk"]]


@pytest.mark.parametrize("name", ["people.ods", "people.xls"])
def test_sheets_of_other_workbooks_are_offered(name):
    if name.endswith("ods"):
        rows = "".join(row(*cells) for cells in ROWS)
        content = ods({"codes": rows, "people": rows}, ["codes"])
    else:
        content = xls({"codes": (ROWS, True), "people": (ROWS, False)})
    app = brought(content, name)
    assert spec(app).source.startswith("upload:")
    assert SHEETS in notes_on(app)
    assert app.selectbox(key="read_sheet").options == ["as detected: people", "people", "codes"]


def test_a_large_file_is_read_elsewhere_and_one_that_is_cut_off_is_refused(
    tmp_path, sweeps, monkeypatch
):
    content = spss(tmp_path)
    app = brought(content[:-30], "people.sav")
    assert errors(app) == [
        "people.sav is a damaged or incomplete SPSS file: bring the whole file, or save it as CSV."
    ]
    monkeypatch.setattr(uploads, "SLOW", 100)
    app = brought(content, "people.sav")
    assert len(sweeps.open) == 1
    sweeps.fail(TimeLimitError("The work was stopped after 120 s, its time limit."))
    checked(app.run())
    assert errors(app) == ["people.sav takes more than 120 s to read. Save the table as CSV."]
