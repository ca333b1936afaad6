"""Which columns are written beside Y: what each gives away, a switch for each, and all together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from core.data.counts.cells import JOINED
from core.data.tables import FileTable
from core.jobs.work import find_attack, find_given_away
from core.notions import Notion
from core.records.design import CHOSEN, Plan, others_of
from core.records.several import Several
from core.release.attack import Attack
from core.release.beside import Beside
from core.release.file_words import attack_sentence, factor, file_sentences, keeps, warnings
from core.scenario import Result, Scenario
from core.wording import listed, number_of
from pages.ui.frame import state
from pages.ui.parts import tables
from pages.ui.release import controls, results
from pages.ui.release.in_turn import longest
from pages.ui.style.labels import markdown
from pages.ui.work import long_answer, progress
from pages.ui.work.long_answer import LongAnswer

T = TypeVar("T")

TITLES = ("Column", "Alone", "Y adds", "Both", "", "", "")
"""Titles of the table's columns."""

WIDTHS = (2.6, 1.1, 1.1, 1.1, 2.6, 1.3, 1.5)
"""Their widths, relative to each other."""

MEANING = (
    "The largest shift of beliefs about {secret} in this file: from the column alone, from Y for "
    "a reader who knows the column, and from both. ×1.00 means no shift; ×∞ rules a value out."
)
"""What the figures are."""

BEGINS = (
    "A release starts with Y alone, even from older links that kept every column. Switch on the "
    "columns to keep. A column that is randomized has an output of its own next to Y, and ε is "
    "then for all outputs together."
)
"""How columns are kept or randomized: the tooltip of the card's title."""

ATTACK = (
    "The columns that stay are also attacked: weighted naive Bayes learns from four fifths of the "
    "records and guesses the others. Values that only one record has cannot help it. Another "
    "method may be right more often."
)
"""What the attack is, and what it leaves open: the tooltip of the figures' meaning."""

_AGREED, _AGREED_FOR = "release_agreed", "_release_agreed_for"


@dataclass(frozen=True)
class Counts:
    """The counts behind the table: of each column with a row, and of those that are kept."""

    answers: tuple[Result, ...]
    table: FileTable
    unknown: str
    of_text: bool

    def work(self, groups: Sequence[Sequence[str]]) -> LongAnswer[tuple[Beside, ...]]:
        """Return the work of counting groups of columns."""
        return self._about(find_given_away, tuple(map(tuple, groups)))

    def attack(self, names: tuple[str, ...]) -> LongAnswer[Attack]:
        """Return the work of guessing S from Y and columns."""
        return self._about(find_attack, names)

    def _about(self, call: Callable[..., T], columns: tuple[Any, ...]) -> LongAnswer[T]:
        first, *further = self.answers
        name = " ".join(own.content_id for own in self.answers)
        about = self.unknown, str(self.of_text), *results.name_of(self.table)
        key = (call.__name__, name, repr(columns), *about)
        given = (first, self.table, columns, self.unknown, self.of_text, further)
        return LongAnswer(first.scenario.data, key, call, lambda: given)

    def is_quick(self, passes: int) -> bool:
        """Say whether so many passes over the records take a moment."""
        return self.table.rows * passes <= results.QUICK


@dataclass(frozen=True)
class Choice:
    """Whether the columns that are kept may be released, and what they give away in words."""

    allowed: bool = True
    sentence: str = ""


def give_up() -> None:
    """Stop counts that are not on screen any more."""
    long_answer.await_only("other columns", ())


def show(
    result: Result,
    plan: Plan,
    table: FileTable,
    kind: str,
    several: Several | None = None,
    *,
    waits: bool = False,
) -> Choice:
    """Show the table, and return what was chosen; figures wait until there are mechanisms.

    `several`: the mechanisms, where the plan randomizes further columns.
    """
    data = result.scenario.data
    secret = JOINED.join(data.secret)
    others = others_of(data, table.columns)
    if not others or plan.columns not in (CHOSEN, Plan.columns):
        give_up()
        return Choice()
    answers = results.answers(result, several)
    notion = result.mechanism.notion
    if several is not None:
        notion = several.whole.build_notion(answers[0].joint)
    counts = Counts(answers, table, plan.unknown, kind == controls.CSV)
    with st.container(border=True, key="card_columns"):
        st.markdown(
            f"**Which columns stay next to Y?** {len(plan.keep)} of {len(others)} kept.",
            help=BEGINS,
        )
        apart = [name for name in others if name in plan.randomize]
        later = [name for name in others[tables.ROWS :] if name in plan.keep]
        late = [name for name in apart if name in others[tables.ROWS :]]
        rows = [*others[: tables.ROWS], *later, *late]
        if waits:
            give_up()
            _table(rows, {}, result, secret, notion)
            return Choice(allowed=False)
        singly = [(name,) for name in others[: tables.ROWS] if name not in apart]
        kept = [*((name,) for name in later), *([plan.keep] if len(plan.keep) > 1 else [])]
        works = [counts.work(groups) for groups in (singly, kept) if groups]
        attack = [counts.attack(plan.keep)] if plan.keep else []
        long_answer.await_only("other columns", [*works, *attack])
        place, levels = st.container(), dict[tuple[str, ...], Beside]()
        if singly:
            levels |= _awaited(counts, singly, "columns_each", "Counting each column")
        if kept:
            levels |= _awaited(counts, kept, "columns_together", "Counting the kept columns")
        with place:
            by_name = {names[0]: own for names, own in levels.items() if len(names) == 1}
            _table(rows, by_name, result, secret, notion)
            if others[tables.ROWS :]:
                _by_name([name for name in others[tables.ROWS :] if name not in apart])
        if not plan.keep:
            return Choice()
        guessed = _attacked(counts, plan.keep, secret)
        return _verdict(levels.get(plan.keep), plan.keep, notion, secret, guessed)


def _awaited(
    counts: Counts, groups: Sequence[tuple[str, ...]], key: str, what: str
) -> dict[tuple[str, ...], Beside]:
    """Show the progress of counting groups of columns; return what each gives away, if it ended."""
    work = counts.work(groups)
    find = work.here if counts.is_quick(len(groups)) else work.ask
    answer = progress.awaited(work, find, what, key=key)
    return {} if answer is None else dict(zip(groups, answer, strict=True))


def _attacked(counts: Counts, names: tuple[str, ...], secret: str) -> str:
    """Show the progress of an attack from the kept columns; return what came of it, if it ended."""
    work = counts.attack(names)
    find = work.here if counts.is_quick(5 * len(names)) else work.ask  # five folds
    what = markdown(f"Guessing {secret} from Y and the kept columns")
    guess = progress.awaited(work, find, what, key="columns_attack")
    return "" if guess is None else attack_sentence(guess, names, secret)


def _table(
    rows: Sequence[str],
    levels: dict[str, Beside],
    result: Result,
    secret: str,
    notion: Notion | None,
) -> None:
    """Show a row for each column: its switch, its figures, and what speaks against it."""

    def order(name: str) -> tuple[bool, float, float]:
        row, out = levels.get(name), name not in (*controls.kept(), *controls.randomized())
        return (out, 0.0, 0.0) if row is None else (out, row.file["lip"], row.known["guess"])

    with st.container(height=330 if len(rows) > 7 else "content", border=False, key="columns_rows"):
        heads = st.columns(WIDTHS, vertical_alignment="center")
        for place, title in zip(heads, TITLES, strict=True):
            place.caption(f"**{title}**" if title else "")
        for name in sorted(rows, key=order):
            cells = st.columns(WIDTHS, vertical_alignment="center")
            with cells[0]:
                _switch(name)
            with cells[-2]:
                _join(name, result.scenario)
            with cells[-1]:
                _randomize(name, result)
            if name in controls.randomized():
                cells[4].markdown(":small[:material/casino: randomized separately]")
            row = levels.get(name)
            if row is None:
                continue
            for cell, figures in zip(cells[1:], (row.known, row.added, row.file), strict=False):
                cell.markdown(factor(figures["lip"]))
            if reasons := warnings(row, secret, notion):
                text = f":red[:material/warning: {markdown(' · '.join(reasons))}]"
            else:
                text = ":green[satisfies the notion]" if keeps(row, notion) else ""
            cells[4].markdown(text)
    st.caption(markdown(MEANING.format(secret=secret)), help=ATTACK)


def _switch(name: str) -> None:
    """Show the switch of a column."""
    key = f"release_keep: {name}"
    st.session_state[key] = name in controls.kept()
    st.toggle(markdown(name), key=key, on_change=_switched, args=(name, key))


def _join(name: str, scenario: Scenario) -> None:
    """Offer to make a column part of X, where it is randomized together with the others."""
    x = listed([*scenario.data.released, name])
    st.button(
        "Part of X",
        key=f"release_join: {name}",
        type="tertiary",
        on_click=_joined,
        args=(name,),
        disabled=scenario.data.releases_secret,
        help=markdown(
            f"Y then replaces {x} together. A new mechanism is made for all their combinations, "
            f"which takes up to {scenario.time_limit:g} s."
        ),
    )


def _randomize(name: str, result: Result) -> None:
    """Offer to randomize a column separately, or to leave it out again."""
    if name in controls.randomized():
        st.button(
            "Leave out",
            key=f"release_leave_out: {name}",
            type="tertiary",
            on_click=controls.treat,
            args=(name,),
        )
        return
    names = (*controls.randomized(), name)
    st.button(
        "Randomize",
        key=f"release_randomize: {name}",
        type="tertiary",
        on_click=controls.treat,
        args=(name, controls.RANDOMIZE),
        help=markdown(
            f"{name} is then replaced by an output of its own, and ε is for all randomized "
            f"columns together. A search divides it, which takes up to {longest(result, names):g} "
            "s."
        ),
    )


def _joined(name: str) -> None:
    data = state.data()
    controls.treat(name)
    known = tuple(column for column in data.known if column != name)
    state.with_data(released=(*data.released, name), known=known)


def _switched(name: str, key: str) -> None:
    """Keep a column, or leave it out."""
    controls.treat(name, controls.STAY if st.session_state[key] else "")


def _by_name(others: Sequence[str]) -> None:
    """Offer the columns without a row by their names."""
    key = "release_keep_others"
    st.session_state[key] = [column for column in controls.kept() if column in others]
    st.multiselect(
        f"{number_of(len(others), 'other column')}, counted when kept",
        others,
        key=key,
        on_change=_chosen,
        args=(tuple(others), key),
    )


def _chosen(others: Sequence[str], key: str) -> None:
    held = [column for column in controls.kept() if column not in others]
    controls.URL.set(controls.STAY, [*held, *st.session_state[key]])


def _verdict(
    levels: Beside | None, names: tuple[str, ...], notion: Notion | None, secret: str, guessed: str
) -> Choice:
    """Say what the kept columns give away together; ask for a click where that is too much."""
    text = ""
    if levels is not None:
        against = warnings(levels, secret, notion)
        text = f"{file_sentences(levels, names, secret)} {guessed}".rstrip()
        if not against:
            st.success(markdown(text), icon=":material/verified_user:")
            return Choice(sentence=text)
        text = f"What stays next to Y {listed(against)}. {text}"
        st.error(markdown(text), icon=":material/gpp_bad:")
    if st.session_state.get(_AGREED_FOR) != names:
        st.session_state[_AGREED_FOR], st.session_state[_AGREED] = names, False
    which = "this column" if len(names) == 1 else f"these {len(names)} columns"
    uncounted = "" if levels is not None else ", although what that reveals has not been computed"
    return Choice(st.checkbox(f"Keep {which} anyway{uncounted}", key=_AGREED), text)
