"""Connect to a database for reading, with credentials from the environment or a file of secrets.

The file is TOML, one table per database, named by its address. An engine's own error messages are
not shown: they may quote a user, a path or a record.
"""

from __future__ import annotations

import importlib.util
import os
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import ibis
import pyarrow as pa

from core.data.databases import spark
from core.data.databases.reference import DatabaseTable
from core.data.tables import open_duckdb
from core.errors import InvalidInputError
from core.validation import shown

CONNECTING = (
    (
        (
            "password authentication",
            "no password supplied",
            "authentication failed",
            "no pg_hba.conf entry",
            'role "',
        ),
        "refused the user or password: PGUSER and PGPASSWORD, or its table in the file that "
        "LIFTSCOPE_SECRETS names, must hold ones that it accepts",
    ),
    (
        ('database "',),
        "could not be opened: its server has no database of this name, or hides it from this user",
    ),
    (
        ("too many", "connection slots"),
        "could not be opened: its server has no connection left for now",
    ),
    (
        (
            *("refused", "could not translate", "timeout", "timed out", "resolve"),
            *("no such file", "no route", "unreachable", "closed the connection", "reset by peer"),
            *("shutting down", "starting up", "terminating connection"),
        ),
        "could not be reached: a server must be listening at its host and port",
    ),
)
"""What words in an error mean before there is a connection; the first that fits counts."""

ABSENT = "does not exist or is hidden from this user"

CLOSED = "went away during the query: its database must stay reachable until the answer arrives"

UNREADABLE = "must give all its records without an error"

FORBIDDEN = "does not allow this user to read it: grant the right to read there"

WRITING = "tried to write, which is refused: databases are opened for reading only"

STATES = {
    "08": CLOSED,
    "57P01": CLOSED,
    "57P02": CLOSED,
    "57P03": CLOSED,
    "42P01": ABSENT,
    "3F000": ABSENT,
    "42703": "no longer has the columns that it had a moment ago: try again",
    "42501": FORBIDDEN,
    "25006": WRITING,
    "55000": "cannot be read yet: a materialized view must have been refreshed once",
    "57014": "was stopped by its database: the answer took longer than is allowed there",
    "53": "could not be counted: its database has no room, memory or connection left",
}
"""What PostgreSQL's error codes mean, whole or by their first two characters (its appendix A)."""

KINDS = {
    "TableNotFound": ABSENT,
    "ConnectionRefusedError": CLOSED,
    "ConnectionResetError": CLOSED,
    "BrokenPipeError": CLOSED,
    "Py4JNetworkError": CLOSED,
    "Py4JError": CLOSED,
    "AdminShutdown": CLOSED,
    "DataError": "has a date outside the years 1 to 9999: it must be left out, as by a view",
    "PermissionException": FORBIDDEN,
    "OutOfMemoryException": "could not be counted: its engine has no memory left",
}
"""What the classes of other errors mean, by their names."""

CONDITIONS = {"TABLE_OR_VIEW_NOT_FOUND": ABSENT, "SCHEMA_NOT_FOUND": ABSENT}
"""What Spark's error conditions mean."""


def why_unconnected(error: Exception) -> str:
    """Say why there is no connection, as the end of a sentence about an address."""
    message = f"{type(error).__name__}: {error}".lower()
    for words, reason in CONNECTING:
        if any(word in message for word in words):
            return reason
    return f"could not be opened ({type(error).__name__}): it must be a database of this kind"


def why_unanswered(error: Exception) -> str:
    """Say why there is no answer, as the end of a sentence about a table."""
    kind = type(error).__name__
    state = str(getattr(error, "sqlstate", None) or "")
    reason = STATES.get(state) or STATES.get(state[:2]) or KINDS.get(kind)
    if reason is None and hasattr(error, "getCondition"):
        reason = CONDITIONS.get(str(error.getCondition()))
    if reason is None and kind == "InvalidInputException" and "read-only mode" in str(error):
        reason = WRITING  # DuckDB's words
    if reason is None and kind == "OperationalError" and not state:
        reason = CLOSED  # PostgreSQL's server is gone: it could not even say why
    return reason or f"failed there ({kind}): it {UNREADABLE}"


SECRETS = "LIFTSCOPE_SECRETS"
"""The environment's variable that names the file of secrets."""


NEEDS = {"postgres": "psycopg", "spark": "pyspark"}
"""The package that an engine needs beside Ibis."""

READ_ONLY = "-c default_transaction_read_only=on -c client_connection_check_interval=1000"
"""PostgreSQL's options: nothing can be written, and a query ends with its client."""


@contextmanager
def connected(table: DatabaseTable, what: str = "") -> Iterator[Any]:
    """Connect to a table's database; an error names `what`, or the table."""
    package = NEEDS.get(table.engine)
    if package is not None and importlib.util.find_spec(package) is None:
        raise InvalidInputError(
            f"{table.title} needs the package {package}, which is not installed: "
            "pip install 'liftscope[databases]'."
        )
    with warnings.catch_warnings():  # Spark speaks of pandas, which is not used here
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        try:
            backend = _connect(table)
        except InvalidInputError:
            raise
        except Exception as error:  # every engine has errors of its own
            raise InvalidInputError(f"{table.address} {why_unconnected(error)}.") from error
        try:
            yield backend
        except (InvalidInputError, MemoryError):
            raise
        except Exception as error:
            raise InvalidInputError(f"{what or table.title} {why_unanswered(error)}.") from error
        finally:
            with suppress(Exception):  # it may have gone away itself
                backend.disconnect()


def answered(backend: Any, query: Any) -> pa.Table:
    """Run a query (`ibis.Table`) on a connection and return its rows."""
    if backend.name != "pyspark":
        return backend.to_pyarrow(query)
    return backend.raw_sql(backend.compile(query)).toArrow()


def _connect(table: DatabaseTable) -> Any:
    if table.engine == "duckdb":
        return open_duckdb(_file(table.host + table.path), read_only=True)
    secrets = _secrets(table.address)
    if table.engine == "postgres":
        host, port = _host_and_port(table.host)
        return ibis.postgres.connect(
            host=unquote(host) or os.environ.get("PGHOST"),
            port=_port(port or os.environ.get("PGPORT", "5432")),
            database=table.path[1:] or None,
            user=secrets.get("user"),
            password=secrets.get("password"),
            connect_timeout=10,  # seconds
            options=READ_ONLY,
        )
    if table.engine == "spark":
        return spark.connect(table.host)
    if not table.host and not Path(table.path).exists():  # some engines would make a new file
        raise InvalidInputError(f"There is no file or folder {shown(table.path)}.")
    return ibis.connect(table.address, **secrets)


def _host_and_port(host: str) -> tuple[str, str]:
    """Return a machine and its port, "" for none; an address of IPv6 stands in brackets."""
    name, _, port = host.removeprefix("[").partition("]" if host.startswith("[") else ":")
    return name, port.removeprefix(":")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise InvalidInputError(f"The port of a database must be 0 to 65535, got {shown(text)}.")
    return int(text)


def _file(path: str) -> str:
    """Return the path of a DuckDB file: absolute, or else from the current folder."""
    for candidate in (Path(path), Path(path.lstrip("/"))):
        if candidate.is_file():
            return str(candidate)
    raise InvalidInputError(f"There is no DuckDB file {shown(path)}.")


def _secrets(address: str) -> Mapping[str, str]:
    """Return the user and password for an address; empty where the environment has them."""
    entry = known_secrets().get(address, {})
    if not isinstance(entry, Mapping):
        raise InvalidInputError(
            f"The entry {address} of the file of secrets that {SECRETS} names must be a table with "
            "user and password."
        )
    return {key: str(value) for key, value in entry.items() if key in ("user", "password")}


def known_secrets() -> Mapping[str, Any]:
    """Return the file of secrets, by address; empty where there is none."""
    name = os.environ.get(SECRETS)
    if name is None:
        return {}
    try:
        return tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"The file of secrets that {SECRETS} names cannot be read: {type(error).__name__}."
        ) from error
