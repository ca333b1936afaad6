"""Several columns of a file, each randomized separately, under one promise about all outputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from core.clock import watching
from core.data import Counted
from core.data.counts.counting import count_file
from core.data.spec import DataSpec
from core.data.tables import FileTable
from core.errors import InvalidInputError
from core.joint import Joint
from core.limits import ROUNDING
from core.mechanisms.outputs import in_reading_order
from core.mechanisms.result import CUT, on_joint
from core.notions import Given, Notion
from core.notions import catalogue as notions
from core.notions.base import PointwiseNotion
from core.records.design import REFUSE, Plan
from core.records.other_columns import grouped, opened_file, symbols, used_by
from core.release.in_turn import MOST_HELD, Design, InTurn, released_in_turn, split_budget
from core.scenario import Result, Scenario, measured
from core.validation import FloatArray, shown
from core.wording import listed

ADDING = ("lip", "alip", "ldp", "pml", "min_lift")
"""Keys of the notions whose levels add up along outputs, each given those before."""

SEARCHES = 4
"""Time of a search for orders and budgets, in time limits of one mechanism."""


@dataclass(frozen=True, eq=False)
class Several:
    """Columns that are released one after the other, under a promise about all outputs.

    Attributes
    ----------
    whole : Scenario
        The question: its X are all columns, in the order of release, and its ε is for all.
    results : tuple of Result
        The answer for each column, in that order. The ε of its question is its share.
    in_turn : InTurn
        What the outputs reveal.
    known : Counted or None
        The columns that others know, counted as if they were X; None where there are none.
    finished : bool
        Whether the search for orders, shares and mechanisms ended before its time limit.
    """

    whole: Scenario
    results: tuple[Result, ...]
    in_turn: InTurn
    known: Counted | None
    finished: bool

    @property
    def levels(self) -> dict[str, float]:
        """The levels of all outputs given what is known: exact, or those of the columns added."""
        if self.in_turn.together is not None:
            exact = self.in_turn.together.added
            return {key: exact[key] for key in self.in_turn.bound}
        added = self.in_turn.added
        return {key: math.fsum(own[key] for own in added) for key in self.in_turn.bound}

    @property
    def holds(self) -> bool:
        """Whether each column keeps the notion at its share, and thus all keep it together."""
        pairs = zip(self.results, self.in_turn.added, strict=True)
        return all(keeps_share(own.scenario, added) for own, added in pairs)


def keeps_share(scenario: Scenario, levels: dict[str, float]) -> bool:
    """Say whether levels are within the notion of a scenario."""
    named = notion_of(scenario)(scenario.eps).named_levels()
    return all(levels[key] <= most + ROUNDING for key, most in named.items())


def level_of(scenario: Scenario, levels: dict[str, float]) -> float:
    """Return the level of a scenario's notion by "lip", "ldp", "pml" and "min_lift"."""
    if scenario.notion in levels:
        return levels[scenario.notion]
    return notion_of(scenario)(scenario.eps).combined(levels["min_lift"], levels["pml"])


def notion_of(scenario: Scenario) -> Callable[[float], PointwiseNotion]:
    """Return what makes a scenario's notion of ε, for those who know nothing else."""
    joint = Joint.from_counts(np.eye(2))  # none of these notions depends on it

    def made(eps: float) -> PointwiseNotion:
        notion = notions.build(scenario.notion, joint, replace(scenario.numbers, eps=eps))
        return cast(PointwiseNotion, notion)

    return made


def spec_of(data: DataSpec, columns: Sequence[str]) -> DataSpec:
    """Return data with other columns of X; columns that others know are then not known."""
    known = () if set(columns) & set(data.known) else data.known
    rare = 0 if not known and data.known else data.rare_below
    return replace(data, released=tuple(columns), known=known, rare_below=rare)


def check_question(scenario: Scenario, what: str = "randomize several columns separately") -> None:
    """Raise unless a scenario's question can be about `what`: by default, several columns."""
    data = scenario.data
    titles = [notions.entry(key).title for key in ADDING]
    for wrong, text in (
        (scenario.notion not in ADDING, f"the notion must be {', '.join(titles)}"),
        (bool(scenario.also), "there must be one notion, without further ones"),
        (scenario.mechanism != "optimal", "the mechanism must be the optimum"),
        (scenario.purpose != "information", "all of X must count, not a task or an error"),
        (data.secret_released, "X must not include S"),
        (bool(data.left_out), "no symbols may be left out"),
        (bool(data.read.sampling), "records must not have sampling weights"),
    ):
        if wrong:
            raise InvalidInputError(f"To {what}, {text}.")


def check_plan(
    plan: Plan, *, same: bool, what: str = "Several columns are randomized separately"
) -> None:
    """Raise unless a plan suits `what` is done; `same`: in the file the mechanisms are for."""
    if plan.unknown != REFUSE or not same:
        raise InvalidInputError(
            f"{what} only in the file that the mechanisms are made for, and where records with "
            "unknown values stop the release."
        )


def check_several(scenario: Scenario, table: FileTable, columns: Sequence[str]) -> None:
    """Raise unless further columns of a file can be randomized beside a scenario's X."""
    check_question(scenario)
    if table.most > 1:
        raise InvalidInputError(
            "To randomize several columns separately, no person may have several records."
        )
    data = scenario.data
    taken = dict.fromkeys(data.secret, "S") | dict.fromkeys(data.released, "X")
    taken |= dict.fromkeys(data.known, "known to others")
    for name in columns:
        if name in taken:
            raise InvalidInputError(
                f"{shown(name)} is {taken[name]} already, so it cannot be randomized separately."
            )
        if name not in table.columns:
            raise InvalidInputError(f"{table.title} has no column {shown(name)}.")
        taken[name] = "named"


def designed_for(
    result: Result, table: FileTable, columns: Sequence[str], longer: int = 1
) -> Several:
    """Return the best mechanisms found for X and further columns, under one promise for all.

    Each is the best for its share of ε, given what is known and the outputs before; order and
    shares are those of `split_budget`.

    Parameters
    ----------
    result : Result
        The answer to a scenario about the file: its question for X, with ε for all columns.
    table : FileTable
        The records.
    columns : sequence of str
        The columns that are randomized separately, beside X.
    longer : int
        How many times as long as the scenario's time limit allows the search may take.

    Raises
    ------
    InvalidInputError
        If a column is S, X, known, not in the file or named twice, the levels of the notion do not
        add up, the mechanism is not the optimum, or the columns have too many combinations.
    """
    scenario, data = result.scenario, result.scenario.data
    check_several(scenario, table, columns)
    specs = [spec_of(data, names) for names in (data.released, *((name,) for name in columns))]
    counts = [result.counted, *(count_file(table, spec) for spec in specs[1:])]
    sides, known = list(zip(counts, specs, strict=True)), None
    if data.known:
        spec = spec_of(data, data.known)
        known = count_file(table, spec)
        sides.append((known, spec))
    joint = counted_together(sides, table)
    of_all = joint if known is not None else joint[..., None]
    made, shares, finished = _designed(of_all, scenario, longer * scenario.time_limit)
    results = []
    for column, mechanism, eps in zip(made.order, made.mechanisms, shares, strict=True):
        question = replace(scenario, data=specs[column], eps=eps)
        own = counts[column].joint
        named = on_joint(own, mechanism, *in_reading_order(own, mechanism.kernel))
        results.append(measured(question, counts[column], named))
    released = tuple(name for own in results for name in own.scenario.data.released)
    whole = replace(scenario, data=replace(data, released=released))
    return Several(whole, tuple(results), made.released, known, finished)


def _designed(
    joint: FloatArray, scenario: Scenario, seconds: float
) -> tuple[Design, tuple[float, ...], bool]:
    """Return the mechanisms and the share of ε of each, in order, and whether the search ended.

    `seconds`: time limit of one mechanism.
    """
    make, share = notion_of(scenario), dict[Notion, float]()

    def notion(eps: float) -> Notion:
        made = make(eps)
        share[made] = eps
        return made

    with watching() as watch:
        made = split_budget(
            *(joint, scenario.eps, notion, SEARCHES * seconds, scenario.gap, scenario.seed)
        )
    if any(own.status == CUT for own in made.mechanisms):
        turns = zip(made.order, made.mechanisms, strict=True)
        notions_at = {column: cast(Given, own.notion).notion for column, own in turns}
        again = released_in_turn(
            *(joint, [notions_at[column] for column in range(len(made.order))], made.order),
            *(seconds, scenario.gap, scenario.seed),
        )
        made = max(again, made, key=lambda design: design.kept)
    shares = tuple(share[cast(Given, own.notion).notion] for own in made.mechanisms)
    return made, shares, not watch.cut


def counted_together(sides: Sequence[tuple[Counted, DataSpec]], table: FileTable) -> FloatArray:
    """Return the records of each combination of S and the symbols of each X, (n_s, n_1, …).

    `sides`: for each X its count, and its data.
    """
    joints = [counted.joint for counted, _ in sides]
    names = listed([repr(counted.report.released) for counted, _ in sides])
    shape = joints[0].n_s, *(joint.n_x for joint in joints)
    if math.prod(shape) > MOST_HELD:
        raise InvalidInputError(
            f"S, {names} have {math.prod(shape):,} combinations; at most {MOST_HELD:,} are "
            "allowed: merge rare values, or randomize fewer columns."
        )
    own = [(counted, spec, counted.joint.n_x) for counted, spec in sides]
    with opened_file(own, table) as (opened, records, coders):
        rows = grouped(opened, records, used_by(coders), (), of_text=False)
        s, xs, counts = symbols(rows, coders)
        n = rows.column(len(used_by(coders))).to_numpy()[counts]
    result = np.zeros(shape)
    np.add.at(result, (s, *xs), n)
    for axis, joint in enumerate(joints, 1):
        sums = result.sum(axis=tuple(other for other in range(1, result.ndim) if other != axis))
        alike = joint.s_labels == joints[0].s_labels
        if not alike or (sums != np.rint(joint.p * (joint.n or 0))).any():
            raise InvalidInputError(
                f"{names} are not counted for the same records, because values are missing: count "
                "missing values as a level."
            )
    return result
