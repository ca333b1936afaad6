"""Connect to a data base for reading, with credentials from the environment or a file of secrets.

The file is TOML, one table per data base, named by its address:
`["postgres://db.example/census"]` with `user = "…"` and `password = "…"`.
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
from core.data.databases.failures import why_unanswered, why_unconnected
from core.data.databases.reference import DatabaseTable
from core.errors import InvalidInputError
from core.validation import shown

SECRETS = "LIFTSCOPE_SECRETS"
"""The environment's variable that names the file of secrets."""

PATIENCE = 10
"""Seconds to wait for a server that does not answer."""

NEEDS = {"postgres": "psycopg", "spark": "pyspark"}
"""The package that an engine needs beside Ibis."""

READ_ONLY = "-c default_transaction_read_only=on -c client_connection_check_interval=1000"
"""PostgreSQL's options: nothing can be written, and a query ends with its client."""


@contextmanager
def connected(table: DatabaseTable, what: str = "") -> Iterator[Any]:
    """Connect to a table's data base, and disconnect after.

    Parameters
    ----------
    table : DatabaseTable
        The table; it need not exist.
    what : str
        What is asked about, for an error's sentence; the table where not given.

    Yields
    ------
    ibis.BaseBackend
        The connection.

    Raises
    ------
    InvalidInputError
        If the data base cannot be reached, or what is asked of it fails.
    """
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
    """Run a query and return its rows.

    Parameters
    ----------
    backend : ibis.BaseBackend
        A connection.
    query : ibis.Table
        What to ask.
    """
    if backend.name != "pyspark":
        return backend.to_pyarrow(query)
    return backend.raw_sql(backend.compile(query)).toArrow()


def _connect(table: DatabaseTable) -> Any:
    if table.engine == "duckdb":
        return ibis.duckdb.connect(_file(table.host + table.path), read_only=True)
    secrets = _secrets(table.address)
    if table.engine == "postgres":
        host, port = _host_and_port(table.host)
        return ibis.postgres.connect(
            host=unquote(host) or os.environ.get("PGHOST"),
            port=_port(port or os.environ.get("PGPORT", "5432")),
            database=table.path[1:] or None,
            user=secrets.get("user"),
            password=secrets.get("password"),
            connect_timeout=PATIENCE,
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
        raise InvalidInputError(f"The port of a data base must be 0 to 65535, got {shown(text)}.")
    return int(text)


def _file(path: str) -> str:
    """Return the path of a DuckDB file: absolute, or else from the current folder."""
    for found in (Path(path), Path(path.lstrip("/"))):
        if found.is_file():
            return str(found)
    raise InvalidInputError(f"There is no DuckDB file {shown(path)}.")


def _secrets(address: str) -> Mapping[str, str]:
    """Return the user and password for an address; empty where the environment has them."""
    found = known_secrets().get(address, {})
    if not isinstance(found, Mapping):
        raise InvalidInputError(
            f"The entry {address} of the file of secrets that {SECRETS} names must be a table with "
            "user and password."
        )
    return {key: str(value) for key, value in found.items() if key in ("user", "password")}


def known_secrets() -> Mapping[str, Any]:
    """Return the file of secrets, by address; empty where there is none.

    Raises
    ------
    InvalidInputError
        If it cannot be read.
    """
    name = os.environ.get(SECRETS)
    if name is None:
        return {}
    try:
        return tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError(
            f"The file of secrets that {SECRETS} names cannot be read: {type(error).__name__}."
        ) from error
