"""The advice below Explore's charts, worked out by another route."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data.spec import DataSpec
from core.notions.robust_markov import RobustLDP, ball_around
from core.scenario import Scenario, evaluate
from core.scenario.url import to_query
from core.studies.frontier import sweep
from tests.pages.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
DATA = DataSpec("german_credit", ("credit",), ("purpose",))
ASKED = Scenario(data=DATA, notion="lip", eps=0.5, mechanism="subset_merging")


def advised(scenario):
    app = AppTest.from_file(ROOT / "pages/explore.py", default_timeout=PATIENCE)
    for key, values in to_query(scenario).items():
        app.query_params[key] = values
    app.run()
    assert not app.exception
    said = [one.value for one in app.markdown if one.value.startswith("- :small[")]
    return said[0].replace("\\", "") if said else ""


@pytest.mark.usefixtures("sweeps")
def test_it_is_read_off_the_line_the_mechanism_and_the_records():
    said = advised(ASKED)
    result = evaluate(ASKED)
    joint, kernel = result.joint, result.mechanism.kernel
    given = joint.p_x[:, None] * kernel
    inputs = -np.log(given / given.sum(axis=0), where=given > 0, out=np.zeros_like(given))
    lost = (given * inputs).sum(axis=1)
    share = 100 * lost.max() / (joint_entropy(joint) - result.mechanism.information)
    assert f"costs most: {share:.1f} % of what is lost of X." in said
    most = RobustLDP(0.0, ball_around(joint)).achieved(joint, kernel)
    assert "1,000 records leave open what the truth is" in said
    assert f"{result.after.achieved['ldp']:.3f} at the estimate" in said
    assert f"at most {most:.3f} nats" in said
    assert f"(robust?{urlencode(to_query(ASKED), doseq=True)})" in said


def joint_entropy(joint):
    return float(-(joint.p_x * np.log(joint.p_x)).sum())


@pytest.mark.usefixtures("sweeps")
def test_nothing_is_advised_where_nothing_is_lost_and_no_line_is_ready():
    identity = Scenario(data=DataSpec("example:symmetric", (), ()), mechanism="identity")
    assert advised(identity) == ""


@pytest.mark.usefixtures("sweeps")
def test_a_line_that_never_keeps_enough_says_so():
    asked = Scenario(
        data=DataSpec("example:parity", (), ()), notion="lip", mechanism="subset_merging"
    )
    assert "No ε of the line is known to keep 90 %." in advised(asked)


@pytest.mark.usefixtures("sweeps")
def test_the_least_budget_is_one_that_keeps_enough():
    said = advised(ASKED)
    text = said.split("ε = ")[1].split()[0]
    joint = evaluate(ASKED).joint
    (kept,) = sweep(ASKED, joint, [float(text)]).nmi
    assert kept >= 0.9
    assert f"keeps {100 * kept:.1f} %" in said


@pytest.mark.usefixtures("sweeps")
def test_the_last_half_nat_is_between_two_points_of_the_line():
    asked = replace(ASKED, eps=1.0)
    said, joint = advised(asked), evaluate(asked).joint
    low, high = (float(part.split()[0]) for part in said.split("From ε = ")[1].split(" to ")[:2])
    assert high - low == pytest.approx(0.5)
    first, second = sweep(ASKED, joint, [low, high]).nmi
    assert f"the mechanism keeps {100 * (second - first):.1f} points more." in said
    assert "costs most" not in said  # all of X is kept
