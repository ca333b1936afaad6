"""A button that copies a link (the page's address, which holds the question) or another text."""

from __future__ import annotations

import streamlit as st

_SCRIPT = """
export default function ({ data, parentElement }) {
  const text = () => data.text || location.href;
  const button = parentElement.querySelector("button");
  const report = (message) => {
    button.textContent = message;
    setTimeout(() => { button.textContent = data.label; }, 2000);
  };
  button.textContent = data.label;
  // A page that is neither local nor served over https has no clipboard API: copy by a command.
  const old = () => {
    const field = document.createElement("textarea");
    field.value = text();
    parentElement.appendChild(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text());
      report("Copied");
    } catch {
      report(old() ? "Copied" : data.failed);
    }
  };
}
"""

_STYLE = """
.lsc-copy {
  width: 100%; padding: 0.45rem 0.75rem; cursor: pointer; font: inherit; font-size: 0.875rem;
  color: var(--st-text-color); background: transparent;
  border: 1px solid var(--st-border-color); border-radius: 0.5rem;
}
.lsc-copy:empty { visibility: hidden; }  /* until its script gives it a name */
.lsc-copy:hover, .lsc-copy:focus-visible {
  color: var(--st-primary-color); border-color: var(--st-primary-color);
}
.lsc-copy:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
"""

_COMPONENT = st.components.v2.component(
    "liftscope_copy_link",
    html='<button type="button" class="lsc-copy" aria-live="polite"></button>',
    js=_SCRIPT,
    css=_STYLE,
    isolate_styles=False,
)


def button(key: str, link: str = "") -> None:
    """Show the button that copies a link, the page's address where none is given."""
    _show(key, link, "Copy link", "Copy it from the address bar")


def of_table(key: str, text: str) -> None:
    _show(key, text, "Copy table", "The browser does not allow it")


def _show(key: str, text: str, label: str, failed: str) -> None:
    _COMPONENT(key=key, data={"text": text, "label": label, "failed": failed})
