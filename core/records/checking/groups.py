"""Checks of mechanisms for groups of known values: rows, levels by definition, and each proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.clock import Deadline
from core.data import Counted
from core.errors import CoreError
from core.joint import Joint
from core.limits import MAX_KNOWN_CELLS, ROUNDING
from core.mechanisms.optima.optimal import optimal
from core.mechanisms.outputs import leads
from core.mechanisms.result import changed
from core.notions import Given
from core.records import written
from core.records.checking.check import Check, close
from core.records.checking.figures import agreed, check_utility
from core.records.fields import of_groups
from core.records.recount import UNKNOWN, Recount, plain_levels, released
from core.records.several import level_of, notion_of
from core.release.in_turn import LEVELS
from core.scenario import Scenario
from core.validation import FloatArray
from core.wording import number_of


@dataclass(frozen=True, eq=False)
class Group:
    """What a certificate of one group would have, its kernel, and counts (n_s, n_x, n_k) of it."""

    body: Mapping[str, Any]
    kernel: FloatArray
    counts: FloatArray

    def levels(self) -> list[dict[str, float]]:
        """Return the levels given each of its values of what is known."""
        return [
            {key: level for key, level in plain_levels(own).items() if key in LEVELS}
            for k in range(self.counts.shape[2])
            if len(own := released(self.counts[:, :, k], self.kernel, False))
        ]


def by_groups(
    body: Mapping[str, Any], counted: Recount, known: Recount
) -> tuple[Recount, list[Group]] | None:
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
        groups.append(Group(part, written.read(part["mechanism"]), own[:, xs]))
    rows = pair[known.rows, counted.rows]
    if (rows < 0).any():
        return None
    return replace(counted, rows=rows), groups


def check_groups(
    body: Mapping[str, Any],
    scenario: Scenario,
    groups: list[Group],
    library: Counted | None,
) -> list[list[Check]]:
    """Check the levels and the promise of all groups, then utility and proof of each."""
    given = [group.levels() for group in groups]
    worst = [{key: max(own[key] for own in each) for key in LEVELS} for each in given]
    checks = [_levels(body, scenario, groups, worst), _promise(body, scenario, worst)]
    utilities, proofs = [], []
    deadline = Deadline.after(scenario.time_limit * len(groups))  # as where they were made
    for left, group in zip(range(len(groups), 0, -1), groups, strict=True):
        cells = group.counts.sum(axis=2)
        joint = Joint.from_counts(cells, body["design"]["s"], group.body["mechanism"]["inputs"])
        own = None if library is None else replace(library, joint=joint, x_values=None)
        utilities.append(check_utility(group.body, scenario, cells, own, group.kernel))
        seconds = max(deadline.left / left, 1e-3)
        proofs.append(_proof(group, scenario, joint, seconds))
    return [*([check] for check in checks), utilities, proofs]


def _levels(
    body: Mapping[str, Any],
    scenario: Scenario,
    groups: list[Group],
    worst: list[dict[str, float]],
) -> Check:
    """Compare the levels of each group, of all of them and of what is known with a new count."""
    stated = body["levels"]
    by_k = np.concatenate([group.counts.sum(axis=1) for group in groups], axis=1)
    alone = plain_levels((by_k / by_k.sum()).tolist())
    whole = {key: max(own[key] for own in worst) for key in LEVELS}
    for own, levels, what in (
        (whole, stated["design"], "given what is known"),
        ({key: alone[key] for key in LEVELS}, stated["known"], "of what is known"),
    ):
        if levels.keys() != own.keys():
            return Check("levels", False, f"It has other levels {what} than {list(own)}.")
        for key, value in own.items():
            if not close(value, levels[key]):
                text = f"The level {key!r} {what} is {value:.9g}, not {levels[key]}."
                return Check("levels", False, text)
    for own, group in zip(worst, body["groups"], strict=True):
        level = level_of(scenario, own)
        if not close(level, group["level"]):
            text = f"The level given {group['values'][0]!r} is {level:.9g}, not {group['level']}."
            return Check("levels", False, text)
    if stated["records"] is not None or stated["repeated"]:
        return Check("levels", False, "It has levels of its records, or of repeated releases.")
    what = f"the levels of {number_of(len(groups), 'group')}, of all, and of what is known"
    return Check("levels", True, f"Recomputed with the same result: {what}.")


def _promise(body: Mapping[str, Any], scenario: Scenario, worst: list[dict[str, float]]) -> Check:
    """Check that the notion holds given each value of what is known."""
    stated, notion = body["levels"]["asked"], notion_of(scenario)(scenario.eps)
    for own, group in zip(worst, body["groups"], strict=True):
        wrong = [k for k, most in notion.named_levels().items() if own[k] > most + ROUNDING]
        if wrong:
            text = f"Given {group['values'][0]!r}, {notion} is violated: level {own[wrong[0]]:.6g}."
            return Check("promise", False, text)
    if stated is None:
        return Check("promise", False, "It states no promise, but its mechanisms keep one.")
    reached = max(level_of(scenario, own) for own in worst)
    if not close(reached, stated["achieved"]) or stated["holds"] is not True:
        text = f"{stated['notion']} is satisfied at {reached:.9g}, not {stated['achieved']}."
        return Check("promise", False, text)
    return Check("promise", True, f"{stated['notion']} is satisfied: level {reached:.6g}.")


def _proof(group: Group, scenario: Scenario, joint: Joint, seconds: float) -> Check:
    """Search again for the best mechanism of a group, in so many seconds."""
    some = group.counts.any(axis=(1, 2))
    try:
        again = optimal(
            joint,
            Given(notion_of(scenario)(scenario.eps), group.counts[some]),
            time_limit=seconds,
            gap=scenario.gap,
            seed=scenario.seed,
        )
    except CoreError as error:
        return Check("proof", None, f"A new search failed: {error}")
    again = changed(again, y_labels=leads(again.y_labels))
    return agreed(group.body, scenario, again, group.kernel)
