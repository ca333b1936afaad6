"""What a move of ε sends to a browser, counted: messages, elements and bytes."""

import asyncio
from collections import Counter

import pytest

from tests.browser.served import served
from tests.visitor import Visitor, visiting

MOST_BYTES = 110_000
"""Bytes of a move on the default question; with the charts' program in each chart, 300 kB."""

MOST_MESSAGES = 50
"""Messages of a move: each is worth .2 ms of the server."""


@pytest.fixture
def taken(monkeypatch):
    """Note the messages that visitors are sent."""
    found, take = [], Visitor._take
    monkeypatch.setattr(
        Visitor, "_take", lambda self, message: found.append(message) or take(self, message)
    )
    return found


async def moved(address, taken):
    """Open Explore, move ε to and fro, and return the messages of the last move."""
    async with visiting(address) as visitor:
        assert [one.name for one in visitor.socket.protocol.extensions] == ["permessage-deflate"]
        at_rest = 0
        while at_rest < 3:  # until then lines of the frontier are being worked out
            await visitor.load()
            at_rest = 0 if visitor.is_at_work else at_rest + 1
            await asyncio.sleep(0.2)
        for eps in (1.2, 1.25, 1.2):
            taken.clear()
            await visitor.move("eps", eps)
            assert visitor.asked("eps") == f"{eps:g}"
        return list(taken)


def test_a_move_sends_little_and_no_program(taken):
    with served() as address:
        sent = asyncio.run(moved(address, taken))
    elements = [one.delta.new_element for one in sent if one.delta.HasField("new_element")]
    charts = [one.bidi_component for one in elements if one.HasField("bidi_component")]
    kinds = Counter(one.WhichOneof("type") for one in elements)
    assert len(charts) == 3  # the board and the two cards below it
    assert kinds["slider"] == 2
    assert all(len(one.js_content) < 300 and not one.css_content for one in charts)
    assert sum(len(one.bytes) for one in charts) > MOST_BYTES / 3  # the charts themselves came
    assert sum(one.ByteSize() for one in sent) < MOST_BYTES
    assert len(sent) <= MOST_MESSAGES
