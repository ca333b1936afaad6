import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from core.data import DataSpec, count
from core.errors import InvalidInputError
from core.jobs import Pool
from core.scenario import Scenario
from core.sweep import PoolWorkers, Results, Sweep, counts_hash, run
from core.sweep.points import chunks
from tests.core.sweep.makers import SWEEP, Here, bits

PATIENCE = 600.0


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "out.parquet"
    with Results(SWEEP, out) as results:
        reported = []
        ended = run(SWEEP, results, Here(), progress=reported.append)
    assert (ended.done, ended.lost, ended.reason) == (48, 0, "")
    assert reported == sorted(reported)
    assert reported[-1] == 48
    return out


def test_two_processes_give_the_same_bits(whole, tmp_path):
    out = tmp_path / "out.parquet"
    with Results(SWEEP, out) as results, Pool(2) as pool:
        assert run(SWEEP, results, PoolWorkers(pool)).done == 48
    assert bits(out) == bits(whole)


class Hasty:
    """A job that ends between two looks at it."""

    def __init__(self):
        self.looks = 0

    @property
    def finished(self):
        self.looks += 1
        return self.looks > 1

    def wait(self, timeout):  # noqa: ARG002 — as a job's
        return False

    def result(self):
        return "its points"


class HastyPool:
    size = 1

    def submit(self, *_, **__):
        return Hasty()


def test_a_job_that_ends_while_it_is_looked_at_is_not_lost():
    workers = PoolWorkers(HastyPool())
    workers.submit(next(chunks(SWEEP)))
    result = workers.finished() + workers.finished()
    assert [outcome for _, outcome in result] == ["its points"]


def test_a_worker_that_dies_costs_its_chunk_and_resuming_makes_up_for_it(whole, tmp_path):
    out = tmp_path / "out.parquet"
    with Results(SWEEP, out) as results:
        ended = run(SWEEP, results, Here(failing={4}))
        assert (ended.done, ended.lost) == (47, 1)
        assert "died" in ended.reason
        assert not results.complete
    second = Here()
    with Results(SWEEP, out, resume=True) as results:
        assert run(SWEEP, results, second).done == 48
    assert second.computed == [4]
    assert bits(out) == bits(whole)


def test_a_stopped_run_keeps_what_it_has_and_takes_the_rest_back(whole, tmp_path):
    out = tmp_path / "out.parquet"
    first = Here(room=5)
    with Results(SWEEP, out) as results:
        ended = run(SWEEP, results, first, stopped=lambda: len(first.computed) >= 7)
        done = results.count
        assert ended.done == done < 48
    assert first.cancelled > 0
    second = Here()
    with Results(SWEEP, out, resume=True) as results:
        assert results.count == done
        run(SWEEP, results, second)
    assert not set(first.computed) & set(second.computed)
    assert bits(out) == bits(whole)


def test_an_interrupt_leaves_what_has_been_computed(whole, tmp_path):
    out = tmp_path / "out.parquet"

    def interrupt(done):
        if done > 30:
            raise KeyboardInterrupt

    with Results(SWEEP, out) as results, pytest.raises(KeyboardInterrupt):
        run(SWEEP, results, Here(), progress=interrupt)
    with Results(SWEEP, out, resume=True) as results:
        assert results.count > 30
        run(SWEEP, results, Here())
    assert bits(out) == bits(whole)


def test_complete_results_ask_nothing_again(whole):
    workers = Here()
    with Results(SWEEP, whole) as results:
        assert run(SWEEP, results, workers).done == 48
    assert workers.computed == []


def test_processes_that_are_killed_are_replaced(whole, tmp_path):
    out = tmp_path / "out.parquet"
    killed = []

    def kill_one(done):
        if not killed and done < 48:
            for process in list(pool._processes)[:1]:
                os.kill(process.pid, signal.SIGKILL)
                killed.append(process.pid)

    with Results(SWEEP, out) as results, Pool(2) as pool:
        assert run(SWEEP, results, PoolWorkers(pool), progress=kill_one).done == 48
    assert len(killed) == 1
    assert bits(out) == bits(whole)


def test_stopping_ends_the_jobs_of_a_pool(tmp_path):
    with Results(SWEEP, tmp_path / "out.parquet") as results, Pool(1) as pool:
        ended = run(SWEEP, results, PoolWorkers(pool, "me"), stopped=lambda: results.count > 0)
        assert 0 < ended.done < 48
        other = pool.submit(compute_nothing, time_limit=PATIENCE)
        assert other.result(PATIENCE) == 0


def compute_nothing(*, report):
    report(0)
    return 0


def test_data_sets_are_counted_once_before_the_start(tmp_path):
    data = (DataSpec(), DataSpec("german_credit", ("credit",), ("none",)))
    sweep = Sweep(Scenario(mechanism="watchdog"), (("data", data),))
    workers = Here()
    with Results(sweep, tmp_path / "out.parquet") as results:
        with pytest.raises(InvalidInputError, match="none"):
            run(sweep, results, workers)
        assert workers.computed == []
    good = Sweep(Scenario(mechanism="watchdog"), (("data", data[:1]), ("eps", (0.5, 1.0))))
    with Results(good, tmp_path / "good.parquet") as results:
        assert run(good, results, Here(), counted={data[0]: count(data[0])}).done == 2


def test_counts_are_told_apart_by_all_that_an_answer_may_depend_on():
    spec, task = DataSpec(), DataSpec(task=("income",))
    result = count(spec)
    reported = counts_hash({spec: result})
    assert reported == counts_hash({spec: count(spec)})
    others = [
        {spec: replace(result, joint=replace(result.joint, n=result.joint.n + 1))},
        {spec: replace(result, x_values=np.arange(result.joint.n_x, dtype=float))},
        {task: count(task)},
        {spec: result, task: count(task)},
    ]
    assert len({reported, *map(counts_hash, others)}) == 5
    both = {spec: result, task: count(task)}
    assert counts_hash(both) == counts_hash(dict(reversed(both.items())))


def test_counts_do_not_tell_the_hash_of_the_file_that_they_are_of():
    result = count(DataSpec())
    item, other = DataSpec("upload:" + "ab" * 32), DataSpec("upload:" + "cd" * 32)
    assert counts_hash({item: result}) == counts_hash({other: result})
