"""The errors that `core` raises on purpose; the interface shows their text as it is."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class CoreError(Exception):
    """Base of every error that `core` raises on purpose: its text is one sentence for the user."""


class InvalidInputError(CoreError, ValueError):
    """An argument, file, column or value is outside its domain."""


@dataclass(frozen=True)
class Choice:
    """A way to read a file: what a button says, and the reading options that ask for it."""

    label: str
    options: tuple[tuple[str, Any], ...]

    @property
    def setting(self) -> str:
        """The options as a command takes them: "header=3 skip=1"."""
        return " ".join(f"--read {_as_text(name, value)}" for name, value in self.options)


def choice(label: str, **options: Any) -> Choice:
    """Return what a button says with the options that it asks for."""
    return Choice(label, tuple(options.items()))


def _as_text(name: str, value: Any) -> str:
    """Return a setting as a shell takes it; one that is no plain list as JSON."""
    if not isinstance(value, tuple):
        text = {"\t": "tab"}.get(value, str(value))
    elif any(hasattr(item, "to_dict") for item in value):
        text = json.dumps([item.to_dict() for item in value], ensure_ascii=False)
    elif any("," in str(item) for item in value):
        return shlex.quote(json.dumps({name: value}, ensure_ascii=False))
    else:
        text = ",".join(map(str, value))
    if text.replace(",", "").isalnum():
        return f"{name}={text}"
    return f"{name}={shlex.quote(text)}" if "'" in text else f"{name}='{text}'"


class ReadingError(InvalidInputError):
    """A file can be read in more than one way, or only with a choice; `choices` are those.

    `lines`: the number and the cells of its first lines, for the user to choose by.
    """

    def __init__(
        self,
        sentence: str,
        choices: Sequence[Choice] = (),
        lines: Sequence[tuple[int, tuple[str, ...]]] = (),
    ) -> None:
        super().__init__(sentence)
        self.choices, self.lines = tuple(choices), tuple(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.choices, self.lines)


class InfeasibleError(CoreError):
    """The question is well-posed, but nothing satisfies it."""


class NotConvexError(CoreError):
    """The notion's allowed set is not convex, so no optimum over it can be certified."""


class SolverError(CoreError):
    """A solver stopped without an answer that can be trusted."""


class TimeLimitError(SolverError):
    """A solver was stopped by its time limit before it had an answer."""


class NoMemoryError(SolverError):
    """An answer needs more memory than there is."""


class AuditError(CoreError):
    """A mechanism gives less privacy than requested."""


def unwritten(error: OSError) -> str:
    """Return the sentence for standard output that cannot be written, as on a full disk.

    Examples
    --------
    >>> unwritten(OSError(28, "No space left on device"))
    'Standard output cannot be written: no space left on device.'
    """
    why = error.strerror or type(error).__name__
    return f"Standard output cannot be written: {why[:1].lower()}{why[1:]}."
