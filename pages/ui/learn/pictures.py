"""The picture of each lesson, drawn from its worked example, and what it says in words."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from core.learning import Values, words
from core.learning.tables import Told
from core.release.confusability import ConfusabilityGraph
from core.wording import number_of
from pages.ui import figures
from pages.ui.figures import Curve, Side
from pages.ui.learn import drag, results
from pages.ui.parts import tables
from pages.ui.parts.static_card import still

Sentences = tuple[str, ...]

LEVEL = "level, nats"
"""What axes of levels are called."""


def show(key: str, values: Values) -> Sentences:
    """Show a lesson's picture, and return what it says."""
    return _PICTURES[key](values)


def _lift(values: Values) -> Sentences:
    found = results.lift(values)
    left, right = st.columns(2)
    with left:
        drag.table(values)
    with right:
        seen = found.names[0]
        if len(found.names) > 1:
            seen = st.segmented_control(
                "After a result that is", found.names, key="learn_seen", default=seen, required=True
            )
        y = found.names.index(seen)
        before, after = words.of_all(found.p_s), words.of_all(found.posterior[:, y])
        still(
            figures.beliefs(found.p_s, found.posterior[:, y], found.secrets),
            key="learn_lift",
            title="What is believed of S",
            subtitle="Each filled bar is the hatched one times the lift.",
            alt=f"After {seen}: "
            + ", ".join(
                f"{secret} from {one} to {other}"
                for secret, one, other in zip(found.secrets, before, after, strict=True)
            ),
            table=lambda: _lifts(found),
        )
    return words.of_lift(found)


def _lifts(found: Told) -> pd.DataFrame:
    """Return posteriors and lifts of every output as a table."""
    return pd.DataFrame(
        [
            {
                "y": name,
                "probability": found.p_y[y],
                "s": secret,
                "P(s | y)": found.posterior[s, y],
                "lift": found.lift[s, y],
            }
            for y, name in enumerate(found.names)
            for s, secret in enumerate(found.secrets)
        ]
    )


def _bands(
    *,
    key: str,
    title: str,
    parts: tuple[tuple[str, Told], ...],
    budgets: tuple[float, float],
) -> None:
    """Show how far each output moves beliefs, and shade what the promise allows."""
    names = [f"{name}{said}" for said, told in parts for name in told.names]
    low = np.concatenate([told.log_min for _, told in parts])
    high = np.concatenate([told.log_max for _, told in parts])
    breaks = (-low > budgets[0] + 1e-9) | (high > budgets[1] + 1e-9)
    still(
        figures.symbol_lifts(low, high, names, breaks, budgets, 120 + 44 * len(names)),
        key=key,
        title=title,
        subtitle="From log Ψ to log Λ of each output; shaded is what the promise allows.",
        alt="; ".join(
            f"{name}: from {words.level(a)} to {words.level(b)} nats"
            for name, a, b in zip(names, low, high, strict=True)
        ),
        table=lambda: pd.DataFrame({"y": names, "log Ψ, nats": low, "log Λ, nats": high}),
    )


def _lip(values: Values) -> Sentences:
    found = results.lip(values)
    parts = ((", itself", found.itself), (", told", found.release))
    _bands(
        key="learn_lip",
        title="How far each output moves beliefs",
        parts=parts,
        budgets=(found.eps, found.eps),
    )
    return words.of_lip(found)


def _alip(values: Values) -> Sentences:
    found = results.alip(values)
    budgets = (found.eps_l, found.eps_u)
    _bands(
        key="learn_alip",
        title="The optimum at this λ",
        parts=(("", found.release),),
        budgets=budgets,
    )
    top = max(0.05, 1.1 * float(found.kept.max()))
    still(
        figures.curves(
            [Curve("optimum", found.shares, found.kept)],
            Side("λ", 0.0, 1.0),
            Side("kept of X", 0.0, top, percent=True),
            now=(values["share"], found.release.kept),
            height=250,
        ),
        key="learn_alip_shares",
        title="What is kept at each λ",
        subtitle="λ = 0 lets no belief fall, λ = 1 lets none rise.",
        alt=f"Most is kept at λ = {found.best_share:g}: {found.kept.max():.1%} of X.",
        table=lambda: pd.DataFrame({"λ": found.shares, "kept": found.kept}),
    )
    return words.of_alip(found)


def _ldp(values: Values) -> Sentences:
    found = results.ldp(values)
    top = max(0.1, 1.15 * float(found.ldp.max()))
    still(
        figures.curves(
            [Curve("LDP", found.priors, found.ldp), Curve("LIP", found.priors, found.lip)],
            Side("share of the ill", 0.0, 1.0, percent=True),
            Side(LEVEL, 0.0, top),
            now=(values["ill"], found.release.lip),
        ),
        key="learn_ldp",
        title="The levels of one release, by who is asked",
        subtitle="LDP compares the ill with the well, LIP both with what was believed before.",
        alt=f"LDP stays at {words.level(found.release.ldp)} nats, LIP goes from "
        f"{words.level(float(found.lip.min()))} to {words.level(float(found.lip.max()))}.",
        table=lambda: pd.DataFrame(
            {"P(ill)": found.priors, "LIP, nats": found.lip, "LDP, nats": found.ldp}
        ),
    )
    return words.of_ldp(found)


def _pml(values: Values) -> Sentences:
    found = results.pml(values)
    _bands(
        key="learn_pml",
        title="The optimum under PML",
        parts=(("", found.release),),
        budgets=(math.inf, found.eps),
    )
    return words.of_pml(found)


ENDLESS = math.log10(150)
"""Where order ∞ stands on an axis of log₁₀ α."""


def _alpha(values: Values) -> Sentences:
    found = results.alpha(values)
    x = np.append(np.log10(found.orders), ENDLESS)
    y = np.append(found.means, found.largest)
    here = ENDLESS if math.isinf(found.alpha) else math.log10(found.alpha)
    places = (*((math.log10(order), f"{order}") for order in (1, 2, 5, 10, 50)), (ENDLESS, "∞"))
    still(
        figures.curves(
            [
                Curve("mean of the lifts", x, y),
                Curve("largest lift Λ", [0.0, ENDLESS], [found.largest] * 2),
            ],
            Side("α", 0.0, 1.02 * ENDLESS, places=places),
            Side("lift", 0.0, 4.2),
            now=(here, found.mean),
        ),
        key="learn_alpha",
        title="The mean of the clue's lifts, by its order α",
        subtitle="From the average, which is always 1, to the largest lift.",
        alt=f"The mean of order {found.alpha:g} is {found.mean:.3g}, the largest lift "
        f"{found.largest:.3g}.",
        table=lambda: pd.DataFrame({"α": found.orders, "mean": found.means}),
    )
    return words.of_alpha(found)


def _rldp(values: Values) -> Sentences:
    found = results.rldp(values)
    x = np.log10(found.records)
    places = tuple((float(at), f"{n:,.0f}") for at, n in zip(x, found.records, strict=True))
    top = max(0.2, 1.1 * float(found.levels.max()))
    still(
        figures.curves(
            [
                Curve("trusts the estimate, at worst", x, found.levels, dots=True),
                Curve("robust design, at worst", x, np.full(len(x), found.eps), dots=True),
            ],
            Side("n", float(x[0]) - 0.1, float(x[-1]) + 0.1, places=places),
            Side(LEVEL, 0.0, top),
            now=(math.log10(found.n), found.at_worst),
        ),
        key="learn_rldp",
        title="What a design gives away at worst, by the records behind it",
        subtitle="Over all distributions that n records leave possible.",
        alt=f"With {found.n:,} records the design that trusts the estimate gives away "
        f"{words.level(found.at_worst)} nats at worst.",
        table=lambda: pd.DataFrame(
            {"n": found.records, "level at worst, nats": found.levels, "kept if robust": found.kept}
        ),
    )
    return words.of_rldp(found)


def _funnel(values: Values) -> Sentences:
    found = results.funnel(values)
    told = float(found.budgets[-1])
    still(
        figures.curves(
            [
                Curve("optimum of the funnel", found.budgets, found.best),
                Curve("told rarely", [0.0, told], [0.0, found.all_of_x]),
            ],
            Side("I(S;Y), nats", 0.0, 1.04 * told),
            Side("I(X;Y), nats", 0.0, 1.08 * found.all_of_x),
            now=(found.release.about_secret, found.release.about_x),
        ),
        key="learn_funnel",
        title="What is kept, by what is told of S on average",
        subtitle="Along the dashed line each output that tells something tells all.",
        alt=f"At I(S;Y) = {words.level(found.release.about_secret)} nats the optimum keeps "
        f"{words.level(found.best_here)} nats.",
        table=lambda: pd.DataFrame(
            {"I(S;Y), nats": found.budgets, "largest I(X;Y), nats": found.best}
        ),
    )
    return words.of_funnel(found)


def _maximin(values: Values) -> Sentences:
    found = results.maximin(values)
    before, after = st.columns(2)
    with before:
        _graph(
            results.graph(found, merged=False),
            key="learn_stops_before",
            title="Before the merges",
            role="before",
        )
    with after:
        _graph(
            results.graph(found, merged=True),
            key="learn_stops_after",
            title="After the merges",
            role="after",
        )
    return words.of_maximin(found)


def _graph(graph: ConfusabilityGraph, *, key: str, title: str, role: str) -> None:
    """Show which stops, or clusters of them, one street can lead to."""
    still(
        figures.confusability(graph, title, role, width=300),
        key=key,
        title=title,
        subtitle="A line joins what may come from the same street.",
        alt=f"{title}: {number_of(len(graph.names), 'node')} in "
        f"{number_of(graph.components, 'separate group')}.",
        table=lambda: tables.graph(graph),
    )


_PICTURES: dict[str, Callable[[Values], Sentences]] = {
    "lift": _lift,
    "lip": _lip,
    "alip": _alip,
    "ldp": _ldp,
    "pml": _pml,
    "alpha": _alpha,
    "rldp": _rldp,
    "funnel": _funnel,
    "maximin": _maximin,
}
"""The picture of each lesson."""
