import errno
import os
import signal
import threading
import time

import pytest

from core import clock
from core.errors import InvalidInputError, NoMemoryError, SolverError, TimeLimitError
from core.jobs import Pool, State
from core.jobs import pool as pool_module
from tests.core.jobs import calls

PATIENCE = 600.0
"""Seconds after which a test is given up, however busy the machine is."""


@pytest.fixture(scope="module")
def pool():
    with Pool(1) as made:
        yield made


def wait_until(job, state):
    deadline = time.monotonic() + PATIENCE
    while job.state != state and time.monotonic() < deadline:
        time.sleep(0.005)
    assert job.state == state


def test_a_job_returns_what_the_call_returns_and_keeps_its_last_progress(pool):
    job = pool.submit(calls.double, 21, time_limit=PATIENCE)
    assert job.result(PATIENCE) == 42
    assert (job.state, job.progress, job.finished) == (State.DONE, ("halfway", 21), True)
    assert 0 < job.seconds_of_work <= job.seconds < PATIENCE


def test_the_worker_stays_warm_between_jobs(pool):
    first = pool.submit(calls.process_id, time_limit=PATIENCE).result(PATIENCE)
    assert pool.submit(calls.process_id, time_limit=PATIENCE).result(PATIENCE) == first


def test_an_error_of_the_call_is_raised_as_it_is(pool):
    job = pool.submit(calls.fail, "eps must be at least 0, got -1.", time_limit=PATIENCE)
    with pytest.raises(InvalidInputError, match="eps must be at least 0, got -1"):
        job.result(PATIENCE)
    assert job.state == State.FAILED


def test_work_that_needs_too_much_memory_fails_with_a_sentence(pool):
    job = pool.submit(calls.take_all_memory, time_limit=PATIENCE)
    with pytest.raises(NoMemoryError, match="needs more memory than is available"):
        job.result(PATIENCE)


def test_cancelling_a_running_job_ends_its_process_and_the_next_job_runs(pool):
    job = pool.submit(calls.sleep, 6000, time_limit=PATIENCE * 2)
    wait_until(job, State.RUNNING)
    job.cancel()
    with pytest.raises(SolverError, match="canceled"):
        job.result(1)
    assert pool.submit(calls.double, 1, time_limit=PATIENCE).result(PATIENCE) == 2
    job.cancel()
    assert job.state == State.CANCELLED


def test_a_job_that_is_cancelled_in_line_never_runs(pool):
    running = pool.submit(calls.sleep, 6000, time_limit=PATIENCE * 2)
    waiting = pool.submit(calls.double, 1, time_limit=PATIENCE)
    assert (waiting.state, waiting.seconds, waiting.seconds_of_work) == (State.WAITING, 0, 0)
    waiting.cancel()
    running.cancel()
    assert pool.submit(calls.double, 2, time_limit=PATIENCE).result(PATIENCE) == 4
    assert (waiting.state, waiting.progress) == (State.CANCELLED, None)


def test_a_job_over_its_time_limit_is_ended(pool):
    with clock.using(time.monotonic):
        job = pool.submit(calls.sleep, 6000, time_limit=0.3)
        with pytest.raises(
            TimeLimitError, match=r"stopped after 0\.3 s, its time limit: try again"
        ):
            job.result(PATIENCE)
    assert job.state == State.FAILED


def test_a_worker_that_dies_fails_its_job_only(pool):
    with pytest.raises(SolverError, match="died"):
        pool.submit(calls.die, time_limit=PATIENCE).result(PATIENCE)
    assert pool.submit(calls.double, 3, time_limit=PATIENCE).result(PATIENCE) == 6


def test_work_whose_worker_is_killed_is_done_by_another(pool, tmp_path):
    mark = tmp_path / "first"
    job = pool.submit(calls.die_once, str(mark), time_limit=PATIENCE)
    assert job.result(PATIENCE) == "done"
    assert (job.state, job.progress) == (State.DONE, "second attempt")
    assert pool.submit(calls.process_id, time_limit=PATIENCE).result(PATIENCE) != int(
        mark.read_text()
    )


def test_a_worker_that_was_killed_at_rest_is_replaced(pool):
    first = pool.submit(calls.process_id, time_limit=PATIENCE).result(PATIENCE)
    os.kill(first, signal.SIGKILL)
    assert pool.submit(calls.process_id, time_limit=PATIENCE).result(PATIENCE) != first


def test_an_error_that_cannot_be_read_back_fails_its_job_only(pool):
    with pytest.raises(SolverError, match="could not be done in a worker"):
        pool.submit(calls.fail_oddly, time_limit=PATIENCE).result(PATIENCE)
    assert pool.submit(calls.double, 4, time_limit=PATIENCE).result(PATIENCE) == 8


def test_what_the_call_prints_does_not_get_into_the_answer(pool):
    assert pool.submit(calls.shout, time_limit=PATIENCE).result(PATIENCE) == "heard"


def test_an_answer_that_cannot_be_sent_is_an_error(pool):
    with pytest.raises(RuntimeError, match="cannot be sent"):
        pool.submit(calls.unsendable, time_limit=PATIENCE).result(PATIENCE)


def test_waiting_for_an_answer_can_run_out(pool):
    job = pool.submit(calls.sleep, 6000, time_limit=PATIENCE * 2)
    with pytest.raises(TimeoutError, match=r"not ended after 0\.01 s"):
        job.result(0.01)
    job.cancel()


def test_two_workers_run_at_once_and_a_third_job_waits():
    with Pool(2) as pool:
        jobs = [pool.submit(calls.sleep, 6000, time_limit=PATIENCE * 2) for _ in range(3)]
        wait_until(jobs[0], State.RUNNING)
        wait_until(jobs[1], State.RUNNING)
        assert jobs[2].state == State.WAITING
        for job in reversed(jobs):
            job.cancel()


@pytest.mark.parametrize("limit", [0, -1, float("nan")])
def test_a_time_limit_must_be_positive(limit):
    with Pool(1) as pool, pytest.raises(InvalidInputError, match="time_limit must be in"):
        pool.submit(calls.double, 1, time_limit=limit)


def test_workers_without_work_end_and_the_next_job_has_a_new_one():
    with Pool(2, rest=0.01) as resting:
        first = resting.submit(calls.process_id, time_limit=PATIENCE).result(PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while resting.workers and time.monotonic() < deadline:
            time.sleep(0.005)
        assert resting.workers == 0
        second = resting.submit(calls.process_id, time_limit=PATIENCE).result(PATIENCE)
        assert second != first


def test_reserved_workers_leave_the_others_to_long_work():
    with Pool(2, reserved=1) as pool:
        long = [pool.submit(calls.sleep, 6000, time_limit=PATIENCE * 2) for _ in range(2)]
        wait_until(long[0], State.RUNNING)
        urgent = pool.submit(calls.double, 5, time_limit=PATIENCE, owner="b", urgent=True)
        assert urgent.result(PATIENCE) == 10
        assert long[1].state == State.WAITING
        assert pool.ahead(long[1]) == 0
        for job in long:
            job.cancel()


def test_a_worker_that_cannot_be_begun_for_lack_of_memory_is_told_and_the_next_one_begins(
    monkeypatch,
):
    def no_thread(*_):
        raise RuntimeError("can't start new thread")

    with Pool(1) as pool:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", no_thread)
            job = pool.submit(calls.double, 1, time_limit=PATIENCE)
        with pytest.raises(NoMemoryError, match="Not enough memory to start"):
            job.result(0)
        assert pool.workers == 0
        assert pool.submit(calls.double, 2, time_limit=PATIENCE).result(PATIENCE) == 4


def test_a_process_that_cannot_be_started_ends_no_line(monkeypatch):
    started, begun = [], pool_module._start

    def start(niceness):
        started.append(niceness)
        if len(started) == 2:  # in place of the worker that dies below
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return begun(niceness)

    monkeypatch.setattr(pool_module, "_start", start)
    with Pool(1) as pool:
        with pytest.raises(SolverError, match="died"):
            pool.submit(calls.die, time_limit=PATIENCE).result(PATIENCE)
        assert pool.submit(calls.double, 3, time_limit=PATIENCE).result(PATIENCE) == 6
    assert len(started) > 2
