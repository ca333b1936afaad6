"""Programs that browsers load once, from an address of their own."""

import asyncio
import re
from pathlib import Path

import plotly
import pytest
from starlette.requests import Request

from pages.ui.chart import component
from pages.ui.serving import programs


def load(path):
    name = path.removeprefix("/program/")
    return asyncio.run(programs.send(Request({"type": "http", "path_params": {"name": name}})))


def address(script):
    (result,) = re.findall(r'"(program/\w+\.js)"', script)
    return "/" + result


def test_a_program_is_loaded_from_its_own_address_and_kept():
    source = "export default function () { return 'ε'; }"
    answer = load(address(programs.publish(source)))
    assert answer.body.decode() == source
    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]


def test_another_program_has_another_address():
    item, two = (programs.publish(f"export default {number};") for number in (1, 2))
    assert address(item) != address(two)
    assert programs.publish("export default 1;") == item


@pytest.mark.parametrize("name", ["0123456789abcdef.js", "../app.py", "x"])
def test_what_is_no_program_is_not_found(name):
    assert load(f"/program/{name}").status_code == 404


def test_a_chart_is_sent_without_its_program():
    script = programs.publish(component._program())
    assert len(script) < 300
    whole = load(address(script)).body.decode()
    assert "export default function" in whole
    assert r".lsc-frame {\n  position: relative;" in whole
    assert not re.findall(r"__[A-Z]+__", whole)


WHOLE = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
"""Plotly as its package ships it, with every kind of trace."""


def version(program):
    """Return which version of Plotly a program of charts says that it is."""
    return re.search(r"\* plotly\.js .*?v([\d.]+)\n", program.read_text("utf-8")[:300])[1]


def kinds(program):
    """Return the kinds of traces that a program of charts draws."""
    return set(re.findall(r'moduleType:"trace",name:"(\w+)"', program.read_text("utf-8")))


def test_charts_are_drawn_by_the_plotly_that_their_tests_ask():
    assert version(programs.PLOTLY_FILE) == version(WHOLE)
    assert load(f"/{programs.PLOTLY}").body == programs.PLOTLY_FILE.read_bytes()


def test_the_program_of_charts_draws_every_kind_that_a_page_shows():
    written = "".join(file.read_text("utf-8") for file in Path("pages").rglob("*.py"))
    shown = kinds(WHOLE) & set(re.findall(r'"type": "(\w+)"', written))
    assert {"bar", "box", "heatmap", "scatter"} <= shown <= kinds(programs.PLOTLY_FILE)
