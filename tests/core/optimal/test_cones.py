"""α-lift and χ²-lift with a linear purpose: cuts in one program, beside Clarabel's cones."""

import clarabel
import numpy as np
import pytest
from scipy import sparse

from core import clock
from core import mechanisms as m
from core.errors import TimeLimitError
from core.joint import Joint
from core.notions import AlphaLift, Chi2Lift
from core.optimal.programs.conic import solve_conic
from core.utilities import Distortion, Guess

ACCURACY = 1e-6
"""Share of the losses from X itself to nothing at all, as an optimum is proven."""


def least_loss(joint, loss, blocks):
    """Return the least expected loss; `blocks` gives a cone's rows from P(a), P(a|s) and more.

    All are rows over (K(a, ·), extra) of one action, so each action has the same cones.
    """
    n_s, n_x, n_a = joint.n_s, joint.n_x, loss.shape[1]
    width = n_x + 2 * n_s
    identity = np.eye(width)
    mass = joint.p_x @ identity[:n_x]
    given = (joint.p / joint.p_s[:, None]) @ identity[:n_x]
    cones = blocks(mass, given, identity[n_x : n_x + n_s], identity[n_x + n_s :])
    cones = [(clarabel.NonnegativeConeT(n_x), identity[:n_x]), *cones]
    each = np.kron(np.eye(n_a), identity[:n_x])
    total = each.reshape(n_a, n_x, -1).sum(axis=0)
    rows = [total, *(-np.kron(item, part) for item in np.eye(n_a)[:, None] for _, part in cones)]
    right = np.concatenate([np.ones(n_x), np.zeros(sum(map(len, rows)) - n_x)])
    cost = np.zeros((n_a, width))
    cost[:, :n_x] = joint.p_x * loss.T
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    kinds = [clarabel.ZeroConeT(n_x), *[kind for _ in range(n_a) for kind, _ in cones]]
    nothing = sparse.csc_matrix((cost.size, cost.size))
    table = sparse.csc_matrix(np.vstack(rows))
    result = clarabel.DefaultSolver(nothing, cost.ravel(), table, right, kinds, settings).solve()
    assert str(result.status) == "Solved"
    return result.obj_val


def of_alpha_lift(notion, p_s):
    """Σ_s P(s) l^α ≤ e^{α ε_u} and Σ_s P(s) l^{−α} ≤ e^{α ε_l}, with l = P(a|s) / P(a)."""
    alpha = notion.alpha

    def blocks(mass, given, over, under):
        most = np.exp(notion.eps_u) * mass
        for s in range(len(p_s)):
            yield clarabel.PowerConeT(1 / alpha), np.array([over[s], most, given[s]])
            yield clarabel.PowerConeT(1 / (alpha + 1)), np.array([under[s], given[s], mass])
        yield clarabel.NonnegativeConeT(1), (most - p_s @ over)[None]
        yield (
            clarabel.NonnegativeConeT(1),
            (np.exp(alpha * notion.eps_l) * mass - p_s @ under)[None],
        )

    return blocks


def of_chi2_lift(notion, p_s):
    """Σ_s P(s) (l − 1)² ≤ (e^ε − 1)²."""

    def blocks(mass, given, over, under):
        far = np.sqrt(p_s)[:, None] * (given - mass)
        yield (
            clarabel.SecondOrderConeT(len(p_s) + 1),
            np.vstack([np.expm1(notion.eps) * mass, far]),
        )
        yield clarabel.NonnegativeConeT(2 * len(p_s)), np.vstack([over, under])

    return blocks


@pytest.mark.parametrize("shape", [(3, 6), (5, 17)])
@pytest.mark.parametrize(
    ("notion", "cones"),
    [
        (AlphaLift(0.3, 0.3, alpha=2), of_alpha_lift),
        (AlphaLift(0.5, 0.3, alpha=3), of_alpha_lift),
        (Chi2Lift(0.3), of_chi2_lift),
    ],
    ids=["α 2", "α 3", "χ²"],
)
@pytest.mark.parametrize("purpose", ["guess", "distance"])
def test_cuts_reach_the_optimum_of_the_cones(shape, notion, cones, purpose):
    joint = Joint.random_uniform(*shape, np.random.default_rng(0))
    places = np.arange(joint.n_x)
    apart = np.abs(np.subtract.outer(places, places)).astype(float)
    loss = 1.0 - np.eye(joint.n_x) if purpose == "guess" else apart
    goal = Guess() if purpose == "guess" else Distortion(apart)
    made = m.optimal(joint, notion, utility=goal)
    assert made.status == "optimal"
    reached = 1 - made.utility if purpose == "guess" else -made.utility
    low, high = goal.range(joint)
    far = abs(reached - least_loss(joint, loss, cones(notion, joint.p_s)))
    assert far <= ACCURACY * (high - low)


def test_cones_of_secrets_whose_probabilities_differ_by_powers_of_ten_are_solved():
    prior = np.random.default_rng(20).dirichlet(np.ones(20))
    joint = Joint.from_counts(np.diag(prior))
    with clock.using(clock.Ticking(0.01)):
        made = m.optimal(joint, AlphaLift(0.25, 0.25, alpha=2), utility=Guess(), time_limit=2)
    assert made.status == "optimal"
    # by Clarabel without its scaling of rows and columns
    assert 1 - made.utility == pytest.approx(0.674018052, abs=1e-7)


def test_a_conic_program_that_is_set_up_late_is_not_solved(monkeypatch):
    """Of 30 secrets and 1,629 symbols to order its rows took .8 s, and a few steps 1.4 s."""
    made, solver = [], clarabel.DefaultSolver

    class Late:
        def __init__(self, *args):
            made.append(solver(*args))

        def set_termination_callback(self, _ends):
            pass

    monkeypatch.setattr(clarabel, "DefaultSolver", Late)  # a call of solve would end in an error
    joint = Joint.random_uniform(3, 6, np.random.default_rng(0))
    budget = Chi2Lift(0.3).allowed_set(joint).each[0]
    cones = [(cone, 0) for cone in budget.cost.epigraph().cones]
    size = len(budget.cost.epigraph().slope) + len(budget.cost.epigraph().price)
    one, none = sparse.csr_array(np.ones((1, size))), sparse.csr_array((0, size))
    with pytest.raises(TimeLimitError):
        solve_conic(
            *(np.ones(size), np.zeros(size), one, np.ones(1), none, np.zeros(0), cones, 0.0)
        )
    assert made
