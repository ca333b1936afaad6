"""The standard comparison: LIP, ALIP and RLDP on the same data and budget."""

from __future__ import annotations

from dataclasses import replace

from core.data.spec import DataSpec
from core.scenario.project import Project
from core.scenario.scenario import Scenario

MARKOV, PAIR = "markov", "pair"

READINGS = {
    MARKOV: "S – X – Y: the mechanism sees X alone",
    PAIR: "X = (S, U): S is released too",
}
"""Two ways to compare RLDP with LIP and ALIP, which differ in what a mechanism sees."""


def own_reading(data: DataSpec) -> str:
    """Return the reading that fits the data: `PAIR` where S is released too, else `MARKOV`.

    Examples
    --------
    >>> own_reading(DataSpec()), own_reading(DataSpec(secret_released=True))
    ('markov', 'pair')
    """
    return PAIR if data.secret_released else MARKOV


def standard(scenario: Scenario, reading: str | None = None) -> Project:
    """Return LIP, ALIP and RLDP side by side, with everything else as in a scenario.

    [RLDP] releases S together with U; LIP and ALIP are about S – X – Y. So that the three can be
    compared, all are asked in one reading: for the pair (S, U), or for X alone with the robust
    LDP of `core.notions.RobustLDP`.

    Parameters
    ----------
    scenario : Scenario
        The question; its notion and its mechanism are not used.
    reading : {"markov", "pair"}, optional
        The reading; that of the scenario's data where not given.

    Examples
    --------
    >>> project = standard(Scenario(eps=0.5))
    >>> project.names, [one.notion for one in project.scenarios]
    (('LIP', 'ALIP', 'RLDP for S – X – Y'), ['lip', 'alip', 'robust_ldp'])
    >>> [one.mechanism for one in standard(Scenario(), "pair").scenarios]
    ['optimal', 'optimal', 'robust_optimal']
    """
    pair = (reading or own_reading(scenario.data)) == PAIR
    asked = replace(
        scenario, data=replace(scenario.data, secret_released=pair), mechanism="optimal", also=()
    )
    robust = (
        replace(asked, notion="rldp", mechanism="robust_optimal")
        if pair
        else replace(asked, notion="robust_ldp")
    )
    return Project((replace(asked, notion="lip"), replace(asked, notion="alip"), robust))


def asked_of(project: Project, data: DataSpec) -> Project:
    """Return a project with other data in every column; each keeps whether S is released.

    Parameters
    ----------
    project : Project
        The columns.
    data : DataSpec
        The new data.

    Examples
    --------
    >>> moved = asked_of(standard(Scenario()), DataSpec("german_credit", ("sex",), ("housing",)))
    >>> {one.data.source for one in moved.scenarios}
    {'german_credit'}
    """
    found = project
    for place, scenario in enumerate(project.scenarios):
        own = replace(data, secret_released=scenario.data.secret_released)
        found = found.asking(place, replace(scenario, data=own))
    return found
