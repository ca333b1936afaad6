import threading
import time

import pytest

from core.jobs.job import Job
from core.jobs.line import Call, Line


def call(owner, *, urgent=False):
    return Call(Job(1.0), b"", owner, urgent)


def test_owners_take_turns_however_much_one_of_them_asks_first():
    line = Line(general=1)
    greedy = [call("a") for _ in range(4)]
    late = [call("b"), call("c")]
    for one in [*greedy, *late]:
        line.put(one)
    taken = []
    for _ in range(6):
        taken.append(line.take(reserved=False))
        line.done(taken[-1])
    assert taken == [greedy[0], late[0], late[1], *greedy[1:]]


def test_who_has_work_under_way_comes_behind_who_has_none():
    line = Line(general=2)
    first, second, other = call("a"), call("a"), call("b")
    line.put(first)
    assert line.take(reserved=False) is first
    line.put(second)
    line.put(other)
    assert line.take(reserved=False) is other
    line.done(other)
    assert line.take(reserved=False) is second


def test_urgent_jobs_come_first_and_reserved_workers_take_no_others():
    line = Line(general=1, reserved=1)
    study, answer = call("a"), call("a", urgent=True)
    assert line.put(study) is False  # a general worker starts for it
    assert line.put(answer) is True
    assert line.workers == 2
    assert line.take(reserved=True) is answer
    assert line.take(reserved=True, rest=0.0) is None  # it ends: the study is not for it
    assert line.workers == 1
    assert line.take(reserved=False) is study


def test_no_more_workers_start_than_there_may_be_and_none_where_one_is_idle():
    line = Line(general=1, reserved=1)
    assert [line.put(call("a")) for _ in range(2)] == [False, None]
    assert [line.put(call("a", urgent=True)) for _ in range(2)] == [True, None]

    idle = Line(general=2)
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
    line = Line(general=1)
    first, second = call("a"), call("a")
    assert line.put(first) is False
    assert line.take(reserved=False) is first
    line.done(first)
    assert line.take(reserved=False, rest=0.0) is None
    assert line.workers == 0
    assert line.put(second) is False


def test_a_job_that_is_cancelled_in_line_is_passed_over():
    line = Line(general=1)
    gone, stays = call("a"), call("a")
    line.put(gone)
    line.put(stays)
    gone.job.cancel()
    assert line.ahead(stays.job) == 0
    assert line.take(reserved=False) is stays


def test_the_place_in_line_is_how_many_are_taken_before():
    line = Line(general=1)
    calls = [call("a"), call("a"), call("a"), call("b"), call("a", urgent=True)]
    for one in calls:
        line.put(one)
    places = {one: line.ahead(one.job) for one in calls}
    for place in range(5):
        taken = line.take(reserved=False)
        assert places[taken] == place
    assert line.ahead(calls[0].job) == 0  # it is no longer in line


def test_a_closed_line_is_emptied_and_lets_its_workers_go():
    line = Line(general=1)
    line.put(one := call("a"))
    line.close()
    assert line.take(reserved=False) is one
    line.done(one)
    assert line.take(reserved=False) is None
    assert line.workers == 0
    line.reopen()
    assert line.put(call("a")) is False


def test_who_asks_for_one_thing_after_another_does_not_keep_those_waiting_who_had_a_turn():
    line = Line(general=1)
    line.put(before := call("b"))
    assert line.take(reserved=False) is before
    line.put(waiting := call("b"))
    line.done(before)
    for _ in range(2):
        line.put(call("a"))
        taken = line.take(reserved=False)
        line.done(taken)
        if taken is waiting:
            return
    pytest.fail("an owner was kept waiting by another's later jobs")
