"""The worked examples of the notions: on the tables of `tables`, an estimate, and bus stops."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core import measures
from core import mechanisms as m
from core import nonstochastic as ns
from core.data.joints import example
from core.joint import Joint
from core.learning.settings import SETTINGS
from core.measures.pointwise import conditionals
from core.nonstochastic.ranges.partition import Partition, singletons
from core.notions import ALIP, LDP, LIP, Average, PointwiseMaximalLeakage
from core.notions.numbers import Numbers
from core.release.confusability import RangeRelease, range_release
from core.uncertainty import RenyiBall
from core.uncertainty.worst_case import worst_case
from core.validation import FloatArray

SECRETS = ("ill", "well")
"""S of the test."""

RESULTS = ("positive", "negative")
"""X of the test."""

SUSPECTS = ("A", "B", "C", "D")
"""S of the clue: all equally likely before it."""


def of_test(ill: float = 0.2, hit: float = 0.9, alarm: float = 0.15) -> Joint:
    """Return P(s, x) of a test for an illness."""
    rows = [[ill * hit, ill * (1 - hit)], [(1 - ill) * alarm, (1 - ill) * (1 - alarm)]]
    return Joint.from_counts(rows, SECRETS, RESULTS)


def of_clue(lift: float) -> Joint:
    """Return P(s, x) of four suspects and a clue after which A is `lift` times likelier."""
    lifts = np.array([lift, *[(4 - lift) / 3] * 3])
    # how likely the clue is to be found
    p_clue = 0.2 * lifts / 4
    return Joint.from_counts(
        np.stack([p_clue, 0.25 - p_clue], axis=1), SUSPECTS, ("clue", "no clue")
    )


@dataclass(frozen=True, eq=False)
class Revealed:
    """What a release's outputs reveal about S, in nats; `kept` is I(X;Y)/H(X), 1 where H(X) = 0.

    Shapes: p_s (n_s,), p_y (n_y,), posterior and lift (n_s, n_y), log_min and log_max (n_y,).
    """

    names: tuple[str, ...]
    secrets: tuple[str, ...]
    p_s: FloatArray
    p_y: FloatArray
    posterior: FloatArray
    lift: FloatArray
    log_min: FloatArray
    log_max: FloatArray
    lip: float
    ldp: float
    pml: float
    about_secret: float
    about_x: float
    kept: float

    def of(self, secret: str, output: str) -> float:
        """Return l(s, y) by names."""
        return float(self.lift[self.secrets.index(secret), self.names.index(output)])


def revealed(
    joint: Joint, kernel: ArrayLike | None = None, names: tuple[str, ...] = ()
) -> Revealed:
    """Return what a release of X by a kernel (n_x, n_y) reveals about S."""
    whole = np.eye(joint.n_x) if kernel is None else np.asarray(kernel, dtype=np.float64)
    occurring = np.flatnonzero(joint.p_x @ whole > 0)
    whole = whole[:, occurring]
    joint_sy, joint_xy = joint.p @ whole, joint.p_x[:, None] * whole
    labels = names or joint.x_labels
    lift = measures.lift(joint_sy)
    with np.errstate(divide="ignore"):
        log_min, log_max = np.log(lift.min(axis=0)), np.log(lift.max(axis=0))
    entropy = float(measures.entropy(joint.p_x))
    about_x = float(measures.mutual_information(joint_xy))
    return Revealed(
        names=tuple(labels[y] for y in occurring),
        secrets=joint.s_labels,
        p_s=joint.p_s,
        p_y=joint_sy.sum(axis=0),
        posterior=joint_sy / joint_sy.sum(axis=0),
        lift=lift,
        log_min=log_min,
        log_max=log_max,
        lip=LIP(1.0).achieved(joint, whole),
        ldp=LDP(1.0).achieved(joint, whole),
        pml=PointwiseMaximalLeakage(1.0).achieved(joint, whole),
        about_secret=float(measures.mutual_information(joint_sy)),
        about_x=about_x,
        kept=about_x / entropy if entropy > 0 else 1.0,
    )


def flipped(truth: float) -> FloatArray:
    """Return P(y | x) of reporting a result as it is with a chance, and the other one otherwise."""
    return np.array([[truth, 1 - truth], [1 - truth, truth]])


SHARES = np.linspace(0.0, 1.0, 21)
"""The λ at which the optimum under ALIP is worked out."""

PRIORS = np.linspace(0.01, 0.99, 99)
"""The P(ill) at which the levels of one release are worked out."""

ORDERS = np.geomspace(1.0, 50.0, 50)
"""The orders α at which the mean of lifts is worked out."""

RESPONDENTS = 1_000
"""People who answer in Warner's survey."""

BUDGETS = np.linspace(0.25, 6.0, 24)
"""The ε at which ways to answer about k values are worked out."""


@dataclass(frozen=True, eq=False)
class WarnerExample:
    """Warner's survey of a sensitive share, and what ways to answer about k values keep.

    - `eps`: the ε at which the coin keeps LDP; `p_yes`: the probability that a person says yes.
    - `error`, `plain`: standard errors of the estimated share, with the coin and without it.
    - `budgets`: ε, shape (j,); `best`, `truthful`, `halves`: shares of log k that the optimum,
      randomized response and two groups keep there; `raised`: how many values an output of the
      optimum stands for.
    - `single`: the ε from which randomized response keeps at least 99% of the optimum; ∞ where
      it does at none of `budgets`.
    """

    share: float
    truth: float
    eps: float
    p_yes: float
    error: float
    plain: float
    values: int
    budgets: FloatArray
    best: FloatArray
    truthful: FloatArray
    halves: FloatArray
    raised: FloatArray
    single: float


def warner_example(share: float, truth: float, values: int) -> WarnerExample:
    """Return the worked example of a secret that is released itself.

    Source: Warner 1965 for the coin; Kairouz, Oh and Viswanath 2016 for k values.
    """
    coin = Joint.from_counts(np.diag([share, 1 - share]), ("yes", "no"), ("yes", "no"))
    p_yes = truth * share + (1 - truth) * (1 - share)
    stretch = 2 * truth - 1
    joint = Joint.from_counts(np.eye(values))
    optima = [m.optimal(joint, LDP(float(eps))) for eps in BUDGETS]
    simple = [m.generalized_randomized_response(joint, notion=LDP(float(eps))) for eps in BUDGETS]
    best, truthful = (np.array([mechanism.nmi for mechanism in line]) for line in (optima, simple))
    near = np.flatnonzero(truthful < 0.99 * best)
    last = len(BUDGETS) if not len(near) else int(near[-1]) + 1
    return WarnerExample(
        share=share,
        truth=truth,
        eps=LDP(1.0).achieved(coin, flipped(truth)),
        p_yes=p_yes,
        error=float(np.sqrt(p_yes * (1 - p_yes) / RESPONDENTS) / stretch)
        if stretch > 0
        else math.inf,
        plain=float(np.sqrt(share * (1 - share) / RESPONDENTS)),
        values=values,
        budgets=BUDGETS,
        best=best,
        truthful=truthful,
        halves=np.array([_grouped(joint, float(eps)) for eps in BUDGETS]),
        raised=np.array([_raised(mechanism.kernel) for mechanism in optima]),
        single=float(BUDGETS[last])
        if 0 < last < len(BUDGETS)
        else (0.0 if last == 0 else math.inf),
    )


def _grouped(joint: Joint, eps: float) -> float:
    """Return the share of X that the coin keeps, where it shows which half of the values it is."""
    truth = 1 / (1 + math.exp(-eps))
    first = np.arange(joint.n_x) < joint.n_x // 2
    kernel = np.where(first[:, None], flipped(truth)[:1], flipped(truth)[1:])
    return revealed(joint, kernel, ("first", "second")).kept


def _raised(kernel: FloatArray) -> float:
    """Return how many symbols an output stands for, on average: those of the larger probability."""
    sizes: FloatArray = (kernel > (1 + 1e-6) * kernel.min(axis=0)).sum(axis=0)  # less is rounding
    return float(sizes @ kernel.mean(axis=0))


@dataclass(frozen=True, eq=False)
class LipExample:
    """A test whose result is reported with a chance of a lie, under LIP.

    `most_truthful` is the largest chance of the truth that keeps ε-LIP; `simple` and `best` are the
    shares of X kept there and by the optimum.
    """

    eps: float
    itself: Revealed
    release: Revealed
    kept: bool
    most_truthful: float
    simple: float
    best: float


def lip_example(eps: float, truth: float) -> LipExample:
    joint, notion = of_test(), LIP(eps)
    release = revealed(joint, flipped(truth))
    simple = m.generalized_randomized_response(joint, notion=notion)
    return LipExample(
        eps=eps,
        itself=revealed(joint),
        release=release,
        kept=notion.holds(joint, flipped(truth)),
        most_truthful=float(simple.kernel[0, 0]),
        simple=simple.nmi,
        best=m.optimal(joint, notion).nmi,
    )


@dataclass(frozen=True, eq=False)
class AlipExample:
    """The optimum under ALIP at one λ, and what it keeps at all of them (`shares`), shape (k,)."""

    eps_l: float
    eps_u: float
    release: Revealed
    shares: FloatArray
    kept: FloatArray
    best_share: float


def alip_example(eps: float, share: float) -> AlipExample:
    joint, notion = of_test(), ALIP.from_lambda(eps, share)
    mechanism = m.optimal(joint, notion)
    line = np.array([m.optimal(joint, ALIP.from_lambda(eps, lam)).nmi for lam in SHARES])
    return AlipExample(
        eps_l=notion.lower_budget,
        eps_u=notion.upper_budget,
        release=revealed(joint, mechanism.kernel, _outputs(mechanism.kernel)),
        shares=SHARES,
        kept=line,
        best_share=round(float(SHARES[line.argmax()]), 2),
    )


def _outputs(kernel: FloatArray) -> tuple[str, ...]:
    """Return names of a test's outputs: that of the result of which each is likelier."""
    names = tuple("says positive" if row[0] > row[1] else "says negative" for row in kernel.T)
    if len(set(names)) == len(names):
        return names
    return tuple(f"output {place}" for place in range(1, len(names) + 1))


@dataclass(frozen=True, eq=False)
class LdpExample:
    """One release at this P(ill), and its levels in nats over all P(ill), shape (k,)."""

    release: Revealed
    priors: FloatArray
    lip: FloatArray
    ldp: FloatArray


def ldp_example(ill: float, truth: float) -> LdpExample:
    joints = [of_test(prior) for prior in PRIORS]
    kernel = flipped(truth)
    return LdpExample(
        release=revealed(of_test(ill), kernel),
        priors=PRIORS,
        lip=np.array([LIP(1.0).achieved(joint, kernel) for joint in joints]),
        ldp=np.array([LDP(1.0).achieved(joint, kernel) for joint in joints]),
    )


@dataclass(frozen=True, eq=False)
class PmlExample:
    """The optimum under PML beside that under LIP, and what a guesser gains.

    `blind` and `informed` are the chances to guess illness right without and with the output.
    """

    eps: float
    release: Revealed
    kept: float
    kept_by_lip: float
    blind: float
    informed: float


def pml_example(eps: float) -> PmlExample:
    joint = of_test()
    mechanism = m.optimal(joint, PointwiseMaximalLeakage(eps))
    release = revealed(joint, mechanism.kernel, _outputs(mechanism.kernel))
    return PmlExample(
        eps=eps,
        release=release,
        kept=mechanism.nmi,
        kept_by_lip=m.optimal(joint, LIP(eps)).nmi,
        blind=float(joint.p_s.max()),
        informed=float((release.posterior * release.p_y).max(axis=0).sum()),
    )


@dataclass(frozen=True, eq=False)
class AlphaExample:
    """Means of the lifts l(s, clue), shape (4,), of four suspects, at orders of shape (k,)."""

    lifts: FloatArray
    alpha: float
    mean: float
    largest: float
    orders: FloatArray
    means: FloatArray


def alpha_example(lift: float, alpha: float) -> AlphaExample:
    joint = of_clue(lift)

    def mean(order: float) -> float:
        return 1.0 if order == 1 else float(measures.alpha_lift(joint.p, order)[0])

    lifts = conditionals(joint.p).lift[:, 0]
    return AlphaExample(
        lifts=lifts,
        alpha=alpha,
        mean=mean(alpha),
        largest=round(mean(math.inf), 12),
        orders=ORDERS,
        means=np.array([mean(float(order)) for order in ORDERS]),
    )


ESTIMATE = "rldp_estimate"
"""The example whose P̂(s, u) the lesson on RLDP takes."""

STOPS = "learn_stops"
"""The example that the lesson on maximin information takes."""

BETA = Numbers().beta
"""The chance that the truth lies outside the uncertainty set."""


@dataclass(frozen=True, eq=False)
class RobustExample:
    """Two designs for the same estimate: one that trusts it, and one that does not.

    `estimate`, `low` and `high` are P̂(u1 | s) and the least and greatest that n records leave
    possible, shape (2,); `at_worst` is in nats. `trusting`, `robust` are shares of X; `levels` and
    `kept`, (k,), are the trusting one's at worst and the robust one's share over numbers of
    records.
    """

    eps: float
    n: int
    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    trusting: float
    robust: float
    at_worst: float
    robust_at_worst: float
    records: FloatArray
    levels: FloatArray
    kept: FloatArray


def estimate() -> FloatArray:
    """Return P̂(s, u) of the examples of [RLDP], shape (2, 2)."""
    weights = example(ESTIMATE).weights
    result: FloatArray = weights / weights.sum()
    return result


def robust_example(eps: float, n: int) -> RobustExample:
    p_hat = estimate()
    trusting = m.non_robust(p_hat, eps)
    records = np.array(SETTINGS["people"].choices)
    balls = {int(count): RenyiBall.confidence(p_hat, int(count), BETA) for count in records}
    designs = {count: m.polyopt(p_hat, eps, ball) for count, ball in balls.items()}
    ball = balls.get(n) or RenyiBall.confidence(p_hat, n, BETA)
    robust = designs.get(n) or m.polyopt(p_hat, eps, ball)
    return RobustExample(
        eps=eps,
        n=n,
        estimate=ball.p_u_given_s[:, 0],
        low=ball.lower[:, 0],
        high=1.0 - ball.lower[:, 1],
        trusting=trusting.nmi,
        robust=robust.nmi,
        at_worst=at_worst(ball, trusting.kernel),
        robust_at_worst=at_worst(ball, robust.kernel),
        records=records,
        levels=np.array([at_worst(b, trusting.kernel) for b in balls.values()]),
        kept=np.array([design.nmi for design in designs.values()]),
    )


def at_worst(ball: RenyiBall, kernel: FloatArray) -> float:
    """Return the level of a kernel of shape (n_s·n_u, n_y) at the worst member of a ball."""
    return worst_case(ball, kernel.reshape(ball.n_s, ball.n_u, -1)).level


@dataclass(frozen=True, eq=False)
class FunnelExample:
    """A result that is reported rarely, but then as it is, and the optimum under a funnel's budget.

    `best`, (k,), is the largest I(X;Y) under each budget on I(S;Y), `best_here` that at this
    release's own I(S;Y); all in nats.
    """

    chance: float
    release: Revealed
    budgets: FloatArray
    best: FloatArray
    best_here: float
    all_of_x: float


def funnel_example(chance: float) -> FunnelExample:
    joint = of_test()
    kernel = np.column_stack([chance * np.eye(2), np.full(2, 1 - chance)])
    release = revealed(joint, kernel, (*joint.x_labels, "nothing reported"))
    most = revealed(joint).about_secret
    budgets = np.linspace(0.0, most, 9)
    return FunnelExample(
        chance=chance,
        release=release,
        budgets=budgets,
        best=np.array([_funnel(joint, budget) for budget in budgets]),
        best_here=_funnel(joint, min(release.about_secret, most)),
        all_of_x=revealed(joint).about_x,
    )


def _funnel(joint: Joint, budget: float) -> float:
    """Return the largest I(X;Y) with I(S;Y) within a budget, in nats."""
    return m.optimal(joint, Average("mutual_information", float(budget))).information


@dataclass(frozen=True, eq=False)
class RangeExample:
    """Bus stops merged until nothing is certain about the street, before and after."""

    joint: Joint
    partition: Partition
    before: RangeRelease
    after: RangeRelease
    merges: int
    most: int


def range_example(merges: int) -> RangeExample:
    entry = example(STOPS)
    joint = Joint.from_counts(entry.weights, entry.s_labels, entry.x_labels)
    steps = ns.merge_for_indistinguishability(joint.p > 0, 0.0).steps
    done = min(merges, len(steps) - 1)
    return RangeExample(
        joint=joint,
        partition=steps[done].clusters,
        before=range_release(joint, singletons(joint.n_x)),
        after=range_release(joint, steps[done].clusters),
        merges=done,
        most=len(steps) - 1,
    )
