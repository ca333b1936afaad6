"""A release in a browser: what is downloaded is what the certificate describes."""

import json
import re

import pytest
from playwright.sync_api import expect

from core.__main__ import main
from core.data.catalogue import FOLDER
from tests.browser.waiting import settle

ADDRESS = "release?data=heart_hungarian&s=sex&x=cp&mech=watchdog"


def seed_of(page):
    """Return the seed on the page; the field may be drawn a moment before it has its value."""
    settle(page)
    page.wait_for_function("document.querySelector('input[aria-label=Seed]')?.value")
    return page.get_by_label("Seed", exact=True).input_value()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_downloaded_file_is_verified_by_the_downloaded_certificate(
    visit, tmp_path, capsys, kind
):
    page = visit(f"{ADDRESS}&file={kind}")
    page.get_by_role("button", name="Release 294 records").click()
    link = page.locator("a.lsc-download")
    link.wait_for()
    seed = seed_of(page)
    with page.expect_download() as file:
        link.click()
    file.value.save_as(tmp_path / f"released.{kind}")
    assert file.value.suggested_filename == f"released.{kind}"
    with page.expect_download() as proof:
        page.get_by_role("button", name="Certificate (JSON)").click()
    proof.value.save_as(tmp_path / "certificate.json")
    names = [str(tmp_path / name) for name in ("certificate.json", f"released.{kind}")]
    original = str(FOLDER / "heart_hungarian.parquet")
    assert main(["verify", *names, original, "--seed", seed, "--json"]) == 0
    assert all(item["passed"] for item in json.loads(capsys.readouterr().out))
    assert seed not in page.url
    assert seed not in (tmp_path / "certificate.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [320, 360, 390])
def test_every_switch_of_the_plan_is_whole_in_a_hand(visit, width):
    page = visit(ADDRESS, width=width, height=844)
    page.locator(".st-key-release_original").wait_for()
    settle(page)
    card = page.locator(".st-key-release_plan").bounding_box()
    for button in page.locator(".st-key-release_plan [data-testid=stButtonGroup] button").all():
        box = button.bounding_box()
        assert box["x"] + box["width"] < card["x"] + card["width"], button.inner_text()


def test_a_released_file_is_under_no_other_address(visit):
    page = visit(ADDRESS)
    page.get_by_role("button", name="Release 294 records").click()
    link = page.locator("a.lsc-download")
    link.wait_for()
    token = link.get_attribute("href").split("/")[1]
    assert len(token) >= 40
    own = page.evaluate(
        "path => fetch(path).then(found => found.status)", f"/released/{token}/released.csv"
    )
    assert own == 200


def test_a_reload_keeps_the_seed_and_the_released_file(visit, tmp_path):
    page = visit(ADDRESS)
    page.get_by_role("button", name="Release 294 records").click()
    link = page.locator("a.lsc-download")
    link.wait_for()
    seed = seed_of(page)
    assert int(seed) > 2**64
    address = link.get_attribute("href")
    page.reload()
    link.wait_for()
    assert seed_of(page) == seed
    assert link.get_attribute("href") == address
    with page.expect_download() as file:
        link.click()
    file.value.save_as(tmp_path / "released.csv")
    assert (tmp_path / "released.csv").stat().st_size > 294
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_label("Seed", exact=True).wait_for()
    assert int(seed_of(other)) != int(seed)


def test_a_key_counts_when_tab_leaves_its_field(visit):
    page = visit(f"{ADDRESS}&draw=key&id=age")
    field = page.get_by_label("Secret key")
    field.click()
    page.keyboard.type("thirty-one letters at the least")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Release 294 records").wait_for()


def test_a_seed_counts_when_the_keyboard_alone_verifies(visit, tmp_path):
    page = visit(ADDRESS)
    page.get_by_role("button", name="Release 294 records").click()
    link = page.locator("a.lsc-download")
    link.wait_for()
    seed = seed_of(page)
    with page.expect_download() as file:
        link.click()
    file.value.save_as(tmp_path / "mine.csv")
    with page.expect_download() as proof:
        page.get_by_role("button", name="Certificate (JSON)").click()
    proof.value.save_as(tmp_path / "certificate.json")
    page.get_by_text("Verify a release").click()
    for key, path in (
        ("certificate", tmp_path / "certificate.json"),
        ("released", tmp_path / "mine.csv"),
        ("original", FOLDER / "heart_hungarian.parquet"),
    ):
        page.locator(f".st-key-verify_{key} input[type=file]").set_input_files(path)
        page.locator(f".st-key-verify_{key}").get_by_test_id("stFileChipName").wait_for()
        settle(page)
    page.get_by_label("Seed (optional)").click()
    page.keyboard.type(seed)
    tab_to_verify = "document.activeElement.closest('.st-key-verify_start')"
    while not page.evaluate(f"Boolean({tab_to_verify})"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("All checks passed.").wait_for()
    text = page.locator(".st-key-verify_checks").inner_text()
    assert "The seed draws every output of the file." in text
    assert "mine.csv is the released file, byte by byte." in text


def test_on_a_phone_what_can_be_done_about_a_column_stands_below_what_speaks_against_it(visit):
    page = visit(ADDRESS, width=390, height=844)
    row = page.locator(".st-key-columns_rows .stHorizontalBlock").filter(has_text="breaks").first
    row.wait_for()
    settle(page)
    join, randomize = (
        row.get_by_role("button", name=name).bounding_box() for name in ("Part of X", "Randomize")
    )
    reason = row.get_by_text("breaks").bounding_box()
    assert join["y"] == randomize["y"] >= reason["y"] + reason["height"] - 1
    assert reason["height"] < 40  # one line


def test_an_upload_with_a_twin_of_s_is_released_with_it_by_a_deliberate_click_alone(visit):
    words = {"f": "she", "m": "he"}
    jobs = ("clerk", "nurse", "smith")
    rows = [(sex, jobs[(i + (sex == "f")) % 3]) for i in range(60) for sex in "fmf"[: 1 + i % 3]]
    lines = ["sex,job,called", *(f"{sex},{job},{words[sex]}" for sex, job in rows)]
    page = visit("data")
    page.locator(".st-key-own summary").click()
    page.locator(".st-key-own_file input[type='file']").set_input_files(
        {"name": "staff.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
    )
    page.wait_for_url(re.compile("upload"))
    settle(page)
    page.get_by_role("link", name="Release", exact=True).first.click()
    button = page.get_by_role("button", name=f"Release {len(rows)} records")
    expect(button).to_be_enabled()
    row = page.locator(".st-key-columns_rows .stHorizontalBlock").filter(has_text="called").first
    expect(row).to_contain_text("determines sex")
    row.locator("label").first.click()
    agreed = page.get_by_text("Keep this column anyway")
    agreed.wait_for()
    settle(page)
    expect(button).to_be_disabled()
    agreed.click()
    expect(button).to_be_enabled()
