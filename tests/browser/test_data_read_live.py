"""A file as a German office writes it, in a real Chromium: found, changed, kept over a reload."""

import json
import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from tests.browser import waiting

LINES = 'Süd;1.234,5;31.12.1990;ja\r\n"Nord\r\nost";99,5;01.02.1991;nein\r\nSüd;-;05.07.1991;ja\r\n'

CONTENT = ("Straße;Lohn;Geburt;Kind\r\n" + LINES * 20).encode("cp1252")


def choose(page, key, name):
    """Choose an option of a picker of the panel."""
    waiting.choose(page, page.locator(f".st-key-{key} input"), name)


def read_of(page):
    """Return how the link says that the data is read."""
    return json.loads(parse_qs(urlsplit(page.url).query)["read"][0])


def test_a_windows_1252_file_with_decimal_commas_is_read_and_read_otherwise(visit):
    page = visit("data")
    page.locator(".st-key-own summary").click()
    page.locator(".st-key-own_file input[type='file']").set_input_files(
        {"name": "löhne.csv", "mimeType": "text/csv", "buffer": CONTENT}
    )
    page.wait_for_url(re.compile("upload"))
    panel = page.locator(".st-key-read")
    expect(panel.get_by_text("decimal comma; thousands point")).to_be_visible()
    for key, value in (("encoding", "Windows-1252, a guess"), ("delimiter", "semicolons")):
        box = panel.locator(f".st-key-read_{key} input")
        expect(box).to_have_value(f"as detected: {value}")
    assert read_of(page) == {"decimal": ",", "thousands": "."}
    waiting.settle(page)
    choose(page, "read_column", "Geburt")
    choose(page, "read_column_kind", "date or time")
    page.wait_for_url(re.compile("dmy"))
    choose(page, "read_column_part", "quarter")
    page.wait_for_url(re.compile("quarter"))
    assert read_of(page)["columns"] == [
        {"column": "Geburt", "kind": "date", "order": "dmy", "part": "quarter"}
    ]
    choose(page, "read_column_order", "month, day, year")
    error = panel.get_by_text("record 1 (line 2) has '31.12.1990'")
    expect(error).to_be_visible()
    panel.get_by_role("button", name="Leave as is").click()
    expect(error).to_have_count(0)
    page.reload()
    panel = page.locator(".st-key-read")
    expect(panel.get_by_text("kept: quarter").first).to_be_visible()
    assert read_of(page)["columns"][0]["part"] == "quarter"
    assert page.locator(".stException").count() == 0


COUNTS = [("f", "north", 310), ("f", "south", 290), ("f", "east", 80), ("f", "west", 20)]
COUNTS += [("m", "north", 120), ("m", "south", 130), ("m", "east", 170), ("m", "west", 80)]

OFFICE = "\n".join(
    (
        "Population by sex and region",
        "Counted on 1 May 2024",
        "sex;region;count",
        *(f"{sex};{region};{n}" for sex, region, n in COUNTS),
        "Total;;1200",
    )
)
"""As an office publishes counts: two lines of title, and a row of the total."""

CODED = "age,sex\nYears,1 = woman\n31,1\n45,2\n28,1\n61,2\n"
"""A second line that may be names, questions or units."""


def decide(page, selector):
    """Decide by keyboard alone: go to a control, and press Enter."""
    waiting.settle(page)
    waiting.tab_to(page, selector)
    page.keyboard.press("Enter")


def bring(page, name, content):
    """Bring a file by keyboard alone."""
    decide(page, ".st-key-own summary")
    with page.expect_file_chooser() as chosen:
        decide(page, ".st-key-own_file [data-testid=stFileUploaderDropzone] button")
    chosen.value.set_files({"name": name, "mimeType": "text/csv", "buffer": content.encode()})


def test_from_an_office_s_file_to_the_first_answer_by_keyboard_in_three_decisions(visit):
    page = visit("data")
    bring(page, "population.csv", OFFICE)
    page.wait_for_url(re.compile("upload"))
    panel = page.locator(".st-key-read")
    expect(panel.get_by_text("2 lines above the names were left out.")).to_be_visible()
    expect(panel.get_by_text("Line 12 is the total: left out.")).to_be_visible()
    decide(page, ".st-key-asked_0_0 button")
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("1,200")
    assert read_of(page) == {"weight": "count"}
    decide(page, "[data-testid=stTopNavLink]")  # Explore is the first
    waiting.settle(page, ["frontier"])
    nmi = page.get_by_test_id("stMetric").filter(has_text="NMI")
    expect(nmi.get_by_test_id("stMetricValue")).to_have_text(re.compile(r"\d%$"))
    assert "count" in page.url
    assert page.locator(".stException").count() == 0


CLICKS = """() => {
    window.clicks = 0;
    document.addEventListener("click", event => { window.clicks += event.isTrusted; }, true);
}"""
"""Counts the clicks of the mouse, not those that a script makes of one."""


def test_from_an_office_s_file_to_the_first_answer_in_four_clicks(visit):
    page = visit("data")
    waiting.settle(page)
    page.evaluate(CLICKS)
    page.locator(".st-key-own summary").click()
    with page.expect_file_chooser() as chosen:
        page.locator(".st-key-own_file [data-testid=stFileUploaderDropzone] button").click()
    file = {"name": "population.csv", "mimeType": "text/csv", "buffer": OFFICE.encode()}
    chosen.value.set_files(file)
    page.wait_for_url(re.compile("upload"))
    waiting.settle(page)
    page.locator(".st-key-asked_0_0 button").click()
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("1,200")
    waiting.settle(page)
    page.locator("[data-testid=stTopNavLink]").first.click()  # Explore
    waiting.settle(page, ["frontier"])
    nmi = page.get_by_test_id("stMetric").filter(has_text="NMI")
    expect(nmi.get_by_test_id("stMetricValue")).to_have_text(re.compile(r"\d%$"))
    assert page.evaluate("() => window.clicks") == 4
    assert page.locator(".stException").count() == 0


def test_the_line_of_the_names_is_chosen_by_keyboard(visit):
    page = visit("data")
    bring(page, "coded.csv", CODED)
    expect(page.get_by_text("choose the line with the names")).to_be_visible()
    decide(page, ".st-key-own_as_0 button")
    page.wait_for_url(re.compile("upload"))
    assert read_of(page) == {"header": [1], "skip": 1}
    decide(page, ".st-key-read [data-testid=stPopoverButton]")
    lines = page.get_by_test_id("stDataFrame").locator("visible=true").first
    lines.wait_for()
