"""Calls for the workers of the tests: a worker imports them by name."""

import os
import re
import signal
import sys
import time

from core import clock
from core.errors import InvalidInputError


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

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


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


def idle(seconds, *, report):
    """Return how long a pause is, and how long it is on the clock of time limits."""
    report("idle")
    wall, before = time.monotonic(), clock.now()
    time.sleep(seconds)
    counted = clock.now() - before
    return time.monotonic() - wall, counted


def hang(*_, report):
    report("working")
    time.sleep(1e6)


def spin(*, report):
    report(os.getpid())
    while True:
        pass


def sleep_on(*, report):
    report(os.getpid())
    time.sleep(600)


def hold_the_lock(*, report):
    """Match a text for years: the interpreter's lock is not given up, so no thread runs."""
    report(os.getpid())
    re.match("(a+)+$", 60 * "a" + "b")
