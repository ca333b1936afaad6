"""What a process must have in common with another one to compute the same bits."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from core.records.certificate import code_hash

PACKAGES = ("numpy", "scipy", "highspy", "pycddlib-standalone", "pycddlib", "networkx")
"""Packages whose versions decide about the last digits of results."""


def identity() -> dict[str, str]:
    """Return the hash of this code and the versions that it computes with, by name.

    Examples
    --------
    >>> sorted(identity())[:4]
    ['highspy', 'liftscope', 'networkx', 'numpy']
    """
    return {
        "liftscope": code_hash(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: _version(name) for name in PACKAGES},
    }


def difference(theirs: Mapping[str, str], ours: Mapping[str, str]) -> str:
    """Return how another process differs, as the end of a sentence; "" where it does not.

    Examples
    --------
    >>> difference({"numpy": "1"}, {"numpy": "2"}), difference({"numpy": "2"}, {"numpy": "2"})
    ('numpy 1 instead of 2', '')
    """
    for name, own in ours.items():
        found = theirs.get(name, "")
        if found == own:
            continue
        if name == "liftscope":
            return f"another version of liftscope (code {found[:8] or 'unknown'}, not {own[:8]})"
        return f"{name} {found or 'missing'} instead of {own or 'none'}"
    return ""


@cache  # to look it up takes half a millisecond, and workers are asked with every chunk
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
