"""A release of persons with several records: said in the certificate, and checked by `verify`."""

import copy
import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, ReadOptions, Sources
from core.records.certificate import fingerprint, make
from core.records.design import Plan, original
from core.records.draws import Seeded
from core.records.readable import promises
from core.records.verifying import failed, verify
from core.scenario import Scenario, evaluate

SEED = 2**90 + 1


def released(folder, *, first=False, drawn=None, person="id", sampling=""):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "id": rng.integers(40, size=150),
            "sex": rng.choice(["f", "m"], 150),
            "job": rng.choice(["a", "b", "c"], 150),
            "wt": rng.integers(3, size=150),
        }
    )
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


def said(body):
    return {entry["about"]: entry for entry in body["promises"]}["persons"]


def test_all_records_are_released_and_the_most_of_a_person_is_said(tmp_path):
    frame, body = released(tmp_path)
    most = max(Counter(frame["id"]).values())
    assert body["original"]["persons"] == most > 1
    assert body["released"]["records"] == len(frame)
    assert said(body)["status"] == "not promised"
    assert said(body)["sentence"] == (
        f"Up to {most} records a person: a promise for one record is not one for a person."
    )
    checks = outcomes(tmp_path, body)
    assert failed(checks) == []
    assert next(check for check in checks if check.name == "persons").passed
    alone = verify(json.dumps(body), tmp_path / "y.csv")
    assert next(check for check in alone if check.name == "persons").passed is None


def test_only_the_first_record_of_each_is_released(tmp_path):
    frame, body = released(tmp_path, first=True)
    first = frame.drop_duplicates("id")
    assert pd.read_csv(tmp_path / "y.csv")["id"].tolist() == first["id"].tolist()
    assert body["original"] | {"persons": 1, "records": len(first)} == body["original"]
    assert said(body)["sentence"].startswith("Only the first record of each person, as 'id' names")
    assert failed(outcomes(tmp_path, body)) == []


def test_only_a_drawn_record_of_each_is_released_and_drawn_again_by_verify(tmp_path):
    frame, body = released(tmp_path, drawn=7)
    ids = pd.read_csv(tmp_path / "y.csv")["id"]
    assert sorted(ids) == sorted(frame["id"].unique())
    assert ids.tolist() != frame.drop_duplicates("id")["id"].tolist()  # in the file's order
    assert body["original"]["persons"] == 1
    assert "drawn by the seed 7, which is not secret" in said(body)["sentence"]
    assert failed(outcomes(tmp_path, body)) == []
    body["scenario"]["data"]["read"]["drawn"] = 8
    body["fingerprint"] = fingerprint(body)
    assert failed(outcomes(tmp_path, body))


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
