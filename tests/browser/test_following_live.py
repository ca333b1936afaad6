"""Pages follow a slider while its button is down, by frames of the server."""

import re
from dataclasses import replace

import pytest

from core.scenario import Project
from pages.ui.frame import pickers
from pages.ui.serving import programs
from tests.browser import test_compare_live as columns
from tests.browser import waiting

QUICK = "?mech=subset_merging"
CHARTS = ("frontier", "lifts", "mechanism", "confusability_before", "confusability_after")

SHOWN = """
() => {
  const answer = document.querySelector("[data-lsc-live]")
    || document.querySelector(".st-key-answer");
  const all = (one) => [...answer.querySelectorAll(one)].map(e => e.innerText.trim());
  const data = key => document.querySelector(`.st-key-${key} .lsc-plot`).data
    .map(({ x, y, z, customdata }) => ({ x, y, z, customdata }));
  return {
    sentences: answer.querySelector(".st-key-finding p").firstChild.textContent.trim(),
    figures: all(".st-key-strip [data-testid=stMetricValue]"),
    ring: document.querySelector(".st-key-frontier .lsc-ring").dataset.now,
    bars: data("lifts"),
    kernel: data("mechanism"),
    graph: data("confusability_after"),
  };
}
"""
FOLLOWS = """
label => {
  const copy = document.querySelector("[data-lsc-live]");
  const drawn = [...document.querySelectorAll(".st-key-board_charts .lsc-plot")]
    .every(one => one.dataset.requested === one.dataset.drawn);
  return copy && copy.dataset.place === label && !copy.hasAttribute("data-lsc-working") && drawn;
}
"""


def settle(page):
    waiting.settle(page, CHARTS, busy=["Computing"])


def dragged(page, key):
    """Drag a slider to three places, its button down; return the last label and what is shown."""
    slider = page.locator(f".st-key-{key} input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    labels = []
    for step in (10, 20, 30):
        page.mouse.move(x + step, y)
        label = slider.get_attribute("aria-valuetext")
        page.wait_for_function(FOLLOWS, arg=label)
        labels.append(label)
    assert len(set(labels)) > 1
    return label, page.evaluate(SHOWN)


def released(page, key):
    """Let the slider go; return what is shown once the server has drawn it."""
    page.mouse.up()
    page.wait_for_url(re.compile(rf"[?&]{key}="))
    settle(page)
    page.wait_for_function("!document.querySelector('[data-lsc-live]')")
    return page.evaluate(SHOWN)


def test_while_the_button_is_down_the_board_shows_the_place_under_it(visit):
    page = visit(QUICK)
    settle(page)
    before = page.evaluate(SHOWN)
    label, under = dragged(page, "eps")
    # of the sidebar: the field beside the slider, and what the promise says in numbers
    for old in (".st-key-row_eps .stNumberInput", f".st-key-{pickers.PROMISED}"):
        assert page.locator(old).get_attribute("data-lsc-behind") is not None
    assert "eps=" not in page.url
    assert under["ring"] != before["ring"]
    assert under["bars"] != before["bars"]
    kernel = under["kernel"][0]
    assert kernel["customdata"][1][0] == ["Adm-clerical", kernel["customdata"][0][0][1]]
    assert released(page, "eps") == under
    other = visit(f"{QUICK}&eps={label}")
    settle(other)
    assert other.evaluate(SHOWN) == under


ROOM = """
() => ({
  notes: document.querySelectorAll(".st-key-board .st-key-finding p").length - 1,
  charts: [...document.querySelectorAll(".st-key-board_charts .lsc-plot")]
    .map(one => one.offsetHeight),
})
"""


def test_charts_keep_their_size_while_a_note_comes_and_goes(visit):
    page = visit(QUICK)
    settle(page)
    slider = page.locator(".st-key-eps input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    rooms = []
    for step in (*range(4, 70, 6), *range(64, 0, -6)):
        page.mouse.move(x + step, y)
        page.wait_for_function(FOLLOWS, arg=slider.get_attribute("aria-valuetext"))
        rooms.append(page.evaluate(ROOM))
    page.mouse.up()
    assert {room["notes"] for room in rooms[11:]} == {0, 1}
    assert len({str(room["charts"]) for room in rooms[11:]}) == 1


CUT = """
() => {
  window.lowest = {};
  // called after the charts' own observers, and before the browser paints
  const observer = new ResizeObserver(entries => {
    for (const { target } of entries) {
      const { bottom } = target.getBoundingClientRect();
      const titles = [...target.querySelectorAll(".xtitle")];
      const { chart } = target.dataset;
      const below = Math.max(...titles.map(one => one.getBoundingClientRect().bottom - bottom));
      window.lowest[chart] = Math.max(window.lowest[chart] ?? -Infinity, below);
    }
  });
  for (const key of ["frontier", "lifts", "mechanism"]) {
    observer.observe(document.querySelector(`.st-key-${key} .lsc-frame`));
  }
}
"""
LONGER = """
() => {
  const said = document.querySelector(".st-key-board .st-key-finding p");
  said.after(Object.assign(document.createElement("p"), { textContent: "Quick estimate." }));
}
"""


def test_no_axis_title_is_cut_where_the_words_take_one_more_line(visit):
    page = visit(QUICK, width=1280, height=720)
    settle(page)
    page.evaluate(CUT)
    heights = page.evaluate(ROOM)["charts"]
    page.evaluate(LONGER)  # as a frame does, the first one of a drag
    settle(page)
    assert page.evaluate(ROOM)["charts"] != heights
    lowest = page.evaluate("window.lowest")
    assert len(lowest) == 3
    assert all(below <= 1 for below in lowest.values()), lowest


FADED = """
() => [...document.querySelectorAll(".st-key-board_charts .lsc-frame[data-lsc-working]")]
  .map(one => one.dataset.chart)
"""
ESTIMATE = "≥ 1%"


def test_what_a_frame_lacks_fades_and_a_better_one_replaces_it(visit):
    page, begun, requested = visit(QUICK), [True], []
    settle(page)

    def earlier(route):
        """Answer as the server would with the first, unfinished frames."""
        requested.append(route.request.url)
        content = route.fetch().json()
        for place, frame in content["frames"].items():
            if begun:
                frame["open"], frame["version"] = True, "0123456789ab"
                frame["answers"][""]["figures"][0][1] = ESTIMATE
                del content["charts"]["mechanism"][place]
        route.fulfill(json=content, headers={"content-length": "2000"})

    page.route(re.compile("/frames/"), earlier)
    slider = page.locator(".st-key-eps input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y)
    page.wait_for_function(FOLLOWS, arg=slider.get_attribute("aria-valuetext"))
    assert page.evaluate(SHOWN)["figures"][0] == ESTIMATE
    assert page.evaluate(FADED) == ["mechanism"]
    begun.clear()
    page.wait_for_function(f"({SHOWN})().figures[0] !== '{ESTIMATE}'")
    assert page.evaluate(FADED) == []
    page.unroute_all(behavior="wait")
    assert any("-0123456789ab" in item for item in requested)
    under = page.evaluate(SHOWN)
    assert released(page, "eps") == under


def test_in_the_projector_view_a_board_follows_too(visit):
    page = visit(f"{QUICK}&projector=on", width=1280, height=720)
    page.locator(".lsc-frame[data-projected=board]").first.wait_for()
    settle(page)
    page.locator("[data-testid=stExpandSidebarButton]").click()
    page.wait_for_function("document.querySelector('.st-key-board').offsetWidth < 1000")
    settle(page)
    before = page.evaluate(SHOWN)
    _, under = dragged(page, "eps")
    assert under["ring"] != before["ring"]
    assert under["bars"] != before["bars"]
    assert page.locator(".lsc-frame[data-projected=board]").count() == len(CHARTS)
    assert released(page, "eps") == under


RESTS = """
() => {
  window.rests = [];
  let moved = null;
  new MutationObserver((changes) => {
    const now = performance.now();
    for (const { target, attributeName } of changes) {
      if (attributeName === "aria-valuetext") moved = now;
      else if (target.dataset.place) window.rests.push(now - moved);
    }
  }).observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext", "data-place"] });
}
"""


def test_with_less_motion_the_board_waits_until_the_slider_rests(visit):
    page = visit(QUICK)
    page.emulate_media(reduced_motion="reduce")
    settle(page)
    page.evaluate(RESTS)
    slider = page.locator(".st-key-eps input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(30):
        page.mouse.move(x + step, y)
        page.wait_for_timeout(20)
    page.wait_for_function(FOLLOWS, arg=slider.get_attribute("aria-valuetext"))
    rests = page.evaluate("window.rests")
    page.mouse.up()
    assert rests
    assert min(rests) >= 200  # of 250: a picture ends later than the slider's last move


def test_another_slider_is_followed_and_the_lines_of_its_old_place_fade(visit):
    page = visit(f"{QUICK}&notion=alip&eps=0.5&lam=0.2")
    settle(page)
    before = page.evaluate(SHOWN)
    _, under = dragged(page, "lam")
    assert "lam=0.2" in page.url
    assert page.evaluate(
        "document.querySelector('.st-key-frontier .lsc-frame').hasAttribute('data-lsc-working')"
    )
    assert under["bars"] != before["bars"]
    after = released(page, "lam")
    assert {**after, "ring": under["ring"]} == under


def test_a_file_of_ones_own_is_followed_and_kept_by_no_cache(visit):
    rows = b"f,a\nm,b\n" * 40 + b"f,c\nm,c\n" * 10 + b"f,b\nm,a\n"
    page = visit("data")
    page.locator(".st-key-own summary").click()
    page.locator(".st-key-own_file input[type='file']").set_input_files(
        {"name": "people.csv", "mimeType": "text/csv", "buffer": b"sex,job\n" + rows}
    )
    page.wait_for_url(re.compile("upload"))
    page.get_by_role("link", name="Explore", exact=True).first.click()
    settle(page)
    before = page.evaluate(SHOWN)
    _, under = dragged(page, "eps")
    assert under["bars"] != before["bars"]
    assert released(page, "eps") == under
    requested = page.evaluate(
        "performance.getEntriesByType('resource').map(e => e.name).filter(n => /frames/.test(n))"
    )
    assert requested
    answer = page.request.get(requested[-1].partition("?")[0] + "?near=0")
    assert answer.headers["cache-control"] == "no-store"


def test_frames_come_after_the_program_that_draws_them(visit):
    page = visit("release")
    page.get_by_role("heading", name="Release the records").wait_for()
    held, requested = [], []
    page.route(f"**/{programs.PLOTLY}", lambda route: held.append(route))
    page.on("request", lambda request: "?near=" in request.url and requested.append(request.url))
    waiting.go_to(page, "Explore")
    page.locator(".st-key-board .st-key-finding p").wait_for()
    page.locator(".st-key-eps [role='group']").hover()
    page.wait_for_timeout(2_000)
    assert len(held) == 1
    assert not requested
    held[0].continue_()
    settle(page)
    assert requested


COLUMNS = Project(
    tuple(replace(item, mechanism="watchdog") for item in columns.QUICK.scenarios),
    columns.QUICK.names,
)
OF_COLUMN = """
() => {
  const data = key => document.querySelector(`.st-key-${key} .lsc-plot`).data
    .map(({ x, y, z }) => ({ x, y, z }));
  const said = key => document.querySelector(`.st-key-${key} .lsc-answer`).innerText;
  return {
    sentences: ["outcome_0", "outcome_1", "figures_0", "figures_1"].map(said),
    points: data("column_frontier").slice(-3),
    drawn: ["column_levels", "matrix_1", "lifts_1", "graph_1"].map(data),
    other: ["matrix_0", "lifts_0", "graph_0"].map(data),
  };
}
"""
COLUMN_FOLLOWS = """
label => {
  const answer = document.querySelector(".st-key-outcome_1 .lsc-answer");
  const drawn = [...document.querySelectorAll(".lsc-plot")]
    .every(one => one.dataset.requested === one.dataset.drawn);
  return answer.dataset.place === label && !answer.hasAttribute("data-lsc-working") && drawn;
}
"""


def test_while_a_columns_slider_is_down_compare_shows_the_place_under_it(visit):
    page = visit(columns.link(COLUMNS))
    columns.settle(page, 3)
    before = page.evaluate(OF_COLUMN)
    slider = page.locator(".st-key-col1_eps_nats input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in (8, 16):
        page.mouse.move(x + step, y)
        label = slider.get_attribute("aria-valuetext")
        page.wait_for_function(COLUMN_FOLLOWS, arg=label)
    assert "eps" not in page.url
    under = page.evaluate(OF_COLUMN)
    assert under["points"] != before["points"]
    assert under["drawn"] != before["drawn"]
    assert under["sentences"][1::2] != before["sentences"][1::2]
    assert under["sentences"][::2] == before["sentences"][::2]
    assert under["other"] == before["other"]
    page.mouse.up()
    page.wait_for_url(re.compile("eps%3D"))
    columns.settle(page, 3)
    page.wait_for_function("!document.querySelector('[data-lsc-live]')")
    assert page.evaluate(OF_COLUMN) == under


OF_ANSWER = """
keys => ({
  sentences: document.querySelector(".lsc-answer").innerText,
  drawn: keys.map(key => document.querySelector(`.st-key-${key} .lsc-plot`).data
    .map(({ x, y, z }) => ({ x, y, z }))),
})
"""
ANSWER_FOLLOWS = """
label => {
  const answer = document.querySelector("[data-lsc-live]");
  const drawn = [...document.querySelectorAll(".lsc-plot")]
    .every(one => one.dataset.requested === one.dataset.drawn);
  return answer?.dataset.place === label && !answer.hasAttribute("data-lsc-working") && drawn;
}
"""


@pytest.mark.parametrize(
    ("path", "keys", "below"),
    [
        ("lift", ["loglift", "symbols"], "lift_below"),
        ("mechanisms", ["kernel", "posteriors"], "mechanisms_below"),
    ],
)
def test_a_page_about_one_answer_shows_the_place_under_the_slider(visit, path, keys, below):
    page = visit(f"{path}{QUICK}&notion=lip&eps=0.3")
    waiting.settle(page, keys)
    if path == "lift":
        page.get_by_role("radio", name="the release").click()
        waiting.settle(page, keys)
    before = page.evaluate(OF_ANSWER, keys)
    slider = page.locator(".st-key-eps input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in (10, 20, 30):
        page.mouse.move(x + step, y)
        label = slider.get_attribute("aria-valuetext")
        page.wait_for_function(ANSWER_FOLLOWS, arg=label)
    assert "eps=0.3" in page.url
    under = page.evaluate(OF_ANSWER, keys)
    assert all(item != other for item, other in zip(under["drawn"], before["drawn"], strict=True))
    behind = f"document.querySelector('.st-key-{below}').hasAttribute('data-lsc-behind')"
    assert page.evaluate(behind)
    page.mouse.up()
    page.wait_for_url(re.compile(rf"[?&]eps={label.rstrip('0')}"))
    waiting.settle(page, keys)
    page.wait_for_function("!document.querySelector('[data-lsc-live]')")
    assert not page.evaluate(behind)
    assert page.evaluate(OF_ANSWER, keys) == under


def test_the_robust_page_shows_the_sample_under_the_slider(visit):
    page, keys = visit("robust?x=race&n=300"), ["intervals"]
    waiting.settle(page, keys)  # while its designs are searched for
    before = page.evaluate(OF_ANSWER, keys)
    slider = page.locator(".st-key-beta input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in (30, 60, 90):
        page.mouse.move(x + step, y)
        label = slider.get_attribute("aria-valuetext")
        page.wait_for_function(ANSWER_FOLLOWS, arg=label)
    assert "beta=" not in page.url
    under = page.evaluate(OF_ANSWER, keys)
    assert under["drawn"] != before["drawn"]
    assert under["sentences"] != before["sentences"]
    page.mouse.up()
    page.wait_for_url(re.compile("[?&]beta="))
    waiting.settle(page, keys)
    page.wait_for_function("!document.querySelector('[data-lsc-live]')")
    assert page.evaluate(OF_ANSWER, keys) == under


def test_confusability_shows_the_release_after_the_merges_under_the_slider(visit):
    page, keys = visit("confusability?data=heart_hungarian&s=age&x=chol"), ["range_graph_after"]
    waiting.settle(page, [*keys, "merges", "trade_off"])
    before = page.evaluate(OF_ANSWER, keys)
    rings = "() => [...document.querySelectorAll('.lsc-ring')].map(one => one.dataset.now)"
    were = page.evaluate(rings)
    slider = page.locator(".st-key-step input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in (60, 120, 180):
        page.mouse.move(x + step, y)
        label = slider.get_attribute("aria-valuetext")
        page.wait_for_function(ANSWER_FOLLOWS, arg=label)
    assert "step=" not in page.url
    under, rang = page.evaluate(OF_ANSWER, keys), page.evaluate(rings)
    assert under["drawn"] != before["drawn"]
    assert under["sentences"] != before["sentences"]
    assert all(item != other for item, other in zip(rang, were, strict=True))
    assert rang[0].split()[0] == label
    page.mouse.up()
    page.wait_for_url(re.compile(f"[?&]step={label}"))
    waiting.settle(page, [*keys, "merges", "trade_off"])
    page.wait_for_function("!document.querySelector('[data-lsc-live]')")
    assert page.evaluate(OF_ANSWER, keys) == under
    assert page.evaluate(rings) == rang


FIRST = """
names => names.map(name => {
  const box = document.querySelector(name).getBoundingClientRect();
  const whole = box.width > 0 && box.height > 0 && box.top >= 0 && box.left >= 0
    && box.bottom <= innerHeight && box.right <= innerWidth;
  return whole ? "" : `${name}: ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`;
}).filter(Boolean)
"""


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1440, 900)])
@pytest.mark.parametrize(
    ("path", "charts", "slider"),
    [
        (f"lift{QUICK}", ["loglift", "symbols"], "eps"),
        (f"mechanisms{QUICK}", ["kernel", "posteriors"], "eps"),
        ("robust?x=occupation&n=300", ["intervals"], "beta"),
        (
            "confusability?data=heart_hungarian&s=age&x=chol",
            ["range_graph_before", "range_graph_after"],
            "step",
        ),
    ],
)
def test_the_first_screen_shows_sentence_charts_and_slider(
    visit, path, charts, slider, width, height
):
    page = visit(path, width=width, height=height)
    waiting.settle(page, charts)
    names = [
        ".st-key-finding",
        f".st-key-{slider} input",
        *(f".st-key-{item} .lsc-plot" for item in charts),
    ]
    assert page.evaluate(FIRST, names) == []
    heights = page.evaluate(
        "keys => keys.map(key => document.querySelector(`.st-key-${key} .lsc-plot`).offsetHeight)",
        charts,
    )
    assert min(heights) >= 180
    if height == 720:  # where all are cut: the room that look.css keeps for what stands above them
        ends = page.evaluate(
            "keys => keys.map(key => document.querySelector(`.st-key-${key} .lsc-frame`))"
            ".map(frame => innerHeight - frame.getBoundingClientRect().bottom)",
            charts,
        )
        assert 0 <= min(ends) <= max(ends) < 50


def test_a_finger_on_the_slider_moves_the_board(visit):
    page = visit(QUICK)
    settle(page)
    before = page.evaluate(SHOWN)
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    slider = page.locator(".st-key-eps input[type='range']")
    thumb = slider.locator("xpath=..").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    for kind, step in (("touchStart", 0), ("touchMove", 15), ("touchMove", 30)):
        points = [{"x": x + step, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function(FOLLOWS, arg=slider.get_attribute("aria-valuetext"))
    under = page.evaluate(SHOWN)
    assert "eps=" not in page.url
    assert under["bars"] != before["bars"]
    assert under["ring"] != before["ring"]
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_url(re.compile("[?&]eps="))
    settle(page)
    page.wait_for_function("!document.querySelector('[data-lsc-live]')")
    assert page.evaluate(SHOWN) == under
