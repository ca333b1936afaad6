"""The Robust page's calls of `core`, its long work under way, and its formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.data.spec import DataSpec
from core.errors import CoreError, SolverError
from core.jobs import Job
from core.joint import Joint
from core.scenario import Scenario
from core.studies.robust_designs import (
    BETAS,
    QUICK,
    DesignOutcome,
    Drawn,
    Sample,
    compare_designs,
    robust_frontiers,
    study_beta,
    study_draws,
    take_sample,
)
from core.studies.robust_designs import most_seconds as study_seconds
from pages.ui.frame import controls
from pages.ui.style.labels import markdown
from pages.ui.style.units import budget
from pages.ui.work import derived
from pages.ui.work import progress as following
from pages.ui.work.long_answer import QUARTER, LongAnswer, StoppedError
from pages.ui.work.visits import visit

BALL = (
    "**Uncertainty set**. All distributions that n records do not rule out. The truth is among "
    "them with probability about 1 − β.\n\n"
    r"$$ F = \{P : D_\alpha(\hat P \Vert P) \le B\}, \quad "
    r"B = \frac{\log(1 + \alpha(\alpha-1)\,q_{1-\beta}/2n)}{\alpha-1} $$"
    "\n\n"
    r"with $q_{1-\beta}$ the quantile of $\chi^2$ with $n_s n_u - 1$ degrees of freedom; at "
    r"$\alpha = 2$, $B = \log(1 + q_{1-\beta}/n)$."
    "\n\n:gray[\\[RLDP\\] eq. 9; Cressie and Read 1984 for other α]"
)
"""The set F."""

INTERVALS = (
    "**What is possible given s**. For one secret, P(U | s) may move by its own bound, larger for "
    "a rare secret.\n\n"
    r"$$ B_s = \frac{\alpha}{\alpha-1}\log\frac{e^{(\alpha-1)B/\alpha} - (1-\hat P_s)}{\hat P_s},"
    r"\quad L_{u|s} = \min_{R : D_\alpha(\hat P_{U|s}\Vert R) \le B_s} R_u $$"
    "\n\n:gray[\\[RLDP\\] Theorem 1, eq. 23 and 29]"
)
"""The projections of F."""

RLDP = (
    "**RLDP**, robust local differential privacy. For every distribution consistent with the "
    "sample, no output is more than e^ε times as likely under one secret as under another.\n\n$$ "
    "P(y \\mid s_1) \\le e^{\\varepsilon} P(y \\mid s_2) \\quad \\text{for all } P \\in F,\\ y,\\ "
    "s_1 \\ne s_2 $$\n\n:gray[\\[RLDP\\] Def. 1]"
)
"""The promise."""

UNLIKE_EXPLORE = (
    "Explore treats the data as the estimate P̂. This page treats it as the truth P\\* and draws "
    "a sample for the estimate, so the same ε, n, β and α may give other numbers there."
)
"""Why this page and Explore differ under RLDP, as this page says it."""

REALISED = (
    "**Realized level**. What a design reveals at the truth, whatever its budget.\n\n$$ "
    "\\varepsilon^* = \\max_{y, s_1, s_2} \\log \\frac{P^*(y \\mid s_1)}{P^*(y \\mid s_2)} "
    "$$\n\n:gray[\\[RLDP\\] §8.3]"
)
"""ε*."""

DESIGNS = (
    "**Non-robust optimum**: treats the estimate as the truth. **Robust optimum**: the best "
    "within the budget for all of F. **PolyOpt**: the same for polytopes around F, simpler and "
    "stricter. **Independent reporting**: randomizes S and U separately. **Secret randomized "
    "response**: robust for every distribution, needs no estimate. **Randomized response of "
    "(s, u)**: hides the whole pair.\n\n:gray[\\[RLDP\\] §5–7; the robust optimum is ours]"
)
"""The mechanisms."""

NAMES = {"eps": "ε", "n": "n", "beta": "β", "alpha": "α", "seed": "seed", "draws": "draws"}
"""The names of a question's numbers."""


def row(
    kind: str, what: str, settings: RobustQuestion, scenario: Scenario, label: str, about: str
) -> None:
    """Show, in a row of fixed height, the button that begins a study, or its progress."""
    with st.container(key=f"{kind}_work"):
        launch(kind, settings, scenario, label, about)
        progress(kind, what)


def launch(kind: str, settings: RobustQuestion, scenario: Scenario, label: str, about: str) -> None:
    """Show the button that begins a study, and its error; nothing while it is under way."""
    desk = desk_of(kind)
    if desk.job is not None:
        return
    if desk.answered != settings:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                label,
                key=f"{kind}_start",
                icon=":material/play_arrow:",
                type="primary",
                on_click=start,
                args=(kind, settings, scenario),
            )
            st.caption(about)
    if desk.problem:
        st.error(markdown(desk.problem))


def stale(kind: str, settings: RobustQuestion) -> None:
    """Show a badge if the answer on screen is for other settings than those of the controls."""
    answered = desk_of(kind).answered
    if answered is None or answered == settings:
        return
    others = [
        f"{name} = {_written(field, getattr(answered, field))}"
        for field, name in NAMES.items()
        if getattr(answered, field) not in (None, getattr(settings, field))
    ]
    if answered.data != settings.data:
        others.insert(0, "other data")
    st.badge(
        f"stale: for {', '.join(others) or 'another choice'}",
        icon=":material/history:",
        color="orange",
    )


def _written(field: str, value: float) -> str:
    """Write a number of a question, ε in the unit shown."""
    return budget(value, controls.unit()) if field == "eps" else f"{value:,}"


def progress(kind: str, what: str) -> None:
    """Show the progress of what is under way and its Cancel, until it ends."""
    job = desk_of(kind).job
    if job is not None:
        following.follow(
            job,
            what,
            limit=QUARTER,
            key=f"{kind}_cancel",
            on_cancel=lambda: cancel(kind),
        )


SECONDS = {"designs": 1.5, "frontiers": 0.6, "draws": 0.3, "betas": 0.3}
"""Seconds that one search may take, by kind of work."""


MOMENT = 0.15
"""Seconds that one search in place may take."""


@dataclass(frozen=True)
class RobustQuestion:
    """The question that a piece of work answers; numbers are None where they have no effect.

    `draws`: 0 for work on the sample on screen. `fresh`: whether each has a truth of its own.
    """

    data: DataSpec
    eps: float | None
    n: int
    beta: float | None
    alpha: float
    seed: int
    draws: int = 0
    fresh: bool = False
    keys: tuple[str, ...] = ()


@dataclass
class Desk:
    """One kind of work of a session: what is under way, and what was found last."""

    question: RobustQuestion | None = None
    work: LongAnswer[Any] | None = None
    job: Job[Any] | None = None
    answered: RobustQuestion | None = None
    answer: Any = None
    problem: str = ""


def true_joint(data: DataSpec) -> Joint:
    """Return P*(s, u): S of the sidebar, and X without the columns of S."""
    return derived.counted(data.beside_secret).joint


def records(scenario: Scenario) -> int:
    """Return how many records the designer sees."""
    return derived.records(scenario)


def sample(scenario: Scenario) -> Sample:
    n = records(scenario)
    key = ("sample", repr(scenario.data), f"{n} {scenario.beta} {scenario.alpha} {scenario.seed}")
    return derived.kept(
        scenario.data,
        key,
        lambda: take_sample(
            true_joint(scenario.data).p, n, scenario.beta, scenario.alpha, scenario.seed
        ),
    )


def question(kind: str, scenario: Scenario, **more: Any) -> RobustQuestion:
    return RobustQuestion(
        data=scenario.data.beside_secret,
        eps=None if kind == "frontiers" else scenario.eps,
        n=records(scenario),
        beta=None if kind == "betas" else scenario.beta,
        alpha=scenario.alpha,
        seed=scenario.seed,
        **more,
    )


def desk_of(kind: str) -> Desk:
    """Return this session's work of a kind, with the answer of what has ended meanwhile."""
    place: Desk = st.session_state.setdefault(f"_robust_{kind}", Desk())
    if place.work is None:
        return place
    try:
        answer = place.work.ask()
    except CoreError as error:
        place.problem = "" if isinstance(error, StoppedError) else str(error)
        place.work = place.job = None
        return place
    if isinstance(answer, Job):
        place.job = answer
    else:
        place.answer, place.answered, place.problem = answer, place.question, ""
        place.work = place.job = None
    return place


def start(kind: str, settings: RobustQuestion, scenario: Scenario) -> None:
    cancel(kind)
    place = desk_of(kind)
    place.question, place.problem = settings, ""
    place.work = _work(kind, settings, scenario)
    place.work.resume()  # an earlier attempt may have been stopped or have failed
    desk_of(kind)


def cancel(kind: str) -> None:
    place = desk_of(kind)
    if place.work is not None:
        place.work.stop()
        place.work = place.job = None


def _work(kind: str, settings: RobustQuestion, scenario: Scenario) -> LongAnswer[Any]:
    """Return a piece of work, never shared between sessions: on a busy machine it finds less."""
    call, given = _call(kind, settings, scenario)
    work = LongAnswer(
        settings.data,
        ("robust", kind, repr(settings)),
        call,
        lambda: given(SECONDS[kind] * work.longer),
        QUARTER,
        patience=QUARTER,
        urgent=kind == "designs",
        keep=False,
    )
    return work


def search_on(settings: RobustQuestion, scenario: Scenario) -> None:
    """Design again, with more time for each search; until then the last designs stay."""
    _work("designs", settings, scenario).search_on()
    start("designs", settings, scenario)


def may_search_on(settings: RobustQuestion, scenario: Scenario) -> bool:
    """Return whether the searches for designs may take longer."""
    return _work("designs", settings, scenario).may_search_on


def _call(
    kind: str, settings: RobustQuestion, scenario: Scenario
) -> tuple[Callable[..., Any], Callable[[float], tuple[Any, ...]]]:
    """Return what does a piece of work, and its arguments given the seconds of one search."""
    if kind == "designs":
        return compare_designs, lambda seconds: (sample(scenario), scenario.eps, seconds)
    if kind == "frontiers":
        return robust_frontiers, lambda seconds: (sample(scenario), seconds)
    truth = true_joint(scenario.data).p
    drawn = Drawn(
        settings.n,
        scenario.beta,
        settings.alpha,
        settings.seed,
        max(settings.draws, 1),
        settings.fresh,
    )
    if kind == "draws":
        keys = settings.keys
        return study_draws, lambda seconds: (truth, scenario.eps, drawn, keys, seconds)
    return study_beta, lambda seconds: (truth, scenario.eps, drawn, seconds, BETAS)


def most_seconds(kind: str, settings: RobustQuestion) -> float:
    """Return about how many seconds a study takes at most."""
    cells = true_joint(settings.data).p.size
    return study_seconds(kind, SECONDS[kind], settings.keys, settings.draws, cells)


@dataclass(frozen=True, eq=False)
class Designs:
    """The outcomes to show, for budget `eps`; `stale`: for other settings than on screen."""

    outcomes: tuple[DesignOutcome, ...]
    eps: float
    stale: bool = False


def designs(scenario: Scenario, seen: Sample) -> Designs:
    """Return the designs on screen and begin what is missing; until it is ready the last stay."""
    settings = question("designs", scenario)
    place = desk_of("designs")
    if place.question != settings:
        start("designs", settings, scenario)
        place = desk_of("designs")
    if place.answered == settings:
        return Designs(place.answer, scenario.eps)
    # cells (s, u) up to which all designs but the robust optimum are made in place at first
    if seen.truth.size <= 32:
        key = ("quick designs", repr(settings))
        try:
            # kept for this session alone: on a busy machine they are worse
            outcomes = visit().store.get(
                key,
                lambda: compare_designs(seen, scenario.eps, MOMENT, QUICK, report=lambda _: None),
                lambda _: True,  # the other process has them again, with more time
            )
        except SolverError:  # `MOMENT` was too short: the other process has more time
            pass
        else:
            return Designs(outcomes, scenario.eps)
    if place.answered is not None and place.answered.data == settings.data:
        return Designs(place.answer, place.answered.eps or 0.0, stale=True)
    return Designs((), scenario.eps)
