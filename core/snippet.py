"""A scenario as a runnable program on `core`, for those who go on in a notebook."""

from __future__ import annotations

from dataclasses import fields

from core.mechanisms import catalogue as mechanism_catalogue
from core.scenario import Scenario


def snippet(scenario: Scenario) -> str:
    """Return Python source that answers a scenario with `core` and prints what it found.

    Parameters
    ----------
    scenario : Scenario
        The question. Where it is about an upload, the program names the file to fill in.

    Examples
    --------
    >>> print(snippet(Scenario(notion="lip", eps=0.5, mechanism="watchdog")))
    from core import mechanisms as m
    ...
    """
    entry = mechanism_catalogue.entry(scenario.mechanism)
    notion = scenario.build_notion()
    upload = scenario.data.source.startswith(("upload:", "matrix:"))
    lines = [
        "from math import inf",
        "",
        "from core import mechanisms as m",
        "from core.data import count, open_source" if upload else "from core.data import count",
        "from core.data.spec import Binning, DataSpec",
        f"from core.notions import {type(notion).__name__}",
        "",
    ]
    if upload:
        lines += ['sources = open_source("PATH OF YOUR FILE")', ""]
    lines += [
        f"data = {_call('DataSpec', scenario)}",
        f"joint = count(data{', sources' if upload else ''}).joint",
        f"notion = {notion!r}",
        f"mechanism = {entry.code}",
        'print(f"I(X;Y) {mechanism.utility:.6f} nats, NMI {mechanism.nmi:.6f}")',
        'print(f"achieved {notion.achieved(joint, mechanism.kernel):.6f}")',
    ]
    return "\n".join(lines) + "\n"


def _call(name: str, scenario: Scenario) -> str:
    """Write the data as a call that names only what differs from the default."""
    data = scenario.data
    plain = type(data)()
    parts = [
        f"{item.name}={getattr(data, item.name)!r}"
        for item in fields(data)
        if item.name in ("source", "secret", "released")
        or getattr(data, item.name) != getattr(plain, item.name)
    ]
    return f"{name}({', '.join(parts)})"
