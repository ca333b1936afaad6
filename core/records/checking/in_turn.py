"""Checks of several columns together: levels by their definition, the promise, and each proof."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data import Counted
from core.errors import CoreError
from core.limits import ROUNDING
from core.mechanisms.optima.optimal import optimal
from core.notions import Given
from core.records.checking.check import Check, close
from core.records.checking.figures import agreed
from core.records.checking.other_columns import Extremes
from core.records.recount import Recount
from core.records.several import level_of, notion_of
from core.release.in_turn import LEVELS, MOST_HELD, MOST_TOGETHER
from core.scenario import Scenario
from core.validation import FloatArray


@dataclass(frozen=True, eq=False)
class Column:
    """One column in its turn: its question, its kernel, and its records before it is released.

    `table`: shape (n_s, n_x, n), where n are the combinations of what is known and of the outputs
    before it.
    """

    scenario: Scenario
    kernel: FloatArray
    table: FloatArray

    @property
    def after(self) -> FloatArray:
        """P(s, known, y) up to a factor, (n_s, n, n_y)."""
        result: FloatArray = np.einsum("sxk,xy->sky", self.table, self.kernel)
        return result

    def levels(self) -> dict[str, float]:
        """Return what its output adds to what is known by then."""
        return _levels(self.after, self.table.sum(axis=1)[:, :, None])


def in_their_turn(
    scenarios: Sequence[Scenario],
    kernels: Sequence[FloatArray],
    counts: Sequence[Recount],
    known: Recount | None,
    n_s: int,
    n_k: int,
) -> list[Column] | None:
    """Return the columns by a new count; None where its records are not the same for all."""
    alike = [count.places for count in (*counts, *([] if known is None else [known]))]
    if any(not np.array_equal(places, alike[0]) for places in alike):
        return None
    has = counts[0].secrets >= 0
    s = counts[0].secrets[has]
    k = np.zeros_like(s) if known is None else known.rows[has]
    rows = [count.rows[has] for count in counts]
    outputs, result = 1, []
    for turn, (scenario, kernel) in enumerate(zip(scenarios, kernels, strict=True)):
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
        result.append(Column(scenario, kernel, table))
        outputs *= kernel.shape[1]
    return result


def check_in_turn(
    body: Mapping[str, Any], scenario: Scenario, columns: Sequence[Column] | None
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
    return [_compared(pairs, stated, exact=exact), _promise(body, scenario, columns, added, whole)]


def _compared(
    pairs: Sequence[tuple[dict[str, float], Mapping[str, Any], str]],
    stated: Mapping[str, Any],
    *,
    exact: bool,
) -> Check:
    for own, levels, what in pairs:
        if levels.keys() != own.keys():
            return Check("levels", False, f"It has other levels{what} than {list(own)}.")
        for key, value in own.items():
            if not close(value, levels[key]):
                text = f"The level {key!r}{what} is {value:.9g}, not {levels[key]}."
                return Check("levels", False, text)
    if stated["exact"] != exact or stated["records"] is not None or stated["repeated"]:
        text = "It describes differently how its levels were counted, or repeated releases."
        return Check("levels", False, text)
    what = "of each column given those before, and of all together"
    return Check("levels", True, f"Recomputed with the same result: the levels {what}.")


def _promise(
    body: Mapping[str, Any],
    scenario: Scenario,
    columns: Sequence[Column],
    added: Sequence[dict[str, float]],
    whole: dict[str, float],
) -> Check:
    """Check that each column keeps its share of ε, and that the shares are ε together."""
    shares = [column.scenario.eps for column in columns]
    total, stated = math.fsum(shares), body["levels"]["asked"]
    if not close(total, scenario.eps):
        return Check("promise", False, f"The columns' ε add up to {total:.9g}, not {scenario.eps}.")
    for column, own, of in zip(columns, added, body["columns"], strict=True):
        notion = notion_of(scenario)(column.scenario.eps)
        wrong = [k for k, most in notion.named_levels().items() if own[k] > most + ROUNDING]
        if wrong:
            text = f"{of['column']!r} breaks {notion}: its level {wrong[0]!r} is {own[wrong[0]]}."
            return Check("promise", False, text)
    if stated is None:
        return Check("promise", False, "It states no promise, but its columns satisfy one.")
    reached = level_of(scenario, whole)
    if not close(reached, stated["achieved"]) or stated["holds"] is not True:
        text = f"{stated['notion']} is satisfied at {reached:.9g}, not {stated['achieved']}."
        return Check("promise", False, text)
    text = f"{stated['notion']} is satisfied by all outputs together: level {reached:.6g}."
    return Check("promise", True, text)


def check_proof_in_turn(body: Mapping[str, Any], column: Column, counted: Counted | None) -> Check:
    """Search again for the best mechanism of a column's share, given those before it.

    `body`: what a certificate of the column alone would have.
    """
    if counted is None:
        text = "The proof cannot be checked: the data of the design were not counted."
        return Check("proof", None, text)
    question = column.scenario
    try:
        again = optimal(
            counted.joint,
            Given(notion_of(question)(question.eps), column.table),
            time_limit=question.time_limit,
            gap=question.gap,
            seed=question.seed,
        )
    except CoreError as error:
        return Check("proof", None, f"A new search for the column failed: {error}")
    return agreed(body, question, again, column.kernel)


def _levels(after: FloatArray, before: FloatArray) -> dict[str, float]:
    """Return how far beliefs move, by masses of S before and after, secrets first; they fit."""
    masses = np.broadcast_to(before, after.shape).reshape(len(after), -1)
    own = after.reshape(len(after), -1)
    there = own.sum(axis=0) > 0
    own, masses = own[:, there], masses[:, there]
    prior = masses / masses.sum(axis=0)
    seen = Extremes()
    seen.see(own / own.sum(axis=0), prior, prior > 0)
    return {key: level for key, level in seen.levels().items() if key in LEVELS}
