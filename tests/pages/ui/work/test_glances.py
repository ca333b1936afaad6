"""First glances: one search at a time, and what is shown where others are searching."""

from dataclasses import replace

import pytest

from core.data.spec import DataSpec
from core.scenario import Scenario
from core.studies.known import UNPROVEN
from pages.ui.work import answers, glances

ASKED = Scenario(data=DataSpec("random:uniform:3x6:1", (), ()), notion="lip", eps=0.5)


@pytest.mark.usefixtures("solves")
def test_where_others_search_the_answer_at_a_smaller_budget_is_the_glance(monkeypatch):
    known = answers.evaluate(ASKED).mechanism
    asked = replace(ASKED, eps=1.0)
    with monkeypatch.context() as patched, glances.turn(patient=True):
        patched.setattr(glances, "GLANCE", 0.0)
        glance = answers.evaluate(asked).mechanism
        assert answers.is_refining(asked)
    assert (glance.kernel == known.kernel).all()
    assert glance.status == UNPROVEN
    assert not glances.is_taken(asked)
    found = answers.evaluate(asked).mechanism
    assert glances.is_taken(asked)
    assert found.utility > known.utility


def test_a_turn_ends_with_what_it_was_for():
    with pytest.raises(ValueError, match="no answer"), glances.turn(patient=True):
        raise ValueError("no answer")
    with glances.turn(patient=True) as came:
        assert came
