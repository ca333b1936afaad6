"""A file dropped anywhere on the page, outside the places that take files themselves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.scenario.project import LONGEST_TEXT

MOST_BYTES = 4 * LONGEST_TEXT
"""Bytes from which a file is too large to be a project: a character has four at most."""

KEY = "project_drop"

_SCRIPT = """
export default function ({ parentElement, data, setTriggerValue }) {
  const cover = parentElement.querySelector(".lsc-drop");
  const most = Number(data);
  cover.stop?.();  // this runs again at each update
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const isTaken = (event) =>
    event.target instanceof Element
    && event.target.closest("[data-testid=stFileUploaderDropzone]") !== null;
  const over = (event) => {
    if (!hasFiles(event)) return;
    cover.hidden = isTaken(event);
    if (!cover.hidden) event.preventDefault();
  };
  const leave = (event) => {
    if (event.relatedTarget === null) cover.hidden = true;
  };
  const drop = async (event) => {
    cover.hidden = true;
    const file = event.dataTransfer?.files?.[0];
    if (!file || isTaken(event)) return;
    event.preventDefault();
    const bytes = file.size > most ? new Uint8Array() : new Uint8Array(await file.arrayBuffer());
    let text = null;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // not text: the page says so
    }
    setTriggerValue("dropped", { name: file.name, size: file.size, text });
  };
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", leave);
  document.addEventListener("drop", drop);
  cover.stop = () => {
    document.removeEventListener("dragover", over);
    document.removeEventListener("dragleave", leave);
    document.removeEventListener("drop", drop);
  };
  cover.dataset.ready = "yes";
  return cover.stop;
}
"""

_STYLE = """
.st-key-drop_area { position: absolute; }
.lsc-drop {
  position: fixed; inset: 0; z-index: 999999; pointer-events: none;
  display: flex; align-items: center; justify-content: center;
  border: 4px dashed var(--st-primary-color); font-size: 1.4rem; font-weight: 600;
  color: var(--st-text-color);
  background: color-mix(in srgb, var(--st-background-color) 80%, transparent);
}
.lsc-drop[hidden] { display: none; }
"""

_COMPONENT = st.components.v2.component(
    "liftscope_drop",
    html='<div class="lsc-drop" hidden>Drop the project (JSON) to open it</div>',
    js=_SCRIPT,
    css=_STYLE,
    isolate_styles=False,
)


@dataclass(frozen=True)
class Dropped:
    """A dropped file; its `text` is None where it is no UTF-8, "" where it is too large."""

    name: str
    size: int
    text: str | None


def area(on_drop: Callable[[], None]) -> None:
    """Take files dropped on the page: calls `on_drop`, and `dropped` returns the file."""
    with st.container(key="drop_area"):
        _COMPONENT(data=str(MOST_BYTES), key=KEY, on_dropped_change=on_drop)


def dropped() -> Dropped | None:
    """Return the file that was dropped last; None where what the page sent is none."""
    sent = _sent()
    if not isinstance(sent, dict):
        return None
    name, size, text = (sent.get(part) for part in ("name", "size", "text"))
    if not isinstance(name, str) or not isinstance(size, int | float) or not math.isfinite(size):
        return None
    return Dropped(name, int(size), text.removeprefix("\ufeff") if isinstance(text, str) else None)


def _sent() -> object:
    return (st.session_state.get(KEY) or {}).get("dropped")
