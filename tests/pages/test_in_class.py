"""The projector view in the address, and the link for the class."""

import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import zxingcpp
from PIL import Image, ImageDraw
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from core.data.spec import DataSpec
from core.scenario import Project, Scenario
from pages.ui.in_class import menu
from pages.ui.style.base import STRONG_DARK, STRONG_LIGHT
from tests.pages.waiting import PATIENCE

pytestmark = pytest.mark.usefixtures("no_lines")

ROOT = Path(__file__).parents[2]
QUICK = {"mech": "watchdog", "eps": "0.5"}

pytestmark = pytest.mark.usefixtures("sweeps")


def opened(page="explore", **query):
    app = AppTest.from_file(ROOT / f"pages/{page}.py", default_timeout=PATIENCE)
    for key, value in query.items():
        app.query_params[key] = value
    return app.run()


def opened_menu(app):
    app.session_state["class_menu"] = True
    return app.run()


def captions_of(app):
    return " ".join(item.value for item in app.caption).replace("\\", "")


def codes(app):
    return [item for item in app.get("html") if '<img class="lsc-qr"' in item.proto.body]


@pytest.fixture
def at_school(monkeypatch):
    """Let the browser's address be one that other machines reach."""
    monkeypatch.setattr(ContextProxy, "url", "https://school.example/liftscope/lift")


def read(svg):
    """Return what a code says: its squares, drawn by the path's own numbers, and read."""
    side = int(re.search(r'viewBox="0 0 (\d+) \1"', svg).group(1))
    picture = Image.new("L", (8 * side, 8 * side), 255)
    pen, (x, y) = ImageDraw.Draw(picture), (0.0, 0.0)
    path = re.search(r'stroke="#000" d="([^"]+)"', svg).group(1)
    for step, numbers in re.findall(r"([Mmh])([^Mmh]*)", path):
        values = [float(item) for item in re.findall(r"-?\d*\.?\d+", numbers)]
        if step == "h":
            pen.rectangle((8 * x, 8 * (y - 0.5), 8 * (x + values[0]) - 1, 8 * (y + 0.5) - 1), 0)
            x += values[0]
        else:
            x, y = values if step == "M" else (x + values[0], y + values[1])
    (result,) = zxingcpp.read_barcodes(picture)
    return result.text


def test_a_link_opens_the_projector_view_at_its_chart_and_a_switch_writes_it():
    app = opened(**QUICK, projector="lifts")
    assert not app.exception
    assert not app.warning
    assert app.session_state["_projector"] == "lifts"
    assert app.query_params["projector"] == "lifts"
    app.slider(key="eps").set_value(0.7).run()
    assert app.query_params["projector"] == "lifts"
    plain = opened_menu(opened(**QUICK))
    assert "projector" not in plain.query_params
    plain.button(key="projector_open").click().run()
    assert plain.query_params["projector"] == menu.FIRST


def test_on_another_page_the_view_goes_on_with_that_page_s_first_chart():
    app = opened(**QUICK, projector="lifts")
    app.session_state[menu._PAGE] = "lift"  # as if that page had been open before
    app.run()
    assert app.query_params["projector"] == menu.FIRST
    assert not app.warning


@pytest.mark.parametrize("name", ["Lifts", "two words", "<b>", "x" * 61])
def test_what_is_no_charts_name_is_told_and_the_first_one_is_shown(name):
    app = opened(**QUICK, projector=name)
    assert not app.exception
    (text,) = (item.value.replace("\\", "") for item in app.warning)
    assert text.startswith("The link has projector=")
    assert text.endswith("which is not the name of a chart; showing the first one.")
    assert app.query_params["projector"] == menu.FIRST


def test_an_address_without_the_view_leaves_it():
    app = opened(**QUICK, projector="lifts")
    del app.query_params["projector"]  # as back does
    app.run()
    assert app.session_state["_projector"] == ""


@pytest.mark.parametrize(
    "page",
    ["lift", "mechanisms", "frontiers", "robust", "confusability", "data", "learn", "papers"],
)
def test_every_page_has_the_menu_and_the_view(page):
    app = opened_menu(opened(page, **QUICK, projector="on"))
    assert not app.exception
    assert app.query_params["projector"] == "on"
    assert "projector_open" in {item.key for item in app.button}


def test_what_the_view_tells_moves_it_opens_the_link_and_leaves(monkeypatch):
    state = {"_projector": "on", menu._PART: {"shown": "mechanism", "request": "link"}}
    monkeypatch.setattr(menu.st, "session_state", state)
    monkeypatch.setattr(menu, "here", lambda: menu.drawn("https://school.example/"))
    menu._moved()
    assert menu.chart() == "mechanism"
    menu._toggle_link()
    assert state[menu._LINK].address == "https://school.example/"
    state[menu._PART] = {"shown": "<script>", "request": "nothing"}
    menu._moved()
    assert menu.chart() == "mechanism"
    menu._toggle_link()
    assert menu._LINK not in state
    menu._left()
    assert menu.chart() == ""


@pytest.mark.usefixtures("at_school")
def test_the_code_holds_the_question_on_screen_and_not_what_is_pinned_or_the_view():
    pinned = Project((Scenario(),), ("first",)).to_query()
    app = opened_menu(opened("lift", **QUICK, projector="on", **pinned))
    (code,) = codes(app)
    text = read(unquote(code.proto.body))
    assert text.startswith("https://school.example/liftscope/lift?")
    assert parse_qs(urlsplit(text).query) == {key: [value] for key, value in QUICK.items()}
    assert "It opens this page" in captions_of(app)
    assert "other machines" not in captions_of(app)


@pytest.mark.usefixtures("at_school")
def test_the_link_to_compare_holds_its_columns():
    project = Project((Scenario(notion="lip", mechanism="watchdog"),), ("a",))
    app = opened_menu(opened("compare", **project.to_query()))
    (code,) = codes(app)
    query = parse_qs(urlsplit(read(unquote(code.proto.body))).query)
    assert Project.from_query(query)[0] == project


@pytest.mark.parametrize("page", ["explore", "compare"])
def test_own_data_is_in_no_link_and_one_sentence_says_so(page):
    own = Scenario(data=DataSpec("matrix:abc", (), ()), mechanism="watchdog")
    query = Project((own,), ("own",)).to_query() if page == "compare" else {}
    app = opened_menu(
        opened(page, **({"data": "matrix:abc"} if page == "explore" else {}), **query)
    )
    assert not codes(app)
    assert (menu.OWN_COLUMNS if page == "compare" else menu.OWN_DATA) in captions_of(app)


def test_a_link_on_this_machine_and_one_that_is_too_long_are_told():
    for host in ("127.0.0.1", "localhost", "[::1]", "app.localhost"):
        assert "other machines cannot reach" in menu.drawn(f"http://{host}:8501/").note
    for host in ("192.168.1.20", "school.example", "[fd00::1]"):
        assert not menu.drawn(f"http://{host}:8501/").note
    longest = menu.drawn("https://school.example/?" + "a" * 3_000)
    assert longest.code == ""
    assert longest.note == menu.TOO_LONG.format(3_024)


@pytest.mark.parametrize("letters", [1, 60, 300, 1_500])
def test_codes_of_every_length_read_as_the_link(letters):
    address = "https://school.example/?s=" + ("é%20=&Σ" * letters)[:letters]
    assert read(menu.drawn(address).code) == address


@pytest.mark.parametrize("palette", [STRONG_LIGHT, STRONG_DARK])
def test_text_and_lines_of_the_view_stand_out(palette):
    def light(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for role in ("ink", "muted", "rule", "after", "before", "green", "purple", "gold"):
        high, low = sorted((light(palette[role]), light(palette["paper"])), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 7, role
