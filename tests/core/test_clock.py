"""The clock of all time limits: read at one place, replaced for a while, counted elsewhere too."""

import math
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from pathlib import Path

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.clock import NEVER, Deadline
from core.errors import TimeLimitError
from core.jobs import Pool
from core.joint import Joint
from core.notions import ALIP
from tests.core.jobs import calls

STEP = 2.0**-8


def test_tests_run_on_a_clock_that_counts():
    first, second = clock.now(), clock.now()
    assert second - first == clock.step() == STEP


def test_a_clock_is_replaced_while_a_block_runs_and_comes_back_after_an_error():
    outer = clock.now()
    with clock.using(clock.Ticking(0.25)):
        assert (clock.now(), clock.now(), clock.step()) == (0.25, 0.5, 0.25)
        with pytest.raises(ZeroDivisionError), clock.using(lambda: 1 / 0):
            clock.now()
        assert clock.now() == 0.75
    assert clock.now() - outer == clock.step() == STEP


def test_a_program_with_a_clock_of_its_own_is_limited_on_a_clock_that_measures():
    with clock.using(time.monotonic):
        assert clock.step() is None
        assert clock.elsewhere(3.0) == 3.0
        assert clock.elsewhere(-1.0) == clock.elsewhere(0.0) == 0.0
        with clock.ending():
            assert clock.elsewhere(3.0) == 3.0
    assert clock.elsewhere(1e-9) == math.inf
    assert clock.elsewhere(0.0) == 0.0


@pytest.mark.parametrize("ended", [nullcontext, clock.ending])
def test_seconds_of_the_processor_limit_a_program_as_those_that_pass(ended):
    with clock.using(time.process_time), ended():
        assert clock.step() is None
        assert clock.elsewhere(3.0) == 3.0
        assert clock.elsewhere(0.0) == 0.0


def test_a_step_that_would_end_late_does_not_begin():
    with clock.using(clock.Ticking(1.0)), clock.watching() as watch:
        pace, deadline = clock.Pace(), Deadline.after(14.0)  # until 15
        with pace.step(deadline):  # asked at 2, begun at 3
            assert [clock.now() for _ in range(4)] == [4.0, 5.0, 6.0, 7.0]  # over at 8, after 5 s
        with pace.step(deadline):  # at 9 six are left
            assert not watch.cut
        with pytest.raises(TimeLimitError), clock.using(lambda: 13.0), pace.step(Deadline(13.5)):
            raise AssertionError("It began.")
        assert watch.cut


def test_the_clock_of_a_worker_goes_slower_while_others_have_the_processor(monkeypatch):
    wall, work = 100.0, 7.0
    monkeypatch.setattr(time, "monotonic", lambda: wall)
    monkeypatch.setattr(time, "process_time", lambda: work)
    read, seen = clock.ProcessorTime(), []
    for passed, worked in ((2.0, 2.0), (4.0, 1.0), (40.0, 0.0), (2.0, 6.0)):
        wall, work = wall + passed, work + worked
        seen.append(read())
    # of the time that passes the work, but a quarter at least: 48 s passed, 9 s worked
    assert seen == [2.0, 3.0, 11.5, 12.0]
    assert clock.slowness() == 1.0
    with clock.using(read):
        assert clock.slowness() == 4.0
        assert clock.elsewhere(3.0) == 3.0
        assert clock.step() is None


def test_once_time_is_up_every_deadline_is_over_but_one_that_is_never_reached():
    with clock.using(clock.Ticking(0.5)), clock.ending() as end:
        begun = Deadline.after(1000.0)
        assert not begun.over
        assert clock.step() == 0.5
        end()
        assert begun.over
        assert begun.left == 0.0
        later = Deadline.after(1000.0)
        assert later.over
        assert later.part(0.5).over
        assert not NEVER.over
    with clock.using(time.monotonic), clock.ending():
        assert clock.step() is None


def test_a_deadline_tells_what_is_left_and_parts_of_it():
    with clock.using(clock.Ticking(1.0)):
        deadline = Deadline.after(8.0)  # asked at 1, over at 9
        assert deadline.at == 9.0
        assert deadline.left == 7.0  # at 2
        assert not deadline.over  # at 3
        assert deadline.part(0.5).at == 6.5  # at 4: half of 5
        assert deadline.earlier(2.0).at == 7.0
        assert [deadline.over for _ in range(5)] == [False] * 4 + [True]  # at 5 … 9
        assert deadline.left == 0.0  # at 10
        assert deadline.part(0.5).over


def test_a_deadline_is_measured_on_the_clock_of_the_block_that_asks():
    with clock.using(clock.Ticking(1.0)):
        first = Deadline.after(1.0)
    with clock.using(lambda: 5.0):
        assert first.over
        assert first.left == 0.0
        assert not Deadline.after(1e-9).over
    with clock.using(lambda: 0.0):
        assert first.left == first.at == 2.0
        assert Deadline.after(0.0).over


def test_what_may_take_for_ever_is_never_over():
    assert not NEVER.over
    assert NEVER.left == math.inf
    assert NEVER.part(0.25) == NEVER.earlier(60.0) == NEVER
    assert min(NEVER, Deadline(3.0)) == Deadline(3.0)


def test_a_watch_is_told_of_every_deadline_that_is_over_in_its_block_alone():
    with clock.using(clock.Ticking(1.0)), clock.watching() as whole:
        with clock.watching() as early:
            assert Deadline.after(9.0).left > 0
            assert not Deadline.after(9.0).over
        with clock.watching() as part:
            assert Deadline.after(9.0).part(0.01).over
        with clock.watching() as spent:
            assert Deadline.after(0.5).left == 0.0
        with clock.watching() as solver:
            clock.elsewhere(0.0)
        with suppress(ZeroDivisionError), clock.watching() as failing:
            clock.tell_cut()
            raise ZeroDivisionError
    cut = [item.cut for item in (early, part, spent, solver, failing, whole)]
    assert cut == [False, True, True, True, True, True]


def test_what_does_not_matter_after_all_is_not_told_further():
    with clock.watching() as whole:
        with clock.watching() as proof:
            clock.tell_cut()
            proof.cut = False
        assert not whole.cut
        clock.tell_cut()
    assert whole.cut


def test_another_thread_has_watches_of_its_own():
    with clock.watching() as here, ThreadPoolExecutor(1) as pool:
        pool.submit(clock.tell_cut).result()
    assert not here.cut


def test_no_room_of_core_computes_deadlines_by_itself():
    core = Path(clock.__file__).parent
    telling_time_taken = core / "jobs" / "job.py"
    age_of_files = core / "stored.py"
    for path in {*core.rglob("*.py")} - {core / "clock.py", telling_time_taken, age_of_files}:
        assert not re.search(r"\b(clock\.now|monotonic|time\.time)\b", path.read_text()), path


def test_workers_count_as_their_pool_does_each_call_from_0():
    with Pool(1) as pool:
        for _ in range(2):
            assert pool.submit(calls.readings, time_limit=1).result(600) == [STEP, 2 * STEP]
    with clock.using(time.monotonic), Pool(1) as pool:
        first, second = pool.submit(calls.readings, time_limit=600).result(600)
        assert second - first >= 0
        assert second - first != STEP


@pytest.mark.services
def test_the_clock_of_a_worker_goes_slower_while_it_has_nothing_to_do():
    with clock.using(time.monotonic), Pool(1) as pool:
        passed, counted = pool.submit(calls.idle, 0.4, time_limit=600).result(600)
    assert 0 < counted < passed


class Slow(clock.Ticking):
    """Counts as a machine does that others keep busy."""

    def __call__(self):
        time.sleep(0.003)
        return super().__call__()


@pytest.mark.parametrize("seconds", [0.05, 0.25])
def test_what_time_leaves_unproven_is_the_same_on_a_busy_machine(seconds):
    joint = Joint.random_uniform(10, 60, np.random.default_rng(0))
    result = []
    for made in (clock.Ticking, Slow):
        with clock.using(made(STEP)):
            result.append(m.optimal(joint, ALIP.from_lambda(1.0, 0.5), time_limit=seconds))
    np.testing.assert_array_equal(result[0].kernel, result[1].kernel)
    assert result[0].status == result[1].status == "time limit"
    assert result[0].upper_bound == result[1].upper_bound > result[0].utility
