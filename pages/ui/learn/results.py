"""The worked examples, made once for each choice of numbers and kept for all sessions."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from core.learning import Exercise, Values
from core.learning import exercises as make_exercises
from core.learning.lift_examples import (
    AlipExample,
    AlphaExample,
    LdpExample,
    LipExample,
    PmlExample,
    alip_example,
    alpha_example,
    ldp_example,
    lip_example,
    pml_example,
)
from core.learning.other_examples import (
    FunnelExample,
    RangeExample,
    RobustExample,
    funnel_example,
    range_example,
    robust_example,
)
from core.learning.tables import Told, of_test, told
from core.release.confusability import ConfusabilityGraph, release_graph
from pages.ui.work.store import SHARED

Made = TypeVar("Made")


def _kept(make: Callable[..., Made], *numbers: float) -> Made:
    key: tuple[Hashable, ...] = ("learn", make.__name__, *map(repr, numbers))
    return SHARED.get(key, lambda: make(*numbers))


def lift(values: Values) -> Told:
    """Return what the test's results tell."""
    return told(of_test(values["ill"], values["hit"], values["alarm"]))


def lip(values: Values) -> LipExample:
    """Return the example of LIP."""
    return _kept(lip_example, values["budget"], values["truth"])


def alip(values: Values) -> AlipExample:
    """Return the example of ALIP."""
    return _kept(alip_example, values["both"], values["share"])


def ldp(values: Values) -> LdpExample:
    """Return the example of LDP."""
    return _kept(ldp_example, values["ill"], values["truth"])


def pml(values: Values) -> PmlExample:
    """Return the example of PML."""
    return _kept(pml_example, values["budget"])


def alpha(values: Values) -> AlphaExample:
    """Return the example of α-lift."""
    return _kept(alpha_example, values["clue"], values["order"])


def rldp(values: Values) -> RobustExample:
    """Return the example of RLDP."""
    return _kept(robust_example, values["budget"], int(values["people"]))


def funnel(values: Values) -> FunnelExample:
    """Return the example of the funnel."""
    return _kept(funnel_example, values["chance"])


def maximin(values: Values) -> RangeExample:
    """Return the example of maximin information."""
    return _kept(range_example, int(values["merged"]))


def graph(found: RangeExample, *, merged: bool) -> ConfusabilityGraph:
    """Return the confusability graph of the stops, or of their clusters."""
    release = found.after if merged else found.before
    return release_graph(release.leak, found.joint.s_labels)


def exercises(variant: float) -> tuple[Exercise, ...]:
    """Return the exercises of a variant."""
    return _kept(make_exercises, int(variant))
