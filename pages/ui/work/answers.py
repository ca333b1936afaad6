"""Answers to questions, and frontiers: a first glance at once, then a better one.

All mechanisms found are in one store: no answer is below a frontier shown with it, and none is
worse than one before. What a time limit cut short only serves as a start.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from core.data import Counted
from core.errors import CoreError
from core.jobs import Job
from core.jobs.work import improve_answer
from core.joint import Joint
from core.mechanisms import Mechanism, catalogue
from core.mechanisms.optima.frontier import FAILED
from core.mechanisms.result import CUT
from core.scenario import DOMAINS, Result, Scenario, answer, measured
from core.studies.frontier import Frontier, in_shares, sweep
from core.studies.funnel import budgets
from core.studies.known import OPTIMUM
from pages.ui.work import long_answer
from pages.ui.work.derived import counted, promise, purpose
from pages.ui.work.glances import GLANCER
from pages.ui.work.long_answer import LONGER, QUARTER, LongAnswer
from pages.ui.work.store import sparing
from pages.ui.work.visits import ahead_for, kept_for, known_for, owner, visit

START = "subset_random_response"
"""Mechanism that is computed beside an optimum: it is ready much earlier, and often close."""

PATIENCE = 600.0
"""Seconds beyond its limit after which a search is given up that keeps the limit itself: its worker
may start late."""

LINE, MANY = 10.0, 150
"""Seconds that a search along all budgets takes at first with this many symbols or more: hardly any
budget is proven then, and four lines take 16 s in all at 442 symbols."""

LONGEST = DOMAINS["time_limit"].high
"""Seconds that a search may take at most, however often it goes on."""


class UnfinishedError(CoreError):
    """There is no answer yet, and work on it is under way."""


def evaluate(scenario: Scenario) -> Result:
    """Return the best answer so far, at first a glance with a valid bound; see `refining`."""
    promise(scenario)
    elsewhere = is_slow(scenario)
    with contextlib.suppress(CoreError) if has_glance(scenario) else contextlib.nullcontext():
        refining(scenario)  # where it failed the first glance stays, and `refining.follow` says why
    best = _known(scenario)
    if elsewhere and best is None:
        raise UnfinishedError(f"Computing {catalogue.entry(scenario.mechanism).title}…")
    if best is None or (best.status == CUT and not elsewhere):
        best = _glance(scenario)
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


def forget(scenario: Scenario) -> None:
    """Allow another glance: the result of the last one was dropped."""
    kept_for(scenario.data).put(glance_key(scenario), None)


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
    return may_improve(result) and _name(result.scenario) not in visit().searched


def may_improve(result: Result) -> bool:
    """Return whether a time limit cut the search for an answer short."""
    return result.mechanism.status == CUT


def news(scenario: Scenario, shown: Mechanism | None) -> Callable[[], bool]:
    """Return a test, for any thread, of whether `evaluate` has more than `shown`, or work ended."""
    own, session, joint = owner(scenario.data), visit().name, _joint(scenario)
    names = [
        answer_work(question).name
        for question in (scenario, _start(scenario))
        if question is not None
    ]
    jobs = [job for name in names if isinstance(job := visit().held.get(name), Job)]

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
    start = _start(scenario)
    long_answer.await_only(
        "answer", [answer_work(question) for question in (scenario, start) if question]
    )
    try:
        job = _searching(scenario)
    except CoreError:
        long_answer.await_only("answer", ())  # the start is of no use either
        raise
    if job is not None and start is not None:
        with contextlib.suppress(CoreError):  # shown where that mechanism itself is chosen
            _searching(start)
    return job


def _searching(scenario: Scenario) -> Job[Result] | None:
    """Return the job that answers a scenario, beginning it if needed; take its answer when done."""
    work = answer_work(scenario)
    outcome = work.ask()
    if isinstance(outcome, Job):
        return outcome
    try:
        _know(scenario, outcome.mechanism)
    except CoreError as error:  # it contradicts an earlier result
        work.fail(error)
        raise
    visit().searched.add(_name(scenario))
    return None


def search_limit(scenario: Scenario) -> float:
    """Return the seconds that the search for a scenario's answer may take in this session."""
    return visit().limits.get(repr(scenario), scenario.time_limit)


def is_cut(scenario: Scenario, shown: Mechanism) -> bool:
    """Return whether a time limit cut an answer's search short, and a longer one is possible."""
    if shown.status != CUT or _name(scenario) not in visit().searched:
        return False
    return search_limit(scenario) < LONGEST


def search_on(scenario: Scenario, seconds: float | None = None) -> None:
    """Continue a search that was cut off from the best known answer, for longer than last time."""
    had = search_limit(scenario)
    wanted = LONGER * had if seconds is None else seconds
    visit().limits[repr(scenario)] = max(had, min(wanted, LONGEST))


def _start(scenario: Scenario) -> Scenario | None:
    """Return the scenario of `START`; None where it is known or of no use."""
    fits = catalogue.entry(START).works_under(scenario.kinds[0])
    if scenario.mechanism != OPTIMUM or not fits:
        return None
    start = replace(scenario, mechanism=START)
    known = _known(start)
    done = known is not None and known.status != CUT
    return None if done or _name(start) in visit().searched else start


def answer_work(scenario: Scenario) -> LongAnswer[Result]:
    """Return the work that `refining` has done, to stop it or to start it again."""
    seconds = search_limit(scenario)
    limit = seconds + (
        30.0 if is_slow(scenario) else PATIENCE
    )  # a slow mechanism cannot be cut short
    limited = replace(scenario, time_limit=seconds)
    key = ("answer", repr(scenario), *([] if limited == scenario else [f"{seconds:g} s"]))

    def arguments() -> tuple[Any, ...]:
        data, known = counted(scenario.data), _known(scenario)
        if limited == scenario:
            return limited, data
        return limited, data, None if known is None else known.kernel

    work = answer if limited == scenario else improve_answer
    return LongAnswer(
        *(scenario.data, key, work, arguments, limit),
        urgent=True,
        keep=False,
        is_final=lambda outcome: outcome.mechanism.status != CUT,
    )


def frontier(scenario: Scenario) -> Frontier | None:
    """Return utility along the grid of budgets, ignoring ε; None while no line is ready."""
    joint = counted(scenario.data).joint
    if _is_quick(scenario):
        sweeping(scenario)
    line = _swept(scenario) or _glimpse(scenario)
    if line is None:
        return None
    best = known_for(scenario.data).along(line, scenario, joint)
    return best if scenario.purpose == "information" else in_shares(best, joint, purpose(scenario))


def is_glimpse(scenario: Scenario) -> bool:
    """Return whether the line that `frontier` returns is a first estimate, and work goes on."""
    return _swept(scenario) is None and _glimpse(scenario) is not None


def _glimpse(scenario: Scenario) -> Frontier | None:
    """Return what the work on a line has reported first; None before, and once it has ended."""
    job = visit().held.get(sweep_work(scenario).name)
    known = job.progress if isinstance(job, Job) else None
    return known if isinstance(known, Frontier) else None


def sweeping(scenario: Scenario) -> Job[Frontier] | None:
    """Return the job at work on a scenario's frontier; None if there is none to wait for."""
    key, work = _question(scenario), sweep_work(scenario)
    store = kept_for(scenario.data)
    searched = work.name in visit().searched
    if store.find(key) is not None or (searched and _swept(scenario) is not None):
        return None
    line = sweep(*_sweep_of(scenario)) if _is_quick(scenario) else work.ask()
    if isinstance(line, Job):
        return line
    try:
        figures = _taken(scenario, line)
    except CoreError as error:  # it contradicts an earlier result
        work.fail(error)
        raise
    if work.is_final(line):
        store.put(key, figures)
        return None
    if any(
        mechanism.status == FAILED for mechanism in line.mechanisms
    ):  # a line with gaps is kept for this session alone
        visit().store.put(("failing", *key), figures)
    else:  # other sessions start from it and work it out in full
        store.put(("unproven", *key), figures)
    visit().searched.add(work.name)
    return None


def may_sweep_on(scenario: Scenario) -> bool:
    """Return whether a search may go on for a frontier that was cut short or failed somewhere."""
    work = sweep_work(scenario)
    return work.name in visit().searched and not _is_quick(scenario) and work.may_search_on


def sweep_work(scenario: Scenario) -> LongAnswer[Frontier]:
    """Return the work that `sweeping` has done, to stop it or to start it again."""

    def arguments() -> tuple[Any, ...]:
        seconds = 1.5 if scenario.mechanism == OPTIMUM else scenario.time_limit
        joint = _joint(scenario)
        if joint.n_x >= MANY:
            seconds = min(seconds, LINE / len(budgets(scenario, joint)))
        limited = replace(scenario, time_limit=min(seconds * work.longer, LONGEST))
        return _sweep_of(limited)

    work = LongAnswer(
        # long, because on a busy machine a worker starts minutes late
        *(scenario.data, _question(scenario), sweep, arguments, QUARTER),
        keep=False,
        is_final=lambda line: all(
            mechanism.status not in (FAILED, CUT) for mechanism in line.mechanisms
        ),
    )
    return work


def _swept(scenario: Scenario) -> Frontier | None:
    """Return the figures of the best sweep that there is."""
    key, store = _question(scenario), kept_for(scenario.data)
    lines = (store.find(key), store.find(("unproven", *key)), visit().store.find(("failing", *key)))
    return next((line for line in lines if line is not None), None)


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


def _wanted(scenario: Scenario) -> bool:
    """Return whether this session needs an answer to a scenario from another process."""
    known = _known(scenario)
    if is_slow(scenario):
        open_ = known is not None and known.status == CUT
        return known is None or (open_ and _name(scenario) not in visit().searched)
    if _name(scenario) in visit().searched:
        return False
    if known is None or known.status == CUT:
        known = _glance(scenario)
    return known.status == CUT


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
        visit().searched.discard(_name(scenario))
        forget(scenario)
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


def _name(scenario: Scenario) -> tuple[str, ...]:
    return answer_work(scenario).name


def _known(scenario: Scenario) -> Mechanism | None:
    return known_for(scenario.data).best(scenario, _joint(scenario))


def _question(scenario: Scenario) -> tuple[str, ...]:
    return ("sweep", repr(scenario).replace(f"eps={scenario.eps!r}", "eps=any", 1))
