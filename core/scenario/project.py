"""Several scenarios side by side, each with a name and a note: as a value, JSON or link."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, urlencode

from core.codec import VERSION, json_object, listed, read_json, without_version
from core.errors import InvalidInputError
from core.mechanisms import catalogue as mechanisms
from core.notions import catalogue as notions
from core.scenario.data_url import Query, cut
from core.scenario.scenario import Scenario
from core.scenario.url import KEYS as SCENARIO_KEYS
from core.scenario.url import from_query, to_query, unknown_keys
from core.validation import shown, whole

KEY = "col"
"""URL key of a column; its value is itself a query, percent-encoded once more."""

FILE = "file"
"""URL key of a file; its value is a query of its source and its name."""

LONGEST_TEXT = 2_000_000
"""Most characters of a project's JSON: twice what a thousand columns have."""

LONGEST_NAME = 60
"""Most characters of a column's name, which is printed above charts."""

LONGEST_NOTE = 2_000
"""Most characters of a note, all of which are in the address."""


MARKS = 1_000
"""Marks that a column may have; how each is drawn is the interface's."""

Files = tuple[tuple[str, str], ...]
"""Pairs of an uploaded source and its file's name."""


def is_made(name: str, scenario: Scenario) -> bool:
    """Say whether a name is one that `suggested` makes for a scenario."""
    bare = re.sub(r" \(\d+\)$", "", name)
    title = _title(scenario)[:LONGEST_NAME]
    return bare == title or (
        name != bare and len(name) == LONGEST_NAME and bare == title[: len(bare)]
    )


def suggested(scenarios: Sequence[Scenario], taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Return distinct names for scenarios: the notion, and the mechanism if no optimum."""
    used, names = set(taken), []
    for scenario in scenarios:
        name = base = _title(scenario)[:LONGEST_NAME]
        number = 2
        while name in used:
            end = f" ({number})"
            name = base[: LONGEST_NAME - len(end)] + end
            number += 1
        used.add(name)
        names.append(name)
    return tuple(names)


def _title(scenario: Scenario) -> str:
    mechanism = mechanisms.entry(scenario.mechanism)
    if not mechanism.uses_notion:
        return mechanism.title
    keys = [scenario.notion, *(promise.notion for promise in scenario.also)]
    entries = [notions.entry(key) for key in keys]
    notion = " + ".join(entry.title for entry in entries)
    return notion if mechanism.optimum else f"{notion}, {mechanism.title}"


def filled(names: Sequence[str], scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    """Return names in which each empty one is replaced by one made from its scenario."""
    result = list(names)
    for place, name in enumerate(names):
        if not name:
            result[place] = suggested((scenarios[place],), [used for used in result if used])[0]
    return tuple(result)


def checked_text(value: Any, what: str, most: int, *, least: int = 1, lines: bool = False) -> str:
    """Return a text without blanks at its ends, and on one line unless `lines`."""
    if not isinstance(value, str):
        raise InvalidInputError(f"{what} must be a text, got {shown(value)}.")
    text = "\n".join(map(str.rstrip, value.splitlines())) if lines else " ".join(value.split())
    text = text.strip()
    if not least <= len(text) <= most:
        raise InvalidInputError(
            f"{what} must have {least} to {most:,} characters, got {len(text):,}."
        )
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in text.replace("\n", "")):
        raise InvalidInputError(f"{what} must have no control characters, got {shown(value)}.")
    return text


def checked_files(values: Any, scenarios: Sequence[Scenario]) -> Files:
    """Return the files of the sources that scenarios use, checked and sorted by source."""
    used, files = {scenario.data.source for scenario in scenarios}, {}
    for pair in listed(values, "The files of a project"):
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise InvalidInputError(
                f"A file of a project must be its source and its name, got {shown(pair)}."
            )
        files[pair[0]] = checked_text(pair[1], "The name of a file", 255)
    return tuple(sorted((source, name) for source, name in files.items() if source in used))


@dataclass(frozen=True)
class Project:
    """Named scenarios side by side.

    `scenarios`: the columns, one or more. `names`: their names: distinct, 1 to 60 characters. Made
    from the scenarios where none are given. `notes`: their notes, at most 2,000 characters each;
    empty where none are given. `files`: uploaded sources with the names of their files,
    which another session that opens the project needs. `marks`: a number
    of each column, all distinct, which sets its color and shape and goes with it when it is moved;
    0, 1, … where none are given.
    """

    scenarios: tuple[Scenario, ...]
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: Files = ()
    marks: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        scenarios = listed(self.scenarios, "The columns of a project")
        if not scenarios or not all(isinstance(scenario, Scenario) for scenario in scenarios):
            raise InvalidInputError(
                f"A project must have one scenario or more, got {shown(self.scenarios)}."
            )
        names = tuple(
            checked_text(name, "The name of a column", LONGEST_NAME)
            for name in listed(self.names, "The names of a project") or suggested(scenarios)
        )
        notes = tuple(
            checked_text(note, "A note", LONGEST_NOTE, least=0, lines=True)
            for note in listed(self.notes, "The notes of a project") or ("",) * len(scenarios)
        )
        marks = tuple(
            whole(mark, "The mark of a column", low=0, high=MARKS - 1)
            for mark in listed(self.marks, "The marks of a project") or range(len(scenarios))
        )
        for what, values in (("names", names), ("notes", notes), ("marks", marks)):
            if len(values) != len(scenarios):
                raise InvalidInputError(
                    f"A project of {len(scenarios)} columns must have as many {what}, "
                    f"got {len(values)}."
                )
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInputError(f"The names of columns must differ, got {shown(twice)} twice.")
        if len(set(marks)) != len(marks):
            raise InvalidInputError(f"The marks of columns must differ, got {shown(marks)}.")
        object.__setattr__(self, "marks", marks)
        object.__setattr__(self, "scenarios", scenarios)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "notes", notes)
        object.__setattr__(self, "files", checked_files(self.files, scenarios))

    def __len__(self) -> int:
        return len(self.scenarios)

    def with_column(self, scenario: Scenario, name: str | None = None, note: str = "") -> Project:
        if name is None:
            name = suggested((scenario,), self.names)[0]
        return replace(
            self,
            scenarios=(*self.scenarios, scenario),
            names=(*self.names, name),
            notes=(*self.notes, note),
            marks=_marked((*self.marks, None)),
        )

    def asking(self, place: int, scenario: Scenario) -> Project:
        at = self._place(place)
        name = self.names[at]
        if is_made(name, self.scenarios[at]):
            name = suggested((scenario,), self.names[:at] + self.names[at + 1 :])[0]
        return replace(
            self,
            scenarios=_put(self.scenarios, at, scenario),
            names=_put(self.names, at, name),
        )

    def renamed(self, place: int, name: str) -> Project:
        return replace(self, names=_put(self.names, self._place(place), name))

    def noted(self, place: int, note: str) -> Project:
        return replace(self, notes=_put(self.notes, self._place(place), note))

    def moved(self, place: int, to: int) -> Project:
        order = list(range(len(self)))
        order.insert(self._place(to), order.pop(self._place(place)))
        return self._picked(order)

    def without(self, place: int) -> Project:
        gone = self._place(place)
        if len(self) == 1:
            raise InvalidInputError("The only column of a project cannot be removed.")
        return self._picked([at for at in range(len(self)) if at != gone])

    def with_files(self, titles: Mapping[str, str]) -> Project:
        """Return the project with the names of its uploads' files, given titles by source."""
        used = {scenario.data.source for scenario in self.scenarios}
        known = dict(self.files) | {source: titles[source] for source in used & titles.keys()}
        return replace(self, files=tuple(sorted(known.items())))

    def file_of(self, source: str) -> str:
        return dict(self.files).get(source, "")

    def to_json(self) -> str:
        """Return the project as JSON, which `from_json` reads back to an equal one."""
        columns = [
            {"name": name, "note": note, "scenario": scenario.to_dict()}
            | ({} if self.marks[place] == place else {"mark": self.marks[place]})
            for place, (scenario, name, note) in enumerate(self.columns())
        ]
        written: dict[str, Any] = {"version": VERSION, "columns": columns}
        if self.files:
            written["files"] = dict(self.files)
        return json.dumps(written, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Project:
        """Read a project from JSON."""
        if isinstance(text, str) and len(text) > LONGEST_TEXT:
            raise InvalidInputError(
                f"The project must have at most {LONGEST_TEXT:,} characters, got {len(text):,}."
            )
        values = json_object(read_json(text, "The project"), None, "The project")
        if "columns" not in values and ("data" in values or "notion" in values):
            return cls((Scenario.from_dict(values),))
        values = without_version(values, "The project")
        json_object(values, ("columns", "files"), "The project")
        columns = listed(values.get("columns", ()), "The columns of a project")
        files = json_object(values.get("files", {}), None, "files")
        parsed = [_column(number, column) for number, column in enumerate(columns, 1)]
        names = filled([name for _, name, _, _ in parsed], [scenario for scenario, *_ in parsed])
        return cls(
            tuple(scenario for scenario, *_ in parsed),
            names,
            tuple(note for _, _, note, _ in parsed),
            tuple(files.items()),
            tuple(mark for *_, mark in parsed),
        )

    def to_query(self) -> Query:
        """Return the project as the query of a URL: a value of `col` for each column."""
        query: Query = {KEY: []}
        for place, (scenario, name, note) in enumerate(self.columns()):
            own = {"name": [name]} | ({"note": [note]} if note else {})
            if self.marks[place] != place:
                own["mark"] = [str(self.marks[place])]
            query[KEY].append(urlencode(own | to_query(scenario), doseq=True))
        if self.files:
            query[FILE] = [urlencode({"source": key, "name": name}) for key, name in self.files]
        return query

    @classmethod
    def from_query(
        cls, query: Mapping[str, str | Sequence[str]]
    ) -> tuple[Project, tuple[str, ...]]:
        """Read a project from a URL's query, and say which values were not used."""
        texts = _values(query.get(KEY, ()))
        if not texts:
            scenario, unused = from_query(query)
            return cls((scenario,)), unused
        notices: list[str] = []
        scenarios, names, notes = [], [], []
        marks: list[int | None] = []
        for number, text in enumerate(texts, 1):
            parts = parse_qs(text, keep_blank_values=True)
            question, unused = from_query(parts)
            unused = (*unknown_keys(parts, (*SCENARIO_KEYS, "name", "note", "mark")), *unused)
            if not parts:
                unused = ("The link has nothing readable here; the defaults are used.",)
            notices += [f"Column {number}: {sentence}" for sentence in unused]
            scenarios.append(question)
            name = _kept(parts, "name", "The name of a column", LONGEST_NAME, number, notices)
            if name in names and name:
                notices.append(f"Column {number}: The link has its name {shown(name)} twice.")
            names.append("" if name in names else name)
            notes.append(_kept(parts, "note", "A note", LONGEST_NOTE, number, notices))
            marks.append(_mark(parts, marks, number, notices))
        files: dict[str, str] = {}
        for text in _values(query.get(FILE, ())):
            parts = parse_qs(text, keep_blank_values=True)
            source, name = ((parts.get(key) or [""])[-1] for key in ("source", "name"))
            try:
                files |= dict(checked_files(((source, name),), scenarios))
            except InvalidInputError as error:
                notices.append(f"The link has a file that is ignored. {error}")
        return (
            cls(
                tuple(scenarios),
                filled(names, scenarios),
                tuple(notes),
                tuple(files.items()),
                _marked(marks),
            ),
            tuple(notices),
        )

    def columns(self) -> Iterable[tuple[Scenario, str, str]]:
        return zip(self.scenarios, self.names, self.notes, strict=True)

    def _place(self, place: int) -> int:
        return whole(place, "The place of a column", low=0, high=len(self) - 1)

    def _picked(self, order: Sequence[int]) -> Project:
        return replace(
            self,
            scenarios=tuple(self.scenarios[at] for at in order),
            names=tuple(self.names[at] for at in order),
            notes=tuple(self.notes[at] for at in order),
            marks=tuple(self.marks[at] for at in order),
        )


def _marked(marks: Sequence[int | None]) -> tuple[int, ...]:
    """Return marks in which each None is the column's own place, or the least that is free."""
    result = list(marks)
    for place, mark in enumerate(marks):
        if mark is None:
            own = (place, *range(len(marks)))
            result[place] = next(free for free in own if free not in result)
    return tuple(mark for mark in result if mark is not None)


def _mark(
    parts: Mapping[str, Sequence[str]],
    taken: Sequence[int | None],
    number: int,
    notices: list[str],
) -> int | None:
    """Return the mark that a link gives a column; None where it gives none, or one refused."""
    text = (parts.get("mark") or [""])[-1]
    if not text:
        return None
    if text.isdecimal() and len(text) < len(str(MARKS)) and int(text) not in taken:
        return int(text)
    notices.append(
        f"Column {number}: The link has mark={cut(text)}, which is not a number below {MARKS:,}, "
        "or is another column's; a free one is used."
    )
    return None


def _column(number: int, values: Any) -> tuple[Scenario, str, str, int]:
    """Return the scenario, name ("" for none), note and mark of a column of a project's JSON."""
    if not isinstance(values, dict) or "scenario" not in values:
        raise InvalidInputError(
            f"Column {number} must be a JSON object with its scenario, got {shown(values)}."
        )
    json_object(values, ("name", "note", "scenario", "mark"), f"Column {number}")
    name, note = values.get("name", ""), values.get("note", "")
    mark = values.get("mark", number - 1)
    try:
        checked_text(name, "The name of a column", LONGEST_NAME, least=0)
        checked_text(note, "A note", LONGEST_NOTE, least=0, lines=True)
        scenario = Scenario.from_dict(json_object(values["scenario"], None, "Its scenario"))
    except InvalidInputError as error:
        raise InvalidInputError(f"Column {number}: {error}") from error
    return scenario, name, note, mark


def _kept(
    parts: Mapping[str, Sequence[str]],
    key: str,
    what: str,
    most: int,
    number: int,
    notices: list[str],
) -> str:
    """Return a text of a link's column; "" where there is none, or one that is refused."""
    text = (parts.get(key) or [""])[-1]
    try:
        return checked_text(text, what, most, least=0, lines=key == "note")
    except InvalidInputError as error:
        notices.append(f"Column {number}: The link has a {key} that is ignored. {error}")
        return ""


def _values(values: str | Sequence[str]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)


def _put(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])
