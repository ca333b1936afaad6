"""The work on the lines of a frontier's chart: its progress, Cancel, and what goes on with it."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import CoreError
from core.jobs import Job
from core.scenario import Scenario
from core.studies.frontier import Frontier
from core.validation import BoolArray
from pages.ui import figures
from pages.ui.work import answers, progress


def job(asked: Scenario) -> Job[Frontier] | None:
    """Return the job at work on a line, begun if needed; None where there is none, or it failed."""
    try:
        return answers.sweeping(asked)
    except CoreError:
        return None


def left_open(line: Frontier) -> BoolArray:
    """Say of each budget whether it has no answer, or visibly less than may be reached."""
    return ~(line.most_nmi - line.nmi <= figures.BAND)


def follow(waiting: Sequence[Scenario], names: str, ready: int, every: int, key: str) -> None:
    """Show the progress of the lines that are waited for, until one more is ready."""
    open_ = [found for one in waiting if (found := job(one)) is not None]

    def look() -> tuple[float, str] | None:
        if len(open_) != len(waiting) or any(one.finished for one in open_):
            return None
        seconds = max(one.seconds_awaited for one in open_)
        said = f"{ready} of {every} lines ready. Computing for {seconds:.0f} s: {names}"
        return ready / every, said

    progress.watched(look, key=key, on_cancel=stop, args=tuple(waiting))


def stop(*asked: Scenario) -> None:
    for one in asked:
        answers.sweep_work(one).stop()


def resume(*asked: Scenario) -> None:
    for one in asked:
        answers.sweep_work(one).resume()


def search_on(*asked: Scenario) -> None:
    """Have lines worked out anew, with longer for each of their budgets."""
    for one in asked:
        answers.sweep_work(one).search_on()
