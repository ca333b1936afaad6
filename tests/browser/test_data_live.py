"""The Data page in a real Chromium: a database of the owner's is listed, counted and cancelled."""

import os

import duckdb
import pytest
from playwright.sync_api import expect

from tests.browser import waiting
from tests.browser.served import served
from tests.browser.waiting import PATIENCE


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return the address of a DuckDB file with a table, and a view that takes for ever."""
    path = tmp_path_factory.mktemp("census") / "census.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT if(range % 2 = 0, 'f', 'm') AS sex, "
            "'job ' || (range % 3) AS job FROM range(1200)"
        )
        connection.execute(
            "CREATE VIEW endless AS SELECT (a.range * b.range) % 7 AS sex, a.range % 3 AS job "
            "FROM range(1000000000) a, range(1000000000) b"
        )
    return f"duckdb://{path}"


@pytest.fixture(scope="module")
def address(table):
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(os.environ, "LIFTSCOPE_DATABASES", table)
        with served() as result:
            yield result


def choose(page, key, name):
    """Choose from the list whose key begins with `key`."""
    field = page.locator(f"[class*='st-key-{key}'] input")
    field.wait_for()
    waiting.settle(page)
    field.click()
    page.get_by_role("option", name=name).click()


def count(page, name):
    """Choose a table and two of its columns, and press Count."""
    choose(page, "db_table", name)
    for column in ("sex", "job"):
        choose(page, "db_columns", column)
    page.keyboard.press("Escape")
    button = page.get_by_role("button", name="Count", exact=True)
    expect(button).to_be_enabled(timeout=PATIENCE)
    waiting.settle(page)
    button.click()


def test_a_data_base_is_listed_counted_and_cancelled(visit, table):
    page = visit("data")
    page.get_by_text("Use my own data").click()
    page.get_by_role("tab", name="Database").click()
    choose(page, "db_address", table)
    count(page, "endless")
    cancel = page.get_by_role("button", name="Cancel")
    page.get_by_text("Counting endless in its database").wait_for()
    expect(page.get_by_text("32,561").first).to_be_visible(
        timeout=PATIENCE
    )  # the page is about Adult meanwhile
    cancel.click()
    cancel.wait_for(state="detached")
    count(page, "people")
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("1,200", timeout=PATIENCE)
    assert "census.db" in page.url
    page.reload()
    expect(page.get_by_test_id("stMetricValue").first).to_have_text(
        "1,200", timeout=PATIENCE
    )  # the browser's own
