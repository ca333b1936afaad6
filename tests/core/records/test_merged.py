"""A release of symbols that were merged or left out: what is drawn, and that it verifies."""

import json
from collections import Counter

import numpy as np
import pytest

from core.data.spec import LeftOut, Merge
from core.records.certificate import fingerprint
from core.records.draws import Keyed, Seeded
from core.records.readable import promises
from core.records.verifying import failed, verify
from tests.core.records.makers import (
    SEED,
    answer_on,
    identity,
    keeping,
    people,
    read,
    released,
    write,
)
from tests.core.records.test_verifying import certified, outcomes


@pytest.mark.parametrize("rare", [0, 700])
def test_a_release_of_merged_symbols_passes_every_check(tmp_path, rare):
    original = write(people(3_000), tmp_path / "people.csv")
    names = ("a, b", f"(rare: {count_rare(original, rare)} levels)" if rare else "東京")
    merges = (Merge(("town",), names),)
    result, table = answer_on(original, mechanism="watchdog", merges=merges, rare_below=rare)
    assert " or ".join(names) in result.joint.x_labels
    body, path = certified(tmp_path, result, original)
    answer = outcomes(body, path, original, seed=str(SEED))
    assert {name: item.passed for name, item in answer.items() if item.passed is not True} == {}
    applied, _ = released(identity(result), table, tmp_path / "as_it_is.csv")
    assert applied.outputs.tolist() == np.rint(result.joint.p_x * 3_000).tolist()


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("with_s", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_release_without_some_symbols_passes_every_check(tmp_path, grouped, with_s, joined):
    rare = (200 if joined else 700) if grouped else 0
    columns = people(3_000)
    columns["town"][5] = columns["town"][9] = None
    columns["kind"] = [("x", "y", "z")[i % 3] for i in range(3_000)]
    original = write(columns, tmp_path / "people.csv")
    released_columns = ("town", "note") if joined else ("town",)
    whole, _ = answer_on(original, ("kind",), released_columns, rare_below=rare)
    gone = (LeftOut(released_columns, (whole.joint.x_labels[1], "nobody")),)
    if with_s:
        gone += (LeftOut(("kind",), ("y",)),)
    merges = (Merge(released_columns, whole.joint.x_labels[: 2 if grouped else 3]),)
    if not joined:
        merges += (Merge(("elsewhere",), ("a", "b")),)
    result, table = answer_on(
        original, ("kind",), released_columns, rare_below=rare, left_out=gone, merges=merges
    )
    left, kinds = whole.joint.x_labels[1], {"x", "z"} if with_s else {"x", "y", "z"}
    assert left not in " or ".join(result.joint.x_labels).split(" or ")
    assert set(result.joint.s_labels) == kinds
    body, path = certified(tmp_path, result, original)
    answer = outcomes(body, path, original, seed=str(SEED))
    assert {name: item.passed for name, item in answer.items() if item.passed is not True} == {}
    away = body["original"]["filtered"]
    counts = np.rint(whole.joint.p * whole.joint.n)
    s_away = [name not in kinds for name in whole.joint.s_labels]
    assert away == counts[:, 1].sum() + np.delete(counts, 1, axis=1)[s_away].sum()
    assert result.counted.report.n_used == result.joint.n == 3_000 - away
    applied, _ = applied_as_it_is(result, table, tmp_path)
    assert applied.outputs.tolist() == np.rint(result.joint.p_x * result.joint.n).tolist()
    assert applied.filtered == away
    assert applied.unknown == ()


def applied_as_it_is(result, table, folder):
    return released(identity(result), table, folder / "as_it_is.csv")


GONE = "東京"


@pytest.fixture
def withheld(tmp_path):
    """Release records without a town, which a merge names too; return what `outcomes` needs."""
    original = write(people(900), tmp_path / "people.csv")
    more = {
        "left_out": (LeftOut(("town",), (GONE, "nowhere")), LeftOut(("age",), (GONE,))),
        "merges": (
            Merge(("town",), ("Köln", GONE, "Zürich")),
            Merge(("town",), ("a, b", "nowhere")),
        ),
    }
    result, _ = answer_on(original, **more)
    body, path = certified(tmp_path, result, original)
    return body, path, original


def test_names_left_out_are_in_no_certificate(withheld):
    body, path, original = withheld
    text = json.dumps(body, ensure_ascii=False)
    assert GONE not in text
    assert "nowhere" not in text
    assert "Köln or Zürich" in body["mechanism"]["inputs"]
    assert [len(body["design"]["left_out"][side]) for side in ("s", "x")] == [0, 2]
    (counts,) = [item for item in body["promises"] if item["about"] == "counts"]
    assert "The names of 2 values left out are withheld." in counts["sentence"]
    result = outcomes(body, path, original, seed=str(SEED))
    assert {name: item.passed for name, item in result.items() if item.passed is not True} == {}
    assert result["left out"].sentence.endswith("commitment, opened by the seed.")


def test_without_the_secret_the_records_left_out_are_not_known(withheld):
    body, path, original = withheld
    result = outcomes(body, path, original)
    assert failed(list(result.values())) == []
    assert result["left out"].passed is result["data"].passed is result["cells"].passed is None
    assert result["data"].sentence.startswith("Which records were left out is not known")
    assert result["promised: one record"].passed is None


@pytest.mark.parametrize("forged", [[], ["0" * 64]])
def test_a_certificate_that_hides_other_symbols_than_were_left_out_fails(withheld, forged):
    body, path, original = withheld
    body["design"]["left_out"]["x"] = forged
    body["promises"] = promises(body)
    body["fingerprint"] = fingerprint(body)
    result = outcomes(body, path, original, seed=str(SEED))
    assert [item.name for item in failed(list(result.values()))] == ["left out"]
    del body["design"]["left_out"]
    body["promises"] = promises(body)
    body["fingerprint"] = fingerprint(body)
    result = outcomes(body, path, original, seed=str(SEED))
    assert failed(list(result.values()))


def test_a_seed_that_can_be_found_hides_no_names(tmp_path):
    original = write(people(900), tmp_path / "people.csv")
    result, _ = answer_on(original, left_out=(LeftOut(("town",), (GONE,)),))
    body, path = certified(tmp_path, result, original, keeping(Seeded(5)))
    (counts,) = [item for item in body["promises"] if item["about"] == "counts"]
    assert "named, rare ones too. So are the values that are left out." in counts["sentence"]
    assert failed(list(outcomes(body, path, original, seed="5").values())) == []


def test_the_key_shows_what_was_left_out_of_other_records(tmp_path):
    design = write(people(900), tmp_path / "people.csv")
    result, _ = answer_on(
        design, left_out=(LeftOut(("town",), (GONE,)), LeftOut(("sex",), ("none",)))
    )
    fresh = write(people(300, seed=4), tmp_path / "fresh.csv")
    (tmp_path / "key").write_bytes(b"k" * 20)
    plan = keeping(Keyed(b"k" * 20, "id"))
    body, path = certified(tmp_path, result, fresh, plan, same=False)
    text = json.dumps(body)
    answer = verify(text, path, fresh, design=design, key=tmp_path / "key")
    assert {item.name: item.passed for item in answer if item.passed is not True} == {}
    answer = {item.name: item for item in verify(text, path, fresh, key=tmp_path / "key")}
    assert answer["left out"].passed is None
    assert "which you did not give." in answer["left out"].sentence


def count_rare(original, least):
    """Return how many towns fewer people live in."""
    towns = Counter(read(original)["town"])
    return sum(number < least for number in towns.values())
