"""Sweeps of 10⁴ points in processes and on a Dask cluster of this machine, against a plain loop.

Run with `python -m benchmarks.sweep` (about five minutes), or smaller: `… --draws 100`.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from core.data import count
from core.jobs import Pool
from core.scenario import Scenario, answer
from core.sweep import Draws, PoolWorkers, Results, Sweep, Workers, read, run
from core.sweep.cluster import ClusterWorkers
from core.sweep.definition import measured_values

BUDGETS = tuple(np.linspace(0.5, 4.0, 10).tolist())


def points(draws: int) -> Sweep:
    """Return a sweep of ten budgets under which each point takes two milliseconds."""
    scenario = Scenario(notion="lip", mechanism="grr")
    return Sweep(scenario, (("eps", BUDGETS),), draws=Draws(draws, 5, 17))


def merging(draws: int) -> Sweep:
    """Return a sweep of 32 budgets and both mechanisms that are computed at once."""
    return Sweep(
        Scenario(notion="alip"),
        (
            ("mechanism", ("watchdog", "subset_merging")),
            ("eps", tuple((np.arange(1, 33) / 4).tolist())),
        ),
        draws=Draws(draws, 5, 17),
    )


def plain(sweep: Sweep) -> np.ndarray:
    """Return what is kept at each point, in a loop that keeps nothing else."""
    kept = []
    for question in sweep.questions:
        for number in range(sweep.n_draws):
            result = answer(question, count(sweep.draws.spec(number)))
            kept.append(measured_values(result, sweep.measures, question.numbers)["kept"])
    return np.array(kept)


@contextmanager
def processes(number: int) -> Iterator[Workers]:
    with Pool(number) as pool:
        yield PoolWorkers(pool)


@contextmanager
def dask(number: int) -> Iterator[Workers]:
    from distributed import LocalCluster

    settings = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=number, **settings) as cluster,
        ClusterWorkers(cluster.scheduler_address) as workers,
    ):
        yield workers


def processor() -> float:
    """Return the processor seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def timed(sweep: Sweep, start, number: int, expected: np.ndarray) -> tuple[float, float]:
    """Return the seconds of the points alone, and the processor seconds of all.

    Starting workers takes seconds however many points there are: the first leaves it out, from
    the second the caller subtracts a sweep of few points.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.parquet"
        before = processor()
        with Results(sweep, out) as results, start(number) as workers:
            warm(sweep, workers, Path(folder))
            begun = time.perf_counter()
            ended = run(sweep, results, workers)
            seconds = time.perf_counter() - begun
        assert ended.done == sweep.size
        np.testing.assert_allclose(read(out)[0]["kept"].to_numpy(), expected, rtol=0, atol=1e-12)
    return seconds, processor() - before


def warm(sweep: Sweep, workers: Workers, folder: Path) -> None:
    """Let every worker import what it needs."""
    few = Sweep(sweep.scenario, sweep.vary, draws=Draws(2, 5, 17, seed=1))
    with Results(few, folder / "few.parquet") as results:
        run(few, results, workers)


def table(draws: int, joints: int) -> str:
    """Return the tables in Markdown."""
    sweep = points(draws)
    begun, before = time.perf_counter(), processor()
    expected = plain(sweep)
    alone, used = time.perf_counter() - begun, processor() - before
    rows = [f"| a plain loop | {alone:.1f} | {alone / sweep.size * 1e3:.2f} | {used:.1f} | |"]
    for name, start in (("processes", processes), ("Dask", dask)):
        for number in (1, 2):
            empty = timed(points(1), start, number, expected[::draws][:10])[1]
            seconds, total = timed(sweep, start, number, expected)
            more = (total - empty - used) / sweep.size * 1e3
            rows.append(
                f"| {name}, {number} | {seconds:.1f} | {seconds / sweep.size * 1e3:.2f} "
                f"| {total - empty:.1f} | {more:+.2f} |"
            )
    many = merging(joints)
    with tempfile.TemporaryDirectory() as folder, processes(1) as workers:
        warm(many, workers, Path(folder))
        begun = time.perf_counter()
        with Results(many, Path(folder) / "out.parquet") as results:
            run(many, results, workers)
        seconds = time.perf_counter() - begun
    return "\n".join(
        [
            f"{sweep.size:,} points (generalised randomised response under LIP, 5×17, "
            f"{len(sweep.measures)} measures each, written to Parquet):",
            "",
            "| workers | s | ms a point | processor s | more than the loop, ms a point |",
            "|---|---|---|---|---|",
            *rows,
            "",
            f"{many.size:,} points ({many.described}, 5×17, ALIP), {len(many.measures)} measures "
            f"each, on one process: {seconds:.1f} s, {seconds / many.size * 1e3:.2f} ms a point.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000, help="joints, each at ten budgets")
    parser.add_argument("--joints", type=int, default=1000, help="joints of the merging sweep")
    options = parser.parse_args()
    print(table(options.draws, options.joints))


if __name__ == "__main__":
    main()
