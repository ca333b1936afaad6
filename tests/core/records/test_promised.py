"""What a certificate promises follows from its figures; whose code made it; text that is safe."""

import csv
import json

import pytest

from core.errors import InvalidInputError
from core.records.certificate import fingerprint
from core.records.verifying import failed
from tests.core.records.makers import SEED, answer_on, people, read, write
from tests.core.records.test_verifying import certified, outcomes


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("promised")
    original = write(people(500), folder / "people.csv")
    result, _ = answer_on(original, mechanism="optimal")
    body, path = certified(folder, result, original)
    return body, path, original


def promise_more(body):
    item = next(item for item in body["promises"] if item["about"] == "fresh records")
    item["status"] = "promised"


def promise_once_more(body):
    body["promises"].append({"about": "all", "status": "promised", "sentence": "All is well."})


def promise_nothing(body):
    body["promises"] = []


def repeat_better(body):
    body["levels"]["repeated"]["2"]["level"] = 0.31


@pytest.mark.parametrize(
    ("edit", "names"),
    [
        (promise_more, {"promises"}),
        (promise_once_more, {"promises"}),
        (promise_nothing, {"promises"}),
        (repeat_better, {"repeated levels", "promises"}),
    ],
)
def test_promises_that_do_not_follow_are_told(edit, names, made):
    body, path, original = made
    body = json.loads(json.dumps(body))
    edit(body)
    body["fingerprint"] = fingerprint(body)
    wrong = {item.name for item in failed(list(outcomes(body, path, original, str(SEED)).values()))}
    assert wrong == names


def test_a_certificate_without_the_notion_that_was_asked_for_is_refused(made):
    body, path, original = made
    body = json.loads(json.dumps(body))
    del body["levels"]["asked"]["notion"]
    body["fingerprint"] = fingerprint(body)
    with pytest.raises(InvalidInputError, match=r"lacks the entry 'levels\.asked\.notion'"):
        outcomes(body, path, original, str(SEED))


def test_an_infinite_level_is_not_close_to_a_finite_one(made):
    body, path, original = made
    body = json.loads(json.dumps(body))
    assert body["levels"]["repeated"]["3"]["level"] == "inf"
    for text, passes in (("inf", True), (1e9, False), (None, False)):
        body["levels"]["repeated"]["3"]["level"] = text
        assert outcomes(body, path, original)["repeated levels"].passed is passes


def test_a_certificate_of_other_code_is_checked_by_this_one(made):
    body, path, original = made
    body = json.loads(json.dumps(body)) | {"code": {"version": "0.0.9", "sha256": "0" * 64}}
    body["fingerprint"] = fingerprint(body)
    result = outcomes(body, path, original, str(SEED))
    assert result["code"].passed is None
    assert (
        "Other code made the certificate (version 0.0.9, 000000000000)" in result["code"].sentence
    )
    assert all(item.passed for name, item in result.items() if name != "code")


@pytest.mark.parametrize("target", ["out.csv", "out.tsv", "out.parquet"])
def test_outputs_that_look_like_formulas_are_made_safe_in_text_and_still_checked(target, tmp_path):
    columns = people(600)
    names = {"Köln": "=1+1", "Zürich": "-b", "東京": "＝x"}
    towns = [names.get(town, "@home") for town in columns.pop("town")]
    columns |= {"=town": towns, "+note": ["-5", "=cmd"] * 300}
    original = write(columns, tmp_path / "people.csv")
    result, _ = answer_on(original, released=("=town",), mechanism="optimal")
    body, path = certified(tmp_path, result, original, target=target)
    answer = outcomes(body, path, original, str(SEED))
    assert {name: item.passed for name, item in answer.items() if item.passed is not True} == {}
    if target == "out.parquet":
        assert set(read(path)["=town"]) <= set(result.mechanism.y_labels)
        return
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file, delimiter="\t" if target == "out.tsv" else ",")
    assert {"'=town", "'+note"} <= set(head)
    note = [row[head.index("'+note")] for row in rows]
    assert note == ["-5", "'=cmd"] * 300
    assert all(row[head.index("'=town")][0] not in "=+-@＝" for row in rows)
