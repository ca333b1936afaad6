"""Run experiments, each in a process of its own, and keep what they find as they end."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date
from pathlib import Path
from typing import Any

from core import clock
from core.errors import CoreError, InvalidInputError
from core.jobs import Job, Pool
from core.papers.catalogue import EXPERIMENTS, entry
from core.papers.experiment import Definition
from core.papers.results import Experiment, Run
from core.records.certificate import PACKAGE_VERSION, code_hash
from core.records.files import held, replacing
from core.validation import shown

SHIPPED = Path(__file__).parent / "shipped.json"
"""The results of a full run that come with the program."""

Report = Callable[[str, str], None]
"""Is called with an experiment's key and what there is to say of it."""


def perform(key: str, seed: int, quick: bool, *, report: Callable[[Any], None]) -> dict[str, Any]:
    """Run one experiment and return its JSON form: what a worker does.

    Time limits of searches are of this process's own time: on a busy machine they find the same.

    Parameters
    ----------
    key : str
        Key of the experiment.
    seed, quick, report
        As in `core.papers.experiment.Setting`.
    """
    own = clock.using(time.process_time) if clock.step() is None else nullcontext()
    with own:
        return entry(key).perform(seed, quick=quick, report=report).to_dict()


def run(
    experiments: Sequence[Definition],
    folder: Path | None = None,
    *,
    seed: int = 0,
    quick: bool = False,
    jobs: int = 1,
    report: Report = lambda _key, _words: None,
) -> Run:
    """Run experiments and return their results.

    Parameters
    ----------
    experiments : sequence of Definition
        What to run.
    folder : Path, optional
        Where each is kept as it ends, as KEY.json. What is there already, of the same seed, code
        and number of draws, is not run again.
    seed : int
        Seed of all draws.
    quick : bool
        Whether to take fewer draws.
    jobs : int
        How many run at once.
    report : callable
        Is called when an experiment is kept, moves on, ends or fails.

    Raises
    ------
    InvalidInputError
        If the folder cannot be written, or another run is writing it.
    """
    with _keeping(folder, seed, quick) as store:
        return gathered(_completed(experiments, store, jobs, report), seed, quick=quick)


def _completed(
    experiments: Sequence[Definition], store: _Store, jobs: int, report: Report
) -> dict[str, Experiment | None]:
    """Return experiments by key, kept or run; None for one that failed."""
    result = {experiment.key: store.read(experiment.key, report) for experiment in experiments}
    waiting = [experiment.key for experiment in experiments if result[experiment.key] is None]
    # the longest first: none runs alone at the end
    waiting.sort(key=lambda key: -entry(key).seconds)
    with Pool(jobs) as pool:
        out = {
            key: pool.submit(perform, key, store.seed, store.quick, time_limit=4 * 3600.0)
            for key in waiting
        }
        try:
            for key, experiment in _ended(out, report):
                result[key] = experiment
                store.write(experiment)
        except BaseException:
            pool.kill()
            raise
    return result


def gathered(results: dict[str, Experiment | None], seed: int, *, quick: bool) -> Run:
    """Return the run of some experiments, with those that have no result as missing."""
    return Run(
        version=PACKAGE_VERSION,
        date=date.today().isoformat(),
        machine=machine(),
        seed=seed,
        quick=quick,
        experiments=tuple(experiment for experiment in results.values() if experiment is not None),
        missing=tuple(
            experiment.key for experiment in EXPERIMENTS if results.get(experiment.key) is None
        ),
    )


def machine() -> str:
    """Return how many cores this machine has, and of what kind; nothing that names it."""
    cores = os.cpu_count() or 1
    kind = platform.machine() or "unknown"
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                kind = line.partition(":")[2].strip()
                break
    except OSError:  # pragma: no cover - macOS and Windows have no such file
        pass
    return f"{cores} {'core' if cores == 1 else 'cores'}, {kind}"


def shipped() -> Run | None:
    """Return the results of the full run that comes with the program, if it has one."""
    if not SHIPPED.exists():
        return None
    return Run.from_json(SHIPPED.read_text(encoding="utf-8"))


def _ended(out: dict[str, Job[dict[str, Any]]], report: Report) -> Any:
    """Yield experiments as they end, and report how those under way move on."""
    moved: dict[str, Any] = {}
    while out:
        next(iter(out.values())).wait(0.05)
        for key, job in list(out.items()):
            if isinstance(job.progress, tuple) and job.progress != moved.get(key):
                moved[key] = job.progress
                report(key, "{} of {}".format(*job.progress))
            if not job.finished:
                continue
            del out[key]
            try:
                experiment = Experiment.from_dict(job.result())
            except Exception as error:  # one that fails must not end the others
                kind = "" if isinstance(error, CoreError) else f"{type(error).__name__}: "
                report(key, f"failed: {kind}{error}")
                continue
            yield key, experiment
            report(key, f"done in {experiment.seconds:.0f} s")  # once it is kept


class _Store:
    """What is on the disk of a run; nothing where there is no folder."""

    def __init__(self, folder: Path | None, seed: int, quick: bool) -> None:
        self._folder, self.seed, self.quick = folder, seed, quick
        self._of = {"seed": seed, "quick": quick, "code": code_hash()}

    def read(self, key: str, report: Report) -> Experiment | None:
        """Return an experiment that this run has kept; report what is done with its file."""
        path = None if self._folder is None else self._folder / f"{key}.json"
        if path is None or not path.exists():
            return None
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if {name: stored[name] for name in self._of} != self._of:
                report(key, "kept from another seed, version or number of draws: running it again")
                return None
            experiment = Experiment.from_dict(stored["experiment"])
            if experiment.key != key:
                raise InvalidInputError(f"It is {shown(experiment.key)}.")
        except (OSError, ValueError, KeyError, TypeError, RecursionError, InvalidInputError):
            report(key, f"{str(path)!r} is damaged: running it again")
            return None
        report(key, "kept from an earlier run")
        return experiment

    def write(self, experiment: Experiment) -> None:
        if self._folder is None:
            return
        with replacing([self._folder / f"{experiment.key}.json"]) as (fresh,):
            text = json.dumps(self._of | {"experiment": experiment.to_dict()}, ensure_ascii=False)
            fresh.write_text(text, encoding="utf-8")


@contextmanager
def _keeping(folder: Path | None, seed: int, quick: bool) -> Iterator[_Store]:
    """Yield what keeps experiments in a folder that no other run writes to."""
    with nullcontext() if folder is None else held(folder):
        yield _Store(folder, seed, quick)
