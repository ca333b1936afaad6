import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core import mechanisms as m
from core.data import BUNDLED, Binning, DataSpec, Filter, count
from core.errors import InvalidInputError
from core.notions import ALIP, LIP, GuessingProbability, Intersection, PointwiseMaximalLeakage
from core.scenario import PURPOSES, Promise, Scenario, evaluate
from core.scenario.purpose import build_purpose
from core.scenario.snippet import snippet
from core.scenario.url import from_query
from core.utilities import Distortion, Guess, Information, SquaredError, Task

INCOME = DataSpec(task=("income",))
AGES = DataSpec(released=("age",), binnings=(Binning("age", "quantile", 6),))


@pytest.fixture(scope="module")
def frame():
    folder = Path(m.__file__).parents[1] / "data" / "bundled"
    return pd.read_parquet(folder / "adult_train.parquet")


def test_the_task_is_counted_against_x(frame):
    assert any(entry.id == "adult" for entry in BUNDLED)
    counted = count(INCOME)
    shares = pd.crosstab(
        frame["income"], frame["occupation"].fillna("(missing)"), normalize="columns"
    )
    named = shares.reindex(index=counted.task.labels, columns=counted.joint.x_labels)
    np.testing.assert_allclose(counted.task.p_t_given_x, named.to_numpy())
    assert counted.task.title == "income"


def test_filters_bins_and_rare_levels_are_those_of_x(frame):
    spec = DataSpec(
        task=("income",),
        released=("age",),
        binnings=(Binning("age", "width", 4),),
        filters=(Filter("sex", ("Female",)),),
        secret=("race",),
        rare_below=50,
    )
    counted = count(spec)
    women = frame[frame["sex"] == "Female"]
    expected = (counted.task.p_t_given_x @ counted.joint.p_x)[
        list(counted.task.labels).index(">50K")
    ]
    assert expected == pytest.approx((women["income"] == ">50K").mean())


def test_of_pairs_the_task_is_told_from_the_pair():
    counted = count(replace(INCOME, secret_released=True))
    assert counted.task.p_t_given_x.shape == (2, counted.joint.n_x)
    alone = count(INCOME)
    np.testing.assert_allclose(
        counted.task.p_t_given_x @ counted.joint.p_x, alone.task.p_t_given_x @ alone.joint.p_x
    )


def test_income_is_predicted_and_sex_is_not():
    result = evaluate(Scenario(data=INCOME, notion="lip", eps=0.1, purpose="task"))
    made = result.mechanism
    plain = evaluate(Scenario(data=INCOME, notion="lip", eps=0.1)).mechanism
    assert made.status == "optimal"
    assert isinstance(made.purpose, Task)
    assert isinstance(plain.purpose, Information)
    reported = made.purpose.value(result.joint, plain.kernel)
    assert made.utility > reported + 1e-4
    assert made.information < plain.information
    assert made.audit.holds


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [
        (Scenario(data=INCOME, purpose="guess"), Guess),
        (Scenario(purpose="guess"), Guess),
        (Scenario(purpose="distortion", loss="hamming"), Distortion),
        (Scenario(data=AGES, purpose="distortion", loss="absolute"), Distortion),
        (Scenario(data=AGES, purpose="distortion", loss="squared"), SquaredError),
        (
            Scenario(
                purpose="distortion", loss="table", table=tuple((float(x), 1.0) for x in range(15))
            ),
            Distortion,
        ),
    ],
)
def test_every_purpose_is_honoured(scenario, kind):
    scenario = replace(scenario, notion="lip", eps=0.3)
    result = evaluate(scenario)
    made = result.mechanism
    assert isinstance(made.purpose, kind)
    assert made.status == "optimal"
    watchdog = evaluate(replace(scenario, mechanism="watchdog")).mechanism
    assert isinstance(watchdog.purpose, kind)
    assert watchdog.utility <= made.upper_bound + 1e-9
    assert made.purpose.value(result.joint, made.kernel) == pytest.approx(made.utility)


def test_each_purpose_is_built_and_written_as_one_of_its_own():
    counted = count(INCOME)
    every = [Scenario(data=INCOME, purpose=key, loss="hamming") for key in PURPOSES]
    kinds = {type(build_purpose(item, counted.joint, task=counted.task)) for item in every}
    codes = {PURPOSES[item.purpose].code(item, True) for item in every}
    assert len(kinds) == len(codes) == len(PURPOSES)


def test_sides_and_several_promises_at_once():
    scenario = Scenario(
        notion="sides",
        eps_l=float("inf"),
        eps_u=0.3,
        also=(Promise("guess", bound=0.8), Promise("lip", eps=0.4)),
    )
    made = evaluate(scenario).mechanism
    assert made.notion == Intersection(ALIP(np.inf, 0.3), GuessingProbability(0.8), LIP(0.4))
    assert made.status == "optimal"
    assert Scenario.from_json(scenario.to_json()) == scenario
    assert json.loads(scenario.to_json())["eps_l"] == "inf"
    identity = replace(scenario, mechanism="identity")
    assert identity.content_hash() == replace(identity, also=()).content_hash()
    assert scenario.content_hash() != replace(scenario, also=()).content_hash()
    assert Promise("pml", eps=0.5).build(evaluate(Scenario()).joint) == PointwiseMaximalLeakage(0.5)


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario(data=INCOME, purpose="task", notion="lip", eps=0.2),
        Scenario(purpose="guess", notion="pml", eps=0.2, mechanism="watchdog"),
        Scenario(data=INCOME, purpose="guess", notion="guess", bound=0.75),
        Scenario(data=AGES, purpose="distortion", loss="squared", notion="kl", eps=0.01),
        Scenario(data=AGES, purpose="distortion", notion="robust_ldp", eps=1.0),
        Scenario(purpose="distortion", loss="hamming", notion="l1_upper", eps=0.2),
        Scenario(notion="sides", eps_u=float("inf"), also=(Promise("ldp", eps=0.5),)),
    ],
)
def test_the_program_says_what_the_answer_says(scenario, capsys):
    made = evaluate(scenario).mechanism
    exec(compile(snippet(scenario), "snippet", "exec"), {})
    text = capsys.readouterr().out
    assert f"I(X;Y) {made.information:.6f} nats" in text
    if scenario.purpose != "information":
        assert f"{made.purpose.title} {made.utility:.6f}" in text


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (Scenario(purpose="task"), "choose the column of T"),
        (Scenario(purpose="distortion"), "absolute error needs numbers, and X is not numeric"),
        (Scenario(purpose="distortion", loss="table"), "The loss table is empty"),
        (
            Scenario(purpose="distortion", loss="table", table=((1.0, 0.0),)),
            "loss table must have 15 rows",
        ),
        (Scenario(data=DataSpec(task=("sex",)), purpose="task"), "T and S are both 'sex'"),
        (Scenario(data=DataSpec(task=("occupation",))), "T and X are both 'occupation'"),
        (Scenario(data=DataSpec(task=("income", "income"))), "T has the column 'income' more"),
        (
            Scenario(
                data=DataSpec(
                    task=("income",),
                    filters=(Filter("income", (">50K",)),),
                )
            ),
            r"T \('income'\) has only one level, '>50K': there is nothing to predict",
        ),
        (
            Scenario(data=DataSpec("random:uniform:2x4:0", (), (), task=("income",))),
            "without a column for a task",
        ),
        (
            Scenario(data=INCOME, purpose="task", mechanism="conditional_reporting", notion="lip"),
            "also reads S",
        ),
    ],
)
def test_what_is_missing_is_named(scenario, message):
    with pytest.raises(InvalidInputError, match=message):
        evaluate(scenario)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"purpose": "money"}, f"purpose must be one of {', '.join(PURPOSES)}, got"),
        ({"purpose": ["task"]}, "purpose must be one of"),
        ({"loss": "cubic"}, "loss must be one of absolute"),
        ({"table": 3}, "table must be a list of rows"),
        ({"table": [1, 2]}, "table must be a list of rows"),
        ({"table": [[1, 2], [3]]}, "as many numbers in each row, got 1 and 2"),
        ({"table": [[1, -2]]}, "at least 0, got -2.0"),
        ({"table": [[1, None]]}, "finite"),
        ({"also": {"notion": "lip"}}, "also must be a list"),
        ({"also": [{"eps": 1}]}, "with its notion"),
        ({"also": [{"notion": "lip", "money": 1}]}, "unknown entry 'money'"),
        ({"also": [{"notion": "lip", "eps": -1}]}, "eps must be in"),
        ({"also": [{"notion": "dp"}]}, "notion must be one of"),
        ({"bound": 0}, r"bound must be in \[0.01, 1\]"),
        ({"eps_l": -1}, "eps_l must be in"),
        ({"data": {"task": "income"}}, "task must be a list"),
    ],
)
def test_bad_json_is_named(values, message):
    with pytest.raises(InvalidInputError, match=message):
        Scenario.from_json(json.dumps(values))


def test_promises_must_be_promises():
    with pytest.raises(InvalidInputError, match="also must hold notions"):
        Scenario(also=({"notion": "lip"},))


def test_a_link_with_bad_lists_says_so():
    scenario, notices = from_query(
        {"also": ['{"notion": "pml", "eps": 0.5}', "{", '{"notion": "dp"}'], "table": "[[1], 2]"}
    )
    assert scenario.also == (Promise("pml", eps=0.5),)
    assert scenario.table == ()
    assert len(notices) == 3
    assert all(notice.startswith("The link has ") for notice in notices)
