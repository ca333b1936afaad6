"""What a question of thousands of symbols does after its time limit, and what it need not do."""

import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core import clock
from core.attributes import given_known
from core.clock import Deadline
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import MAX_ENTRIES, MAX_LEVELS
from core.measures import mutual_information
from core.mechanisms import conditional_reporting, optimal, optimal_reading_secret, subset_merging
from core.mechanisms.merging.subset_levels import slack
from core.mechanisms.merging.subset_merging import merge_high_risk
from core.mechanisms.optima import starts
from core.mechanisms.optima.starts import at_least
from core.mechanisms.options import Options
from core.mechanisms.outputs import in_reading_order, output_names
from core.mechanisms.polish import cleared
from core.mechanisms.result import make_mechanism
from core.notions import LDP, LIP, PointwiseDivergence
from core.optimal import solve
from core.optimal.columns.peeling import Peeling
from core.optimal.plan import SIZES
from core.optimal.solve import maximise
from core.utilities import Distortion


def large():
    rng = np.random.default_rng(3)
    return Joint.from_counts(rng.random((5, 300)))


def test_no_program_is_made_after_the_time_limit(monkeypatch):
    """At 5,000 symbols the first one takes a second, of which nothing would come."""
    joint, notion = large(), LDP(0.5)
    monkeypatch.setattr(solve, "too_large", lambda _: True)
    monkeypatch.setattr(solve, "LinearSearch", None)  # making one would end in an error
    kernel = 0.1 * np.eye(joint.n_x) + 0.9 / joint.n_x
    with clock.using(clock.Ticking(1.0)):
        result = maximise(
            notion.allowed_set(joint), joint.p_x, time_limit=0.5, start=lambda _: kernel
        )
    assert result.utility > 0
    assert np.array_equal(result.kernel, kernel)
    assert result.status == "time limit"


def test_a_known_mechanism_of_the_same_notion_is_not_audited_again(monkeypatch):
    joint, notion = large(), LDP(0.5)
    about = {"solver": "none", "status": "heuristic", "notion": notion}
    nothing = make_mechanism(joint, np.ones((joint.n_x, 1)), name="Optimal", **about)
    pairs = np.kron(np.eye(2), np.ones((joint.n_x // 2, 1)))
    known = make_mechanism(joint, pairs, name="Halves", **about)
    monkeypatch.setattr(starts, "make_mechanism", None)
    monkeypatch.setattr(starts, "disproves", None)
    made = at_least(joint, nothing, [known])
    assert (made.name, made.utility, made.notion) == ("Optimal", known.utility, notion)
    assert made.upper_bound == nothing.upper_bound
    assert made.gap == made.upper_bound - made.utility


def test_many_symbols_begin_with_a_mechanism_and_improve_it(monkeypatch):
    """P(X) as a whole is taken apart in ten seconds at 2,000 symbols, and is no answer before."""
    monkeypatch.setattr(solve, "SIZES", replace(solve.SIZES, peeled_alone=100, peeled_whole=100))
    monkeypatch.setattr(Peeling, "begin", None)  # a call would end in an error
    joint = Joint.from_counts(np.random.default_rng(3).random((5, 160)))
    with clock.using(clock.Ticking(2.0**-8)):
        result = optimal(joint, LDP(0.5), time_limit=1.0)
    assert result.audit.holds
    assert result.utility > subset_merging(joint, LDP(0.5)).utility > 0


def test_mechanisms_with_a_time_limit_share_that_of_a_search_for_many_symbols(monkeypatch):
    limits = []

    def entry(item):
        def make(joint, notion, options):
            limits.append(options.time_limit)
            return item.make(joint, notion, options)

        return replace(item, make=make) if "time_limit" in item.parameters else item

    monkeypatch.setattr(starts, "HEURISTICS", tuple(map(entry, starts.HEURISTICS)))
    joint = Joint.from_counts(np.random.default_rng(3).random((3, 20)))
    for large, most in ((10, 8.0), (500, None)):
        monkeypatch.setitem(vars(SIZES), "all_starts", large)
        limits.clear()
        with clock.using(clock.Ticking(2.0**-8)):
            starts.starts(joint, LDP(0.5), Options(), deadline=clock.Deadline.after(8.0))
        assert limits
        assert all(item is None if most is None else item < most for item in limits)


def test_the_slack_of_one_budget_is_that_of_many():
    for notion in (LDP(0.5), PointwiseDivergence(0.5)):
        many = slack(notion, np.array([0.0, 0.5, np.inf]))
        assert many.tolist() == [float(slack(notion, item)) for item in (0.0, 0.5, np.inf)]


PAIRED = Joint.from_counts(np.random.default_rng(5).random((3, 1500)))

PAIRS = np.kron(np.eye(PAIRED.n_x // 2), np.ones((2, 1)))
"""A kernel of 1500×750."""

PLAIN = {"solver": "none", "status": "heuristic", "notion": None}


@pytest.mark.parametrize(
    ("work", "kernels"),
    [
        # frozen, its joint P(x, y), and that normalized
        (lambda: make_mechanism(PAIRED, PAIRS, name="Pairs", **PLAIN), 3.0),
        (lambda: in_reading_order(PAIRED, PAIRS), 1.5),
        (lambda: cleared(PAIRED, PAIRS, LDP(9.0)), 0.5),
        (lambda: list(given_known(PAIRED, PAIRS, np.zeros(1500, dtype=np.int64))), 1.5),
    ],
    ids=["made", "named", "cleared", "given what is known"],
)
def test_little_memory_is_taken_beside_a_large_kernel(work, kernels):
    """At 5,000 symbols it has 200 MB: six copies of it were more than some machines have."""
    work()  # what is taken once for all is not counted
    tracemalloc.start()
    try:
        work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < kernels * PAIRS.nbytes


def test_outputs_looked_at_in_parts_are_in_the_order_of_all_together():
    rng = np.random.default_rng(8)
    joint = Joint.from_counts(rng.integers(1, 9, (2, 40)))
    kernel = rng.dirichlet(np.full(300, 0.02), 40)
    kernel, names = in_reading_order(joint, kernel[:, kernel.any(axis=0)])
    posterior = joint.p_x[:, None] * kernel
    posterior /= posterior.sum(axis=0)
    key = [(int(column.argmax()), -float(column.max())) for column in posterior.T]
    assert key == sorted(key)
    assert names == output_names(posterior, joint.x_labels)


def test_information_is_added_up_over_parts_of_the_outputs():
    rng = np.random.default_rng(9)
    p = rng.dirichlet(np.full(500, 0.05), 700) / 700
    p[:, 3] = 0.0  # an output that does not occur
    p /= p.sum()
    reported = np.where(p > 0, p, 1.0) / (
        p.sum(axis=1, keepdims=True) * np.maximum(p.sum(axis=0), 1e-9)
    )
    assert_allclose(mutual_information(p), (p * np.where(p > 0, np.log(reported), 0.0)).sum())
    both = mutual_information(np.stack([p, p[:, ::-1]]))
    assert_allclose(both, [mutual_information(p)] * 2)


@pytest.mark.parametrize("maker", [conditional_reporting, optimal_reading_secret])
def test_what_reads_the_secret_is_refused_where_its_matrix_would_be_too_large(maker):
    joint = Joint.from_counts(np.ones((10, 2_300)) + np.eye(10, 2_300))
    assert joint.n_s * joint.n_x**2 > MAX_ENTRIES
    with pytest.raises(InvalidInputError, match=r"each pair of S and X, 23,000, and 2,300 outputs"):
        maker(joint, notion=LDP(0.5))


def test_a_merging_does_not_keep_its_earlier_steps():
    """At 10,000 symbols they were .9 GB."""
    joint = Joint.random_dirichlet(4, 600, 1.0, np.random.default_rng(0))
    tracemalloc.start()
    try:
        merged = merge_high_risk(joint, LIP(0.25))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(merged.sets) > 100
    assert peak < 60 * joint.p.nbytes


@pytest.mark.slow
def test_the_most_symbols_are_merged_in_the_memory_of_two_kernels():
    joint = Joint.random_dirichlet(6, MAX_LEVELS, 1.0, np.random.default_rng(0))
    tracemalloc.start()
    try:
        made = subset_merging(joint, LIP(0.25))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.nmi > 0.8
    assert peak < 2 * made.kernel.nbytes


def test_starts_of_a_distance_end_by_the_deadline(monkeypatch):
    joint = Joint.from_counts(np.random.default_rng(3).random((3, 20)))
    apart = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    request = (joint, LDP(2.0), Options(), None, Distortion(apart))
    every = starts.starts(*request)
    monkeypatch.setitem(vars(SIZES), "direct_entries", 10)
    with clock.using(clock.Ticking(2.0**-8)):
        some = starts.starts(*request, clock.Deadline.after(2.0**-7))
    assert 0 < len(some) < len(every)


MEASURED = """
import resource
import numpy as np
from core import mechanisms as m
from core.joint import Joint
from core.notions import LIP, Average, EpsDelta
joint = Joint.random_dirichlet(6, 5000, 1.0, np.random.default_rng(0))
kept = m.optimal(joint, {notion}, time_limit=2.0).kept
print(kept, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""Prints what an optimum of 5,000 symbols keeps, and its peak memory in kilobytes."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "notion", ["LIP(0.5)", "EpsDelta(LIP(0.5), 0.02)", 'Average("maximal_leakage", 0.05)']
)
def test_five_thousand_symbols_take_less_than_half_of_a_gigabyte(notion):
    """Of the 1.5 GB that they may take; all of their outputs as columns would be two."""
    code = MEASURED.format(notion=notion)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    kept, kilobytes = done.stdout.split()
    assert float(kept) > 0.03
    assert int(kilobytes) < 500_000


def test_a_start_that_searches_keeps_the_deadline_of_hundreds_of_symbols(monkeypatch):
    """At 40×400 subset random response took two seconds after the limit of 5 s."""
    limits = []

    def made(joint, notion, options):
        limits.append(options.time_limit)
        return subset_merging(joint, notion)

    entry = next(item for item in starts.HEURISTICS if item.key == "subset_random_response")
    monkeypatch.setattr(starts, "HEURISTICS", (replace(entry, make=made),))
    for n_x in (SIZES.peeled_alone - 1, SIZES.peeled_alone):
        joint = Joint.random_dirichlet(3, n_x, 1.0, np.random.default_rng(0))
        with clock.using(clock.Ticking(0.01)):
            starts.starts(joint, LIP(0.5), Options(time_limit=5.0), deadline=Deadline.after(0.1))
    assert limits == [5.0, SIZES.start_seconds]
