import numpy as np

from core import clock
from core import mechanisms as m
from core.joint import Joint
from core.notions import LIP

JOINT = Joint.from_counts(np.random.default_rng(1).integers(1, 100, (3, 12)))
NOTION = LIP(0.25)


def test_it_says_whether_more_time_may_find_a_better_one():
    with clock.using(clock.Ticking(1e-6)):
        whole = m.subset_random_response(JOINT, NOTION)
    with clock.using(clock.Ticking(1000.0)):
        short = m.subset_random_response(JOINT, NOTION)
    assert (whole.status, short.status) == ("heuristic", "time limit")
    assert short.utility < whole.utility
    assert NOTION.holds(JOINT, short.kernel)
