"""Patches for Streamlit's server: late requests, complete runs, turns, an end by its terminal.

Between a click on the menu and the new page's arrival, the browser still shows the old page: what
is clicked there, or a slider that was moved just before, asks for a part of the old page again.
Streamlit runs that part after the new page, and the browser, which holds no such part any more,
fails with “Bad delta path index” or shows a blank page until it is reloaded. Such a request is left
out. Without that, 4 of 16 visits in Chromium that pressed a slider's key right after a click on the
menu ended blank or never came to rest, and none of 16 with it (2026-11-27, busy machine).

A run's messages wait for the server's loop. Where a part of the page asks to be run after the run
before it has ended, but before the loop has come to that run's last messages, Streamlit begins a
new run and drops them: on a busy server charts, buttons or the address stay away until the next
run of the whole page. Such a request waits here until the loop has come to the end of the last run.
Without that, 2 of 32 visits of six moves, eight at a time, had one that was never answered, and
none of 32 with it; Streamlit alone does so each time that the loop is held up (test_whole_runs.py).

All scripts and the server's loop share one interpreter. Where a hundred scripts run at once, the
loop gets a hundredth of it, and a newcomer waits many seconds for a connection: scripts take turns.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from weakref import WeakKeyDictionary

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner


def stop_when_hung_up() -> None:
    """Make SIGHUP end this process as SIGTERM does, unless it is ignored, as under `nohup`."""
    hung_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hung_up is None or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(hung_up) is signal.SIG_DFL:
        signal.signal(hung_up, lambda *_: signal.raise_signal(signal.SIGTERM))


class OpenPage:
    """The page that a browser is at, according to its requests."""

    def __init__(self) -> None:
        self._page, self._left = "", ""  # the first page's name comes later
        self._arriving = False

    def is_late(self, raw: bytes) -> bool:
        """Return whether a request is about a part of a page that is being left."""
        try:
            message = BackMsg.FromString(raw)
        except DecodeError:  # Streamlit answers it
            return False
        if message.WhichOneof("type") != "rerun_script":
            return False
        state = message.rerun_script
        page = state.page_script_hash
        if not state.fragment_id:
            if page != self._page:
                self._page, self._left, self._arriving = page, self._page, True
            return False
        if self._arriving and page != self._page and self._left in ("", page):
            return True
        # from the requested page, or from one that the server led to: it has arrived
        self._page, self._arriving = page, False
        return False


class LateRequests:
    """Leaves out the requests of pages that are being left; an ASGI middleware."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        page = OpenPage()

        async def received() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or not message.get("bytes"):
                    return message
                if not page.is_late(message["bytes"]):
                    return message

        await self._app(scope, received, send)


Request = ClientState | None

_request = AppSession.request_rerun
_create = AppSession._create_scriptrunner
_run = ScriptRunner._run_script

_waiting: WeakKeyDictionary[AppSession, deque[Request]] = WeakKeyDictionary()

PATIENCE = 60.0
"""Seconds after which a script has its turn anyway: those before it wait for something else."""

_turns = threading.BoundedSemaphore(12)  # more scripts at once would slow each other down


def _in_turn(self: ScriptRunner, rerun_data: RerunData) -> None:
    """Run a script when it has its turn; the names are Streamlit's."""
    has_turn = _turns.acquire(timeout=PATIENCE)
    try:
        _run(self, rerun_data)
    finally:
        if has_turn:
            _turns.release()


class EndingError(Exception):
    """The last run has ended, and some of its messages are still on their way."""


def keep() -> None:
    """Keep sessions from losing messages; make scripts take turns. Call it before any begins."""
    AppSession.request_rerun = _handle  # type: ignore[method-assign]
    AppSession._create_scriptrunner = _created  # type: ignore[method-assign]
    ScriptRunner._run_script = _in_turn  # type: ignore[method-assign]


def _created(self: AppSession, initial_rerun_data: RerunData) -> None:
    """Begin a run; the names are Streamlit's."""
    if self._scriptrunner is not None:  # it took no request, so it has ended
        raise EndingError
    _create(self, initial_rerun_data)


def _handle(self: AppSession, client_state: Request) -> None:
    """Handle a request in its turn."""
    waiting = _waiting.setdefault(self, deque())
    waiting.append(client_state)
    if len(waiting) == 1:  # else the first of them is about to be looked at again
        _pass_on(self)


def _pass_on(session: AppSession) -> None:
    """Pass on what waits, in order, as soon as the loop has come to the end of the last run."""
    waiting = _waiting[session]
    while waiting:
        request = waiting.popleft()
        try:
            _request(session, request)
        except EndingError:
            waiting.appendleft(request)
            # seconds between two looks at whether the loop has come to the end of the last run
            session._event_loop.call_later(0.001, _pass_on, session)
            return
