"""Every line of the start panel, worked out."""

import math
from urllib.parse import parse_qs

import numpy as np
import pytest

from core.data import count
from core.measures.leakage import leakage
from core.mechanisms import catalogue
from core.notions import LIP
from core.release.repeats import repeated
from core.scenario import Project, evaluate
from core.scenario.presets import LANDING, PRESETS, preset
from core.scenario.url import from_query


def kept(key):
    """Return what each column of a preset keeps, in whole per cent, and the sentence."""
    item = preset(key)
    request = item.request.scenarios if isinstance(item.request, Project) else (item.request,)
    return [round(100 * evaluate(scenario).mechanism.kept) for scenario in request], item.line


@pytest.mark.parametrize("entry", PRESETS, ids=lambda item: item.key)
def test_a_link_reads_back_to_its_question(entry):
    page, _, query = entry.link.partition("?")
    values = parse_qs(query, keep_blank_values=True)
    read = Project.from_query if isinstance(entry.request, Project) else from_query
    result, notices = read(values)
    assert (page or LANDING, result, notices) == (entry.page, entry.request, ())


def test_keys_and_titles_are_distinct():
    assert len({item.key for item in PRESETS}) == len({item.title for item in PRESETS}) == 8
    with pytest.raises(KeyError):
        preset("nothing")


def test_the_bound_on_min_lift_costs_what_the_line_says():
    result, line = kept("asymmetry")
    assert result[:2] == [85, 94]
    joint = count(preset("asymmetry").request.scenarios[0].data).joint
    lifts = joint.p / np.outer(joint.p_s, joint.p_x)
    assert (round(lifts.max()), round(1 / lifts.min())) == (3, 159)
    for number in ("raise one at most threefold", "1/159", "94%", "85%"):
        assert number in line


def test_subset_merging_keeps_what_the_line_says():
    result, line = kept("lift_figure_4")
    assert result[1:] == [73, 82, 90]
    assert [f"{value}%" in line for value in result[1:]] == [True] * 3


def test_the_watchdog_gains_what_the_line_says():
    request = preset("alip_figure_2").request.scenarios
    first, second, third = (evaluate(item).mechanism.kept for item in request)
    line = preset("alip_figure_2").line
    assert f"keeps {100 * (second - first):.0f} percentage points more;" in line
    assert f"only {100 * (third - second):.0f}." in line


def test_robust_mechanisms_keep_what_the_line_says():
    result, line = kept("rldp_example_3")
    assert result == [52, 55, 9]
    assert all(f"{value}%" in line for value in result)
    assert all(item.eps == math.log(2) for item in preset("rldp_example_3").request.scenarios)


def test_the_repaired_product_keeps_what_the_line_says():
    result, line = kept("funnel_theorem_4")
    request = preset("funnel_theorem_4").request
    joint = count(request.data).joint
    best = catalogue.build("optimal", joint, request.build_notion(joint))
    assert result == [50]
    assert "keep 50%" in line
    assert f"keeps {100 * best.kept:.0f}%" in line
    assert any("Theorem 4 says otherwise" in note for note in evaluate(request).mechanism.notes)


def test_the_heart_data_has_what_the_line_says():
    joint = count(preset("heart").request.data).joint
    counts = np.rint(joint.p * joint.n)
    line = preset("heart").line
    assert f"form {np.count_nonzero(counts)} pairs" in line
    assert f"{np.count_nonzero(counts == 1)} occur once" in line
    assert f"in {joint.n} records" in line


def test_the_task_survives_as_the_line_says():
    result, line = kept("task")
    assert result == [99]
    assert "99%" in line
    assert preset("task").request.eps == 1.0


def test_two_draws_lose_what_the_line_says():
    answer, line = kept("twice")
    result = evaluate(preset("twice").request)
    assert answer == [56]
    assert "56%" in line
    item, two = (repeated(result.joint, result.mechanism.kernel, LIP(1.0), k) for k in (1, 2))
    itself = leakage(result.joint.p, result.joint.x_labels).achieved["lip"]
    assert item == pytest.approx(0.0, abs=1e-9)
    assert two == pytest.approx(itself, abs=1e-9)
