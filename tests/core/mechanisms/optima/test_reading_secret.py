import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LDP, LIP, SRLIP, PointwiseMaximalLeakage
from tests.strategies import joints

DRAW = Joint.from_counts(np.random.default_rng(3).random((3, 6)))


@pytest.mark.parametrize(("eps", "share"), [(0.0, 0.850), (0.1, 0.876), (0.5, 0.944)])
def test_what_is_kept_where_s_may_be_read(eps, share):
    made = m.optimal_reading_secret(DRAW, LIP(eps))
    assert made.status == "optimal"
    assert made.nmi == pytest.approx(share, abs=5e-4)
    assert made.kernel.shape[0] == 18
    assert LIP(eps).achieved(DRAW, made.kernel) <= eps + 1e-12
    assert made.utility == pytest.approx(
        float(measures.mutual_information(DRAW.release_x(made.kernel))), abs=1e-9
    )
    if eps:
        assert made.utility > m.conditional_reporting(DRAW, notion=LIP(eps)).utility


@given(joints(max_s=3, max_x=3), st.sampled_from([0.0, 0.4, np.inf]), st.integers(0, 10**6))
@settings(max_examples=25)
def test_no_kernel_that_reads_s_keeps_more(joint, eps, seed):
    rng = np.random.default_rng(seed)
    for notion in (LIP(eps), LDP(eps), PointwiseMaximalLeakage(eps)):
        made = m.optimal_reading_secret(joint, notion)
        assert notion.holds(joint, made.kernel)
        assert made.upper_bound >= m.optimal(joint, notion).utility - 1e-9
        kernel = rng.dirichlet(0.3 * np.ones(3), size=joint.n_s * joint.n_x)
        quiet = np.broadcast_to((joint.p.ravel() @ kernel), kernel.shape)
        for share in (0.0, 0.5, 0.9, 0.99):
            mixed = (1 - share) * kernel + share * quiet
            if notion.holds(joint, mixed):
                kept = float(measures.mutual_information(joint.release_x(mixed)))
                assert kept <= made.upper_bound + 1e-9


def test_promises_about_more_than_s_and_y_are_refused():
    with pytest.raises(InvalidInputError, match="about each output's P"):
        m.optimal_reading_secret(DRAW, SRLIP(1, (2, 3)))
