"""The entries of large kernels: what is computed from them is what all cells give."""

import gc
import pickle
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from core import entries, stored
from core.entries import Entries, entries_of
from core.joint import Joint
from core.measures import mutual_information
from core.measures.average import information_of_entries
from core.mechanisms import optimal
from core.mechanisms.merging.partition import merged_labels
from core.mechanisms.optima import search
from core.mechanisms.outputs import reading_order
from core.mechanisms.polish import cleared
from core.mechanisms.result import changed, make_mechanism
from core.notions import LIP
from core.optimal.utility import Greatest, Likeliest, MutualInformation
from core.utilities import Guess, Information


@pytest.fixture
def small(monkeypatch):
    """Look for entries in kernels of any size."""
    monkeypatch.setattr(entries, "LARGE", 1)


def kernel_of(n_x=40, n_y=30, order="C", seed=0):
    """Return a kernel with few entries, an output that never occurs, and one of rounding."""
    rng = np.random.default_rng(seed)
    kernel = np.zeros((n_x, n_y), order=order)
    for x in range(n_x):
        kernel[x, rng.choice(n_y - 2, 3, replace=False)] = rng.dirichlet(np.ones(3))
    kernel[0, -1] = 1e-16
    return kernel


def made(kernel, notion=None):
    """Return a mechanism of a kernel, and its joint."""
    joint = Joint.random_dirichlet(3, len(kernel), 1.0, np.random.default_rng(5))
    labels = {"name": "By hand", "solver": "none", "status": "heuristic", "notion": notion}
    return joint, make_mechanism(joint, kernel, **labels)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.usefixtures("small")
def test_entries_give_all_cells_back(order):
    kernel = kernel_of(order=order)
    few = entries_of(kernel)
    assert few.by_columns == (order == "F")
    again = few.dense()
    assert np.array_equal(again, kernel)
    assert again.flags.f_contiguous == kernel.flags.f_contiguous
    assert not again.flags.writeable
    x, y = few.places()
    assert np.array_equal(kernel[x, y], few.values)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.usefixtures("small")
def test_a_release_is_computed_from_entries(order):
    joint = Joint.random_dirichlet(3, 40, 1.0, np.random.default_rng(5))
    kernel = kernel_of(order=order)
    released = joint.release(entries_of(kernel).dense())
    assert_allclose(released, joint.p @ kernel, rtol=1e-12, atol=1e-17)


def test_cells_that_hold_no_entry_take_no_memory():
    """At 6×10000 three kernels of 7,000 outputs took 1.8 of 3.4 s, and 1.2 GB."""
    few = Entries((2000, 1000), np.arange(2000) * 1001 % 2_000_000, np.ones(2000), by_columns=True)
    tracemalloc.start()
    try:
        cells = few.dense()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < cells.nbytes / 10
    assert cells.sum() == 2000
    assert cells.flags.f_contiguous


@pytest.mark.usefixtures("small")
def test_many_entries_or_few_cells_are_left_as_they_are(monkeypatch):
    assert entries_of(np.full((4, 4), 0.25)) is None
    assert entries_of(kernel_of()[:, ::2]) is None
    monkeypatch.setattr(entries, "LARGE", 10_000)
    assert entries_of(kernel_of()) is None


@pytest.mark.usefixtures("small")
def test_an_array_is_made_once_and_forgotten_with_its_last_holder():
    few = entries_of(kernel_of())
    held = few.dense()
    assert few.dense() is held
    assert entries_of(held) is few
    before = len(entries._ENTRIES)
    del held
    gc.collect()
    assert len(entries._ENTRIES) == before - 1
    assert np.array_equal(few.dense(), kernel_of())


@pytest.mark.usefixtures("small")
def test_a_mechanism_keeps_the_entries_alone():
    _, mechanism = made(kernel_of())
    assert isinstance(vars(mechanism)["kernel"], Entries)
    assert mechanism.kernel.shape == (40, mechanism.n_y)
    copies = (
        changed(mechanism, name="x"),
        replace(mechanism, name="x"),
        pickle.loads(pickle.dumps(mechanism)),
        stored.from_bytes(stored.to_bytes(mechanism)),
    )
    for other in copies:
        assert isinstance(vars(other)["kernel"], Entries)
        assert np.array_equal(other.kernel, kernel_of())
    assert mechanism.name == "By hand"


@pytest.mark.usefixtures("small")
def test_utilities_are_those_of_all_cells(monkeypatch):
    kernel = kernel_of()
    joint = Joint.random_dirichlet(3, 40, 1.0, np.random.default_rng(5))
    here = [Information().value(joint, kernel), MutualInformation().of_kernel(kernel, joint.p_x)]
    monkeypatch.setattr(entries, "LARGE", 10_000)
    weights = (joint.p_x[:, None] * kernel).T
    there = [Information().value(joint, kernel), MutualInformation().value(weights, joint.p_x)]
    assert_allclose(here, there, rtol=1e-13)
    assert_allclose(here[0], here[1], rtol=1e-12)


@pytest.mark.parametrize("shift", [0.3, 1e-4, 1e-9, 0.0])
def test_information_of_entries_is_exact_near_independence(shift):
    joint = np.outer([0.3, 0.7], [0.25, 0.75]) + shift * np.array([[0.1, -0.1], [-0.1, 0.1]])
    x, y = np.divmod(np.arange(4), 2)
    assert_allclose(
        information_of_entries(x, y, joint.ravel()), mutual_information(joint), 1e-9, 1e-30
    )


@pytest.mark.parametrize("lift", [3e-16, 8e-17, 6e-17, 1e-300])
def test_information_of_entries_takes_a_cell_that_is_all_but_0(lift):
    """At a lift of 8e-17 it was not a number, so such a mechanism was dropped."""
    joint = np.array([[0.08 * lift, 0.3, 0.1], [0.2, 0.15, 0.25]])
    x, y = np.divmod(np.arange(6), 3)
    there = special.rel_entr(joint, np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum()
    assert_allclose(information_of_entries(x, y, joint.ravel()), there, 1e-13)


@pytest.mark.usefixtures("small")
def test_cells_that_were_never_seen_add_no_information():
    joint = Joint.with_secret_released([[0.5, 0.0, 0.25], [0.0, 0.25, 0.0]], keep_unseen=True)
    assert entries_of(np.eye(6)) is not None
    assert Information().value(joint, np.eye(6)) == pytest.approx(1.5 * np.log(2), rel=1e-14)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.usefixtures("small")
def test_outputs_are_ordered_and_named_alike(monkeypatch, order):
    kernel, p_x = kernel_of(order=order), np.random.default_rng(1).dirichlet(np.ones(40))
    p_x[3] = 0.0
    labels = [f"x{i}" for i in range(40)]
    kernel[3] = 0.0
    kernel[3, 28] = 1.0  # an output that only a symbol of probability 0 leads to
    kernel[:, 5] = 0.0  # and one that none leads to, named as others are
    kernel[0, :5] = 0.2
    kernel[0, 6:] = 0.0
    few = reading_order(p_x, labels, kernel)
    monkeypatch.setattr(entries, "LARGE", 10_000)
    every = reading_order(p_x, labels, kernel)
    assert few[1] == every[1]
    assert np.array_equal(few[0], every[0])


@pytest.mark.usefixtures("small")
def test_rounding_is_cleared_alike(monkeypatch):
    kernel, notion = kernel_of(), LIP(np.inf)
    joint, _ = made(kernel)
    kernel[0, int(np.argmin(kernel[0]))] = 1e-16  # in an output of other inputs too
    few = cleared(joint, kernel, notion)
    assert np.count_nonzero(few) == np.count_nonzero(kernel) - 1
    monkeypatch.setattr(entries, "LARGE", 10_000)
    assert_allclose(few, cleared(joint, kernel, notion), rtol=1e-15)


def test_long_names_of_sets_list_their_likeliest_symbols():
    labels = [f"a symbol with a long name, {i}" for i in range(4)]
    p_x = np.array([0.1, 0.2, 0.3, 0.4])
    names = merged_labels(((0, 2), (1,), (3,)), labels, p_x)
    assert names == (f"{labels[2]} 75%; {labels[0]} 25%", labels[1], labels[3])


def test_a_guess_of_many_symbols_needs_no_table():
    joint = Joint.random_dirichlet(2, 1500, 1.0, np.random.default_rng(0))
    assert isinstance(Guess().solver_utility(joint), Likeliest)
    low, high = Guess().range(joint)
    assert (low, high) == (joint.p_x.max(), pytest.approx(1.0, abs=1e-12))
    weights = np.random.default_rng(1).random((5, 7))
    table, none = Greatest(np.eye(7)), Likeliest()
    assert_allclose(none.cost(weights), table.cost(weights))
    assert_allclose(none.of_symbols(7), table.of_symbols(7))


def test_where_x_itself_is_allowed_no_kernel_is_scanned_and_none_is_compared(monkeypatch):
    """At 2×10000 an answer that keeps all of X took 3.7 CPU s, of 1."""
    monkeypatch.setattr(np, "count_nonzero", None)  # a call would end in an error
    monkeypatch.setattr(search, "starts", None)
    joint = Joint.random_dirichlet(2, 1_100, 1.0, np.random.default_rng(0))
    best = optimal(joint, LIP(np.inf))
    assert (best.status, best.solver, best.nmi) == ("optimal", "closed form", 1.0)
    assert best.y_labels == joint.x_labels
    assert (best.kernel == np.eye(1_100)).all()
