"""Results of the papers' experiments: those that come with the program, and those run live."""

from __future__ import annotations

from functools import cache
from typing import Any

from core.data.spec import DataSpec
from core.papers.catalogue import entry
from core.papers.results import Experiment, Run
from core.papers.running import perform, shipped
from pages.ui.work.long_answer import LongAnswer

LIMIT = 3_600.0
"""Seconds that an experiment may take."""


@cache
def full_run() -> Run | None:
    """Return the full run that comes with the program, if it has one."""
    return shipped()


def of_full_run(key: str) -> Experiment | None:
    """Return an experiment of the run that comes with the program; None where it has none."""
    run = full_run()
    if run is None:
        return None
    return next((one for one in run.experiments if one.key == key), None)


def again(key: str, *, quick: bool) -> LongAnswer[dict[str, Any]]:
    """Return the work of running an experiment here.

    Parameters
    ----------
    key : str
        Of the experiment.
    quick : bool
        Whether with fewer draws.
    """
    entry(key)
    how = "quick" if quick else "full"
    return LongAnswer(DataSpec(), ("paper", key, how), perform, lambda: (key, 0, quick), LIMIT)
