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
from pages.ui.style.units import level, share
from pages.ui.work import ahead, answers, context, refining, visits
from pages.ui.work.frames import Frame, Offer, offer, when_asked

BEHIND = ("differences", "column_axes_said")
"""Keys of what does not follow a slider."""


@dataclass(frozen=True, eq=False)
class Shown:
    """The columns as they are shown: their answers, lines and unit, and whether axes are whole."""

    found: Sequence[Answered]
    lines: Sequence[charts.ColumnLine]
    unit: str
    whole: bool


def _drawn_with(shown: Shown, moved: Sequence[int], *, lines: bool) -> tuple[str, ...]:
    """Return what frames are made of beside the answers of the columns that move."""
    answered = [
        one.result.content_id
        for one in shown.found
        if one.result is not None and one.place not in moved
    ]
    # the points of a line may be more by now: the browser has them, and draws those of columns anew
    along = [str(lines and swept.line is not None) for swept in shown.lines]
    names = [f"{one.name} {one.mark}" for one in shown.found]
    return (*names, *answered, *along, shown.unit, str(shown.whole))


def outcome(one: Answered) -> dict[str, Any]:
    """Return what is said below a column's sliders: what it keeps, in a line."""
    if one.result is None:
        said = "Working…" if one.working else "No answer: see below."
    else:
        kept = _kept(one, one.result)
        said = f"keeps {kept}, at most {share(most(one.result))}"
    return {"said": [said], "figures": [], "badge": None, "terms": []}


def figures(one: Answered, unit: str) -> dict[str, Any] | None:
    """Return what a column promises, keeps and reaches, and what is proven; None: no answer."""
    result = one.result
    if result is None:
        return None
    badge = key_figures.badge(result, unit, provisional=one.working)
    said = [*_said(one, result, unit)]
    return {
        "said": said,
        "figures": [["Kept", _kept(one, result), f"at most {share(most(result))}"]],
        "badge": [badge.text, badge.color, badge.icon.split("/")[1].rstrip(":")],
        "terms": [(term.title, term.meaning) for term in glossary.terms_in(said)],
        "helps": [glossary.listed("Kept", "kept_for_purpose")],
    }


def _kept(one: Answered, result: Result) -> str:
    least = key_figures.AT_LEAST if one.working else ""
    return least + share(result.mechanism.kept)


def _said(one: Answered, result: Result, unit: str) -> Iterable[str]:
    made, leak = result.mechanism, result.after
    if one.working:
        yield refining.GLANCE
    asked = "no privacy notion" if made.notion is None else promise_text(made.notion, unit)
    yield f"{asked}, {mechanisms.entry(one.scenario.mechanism).title}"
    proof = "proven optimal" if made.status == "optimal" else made.status
    if made.status != "optimal":
        in_nats = made.purpose.unit == "nats"
        proof += f", gap {level(made.gap, unit)} {unit}" if in_nats else f", gap {made.gap:.2g}"
    yield proof
    yield (
        f"I(X;Y) {level(made.information, unit)}, "
        f"I(S;Y) {level(leak.averages['mutual_information'], unit, 4)} {unit}"
    )
    yield f"LIP {level(leak.achieved['lip'], unit)}, LDP {level(leak.achieved['ldp'], unit)} {unit}"
    if few := caution_of(result):
        yield few


def show(shown: Shown, told: Sequence[Column]) -> None:
    """Show the columns' answers and charts, and have them follow sliders while they move."""
    found, unit = shown.found, shown.unit
    numbers = reference([one.scenario for one in found])
    every = [
        charts.frontier(shown.lines, unit, whole=shown.whole),
        charts.levels(told, [one.mark for one in found], numbers, unit),
    ]
    parts, far = [one.sent() for one in every], charts.reach(found)
    for one in found:
        if (result := one.result or one.old) is not None:
            # of the last answer, faded, where there is none now
            with old(one.result is None), context.about(context.of(result.scenario)):
                parts += [drawn.sent() for drawn in charts.of_column(one, result, unit, far)]
    board(_answers(found, unit), parts, _followed(shown), charts.pick)


def _answers(found: Sequence[Answered], unit: str) -> dict[str, Any]:
    return {"": None} | {
        key: said
        for one in found
        for key, said in (
            (f"outcome_{one.place}", outcome(one)),
            (f"figures_{one.place}", figures(one, unit)),
        )
    }


def frame(results: Sequence[Result], shown: Shown, moved: Sequence[int], *, lines: bool) -> Frame:
    """Return what the page shows where some columns, by place, have moved to other answers.

    `lines`: along those of their frontiers; else these are of other questions.
    """
    found, open_ = list(shown.found), False
    for place, result in zip(moved, results, strict=True):
        waits = answers.is_provisional(result)
        open_ |= waits
        found[place] = replace(
            found[place], scenario=result.scenario, result=result, working=waits, error=None
        )
    unit, far = shown.unit, charts.reach(found)
    drawn: list[Drawing] = []
    for one in found:
        if one.place in moved and one.result is not None:
            drawn += charts.of_column(one, one.result, unit, far)
        elif one.result is not None and far != charts.reach(shown.found):
            drawn.append(charts.lifts(one, one.result, unit, far))
    numbers = reference([one.scenario for one in found])
    if (told := columns.quickly(found, numbers)) is not None:
        drawn.append(charts.levels(told, [one.mark for one in found], numbers, unit))
    if lines:
        along = [replace(line, column=found[line.column.place]) for line in shown.lines]
        drawn.append(charts.frontier(along, unit, whole=shown.whole))
    said = _answers([found[place] for place in moved], unit)
    del said[""]
    return {
        "answers": said,
        "charts": {one.key: one.frame() for one in drawn},
        "open": open_,
    }


def _followed(shown: Shown) -> list[dict[str, Any]]:
    """Return what a browser is told of the sliders that the page follows: see live.js."""
    found = [
        followed
        for one in shown.found
        for name in controls.NUMBERS
        if (followed := _slider(shown, [one.place], name)) is not None
    ]
    if query.is_standard():
        places = [one.place for one in shown.found if has_budget(one.scenario)]
        found += [one for one in [_slider(shown, places, "eps", common=True)] if one is not None]
    return found


def _slider(
    shown: Shown, moved: Sequence[int], name: str, *, common: bool = False
) -> dict[str, Any] | None:
    """Return what is told of a slider that moves some columns; None where it is not followed.

    `common`: it is the sidebar's.
    """
    asked = [shown.found[place].scenario for place in moved]
    if not asked or not all(map(ahead.may, asked)):
        return None
    of = state.scenario() if common else asked[0]
    try:
        places = controls.places(of, name)
        labels = controls.labels([*places, getattr(of, name)], of, name)
    except CoreError:  # of the data: the column says what is wrong
        return None
    if not places:
        return None
    key = controls.slider_key(of, name) if common else _key(moved[0], name, shown.unit)
    address = offer(key, _offered(shown, moved, asked, places, name))
    slow = columns.quickly([shown.found[place] for place in moved], reference(asked)) is None
    left = [charts.LEVELS] * slow + [charts.FRONTIER] * (name != "eps")
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
        "left": left,
        "behind": [*BEHIND, *(f"column_state_{place}" for place in moved)],
    }


def _key(place: int, name: str, unit: str) -> str:
    return f"col{place}_eps_{unit}" if name == "eps" else f"col{place}_{name}"


def _offered(
    shown: Shown,
    moved: Sequence[int],
    asked: Sequence[Scenario],
    places: Sequence[float | None],
    name: str,
) -> Offer:
    owners = [visits.owner(one.scenario.data) for one in shown.found]
    return Offer(
        tuple(ahead.wherever(one, name) for one in asked),
        tuple(places),
        partial(frame, shown=shown, moved=tuple(moved), lines=name == "eps"),
        drawn_with=_drawn_with(shown, moved, lines=name == "eps"),
        name=name,
        owner=next((one for one in owners if one is not None), None),
        begin=when_asked(asked, places, name),
    )
