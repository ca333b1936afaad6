"""The Robust page: a sample, what it leaves possible, and designs at the estimate and the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms.result import CUT, Mechanism
from core.mechanisms.robust.reporting import UNSEEN
from core.notions import catalogue as notions
from core.records.left_out import for_others
from core.scenario import Scenario
from core.scenario.context import Context
from core.scenario.snippet import robust_snippet
from core.studies.robust_designs import DESIGNS, DesignOutcome, Sample, level_reach, named
from core.wording import listed, number_of
from pages.ui import figures
from pages.ui.chart import Drawing, board, chart
from pages.ui.chart import place as chart_place
from pages.ui.frame import address, controls, following, page_frame, state, theme
from pages.ui.parts import exports
from pages.ui.parts.cards import card
from pages.ui.parts.tables import COLUMNS, ROWS, first_row, rows
from pages.ui.report.comparison import Picture
from pages.ui.report.parts import PYTHON, Parts, report
from pages.ui.robust import controls as robust_controls
from pages.ui.robust import results, studies
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.style.units import budget, in_unit, level, share
from pages.ui.work import ahead, context, progress
from pages.ui.work.frames import Frame

INTERVALS, LEAVES = "intervals", "What the sample leaves possible"
"""Key and title of the chart that follows the sliders of the sample."""

MISSED, WITHIN, LEVELS, BELOW = "robust_missed", "robust_within", "robust_made", "robust_below"
"""Keys of what does not."""

TERMS = ("n", "ball_bound", "distance_of_truth", "confidence_set")
"""The terms that explain the figures."""

EXPLAINED = ("non_robust", "robust_optimal", "polyopt")
"""The designs whose formulas a report has."""

TITLE = "What if the data misleads?"
"""The page's question."""

ROBUST = (
    "A mechanism that trusts the estimate P̂ may exceed its budget at the truth; a robust one stays "
    "within it for every distribution consistent with the records."
)
"""What the page is about."""


NO_DESIGNS = "There are no designs for this sample yet."
"""Why there is nothing to export."""


@dataclass(frozen=True)
class View:
    """The secret whose intervals are shown, from which row on, and the unit."""

    secret: int
    first: int
    unit: str


def show() -> None:
    """Show the page: first all that stays while sliders move, then what is live."""
    theme.apply()
    robust_controls.sidebar()
    address.warn(*state.notices())
    _live()


@st.fragment
def _live() -> None:
    """Show all that changes with a slider; only this runs again when one is released."""
    files = page_frame.head(TITLE)
    try:
        robust_controls.sliders(state.scenario())
        scenario = state.scenario()
        sample = results.sample(scenario)
    except CoreError as error:
        page_frame.show_remedies(state.scenario(), error)
        with files:
            exports.no_files("robust", NO_DESIGNS)
        return
    state.publish(scenario)
    robust = context.of(replace(scenario, notion="rldp", also=()))  # whatever Explore asks
    facts = {name: value for name, value in robust.items() if name != "mechanism"}
    context.tell_about(facts)
    answer = st.container()
    with st.container(key=MISSED):
        _missed(scenario, sample)
    left, right = st.columns(2)
    with left:
        view = _intervals(scenario, sample)
    with answer:
        board(
            {"": _answer(scenario, view.unit, sample) | _meant(scenario, sample)},
            [_interval_chart(scenario, view, sample).sent()],
            _sliders(scenario, view),
        )
    designs = results.Designs((), scenario.eps)
    if sample.never_seen:
        results.cancel("designs")
        _never_seen(scenario, sample)
    else:
        designs = results.designs(scenario, sample)
        with right, st.container(key=LEVELS, height="stretch"):
            _levels(scenario, designs)
        with st.container(key=BELOW):
            if designs.outcomes:
                _matrices(scenario, designs.outcomes)
            studies.frontiers(scenario, designs.outcomes)
    with files:
        _files(scenario, sample, designs, view, facts)
    studies.many(scenario)


def _files(
    scenario: Scenario, sample: Sample, designs: results.Designs, view: View, facts: Context
) -> None:
    """Show what saves the robust design and a report, once there are designs for the sample."""
    missing = not designs.outcomes or designs.stale
    exports.files(
        "robust",
        partial(_downloads, scenario, designs, facts),
        partial(_report, scenario, sample, designs, view, facts),
        lacking=NO_DESIGNS if missing else "",
    )


def _downloads(scenario: Scenario, designs: results.Designs, facts: Context) -> None:
    robust = _robust(designs)
    made = named(robust.mechanism, results.true_joint(scenario.data))
    exports.downloads(
        made,
        made.x_labels,
        scenario,
        "robust",
        about=dict(facts) | {"mechanism": DESIGNS[robust.key]},
        program=robust_snippet(scenario, results.records(scenario), robust.key),
    )


def _report(
    scenario: Scenario, sample: Sample, designs: results.Designs, view: View, facts: Context
) -> str:
    answer, unit = _answer(scenario, view.unit, sample), view.unit
    public = replace(scenario, data=for_others(scenario.data))
    drawn = _interval_chart(scenario, view, sample)
    numbers = {"ε, nats": scenario.eps, "β": scenario.beta, "α": scenario.alpha}
    shown = Parts(
        sentences=[*answer["sentences"], _finding(designs, unit)],
        facts=dict(facts)
        | {name: f"{value:g}" for name, value in numbers.items()}
        | {"seed": str(scenario.seed)}
        | {label: value for label, value, _ in answer["figures"]},
        pictures=[Picture(drawn.figure(), drawn.title, drawn.alt), _reached(designs, unit)],
        tables={
            "Designs": outcome_table(designs.outcomes, unit),
            LEAVES: _interval_table(scenario, sample),
        },
        explained=[notions.entry("rldp"), *map(mechanisms.entry, EXPLAINED)],
        sources={PYTHON: robust_snippet(public, results.records(scenario), _robust(designs).key)},
        address=("robust", {}),
    )
    return report(TITLE, public, shown, nameless=public != scenario)


def _sliders(scenario: Scenario, view: View) -> list[dict[str, Any]]:
    """Return what a browser needs to follow the sliders of the sample: see live.js."""
    robust = replace(scenario, notion="rldp", mechanism="polyopt", also=())
    return [
        following.slider(
            name,
            robust,
            partial(frame, view=view),
            view,
            charts=[INTERVALS],
            behind=[MISSED, WITHIN, LEVELS, BELOW],
            find=partial(_sampled, name),
        )
        for name in ("n", "beta", "alpha")
    ]


def _sampled(name: str, scenario: Scenario, place: Any) -> tuple[Scenario, Sample]:
    """Return a question and its sample at a place of a slider; it is quick to draw."""
    moved = ahead.at(scenario, name, place)
    return moved, results.sample(moved)


def frame(samples: Sequence[tuple[Scenario, Sample]], view: View) -> Frame:
    """Return what the page shows of a sample at another place of a slider."""
    ((scenario, sample),) = samples
    robust = context.of(scenario)
    with context.about({name: value for name, value in robust.items() if name != "mechanism"}):
        drawn = _interval_chart(scenario, view, sample).frame()
    return {
        "answers": {"": _answer(scenario, view.unit, sample)},
        "charts": {INTERVALS: drawn},
        "open": False,
    }


def _never_seen(scenario: Scenario, sample: Sample) -> None:
    names = results.true_joint(scenario.data).s_labels
    gone = ", ".join(names[s] for s in sample.never_seen)
    st.error(
        f"{markdown(gone)}: never observed in this sample of "
        f"{number_of(results.records(scenario), 'record')}, so P(u | s) may be anything (B_s = ∞) "
        "and no mechanism can be designed. Take more records or another seed, or group rare "
        "levels on the Data page."
    )


def _answer(scenario: Scenario, unit: str, sample: Sample) -> Frame:
    """Return what the page says: what it shows, and how far an estimate is from the truth."""
    n, data = results.records(scenario), scenario.data.beside_secret
    u, s = listed(data.released) or "U", listed(data.secret) or "S"
    does = f"reports {s} itself, privately" if _of_itself(scenario) else f"hides {s} in {u}"
    return {
        "sentences": [
            f"Here the data is the truth P*. A designer sees only {number_of(n, 'record')} drawn "
            f"from it and builds a mechanism that {does}."
        ],
        "figures": [
            ["Records observed", f"{n:,}", None],
            [f"B, {unit}", level(sample.ball.bound, unit, 4), None],
            [
                f"Distance to the truth, {unit}",
                level(float(sample.ball.divergence(sample.truth)), unit, 4),
                None,
            ],
            ["Truth in the set", "yes" if sample.covered else "no", None],
        ],
        "badge": None,
    }


def _of_itself(scenario: Scenario) -> bool:
    """Return whether U is of columns of S, so that most pairs (s, u) cannot occur."""
    data = scenario.data.beside_secret
    return bool(data.released) and {*data.released} <= {*data.secret}


def _notes(scenario: Scenario, mechanism: Mechanism) -> list[str]:
    """Return a mechanism's notes; where U is S, pairs that cannot occur are not worth one."""
    itself = _of_itself(scenario)
    return [note for note in mechanism.notes if not (itself and note.endswith(UNSEEN))]


def _meant(scenario: Scenario, sample: Sample) -> Frame:
    """Return what the signs of what the page says mean."""
    answer = _answer(scenario, controls.unit(), sample)
    terms = [(term.title, term.meaning) for term in glossary.terms_in(answer["sentences"])]
    helps = [
        glossary.listed(label, term)
        for (label, *_), term in zip(answer["figures"], TERMS, strict=True)
    ]
    helps[0] = [*helps[0], ("Sample", "Drawn at random from the data.")]
    helps[-1] = [*helps[-1], ("1 − β", f"Here that is {share(1 - scenario.beta)}.")]
    return {
        "terms": [("Robust", ROBUST), ("Explore", results.UNLIKE_EXPLORE), *terms],
        "helps": helps,
    }


def _missed(scenario: Scenario, sample: Sample) -> None:
    """Show that the set misses the truth, if it does."""
    if not sample.covered:
        st.info(
            "The uncertainty set of this sample misses the truth, which happens with probability "
            f"about β = {scenario.beta:g}. Here even robust mechanisms may exceed their budget. "
            "Try another seed or a smaller β.",
            icon=":material/info:",
        )


def _intervals(scenario: Scenario, sample: Sample) -> View:
    """Show the card of the intervals, without its chart; return what that shows."""
    joint, unit = results.true_joint(scenario.data), controls.unit()
    with card(
        key=INTERVALS,
        title=LEAVES,
        subtitle="Bar: values of P(u | s) consistent with n records. Circle: estimate. Tick: "
        "truth.",
        table=lambda: _interval_table(scenario, sample),
        formulas=(results.BALL, results.INTERVALS),
    ):
        s = st.selectbox(
            "Secret",
            range(joint.n_s),
            format_func=lambda s: (
                f"{joint.s_labels[s]} ({number_of(int(sample.counts[s].sum()), 'record')} seen)"
            ),
            key=f"robust_secret_{joint.n_s}",
        )
        first = first_row(joint.n_x, "values of u, most likely first", "intervals_page")
        chart_place(INTERVALS, fills=False)
        with st.container(key=WITHIN):
            st.caption(
                _within(sample, s, joint.n_x),
                help="Given this secret, the truth may be "
                f"{level(float(sample.ball.conditional_bound[s]), unit, 4)} {unit} (B_s) from the "
                f"estimate, and its probabilities may differ by up to {sample.ball.radius[s]:.3f} "
                f"in total (rad_s).\n\n{glossary.explanation('B_s and rad_s')}",
            )
    return View(s, first, unit)


def _interval_chart(scenario: Scenario, view: View, sample: Sample) -> Drawing:
    joint, truth, s = results.true_joint(scenario.data), sample.true_conditional, view.secret
    shown = rows(truth[s], view.first)
    return Drawing(
        lambda: figures.intervals(
            sample.ball.lower[s, shown],
            sample.ball.upper[s, shown],
            sample.ball.p_u_given_s[s, shown],
            truth[s, shown],
            [joint.x_labels[u] for u in shown],
            sample.reach,
        ),
        INTERVALS,
        LEAVES,
        f"Intervals of {number_of(joint.n_x, 'value')} of P(u | s) for {joint.s_labels[s]}; the "
        f"widest spans {share(sample.widest(s))}.",
        fills=False,
    )


def _within(sample: Sample, s: int, n_u: int) -> str:
    """Return how many true values lie in their bars, and whether the set still misses the truth."""
    inside = sample.within(s)
    text = f"{inside} of {number_of(n_u, 'true value')} {'lies' if inside == 1 else 'lie'} within "
    text += "its bar." if n_u == 1 else "their bars."
    if sample.covered or inside < n_u:
        return text
    return (
        f"{text} Yet the truth as a whole is outside the set: a bar bounds one value at a time, "
        "the set bounds all values and secrets together."
    )


def _interval_table(scenario: Scenario, sample: Sample) -> pd.DataFrame:
    joint, ball, truth = results.true_joint(scenario.data), sample.ball, sample.true_conditional
    return pd.DataFrame(
        {
            "s": [s for s in joint.s_labels for _ in joint.x_labels],
            "u": [u for _ in joint.s_labels for u in joint.x_labels],
            "records": sample.counts.ravel(),
            "lower": ball.lower.ravel(),
            "estimate": ball.p_u_given_s.ravel(),
            "upper": ball.upper.ravel(),
            "truth": truth.ravel(),
            "B_s": np.repeat(ball.conditional_bound, joint.n_x),
            "radius_s": np.repeat(ball.radius, joint.n_x),
        }
    )


def _levels(scenario: Scenario, designs: results.Designs) -> None:
    with card(
        key="robust_levels",
        title="Budget versus realized level",
        subtitle="Level ε* at the truth, and its worst case. Right of the dashed line: over "
        "budget.",
        table=lambda: outcome_table(designs.outcomes, controls.unit()),
        formulas=(results.RLDP, results.REALISED, results.DESIGNS),
    ):
        question = results.question("designs", scenario)
        with st.container(key="designs_work"):
            if designs.stale:
                results.stale("designs", question)
            results.launch(
                "designs", question, scenario, "Design", "Finds the robust optimum for this sample."
            )
            results.progress("designs", "Designing")
            if results.desk_of("designs").answered == question:
                _ended(question, scenario, designs.outcomes)
        if not designs.outcomes:
            return
        unit = controls.unit()
        reached = _reached(designs, unit)
        chart(reached.figure, key="robust_levels", title=reached.title, alt=reached.alt)
        st.markdown(_finding(designs, unit).replace("*", "\\*"))


def _ended(
    question: results.RobustQuestion, scenario: Scenario, outcomes: Sequence[DesignOutcome]
) -> None:
    """Show which designs their time limit cut short, and let them go on."""
    cut = [DESIGNS[outcome.key] for outcome in outcomes if _is_cut(outcome)]
    if not cut:
        st.caption("All designs use the settings in the sidebar.")
        return
    message = f"Unfinished: {listed(cut)}."
    if results.may_search_on(question, scenario):
        search_on = partial(results.search_on, question, scenario)
        progress.search_on(message, "designs_on", search_on)
    else:
        st.caption(message)


def _is_cut(outcome: DesignOutcome) -> bool:
    return outcome.mechanism.status == CUT


def _reached(designs: results.Designs, unit: str) -> Picture:
    """Return the chart of the levels that the designs reach at the truth, and at worst."""
    by_key = {outcome.key: outcome for outcome in designs.outcomes}
    return Picture(
        figures.levels_at(
            list(DESIGNS.values()),  # all rows, so that the chart stays as the last one comes
            np.array([by_key[key].realised if key in by_key else np.nan for key in DESIGNS]),
            np.array([by_key[key].worst if key in by_key else np.nan for key in DESIGNS]),
            designs.eps,
            level_reach(designs.eps),
            unit,
        ),
        "Budget versus realized level",
        "Privacy level at the truth: "
        + "; ".join(
            f"{DESIGNS[outcome.key]} {level(outcome.realised, unit)} {unit}"
            for outcome in designs.outcomes
        ),
    )


def _robust(designs: results.Designs) -> DesignOutcome:
    """Return the best robust design that there is."""
    by_key = {outcome.key: outcome for outcome in designs.outcomes}
    return by_key.get("exact", by_key["polyopt"])


def _finding(designs: results.Designs, unit: str) -> str:
    """Return what the non-robust and the best robust design keep, and their levels at the truth."""
    trusting = {outcome.key: outcome for outcome in designs.outcomes}["non_robust"]
    robust = _robust(designs)
    name = "The robust optimum" if robust.key == "exact" else "PolyOpt, which is robust,"
    over = (
        "exceeds the budget"
        if trusting.breaks(designs.eps)
        else "stays within the budget this time"
    )
    return (
        f"Trusting the estimate keeps {share(trusting.mechanism.nmi)} of the pair and {over}: ε* "
        f"is {level(trusting.realised, unit)} {unit}; the budget is {budget(designs.eps, unit)}. "
        f"{name} keeps {share(robust.mechanism.nmi)} with ε* = {level(robust.realised, unit)} "
        f"{unit}."
        + (f" Unfinished: up to {share(robust.most_nmi)} may be possible." * _is_cut(robust))
    )


def outcome_table(outcomes: tuple[DesignOutcome, ...], unit: str = "nats") -> pd.DataFrame:
    """Return the designs with their utilities and levels."""
    return pd.DataFrame(
        {
            "design": [DESIGNS[outcome.key] for outcome in outcomes],
            "kept at P̂": [outcome.mechanism.nmi for outcome in outcomes],
            "kept at P*": [outcome.true_nmi for outcome in outcomes],
            "at most, at P̂": [outcome.most_nmi for outcome in outcomes],
            f"ε* at P*, {unit}": [in_unit(outcome.realised, unit) for outcome in outcomes],
            f"worst-case ε*, {unit}": [in_unit(outcome.worst, unit) for outcome in outcomes],
            "outputs": [outcome.mechanism.n_y for outcome in outcomes],
            "status": [outcome.mechanism.status for outcome in outcomes],
        }
    )


def _matrices(scenario: Scenario, outcomes: tuple[DesignOutcome, ...]) -> None:
    by_key = {outcome.key: outcome for outcome in outcomes}
    joint = results.true_joint(scenario.data)
    for side, (column, default) in enumerate(
        zip(st.columns(2), ("non_robust", "exact"), strict=True)
    ):
        with column:
            key = f"robust_matrix_{side}"
            wanted = st.session_state.get(f"{key}_design", default)
            chosen = by_key.get(wanted, by_key["polyopt"])  # where the robust optimum is missing
            mechanism = named(chosen.mechanism, joint)
            with card(
                key=key,
                title=DESIGNS[chosen.key],
                subtitle=_instead(wanted, chosen.key)
                + "P(y | s, u): the probability of y (column) given the pair (row).",
                table=partial(exports.kernel_table, mechanism, mechanism.x_labels),
                formulas=(results.DESIGNS,),
                beside=partial(_pick, key, default),
            ):
                chart(
                    figures.likeliest_matrix(
                        mechanism.kernel,
                        joint.p.ravel(),
                        mechanism.x_labels,
                        mechanism.y_labels,
                        inputs=ROWS,
                        outputs=COLUMNS,
                        height=int(
                            np.clip(150 + 14 * min(len(mechanism.x_labels), ROWS), 320, 640)
                        ),
                    ),
                    key=key,
                    title=DESIGNS[chosen.key],
                    alt=f"{DESIGNS[chosen.key]}: "
                    f"{number_of(len(mechanism.x_labels), 'pair')}, "
                    f"{number_of(mechanism.n_y, 'output')}.",
                )
                status = "unfinished" if _is_cut(chosen) else mechanism.status
                st.caption(
                    f"Keeps {share(mechanism.nmi)} at the estimate, {share(chosen.true_nmi)} at "
                    f"the truth; {markdown(status)}. "
                    f"{markdown(' '.join(_notes(scenario, mechanism)))}"
                )


def _instead(wanted: str, shown: str) -> str:
    """Return why the picked design is missing and which one is shown; "" if it is there."""
    if wanted == shown:
        return ""
    why = "is still being designed" if results.desk_of("designs").job else "was not designed"
    return f":orange[{DESIGNS[wanted]} {why}; showing {DESIGNS[shown]}, which is also robust.] "


def _pick(key: str, default: str) -> None:
    st.selectbox(
        "Design",
        list(DESIGNS),
        index=list(DESIGNS).index(default),
        format_func=DESIGNS.__getitem__,
        key=f"{key}_design",
        label_visibility="collapsed",
        persist_state="session",
        # pixels that the picker of a design takes: its longest name, in full
        width=250,
    )
