"""Several scenarios side by side, each with a name and a note: as a value, JSON or link."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, urlencode

from core.errors import InvalidInputError
from core.scenario.column_names import (
    LONGEST_NAME,
    LONGEST_NOTE,
    Files,
    checked_files,
    checked_text,
    filled,
    is_made,
    listed,
    suggested,
)
from core.scenario.data_url import Query
from core.scenario.json_text import read_json
from core.scenario.scenario import Scenario
from core.scenario.url import KEYS as SCENARIO_KEYS
from core.scenario.url import from_query, to_query, unknown_keys
from core.validation import shown, whole

VERSION = 1
"""Version of the JSON form."""

KEY = "col"
"""URL key of a column; its value is itself a query, percent-encoded once more."""

FILE = "file"
"""URL key of a file; its value is a query of its source and its name."""

LONGEST_TEXT = 2_000_000
"""Most characters of a project's JSON: twice what a thousand columns have."""


@dataclass(frozen=True)
class Project:
    """Named scenarios side by side.

    Attributes
    ----------
    scenarios : tuple of Scenario
        The columns, one or more.
    names : tuple of str
        Their names: distinct, 1 to 60 characters. Made from the scenarios where none are given.
    notes : tuple of str
        Their notes, at most 2,000 characters each; empty where none are given.
    files : tuple of (str, str)
        Uploaded sources with the names of their files, so that whoever opens the project in
        another session can be told which files it needs.

    Raises
    ------
    InvalidInputError
        If there is no column, names are not distinct, a text is too long or has control
        characters, a name is empty, or there are not as many names or notes as columns.

    Examples
    --------
    >>> project = Project((Scenario(notion="lip"), Scenario(notion="alip")))
    >>> project.names
    ('LIP', 'ALIP')
    >>> Project.from_json(project.to_json()) == project
    True
    """

    scenarios: tuple[Scenario, ...]
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: Files = ()

    def __post_init__(self) -> None:
        scenarios = listed(self.scenarios, "The columns of a project")
        if not scenarios or not all(isinstance(one, Scenario) for one in scenarios):
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
        for what, given in (("names", names), ("notes", notes)):
            if len(given) != len(scenarios):
                raise InvalidInputError(
                    f"A project of {len(scenarios)} columns must have as many {what}, "
                    f"got {len(given)}."
                )
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InvalidInputError(f"The names of columns must differ, got {shown(twice)} twice.")
        object.__setattr__(self, "scenarios", scenarios)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "notes", notes)
        object.__setattr__(self, "files", checked_files(self.files, scenarios))

    def __len__(self) -> int:
        return len(self.scenarios)

    def with_column(self, scenario: Scenario, name: str | None = None, note: str = "") -> Project:
        """Return the project with a further column at the end.

        Parameters
        ----------
        scenario : Scenario
            The column.
        name : str, optional
            Its name; made from the scenario, and distinct, where not given.
        note : str
            Its note.
        """
        if name is None:
            name = suggested((scenario,), self.names)[0]
        return replace(
            self,
            scenarios=(*self.scenarios, scenario),
            names=(*self.names, name),
            notes=(*self.notes, note),
        )

    def asking(self, place: int, scenario: Scenario) -> Project:
        """Return the project with another scenario in the column at a place.

        A name that was made from the old scenario is replaced by one made from the new one.

        Examples
        --------
        >>> Project((Scenario(notion="lip"),)).asking(0, Scenario(notion="ldp")).names
        ('LDP',)
        """
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
        """Return the project with another name of a column.

        Raises
        ------
        InvalidInputError
            If the name is empty, too long or another column's.
        """
        return replace(self, names=_put(self.names, self._place(place), name))

    def noted(self, place: int, note: str) -> Project:
        """Return the project with another note of a column."""
        return replace(self, notes=_put(self.notes, self._place(place), note))

    def moved(self, place: int, to: int) -> Project:
        """Return the project with a column in another place.

        Examples
        --------
        >>> project = Project(tuple(Scenario(notion=key) for key in ("lip", "alip", "ldp")))
        >>> project.moved(2, 0).names
        ('LDP', 'LIP', 'ALIP')
        """
        order = list(range(len(self)))
        order.insert(self._place(to), order.pop(self._place(place)))
        return self._picked(order)

    def without(self, place: int) -> Project:
        """Return the project without a column.

        Raises
        ------
        InvalidInputError
            If it is the only one.
        """
        gone = self._place(place)
        if len(self) == 1:
            raise InvalidInputError("The only column of a project cannot be removed.")
        return self._picked([at for at in range(len(self)) if at != gone])

    def with_files(self, titles: Mapping[str, str]) -> Project:
        """Return the project with the names of its uploads' files, given titles by source."""
        used = {one.data.source for one in self.scenarios}
        known = dict(self.files) | {source: titles[source] for source in used & titles.keys()}
        return replace(self, files=tuple(sorted(known.items())))

    def file_of(self, source: str) -> str:
        """Return the name of an uploaded source's file; "" where it is not known."""
        return dict(self.files).get(source, "")

    def to_json(self) -> str:
        """Return the project as JSON, which `from_json` reads back to an equal one."""
        columns = [
            {"name": name, "note": note, "scenario": json.loads(scenario.to_json())}
            for scenario, name, note in self.columns()
        ]
        written: dict[str, Any] = {"version": VERSION, "columns": columns}
        if self.files:
            written["files"] = dict(self.files)
        return json.dumps(written, indent=2, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Project:
        """Read a project from JSON.

        A scenario by itself is a project of one column. Names and notes may be left out.

        Raises
        ------
        InvalidInputError
            If the text is no JSON object or too long, an entry is unknown, or a column is no
            scenario: the sentence names the column.
        """
        if isinstance(text, str) and len(text) > LONGEST_TEXT:
            raise InvalidInputError(
                f"The project must have at most {LONGEST_TEXT:,} characters, got {len(text):,}."
            )
        values = read_json(text, "The project")
        if not isinstance(values, dict):
            raise InvalidInputError("The project must be a JSON object.")
        if "columns" not in values and ("data" in values or "notion" in values):
            return cls((Scenario.from_json(text),))
        version = values.pop("version", VERSION)
        if isinstance(version, bool) or version != VERSION:
            raise InvalidInputError(
                f"The project's version must be {VERSION}, got {shown(version)}."
            )
        columns = listed(values.pop("columns", ()), "The columns of a project")
        files = values.pop("files", {})
        if values:
            raise InvalidInputError(
                f"The project has an unknown entry {shown(next(iter(values)))}."
            )
        if not isinstance(files, dict):
            raise InvalidInputError(f"files must be a JSON object, got {shown(files)}.")
        found = [_column(number, column) for number, column in enumerate(columns, 1)]
        names = filled([name for _, name, _ in found], [scenario for scenario, _, _ in found])
        return cls(
            tuple(scenario for scenario, _, _ in found),
            names,
            tuple(note for _, _, note in found),
            tuple(files.items()),
        )

    def to_query(self) -> Query:
        """Return the project as the query of a URL: a value of `col` for each column.

        Examples
        --------
        >>> Project((Scenario(notion="lip", eps=0.5),), ("half",)).to_query()
        {'col': ['name=half&notion=lip&eps=0.5']}
        """
        query: Query = {KEY: []}
        for scenario, name, note in self.columns():
            own = {"name": [name]} | ({"note": [note]} if note else {})
            query[KEY].append(urlencode(own | to_query(scenario), doseq=True))
        if self.files:
            query[FILE] = [urlencode({"source": key, "name": name}) for key, name in self.files]
        return query

    @classmethod
    def from_query(
        cls, query: Mapping[str, str | Sequence[str]]
    ) -> tuple[Project, tuple[str, ...]]:
        """Read a project from a URL's query, and say which values were not used.

        Parameters
        ----------
        query : mapping
            One value or several by key. A query without a column is a project of the scenario
            that the query describes.

        Returns
        -------
        project : Project
            With the default in place of each value that is unknown or outside its domain.
        notices : tuple of str
            One sentence for each such value.

        Examples
        --------
        >>> project, notices = Project.from_query({"col": ["name=a&eps=9", "notion=lip"]})
        >>> project.names, notices
        (('a', 'LIP'), ('Column 1: The link has eps=9, which is not in [0, 8]; 1 is used.',))
        """
        texts = _values(query.get(KEY, ()))
        if not texts:
            scenario, said = from_query(query)
            return cls((scenario,)), said
        notices: list[str] = []
        scenarios, names, notes = [], [], []
        for number, text in enumerate(texts, 1):
            parts = parse_qs(text, keep_blank_values=True)
            asked, said = from_query(parts)
            said = (*unknown_keys(parts, (*SCENARIO_KEYS, "name", "note")), *said)
            if not parts:
                said = ("The link has nothing that can be read here; the defaults are used.",)
            notices += [f"Column {number}: {sentence}" for sentence in said]
            scenarios.append(asked)
            name = _kept(parts, "name", "The name of a column", LONGEST_NAME, number, notices)
            if name in names and name:
                notices.append(f"Column {number}: The link has its name {shown(name)} twice.")
            names.append("" if name in names else name)
            notes.append(_kept(parts, "note", "A note", LONGEST_NOTE, number, notices))
        files: dict[str, str] = {}
        for text in _values(query.get(FILE, ())):
            parts = parse_qs(text, keep_blank_values=True)
            source, name = ((parts.get(key) or [""])[-1] for key in ("source", "name"))
            try:
                files |= dict(checked_files(((source, name),), scenarios))
            except InvalidInputError as error:
                notices.append(f"The link has a file that is ignored. {error}")
        return (
            cls(tuple(scenarios), filled(names, scenarios), tuple(notes), tuple(files.items())),
            tuple(notices),
        )

    def columns(self) -> Iterable[tuple[Scenario, str, str]]:
        """Return each column's scenario, name and note."""
        return zip(self.scenarios, self.names, self.notes, strict=True)

    def _place(self, place: int) -> int:
        return whole(place, "The place of a column", low=0, high=len(self) - 1)

    def _picked(self, order: Sequence[int]) -> Project:
        return replace(
            self,
            scenarios=tuple(self.scenarios[at] for at in order),
            names=tuple(self.names[at] for at in order),
            notes=tuple(self.notes[at] for at in order),
        )


def _column(number: int, values: Any) -> tuple[Scenario, str, str]:
    """Return the scenario, name ("" for none) and note of a column of a project's JSON."""
    if not isinstance(values, dict) or "scenario" not in values:
        raise InvalidInputError(
            f"Column {number} must be a JSON object with its scenario, got {shown(values)}."
        )
    for entry in values:
        if entry not in ("name", "note", "scenario"):
            raise InvalidInputError(f"Column {number} has an unknown entry {shown(entry)}.")
    name, note = values.get("name", ""), values.get("note", "")
    try:
        checked_text(name, "The name of a column", LONGEST_NAME, least=0)
        checked_text(note, "A note", LONGEST_NOTE, least=0, lines=True)
        if not isinstance(values["scenario"], dict):
            raise InvalidInputError(
                f"Its scenario must be a JSON object, got {shown(values['scenario'])}."
            )
        return Scenario.from_json(json.dumps(values["scenario"])), name, note
    except InvalidInputError as error:
        raise InvalidInputError(f"Column {number}: {error}") from error


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
