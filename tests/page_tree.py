"""What stands where on an open page, as Streamlit's script in a browser keeps it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

ROOTS = 4
"""Blocks that each page has: the main part, the sidebar, events and the bottom."""

WHOLE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
"""Ends of runs after which what they have not drawn is removed."""


class MisplacedError(Exception):
    """A message for a place that is not there: a browser shows an error for good."""


@dataclass
class _Node:
    run: int
    fragment: str = ""
    script: str = ""
    children: list[_Node] | None = None
    """None for an element."""


def _roots() -> list[_Node]:
    return [_Node(0, children=[]) for _ in range(ROOTS)]


@dataclass
class PageTree:
    """The blocks and elements of a page; give it each message in turn."""

    _roots: list[_Node] = field(default_factory=_roots)
    _run: int = 0
    _page: str = ""

    def take(self, message: ForwardMsg) -> None:
        """Take a message, as a browser does.

        Raises
        ------
        MisplacedError
            Where a browser would show an error and take no further message.
        """
        kind = message.WhichOneof("type")
        if message.metadata.cacheable or kind == "ref_hash":
            raise MisplacedError("A message counts on a browser's memory, which may have lost it.")
        if kind == "new_session":
            self._run += 1
            began = message.new_session
            if began.page_script_hash != self._page:
                self._leave(self._roots, began.main_script_hash)
            if not message.metadata.run.fragment_ids:
                self._page = began.page_script_hash
        elif kind == "navigation":  # a first run learns late which page it is
            self._page = message.navigation.page_script_hash
        elif kind == "delta":
            self._set(message)
        elif kind == "script_finished" and message.script_finished in WHOLE:
            fragments = list(message.metadata.run.fragment_ids)
            kept = [self._fresh(root, fragments, "") for root in self._roots]
            self._roots = [_Node(self._run, children=[]) if item is None else item for item in kept]

    def take_all(self, messages: Iterable[ForwardMsg]) -> None:
        """Take messages in their order."""
        for message in messages:
            self.take(message)

    def _leave(self, nodes: list[_Node], script: str) -> None:
        for node in nodes:
            if node.children is not None:
                node.children = [item for item in node.children if item.script == script]
                self._leave(node.children, script)

    def _set(self, message: ForwardMsg) -> None:
        place, delta = list(message.metadata.delta_path), message.delta
        around = _Node(self._run, children=self._roots)
        for depth, index in enumerate(place[:-1]):
            inside = around.children
            if inside is None or index >= len(inside):
                what = "an element" if inside is None else f"no child {index}"
                raise MisplacedError(f"A message is for {place}: at {place[:depth]} is {what}.")
            around = inside[index]
            around.run = self._run
        inside, index = around.children, place[-1]
        if inside is None or index > len(inside):
            what = "an element" if inside is None else f"a block of {len(inside)}"
            raise MisplacedError(f"A message is for {place}: at {place[:-1]} is {what}.")
        old = inside[index] if index < len(inside) else None
        kind = delta.WhichOneof("type")
        if kind == "new_transient" and old is not None:
            return  # it is shown before what stands there
        node = _Node(self._run, delta.fragment_id, message.metadata.active_script_hash)
        if kind == "add_block":
            node.children = old.children if old is not None and old.children is not None else []
        inside[index : index + 1] = [node]

    def _fresh(self, node: _Node, fragments: Sequence[str], of: str) -> _Node | None:
        """Return a node without what the last run has not drawn; None if that is all of it.

        A run of fragments removes what stands in their own blocks alone, named by `of`.
        """
        new = node.run == self._run
        if node.children is None:
            kept = bool(fragments) and not (node.fragment and of)
            return node if new or kept else None
        if not new and (of or not fragments):
            return None
        if new and node.fragment in fragments:
            of = node.fragment
        kept_children = [self._fresh(item, fragments, of) for item in node.children]
        node.children = [item for item in kept_children if item is not None]
        return node
