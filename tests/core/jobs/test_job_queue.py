import threading
import time

import pytest

from core.jobs.job import Call, Job, JobQueue


def call(owner, *, urgent=False):
    return Call(Job(1.0), b"", owner, urgent)


def test_a_wait_counts_from_when_it_was_asked_for(monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    job = Job(1.0)
    now = 112.0
    assert (job.seconds, job.seconds_awaited) == (0, 12)


def test_owners_take_turns_however_much_one_of_them_asks_first():
    queue = JobQueue(general=1)
    greedy = [call("a") for _ in range(4)]
    late = [call("b"), call("c")]
    for item in [*greedy, *late]:
        queue.put(item)
    taken = []
    for _ in range(6):
        taken.append(queue.take(reserved=False))
        queue.done(taken[-1])
    assert taken == [greedy[0], late[0], late[1], *greedy[1:]]


def test_who_has_work_under_way_comes_behind_who_has_none():
    queue = JobQueue(general=2)
    first, second, other = call("a"), call("a"), call("b")
    queue.put(first)
    assert queue.take(reserved=False) is first
    queue.put(second)
    queue.put(other)
    assert queue.take(reserved=False) is other
    queue.done(other)
    assert queue.take(reserved=False) is second


def test_urgent_jobs_come_first_and_reserved_workers_take_no_others():
    queue = JobQueue(general=1, reserved=1)
    study, answer = call("a"), call("a", urgent=True)
    assert queue.put(study) is False  # a general worker starts for it
    assert queue.put(answer) is True
    assert queue.workers == 2
    assert queue.take(reserved=True) is answer
    assert queue.take(reserved=True, rest=0.0) is None  # it ends: the study is not for it
    assert queue.workers == 1
    assert queue.take(reserved=False) is study


def test_an_idle_reserved_worker_is_left_the_urgent_job_so_that_the_other_takes_the_rest():
    queue = JobQueue(general=1, reserved=1)
    queue._idle.update({True: 1, False: 1})
    answer, study = call("a", urgent=True), call("a")
    assert [queue.put(answer), queue.put(study)] == [None, None]
    assert queue.take(reserved=False) is study
    assert queue.take(reserved=True) is answer


def test_no_more_workers_start_than_there_may_be_and_none_where_one_is_idle():
    queue = JobQueue(general=1, reserved=1)
    assert [queue.put(call("a")) for _ in range(2)] == [False, None]
    assert [queue.put(call("a", urgent=True)) for _ in range(2)] == [True, None]

    idle = JobQueue(general=2)
    first, second = call("a"), call("a")
    assert idle.put(first) is False
    assert idle.take(reserved=False) is first
    idle.done(first)
    taken = []
    worker = threading.Thread(target=lambda: taken.append(idle.take(reserved=False)))
    worker.start()
    while not idle._idle[False]:
        time.sleep(0.001)
    assert idle.put(second) is None
    worker.join()
    assert taken == [second]


def test_a_worker_without_work_ends_and_another_starts_for_the_next_job():
    queue = JobQueue(general=1)
    first, second = call("a"), call("a")
    assert queue.put(first) is False
    assert queue.take(reserved=False) is first
    queue.done(first)
    assert queue.take(reserved=False, rest=0.0) is None
    assert queue.workers == 0
    assert queue.put(second) is False


def test_a_job_that_is_cancelled_in_line_is_passed_over():
    queue = JobQueue(general=1)
    gone, stays = call("a"), call("a")
    queue.put(gone)
    queue.put(stays)
    gone.job.cancel()
    assert queue.ahead(stays.job) == 0
    assert queue.take(reserved=False) is stays


def test_the_place_in_line_is_how_many_are_taken_before():
    queue = JobQueue(general=1)
    calls = [call("a"), call("a"), call("a"), call("b"), call("a", urgent=True)]
    for item in calls:
        queue.put(item)
    places = {item: queue.ahead(item.job) for item in calls}
    for place in range(5):
        taken = queue.take(reserved=False)
        assert places[taken] == place
    assert queue.ahead(calls[0].job) == 0  # it is no longer waiting


def test_a_closed_line_is_emptied_and_lets_its_workers_go():
    queue = JobQueue(general=1)
    queue.put(item := call("a"))
    queue.close()
    assert queue.take(reserved=False) is item
    queue.done(item)
    assert queue.take(reserved=False) is None
    assert queue.workers == 0
    queue.reopen()
    assert queue.put(call("a")) is False


def test_who_asks_for_one_thing_after_another_does_not_keep_those_waiting_who_had_a_turn():
    queue = JobQueue(general=1)
    queue.put(before := call("b"))
    assert queue.take(reserved=False) is before
    queue.put(waiting := call("b"))
    queue.done(before)
    for _ in range(2):
        queue.put(call("a"))
        taken = queue.take(reserved=False)
        queue.done(taken)
        if taken is waiting:
            return
    pytest.fail("an owner was kept waiting by another's later jobs")
