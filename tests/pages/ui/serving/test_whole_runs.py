"""A run's last messages reach the browser even where a part of the page asks for its next run."""

import asyncio
from unittest.mock import MagicMock

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner import ScriptRunner, script_cache

from pages.ui.serving import patches

SCRIPT = """
import streamlit as st

@st.fragment
def part():
    st.text("part")

part()
st.text("last")
"""

NAMES = "request_rerun", "_create_scriptrunner"
STREAMLITS = {name: getattr(AppSession, name) for name in NAMES}


@pytest.fixture(params=[True, False], ids=["kept", "not_kept"])
def kept(request, monkeypatch):
    """Say whether messages are kept; else Streamlit goes its own way."""
    for name, own in STREAMLITS.items():
        monkeypatch.setattr(AppSession, name, own)
    monkeypatch.setattr(ScriptRunner, "_run_script", ScriptRunner._run_script)
    if request.param:
        patches.keep()
        patches.keep()  # as a server that is started twice in a process does
    return request.param


@pytest.fixture(autouse=True)
def runtime(monkeypatch):
    monkeypatch.setattr(Runtime, "_instance", MagicMock())  # clears files, of which there are none


class Page:
    """A page of one part, and what its browser is sent."""

    def __init__(self, folder):
        path = folder / "page.py"
        path.write_text(SCRIPT)
        self.session = AppSession(
            ScriptData(str(path), is_hello=False),
            MemoryUploadedFileManager("/files"),
            script_cache.ScriptCache(),
            message_enqueued_callback=None,
            user_info={},
        )
        self.sent = []

    def end_of_script(self):
        """Hold up the loop until the script has ended, as much work for others does."""
        self.session._scriptrunner._script_thread.join()

    def ask(self, part=""):
        self.session.request_rerun(ClientState(fragment_id=part))

    async def rest(self):
        """Let the loop come to all messages."""
        while self.session._scriptrunner is not None or patches._waiting.get(self.session):
            await asyncio.sleep(0.001)
        self.sent += self.session.flush_browser_queue()

    def close(self):
        self.session.shutdown()
        self.session._script_event_loop.close()

    def texts(self):
        deltas = [message.delta for message in self.sent if message.WhichOneof("type") == "delta"]
        return [text for delta in deltas if (text := delta.new_element.text.body)]

    def part(self):
        return next(item.delta.fragment_id for item in self.sent if item.delta.fragment_id)

    def ends(self):
        return [
            ForwardMsg.ScriptFinishedStatus.Name(item.script_finished)
            for item in self.sent
            if item.WhichOneof("type") == "script_finished"
        ]


def test_a_part_that_asks_at_once_costs_the_page_nothing(kept, tmp_path):
    async def visit():
        page = Page(tmp_path)
        page.ask()
        await page.rest()
        part = page.part()
        page.sent.clear()
        page.ask()
        page.end_of_script()
        page.ask(part)
        await page.rest()
        page.close()
        return page

    page = asyncio.run(visit())
    ends = ["FINISHED_SUCCESSFULLY", "FINISHED_FRAGMENT_RUN_SUCCESSFULLY"]
    if kept:
        # of a part that waits to be sent Streamlit may leave out what its next run replaces
        assert page.texts()[-2:] == ["last", "part"]
        assert page.ends() == ends
    else:  # what this is for: when Streamlit loses nothing any more, it may go
        assert page.texts() == ["part"]
        assert page.ends() == ends[1:]


@pytest.mark.parametrize("kept", [True], indirect=True)
@pytest.mark.usefixtures("kept")
def test_requests_are_run_in_their_order_and_none_is_lost(tmp_path):
    async def visit():
        page = Page(tmp_path)
        page.ask()
        await page.rest()
        part = page.part()
        page.sent.clear()
        page.ask(part)
        page.end_of_script()
        page.ask(part)  # waits
        page.ask(part)
        page.ask()
        await page.rest()
        page.close()
        return page

    page = asyncio.run(visit())
    assert page.texts() == ["part", "last"]
    begun = [item for item in page.sent if item.WhichOneof("type") == "new_session"]
    assert len(begun) == len(page.ends())
    assert page.ends()[-1] == "FINISHED_SUCCESSFULLY"
    assert not patches._waiting[page.session]


@pytest.mark.parametrize("kept", [True], indirect=True)
@pytest.mark.usefixtures("kept")
def test_a_request_of_a_session_that_ends_is_left(tmp_path, monkeypatch):
    async def visit():
        page = Page(tmp_path)
        page.ask()
        await page.rest()
        part = page.part()
        page.ask(part)
        page.end_of_script()
        page.ask(part)  # waits
        monkeypatch.setattr(page.session, "_state", type(page.session._state).SHUTDOWN_REQUESTED)
        monkeypatch.setattr(page.session, "_scriptrunner", None)
        await page.rest()
        page.close()
        return page

    page = asyncio.run(visit())
    assert not patches._waiting[page.session]
