"""Easy questions beside other software: one linear program, libqif, Clarabel, Blahut–Arimoto.

Run with `python -m benchmarks.peers`. Each line has our answer, proven and audited, and the same
question as the other answers it, both in one run.
"""

import time
from collections.abc import Callable, Iterator

import clarabel
import numpy as np
import qif
from scipy import optimize, sparse
from scipy.optimize import linprog

from core import mechanisms as m
from core.joint import Joint
from core.measures import entropy
from core.notions import LDP, LIP, Average, MetricLDP, Notion
from core.utilities import Distortion, Guess, Information, Purpose

SHAPES = ((5, 17), (5, 42), (10, 100))
"""Sizes (n_s, n_x) of uniform joints, each entry uniform before it is normalised."""

ACCURACY = 1e-9
"""Tolerance of HiGHS, as our own programs have it."""

STEPS = 20_000
"""Most steps of Blahut and Arimoto."""

Table = np.ndarray
Other = tuple[str, Callable[[], float]]
Line = tuple[str, Joint, Notion, Purpose, tuple[Other, ...]]


def main() -> None:
    """Print the table."""
    print("| question | ours | gap | seconds | other | its answer | seconds | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for name, joint, notion, purpose, others in lines():
        begun = time.perf_counter()
        ours = m.optimal(joint, notion, utility=purpose)
        took = time.perf_counter() - begun
        value = _told(purpose, ours.utility)
        for other, answer in others or (("–", None),):
            theirs, seconds, ratio = "", "", ""
            if answer is not None:
                begun = time.perf_counter()
                found = answer()
                spent = time.perf_counter() - begun
                theirs, seconds, ratio = f"{found:.6f}", f"{spent:.3f}", f"{took / spent:.1f}"
            print(
                f"| {name} | {value:.6f} | {ours.gap:.0e} | {took:.3f} | {other} | {theirs} | "
                f"{seconds} | {ratio} |",
                flush=True,
            )


def _told(purpose: Purpose, utility: float) -> float:
    """Return a distance or the probability of a wrong guess as it is minimized."""
    if isinstance(purpose, Guess):
        return 1 - utility
    return -utility if isinstance(purpose, Distortion) else utility


def lines() -> Iterator[Line]:
    """Yield each question with the others that answer it."""
    yield from _uniform()
    yield from _libqif()
    yield from _rate_distortion()
    yield from _alone()


def _uniform() -> Iterator[Line]:
    """Yield linear purposes on uniform joints, beside HiGHS or Clarabel."""
    for n_s, n_x in SHAPES:
        joint = Joint.from_counts(np.random.default_rng(0).random((n_s, n_x)))
        for name, notion in (
            ("LIP, ε = .3", LIP(0.3)),
            ("LDP, ε = .5", LDP(0.5)),
            ("guessing, 30 %", _share(joint, "guessing", float(joint.p_s.max()))),
            ("total variation, 30 %", _share(joint, "total_variation", 0.0)),
            ("I(S;Y), 30 %", _share(joint, "mutual_information", 0.0)),
        ):
            for what, purpose, loss in (
                ("distance", Distortion(_apart(n_x)), _apart(n_x)),
                ("wrong guess", Guess(), 1 - np.eye(n_x)),
            ):
                yield (
                    f"{n_s}×{n_x}, {name}, {what}",
                    joint,
                    notion,
                    purpose,
                    _program(joint, notion, loss),
                )


def _program(joint: Joint, notion: Notion, loss: Table) -> tuple[Other, ...]:
    """Return one call of HiGHS where rows say all, and of Clarabel for I(S;Y)."""
    if not isinstance(notion, Average):
        return (("HiGHS", lambda: _one_call(joint, notion, loss)),)
    if notion.measure == "mutual_information":
        return (("Clarabel", lambda: _one_cone(joint, notion.bound, loss)),)
    return ()


def _libqif() -> Iterator[Line]:
    """Yield S = X and a distance, beside libqif and one call of HiGHS."""
    for n in (5, 8, 16, 20, 40):
        joint, loss = _drawn(n), _apart(n)
        purpose = Distortion(loss)
        if n <= 20:
            for eps in (0.5, 1.0):
                notion: Notion = MetricLDP(eps, loss)
                yield (
                    f"S = X, n = {n}, {notion}, distance",
                    joint,
                    notion,
                    purpose,
                    (
                        ("libqif", lambda j=joint, e=eps: _by_distance(j, e)),  # type: ignore[misc]
                        ("HiGHS", lambda j=joint, k=notion, c=loss: _one_call(j, k, c)),  # type: ignore[misc]
                    ),
                )
        if n >= 20:
            bound = 0.3 + 0.7 * float(joint.p_s.max())
            notion = Average("guessing", bound)
            yield (
                f"S = X, n = {n}, P(guess S) ≤ {bound:.3f}, distance",
                joint,
                notion,
                purpose,
                (
                    ("libqif", lambda j=joint, b=bound: _by_guess(j, b)),  # type: ignore[misc]
                ),
            )


def _rate_distortion() -> Iterator[Line]:
    """Yield the rate–distortion function, beside Blahut and Arimoto's steps."""
    for n in (8, 16, 32):
        joint, loss = _drawn(n), _apart(n)
        rate = 0.3 * float(entropy(joint.p_x))
        notion = Average("mutual_information", rate)
        yield (
            f"rate–distortion, n = {n}",
            joint,
            notion,
            Distortion(loss),
            (
                ("Blahut–Arimoto", lambda j=joint, r=rate, c=loss: _blahut_arimoto(j.p_x, c, r)),  # type: ignore[misc]
            ),
        )


def _alone() -> Iterator[Line]:
    """Yield information under LDP and LIP with S = X, beside the list of all extreme outputs."""
    for k in (10, 14, 20, 42, 100):
        joint = _drawn(k)
        for notion in (LDP(0.5), LDP(1.0), LDP(2.0), LIP(0.5), LIP(1.0)):
            listed: tuple[Other, ...] = (
                ("all extreme outputs", lambda j=joint, n=notion: _listed(j, n)),  # type: ignore[misc]
            )
            yield (
                f"S = X, k = {k}, {notion}, information",
                joint,
                notion,
                Information(),
                (listed if k <= 14 else ()),
            )


def _apart(n: int) -> Table:
    places = np.arange(n)
    return np.abs(np.subtract.outer(places, places)).astype(float)


def _drawn(n: int) -> Joint:
    return Joint.from_counts(np.diag(np.random.default_rng(n).dirichlet(np.ones(n))))


def _share(joint: Joint, measure: str, prior: float) -> Average:
    """Return the budget that is 30 % of the way from the prior to what X itself gives."""
    level = Average(measure, 1.0).achieved(joint, np.eye(joint.n_x))
    return Average(measure, prior + 0.3 * (level - prior))


def _one_call(joint: Joint, notion: Notion, loss: Table) -> float:
    """Return the least expected loss under a notion of linear rows, by one call of HiGHS."""
    rows, n_a = notion.allowed_set(joint).rows, loss.shape[1]
    scaled = rows * np.concatenate([joint.p_x, np.ones(rows.shape[1] - joint.n_x)])
    upper = sparse.kron(sparse.eye_array(n_a), scaled, format="csr")
    equal = sparse.kron(np.ones((1, n_a)), np.eye(joint.n_x, rows.shape[1]), format="csr")
    cost = np.zeros((n_a, rows.shape[1]))
    cost[:, : joint.n_x] = (joint.p_x[:, None] * loss).T
    found = linprog(
        *(cost.ravel(), upper, np.zeros(upper.shape[0]), equal, np.ones(joint.n_x)),
        method="highs-ipm",
        options={
            "primal_feasibility_tolerance": ACCURACY,
            "dual_feasibility_tolerance": ACCURACY,
        },
    )
    return float(found.fun)


def _one_cone(joint: Joint, bound: float, loss: Table) -> float:
    """Return the least expected loss with I(S;Y) ≤ bound, by one call of Clarabel.

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
    right = np.concatenate([np.ones(n_x), np.zeros(n_k), [bound], np.zeros(3 * n_t)])
    kinds = [clarabel.ZeroConeT(n_x), clarabel.NonnegativeConeT(n_k + 1)]
    kinds += [clarabel.ExponentialConeT()] * n_t
    quadratic = sparse.csc_matrix((n_k + n_t, n_k + n_t))
    solver = clarabel.DefaultSolver(quadratic, cost, rows, right, kinds, settings)
    return float(solver.solve().obj_val)


def _none(rows: int, cols: int) -> sparse.csr_array:
    return sparse.csr_array((rows, cols))


def _by_distance(joint: Joint, eps: float) -> float:
    """Return libqif's least expected distance under ε-LDP by distance."""
    private, loss = (
        qif.metric.from_distance_matrix(scale * _apart(joint.n_x)) for scale in (eps, 1.0)
    )
    found = qif.mechanism.d_privacy.min_loss_given_d(joint.p_x, joint.n_x, private, loss)
    return float((joint.p_x[:, None] * np.array(found) * _apart(joint.n_x)).sum())


def _by_guess(joint: Joint, bound: float) -> float:
    """Return libqif's least expected distance with a bound on guessing."""
    metric = qif.metric.from_distance_matrix(_apart(joint.n_x))
    found = qif.mechanism.bayes_vuln.min_loss_given_max_vuln(joint.p_x, joint.n_x, bound, metric)
    return float((joint.p_x[:, None] * np.array(found) * _apart(joint.n_x)).sum())


def _blahut_arimoto(p: Table, loss: Table, rate: float) -> float:
    """Return the least expected loss with I(X;Y) ≤ rate: Blahut 1972, at the slope of that rate."""

    def at(slope: float) -> tuple[float, float]:
        likely, weights = np.exp(-slope * loss), np.full(loss.shape[1], 1 / loss.shape[1])
        for _ in range(STEPS):
            kernel = likely * weights
            kernel /= kernel.sum(axis=1, keepdims=True)
            before, weights = weights, p @ kernel
            if np.abs(weights - before).max() < 1e-12:
                break
        ratio = np.log(np.where(kernel > 0, kernel, 1.0) / np.where(weights > 0, weights, 1.0))
        return float(p @ (kernel * ratio).sum(axis=1)), float(p @ (kernel * loss).sum(axis=1))

    slope = optimize.brentq(lambda slope: at(slope)[0] - rate, 1e-3, 50.0, xtol=1e-9)
    return at(float(slope))[1]


def _listed(joint: Joint, notion: Notion) -> float:
    """Return our own optimum from the list of all extreme outputs."""
    return m.optimal(joint, notion, solver="enumerate", time_limit=60).utility


if __name__ == "__main__":
    main()
