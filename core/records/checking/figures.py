"""Checks of a certificate's levels, its promise, its utility and its proof, computed again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.data.counts.report import Counted
from core.errors import CoreError
from core.joint import Joint
from core.limits import CLOSE
from core.mechanisms import Mechanism
from core.mechanisms.result import CUT
from core.records.certificate import REPEATS, code_hash
from core.records.checking.check import (
    Check,
    UncheckedError,
    WrongError,
    check_named,
    close,
    reworded,
)
from core.records.fields import LINKED, PLAIN_HASH, level_units, plain_numbers
from core.records.readable import METHODS
from core.records.recount import kept_information, plain_levels, released
from core.release.repeats import draws
from core.scenario import Scenario, answer
from core.scenario.purpose import build_purpose
from core.studies.side_by_side import SLOW_CELLS, entries, levels, reference
from core.three_way import ThreeWay
from core.validation import FloatArray, shown
from core.wording import listed

ROBUST_PML = "robust_pml"
"""Key of the level over the confidence set whose meaning has changed."""


def check_levels(
    body: Mapping[str, Any],
    scenario: Scenario,
    cells: FloatArray | None,
    design: FloatArray | None,
    counted: Counted | None,
    kernel: FloatArray,
) -> list[Check]:
    """Check the levels of records and design, cells (n_s, n_x) each, and of repeated releases.

    Of a design with sampling weights, `design` are sums of these: the records differ from it.
    """
    stated = body["levels"]
    result: list[Check] = []
    same = body["design"]["same"] and not scenario.data.read.sampling
    if same and stated["records"] is not None:
        text = "The certificate has separate levels for the records, which are the design's own."
        result.append(Check("levels", False, text))
    elif same:
        result += _of_cells("", body, scenario, cells, kernel, stated["design"], counted)
    else:
        result += _of_cells("", body, scenario, cells, kernel, stated["records"])
        if design is None:
            text = "You did not give the file that the mechanism was made for."
            result.append(Check("design levels", None, text))
        else:
            result += _of_cells(
                "design ", body, scenario, design, kernel, stated["design"], counted
            )
    if design is not None and design.any():
        result.append(_repeated(body, scenario, *joint_of(body, design, kernel, counted)))
    return result


@check_named("numbers")
def check_level_numbers(body: Mapping[str, Any], scenario: Scenario) -> str:
    """Check the λ, α, β and n of the levels, and their units."""
    expected, stated = plain_numbers(reference([scenario])), body["levels"]["numbers"]
    for key in expected.keys() | stated.keys():
        number = expected.get(key)
        value = math.inf if number == "inf" else number
        if key not in expected or key not in stated or not close(value, stated[key]):  # type: ignore[arg-type]
            text = f"{key!r} of the levels is {stated.get(key)}, but {number} in the scenario."
            raise WrongError(text)
    known = {entry.key for entry in entries()}
    units = level_units(key for key in body["levels"]["design"] if key in known)
    stated_units = body["levels"]["units"]
    if stated_units != units:
        raise WrongError(f"The units of the levels are {units}, not {stated_units}.")
    return "The levels use the scenario's numbers."


def _of_cells(
    name: str,
    body: Mapping[str, Any],
    scenario: Scenario,
    cells: FloatArray | None,
    kernel: FloatArray,
    stated: Mapping[str, Any] | None,
    counted: Counted | None = None,
) -> list[Check]:
    """Check the levels of one joint distribution."""
    if cells is None or not cells.any():
        text = "Without S in the original no level can be computed."
        if stated is not None:
            text = "The certificate has levels for the records, but the original has no S."
        return [Check(f"{name}levels", None if stated is None else False, text)]
    if stated is None:
        text = "The original has S, but the certificate has no levels for its records."
        return [Check(f"{name}levels", False, text)]
    reads_s = bool(body["mechanism"]["reads_s"])
    own = plain_levels(released(cells, kernel, reads_s))
    joint, rows = joint_of(body, cells, kernel, counted)
    quick = kernel.size < SLOW_CELLS
    every = levels(joint, rows, reference([scenario]), slow=quick)
    own = {key: value for key, value in own.items() if key in every}
    others = {
        key: None if math.isnan(value) else value for key, value in every.items() if key not in own
    }
    younger = _younger(body, name, stated, others)
    fixed = _fixed_masses(body, name, stated, others)
    extra = sorted(stated.keys() - every.keys())
    if extra:
        text = f"{extra[0]!r} is not a level of such a mechanism."
        return [Check(f"{name}levels", False, text)]
    return [
        _compared(f"{name}levels", stated, own, f"{len(own)} levels, by independent formulas"),
        _compared(
            f"other {name}levels",
            stated,
            others,
            f"{len(others)} levels, by the library's own code",
        ),
        *fixed,
        *younger,
    ]


def _younger(
    body: Mapping[str, Any], name: str, stated: Mapping[str, Any], computed: dict[str, float | None]
) -> list[Check]:
    """Remove from the levels those that other code may not have known.

    Every version after `LINKED` has all of today's: name the level of a later notion here.
    """
    missing = [key for key in computed if key not in stated]
    if not missing or body["version"] > LINKED or body["code"]["sha256"] == code_hash():
        return []
    values = [f"{shown(key)} (it is {computed.pop(key)})" for key in missing]
    text = f"It has no level of {listed(values)}, which the code that made it may not have known."
    return [Check(f"newer {name}levels", None, text)]


def _fixed_masses(
    body: Mapping[str, Any], name: str, stated: Mapping[str, Any], computed: dict[str, float | None]
) -> list[Check]:
    """Remove levels over sets that take P(S) as known: certificates have them too low."""
    then, now = stated.get(ROBUST_PML), computed.get(ROBUST_PML)
    known = isinstance(then, int | float) and now is not None and then < now
    if body["version"] > PLAIN_HASH or not known:
        return []
    del computed[ROBUST_PML]
    text = (
        f"Its PML over the confidence set, {then:.4g} nats, takes P(S) as known; over all "
        f"distributions in the set it is {now:.4g}."
    )
    return [Check(f"robust PML, {name}levels", None, text)]


def _compared(
    name: str, stated: Mapping[str, Any], computed: Mapping[str, float | None], what: str
) -> Check:
    for key, value in computed.items():
        if key not in stated or not close(value, stated[key]):
            text = f"The level of {key!r} is {value}; the certificate says {stated.get(key)}."
            return Check(name, False, text)
    return Check(name, True, f"Recomputed with the same result: {what}.")


@check_named("repeated levels")
def _repeated(body: Mapping[str, Any], scenario: Scenario, joint: Joint, kernel: FloatArray) -> str:
    """Check the levels of repeated releases, with their bounds."""
    stated = body["levels"]["repeated"]
    drawn = body["levels"]["asked"] is not None and body["draw"]["kind"] == "seed"
    expected = [str(k) for k in REPEATS] if drawn else []
    if sorted(stated) != expected:
        raise WrongError(f"It has levels of {sorted(stated)} releases, not of {expected}.")
    if expected and _lacks_known(scenario, joint):
        raise UncheckedError(f"They are not checked: {UNCOUNTED}")
    for k in expected:
        repeated = draws(joint, kernel, scenario.build_notion(joint), int(k))
        figures = stated[k]
        if not (
            close(repeated.level, figures["level"])
            and close(repeated.at_most, figures.get("at_most"))
        ):
            raise WrongError(
                f"{k} releases reach {repeated.level:.6g}, at most {repeated.at_most:.6g}; the "
                f"certificate says {_levels(figures)}."
            )
    return f"{len(expected)} levels of repeated releases."


def _levels(figures: Any) -> str:
    """Return the level of a number of releases, and its bound, as a certificate has them."""
    try:
        return f"{float(figures['level']):.6g}, at most {float(figures['at_most']):.6g}"
    except (KeyError, TypeError, ValueError):
        return shown(figures)


def check_promise(
    body: Mapping[str, Any],
    scenario: Scenario,
    cells: FloatArray | None,
    counted: Counted | None,
    kernel: FloatArray,
) -> list[Check]:
    """Check promise and utility by the data that the mechanism was made for."""
    if cells is None or not cells.any():
        text = "The promise cannot be checked without the data that the mechanism was made for."
        return [Check("promise", None, text), Check("utility", None, text)]
    joint, rows = joint_of(body, cells, kernel, counted)
    utility = check_utility(body, scenario, cells, counted, kernel)
    return [_promise(body, scenario, joint, rows), utility]


@check_named("utility")
def check_utility(
    body: Mapping[str, Any],
    scenario: Scenario,
    cells: FloatArray,
    counted: Counted | None,
    kernel: FloatArray,
) -> str:
    """Check I(X;Y), the utility and the gap; `check_proof` has the bound."""
    proof = body["proof"]
    information = kept_information(cells, kernel, bool(body["mechanism"]["reads_s"]))
    if not close(information, proof["information"]):
        text = f"I(X;Y) is {information:.9g} nats; the certificate says {proof['information']}."
        raise WrongError(text)
    if counted is None:
        raise UncheckedError("The utility cannot be checked: the design was not counted.")
    if proof["purpose"] != scenario.purpose:
        raise WrongError(
            f"The scenario's purpose is {scenario.purpose!r}; the certificate's is "
            f"{proof['purpose']!r}."
        )
    goal = build_purpose(scenario, counted.joint, counted.x_values, counted.task)
    utility = goal.value(counted.joint, kernel)
    if not close(utility, proof["utility"]):
        raise WrongError(f"The utility is {utility:.9g}; the certificate says {proof['utility']}.")
    bound, most = proof["upper_bound"], max(goal.range(counted.joint)[1], utility)
    slack = CLOSE * max(1.0, abs(most))
    if isinstance(bound, str) or not utility - slack <= bound <= most + slack:
        raise WrongError(
            f"The bound {bound} is not between the utility of Y, {utility:.9g}, and that of X, "
            f"{most:.9g}."
        )
    if not close(bound - proof["utility"], proof["gap"]):
        gap = bound - proof["utility"]
        raise WrongError(f"The gap is {gap:.9g}; the certificate says {proof['gap']}.")
    return f"I(X;Y) is {information:.6g} nats, the utility {utility:.6g}: {goal.title}."


UNCOUNTED = "the columns that others know, given which it is to hold, could not be counted."
"""Why a promise given what others know is not checked."""


def _lacks_known(scenario: Scenario, joint: Joint) -> bool:
    """Say whether a promise is to hold given columns that were not counted with the joint."""
    return bool(scenario.data.known) and joint.known is None


@check_named("notion")
def check_notion(promise: Mapping[str, Any], scenario: Scenario) -> str:
    """Check, without any data, that name and unit of the notion promised are the scenario's."""
    pairs = Joint.with_secret_released([[1, 1], [1, 1]])  # a notion's name is that on any joint
    try:
        known = ThreeWay.of(np.ones((*pairs.p.shape, 1))) if scenario.data.known else None
        notion = scenario.build_notion(replace(pairs, known=known))
    except CoreError as error:
        raise WrongError(f"The scenario requests no notion: {error}") from error
    if str(notion) != promise["notion"]:
        stated = shown(promise["notion"])
        raise WrongError(f"The scenario requests {notion}; the certificate promises {stated}.")
    if notion.level_unit != promise["unit"]:
        stated = shown(promise["unit"])
        raise WrongError(
            f"The level's unit is {notion.level_unit!r}; the certificate says {stated}."
        )
    return f"The certificate promises what the scenario requests: {notion}."


@check_named("promise")
def _promise(body: Mapping[str, Any], scenario: Scenario, joint: Joint, kernel: FloatArray) -> str:
    """Check that the scenario's notion holds, at the level that the certificate says."""
    promise = body["levels"]["asked"]
    if promise is None:
        raise UncheckedError("No promise was requested for this mechanism.")
    if _lacks_known(scenario, joint):
        raise UncheckedError(f"The promise is not checked: {UNCOUNTED}")
    notion = scenario.build_notion(joint)
    reached = notion.achieved(joint, kernel)
    if not notion.holds(joint, kernel):
        raise WrongError(f"{notion} is violated: the level is {reached:.6g}.")
    if not close(reached, promise["achieved"]):
        raise WrongError(f"{notion} is satisfied at {reached:.9g}, not {promise['achieved']}.")
    if promise["holds"] is not True:
        raise WrongError(f"{notion} is satisfied, but the certificate denies it.")
    return f"{notion} is satisfied: level {reached:.6g}."


def joint_of(
    body: Mapping[str, Any], cells: FloatArray, kernel: FloatArray, counted: Counted | None = None
) -> tuple[Joint, FloatArray]:
    """Return the joint of the recount, and the kernel's rows for its symbols."""
    if counted is not None and np.allclose(counted.joint.p, cells / cells.sum(), 0, CLOSE):
        return counted.joint, kernel  # it knows which X are pairs of S and U
    joint = Joint.from_counts(cells, body["design"]["s"], body["mechanism"]["inputs"])
    if not body["mechanism"]["reads_s"]:
        return joint, kernel[joint.kept_x]
    cube = kernel.reshape(*cells.shape, -1)
    return joint, cube[joint.kept_s][:, joint.kept_x].reshape(joint.n_s * joint.n_x, -1)


OPTIMAL = "optimal"
"""The status that says that no mechanism keeps more."""


UNCOUNTED_DESIGN = "The proof cannot be checked: the data of the design were not counted."
"""Why a proof is not checked."""


@check_named("proof")
def check_proof(
    body: Mapping[str, Any], scenario: Scenario, counted: Counted | None, kernel: FloatArray
) -> str:
    """Answer the scenario again, and compare bound, status, solver, notes and name.

    A bound is proven again where the new one is not above it, and wrong where a mechanism that
    keeps more was found. The others are wrong where the same mechanism is found with others,
    and not checked where another mechanism is found or a time limit ends a search.
    """
    if counted is None:
        raise UncheckedError(UNCOUNTED_DESIGN)
    try:
        again = answer(scenario, counted).mechanism
    except CoreError as error:
        raise UncheckedError(f"A new search for the scenario failed: {error}") from error
    return agreed(body, scenario, again, kernel)


def agreed(
    body: Mapping[str, Any], scenario: Scenario, again: Mechanism, kernel: FloatArray
) -> str:
    """Say that a certificate's proof agrees with the mechanism that a new search finds."""
    proof = body["proof"]
    if isinstance(proof["upper_bound"], str):
        raise WrongError("It has no bound on what a mechanism can keep.")
    rounding = CLOSE * max(1.0, abs(again.utility))
    size = again.purpose.size()
    _refute(body, again, kernel, size * scenario.gap + rounding, rounding)
    # a search that may stop early proves no bound below its own
    if again.upper_bound > proof["upper_bound"] + size * min(scenario.gap, Scenario.gap) + rounding:
        raise UncheckedError(
            f"A new search proves only the bound {again.upper_bound:.9g}, not "
            f"{proof['upper_bound']:.9g}."
        )
    other = _other(body, again)
    if other is not None:
        raise UncheckedError(
            f"A new search proves the same bound, but {other}. Either it found another mechanism "
            "or time ran out, so the rest was not checked."
        )
    return (
        f"A new search agrees: no mechanism keeps more than {proof['upper_bound']:.6g} "
        f"({again.status}, found by {again.solver}), with the same notes."
    )


def _refute(
    body: Mapping[str, Any], again: Mechanism, kernel: FloatArray, slack: float, rounding: float
) -> None:
    """Raise where the mechanism that a new search finds shows that a proof is wrong."""
    proof = body["proof"]
    if again.utility > proof["upper_bound"] + rounding:
        raise WrongError(f"Another mechanism keeps {again.utility:.9g}, more than the bound.")
    if proof["status"] == again.status == OPTIMAL:
        missed = again.utility - proof["utility"]
        if missed > slack:
            raise WrongError(f"The mechanism is not optimal: another one keeps {missed:.6g} more.")
    same = kernel.shape == again.kernel.shape and np.allclose(kernel, again.kernel, 0, CLOSE)
    if not same or CUT in (proof["status"], again.status):
        return
    other = _other(body, again, by_any=True)
    if other is not None:
        raise WrongError(f"A new search finds the same mechanism, but {other}.")
    if abs(again.upper_bound - proof["upper_bound"]) > slack:
        raise WrongError(
            f"A new search finds the same mechanism, but proves {again.upper_bound:.9g}, "
            f"not {proof['upper_bound']:.9g}."
        )


def _other(body: Mapping[str, Any], again: Mechanism, *, by_any: bool = False) -> str | None:
    """Say how the library's account of the mechanism that it finds differs; None if it agrees.

    A busy machine or another version may take another way: `by_any` admits each known solver.
    """
    proof = body["proof"]
    expected_solver = proof["solver"] if by_any and proof["solver"] in METHODS else again.solver
    pairs = (
        ("name", body["mechanism"]["name"], again.name),
        ("status", proof["status"], again.status),
        ("solver", proof["solver"], expected_solver),
        ("notes", proof["notes"], list(again.notes)),
        ("outputs", body["mechanism"]["outputs"], list(again.y_labels)),
    )
    for name, stated, expected in pairs:
        if reworded(stated) != reworded(expected):
            are = "are" if isinstance(expected, list) else "is"
            return f"its {name} {are} {shown(expected)}, not {shown(stated)}"
    return None
