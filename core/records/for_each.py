"""A release with a mechanism for each group of values of what others know, K."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace

import numpy as np

from core.data import Counted
from core.data.counts.counting import count_file
from core.data.tables import FileTable
from core.data.treatment.symbols import distinct
from core.errors import InvalidInputError
from core.joint import JOINER, Joint
from core.limits import MAX_WRITTEN
from core.mechanisms import ForEach, Mechanism, optimal_for_each
from core.mechanisms.optima.for_each import for_groups
from core.mechanisms.outputs import leads
from core.mechanisms.result import CUT, changed, make_mechanism
from core.records.coded import UNKNOWN, CountedPairs
from core.records.several import check_question, counted_together, spec_of
from core.scenario import Result, Scenario, measured
from core.three_way import ThreeWay
from core.validation import FloatArray
from core.wording import number_of

WHAT = "use a mechanism for each value of what others know"
"""What is done, for an error's sentence."""


@dataclass(frozen=True, eq=False)
class ResultForEach(Result):
    """The answer with mechanisms for groups, as one that reads pairs of a group and its X.

    `each`: the mechanisms; its known values are the symbols of `counted.known`.
    """

    counted: CountedPairs
    each: ForEach = field(kw_only=True)

    @property
    def values(self) -> tuple[tuple[str, ...], ...]:
        """The names of the known values of each group."""
        names = self.counted.known.joint.x_labels
        return tuple(tuple(names[k] for k in group) for group in self.each.groups)


def check_for_each(scenario: Scenario) -> None:
    """Raise unless a scenario's question can have a mechanism for each value of what is known."""
    check_question(scenario, WHAT)
    if not scenario.data.known:
        raise InvalidInputError(f"To {WHAT}, the question must say what others know.")


def check_file(scenario: Scenario, table: FileTable) -> None:
    """Raise unless each person has one record in a file that is to have such a release."""
    check_for_each(scenario)
    if table.most > 1:
        raise InvalidInputError(f"To {WHAT}, no person may have several records.")


def designed_for_each(
    result: Result,
    table: FileTable,
    least: int,
    longer: int = 1,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> ResultForEach:
    """Return the best mechanisms found for each group of values of what others know.

    Outputs are named by their likeliest X: groups have names in common, so that a name does not
    show the group to those who do not know it.

    `least`: number of records from which a value has a mechanism of its own; the others share one.
    `longer`: how many times as long as the scenario's time limit each search may take. `progress`
    is called with the number of mechanisms that are made, and that of all.

    Raises
    ------
    InvalidInputError
        If the question is another one, a person has several records, there are too many groups,
        records with missing values are left out, or the mechanisms are too large for a certificate.
    """
    scenario, data = result.scenario, result.scenario.data
    check_file(scenario, table)
    known = count_file(table, spec := spec_of(data, data.known))
    counts = counted_together([(result.counted, data), (known, spec)], table)
    joint = replace(result.joint, known=ThreeWay.of(counts))
    seconds = scenario.time_limit * longer * len(for_groups(counts, least))
    each = optimal_for_each(
        joint,
        scenario.build_notion(joint),
        least=least,
        time_limit=seconds,
        gap=scenario.gap,
        seed=scenario.seed,
        progress=progress,
    )
    named = tuple(changed(own, y_labels=leads(own.y_labels)) for own in each.mechanisms)
    each = replace(each, mechanisms=named)
    counted = _pairs(result.counted, known, counts, each)
    made = measured(scenario, counted, _as_one(scenario, counted.joint, each))
    return ResultForEach(**{own.name: getattr(made, own.name) for own in fields(made)}, each=each)


def _pairs(alone: Counted, known: Counted, counts: FloatArray, each: ForEach) -> CountedPairs:
    """Return the count of S and the pairs of X and a group, which are rows of its mechanism."""
    n_s, n_x, n_k = counts.shape
    pair = np.full((n_k + 1, n_x + 1), UNKNOWN)
    names: list[str] = []
    for group, joint in zip(each.groups, each.joints, strict=True):
        pair[np.ix_(group, joint.kept_x)] = np.arange(joint.n_x) + len(names)
        title = known.joint.x_labels[group[0]]
        title = title if len(group) == 1 else f"{number_of(len(group), 'value')} such as {title}"
        names += [f"{title}{JOINER}{label}" for label in joint.x_labels]
    table = ThreeWay.of(counts)
    of_pair = replace(table, x=pair[table.k, table.x], shape=(n_s, len(names), n_k))
    sums = np.zeros(of_pair.shape[:2])
    np.add.at(sums, (of_pair.s, of_pair.x), of_pair.weight)
    joint = Joint.from_counts(sums, alone.joint.s_labels, distinct(names))
    return CountedPairs(
        replace(joint, known=of_pair),
        alone.report,
        codings=alone.codings,
        alone=alone,
        known=known,
        pair=pair,
    )


def _as_one(scenario: Scenario, joint: Joint, each: ForEach) -> Mechanism:
    """Return all mechanisms as one of the pairs of X and a group, which keeps I(X;Y|K)."""
    names = list(dict.fromkeys(name for own in each.mechanisms for name in own.y_labels))
    if joint.n_x * len(names) > MAX_WRITTEN:
        raise InvalidInputError(
            f"The mechanisms have {joint.n_x:,} rows and {len(names):,} outputs together: "
            f"{joint.n_x * len(names):,} entries; at most {MAX_WRITTEN:,} are allowed. Group rare "
            "levels, or let more rare values share a mechanism."
        )
    place = {name: y for y, name in enumerate(names)}
    kernel = np.zeros((joint.n_x, len(names)))
    begin = 0
    for own in each.mechanisms:
        rows = own.kernel
        kernel[begin : begin + len(rows), [place[name] for name in own.y_labels]] = rows
        begin += len(rows)
    made = make_mechanism(
        joint,
        kernel,
        name=each.mechanisms[0].name,
        notion=scenario.build_notion(joint),
        solver=each.mechanisms[0].solver,
        status="optimal" if each.proven else CUT,
        y_labels=names,
    )
    most = float(each.share @ each.most)
    share = min(1.0, each.information / most) if most else 1.0
    bound = max(each.upper_bound, each.information)
    return changed(
        made,
        utility=each.information,
        information=each.information,
        upper_bound=bound,
        gap=bound - each.information,
        nmi=share,
        kept=share,
    )
