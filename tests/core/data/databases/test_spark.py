"""Spark as pages have it: listed, counted, cancelled and lost, in a worker with a real driver."""

import os
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from py4j.java_gateway import GatewayParameters, JavaGateway
from pyspark import SparkContext

from core.data.databases import spark, tables
from core.data.databases.tables import columns_of, tables_of
from core.errors import InvalidInputError
from core.jobs import Pool, State
from core.jobs.work import count_table

PATIENCE = 600.0
ADDRESS = "spark://local[2]/"


@pytest.fixture
def catalogue(spark_catalogue, monkeypatch):
    """Open Spark with tables of its own; return a mark that the processes of this test have."""
    mark = f"TEST_OF_SPARK={os.getpid()}"
    monkeypatch.setenv(*mark.split("="))
    monkeypatch.setenv("SPARK_CONF_DIR", str(spark_catalogue))
    monkeypatch.setenv(tables.DATABASES, ADDRESS)
    return mark.encode()


def drivers(mark):
    """Return the drivers that this test has started."""
    result = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = folder.joinpath("cmdline").read_bytes()
            if b"SparkSubmit" in command and mark in folder.joinpath("environ").read_bytes():
                result.append(int(folder.name))
    return result


def at_work(mark):
    """Say whether a driver works on a query: a thread of its executor runs."""
    for process in drivers(mark):
        for thread in Path(f"/proc/{process}/task").glob("*/stat"):
            with suppress(OSError):  # it may end meanwhile
                name, _, rest = thread.read_text().rpartition(")")
                if "(Executor task" in name and rest.split()[0] == "R":
                    return True
    return False


def until(there):
    deadline = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_spark_is_listed_counted_cancelled_and_lost(catalogue, tmp_path):
    path = tmp_path / "counts.parquet"
    endless = f"{ADDRESS}#endless", ["sex", "job"], path
    with Pool(1) as pool:

        def ask(function, *arguments):
            return pool.submit(function, *arguments, time_limit=PATIENCE)

        tables = ask(tables_of, ADDRESS).result(PATIENCE)
        assert [item.partition("#")[2] for item in tables] == [
            "broken",
            "endless",
            "people",
            "other.cooks",
        ]
        columns = ask(columns_of, tables[-1]).result(PATIENCE)
        assert [column.name for column in columns][:3] == ["sex", "job", "pay"]
        counted = ask(count_table, tables[-1], ["sex", "age"], path).result(PATIENCE)
        assert [marks.column for marks in counted.marks] == ["age"]
        for table, text in {
            "broken": "failed there (SparkRuntimeException): it must give all its records",
            "other.nosuch": "its tables are 'broken', 'endless', 'people', 'other.cooks'.",
        }.items():
            with pytest.raises(InvalidInputError) as caught:
                ask(count_table, f"{ADDRESS}#{table}", ["sex", "job"], path).result(PATIENCE)
            assert text in str(caught.value)

        lost = ask(count_table, *endless)
        until(lambda: at_work(catalogue))
        for process in drivers(catalogue):
            os.kill(process, signal.SIGKILL)
        with pytest.raises(InvalidInputError, match="went away during the query"):
            lost.result(PATIENCE)
        # the same worker goes on, with a new driver
        again = ask(count_table, f"{ADDRESS}#people", ["sex", "job"], path).result(PATIENCE)
        assert again.columns == ("sex", "job")

        job = ask(count_table, *endless)
        until(lambda: at_work(catalogue))
        job.cancel()
        assert job.state == State.CANCELLED
        until(lambda: not drivers(catalogue))


def test_a_driver_that_still_dies_is_not_asked_again(monkeypatch):
    with socket.socket() as gone:  # its port is free again: nobody listens
        gone.bind(("127.0.0.1", 0))
        port = gone.getsockname()[1]
    gateway = JavaGateway(gateway_parameters=GatewayParameters(port=port))
    # its connections are closed, its process still there: it takes a while to let go of its memory
    gateway.proc = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    monkeypatch.setattr(SparkContext, "_gateway", gateway)
    monkeypatch.setattr(SparkContext, "_jvm", gateway.jvm)
    monkeypatch.setattr(spark, "_driven", ["local[2]"])
    assert gateway.proc.poll() is None
    spark._end_unfit_driver("local[2]")
    assert gateway.proc.returncode == 0
    assert SparkContext._gateway is None
    assert SparkContext._jvm is None


def test_a_master_that_does_not_answer_is_told_before_java_starts(monkeypatch):
    monkeypatch.setattr(spark, "_end_unfit_driver", None)  # going on would fail
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for request in (address, f"{address},{address}", "nowhere", "localhost:x", "local[x]", ""):
            with pytest.raises(InvalidInputError) as caught:
                spark.connect(request)
            assert str(caught.value) == (
                f"spark://{request} could not be reached: it must be local, local[CORES] or the "
                "HOST:PORT of a Spark master that is running."
            )


def test_without_java_a_sentence_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInputError, match="needs Java 17 or newer, and none is found"):
        spark.connect("local[2]")
