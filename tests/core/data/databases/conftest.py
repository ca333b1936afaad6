"""One table in three engines: a DuckDB file, PostgreSQL, and Parquet that Spark reads."""

import math
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.core.data.databases.embedded import package

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
        server = package().get_server(folder / "data", cleanup_mode="delete")
        yield server
        server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_address(postgres):
    """Return the address of a PostgreSQL database with the table."""
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
        connection.execute("CREATE MATERIALIZED VIEW kept AS SELECT * FROM people")
        connection.execute('CREATE MATERIALIZED VIEW other."k.ept" AS SELECT * FROM people')
        connection.execute("CREATE MATERIALIZED VIEW unfilled AS SELECT * FROM people WITH NO DATA")
    folder = str(postgres.pgdata).replace("/", "%2F")
    return f"postgres://{folder}/postgres"


CATALOGUE = """
import sys
from pyspark.sql import SparkSession

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
session.read.parquet(sys.argv[1]).write.saveAsTable("people")
session.sql("CREATE VIEW broken AS SELECT raise_error('no') AS sex, job FROM people")
session.sql(
    "CREATE VIEW endless AS SELECT (a.id * b.id) % 7 AS sex, a.id % 3 AS job "
    "FROM range(1000000000) a CROSS JOIN range(1000000000) b"
)
session.sql("CREATE DATABASE other")
session.sql("CREATE VIEW other.cooks AS SELECT * FROM default.people WHERE trim(job) = 'cook'")
session.stop()
"""


BRISK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
"""What Java is started with: questions are small, and two thirds of their time was compiling."""


@pytest.fixture(scope="session", autouse=True)
def small_questions(tmp_path_factory):
    """Let Spark start quickly, and not split what it counts into 200 parts."""
    folder = tmp_path_factory.mktemp("brisk")
    folder.joinpath("spark-defaults.conf").write_text(
        f"spark.sql.shuffle.partitions 2\nspark.driver.extraJavaOptions {BRISK}\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(folder))
        yield


def spark_folder(folder, rows_file):
    """Make a Spark catalogue of tables and views on disk; return the folder of its settings."""
    folder.joinpath("spark-defaults.conf").write_text(
        "spark.sql.shuffle.partitions 2\n"
        "spark.sql.catalogImplementation hive\n"
        f"spark.sql.warehouse.dir file:{folder}/warehouse\n"
        "spark.hadoop.javax.jdo.option.ConnectionURL "
        f"jdbc:derby:;databaseName={folder}/metastore;create=true\n"
        f"spark.driver.extraJavaOptions {BRISK} -Dderby.system.home={folder}\n"
    )
    environment = os.environ | {"SPARK_CONF_DIR": str(folder)}
    made = subprocess.run(
        [sys.executable, "-c", CATALOGUE, str(rows_file)],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="session")
def spark_catalogue(tmp_path_factory, rows_file):
    """Return the folder that SPARK_CONF_DIR must name for Spark to have tables of its own."""
    return spark_folder(tmp_path_factory.mktemp("spark"), rows_file)
