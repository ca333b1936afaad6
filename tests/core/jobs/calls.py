"""Calls for the workers of the tests: a worker imports them by name."""

import os
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


def fail(text, *, report):
    report("failing")
    raise InvalidInputError(text)


def die(*, report):
    report("dying")
    os._exit(7)


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


def hang(*arguments, report):
    report(arguments)
    time.sleep(1e6)
