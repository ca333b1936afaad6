"""A button that copies a link: the page's address, which holds the question, or another."""

from __future__ import annotations

import streamlit as st

_SCRIPT = """
export default function ({ data, parentElement }) {
  const link = () => data || location.href;
  const button = parentElement.querySelector("button");
  const told = (text) => {
    button.textContent = text;
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
  };
  // A page that is neither local nor served over https has no clipboard API: copy by a command.
  const old = () => {
    const text = document.createElement("textarea");
    text.value = link();
    parentElement.appendChild(text);
    text.select();
    const done = document.execCommand("copy");
    text.remove();
    return done;
  };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(link());
      told("Copied");
    } catch {
      told(old() ? "Copied" : "Copy it from the address bar");
    }
  };
}
"""

_STYLE = """
.lsc-copy {
  width: 100%; padding: 0.45rem 0.75rem; cursor: pointer; font: inherit; font-size: 1rem;
  color: var(--st-text-color); background: transparent;
  border: 1px solid var(--st-border-color); border-radius: 0.5rem;
}
.lsc-copy:hover, .lsc-copy:focus-visible {
  color: var(--st-primary-color); border-color: var(--st-primary-color);
}
.lsc-copy:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
"""

_COMPONENT = st.components.v2.component(
    "liftscope_copy_link",
    html='<button type="button" class="lsc-copy" aria-live="polite">Copy link</button>',
    js=_SCRIPT,
    css=_STYLE,
    isolate_styles=False,
)


def button(key: str, link: str = "") -> None:
    """Show the button."""
    _COMPONENT(key=key, data=link)
