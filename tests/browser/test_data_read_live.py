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
        expect(box).to_have_value(f"as found: {value}")
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
    panel.get_by_role("button", name="Leave it as it is").click()
    expect(error).to_have_count(0)
    page.reload()
    panel = page.locator(".st-key-read")
    expect(panel.get_by_text("kept: quarter").first).to_be_visible()
    assert read_of(page)["columns"][0]["part"] == "quarter"
    assert page.locator(".stException").count() == 0
