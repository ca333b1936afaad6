"""The worked examples of docs/contributing.md run, in their order."""

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import notions
from core.data import count
from core.mechanisms import frontier
from core.notions import LDP, LIP, catalogue
from core.release.implications import implied
from core.release.sentences import finding
from core.scenario import Scenario, evaluate
from core.scenario.project import Project
from core.scenario.purpose import Promise
from core.scenario.snippet import snippet
from core.scenario.url import from_query, to_query
from core.studies import comparison, side_by_side

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")


def blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_measure_notion_number_and_mechanism_are_what_the_walk_through_says():
    examples = blocks("python")
    assert len(examples) == 6
    scope = {"__name__": "contributing"}
    for number, example in enumerate(examples):
        exec(compile(example, f"docs/contributing.md, example {number + 1}", "exec"), scope)
    assert scope["made"].n_y == scope["joint"].n_x + 1
    assert scope["best"].gap <= 1e-6
    p = scope["joint"].p
    lifts = (p @ scope["one_sided"].kernel)[0] / (p @ scope["one_sided"].kernel).sum(0) / p[0].sum()
    assert lifts.max() <= np.exp(0.5) + 1e-9 < np.exp(0.5) / lifts.min()
    kept = (p.sum(0)[:, None] * scope["hit"].kernel).T @ [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]
    assert abs(kept.max(1).sum() - scope["hit"].utility) < 1e-9


@pytest.fixture
def one_value(monkeypatch):
    """Return the key of the notion of the walk-through, in the catalogue and exported."""
    scope = {"__name__": "contributing"}
    for example in blocks("python")[:2]:
        exec(compile(example, "docs/contributing.md", "exec"), scope)
    entry = scope["one_value"]
    for listing in ("ENTRIES", "ALL"):
        monkeypatch.setattr(catalogue, listing, (*getattr(catalogue, listing), entry))
    monkeypatch.setattr(notions, entry.kind.__name__, entry.kind, raising=False)
    monkeypatch.setattr(notions, "__all__", [*notions.__all__, entry.kind.__name__])
    return entry.key


def test_a_notion_from_outside_is_a_question_in_every_form(one_value):
    request = Scenario(notion=one_value, eps=0.25)
    assert to_query(request) == {"notion": ["one_value"], "eps": ["0.25"]}
    assert from_query(to_query(request)) == (request, ())
    assert Scenario.from_json(request.to_json()) == request
    beside = Scenario(notion="lip", also=(Promise(notion=one_value, eps=0.125),))
    assert from_query(to_query(beside)) == (beside, ())
    assert Scenario.from_json(beside.to_json()) == beside


@pytest.mark.parametrize("mechanism", ["optimal", "subset_merging", "grr"])
def test_a_notion_from_outside_is_answered_told_and_written_as_a_program(
    one_value, mechanism, capsys
):
    request = Scenario(notion=one_value, eps=0.1, mechanism=mechanism)
    result = evaluate(request)
    lift = result.joint.release(result.mechanism.kernel)[0] / (
        result.joint.p_s[0] * result.after.joint_sy.sum(axis=0)
    )
    assert np.abs(np.log(lift)).max() <= 0.1 + 1e-12  # by hand: of one value, and of no other
    assert result.mechanism.audit.holds
    text = finding(result, "bits")
    assert "survives" in text
    if mechanism == "optimal":
        assert result.mechanism.status == "optimal"
        assert "Proven: no mechanism under 0.14427-one-value LIP in bits keeps more" in text
    program = snippet(request)
    assert "from core.notions import OneValue" in program
    exec(compile(program, "snippet", "exec"), {"__name__": "snippet"})
    assert f"I(X;Y) {result.mechanism.information:.6f} nats" in capsys.readouterr().out


def test_a_notion_from_outside_has_frontiers_implications_and_company(one_value):
    request = Scenario(notion=one_value, eps=0.3, also=(Promise(notion="ldp", eps=0.4),))
    counted = count(request.data)
    joint = counted.joint
    both = evaluate(request).mechanism
    assert both.audit.holds
    assert LDP(0.4).holds(joint, both.kernel)
    alone = evaluate(Scenario(notion=one_value, eps=0.3)).mechanism
    assert both.utility <= alone.utility + 1e-9
    points = frontier(joint, catalogue.entry(one_value).kind, [0.0, 0.3])
    assert points[1].utility == pytest.approx(alone.utility, abs=2e-6)
    assert points[0].utility <= points[1].utility
    levels = implied(joint, alone.notion)
    assert levels["lip"] == pytest.approx(LIP(1).achieved(joint, alone.kernel), abs=1e-6)
    columns = side_by_side.compare(Project((Scenario(notion=one_value), Scenario(notion="lip"))))
    reported = {column.scenario.notion: column.levels["one_value"] for column in columns}
    assert reported["one_value"] == pytest.approx(1.0, abs=1e-6)
    assert reported["lip"] <= 1.0 + 1e-9
    rows = comparison.compare(request, counted, 0.3)
    assert {"optimal", "subset_merging"} <= {row.key for row in rows}


def test_a_notion_from_outside_is_on_the_page(one_value):
    page = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=600)
    page.query_params["notion"] = one_value
    page.query_params["mech"] = "subset_merging"
    page.run()
    assert not page.exception
    assert page.session_state["notion"] == one_value


def test_the_page_shows_the_answer_to_the_question_of_the_session():
    (example,) = blocks("python page")
    page = AppTest.from_string(example, default_timeout=600).run()
    assert not page.exception
    (sentence,) = (text.value for text in page.main.markdown if "come out as" in text.value)
    n_x, n_y = map(int, re.findall(r"\d+", sentence))
    assert (n_x, n_y > 1) == (15, True)
    page.query_params["s"] = "nope"
    page.run()
    assert not page.exception
    assert any(button.label.startswith("Use ") for button in page.main.button)
