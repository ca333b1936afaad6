"""The work on the lines of a frontier's chart: its progress, Cancel, and what goes on with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from core.errors import CoreError
from core.jobs import Job
from core.mechanisms import catalogue as mechanisms
from core.scenario import Scenario
from core.studies.frontier import Frontier
from core.validation import BoolArray
from core.wording import listed
from pages.ui import figures
from pages.ui.work import answers, progress
from pages.ui.work.long_answer import LongAnswer


def job(scenario: Scenario) -> Job[Frontier] | None:
    """Return the job at work on a line, begun if needed; None where there is none, or it failed."""
    try:
        return answers.sweeping(scenario)
    except CoreError:
        return None


def searches(scenario: Scenario) -> bool:
    """Return whether a line is of optima, each of which is searched for."""
    return mechanisms.entry(scenario.mechanism).optimum


def left_open(line: Frontier) -> BoolArray:
    """Return for each budget whether it has no answer, or visibly less than the bound."""
    return ~(line.most_nmi - line.nmi <= figures.BAND)


def falling(lines: Iterable[Frontier]) -> str:
    """Say which mechanisms' lines fall as ε grows, and why; "" where none does."""
    names = dict.fromkeys(
        mechanisms.entry(line.mechanism).title
        for line in lines
        if not mechanisms.entry(line.mechanism).monotone
        # least drop of what is kept, as a share, for which a line is said to fall
        and bool((np.diff(line.nmi[np.isfinite(line.nmi)]) < -1e-6).any())
    )
    if not names:
        return ""
    return (
        f"{listed(list(names))} can keep less at a larger ε: a larger budget changes their "
        "choices, and not always for the better."
    )


def follow(waiting: Sequence[Scenario], names: str, ready: int, every: int, key: str) -> None:
    """Show the progress of the awaited lines, until one more is ready or at a first glance."""
    open_ = [running for scenario in waiting if (running := job(scenario)) is not None]
    shown = [isinstance(work.progress, Frontier) for work in open_]

    def look() -> tuple[float, str] | None:
        if len(open_) != len(waiting) or any(work.finished for work in open_):
            return None
        if shown != [isinstance(work.progress, Frontier) for work in open_]:
            return None
        seconds = max(work.seconds_awaited for work in open_)
        # where a board has no room for all of it, the names at the end are cut
        many = f"{ready} of {every} lines ready, {seconds:.0f} s"
        far = many if every > 1 else f"{seconds:.0f} s"
        pale = "; pale: a quick estimate" if any(shown) else ""
        return ready / every, f"{far}{pale}. Computing {names}"

    progress.watched(look, key=key, on_cancel=lambda: each(waiting, LongAnswer.stop))


def each(scenarios: Sequence[Scenario], do: Callable[[LongAnswer[Frontier]], None]) -> None:
    """Stop the work on lines, start it again, or go on with more time for each budget."""
    for scenario in scenarios:
        do(answers.sweep_work(scenario))
