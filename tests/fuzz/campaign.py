"""Cases in several processes until time is over, and the report on them."""

import multiprocessing
import random
import signal
import time
from collections import Counter
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import count

from tests.fuzz.kinds import KINDS

SHOWN = 5
"""Failures of one kind that are printed in full."""

HANGS = 180
"""CPU seconds of one case after which it counts as a failure, and so do the others at work."""

TITLES = ("cases", "calls", "statuses", "failures")


def tried(seed, number):
    """Return which kind case `number` is of, and what it did: the same wherever it is tried.

    A case that hangs ends its process, whatever it is at.
    """
    chance = random.Random(f"{seed}:{number}")
    names = list(KINDS)
    name = chance.choices(names, [KINDS[name][1] for name in names])[0]
    began = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    try:
        done = KINDS[name][0](chance)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    done.seconds = time.process_time() - began
    return number, name, done


class Campaign:
    """What was tried of one seed, and what failed."""

    def __init__(self, seed):
        self.seed = seed
        self.totals = {title: Counter() for title in TITLES}
        self.speed = {name: Counter() for name in KINDS}

    def run(self, minutes, jobs):
        """Try cases 0, 1, … in several processes until time is over."""
        until = time.monotonic() + 60 * minutes
        numbers = count()
        pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
        pending = {}
        while pending or time.monotonic() < until:
            while len(pending) < 2 * jobs and time.monotonic() < until:
                number = next(numbers)
                pending[pool.submit(tried, self.seed, number)] = number
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            try:
                for future in done:
                    self.add(*future.result())
                    del pending[future]
            except BrokenProcessPool:
                print(f"\n# no answer in {HANGS} s: cases {sorted(pending.values())}", flush=True)
                self.totals["failures"]["no answer"] += 1
                break
        pool.shutdown(cancel_futures=True)

    def add(self, number, name, done):
        """Count what a case did, and print what it found."""
        self.totals["cases"][name] += 1
        self.totals["calls"].update(done.calls)
        self.totals["statuses"].update(done.statuses)
        self.speed[name].update(calls=sum(done.calls.values()), seconds=done.seconds)
        for failure in done.failures:
            self.totals["failures"][failure.kind] += 1
            if self.totals["failures"][failure.kind] <= SHOWN:
                print(f"\n# case {number} of seed {self.seed}, {name}\n{failure}", flush=True)

    def report(self):
        """Print what was tried and what failed; return the exit status."""
        calls, cases = (sum(self.totals[title].values()) for title in ("calls", "cases"))
        print(f"\nseed {self.seed}: {calls} calls in {cases} cases")
        for title in TITLES:
            listed = ", ".join(f"{name} {n}" for name, n in sorted(self.totals[title].items()))
            print(f"  {title}: {listed or 'none'}")
        spent = ", ".join(
            f"{name} {item['calls']} in {item['seconds']:.0f} s"
            for name, item in self.speed.items()
        )
        print(f"  calls by kind of case, in CPU seconds: {spent}")
        return 1 if self.totals["failures"] or not calls else 0
