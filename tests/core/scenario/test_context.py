"""What exported files are about, in words."""

import pytest

from core.data import Binning, DataSpec
from core.data.spec import Filter
from core.notions import catalogue as notions
from core.notions.numbers import Numbers
from core.scenario import Promise, Scenario
from core.scenario.context import context, file_part, parts, together


@pytest.mark.parametrize("key", [entry.key for entry in notions.ENTRIES])
def test_every_number_of_a_promise_is_named_once(key):
    numbers = Numbers(eps=0.31, lam=0.32, alpha=3.3, beta=0.34, n=350)
    numbers = Numbers(
        **{**vars(numbers), "eps_l": 0.36, "eps_u": 0.37, "bound": 0.38, "delta": 0.39}
    )
    reported = context(Scenario(notion=key, **vars(numbers)))["notion"]
    for name in notions.entry(key).parameters:
        assert reported.count(f" = {getattr(numbers, name):g}") == 1, (name, reported)
    assert reported.startswith(notions.entry(key).title)


def test_treatment_purpose_and_further_promises_are_told():
    spec = DataSpec(
        "adult",
        ("sex",),
        ("age", "race"),
        binnings=(Binning("age", "width", 5),),
        missing="drop",
        rare_below=20,
        filters=(Filter("age", low=18), Filter("race", ("White", "Black"))),
        task=("income",),
    )
    also = (Promise("sides", eps_l=float("inf")),)
    reported = context(Scenario(data=spec, notion="lip", eps=2, also=also, purpose="task"), "Adult")
    assert reported == {
        "data": "Adult",
        "S": "sex",
        "X": "age · race",
        "records": "18 ≤ age, race in White, Black, age in 5 bins (width), missing values left "
        "out, levels of X below 20 records grouped",
        "notion": "LIP, ε = 2 nats and ALIP, separate budgets, εₗ = ∞ nats, εᵤ = 1 nats",
        "mechanism": "Optimal",
        "kept": "a task T: income",
    }


def test_what_reads_no_columns_and_asks_no_promise_says_so():
    reported = context(Scenario(data=DataSpec("random:uniform:3x4:1"), mechanism="identity"))
    assert "S" not in reported
    assert "X" not in reported
    assert parts(reported)[:2] == ["random:uniform:3x4:1", "notion: none"]
    pair = context(Scenario(data=DataSpec("adult", ("sex",), ("race",), secret_released=True)))
    assert pair["X"] == "sex · race"


def test_questions_side_by_side_tell_where_they_differ():
    both = [context(Scenario(notion=key, eps=1)) for key in ("lip", "ldp")]
    result = together(both)
    assert result["X"] == "occupation"
    assert result["notion"] == "LIP, ε = 1 nats | LDP, ε = 1 nats"
    assert together([{"a": "1"}, {}]) == {"a": "1 | –"}


@pytest.mark.parametrize("name", ['a/b\\c:d*e?"<>|', "x\u202egnp.exe", "..", "a\nb", "n" * 999])
def test_a_files_name_can_be_written_everywhere(name):
    reported = file_part(context(Scenario(data=DataSpec("adult", ("sex",), (name,))), name))
    assert 0 < len(reported) <= 120
    assert not set(reported) & set('/\\:*?"<>|\n\u202e')
    assert not reported.startswith(".")


def test_a_file_that_is_not_here_is_named_without_its_hash():
    reported = context(Scenario(data=DataSpec("upload:" + "ab" * 32), mechanism="identity"))
    assert reported["data"] == "upload:not disclosed"
