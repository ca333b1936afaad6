"""A release of persons with several records: said in the certificate, and checked by `verify`."""

import copy
import json
from collections import Counter
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, ReadOptions, Sources
from core.errors import InvalidInputError
from core.records import verifying
from core.records.applying import apply
from core.records.certificate import fingerprint, make
from core.records.checking import persons as checking
from core.records.checking.persons import check_person_levels
from core.records.design import Plan, original
from core.records.draws import Seeded
from core.records.other_columns import given_away
from core.records.readable import promises
from core.records.verifying import failed, verify
from core.release import persons
from core.scenario import Scenario, evaluate

SEED = 2**90 + 1


def released(folder, *, first=False, drawn=None, person="id", sampling="", of_person=False):
    """Release 150 records of 40 persons; `of_person`: whether each has one sex."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "id": rng.integers(40, size=150),
            "sex": rng.choice(["f", "m"], 150),
            "job": rng.choice(["a", "b", "c"], 150),
            "wt": rng.integers(3, size=150),
        }
    )
    if of_person:
        frame["sex"] = np.where(frame["id"] % 3 == 0, "f", "m")
    frame.to_csv(folder / "visits.csv", index=False)
    read = ReadOptions(person=person, first=first, drawn=drawn, sampling=sampling)
    sources = Sources()
    source = sources.add_file(folder / "visits.csv")
    data = DataSpec(source, ("sex",), ("job",), read=read)
    result = evaluate(Scenario(data=data, notion="lip", eps=0.5, mechanism="optimal"), sources)
    answer = original(source, sources, read)
    plan = Plan(Seeded(SEED), "chosen", keep=("id",))
    return frame, make(result, answer, plan, folder / "y.csv").certificate


def outcomes(folder, body):
    return verify(json.dumps(body), folder / "y.csv", folder / "visits.csv", str(SEED))


def of_persons(body):
    return {entry["about"]: entry for entry in body["promises"]}["persons"]


def test_all_records_are_released_and_the_most_of_a_person_is_said(tmp_path):
    frame, body = released(tmp_path)
    most = max(Counter(frame["id"]).values())
    assert body["original"]["persons"] == most > 1
    assert body["released"]["records"] == len(frame)
    assert of_persons(body)["status"] == "not promised"
    assert of_persons(body)["sentence"] == (
        f"Up to {most} records a person: a promise for one record is not one for a person. What "
        "they all reveal was not counted: S is unknown, or differs within a person."
    )
    assert body["levels"]["persons"] is None
    checks = outcomes(tmp_path, body)
    assert failed(checks) == []
    assert next(check for check in checks if check.name == "persons").passed
    alone = {check.name: check.passed for check in verify(json.dumps(body), tmp_path / "y.csv")}
    assert alone["persons"] is alone["person levels"] is None


def test_only_the_first_record_of_each_is_released(tmp_path):
    frame, body = released(tmp_path, first=True)
    first = frame.drop_duplicates("id")
    assert pd.read_csv(tmp_path / "y.csv")["id"].tolist() == first["id"].tolist()
    assert body["original"] | {"persons": 1, "records": len(first)} == body["original"]
    assert of_persons(body)["sentence"].startswith(
        "Only the first record of each person, identified by 'id', is"
    )
    assert failed(outcomes(tmp_path, body)) == []


def test_only_a_drawn_record_of_each_is_released(tmp_path):
    frame, body = released(tmp_path, drawn=7)
    ids = pd.read_csv(tmp_path / "y.csv")["id"]
    assert sorted(ids) == sorted(frame["id"].unique())
    assert ids.tolist() != frame.drop_duplicates("id")["id"].tolist()  # in the file's order
    assert body["original"]["persons"] == 1
    assert "drawn with seed 7, which is not secret" in of_persons(body)["sentence"]
    assert failed(outcomes(tmp_path, body)) == []


@pytest.mark.parametrize("first", [False, True])
def test_rows_of_weight_0_are_no_records_of_a_person(tmp_path, first):
    frame, body = released(tmp_path, first=first, sampling="wt")
    frame = frame[frame["wt"] > 0]
    kept = frame.drop_duplicates("id") if first else frame
    assert pd.read_csv(tmp_path / "y.csv")["id"].tolist() == kept["id"].tolist()
    assert body["original"]["persons"] == max(Counter(kept["id"]).values())
    assert failed(outcomes(tmp_path, body)) == []


def test_without_persons_nothing_is_said(tmp_path):
    _, body = released(tmp_path, person="")
    assert "persons" not in body["original"]
    assert "persons" not in {entry["about"] for entry in body["promises"]}


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Return a folder, the records and the certificate of persons with one sex each, and the rest.

    The rest is what verify compares the certificate with, which passes every check.
    """
    folder, counted = tmp_path_factory.mktemp("several"), []
    frame, body = released(folder, of_person=True)

    def kept(body, *rest):
        counted.append(rest)
        return check_person_levels(body, *rest)

    with patch.object(verifying, "check_person_levels", kept):
        assert failed(outcomes(folder, body)) == []
    return folder, frame, body, counted[0]


def level_check(folder, body):
    return next(check for check in outcomes(folder, body) if check.name == "person levels")


def again(body, edit):
    """Return an edited certificate, with promises and fingerprint that follow from it."""
    body = copy.deepcopy(body)
    edit(body["levels"])
    body["promises"] = promises({key: body[key] for key in body if key != "promises"})
    body["fingerprint"] = fingerprint(body)
    return body


def test_all_outputs_of_a_person_have_levels_and_two_cases_where_they_are_too_many(several):
    _, frame, body, counted = several
    found = body["levels"]["persons"]
    of = Counter(Counter(frame["id"]).values())
    assert {int(m): entry["persons"] for m, entry in found["counted"].items()} == {
        m: n for m, n in of.items() if m > 1
    }
    kernel = np.array(body["mechanism"]["kernel"])
    inputs = body["mechanism"]["inputs"]
    joint = Counter()  # of the pairs of persons with two records, by all pairs of outputs
    pairs = [group for _, group in frame.groupby("id") if len(group) == 2]
    for group in pairs:
        x, other = (inputs.index(job) for job in group["job"])
        for y, y_2 in np.ndindex(kernel.shape[1], kernel.shape[1]):
            joint[group["sex"].iloc[0], y, y_2] += kernel[x, y] * kernel[other, y_2] / len(pairs)
    table = np.array(
        [[joint[s, y, y_2] for y, y_2 in np.ndindex(*kernel.shape[1:] * 2)] for s in "fm"]
    )
    table = table[:, table.sum(axis=0) > 0]
    lifts = table / table.sum(axis=0) / table.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):  # an output rules a sex out
        level = max(np.log(lifts.max()), -np.log(lifts.min()))
    stated = found["counted"]["2"]["levels"]
    assert float(stated["lip"]) == pytest.approx(level)
    assert stated["pml"] == pytest.approx(np.log(lifts.max()))
    sentence = of_persons(body)["sentence"]
    assert "all outputs of a person together can rule out a value of S" in sentence
    assert "∞" not in sentence
    assert check_person_levels(body, *counted).passed


def test_two_cases_stand_where_there_are_too_many_combinations(tmp_path):
    with patch.object(persons, "MOST_TOGETHER", 30), patch.object(checking, "MOST_TOGETHER", 30):
        _, body = released(tmp_path, of_person=True)
        found = body["levels"]["persons"]
        left = [int(m) for m, of in found["counted"].items() if of["levels"] is None]
        assert left
        assert (
            f"The outputs of {max(left)} records have too many combinations"
            in of_persons(body)["sentence"]
        )
        assert "In two cases, neither of which is a bound," in of_persons(body)["sentence"]
        assert failed(outcomes(tmp_path, body)) == []
        edited = again(body, lambda levels: levels["persons"]["cases"]["alike"].update(level=0.0))
        assert level_check(tmp_path, edited).sentence.startswith("The case 'alike' reaches")


def test_a_persons_records_are_found_in_all_batches(several, tmp_path):
    folder, _, body, _ = several
    sources, read = Sources(), ReadOptions(person="id")
    source = sources.add_file(folder / "visits.csv")
    scenario = Scenario(data=DataSpec(source, ("sex",), ("job",), read=read), notion="lip", eps=0.5)
    result, table = evaluate(scenario, sources), sources.records(source, read).table
    found = [
        apply(result, table, tmp_path / "y.csv", Plan(Seeded(SEED)), batch=batch).persons
        for batch in (7, 10_000)
    ]
    assert found[0] == found[1]
    counted = body["levels"]["persons"]["counted"]
    assert {m: of.persons for m, of in found[0].items() if m > 1} == {
        int(m): of["persons"] for m, of in counted.items()
    }


@pytest.mark.parametrize(
    ("edit", "passed"),
    [
        (lambda levels: levels["persons"]["counted"]["2"]["levels"].update(lip=0.1), False),
        (lambda levels: levels["persons"]["counted"]["2"].update(levels=None), False),
        (lambda levels: levels["persons"]["counted"]["2"].update(persons=1), False),
        (lambda levels: levels["persons"]["counted"].pop("2"), False),
        (lambda levels: levels.update(persons=None), False),
        (
            lambda levels: levels["persons"].update(
                cases={key: {"level": 0.0, "at_most": 0.0} for key in ("alike", "independent")}
            ),
            False,
        ),
        (lambda levels: levels.pop("persons"), None),
    ],
)
def test_false_levels_of_persons_are_found(several, edit, passed):
    _, _, body, counted = several
    assert check_person_levels(again(body, edit), *counted).passed is passed


def test_levels_of_persons_need_persons_with_several_records(tmp_path):
    body = released(tmp_path, first=True)[1]
    assert "persons" not in body["levels"]
    edited = again(body, lambda levels: levels.update(persons=None))
    assert level_check(tmp_path, edited).passed is False


@pytest.mark.parametrize("change", ["fewer", "none", "not named"])
def test_a_false_number_of_records_is_found(tmp_path, change):
    body = copy.deepcopy(released(tmp_path)[1])
    if change == "fewer":
        body["original"]["persons"] -= 1
    elif change == "none":
        del body["original"]["persons"]
    else:
        del body["scenario"]["data"]["read"]
    body["promises"] = promises({key: body[key] for key in body if key != "promises"})
    body["fingerprint"] = fingerprint(body)
    assert "persons" in {check.name for check in failed(outcomes(tmp_path, body))}


@pytest.mark.slow
def test_a_million_persons_and_a_column_that_names_them_get_a_sentence_each(tmp_path):
    n = 1_000_000
    rng = np.random.default_rng(0)
    sex, job = rng.integers(0, 2, (2, n)).repeat(2, axis=1)
    ids, path = np.arange(n).repeat(2), tmp_path / "people.parquet"
    pd.DataFrame({"sex": sex, "job": job, "id": ids}).to_parquet(path)
    sources = Sources()
    read = ReadOptions(person="id")
    spec = DataSpec(sources.add_file(path), ("sex",), ("job",), read=read)
    scenario = Scenario(data=spec, mechanism="optimal", notion="lip", eps=0.5)
    result = evaluate(scenario, sources)
    file = original(spec.source, sources, read)
    made = make(result, file, Plan(Seeded(SEED)), tmp_path / "y.parquet")
    assert of_persons(made.certificate)["sentence"].startswith(
        "Up to 2 records a person: a promise for one record is not one for a person."
    )
    (beside,) = given_away(result, file.table, [("id",)])
    assert (beside.determined, beside.unique) == (1.0, 0.0)
    with pytest.raises(
        InvalidInputError, match=r"^'id', .* has about [\d,]+ values; at most 2,000"
    ):
        evaluate(replace(scenario, data=replace(spec, known=("id",))), sources)
