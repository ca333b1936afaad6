"""All mechanisms side by side at one level of LIP."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from core.data import Counted
from core.errors import CoreError, SolverError
from core.joint import Joint
from core.limits import ROUNDING
from core.measures.leakage import leakage
from core.mechanisms import catalogue, unary_encoding_summary
from core.mechanisms.entry import MechanismEntry
from core.mechanisms.options import Options
from core.mechanisms.result import CUT
from core.notions import LIP, RLDP, SRLIP
from core.optimal.plan import SIZES
from core.scenario import Scenario

SECONDS = 2.0
"""Default time limit of a solver for one mechanism."""

OPTIMA = ("optimal", "optimal_reading_secret", "robust_optimal")
"""Mechanisms whose bound holds for all others with the same notion and inputs."""


@dataclass(frozen=True)
class Compared:
    """One mechanism at the level.

    Attributes
    ----------
    key, title : str
        As in the catalogue.
    reads_secret : bool
        Whether it reads S beside X.
    nmi, utility : float
        As in `Mechanism`; NaN where there is no answer.
    upper_bound : float
        Proven upper bound, in nats, on what a mechanism with the same inputs (X, or S and X) and
        under the same notion keeps. NaN where it has no budget.
    lip, ldp : float
        Levels that it achieves, in nats; NaN where there is no answer.
    side_channel : float
        Level of SRLIP, in nats, which equals `lip` where X is one attribute.
    robust : float
        Level of RLDP in nats; NaN where S is not released too, or the mechanism reads S.
    leak : float
        I(S;Y) in nats.
    outputs : int
        Number of outputs.
    seconds : float
        Time it took.
    note : str
        Its solver's status, or why there is no answer.
    cut : bool
        Whether a solver reached its time limit or failed, so more time may find a better one.
    """

    key: str
    title: str
    reads_secret: bool
    nmi: float = math.nan
    utility: float = math.nan
    upper_bound: float = math.nan
    lip: float = math.nan
    ldp: float = math.nan
    side_channel: float = math.nan
    robust: float = math.nan
    leak: float = math.nan
    outputs: int = 0
    seconds: float = 0.0
    note: str = ""
    cut: bool = False


def compare(
    scenario: Scenario, counted: Counted, level: float, seconds: float = SECONDS
) -> tuple[Compared, ...]:
    """Run every mechanism of the catalogue under `level`-LIP.

    Where X has several attributes, mechanisms that work under SRLIP run under it too; where S is
    released as well, the robust ones run under RLDP, which implies LIP at the estimate.

    Parameters
    ----------
    scenario : Scenario
        The question; its notion, ε and mechanism are not used, n, β and α only in RLDP.
    counted : Counted
        Its data.
    level : float
        The ε of LIP, in nats. Mechanisms without a budget may exceed it.
    seconds : float
        Time limit of a solver for one mechanism.

    Examples
    --------
    >>> from core.data import count
    >>> scenario = Scenario()
    >>> rows = compare(scenario, count(scenario.data), 0.3)
    >>> best = max((row for row in rows if row.lip <= 0.3 + 1e-9), key=lambda row: row.nmi)
    >>> best.title
    'Optimal, reading S'
    """
    rows: list[tuple[str, Compared]] = []
    lip, resistant, robust = LIP(level), SRLIP(level), None
    if scenario.data.secret_released:
        robust = RLDP.of_joint(counted.joint, level, scenario.n, scenario.beta, scenario.alpha)

    def row(entry: MechanismEntry, notion: LIP | SRLIP | RLDP, beside: str = "") -> Compared:
        return _row(entry, notion, entry.title + beside, scenario, counted, robust, seconds)

    for entry in catalogue.CATALOGUE.values():
        if entry.works_under(lip):
            rows.append(("lip", row(entry, lip)))
        elif robust is not None and entry.works_under(robust):
            outcome = row(entry, robust)
            # one that does not satisfy RLDP is still compared as one that satisfies LIP
            rows.append(("rldp" if outcome.robust <= level + ROUNDING else "lip", outcome))
        if entry.uses_notion and entry.works_under(resistant) and len(counted.attributes) > 1:
            rows.append(("srlip", row(entry, resistant, f", {resistant.name}")))
    bounds = {
        (notion, compared.reads_secret): compared.upper_bound
        for notion, compared in rows
        if compared.key in OPTIMA
    }
    return tuple(
        _bounded(compared, bounds.get((notion, compared.reads_secret), math.nan))
        for notion, compared in rows
    )


def _bounded(row: Compared, bound: float) -> Compared:
    """Return a row with the bound of its notion, NaN where the mechanism has no budget."""
    has_budget = catalogue.entry(row.key).uses_notion and not math.isnan(row.nmi)
    return replace(row, upper_bound=bound if has_budget else math.nan)


def _row(
    entry: MechanismEntry,
    notion: LIP | SRLIP | RLDP,
    title: str,
    scenario: Scenario,
    counted: Counted,
    robust: RLDP | None,
    seconds: float,
) -> Compared:
    joint = counted.joint
    row = Compared(entry.key, title, entry.reads_secret)
    started = time.perf_counter()
    try:
        if entry.key == "oue" and joint.n_x > SIZES.listed_symbols:
            return _unary(row, joint, notion.eps)
        mechanism = catalogue.build(
            entry.key,
            joint,
            notion,
            Options(values=counted.x_values, **scenario.settings | {"time_limit": seconds}),
        )
    except CoreError as error:
        return replace(row, note=str(error), cut=isinstance(error, SolverError))
    elapsed = time.perf_counter() - started
    after = leakage(joint.release(mechanism.kernel), mechanism.y_labels)
    worst = math.nan
    if robust is not None and not entry.reads_secret:
        worst = robust.achieved(joint, mechanism.kernel)
    return replace(
        row,
        nmi=mechanism.nmi,
        utility=mechanism.utility,
        upper_bound=mechanism.upper_bound,
        lip=after.achieved["lip"],
        ldp=after.achieved["ldp"],
        side_channel=SRLIP(notion.eps).achieved(joint, mechanism.kernel),
        robust=worst,
        leak=after.averages["mutual_information"],
        outputs=len(after.labels),
        seconds=elapsed,
        note=mechanism.status if entry.uses_notion else "has no budget",
        cut=mechanism.status == CUT,
    )


def _unary(row: Compared, joint: Joint, level: float) -> Compared:
    """Return the row of unary encoding where it has too many outputs to be listed."""
    started = time.perf_counter()
    summary = unary_encoding_summary(joint, eps=level)
    return replace(
        row,
        nmi=summary.nmi,
        utility=summary.utility,
        lip=max(summary.lower_level, summary.upper_level),
        outputs=2**joint.n_x,
        seconds=time.perf_counter() - started,
        note=f"utility estimated, ± {summary.standard_error:.2g} nats (standard error)",
    )
