"""Pickers of the promise and of the mechanism: all of them by family, with what each one means.

Streamlit's selectbox has no headings and shows no more of an option than its name. So each picker
is a menu of radio buttons, a group for each family: what an option means, and why it has no
answer with the rest of the question, is read before it is chosen, by whoever sees it and by
whoever hears it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import streamlit as st

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.notions import Notion
from core.notions import catalogue as notions
from core.notions.entry import FAMILIES
from core.scenario import DOMAINS, Scenario, spans
from pages.ui.frame import state
from pages.ui.style.labels import markdown
from pages.ui.work import derived

SWITCHED = "_switched"
"""Under which the session keeps what else a choice has changed, until the next one."""


READING = "optimal_reading_secret"
"""The mechanism that the switch goes to."""

LOOKS = "looks_at_s"
"""The switch's key."""

HOLDER = (
    "Whoever makes the release must hold S of every record: S leaves the data for that, and "
    "must be kept as safe there."
)
"""The warning beside it."""

SYMBOLS = {"eps": "M", "bound": "c"}
"""What a number that depends on the data is called under a promise of averages or guesses."""


@dataclass(frozen=True)
class Option:
    """What can be chosen.

    Attributes
    ----------
    key, title, meaning : str
        As in the catalogue.
    trouble : str
        What stands against it here, a sentence; "" where nothing does.
    """

    key: str
    title: str
    meaning: str
    trouble: str = ""


def promise() -> None:
    """Show the picker of the promise, and what the chosen one means."""
    scenario = state.scenario()
    by_family = {
        f"{family[0].upper()}{family[1:]}": [
            Option(entry.key, entry.title, entry.meaning, _against(entry.key, scenario))
            for entry in notions.of_family(key)
        ]
        for key, family in FAMILIES.items()
    }
    chosen = notions.entry(scenario.notion)
    _menu("notion", "Promise", chosen.title, by_family, choose_promise)
    st.caption(markdown(chosen.meaning))


def mechanism() -> None:
    """Show the picker of the mechanism, what the chosen one does, and what a choice changed."""
    scenario = state.scenario()
    kinds = asked_kinds(scenario)
    by_family = {
        family: [
            Option(
                entry.key,
                _named(entry.key),
                entry.meaning,
                _off(fit.obstacle(entry, kinds), scenario),
            )
            for entry in entries
        ]
        for family, entries in fit.families().items()
    }
    chosen = mechanisms.entry(scenario.mechanism)
    _menu("mech", "Mechanism", _named(chosen.key), by_family, choose_mechanism)
    st.caption(markdown(chosen.meaning))
    _look_at_s(scenario)
    if switched := st.session_state.get(SWITCHED):
        st.markdown(f":orange[:small[{markdown(switched)}]]")


def _look_at_s(scenario: Scenario) -> None:
    """Show the switch that lets the release look at S, and who must hold S then."""
    looks = mechanisms.entry(scenario.mechanism).reads_secret
    off = fit.obstacle(mechanisms.entry(READING), asked_kinds(scenario))
    if st.session_state.get(LOOKS) != looks:
        st.session_state[LOOKS] = looks
    st.toggle(
        "The release may look at S",
        key=LOOKS,
        on_change=_switch,
        disabled=bool(off) and not looks,
        help=f"Off: {off}."
        if off
        else "The best that reads S and X keeps at least what the best that reads X alone does.",
    )
    if looks:
        st.markdown(f":orange[:small[:material/key: {markdown(HOLDER)}]]")


def _switch() -> None:
    """Go to the optimum that reads S, or back to what reads X alone."""
    scenario = state.scenario()
    st.session_state[SWITCHED] = ""
    goes_on = fit.successor(fit.BEST[0], asked_kinds(scenario))
    st.session_state["mech"] = READING if st.session_state[LOOKS] else goes_on


def choose_promise(key: str) -> None:
    """Ask for a promise; a mechanism that does not work under it gives way, which is told."""
    st.session_state["notion"] = key
    settle()
    _within()


def _within() -> None:
    """Bring a budget to where it makes a difference on this data; say so where it changed."""
    scenario = state.scenario()
    for name in ("eps", "bound"):
        if name not in notions.entry(scenario.notion).parameters:
            continue
        try:
            joint = derived.counted(scenario.data).joint
            ends = spans.span(scenario.notion, name, joint, scenario.numbers)
        except CoreError:
            return  # the page says what is wrong
        now = getattr(scenario, name)
        if ends == DOMAINS[name] or ends.low <= now < ends.high:
            continue
        steps = round((ends.high - ends.low) / ends.step) // 2
        half = float(f"{ends.low + steps * ends.step:.9g}")
        st.session_state[name] = half
        st.session_state[SWITCHED] = " ".join(
            (
                st.session_state[SWITCHED],
                f"{SYMBOLS[name]} = {now:g} makes no difference here: X itself needs "
                f"{ends.high:g}. It is {half:g} now."
                if now >= ends.high
                else f"{SYMBOLS[name]} = {now:g} is out of reach here. It is {half:g} now.",
            )
        ).strip()


def choose_mechanism(key: str) -> None:
    """Ask for a mechanism."""
    st.session_state["mech"] = key
    st.session_state[SWITCHED] = ""


def settle() -> None:
    """Go on with a mechanism that works under what is promised now; say so where it is another."""
    scenario = state.scenario()
    goes_on = fit.successor(scenario.mechanism, asked_kinds(scenario))
    st.session_state[SWITCHED] = ""
    if goes_on != scenario.mechanism:
        reason = fit.obstacle(mechanisms.entry(scenario.mechanism), asked_kinds(scenario))
        st.session_state[SWITCHED] = (
            f"{mechanisms.entry(scenario.mechanism).title} does not work under this promise: "
            f"{reason}. {mechanisms.entry(goes_on).title} took its place."
        )
        st.session_state["mech"] = goes_on


def asked_kinds(scenario: Scenario) -> list[type[Notion]]:
    """Return the classes of all notions that a scenario asks for at once."""
    return [notions.entry(key).kind for key in asked_keys(scenario)]


def asked_keys(scenario: Scenario) -> list[str]:
    """Return the keys of all notions that a scenario asks for at once."""
    return [scenario.notion, *(other.notion for other in scenario.also)]


def _against(key: str, scenario: Scenario) -> str:
    """Return what stands against a promise: its data, or the mechanism that would give way."""
    kind = notions.entry(key).kind
    if kind.secret_released and not scenario.data.secret_released:
        return "Needs “S is released too”, switched on above."
    kinds = [kind, *asked_kinds(scenario)[1:]]
    entry = mechanisms.entry(scenario.mechanism)
    if not fit.obstacle(entry, kinds):
        return ""
    goes_on = fit.successor(entry.key, kinds)
    if goes_on == entry.key:
        return "No mechanism works under it together with the further promises."
    return f"Not by {entry.title}: {mechanisms.entry(goes_on).title} takes its place."


def _off(reason: str, scenario: Scenario) -> str:
    """Return why a mechanism has no answer under the promise, as a sentence."""
    if not reason:
        return ""
    promised = notions.entry(scenario.notion).title
    others = " and what else is promised" if scenario.also else ""
    return f"Not under {promised}{others}: {reason}."


def _named(key: str) -> str:
    """Return what a mechanism is called, and whether S must be at hand when it releases."""
    entry = mechanisms.entry(key)
    told = not entry.reads_secret or entry.title.endswith("reading S")
    return entry.title if told else f"{entry.title}, needs S"


def _menu(
    name: str,
    label: str,
    chosen: str,
    families: Mapping[str, Iterable[Option]],
    choose: Callable[[str], None],
) -> None:
    """Show a button with what is chosen; behind it all there is, a group for each family."""
    with st.popover(
        f"{label}: **{markdown(chosen)}**", width="stretch", wrap=True, key=f"{name}_menu"
    ):
        for place, (family, found) in enumerate(families.items()):
            options = {option.key: option for option in found}
            if options:
                _group(f"{name}_{place}", family, options, st.session_state[name], choose)


def _group(
    key: str,
    family: str,
    options: Mapping[str, Option],
    now: str,
    choose: Callable[[str], None],
) -> None:
    """Show one family's radio buttons; none is pressed where the choice is another family's."""
    # set in each run: a menu is drawn when it is opened, which may be many runs later
    st.session_state[key] = now if now in options else None

    def take() -> None:
        picked = st.session_state[key]
        if picked is not None:
            choose(picked)

    st.radio(
        f"**{markdown(family)}**",
        list(options),
        index=None,
        format_func=lambda one: _label(options[one]),
        captions=[_caption(option) for option in options.values()],
        key=key,
        on_change=take,
    )


def _label(option: Option) -> str:
    """Return an option's name, marked where it has no answer here."""
    title = markdown(option.title)
    return (
        f":material/block: {title}" if option.trouble.startswith(("Not under", "Needs")) else title
    )


def _caption(option: Option) -> str:
    meaning = markdown(option.meaning)
    return f"{meaning} **{markdown(option.trouble)}**" if option.trouble else meaning
