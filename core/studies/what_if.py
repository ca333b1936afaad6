"""Questions about the same data with a symbol of X less: merged with another, or left out."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace

import numpy as np

from core.data.counts.counting import count_joint
from core.data.counts.report import Counted
from core.data.readers.matrix import matrix_id, parse_matrix
from core.data.spec import DataSpec, Filter
from core.data.treatment.levels import distinct
from core.joint import MISSING, Joint
from core.scenario import Scenario
from core.validation import FloatArray, whole

MERGED, LEFT_OUT = "merged", "left out"

MOST_LETTERS = 10_000
"""Letters of levels up to which a filter names them: a link reads twice as many."""


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
        The question. Its data is that of the original with a filter, or a matrix.
    matrix : str
        The joint's counts, or probabilities, with names, as `parse_matrix` reads them.
    """

    how: str
    partner: str
    scenario: Scenario
    matrix: str

    @property
    def is_matrix(self) -> bool:
        """Whether its data is the matrix, since no filter says the same."""
        return self.scenario.data.source.startswith("matrix:")

    def counted(self) -> Counted:
        """Return its joint; where a filter says the same, `count` gives the same joint."""
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
        (MERGED, joint.x_labels[other], both, names, None)
    ]
    fewer = np.delete(weights, at, axis=1)
    rest = [name for place, name in enumerate(joint.x_labels) if place != at]
    found.append((LEFT_OUT, "", fewer, rest, _filtered(scenario.data, counted, at)))
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


def _filtered(data: DataSpec, counted: Counted, x: int) -> DataSpec | None:
    """Return the data with a filter that leaves a symbol's records out; None where none does it."""
    if not counted.codings or len(data.released) != 1 or data.rare_below or data.rare_below_s:
        return None
    coding = counted.codings[1]
    if coding.bins[0] is not None or coding.labels != counted.joint.x_labels:
        return None
    if data.released[0] in (*data.secret, *data.task):
        return None
    if any(cut.kind != "edges" for cut in data.binnings if cut.column in data.secret):
        return None  # fewer records would move the bins of S
    levels = tuple(
        MISSING if level is None else str(level)
        for place, (_, (level,)) in enumerate(coding.keys)
        if place != x
    )
    if sum(map(len, levels)) > MOST_LETTERS:
        return None
    kept = Filter(data.released[0], levels)
    others = tuple(one for one in data.filters if one.is_range or one.column != data.released[0])
    return replace(data, filters=(*others, kept))
