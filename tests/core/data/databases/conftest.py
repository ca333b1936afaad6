"""One table in three engines: a DuckDB file, PostgreSQL, and Parquet that Spark reads."""

import math
import shutil
import tempfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pytest
from pyarrow import parquet

SCHEMA = pa.schema(
    [
        ("sex", pa.string()),
        ("job", pa.string()),
        ("pay", pa.float64()),
        ("age", pa.string()),
        ("kids", pa.int32()),
        ("price", pa.decimal128(10, 2)),
        ("member", pa.bool_()),
        ("since", pa.date32()),
        ("seen", pa.timestamp("us")),
    ]
)
"""The columns; `age` is text that holds numbers and marks of missing ones."""

ROWS = [
    ("f", "cook", 1.5, "31", 0, Decimal("1.50"), True, date(2020, 1, 1)),
    ("f", " cook ", -0.0, "NA", 1, Decimal("1.50"), True, date(2020, 1, 1)),
    ("m", "", 0.0, "42", 2, Decimal("2.00"), False, None),
    ("m", None, math.nan, " 42", None, None, None, date(1999, 12, 31)),
    ("f", "Köchin", None, None, 2, Decimal("-3.25"), True, date(2020, 1, 1)),
    (None, "厨师", 2.0, "7.0", 1, Decimal("0.00"), False, None),
    (" ", "a'b\"c;--", 1e300, "-", 0, None, None, date(2020, 1, 1)),
    ("f", "cook", 1.5, "31", 0, Decimal("1.50"), True, date(2020, 1, 1)),
    ("m", "cook", 2.5, "19", 3, Decimal("1.50"), True, date(2020, 1, 1)),
]
"""Missing values, blanks, NaN, both zeros, other scripts and quotes, each beside plain ones."""

ROWS = [
    (*row, datetime(2026, 3, 1, 12, 0, 0, i // 3)) for i, row in enumerate(ROWS)
]  # apart by 1 µs


@pytest.fixture(scope="session")
def rows_file(tmp_path_factory):
    """Return the table as a Parquet file."""
    path = tmp_path_factory.mktemp("rows") / "people.parquet"
    columns = [
        pa.array(values, kind)
        for values, kind in zip(zip(*ROWS, strict=True), SCHEMA.types, strict=True)
    ]
    parquet.write_table(pa.table(columns, schema=SCHEMA), path)
    return path


@pytest.fixture(scope="session")
def duckdb_address(rows_file):
    """Return the address of a DuckDB file with the table."""
    path = rows_file.with_name("people.db")
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT * FROM read_parquet(?)", [str(rows_file)])
        connection.execute("CREATE VIEW cooks AS SELECT * FROM people WHERE trim(job) = 'cook'")
        connection.execute("""CREATE SCHEMA "sc.h'e" """)
        connection.execute("""CREATE TABLE "sc.h'e"."t.#1%" AS SELECT * FROM people""")
        connection.execute("CREATE TABLE nobody AS SELECT * FROM people WHERE false")
    return f"duckdb://{path}"


@pytest.fixture(scope="session")
def postgres():
    """Start a PostgreSQL server in a folder of its own, and stop it after."""
    folder = Path(tempfile.mkdtemp(prefix="liftscope-pg-"))
    folder.chmod(0o755)  # the server does not run as root
    with pytest.MonkeyPatch.context() as patched:
        locks = folder / "locks"
        locks.mkdir(mode=0o700)
        patched.setenv("XDG_RUNTIME_DIR", str(locks))
        patched.setenv("PGUSER", "postgres")
        import pgserver  # which looks for the folder named above

        server = pgserver.get_server(folder / "data", cleanup_mode="delete")
        yield server
        server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_address(postgres):
    """Return the address of a PostgreSQL data base with the table."""
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE people (sex text, job text, pay double precision, age varchar(9), "
            "kids integer, price numeric(10, 2), member boolean, since date, seen timestamp)"
        )
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO people VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", ROWS
            )
        connection.execute("CREATE SCHEMA other")
        connection.execute(
            "CREATE VIEW other.cooks AS SELECT * FROM people WHERE trim(job) = 'cook'"
        )
        connection.execute("CREATE VIEW broken AS SELECT 1 / kids AS sex, job FROM people")
    folder = str(postgres.pgdata).replace("/", "%2F")
    return f"postgres://{folder}/postgres"
