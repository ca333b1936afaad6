"""Requests of a page that is being left: what they ask for is not run."""

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.ui.serving.patches import LateRequests, OpenPage
from tests.browser.served import served
from tests.visitor import EXCEPTION, visiting


def request(page, part=""):
    message = BackMsg()
    message.rerun_script.page_script_hash, message.rerun_script.fragment_id = page, part
    return message.SerializeToString()


@pytest.mark.parametrize("first", ["", "explore"])
def test_a_part_of_a_page_that_was_left_is_late(first):
    page = OpenPage()
    assert not page.is_late(request(first))
    assert not page.is_late(request("robust"))
    for _ in range(2):  # slider and button, say
        assert page.is_late(request("explore", "part"))
    assert not page.is_late(request("robust", "part"))


def test_the_parts_of_an_open_page_are_not():
    page = OpenPage()
    requested = [
        request(""),
        request("explore", "part"),
        request("robust"),
        request("robust", "part"),
        request("explore"),  # back
        request("explore", "part"),
        request("learn"),
        request("data", "part"),  # the server led on from Learn to Data
        request("data"),
        request("data", "part"),
    ]
    assert not any(page.is_late(raw) for raw in requested)


@pytest.mark.parametrize("raw", [b"", b"\xff\xff", BackMsg(stop_script=True).SerializeToString()])
def test_other_messages_pass(raw):
    assert not OpenPage().is_late(raw)


def test_each_connection_is_at_a_page_of_its_own():
    passed = []

    async def app(scope, receive, _):
        passed.append([await receive() for _ in range(scope["number"])])

    async def connection(kind, number, *messages):
        waiting = iter(messages)

        async def receive():
            return next(waiting)

        await LateRequests(app)({"type": kind, "number": number}, receive, None)

    sent = [
        {"type": "websocket.connect"},
        {"type": "websocket.receive", "bytes": request("explore")},
        {"type": "websocket.receive", "bytes": request("robust")},
        {"type": "websocket.receive", "bytes": request("explore", "part"), "text": None},
        {"type": "websocket.receive", "bytes": None, "text": "not ours"},
        {"type": "websocket.disconnect"},
    ]
    asyncio.run(connection("websocket", 5, *sent))
    asyncio.run(connection("websocket", 2, sent[0], sent[3]))
    asyncio.run(connection("http", 6, *sent))
    assert passed == [[*sent[:3], *sent[4:]], [sent[0], sent[3]], sent]


async def leave(address):
    """Leave a page with a last move of its slider; return the hash of the next and the runs."""
    async with visiting(address) as visitor:
        await visitor.load("mech=watchdog")
        explore = visitor.page
        await visitor.leave_for("robust", "eps", 1.5)
        assert visitor.page == visitor.pages["robust"] != explore
        await visitor.move("eps", 2.0)
        assert visitor.query_value("eps") == "2"
        assert not visitor.says(EXCEPTION)
        return visitor.pages["robust"], visitor.begun


def test_a_slider_moved_right_before_a_click_on_the_menu_leads_to_no_part_of_the_old_page():
    with served() as address:
        robust, begun = asyncio.run(leave(address))
    first = [page for page, _ in begun].index(robust)
    assert {page for page, _ in begun[first:]} == {robust}
    assert begun[first][1] == ()


def test_a_slider_of_the_question_that_showed_an_error_moves_in_the_middle_of_runs_too():
    """It was `StreamlitInvalidLayoutContextError`, from the first move on, and stayed."""

    async def wrong():
        async with visiting(address) as visitor:
            await visitor.load("s=race&x=education&notion=lip&eps=8")
            for value in (0.05, 8.0):
                visitor.values["eps"] = value
                await visitor._send(visitor.widgets["eps"][1])  # and the next one in its midst
            await visitor.move("eps", 0.05)
            return [item for item in visitor.texts.values() if item.startswith(EXCEPTION)]

    with served() as address:
        assert asyncio.run(wrong()) == []
