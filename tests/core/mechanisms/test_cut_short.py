"""Whatever time cuts short says so: on no clock is less than the full answer told as all there is.

Clocks that count readings stand for machines that are slow throughout, and a stall after a few
readings for one that others keep busy for a moment: it ends a part of the time, not all of it.
"""

import numpy as np
import pytest

from core import clock
from core.errors import CoreError
from core.joint import Joint
from core.mechanisms import catalogue
from core.mechanisms.optima.frontier import frontier
from core.mechanisms.options import Options
from core.mechanisms.result import CUT
from core.notions import LIP, SRLIP
from core.notions import catalogue as notions
from core.notions.numbers import Numbers

SECONDS = 1.0
FULL = 2.0**-14
"""Seconds of a reading on the clock of the full answer: none of these takes so many readings."""
BUDGETS = (0.0, 0.1, 0.5, 1.0, 3.0, np.inf)
TOLERANCE = 1.1e-6
"""Two answers that are each proven up to the gap of 1e-6 may differ by it."""


class Stalling(clock.Ticking):
    """A quick clock that loses many seconds at one reading."""

    def __init__(self, at, seconds):
        super().__init__(FULL)
        self.at, self.seconds, self.count = at, seconds, 0

    def __call__(self):
        self.count += 1
        if self.count == self.at:
            self._time += self.seconds
        return super().__call__()


def slow_clocks():
    yield from (clock.Ticking(SECONDS / readings) for readings in (0.5, 7, 60))
    yield from (Stalling(at, part * SECONDS) for at, part in ((2, 0.12), (3, 0.3), (6, 0.6)))


def small_joint(rng, *, pairs, most=3):
    """Return a joint of small counts, in which zeros and equal columns are common."""
    n_s, n_x = (2, rng.integers(2, most + 1)) if pairs else (rng.integers(1, 4), rng.integers(1, 6))
    counts = rng.integers(0, 5, size=(n_s, n_x))
    counts[0] += 1
    if pairs:
        counts[1, 0] += 1
        return Joint.with_secret_released(counts)
    if rng.random() < 0.3:
        counts[:, -1] = counts[:, 0]
    return Joint.from_counts(counts)


def timed(entry):
    return "time_limit" in entry.parameters


PAIRS = [
    (key, item.key)
    for key, entry in catalogue.CATALOGUE.items()
    for item in notions.ALL
    if timed(entry) and entry.works_under(item.kind)
]


def made_on(read, key, joint, notion):
    """Return a mechanism made on a clock, or the error that there is instead."""
    with clock.using(read):
        try:
            return catalogue.build(key, joint, notion, Options(time_limit=SECONDS))
        except CoreError as error:
            return error


def same_or_cut(result, full):
    """Check what was made on a slow clock against what was made with all the time it takes."""
    if isinstance(full, CoreError) or isinstance(result, CoreError):
        assert type(result) is type(full), (result, full)
        return
    assert result.audit.holds
    assert result.utility <= full.upper_bound + 1e-9
    assert full.utility <= result.upper_bound + 1e-9
    if result.status != CUT:
        assert result.status == full.status
        assert result.utility == pytest.approx(full.utility, abs=TOLERANCE)
        assert result.upper_bound == pytest.approx(full.upper_bound, abs=TOLERANCE)


@pytest.mark.parametrize(("key", "of"), PAIRS)
def test_a_slow_machine_gives_the_full_answer_or_says_that_time_cut_it_short(key, of):
    rng = np.random.default_rng(PAIRS.index((key, of)))
    robust = "rldp" in of or "robust" in of
    slowest = of == "robust_ldp"  # half a minute for each answer about six pairs
    joint = small_joint(rng, pairs=robust, most=2 if slowest else 3)
    for eps in (0.5,) if robust else rng.choice(BUDGETS, 1):
        numbers = Numbers(eps=eps, eps_l=eps, eps_u=rng.choice(BUDGETS), bound=0.8)
        notion = notions.build(of, joint, numbers)
        if not catalogue.entry(key).works_under(notion):
            continue
        full = made_on(clock.Ticking(FULL), key, joint, notion)
        for read in slow_clocks():
            same_or_cut(made_on(read, key, joint, notion), full)


@pytest.mark.parametrize("key", ["srlip_product", "srlip_product_optimised"])
def test_a_product_whose_kernels_had_no_time_is_not_told_as_the_best_product(key):
    joint = Joint.random_uniform(2, 12, np.random.default_rng(1))
    notion = SRLIP(0.5, (2, 6))
    full = made_on(clock.Ticking(FULL), key, joint, notion)
    for at in (5, 8, 20):
        same_or_cut(made_on(Stalling(at, 0.3), key, joint, notion), full)
    assert made_on(Stalling(5, 0.3), "srlip_product", joint, notion).status == CUT


def test_every_mechanism_with_a_time_limit_says_when_it_had_none():
    joint = Joint.random_uniform(4, 9, np.random.default_rng(1))
    pairs = Joint.with_secret_released(joint.p[:, :3])
    reported = {}
    for key, entry in catalogue.CATALOGUE.items():
        if timed(entry):
            kinds = (("rldp", pairs), ("lip", joint), ("srlip", joint))
            of, data = next(
                item for item in kinds if entry.works_under(notions.entry(item[0]).kind)
            )
            notion = notions.build(of, data, Numbers(eps=0.1))
            reported[key] = made_on(clock.Ticking(1000.0), key, data, notion).status
    few_values = {key for key in reported if key.startswith("srlip_product")}  # they are enumerated
    assert {key for key, status in reported.items() if status != CUT} <= few_values, reported


def test_along_a_frontier_what_starts_from_an_answer_that_was_cut_says_so():
    joint = Joint.random_uniform(4, 9, np.random.default_rng(1))
    grid = [0.05, 0.1, 0.3]
    with clock.using(clock.Ticking(FULL)):
        full = frontier(joint, LIP, grid, time_limit=SECONDS)
    for read in slow_clocks():
        with clock.using(read):
            result = frontier(joint, LIP, grid, time_limit=SECONDS)
        for item, whole in zip(result, full, strict=True):
            same_or_cut(item, whole)
