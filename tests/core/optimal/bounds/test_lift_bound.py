"""Bounds by three lifts, against outputs that the oracle allows and the solver's own optima."""

import numpy as np
import pytest
from scipy.special import entr

from core.clock import NEVER, Deadline
from core.joint import Joint
from core.limits import CUT_TOL
from core.measures import entropy
from core.notions.robust_markov import RobustLDP
from core.optimal.bounds.lift_bound import FIRST, LiftBound, SymbolOracle
from core.optimal.polytopes.enumeration import best_mixture
from core.optimal.utility import MutualInformation


def example(seed: int, alpha: float = 2.0) -> tuple[Joint, RobustLDP]:
    """Return a joint of one likely symbol and rare ones, with a secret of few records."""
    rng = np.random.default_rng(seed)
    p = np.append(0.8, 0.2 * rng.dirichlet(np.ones(5)))
    counts = np.array([rng.multinomial(n, p) for n in (30, 200, 3_000)])
    joint = Joint.from_counts(counts[:, counts.any(axis=0)])
    return joint, RobustLDP.of_joint(joint, 1.0, alpha=alpha)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_bound_is_above_every_mixture_of_allowed_outputs(seed: int, alpha: float) -> None:
    joint, notion = example(seed, alpha)
    oracle, p_x = notion.allowed_set(joint).oracle, joint.p_x
    assert isinstance(oracle, SymbolOracle)
    assert oracle.of_symbols
    rng = np.random.default_rng(seed)
    lifts = np.exp(rng.uniform(-1.5, 1.5, (400, 1)) * rng.choice([0, 1], (400, joint.n_x)))
    outputs = lifts * p_x / (lifts @ p_x)[:, None]
    for _ in range(12):  # towards P_X until the oracle allows them
        broken = np.unique(oracle.each(outputs)[1])
        outputs[broken] = 0.7 * outputs[broken] + 0.3 * p_x
    outputs = np.delete(outputs, np.unique(oracle.each(outputs)[1]), axis=0)
    _, mixture, _ = best_mixture(np.vstack([outputs, p_x]), p_x, MutualInformation(), NEVER)
    found = float(entropy(p_x)) - mixture.cost
    bound = LiftBound(oracle, p_x).bound(0.0, Deadline.after(0.5))
    assert 0.01 < found <= bound + CUT_TOL
    assert bound < 0.9 * float(entropy(p_x))


@pytest.mark.parametrize("seed", range(2))
def test_no_box_is_left_out_that_an_allowed_output_is_in(seed: int) -> None:
    joint, notion = example(seed)
    oracle, p_x = notion.allowed_set(joint).oracle, joint.p_x
    bound = LiftBound(oracle, p_x)
    bound.bound(0.0, Deadline.after(0.5))
    rng = np.random.default_rng(seed)
    lifts = np.exp(rng.uniform(-1.0, 1.0, (2_000, joint.n_x)))
    outputs = lifts * p_x / (lifts @ p_x)[:, None]
    outputs = np.delete(outputs, np.unique(oracle.each(outputs)[1]), axis=0)
    assert len(outputs)
    lifts = outputs / p_x
    others = np.delete(lifts, p_x.argmax(), axis=1)
    three = np.stack([lifts[:, p_x.argmax()], others.min(axis=1), others.max(axis=1)], axis=1)
    for output in three:  # all at once would be gigabytes
        inside = (bound._low <= output + 1e-6) & (output <= bound._high + 1e-6)
        assert inside.all(axis=1).any()


@pytest.mark.parametrize("seed", range(4))
def test_outputs_of_a_box_tell_at_most_what_its_ends_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = np.append(0.8, 0.2 * rng.dirichlet(np.ones(25)))
    counts = np.array([rng.multinomial(n, p) for n in (300, 3_000, 100_000)])
    joint = Joint.from_counts(counts[:, counts.any(axis=0)])
    oracle, p_x = RobustLDP.of_joint(joint, 0.3).allowed_set(joint).oracle, joint.p_x
    assert isinstance(oracle, SymbolOracle)
    bound = LiftBound(oracle, p_x)
    bound._add_conditions(FIRST)
    top = p_x.max()
    for rounds in range(12):
        bound._halve(0.0)
        bound._rounds += 1
        multiplier, most = bound._mixture()
        if rounds % 4 == 3:
            bound._add_conditions(bound._outputs(multiplier))
        least, greatest = bound._low[:, 1], bound._high[:, 2]
        own = np.linspace(bound._low[:, 0], bound._high[:, 0], 50)
        mean = (1 - top * own) / (1 - top)
        share = (mean - least) / np.maximum(greatest - least, 1e-300)
        others = (1 - share) * -entr(least) + share * -entr(greatest)
        tells = top * -entr(own) + (1 - top) * others - multiplier * (own - 1)
        assert tells[(share >= 0) & (share <= 1)].max() <= most + CUT_TOL
        within = np.where((share >= 0) & (share <= 1), tells, -np.inf).max(axis=0)
        assert (within <= bound._worth(multiplier).max(axis=1) + CUT_TOL).all()
