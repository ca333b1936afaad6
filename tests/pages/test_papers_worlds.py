"""The worlds of the errata on the Papers page: what they draw and say, and how links name them."""

import math
import re

import pytest

from core.papers import merging_worlds
from core.papers.worlds import SETTINGS, WORLDS
from core.papers.worlds import world as find_world
from pages.ui.papers import query, worlds
from tests.pages.test_papers import ERR, RUN, opened, tables, text


@pytest.fixture
def ships(monkeypatch):
    monkeypatch.setattr(query, "full_run", lambda: RUN)


@pytest.mark.usefixtures("ships")
def test_the_errata_begin_with_the_first_world_and_list_every_claim_that_is_one():
    app = opened(show="errata", secrets="2")
    assert not app.exception
    assert app.title[0].value.replace("\\", "") == "Error in the paper: [Lift] Proposition 1(2)"
    for sentence in merging_worlds.of_proposition(merging_worlds.proposition(2, 0.05)):
        assert sentence in text(app)
    assert tables(app)[0]["claim"].tolist() == [ERR.claim]
    assert tables(app)[0]["place"].tolist() == ["[Lift] Algorithm 1"]
    app.slider(key="papers_secrets").set_value(5.0).run()
    assert "above the paper's bound of 0.119" in text(app)
    assert "secrets" not in app.query_params
    app.slider(key="papers_excluded").set_value(0.5).run()
    assert app.query_params["excluded"] == "0.5"
    app.radio(key="papers_world").set_value("theorem").run()
    assert app.query_params["world"] == "theorem"
    assert "excluded" not in app.query_params
    assert "Together they reach 1.61" in text(app)
    app.slider(key="papers_told_b").set_value(0.5).run()
    assert "which holds here" in text(app)
    app.radio(key="papers_world").set_value("proposition").run()
    assert app.slider(key="papers_excluded").value == 0.5  # a world keeps its numbers meanwhile
    assert "world" not in app.query_params


@pytest.fixture
def drawn(monkeypatch):
    """Keep what the worlds draw: key → (figure, subtitle, alt)."""
    kept = {}
    monkeypatch.setattr(
        worlds,
        "still",
        lambda figure, **more: kept.update({more["key"]: (figure, more["subtitle"], more["alt"])}),
    )
    return kept


def show_world(key, **changes):
    values = {name: item.default for name, item in SETTINGS.items()} | changes
    worlds.show(find_world(key), values)
    return values


def test_a_level_without_bound_stands_at_the_mark_of_infinity(drawn):
    show_world("theorem", parity=1.0)
    figure, subtitle, alt = drawn["papers_theorem"]
    up = figure["layout"]["yaxis"]
    x, y = figure["layout"]["meta"]["now"]
    assert x == 1.0
    assert dict(zip(up["ticktext"], up["tickvals"], strict=True))["∞"] == pytest.approx(y, rel=1e-4)
    numbers = [
        place
        for place, message in zip(up["tickvals"], up["ticktext"], strict=True)
        if message != "∞"
    ]
    assert max(numbers) < 0.9 * y < y < up["range"][1]
    assert "at ∞" in subtitle
    assert "reach ∞ nats" in alt
    show_world("theorem", parity=0.9)
    figure, subtitle, _ = drawn["papers_theorem"]
    assert figure["layout"]["meta"]["now"] == pytest.approx([1.0, math.log(5)], rel=1e-4)
    assert "∞" not in figure["layout"]["yaxis"]["ticktext"]
    assert "∞" not in subtitle


@pytest.mark.parametrize("records", [30.0, 100.0, 100_000.0])
def test_the_error_of_example_2_is_seen_and_read_however_small_it_is(drawn, records):
    values = show_world("bounds", records=records)
    item = find_world("bounds")
    result = item.make(*item.numbers(values))
    figure, _, alt = drawn["papers_bounds_apart"]
    y, top = figure["layout"]["meta"]["now"][1], figure["layout"]["yaxis"]["range"][1]
    assert y == pytest.approx(result.printed - result.right, rel=1e-3)
    assert y > 0.1 * top  # at the share that the world begins with
    assert "By 0.0000%" not in alt
    print_, ours = (
        re.search(r"(?:at least|at) ([\d.]+)%[.:]", message)[1]
        for message in item.words(result)[:2]
    )
    assert print_ != ours
    assert re.search(rf"by Example 2's Bₛ {print_}%", drawn["papers_bounds"][2])


def test_a_link_with_a_number_of_a_world_opens_that_world():
    app = opened(show="errata", told_b="0.5")
    assert "which holds here" in text(app)
    assert app.radio(key="papers_world").value == "theorem"
    app = opened(show="errata", world="alchemy")
    assert "world=alchemy, which is not known" in app.warning[0].value.replace("\\", "")
    assert app.radio(key="papers_world").value == WORLDS[0].key


@pytest.mark.parametrize("entry", WORLDS, ids=lambda item: item.key)
@pytest.mark.parametrize("which", ["default", "low", "high"])
def test_each_world_says_what_its_numbers_show_at_the_ends_of_its_sliders(entry, which):
    values = {}
    for key in entry.settings:
        setting = SETTINGS[key]
        ends = setting.choices or (setting.low, setting.high)
        values[key] = {"default": setting.default, "low": ends[0], "high": ends[-1]}[which]
    app = opened(show="errata", world=entry.key, **{key: repr(at) for key, at in values.items()})
    assert not app.exception
    assert not app.warning
    message = text(app).replace("\N{WORD JOINER}", "")
    for sentence in (entry.statement, *entry.words(entry.make(*entry.numbers(values)))):
        assert sentence in message
    assert app.get("link_button")[0].proto.url == entry.opens(values).link


@pytest.mark.usefixtures("ships")
def test_a_number_that_is_moved_just_before_another_statement_is_chosen_is_kept():
    app = opened(show="errata")
    app.slider(key="papers_secrets").set_value(4.0)
    app.radio(key="papers_world").set_value("theorem").run()  # both reach the server at once
    assert app.query_params["world"] == "theorem"
    app.radio(key="papers_world").set_value("proposition").run()
    assert app.slider(key="papers_secrets").value == 4.0
    assert app.query_params["secrets"] == "4"


@pytest.mark.usefixtures("ships")
def test_a_condition_that_is_stricter_than_needed_is_not_called_an_error():
    assert [item.key for item in WORLDS if not item.wrong] == ["rows"]
    app = opened(show="errata", world="rows")
    assert app.title[0].value.replace("\\", "") == "Stricter than necessary: [RLDP] Definition 3"
    assert "Enough: " in text(app)
    assert "What holds: " not in text(app)
