"""A release with sampling weights: each record stays one, and levels are those of weights."""

import copy
import json
import math

import numpy as np
import pandas as pd
import pytest

from core.data import DataSpec, ReadOptions, Sources
from core.records.applying import write
from core.records.certificate import Release, certificate, fingerprint, make
from core.records.design import Plan, original
from core.records.draws import Seeded
from core.records.readable import promises
from core.records.verifying import failed, verify
from core.scenario import Scenario, evaluate

SEED = 2**90 + 1
READ = ReadOptions(sampling="wt")


def survey(path, n=300, seed=1):
    rng = np.random.default_rng(seed)
    s = rng.choice(["f", "m"], n)
    x = np.where(rng.random(n) < 0.4, s, rng.choice(["a", "b", "c"], n))
    weights = np.round(np.where(s == "f", 4.0, 0.5) * rng.gamma(2.0, 1.0, n) + 0.01, 3)
    weights[:4] = 0.0
    frame = pd.DataFrame({"sex": s, "job": x, "wt": weights})
    frame.to_csv(path, index=False)
    return frame[frame["wt"] > 0]


def released(folder, notion="lip", keep=(), **settings):
    frame = survey(folder / "survey.csv")
    sources = Sources()
    source = sources.add_file(folder / "survey.csv")
    data = DataSpec(source, ("sex",), ("job",), read=READ)
    scenario = Scenario(data=data, notion=notion, eps=0.6, mechanism="optimal", **settings)
    plan = Plan(Seeded(SEED), "chosen" if keep else "dropped", keep=keep)
    result = evaluate(scenario, sources)
    made = make(result, original(source, sources, READ), plan, folder / "y.csv")
    return frame, made, result


def checks(folder, body):
    return verify(json.dumps(body), folder / "y.csv", folder / "survey.csv", str(SEED))


def lip_by_hand(frame, body, weights):
    """Return max |log P(s, y)/P(s)P(y)| over the kernel, by definition."""
    inputs, kernel = body["mechanism"]["inputs"], np.array(body["mechanism"]["kernel"])
    p = np.array(
        [
            [weights[(frame.sex == s) & (frame.job == x)].sum() for x in inputs]
            for s in body["design"]["s"]
        ]
    )
    joint = p / p.sum() @ kernel
    lift = joint / np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(np.abs(np.log(lift[:, joint.sum(axis=0) > 0])).max())


def test_levels_are_those_of_the_weights_and_the_file_has_each_record_once(tmp_path):
    frame, made, _ = released(tmp_path)
    body = json.loads(json.dumps(made.certificate))
    assert len(pd.read_csv(tmp_path / "y.csv")) == len(frame) == 296
    weights = frame["wt"]
    assert body["design"]["records"] == int(weights.sum() ** 2 / (weights**2).sum())
    by_weights = lip_by_hand(frame, body, weights)
    by_records = lip_by_hand(frame, body, weights * 0 + 1)
    assert abs(by_weights - by_records) > 0.01
    assert body["levels"]["design"]["lip"] == pytest.approx(by_weights, abs=1e-9)
    assert body["levels"]["asked"]["achieved"] == pytest.approx(by_weights, abs=1e-9)
    assert body["levels"]["records"]["lip"] == pytest.approx(by_records, abs=1e-9)
    outcomes = checks(tmp_path, body)
    assert failed(outcomes) == []
    assert {check.name for check in outcomes if check.passed is None} <= {"nothing else"}


def test_what_it_says(tmp_path):
    _, made, _ = released(tmp_path)
    text = {entry["about"]: entry for entry in made.certificate["promises"]}
    assert "shows by the sampling weights of 'wt'" in text["one record"]["sentence"]
    assert (
        "counted once each have another distribution: by their own"
        in text["fresh records"]["sentence"]
    )
    assert text["sampling error"]["status"] == "not promised"
    assert "pair of S and X, and their total weight: a guess" in text["counts"]["sentence"]


def test_no_confidence_is_promised_over_a_set(tmp_path):
    _, made, _ = released(tmp_path, "robust_ldp")
    text = {entry["about"]: entry for entry in made.certificate["promises"]}
    error = text["sampling error"]
    assert math.isfinite(made.certificate["levels"]["design"]["robust_ldp"])
    assert error["status"] == "not promised"
    assert (
        "the probability that this set contains the true distribution is unknown"
        in error["sentence"]
    )
    assert "confidence 95" not in json.dumps(made.certificate["promises"])
    assert failed(checks(tmp_path, made.certificate)) == []


def test_the_weights_can_stay_beside_y_with_their_figures(tmp_path):
    frame, made, _ = released(tmp_path, keep=("wt",))
    assert pd.read_csv(tmp_path / "y.csv")["wt"].tolist() == frame["wt"].tolist()
    assert made.certificate["beside"]["records"] == len(frame)
    assert failed(checks(tmp_path, made.certificate)) == []


@pytest.mark.parametrize("entry", ["records", "design", "without"])
def test_a_certificate_without_the_weights_is_refused(tmp_path, entry):
    _, made, _ = released(tmp_path)
    body = copy.deepcopy(made.certificate)
    if entry == "without":
        del body["scenario"]["data"]["read"]["sampling"]
    elif entry == "records":
        body["levels"]["records"] = None
    else:
        body["levels"]["design"], body["levels"]["records"] = (
            body["levels"]["records"],
            body["levels"]["design"],
        )
    body["promises"] = promises({key: body[key] for key in body if key != "promises"})
    body["fingerprint"] = fingerprint(body)
    assert failed(checks(tmp_path, body))


def test_a_design_with_weights_for_other_records(tmp_path):
    _, made, result = released(tmp_path)
    other = tmp_path / "other.csv"
    survey(other, 200, 9)
    sources = Sources()
    source = sources.add_file(other)
    target = tmp_path / "z.csv"
    plan = Plan(Seeded(SEED), "dropped")
    again = _applied(result, original(source, sources, READ), plan, target)
    assert made.certificate["design"]["same"]
    outcomes = verify(json.dumps(again), target, other, str(SEED), design=tmp_path / "survey.csv")
    assert failed(outcomes) == []


def _applied(result, source, plan, target):
    applied = write(result, source, target, "CSV", plan)
    return certificate(Release(result, source, False, plan, applied), target)
