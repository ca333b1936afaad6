"""The report in a browser: made by a click, and opened without a network."""

from tests.browser.waiting import PATIENCE, settle

LARGEST = 6_000_000
QUESTION = "?data=heart_hungarian&s=sex&x=cp&mech=watchdog"


def opened(browser, path, wrong):
    """Open a report without a network; note every request and error."""
    page = browser.new_context(offline=True).new_page()
    page.set_default_timeout(PATIENCE)
    page.on("request", lambda one: wrong.append(one.url))
    page.on("console", lambda one: wrong.append(one.text))
    page.on("pageerror", lambda one: wrong.append(str(one)))
    page.goto(path.as_uri())
    return page


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
    report.wait_for_function("document.querySelectorAll('.chart .main-svg').length >= 5")
    assert report.locator("h1").inner_text() == page.locator("h1").inner_text()
    assert report.locator(".chart").count() == 5
    assert report.locator("math").count() >= 5
    assert wrong == [path.as_uri()]
    wide = report.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert wide
    pdf = report.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    report.context.close()
