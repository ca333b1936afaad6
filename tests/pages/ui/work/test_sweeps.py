"""What is said of a frontier's lines: those that fall by themselves are named, and no other."""

from types import SimpleNamespace

import numpy as np

from pages.ui.work.sweeps import falling


def line(mechanism, *nmi):
    return SimpleNamespace(mechanism=mechanism, nmi=np.array(nmi))


def test_a_line_that_falls_by_itself_is_named():
    lines = [line("optimal", 0.5, 0.7), line("watchdog", 0.4, 0.6, 0.5)]
    assert falling(lines).startswith("Watchdog can keep less")


def test_nothing_is_said_where_none_falls():
    assert falling([]) == ""
    assert falling([line("watchdog", 0.4, np.nan, 0.4, 0.6)]) == ""
    assert falling([line("watchdog", 0.4, 0.4 - 1e-9)]) == ""


def test_two_promises_for_one_mechanism_name_it_once():
    lines = [line("watchdog", 0.6, 0.5), line("watchdog", 0.7, 0.5)]
    assert falling(lines).count("Watchdog") == 1


def test_several_lines_that_fall_are_named_in_the_plural():
    names = ("subset_random_response", "subset_merging", "watchdog")
    lines = [line(mechanism, 0.6, 0.5) for mechanism in names]
    reported = falling(lines)
    assert reported.startswith("Subset random response, Subset merging and Watchdog can keep less")
