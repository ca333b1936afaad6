import sys
from types import SimpleNamespace

import numpy as np
import pytest

from core import clock
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import ALIP, LDP, LIP, AlphaLift

JOINT = Joint.from_counts(np.random.default_rng(1).integers(1, 100, (3, 12)))
NOTION = LIP(0.25)

MODULE = sys.modules[m.subset_random_response.__module__]


def test_it_says_whether_more_time_may_find_a_better_one():
    with clock.using(clock.Ticking(1e-6)):
        whole = m.subset_random_response(JOINT, NOTION)
    with clock.using(clock.Ticking(1000.0)):
        short = m.subset_random_response(JOINT, NOTION)
    assert (whole.status, short.status) == ("heuristic", "time limit")
    assert short.utility < whole.utility
    assert NOTION.holds(JOINT, short.kernel)


@pytest.mark.parametrize("notion", [NOTION, LDP(0.4), AlphaLift(0.5, 0.5, 2.0)])
def test_whenever_time_cuts_it_short_it_says_so(notion):
    """A search may be cut where time is left: its parts get parts of the limit."""
    with clock.using(clock.Ticking(1e-9)):
        whole = m.subset_random_response(JOINT, notion)
    assert whole.status == "heuristic"
    cut = 0
    for tick in np.geomspace(1e-3, 10, 20):
        with clock.using(clock.Ticking(tick)):
            result = m.subset_random_response(JOINT, notion)
        cut += result.status == "time limit"
        if result.status == "heuristic":
            assert result.utility == whole.utility, tick
    assert 0 < cut < 20


def test_a_set_without_time_is_told_as_far_as_it_may_be():
    """All symbols are in one set, which is moved towards P(X) a little."""
    rng = np.random.default_rng(0)
    joint = Joint.from_counts(rng.integers(1, 9, size=(6, 300)))
    notion = LIP(0.02)
    with clock.using(clock.Ticking(1000.0)):
        result = m.subset_random_response(joint, notion)
    assert result.status == "time limit"
    assert result.audit.holds
    assert result.utility > 0.5


def test_symbols_that_a_secret_cannot_have_are_told_without_a_warning():
    joint = Joint.from_counts([[0, 0, 1, 1, 0], [1, 0, 1, 1, 1], [1, 0, 1, 0, 0]])
    result = m.subset_random_response(joint, ALIP(0.5, 0.0))
    assert result.utility == pytest.approx(np.log(2))


@pytest.mark.parametrize("time_limit", [0, -1.0])
def test_a_time_limit_that_is_not_above_0_is_refused(time_limit):
    with pytest.raises(InvalidInputError, match="time_limit must be in"):
        m.subset_random_response(JOINT, NOTION, time_limit=time_limit)


@pytest.mark.parametrize("notion", [LIP(0.05), ALIP(0.02, 0.1), LDP(0.1)])
def test_symbols_of_a_set_with_equal_posteriors_are_one_in_its_program(notion, monkeypatch):
    rng = np.random.default_rng(4)
    base = rng.integers(1, 9, (3, 5))
    of = np.repeat(np.arange(5), 3)
    joint = Joint.from_counts(base[:, of] * rng.integers(1, 4, len(of)))
    sizes, solve = [], MODULE.maximise

    def counted(allowed, p_x, **options):
        sizes.append(len(p_x))
        return solve(allowed, p_x, **options)

    monkeypatch.setattr(MODULE, "maximise", counted)
    mechanism = m.subset_random_response(joint, notion)
    assert mechanism.audit.holds
    assert max(sizes) <= 5
    each = SimpleNamespace(of_x=np.arange(joint.n_x))
    monkeypatch.setattr(MODULE, "classes", lambda *_: each)
    alone = m.subset_random_response(joint, notion)
    assert max(sizes) > 5
    assert mechanism.utility == pytest.approx(alone.utility, abs=1e-6)
