"""A mechanism for each group of known values: certificates against sums of exact fractions."""

import json
import math
from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from core.data.spec import Binning, LeftOut
from core.errors import InvalidInputError
from core.mechanisms.optima import for_each
from core.records import fields
from core.records.certificate import make
from core.records.design import Plan, original
from core.records.draws import Keyed, Seeded
from core.records.fields import FOR_EACH, VERSION
from core.records.readable import sections
from core.records.verifying import failed, verify
from core.release.in_turn import LEVELS
from tests.core.records.makers import KEPT, SEED, answer_on, people, read, write
from tests.core.records.test_forged import forged, put
from tests.core.records.test_several import add, edit

KEY = b"k" * 20

QUESTION = {"secret": ("s",), "released": ("a",), "known": ("k",), "mechanism": "optimal"}


def file_of(counts, path):
    """Write a record for each count of (s, x, k)."""
    columns = {"id": [], "s": [], "a": [], "k": []}
    for place in product(*map(range, counts.shape)):
        for _ in range(int(counts[place])):
            columns["id"].append(f"r{len(columns['id'])}")
            for name, symbol in zip("sak", place, strict=True):
                columns[name].append(f"{name}{symbol}")
    return write(columns, path)


def released(path, least=1, plan=None, *, target="out.csv", **asked):
    """Release a file with a mechanism for each group; return certificate and released file."""
    result, _ = answer_on(path, **QUESTION | asked)
    file = original(result.scenario.data.source, KEPT[-1])
    out = path.parent / target
    plan = plan or Plan(Seeded(SEED), for_each=least)
    return make(result, file, plan, out).certificate, out


def counted(zeros, shape=(2, 3, 3)):
    counts = np.random.default_rng(0).integers(1, 9, size=shape)
    if zeros:
        counts[0, 0, :2] = 0
        counts[1, 1, 0] = 0
        counts[:, 2, 1] = 0
    return counts


def drawn(body, counts):
    """Return P(s, y, k) up to a factor as fractions, by the certificate's kernels."""
    sums = defaultdict(Fraction)
    for group in body["groups"]:
        made = group["mechanism"]
        for value, (x, name) in product(group["values"], enumerate(made["inputs"])):
            k, own = int(value[1:]), int(name[1:])
            for y, chance in zip(made["outputs"], made["kernel"][x], strict=True):
                for s in range(len(counts)):
                    sums[s, y, k] += int(counts[s, own, k]) * Fraction(chance)
    return {place: mass for place, mass in sums.items() if mass > 0}


def levels(after, before):
    """Return the levels of beliefs P(s | place) against P(s | place before), by fractions.

    `after`: masses by (s, place). `before`: those of all secrets at what is known before a place.
    """
    low, high, ratio = Fraction(1), Fraction(1), Fraction(1)
    for at in {place[1:] for place in after}:
        prior = before(at)
        total, whole = sum(after.get((s, *at), 0) for s in prior), sum(prior.values())
        lifts = [after.get((s, *at), 0) / total / (mass / whole) for s, mass in prior.items()]
        low, high = min(low, *lifts), max(high, *lifts)
        ratio = max(ratio, max(lifts) / min(lifts)) if min(lifts) else math.inf
    down = -math.log(low) if low else math.inf
    levels = {"lip": max(down, math.log(high)), "pml": math.log(high), "min_lift": down}
    return levels | {"ldp": math.log(ratio)}


def exact(body, counts):
    """Return the levels given each k, of k alone and of all, and how much is certain of S."""
    n_s, _, n_k = counts.shape
    of_k = {
        k: {s: Fraction(int(counts[s, :, k].sum())) for s in range(n_s) if counts[s, :, k].any()}
        for k in range(n_k)
    }
    mass = drawn(body, counts)
    given = {
        k: levels({at: p for at, p in mass.items() if at[2] == k}, lambda _, k=k: of_k[k])
        for k in range(n_k)
        if of_k[k]
    }
    prior = {s: Fraction(int(counts[s].sum())) for s in range(n_s)}
    known = {(s, k): p for k, own in of_k.items() for s, p in own.items()}
    places = [at[1:] for at in mass]
    certain = sum(p for at, p in mass.items() if places.count(at[1:]) == 1)
    alone = levels(known, lambda _: prior)
    return given, alone, levels(mass, lambda _: prior), certain / int(counts.sum())


def same(stated, expected):
    for key in LEVELS:
        value = float(stated[key])
        assert value == pytest.approx(float(expected[key]), rel=1e-9, abs=1e-9), key


def checked(body, counts):
    """Compare all levels of a certificate with exact ones."""
    given, alone, whole, certain = exact(body, counts)
    key = body["scenario"]["notion"]
    for group in body["groups"]:
        own = [given[int(value[1:])] for value in group["values"]]
        if key in LEVELS:
            assert float(group["level"]) == pytest.approx(max(of[key] for of in own), abs=1e-9)
        assert group["records"] == sum(
            counts[:, :, int(value[1:])].sum() for value in group["values"]
        )
    worst = {key: max(own[key] for own in given.values()) for key in LEVELS}
    same(body["levels"]["design"], worst)
    same(body["levels"]["known"], alone)
    if body["beside"]:
        same(body["beside"]["together"]["added"], worst)
        same(body["beside"]["together"]["known"], alone)
        same(body["beside"]["together"]["file"], whole)
        assert body["beside"]["certain"] == pytest.approx(float(certain), abs=1e-12)
    return worst, certain


def outcomes(body, out, path, **secret):
    text = body if isinstance(body, str) else json.dumps(body)
    return {check.name: check for check in verify(text, out, path, **secret)}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    counts = counted(zeros=True)
    path = file_of(counts, tmp_path_factory.mktemp("each") / "people.csv")
    return *released(path, eps=0.5), path, counts


def test_levels_given_each_value_are_those_of_exact_fractions(made):
    body, out, _, counts = made
    worst, _ = checked(body, counts)
    assert worst["lip"] <= 0.5 + 1e-9
    assert body["version"] == FOR_EACH
    assert len(body["groups"]) == 3
    assert not {"mechanism", "proof", "columns"} & set(body)
    assert list(read(out)) == ["a"]
    assert len(read(out)["a"]) == counts.sum()
    assert [name for name, _ in sections(body)[-2].rows] == [
        of["values"][0] for of in body["groups"]
    ]
    promise = next(item for item in body["promises"] if item["about"] == "one record")
    assert promise["status"] == "promised"
    assert "0.5-LIP given what is known" in promise["sentence"]
    assert "Not against someone who does not know k" in promise["sentence"]


@pytest.mark.slow
def test_who_does_not_know_k_may_learn_more_as_the_certificate_says(tmp_path):
    counts = np.array([[[8, 1], [2, 4]], [[4, 2], [1, 8]]])  # given k, X says nothing of S
    body, _ = released(file_of(counts, tmp_path / "people.csv"), eps=0.1)
    mass = defaultdict(Fraction)
    for (s, y, _), p in drawn(body, counts).items():
        mass[s, y] += p
    alone = levels(mass, lambda _: {0: Fraction(15), 1: Fraction(15)})
    assert alone["lip"] == pytest.approx(-math.log(0.8))
    assert alone["lip"] <= float(body["beside"]["together"]["file"]["lip"])
    promise = next(item for item in body["promises"] if item["about"] == "one record")
    assert promise["sentence"].endswith("someone who does not know k: Y may reveal it.")


@pytest.mark.slow
def test_every_check_passes(made):
    body, out, path, _ = made
    checks = outcomes(body, out, path, seed=str(SEED))
    assert [check for check in checks.values() if not check.passed] == []
    assert {"levels", "promise", "utility", "proof", "beside", "seed"} <= set(checks)


def alone(counts):
    counts = counts.copy()
    counts[:, :, 2] = 0
    counts[0, 1, 2] = 1
    return counts


CASES = {
    "all pairs": (counted(zeros=False), 1, {"notion": "ldp", "eps": 0.7}),
    "nothing": (counted(zeros=True), 1, {"eps": 0.0}),
    "everything": (counted(zeros=True), 1, {"eps": 50.0, "notion": "alip"}),
    "one side": (counted(zeros=True), 1, {"notion": "pml"}),
    "one record": (alone(counted(zeros=True)), 1, {}),
    "one record shares": (alone(counted(zeros=True)), 2, {}),
    "all share": (alone(counted(zeros=True)), 10**6, {"notion": "min_lift"}),
    "three secrets": (counted(zeros=False, shape=(3, 3, 4)) - 1, 1, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_zeros_and_rare_values_have_the_levels_of_exact_fractions(case, tmp_path):
    counts, least, asked = CASES[case]
    path = file_of(counts, tmp_path / "people.csv")
    body, out = released(path, least, **{"eps": 0.5} | asked)
    worst, certain = checked(body, counts)
    promise = {"alip": "min_lift"}.get(asked.get("notion"), asked.get("notion", "lip"))
    assert worst[promise] <= asked.get("eps", 0.5) + 1e-9
    checks = outcomes(body, out, path, seed=str(SEED))
    assert [check for check in checks.values() if not check.passed] == []
    if case == "nothing":
        assert worst["lip"] < 1e-9
    if case == "everything":
        assert all(group["proof"]["gap"] < 1e-9 for group in body["groups"])
    if "one record" in case:
        assert certain >= Fraction(1, int(counts.sum()))
    if "share" in case:
        assert len(body["groups"][-1]["values"]) == (3 if case == "all share" else 1)


PLANS = {
    "a key": (Plan(Keyed(KEY, "id"), for_each=1), {"key": KEY}),
    "kept": (Plan(Seeded(SEED), keep=("k",), for_each=1), {"seed": str(SEED)}),
    "the owner's": (Plan(Seeded(SEED), "kept", for_each=1), {"seed": str(SEED)}),
    "all others": (Plan(Seeded(SEED), "replaced", for_each=1), {"seed": str(SEED)}),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", PLANS)
def test_releases_by_other_plans_are_counted_again(how, made):
    _, _, path, counts = made
    plan, secret = PLANS[how]
    body, out = released(path, plan=plan, target="other.parquet", eps=0.5)
    checks = outcomes(body, out, path, **secret)
    assert [check for check in checks.values() if not check.passed] == []
    if how == "kept":
        checked(body, counts)
        assert body["beside"]["columns"] == ["k"]
        assert list(read(out)) == ["a", "k"]


@pytest.mark.slow
def test_known_columns_with_bins_are_counted_again(tmp_path):
    path = write(people(200), tmp_path / "people.parquet")
    binned = (Binning("age", "quantile", 2),)
    asked = {"secret": ("sex",), "released": ("town",), "known": ("note", "age")}
    body, out = released(path, 40, target="out.csv", binnings=binned, **asked)
    checks = outcomes(body, out, path, seed=str(SEED))
    assert failed(list(checks.values())) == []
    assert checks["design"].passed
    assert body["beside"]["known"] == ["note", "age"]


@pytest.mark.slow
def test_records_without_a_secret_are_released_and_counted_apart(tmp_path):
    path = file_of(counted(zeros=False), tmp_path / "people.csv")
    lines = path.read_text().splitlines()
    lines[2] = lines[2].replace("s0", "")
    path.write_text("\n".join(lines) + "\n")
    body, out = released(path, missing="drop", eps=0.5)
    assert body["released"]["records"] == len(lines) - 1
    assert sum(group["records"] for group in body["groups"]) == len(lines) - 2
    assert failed(list(outcomes(body, out, path, seed=str(SEED)).values())) == []


FORGED = {
    "level": edit(("groups", 1, "level"), add(-0.01)),
    "given": edit(("levels", "design", "ldp"), add(-0.01)),
    "known": edit(("levels", "known", "lip"), add(0.5)),
    "reached": edit(("levels", "asked", "achieved"), add(-0.01)),
    "kept": put("levels", "asked", "holds", False),
    "repeated": put("levels", "repeated", {"2": {"level": 0.1, "at_most": 0.1}}),
    "records": edit(("groups", 0, "records"), add(1)),
    "order": edit(("groups",), lambda groups: groups[::-1]),
    "kernel": edit(("groups", 0, "mechanism", "kernel"), lambda rows: [row[::-1] for row in rows]),
    "output": edit(("groups", 0, "mechanism", "outputs"), lambda names: names[::-1]),
    "name": put("groups", 2, "mechanism", "name", "Magic"),
    "bound": edit(("groups", 0, "proof", "upper_bound"), add(0.2)),
    "utility": edit(("groups", 0, "proof", "utility"), add(0.01)),
    "information": edit(("groups", 1, "proof", "information"), add(0.01)),
    "status": put("groups", 0, "proof", "status", "heuristic"),
    "certain": edit(("beside", "certain"), add(0.01)),
    "file": edit(("beside", "together", "file", "pml"), add(-0.01)),
    "added": edit(("beside", "together", "added", "lip"), add(-0.01)),
    "coding": edit(("known", "coding", "symbols"), lambda symbols: symbols[::-1]),
    "marked": put("known", "marked", ["k"]),
    "x": edit(("design", "coding", 1, "symbols"), lambda symbols: symbols[::-1]),
    "draw": edit(("draw", "mechanism"), lambda text: text[::-1]),
    "budget": edit(("scenario", "eps"), lambda eps: eps / 2),
}


def swapped(body):
    one, other = body["groups"][:2]
    one["values"], other["values"] = other["values"], one["values"]


MALFORMED = {
    "version": put("version", VERSION),
    "none": put("groups", []),
    "twice": put("groups", 0, "values", ["k0", "k1", "k2"]),
    "missing": edit(("groups",), lambda groups: groups[:2]),
    "no value": put("groups", 0, "values", []),
    "left out": put("unknown", "treatment", "drop"),
    "reads S": put("groups", 0, "mechanism", "reads_s", True),
    "input": put("groups", 0, "mechanism", "inputs", ["z"]),
    "question": put("scenario", "data", "known", ["id"]),
    "mechanism": put("scenario", "mechanism", "watchdog"),
    "notion": put("scenario", "notion", "l1_upper"),
    "no figures": put("beside", None),
    "no coding": edit(("design", "coding"), lambda codings: codings[:1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("entry", FORGED)
def test_a_forged_entry_fails(made, entry):
    body, out, path, _ = made
    assert failed(verify(forged(body, FORGED[entry]), out, path, str(SEED)))


def test_values_of_another_group_do_not_fit(made):
    body, out, path, _ = made
    checks = outcomes(forged(body, swapped), out, path)
    assert checks["groups"].passed is False
    assert not any(checks[name].passed for name in ("promise", "proof", "promised: one record"))


@pytest.mark.parametrize("entry", MALFORMED)
def test_a_certificate_whose_groups_are_none_is_refused(made, entry):
    body, out, path, _ = made
    text = json.loads(json.dumps(body))
    MALFORMED[entry](text)
    with pytest.raises(InvalidInputError):
        verify(json.dumps(text), out, path, str(SEED))


def test_mechanisms_too_large_together_are_refused(made, monkeypatch):
    body, out, _, _ = made
    monkeypatch.setattr(fields, "MAX_WRITTEN", 10)
    with pytest.raises(InvalidInputError, match="entries together; at most 10 are"):
        verify(json.dumps(body), out)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "plan", "sentence"),
    [
        ({"known": ()}, {}, "must say what others know"),
        ({"notion": "l1_upper"}, {}, "the notion must be"),
        ({"left_out": (LeftOut(("a",), ("a0",)),)}, {}, "no symbols may be left out"),
        ({}, {"unknown": "drop"}, "only in the file that the mechanisms are made for"),
    ],
)
def test_what_cannot_be_released_is_one_sentence(made, asked, plan, sentence):
    _, _, path, _ = made
    own = Plan(Seeded(SEED), for_each=1, **plan)
    with pytest.raises(InvalidInputError) as error:
        released(path, plan=own, **asked)
    assert sentence in str(error.value)


@pytest.mark.slow
def test_more_groups_than_mechanisms_are_one_sentence(made, monkeypatch):
    monkeypatch.setattr(for_each, "MOST_GROUPS", 2)
    with pytest.raises(InvalidInputError, match="3 values with their own mechanisms; at most 2"):
        released(made[2])


def test_a_number_below_one_record_is_refused():
    with pytest.raises(InvalidInputError, match="at least 1"):
        Plan(Seeded(SEED), for_each=-1)
    with pytest.raises(InvalidInputError, match="no columns that are randomized"):
        Plan(Seeded(SEED), randomize=("b",), for_each=1)
