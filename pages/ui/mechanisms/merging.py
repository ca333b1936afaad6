"""Algorithm 1 on the Mechanisms page: how X_H is split into sets, step by step."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.mechanisms import MergeStep, fit
from core.mechanisms import catalogue as mechanisms
from core.mechanisms.merging.subset_merging import in_words, replay
from core.scenario import Result
from core.wording import number_of
from pages.ui import figures
from pages.ui.chart import chart
from pages.ui.frame import controls
from pages.ui.mechanisms import query
from pages.ui.parts import formulas
from pages.ui.parts.cards import card
from pages.ui.parts.tables import page
from pages.ui.style.labels import markdown
from pages.ui.style.units import in_unit, level
from pages.ui.work import derived

STEP = "merging_step"
"""The slider's key."""


def _least(result: Result, steps: tuple[MergeStep, ...]) -> None:
    """Show at which budgets all symbols that Algorithm 1 merges fit into one output."""
    unit = controls.unit()
    merged = tuple(sorted(x for group in replay(steps, len(steps)) for x in group.members))
    lower, upper = derived.least_bounds(result, merged)
    st.caption(
        f"If one output replaced the {number_of(len(merged), 'symbol')} of all sets, ALIP would "
        f"hold at εₗ = {level(lower, unit)} and εᵤ = {level(upper, unit)} {unit}. Randomizing "
        "them among themselves cannot lower these levels."
    )


def show(result: Result) -> None:
    """Show the partition of the high-risk symbols, and how Algorithm 1 comes to it."""
    st.header("How the high-risk symbols merge, step by step", anchor=False)
    steps, why_none = _steps(result)
    if not steps:
        st.caption(markdown(why_none))
        _settle(0)
        return
    labels, unit = result.joint.x_labels, controls.unit()
    done = _step(len(steps))
    sets = replay(steps, done)
    _least(result, steps)
    names = [" + ".join(labels[x] for x in group.members) for group in sets]
    risks = [step.risk_after for step in steps if np.isfinite(step.risk_after)]
    with card(
        key="steps",
        title=f"Subset merging, step {done} of {len(steps)}",
        subtitle="The sets merged so far. Hatched: still over the budget. Filled: within it.",
        table=lambda: pd.DataFrame(
            {
                "set": names,
                "probability": [
                    float(result.joint.p_x[list(group.members)].sum()) for group in sets
                ],
                f"risk_{unit}": [in_unit(group.risk, unit) for group in sets],
                "within the budget": [group.fits for group in sets],
            }
        ),
        formulas=(formulas.mechanism("subset_merging"), formulas.risk(result.scenario.notion)),
    ):
        st.markdown(
            markdown(in_words(steps[done - 1], labels, bits=unit == "bits"))
            if done
            else "Nothing is merged yet."
        )
        omega = np.array([group.risk for group in sets])
        shown = page(omega, "sets, highest risk first", "sets_page")
        chart(
            figures.set_risks(
                [names[i] for i in shown],
                omega[shown],
                np.array([sets[i].fits for i in shown], dtype=bool),
                max([*risks, 0.1]),
                unit,
            ),
            key="steps",
            title="Sets of X_H",
            alt=f"After step {done}: {number_of(len(sets), 'set')}, "
            f"{sum(group.fits for group in sets)} within the budget.",
        )
    _list(steps, labels, unit)


def _steps(result: Result) -> tuple[tuple[MergeStep, ...], str]:
    """Return Algorithm 1's steps, and why there are none."""
    kinds = result.scenario.kinds
    if reason := fit.obstacle(mechanisms.entry("subset_merging"), kinds):
        return (), f"Subset merging has no steps to show under this notion: {reason}."
    try:
        steps = derived.merging(result.scenario)
    except CoreError as error:
        return (), str(error)
    return steps, "Every symbol of X is within the budget on its own: there is nothing to merge."


def _step(count: int) -> int:
    _settle(count)
    with st.container(horizontal=True, vertical_alignment="bottom", key="merging_controls"):
        st.button(
            "Back", icon=":material/chevron_left:", key="merging_back", on_click=_move, args=(-1,)
        )
        st.button(
            "Next", icon=":material/chevron_right:", key="merging_next", on_click=_move, args=(1,)
        )
        done = int(st.slider("Step", 0, count, key=STEP, persist_state="session"))
    query.show("step", [] if done == count else [str(done)])
    return done


def _settle(count: int) -> None:
    """Set the slider to the step that the URL wants, if there is one; else leave it where it is."""
    query.show("step", [])
    wanted = query.URL.take("step")
    if wanted is not None and wanted > count:
        query.URL.tell(
            f"The link has step={wanted}, but there {'is' if count == 1 else 'are'} "
            f"{number_of(count, 'step')}; showing the last one."
        )
        wanted = count
    now = st.session_state.get(STEP, count) if wanted is None else wanted
    st.session_state[STEP] = min(now, count)


def _move(by: int) -> None:
    st.session_state[STEP] = max(0, st.session_state[STEP] + by)


def _list(steps: tuple[MergeStep, ...], labels: tuple[str, ...], unit: str) -> None:
    with st.expander("All steps in words", key="merging_list", on_change="rerun") as opened:
        if opened.open:
            lines = (in_words(step, labels, bits=unit == "bits") for step in steps)
            st.markdown("\n".join(f"1. {markdown(line)}" for line in lines))
