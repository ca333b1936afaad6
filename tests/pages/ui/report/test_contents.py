"""Reports of all kinds of questions: each is whole, and its figures are valid."""

import json
import re
from datetime import UTC, datetime

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from core.data import DataSpec
from core.scenario import Scenario, evaluate
from core.studies.frontier import sweep
from pages.ui.report.contents import report
from pages.ui.report.document import MOST_ROWS, Document
from tests.pages.test_explore import ROOT
from tests.pages.waiting import PATIENCE

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
PARITY = DataSpec("example:parity")
QUESTIONS = {
    "nothing is promised": Scenario(data=PARITY, mechanism="identity"),
    "everything is allowed": Scenario(data=PARITY, eps=8.0, mechanism="watchdog"),
    "S is read": Scenario(data=PARITY, notion="lip", mechanism="conditional_reporting"),
    "a guess": Scenario(data=PARITY, purpose="guess", mechanism="watchdog"),
    "many symbols": Scenario(data=DataSpec("random:uniform:2x90:0"), eps=0.5, mechanism="watchdog"),
}


def drawn(text):
    (found,) = re.findall(r"const FIGURES = (\[.*?\]);\n", text, re.S)
    return json.loads(found)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_kind_of_question_has_a_report(name):
    result = evaluate(QUESTIONS[name])
    own = ()
    if name == "everything is allowed":
        own = (sweep(result.scenario, result.joint, [0.05, 0.2, 1.0]),)
    text = report(result, own, "bits", WHEN)
    found = drawn(text)
    assert len(found) == 4 + len(own)
    for one in found:
        go.Figure(one)
    plain = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert "2026-01-02 03:04 UTC" in plain
    assert "nan" not in plain.replace("nance", "")
    assert ("nothing to audit" in plain) == (result.mechanism.audit is None)
    assert ("more rows are left out" in plain) == (name == "many symbols")
    assert ", bits" in plain


def test_a_long_table_says_how_much_is_left_out():
    page = Document("Rows")
    page.table(("n",), [(str(n),) for n in range(MOST_ROWS + 3)])
    text = page.html()
    assert f"<td>{MOST_ROWS - 1}</td>" in text
    assert f"<td>{MOST_ROWS}</td>" not in text
    assert "3 more rows are left out." in text


def test_explore_offers_the_report_of_what_is_on_screen():
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    app.query_params["data"], app.query_params["mech"] = "example:parity", "watchdog"
    app.run()
    assert not app.exception
    assert "Report" in [one.proto.label for one in app.get("download_button")]
