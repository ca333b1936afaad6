import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.spec import DataSpec
from core.joint import Joint
from core.notions import catalogue as notions
from core.notions.numbers import Numbers
from core.scenario import Project, Scenario, evaluate
from core.studies.side_by_side import (
    UNLISTED,
    Column,
    compare,
    described,
    differences,
    entries,
    level_title,
    levels,
    most,
    reference,
    table,
)
from tests.strategies import joints

SMALL = DataSpec("random:uniform:3x5:0", (), ())
PAIR = DataSpec("random:uniform:2x3:0", (), (), secret_released=True)


def column(key, data=SMALL, **more):
    return Scenario(data=data, notion=key, **more)


def by_hand(joint, kernel):
    """Return levels from their definitions, a loop for each, without the notions' code."""
    p = joint.release(kernel)
    occurs = p.sum(axis=0) > 0
    p = p[:, occurs]
    n_s, n_y = p.shape
    prior = [float(p[s].sum()) for s in range(n_s)]
    lifts = [[float(p[s, y] / (prior[s] * p[:, y].sum())) for s in range(n_s)] for y in range(n_y)]
    low, high = min(map(min, lifts)), max(map(max, lifts))
    floor = math.inf if low == 0 else -math.log(low)
    ratio = max(math.inf if min(of) == 0 else max(of) / min(of) for of in lifts)
    reported = sum(
        p[s, y] * math.log(lifts[y][s]) for y in range(n_y) for s in range(n_s) if p[s, y] > 0
    )
    return {
        "lip": max(0.0, floor, math.log(high)),
        "ldp": math.log(ratio),
        "pml": math.log(high),
        "min_lift": floor,
        "guess": max(lifts[y][s] * prior[s] for y in range(n_y) for s in range(n_s)),
        "average_mi": reported,
        "average_guess": sum(float(p[:, y].max()) for y in range(n_y)),
        "average_tv": 0.5
        * sum(abs(p[s, y] - prior[s] * p[:, y].sum()) for y in range(n_y) for s in range(n_s)),
    }


@given(joint=joints(max_x=4), seed=st.integers(0, 99), ys=st.integers(1, 4))
@settings(max_examples=40)
def test_levels_are_those_of_their_definitions(joint, seed, ys):
    if (joint.p_s == 0).any():
        joint = Joint.from_counts(joint.p[joint.p_s > 0] * 1000)
    kernel = np.random.default_rng(seed).dirichlet(np.ones(ys), joint.n_x)
    result = levels(joint, kernel, Numbers())
    for key, value in by_hand(joint, kernel).items():
        assert result[key] == pytest.approx(value, abs=1e-9), key


def test_the_level_of_every_notion_is_told_and_two_budgets_are_scaled():
    result = evaluate(column("alip", lam=0.25, eps=1.2))
    answer = levels(result.joint, result.mechanism.kernel, Numbers(lam=0.25))
    assert set(answer) == {entry.key for entry in entries()}
    assert {*answer, *UNLISTED, "sides"} == {
        entry.key for entry in notions.ENTRIES + notions.AVERAGES
    }
    # ε_l = λε and ε_u = (1−λ)ε: the least ε is the larger of the two sides' own
    request = max(answer["min_lift"] / 0.25, answer["pml"] / 0.75)
    assert answer["alip"] == pytest.approx(request)
    assert answer["alip"] <= 1.2 + 1e-9
    assert math.isnan(answer["rldp"])  # S is not released


def test_robust_levels_wait_where_they_take_long():
    joint = Joint.random_uniform(3, 60, np.random.default_rng(0))
    quick = levels(joint, np.eye(60), slow=False)
    assert "robust_ldp" not in quick
    assert "lip" in quick
    assert "robust_ldp" in levels(joint, np.ones((60, 1)), slow=False)


def test_levels_of_all_columns_are_told_at_the_same_numbers():
    columns = (column("lip", lam=0.9), column("alip", lam=0.3), column("alpha", alpha=math.inf))
    numbers = reference(columns)
    assert (numbers.lam, numbers.alpha, numbers.eps) == (0.3, math.inf, 1.0)
    assert level_title("alpha", numbers) == "α-lift-privacy, λ = 0.3, α = ∞"
    robust = reference([column("robust_ldp", n=1000, beta=0.1)])
    assert level_title("robust_ldp", robust) == "RLDP for S – X – Y, α = 2, β = 0.1, n = 1,000"


def test_columns_are_answered_and_the_largest_difference_comes_first():
    project = Project(tuple(column("lip", eps=eps) for eps in (0.2, 0.4, 0.4)), ("a", "b", "c"))
    columns = compare(project)
    alone = evaluate(project.scenarios[0])
    assert columns[0].result.mechanism.utility == alone.mechanism.utility
    rows = differences(columns, reference(project.scenarios))
    relative = [row.relative for row in rows if not math.isnan(row.relative)]
    assert relative == sorted(relative, reverse=True)
    lip = next(row for row in rows if row.key == "lip")
    assert lip.values == pytest.approx((0.2, 0.4, 0.4))
    assert (lip.spread, lip.relative) == (pytest.approx(0.2), pytest.approx(0.5))
    kept = next(row for row in rows if row.key == "kept")
    assert kept.values == tuple(item.result.mechanism.kept for item in columns)
    assert "rldp" not in [row.key for row in rows]  # no column has it
    assert "nmi" not in [row.key for row in rows]  # what was asked for is X


def test_equal_columns_differ_in_nothing():
    columns = compare(Project((column("lip"), column("lip"))))
    rows = differences(columns, Numbers())
    assert {row.relative for row in rows} == {0.0}


def test_infinite_levels_differ_from_finite_ones_by_all():
    open_, shut = compare(Project((column("lip", PAIR, mechanism="identity"), column("lip", PAIR))))
    row = next(item for item in differences([open_, shut], Numbers()) if item.key == "ldp")
    assert (row.values[0], row.spread, row.relative) == (math.inf, math.inf, 1.0)
    same = next(item for item in differences([open_, open_], Numbers()) if item.key == "ldp")
    assert (same.spread, same.relative) == (0.0, 0.0)


def test_one_without_an_answer_leaves_the_others_theirs():
    good, bad = compare(Project((column("lip"), column("rldp"))))
    assert bad.reason.startswith("RLDP protects S when S is released together with U")
    assert (bad.result, good.reason) == (None, "")
    rows = differences((good, bad), Numbers())
    kept = next(row for row in rows if row.key == "kept")
    assert math.isnan(kept.values[1])
    assert math.isnan(kept.spread)


def test_a_purpose_is_told_beside_what_is_kept_of_x():
    request = replace(column("lip"), purpose="guess")
    columns = compare(Project((request, column("lip"))))
    rows = {row.key: row for row in differences(columns, Numbers())}
    assert rows["nmi"].values[0] == columns[0].result.mechanism.nmi
    assert rows["kept"].values[0] == columns[0].result.mechanism.kept
    assert most(columns[0].result) >= columns[0].result.mechanism.kept


def test_a_table_and_json_say_the_same():
    project = Project((column("lip"), column("rldp")), ("first", "second"), ("why", ""))
    columns = compare(project)
    numbers = reference(project.scenarios)
    written = json.loads(json.dumps(described(project, columns, numbers), allow_nan=False))
    assert [item["note"] for item in written["columns"]] == ["why", ""]
    assert written["columns"][1]["answer"] is None
    assert written["columns"][0]["levels"]["rldp"] is None
    lines = table(columns, numbers).splitlines()
    assert lines[0].split() == ["first", "second"]
    assert lines[1].split() == ["notion", "1-LIP", "–"]
    kept = columns[0].result.mechanism.kept
    assert any(line.split()[-2:] == [f"{100 * kept:.1f}%", "–"] for line in lines)
    titles = [row["title"] for row in written["differences"]]
    assert [title for title in titles if any(line.startswith(title) for line in lines)] == titles


def test_units_are_those_of_the_notions():
    probabilities = {entry.key for entry in entries() if entry.parameters == ("bound",)}
    assert not any(notions.entry(key).in_nats for key in probabilities)
    empty = Column("a", column("lip"))
    assert differences([empty], Numbers()) == ()


def test_levels_of_y_alone_are_said_to_be_that_where_something_is_known():
    request = column("lip", mechanism="identity")
    given = replace(request, data=DataSpec(known=("race",)))
    numbers = reference([request])
    last = table(compare(Project((request, given), ("a", "b"))), numbers).splitlines()[-1]
    assert last == "Levels are of Y alone, for someone who does not know race."
    assert "alone" not in table(compare(Project((request,), ("a",))), numbers)
