"""A certificate in words says the figures of the certificate, and nothing else."""

import json
import math
import shlex

import pytest
from pyarrow import parquet

from core.data import Sources
from core.data.catalogue import FOLDER
from core.errors import InvalidInputError
from core.records.certificate import make
from core.records.design import Plan, command_line, original
from core.records.draws import Keyed, Seeded
from core.records.readable import level_rows, sections
from core.scenario import Scenario, evaluate

SEED = 2**90 + 1


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    def release(plan, **request):
        result = evaluate(Scenario(mechanism="watchdog", **request))
        target = tmp_path_factory.mktemp("release") / "y.parquet"
        return make(result, original("adult", Sources()), plan, target).certificate

    return release


def rows_of(body):
    return {name: text for item in sections(body) for name, text in item.rows}


def test_every_section_says_what_the_certificate_has(made):
    body = made(Plan(Seeded(SEED)))
    text = rows_of(body)
    used = 100 * body["levels"]["asked"]["achieved"]
    assert text["Privacy notion"] == f"(0.5, 0.5)-ALIP; level reached {used:.4g}% of its budgets"
    twice = 100 * body["levels"]["repeated"]["2"]["level"]
    assert text["Level of 2 independent releases"] == f"{twice:.4g}% of its budgets"
    assert text["Kept"] == f"{body['proof']['utility']:.4g} nats of all of X"
    assert text["Computed by"] == "a formula"
    assert text["Best possible"].startswith("not proven: it is a heuristic")
    assert "closed form" not in repr(sections(body))
    assert text["Records released"] == "all 32,561"
    assert text["Commitment to the original, by the seed"] == body["original"]["commitment"]
    assert text["Released file, SHA-256"] == body["released"]["sha256"]
    assert text["Commitment to the seed"] == Seeded(SEED).commitment
    assert text["This certificate"] == body["fingerprint"]
    none = "no record has one; with one, nothing would have been released"
    also = " (a missing value is a level like any other)"
    assert text["Values unknown to the mechanism"] == none + also
    assert str(SEED) not in repr(sections(body))
    assert "Reads" not in text


def test_a_proof_says_no_more_than_its_bound(made):
    body = json.loads(json.dumps(made(Plan(Seeded(SEED)))))
    body["proof"] |= {"status": "optimal", "upper_bound": body["proof"]["utility"]}
    assert rows_of(body)["Best possible"].startswith("yes, proven")
    body["proof"]["upper_bound"] += 0.25
    text = rows_of(body)["Best possible"]
    assert text == "proven to within 0.25 nats: another mechanism may keep that much more"


def test_levels_are_those_of_the_certificate_in_its_order(made):
    body = json.loads(json.dumps(made(Plan(Seeded(SEED)), eps=8.0)))
    rows = level_rows(body)
    result = body["levels"]["design"]
    assert len(rows) == len(result)
    for row, value in zip(rows, result.values(), strict=True):
        expected = None if value is None else math.inf if value == "inf" else value
        assert row.design == expected
        assert row.records is None
    assert rows[0].title == "LIP"
    assert {row.unit for row in rows} == {"nats", ""}


def test_a_keyed_draw_names_its_column_alone(made):
    key = b"0123456789abcdef!"
    body = made(Plan(Seeded(SEED))) | {
        "draw": {"kind": "key", "commitment": "c", "id": "passport"},
        "unknown": {"treatment": "drop", "records": 3},
    }
    text = rows_of(body)
    assert (
        text["Outputs"]
        == "by a secret key and the id in 'passport', the same in every release of the same value"
    )
    assert text["Values unknown to the mechanism"].startswith("3 records, left out")
    plan = Plan(Keyed(key, "-my id"), "kept", "a 'symbol'")
    line = command_line(plan, "-my file.csv", "out.csv")
    assert key.decode() not in line
    words = shlex.split(line.replace("\\\n", " "))
    assert words[:7] == [
        "python", "-m", "core", "release", "scenario.json", "./-my file.csv", "out.csv",
    ]  # fmt: skip
    assert "--id=-my id" in words
    assert "--unknown=a 'symbol'" in words


@pytest.mark.parametrize("source", ["example:parity", "random:uniform:3x4:1"])
def test_a_joint_has_no_original(source):
    with pytest.raises(InvalidInputError, match="joint distribution without records"):
        original(source, Sources())


def test_the_original_of_a_set_of_several_files_has_all_their_records_in_order():
    result = original("adult_all", Sources())
    parts = [parquet.read_table(FOLDER / f"adult_{part}.parquet") for part in ("train", "test")]
    (path,) = result.table.paths
    whole = parquet.read_table(path)
    assert result.rows == whole.num_rows == 48_842
    assert whole.slice(0, 32_561).equals(parts[0])
    assert whole.slice(32_561).equals(parts[1])
    assert original("adult_all", Sources()).sha256 == result.sha256


def test_a_seed_that_can_be_found_by_trying_all_promises_nothing(made):
    body = made(Plan(Seeded(42)))
    (item,) = [each for each in body["promises"] if each["about"] == "one record"]
    assert item["status"] == "not promised"
    assert item["sentence"].endswith("release again with a seed drawn at random.")
    assert rows_of(body)["Outputs"] == "by a seed that can be guessed, once"
    assert (
        rows_of(body)["Commitment to the original, by the seed"] == "none: the seed can be guessed"
    )
