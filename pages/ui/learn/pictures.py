"""The lessons: worked examples, their pictures, and the table that can be dragged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.data import first_question
from core.learning import SETTINGS, Exercise, Lesson, Values, words
from core.learning import exercises as make_exercises
from core.learning.examples import (
    AlipExample,
    AlphaExample,
    FunnelExample,
    LdpExample,
    LipExample,
    PmlExample,
    RangeExample,
    Revealed,
    RobustExample,
    WarnerExample,
    alip_example,
    alpha_example,
    funnel_example,
    ldp_example,
    lip_example,
    of_test,
    pml_example,
    range_example,
    revealed,
    robust_example,
    warner_example,
)
from core.learning.lessons import opens
from core.learning.settings import numbers
from core.release.confusability import ConfusabilityGraph, release_graph
from core.scenario import Scenario
from core.wording import number_of
from pages.ui import figures
from pages.ui.figures import Curve, Side
from pages.ui.frame import data_controls
from pages.ui.learn import query
from pages.ui.parts import tables
from pages.ui.parts.cards import Still, still
from pages.ui.serving import programs
from pages.ui.work import visits
from pages.ui.work.store import SHARED


def made(lesson: Lesson, values: Values) -> Any:
    """Return the worked example of a lesson, made once for each choice of numbers."""
    make, _, _ = _LESSONS[lesson.key]
    return _kept(make, lesson.key, numbers(lesson.settings, values, SETTINGS))


def _kept(make: Callable[..., Any], key: str, given: tuple[float, ...]) -> Any:
    return SHARED.get(("learn", key, *map(repr, given)), lambda: make(*given))


def graph(example: RangeExample, *, merged: bool) -> ConfusabilityGraph:
    """Return the confusability graph of the stops, or of their clusters."""
    release = example.after if merged else example.before
    return release_graph(release.leak, example.joint.s_labels)


def exercises(variant: int) -> tuple[Exercise, ...]:
    exercises: tuple[Exercise, ...] = _kept(make_exercises, "exercises", (variant,))
    return exercises


_PART = "learn_table"
_SERIAL = "_learn_serial"

KEYS = ("ill", "hit", "alarm")
"""The numbers that a table is made of."""

BELIEFS = "learn_lift"
"""Key of the chart whose bars the browser moves while the table is dragged: see drag.js."""

_COMPONENT = programs.component("liftscope_learn_table", Path(__file__).with_name("drag.js"))


def table(values: Values, seen: str) -> None:
    """Show P(s, x) as four areas, whose borders can be dragged or moved by arrow keys.

    `seen`: the result after which the chart beside it shows beliefs.
    """
    with st.container(border=True, key="card_learn_table"):
        st.markdown("**Drag the table**")
        st.caption("Areas are probabilities. Drag a border, or select it and press an arrow key.")
        _COMPONENT(
            data={"serial": st.session_state.get(_SERIAL, 0), "chart": BELIEFS, "seen": seen}
            | {
                key: {
                    "value": values[key],
                    "low": SETTINGS[key].low,
                    "high": SETTINGS[key].high,
                    "step": SETTINGS[key].step,
                    "title": SETTINGS[key].title,
                }
                for key in KEYS
            },
            key=_PART,
            on_moved_change=_moved,
        )


def _moved() -> None:
    """Apply a drag; ignore anything that is no number of a table."""
    moved = (st.session_state.get(_PART) or {}).get("moved")
    if not isinstance(moved, Mapping):
        return
    serial = moved.get("serial")
    if isinstance(serial, int) and not isinstance(serial, bool):
        st.session_state[_SERIAL] = serial
    for key in KEYS:
        value = moved.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            query.NUMBERS.take(key, round(float(value), 4))


def own_table(values: Values) -> None:
    """Show the button that makes the table on screen the data of all pages."""
    if st.button(
        "Open this table in Explore",
        icon=":material/explore:",
        key="learn_own",
        help="The table becomes a matrix of this session, as if pasted on the Data page.",
    ):
        data_controls.choose(added(values))
        st.switch_page("pages/explore.py")


def added(values: Values) -> str:
    """Return the source of the table on screen, which becomes a matrix of the session."""
    joint = of_test(*(values[key] for key in KEYS))
    rows = ["\t".join(["", *joint.x_labels])]
    for label, row in zip(joint.s_labels, joint.p, strict=True):
        rows.append("\t".join([label, *map(repr, map(float, row))]))
    return visits.sources().add_matrix("\n".join(rows))


def question(lesson: Lesson) -> Scenario:
    """Return a lesson's example, with its numbers on screen, as a question of its own."""
    values = query.NUMBERS.values()
    if lesson.key == "lift":
        return Scenario(data=first_question(added(values), visits.sources()))
    return opens(lesson.key, values).scenario


LEVEL = "level, nats"
"""The title of axes of levels."""


def show(lesson: Lesson, values: Values) -> tuple[words.Sentences, Sequence[Still]]:
    """Show a lesson's picture, and return what it says, and the figures in it."""
    _, say, draw = _LESSONS[lesson.key]
    example = made(lesson, values)
    drawn = draw(example, values)
    return say(example), drawn


def _lift(example: Revealed, values: Values) -> Sequence[Still]:
    left, right = st.columns(2)
    with right:
        seen = example.names[0]
        if len(example.names) > 1:
            seen = st.segmented_control(
                "After a result that is",
                example.names,
                key="learn_seen",
                default=seen,
                required=True,
            )
        y = example.names.index(seen)
        before, after = words.of_all(example.p_s), words.of_all(example.posterior[:, y])
        drawn = still(
            figures.beliefs(example.p_s, example.posterior[:, y], example.secrets, seen),
            key=BELIEFS,
            title="Beliefs about S",
            subtitle="Filled: the hatched bar times the lift.",
            alt=f"After {seen}: "
            + ", ".join(
                f"{secret} from {prior} to {posterior}"
                for secret, prior, posterior in zip(example.secrets, before, after, strict=True)
            ),
            table=lambda: _lifts(example),
        )
    with left:
        table(values, seen)
    return (drawn,)


def _lifts(example: Revealed) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "y": name,
                "probability": example.p_y[y],
                "s": secret,
                "P(s | y)": example.posterior[s, y],
                "lift": example.lift[s, y],
            }
            for y, name in enumerate(example.names)
            for s, secret in enumerate(example.secrets)
        ]
    )


def _bands(
    *,
    key: str,
    title: str,
    parts: tuple[tuple[str, Revealed], ...],
    budgets: tuple[float, float],
) -> Still:
    """Show how far each output shifts beliefs, and shade what the privacy notion allows."""
    names = [f"{name}{suffix}" for suffix, release in parts for name in release.names]
    low = np.concatenate([release.log_min for _, release in parts])
    high = np.concatenate([release.log_max for _, release in parts])
    breaks = (-low > budgets[0] + 1e-9) | (high > budgets[1] + 1e-9)
    return still(
        figures.symbol_lifts(low, high, names, breaks, budgets, 120 + 44 * len(names)),
        key=key,
        title=title,
        subtitle="From log Ψ to log Λ of each output. Shaded: allowed by the notion.",
        alt="; ".join(
            f"{name}: from {words.level(a)} to {words.level(b)} nats"
            for name, a, b in zip(names, low, high, strict=True)
        ),
        table=lambda: pd.DataFrame({"y": names, "log Ψ, nats": low, "log Λ, nats": high}),
    )


def _lip(example: LipExample, _: Values) -> Sequence[Still]:
    parts = ((", itself", example.itself), (", reported", example.release))
    drawn = _bands(
        key="learn_lip",
        title="How far each output shifts beliefs",
        parts=parts,
        budgets=(example.eps, example.eps),
    )
    return (drawn,)


def _alip(example: AlipExample, values: Values) -> Sequence[Still]:
    budgets = (example.eps_l, example.eps_u)
    bands = _bands(
        key="learn_alip",
        title="The optimum at this λ",
        parts=(("", example.release),),
        budgets=budgets,
    )
    top = max(0.05, 1.1 * float(example.kept.max()))
    shares = still(
        figures.curves(
            [Curve("optimum", example.shares, example.kept)],
            Side("λ", 0.0, 1.0),
            Side("share of X kept", 0.0, top, percent=True),
            now=(values["share"], example.release.kept),
            height=250,
        ),
        key="learn_alip_shares",
        title="Share of X kept at each λ",
        subtitle="At λ = 0 no belief may fall; at λ = 1 none may rise.",
        alt=f"The most is kept at λ = {example.best_share:g}: {example.kept.max():.1%} of X.",
        table=lambda: pd.DataFrame({"λ": example.shares, "kept": example.kept}),
    )
    return bands, shares


def _ldp(example: LdpExample, values: Values) -> Sequence[Still]:
    top = max(0.1, 1.15 * float(example.ldp.max()))
    drawn = still(
        figures.curves(
            [Curve("LDP", example.priors, example.ldp), Curve("LIP", example.priors, example.lip)],
            Side("share of people who are ill", 0.0, 1.0, percent=True),
            Side(LEVEL, 0.0, top),
            now=(values["ill"], example.release.lip),
        ),
        key="learn_ldp",
        title="The levels of one release, by population",
        subtitle="LDP compares the ill with the well; LIP compares both with the prior beliefs.",
        alt=f"LDP stays at {words.level(example.release.ldp)} nats; LIP goes from "
        f"{words.level(float(example.lip.min()))} to {words.level(float(example.lip.max()))}.",
        table=lambda: pd.DataFrame(
            {"P(ill)": example.priors, "LIP, nats": example.lip, "LDP, nats": example.ldp}
        ),
    )
    return (drawn,)


def _pml(example: PmlExample, _: Values) -> Sequence[Still]:
    drawn = _bands(
        key="learn_pml",
        title="The optimum under PML",
        parts=(("", example.release),),
        budgets=(math.inf, example.eps),
    )
    return (drawn,)


ENDLESS = math.log10(150)
"""The position of order ∞ on an axis of log₁₀ α."""


def _alpha(example: AlphaExample, _: Values) -> Sequence[Still]:
    x = np.append(np.log10(example.orders), ENDLESS)
    y = np.append(example.means, example.largest)
    here = ENDLESS if math.isinf(example.alpha) else math.log10(example.alpha)
    places = (*((math.log10(order), f"{order}") for order in (1, 2, 5, 10, 50)), (ENDLESS, "∞"))
    drawn = still(
        figures.curves(
            [
                Curve("mean of the lifts", x, y),
                Curve("largest lift Λ", [0.0, ENDLESS], [example.largest] * 2),
            ],
            Side("α", 0.0, 1.02 * ENDLESS, places=places),
            Side("lift", 0.0, 4.2),
            now=(here, example.mean),
        ),
        key="learn_alpha",
        title="The mean of the clue's lifts, by its order α",
        subtitle="From the average, which is always 1, to the largest lift.",
        alt=f"The mean of order {example.alpha:g} is {example.mean:.3g}, the largest lift "
        f"{example.largest:.3g}.",
        table=lambda: pd.DataFrame({"α": example.orders, "mean": example.means}),
    )
    return (drawn,)


def _rldp(example: RobustExample, _: Values) -> Sequence[Still]:
    x = np.log10(example.records)
    places = tuple((float(at), f"{n:,.0f}") for at, n in zip(x, example.records, strict=True))
    top = max(0.2, 1.1 * float(example.levels.max()))
    drawn = still(
        figures.curves(
            [
                Curve("trusts the estimate, worst case", x, example.levels, dots=True),
                Curve("robust design, worst case", x, np.full(len(x), example.eps), dots=True),
            ],
            Side("n", float(x[0]) - 0.1, float(x[-1]) + 0.1, places=places),
            Side(LEVEL, 0.0, top),
            now=(math.log10(example.n), example.at_worst),
        ),
        key="learn_rldp",
        title="Worst-case level of a design, by number of records",
        subtitle="Over all distributions consistent with n records.",
        alt=f"With {example.n:,} records, the design that trusts the estimate reaches "
        f"{words.level(example.at_worst)} nats in the worst case.",
        table=lambda: pd.DataFrame(
            {
                "n": example.records,
                "worst-case level, nats": example.levels,
                "kept if robust": example.kept,
            }
        ),
    )
    return (drawn,)


def _funnel(example: FunnelExample, _: Values) -> Sequence[Still]:
    most = float(example.budgets[-1])
    drawn = still(
        figures.curves(
            [
                Curve("optimum of the funnel", example.budgets, example.best),
                Curve("reveals rarely", [0.0, most], [0.0, example.all_of_x]),
            ],
            Side("I(S;Y), nats", 0.0, 1.04 * most),
            Side("I(X;Y), nats", 0.0, 1.08 * example.all_of_x),
            now=(example.release.about_secret, example.release.about_x),
        ),
        key="learn_funnel",
        title="Information kept versus information revealed about S on average",
        subtitle="Along the dashed line, each output reveals either everything or nothing.",
        alt=f"At I(S;Y) = {words.level(example.release.about_secret)} nats the optimum keeps "
        f"{words.level(example.best_here)} nats.",
        table=lambda: pd.DataFrame(
            {"I(S;Y), nats": example.budgets, "largest I(X;Y), nats": example.best}
        ),
    )
    return (drawn,)


def _warner(example: WarnerExample, _: Values) -> Sequence[Still]:
    lines = (
        ("optimum: sets", example.best),
        ("randomized response", example.truthful),
        ("two groups", example.halves),
    )
    drawn = still(
        figures.curves(
            [Curve(name, example.budgets, shares) for name, shares in lines],
            Side("ε", 0.0, float(example.budgets[-1])),
            Side("share of X kept", 0.0, 1.0, percent=True),
            height=300,
        ),
        key="learn_warner",
        title=f"Share of X kept, for one of {example.values} values",
        subtitle="All values are equally likely. Every mechanism satisfies LDP at ε.",
        alt=f"At ε = {words.level(example.budgets[-1])} the optimum keeps {example.best[-1]:.1%}.",
        table=lambda: pd.DataFrame(
            {"ε": example.budgets, **dict(lines), "set size": example.raised}
        ),
    )
    return (drawn,)


def _maximin(example: RangeExample, _: Values) -> Sequence[Still]:
    before, after = st.columns(2)
    with before:
        first = _graph(
            graph(example, merged=False),
            key="learn_stops_before",
            title="Before the merges",
            role="before",
        )
    with after:
        second = _graph(
            graph(example, merged=True),
            key="learn_stops_after",
            title="After the merges",
            role="after",
        )
    return first, second


def _graph(graph: ConfusabilityGraph, *, key: str, title: str, role: str) -> Still:
    """Show which stops, or clusters of them, one street can lead to."""
    return still(
        figures.confusability(graph, title, role, width=300),
        key=key,
        title=title,
        subtitle="A line joins releases that can come from the same street.",
        alt=f"{title}: {number_of(len(graph.names), 'node')} in "
        f"{number_of(graph.components, 'separate group')}.",
        table=lambda: tables.graph(graph),
    )


def _revealed(ill: float, hit: float, alarm: float) -> Revealed:
    return revealed(of_test(ill, hit, alarm))


_LESSONS: dict[
    str,
    tuple[
        Callable[..., Any],
        Callable[[Any], words.Sentences],
        Callable[[Any, Values], Sequence[Still]],
    ],
] = {
    "lift": (_revealed, words.of_lift, _lift),
    "lip": (lip_example, words.of_lip, _lip),
    "alip": (alip_example, words.of_alip, _alip),
    "ldp": (ldp_example, words.of_ldp, _ldp),
    "warner": (warner_example, words.of_warner, _warner),
    "pml": (pml_example, words.of_pml, _pml),
    "alpha": (alpha_example, words.of_alpha, _alpha),
    "rldp": (robust_example, words.of_rldp, _rldp),
    "funnel": (funnel_example, words.of_funnel, _funnel),
    "maximin": (range_example, words.of_maximin, _maximin),
}
"""How the example of each lesson is made of its numbers, what it says, and its picture."""
