"""The report in a browser: made by a click, and opened without a network."""

import re

from tests.browser.waiting import PATIENCE, settle

LARGEST = 6_000_000
QUESTION = "?data=heart_hungarian&s=sex&x=cp&mech=watchdog"


def opened(browser, path, wrong):
    """Open a report without a network; note every request and error."""
    page = browser.new_context(offline=True).new_page()
    page.set_default_timeout(PATIENCE)
    page.on("request", lambda item: wrong.append(item.url))
    page.on("console", lambda item: wrong.append(item.text))
    page.on("pageerror", lambda item: wrong.append(str(item)))
    page.goto(path.as_uri())
    return page


PAGE = (186, 269)
"""Width and height of A4 within its margins, in millimetres."""


ROUNDS = 20
"""Times that the mouse goes over a chart: on a busy machine its answer to one move may be late."""

FRAMES = """() => new Promise(done => {
  let left = 5;
  const next = () => (left-- ? requestAnimationFrame(next) : done());
  next();
})"""
"""Lets the page draw: a chart answers at most every 50 ms."""


def reacts(report):
    """Check that every chart answers the mouse, but for the diagram, whose numbers are in sight."""
    silent = report.evaluate(
        "FIGURES.map(one => one.data.every(line => line.hoverinfo === 'skip'))"
    )
    assert silent.count(True) == 1
    for place in [place for place, item in enumerate(silent) if not item]:
        chart = report.locator(f"#chart{place}")
        chart.scroll_into_view_if_needed()
        drag = chart.locator(".nsewdrag").first
        box = drag.bounding_box()
        for step in range(1, 60 * ROUNDS):  # on a line across it is a point, bar or cell
            x, y = box["width"] * (step % 60) / 60, box["height"] * (7 * step % 60) / 60
            report.mouse.move(box["x"] + x, box["y"] + y)
            report.evaluate(FRAMES)
            if chart.locator(".hoverlayer .hovertext, .hoverlayer .legend").count():
                break
        else:
            raise AssertionError(f"chart {place} does not react")
        report.mouse.move(0, 0)


def printed(report):
    """Check that pages are A4, and that no chart, program or short table is cut by one's end."""
    report.emulate_media(media="print")
    inch = 96 / 25.4
    kept = report.evaluate(
        """() => [...document.querySelectorAll('figure, pre, .wide, tr, .formula')].map(
             e => [e.tagName, getComputedStyle(e).breakInside])"""
    )
    assert {tag for tag, _ in kept} == {"FIGURE", "PRE", "DIV", "TR"}
    assert {how for _, how in kept} == {"avoid"}
    tallest = report.evaluate(
        "Math.max(...[...document.querySelectorAll('figure')].map(e => e.offsetHeight))"
    )
    assert tallest < PAGE[1] * inch
    pdf = report.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    boxes = set(re.findall(rb"/MediaBox \[([\d. ]+)\]", pdf))
    assert len(boxes) == 1
    width, height = map(float, boxes.pop().split()[2:])
    assert abs(width - 595) < 1
    assert abs(height - 842) < 1
    report.emulate_media(media="screen")


TURNS = """
() => {
  const look = () => {
    const icon = document.querySelector(".st-key-commands [data-testid=stSpinnerIcon]");
    window.turned ||= icon?.parentElement.getBoundingClientRect().width > 8; // not clipped
    requestAnimationFrame(look);
  };
  look();
}
"""


def test_a_report_under_way_is_seen_on_its_button(visit):
    page = visit(QUESTION, width=1280, height=720)
    settle(page, ["frontier", "lifts", "mechanism"])
    page.evaluate(TURNS)
    with page.expect_download():
        page.get_by_role("button", name="Report", exact=True).click()
    assert page.evaluate("window.turned")


def test_a_report_is_made_by_a_click_and_opens_without_a_network(visit, browser, tmp_path):
    page = visit(QUESTION)
    settle(page, ["frontier", "lifts", "mechanism"])
    with page.expect_download() as file:
        page.get_by_role("button", name="Report", exact=True).click()
    path = tmp_path / "report.html"
    file.value.save_as(path)
    assert path.stat().st_size < LARGEST
    wrong = []
    report = opened(browser, path, wrong)
    report.wait_for_function("document.querySelectorAll('.chart .main-svg').length >= 7")
    assert report.locator("h1").inner_text() == page.locator("h1").inner_text()
    assert report.locator(".chart").count() == 7
    assert report.locator("math").count() >= 5
    assert report.locator(".modebar-btn").count() >= 7
    assert report.locator("[data-title^='Share']").count() == 0
    assert wrong == [path.as_uri()]
    wide = report.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert wide
    reacts(report)
    printed(report)
    assert wrong == [path.as_uri()]
    report.context.close()
