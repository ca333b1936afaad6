"""Every figure, symbol and acronym has its explanation, from the glossary, on hover and by Tab."""

import ast
import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.learning import LESSONS
from core.measures import catalogue as measures
from core.mechanisms import catalogue as mechanisms
from core.nonstochastic import catalogue as ranges
from core.notions import catalogue as notions
from core.scenario import DOMAINS
from pages.ui.figures.implications import implications
from pages.ui.learn.pictures import BELIEFS
from pages.ui.parts import tables
from pages.ui.style import glossary
from tests.pages import sent
from tests.pages.waiting import PATIENCE, finished

pytestmark = pytest.mark.usefixtures("no_lines")

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "pages").rglob("*.py"))

LEFT = re.compile(
    r"[\u0391-\u03c9\u2113\u0302]"  # a Greek letter, ℓ or a hat
    r"|(?<![\w.])[A-Z]{2,}(?![a-z])"  # an acronym
    r"|(?<![\w'’.…-])[B-HJ-Zb-z](?![\w'’.])"  # a letter by itself, other than “a” and “I”
)
"""A symbol or an acronym, told without the glossary."""


def unexplained(text):
    """Return the symbols and acronyms of a text that the glossary does not explain."""
    plain = text.replace("\\", "").replace("**", "")
    message = glossary.terms_in([plain])
    signs = [sign for sign, term in glossary.signs().items() if term in message]
    for sign in sorted(signs, key=len, reverse=True):
        plain = re.sub(rf"(?<!\w){re.escape(sign)}(?![\w*\u0302])", " ", plain)
    return LEFT.findall(plain)


def test_what_is_not_explained_is_found():
    assert unexplained("ε and LIP, I(X;Y) in nats") == []
    assert unexplained("the QQP of ζ, X̃ and G") == ["QQP", "ζ", "G"]


def titles():
    for entry in notions.ALL:
        yield from (entry.title, entry.level_title)
    for entry in (*mechanisms.CATALOGUE.values(), *measures.ENTRIES, *ranges.CATALOGUE):
        yield entry.title
    for domain in DOMAINS.values():
        yield from (domain.title, domain.of_average, domain.of_set)


def test_every_name_in_the_catalogues_is_explained():
    named = [title for title in titles() if title]
    assert len(named) > 60
    assert {title: left for title in named if (left := unexplained(title))} == {}


def test_key_figures_are_shown_by_one_function_that_asks_for_their_meaning():
    calls = {
        path.relative_to(ROOT).as_posix()
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "metric"
    }
    assert calls == {"pages/ui/parts/key_figures.py"}


QUESTIONS = {
    "explore": {},
    "compare": {},
    "lift": {},
    "mechanisms": {"x": "race"},
    "frontiers": {"notion": "lip", "by": "watchdog", "steps": "2", "across": "level_lip"},
    "robust": {"x": "race", "n": "300"},
    "confusability": {},
    "data": {},
    "learn": {},
    "papers": {"show": "errata"},
    "papers run": {"show": "lift_1"},
}
QUESTIONS |= {f"learn {item.key}": {"topic": item.key} for item in LESSONS[1:]}
KEYED = r'key="(\w+)"'

OPEN = sorted(
    f"{key}_{menu}"
    for menu in ("table", "more")
    for key in (
        BELIEFS,
        *(name for path in SOURCES for name in re.findall(KEYED, path.read_text(encoding="utf-8"))),
    )
)
"""Keys of the tables behind charts, and some that are none."""


@pytest.fixture(scope="module", params=QUESTIONS)
def app(request):
    app = AppTest.from_file(
        ROOT / "pages" / f"{request.param.split()[0]}.py", default_timeout=PATIENCE
    )
    for name, value in QUESTIONS[request.param].items():
        app.query_params[name] = value
    for key in OPEN:
        app.session_state[key] = True
    app.run()
    if request.param == "frontiers":  # which has a chart once a sweep has ended
        if start := [item for item in app.button if item.key == "sweep_start"]:
            start[0].click().run()
        finished(app, lambda: app.session_state["_frontiers_desk"].work is None)
    return app


def test_every_key_figure_is_explained(app):
    meanings = {term.meaning for term in glossary.terms().values()}
    for metric in sent.key_figures(app):
        assert metric.help.split("\n")[0] in meanings, metric.label
        assert unexplained(metric.label) == []
        for term in glossary.terms_in([metric.label]):
            text = glossary.explanation(term.title).split(": ", 1)[1]
            assert term.meaning in metric.help or text in metric.help


def test_every_title_is_explained_beside_it(app):
    seen = 0
    for text in app.markdown:
        if not re.fullmatch(r"\*\*[^*]+\*\*", text.value):
            continue
        seen += 1
        assert unexplained(text.value) == []
        for term in glossary.terms_in([text.value]):
            assert glossary.explanation(term.title) in text.proto.help, text.value
    assert seen


def test_every_chart_carries_what_its_texts_mean(app):
    messages = sent.charts(app).values()
    assert messages
    for message in messages:
        layout = json.loads(message["layout"])
        axes = [part["title"]["text"] for name, part in layout.items() if name[1:5] == "axis"]
        terms = dict(message["terms"])
        for text in (message["title"], *axes):
            assert unexplained(text) == [], text
            for term in glossary.terms_in([text]):
                assert terms[term.title] == term.meaning
                assert text == message["title"] or term.meaning in message["hints"][text]


def test_every_head_of_a_table_is_explained(app):
    assert len(app.dataframe) + len(app.table)
    below = [item.proto.help for item in app.caption]
    for table in app.table:  # of sentences: their heads are explained below
        text = glossary.explanation(*[tables._spelled(str(name)) for name in table.value.columns])
        assert not text or text in below
    for table in app.dataframe:
        settings = json.loads(table.proto.columns or "{}")
        for name in map(str, table.value.columns):
            terms = glossary.terms_in([tables._spelled(name)])
            for term in terms:
                assert glossary.explanation(term.title) in settings[name]["help"], name


def test_what_a_promise_implies_is_explained_box_by_box():
    figure = implications("ALIP", [])
    assert figure["layout"]["meta"] == {"explained": True, "projected": {"one_line": True}}
