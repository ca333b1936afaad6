"""A link that opens the question on screen elsewhere, and its QR code, drawn here."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st
from segno.encoder import DataOverflowError

from core.scenario.project import FILE, KEY
from pages.ui.frame import address, pins, state
from pages.ui.work.store import is_private

QUIET = 4
"""Modules of white around a code, as readers need them."""

OWN_DATA = (
    "The data on screen is a file or a matrix of this session, which a link cannot hold: give the "
    "class the file, or ask about a bundled data set."
)
"""What stands in place of the code where the data is the session's own."""

OWN_COLUMNS = (
    "A column asks about a file or a matrix of this session, which a link cannot hold: give the "
    "class the project and the file, or remove that column."
)
"""The same where a column of Compare asks about such data."""

TOO_LONG = "The link has {:,} letters, which is more than a QR code holds: copy it instead."
"""What stands in place of the code where the link is too long."""

THIS_MACHINE = (
    "{} is an address that other machines do not reach: open this page by the address that the "
    "class uses, and the code will hold that one."
)
"""What is said of a link that opens on this machine alone."""


@dataclass(frozen=True)
class Link:
    """A link for the class.

    Attributes
    ----------
    address : str
        The whole link; empty where there is none.
    code : str
        Its QR code as SVG, black on white; empty where there is none.
    said : str
        Why there is no link or no code, or what is to be known of it; may be empty.
    """

    address: str = ""
    code: str = ""
    said: str = ""


def here(*, projected: bool = False) -> Link:
    """Return the link to what is on screen.

    Parameters
    ----------
    projected : bool
        Whether it opens in the projector view, as here.
    """
    of_columns = address.page() == "compare"
    columns = pins.now() if of_columns else None
    asked = [state.scenario()] if columns is None else columns.scenarios
    if any(is_private(one.data) for one in asked):
        return Link(said=OWN_DATA if columns is None else OWN_COLUMNS)
    left_out = {*([] if of_columns else (KEY, FILE)), *([] if projected else ("projector",))}
    query = [
        (key, value)
        for key, values in address.whole().items()
        if key not in left_out
        for value in values
    ]
    place = urlsplit(st.context.url or "")._replace(query=urlencode(query), fragment="")
    return drawn(place._replace(path=place.path or "/").geturl())


def drawn(address: str) -> Link:
    """Return a link with its code.

    Examples
    --------
    >>> link = drawn("https://example.org/lift?eps=0.5")
    >>> link.code.startswith("<svg"), link.said
    (True, '')
    >>> drawn("http://localhost:8501/").said[:45]
    'localhost is an address that other machines d'
    >>> drawn("https://example.org/?" + "a" * 3000).code
    ''
    """
    try:
        code = segno.make(address, error="m", micro=False)
    except DataOverflowError:
        return Link(address, said=TOO_LONG.format(len(address)))
    out = BytesIO()
    code.save(out, "svg", xmldecl=False, nl=False, omitsize=True, border=QUIET, light="#fff")
    host = urlsplit(address).hostname or ""
    return Link(
        address,
        out.getvalue().decode(),
        THIS_MACHINE.format(host) if _is_this_machine(host) else "",
    )


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name
        return host == "localhost" or host.endswith(".localhost")
