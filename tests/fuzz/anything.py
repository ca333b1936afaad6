"""Optima where exact enumeration does not reach, held against the catalogue's mechanisms.

Under notions that are no polyhedra, robust ones included, the truth is not known; but no mechanism
may be above the bound, or better than the optimum.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from core import notions
from core.errors import InfeasibleError, InvalidInputError, NotConvexError
from core.joint import Joint
from core.mechanisms.catalogue import CATALOGUE, build
from core.notions.rldp import RobustNotion
from core.utilities import Information
from tests.exact.questions import EPSILONS, epsilon, joint_counts, promise
from tests.exact.verdict import GAP, TOLERANCE, Failure, strictly

ORDERS = (1.05, 1.5, 2.0, 3.0, 10.0, 100.0, inf)
"""Orders of α-lift."""

RIVALS = 3
"""Mechanisms of the catalogue that are held against one optimum."""

COARSE = 1 / 16
"""Seconds that a reading of the clock takes: 80 readings are the limit of 5 s."""

DIGITS = 2e-15
"""What the last digits of a level are, in nats: a thousandth of the audit's slack."""

INFORMATION = Information()

HALVINGS = 10
"""Steps by which outputs are moved no further than they must be."""


@dataclass(frozen=True)
class Anything:
    """Counts N(s, x), or N(s, u) of a secret that is released too, and a notion as its code."""

    counts: tuple[tuple[int, ...], ...]
    notion_code: str
    released: bool = False

    def joint(self):
        """Return the joint of `core`."""
        return (Joint.with_secret_released if self.released else Joint.from_counts)(self.counts)

    def notion(self):
        """Return the notion of `core`."""
        return eval(self.notion_code, {**vars(notions), "inf": inf, "joint": self.joint()})

    def code(self):
        """Return the joint and the notion as the first lines of a program."""
        way = "with_secret_released" if self.released else "from_counts"
        return (
            "from math import inf\nfrom core.joint import Joint\nfrom core.notions import *\n"
            "from core.mechanisms.catalogue import build\n"
            f"joint = Joint.{way}({[list(row) for row in self.counts]})\n"
            f"notion = {self.notion_code}"
        )


def beaten(random):
    """Return (notion's name, number of calls, optimum or None, failures) for one question."""
    question = anything(random)
    joint, notion = question.joint(), question.notion()
    keys = [key for key, entry in CATALOGUE.items() if entry.works_under(notion)]
    others = [key for key in keys if key != "optimal"]
    chosen = ["optimal"] * ("optimal" in keys) + random.sample(others, min(RIVALS, len(others)))
    made, result = {}, []
    for key in chosen:
        call = f"build({key!r}, joint, notion)"
        try:
            with strictly(COARSE):
                made[key] = build(key, joint, notion)
        except (NotConvexError, InvalidInputError, InfeasibleError) as error:
            impossible = key == "optimal" and isinstance(error, InfeasibleError)
            if impossible and "Guessing" not in question.notion_code:
                result.append(Failure("infeasible", question, call, "1 output", str(error)))
        except Exception as error:  # whatever it is, it is reported
            got = f"{type(error).__name__}: {error}"
            result.append(Failure("raised", question, call, "a mechanism", got))
    best = made.get("optimal")
    for key, rival in made.items():
        if best is None or key == "optimal" or CATALOGUE[key].reads_secret:
            continue
        if not notion.holds(joint, rival.kernel):
            continue
        better = f"{rival.utility:.12g} of {key}"
        got = f"{best.utility:.12g} <= {best.upper_bound:.12g}, {best.solver}, {best.status}"
        if (
            rival.utility > best.upper_bound + TOLERANCE
            and strictly_worth(joint, notion, rival.kernel) > best.upper_bound + TOLERANCE
        ):
            kind = "above the bound"
        elif rival.utility > best.utility + GAP:
            kind = "below a known one"
        else:
            continue
        call = f"build('optimal', joint, notion), build({key!r}, joint, notion)"
        result.append(Failure(kind, question, call, better, got))
    return notion.name, len(chosen), best, result


def strictly_worth(joint, notion, kernel, goal=INFORMATION):
    """Return the utility of a kernel, what it keeps of X, once its levels are within the budgets.

    The audit lets them be above by 1e-12: where a budget is 0, or all that the data ask, that may
    be worth 1e-6 nats. Bounds are proven without it, so outputs are moved towards P_X until no
    level is above its budget by more than the last digits of its sums.
    """
    low, high = 0.0, 1e-16
    if not _within(joint, notion, kernel):
        while high < 1 and not _within(joint, notion, _moved(joint, kernel, high)):
            low, high = high, 4 * high
        high = min(high, 1.0)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if _within(joint, notion, _moved(joint, kernel, middle)):
                high = middle
            else:
                low = middle
        kernel = _moved(joint, kernel, high)
    return float(goal.value(joint, kernel))


def _moved(joint, kernel, share):
    return (1 - share) * kernel + share * joint.release(kernel).sum(axis=0)


def _within(joint, notion, kernel):
    """Say whether a kernel's levels, worked out anew, are within the budgets."""
    if isinstance(notion, notions.Given):
        return all(_within(own, part, rows) for part, own, rows in notion._given(joint, kernel))
    if isinstance(notion, notions.Average):
        return notion.achieved(joint, kernel) <= notion.bound + DIGITS
    if isinstance(notion, RobustNotion | notions.SRLIP):
        return notion.achieved(joint, kernel) <= notion.eps + DIGITS
    reported = joint.release(kernel)
    if isinstance(notion, notions.EpsDelta):
        broken = np.any([_breaks(part, reported) for part in notion.notion.parts], axis=0)
        return reported.sum(axis=0)[broken].sum() <= notion.delta + DIGITS
    return all(
        not _breaks(part, reported).any()
        if isinstance(part, notions.PointwiseNotion)
        else _within(joint, part, kernel)
        for part in notion.parts
    )


def _breaks(notion, reported):
    """Return which outputs of P(s, y) are above a pointwise notion's budgets, shape (n_y,)."""
    pairs = (
        (notion.lower_level(reported), notion.lower_budget),
        (notion.upper_level(reported), notion.upper_budget),
    )
    return np.any([level > budget + DIGITS for level, budget in pairs], axis=0)


def anything(random):
    """Draw a question about any notion."""
    counts = joint_counts(random)
    kind = random.choice(("alpha", "alpha", "chi2", "inverse", "robust", "several", "polyhedral"))
    if kind == "robust":
        return _robust(random, counts)
    return Anything(counts, _notion(random, counts, kind))


def _notion(random, counts, kind):
    first, second = (_text(random.choice((inf, epsilon(random), epsilon(random)))) for _ in "12")
    if kind == "alpha":
        return f"AlphaLift({first}, {second}, {_text(random.choice(ORDERS))})"
    if kind == "chi2":
        return f"Chi2Privacy(inf, {second})"
    if kind == "inverse":
        return f"{random.choice(('Chi2Privacy', 'L1Privacy'))}({first}, {second})"
    if kind == "several":
        kinds = ("alpha", "chi2", "polyhedral")
        parts = [_notion(random, counts, random.choice(kinds)) for _ in range(2)]
        return f"Intersection({', '.join(parts)})"
    return promise(random, counts).code()


def _robust(random, counts):
    """Draw (S, U) in which every secret was seen, and robust LDP around it."""
    cells = tuple(row[:3] for row in counts if any(row[:3]))[:3]
    if len(cells) < 2:
        cells = ((1, 2), (2, 1))
    n, beta = random.choice((1, 100, 10**6, 10**12)), random.choice((0.5, 0.05, 1e-6))
    alpha, eps = random.choice((0.3, 0.5, 1.0, 2.0, 4.0)), _text(random.choice(EPSILONS))
    code = f"RLDP.of_joint(joint, {eps}, n={n}, beta={beta!r}, alpha={alpha!r})"
    return Anything(cells, code, released=True)


def _text(value):
    return "inf" if value == inf else repr(value)
