"""Pickers of the promise and of the mechanism: menus of radio buttons, a group for each family.

What an option means, and why it has no answer, is thus read before it is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.errors import CoreError
from core.mechanisms import catalogue as mechanisms
from core.mechanisms import fit
from core.mechanisms.entry import MechanismEntry
from core.notions import Given
from core.notions import catalogue as notions
from core.notions.entry import FAMILIES
from core.scenario import Scenario, spans
from core.wording import listed
from pages.ui.frame import state, theme
from pages.ui.style import glossary
from pages.ui.style.labels import markdown
from pages.ui.style.units import UNITS, budget
from pages.ui.work import derived

SWITCHED = "_switched"
"""Session key of the sentence that says what else a choice has changed, until the next choice."""


READING = "optimal_reading_secret"
"""The mechanism that the switch “The release may look at S” turns to."""

LOOKS = "looks_at_s"
"""The key of that switch."""

HOLDER = "Making the release requires S for every record, kept as safe as the data itself."
"""The warning beside that switch."""

ITSELF = "X is S itself, so every mechanism already reads S"
"""Why reading S means nothing where S is what is released."""

SYMBOLS = {"eps": "M", "bound": "c"}
"""Number whose range depends on the data → its symbol under promises that have such a range."""


@dataclass(frozen=True)
class Option:
    """An option of the catalogue; `trouble`: why it has no answer, or what it changes; or ""."""

    key: str
    title: str
    meaning: str
    trouble: str = ""

    @property
    def is_blocked(self) -> bool:
        """Whether it has no answer here."""
        return self.trouble.startswith(("Not under", "Not for", "Needs", "No mechanism"))


def promise() -> None:
    """Show the picker of the promise."""
    pick_promise("notion", state.scenario(), choose_promise)


def mechanism() -> None:
    """Show the picker of the mechanism, and what a choice changed."""
    pick_mechanism("mech", state.scenario(), choose_mechanism)
    if switched := st.session_state.get(SWITCHED):
        st.markdown(f":orange[:small[{markdown(switched)}]]")


def explain() -> None:
    """Show what the chosen mechanism does, and whether it may look at S."""
    scenario = state.scenario()
    meant = mechanisms.entry(scenario.mechanism)
    st.caption(f"**{markdown(meant.title)}**: {markdown(meant.meaning)}")
    _look_at_s(scenario)


PROMISED = "promised"
"""The key of what the chosen promise says."""


def promised(scenario: Scenario) -> None:
    """Show the chosen privacy notion's meaning, with the numbers of its sliders."""
    meant = notions.entry(scenario.notion)
    secret = listed(scenario.data.secret) or "S"
    text = meant.in_numbers(scenario.numbers, secret) or meant.meaning
    if known := scenario.data.known:
        text = f"For someone who knows {listed(known)}, {text[:1].lower()}{text[1:]}"
    with st.container(key=PROMISED):
        st.caption(f"**{markdown(meant.title)}**: {markdown(text)}")


def pick_promise(
    name: str, scenario: Scenario, choose: Callable[[str], None], *, late: bool = False
) -> None:
    """Show the menu of all privacy notions."""
    by_family = {
        f"{family[0].upper()}{family[1:]}": [
            Option(entry.key, entry.title, entry.meaning, _against(entry.key, scenario))
            for entry in notions.of_family(key)
        ]
        for key, family in FAMILIES.items()
    }
    chosen = notions.entry(scenario.notion)
    term = glossary.terms()["notion"]
    explained = f"**{markdown(term.title.capitalize())}**: {markdown(term.meaning)}"
    _menu(
        _Menu(name, "Privacy notion", chosen.key, chosen.title, by_family, explained),
        choose,
        late=late,
    )


def pick_mechanism(
    name: str, scenario: Scenario, choose: Callable[[str], None], *, late: bool = False
) -> None:
    """Show the menu of all mechanisms; parameters as in `pick_promise`."""
    kinds = scenario.kinds
    by_family = {
        family: [
            Option(
                entry.key,
                _named(entry.key),
                entry.meaning,
                _without_need(entry, scenario)
                or _off(fit.obstacle(entry, kinds, of_task=scenario.of_task), scenario),
            )
            for entry in entries
        ]
        for family, entries in fit.families().items()
    }
    chosen = scenario.mechanism
    _menu(_Menu(name, "Mechanism", chosen, _named(chosen), by_family), choose, late=late)


def _look_at_s(scenario: Scenario) -> None:
    """Show the switch that lets the release look at S, and who must hold S then."""
    looks = mechanisms.entry(scenario.mechanism).reads_secret
    off = (
        ITSELF
        if scenario.data.releases_secret
        else fit.obstacle(mechanisms.entry(READING), scenario.kinds, of_task=scenario.of_task)
    )
    state.put(LOOKS, looks)
    st.toggle(
        "The release may read S",
        key=LOOKS,
        on_change=_switch,
        persist_state="session",
        disabled=bool(off) and not looks,
        help=f"Off: {off}."
        if off
        else "The best mechanism that reads S and X keeps at least as much as the best one that "
        "reads X alone.",
    )
    if looks:
        st.markdown(f":orange[:small[:material/key: {markdown(HOLDER)}]]")


def _switch() -> None:
    """Choose the optimum that reads S, or a mechanism that reads X alone."""
    scenario = state.scenario()
    st.session_state[SWITCHED] = ""
    goes_on = fit.successor(fit.BEST[0], scenario.kinds)
    st.session_state["mech"] = READING if st.session_state[LOOKS] else goes_on


def choose_promise(key: str) -> None:
    """Choose a privacy notion; replace a mechanism that does not work under it, and say so."""
    scenario, note = asking(state.scenario(), key)
    for widget, name in state.WIDGETS.items():
        state.put(widget, getattr(scenario, name))
    st.session_state[SWITCHED] = note


def asking(scenario: Scenario, key: str) -> tuple[Scenario, str]:
    """Return a question with another privacy notion, and what else had to change to get an answer.

    Replaced are a mechanism that does not work, and a budget that binds nothing or nothing keeps.
    """
    changed, note = _fitting(replace(scenario, notion=key))
    try:
        idle = spans.without_difference(changed, derived.counted(changed.data).joint)
    except CoreError:
        return changed, note  # the page says what is wrong
    for name, ends in idle.items():
        now, half = getattr(changed, name), spans.halfway(ends)
        sentence = _set_to(name, changed.notion, now, ends.high, half)
        changes: dict[str, Any] = {name: half}
        changed, note = replace(changed, **changes), f"{note} {sentence}".strip()
    return changed, note


def _set_to(name: str, notion: str, now: float, high: float, half: float) -> str:
    """Return why a number was set to half its range, in the unit shown if it has one."""
    unit = str(st.session_state.get("unit", UNITS[0]))
    in_nats = name == "eps" and spans.in_nats(notion)
    was, most, new = (
        budget(value, unit) if in_nats else f"{value:g}" for value in (now, high, half)
    )
    symbol = SYMBOLS[name]
    if now >= high:
        return (
            f"On this data X itself already satisfies {symbol} = {most}, so {symbol} is now {new}."
        )
    return f"On this data no mechanism satisfies {symbol} = {was}, so {symbol} is now {new}."


def choose_mechanism(key: str) -> None:
    """Ask for a mechanism."""
    st.session_state["mech"] = key
    st.session_state[SWITCHED] = ""


def settle() -> None:
    """Switch to a mechanism that works under the present notions; say so if it is another one."""
    scenario, st.session_state[SWITCHED] = _fitting(state.scenario())
    st.session_state["mech"] = scenario.mechanism


def _fitting(scenario: Scenario) -> tuple[Scenario, str]:
    """Return a question with a mechanism that works under its promises, and why it is another."""
    kinds, of_task = scenario.kinds, scenario.of_task
    goes_on = fit.successor(scenario.mechanism, kinds, of_task=of_task)
    if goes_on == scenario.mechanism:
        return scenario, ""
    reason = fit.obstacle(mechanisms.entry(scenario.mechanism), kinds, of_task=of_task)
    where = "under these notions" if scenario.also else "under this notion"
    if reason == fit.OF_A_TASK:
        where = "for a task"
    note = (
        f"{mechanisms.entry(scenario.mechanism).title} does not work {where}: {reason}. "
        f"{mechanisms.entry(goes_on).title} replaces it."
    )
    return replace(scenario, mechanism=goes_on), note


def notion_keys(scenario: Scenario) -> list[str]:
    """Return the keys of all notions that a scenario asks for at once."""
    return [scenario.notion, *(other.notion for other in scenario.also)]


def _unknown(key: str) -> str:
    """Return why a notion cannot be asked given what others know; "" where it can."""
    entry = notions.entry(key)
    if not Given.holds_for(entry.kind) or "delta" in entry.parameters:
        return "it does not bound each output by P(S) alone"
    if not entry.kind.convex:
        return "it has no optimum, and no other mechanism considers what others know"
    return ""


def obstacle(name: str, scenario: Scenario) -> str:
    """Return why a mechanism does not answer a scenario's notions; "" where it does."""
    entry = mechanisms.entry(name)
    if scenario.data.known and entry.uses_notion:
        reasons = [reason for key in notion_keys(scenario) if (reason := _unknown(key))]
        if reasons:
            return reasons[0]
    return fit.obstacle(entry, scenario.kinds, of_task=scenario.of_task)


def _against(key: str, scenario: Scenario) -> str:
    """Return why a promise has no answer here, or which mechanism choosing it would replace."""
    of_task = scenario.of_task
    kind = notions.entry(key).kind
    data = scenario.data
    if kind.secret_released and not (data.secret_released or data.releases_secret):
        return "Needs “Also release S” switched on."
    if scenario.data.known and (reason := _unknown(key)):
        return f"Needs “Also known” empty: {reason}."
    kinds = replace(scenario, notion=key).kinds
    entry = mechanisms.entry(scenario.mechanism)
    if not fit.obstacle(entry, kinds, of_task=of_task):
        return ""
    goes_on = fit.successor(entry.key, kinds, of_task=of_task)
    if goes_on == entry.key:
        return "No mechanism works under it together with the additional notions."
    return (
        f"{entry.title} does not work under it; {mechanisms.entry(goes_on).title} would replace it."
    )


def _without_need(entry: MechanismEntry, scenario: Scenario) -> str:
    """Return why a mechanism that reads S has nothing to add, where X is S itself; else ""."""
    needless = entry.reads_secret and scenario.data.releases_secret
    return f"Needs another X: {ITSELF}." if needless else ""


def _off(reason: str, scenario: Scenario) -> str:
    """Return why a mechanism has no answer under the promise, as a sentence."""
    if not reason:
        return ""
    if reason == fit.OF_A_TASK:
        return f"Not for a task: {reason}."
    promised = notions.entry(scenario.notion).title
    others = " and the additional notions" if scenario.also else ""
    return f"Not under {promised}{others}: {reason}."


def _named(key: str) -> str:
    """Return a mechanism's title, with "needs S" where it reads S and the title does not say so."""
    entry = mechanisms.entry(key)
    clear = not entry.reads_secret or entry.title.endswith("reading S")
    return entry.title if clear else f"{entry.title}, needs S"


ELSEWHERE = "Not for this question"
"""The last group of a menu: options without an answer here, each with the reason."""


@dataclass(frozen=True)
class _Menu:
    """A menu: its key, label, the chosen option's key and title, all options, an explanation."""

    name: str
    label: str
    now: str
    chosen: str
    families: Mapping[str, Iterable[Option]]
    caption: str = ""


def _menu(menu: _Menu, choose: Callable[[str], None], *, late: bool) -> None:
    """Show a button that names the choice and opens all options: a group for each family.

    Options without an answer here come last. The menu closes when one is chosen.
    """
    with st.popover(
        f"{menu.label}: **{markdown(menu.chosen)}**",
        width="stretch",
        wrap=True,
        key=f"{menu.name}_menu",
        on_change="rerun" if late else "ignore",
    ) as opened:
        if late and not opened.open:
            return
        theme.look(menu.name, f"Find a {menu.label.lower()}")
        if menu.caption:
            st.caption(menu.caption)
        turn = _turn(menu)

        def take(key: str) -> None:
            if turn == st.session_state[f"_{menu.name}_turn"][0]:  # else others replaced these
                choose(key)

        blocked: dict[str, Option] = {}
        for place, (family, members) in enumerate(menu.families.items()):
            options = {option.key: option for option in members}
            blocked |= {key: option for key, option in options.items() if option.is_blocked}
            if left := {key: option for key, option in options.items() if key not in blocked}:
                _group(f"{menu.name}_{place}-{turn}", family, left, menu.now, take)
        if blocked:
            last = f"{menu.name}_{len(menu.families)}-{turn}"
            _group(last, ELSEWHERE, blocked, menu.now, take)


def _turn(menu: _Menu) -> int:
    """Return how often the choice has changed: each time the menu has other radio buttons.

    A menu that closes when an option is chosen takes its buttons away before the browser knows that
    those of another family are not pressed any more. It repeats the old option with its next
    request, and in the same buttons that would count as chosen.
    """
    name = f"_{menu.name}_turn"
    turn, before = st.session_state.get(name, (0, menu.now))
    if before != menu.now:
        turn += 1
    st.session_state[name] = turn, menu.now
    return int(turn)


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
        format_func=lambda name: _label(options[name]),
        captions=[_caption(option) for option in options.values()],
        key=key,
        on_change=take,
    )


def _label(option: Option) -> str:
    """Return an option's name, marked where it has no answer here."""
    title = markdown(option.title)
    return f":material/block: {title}" if option.is_blocked else title


def _caption(option: Option) -> str:
    meaning = markdown(option.meaning)
    return f"{meaning} **{markdown(option.trouble)}**" if option.trouble else meaning
