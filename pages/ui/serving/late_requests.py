"""Requests that a page sends while it is being left.

Between a click on the menu and the new page's arrival, the browser still shows the old page: what
is clicked there, or a slider that was moved just before, asks for a part of the old page again.
Streamlit runs that part after the new page, and the browser, which holds no such part any more,
fails with “Bad delta path index” until it is reloaded. Such a request is left out.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg


class OpenPage:
    """The page that a browser is at, as its requests tell.

    Examples
    --------
    >>> request, open_page = BackMsg(), OpenPage()
    >>> found = []
    >>> for page, part in [("explore", ""), ("robust", ""), ("explore", "sliders")]:
    ...     request.rerun_script.page_script_hash = page
    ...     request.rerun_script.fragment_id = part
    ...     found.append(open_page.is_late(request.SerializeToString()))
    >>> found
    [False, False, True]
    """

    def __init__(self) -> None:
        self._page, self._left = "", ""  # the first page tells its name later
        self._arriving = False

    def is_late(self, raw: bytes) -> bool:
        """Say whether a request is about a part of a page that is being left.

        Parameters
        ----------
        raw : bytes
            A message from the browser.
        """
        try:
            message = BackMsg.FromString(raw)
        except DecodeError:  # Streamlit answers it
            return False
        if message.WhichOneof("type") != "rerun_script":
            return False
        state = message.rerun_script
        asked = state.page_script_hash
        if not state.fragment_id:
            if asked != self._page:
                self._page, self._left, self._arriving = asked, self._page, True
            return False
        if self._arriving and asked != self._page and self._left in ("", asked):
            return True
        # of the page that was asked for, or of one that the server led to: it has arrived
        self._page, self._arriving = asked, False
        return False


class LateRequests:
    """Leaves out the requests of pages that are being left; an ASGI middleware.

    Parameters
    ----------
    app : ASGI application
        The application behind it.
    """

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
