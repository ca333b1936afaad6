"""The Confusability page in a real Chromium: what AppTest cannot see."""

import re

import pandas as pd
import pytest

from tests.browser import waiting
from tests.browser.test_explore_live import drawn, figure, press, saved

HEART = "confusability?data=heart_hungarian&s=age&x=chol&missing=drop"
CHARTS = ("range_graph_before", "range_graph_after", "merges", "trade_off", "range_table")


def settle(page):
    """Wait until all charts are drawn and the trade-offs are there."""
    waiting.settle(page, CHARTS, busy=["Computing the trade-offs"])


def place(page, key, trace, point):
    """Return where on the screen a point of a chart is."""
    return page.evaluate(
        """([key, trace, point]) => {
          const plot = document.querySelector(`.st-key-${key} .lsc-plot`);
          plot.scrollIntoView({ block: 'center' });
          const { xaxis, yaxis } = plot._fullLayout;
          const { x, y } = plot.data[trace];
          const box = plot.getBoundingClientRect();
          return [box.x + xaxis._offset + xaxis.l2p(x[point]),
                  box.y + yaxis._offset + yaxis.l2p(y[point])];
        }""",
        [key, trace, point],
    )


def test_a_slider_steps_through_the_merges_and_the_url_restores(visit):
    page = visit(HEART)
    settle(page)
    known, graph = figure(page, "Most ruled out"), drawn(page, "range_graph_after")
    press(page, "step", 3)
    page.wait_for_url(re.compile("step=4"))
    page.wait_for_function(
        "old => document.querySelector('.st-key-range_graph_after .lsc-plot').dataset.drawn != old",
        arg=graph,
    )
    settle(page)
    assert float(figure(page, "Most ruled out")) > float(known)
    again = visit(page.url.split("/", 3)[3])
    settle(again)
    assert figure(again, "Most ruled out") == figure(page, "Most ruled out")
    assert again.locator(".st-key-step input[type='range']").input_value() == "4"


def test_a_click_on_the_trade_off_loads_its_partition(visit):
    page = visit(HEART)
    settle(page)
    before = figure(page, "k-anonymity")
    waiting.click(page, "trade_off", place(page, "trade_off", 0, 1))
    page.wait_for_url(re.compile(r"weight=0\.2"))
    settle(page)
    assert int(figure(page, "k-anonymity")) > int(before)
    ring = page.locator(".st-key-trade_off .lsc-ring").get_attribute("data-now")
    assert ring == " ".join(
        str(value)
        for value in page.evaluate(
            """() => {
              const { x, y } = document.querySelector('.st-key-trade_off .lsc-plot').data[0];
              return [x[1], y[1]];
            }"""
        )
    )


def test_a_click_on_a_part_opens_it_and_secrets_have_their_own_graph(visit):
    page = visit(HEART)
    settle(page)
    waiting.click(page, "range_graph_before", place(page, "range_graph_before", 1, 0))
    page.locator(".st-key-range_graph_before", has_text="X itself, part 1").wait_for()
    page.wait_for_function(
        "document.querySelector('.st-key-range_graph_before .lsc-plot').data.at(-1).x.length == 60"
    )
    page.locator(".st-key-view button", has_text="secrets").click()
    page.wait_for_url(re.compile("view=secret"))
    page.wait_for_function(
        "document.querySelector('.st-key-range_graph_before .lsc-plot').data.at(-1).x.length == 37"
    )


def test_hovering_an_edge_says_what_its_ends_share(visit):
    page = visit("confusability?data=example:parity&s=&x=")
    settle(page)
    at = place(page, "range_graph_before", 1, 0)
    page.mouse.move(at[0] - 2, at[1])
    page.mouse.move(*at)
    page.locator(".st-key-range_graph_before .hoverlayer", has_text="in common").wait_for()


def test_the_example_loads_with_one_click_and_its_mechanism_is_taken_along(visit):
    page = visit("confusability")
    settle(page)
    page.locator(".st-key-range_examples button").first.click()
    page.locator(".st-key-load_heart button").click()
    page.wait_for_url(re.compile("heart_hungarian"))
    page.wait_for_function(
        "document.querySelector('.st-key-range_graph_before .lsc-plot')"
        ".getAttribute('aria-label').includes('2 separate parts')"
    )
    page.keyboard.press("Escape")
    page.locator(".st-key-range_export button").first.click()
    result = saved(page, page.locator(".st-key-range_CSV button"))
    assert len(pd.read_csv(result.path())) == 153


def test_the_quantisation_is_used_on_every_page(visit):
    page = visit("confusability")
    settle(page)
    kept = figure(page, "NMI")
    page.get_by_role("button", name="Use on every page").click()
    page.wait_for_url(re.compile("mech=merge_anonymity"))
    page.get_by_role("link", name="Explore").first.click()
    page.get_by_role("heading", name="give away").wait_for()
    assert figure(page, "NMI") == kept


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_a_phone(visit, dark):
    page = visit(HEART, width=390, height=844, dark=dark)
    settle(page)
    wide = page.evaluate(
        """() => [document.documentElement, document.querySelector('[data-testid=stMain]')]
             .map(e => e.scrollWidth - e.clientWidth)"""
    )
    assert max(wide) <= 0


def test_charts_have_a_name_for_those_who_do_not_see_them(visit):
    page = visit(HEART)
    settle(page)
    names = page.evaluate(
        "[...document.querySelectorAll('.lsc-plot')].map(e => e.getAttribute('aria-label'))"
    )
    assert len(names) == len(CHARTS)
    assert all(len(name) > 20 for name in names)
