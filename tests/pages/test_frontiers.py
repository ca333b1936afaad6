"""The Frontiers page through Streamlit's own test harness."""

import html
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

from core.data import DataSpec
from core.errors import InvalidInputError, SolverError
from core.jobs import Job
from core.notions import catalogue as notions
from core.scenario import Scenario, evaluate
from core.sweep import Draws, Sweep, read
from core.sweep.results import KEY
from pages.ui.frontiers import results
from pages.ui.frontiers.query import MOST_POINTS
from pages.ui.frontiers.results import Shown
from pages.ui.parts import exports
from pages.ui.work import long_answer
from tests.pages.pools import HeldPool
from tests.pages.sent import working
from tests.pages.waiting import PATIENCE, busy, finished

PAGE = Path(__file__).parents[2] / "pages" / "frontiers.py"

QUICK = {
    "notion": "lip",
    "by": ["watchdog", "subset_merging"],
    "from": "0.5",
    "to": "1.5",
    "steps": "2",
    "on": "random",
    "size": "3x5",
    "draws": "4",
    "first": "7",
}
"""A sweep of 16 points, each of a moment."""

SWEEP = Sweep(
    Scenario(notion="lip", mechanism="watchdog"),
    (("eps", (0.5, 1.5)),),
    tuple((("notion", "lip"), ("mechanism", key)) for key in QUICK["by"]),
    Draws(4, 3, 5, seed=7),
)
"""The same sweep, written by hand."""


def opened(**query):
    app = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def desk(app):
    return app.session_state["_frontiers_desk"]


def page_text(app):
    return " ".join(text.value for text in (*app.markdown, *app.caption))


def errors(app):
    return [item.value.replace("\\", "").replace("\u2060", "") for item in app.error]


def click(app, key):
    return app.button(key=key).click().run()


def done(app):
    """Run the sweep that is on screen to its end."""
    if desk(app).work is None:
        click(app, "sweep_start")
    finished(app, lambda: desk(app).work is None)
    return app


def tables(app):
    return [item.value for item in app.dataframe]


@pytest.mark.usefixtures("afresh")
def test_by_default_the_promise_on_screen_is_asked_of_the_data_beside():
    with busy(long_answer.WORKERS):
        app = opened()
        assert not app.exception
        assert not app.error
        assert app.multiselect(key="sweep_promise").value == ["alip"]
        assert app.multiselect(key="sweep_by").value == [
            "optimal",
            "subset_merging",
            "subset_random_response",
        ]
        assert "**24 points**: 3 cases × 8 budgets." in page_text(app)
        assert "Estimating the time" in page_text(app)
        assert desk(app).work is None  # nothing begins by itself
        assert "λ" in app.slider(key="lam").label


@pytest.mark.usefixtures("afresh")
def test_a_permalink_holds_the_sweep_and_its_points_are_those_asked_one_by_one():
    app = opened(**QUICK, across="level_lip", up="information", bars="quantiles")
    assert not app.exception
    assert not app.error
    assert not app.warning
    assert "**16 points**: 2 cases × 2 budgets × 4 draws." in page_text(app)
    app = done(app)
    shown = desk(app).shown
    assert shown.sweep == SWEEP
    assert shown.whole
    table = shown.table.to_pandas()
    for row in table.iloc[[0, 5, 11, 15]].to_dict("records"):
        spec = SWEEP.draws.spec(row["draw"])
        by_itself = evaluate(
            Scenario(spec, notion="lip", mechanism=row["mechanism"], eps=row["eps"])
        )
        assert row["information"] == pytest.approx(by_itself.mechanism.information, abs=1e-12)
    means, apart = tables(app)
    own = table[(table.mechanism == "subset_merging") & (table.eps == 1.5)]
    row = means[(means.mechanism == "Subset merging") & (means["ε, nats"] == 1.5)].iloc[0]
    assert row["I(X;Y), nats"] == pytest.approx(own.information.mean())
    assert row["median"] == pytest.approx(np.median(own.information))
    assert row["± error"] == pytest.approx(own.information.std(ddof=1) / 2)
    first = table[(table.mechanism == "watchdog") & (table.eps == 1.5)]
    paired = own.information.to_numpy() - first.information.to_numpy()
    row = apart[apart["ε, nats"] == 1.5].iloc[0]
    assert row["minus"] == "Watchdog"
    assert row["difference"] == pytest.approx(paired.mean())
    assert row["draws above"] == (paired > 0).sum()
    again = {key: value for key, value in QUICK.items() if key != "from"}  # that is the default
    again |= {"promise": "lip", "across": "level_lip", "up": "information", "bars": "quantiles"}
    assert dict(app.query_params) == again


@pytest.mark.usefixtures("afresh")
def test_a_second_visit_and_a_second_session_find_the_points():
    done(opened(**QUICK))
    with busy(long_answer.WORKERS):
        app = opened(**QUICK)
        assert desk(app).shown.whole
        assert "All are below." in page_text(app)
        assert not app.error
        assert len(tables(app)) == 2


@pytest.mark.usefixtures("afresh")
def test_bits_change_the_figures_and_not_the_sweep():
    app = done(opened(**QUICK, across="level_lip"))
    before = tables(app)[0]
    app = app.segmented_control(key="unit").set_value("bits").run()
    after = tables(app)[0]
    ratio = np.log(2)
    assert (after["ε, bits"] * ratio).to_numpy() == pytest.approx(before["ε, nats"].to_numpy())
    assert after["Share kept"].equals(before["Share kept"])
    assert desk(app).shown.sweep == SWEEP


@pytest.fixture
def pool(held):
    """Hold the chunks of a sweep until a test has them computed."""
    held.general = HeldPool()
    return held.general


def some(app, pool, count, monkeypatch):
    """Have some chunks computed, and wait until the page's points have them."""
    monkeypatch.setattr(results, "expected", lambda _: results.Estimate(1.0, 1))
    before = desk(app).left.count
    for _ in range(count):
        pool.finish()
    finished(app, lambda: desk(app).left.count > before)


@pytest.fixture
def halfway(pool, monkeypatch):
    """Open a sweep of points one by one, some of which are computed."""
    monkeypatch.setattr(results, "expected", lambda _: results.Estimate(1.0, 1))
    app = opened(**QUICK | {"by": ["grr", "subset_random_response"]})
    click(app, "sweep_start")
    finished(app, lambda: len(pool.taken) >= 8)
    some(app, pool, 3, monkeypatch)
    finished(app, lambda: desk(app).shown is not None)
    return app


def test_partial_results_are_shown_as_they_come_and_marked(halfway):
    app = halfway
    count = desk(app).shown.count
    assert 0 < count < 16
    assert any("unfinished" in item.value for item in app.markdown)
    assert f"{count} of 16 points" in page_text(app)
    assert sum(tables(app)[0]["points"]) == count
    assert "sweep_cancel" in {item.key for item in app.button}
    assert b"unfinished" in results.parquet_bytes(desk(app).shown, {"points": "unfinished"})


def test_the_time_to_go_is_judged_by_what_came_since_the_work_began(halfway, pool, monkeypatch):
    """Also where the page has been drawn again since, as it is when points have come."""
    monkeypatch.setattr(Job, "seconds", property(lambda _: 8.0))

    def text_after_run(app, since=2.0):
        desk(app).left.since = SimpleNamespace(seconds=since)
        return working(app.run())[0]

    count = desk(halfway).left.count
    left = 6 * (16 - count) / count - 2
    assert f"{count} of 16 points, 8 s so far, about {left:.0f} s left" == text_after_run(halfway)
    assert text_after_run(halfway, since=7.9).endswith("8 s so far")  # later than it was thought
    app = click(click(halfway, "sweep_cancel"), "sweep_start")
    count = desk(app).left.count
    assert text_after_run(app) == f"{count} of 16 points, 8 s so far"
    desk(app).expected = {desk(app).sweep: 80.0}
    left = 80 * (1 - count / 16) - 8
    assert text_after_run(app).endswith(f"8 s so far, about {left:.0f} s left")
    finished(app, lambda: len(pool.open) >= 8)
    some(app, pool, 1, monkeypatch)
    came = desk(app).left.count - count
    monkeypatch.setattr(results, "processes", lambda: came + 1)  # the first one alone says little
    assert text_after_run(app).endswith(f"8 s so far, about {left:.0f} s left")
    monkeypatch.setattr(results, "processes", lambda: came)
    assert text_after_run(app).endswith(f"about {6 * (16 - count - came) / came - 2:.0f} s left")


def test_cancel_keeps_what_there_is_and_going_on_computes_the_rest(halfway, pool):
    app = click(halfway, "sweep_cancel")
    count = desk(app).shown.count
    assert desk(app).work is None
    assert not app.error
    assert app.button(key="sweep_start").label == "Continue"
    finished(app, lambda: not pool.open)
    request = len(pool.taken)
    click(app, "sweep_start")
    finished(app, lambda: len(pool.taken) >= request + min(8, 16 - count))

    def rest():
        pool.finish_all()
        return desk(app).work is None

    finished(app, rest)
    assert desk(app).shown.whole
    assert len(pool.taken) - request == 16 - count
    assert not app.error


def test_old_points_are_shown_as_old_while_another_sweep_is_set_up(halfway):
    app = halfway.number_input(key="sweep_draws").set_value(5).run()
    assert any(
        ":material/history: previous: 16 points on 4 random joints of 3×5 (uniform, seed 7), LIP"
        in text
        for text in (item.value for item in app.markdown)
    )
    assert "Another sweep is running: 16 points" in page_text(app)
    click(app, "sweep_cancel")
    assert "**20 points**: 2 cases × 2 budgets × 5 draws." in page_text(app)
    assert app.button(key="sweep_start").label == "Run the sweep"


def test_a_reload_finds_the_sweep_that_is_under_way(halfway):
    again = opened(**QUICK | {"by": ["grr", "subset_random_response"]})
    assert desk(again).job is desk(halfway).job
    assert desk(again).shown.count == desk(halfway).shown.count
    click(again, "sweep_cancel")
    assert not desk(halfway).job.finished  # the first session still waits for it


def test_what_cannot_be_computed_is_one_sentence(halfway, pool):
    finished(halfway, lambda: pool.open)
    while pool.open:
        pool.fail(SolverError("The worker process died."))
        halfway.run()
    app = halfway
    finished(app, lambda: desk(app).work is None)
    (reported,) = errors(app)
    assert reported.endswith("points could not be computed: The worker process died.")
    assert app.button(key="sweep_start").label == "Continue"
    assert not desk(app).shown.whole


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"promise": "joy"}, "The link has promise=joy, which is not known; it is left out."),
        ({"by": "magic"}, "The link has by=magic, which is not known; it is left out."),
        ({"from": "-1"}, "The link has from=-1, which is not in [0, 50]; 0.5 is used."),
        ({"to": "nan"}, "The link has to=nan, which is not in [0, 50]; 4 is used."),
        ({"to": "much"}, "The link has to=much, which is not in [0, 50]; 4 is used."),
        (
            {"steps": "1e9"},
            "The link has steps=1e9, which is not a whole number from 1 to 200; steps=8 is used.",
        ),
        (
            {"draws": "0", "on": "random"},
            "The link has draws=0, which is not a whole number from 1 to 1,000,000,000; draws=20 "
            "is used.",
        ),
        (
            {"size": "1x5", "on": "random"},
            "The link has size=1x5, which is not such as 5x17 with 2 to 400 symbols each; 5x17 "
            "is used.",
        ),
        ({"on": "mars"}, "The link has on=mars, which is not known; on=here is used."),
        ({"across": "joy"}, "The link has across=joy, which is not known; across=eps is used."),
        ({"bars": "gold"}, "The link has bars=gold, which is not known; bars=errors is used."),
    ],
)
@pytest.mark.usefixtures("afresh")
def test_what_a_link_has_wrong_is_said_and_the_default_used(query, sentence):
    with busy(long_answer.WORKERS):
        app = opened(**query)
        assert not app.exception
        assert sentence in [item.value.replace("\\", "") for item in app.warning]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            {"on": "random", "draws": "100000000", "steps": "10"},
            "The sweep has 3,000,000,000 points (3 cases × 10 budgets × 100,000,000 draws), but "
            "at most 1,000,000 are allowed: choose fewer values or draws.",
        ),
        (
            {"on": "random", "draws": "5000"},
            f"This page computes at most {MOST_POINTS:,}. Choose fewer values or draws, or run the "
            "command below.",
        ),
        ({"s": "nope"}, "has no column 'nope'"),
        ({"on": "sets"}, "Choose at least one bundled data set."),
        ({"from": "2", "to": "1"}, "The first budget must be smaller than the last, got 2 to 1."),
        (
            {"promise": "rldp", "by": "watchdog"},
            "No combination has an answer. Watchdog under RLDP is left out",
        ),
    ],
)
@pytest.mark.usefixtures("afresh")
def test_a_sweep_that_cannot_be_is_one_sentence(query, sentence):
    app = opened(**query)
    assert not app.exception
    (result,) = errors(app)
    assert sentence in result
    assert "sweep_start" not in {item.key for item in app.button}
    assert "points**" not in page_text(app)
    offered = "From the command line" in {item.label for item in app.expander}
    assert offered == sentence.endswith("command below.")


@pytest.mark.usefixtures("afresh")
def test_nothing_chosen_is_said():
    with busy(long_answer.WORKERS):
        app = opened(notion="lip")
        app = app.multiselect(key="sweep_promise").set_value([]).run()
        assert errors(app) == ["Choose at least one notion."]


@pytest.mark.usefixtures("afresh")
def test_combinations_without_an_answer_are_left_out_and_named():
    with busy(long_answer.WORKERS):
        app = opened(promise=["lip", "rldp"], by=["watchdog", "optimal"], n="300")
        assert not app.error
        assert "Watchdog under RLDP is left out" in page_text(app)
        assert "3 cases" in page_text(app)


EXTREMES = [
    {**QUICK, "from": "0", "to": "0", "steps": "1"},
    {**QUICK, "draws": "1"},
    {**QUICK, "lam": "0", "promise": "alip"},
    {**QUICK, "lam": "1", "promise": "alip"},
    {**QUICK, "by": ["identity", "constant"], "across": "level_ldp"},
    {"on": "sets", "set": ["german_credit"], "notion": "lip", "by": "watchdog", "steps": "1"},
    {"on": "sets", "set": ["adult", "german_credit"], "notion": "lip", "by": "watchdog"},
    {"data": "random:uniform:2x400:1", "notion": "lip", "by": "watchdog", "steps": "2"},
    {**QUICK, "across": "eps", "up": "eps"},
]


@pytest.mark.parametrize("query", EXTREMES)
@pytest.mark.usefixtures("afresh")
def test_extremes_have_points_or_a_sentence(query):
    app = done(opened(**query))
    assert not app.exception
    assert not app.error
    assert desk(app).shown.whole
    for frame in tables(app):
        assert len(frame) > 0


@pytest.mark.usefixtures("afresh")
def test_exports_are_what_the_command_writes(tmp_path):
    app = done(opened(**QUICK))
    shown = desk(app).shown
    path = tmp_path / "points.parquet"
    path.write_bytes(results.parquet_bytes(shown, {"data": "joints"}))
    table, sweep = read(path)
    assert sweep == SWEEP
    assert table.num_rows == 16
    about = json.loads(parquet.read_schema(path).metadata[b"liftscope"])
    assert about == {"data": "joints"}
    part = Shown(shown.sweep, shown.table.slice(0, 3))
    path.write_bytes(results.parquet_bytes(part, {}))
    assert KEY not in parquet.read_schema(path).metadata  # so that no run goes on with it
    with pytest.raises(InvalidInputError, match="is not a results file of a sweep"):
        read(path)
    code = [item.value for item in app.code]
    assert Sweep.from_json(code[1]) == SWEEP
    assert "python -m core sweep sweep.json" in code[0]
    assert "--differences mechanism" in code[0]


@pytest.mark.usefixtures("afresh")
def test_a_report_and_means_are_made_where_the_controls_cannot_be_read(monkeypatch):
    made = {}
    monkeypatch.setattr(
        exports,
        "button",
        lambda label, _name, _mime, make, *_, **_more: made.update({label: make}),
    )
    monkeypatch.setattr(exports, "opened", lambda _key, contents, **_more: contents())
    assert not done(opened(**QUICK)).exception
    content = html.unescape(made["Report"]().decode())
    assert content.count('class="chart"') == 1
    terminal, saved = (text.split("</pre>")[0] for text in content.split("<pre>")[1:3])
    assert terminal.startswith("python -m core sweep sweep.json")
    assert "--differences mechanism" in terminal
    assert Sweep.from_json(saved) == SWEEP
    assert json.loads(made["JSON"]())["differences"]


def test_what_others_know_leaves_out_what_has_no_answer_given_it():
    request = {
        "notion": "lip",
        "promise": ["lip", "l1", "average_mi"],
        "by": ["optimal", "watchdog"],
    }
    near = {"from": "1", "to": "2", "steps": "2", "k": "race"}
    app = opened(**request, **near, on="here")
    assert not app.exception
    text = page_text(app).replace("\\", "")
    funnel = notions.entry("average_mi").title
    assert f"Optimal under {funnel} is left out: it does not bound each output by P(S)" in text
    assert f"Optimal under {notions.entry('l1').title} is left out: it has no optimum" in text
    assert "Watchdog under LIP is left out:" in text
    table = desk(done(app)).shown.table.to_pandas()
    for row in table.to_dict("records"):
        spec = DataSpec(known=("race",))
        alone = evaluate(Scenario(spec, notion="lip", mechanism="optimal", eps=row["eps"]))
        assert row["information"] == pytest.approx(alone.mechanism.information, abs=1e-6)
        assert row["achieved"] == pytest.approx(alone.lip, abs=1e-9) != row["level_lip"]
    text = page_text(app).replace("\\", "")
    assert "Levels are those of Y alone, for someone who does not know race." in text


def test_random_joints_have_nothing_that_others_know():
    app = opened(**QUICK, k="race")
    assert not app.exception
    assert "left out" not in page_text(app)
