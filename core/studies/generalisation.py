"""What each level of a column's hierarchy costs in information, and saves in leakage."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from core.data import Counted, DataSpec, Sources, count
from core.data.treatment.generalise import at_level
from core.errors import CoreError
from core.measures import entropy, lift, mutual_information


@dataclass(frozen=True)
class LevelFigures:
    """The joint distribution at one level of a hierarchy, in a few figures.

    Attributes
    ----------
    level : int
        The level; 0 is the values themselves.
    n_s, n_x : int or None
        Levels of S and symbols of X; None where it has no answer.
    information : float or None
        H(X) in nats: what is left to be told of X. As a coarser X is a function of X itself, it
        is also I(X;U) of the coarser U.
    leakage : float or None
        I(S;X) in nats: what X tells of S on average.
    highest : float or None
        Largest log-lift in nats: how far X raises a belief about S at most.
    problem : str
        Why it has no answer; empty where it has one.
    """

    level: int
    n_s: int | None
    n_x: int | None
    information: float | None
    leakage: float | None
    highest: float | None
    problem: str = ""


def figures_of(counted: Counted, level: int = 0) -> LevelFigures:
    """Return the figures of a joint distribution.

    Parameters
    ----------
    counted : Counted
        The joint distribution.
    level : int
        The level that it is at.

    Examples
    --------
    >>> from core.data import DataSpec, count
    >>> figures_of(count(DataSpec())).n_x
    15
    """
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
    """Return the figures of a question at each level of one column's hierarchy.

    Parameters
    ----------
    spec : DataSpec
        The question, with a hierarchy of the column.
    column : str
        The column.
    sources : Sources, optional
        The session's uploads.

    Returns
    -------
    figures : tuple of LevelFigures
        One for each level, from 0; empty where the column has no hierarchy.

    Examples
    --------
    >>> from core.data import Hierarchy
    >>> jobs = Hierarchy("occupation", "prefix", 1, steps=(3, 1))
    >>> [one.n_x for one in along_levels(DataSpec(hierarchies=(jobs,)), "occupation")]
    [15, 14, 11]
    """
    found = []
    height = next((one.height for one in spec.hierarchies if one.column == column), -1)
    for level in range(height + 1):
        asked = replace(spec, hierarchies=at_level(spec.hierarchies, column, level), task=())
        try:
            found.append(figures_of(count(asked, sources), level))
        except CoreError as error:
            found.append(LevelFigures(level, None, None, None, None, None, str(error)))
    return tuple(found)
