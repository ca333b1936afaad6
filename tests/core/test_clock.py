"""The clock of all time limits: read at one place, replaced for a while, counted elsewhere too."""

import math
import time

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.jobs import Pool
from core.joint import Joint
from core.notions import ALIP
from tests.core.jobs import calls

STEP = 2.0**-10


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
    assert clock.elsewhere(1e-9) == math.inf
    assert clock.elsewhere(0.0) == 0.0


def test_workers_count_as_their_pool_does_each_call_from_0():
    with Pool(1) as pool:
        for _ in range(2):
            assert pool.submit(calls.readings, time_limit=1).result(600) == [STEP, 2 * STEP]
    with clock.using(time.monotonic), Pool(1) as pool:
        first, second = pool.submit(calls.readings, time_limit=600).result(600)
        assert second - first >= 0
        assert second - first != STEP


class Slow(clock.Ticking):
    """Counts as a machine does that others keep busy."""

    def __call__(self):
        time.sleep(0.003)
        return super().__call__()


@pytest.mark.parametrize("seconds", [0.05, 0.25])
def test_what_time_leaves_unproven_is_the_same_on_a_busy_machine(seconds):
    joint = Joint.random_uniform(10, 60, np.random.default_rng(0))
    found = []
    for made in (clock.Ticking, Slow):
        with clock.using(made(STEP)):
            found.append(m.optimal(joint, ALIP.from_lambda(1.0, 0.5), time_limit=seconds))
    np.testing.assert_array_equal(found[0].kernel, found[1].kernel)
    assert found[0].status == found[1].status == "time limit"
    assert found[0].upper_bound == found[1].upper_bound > found[0].utility
