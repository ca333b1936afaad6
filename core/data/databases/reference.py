"""A table in a database as a text: ENGINE://ADDRESS#TABLE, without a user's name or password."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from core.errors import InvalidInputError
from core.validation import shown

ENGINES = {"duckdb": "duckdb", "postgres": "postgres", "postgresql": "postgres", "spark": "spark"}
"""Schemes that are ours, and the engine that each one means; Ibis knows others."""

_SCHEME = re.compile(r"[a-z][a-z0-9+]{1,30}://")


@dataclass(frozen=True)
class DatabaseTable:
    """A table or view of a database; `schema` is None for the engine's own choice.

    `engine`: "duckdb", "postgres", "spark" or another of Ibis. `address`: a URL without the table.
    """

    engine: str
    address: str
    schema: str | None
    table: str

    @property
    def host(self) -> str:
        """The machine, with its port where one is given; empty for a file."""
        return self.address.partition("://")[2].partition("/")[0].partition("?")[0]

    @property
    def path(self) -> str:
        """What follows the host, from its first slash on."""
        rest = self.address.partition("://")[2].partition("?")[0]
        return unquote(rest[len(self.host) :])

    @property
    def title(self) -> str:
        """What the user reads: the table and its database."""
        name = self.table if self.schema is None else f"{self.schema}.{self.table}"
        return f"{name} in {self.address}"


def is_reference(source: str) -> bool:
    return _SCHEME.match(source) is not None


def parse(source: str) -> DatabaseTable:
    """Read "ENGINE://ADDRESS#TABLE" or "ENGINE://ADDRESS#SCHEMA.TABLE".

    A dot or number sign of a name's own is percent-encoded; a user or password is refused.
    """
    address, _, name = source.partition("#")
    scheme, _, rest = address.partition("://")
    if "@" in rest or "password" in rest.lower() or "user=" in rest.lower():
        raise InvalidInputError(
            "The address of a database must not contain a user's name or password, got one that "
            f"starts with {scheme}://: set PGUSER and PGPASSWORD, or name a file of secrets in "
            "LIFTSCOPE_SECRETS."
        )
    if len(source) > 1_000 or not name:
        raise InvalidInputError(
            f"A table of a database is written {scheme}://ADDRESS#TABLE, got {shown(source)}."
        )
    schema, dot, table = name.rpartition(".")
    if not table:
        raise InvalidInputError(f"The reference {shown(source)} names no table after its #.")
    return DatabaseTable(
        ENGINES.get(scheme, scheme), address, unquote(schema) if dot else None, unquote(table)
    )
