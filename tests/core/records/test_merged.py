"""A release of symbols that were merged or left out: what is drawn, and that it verifies."""

from collections import Counter

import numpy as np
import pytest

from core.data.spec import LeftOut, Merge
from core.records.certificate import fingerprint
from tests.core.records.makers import SEED, asked, identity, people, read, released, write
from tests.core.records.test_verifying import certified, outcomes


@pytest.mark.parametrize("rare", [0, 700])
def test_a_release_of_merged_symbols_passes_every_check(tmp_path, rare):
    original = write(people(3_000), tmp_path / "people.csv")
    names = ("a, b", f"(rare: {count_rare(original, rare)} levels)" if rare else "東京")
    merges = (Merge(("town",), names),)
    result, table = asked(original, mechanism="watchdog", merges=merges, rare_below=rare)
    assert " or ".join(names) in result.joint.x_labels
    body, path = certified(tmp_path, result, original)
    found = outcomes(body, path, original, seed=str(SEED))
    assert {name: one.passed for name, one in found.items() if one.passed is not True} == {}
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
    whole, _ = asked(original, ("kind",), released_columns, rare_below=rare)
    gone = (LeftOut(released_columns, (whole.joint.x_labels[1], "nobody")),)
    if with_s:
        gone += (LeftOut(("kind",), ("y",)),)
    merges = (Merge(released_columns, whole.joint.x_labels[: 2 if grouped else 3]),)
    if not joined:
        merges += (Merge(("elsewhere",), ("a", "b")),)
    result, table = asked(
        original, ("kind",), released_columns, rare_below=rare, left_out=gone, merges=merges
    )
    left, kinds = whole.joint.x_labels[1], {"x", "z"} if with_s else {"x", "y", "z"}
    assert left not in " or ".join(result.joint.x_labels).split(" or ")
    assert set(result.joint.s_labels) == kinds
    body, path = certified(tmp_path, result, original)
    found = outcomes(body, path, original, seed=str(SEED))
    assert {name: one.passed for name, one in found.items() if one.passed is not True} == {}
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


def test_a_certificate_that_hides_what_was_left_out_fails(tmp_path):
    original = write(people(900), tmp_path / "people.csv")
    result, _ = asked(original, left_out=(LeftOut(("town",), ("東京",)),))
    body, path = certified(tmp_path, result, original)
    (counts,) = [one for one in body["promises"] if one["about"] == "counts"]
    assert "named, rare ones too. So are the values that are left out." in counts["sentence"]
    body["scenario"]["data"]["left_out"] = []
    body["fingerprint"] = fingerprint(body)
    found = outcomes(body, path, original, seed=str(SEED))
    assert [name for name, one in found.items() if one.passed is False]


def count_rare(original, least):
    """Return how many towns fewer people live in."""
    towns = Counter(read(original)["town"])
    return sum(number < least for number in towns.values())
