"""What the promise implies on this data: the levels of other notions that it guarantees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.jobs import Job
from core.notions import PointwiseNotion
from core.notions import catalogue as notions
from core.optimal.solve import DEFAULT_SECONDS
from core.release.implications import implications
from core.release.reach import Implication
from core.scenario import Result, Scenario
from core.studies.advice import is_open
from core.wording import listed
from pages.ui.chart import MadeOf, chart
from pages.ui.frame import state
from pages.ui.parts.cards import card
from pages.ui.report.lower_cards import (
    IMPLIED_TITLE,
    NAMES,
    OPEN,
    PLAIN,
    diagram,
    implied_table,
    sentence,
)
from pages.ui.style.labels import markdown
from pages.ui.work import answers, derived, long_answer, progress
from pages.ui.work.long_answer import LIMIT, LongAnswer

FORMULA = (
    "**What a notion implies**. The largest level that any mechanism under the notion reaches on "
    "this data, which is the level it guarantees. Where the notion bounds each output, the worst "
    "allowed output sets the level.\n\n$$ \\varepsilon' = \\max_{r \\in \\Pi(\\varepsilon)} "
    "\\mathrm{level}(r), \\quad \\Pi(\\varepsilon) = "
    "\\{P(X \\mid Y = y) \\text{ that are allowed}\\} $$\n\n:gray[\\[Funnel\\] Fig. 2, with the "
    "numbers of this data]"
)
"""The card's formula."""


def live_place(scenario: Scenario) -> st.delta_generator.DeltaGenerator:
    """Show the card, and return the place in it for what is live."""
    promised = [scenario.notion, *(other.notion for other in scenario.also)]
    title = listed([notions.entry(key).title for key in promised])
    return card(
        key="implied",
        title=IMPLIED_TITLE,
        subtitle=f"On arrows: the largest level that a mechanism under {title} can have on this "
        "data. In boxes: the level of this release.",
        table=table,
        formulas=(FORMULA,),
    )


def show(result: Result, unit: str, *, faded: bool = False) -> Mapping[str, Implication] | None:
    """Show the diagram for an answer's promise, or how far the work on it is; return its levels."""
    scenario = result.scenario
    work = _work(scenario)
    implied = progress.awaited(
        work,
        lambda: _levels(scenario, work),
        "Computing what the notion implies",
        key="implied",
        left_open=lambda _: OPEN,
    )
    if implied is None:
        return None
    own = derived.own_levels(result)
    levels = tuple((name, level.level, level.reached) for name, level in implied.items())
    chart(
        lambda: diagram(result, implied, own, unit),
        made_of=MadeOf(
            scenario.data, (levels, tuple(own.items()), derived.promise_key(scenario), unit)
        ),
        key="implied",
        title=IMPLIED_TITLE,
        alt=implied_table(result, implied, unit),
        faded=faded,
    )
    st.markdown(f":small[{markdown(sentence(implied, unit))}]")
    return implied


def table() -> pd.DataFrame:
    """Return what the diagram shows, in full; no rows while it is being worked out."""
    scenario = state.scenario()
    implied = _levels(scenario, _work(scenario))
    if isinstance(implied, Job):
        return pd.DataFrame({"level": []})
    own = derived.own_levels(answers.evaluate(scenario))
    return pd.DataFrame(
        {
            "level": list(NAMES.values()),
            "implied": [implied[key].level for key in NAMES],
            "this_release": [own[key] for key in NAMES],
            "reached_by_a_mechanism": [implied[key].reached for key in NAMES],
            "unit": ["" if key in PLAIN else "nats" for key in NAMES],
        }
    )


def _work(scenario: Scenario) -> LongAnswer[dict[str, Implication]]:
    """Return the work; its key is the promise and the data, whatever the mechanism."""

    def arguments() -> tuple[Any, ...]:
        joint = derived.counted(scenario.data).joint
        return joint, derived.promise(scenario), work.limit

    work = LongAnswer(
        scenario.data,
        ("implied", derived.promise_key(scenario)),
        implications,
        arguments,
        DEFAULT_SECONDS,
        patience=LIMIT,
        is_final=lambda levels: not any(is_open(level) for level in levels.values()),
    )
    return work


def _levels(
    scenario: Scenario, work: LongAnswer[dict[str, Implication]]
) -> dict[str, Implication] | Job[dict[str, Implication]]:
    """Return the levels, at once where that is quick, or the job at work on them."""
    if _is_quick(scenario) and not work.is_prolonged:
        long_answer.await_only("implied", ())
        return work.here()
    long_answer.await_only("implied", (work,))
    return work.ask()


def _is_quick(scenario: Scenario) -> bool:
    """Say whether the levels that a promise implies are computed in place."""
    joint = derived.counted(scenario.data).joint
    alone = not scenario.also and isinstance(derived.promise(scenario), PointwiseNotion)
    # cells of a joint up to which the levels of a pointwise promise are computed in place
    return alone and joint.n_s * joint.n_x <= 40


def quick(scenario: Scenario) -> list[Callable[[Scenario], LongAnswer[Any]]]:
    """Return the work of this card that is quick at every place of the slider of ε."""
    return [_work] if _is_quick(scenario) else []
