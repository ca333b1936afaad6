"""Tables of databases: those that pages may count, their columns, and their counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import ibis
import ibis.expr.datatypes as dt
import pyarrow as pa
import pyarrow.compute as pc
from ibis.common.exceptions import TableNotFound
from pyarrow import parquet

from core.data.databases.connecting import answered, connected, known_secrets
from core.data.databases.reference import DatabaseTable, parse
from core.data.tables import FileTable, check_column
from core.errors import InvalidInputError
from core.limits import MAX_COLUMNS
from core.validation import shown

MOST_NAMED = 10
"""Most tables that a sentence names."""

SYSTEM = ("information_schema", "pg_catalog", "pg_toast", "performance_schema", "mysql", "sys")
"""Schemas that hold no data of the owner's."""

Names = tuple[str | None, str]
"""A table's schema, None for the engine's own choice, and its name."""


def listed(backend: Any, engine: str) -> list[Names]:
    """Return the tables and views that a user may see, those of the engine's own schema first."""
    if engine == "spark":
        pairs = [
            (schema, name)
            for schema in backend.list_databases()
            for name in backend.list_tables(database=schema)
        ]
    elif engine in ("duckdb", "postgres"):
        pairs = _of_schemas(backend)
        if engine == "postgres":
            pairs += _materialized(backend)
    else:
        return [(None, name) for name in sorted(backend.list_tables())]
    current = backend.current_database
    own = ((None if schema == current else schema, name) for schema, name in pairs)
    return sorted(own, key=lambda names: (names[0] is not None, names[0] or "", names[1]))


def _of_schemas(backend: Any) -> list[tuple[str, str]]:
    tables = backend.table("tables", database="information_schema")
    query = tables.select(
        catalog=tables.table_catalog.cast("string"),
        folder=tables.table_schema.cast("string"),
        name=tables.table_name.cast("string"),
    )
    query = query.filter(query.catalog == backend.current_catalog, ~query.folder.isin(SYSTEM))
    return _pairs(backend, query.select("folder", "name"))


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


def _pairs(backend: Any, query: Any) -> list[tuple[str, str]]:
    rows = answered(backend, query.limit(10 * MAX_COLUMNS)).to_pylist()
    return [(row["folder"], row["name"]) for row in rows]


def opened(backend: Any, table: DatabaseTable, *, tell: bool = False) -> Any:
    """Return a table of a connection; its columns are read, and no record."""
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
            f"{table.title} does not exist or is hidden from this user: {known}."
        ) from error


def some_of(tables: list[Names]) -> str:
    """Name some tables, as the end of a sentence."""
    if not tables:
        return "it has no table"
    names = (name if schema is None else f"{schema}.{name}" for schema, name in tables)
    more = ", …" if len(tables) > MOST_NAMED else ""
    return f"its tables are {', '.join(map(shown, list(names)[:MOST_NAMED]))}{more}"


DATABASES = "LIFTSCOPE_DATABASES"
"""The environment's variable that lists addresses of databases."""


@dataclass(frozen=True)
class DatabaseColumn:
    """A column of a table of a database; `kind` is its type in Ibis' words."""

    name: str
    kind: str


def configured() -> tuple[str, ...]:
    """Return the addresses that pages may count, in the owner's order, each once."""
    named = os.environ.get(DATABASES, "").split()
    kept = [
        address
        for address, entry in known_secrets().items()
        if isinstance(entry, dict) and entry.get("pages") is True
    ]
    return tuple(dict.fromkeys((*named, *kept)))


def is_open(source: str) -> bool:
    """Say whether pages may count a table: it, or its database, is among the `configured`."""
    address = source.partition("#")[0]
    return bool({source, address} & set(configured()))


def check_open(source: str) -> None:
    if not is_open(source):
        raise InvalidInputError(
            f"{shown(source)} is not a database that this server's owner has opened: name it in "
            f"{DATABASES} there, use the command line, or upload its counts."
        )


def source_of(address: str, schema: str | None, table: str) -> str:
    names = [_encoded(name) for name in (schema, table) if name is not None]
    return f"{address}#{'.'.join(names)}"


def _encoded(name: str) -> str:
    return quote(name, safe=" ").replace(".", "%2E")


def tables_of(address: str) -> tuple[str, ...]:
    """Return references to the tables and views of a database, in order of their names."""
    check_open(address)
    if "#" in address:
        return (address,)
    whole = parse(f"{address}#tables")  # the database; the table need not exist
    with connected(whole, what=address) as backend:
        tables = listed(backend, whole.engine)
    if not tables:
        raise InvalidInputError(f"{address} has no table that its user may see.")
    return tuple(source_of(address, *names) for names in tables[:MAX_COLUMNS])


def columns_of(source: str) -> tuple[DatabaseColumn, ...]:
    """Return the columns of a table that pages may count, in their order."""
    check_open(source)
    table = parse(source)
    with connected(table) as backend:
        check_listed(backend, source, table)
        schema = opened(backend, table).schema()
        return tuple(DatabaseColumn(name, str(kind)) for name, kind in schema.items())


def check_listed(backend: Any, source: str, table: DatabaseTable) -> None:
    """Raise if a table is not listed: a link may name any."""
    names = table.schema, table.table
    if source in configured():
        return
    known = listed(backend, table.engine)
    if names not in known:
        raise InvalidInputError(
            f"{table.title} is not among the tables open here: {some_of(known)}."
        )


MOST_ROWS = 2_000_000
"""Most combinations of values that are fetched."""


def fetch(
    table: DatabaseTable,
    columns: Sequence[str],
    path: Path,
    allow: Callable[[Any], None] | None = None,
) -> FileTable:
    """Count records by some columns and write the counts as a Parquet file."""
    with connected(table) as backend:
        if allow is not None:
            allow(backend)
        records = opened(backend, table, tell=allow is None)
        for name in columns:
            check_column(table.title, name, records.columns)
        plain = records.select(
            **{f"c{i}": _portable(records[name], table.engine) for i, name in enumerate(columns)}
        )
        signs = {name: _sign(plain[name]) for name in plain.columns if _is_float(plain[name])}
        apart = plain.mutate(**{f"sign_{name}": sign for name, sign in signs.items()})
        counted = apart.group_by(list(apart.columns)).agg(n=apart.count().cast("int64"))
        counts = _signed(answered(backend, counted.limit(MOST_ROWS + 1)), list(signs))
    if counts.num_rows > MOST_ROWS:
        raise InvalidInputError(
            f"{', '.join(map(shown, columns))} in {table.title} have more than {MOST_ROWS:,} "
            "combinations of values: cut numbers into bins or round them in a view of the "
            "database."
        )
    if counts.num_rows == 0:
        raise InvalidInputError(f"{table.title} has no records: it must have one or more.")
    renamed = counts.rename_columns([f"c{i}" for i in range(len(columns) + 1)])
    parquet.write_table(renamed.replace_schema_metadata(None), path, compression="zstd")
    return FileTable(table.title, (path,), tuple(columns), counted=True)


def _is_float(column: Any) -> bool:
    return bool(column.type().is_floating())


def _sign(column: Any) -> Any:
    """Return what tells −0 from 0, which engines count as one; NULL for other numbers."""
    return ibis.ifelse(column == 0, column.cast("string"), ibis.null("string"))


def _signed(counts: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return counts without the signs of zeros, which the numbers themselves then have."""
    for name in names:
        negative = pc.starts_with(counts[f"sign_{name}"], "-").fill_null(False)
        zero = pa.scalar(-0.0, counts.schema.field(name).type)
        plain = pc.if_else(negative, zero, counts[name])
        counts = counts.set_column(counts.column_names.index(name), name, plain)
    return counts.drop_columns([f"sign_{name}" for name in names])


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def trim_scale(number: dt.decimal) -> dt.decimal:
    """Return a number without zeros at its end: PostgreSQL's own function."""


def _portable(column: Any, engine: str) -> Any:
    """Return a column in a type that every engine has: text, a number, a truth value or a time."""
    kind = column.type()
    if kind.is_decimal() and engine == "postgres":
        column = ibis.ifelse(column.cast("string") == "NaN", ibis.null(kind), column)
    # what an Arrow decimal holds
    if kind.is_decimal() and (kind.scale is None or (kind.precision or 0) > 38):
        if engine == "postgres":  # each value may have digits of its own, and all of them count
            return trim_scale(column).cast("string")
        return column.cast("float64")
    if kind.is_numeric() or kind.is_string() or kind.is_boolean():
        return column
    if kind.is_date() or kind.is_timestamp():
        return column
    return column.cast("string")
