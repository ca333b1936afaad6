"""Cost and benefit of robustness over many samples: [RLDP] Figures 4 and 5, and Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core import validation
from core.errors import InvalidInputError
from core.limits import ROUNDING
from core.studies.realised import draw_truth, normalised_information, realised_level
from core.studies.robust_designs import (
    BUDGETS,
    DESIGNS,
    SEARCHED,
    Report,
    Sample,
    design_all,
    take_sample,
)
from core.uncertainty import RenyiBall
from core.validation import FloatArray

OF_BETA = ("polyopt", "independent")
"""Designs that the study of β compares, as the paper does; the robust optimum takes minutes."""

BETAS = (0.1, 0.01, 0.001)
"""The β of [RLDP] Table 2."""


@dataclass(frozen=True, eq=False)
class DrawnDesigns:
    """Designs over many samples.

    Attributes
    ----------
    realised, nmi, true_nmi : dict of str to ndarray
        For each design ε* at P* in nats, and I(X;Y)/H(X) at P̂ and at P*, shape (k,), over the k
        samples in which every secret occurs.
    skipped : int
        Number of samples in which a secret does not occur.
    covered : int
        How many of the k uncertainty sets contain the truth.
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
    """Return the end of an axis of ε*, in nats: the same for all samples at one ε.

    Examples
    --------
    >>> realised_reach(0.1), realised_reach(2.0)
    (1.0, 5.0)
    """
    return max(1.0, 2.5 * eps)


SECONDS_PER_PAIR = 1e-5
"""Least seconds of a search, divided by the squared number of cells (s, u): measured on 200, 400
and 1,000 cells."""


def most_seconds(
    kind: str, seconds: float, keys: Sequence[str] = (), draws: int = 0, cells: int = 0
) -> float:
    """Return about how many seconds a study takes at most.

    Parameters
    ----------
    kind : str
        "frontiers", "draws" or "betas".
    seconds : float
        Time limit of one search.
    keys : sequence of str
        The designs; all where none are given.
    draws : int
        Number of samples.
    cells : int
        Number of pairs (s, u): for many, one linear program may exceed the time limit.

    Examples
    --------
    >>> most_seconds("draws", 0.5, ("polyopt", "secret_rr"), 20)
    10.0
    >>> most_seconds("draws", 0.5, ("polyopt", "secret_rr"), 20, cells=1_000)
    200.0
    """
    seconds = max(seconds, SECONDS_PER_PAIR * cells**2)
    if kind == "betas":
        return draws * len(BETAS) * seconds  # PolyOpt alone is searched for
    searches = len(set(keys or DESIGNS) & set(SEARCHED))
    return (len(BUDGETS) if kind == "frontiers" else draws) * seconds * searches


@dataclass(frozen=True)
class Drawn:
    """How draws are made.

    Attributes
    ----------
    n, beta, alpha, seed
        As in `take_sample`; draw i has the seed `seed` + i.
    draws : int
        Number of samples.
    fresh : bool
        Whether each sample has a new truth, from the Jeffreys prior, as in the paper; else all
        samples have the same.
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

    Parameters
    ----------
    truth : ndarray
        P*(s, u), shape (n_s, n_u); only its shape is used where truths are fresh.
    eps : float
        Budget in nats.
    drawn : Drawn
        How samples are drawn.
    keys : sequence of str
        Keys of `DESIGNS`.
    seconds : float
        Time limit of one search.
    report : callable
        Is called with (samples done, in all).

    Raises
    ------
    InvalidInputError
        If no sample has a record of every secret.
    """
    values: dict[str, list[tuple[float, float, float]]] = {key: [] for key in keys}
    skipped = covered = 0
    for i in range(drawn.draws):
        report((i, drawn.draws))
        sample = drawn.sample(truth, i)
        if sample.never_seen:
            skipped += 1
            continue
        covered += sample.covered
        for key, mechanism in design_all(sample, eps, seconds, keys).items():
            level = float(realised_level(sample.truth, mechanism.kernel))
            true_nmi = float(normalised_information(sample.truth, mechanism.kernel))
            values[key].append((level, mechanism.nmi, true_nmi))
    _require_some(drawn, skipped)
    columns = {key: np.array(rows).T for key, rows in values.items()}
    return DrawnDesigns(
        realised={key: rows[0] for key, rows in columns.items()},
        nmi={key: rows[1] for key, rows in columns.items()},
        true_nmi={key: rows[2] for key, rows in columns.items()},
        skipped=skipped,
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

    Parameters
    ----------
    truth, eps, drawn, seconds
        As in `study_draws`; the β of `drawn` is not used.
    betas : sequence of float
        Each in (0, 1).
    report : callable
        Is called with (samples done, in all).

    Returns
    -------
    dict of str to ndarray
        For secret randomised response, which ignores β, and each of `OF_BETA`: shape (k,).

    Raises
    ------
    InvalidInputError
        If no sample has a record of every secret.
    """
    values: dict[str, list[FloatArray]] = {key: [] for key in ("secret_rr", *OF_BETA)}
    skipped = 0
    for i in range(drawn.draws):
        report((i, drawn.draws))
        sample = drawn.sample(truth, i)
        if sample.never_seen:
            skipped += 1
            continue
        made = [
            design_all(take, eps, seconds, tuple(values))
            for take in (_with_beta(sample, drawn.n, beta, drawn.alpha) for beta in betas)
        ]
        for key, row in values.items():
            nmi = np.array([mechanisms[key].nmi for mechanisms in made])
            row.append(_falling(nmi, betas) if key in SEARCHED else nmi)
    _require_some(drawn, skipped)
    return {key: np.array(rows).mean(axis=0) for key, rows in values.items()}


def _falling(nmi: FloatArray, betas: Sequence[float]) -> FloatArray:
    """Return for each β the best NMI found for it or for a smaller β, which promises more."""
    order = np.argsort(betas)
    best = np.empty_like(nmi)
    best[order] = np.maximum.accumulate(nmi[order])
    return best


def _with_beta(sample: Sample, n: int, beta: float, alpha: float) -> Sample:
    ball = RenyiBall.confidence(sample.ball.p_hat_su, n, beta, alpha)
    return Sample(sample.truth, sample.counts, ball)


def _require_some(drawn: Drawn, skipped: int) -> None:
    validation.whole(drawn.draws, "The number of draws", low=1)
    if skipped == drawn.draws:
        raise InvalidInputError(
            f"In each of the {drawn.draws} draws of {drawn.n} records a secret never occurs, so "
            "that nothing can be designed: take more records."
        )
