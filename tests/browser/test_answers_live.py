"""Answers in a real Chromium while work is under way: what is on screen belongs together."""

import os
import re
import signal
from pathlib import Path

import pytest

from tests.browser import waiting

CHARTS = ("frontier", "lifts", "mechanism", "confusability_before", "confusability_after")
WORKING = ("Improving", "Computing")
PROGRESS = "[data-testid='stProgress']"
AGAIN = ".st-key-frontier_again button, .st-key-refine_again button"
LINES_OR_OFFER = """
([names, again]) => {
  if (document.querySelector(again)) return "offer";
  const drawn = document.querySelector(".st-key-frontier .lsc-plot")?.data ?? [];
  return names.every(name => drawn.some(line => line.name === name)) && "lines";
}
"""
SHOWN = """
() => {
  const label = key => document
    .querySelector(`.st-key-${key} .lsc-plot`).getAttribute("aria-label");
  const ring = document.querySelector(".st-key-frontier .lsc-ring").dataset.now;
  const figures = {};
  for (const one of document.querySelectorAll(".st-key-strip [data-testid=stMetric]"))
    figures[one.querySelector("[data-testid=stMetricLabel] p").innerText.trim()] =
      one.querySelector("[data-testid=stMetricValue]").innerText.trim();
  const plot = document.querySelector(".st-key-frontier .lsc-plot");
  return {
    ring: ring.split(" ").map(Number),
    figures,
    sentence: document.querySelector(".st-key-finding").innerText,
    mechanism: label("mechanism"),
    lifts: label("lifts"),
    graph: label("confusability_after"),
    address: new URLSearchParams(location.search).get("eps"),
    lines: plot.data.filter(one => one.mode === "lines+markers").map(one => ({
      name: one.name, opacity: one.opacity ?? 1, x: [...one.x], y: [...one.y] })),
  };
}
"""
"""What the page says of its answer, each from another place, in one look."""
CHANGED_OR_DONE = """
([before, busy]) => {
  const drawn = document.querySelector(".st-key-frontier .lsc-plot")?.dataset.drawn;
  const said = document.body.innerText;
  return (drawn && drawn !== before) || !busy.some(words => said.includes(words));
}
"""


def settle(page):
    """Wait until no work is under way, and all charts are drawn and at rest."""
    waiting.settle(page, CHARTS, busy=WORKING)


def shown(page):
    """Wait until the page is drawn, whether or not work goes on, and return what it says then."""
    return waiting.settle(page, CHARTS, rest=2, look=SHOWN)


def shares(sentence):
    """Return the least and most that each share of a sentence may stand for, in percent."""
    ends = {"Less than 1": (0.0, 1.0), "More than 99": (99.0, 100.0)}
    text = re.findall(r"(Less than 1|More than 99|[\d.]+)%", sentence)
    return [ends[item] if item in ends else (float(item) - 0.5, float(item) + 0.5) for item in text]


def agree(page):
    """Check that sentence, figures, charts and address are of one answer; return what they say."""
    page.locator(".st-key-finding").first.wait_for()
    result = shown(page)
    kept = float(result["figures"]["NMI"].strip("<>≥ %"))
    eps, ring = result["ring"]
    assert eps == pytest.approx(float(result["address"]), abs=1e-4)
    assert 100 * ring == pytest.approx(kept, abs=0.1)
    outputs = re.search(r"([\d,]+) outputs?\.", result["mechanism"]).group(1)
    assert f": {outputs} symbol" in result["graph"]
    level = result["figures"]["LIP reached, nats"]
    assert f"the release has LIP level {level} nats" in result["lifts"]
    assert any(low <= kept <= high for low, high in shares(result["sentence"])), result
    # the optimum is below no line that stands beside it
    for line in result["lines"]:
        if line["opacity"] == 1 and result["mechanism"].startswith("Optimal"):
            below = [y for x, y in zip(line["x"], line["y"], strict=True) if y and x <= eps]
            assert kept >= 100 * max(below, default=0.0) - 0.1, line["name"]
    return result


def press(page, key, times, arrow="ArrowRight"):
    slider = page.locator(f".st-key-{key} input[type='range']")
    slider.focus()
    for _ in range(times):
        page.keyboard.press(arrow)


def question(seed):
    return f"?data=random%3Auniform%3A4x12%3A{seed}&s=&x=&notion=alip&eps=0.5"


def test_a_reload_in_mid_work_comes_to_the_same_answer(visit):
    page = visit(question(11))
    agree(page)
    page.reload()
    agree(page)
    settle(page)
    result = agree(page)
    assert {line["name"] for line in result["lines"]} >= {"Optimal", "Subset random response"}
    again = visit(question(11))
    settle(again)
    assert agree(again)["figures"] == result["figures"]


def test_two_sessions_with_one_question_come_to_one_answer(visit):
    item, other = visit(question(12)), visit(question(12))
    for page in (item, other):
        agree(page)
    settle(item)
    settle(other)
    assert agree(item)["figures"] == agree(other)["figures"]


def test_sliders_that_move_before_an_answer_is_there_leave_the_last_question_on_screen(visit):
    page = visit(question(13))
    names = ["Optimal", "Subset random response"]
    came = page.wait_for_function(LINES_OR_OFFER, arg=[names, AGAIN]).json_value()
    assert came == "lines", page.inner_text(".st-key-frontier_state")
    settle(page)
    first = agree(page)
    there = {line["name"] for line in first["lines"]}
    press(page, "lam", 1)
    press(page, "eps", 2)
    press(page, "lam", 1)
    page.wait_for_url(re.compile(r"(?=.*eps=0\.6(&|$))(?=.*lam=)"))
    middle = shown(page)
    assert {line["name"] for line in middle["lines"]} >= {*names}  # new, or the old ones, faded
    settle(page)
    last = agree(page)
    assert all(line["opacity"] == 1 for line in last["lines"])
    assert {line["name"] for line in last["lines"]} == there
    old = next(line for line in first["lines"] if line["name"] == "Optimal")
    new = next(line for line in last["lines"] if line["name"] == "Optimal")
    assert old["y"] != new["y"]


def _status(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            parent = int(file.read().rsplit(")", 1)[1].split()[1])
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return parent, file.read()
    except (FileNotFoundError, ProcessLookupError):
        return 0, b""


def workers(address):
    """Return the processes at work for the server behind an address."""
    port = address.rsplit(":", 1)[1].encode()
    processes = {int(entry.name): _status(entry.name) for entry in Path("/proc").glob("[0-9]*")}
    servers = {
        pid
        for pid, (parent, command) in processes.items()
        if parent == os.getpid() and port in command.split(b"\0")
    }
    return [
        pid
        for pid, (parent, command) in processes.items()
        if parent in servers and b"core.jobs.worker" in command
    ]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes by /proc")
def test_killed_workers_cost_no_session_its_lines(visit, address):
    other = visit("?mech=subset_merging&eps=0.7")
    page = visit(question(14))
    page.locator(PROGRESS).or_(page.locator(".st-key-frontier .lsc-plot")).first.wait_for()
    for pid in workers(address):
        os.kill(pid, signal.SIGKILL)
    wanted = ["Optimal", "Subset random response"]
    while page.wait_for_function(LINES_OR_OFFER, arg=[wanted, AGAIN]).json_value() == "offer":
        offer = page.locator(AGAIN).first  # told, and offered to be started again
        offer.click()
        offer.wait_for(state="detached")
    settle(page)
    names = {line["name"] for line in agree(page)["lines"]}
    assert names >= set(wanted)
    settle(other)
    agree(other)


def test_a_first_glance_is_below_no_line_that_stands_beside_it(visit):
    page = visit("?s=education&x=native-country&eps=1.1")
    agree(page)
    # whatever comes first: a line, a better answer, or the end of all work, maybe before this look
    page.locator(".st-key-frontier .lsc-plot").wait_for()
    before = page.locator(".st-key-frontier .lsc-plot").get_attribute("data-drawn")
    page.wait_for_function(CHANGED_OR_DONE, arg=[before, WORKING])
    agree(page)
