"""Questions about the same data with a symbol of X less: merged with another, or left out."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace

import numpy as np

from core.data.counts.counting import count_joint
from core.data.counts.report import Counted
from core.data.left_out import LeftOut
from core.data.readers.matrix import matrix_id, parse_matrix
from core.data.spec import DataSpec, Merge
from core.data.treatment.levels import distinct, name_symbols
from core.joint import Joint
from core.scenario import Scenario
from core.validation import FloatArray, whole

MERGED, LEFT_OUT = "merged", "left out"


@dataclass(frozen=True, eq=False)
class Variant:
    """A question about data with a symbol of X less.

    Attributes
    ----------
    how : str
        `MERGED` or `LEFT_OUT`.
    partner : str
        The symbol that it is merged with; "" where its records are left out.
    scenario : Scenario
        The question. Its data is that of the original with a merge or a symbol left out; where it
        has no columns, a matrix.
    matrix : str
        The joint's counts, or probabilities, with names, as `parse_matrix` reads them.
    """

    how: str
    partner: str
    scenario: Scenario
    matrix: str

    @property
    def is_matrix(self) -> bool:
        """Whether its data is the matrix, since the data has no columns."""
        return self.scenario.data.source.startswith("matrix:")

    def counted(self) -> Counted:
        """Return its joint, that which `count` gives of its data."""
        return count_joint(parse_matrix(self.matrix), self.scenario.data)


def variants(scenario: Scenario, counted: Counted, x: int) -> tuple[Variant, ...]:
    """Return the questions in which a symbol of X is merged with the nearest one, or left out.

    Parameters
    ----------
    scenario : Scenario
        The question.
    counted : Counted
        Its data.
    x : int
        The symbol, from 0.

    Returns
    -------
    variants : tuple of Variant
        Empty where S is released too, or X has fewer than three symbols; those whose data would
        say nothing about S any more are left out.

    Raises
    ------
    InvalidInputError
        If there is no such symbol.

    Examples
    --------
    >>> from core.data import count
    >>> asked = Scenario(notion="lip")
    >>> found = variants(asked, count(asked.data), 0)
    >>> [(one.how, one.partner, one.counted().joint.n_x) for one in found]
    [('merged', 'Tech-support', 14), ('left out', '', 14)]
    """
    joint = counted.joint
    at = whole(x, "The place of the symbol", low=0, high=joint.n_x - 1)
    if scenario.data.secret_released or joint.n_x < 3:
        return ()
    other = nearest(joint, at)
    low, high = sorted((at, other))
    weights = _weights(joint)
    both = np.delete(weights, high, axis=1)
    both[:, low] += weights[:, high]
    names = list(joint.x_labels)
    names[low] = f"{names[at]} or {names[other]}"
    del names[high]
    found: list[tuple[str, str, FloatArray, list[str], DataSpec | None]] = [
        (MERGED, joint.x_labels[other], both, names, _together(scenario.data, counted, at, other))
    ]
    fewer = np.delete(weights, at, axis=1)
    rest = [name for place, name in enumerate(joint.x_labels) if place != at]
    found.append((LEFT_OUT, "", fewer, rest, _left_out(scenario.data, counted, at)))
    return tuple(
        _variant(scenario, how, partner, _written(table, joint.s_labels, labels), data)
        for how, partner, table, labels, data in found
        if (table.sum(axis=1) > 0).sum() >= 2
    )


def nearest(joint: Joint, x: int) -> int:
    """Return the symbol whose P(S | X) is nearest to that of x, in total variation.

    Examples
    --------
    >>> nearest(Joint.from_counts([[4, 1, 3], [1, 4, 2]]), 0)
    2
    """
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
    result: FloatArray = joint.p.copy() if joint.n is None else np.rint(joint.p * joint.n)
    return result


def _written(weights: FloatArray, s_labels: tuple[str, ...], x_labels: list[str]) -> str:
    """Return a table with names as text."""
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
    """Return the data with two symbols of X as one; None where it has no columns.

    Symbols that are merged already are merged with the new one.
    """
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
    """Return the data without a symbol's records; None where it has no columns.

    A symbol of several that were merged is left out with all of them.
    """
    if not counted.codings:
        return None
    gone = tuple(_own_names(counted)[counted.joint.x_labels[x]])
    return replace(data, left_out=(*data.left_out, LeftOut(data.released, gone)))


def _own_names(counted: Counted) -> dict[str, list[str]]:
    """Return the names that the symbols of X have before any are merged, by their names after."""
    coding = counted.codings[1]
    own = name_symbols(set(coding.keys), coding.bins, counted.report.grouped_x.levels)
    groups: dict[str, list[str]] = {}
    for name, called in zip(own.labels, coding.labels, strict=True):
        groups.setdefault(called, []).append(name)
    return groups
