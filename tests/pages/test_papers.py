"""The Papers page through Streamlit's own test harness."""

import json
import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from core.data import count
from core.errors import SolverError
from core.learning.lessons import Opens
from core.papers.catalogue import EXPERIMENTS, entry
from core.papers.results import Beyond, Experiment, Mark, Panel, Run, Series, Verdict
from core.papers.verdicts import Value
from core.scenario import Project
from core.scenario.url import from_query
from pages.ui.papers import board, query
from pages.ui.style.labels import markdown
from tests.pages.test_explained import unexplained
from tests.pages.waiting import PATIENCE

PAGE = Path(__file__).parents[2] / "pages" / "papers.py"

NUM = Verdict("NUM", "The mean is .83", "Figure 4(a)", (Value("NMI", 0.834, 0.83, 0.001, 0.01),))
ERR = Verdict(
    "ERR",
    "Algorithm 1 keeps 0.83",
    "Algorithm 1",
    (Value("ω = Λ + Ψ", 0.834, 0.83, 0.001, 0.01, variant=0.7),),
    cause="It rewards a small Ψ.",
)
MADE = Experiment(
    "lift_2",
    "lift",
    "Figures 2 and 4",
    "Merging",
    "Subset merging keeps more.",
    50,
    (Panel("Utility", "ε", "NMI"), Panel("", "ε", "log max Λ")),
    (
        Series("LDP", (1.0, 2.0), (0.2, 0.5), (0.01, 0.01)),
        Series("found", (1.0,), (0.1,), panel=1, beyond=True),
    ),
    (Mark(2.0, 0.52, "0.52 at λ = 0.5"),),
    (NUM, ERR),
    (Beyond("The optimum keeps", 0.94, 0.001, 0.941, 0.83),),
    ("A guess where the paper is silent.",),
    {"data": {"source": "example:lift_typical"}, "eps": 2.0, "mechanism": "subset_merging"},
    4.2,
)
RUN = Run("9.9.9", "2026-11-22", "2 cores, test", 0, False, (MADE,))


@pytest.fixture
def ships(monkeypatch):
    monkeypatch.setattr(query, "full_run", lambda: RUN)


@pytest.fixture
def bare(monkeypatch):
    monkeypatch.setattr(query, "full_run", lambda: None)


def opened(**link):
    app = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for key, value in link.items():
        app.query_params[key] = value
    return app.run()


def text(app):
    message = [*app.markdown, *app.caption, *app.info]
    return " ".join(item.value for item in message).replace("\\", "")


def tables(app):
    """Return the tables of sentences, without Markdown's backslashes."""
    return [item.value.map(lambda cell: cell.replace("\\", "")) for item in app.table]


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda item: item.key)
def test_every_experiment_has_its_claim_and_can_be_run_where_none_is_shipped(experiment):
    app = opened(show=experiment.key)
    assert not app.exception
    assert not app.warning
    assert app.title[0].value.replace("\\", "").endswith(f"{experiment.place}: {experiment.title}")
    assert experiment.claim in text(app)
    assert "Run the experiment here" in text(app)
    assert {"papers_quick", "papers_full"} <= {button.key for button in app.button}


@pytest.mark.usefixtures("ships")
def test_a_shipped_result_is_shown_with_its_run_its_verdicts_and_its_links():
    app = opened(show="lift_2")
    assert not app.exception
    shipped = next(item for item in app.caption if "version 9.9.9" in item.value.replace("\\", ""))
    assert "version 9.9.9: 50 draws" in shipped.value.replace("\\", "")
    assert shipped.help.replace("\\", "") == (
        "Made on 2026-11-22 with seed 0. Machine: 2 cores, test."
    )
    assert "1 reproduced" in text(app)
    assert "1 error in the paper" in text(app)
    claims, beyond = tables(app)
    assert [message.split()[-1] for message in claims["verdict"]] == ["reproduced]", "paper]"]
    assert claims["claim"].tolist() == [
        "The mean is .83 · :gray[:small[Figure 4(a)]]",
        "Algorithm 1 keeps 0.83 · :gray[:small[Algorithm 1]]",
    ]
    assert claims["reason"].tolist() == ["", ERR.cause]
    assert claims["ours next to the paper's"][0] == "NMI: 0.8340 ± 0.0010 (paper: 0.83)"
    assert "; wrong variant: 0.7)" in claims["ours next to the paper's"][1]
    assert beyond["proven bound"].tolist() == ["0.941"]
    assert "A guess where the paper is silent." in text(app)
    assert [item.proto.url for item in app.get("link_button")] == [
        Opens(board.scenario(MADE)).link,
        board.compare(board.scenario(MADE)),
        board.frontiers(board.scenario(MADE)),
    ]


def test_the_table_of_a_panel_has_names_where_x_is_no_number():
    named = replace(
        MADE,
        panels=(Panel("", "β", "NMI", x_names=("0.1", "0.01")),),
        series=(Series("boxes", (1.0,) * 5, (1.0, 2.0, 3.0, 4.0, 5.0), kind="boxes"),),
        marks=(Mark(0.0, 0.5, "0.5"),),
    )
    result = board.points(named, 0)
    assert result["x"].tolist() == ["0.01"] * 5 + ["0.1"]


def test_a_line_of_print_across_names_has_no_name_in_the_table():
    panel = Panel("", "measure", "excess", x_names=("a", "b"))
    result = replace(MADE, panels=(panel,), series=(), marks=(ACROSS,))
    reported = board.points(result, 0).iloc[-1]
    assert reported["line"] == "paper: a limit"
    assert math.isnan(reported["x"])
    assert reported["y"] == 0.5


def test_the_table_of_a_panel_has_our_points_and_those_of_print():
    result = board.points(MADE, 0)
    assert result["line"].tolist() == ["LDP", "LDP", "paper: 0.52 at λ = 0.5"]
    assert result["y"].tolist() == [0.2, 0.5, 0.52]
    assert board.points(MADE, 1)["standard error"].isna().all()


@pytest.mark.usefixtures("ships")
def test_a_paper_is_picked_then_one_of_its_figures_and_the_address_follows():
    app = opened()
    assert app.title[0].value == markdown(f"[Lift] {EXPERIMENTS[0].place}: {EXPERIMENTS[0].title}")
    assert "show" not in app.query_params
    app.radio(key="papers_paper").set_value("alip").run()
    first = query.of_paper("alip")[0]
    assert app.query_params["show"] == first
    app.radio(key="papers_experiment").set_value(query.of_paper("alip")[1]).run()
    assert app.query_params["show"] == query.of_paper("alip")[1]
    app.radio(key="papers_paper").set_value("errata").run()
    assert app.title[0].value.startswith("Error in the paper: ")
    app.radio(key="papers_paper").set_value("lift").run()
    assert "show" not in app.query_params


def test_a_bad_link_falls_back_and_says_so():
    app = opened(show="lift_99")
    assert not app.exception
    instead = f"{query.titled(EXPERIMENTS[0])} is shown"
    assert f"show=lift_99, which is not known; {instead}" in app.warning[0].value.replace("\\", "")
    app = opened(show="errata", secrets="99", parity="x")
    (box,) = app.warning
    assert box.value.replace("\\", "").split("  \n") == [
        "The link has an error: secrets must be a whole number in [2, 12], got '99'; 5 is used.",
        "The link has an error: parity must be in [0.5, 1], got 'x'; 0.9 is used.",
    ]


@pytest.mark.usefixtures("bare", "held")
def test_an_experiment_is_run_here_cancelled_and_run_again(sweeps, monkeypatch):
    monkeypatch.setattr(query, "perform", _performed)
    app = opened(show="lift_2")
    app.button(key="papers_quick").click().run()
    assert len(sweeps.open) == 1
    assert sweeps.open[0][2] == ("lift_2", 0, True)
    app.button(key="papers_run_cancel").click().run()
    assert not sweeps.open
    assert "The work was canceled." in text(app)
    app.button(key="papers_quick").click().run()
    sweeps.finish()
    app.run()
    assert not app.exception
    assert "Run here with fewer draws: 50 draws, 4.2\N{NO-BREAK SPACE}s." in text(app)
    assert len(app.table) == 2


@pytest.mark.usefixtures("ships")
def test_a_run_survives_a_reload_while_it_is_under_way_and_when_it_is_done(sweeps, monkeypatch):
    monkeypatch.setattr(query, "perform", _performed)
    app = opened(show="lift_2")
    app.button(key="papers_quick").click().run()
    assert app.query_params["run"] == "quick"
    # what is shipped is on screen: there is no way back to it before there is something else
    assert "papers_shipped" not in {button.key for button in app.button}
    assert "papers_run_cancel" in {button.key for button in app.button}
    begun = sweeps.open[0][0]
    again = opened(show="lift_2", run="quick")
    assert not again.warning
    assert "version 9.9.9" in text(again)  # what is shipped stays until it is done
    assert [item[0] for item in sweeps.open] == [begun]
    sweeps.finish()
    again.run()
    done = "Run here with fewer draws"
    assert done in text(again)
    assert again.query_params["run"] == "quick"
    third = opened(show="lift_2", run="quick")
    assert done in text(third)
    third.button(key="papers_shipped").click().run()
    assert done not in text(third)
    assert "version 9.9.9" in text(third)
    assert "run" not in third.query_params
    assert "papers_shipped" not in {button.key for button in third.button}


@pytest.mark.usefixtures("ships")
@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("full", "The run in this link is no longer kept"),
        ("slow", "The link has run=slow, which is not quick or full"),
    ],
)
def test_a_link_begins_no_work_and_says_what_it_does_not_find(sweeps, how, message):
    app = opened(show="lift_2", run=how)
    assert not app.exception
    assert not sweeps.open
    assert message in app.warning[0].value.replace("\\", "")
    assert "version 9.9.9" in text(app)
    assert "run" not in app.query_params


@pytest.mark.usefixtures("ships")
def test_a_run_belongs_to_its_experiment(sweeps, monkeypatch):
    monkeypatch.setattr(query, "perform", _performed)
    app = opened(show="lift_2")
    app.button(key="papers_quick").click().run()
    sweeps.finish()
    app.run()
    app.radio(key="papers_experiment").set_value("lift_3").run()
    assert "run" not in app.query_params
    app.radio(key="papers_experiment").set_value("lift_2").run()
    assert app.query_params["run"] == "quick"
    assert "Run here" in text(app)
    app.radio(key="papers_paper").set_value("errata").run()
    assert "run" not in app.query_params
    assert not opened(show="errata", run="quick").warning


CROSS, CORNER = Mark(1.0, 0.5, "0.5"), Mark(math.nan, math.nan, "ρ = 0.98")
ACROSS, UP = Mark(math.nan, 0.5, "a limit"), Mark(1.0, math.nan, "a crossing")


@pytest.mark.parametrize(
    ("kinds", "errors", "marks", "message"),
    [
        (("line",), (0.1,), (), "Lines: ours, with standard errors."),
        (("line",), (math.nan,), (CROSS,), "Lines: ours. Crosses: the paper's values."),
        (("points",), (), (), "Dots: ours."),
        (
            ("bars",),
            (),
            (CROSS, ACROSS),
            "Bars: ours. Crosses and thin dots: the paper's values.",
        ),
        (("bars",), (), (UP,), "Bars: ours. Thin dots: the paper's values."),
        (("points", "line"), (), (CORNER,), "Lines and dots: ours."),
        (
            ("boxes",),
            (),
            (),
            "Boxes: ours. A box spans the first to the last quartile; whiskers reach the extremes.",
        ),
    ],
)
def test_a_caption_says_what_is_drawn(kinds, errors, marks, message):
    drawn = [Series(f"s{i}", (1.0,), (2.0,), errors, kind=kind) for i, kind in enumerate(kinds)]
    assert board.explained(drawn, marks) == message


def test_error_bars_that_are_no_standard_errors_are_not_called_so():
    drawn = [Series("GRR, bars show standard deviations", (1.0,), (2.0,), (0.1,))]
    assert board.explained(drawn) == "Lines: ours."
    assert board.kinds([]) == "Nothing"


@pytest.mark.usefixtures("ships")
def test_what_fails_says_why_and_the_shipped_result_stays(sweeps, monkeypatch):
    monkeypatch.setattr(query, "perform", _performed)
    app = opened(show="lift_2")
    app.button(key="papers_full").click().run()
    sweeps.fail(SolverError("It could not be solved."))
    app.run()
    assert not app.exception
    assert "It could not be solved." in text(app)
    assert "version 9.9.9" in text(app)
    app.button(key="papers_shipped").click().run()
    assert "It could not be solved." not in text(app)
    assert "run" not in app.query_params


@pytest.mark.usefixtures("ships")
def test_a_cancelled_run_leaves_the_way_back_to_the_full_one(sweeps, monkeypatch):
    monkeypatch.setattr(query, "perform", _performed)
    app = opened(show="lift_2")
    app.button(key="papers_quick").click().run()
    app.button(key="papers_run_cancel").click().run()
    assert not sweeps.open
    assert "The work was canceled." in text(app)
    app.button(key="papers_shipped").click().run()
    assert "The work was canceled." not in text(app)
    assert "version 9.9.9" in text(app)


def _performed(*_asked, report):
    report((1, 1))
    return json.loads(json.dumps(MADE.to_dict()))


def test_every_link_asks_a_valid_question():
    request = board.scenario(MADE)
    result, notices = from_query(parse_qs(Opens(request).link.partition("?")[2]))
    assert (result, notices) == (request, ())
    project = board.beside(request)
    assert [item.mechanism for item in project.scenarios] == ["subset_merging", "optimal"]
    back, notices = Project.from_query(parse_qs(board.compare(request).partition("?")[2]))
    assert back == project
    assert notices == ()


SHIPPED = query.full_run()


@pytest.mark.parametrize("experiment", SHIPPED.experiments, ids=lambda item: item.key)
def test_every_shipped_experiment_is_shown_and_asks_a_question_that_can_be_asked(experiment):
    app = opened(show=experiment.key)
    assert not app.exception
    assert not app.warning
    assert f"From the full run shipped with version {SHIPPED.version}" in text(app)
    claims = tables(app)[0]
    for row, message in zip(claims.to_dict("records"), experiment.verdicts, strict=True):
        assert row["verdict"].endswith(f" {message.outcome}]")
        assert row["claim"].startswith(message.claim)
        reason = row.get("reason", "")  # where no claim has one, there is no column for it
        assert message.reason.endswith(reason)
        assert bool(reason) == bool(message.reason)
    request = board.scenario(experiment)
    assert (request is not None) == bool(app.get("link_button"))
    assert "; 0 draws" not in text(app)
    counts = Counter(message.outcome for message in experiment.verdicts)
    if counts["error in the paper"] > 1:
        assert f"{counts['error in the paper']} errors in the paper" in text(app)
    for panel in experiment.panels:
        for title in (panel.title, panel.x_title, panel.y_title):
            assert unexplained(re.sub(r"\(\w\)", "", title)) == [], title
    if request is not None:
        result, notices = from_query(parse_qs(Opens(request).link.partition("?")[2]))
        assert (result, notices) == (request, ())
        request.build_notion(count(request.data).joint)
        board.beside(request)


def test_every_shipped_error_in_print_is_listed():
    wrong = [
        message.claim
        for item in SHIPPED.experiments
        for message in item.verdicts
        if message.outcome == "error in the paper"
    ]
    app = opened(show="errata")
    assert tables(app)[0]["claim"].tolist() == wrong
    assert len(wrong) > 5


def test_every_experiment_is_of_a_paper_in_the_list():
    assert query.choices()[-1] == query.ERRATA
    assert {item.paper for item in EXPERIMENTS} == set(query.choices()[:-1])
    assert entry(query.FIRST) is EXPERIMENTS[0]
