"""What a move of ε sends to a browser, counted: messages, elements and bytes."""

import asyncio
from collections import Counter

import pytest

from tests.browser.served import served
from tests.visitor import Visitor, visiting

MOST_BYTES = 77_000
"""Bytes of a move on the default question; with the charts' program in each chart, 300 kB."""

MOST_MESSAGES = 50
"""Messages of a move: each is worth .2 ms of the server."""


@pytest.fixture
def taken(monkeypatch):
    """Note the messages that visitors are sent."""
    result, take = [], Visitor._take
    monkeypatch.setattr(
        Visitor, "_take", lambda self, message: result.append(message) or take(self, message)
    )
    return result


async def moved(address, taken):
    """Open Explore, move ε to and fro, and return the messages of the last move."""
    async with visiting(address) as visitor:
        assert [item.name for item in visitor.socket.protocol.extensions] == ["permessage-deflate"]
        at_rest = 0
        while at_rest < 3:  # until then lines of the frontier are being worked out
            await visitor.load()
            at_rest = 0 if visitor.is_at_work else at_rest + 1
            await asyncio.sleep(0.2)
        for eps in (1.2, 1.25, 1.2):
            taken.clear()
            await visitor.move("eps", eps)
            assert visitor.query_value("eps") == f"{eps:g}"
        return list(taken)


def test_a_move_sends_little_and_no_program(taken):
    with served() as address:
        sent = asyncio.run(moved(address, taken))
    elements = [item.delta.new_element for item in sent if item.delta.HasField("new_element")]
    charts = [item.bidi_component for item in elements if item.HasField("bidi_component")]
    kinds = Counter(item.WhichOneof("type") for item in elements)
    assert len(charts) == 3  # the board and the two cards below it
    assert kinds["slider"] == 2
    assert all(len(item.js_content) < 300 and not item.css_content for item in charts)
    assert sum(len(item.bytes) for item in charts) > MOST_BYTES / 3  # the charts themselves came
    assert sum(item.ByteSize() for item in sent) < MOST_BYTES
    assert len(sent) <= MOST_MESSAGES
