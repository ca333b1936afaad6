"""The data bases that a server's owner lets pages count, and what tables and columns they have.

The owner names them, never a link: in `LIFTSCOPE_DATABASES`, addresses with blanks between, or in
the file of secrets, by `pages = true` in an address's table. An address with a table behind a
number sign stands for that table alone.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from core.data.databases.connecting import connected, known_secrets
from core.data.databases.reference import DatabaseTable, parse
from core.data.databases.tables import MOST_TABLES, listed, opened, some_of
from core.errors import InvalidInputError
from core.validation import shown

DATABASES = "LIFTSCOPE_DATABASES"
"""The environment's variable that lists addresses of data bases."""


@dataclass(frozen=True)
class DatabaseColumn:
    """A column of a table of a data base.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        Its type, in Ibis' words.
    """

    name: str
    kind: str


def configured() -> tuple[str, ...]:
    """Return the addresses that pages may count, in the owner's order, each once.

    Raises
    ------
    InvalidInputError
        If the file of secrets cannot be read.
    """
    named = os.environ.get(DATABASES, "").split()
    kept = [
        address
        for address, entry in known_secrets().items()
        if isinstance(entry, dict) and entry.get("pages") is True
    ]
    return tuple(dict.fromkeys((*named, *kept)))


def is_open(source: str) -> bool:
    """Say whether pages may count a table: it, or its data base, is among the `configured`.

    Raises
    ------
    InvalidInputError
        If the file of secrets cannot be read.
    """
    address = source.partition("#")[0]
    return bool({source, address} & set(configured()))


def check_open(source: str) -> None:
    """Raise if pages may not count a table; arguments as `is_open`.

    Raises
    ------
    InvalidInputError
        If neither it nor its data base is among the `configured`.
    """
    if not is_open(source):
        raise InvalidInputError(
            f"{shown(source)} is no data base that this server's owner has opened: name it in "
            f"{DATABASES} there, use the command line, or upload its counts."
        )


def source_of(address: str, schema: str | None, table: str) -> str:
    """Return the reference to a table of a data base.

    Examples
    --------
    >>> source_of("duckdb:///file.db", None, "a.b")
    'duckdb:///file.db#a%2Eb'
    """
    names = [_encoded(name) for name in (schema, table) if name is not None]
    return f"{address}#{'.'.join(names)}"


def _encoded(name: str) -> str:
    return quote(name, safe=" ").replace(".", "%2E")


def tables_of(address: str) -> tuple[str, ...]:
    """Return references to the tables and views of a data base, in order of their names.

    Parameters
    ----------
    address : str
        One of the `configured`.

    Raises
    ------
    InvalidInputError
        If pages may not count it, it cannot be reached, or it has no table.
    """
    check_open(address)
    if "#" in address:
        return (address,)
    whole = parse(f"{address}#tables")  # the data base; the table need not exist
    with connected(whole, what=address) as backend:
        found = listed(backend, whole.engine)
    if not found:
        raise InvalidInputError(f"{address} has no table that its user may see.")
    return tuple(source_of(address, *names) for names in found[:MOST_TABLES])


def columns_of(source: str) -> tuple[DatabaseColumn, ...]:
    """Return the columns of a table that pages may count, in their order.

    Parameters
    ----------
    source : str
        One of `tables_of` its data base.

    Raises
    ------
    InvalidInputError
        If pages may not count it, or the data base cannot be reached or has no such table.
    """
    check_open(source)
    table = parse(source)
    with connected(table) as backend:
        check_listed(backend, source, table)
        schema = opened(backend, table).schema()
        return tuple(DatabaseColumn(name, str(kind)) for name, kind in schema.items())


def check_listed(backend: Any, source: str, table: DatabaseTable) -> None:
    """Raise if a table is none of those that are listed: a link may name any.

    Parameters
    ----------
    backend : ibis.BaseBackend
        A connection to its data base.
    source : str
        The reference to it.
    table : DatabaseTable
        The same, read.

    Raises
    ------
    InvalidInputError
        If it is not listed, nor named by the owner itself.
    """
    names = table.schema, table.table
    if source in configured():
        return
    found = listed(backend, table.engine)
    if names not in found:
        raise InvalidInputError(
            f"{table.title} is none of the tables that are open here: {some_of(found)}."
        )
