"""Calls for the workers of the tests: a worker imports them by name."""

import os
import re
import signal
import subprocess
import sys
import time
from unittest import mock

import numpy as np

from core import clock
from core.errors import InvalidInputError
from core.joint import Joint
from core.notions import LIP
from core.optimal.polytopes.double_description import double_description
from core.optimal.polytopes.standard_form import polytope


def double(value, *, report):
    report(("halfway", value))
    return 2 * value


def process_id(*, report):
    report(None)
    return os.getpid()


def sleep(seconds, *, report):
    report("asleep")
    time.sleep(seconds)
    return seconds


def take_all_memory(*, report):
    report("taking")
    raise MemoryError


def fail(text, *, report):
    report("failing")
    raise InvalidInputError(text)


def die(*, report):
    report("dying")
    os._exit(7)


def die_once(mark, *, report):
    if not os.path.exists(mark):
        with open(mark, "w", encoding="utf-8") as file:
            file.write(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    report("second attempt")
    return "done"


class OddError(Exception):
    """An error that cannot be made again from its text alone."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def fail_oddly(*, report):
    report("failing")
    raise OddError(1, 2)


def shout(*, report):
    report("shouting")
    print("what a library prints")
    sys.stdout.flush()
    os.write(1, b"and what its C code prints\n")
    return "heard"


def unsendable(*, report):
    report("x")
    return lambda: None


def readings(*, report):
    report("reading")
    return [clock.now(), clock.now()]


def hang(*_, report):
    report("working")
    time.sleep(1e6)


def spin(*, report):
    report(os.getpid())
    while True:
        pass


def among_vertices(*, report):
    """Start cdd on a set that it takes minutes for, and say which processes are at work."""
    joint = Joint.random_uniform(16, 42, np.random.default_rng(0))

    def told(command, **more):
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            report((os.getpid(), process.pid))
            return process.communicate(more["input"])

    with mock.patch.object(subprocess, "run", told):
        double_description(polytope(LIP(1.0).allowed_set(joint), joint.p_x), time_limit=600)


def sleep_on(*, report):
    report(os.getpid())
    time.sleep(600)


def hold_the_lock(*, report):
    """Match a text for years: the interpreter's lock is not given up, so no thread runs."""
    report(os.getpid())
    re.match("(a+)+$", 60 * "a" + "b")
