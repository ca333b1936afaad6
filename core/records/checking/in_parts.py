"""Checks of releases with several mechanisms: of columns in turn, or of groups of known values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.clock import Deadline
from core.data import Counted
from core.errors import CoreError
from core.joint import Joint
from core.limits import MAX_KNOWN_CELLS, ROUNDING
from core.mechanisms import Mechanism
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.outputs import leads
from core.mechanisms.result import changed
from core.notions import Given
from core.notions.base import PointwiseNotion
from core.records import written
from core.records.checking.check import Check, UncheckedError, WrongError, check_named, close
from core.records.checking.figures import UNCOUNTED_DESIGN, agreed, check_utility
from core.records.checking.other_columns import Extremes
from core.records.fields import of_groups
from core.records.recount import UNKNOWN, Recount
from core.records.several import level_of, notion_of
from core.release.in_turn import LEVELS, MOST_HELD, MOST_TOGETHER
from core.scenario import Scenario
from core.validation import FloatArray
from core.wording import number_of

Levels = dict[str, float]
"""How far beliefs about S move, by `LEVELS`."""


@dataclass(frozen=True, eq=False)
class Part:
    """One of several mechanisms: of a column in its turn, or of a group of known values.

    `body`: what a certificate of it alone would have. `table`: its records, (n_s, n_x, n), where n
    are the combinations of what is known and of the outputs before it.
    """

    body: Mapping[str, Any]
    scenario: Scenario
    kernel: FloatArray
    table: FloatArray

    @property
    def after(self) -> FloatArray:
        """P(s, known, y) up to a factor, (n_s, n, n_y)."""
        result: FloatArray = np.einsum("sxk,xy->sky", self.table, self.kernel)
        return result

    def levels(self) -> Levels:
        """Return what its output adds to what is known by then."""
        return _levels(self.after, self.table.sum(axis=1)[:, :, None])


def in_their_turn(
    pairs: Sequence[tuple[Mapping[str, Any], Scenario]],
    kernels: Sequence[FloatArray],
    counts: Sequence[Recount],
    known: Recount | None,
    n_s: int,
    n_k: int,
) -> list[Part] | None:
    """Return the columns by a new count; None where its records are not the same for all.

    `pairs`: what a certificate of each column alone would have, and its question.
    """
    alike = [count.places for count in (*counts, *([] if known is None else [known]))]
    if any(not np.array_equal(places, alike[0]) for places in alike):
        return None
    has = counts[0].secrets >= 0
    s = counts[0].secrets[has]
    k = np.zeros_like(s) if known is None else known.rows[has]
    rows = [count.rows[has] for count in counts]
    outputs, result = 1, []
    for turn, (pair, kernel) in enumerate(zip(pairs, kernels, strict=True)):
        shape = n_s, len(kernel), n_k * outputs
        if math.prod(shape) > MOST_HELD or n_s * n_k * outputs * kernel.shape[1] > MOST_HELD:
            return None
        table = np.zeros(shape)
        kinds, number = np.unique([s, k, *rows[: turn + 1]], axis=1, return_counts=True)
        for (of_s, of_k, *before, x), n in zip(kinds.T.tolist(), number.tolist(), strict=True):
            chance = np.ones(1)
            for own, row in zip(kernels, before, strict=False):
                chance = np.outer(chance, own[row]).ravel()
            table[of_s, x, of_k * outputs : (of_k + 1) * outputs] += n * chance
        result.append(Part(*pair, kernel, table))
        outputs *= kernel.shape[1]
    return result


def check_in_turn(
    body: Mapping[str, Any], scenario: Scenario, columns: Sequence[Part] | None
) -> list[Check]:
    """Check the levels of each column in its turn and of all together, and the promise."""
    if columns is None:
        text = "The columns are not counted for the same records, or have too many combinations."
        return [Check(name, None, text) for name in ("levels", "promise")]
    first = columns[0].table
    n_s, n_k = len(first), first.shape[2]
    of_k = first.sum(axis=1)
    after = columns[-1].after.reshape(n_s, n_k, -1)
    added = [column.levels() for column in columns]
    exact = after.shape[2] <= MOST_TOGETHER
    whole = _levels(after, of_k[:, :, None])
    if not exact:
        whole = {key: math.fsum(own[key] for own in added) for key in LEVELS}
    stated = body["levels"]
    pairs = [
        *(
            (own, of["added"], f" of {of['column']!r}")
            for own, of in zip(added, body["columns"], strict=True)
        ),
        (_levels(of_k, of_k.sum(axis=1)[:, None]), stated["known"], " of what is known"),
        (whole, stated["design"], " of all outputs"),
    ]
    return [_in_turn(pairs, stated, exact=exact), _shares(body, scenario, columns, added, whole)]


@check_named("levels")
def _in_turn(
    pairs: Sequence[tuple[Levels, Mapping[str, Any], str]],
    stated: Mapping[str, Any],
    *,
    exact: bool,
) -> str:
    _compare(pairs)
    if stated["exact"] != exact or stated["records"] is not None or stated["repeated"]:
        raise WrongError(
            "It describes differently how its levels were counted, or repeated releases."
        )
    what = "of each column given those before, and of all together"
    return f"Recomputed with the same result: the levels {what}."


@check_named("promise")
def _shares(
    body: Mapping[str, Any],
    scenario: Scenario,
    columns: Sequence[Part],
    added: Sequence[Levels],
    whole: Levels,
) -> str:
    """Check that each column keeps its share of ε, and that the shares are ε together."""
    total = math.fsum(column.scenario.eps for column in columns)
    if not close(total, scenario.eps):
        raise WrongError(f"The columns' ε add up to {total:.9g}, not {scenario.eps}.")
    for column, own, of in zip(columns, added, body["columns"], strict=True):
        notion, wrong = _broken(column.scenario, own)
        if wrong:
            raise WrongError(
                f"{of['column']!r} breaks {notion}: its level {wrong!r} is {own[wrong]}."
            )
    if body["levels"]["asked"] is None:
        raise WrongError("It states no promise, but its columns satisfy one.")
    return _kept(body, level_of(scenario, whole), " by all outputs together")


def by_groups(
    body: Mapping[str, Any], scenario: Scenario, counted: Recount, known: Recount
) -> tuple[Recount, list[Part]] | None:
    """Return the records by the rows of all groups, and the groups; None where they do not fit."""
    names, labels = body["known"]["inputs"], body["design"]["x"]
    n_s, n_x, n_k = len(body["design"]["s"]), len(labels), len(names)
    alike = np.array_equal(counted.places, known.places)
    if not alike or n_s * n_x * n_k > MAX_KNOWN_CELLS:
        return None
    counts, has = np.zeros((n_s, n_x, n_k)), counted.secrets >= 0
    np.add.at(counts, (counted.secrets[has], counted.rows[has], known.rows[has]), 1)
    places, symbols = ({name: i for i, name in enumerate(own)} for own in (names, labels))
    pair, groups, begin = np.full((n_k, n_x), UNKNOWN), [], 0
    for group, part in zip(body["groups"], of_groups(body), strict=True):
        ks = [places[value] for value in group["values"]]
        xs = [symbols[label] for label in group["mechanism"]["inputs"]]
        own = counts[:, :, ks]
        if np.flatnonzero(own.sum(axis=(0, 2))).tolist() != xs or own.sum() != group["records"]:
            return None
        pair[np.ix_(ks, xs)] = np.arange(len(xs)) + begin
        begin += len(xs)
        groups.append(Part(part, scenario, written.read(part["mechanism"]), own[:, xs]))
    rows = pair[known.rows, counted.rows]
    if (rows < 0).any():
        return None
    return replace(counted, rows=rows), groups


def check_groups(
    body: Mapping[str, Any],
    scenario: Scenario,
    groups: list[Part],
    library: Counted | None,
) -> list[list[Check]]:
    """Check the levels and the promise of all groups, then utility and proof of each."""
    worst = [group.levels() for group in groups]
    utilities, proofs = [], []
    deadline = Deadline.after(scenario.time_limit * len(groups))  # as where they were made
    for left, group in zip(range(len(groups), 0, -1), groups, strict=True):
        cells = group.table.sum(axis=2)
        joint = Joint.from_counts(cells, body["design"]["s"], group.body["mechanism"]["inputs"])
        own = None if library is None else replace(library, joint=joint, x_values=None)
        utilities.append(check_utility(group.body, scenario, cells, own, group.kernel))
        seconds = max(deadline.left / left, 1e-3)
        proofs.append(_proof(group, joint, seconds))
    levels, promise = _of_groups(body, scenario, groups, worst), _each(body, scenario, worst)
    return [[levels], [promise], utilities, proofs]


@check_named("levels")
def _of_groups(
    body: Mapping[str, Any], scenario: Scenario, groups: list[Part], worst: list[Levels]
) -> str:
    """Compare the levels of each group, of all of them and of what is known with a new count."""
    stated = body["levels"]
    of_k = np.concatenate([group.table.sum(axis=1) for group in groups], axis=1)
    whole = {key: max(own[key] for own in worst) for key in LEVELS}
    of_known = _levels(of_k, of_k.sum(axis=1)[:, None])
    _compare(
        [
            (whole, stated["design"], " given what is known"),
            (of_known, stated["known"], " of what is known"),
        ]
    )
    for own, group in zip(worst, body["groups"], strict=True):
        level = level_of(scenario, own)
        if not close(level, group["level"]):
            first = group["values"][0]
            raise WrongError(f"The level given {first!r} is {level:.9g}, not {group['level']}.")
    if stated["records"] is not None or stated["repeated"]:
        raise WrongError("It has levels of its records, or of repeated releases.")
    what = f"the levels of {number_of(len(groups), 'group')}, of all, and of what is known"
    return f"Recomputed with the same result: {what}."


@check_named("promise")
def _each(body: Mapping[str, Any], scenario: Scenario, worst: list[Levels]) -> str:
    """Check that the notion holds given each value of what is known."""
    for own, group in zip(worst, body["groups"], strict=True):
        notion, wrong = _broken(scenario, own)
        if wrong:
            given = f"Given {group['values'][0]!r}"
            raise WrongError(f"{given}, {notion} is violated: level {own[wrong]:.6g}.")
    if body["levels"]["asked"] is None:
        raise WrongError("It states no promise, but its mechanisms keep one.")
    return _kept(body, max(level_of(scenario, own) for own in worst))


@check_named("proof")
def check_proof_in_turn(column: Part, counted: Counted | None) -> str:
    """Search again for the best mechanism of a column's share, given those before it."""
    if counted is None:
        raise UncheckedError(UNCOUNTED_DESIGN)
    again = _searched(column, counted.joint, column.scenario.time_limit, " for the column")
    return agreed(column.body, column.scenario, again, column.kernel)


@check_named("proof")
def _proof(group: Part, joint: Joint, seconds: float) -> str:
    """Search again for the best mechanism of a group, in so many seconds."""
    again = _searched(group, joint, seconds)
    again = changed(again, y_labels=leads(again.y_labels))
    return agreed(group.body, group.scenario, again, group.kernel)


def _searched(part: Part, joint: Joint, seconds: float, what: str = "") -> Mechanism:
    """Return the best mechanism found for a part's ε given what is known."""
    question, some = part.scenario, part.table.any(axis=(1, 2))
    try:
        return optimal(
            joint,
            Given(notion_of(question)(question.eps), part.table[some]),
            time_limit=seconds,
            gap=question.gap,
            seed=question.seed,
        )
    except CoreError as error:
        raise UncheckedError(f"A new search{what} failed: {error}") from error


def _compare(pairs: Sequence[tuple[Levels, Mapping[str, Any], str]]) -> None:
    """Raise where levels are not those stated; with each pair, what the levels are of."""
    for own, levels, what in pairs:
        if levels.keys() != own.keys():
            raise WrongError(f"It has other levels{what} than {list(own)}.")
        for key, value in own.items():
            if not close(value, levels[key]):
                raise WrongError(f"The level {key!r}{what} is {value:.9g}, not {levels[key]}.")


def _broken(question: Scenario, own: Levels) -> tuple[PointwiseNotion, str]:
    """Return a question's notion, and the first of its levels that is too high, or ""."""
    notion = notion_of(question)(question.eps)
    wrong = [key for key, most in notion.named_levels().items() if own[key] > most + ROUNDING]
    return notion, wrong[0] if wrong else ""


def _kept(body: Mapping[str, Any], reached: float, by: str = "") -> str:
    """Say that the promise is kept, if it is stated with the level reached."""
    stated = body["levels"]["asked"]
    if not close(reached, stated["achieved"]) or stated["holds"] is not True:
        text = f"{stated['notion']} is satisfied at {reached:.9g}, not {stated['achieved']}."
        raise WrongError(text)
    return f"{stated['notion']} is satisfied{by}: level {reached:.6g}."


def _levels(after: FloatArray, before: FloatArray) -> Levels:
    """Return how far beliefs move, by masses of S before and after, secrets first; they fit."""
    masses = np.broadcast_to(before, after.shape).reshape(len(after), -1)
    own = after.reshape(len(after), -1)
    there = own.sum(axis=0) > 0
    own, masses = own[:, there], masses[:, there]
    prior = masses / masses.sum(axis=0)
    seen = Extremes()
    seen.see(own / own.sum(axis=0), prior, prior > 0)
    return {key: level for key, level in seen.levels().items() if key in LEVELS}
