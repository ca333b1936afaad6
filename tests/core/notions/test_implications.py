"""What one notion implies of another measure: the papers' propositions, and which are false.

Each budget is the level that a random release achieves, so that every hypothesis holds.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core import measures
from core.joint import Joint
from core.notions import ALIP, LDP, LIP
from tests import channels
from tests.strategies import joints, kernels, orders

RELATIVE, ABSOLUTE = 1e-9, 1e-11


@st.composite
def releases(draw):
    """Return a joint and a kernel on it."""
    joint = draw(joints())
    return joint, draw(kernels(joint.n_x))


def at_most(value, bound):
    return value <= bound + RELATIVE * abs(bound) + ABSOLUTE or bound == np.inf


def tightest_alip(joint, kernel):
    """Return (ε_l, ε_u) that the release achieves exactly."""
    joint_sy = joint.release(kernel)
    notion = LIP(1)
    return np.nanmax(notion.lower_level(joint_sy)), np.nanmax(notion.upper_level(joint_sy))


@settings(max_examples=60)
@given(releases())
def test_ldp_implies_lip_implies_twice_ldp(release):
    ldp, lip = LDP(1).achieved(*release), LIP(1).achieved(*release)
    assert at_most(lip, ldp)
    assert at_most(ldp, 2 * lip)


@settings(max_examples=80)
@given(releases(), orders)
def test_alip_implies(release, alpha):
    joint, kernel = release
    eps_l, eps_u = tightest_alip(joint, kernel)
    p = joint.release(kernel)
    assert ALIP(eps_l, eps_u).holds(joint, kernel)
    assert at_most(LDP(1).achieved(joint, kernel), eps_l + eps_u)
    for average in (
        measures.mutual_information(p),
        measures.maximal_leakage(p),
        measures.sibson(p, alpha),
        measures.arimoto(p, alpha),
        measures.sibson(p, 1 / alpha if alpha < np.inf else 0.01),
        measures.arimoto(p, 1 / alpha if alpha < np.inf else 0.01),
    ):
        assert at_most(average, eps_u)
    rise, fall = np.expm1(eps_u), -np.expm1(-eps_l)
    m = max(rise, fall)
    assert at_most(np.nanmax(measures.l1_lift(p)), m)
    assert at_most(np.nanmax(measures.chi2_lift(p)), m**2)
    assert at_most(measures.total_variation(p), m / 2)
    assert at_most(measures.chi2_divergence(p), m**2)
    assert at_most(np.nanmax(measures.l1_lift(p)), 2 * rise)
    assert at_most(np.nanmax(measures.chi2_lift(p)), rise)
    assert at_most(np.nanmax(measures.alpha_lift(p, alpha)), np.exp(eps_u))
    inverse = max(np.expm1(eps_l), -np.expm1(-eps_u))
    assert at_most(np.nanmax(measures.l1_lift_inverse(p)), inverse)
    assert at_most(np.nanmax(measures.chi2_lift_inverse(p)), inverse**2)
    assert at_most(np.nanmax(measures.alpha_lift_inverse(p, alpha)), np.exp(eps_l))


@settings(max_examples=60)
@given(releases(), orders)
def test_lift_measures_bound_the_extreme_lifts(release, alpha):
    # [Lift] Prop. 4 and 6
    joint, kernel = release
    p = joint.release(kernel)
    lift = measures.lift(p)
    present = p.sum(axis=0) > 0
    p, lift = p[:, present], lift[:, present]
    prior = joint.p_s
    highest, lowest = lift.max(), lift.min()
    p_high = prior[np.unravel_index(lift.argmax(), lift.shape)[0]]
    p_low = prior[np.unravel_index(lift.argmin(), lift.shape)[0]]
    assert at_most(highest, measures.l1_lift(p).max() / p_high + 1)
    assert at_most(highest, np.sqrt(measures.chi2_lift(p).max() / p_high) + 1)
    assert at_most(highest, measures.alpha_lift(p, alpha).max() / p_high ** (1 / alpha))
    if lowest == 0:
        assert measures.l1_lift_inverse(p).max() == np.inf
        return
    l1, chi2 = measures.l1_lift_inverse(p).max(), measures.chi2_lift_inverse(p).max()
    assert at_most(p_low / (l1 + p_low), lowest)
    assert at_most(np.sqrt(p_low) / (np.sqrt(chi2) + np.sqrt(p_low)), lowest)
    power = measures.alpha_lift_inverse(p, alpha).max()
    assert at_most(p_low ** (1 / alpha) / power, lowest)


@settings(max_examples=60)
@given(releases())
def test_the_chi2_lift_bounds_every_lift_on_both_sides(release):
    # what Chi2Privacy's rows rest on: sharper than [Lift] Prop. 4(2) by √(1 − P(s))
    joint, kernel = release
    p = joint.release(kernel)
    swing = np.sqrt(measures.chi2_lift(p) * ((1 - joint.p_s) / joint.p_s)[:, None].clip(0))
    present = p.sum(axis=0) > 0
    assert (np.abs(measures.lift(p) - 1) <= swing + 1e-9)[:, present].all()


def test_propositions_1_and_3_are_false_as_printed():
    p = channels.PRINTED_COUNTEREXAMPLE
    joint = Joint.from_counts(p)
    eps_l, eps_u = tightest_alip(joint, np.eye(5))
    assert round(np.exp(eps_u), 12) == 1.2375
    printed = np.expm1(eps_u)
    assert round(measures.total_variation(p), 12) == 0.19
    assert round(printed / 2, 3) == 0.119
    assert measures.total_variation(p) > printed / 2
    assert measures.chi2_divergence(p) > printed**2
    assert measures.l1_lift(p).max() > printed
    assert measures.chi2_lift(p).max() > printed**2
    m = max(printed, -np.expm1(-eps_l))
    assert measures.total_variation(p) <= m / 2
    assert measures.chi2_divergence(p) <= m**2


def test_proposition_5_is_false_as_printed():
    p = channels.INVERSE_COUNTEREXAMPLE
    eps_l, eps_u = tightest_alip(Joint.from_counts(p), np.eye(10))
    printed = np.expm1(eps_l)
    assert round(printed, 4) == 0.0588
    assert round(measures.l1_lift_inverse(p).max(), 4) == 0.0863
    assert measures.l1_lift_inverse(p).max() > printed
    assert measures.chi2_lift_inverse(p).max() > printed**2
    m = max(printed, -np.expm1(-eps_u))
    assert measures.l1_lift_inverse(p).max() <= m
    assert measures.chi2_lift_inverse(p).max() <= m**2
