"""What Compare works out in the background: matches, lines, answers and levels, as they come."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core import clock
from core.data.spec import DataSpec
from core.errors import SolverError
from core.jobs import carry_out
from core.mechanisms import catalogue as mechanisms
from core.mechanisms.result import CUT
from core.scenario import Project, Scenario, evaluate
from core.studies import matching as study
from core.studies.frontier import sweep
from pages.ui.compare import charts, matching
from pages.ui.figures.frontier import PALE
from pages.ui.work import answers
from tests.pages import sent
from tests.pages.comparing import OPTIMA, QUICK, SMALL, kept, open_, opened, pinned, share, text
from tests.pages.sent import working
from tests.pages.waiting import finished


@pytest.fixture(autouse=True)
def _no_sweeps(sweeps):
    """Hold the work on frontiers: no test here is about them but one."""
    return sweeps


def match(app, target, like=0):
    open_(app, "match")
    app.selectbox(key="match_target").set_value(target).run()
    app.selectbox(key="match_like").set_value(like).run()
    app.button(key="match_start").click().run()
    finished(app, lambda: "_match_outcome" in app.session_state)
    return app


def test_match_brings_columns_to_the_same_utility():
    app = match(opened(project=OPTIMA), "kept")
    assert not app.exception
    a, b = (evaluate(item).mechanism.kept for item in pinned(app).scenarios)
    assert a == pytest.approx(b, abs=1e-4)
    assert pinned(app).scenarios[0] == OPTIMA.scenarios[0]
    assert "b: reached at ε = " in text(app)
    assert "All columns matched to a, share kept " in text(app)
    app.button(key="undo").click().run()
    assert pinned(app) == OPTIMA
    assert "reached at" not in text(app)


def test_the_menu_of_match_closes_as_it_covers_the_progress():
    app = open_(opened(project=OPTIMA), "match")
    app.button(key="match_start").click().run()
    assert not app.session_state["match"]
    assert not [item for item in app.button if item.key == "match_start"]
    assert not app.exception


def test_match_tells_what_is_out_of_reach_with_the_range_that_is_not():
    whole = Project((Scenario(data=SMALL, mechanism="identity"), *OPTIMA.scenarios[:1]), ("a", "b"))
    small = replace(OPTIMA.scenarios[0], mechanism="watchdog")
    app = match(
        opened(project=whole.asking(1, small).with_column(OPTIMA.scenarios[1], "c")), "leak"
    )
    assert not app.exception
    assert "b: " in text(app)
    same = match(opened(project=whole), "leak", like=1)
    assert "a: it has no ε to change" in text(same)
    assert "Not matched to b, I(S;Y) " in text(same)
    assert "All columns matched" not in text(same)


def test_match_of_the_same_eps_needs_no_search(solves):
    app = opened(project=OPTIMA.asking(1, replace(OPTIMA.scenarios[1], eps=3.0)))
    taken = [function.__name__ for _, function, _ in solves.taken]
    match(app, "eps", like=1)
    assert [item.eps for item in pinned(app).scenarios] == [3.0, 3.0]
    assert "match" not in taken + [function.__name__ for _, function, _ in solves.taken]


def test_lines_at_work_go_on_while_something_else_on_the_page_changes(sweeps):
    """Each run of the page once dropped its own lines, as if they were a closed column's."""
    app = opened(project=OPTIMA)
    begun = list(sweeps.taken)
    assert len(begun) == 2
    open_(app, "project")
    app.run()
    assert not app.exception
    assert sweeps.taken == begun
    assert sweeps.open == begun


@pytest.fixture
def ends_in_sight(solves, monkeypatch):
    """Have a match end after the page has asked for it and before it shows its progress.

    Return what was at work each time.
    """
    follow, ends = matching.follow, []

    def ended(request):
        assert len(ends) < 5, "the match is begun again and again"
        ends.append([function.__name__ for _, function, _ in solves.open])
        solves.finish()
        follow(request)

    monkeypatch.setattr(matching, "follow", ended)
    return ends


def begin(app, target):
    open_(app, "match")
    app.selectbox(key="match_target").set_value(target).run()
    app.button(key="match_start").click().run()
    assert not app.exception
    return app


@pytest.mark.parametrize("target", ["ldp", "kept"])
def test_a_match_that_ends_while_its_progress_is_on_screen_is_taken(ends_in_sight, target):
    app = begin(opened(project=OPTIMA), target)
    assert ends_in_sight == [["match"]]
    assert "b: reached at ε = " in text(app)
    first, second = (
        matching.study.figure(evaluate(item), target) for item in pinned(app).scenarios
    )
    assert second == pytest.approx(first, abs=1e-4)


def test_columns_that_ask_the_same_are_matched_once(ends_in_sight):
    lip, ldp = OPTIMA.scenarios
    project = Project((lip, ldp, replace(ldp, eps=3.0)), ("a", "b", "c"))
    app = begin(opened(project=project), "kept")
    assert ends_in_sight == [["match"]]
    _, b, c = pinned(app).scenarios
    assert b == c
    assert "c: reached at ε = " in text(app)


def test_a_match_that_was_cut_short_is_told_as_such_and_not_begun_again(
    ends_in_sight, solves, monkeypatch
):
    finish = solves.finish

    def late():
        with clock.using(clock.Ticking(matching.study.SECONDS)):
            finish()

    monkeypatch.setattr(solves, "finish", late)
    app = begin(opened(project=OPTIMA), "leak")
    app.run()
    assert ends_in_sight == [["match"]]
    assert "Not matched to a, I(S;Y) " in text(app)
    assert "All columns matched" not in text(app)
    assert "b: not reached: the search stopped at " in text(app)
    assert "ε stays unchanged" in text(app)
    assert pinned(app) == OPTIMA
    result = app.session_state["_match_outcome"][1].outcomes[1]
    assert app.button(key="match_on").label == "Continue"
    use = app.button(key="match_use_1")
    assert use.label == f"b: use ε = {result.eps:.4f}"
    use.click().run()
    assert pinned(app).scenarios[1].eps == result.eps
    assert "match_on" not in {button.key for button in app.button}


def test_a_match_that_failed_is_told_and_may_be_begun_again(solves):
    app = begin(opened(project=OPTIMA), "kept")
    solves.fail(SolverError("It took too long."))
    app.run()
    assert "b: It took too long." in text(app)
    begin(app, "kept")
    assert len(solves.open) == 1
    app.button(key="match_cancel").click().run()
    assert not solves.open
    assert "match_cancel" not in {button.key for button in app.button}
    assert pinned(app) == OPTIMA


@pytest.mark.parametrize(
    ("notion", "unit", "eps"),
    [("lip", "nats", 2.5), ("lip", "bits", 1.7328679514), ("average_tv", "bits", 2.5)],
)
def test_a_click_on_a_line_moves_its_columns_budget(monkeypatch, notion, unit, eps):
    from pages.ui.compare import charts

    monkeypatch.setattr(charts, "picked", lambda _key: {"x": 2.5, "at": 3, "key": ["column", "1"]})
    request = {}
    clicked = Scenario(notion=notion)
    monkeypatch.setattr(charts.query, "shown", lambda: [None, (clicked, "b", "")])
    monkeypatch.setattr(
        charts.query, "ask", lambda place, **changes: request.update(changes, at=place)
    )
    monkeypatch.setattr(charts.controls, "unit", lambda: unit)
    charts.pick()
    assert request == {"eps": eps, "at": 1}


def test_only_budgets_with_a_unit_are_scaled_in_the_chart_of_all_lines():
    from pages.ui.compare import charts, columns

    result, joint = [], evaluate(Scenario(data=SMALL)).joint
    for place, notion in enumerate(("lip", "average_tv")):
        request = Scenario(data=SMALL, notion=notion, eps=0.2)
        column = columns.Answered(place, notion, "", request, evaluate(request))
        result.append(charts.ColumnLine(column, sweep(request, joint, [0.0, 0.2])))
    drawn = charts.frontier(result, "bits", whole=True).figure()
    ends = {trace["name"]: trace["x"][-1] for trace in drawn["data"] if len(trace["x"]) == 2}
    expected = {"lip": 0.2 / np.log(2), "average_tv": 0.2}
    assert ends == pytest.approx(expected, abs=1e-5)  # charts hold five decimals


def test_lines_come_as_they_are_worked_out_and_what_is_missing_is_told(sweeps):
    robust = Scenario(data=SMALL, notion="robust_ldp")
    app = opened(project=Project((*OPTIMA.scenarios[:1], robust), ("a", "robust")))
    assert not app.exception
    assert [function.__name__ for _, function, _ in sweeps.open] == ["sweep"] * 2
    swept = [arguments[0].notion for _, _, arguments in sweeps.open]
    sweeps.fail(SolverError("It stopped."), swept.index("robust_ldp"))
    app.run()
    assert any("0 of 2 lines ready" in item for item in working(app))
    sweeps.finish()
    app.run()
    assert not app.exception
    assert "Missing: robust: It stopped." in text(app)
    app.button(key="column_lines_again").click().run()
    assert len(sweeps.open) == 1
    app.run()
    app.button(key="column_lines_cancel").click().run()
    assert not sweeps.open
    assert "The work was canceled." in text(app)


def test_the_line_of_a_question_that_is_refused_is_not_waited_for(sweeps):
    refused = Scenario(data=SMALL, notion="rldp")
    app = opened(project=Project((refused, *OPTIMA.scenarios), ("pair", "b", "c")))
    finished(app, lambda: any("X is not such a pair" in item.value for item in app.error))
    assert sweeps.open
    (said,) = [item for item in working(app) if "ready" in item]
    assert "0 of 2 lines ready" in said
    assert "pair" not in said


def test_lines_that_need_no_search_are_begun_first_and_one_that_falls_is_named(sweeps, monkeypatch):
    """Subset merging waited behind the searches, and its line fell without a word."""
    names = ("optimal", "subset_merging")
    data = DataSpec("random:uniform:3x7:27", (), ())  # its line falls by .066
    asked = tuple(Scenario(data=data, mechanism=name) for name in names)
    entry = mechanisms.entry("subset_merging")
    slow = replace(entry, sweep_slow_from=0)
    of_key = mechanisms.entry
    monkeypatch.setattr(mechanisms, "entry", lambda key: slow if key == entry.key else of_key(key))
    app = opened(project=Project(asked, ("best", "merged")))
    assert not app.exception
    assert [item[2][0].mechanism for item in sweeps.open] == ["subset_merging", "optimal"]
    job, function, arguments = sweeps.open[0]
    assert "can keep less" not in text(app)
    job.succeed(function(*arguments))
    app.run()
    assert not app.exception
    assert "Subset merging can keep less at a larger ε" in text(app)


def test_a_line_is_there_at_a_glance_pale_until_it_is_worked_out(sweeps):
    """On a busy machine a line of RLDP was missing for longer than a minute."""

    def lines(app):
        drawn = json.loads(sent.charts(app)[charts.FRONTIER]["data"])
        return {item["name"]: item["opacity"] for item in drawn if item["mode"] == "lines+markers"}

    robust = Scenario(data=SMALL, notion="robust_ldp")
    app = opened(project=Project((*OPTIMA.scenarios[:1], robust), ("a", "robust")))
    assert lines(app) == {}
    job, function, arguments = next(
        item for item in sweeps.open if item[2][0].notion == "robust_ldp"
    )
    reported = []
    with clock.using(clock.Ticking(1.0)):
        answer = function(*arguments, report=reported.append)
    assert sent.looks(app)[0] != b""
    job.note(*reported)
    assert sent.looks(app)[0] == b""  # the page is to run again
    app.run()
    assert lines(app) == {"robust": PALE}
    assert "0 of 2 lines ready" in working(app)[0]
    assert "pale: a quick estimate" in working(app)[0]
    job.succeed(answer)
    app.run()
    assert lines(app) == {"robust": 1}
    assert "pale" not in working(app)[0]


def test_a_line_that_time_cut_short_says_so_and_may_be_searched_on(sweeps, monkeypatch):
    def hurried(scenario, joint, *more, **options):
        result = sweep(scenario, joint, *more, **options)
        if scenario.time_limit > 2:
            return result
        most = np.full(len(result.eps), result.upper_bound[-1])
        made = [replace(item, status=CUT, upper_bound=most[0]) for item in result.mechanisms]
        return replace(
            result, mechanisms=tuple(made), upper_bound=most, most_nmi=np.ones(len(made))
        )

    monkeypatch.setattr(answers, "sweep", hurried)
    app = opened(project=Project(OPTIMA.scenarios[:1], ("a",)))
    sweeps.finish_all()
    app.run()
    assert not app.exception
    assert "Not proven: a at " in text(app)
    limit = sweeps.taken[0][2][0].time_limit
    app.button(key="column_lines_on").click().run()
    assert [arguments[0].time_limit for _, _, arguments in sweeps.open] == [2 * limit]
    sweeps.finish_all()
    app.run()
    assert "Not proven" not in text(app)
    assert "column_lines_on" not in {button.key for button in app.button}


def test_answers_that_are_worked_out_are_marked_and_charts_of_the_last_one_stay(solves):
    slow = Scenario(data=DataSpec("random:uniform:3x9:0", (), ()), notion="robust_ldp")
    app = opened(project=Project((slow, QUICK.scenarios[0]), ("slow", "quick")))
    assert not app.exception
    assert sent.answers(app)["figures_0"]["badge"][0] == "quick estimate, not final"
    lines = len(sent.answers(app)["figures_0"]["sentences"])
    app.button(key="columns_cancel").click().run()
    assert sent.answers(app)["figures_0"]["badge"][0] != "quick estimate, not final"
    assert len(sent.answers(app)["figures_0"]["sentences"]) == lines  # nothing below them moves
    assert not solves.open


def test_a_column_that_is_not_proven_is_given_60_seconds_and_the_others_stay(solves):
    request = Scenario(data=DataSpec("random:uniform:3x6:1", (), ()), notion="lip", eps=0.5)
    with clock.using(clock.Ticking(1000.0)):
        app = opened(project=Project((QUICK.scenarios[0], request), ("quick", "hard")))
        solves.open[0][0].succeed(evaluate(request))
        app.run()
        assert "time limit, gap" in text(app)
        quick, cut = kept(app)
        buttons = [item.key for item in app.button if item.key and item.key.startswith("minute")]
        assert buttons == ["minute_1"]
        app.button(key="minute_1").click().run()
        assert solves.open[0][2][0] == replace(request, time_limit=60.0)
        app.button(key="columns_cancel").click().run()
        assert not solves.open
        assert kept(app) == [quick, cut]
        app.button(key="minute_1_again").click().run()
        job, function, arguments = solves.open[0]
        assert arguments[0] == replace(request, time_limit=60.0)
    with clock.using(clock.Ticking(1e-6)):
        job.succeed(carry_out(function, arguments, job.note))
        app.run()
        assert not app.exception
        assert kept(app) == [quick, share(request)]
    assert float(kept(app)[1].split()[0].rstrip("%")) > float(cut.split()[0].rstrip("%")) + 1
    assert not [item.key for item in app.button if item.key and item.key.startswith("minute")]


def test_levels_of_robust_notions_on_many_symbols_come_later(sweeps):
    many = Scenario(
        data=DataSpec("random:uniform:2x60:0", (), ()), notion="lip", mechanism="identity"
    )
    app = opened(project=Project((many, replace(many, mechanism="constant")), ("a", "b")))

    def reached():
        table = app.dataframe[-1].value
        row = table[table["figure"].str.startswith("RLDP for S – X – Y")]
        return row["a"].iloc[0]

    assert reached() != reached()  # NaN: b alone has it yet
    which = [function.__name__ for _, function, _ in sweeps.open].index("levels")
    sweeps.finish(which)
    app.run()
    assert reached() > 0
    assert not app.exception


def test_levels_follow_the_alpha_they_are_measured_at():
    request = Scenario(data=SMALL, notion="alpha", mechanism="watchdog")
    other = Scenario(data=SMALL, notion="lip", mechanism="identity")
    app = opened(project=Project((request, other), ("a", "b")))
    p = evaluate(other).joint.p
    prior = p.sum(axis=1, keepdims=True)
    for alpha in (5.0, 2.0):
        app.select_slider(key="col0_alpha").set_value(alpha).run()
        table = app.dataframe[-1].value
        row = table[table["figure"].str.startswith("Sibson's information")]
        total = ((prior * (p / prior) ** alpha).sum(axis=0) ** (1 / alpha)).sum()
        by_hand = alpha / (alpha - 1) * np.log(total)
        assert row["b"].iloc[0] == pytest.approx(by_hand, abs=1e-6)


def test_data_that_is_not_the_sidebars_is_named_once_if_all_columns_share_it_else_in_each():
    def named(place):
        return [item.value for item in place.caption if "Does publishing" in item.value]

    same = opened(project=QUICK, scenario=Scenario(data=SMALL))
    assert named(same) == []
    other = opened(project=QUICK, scenario=Scenario())
    assert len(named(other.sidebar)) == len(named(other)) == 1
    differing = Project((QUICK.scenarios[0], Scenario(mechanism="identity")), ("a", "b"))
    each = opened(project=differing, scenario=Scenario())
    assert len(named(each.main)) == len(named(each)) == 2


def test_the_saved_file_is_what_core_compare_reads():
    written = json.loads(QUICK.to_json())
    assert [item["name"] for item in written["columns"]] == list(QUICK.names)


@pytest.mark.parametrize("status", [study.CUT, study.REACHED, study.JUMPS, study.BEYOND])
def test_a_match_that_was_cut_short_is_the_sessions_alone(status):
    request = matching.Matching("kept", 0.5, "quick", Project(QUICK.scenarios, QUICK.names))
    result = study.Match(status, 1.0, 0.4, 0.3, 0.6, True, 5)
    assert matching._work(request, QUICK.scenarios[0]).is_final(result) == (status != study.CUT)
