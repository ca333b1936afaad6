"""What the Robust page asks of `core`: samples in place, designs and studies elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.data.spec import DataSpec
from core.errors import CoreError, SolverError
from core.jobs import Job
from core.joint import Joint
from core.scenario import Scenario
from core.studies.robust_designs import (
    QUICK,
    DesignOutcome,
    Sample,
    compare_designs,
    robust_frontiers,
    take_sample,
)
from core.studies.robust_draws import BETAS, Drawn, study_beta, study_draws
from core.studies.robust_draws import most_seconds as study_seconds
from pages.ui.work import derived
from pages.ui.work.long_answer import LongAnswer, StoppedError
from pages.ui.work.store import Store

SECONDS = {"designs": 1.5, "frontiers": 0.6, "draws": 0.3, "betas": 0.3}
"""Seconds that one search may take, by kind of work."""

FEW_CELLS = 32
"""Cells (s, u) up to which all designs but the robust optimum are made in place at first."""

MOMENT = 0.15
"""Seconds that one search in place may take."""

LIMIT = 900.0
"""Seconds after which any work is ended."""


@dataclass(frozen=True)
class RobustQuestion:
    """The question that a piece of work answers.

    Attributes
    ----------
    data : DataSpec
        The truth: its data, S and U.
    eps, n, beta, alpha, seed
        As in the scenario; None where it has no effect.
    draws : int
        How many; 0 of work on the sample on screen.
    fresh : bool
        Whether each draw has a truth of its own.
    keys : tuple of str
        The designs.
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

    asked: RobustQuestion | None = None
    work: LongAnswer[Any] | None = None
    job: Job[Any] | None = None
    answered: RobustQuestion | None = None
    answer: Any = None
    problem: str = ""


def true_joint(data: DataSpec) -> Joint:
    """Return P*(s, u): S and X of the sidebar, X without S in it.

    Raises
    ------
    CoreError
        If the data cannot be counted.
    """
    return derived.counted(replace(data, secret_released=False)).joint


def records(scenario: Scenario) -> int:
    """Return how many records the designer sees."""
    return derived.records(scenario)


def sample(scenario: Scenario) -> Sample:
    """Return what the designer saw.

    Raises
    ------
    CoreError
        If there are fewer than two secrets or two u, or a number does not fit.
    """
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
    """Return the question that the settings on screen ask of a kind of work."""
    return RobustQuestion(
        data=replace(scenario.data, secret_released=False),
        eps=None if kind == "frontiers" else scenario.eps,
        n=records(scenario),
        beta=None if kind == "betas" else scenario.beta,
        alpha=scenario.alpha,
        seed=scenario.seed,
        **more,
    )


def desk(kind: str) -> Desk:
    """Return this session's work of a kind, with the answer of what has ended meanwhile."""
    place: Desk = st.session_state.setdefault(f"_robust_{kind}", Desk())
    if place.work is None:
        return place
    try:
        found = place.work.ask()
    except CoreError as error:
        place.problem = "" if isinstance(error, StoppedError) else str(error)
        place.work = place.job = None
        return place
    if isinstance(found, Job):
        place.job = found
    else:
        place.answer, place.answered, place.problem = found, place.asked, ""
        place.work = place.job = None
    return place


def start(kind: str, asked: RobustQuestion, scenario: Scenario) -> None:
    """Begin a piece of work; what was under way of its kind ends."""
    cancel(kind)
    place = desk(kind)
    place.asked, place.problem = asked, ""
    place.work = _work(kind, asked, scenario)
    place.work.resume()  # it may have been stopped, or have failed, when it was asked for before
    desk(kind)


def cancel(kind: str) -> None:
    """End what is under way of a kind."""
    place = desk(kind)
    if place.work is not None:
        place.work.stop()
        place.work = place.job = None


def _work(kind: str, asked: RobustQuestion, scenario: Scenario) -> LongAnswer[Any]:
    """Return a piece of work, which no other session gets: on a busy machine it finds less."""
    call, arguments = _call(kind, asked, scenario)
    return LongAnswer(
        asked.data,
        ("robust", kind, repr(asked)),
        call,
        lambda: arguments,
        LIMIT,
        urgent=kind == "designs",
        keep=False,
    )


def _call(
    kind: str, asked: RobustQuestion, scenario: Scenario
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    seconds = SECONDS[kind]
    if kind == "designs":
        return compare_designs, (sample(scenario), scenario.eps, seconds)
    if kind == "frontiers":
        return robust_frontiers, (sample(scenario), seconds)
    truth = true_joint(scenario.data).p
    drawn = Drawn(asked.n, scenario.beta, asked.alpha, asked.seed, max(asked.draws, 1), asked.fresh)
    if kind == "draws":
        return study_draws, (truth, scenario.eps, drawn, asked.keys, seconds)
    return study_beta, (truth, scenario.eps, drawn, seconds, BETAS)


def most_seconds(kind: str, asked: RobustQuestion) -> float:
    """Return about how many seconds a study takes at most."""
    cells = true_joint(asked.data).p.size
    return study_seconds(kind, SECONDS[kind], asked.keys, asked.draws, cells)


@dataclass(frozen=True, eq=False)
class Designs:
    """The designs to show now.

    Attributes
    ----------
    outcomes : tuple of DesignOutcome
        One for each design; of those made in place none is the robust optimum; empty where there
        is no answer yet.
    eps : float
        The budget that they are for.
    stale : bool
        Whether they are for other settings than those on screen.
    """

    outcomes: tuple[DesignOutcome, ...]
    eps: float
    stale: bool = False


def quick_store() -> Store:
    """Return this session's store of designs made in place."""
    found: Store = st.session_state.setdefault("_quick_designs", Store(50))
    return found


def designs(scenario: Scenario, seen: Sample) -> Designs:
    """Return the designs for the settings on screen, and begin what is missing.

    On a small alphabet all but the robust optimum are made in place; the robust optimum, and all
    designs on a large alphabet, come from another process, and the last ones stay meanwhile.
    """
    asked = question("designs", scenario)
    place = desk("designs")
    if place.asked != asked:
        start("designs", asked, scenario)
        place = desk("designs")
    if place.answered == asked:
        return Designs(place.answer, scenario.eps)
    if seen.truth.size <= FEW_CELLS:
        key = ("quick designs", repr(asked))
        try:
            # kept for this session alone: on a busy machine they are worse
            found = quick_store().get(
                key,
                lambda: compare_designs(seen, scenario.eps, MOMENT, QUICK, report=lambda _: None),
                lambda _: True,  # the other process has them again, with more time
            )
        except SolverError:  # `MOMENT` was too short: the other process has more time
            pass
        else:
            return Designs(found, scenario.eps)
    if place.answered is not None and place.answered.data == asked.data:
        return Designs(place.answer, place.answered.eps or 0.0, stale=True)
    return Designs((), scenario.eps)
