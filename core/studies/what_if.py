"""Questions about the same data with coarser symbols: two merged, one left out, a level up."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace

import numpy as np

from core.data import Sources, count
from core.data.counts.counting import count_joint
from core.data.counts.report import Counted
from core.data.joints import matrix_id, parse_matrix
from core.data.spec import DataSpec, LeftOut, Merge
from core.data.treatment.generalise import at_level
from core.data.treatment.symbols import distinct, name_symbols
from core.errors import CoreError
from core.joint import Joint
from core.measures import entropy, lift, mutual_information
from core.scenario import Scenario
from core.validation import FloatArray, whole

MERGED, LEFT_OUT = "merged", "left out"


@dataclass(frozen=True, eq=False)
class Variant:
    """A question with a symbol of X `MERGED` or `LEFT_OUT`; `matrix` is the joint, as text."""

    how: str
    partner: str
    scenario: Scenario
    matrix: str

    @property
    def is_matrix(self) -> bool:
        return self.scenario.data.source.startswith("matrix:")

    def counted(self) -> Counted:
        """Return its joint, that which `count` gives of its data."""
        return count_joint(parse_matrix(self.matrix), self.scenario.data)


def variants(scenario: Scenario, counted: Counted, x: int) -> tuple[Variant, ...]:
    """Return the questions in which a symbol of X is merged with the nearest one, or left out."""
    joint = counted.joint
    at = whole(x, "The place of the symbol", low=0, high=joint.n_x - 1)
    data = scenario.data
    if data.secret_released or data.known or joint.n_x < 3:  # others know K beside a pasted table
        return ()
    other = nearest(joint, at)
    low, high = sorted((at, other))
    weights = _weights(joint)
    both = np.delete(weights, high, axis=1)
    both[:, low] += weights[:, high]
    names = list(joint.x_labels)
    names[low] = f"{names[at]} or {names[other]}"
    del names[high]
    questions: list[tuple[str, str, FloatArray, list[str], DataSpec | None]] = [
        (MERGED, joint.x_labels[other], both, names, _together(scenario.data, counted, at, other))
    ]
    fewer = np.delete(weights, at, axis=1)
    rest = [name for place, name in enumerate(joint.x_labels) if place != at]
    questions.append((LEFT_OUT, "", fewer, rest, _left_out(scenario.data, counted, at)))
    return tuple(
        _variant(scenario, how, partner, _written(table, joint.s_labels, labels), data)
        for how, partner, table, labels, data in questions
        if (table.sum(axis=1) > 0).sum() >= 2
    )


def nearest(joint: Joint, x: int) -> int:
    """Return the symbol whose P(S | X) is nearest to that of x, in total variation."""
    beliefs = joint.p / joint.p_x
    far = np.abs(beliefs - beliefs[:, [x]]).sum(axis=0)
    far[x] = np.inf
    return int(far.argmin())


def _variant(
    scenario: Scenario, how: str, partner: str, matrix: str, data: DataSpec | None
) -> Variant:
    pasted = DataSpec(f"matrix:{matrix_id(matrix)}", (), ())
    return Variant(how, partner, replace(scenario, data=data or pasted), matrix)


def _weights(joint: Joint) -> FloatArray:
    """Return the counts behind a joint, else its probabilities, shape (n_s, n_x)."""
    return joint.p.copy() if joint.counts is None else joint.counts


def _written(weights: FloatArray, s_labels: tuple[str, ...], x_labels: list[str]) -> str:
    counts = (weights == np.rint(weights)).all() and weights.sum() > 1
    table = weights if counts else weights / weights.sum()
    text = io.StringIO()
    lines = csv.writer(text, delimiter="\t", lineterminator="\n")
    lines.writerow(["", *distinct([_plain(name) for name in x_labels])])
    for name, row in zip(distinct([_plain(name) for name in s_labels]), table, strict=True):
        cells = [str(int(cell)) if counts else repr(float(cell)) for cell in row]
        lines.writerow([name, *cells])
    return text.getvalue()


def _plain(name: str) -> str:
    """Return a name on one line, never empty."""
    return " ".join(name.split()) or "(blank)"


def _together(data: DataSpec, counted: Counted, x: int, other: int) -> DataSpec | None:
    """Return the data with two symbols of X as one; None where it has no columns."""
    if not counted.codings:
        return None
    groups, joint = _own_names(counted), counted.joint
    both = [*groups[joint.x_labels[x]], *groups[joint.x_labels[other]]]
    apart = tuple(
        merge
        for merge in data.merges
        if merge.columns != data.released or not set(merge.names) & set(both)
    )
    return replace(data, merges=(*apart, Merge(data.released, tuple(both))))


def _left_out(data: DataSpec, counted: Counted, x: int) -> DataSpec | None:
    """Return the data without the records of a symbol and of those merged with it; or None."""
    if not counted.codings:
        return None
    gone = tuple(_own_names(counted)[counted.joint.x_labels[x]])
    return replace(data, left_out=(*data.left_out, LeftOut(data.released, gone)))


def _own_names(counted: Counted) -> dict[str, list[str]]:
    """Return the names that the symbols of X have before any are merged, by their names after."""
    coding = counted.codings[1]
    own = name_symbols(set(coding.keys), coding.bins, counted.report.grouped_x.levels)
    name_of = dict(zip(own.keys, own.labels, strict=True))
    groups: dict[str, list[str]] = {}
    for key, called in zip(coding.keys, coding.labels, strict=True):
        groups.setdefault(called, []).append(name_of[key])
    return groups


@dataclass(frozen=True)
class LevelFigures:
    """The joint at one level of a hierarchy: H(X), I(S;X) and the largest log-lift, in nats.

    As a coarser X is a function of X itself, H(X) is also I(X;U) of the coarser U.
    """

    level: int
    n_s: int | None
    n_x: int | None
    information: float | None
    leakage: float | None
    highest: float | None
    problem: str = ""


def figures_of(counted: Counted, level: int = 0) -> LevelFigures:
    joint = counted.joint
    return LevelFigures(
        level,
        joint.n_s,
        joint.n_x,
        float(entropy(joint.p_x)),
        float(mutual_information(joint.p)),
        float(np.log(lift(joint.p).max())),
    )


def along_levels(
    spec: DataSpec, column: str, sources: Sources | None = None
) -> tuple[LevelFigures, ...]:
    """Return the figures of a question at each level of one column's hierarchy."""
    rows = []
    height = next(
        (hierarchy.height for hierarchy in spec.hierarchies if hierarchy.column == column), -1
    )
    for level in range(height + 1):
        question = replace(spec, hierarchies=at_level(spec.hierarchies, column, level), task=())
        try:
            rows.append(figures_of(count(question, sources), level))
        except CoreError as error:
            rows.append(LevelFigures(level, None, None, None, None, None, str(error)))
    return tuple(rows)
