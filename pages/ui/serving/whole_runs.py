"""Every message of a run reaches the browser, those of a run that has just ended too.

A run's messages wait for the server's loop. Where a part of the page asks to be run after the run
before it has ended, but before the loop has come to that run's last messages, Streamlit begins a
new run and drops them: on a busy server charts, buttons or the address stay away until the next
run of the whole page. Such a request waits here until the loop has come to the end of the last run.
"""

from __future__ import annotations

from collections import deque
from weakref import WeakKeyDictionary

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData

PAUSE = 0.001
"""Seconds between two looks at whether the loop has come to the end of the last run."""

Request = ClientState | None

_request = AppSession.request_rerun
_create = AppSession._create_scriptrunner

_waiting: WeakKeyDictionary[AppSession, deque[Request]] = WeakKeyDictionary()


class EndingError(Exception):
    """The last run has ended, and some of its messages are still on their way."""


def keep() -> None:
    """Have the sessions of this process lose no messages; call it before the first one begins."""
    AppSession.request_rerun = _asked  # type: ignore[method-assign]
    AppSession._create_scriptrunner = _created  # type: ignore[method-assign]


def _created(self: AppSession, initial_rerun_data: RerunData) -> None:
    """Begin a run; the names are Streamlit's."""
    if self._scriptrunner is not None:  # it took no request, so it has ended
        raise EndingError
    _create(self, initial_rerun_data)


def _asked(self: AppSession, client_state: Request) -> None:
    """Take a request in its turn."""
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
            session._event_loop.call_later(PAUSE, _pass_on, session)
            return
