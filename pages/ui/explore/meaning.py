"""What the promise implies on this data: the levels of other notions that it guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.jobs import Job
from core.jobs.work import find_implications
from core.notions import PointwiseNotion
from core.notions import catalogue as notions
from core.release.reach import Implication
from core.scenario import Result, Scenario
from core.wording import listed
from pages.ui import figures
from pages.ui.chart import chart
from pages.ui.frame import state
from pages.ui.parts.cards import card
from pages.ui.style.labels import markdown
from pages.ui.style.units import level
from pages.ui.work import answers, derived, long_answer, progress
from pages.ui.work.long_answer import LongAnswer

SECONDS = 5.0
"""Time for all levels that need a search."""

LIMIT = 60.0
"""Seconds after which the process that searches for them is given up."""

QUICK_CELLS = 40
"""Cells of a joint up to which the levels that a pointwise promise implies are found in place."""

CLOSE = 1e-6
"""How far a proven level may be from what is reached and still be called the least."""

SINGLE = {
    "lip": ("LIP", None),
    "ldp": ("LDP", None),
    "pml": ("PML", "maximal_leakage"),
    "min_lift": ("min-lift", None),
    "chi2_upper": ("χ² up", "chi2_divergence"),
    "l1_upper": ("ℓ1 up", "total_variation"),
    "kl": ("KL", "mutual_information"),
    "guess": ("guess S", "guessing"),
}
"""Level of one output → what the diagram calls it, and the average that follows from it."""

AVERAGE = {
    "maximal_leakage": "max. leak",
    "chi2_divergence": "mean χ²",
    "total_variation": "T(S;Y)",
    "mutual_information": "I(S;Y)",
    "guessing": "mean guess",
}
"""Average → what the diagram calls it."""

NAMES = {
    "lip": "LIP: ε",
    "ldp": "LDP: ε",
    "pml": "PML: ε, max-lift",
    "min_lift": "min-lift: −log Ψ",
    "chi2_upper": "χ²-privacy: ε_u",
    "l1_upper": "ℓ1-privacy: ε_u",
    "kl": "KL of one output",
    "guess": "surest guess of S",
    "maximal_leakage": "maximal leakage",
    "chi2_divergence": "χ² on average",
    "total_variation": "total variation",
    "mutual_information": "I(S;Y)",
    "guessing": "guess on average",
}
"""Level or average → its short name in the table: a phone shows numbers beside it."""

PLAIN = ("guess", "guessing", "total_variation", "chi2_divergence")
"""Levels and averages that have no unit."""

OPEN = "≤: the search ended early. This level is guaranteed; a lower one may be too."
"""What is said where some level is not proven to be the least."""

FORMULA = (
    "**What a promise implies**. The largest level that any mechanism under the promise reaches "
    "on this data: the least one that the promise guarantees. Where the promise bounds each "
    "output, it is that of the worst output allowed.\n\n"
    r"$$ \varepsilon' = \max_{r \in \Pi(\varepsilon)} \mathrm{level}(r), \quad "
    r"\Pi(\varepsilon) = \{P(X \mid Y = y) \text{ that are allowed}\} $$"
    "\n\n:gray[\\[Funnel\\] Fig. 2, with the numbers of this data]"
)
"""The card's formula."""


def frame(scenario: Scenario) -> st.delta_generator.DeltaGenerator:
    """Show the card's frame, and return the place for what is live."""
    promised = [scenario.notion, *(other.notion for other in scenario.also)]
    title = listed([notions.entry(key).title for key in promised])
    return card(
        key="implied",
        title="What this promise implies",
        subtitle=f"On arrows: the largest level that a mechanism under {title} can have on this "
        "data. In boxes: the level of this release.",
        table=table,
        formulas=(FORMULA,),
    )


def show(result: Result, unit: str, *, faded: bool = False) -> None:
    """Show the diagram for an answer's promise, or how far the work on it is."""
    scenario = result.scenario
    work = _work(scenario)
    found = progress.awaited(
        work,
        lambda: _found(scenario, work),
        "Working out what the promise implies",
        seconds=SECONDS,
        key="implied",
        left_open=lambda _: OPEN,
    )
    if found is None:
        return
    own = derived.own_levels(result)
    title = notions.entry(scenario.notion).title
    chart(
        figures.implications(_short(scenario), [_box(key, found, own, unit) for key in SINGLE]),
        key="implied",
        title="What this promise implies",
        alt=f"{title} implies LIP {_said('lip', found, unit)}, LDP {_said('ldp', found, unit)}, "
        f"I(S;Y) of at most {_said('mutual_information', found, unit)} {unit} here.",
        faded=faded,
    )
    st.markdown(f":small[{markdown(sentence(found, unit))}]")


def _short(scenario: Scenario) -> str:
    """Return the promise's name in the diagram's first box, which has room for one word."""
    built = notions.build(scenario.notion, derived.counted(scenario.data).joint, scenario.numbers)
    name = built.short_name()
    return f"{name} +" if scenario.also else name


def sentence(found: Mapping[str, Implication], unit: str) -> str:
    """Return what a promise implies for I(S;Y) and for guesses of S, in a sentence."""
    most = level(found["mutual_information"].level, unit, 4)
    sure = 100 * found["guess"].level
    return (
        f"Under every mechanism that keeps it, I(S;Y) ≤ {most} {unit}; the best guess of S is "
        f"right with probability at most {sure:.1f} % after any output, and "
        f"{100 * found['guessing'].level:.1f} % on average."
    )


def table() -> pd.DataFrame:
    """Return what the diagram shows, in full; no rows while it is being worked out."""
    scenario = state.scenario()
    found = _found(scenario, _work(scenario))
    if isinstance(found, Job):
        return pd.DataFrame({"level": []})
    own = derived.own_levels(answers.evaluate(scenario))
    return pd.DataFrame(
        {
            "level": list(NAMES.values()),
            "implied": [found[key].level for key in NAMES],
            "this_release": [own[key] for key in NAMES],
            "reached_by_a_mechanism": [found[key].reached for key in NAMES],
            "unit": ["" if key in PLAIN else "nats" for key in NAMES],
        }
    )


def _work(scenario: Scenario) -> LongAnswer[dict[str, Implication]]:
    """Return the work; its key is the promise and the data, whatever the mechanism."""

    def arguments() -> tuple[Any, ...]:
        joint = derived.counted(scenario.data).joint
        return joint, derived.promise(scenario), SECONDS * work.longer

    work = LongAnswer(
        scenario.data,
        ("implied", derived.promise_key(scenario)),
        find_implications,
        arguments,
        LIMIT,
        is_final=lambda found: not any(_is_open(one) for one in found.values()),
    )
    return work


def _found(
    scenario: Scenario, work: LongAnswer[dict[str, Implication]]
) -> dict[str, Implication] | Job[dict[str, Implication]]:
    """Return the levels, at once where that is quick, or the job at work on them."""
    joint = derived.counted(scenario.data).joint
    alone = not scenario.also and isinstance(derived.promise(scenario), PointwiseNotion)
    if alone and joint.n_s * joint.n_x <= QUICK_CELLS and work.longer == 1:
        long_answer.await_only("implied", ())
        return work.here()
    long_answer.await_only("implied", (work,))
    return work.ask()


def _box(
    key: str, found: Mapping[str, Implication], own: Mapping[str, float], unit: str
) -> figures.Level:
    title, average = SINGLE[key]
    follows = None
    if average is not None:
        follows = (AVERAGE[average], _said(average, found, unit), _value(average, own, unit))
    return figures.Level(title, _said(key, found, unit), _value(key, own, unit), follows)


def _said(key: str, found: Mapping[str, Implication], unit: str) -> str:
    one = found[key]
    return ("≤ " if _is_open(one) else "") + _text(key, one.level, unit)


def _value(key: str, own: Mapping[str, float], unit: str) -> str:
    return _text(key, own[key], unit)


def _text(key: str, value: float, unit: str) -> str:
    if key in PLAIN:
        return f"{value:.3f}"
    return level(value, unit)


def _is_open(one: Implication) -> bool:
    """Say whether a level is not proven to be the least."""
    return one.level - one.reached > CLOSE * max(1.0, abs(one.reached))
