"""Spark, by a driver of its own: a Java process that ends with the one that started it.

However this process ends, the system closes the driver's standard input: the driver then ends, and
its cluster drops the work under way.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
from contextlib import suppress
from typing import Any

import ibis

from core.errors import InvalidInputError

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.log.level": "ERROR",
}
"""Spark's settings."""

LOCAL = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
"""Settings of a Spark in this process, which no other process can reach."""

_HERE = re.compile(r"local(\[(\d+|\*)\])?")

_driven: list[str] = []
"""The master that the driver of this process was started for; empty where there is no driver."""


def connect(address: str) -> Any:
    """Return a connection to Spark: in this process ("local[2]"), or to a master elsewhere."""
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise InvalidInputError(
            "Spark needs Java 17 or newer, and none is found: install it, or name its folder in "
            "JAVA_HOME."
        )
    here = _HERE.fullmatch(address) is not None
    if not here:
        _check_master(address)
    from pyspark.sql import SparkSession  # starts nothing, but takes a second to import

    master = address if here else f"spark://{address}"
    _end_unfit_driver(master)
    builder = SparkSession.builder.master(master).appName("liftscope")
    for name, value in (SETTINGS | (LOCAL if here else {})).items():
        builder = builder.config(name, value)
    _driven[:] = [master]
    return ibis.pyspark.connect(builder.getOrCreate())


def _check_master(address: str) -> None:
    """Raise unless one of the masters listens: Spark itself would try for a minute."""
    for master in address.split(","):
        host, _, port = master.rpartition(":")
        if not (host and port.isdecimal() and int(port) <= 65_535):
            continue
        # seconds
        with suppress(OSError), socket.create_connection((host.strip("[]"), int(port)), 10):
            return
    raise InvalidInputError(
        f"spark://{address} could not be reached: it must be local, local[CORES] or the HOST:PORT "
        "of a Spark master that is running."
    )


def _end_unfit_driver(master: str) -> None:
    """End a driver that died or has another master: PySpark would keep using it and fail."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway = SparkContext._gateway
    if gateway is None or (_driven == [master] and _answers(gateway)):
        return
    with suppress(OSError):  # it may be gone already
        gateway.proc.stdin.close()
    with suppress(Exception):  # the driver may be gone already
        gateway.shutdown()
    gateway.proc.wait()
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None


def _answers(gateway: Any) -> bool:
    """Say whether a driver answers: the system lists a killed one's process for a while."""
    from py4j.protocol import Py4JError

    if gateway.proc.poll() is not None:
        return False
    try:
        gateway.jvm.java.lang.System.nanoTime()
    except (OSError, Py4JError):
        return False
    return True
