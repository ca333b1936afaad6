"""A release under a promise given what others know: what its certificate says, and its check."""

import json

import pytest

from core.records.certificate import fingerprint
from core.records.readable import promises
from core.records.verifying import verify
from tests.core.records.makers import SEED, answer_on, people, write
from tests.core.records.test_verifying import certified, outcomes


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    original = write(people(3_000), folder / "people.csv")
    result, _ = answer_on(original, mechanism="optimal", known=("note",))
    body, path = certified(folder, result, original)
    return body, path, original


def test_it_names_what_is_known_and_is_checked_by_a_new_count(made):
    body, path, original = made
    reported = {item["about"]: item["sentence"] for item in promises(body)}
    assert "knows the distribution of S, X and note that" in reported["one record"]
    assert (
        "the person's note, and nothing else about the person: 0.3-LIP given"
        in reported["one record"]
    )
    assert "each pair of S and X, and of S, X and note" in reported["counts"]
    result = outcomes(body, path, original, str(SEED))
    assert {name: item.passed for name, item in result.items() if item.passed is not True} == {}


def test_a_level_that_is_not_that_given_it_is_found_out(made):
    body, path, original = made
    levels = body["levels"]
    forged = body | {"levels": levels | {"asked": levels["asked"] | {"achieved": 0.1}}}
    forged["fingerprint"] = fingerprint(forged)
    assert outcomes(forged, path, original)["promise"].passed is False


def test_a_promise_that_was_not_made_given_it_is_not_said_to_be(made, tmp_path):
    _, _, original = made
    result, _ = answer_on(original, mechanism="optimal")
    body, path = certified(tmp_path, result, original)
    data = body["scenario"]["data"] | {"known": ["note"]}
    notion = body["levels"]["asked"]["notion"] + " given what is known"
    asks = body["levels"]["asked"] | {"notion": notion}
    forged = body | {
        "scenario": body["scenario"] | {"data": data},
        "levels": body["levels"] | {"asked": asks},
    }
    forged["fingerprint"] = fingerprint(forged)
    assert outcomes(forged, path, original)["promise"].passed is False


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            {"notion": "0.3-LIP given what is known"},
            "requests 0.3-LIP; the certificate promises '0.3-LIP given",
        ),
        ({"notion": "0.01-LIP"}, "requests 0.3-LIP; the certificate promises '0.01-LIP'"),
        ({"unit": ""}, "unit is 'nats'; the certificate says ''"),
    ],
)
def test_without_the_original_too_a_notion_must_be_the_scenarios(made, tmp_path, edit, message):
    _, _, original = made
    result, _ = answer_on(original, mechanism="optimal")
    body, path = certified(tmp_path, result, original)
    assert outcomes(body, path)["notion"].passed is True
    forged = body | {"levels": body["levels"] | {"asked": body["levels"]["asked"] | edit}}
    forged["promises"] = promises({key: item for key, item in forged.items() if key != "promises"})
    forged["fingerprint"] = fingerprint(forged)
    answer = outcomes(forged, path)["notion"]
    assert answer.passed is False
    assert message in answer.sentence


def test_without_the_original_a_promise_given_what_is_known_is_the_scenarios(made):
    body, path, _ = made
    assert outcomes(body, path)["notion"].passed is True
    alone = body | {"levels": body["levels"] | {"asked": body["levels"]["asked"]}}
    alone["scenario"] = body["scenario"] | {"data": body["scenario"]["data"] | {"known": []}}
    assert outcomes(alone, path)["notion"].passed is False


def test_without_the_count_of_what_is_known_nothing_is_said_to_hold(made, tmp_path):
    _, _, original = made
    result, _ = answer_on(original, mechanism="optimal", known=("note",))
    columns = people(2_000, seed=4)
    other = write({name: columns[name] for name in columns if name != "note"}, tmp_path / "o.csv")
    body, path = certified(tmp_path, result, other, same=False)
    answer = outcomes(body, path, other)
    assert answer["promise"].passed is None
    with_it = {item.name: item for item in verify(json.dumps(body), path, other, design=original)}
    assert with_it["promise"].passed is True


def test_no_level_of_y_alone_stands_for_it(made, tmp_path):
    _, _, original = made
    result, _ = answer_on(original, mechanism="optimal", known=("note",))
    other = write(people(2_000, seed=5), tmp_path / "o.csv")
    body, _ = certified(tmp_path, result, other, same=False)
    reported = {item["about"]: item["sentence"] for item in promises(body)}
    assert "the level of 0.3-LIP given what is known was not computed" in reported["fresh records"]
