"""Where a question has no answer: the reason, and buttons that ask what has one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from core.errors import CoreError, SolverError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import catalogue as notions
from core.scenario import Scenario, spans
from pages.ui.frame import data_remedies, pickers
from pages.ui.style.labels import markdown
from pages.ui.work import answers, derived, long_answer

MOST = 6
"""Most mechanisms, and most promises, that are offered."""

Remedy = tuple[str, dict[str, object]]
"""What a button says, and what it changes of the session."""


def show(scenario: Scenario, error: CoreError) -> None:
    """Show why there is no answer, and buttons that ask what has one."""
    with st.container(key="remedies"):
        st.error(markdown(str(error)))
        data_remedies.missing_file([scenario.data.source])
        stopped = isinstance(error, long_answer.StoppedError | SolverError)
        with st.container(horizontal=True, vertical_alignment="center"):
            if stopped:
                answers.answer_work(scenario).again("answer_again")
            for i, (label, changes) in enumerate(_offered(scenario)):
                st.button(
                    markdown(label),
                    key=f"remedy_{i}",
                    on_click=st.session_state.update,
                    args=(changes,),
                )


def _offered(scenario: Scenario) -> list[Remedy]:
    try:
        derived.counted(scenario.data)
    except CoreError:
        return [(label, {"_data": data}) for label, data in data_remedies.offered(scenario.data)]
    return list(_other_questions(scenario))


def _other_questions(scenario: Scenario) -> Iterator[Remedy]:
    """Offer the mechanisms that work under the promise, then the promises this one works under."""
    if scenario.purpose != "information":
        plain: dict[str, object] = {"for": "information", "_data": replace(scenario.data, task=())}
        yield "Keep all information about X", plain
    if scenario.also:
        yield "Remove the additional notions", {"_also": ()}
    kinds = pickers.asked_kinds(scenario)
    if any(kind.secret_released for kind in kinds) and scenario.data.releases_secret:
        yield "Use LDP, which equals RLDP without U", {"notion": "ldp", "mech": "optimal"}
        return
    if any(kind.secret_released for kind in kinds) and not scenario.data.secret_released:
        yield "Also release S", {"_data": replace(scenario.data, secret_released=True)}
        return
    yield from _reachable(scenario)
    able = [
        entry
        for entry in mechanisms.CATALOGUE.values()
        if entry.uses_notion
        and not fit.obstacle(entry, kinds, of_task=scenario.of_task)
        and entry.key != scenario.mechanism
    ]
    for entry in able[:MOST]:
        yield entry.title, {"mech": entry.key}
    chosen = mechanisms.entry(scenario.mechanism)
    if fit.obstacle(chosen, kinds):
        for other in [one for one in notions.ALL if not fit.obstacle(chosen, [one.kind])][:MOST]:
            yield f"Use {other.title}", {"notion": other.key, "_also": ()}


def _reachable(scenario: Scenario) -> Iterator[Remedy]:
    """Offer the least bound on guesses that some mechanism keeps, where a lower one is asked."""
    if "bound" not in notions.entry(scenario.notion).parameters:
        return
    joint = derived.counted(scenario.data).joint
    least = spans.span(scenario.notion, "bound", joint, scenario.numbers).low
    if scenario.bound < least:
        yield f"Use c = {least:g}", {"bound": least}
