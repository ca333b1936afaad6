"""Answers to questions, and frontiers: a first glance at once, then a better one.

All mechanisms found are in one store: no answer is below a frontier shown with it, and none is
worse than one before. What a time limit cut short only serves as a start.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import Any

from core.data import Counted
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import improve_answer
from core.joint import Joint
from core.mechanisms import Mechanism, catalogue
from core.mechanisms.optima.frontier import FAILED
from core.mechanisms.result import CUT
from core.optimal.plan import SIZES
from core.scenario import DOMAINS, Result, Scenario, answer, measured
from core.studies.frontier import SEARCHED_OF_PAIRS, Frontier, in_shares, sweep
from core.studies.funnel import budgets
from core.studies.known import OPTIMUM
from pages.ui.work import long_answer
from pages.ui.work.derived import counted, promise, purpose
from pages.ui.work.glances import GLANCER
from pages.ui.work.long_answer import QUARTER, LongAnswer
from pages.ui.work.store import sparing
from pages.ui.work.visits import ahead_for, kept_for, known_for, owner, visit

START = "subset_random_response"
"""Mechanism that is computed beside an optimum: it is ready much earlier, and often close."""

PATIENCE = 600.0
"""Seconds beyond its limit after which a search is given up that keeps the limit itself: its worker
may start late."""

LINE, MANY = 4.0, 150
"""Seconds that a search along all budgets takes at first with this many symbols or more: hardly any
budget is proven then, and four lines are there after 20 s at 442 symbols, each with an estimate
before it."""

LONGEST = DOMAINS["time_limit"].high
"""Seconds that a search may take at most, however often it goes on."""


class UnfinishedError(CoreError):
    """There is no answer yet, and work on it is under way."""


def evaluate(scenario: Scenario) -> Result:
    """Return the best answer so far, at first a glance with a valid bound; see `refining`."""
    promise(scenario)
    with contextlib.suppress(CoreError) if has_glance(scenario) else contextlib.nullcontext():
        refining(scenario)  # where it failed the first glance stays, and `refining.follow` says why
    best = _at_once(scenario)
    if best is None:
        raise UnfinishedError(f"Computing {catalogue.entry(scenario.mechanism).title}…")
    return _measured(scenario, best)


def is_slow(scenario: Scenario) -> bool:
    """Return whether a mechanism takes longer than a first glance and cannot be cut short."""
    slow = catalogue.entry(scenario.mechanism).slow_from
    return slow is not None and counted(scenario.data).joint.n_x >= slow


def glance_key(scenario: Scenario) -> Hashable:
    """Return the key under which it is kept that a glance was taken."""
    return "glance", repr(scenario)


def result_key(scenario: Scenario) -> Hashable:
    """Return the key under which the last measured answer to a question is kept."""
    return "result", repr(scenario)


def is_taken(scenario: Scenario) -> bool:
    """Return whether a glance was taken already."""
    return kept_for(scenario.data).find(glance_key(scenario)) is not None


def take(result: Result, data: Counted) -> None:
    """Store a glance that a worker has computed, as if it had been computed here."""
    scenario, store = result.scenario, kept_for(result.scenario.data)
    known_for(scenario.data).add(scenario, data.joint, result.mechanism)
    store.put(result_key(scenario), replace(result, counted=data))
    store.put(glance_key(scenario), True)


def ready(scenario: Scenario, *, of_others: bool = False) -> Result | None:
    """Return the best answer that is there without any search; None where there is none yet.

    `of_others`: smaller budgets' answers serve too, once they are audited at this one.
    """
    known, joint = known_for(scenario.data), _joint(scenario)
    if not (of_others or is_taken(scenario) or known.has_own(scenario, joint)):
        return None
    best = known.best(scenario, joint, of_others=of_others)
    return None if best is None else _measured(scenario, best)


def is_provisional(result: Result) -> bool:
    """Return whether a session that opens an answer starts the search for a better one."""
    return may_improve(result) and not answer_work(result.scenario).search.done


def may_improve(result: Result) -> bool:
    """Return whether a time limit cut the search for an answer short."""
    return result.mechanism.status == CUT


def news(scenario: Scenario, shown: Mechanism | None) -> Callable[[], bool]:
    """Return a test, for any thread, of whether `evaluate` has more than `shown`, or work ended."""
    own, session, joint = owner(scenario.data), visit().name, _joint(scenario)
    jobs = [work.search.job for work in _searches(scenario) if work.search.job]

    def are_there() -> bool:
        if any(job.finished for job in jobs) or GLANCER.is_ready(scenario, session):
            return True
        with ahead_for(own):
            best = known_for(scenario.data).best(scenario, joint)
        return best is not None and (shown is None or best.utility > shown.utility)

    return are_there


def is_refining(scenario: Scenario) -> bool:
    """Return whether a better answer than the one on screen is being computed."""
    try:
        return refining(scenario) is not None
    except CoreError:
        return False


def has_glance(scenario: Scenario) -> bool:
    """Return whether there is some answer to a scenario at once."""
    return not is_slow(scenario) or _known(scenario) is not None


def refining(scenario: Scenario) -> Job[Result] | None:
    """Return the job that looks for a better answer than the first glance; None if none is needed.

    A session waits for one such job: another question ends it, unless another session waits too.
    """
    if not _wanted(scenario):
        long_answer.await_only("answer", ())
        return None
    work, *starts = _searches(scenario)
    long_answer.await_only("answer", [work, *starts])
    try:
        job = work.at_work()
    except CoreError:
        long_answer.await_only("answer", ())  # the start is of no use either
        raise
    for start in starts if job else ():
        with contextlib.suppress(CoreError):  # shown where that mechanism itself is chosen
            start.ask()
    return job


def is_cut(scenario: Scenario, shown: Mechanism) -> bool:
    """Return whether a time limit cut an answer's search short, and a longer one is possible."""
    work = answer_work(scenario)
    return shown.status == CUT and work.search.done and work.may_search_on


def _searches(scenario: Scenario) -> list[LongAnswer[Result]]:
    """Return the work on an answer, and on `START` beside it unless that is known or of no use."""
    work = answer_work(scenario)
    if scenario.mechanism != OPTIMUM or not catalogue.entry(START).works_under(scenario.kinds[0]):
        return [work]
    start = replace(scenario, mechanism=START)
    known, beside = _known(start), answer_work(start)
    done = beside.search.done or (known is not None and known.status != CUT)
    return [work] if done else [work, beside]


def answer_work(scenario: Scenario) -> LongAnswer[Result]:
    """Return the work that `refining` has done, to stop it or to start it again."""

    def arguments() -> tuple[Any, ...]:
        data, known = counted(scenario.data), _known(scenario)
        if not work.is_prolonged:
            return scenario, data
        limited = replace(scenario, time_limit=work.limit)
        return limited, data, None if known is None else known.kernel

    def know(result: Result) -> Result:
        _know(scenario, result.mechanism)
        return result

    work = LongAnswer(
        *(scenario.data, ("answer", repr(scenario)), answer, arguments, scenario.time_limit),
        patience=30.0 if is_slow(scenario) else PATIENCE,  # a slow mechanism cannot be cut short
        longest=LONGEST,
        urgent=True,
        keep=False,
        is_final=lambda outcome: outcome.mechanism.status != CUT,
        take=know,
    )
    return replace(work, call=improve_answer) if work.is_prolonged else work


def frontier(scenario: Scenario) -> Frontier | None:
    """Return utility along the grid of budgets, ignoring ε; None while no line is ready."""
    joint = counted(scenario.data).joint
    if _is_quick(scenario):
        sweeping(scenario)
    line = sweep_work(scenario).last() or _glimpse(scenario)
    if line is None:
        return None
    best = known_for(scenario.data).along(line, scenario, joint)
    return best if scenario.purpose == "information" else in_shares(best, joint, purpose(scenario))


def is_glimpse(scenario: Scenario) -> bool:
    """Return whether the line that `frontier` returns is a first estimate, and work goes on."""
    return sweep_work(scenario).last() is None and _glimpse(scenario) is not None


def _glimpse(scenario: Scenario) -> Frontier | None:
    """Return what the work on a line has reported first; None before, and once it has ended."""
    job = sweep_work(scenario).search.job
    known = None if job is None else job.progress
    return known if isinstance(known, Frontier) else None


def sweeping(scenario: Scenario) -> Job[Frontier] | None:
    """Return the job at work on a scenario's frontier; None if there is none to wait for."""
    work = sweep_work(scenario)
    if not _is_quick(scenario):
        return work.at_work()
    if work.last() is None:
        work.give(sweep(*_sweep_of(scenario)))
    return None


def may_sweep_on(scenario: Scenario) -> bool:
    """Return whether a search may go on for a frontier that was cut short or failed somewhere."""
    return not _is_quick(scenario) and sweep_work(scenario).is_cut


def sweep_work(scenario: Scenario) -> LongAnswer[Frontier]:
    """Return the work that `sweeping` has done, to stop it or to start it again."""

    def arguments() -> tuple[Any, ...]:
        seconds = 1.5 if scenario.mechanism == OPTIMUM else scenario.time_limit
        joint = _joint(scenario)
        count = len(budgets(scenario, joint))
        coarse = scenario.mechanism in (OPTIMUM, *SEARCHED_OF_PAIRS)
        if coarse and any(kind.of_estimate for kind in scenario.kinds):
            seconds = min(seconds, SIZES.robust_seconds / 2)  # half of the budgets are searched
        if joint.n_x >= MANY:
            seconds = min(seconds, LINE / count)
        limited = replace(scenario, time_limit=min(seconds * work.longer, LONGEST))
        return _sweep_of(limited)

    question = repr(scenario).replace(f"eps={scenario.eps!r}", "eps=any", 1)
    work = LongAnswer(
        # long, because on a busy machine a worker starts minutes late
        *(scenario.data, ("sweep", question), sweep, arguments, QUARTER),
        is_final=lambda line: not {FAILED, CUT} & {item.status for item in line.mechanisms},
        # other sessions start from it and work it out in full, but one with gaps is its session's
        lends=lambda line: all(item.status != FAILED for item in line.mechanisms),
        take=partial(_taken, scenario),
    )
    return work


def _sweep_of(scenario: Scenario) -> tuple[Any, ...]:
    """Return what `sweep` takes of a scenario on its data."""
    data = counted(scenario.data)
    return scenario, data.joint, budgets(scenario, data.joint), data.x_values, data.task


@sparing()
def _taken(scenario: Scenario, line: Frontier) -> Frontier:
    """Make the mechanisms of a sweep known, and return its figures alone."""
    for eps, mechanism in zip(line.eps, line.mechanisms, strict=True):
        if mechanism.status == FAILED:
            continue  # the line has a gap there
        _know(replace(scenario, eps=float(eps)), mechanism)
    return replace(line, mechanisms=())


def _know(scenario: Scenario, mechanism: Mechanism) -> None:
    known_for(scenario.data).add(scenario, _joint(scenario), mechanism)


def _at_once(scenario: Scenario) -> Mechanism | None:
    """Return the best answer that is there, or a glance; None of a slow mechanism that has none."""
    best = _known(scenario)
    if is_slow(scenario) or (best is not None and best.status != CUT):
        return best
    return _glance(scenario)


def _wanted(scenario: Scenario) -> bool:
    """Return whether this session needs an answer to a scenario from another process."""
    best = _at_once(scenario)
    return best is None or (best.status == CUT and not answer_work(scenario).search.done)


@sparing()
def _glance(scenario: Scenario) -> Mechanism:
    """Return the best of the known mechanisms and of a very short search.

    One session searches for all, and takes what another server has proven. Where it has no turn,
    what is known is the glance.
    """
    if not is_taken(scenario):
        data = counted(scenario.data)
        if (shared := answer_work(scenario).of_others()) is not None:
            take(replace(shared, scenario=scenario), data)
        elif (
            result := GLANCER.find(
                *(scenario, data, visit().name), patient=_known(scenario) is None
            )
        ) is not None:
            take(result, data)
    best = _known(scenario)
    if best is None:  # dropped from the store meanwhile, for lack of room
        answer_work(scenario).search.done = False
        kept_for(scenario.data).put(glance_key(scenario), None)
        return _glance(scenario)
    return best


@sparing()
def _measured(scenario: Scenario, mechanism: Mechanism) -> Result:
    """Return the result of a mechanism, measured once for each mechanism."""
    store, key = kept_for(scenario.data), result_key(scenario)
    last: Result | None = store.find(key)
    if last is not None and last.mechanism.kernel is mechanism.kernel:
        return replace(last, mechanism=mechanism)
    result = measured(scenario, counted(scenario.data), mechanism)
    store.put(key, result)
    return result


def _is_quick(scenario: Scenario) -> bool:
    """Return whether a frontier is there at once."""
    return _joint(scenario).n_x < catalogue.entry(scenario.mechanism).sweep_slow_from


def _joint(scenario: Scenario) -> Joint:
    return counted(scenario.data).joint


def _known(scenario: Scenario) -> Mechanism | None:
    return known_for(scenario.data).best(scenario, _joint(scenario))
