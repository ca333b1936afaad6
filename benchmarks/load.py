"""A class at its sliders: sessions of Explore that move ε every three seconds, without a browser.

Run with `python -m benchmarks.load [--sessions 1 25 50 100] [--seconds 30]`; Linux only. A server
is started for each row; `--address` measures one that runs. Each session opens Explore, then
moves ε within the page's fragment, as a browser asks for it. Time is from the release of the
slider until the last message of its rerun; an error is a lost connection, or an address that does
not have the ε that was asked for. The server's processor time for each move does not depend on
what else the machine does. `--minutes 30` is the soak: one row a minute, memory beside it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from benchmarks.memory import command, descendants, share
from tests.browser.served import served
from tests.visitor import LostError, Visitor, visiting

EVERY = 3.0
"""Seconds from one move of a session to its next, if not told otherwise."""

BUDGETS = tuple(round(0.05 * step, 2) for step in range(4, 61))
"""The ε that sessions ask for; .05 is the slider's step."""

TICK = os.sysconf("SC_CLK_TCK")

QUESTIONS = {
    "default": "",
    "country": "data=adult&s=education&x=native-country",
}
"""Addresses by name."""


@dataclass
class Seen:
    """What sessions saw.

    Attributes
    ----------
    opened, moved : list of float
        Seconds of each page that was opened, and of each move.
    errors : list of str
        What went wrong.
    runs : int
        Runs of the script, those by the clock included.
    received : int
        Bytes.
    """

    opened: list[float] = field(default_factory=list)
    moved: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    runs: int = 0
    received: int = 0

    def row(self) -> str:
        """Return quantiles and errors as cells of a table."""
        if len(self.moved) < 2:
            return f"{len(self.moved)} | – | – | – | {len(self.errors)}"
        ends = statistics.quantiles(self.moved, n=100, method="inclusive")
        return (
            f"{len(self.moved)} | {statistics.median(self.moved):.2f} | {ends[94]:.2f} | "
            f"{max(self.moved):.2f} | {len(self.errors)}"
        )


@dataclass(frozen=True)
class Place:
    """One session: where it goes, what it asks, and its own chance."""

    address: str
    query: str
    chance: random.Random
    every: float = EVERY


async def opened(place: Place, visitors: AsyncExitStack, seen: Seen) -> Visitor | None:
    """Open Explore at some time within the first seconds; None where that fails."""
    await asyncio.sleep(place.chance.uniform(0, place.every))
    try:
        visitor = await visitors.enter_async_context(visiting(place.address))
        seen.opened.append(await visitor.load(place.query))
    except LostError as error:
        seen.errors.append(str(error))
        return None
    return visitor


async def moving(visitor: Visitor, place: Place, end: float, seen: Seen) -> None:
    """Move ε until the end."""
    before, got = visitor.runs, visitor.received
    due = time.monotonic() + place.chance.uniform(0, place.every)
    try:
        while due < end:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            eps = place.chance.choice(BUDGETS)
            seen.moved.append(await visitor.move("eps", eps))
            shown = visitor.query_value("eps") or "1"
            if abs(float(shown) - eps) > 1e-9:
                seen.errors.append(f"ε = {eps} was asked for, the address says {shown}")
            due = max(due + place.every, time.monotonic())
    except LostError as error:
        seen.errors.append(str(error))
    seen.runs += visitor.runs - before
    seen.received += visitor.received - got


async def visit(places: Sequence[Place], seconds: float, server: int) -> tuple[Seen, Held, Held]:
    """Let sessions work for so many seconds; return what they saw, and the server at both ends."""
    seen = Seen()
    async with AsyncExitStack() as stack:
        visitors = await asyncio.gather(*(opened(place, stack, seen) for place in places))
        before, end = held(server), time.monotonic() + seconds
        await asyncio.gather(
            *(
                moving(visitor, place, end, seen)
                for place, visitor in zip(places, visitors, strict=True)
                if visitor is not None
            )
        )
        return seen, before, held(server)


def processor(process: int) -> float:
    """Return the seconds of processor time that a process has used; those of its threads count."""
    with open(f"/proc/{process}/stat") as file:
        numbers = file.read().rpartition(")")[2].split()
    return (int(numbers[11]) + int(numbers[12])) / TICK


@dataclass
class Held:
    """What the processes of a dashboard hold and use.

    Attributes
    ----------
    server, workers : float
        Memory in MB.
    used, used_by_workers : float
        Seconds of processor time.
    """

    server: float
    workers: float
    used: float
    used_by_workers: float


def held(server: int) -> Held:
    """Look at a server and its workers."""
    below = []
    for process in descendants(server):
        # a worker at rest may end between two looks: it holds nothing then
        with suppress(FileNotFoundError, ProcessLookupError):
            below.append((share(process), processor(process)))
    memory, used = map(sum, zip(*below, strict=True)) if below else (0.0, 0.0)
    return Held(share(server), memory, processor(server), used)


@contextmanager
def dashboard(address: str | None, process: int | None) -> Iterator[tuple[str, int]]:
    """Yield the address and the process of a dashboard, started if there is none."""
    if address is not None:
        assert process is not None, "--address needs --process"
        yield address, process
        return
    with served() as started:
        # the first: a worker that is just being started still has the name of its parent
        server = next(
            candidate for candidate in descendants(os.getpid()) if "streamlit" in command(candidate)
        )
        yield started, server


HEAD = (
    "| question | sessions | moves | median, s | 95% within, s | slowest, s | errors | "
    "server CPU, ms a move | workers' | opening, median s | runs a move | kB a move | "
    "server, MB | workers, MB |"
)


def measure(address: str, server: int, options: argparse.Namespace, sessions: int) -> str:
    """Return one row."""

    def places(number: int, seed: int) -> list[Place]:
        query = QUESTIONS[options.question]
        chances = [random.Random(f"{seed} {session}") for session in range(number)]
        return [Place(address, query, chance, options.every) for chance in chances]

    if not options.cold:  # workers start, caches fill, what lives long is exempt from collection
        asyncio.run(visit(places(min(sessions, 2), options.seed + 1), 9.0, server))
    seen, before, after = asyncio.run(
        visit(places(sessions, options.seed), options.seconds, server)
    )
    moves = max(1, len(seen.moved))
    for error in sorted(set(seen.errors)):
        print(f"  {seen.errors.count(error)} ×: {error}")
    return (
        f"| {options.question} | {sessions} | {seen.row()} | "
        f"{1000 * (after.used - before.used) / moves:.0f} | "
        f"{1000 * (after.used_by_workers - before.used_by_workers) / moves:.0f} | "
        f"{statistics.median(seen.opened or [float('nan')]):.2f} | {seen.runs / moves:.1f} | "
        f"{seen.received / moves / 1000:.0f} | {after.server:.0f} | {after.workers:.0f} |"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 25, 50, 100])
    parser.add_argument("--seconds", type=float, default=30.0, help="how long each row takes")
    parser.add_argument("--every", type=float, default=EVERY, help="seconds between two moves")
    parser.add_argument("--minutes", type=int, help="soak: so many rows of a minute, one server")
    parser.add_argument("--question", choices=QUESTIONS, default="default")
    parser.add_argument("--cold", action="store_true", help="no visit before the first row's")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--address", help="of a dashboard that runs")
    parser.add_argument("--process", type=int, help="its process")
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(HEAD, "|" + " --- |" * (HEAD.count("|") - 1), sep="\n")
    if options.minutes:
        options.seconds = 60.0
        with dashboard(options.address, options.process) as (address, server):
            for minute in range(options.minutes):
                options.seed, options.cold = options.seed + 1, minute > 0
                print(measure(address, server, options, options.sessions[0]), flush=True)
        return
    for sessions in options.sessions:
        with dashboard(options.address, options.process) as (address, server):
            print(measure(address, server, options, sessions), flush=True)


if __name__ == "__main__":
    main()
