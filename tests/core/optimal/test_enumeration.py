"""Vertices are checked before they are believed, and a failing walk has a second route."""

import numpy as np
import pytest

from core import clock
from core.errors import SolverError
from core.joint import Joint
from core.notions import ALIP, LDP
from core.optimal import enumeration
from core.optimal.enumeration import all_vertices, best_mixture, sound
from core.optimal.polytope import polytope
from core.optimal.utility import MutualInformation

JOINT = Joint.random_uniform(3, 6, np.random.default_rng(0))
SPACE = polytope(ALIP(0.3, 0.4).allowed_set(JOINT), JOINT.p_x)


def vertices(space=SPACE):
    return all_vertices(space, clock.now() + 60, 10_000)


def test_a_missing_vertex_is_noticed():
    points = vertices()
    assert sound(SPACE, points)
    far = points[:, 0].argmax()
    kept = np.delete(points, np.flatnonzero(points[:, 0] > points[far, 0] / 2), axis=0)
    assert not sound(SPACE, kept)


def test_a_point_outside_is_noticed():
    forbidden = ALIP(0.3, 0.4).allowed_set(JOINT).rows.toarray().max(axis=0).argmax()
    outside = np.vstack([vertices(), np.eye(6)[forbidden]])
    assert not sound(SPACE, outside)


def test_a_missing_vertex_of_a_set_with_a_helper_is_noticed():
    space = polytope(LDP(0.5).allowed_set(JOINT), JOINT.p_x)
    points = vertices(space)
    assert sound(space, points)
    assert not sound(space, points[points[:, 0] == 0])


def test_double_description_answers_where_a_walk_fails_its_check(monkeypatch):
    whole = vertices()
    short = enumeration.walk(SPACE, deadline=np.inf).take(np.arange(2))
    monkeypatch.setattr(enumeration, "walk", lambda *_, **__: short)
    again = vertices()
    np.testing.assert_allclose(np.unique(again.round(9), axis=0), np.unique(whole.round(9), axis=0))
    monkeypatch.setattr(enumeration, "double_description", lambda *_, **__: whole[:2])
    with pytest.raises(SolverError, match="miss some"):
        vertices()


def test_the_best_mixture_leaves_nothing_to_gain():
    points = vertices()
    goal = MutualInformation()
    master, mixture, least = best_mixture(points, JOINT.p_x, goal, clock.now() + 60)
    assert least >= -1e-9
    assert mixture.duals @ JOINT.p_x == pytest.approx(mixture.cost, abs=1e-9)
    kernel = master.kernel(mixture)
    np.testing.assert_allclose(kernel.sum(axis=1), 1, atol=1e-13)
    value = goal.value((JOINT.p_x[:, None] * kernel).T, JOINT.p_x)
    assert value == pytest.approx(goal.offset(JOINT.p_x) - mixture.cost, abs=1e-12)
