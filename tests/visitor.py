"""A visitor without a browser: Streamlit's websocket protocol, as one open page speaks it.

It asks what a browser asks, also how far work is that the page shows, and knows what stands where;
it draws nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import time
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.page_tree import MisplacedError, PageTree

PATIENCE = 600.0
"""Seconds that a page may take: a machine that is busy is slow, not broken."""

TEXTS = ("markdown", "alert", "exception", "metric", "heading")
"""Kinds of elements whose words are kept."""


BOARD = "liftscope_board"
"""The component that shows the answers of Explore and Compare."""

WORK = "liftscope_work"
"""The component that shows how far work is."""

EXCEPTION = "An exception is on the page: "
"""How the words of an exception begin that the page did not expect."""


class LostError(Exception):
    """The connection was closed, or the page did not answer."""


@dataclass
class Visitor:
    """One open page.

    Attributes
    ----------
    socket : websockets connection
        To the server.
    server : str
        Its address.
    cookie : str
        What the browser sends as its cookies.
    page : str
        Hash of the page's script.
    query : str
        What the page has put into the address.
    widgets : dict
        Key of each widget, with its id and its fragment.
    values : dict
        What was set, by the widget's key.
    texts : dict
        The words of each element on the page, by its place.
    work : dict
        What is said of work under way, by the address where it is looked at.
    pages : dict
        Hash of each page's script, by its name in the address.
    begun : list of tuple
        The page and the parts of each run that has begun.
    runs : int
        Runs of the script that have ended.
    received : int
        Bytes.
    lost : str
        Why no further message is taken; "" while they are.
    """

    socket: Any
    server: str = ""
    cookie: str = ""
    page: str = ""
    query: str = ""
    widgets: dict[str, tuple[str, str]] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    texts: dict[tuple[int, ...], str] = field(default_factory=dict)
    work: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    begun: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    runs: int = 0
    received: int = 0
    lost: str = ""
    _tree: PageTree = field(default_factory=PageTree)
    _looks: dict[str, tuple[str, asyncio.Task[None]]] = field(default_factory=dict)
    _drawn: set[str] = field(default_factory=set)
    _waiting: list[tuple[str, int, asyncio.Future[None]]] = field(default_factory=list)
    _charted: set[str] = field(default_factory=set)
    _defaults: dict[str, float] = field(default_factory=dict)
    _reader: asyncio.Task[None] | None = None

    async def load(self, query: str = "") -> float:
        """Run the whole page with an address; return the seconds that it took."""
        self.query = query
        return await self._ask("")

    async def move(self, key: str, value: float) -> float:
        """Move a slider, and return the seconds until its part of the page has run.

        Raises
        ------
        LostError
            If the connection ends before.
        """
        self.values[key] = value
        return await self._ask(self.widgets[key][1])

    async def leave_for(self, page: str, key: str, value: float) -> float:
        """Ask for another page and, before it comes, for the part that a slider stands in.

        Parameters
        ----------
        page : str
            The page's name in the address.
        key : str
            The slider, which stands on this page and on that one.
        value : float
            To which it is moved.
        """
        for address in list(self._looks):
            self._stop(address)
        here, part, before = self.page, self.widgets[key][1], len(self.begun)
        self.page = self.pages[page]
        await self._send("")
        self.page, self.values[key] = here, value
        return await self._ask(part, answered_by="", before=before)

    def query_value(self, key: str) -> str:
        """Return what the address says of a key; "" where it says nothing."""
        return parse_qs(self.query).get(key, [""])[-1]

    def says(self, words: str) -> bool:
        """Say whether words stand on the page."""
        return any(words in text for text in (*self.texts.values(), *self.work.values()))

    async def _ask(
        self, fragment: str, answered_by: str | None = None, before: int | None = None
    ) -> float:
        """Ask for a part, and return the seconds until a run has ended that began after that."""
        done = asyncio.get_running_loop().create_future()
        answer = fragment if answered_by is None else answered_by
        self._waiting.append((answer, len(self.begun) if before is None else before, done))
        began = time.perf_counter()
        await self._send(fragment)
        try:
            async with asyncio.timeout(PATIENCE):
                await done
        except TimeoutError as error:
            raise LostError(f"The page did not answer within {PATIENCE:g} s.") from error
        return time.perf_counter() - began

    @property
    def is_at_work(self) -> bool:
        """Whether the page shows work under way."""
        return bool(self._looks)

    async def _send(self, fragment: str) -> None:
        message = BackMsg()
        state: ClientState = message.rerun_script
        state.query_string, state.page_script_hash = self.query, self.page
        state.fragment_id = fragment
        for key, value in self.values.items():
            if key in self.widgets:
                widget = state.widget_states.widgets.add(id=self.widgets[key][0])
                widget.double_array_value.data.append(value)
        try:
            await self.socket.send(message.SerializeToString())
        except websockets.ConnectionClosed as error:
            raise LostError(self.lost or "The server closed the connection.") from error

    async def _read(self) -> None:
        try:
            async for raw in self.socket:
                self.received += len(raw)
                self._take(ForwardMsg.FromString(raw))
        except websockets.ConnectionClosed:
            pass
        except MisplacedError as error:
            self.lost = str(error)
            await self.socket.close()
        finally:
            self.lost = self.lost or "The server closed the connection."
            for _, look in self._looks.values():
                look.cancel()
            for _, _, done in self._waiting:
                if not done.done():
                    done.set_exception(LostError(self.lost))

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        self._tree.take(message)
        if kind == "new_session":
            self._begin(message)
        elif kind == "delta":
            self._draw(message)
        elif kind == "navigation":
            self.page = message.navigation.page_script_hash
            for page in message.navigation.app_pages:
                self.pages[page.url_pathname] = page.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "script_finished":
            self._end(message)

    def _begin(self, message: ForwardMsg) -> None:
        session, parts = message.new_session, tuple(message.metadata.run.fragment_ids)
        self.begun.append((session.page_script_hash, parts))
        self._charted.clear()
        self._drawn.clear()
        if not parts:
            self.page = session.page_script_hash
            self.texts.clear()

    def _draw(self, message: ForwardMsg) -> None:
        place = tuple(message.metadata.delta_path)
        self.texts.pop(place, None)
        if message.delta.WhichOneof("type") != "new_element":
            return
        kind = message.delta.new_element.WhichOneof("type")
        element = getattr(message.delta.new_element, kind)
        identity = getattr(element, "id", "")
        if identity.startswith("$$ID-"):
            key = identity.split("-", 2)[2]
            self.widgets[key] = (identity, message.delta.fragment_id)
            if kind == "slider" and element.value and not self.query_value(key):
                self._defaults.setdefault(key, element.value[0])
        if kind == "bidi_component":
            self._charted.add(message.delta.fragment_id)
            if element.component_name == BOARD:
                reported = json.loads(element.bytes)["answers"].values()
                self.texts[place] = " ".join(
                    sentence for item in reported if item for sentence in item["sentences"]
                )
            if element.component_name == WORK:
                self._begin_to_look(json.loads(element.json), message.delta.fragment_id)
        if kind in TEXTS:
            words = getattr(element, "body", "") or str(element)
            self.texts[place] = f"{EXCEPTION}{words}" if kind == "exception" else words

    def _end(self, message: ForwardMsg) -> None:
        early = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
        self.runs += not early
        ran = message.metadata.run.fragment_ids
        for address, (part, _) in list(self._looks.items()):
            if not early and (not ran or part in ran) and address not in self._drawn:
                self._stop(address)
        for fragment, before, done in list(self._waiting):
            if len(self.begun) == before:
                continue  # this run was under way when the part was asked for
            # a part that was drawn has run, also where the next run was waiting already
            drawn = fragment in self._charted if early else not ran or fragment in ran
            if drawn and (self._is_told(fragment) if fragment else not early):
                self._waiting.remove((fragment, before, done))
                if not done.done():
                    done.set_result(None)

    def _is_told(self, fragment: str) -> bool:
        """Say whether the address has what was set in a part, or leaves it out as the default."""
        return all(
            float(self.query_value(key) or self._defaults.get(key, value)) == value
            for key, value in self.values.items()
            if self.widgets[key][1] == fragment
        )

    def _begin_to_look(self, work: dict[str, Any], fragment: str) -> None:
        address = work["address"]
        self._drawn.add(address)
        self._stop(address)
        look = asyncio.create_task(self._look(address, work["every"], fragment))
        self._looks[address] = fragment, look

    async def _look(self, address: str, every: float, fragment: str) -> None:
        """Ask how far work is until it is over, then for the part of the page that shows it."""
        over = False
        while not over:
            await asyncio.sleep(every)
            with contextlib.suppress(OSError):
                over = await asyncio.to_thread(self._is_over, address)
        with contextlib.suppress(LostError):
            await self._send(fragment)

    def _is_over(self, address: str) -> bool:
        """Say whether the server has no more to say of some work."""
        requested = urllib.request.Request(
            f"{self.server}/{address}", headers={"Cookie": self.cookie}
        )
        with urllib.request.urlopen(requested, timeout=PATIENCE) as answer:
            over = answer.status == HTTPStatus.NO_CONTENT
            content = answer.read()
            if answer.headers["Content-Encoding"] == "gzip":
                content = gzip.decompress(content)
            self.work[address] = "" if over else json.loads(content)["text"]
            return bool(over)

    def _stop(self, address: str) -> None:
        self.work.pop(address, None)
        _, look = self._looks.pop(address, ("", None))
        if look is not None:
            look.cancel()


@contextlib.asynccontextmanager
async def visiting(address: str, cookie: str = "", session: str = "") -> AsyncIterator[Visitor]:
    """Open a page of a dashboard; its script runs when it is loaded.

    Parameters
    ----------
    address : str
        Of the dashboard, such as http://127.0.0.1:8501.
    cookie : str
        What the browser sends as its cookies.
    session : str
        That a page which lost its connection had before.

    Raises
    ------
    LostError
        If there is no connection.
    """
    place = urlsplit(address).netloc
    protocols = ["streamlit", *(["no-token", session] if session else [])]
    try:
        socket = await websockets.connect(
            f"ws://{place}/_stcore/stream",
            subprotocols=[websockets.Subprotocol(item) for item in protocols],
            origin=websockets.Origin(address),
            additional_headers={"Cookie": cookie} if cookie else None,
            max_size=None,
            open_timeout=PATIENCE,
            ping_timeout=PATIENCE,
        )
    except (OSError, websockets.WebSocketException, TimeoutError) as error:
        raise LostError(f"There is no connection to {address}: {error}") from error
    visitor = Visitor(socket, address.rstrip("/"), cookie)
    visitor._reader = asyncio.create_task(visitor._read())
    try:
        yield visitor
    finally:
        await socket.close()
        await visitor._reader
