"""Easy questions beside other software: linear and conic programs, libqif, Blahut–Arimoto, dit.

Run with `python -m benchmarks.peers`; `--only TEXT` asks the questions whose name has the text.
Each line has our answer, proven and audited, and the same question as the other answers it, both
in one run, in seconds of one processor. A value that misses its floor ends it with status 1.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import clarabel
import dit
import numpy as np
import qif
from dit.other.sibson_mutual_information import sibson_mutual_information_pmf
from scipy import optimize, sparse
from scipy.optimize import linprog

from core import clock, measures
from core import mechanisms as m
from core.joint import Joint
from core.measures import entropy
from core.notions import LDP, LIP, Average, MetricLDP, Notion
from core.utilities import Distortion, Guess, Information, Purpose

ACCURACY = 1e-9
"""Tolerance of HiGHS, as our own programs have it."""

STEPS = 20_000
"""Most steps of Blahut and Arimoto."""

LEAST = 1e-300
"""Least probability of an output in a step, so that every symbol keeps one."""

LONGEST = 5.0
"""Processor seconds that an answer may take."""

MOST = 10.0
"""Processor seconds after which it is cut short."""

SLOWER = 3.0
"""Times the other's seconds, or a tenth of a second, that it may take."""

Table = np.ndarray
Other = tuple[str, Callable[[], float]]


class Line(NamedTuple):
    """One question, the others that answer it, and the value that it has to reach."""

    name: str
    joint: Joint
    notion: Notion
    purpose: Purpose
    others: tuple[Other, ...]
    floor: float


UNIFORM = {
    (5, 17): (
        *(0.629461, 0.261779),
        *(0.672389, 0.269200),
        *(0.264149, 0.151240),
        *(0.688656, 0.267605),
        *(0.290784, 0.159178),
    ),
    (5, 42): (
        *(0.625297, 0.210166),
        *(0.690785, 0.217588),
        *(0.396252, 0.180766),
        *(0.640610, 0.235235),
        *(0.260129, 0.121507),
    ),
    (10, 100): (
        *(1.063274, 0.315915),
        *(1.205271, 0.338388),
        *(0.692003, 0.259706),
        *(0.991654, 0.336864),
        *(0.396753, 0.197744),
    ),
}
"""Least distance and wrong guess on uniform joints (n_s, n_x), in the order of `_uniform`."""

BY_DISTANCE = {
    (5, 0.5): 0.729038,
    (5, 1.0): 0.495019,
    (8, 0.5): 1.090611,
    (8, 1.0): 0.651477,
    (16, 0.5): 1.416958,
    (16, 1.0): 0.650005,
}
"""The least distance under LDP by distance, S = X: n and ε."""

ALONE = {
    10: (0.016116, 0.063802, 0.239915, 0.063090, 0.224459),
    14: (0.012985, 0.051413, 0.197835, 0.051023, 0.192364),
    20: (0.012159, 0.048142, 0.185178, 0.0, 0.0),
    42: (0.009190, 0.036387, 0.140020, 0.036136, 0.136366),
    100: (0.007376, 0.029203, 0.112376, 0.0, 0.0),
}
"""Shares of H(X) kept with k values, S = X: under LDP at ε = ½, 1, 2 and LIP at ½, 1."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="ask only questions with this text in the name")
    only = parser.parse_args().only
    print("| question | ours | gap | seconds | other | its answer | seconds | ratio |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    missed = [message for line in lines() if only in line.name for message in _compared(line)]
    if not only:
        _measures()
    print("\n".join(["", *missed]) if missed else "\nEvery value reaches its floor.")
    if any("misses" in message for message in missed):
        raise SystemExit(1)


def _compared(line: Line) -> list[str]:
    """Print a line of the table for each other; return what is missed."""
    begun = time.process_time()
    with clock.using(time.process_time):
        ours = m.optimal(line.joint, line.notion, utility=line.purpose, time_limit=MOST)
    took = time.process_time() - begun
    value = _value(line, ours.utility)
    messages = []
    short = line.floor - value if isinstance(line.purpose, Information) else value - line.floor
    if line.floor and short > 1e-6:
        messages.append(f"{line.name} misses its floor: {value:.6f}, not {line.floor:.6f}.")
    if ours.gap > 1e-6 * line.purpose.size():
        messages.append(f"{line.name}: not proven, the gap is {ours.gap:.0e}.")
    if took > LONGEST:
        messages.append(f"{line.name}: {took:.1f} s.")
    for other, answer in line.others or (("–", None),):
        theirs, seconds, ratio = "", "", ""
        if answer is not None:
            begun = time.process_time()
            optimum = answer()
            spent = time.process_time() - begun
            theirs, seconds, ratio = f"{optimum:.6f}", f"{spent:.3f}", f"{took / spent:.1f}"
            if took > SLOWER * max(spent, 0.1):
                messages.append(f"{line.name}: {took:.2f} s, {other} {spent:.2f} s.")
        print(
            f"| {line.name} | {value:.6f} | {ours.gap:.0e} | {took:.3f} | {other} | {theirs} | "
            f"{seconds} | {ratio} |",
            flush=True,
        )
    return messages


def _value(line: Line, utility: float) -> float:
    """Return a distance or a wrong guess as it is minimized, or information as a share of H(X)."""
    if isinstance(line.purpose, Guess):
        return 1 - utility
    if isinstance(line.purpose, Information):
        return utility / float(entropy(line.joint.p_x))
    return -utility


def lines() -> Iterator[Line]:
    """Yield each question with the others that answer it."""
    yield from _uniform()
    yield from _libqif()
    yield from _rate_distortion()
    yield from _alone()


def _uniform() -> Iterator[Line]:
    """Yield linear purposes on uniform joints, beside HiGHS or Clarabel."""
    for (n_s, n_x), floors in UNIFORM.items():
        joint = Joint.from_counts(np.random.default_rng(0).random((n_s, n_x)))
        apart, floor = _apart(n_x), iter(floors)
        shares = {
            name: _share(joint, name, float(joint.p_s.max()) if name == "guessing" else 0.0)
            for name in ("guessing", "total_variation", "mutual_information")
        }
        for name, notion, other in (
            ("LIP, ε = .3", LIP(0.3), ("HiGHS", _one_call)),
            ("LDP, ε = .5", LDP(0.5), ("HiGHS", _one_call)),
            ("guessing, 30%", shares["guessing"], ("HiGHS", _one_budget)),
            ("total variation, 30%", shares["total_variation"], ("HiGHS", _one_budget)),
            ("I(S;Y), 30%", shares["mutual_information"], ("Clarabel", _one_cone)),
        ):
            purposes: tuple[tuple[str, Purpose, Table], ...] = (
                ("distance", Distortion(apart), apart),
                ("wrong guess", Guess(), 1 - np.eye(n_x)),
            )
            for what, purpose, loss in purposes:
                others = ((other[0], partial(other[1], joint, notion, loss)),)
                yield Line(
                    f"{n_s}×{n_x}, {name}, {what}", joint, notion, purpose, others, next(floor)
                )


def _libqif() -> Iterator[Line]:
    """Yield S = X and a distance, beside libqif and one call of HiGHS."""
    for n in (5, 8, 10, 16, 20, 40):
        joint, loss = _drawn(n), _apart(n)
        purpose = Distortion(loss)
        for eps in (0.5, 1.0):
            by_distance = MetricLDP(eps, loss)
            if n <= 20:
                yield Line(
                    f"S = X, n = {n}, {by_distance}, distance",
                    joint,
                    by_distance,
                    purpose,
                    (
                        ("libqif", partial(_by_distance, joint, eps * loss)),
                        ("HiGHS", partial(_one_call, joint, by_distance, loss)),
                    ),
                    BY_DISTANCE.get((n, eps), 0.0),
                )
        every = LDP(1.0)
        one_call = ("HiGHS", partial(_one_call, joint, every, loss))
        libqif = ("libqif", partial(_by_distance, joint, 1 - np.eye(n)))
        others = (libqif, one_call) if n <= 20 else (one_call,)
        yield Line(f"S = X, n = {n}, {every}, distance", joint, every, purpose, others, 0.0)
        if n >= 20:
            bound = 0.3 + 0.7 * float(joint.p_s.max())
            guess = Average("guessing", bound)
            yield Line(
                f"S = X, n = {n}, P(guess S) ≤ {bound:.3f}, distance",
                joint,
                guess,
                purpose,
                (("libqif", partial(_by_guess, joint, bound)),),
                0.0,
            )


def _rate_distortion() -> Iterator[Line]:
    """Yield the rate–distortion function, beside Blahut and Arimoto's steps."""
    for n in (8, 16, 32):
        joint, loss = _drawn(n), _apart(n)
        rate = 0.3 * float(entropy(joint.p_x))
        yield Line(
            f"rate–distortion, n = {n}",
            joint,
            Average("mutual_information", rate),
            Distortion(loss),
            (("Blahut–Arimoto", partial(_blahut_arimoto, joint.p_x, loss, rate)),),
            0.0,
        )


def _alone() -> Iterator[Line]:
    """Yield information under LDP and LIP with S = X, beside the list of all extreme outputs."""
    for k, floors in ALONE.items():
        joint = _drawn(k)
        notions = (LDP(0.5), LDP(1.0), LDP(2.0), LIP(0.5), LIP(1.0))
        for notion, floor in zip(notions, floors, strict=True):
            listed = (("all extreme outputs", partial(_listed, joint, notion)),)
            name = f"S = X, k = {k}, {notion}, information"
            yield Line(name, joint, notion, Information(), listed if k <= 14 else (), floor)


def _measures() -> None:
    """Print what one release tells, by dit and by libqif."""
    print("\n| measure of 5×17 | ours | seconds | other | its answer | seconds |")
    print("|---|---|---|---|---|---|", flush=True)
    p = Joint.from_counts(np.random.default_rng(0).random((5, 17))).p
    cells = [(s, y) for s in range(p.shape[0]) for y in range(p.shape[1])]
    prior, bit = p.sum(axis=1), np.log(2)
    channel = p / prior[:, None]
    distribution = dit.Distribution(cells, list(p.ravel()))
    for name, ours, other, theirs in (
        (
            "I(S;Y)",
            partial(measures.mutual_information, p),
            "dit",
            lambda: bit * dit.shannon.mutual_information(distribution, [0], [1]),
        ),
        (
            "maximal leakage",
            partial(measures.maximal_leakage, p),
            "dit",
            lambda: bit * dit.other.maximal_leakage(distribution, [0], [1]),
        ),
        (
            "Sibson, order 2",
            partial(measures.sibson, p, 2.0),
            "dit",
            lambda: bit * sibson_mutual_information_pmf(p, 2.0),
        ),
        (
            "P(right guess)",
            partial(measures.guessing_probability, p),
            "libqif",
            lambda: qif.measure.bayes_vuln.posterior(prior, channel),
        ),
    ):
        values, spent = [], []
        for answer in (ours, theirs):
            begun = time.process_time()
            values.append(float(answer()))
            spent.append(time.process_time() - begun)
        print(
            f"| {name} | {values[0]:.9f} | {spent[0]:.4f} | {other} | {values[1]:.9f} | "
            f"{spent[1]:.4f} |",
            flush=True,
        )


def _apart(n: int) -> Table:
    places = np.arange(n)
    return np.abs(np.subtract.outer(places, places)).astype(float)


def _drawn(n: int) -> Joint:
    return Joint.from_counts(np.diag(np.random.default_rng(n).dirichlet(np.ones(n))))


def _share(joint: Joint, measure: str, prior: float) -> Average:
    """Return the budget that is 30% of the way from the prior to what X itself gives."""
    level = Average(measure, 1.0).achieved(joint, np.eye(joint.n_x))
    return Average(measure, prior + 0.3 * (level - prior))


def _one_call(joint: Joint, notion: Notion, loss: Table) -> float:
    """Return the least expected loss under a notion of linear rows."""
    rows = notion.allowed_set(joint).rows
    scaled = rows * np.concatenate([joint.p_x, np.ones(rows.shape[1] - joint.n_x)])
    return _by_highs(joint, loss, scaled)


def _one_budget(joint: Joint, notion: Average, loss: Table) -> float:
    """Return the least expected loss with a bound on guessing S, or on total variation."""
    n_s = joint.n_s
    if notion.measure == "guessing":
        rows, price = np.hstack([joint.p, -np.ones((n_s, 1))]), np.ones(1)
    else:
        apart, none = joint.p - np.outer(joint.p_s, joint.p_x), -np.eye(n_s)
        rows, price = np.block([[apart, none], [-apart, none]]), np.full(n_s, 0.5)
    return _by_highs(joint, loss, rows, np.append(np.zeros(joint.n_x), price), notion.bound)


def _by_highs(
    joint: Joint, loss: Table, rows: Table, price: Table | None = None, budget: float = 0.0
) -> float:
    """Return the least expected loss by one call of HiGHS.

    An action's variables are P(a | x), then auxiliary ones; `rows` of each are at most 0, and the
    sum of all actions' `price` is at most the budget.
    """
    n_a = loss.shape[1]
    upper = sparse.kron(sparse.eye_array(n_a), rows, format="csr")
    right = np.zeros(upper.shape[0])
    if price is not None:
        upper = sparse.vstack([upper, sparse.csr_array(np.tile(price, n_a)[None])], "csr")
        right = np.append(right, budget)
    equal = sparse.kron(np.ones((1, n_a)), np.eye(joint.n_x, rows.shape[1]), format="csr")
    cost = np.zeros((n_a, rows.shape[1]))
    cost[:, : joint.n_x] = (joint.p_x[:, None] * loss).T
    solution = linprog(
        *(cost.ravel(), upper, right, equal, np.ones(joint.n_x)),
        method="highs-ipm",
        options={
            "primal_feasibility_tolerance": ACCURACY,
            "dual_feasibility_tolerance": ACCURACY,
        },
    )
    return float(solution.fun)


def _one_cone(joint: Joint, notion: Average, loss: Table) -> float:
    """Return the least expected loss with a bound on I(S;Y), by one call of Clarabel.

    Variables are K(a|x), x slowest, and t(s, a) ≥ P(s, a) log(P(s, a)/(P(s) P(a))), each in an
    exponential cone: −t ≤ P(s, a) log(P(s) P(a)/P(s, a)).
    """
    (n_s, n_x), n_a = joint.p.shape, loss.shape[1]
    every, n_k, n_t = sparse.eye_array(n_a), n_x * n_a, n_s * n_a
    cost = np.concatenate([(joint.p_x[:, None] * loss).ravel(), np.zeros(n_t)])
    sums = sparse.hstack([sparse.kron(sparse.eye_array(n_x), np.ones((1, n_a))), _none(n_x, n_t)])
    signs = sparse.hstack([-sparse.eye_array(n_k), _none(n_k, n_t)])
    spent = sparse.hstack([_none(1, n_k), sparse.csr_array(np.ones((1, n_t)))])
    both = sparse.kron(sparse.csr_array(joint.p), every)
    product = sparse.kron(sparse.csr_array(np.outer(joint.p_s, joint.p_x)), every)
    cones = sparse.vstack(
        [
            sparse.hstack([_none(n_t, n_k), sparse.eye_array(n_t)]),
            sparse.hstack([-both, _none(n_t, n_t)]),
            sparse.hstack([-product, _none(n_t, n_t)]),
        ],
        "csr",
    )[np.arange(3 * n_t).reshape(3, n_t).T.ravel()]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    rows = sparse.csc_matrix(sparse.vstack([sums, signs, spent, cones]))
    right = np.concatenate([np.ones(n_x), np.zeros(n_k), [notion.bound], np.zeros(3 * n_t)])
    kinds = [clarabel.ZeroConeT(n_x), clarabel.NonnegativeConeT(n_k + 1)]
    kinds += [clarabel.ExponentialConeT()] * n_t
    quadratic = sparse.csc_matrix((n_k + n_t, n_k + n_t))
    solver = clarabel.DefaultSolver(quadratic, cost, rows, right, kinds, settings)
    return float(solver.solve().obj_val)


def _none(rows: int, cols: int) -> sparse.csr_array:
    return sparse.csr_array((rows, cols))


def _by_distance(joint: Joint, distances: Table) -> float:
    """Return libqif's least expected distance under LDP by these distances."""
    private, loss = map(qif.metric.from_distance_matrix, (distances, _apart(joint.n_x)))
    kernel = qif.mechanism.d_privacy.min_loss_given_d(joint.p_x, joint.n_x, private, loss)
    return float((joint.p_x[:, None] * np.array(kernel) * _apart(joint.n_x)).sum())


def _by_guess(joint: Joint, bound: float) -> float:
    """Return libqif's least expected distance with a bound on guessing."""
    metric = qif.metric.from_distance_matrix(_apart(joint.n_x))
    kernel = qif.mechanism.bayes_vuln.min_loss_given_max_vuln(joint.p_x, joint.n_x, bound, metric)
    return float((joint.p_x[:, None] * np.array(kernel) * _apart(joint.n_x)).sum())


def _blahut_arimoto(p: Table, loss: Table, rate: float) -> float:
    """Return the least expected loss with I(X;Y) ≤ rate: Blahut 1972, at the slope of that rate."""

    def at(slope: float) -> tuple[float, float]:
        likely, weights = np.exp(-slope * loss), np.full(loss.shape[1], 1 / loss.shape[1])
        for _ in range(STEPS):
            kernel = likely * np.maximum(weights, LEAST)
            kernel /= kernel.sum(axis=1, keepdims=True)
            before, weights = weights, p @ kernel
            if np.abs(weights - before).max() < 1e-12:
                break
        ratio = np.log(np.where(kernel > 0, kernel, 1.0) / np.where(weights > 0, weights, 1.0))
        return float(p @ (kernel * ratio).sum(axis=1)), float(p @ (kernel * loss).sum(axis=1))

    slope = optimize.brentq(lambda slope: at(slope)[0] - rate, 1e-3, 50.0, xtol=1e-9)
    return at(float(slope))[1]


def _listed(joint: Joint, notion: Notion) -> float:
    """Return our own optimum from the list of all extreme outputs, as a share of H(X)."""
    mechanism = m.optimal(joint, notion, solver="enumerate", time_limit=60)
    return mechanism.utility / float(entropy(joint.p_x))


if __name__ == "__main__":
    main()
