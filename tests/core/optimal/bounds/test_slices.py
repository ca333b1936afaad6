import numpy as np
import pytest
from scipy import sparse, special

from core import clock
from core import mechanisms as m
from core.allowed.allowed_set import AllowedSet
from core.allowed.inequalities import combined
from core.attributes import attribute_values
from core.clock import NEVER, Deadline
from core.errors import TimeLimitError
from core.joint import Joint
from core.notions import LIP, SRLIP
from core.optimal.bounds import slices
from core.optimal.bounds.slices import SliceBound, sliced_bound
from core.optimal.columns.linear_search import too_large
from core.optimal.plan import SIZES
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.polytopes.rays import extreme_rays
from core.optimal.utility import MutualInformation


def later(seconds=20.0):
    return Deadline.after(seconds)


def optimum(allowed, p_x):
    """I(X;Y) of the best mixture of all vertices, found by another method than the slices'."""
    points = extreme_rays(allowed.rows.toarray())
    _, mixture, _ = best_mixture(points, p_x, MutualInformation(), NEVER)
    return special.entr(p_x).sum() - mixture.cost


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 2)])
def test_no_optimum_of_hundreds_exceeds_the_bound(shape):
    rng = np.random.default_rng(sum(shape))
    gaps = []
    for i in range(30):
        counts = rng.integers(0 if i % 3 == 0 else 1, 9, size=(2 + i % 2, *shape))
        joint = Joint.from_counts(counts.reshape(len(counts), -1) + (i % 3 == 0))
        allowed = SRLIP([0.1, 0.4, 1.0][i % 3], shape).allowed_set(joint)
        best = optimum(allowed, joint.p_x)
        for values in attribute_values(joint, shape):
            search = SliceBound(allowed, joint.p_x, values, later())
            bound = search.bound(best + 0.01, later())
            assert bound >= best - 1e-10
            gaps.append(bound - best)
    assert np.median(gaps) < 0.05


def test_rows_and_parts_of_any_kind():
    rng = np.random.default_rng(0)
    for _ in range(80):
        n_x = int(rng.integers(3, 7))
        p_x = rng.dirichlet(np.ones(n_x))
        part = np.unique(rng.integers(0, 3, n_x), return_inverse=True)[1]
        rows = rng.standard_normal((int(rng.integers(1, 7)), n_x))
        for row in rows[::2]:  # half of them concern one part only
            row[part != rng.integers(0, part.max() + 1)] = 0.0
        rows -= np.maximum(rows @ p_x, 0)[:, None] * np.sign(np.abs(rows)) / p_x.sum()
        rows = rows[(rows @ p_x <= 0) & (rows != 0).any(axis=1)]
        rows /= np.abs(rows).max(axis=1, keepdims=True)
        allowed = AllowedSet(sparse.csr_array(rows), n_x)
        best = optimum(allowed, p_x)
        assert SliceBound(allowed, p_x, part, later()).bound(best, later()) >= best - 1e-10


def test_parts_without_a_common_row_are_bounded_exactly():
    """Each part is an attribute of its own then, and which one it is may be told."""
    rng = np.random.default_rng(1)
    p_x, part = rng.dirichlet(np.ones(6)), np.array([0, 0, 0, 1, 1, 1])
    own = [np.zeros(6) for _ in range(4)]
    for row, of in zip(own, [0, 0, 1, 1], strict=True):
        law = p_x[part == of] / p_x[part == of].sum()
        lift = rng.random(3)
        row[part == of] = lift / (lift @ law) - 1.3
    allowed = AllowedSet(sparse.csr_array(np.array(own)), 6)
    bound = SliceBound(allowed, p_x, part, later()).bound(0.0, later())
    assert bound == pytest.approx(optimum(allowed, p_x), abs=1e-6)


def test_it_stops_where_the_goal_is_met_and_is_valid_when_time_is_short():
    joint = Joint.random_uniform(2, 12, np.random.default_rng(0))
    allowed = SRLIP(0.4, (3, 4)).allowed_set(joint)
    values = attribute_values(joint, (3, 4))[0]
    entropy = special.entr(joint.p_x).sum()
    search = SliceBound(allowed, joint.p_x, values, later())
    assert search.bound(entropy - 0.05, later()) <= entropy - 0.05
    coarse = len(search.cells)
    fine = search.bound(0.0, later())
    assert len(search.cells) > coarse
    assert SliceBound(allowed, joint.p_x, values, later()).bound(0.0, Deadline(0.0)) == entropy
    best = m.optimal(joint, SRLIP(0.4, (3, 4)), time_limit=20)
    assert best.status == "optimal"
    assert best.utility - 1e-9 <= fine < entropy - 0.1


def test_too_many_vertices_are_refused(monkeypatch):
    joint = Joint.random_uniform(2, 12, np.random.default_rng(0))
    allowed = SRLIP(0.4, (3, 4)).allowed_set(joint)
    monkeypatch.setitem(vars(SIZES), "slice_vertices", 9)
    with pytest.raises(TimeLimitError):
        SliceBound(allowed, joint.p_x, attribute_values(joint, (3, 4))[0], later())


def test_the_allowed_set_names_the_ways_to_part_its_symbols():
    joint = Joint.random_uniform(2, 12, np.random.default_rng(0))
    parts = SRLIP(1, (3, 4)).allowed_set(joint).blocks
    np.testing.assert_array_equal(parts, [np.repeat([0, 1, 2], 4), np.tile([0, 1, 2, 3], 3)])
    cells = [part.max() + 1 for part in SRLIP(1, (2, 3, 2)).allowed_set(joint).blocks]
    assert cells == [2, 2, 3, 4, 6, 6]
    many = Joint.random_uniform(2, 48, np.random.default_rng(0))
    cells = [part.max() + 1 for part in SRLIP(1, (3, 2, 4, 2)).allowed_set(many).blocks]
    assert cells == [2, 4, 12]  # of one attribute, of two and of three
    assert SRLIP(1, (12,)).allowed_set(joint).blocks == ()
    both = combined([LIP(1).allowed_set(joint), SRLIP(1, (3, 4)).allowed_set(joint)])
    np.testing.assert_array_equal(both.blocks, parts)


def test_a_way_that_takes_too_long_gives_way_to_the_next(monkeypatch):
    joint = Joint.random_uniform(2, 18, np.random.default_rng(0))
    allowed = SRLIP(0.4, (2, 3, 3)).allowed_set(joint)
    # two parts of 9 symbols have hundreds each
    monkeypatch.setitem(vars(SIZES), "slice_vertices", 120)
    with pytest.raises(TimeLimitError):
        SliceBound(allowed, joint.p_x, allowed.blocks[0], later())
    entropy = special.entr(joint.p_x).sum()
    bound = sliced_bound(allowed, joint.p_x, 0.0, later(1.5))
    best = m.optimal(joint, SRLIP(0.4, (2, 3, 3)), time_limit=1)
    assert best.utility <= bound < entropy - 0.05
    monkeypatch.setitem(vars(SIZES), "slice_vertices", 3)
    assert sliced_bound(allowed, joint.p_x, 0.0, later()) == pytest.approx(entropy, abs=1e-10)


def test_sets_of_many_short_rows_are_searched_by_sparse_programs():
    rng = np.random.default_rng(0)
    few, many = Joint.random_uniform(2, 36, rng), Joint.random_uniform(2, 80, rng)
    assert not too_large(SRLIP(0.5, (3, 3, 4)).allowed_set(few))
    assert too_large(SRLIP(0.5, (4, 4, 5)).allowed_set(many))
    assert not too_large(LIP(0.5).allowed_set(Joint.random_uniform(30, 200, rng)))  # all long


def test_sets_too_large_for_tableaux_are_bounded_too(monkeypatch):
    joint = Joint.random_uniform(2, 18, np.random.default_rng(0))
    monkeypatch.setitem(vars(SIZES), "parted_entries", 10)
    result = m.optimal(joint, SRLIP(0.4, (2, 3, 3)), time_limit=2)
    assert result.utility < result.upper_bound < special.entr(joint.p_x).sum() - 0.05


def test_the_optimum_of_36_symbols_is_known_to_a_part_of_what_it_was():
    joint = Joint.random_uniform(2, 36, np.random.default_rng(0))
    with clock.using(clock.Ticking(2.0**-10)):
        result = m.optimal(joint, SRLIP(0.5, (3, 3, 4)), time_limit=1)
    assert result.utility > 2.6
    assert result.gap < 0.6  # .83 in half the time, without slices; .09 in three times as much


def test_no_rows_are_made_dense_after_the_deadline(monkeypatch):
    """Under SRLIP those of 30×1629 took a second, after a limit of 1 s."""
    monkeypatch.setattr(slices, "SliceBound", None)  # making one would end in an error
    joint = Joint.from_counts(np.random.default_rng(0).integers(1, 9, (2, 6)))
    allowed = SRLIP(0.5, (2, 3)).allowed_set(joint)
    assert allowed.blocks
    bound = sliced_bound(allowed, joint.p_x, 0.0, Deadline(0.0))
    assert bound == pytest.approx(special.entr(joint.p_x).sum())
