"""The caption of the frontier names the mechanisms whose own line falls, and no other."""

from types import SimpleNamespace

import numpy as np

from core.scenario import Scenario, evaluate
from pages.ui.explore import charts
from pages.ui.explore.charts import falling


def line(mechanism, *nmi):
    return SimpleNamespace(mechanism=mechanism, nmi=np.array(nmi))


def test_a_line_that_falls_by_itself_is_named():
    lines = {0: line("optimal", 0.5, 0.7), 1: line("watchdog", 0.4, 0.6, 0.5)}
    assert falling(lines).startswith("Watchdog can keep less")


def test_nothing_is_said_where_none_falls():
    assert falling({}) == ""
    assert falling({0: line("watchdog", 0.4, np.nan, 0.4, 0.6)}) == ""
    assert falling({0: line("watchdog", 0.4, 0.4 - 1e-9)}) == ""


def test_two_promises_for_one_mechanism_name_it_once():
    lines = {0: line("watchdog", 0.6, 0.5), 1: line("watchdog", 0.7, 0.5)}
    assert falling(lines).count("Watchdog") == 1


def test_several_lines_that_fall_are_named_in_the_plural():
    lines = {
        place: line(mechanism, 0.6, 0.5)
        for place, mechanism in enumerate(("subset_random_response", "subset_merging", "watchdog"))
    }
    reported = falling(lines)
    assert reported.startswith("Subset random response, Subset merging and Watchdog can keep less")


def test_one_nat_is_spoken_of_as_one():
    request = Scenario(mechanism="watchdog", eps=1.0)
    assert "now ε is 1 nat, " in charts._spoken(evaluate(request), "nats")
    assert "now ε is 1.443 bits, " in charts._spoken(evaluate(request), "bits")
