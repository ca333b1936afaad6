"""Compare under a moving slider: what a browser draws is what the page shows at rest."""

import json
from dataclasses import replace

import pytest

from core.notions.numbers import Numbers
from core.scenario import Project, Scenario, evaluate
from core.studies.side_by_side import Column, entries
from pages.ui.compare import charts, columns, frames
from pages.ui.work import answers, visits
from tests.pages import sent
from tests.pages.comparing import QUICK, SMALL, opened

pytestmark = pytest.mark.usefixtures("no_lines")

PARTS = ("data", "layout", "low", "now", "alt", "serial")


def shown(project, unit="nats"):
    """Return a project's columns as the page shows them."""
    result = [
        columns.Answered(place, name, note, scenario, evaluate(scenario), mark=mark)
        for (place, (scenario, name, note)), mark in zip(
            enumerate(project.columns()), project.marks, strict=True
        )
    ]
    with visits.ahead_for(None):
        lines = [charts.ColumnLine(item, answers.frontier(item.scenario)) for item in result]
    return frames.Shown(result, lines, unit, whole=False)


def moved(project, places, **changes):
    """Return a project's frame where columns have moved, from another place."""
    then = [replace(project.scenarios[place], **changes) for place in places]
    return framed(list(map(evaluate, then)), shown(project), places, lines=True)


def framed(*parts, **more):
    """Make a frame as the server does, in whatever thread, and return what a browser gets."""
    with visits.ahead_for(None):
        return json.loads(json.dumps(frames.frame(*parts, **more)))


@pytest.mark.parametrize(("places", "eps"), [([1], 0.4), ([0, 2], 2.5)])
def test_a_frame_shows_what_the_page_shows_at_rest(places, eps):
    frame, project = moved(QUICK, places, eps=eps), QUICK
    for place in places:
        project = project.asking(place, replace(QUICK.scenarios[place], eps=eps))
    app = opened(project=project)
    assert not app.exception
    text, drawn = sent.answers(app), sent.charts(app)
    assert set(frame["answers"]) == {
        f"{kind}_{place}" for place in places for kind in ("outcome", "figures")
    }
    for name, answer in frame["answers"].items():
        assert answer == text[name]
    assert {f"matrix_{place}" for place in places} <= set(frame["charts"])
    assert {charts.FRONTIER, charts.LEVELS} <= set(frame["charts"])
    along = frame["charts"].pop(charts.FRONTIER)
    data = json.loads(drawn[charts.FRONTIER]["data"])
    assert along["tail"] == data[-drawn[charts.FRONTIER]["tail"] :]
    assert len(along["tail"]) == len(QUICK)
    assert along["layout"] == drawn[charts.FRONTIER]["layout"]
    for key, part in frame["charts"].items():
        assert part == {name: drawn[key][name] for name in PARTS}, key


def test_a_column_that_is_not_answered_yet_keeps_no_other_waiting():
    before = shown(QUICK)
    (result,) = map(evaluate, [replace(QUICK.scenarios[0], eps=0.4)])
    frame = framed([result, None], before, [0, 2], lines=True)
    assert frame["open"]
    assert set(frame["answers"]) == {"outcome_0", "figures_0"}
    assert {"matrix_0", charts.FRONTIER, charts.LEVELS} <= set(frame["charts"])
    assert "matrix_2" not in frame["charts"]
    # neither the old answer of the other one is among the points, nor its level
    assert [item["name"] for item in frame["charts"][charts.FRONTIER]["tail"]] == [
        QUICK.names[0],
        QUICK.names[1],
    ]
    assert len(json.loads(frame["charts"][charts.LEVELS]["data"])) == len(QUICK) - 1


def test_the_chart_of_all_lines_is_left_where_another_number_moves():
    results = [evaluate(replace(QUICK.scenarios[1], lam=0.3))]
    frame = framed(results, shown(QUICK), [1], lines=False)
    assert charts.FRONTIER not in frame["charts"]
    assert charts.LEVELS in frame["charts"]


def test_each_slider_of_each_column_is_followed_and_the_sidebars_moves_all():
    app = opened(scenario=Scenario(data=SMALL))
    reported = {item["slider"]: item for item in sent.sliders(app)}
    assert {"col0_eps_nats", "col1_eps_nats", "col1_lam", "col2_beta", "eps"} <= set(reported)
    assert reported["col1_eps_nats"]["answers"] == ["outcome_1", "figures_1"]
    assert reported["col1_eps_nats"]["now"] == "1.00"
    assert charts.FRONTIER in reported["col1_lam"]["charts"]  # of which it has no frame: it fades
    assert [f"outcome_{place}" in reported["eps"]["answers"] for place in range(3)] == [True] * 3
    rows = {f"row_col{place}_eps" for place in range(3)}  # which stay at the old ε meanwhile
    assert rows <= set(reported["eps"]["behind"])
    assert not rows & set(reported["col1_eps_nats"]["behind"])
    app = opened(project=QUICK)
    assert "eps" not in {item["slider"] for item in sent.sliders(app)}


def test_a_column_without_an_answer_says_so_and_has_no_figures():
    app = opened(project=Project((QUICK.scenarios[0], Scenario(data=SMALL, notion="rldp"))))
    text = sent.answers(app)
    assert text["outcome_1"]["sentences"] == ["No answer."]
    assert "figures_1" not in text


def test_frames_are_new_where_a_line_another_answer_or_the_axes_are():
    before = shown(QUICK)
    longer = [replace(before.lines[0], line=None), *before.lines[1:]]
    other = replace(before.answered[2], result=evaluate(replace(QUICK.scenarios[2], eps=0.2)))
    own = replace(before.answered[1], result=evaluate(replace(QUICK.scenarios[1], eps=0.2)))
    drawn = {
        frames._drawn_with(item, [1], lines=True)
        for item in (
            before,
            replace(before, lines=longer),
            replace(before, answered=[*before.answered[:2], other]),
            replace(before, whole=True),
            replace(before, unit="bits"),
        )
    }
    assert len(drawn) == 5
    same = replace(before, answered=[before.answered[0], own, before.answered[2]])
    assert frames._drawn_with(same, [1], lines=True) in drawn
    of_another = replace(before, lines=longer)
    assert frames._drawn_with(of_another, [1], lines=False) == frames._drawn_with(
        before, [1], lines=False
    )


def test_every_name_beside_the_levels_is_whole():
    titles = {item.level_title or item.title for item in entries() if item.in_nats}
    every = Column("", Scenario(), levels={item.key: 1.0 for item in entries()})
    names = charts.levels_figure([every], [0], Numbers(), "nats")["layout"]["yaxis"]["ticktext"]
    assert "RLDP for X = (S, U)" in names
    assert set(names) == titles
