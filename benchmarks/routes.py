"""200 questions of all kinds: "auto" beside each single way of solving them.

Run with `python -m benchmarks.routes`; `--limit 3` is the processor seconds for each answer,
`--every 10` takes one question in ten. Listed are the questions where another way took less than
half of the time of "auto", or proved what "auto" did not. `--pickers` asks instead every promise of
the pickers for every purpose at sizes up to 6×20, and lists what "auto" does not prove in 2 s, or
takes ten times as long for as the best other way. `--every 4 --first 1` asks the second of four
parts, which together ask everything.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from statistics import median

import numpy as np

from core import clock
from core import mechanisms as m
from core.errors import CoreError
from core.joint import Joint
from core.notions import (
    ALIP,
    LDP,
    LIP,
    Average,
    Chi2Lift,
    EpsDelta,
    GuessingProbability,
    L1Lift,
    MetricLDP,
    MinLift,
    Notion,
    PointwiseDivergence,
    PointwiseMaximalLeakage,
)
from core.notions import catalogue as notions
from core.notions.numbers import Numbers
from core.utilities import Distortion, Guess, Information, Purpose, SquaredError, Task

SHAPES = ((2, 2), (3, 5), (2, 12), (12, 3), (6, 20), (5, 42), (40, 2))
"""Sizes (n_s, n_x) of uniform joints."""

LARGE = ((10, 100), (10, 442), (1000, 2))
"""Sizes that are asked only some of the questions."""

ALONE = (3, 10, 20)
"""Numbers of symbols where S = X."""

SLOW = 0.1
"""Seconds below which no way is called slow."""

PICKED = ((2, 2), (2, 6), (3, 8), (6, 3), (6, 20))
"""Sizes at which all promises of the pickers are asked."""

PAIRS = ((2, 3), (3, 6))
"""Sizes (n_s, n_u) where X is the pair (S, U)."""

SOON = 2.0
"""Seconds in which these questions are meant to be proven."""

AVERAGES = ("mutual_information", "total_variation", "chi2", "maximal_leakage", "guessing")

Question = tuple[str, Joint, Notion, Purpose]


def questions() -> Iterator[Question]:
    """Yield the questions with their names."""
    joints = {f"{s}×{x}": Joint.random_uniform(s, x, np.random.default_rng(0)) for s, x in SHAPES}
    joints |= {
        f"S = X, {k}": Joint.from_counts(np.diag(np.random.default_rng(k).dirichlet(np.ones(k))))
        for k in ALONE
    }
    for name, joint in joints.items():
        for notion in _notions(joint):
            yield f"{name}, {notion}, information", joint, notion, Information()
        for notion, purpose in product(
            (LIP(0.3), LDP(0.5), _average(joint, "mutual_information")), _linear(joint)
        ):
            yield f"{name}, {notion}, {purpose.title}", joint, notion, purpose
    for s, x in LARGE:
        joint = Joint.random_uniform(s, x, np.random.default_rng(0))
        for notion in (LIP(0.3), LDP(0.5)):
            yield f"{s}×{x}, {notion}, information", joint, notion, Information()
            for purpose in _linear(joint):
                yield f"{s}×{x}, {notion}, {purpose.title}", joint, notion, purpose


def _notions(joint: Joint) -> Iterator[Notion]:
    """Yield every promise that is asked of a joint."""
    yield from (LIP(0.0), LIP(0.3), LDP(0.5), ALIP(0.2, 0.6), MinLift(0.4))
    yield from (PointwiseMaximalLeakage(0.4), L1Lift(0.3), Chi2Lift(0.3), PointwiseDivergence(0.1))
    yield GuessingProbability(0.5 + 0.5 * float(joint.p_s.max()))
    yield from (MetricLDP.of_joint(joint, 0.2), EpsDelta(LIP(0.3), 0.05))
    yield from (_average(joint, measure) for measure in AVERAGES)


def _average(joint: Joint, measure: str) -> Average:
    """Return the budget that is 30% of the way from nothing to what X itself gives."""
    least = float(joint.p_s.max()) if measure == "guessing" else 0.0
    most = Average(measure, 1.0).achieved(joint, np.eye(joint.n_x))
    return Average(measure, least + 0.3 * (most - least))


def _linear(joint: Joint) -> tuple[Purpose, ...]:
    """Return a right guess and a distance."""
    places = np.arange(joint.n_x)
    return Guess(), Distortion(np.abs(np.subtract.outer(places, places)).astype(float))


def of_pickers() -> Iterator[Question]:
    """Yield every promise that a picker offers for every purpose, at sizes up to 6×20."""
    rng = np.random.default_rng
    joints = {f"{s}×{x}": Joint.random_uniform(s, x, rng(0)) for s, x in PICKED}
    joints |= {
        f"S = X, {k}": Joint.from_counts(np.diag(rng(k).dirichlet(np.ones(k)))) for k in (2, 6, 20)
    }
    pairs = {
        f"(S, U), {s}×{u}": Joint.with_secret_released(rng(0).random((s, u)) / s / u)
        for s, u in PAIRS
    }
    for name, joint in (joints | pairs).items():
        for entry in notions.ALL:
            if entry.kind.secret_released and name not in pairs:
                continue
            notion = entry.make(joint, _numbers(entry, joint))
            if not notion.is_convex():  # the pickers offer no optimum
                continue
            for purpose, what in _purposes(joint):
                yield f"{name}, {entry.title}, {what}", joint, notion, purpose


def _numbers(entry: notions.NotionEntry, joint: Joint) -> Numbers:
    """Return ε = ½, or the budget that is 30% of the way from nothing to what X itself gives."""
    likeliest = float(joint.p_s.max())
    asked = Numbers(eps=0.5, eps_l=0.5, eps_u=0.3, n=10_000, bound=0.7 * likeliest + 0.3)
    if entry.family != "average":
        return asked
    most = entry.make(joint, asked).achieved(joint, np.eye(joint.n_x))
    bound = likeliest + 0.3 * (most - likeliest) if "bound" in entry.parameters else 1.0
    return replace(asked, eps=0.3 * most, bound=bound)


def _purposes(joint: Joint) -> Iterator[tuple[Purpose, str]]:
    """Yield every purpose with its name."""
    n = joint.n_x
    drawn = np.random.default_rng(1)
    task = drawn.dirichlet(np.ones(2), size=n).T
    guess, distance = _linear(joint)
    yield Information(), "information"
    yield Task(task), "a task"
    yield guess, "a right guess"
    yield Guess(task), "a right guess of the task"
    yield distance, "absolute error"
    yield SquaredError(np.arange(n, dtype=float)), "squared error"
    yield Distortion(drawn.random((n, 4))), "a loss table"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=3.0, help="processor seconds an answer")
    parser.add_argument("--every", type=int, default=1, help="take one question in so many")
    parser.add_argument("--first", type=int, default=0, help="questions before the first one")
    parser.add_argument("--pickers", action="store_true", help="ask all that a picker offers")
    given = parser.parse_args()
    if given.pickers:
        _pickers(given.first, given.every)
        return
    asked = list(questions())[given.first :: given.every]
    ratios, proven, lost = [], 0, 0
    print("| question | auto, s | proven | enumerate, s | proven | columns, s | proven |")
    print("|---|---|---|---|---|---|---|", flush=True)
    with clock.using(time.process_time):
        for name, joint, notion, purpose in asked:
            found = {
                solver: _answer(joint, notion, purpose, solver, given.limit)
                for solver in ("auto", "enumerate", "columns")
            }
            seconds, closed = found.pop("auto")
            others = [took for took, other in found.values() if other or not closed]
            best = max(min(others, default=seconds), SLOW)
            ratios.append(max(seconds, SLOW) / best)
            missed = not closed and any(other for _, other in found.values())
            proven, lost = proven + closed, lost + missed
            if ratios[-1] > 2 or missed:
                rest = " | ".join(f"{took:.2f} | {_mark(other)}" for took, other in found.values())
                print(f"| {name} | {seconds:.2f} | {_mark(closed)} | {rest} |", flush=True)
    print(
        f"\n{len(asked)} questions: {proven} proven by auto, {lost} by another way alone; auto "
        f"takes {median(ratios):.2f} (median) to {max(ratios):.1f} times the best other way."
    )


def _pickers(first: int, every: int) -> None:
    """Print what is not proven soon, or takes ten times as long as the best other way."""
    asked, slow, open_ = list(of_pickers())[first::every], 0, 0
    print("| question | auto, s | gap, share of X's own | best other way, s | proven |")
    print("|---|---|---|---|---|", flush=True)
    with clock.using(time.process_time):
        for name, joint, notion, purpose in asked:
            begun = clock.now()
            made = m.optimal(joint, notion, time_limit=SOON, utility=purpose)
            seconds, closed = clock.now() - begun, made.status == "optimal"
            if seconds <= SLOW and closed:
                continue
            others = [
                _answer(joint, notion, purpose, way, SOON) for way in ("enumerate", "columns")
            ]
            best = min((took for took, other in others if other or not closed), default=seconds)
            slower = closed and seconds > 10 * best
            slow, open_ = slow + slower, open_ + (not closed)
            if slower or not closed:
                low, high = purpose.range(joint)
                gap = made.gap / (high - low)
                also = _mark(any(other for _, other in others))
                print(f"| {name} | {seconds:.2f} | {gap:.0e} | {best:.2f} | {also} |", flush=True)
    print(
        f"\n{len(asked)} questions: {open_} not proven in {SOON:g} s, {slow} over ten times the "
        "best other way."
    )


def _answer(
    joint: Joint, notion: Notion, purpose: Purpose, solver: str, limit: float
) -> tuple[float, bool]:
    """Return the seconds that an answer took, and whether it is proven."""
    begun = clock.now()
    try:
        made = m.optimal(joint, notion, solver=solver, time_limit=limit, utility=purpose)  # type: ignore[arg-type]
    except CoreError as error:
        print(f"{notion} by {solver}: {error}", flush=True)
        return clock.now() - begun, False
    return clock.now() - begun, made.status == "optimal"


def _mark(proven: bool) -> str:
    return "yes" if proven else "no"


if __name__ == "__main__":
    main()
