"""Open random questions on a server, move random sliders, also before the first answer has come.

Run with `python -m tests.fuzz.crawl [--moves 2000] [--seed SEED]`. It counts the exceptions that a
page shows, the ends of connections, and the pages that never come to rest, each with its question.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from urllib.parse import urlencode

from streamlit.proto.Slider_pb2 import Slider

from core.mechanisms.catalogue import CATALOGUE
from core.notions.catalogue import ALL
from tests.browser.served import served
from tests.visitor import EXCEPTION, LostError, Visitor, visiting

PAGES = ("", "mechanisms", "lift", "release", "compare", "robust")
"""Names in the address; "" is Explore."""

DATA = (
    {"data": "adult", "s": "sex", "x": "occupation"},
    {"data": "adult", "s": "race", "x": "education"},
    {"data": "adult", "s": "education", "x": "native-country"},
    {"data": "example:parity", "s": "", "x": ""},
    {"data": "random:uniform:2x2:1", "s": "", "x": ""},
    {"data": "random:uniform:4x30:2", "s": "", "x": ""},
    {"data": "adult", "s": "sex", "x": "sex"},
    {"data": "adult", "s": "nothing", "x": "occupation"},
)
"""Questions' data: small and large, and two that have no answer."""

BUDGETS = ("0", "1e-12", "0.05", "0.5", "2", "8", "inf")

MOVES = 8
"""Moves of each visit."""

VISITORS = 4
"""Visits that are made at once."""

AT_REST = 8.0
"""Seconds that a run may take before the next move is sent all the same: a user does not wait."""


def question(chance: random.Random) -> str:
    """Return the query of a random question."""
    request = dict(chance.choice(DATA))
    request["notion"], request["mech"] = chance.choice(ALL).key, chance.choice(list(CATALOGUE))
    request["eps"] = chance.choice(BUDGETS)
    return urlencode(request)


@contextmanager
def sliders(visitor: Visitor) -> Iterator[dict[str, tuple[float, float, float]]]:
    """Yield the ends and the step of each slider that a visitor may move, by its key."""
    result: dict[str, tuple[float, float, float]] = {}
    take = visitor._take

    def taken(message):
        if message.WhichOneof("type") == "delta":
            shown = message.delta.new_element.slider
            # a choice among named values is sent by its text, which a `Visitor` does not
            if shown.id and shown.max > shown.min and shown.type == Slider.SLIDER:
                key = shown.id.split("-", 2)[2]
                result[key] = (shown.min, shown.max, shown.step)
                if shown.disabled:
                    del result[key]
        take(message)

    visitor._take = taken
    yield result


async def until_run(visitor: Visitor, before: int) -> None:
    """Wait until a run has ended, or for as long as a user would."""
    with suppress(TimeoutError):
        async with asyncio.timeout(AT_REST):
            while visitor.runs == before:
                await asyncio.sleep(0.02)


async def visit(address: str, chance: random.Random) -> tuple[int, list[str]]:
    """Make one visit; return how many moves it made, and what was wrong."""
    page, request, reported = chance.choice(PAGES), question(chance), []
    trail = [f"/{page}?{request}"]
    made = 0
    try:
        async with visiting(address) as visitor:
            with sliders(visitor) as known:
                await visitor.load()
                known.clear()
                visitor.page = visitor.pages.get(page, visitor.page)
                visitor.query = request
                before = visitor.runs
                await visitor._send("")
                await until_run(visitor, before)
                for _ in range(MOVES):
                    able = [key for key in known if key in visitor.widgets]
                    if not able:
                        break
                    key = chance.choice(sorted(able))
                    low, high, step = known[key]
                    steps = round((high - low) / step)
                    value = low + step * chance.choice((0, steps, chance.randint(0, steps)))
                    trail.append(f"{key}={value:g}")
                    visitor.values[key] = value
                    before, made = visitor.runs, made + 1
                    await visitor._send(visitor.widgets[key][1])
                    if chance.random() < 0.7:  # else the next one is sent in mid-run
                        await until_run(visitor, before)
                    reported += [
                        item for item in visitor.texts.values() if item.startswith(EXCEPTION)
                    ]
                before = visitor.runs
                await until_run(visitor, before - 1 if made == 0 else before)
                reported += [item for item in visitor.texts.values() if item.startswith(EXCEPTION)]
                reported += [visitor.lost] * bool(visitor.lost)
    except LostError as error:
        reported.append(str(error))
    wrong = [f"{' '.join(trail)}: {item[:200]!r}" for item in dict.fromkeys(reported)]
    return max(made, 1), wrong


async def crawl(
    address: str, moves: int, chance: random.Random, visitors: int = VISITORS
) -> list[str]:
    """Make visits, some at once, until so many moves are made; return what was wrong."""
    made, wrong = 0, list[str]()

    async def stay(own: random.Random) -> None:
        nonlocal made
        while made < moves:
            count, text = await visit(address, own)
            made += count
            wrong.extend(text)
            for item in text:
                print(item, flush=True)

    await asyncio.gather(*(stay(random.Random(chance.random())) for _ in range(visitors)))
    print(f"{made:,} moves, {len(wrong):,} errors", flush=True)
    return wrong


def main() -> int:
    """Read the command line, crawl, report."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.crawl", description=__doc__)
    parser.add_argument("--moves", type=int, default=2_000)
    parser.add_argument("--address", help="of a server that runs; one is started where not given")
    parser.add_argument("--seed", type=int, help="drawn at random where not given")
    request = parser.parse_args()
    seed = secrets.randbelow(10**6) if request.seed is None else request.seed
    print(f"seed {seed}", flush=True)
    with nullcontext(request.address) if request.address else served() as address:
        return bool(asyncio.run(crawl(address, request.moves, random.Random(seed))))


if __name__ == "__main__":
    sys.exit(main())
