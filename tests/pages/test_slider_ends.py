"""A slider whose ends depend on the data keeps its value where its ends change."""

import asyncio
from urllib.parse import urlencode

import pytest

from core.scenario import DOMAINS
from pages.ui.frame import controls
from tests.browser.served import served
from tests.visitor import EXCEPTION, visiting

BEYOND = {"s": "race", "x": "education", "notion": "average_mi", "eps": "8"}
"""A question with a budget far beyond what X itself tells."""


async def moved(address, page, query):
    """Open a question, move a slider down three times, and return what each move led to."""
    async with visiting(address) as visitor:
        await visitor.load()
        visitor.page = visitor.pages[page]
        await visitor.load(urlencode(query))
        result = []
        for value in (0.4, 0.2, 0.01):
            await visitor.move("eps", value)
            result.append([item for item in visitor.texts.values() if item.startswith(EXCEPTION)])
        return result, visitor.query_value("eps")


@pytest.mark.parametrize(("page", "more"), [("", {}), ("mechanisms", {"mech": "pair_rr"})])
def test_a_budget_beyond_the_data_can_be_moved_down(page, more):
    with served() as address:
        result, eps = asyncio.run(moved(address, page, BEYOND | more))
    assert (result, eps) == ([[], [], []], "0.01")


def test_the_steps_of_a_slider_that_has_no_end_on_its_data_are_finite():
    result = controls.steps(DOMAINS["eps_l"], 0.5)
    assert result[0] == 0
    assert result[-2:] == [8.0, float("inf")]
