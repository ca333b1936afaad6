"""Reports of all kinds of questions: each is whole, and its figures are valid."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.data import DataSpec, Sources
from core.notions import LIP
from core.release.implications import implied
from core.release.sentences import finding
from core.scenario import Scenario, evaluate
from core.studies.advice import consequences
from core.studies.frontier import sweep
from pages.ui.explore import board
from pages.ui.report.contents import report
from pages.ui.report.document import MOST_ROWS, NONE, Document, written
from pages.ui.report.lower_cards import NOT_READY, OnScreen
from pages.ui.work.refining import PROVISIONAL
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
    (result,) = re.findall(r"const FIGURES = (\[.*?\]);\n", text, re.S)
    return json.loads(result)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_kind_of_question_has_a_report(name):
    result = evaluate(QUESTIONS[name])
    own = ()
    if name == "everything is allowed":
        own = (sweep(result.scenario, result.joint, [0.05, 0.2, 1.0]),)
    text = report(result, own, consequences(result), "bits", WHEN)
    answer = drawn(text)
    assert len(answer) == 6 + len(own)
    for item in answer:
        go.Figure(item)
    plain = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert "2026-01-02 03:04 UTC" in plain
    assert "nan" not in plain.replace("nance", "")
    assert ("nothing to audit" in plain) == (result.mechanism.audit is None)
    assert ("more rows omitted" in plain) == (name == "many symbols")
    assert ", bits" in plain


def test_of_counts_a_report_says_that_the_promise_is_kept_at_their_distribution():
    counted = DataSpec("adult", ("sex",), ("race",))
    for data, held in ((counted, "holds for the counted distribution: "), (PARITY, "holds: ")):
        result = evaluate(Scenario(data=data, notion="lip", mechanism="watchdog"))
        text = report(result, (), consequences(result), when=WHEN)
        assert f"found that 1-LIP {held}level reached" in text


def test_a_report_on_a_users_file_names_no_hash_of_it(tmp_path):
    path, sources = tmp_path / "own.csv", Sources()
    path.write_text("sex,job\n" + "f,a\nf,b\nm,a\n" * 9, encoding="utf-8")
    request = DataSpec(sources.add_file(path), ("sex",), ("job",))
    result = evaluate(Scenario(data=request, notion="lip", mechanism="watchdog"), sources)
    text = report(result, (), consequences(result), when=WHEN)
    assert "PATH OF YOUR FILE" in text
    assert request.hashed not in text
    assert result.content_id not in text


def test_a_report_on_a_first_glance_says_so_on_its_first_line():
    result = evaluate(Scenario(data=PARITY, notion="ldp", eps=0.02, mechanism="grr"))
    made = consequences(result)
    glance, final = (
        report(result, (), made, when=WHEN, provisional=waits) for waits in (True, False)
    )
    assert words(glance).count(PROVISIONAL) == 1
    assert words(glance).index(PROVISIONAL) < words(glance).index(finding(result, provisional=True))
    assert finding(result, provisional=True).count("So far, less than 1%") == 1
    assert "Provisional" not in words(final)
    assert finding(result) in words(final)


def words(text):
    """Return a report's text without its charts and programs."""
    plain = re.sub(r"<(script|style)>.*?</\1>", "", text, flags=re.S)
    return unescape(re.sub(r"<[^>]+>", " ", plain))


def test_it_has_what_the_promise_implies_several_draws_and_what_to_do_next():
    data = DataSpec("german_credit", ("credit",), ("purpose",))
    request = Scenario(data=data, notion="lip", eps=0.2, mechanism="subset_random_response")
    result = evaluate(request)
    line = sweep(request, result.joint, [0.1, 0.2, 1.0, 2.0])
    reported = " ".join(words(report(result, (line,), consequences(result), when=WHEN)).split())
    levels = implied(result.joint, LIP(0.2))
    for key in ("lip", "ldp", "pml", "kl"):
        assert f"{levels[key]:.3f}" in reported
    assert f"I(S;Y) ≤ {levels['mutual_information']:.4f} nats" in reported
    kernel = result.mechanism.kernel
    twice = (kernel[:, :, None] * kernel[:, None, :]).reshape(len(kernel), -1)
    assert f"1 draw {level_of(result.joint, kernel):.4f}" in reported
    assert f"2 draws {level_of(result.joint, twice):.4f}" in reported
    assert "Draw once for each record and store the answer." in reported
    assert "is enough for 90%" in reported
    assert "costs most: " in reported
    assert "1,000 records do not determine the truth." in reported
    alone = words(report(result, (), consequences(result), when=WHEN))
    assert "for 90%" not in alone


def level_of(joint, kernel):
    """Return the level of LIP of P(y | x) by its definition."""
    together = joint.p @ kernel
    together = together[:, together.any(axis=0)]
    lifts = together / np.outer(joint.p_s, together.sum(axis=0))
    return np.abs(np.log(lifts)).max()


def test_what_is_not_there_is_said_and_what_was_asked_for_beside_it_is_told():
    result = evaluate(Scenario(data=PARITY, eps=0.3, mechanism="watchdog"))
    answer = consequences(result)
    gone = replace(answer, implied=NOT_READY, redrawn="No draws.", realised="Not known.")
    shown = OnScreen(gone, "A second release keeps 3% of X.", ["Merged with “b”: 5% kept."])
    reported = words(report(result, (), shown, when=WHEN))
    for sentence in (NOT_READY, "No draws.", "at the truth: Not known.", shown.second):
        assert sentence in reported
    assert shown.what_if[0] in reported
    cut = replace(
        answer, implied={**answer.implied, "kl": replace(answer.implied["kl"], reached=0.0)}
    )
    assert "a lower one may hold too." in words(report(result, (), cut, when=WHEN))
    assert "a lower one may hold too." not in words(report(result, (), answer, when=WHEN))


def test_a_long_table_says_how_much_is_left_out():
    page = Document("Rows")
    page.table(("n",), [(str(n),) for n in range(MOST_ROWS + 3)])
    text = page.html()
    assert f"<td>{MOST_ROWS - 1}</td>" in text
    assert f"<td>{MOST_ROWS}</td>" not in text
    assert "3 more rows omitted." in text


def test_explore_offers_the_report_of_what_is_on_screen(monkeypatch):
    kept = []
    monkeypatch.setattr(
        board, "report", lambda *given, **waits: kept.append((*given, waits)) or "made"
    )
    monkeypatch.setattr(board.exports, "button", lambda *given, **_: clicked(*given))

    def clicked(label, _name, _mime, make, *_more):
        st.button(label)
        if label == "Report":
            assert make() == b"made"

    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    app.query_params["data"], app.query_params["mech"] = "example:parity", "watchdog"
    app.run()
    assert not app.exception
    assert "Report" in [item.label for item in app.button]
    result, _, shown, unit, waits = kept[-1]
    assert waits == {"provisional": False}
    answer = consequences(result)
    assert unit == "nats"
    assert shown.consequences.own == answer.own
    assert shown.consequences.redrawn == answer.redrawn
    assert {key: item.level for key, item in shown.consequences.implied.items()} == pytest.approx(
        {key: item.level for key, item in answer.implied.items()}
    )
    assert shown.consequences.realised is None
    assert (shown.second, shown.what_if) == ("", ())


def test_a_whole_number_in_a_table_has_all_its_digits():
    cells = [written(value) for value in (100_000.0, 0.30641, -2.0, np.inf, np.nan, 3)]
    assert cells == ["100000", "0.3064", "−2", "∞", NONE, "3"]


def test_a_table_answers_in_words():
    table = pd.DataFrame({"circled": [True, False], "points": [1, 0]})
    cells = [written(value) for row in table.itertuples(index=False) for value in row]
    assert cells == ["yes", "1", "no", "0"]


@pytest.mark.parametrize("script", ["report/report.js", "chart/saving.js"])
def test_no_saved_chart_has_a_button_that_uploads_it(script):
    text = (ROOT / "pages" / "ui" / script).read_text(encoding="utf-8")
    assert text.count("showSendToCloud: false") == text.count("Plotly.newPlot(") == 1
