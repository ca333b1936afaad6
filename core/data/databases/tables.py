"""The tables and views of a connection: listed, and opened by their names."""

from __future__ import annotations

from typing import Any

import ibis
from ibis.common.exceptions import TableNotFound

from core.data.databases import spark
from core.data.databases.connecting import answered
from core.data.databases.reference import DatabaseTable
from core.errors import InvalidInputError
from core.validation import shown

MOST_TABLES = 2_000
"""Most tables of a data base that are listed."""

MOST_NAMED = 10
"""Most tables that a sentence names."""

SYSTEM = ("information_schema", "pg_catalog", "pg_toast", "performance_schema", "mysql", "sys")
"""Schemas that hold no data of the owner's."""

Names = tuple[str | None, str]
"""A table's schema, None for the engine's own choice, and its name."""


def listed(backend: Any, engine: str) -> list[Names]:
    """Return the tables and views that a connection's user may see.

    Those of the engine's own schema come first, then each schema's, by their names.

    Parameters
    ----------
    backend : ibis.BaseBackend
        The connection.
    engine : str
        Its engine, as a `DatabaseTable` has it.
    """
    if engine == "spark":
        found = [
            (schema, name)
            for schema in spark.schemas(backend)
            for name in backend.list_tables(database=schema)
        ]
    elif engine in ("duckdb", "postgres"):
        found = _of_schemas(backend)
        if engine == "postgres":
            found += _materialized(backend)
    else:
        return [(None, name) for name in sorted(backend.list_tables())]
    current = backend.current_database
    own = ((None if schema == current else schema, name) for schema, name in found)
    return sorted(own, key=lambda names: (names[0] is not None, names[0] or "", names[1]))


def _of_schemas(backend: Any) -> list[tuple[str, str]]:
    kept = backend.table("tables", database="information_schema")
    asked = kept.select(
        catalog=kept.table_catalog.cast("string"),
        folder=kept.table_schema.cast("string"),
        name=kept.table_name.cast("string"),
    )
    asked = asked.filter(asked.catalog == backend.current_catalog, ~asked.folder.isin(SYSTEM))
    return _pairs(backend, asked.select("folder", "name"))


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def has_table_privilege(table: int, privilege: str) -> bool:  # type: ignore[empty-body]
    """Say whether this user has a right on a table: PostgreSQL's own function."""


def _materialized(backend: Any) -> list[tuple[str, str]]:
    """Return PostgreSQL's materialized views, which the standard's catalogue does not have."""
    tables = backend.table("pg_class", database="pg_catalog")
    spaces = backend.table("pg_namespace", database="pg_catalog")
    views = tables.filter(tables.relkind.cast("string") == "m").select(
        space=tables.relnamespace, name=tables.relname, number=tables.oid
    )
    named = views.join(spaces.select(space=spaces.oid, folder=spaces.nspname), "space")
    seen = named.filter(has_table_privilege(named.number, "SELECT"))
    return _pairs(backend, seen.select("folder", "name"))


def _pairs(backend: Any, asked: Any) -> list[tuple[str, str]]:
    rows = answered(backend, asked.limit(10 * MOST_TABLES)).to_pylist()
    return [(row["folder"], row["name"]) for row in rows]


def opened(backend: Any, table: DatabaseTable, *, tell: bool = False) -> Any:
    """Return a table of a connection; its columns are read, and no record.

    Parameters
    ----------
    backend : ibis.BaseBackend
        The connection.
    table : DatabaseTable
        The table.
    tell : bool
        Whether an error may name the tables that there are.

    Raises
    ------
    InvalidInputError
        If there is no such table, and `tell`.
    """
    if table.engine == "spark" and table.table.endswith(".parquet"):
        return backend.read_parquet(table.table)
    try:
        if table.schema is None:
            return backend.table(table.table)
        catalog = getattr(backend, "current_catalog", None)  # some engines have none
        schema = table.schema if catalog is None else (catalog, table.schema)
        return backend.table(table.table, database=schema)
    except TableNotFound as error:
        if not tell:
            raise
        known = some_of(listed(backend, table.engine))
        raise InvalidInputError(
            f"{table.title} is not there, or not for this user: {known}."
        ) from error


def some_of(tables: list[Names]) -> str:
    """Name some tables, as the end of a sentence.

    Examples
    --------
    >>> some_of([(None, "people"), ("other", "cooks")])
    "its tables are 'people', 'other.cooks'"
    """
    if not tables:
        return "it has no table"
    names = (name if schema is None else f"{schema}.{name}" for schema, name in tables)
    more = ", …" if len(tables) > MOST_NAMED else ""
    return f"its tables are {', '.join(map(shown, list(names)[:MOST_NAMED]))}{more}"
