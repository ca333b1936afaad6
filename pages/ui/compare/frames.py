"""What Compare says and draws, at rest and at each place of its sliders (see `work.frames`).

A column's slider moves that column, the sidebar's slider of ε all of them while nothing is pinned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.release.sentences import caution_of, promise_text
from core.scenario import Result, Scenario
from core.studies.matching import has_budget
from core.studies.side_by_side import Column, most, reference
from pages.ui.chart import Drawing, board, old
from pages.ui.compare import charts, columns, query
from pages.ui.compare.columns import Answered
from pages.ui.frame import controls, state
from pages.ui.parts import key_figures
from pages.ui.style import glossary
from pages.ui.style.units import level, most_share, share
from pages.ui.work import ahead, answers, context, visits
from pages.ui.work.frames import Frame, Offer, offer, on_request

BEHIND = ("differences", "column_axes_said")
"""Keys of what does not follow a slider."""


@dataclass(frozen=True, eq=False)
class Shown:
    """The columns as they are shown: their answers, lines and unit, and whether axes are whole."""

    answered: Sequence[Answered]
    lines: Sequence[charts.ColumnLine]
    unit: str
    whole: bool


def _drawn_with(shown: Shown, moved: Sequence[int], *, lines: bool) -> tuple[str, ...]:
    """Return what frames are made of beside the answers of the columns that move."""
    answered = [
        column.result.content_id
        for column in shown.answered
        if column.result is not None and column.place not in moved
    ]
    # a line may have more points by now: the browser has them, and redraws those of columns
    along = [str(lines and swept.line is not None) for swept in shown.lines]
    names = [f"{column.name} {column.mark}" for column in shown.answered]
    return (*names, *answered, *along, shown.unit, str(shown.whole))


def outcome(column: Answered) -> dict[str, Any]:
    """Return the line below a column's sliders: what it keeps."""
    if column.result is None:
        text = "Working…" if column.working else "No answer."
    else:
        kept = _kept(column, column.result)
        text = f"keeps {kept}; at most {most_share(most(column.result))} is possible"
    return {"sentences": [text], "figures": [], "badge": None, "terms": []}


def figures(column: Answered, unit: str) -> dict[str, Any] | None:
    """Return what a column promises, keeps and reaches, and what is proven; None: no answer."""
    result = column.result
    if result is None:
        return None
    badge = key_figures.badge(result, unit, provisional=column.working)
    lines = [*_lines(column, result, unit)]
    return {
        "sentences": lines,
        "figures": [["Kept", _kept(column, result), f"at most {most_share(most(result))}"]],
        "badge": [badge.text, badge.color, badge.icon.split("/")[1].rstrip(":")],
        "terms": [(term.title, term.meaning) for term in glossary.terms_in(lines)],
        "helps": [glossary.listed("Kept", "kept_for_purpose")],
    }


def _kept(column: Answered, result: Result) -> str:
    return key_figures.at_least(share(result.mechanism.kept), provisional=column.working)


def _lines(column: Answered, result: Result, unit: str) -> Iterable[str]:
    mechanism, leak = result.mechanism, result.after
    promise = (
        "no privacy notion" if mechanism.notion is None else promise_text(mechanism.notion, unit)
    )
    yield f"{promise}, {mechanisms.entry(column.scenario.mechanism).title}"
    proof = "proven optimal" if mechanism.status == "optimal" else mechanism.status
    if mechanism.status != "optimal":
        in_nats = mechanism.purpose.unit == "nats"
        proof += (
            f", gap {level(mechanism.gap, unit)} {unit}"
            if in_nats
            else f", gap {mechanism.gap:.2g}"
        )
    yield proof
    yield (
        f"I(X;Y) {level(mechanism.information, unit)}, "
        f"I(S;Y) {level(leak.averages['mutual_information'], unit, 4)} {unit}"
    )
    yield f"LIP {level(leak.achieved['lip'], unit)}, LDP {level(leak.achieved['ldp'], unit)} {unit}"
    if few := caution_of(result):
        yield few


def show(shown: Shown, compared: Sequence[Column]) -> None:
    """Show the columns' answers and charts, and have them follow sliders while they move."""
    answered, unit = shown.answered, shown.unit
    numbers = reference([column.scenario for column in answered])
    every = [
        charts.frontier(shown.lines, unit, whole=shown.whole),
        charts.levels(compared, [column.mark for column in answered], numbers, unit),
    ]
    parts, far = [drawing.sent() for drawing in every], charts.reach(answered)
    for column in answered:
        if (result := column.result or column.old) is not None:
            # of the last answer, faded, where there is none now
            with old(column.result is None), context.about(context.of(result.scenario)):
                parts += [drawn.sent() for drawn in charts.of_column(column, result, unit, far)]
    board(_answers(answered, unit), parts, _followed(shown), charts.pick)


def _answers(answered: Sequence[Answered], unit: str) -> dict[str, Any]:
    return {"": None} | {
        key: answer
        for column in answered
        for key, answer in (
            (f"outcome_{column.place}", outcome(column)),
            (f"figures_{column.place}", figures(column, unit)),
        )
    }


def frame(
    results: Sequence[Result | None], shown: Shown, moved: Sequence[int], *, lines: bool
) -> Frame:
    """Return what the page shows where some columns, by place, have moved to other answers.

    A column whose answer is not there yet is left out. `lines`: along those of their frontiers;
    else these are of other questions.
    """
    answered = list(shown.answered)
    for place, result in zip(moved, results, strict=True):
        waits = result is None or answers.is_provisional(result)
        answered[place] = replace(
            answered[place],
            scenario=answered[place].scenario if result is None else result.scenario,
            result=result,
            working=waits,
            error=None,
            old=answered[place].result or answered[place].old,
        )
    unit, far = shown.unit, charts.reach(answered)
    drawn: list[Drawing] = []
    for column in answered:
        if column.place in moved and column.result is not None:
            drawn += charts.of_column(column, column.result, unit, far)
        elif column.result is not None and far != charts.reach(shown.answered):
            drawn.append(charts.lifts(column, column.result, unit, far))
    numbers = reference([column.scenario for column in answered])
    if (compared := columns.quickly(answered, numbers)) is not None:
        drawn.append(charts.levels(compared, [column.mark for column in answered], numbers, unit))
    if lines:
        along = [replace(line, column=answered[line.column.place]) for line in shown.lines]
        drawn.append(charts.frontier(along, unit, whole=shown.whole))
    moved_to = [answered[place] for place in moved]
    texts = _answers([column for column in moved_to if column.result is not None], unit)
    del texts[""]
    return {
        "answers": texts,
        "charts": {drawing.key: drawing.frame() for drawing in drawn},
        "open": any(
            column.result is None or answers.may_improve(column.result) for column in moved_to
        ),
    }


def _followed(shown: Shown) -> list[dict[str, Any]]:
    """Return what a browser needs to follow the page's sliders: see live.js."""
    sliders = [
        followed
        for column in shown.answered
        for name in controls.NUMBERS
        if (followed := _slider(shown, [column.place], name)) is not None
    ]
    if query.is_standard():
        places = [column.place for column in shown.answered if has_budget(column.scenario)]
        sliders += [
            slider for slider in [_slider(shown, places, "eps", common=True)] if slider is not None
        ]
    return sliders


def _slider(
    shown: Shown, moved: Sequence[int], name: str, *, common: bool = False
) -> dict[str, Any] | None:
    """Return what a browser needs to follow a slider of some columns; None where it does not.

    `common`: it is the sidebar's.
    """
    scenarios = [shown.answered[place].scenario for place in moved]
    if not scenarios or not all(map(ahead.may, scenarios)):
        return None
    of = state.scenario() if common else scenarios[0]
    try:
        places = controls.places(of, name)
        labels = controls.labels([*places, getattr(of, name)], of, name)
    except CoreError:  # of the data: the column says what is wrong
        return None
    if not places:
        return None
    key = controls.slider_key(of, name) if common else _key(moved[0], name, shown.unit)
    address = offer(key, _offered(shown, moved, scenarios, places, name))
    return {
        "address": address,
        "slider": key,
        "labels": labels[:-1],
        "now": labels[-1],
        "answers": [f"{kind}_{place}" for place in moved for kind in ("outcome", "figures")],
        "charts": [
            *(f"{kind}_{place}" for place in moved for kind in ("matrix", "lifts", "graph")),
            charts.FRONTIER,
            charts.LEVELS,
        ],
        "behind": [
            *BEHIND,
            *(f"column_{part}_{place}" for part in ("why", "state") for place in moved),
            *(f"row_col{place}_eps" for place in moved if common),
        ],
    }


def _key(place: int, name: str, unit: str) -> str:
    return f"col{place}_eps_{unit}" if name == "eps" else f"col{place}_{name}"


def _offered(
    shown: Shown,
    moved: Sequence[int],
    scenarios: Sequence[Scenario],
    places: Sequence[float | None],
    name: str,
) -> Offer:
    owners = [visits.owner(column.scenario.data) for column in shown.answered]
    return Offer(
        tuple(ahead.wherever(scenario, name) for scenario in scenarios),
        tuple(places),
        partial(frame, shown=shown, moved=tuple(moved), lines=name == "eps"),
        drawn_with=_drawn_with(shown, moved, lines=name == "eps"),
        name=name,
        owner=next((owner for owner in owners if owner is not None), None),
        begin=on_request(scenarios, places, name),
    )
