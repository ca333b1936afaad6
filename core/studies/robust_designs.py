"""Mechanisms designed at a sample, measured at the true distribution: at one sample, and at many.

Unlike a designer, the study knows the true P*(s, u): it designs at the frequencies P̂ of n records
and measures privacy and utility at P*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core import measures, validation
from core import mechanisms as m
from core.errors import InvalidInputError
from core.joint import JOINER, Joint
from core.limits import ROUNDING
from core.mechanisms import Mechanism
from core.mechanisms.optima.robust_optimal import robust_search
from core.mechanisms.outputs import reading_order
from core.notions import RLDP
from core.uncertainty import RenyiBall
from core.uncertainty.ball import cell_probabilities, conditionals
from core.validation import FloatArray, IntArray

JEFFREYS = 0.5
"""Order of the Dirichlet distribution that is the Jeffreys prior of probabilities."""


def realised_level(p_su: ArrayLike, kernel: ArrayLike) -> FloatArray:
    """Return ε* = max over y, s1, s2 of log P(y|s1)/P(y|s2), (...,), in nats ([RLDP] §8.3)."""
    cells, rows = _checked(p_su, kernel)
    table = rows.reshape(*cells.shape[-2:], -1)
    given_s = np.einsum("...su,suy->...sy", conditionals(cells), table)
    occurs = (cells.sum(axis=-1) > 0)[..., None]
    high = np.where(occurs, given_s, -np.inf).max(axis=-2)
    low = np.where(occurs, given_s, np.inf).min(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        levels = np.where(high > 0, np.log(high) - np.log(low), 0.0)
    result: FloatArray = levels.max(axis=-1)
    return result


def information(p_su: ArrayLike, kernel: ArrayLike) -> FloatArray:
    """Return I(X;Y) in nats at true distributions, shape (...,); arguments as `realised_level`."""
    cells, rows = _checked(p_su, kernel)
    flat = cells.reshape(*cells.shape[:-2], -1)
    return np.asarray(measures.mutual_information(flat[..., None] * rows), dtype=np.float64)


def normalised_information(p_su: ArrayLike, kernel: ArrayLike) -> FloatArray:
    """Return I(X;Y)/H(X) at true distributions, shape (...,); 1 where H(X) = 0."""
    cells, _ = _checked(p_su, kernel)
    entropy = measures.entropy(cells.reshape(*cells.shape[:-2], -1))
    certain = entropy == 0
    shares = information(p_su, kernel) / np.where(certain, 1.0, entropy)
    return np.where(certain, 1.0, shares)


def draw_truth(
    n_s: int, n_u: int, rng: np.random.Generator, count: int = 1, prior: float = JEFFREYS
) -> FloatArray:
    """Draw distributions P* from a symmetric Dirichlet, shape (count, n_s, n_u) ([RLDP] §8.2)."""
    order = validation.number(prior, "prior", low=0.0, open_low=True)
    whole = validation.whole(count, "count", low=1)
    drawn: FloatArray = rng.dirichlet(np.full(n_s * n_u, order), whole)
    return drawn.reshape(whole, n_s, n_u)


def draw_sample(p_su: ArrayLike, n: int, rng: np.random.Generator) -> IntArray:
    """Draw the counts of n records of P*, shape (n_s, n_u)."""
    cells = validation.distribution(p_su, "P(s, u)")
    drawn = rng.multinomial(validation.whole(n, "n", low=1), cells.ravel())
    counts: IntArray = np.asarray(drawn, dtype=np.int64).reshape(cells.shape)
    return counts


def _checked(p_su: ArrayLike, kernel: ArrayLike) -> tuple[FloatArray, FloatArray]:
    cells = validation.distribution(p_su, "P(s, u)", batch=True)
    rows = validation.matrix(kernel, "kernel")
    n_cells = cells.shape[-2] * cells.shape[-1]
    if rows.shape[0] != n_cells:
        raise InvalidInputError(
            f"kernel must have a row for each of the {n_cells} cells (s, u), got {rows.shape[0]}."
        )
    return cells, validation.kernel(rows, n_cells)


DESIGNS = {
    "non_robust": "Non-robust optimum",
    "exact": "Robust optimum",
    "polyopt": "PolyOpt",
    "independent": "Independent reporting",
    "secret_rr": "Secret randomized response",
    "grr": "Randomized response of (s, u)",
}
"""The mechanisms that are compared, by key."""

SEARCHED = ("non_robust", "exact", "polyopt")
"""Mechanisms that a solver finds; the others have closed forms."""

BUDGETS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
"""The grid of ε of a frontier, in nats."""

QUICK = tuple(key for key in DESIGNS if key != "exact")
"""Mechanisms that take well under a second for small alphabets."""


Report = Callable[[Any], None]
"""Is called with (steps done, steps in all)."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A sample of the truth P*(s, u), with the distributions that it leaves possible, its `ball`.

    `truth`, `counts`: shape (n_s, n_u).
    """

    truth: FloatArray
    counts: IntArray
    ball: RenyiBall

    @property
    def never_seen(self) -> tuple[int, ...]:
        """The secrets without a record, for which B_s = ∞."""
        return tuple(np.flatnonzero(self.counts.sum(axis=1) == 0).tolist())

    @property
    def covered(self) -> bool:
        """Whether the truth is among what the sample leaves possible."""
        return bool(self.ball.contains(self.truth))

    @property
    def true_conditional(self) -> FloatArray:
        """P*(u | s), shape (n_s, n_u); zeros for an s of probability 0."""
        return conditionals(self.truth)

    @property
    def reach(self) -> float:
        """The end of an axis of P(u | s): twice the largest P*(u | s), rounded up to one digit."""
        most = 2 * float(self.true_conditional.max())
        digit = 10.0 ** np.floor(np.log10(most))
        return float(min(1.0, np.ceil(most / digit) * digit))

    def within(self, s: int) -> int:
        """Return for how many u P*(u | s) lies within the range of P(u | s) over the ball."""
        below = self.ball.lower[s] - self.true_conditional[s]
        above = self.true_conditional[s] - self.ball.upper[s]
        return int((np.maximum(below, above) <= ROUNDING).sum())

    def widest(self, s: int) -> float:
        """Return the width of the widest range of P(u | s) over the ball."""
        return float((self.ball.upper[s] - self.ball.lower[s]).max())


def take_sample(
    truth: ArrayLike, n: int, beta: float = 0.05, alpha: float = 2.0, seed: int = 0
) -> Sample:
    """Draw n records of the truth and return them with their confidence set.

    Parameters
    ----------
    truth : array_like
        P*(s, u), shape (n_s, n_u), n_s ≥ 2.
    n : int
        Number of records, at least 1.
    beta : float
        Chance that the set misses the truth, in (0, 1).
    alpha : float
        Order of the Rényi ball, in (0, ∞).
    seed : int
        Seed of the draw.

    Raises
    ------
    InvalidInputError
        If there are fewer than two secrets, or a number is outside its domain.

    Examples
    --------
    >>> sample = take_sample([[0.1, 0.1], [0.2, 0.6]], 100, seed=3)
    >>> int(sample.counts.sum()), sample.never_seen, sample.covered
    (100, (), True)
    """
    cells = cell_probabilities(truth, "P*(s, u)")
    counts = draw_sample(cells, n, np.random.default_rng(seed))
    # as probabilities: the counts of a single record sum to 1 and would be taken for them
    ball = RenyiBall.confidence(counts / counts.sum(), n, beta, alpha)
    return Sample(cells, counts, ball)


@dataclass(frozen=True, eq=False)
class DesignOutcome:
    """A mechanism designed at P̂, with its privacy and utility at P*.

    `mechanism`: its utility is that at P̂, and its rows are all cells, s·n_u + u. `realised`: ε* at
    P* in nats, ∞ where an output rules out a secret. `worst`: the largest ε* over the distributions
    that the sample leaves possible. `true_nmi`: I(X;Y)/H(X) at P*.
    """

    key: str
    mechanism: Mechanism
    realised: float
    worst: float
    true_nmi: float

    @property
    def most_nmi(self) -> float:
        """Upper bound on the NMI at P̂ of any mechanism under the same notion."""
        answer = self.mechanism
        return answer.nmi * answer.upper_bound / answer.utility if answer.utility > 0 else 1.0

    def breaks(self, eps: float) -> bool:
        """Say whether ε* at P* is above ε."""
        return self.realised > eps + ROUNDING


def level_reach(eps: float) -> float:
    """Return the end of an axis of levels around a budget, in nats."""
    return max(4.0, float(np.ceil(eps)) + 1)


def design(
    key: str,
    sample: Sample,
    eps: float,
    seconds: float,
    known: Sequence[Mechanism] = (),
) -> Mechanism:
    """Design one mechanism of `DESIGNS` at a sample.

    Parameters
    ----------
    key : str
        Key of the mechanism.
    sample : Sample
        The sample.
    eps : float
        Budget in nats.
    seconds : float
        Approximate time limit of a search.
    known : sequence of Mechanism
        Robust mechanisms that the search for the robust optimum starts from.

    Raises
    ------
    InvalidInputError
        If the key is unknown, a secret was never seen, or `eps` is no budget.
    SolverError
        If a solver fails.

    Examples
    --------
    >>> sample = take_sample([[0.1, 0.1], [0.2, 0.6]], 100, seed=3)
    >>> design("grr", sample, 1.0, 1.0).kernel[0].round(4)
    array([0.4754, 0.1749, 0.1749, 0.1749])
    """
    cells, ball = sample.ball.p_hat_su, sample.ball
    if key == "non_robust":
        return m.non_robust(cells, eps, time_limit=seconds)
    if key == "polyopt":
        return m.polyopt(cells, eps, ball, time_limit=seconds)
    if key == "independent":
        return m.independent_reporting(cells, eps, ball)
    if key == "secret_rr":
        return m.secret_randomized_response(cells, eps)
    if key == "exact":
        if not known:
            return m.robust_optimal(cells, eps, ball, time_limit=seconds)
        return robust_search(
            cells,
            ball,
            RLDP(eps, ball, exact=True),
            name=DESIGNS["exact"],
            solver="auto",
            time_limit=seconds,
            gap=1e-6,
            seed=0,
            known=tuple(known),
        )
    if key == "grr":
        return m.pair_randomized_response(cells, eps)
    raise InvalidInputError(f"The design must be one of {', '.join(DESIGNS)}, got {key!r}.")


def named(mechanism: Mechanism, true_joint: Joint) -> Mechanism:
    """Return a design, whose inputs are the cells of `true_joint` row by row, with named cells.

    Its outputs are named after their most probable cells, in reading order.
    """
    cells = tuple(f"{s}{JOINER}{u}" for s in true_joint.s_labels for u in true_joint.x_labels)
    if mechanism.y_labels == mechanism.x_labels:
        return replace(mechanism, x_labels=cells, y_labels=cells)
    kernel, y_labels = reading_order(true_joint.p.ravel(), cells, mechanism.kernel)
    return replace(mechanism, kernel=kernel, x_labels=cells, y_labels=y_labels)


def design_all(
    sample: Sample,
    eps: float,
    seconds: float,
    keys: Sequence[str] = tuple(DESIGNS),
    *,
    report: Report = lambda _done: None,
) -> dict[str, Mechanism]:
    """Return several designs by key; the robust optimum starts from the robust ones, if PolyOpt is.

    `report` gets (done, in all).
    """
    designs: dict[str, Mechanism] = {}
    for key in sorted(keys, key="exact".__eq__):  # the robust optimum last
        report((len(designs), len(keys)))
        robust = [designs[name] for name in ("polyopt", "independent") if name in designs]
        designs[key] = design(key, sample, eps, seconds, robust if "polyopt" in designs else ())
    return {key: designs[key] for key in DESIGNS if key in designs}


def compare_designs(
    sample: Sample,
    eps: float,
    seconds: float,
    keys: Sequence[str] = tuple(DESIGNS),
    *,
    report: Report,
) -> tuple[DesignOutcome, ...]:
    """Design mechanisms at a sample and measure them at the truth; `report` as in `design_all`."""
    joint = Joint.with_secret_released(sample.ball.p_hat_su, keep_unseen=True)
    notion = RLDP(eps, sample.ball, exact=True)
    return tuple(
        DesignOutcome(
            key,
            mechanism,
            realised=float(realised_level(sample.truth, mechanism.kernel)),
            worst=notion.achieved(joint, mechanism.kernel),
            true_nmi=float(normalised_information(sample.truth, mechanism.kernel)),
        )
        for key, mechanism in design_all(sample, eps, seconds, keys, report=report).items()
    )


def robust_frontiers(
    sample: Sample, seconds: float, budgets: Sequence[float] = BUDGETS, *, report: Report
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Return NMI and utility in nats at P̂, each of shape (k,), of every design along k budgets."""
    rows: dict[str, list[tuple[float, float]]] = {key: [] for key in DESIGNS}
    for done, eps in enumerate(budgets):
        report((done, len(budgets)))
        for key, mechanism in design_all(sample, eps, seconds).items():
            now = (mechanism.nmi, mechanism.utility)
            searched = key in SEARCHED and rows[key]
            rows[key].append(max(now, rows[key][-1]) if searched else now)
    return {
        key: (np.array([nmi for nmi, _ in row]), np.array([nats for _, nats in row]))
        for key, row in rows.items()
    }


OF_BETA = ("polyopt", "independent")
"""Designs that the study of β compares, as the paper does; the robust optimum takes minutes."""

BETAS = (0.1, 0.01, 0.001)
"""The β of [RLDP] Table 2."""


@dataclass(frozen=True, eq=False)
class DrawnDesigns:
    """Designs over many samples: for each, ε* at P* in nats and I(X;Y)/H(X) at P̂ and at P*.

    The figures have shape (k,), over the k samples in which every secret occurs; `skipped` others
    do not count, and `covered` of the k uncertainty sets contain the truth.
    """

    realised: dict[str, FloatArray]
    nmi: dict[str, FloatArray]
    true_nmi: dict[str, FloatArray]
    skipped: int
    covered: int

    @property
    def used(self) -> int:
        """Number k of samples in which every secret occurs."""
        return len(next(iter(self.realised.values())))

    def broken(self, eps: float) -> dict[str, int]:
        """Return in how many samples ε* of each design is above ε."""
        return {key: int((levels > eps + ROUNDING).sum()) for key, levels in self.realised.items()}

    def means(self) -> dict[str, tuple[float, float]]:
        """Return for each design the mean NMI at P̂ and at P*."""
        return {
            key: (float(nmi.mean()), float(self.true_nmi[key].mean()))
            for key, nmi in self.nmi.items()
        }


def realised_reach(eps: float) -> float:
    """Return the end of an axis of ε*, in nats: the same for all samples at one ε."""
    return max(1.0, 2.5 * eps)


def most_seconds(
    kind: str, seconds: float, keys: Sequence[str] = (), draws: int = 0, cells: int = 0
) -> float:
    """Return about how many seconds a study takes at most."""
    # measured on 200, 400 and 1,000 cells (s, u)
    seconds = max(seconds, 1e-5 * cells**2)
    if kind == "betas":
        return draws * len(BETAS) * seconds  # PolyOpt alone is searched for
    searches = len(set(keys or DESIGNS) & set(SEARCHED))
    return (len(BUDGETS) if kind == "frontiers" else draws) * seconds * searches


@dataclass(frozen=True)
class Drawn:
    """How draws are made: as in `take_sample`, draw i with the seed `seed` + i.

    With `fresh` each has a new truth, from the Jeffreys prior as in the paper; else all have the
    same.
    """

    n: int
    beta: float
    alpha: float
    seed: int
    draws: int
    fresh: bool

    def sample(self, truth: FloatArray, i: int) -> Sample:
        """Return sample i; `truth` gives only its shape where `fresh`."""
        seed = self.seed + i
        if self.fresh:
            rng = np.random.default_rng([seed, 1])
            truth = draw_truth(truth.shape[0], truth.shape[1], rng)[0]
        return take_sample(truth, self.n, self.beta, self.alpha, seed)

    def usable(self, truth: FloatArray, report: Report) -> Iterator[Sample]:
        """Yield the samples in which every secret occurs; raise at the end where none does."""
        validation.whole(self.draws, "The number of draws", low=1)
        used = False
        for i in range(self.draws):
            report((i, self.draws))
            sample = self.sample(truth, i)
            if not sample.never_seen:
                used = True
                yield sample
        if not used:
            raise InvalidInputError(
                f"In each of the {self.draws} draws of {self.n} records a secret never occurs, so "
                "no design is possible. Take more records."
            )


def study_draws(
    truth: FloatArray,
    eps: float,
    drawn: Drawn,
    keys: Sequence[str],
    seconds: float,
    *,
    report: Report,
) -> DrawnDesigns:
    """Design at many samples and measure what each design does at the truth.

    Source: [RLDP] §8.3 and §8.4, Figures 4 and 5.

    Shapes: truth (n_s, n_u).
    """
    values: dict[str, list[tuple[float, float, float]]] = {key: [] for key in keys}
    used = covered = 0
    for sample in drawn.usable(truth, report):
        used += 1
        covered += sample.covered
        for key, mechanism in design_all(sample, eps, seconds, keys).items():
            level = float(realised_level(sample.truth, mechanism.kernel))
            true_nmi = float(normalised_information(sample.truth, mechanism.kernel))
            values[key].append((level, mechanism.nmi, true_nmi))
    columns = {key: np.array(rows).T for key, rows in values.items()}
    return DrawnDesigns(
        realised={key: rows[0] for key, rows in columns.items()},
        nmi={key: rows[1] for key, rows in columns.items()},
        true_nmi={key: rows[2] for key, rows in columns.items()},
        skipped=drawn.draws - used,
        covered=covered,
    )


def study_beta(
    truth: FloatArray,
    eps: float,
    drawn: Drawn,
    seconds: float,
    betas: Sequence[float] = BETAS,
    *,
    report: Report,
) -> dict[str, FloatArray]:
    """Return each design's mean NMI at P̂ for several β, over the same samples.

    Source: [RLDP] §8.5, Table 2.

    Returns shape (k,).
    """
    values: dict[str, list[FloatArray]] = {key: [] for key in ("secret_rr", *OF_BETA)}
    for sample in drawn.usable(truth, report):
        designs = [
            design_all(take, eps, seconds, tuple(values))
            for take in (_with_beta(sample, drawn.n, beta, drawn.alpha) for beta in betas)
        ]
        for key, row in values.items():
            nmi = np.array([mechanisms[key].nmi for mechanisms in designs])
            row.append(_falling(nmi, betas) if key in SEARCHED else nmi)
    return {key: np.array(rows).mean(axis=0) for key, rows in values.items()}


def _falling(nmi: FloatArray, betas: Sequence[float]) -> FloatArray:
    order = np.argsort(betas)
    best = np.empty_like(nmi)
    best[order] = np.maximum.accumulate(nmi[order])
    return best


def _with_beta(sample: Sample, n: int, beta: float, alpha: float) -> Sample:
    ball = RenyiBall.confidence(sample.ball.p_hat_su, n, beta, alpha)
    return Sample(sample.truth, sample.counts, ball)
