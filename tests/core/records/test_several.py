"""Several columns that are randomized separately: certificates against sums by definition."""

import json
import sys
from dataclasses import replace
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from core import clock
from core.data import ReadOptions
from core.data.spec import Binning, DataSpec, LeftOut
from core.errors import InvalidInputError
from core.mechanisms.result import CUT, changed
from core.records import several as module_of_several
from core.records.certificate import fingerprint, make
from core.records.checking import in_parts as checking
from core.records.design import Plan, original
from core.records.draws import Keyed, Seeded
from core.records.fields import SEVERAL, VERSION, of_each
from core.records.readable import promises, sections
from core.records.several import check_several, designed_for
from core.records.verifying import failed, verify
from core.release import in_turn, released_in_turn
from core.release.in_turn import LEVELS, PARTS
from core.scenario import Scenario
from tests.core.records.makers import KEPT, SEED, answer_on, identity, opened, people, read, write
from tests.core.records.test_forged import forged, put
from tests.core.release.test_in_turn import by_known, levels, products

MODULE = sys.modules[in_turn.__module__]

SHAPE = (2, 2, 3, 2)

KEY = b"k" * 20


def file_of(counts, path):
    """Write a record for each count of (s, x_1, x_2, k)."""
    columns = {"id": [], "s": [], "a": [], "b": [], "k": []}
    for place in product(*map(range, counts.shape)):
        for _ in range(int(counts[place])):
            columns["id"].append(f"r{len(columns['id'])}")
            for name, symbol in zip("sabk", place, strict=True):
                columns[name].append(f"{name}{symbol}")
    return write(columns, path)


def released(path, names=("b",), plan=None, *, target="out.csv", parts=2, **asked):
    """Release columns, by a search in large steps; return the certificate and the released file."""
    released = {"secret": ("s",), "released": ("a",), "mechanism": "optimal"} | asked
    result, table = answer_on(path, **released)
    file = original(result.scenario.data.source, KEPT[-1])
    out = path.parent / target
    with patch.object(MODULE, "PARTS", parts):
        made = designed_for(result, table, names)
    return make(result, file, plan or Plan(Seeded(SEED)), out, several=made).certificate, out


def outcomes(body, out, path, **secret):
    text = body if isinstance(body, str) else json.dumps(body)
    return {check.name: check for check in verify(text, out, path, **secret)}


def exact(body, counts):
    """Return the levels of each output given those before, of k alone and of all given k."""
    order = [of["coding"]["columns"][0] for of in body["columns"]]
    turned = counts if order == ["a", "b"] else np.swapaxes(counts, 1, 2)
    if body["known"] is None:
        turned = turned.sum(axis=3, keepdims=True)
    kernels = [of["mechanism"]["kernel"] for of in body["columns"]]
    sums, n_s = products(turned, kernels), len(counts)
    known = [by_known(sums, n_s, outputs) for outputs in range(3)]
    added = [
        levels(known[i], lambda at, of=known[i - 1], n=i - 1: of[at[0], at[1][:n]]) for i in (1, 2)
    ]
    prior = {s: int(counts[s].sum()) for s in range(n_s)}
    alone = levels(known[0], lambda _: prior)
    return added, alone, levels(known[2], lambda at: known[0][at[0], ()])


def same(stated, expected):
    for key in LEVELS:
        assert float(stated[key]) == pytest.approx(expected[key], rel=1e-9, abs=1e-9), key


def counted(zeros, seed=0):
    counts = np.random.default_rng(seed).integers(1, 9, size=SHAPE)
    if zeros:
        counts[0, 0, :2] = 0
        counts[1, 1, 0] = 0
        counts[:, :, 1, 1] = 0
    return counts


CASES = {
    "zeros": ({}, True),
    "all pairs": ({"notion": "ldp", "eps": 0.7}, False),
    "nothing": ({"eps": 0.0}, False),
    "everything": ({"eps": 50.0, "notion": "alip"}, True),
    "known": ({"known": ("k",), "notion": "pml", "eps": 0.5}, False),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    counts = counted(zeros=True)
    path = file_of(counts, folder / "people.csv")
    return *released(path, eps=0.6), path, counts


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_levels_are_those_of_the_definition_and_within_the_budget(case, tmp_path):
    asked, zeros = CASES[case]
    counts = counted(zeros)
    path = file_of(counts, tmp_path / "people.csv")
    body, out = released(path, **{"eps": 0.6} | asked)
    added, alone, whole = exact(body, counts)
    for own, of in zip(added, body["columns"], strict=True):
        same(of["added"], own)
    same(body["levels"]["known"], alone)
    same(body["levels"]["design"], whole)
    promise = {"ldp": "ldp", "pml": "pml", "alip": "min_lift"}.get(asked.get("notion"), "lip")
    budget = asked.get("eps", 0.6)
    assert whole[promise] <= budget + 1e-9
    assert sum(float(of["eps"]) for of in body["columns"]) == pytest.approx(budget)
    checks = outcomes(body, out, path, seed=str(SEED))
    assert {name: check for name, check in checks.items() if check.passed is not True} == {}
    if budget == 0:
        assert whole["lip"] < 1e-9
    if budget == 50:  # X is released as it is
        assert all(of["proof"]["gap"] < 1e-9 for of in body["columns"])


def test_the_certificate_names_every_column_and_says_what_is_promised(made):
    body, out, path, _ = made
    assert body["version"] == SEVERAL
    assert "mechanism" not in body
    assert list(read(out)) == ["a", "b"]
    assert len(read(out)["a"]) == len(read(path)["a"])
    promise = next(item for item in body["promises"] if item["about"] == "one record")
    assert promise["status"] == "promised"
    assert "who sees the released" in promise["sentence"]
    assert "0.6-LIP" in promise["sentence"]
    titles = [section.title for section in sections(body)]
    assert sum(title.startswith("Proof for") for title in titles) == 2
    assert body["levels"]["exact"] is True


@pytest.mark.slow
def test_a_single_column_has_a_certificate_as_before(made):
    _, _, path, _ = made
    result, _ = answer_on(path, ("s",), ("a",), mechanism="optimal")
    file = original(result.scenario.data.source, KEPT[-1])
    body = make(result, file, Plan(Seeded(SEED)), path.parent / "one.csv").certificate
    assert body["version"] == VERSION
    assert not {"columns", "known"} & set(body)
    assert of_each(body) == [body]


def add(value):
    return lambda stated: stated + value


def edit(place, change):
    """Return an edit of the entry at a place."""
    *outer, last = place

    def edited(body):
        for item in outer:
            body = body[item]
        body[last] = change(body[last])

    return edited


def turn_round(body):
    body["columns"].reverse()
    body["scenario"]["data"]["released"].reverse()


def turned(kernel):
    return [row[::-1] for row in kernel]


FORGED = {
    "share": edit(("columns", 0, "eps"), add(0.1)),
    "less": edit(("columns", 1, "eps"), add(-0.01)),
    "level": edit(("columns", 1, "added", "lip"), add(-0.01)),
    "all": edit(("levels", "design", "pml"), add(-0.01)),
    "known": edit(("levels", "known", "ldp"), add(0.5)),
    "reached": edit(("levels", "asked", "achieved"), add(-0.01)),
    "kernel": edit(("columns", 0, "mechanism", "kernel"), turned),
    "order": turn_round,
    "draw": edit(("columns", 1, "draw"), lambda text: text[::-1]),
    "bound": edit(("columns", 0, "proof", "upper_bound"), add(0.2)),
    "output": edit(("columns", 0, "column"), lambda name: "a" if name == "b" else "b"),
    "counted": put("levels", "exact", False),
    "coding": edit(("columns", 0, "coding", "symbols"), lambda symbols: symbols[::-1]),
    "budget": edit(("scenario", "eps"), lambda eps: eps / 2),
}

MALFORMED = {
    "one": edit(("columns",), lambda columns: columns[:1]),
    "left out": put("unknown", "treatment", "drop"),
    "reads S": put("columns", 0, "mechanism", "reads_s", True),
    "question": put("scenario", "data", "released", ["a", "k"]),
    "mechanism": put("scenario", "mechanism", "watchdog"),
    "notion": put("scenario", "notion", "l1_upper"),
    "version": put("version", VERSION),
}


@pytest.mark.parametrize(
    "entry",
    ["level", *(pytest.param(key, marks=pytest.mark.slow) for key in FORGED if key != "level")],
)
def test_a_forged_entry_fails(made, entry):
    body, out, path, _ = made
    assert failed(verify(forged(body, FORGED[entry]), out, path, str(SEED)))


@pytest.mark.parametrize("entry", MALFORMED)
def test_a_question_that_is_none_of_several_columns_is_refused(made, entry):
    body, out, path, _ = made
    text = json.loads(json.dumps(body))
    MALFORMED[entry](text)
    with pytest.raises(InvalidInputError):
        verify(json.dumps(text), out, path, str(SEED))


@pytest.mark.slow
def test_mechanisms_made_apart_break_the_promise_and_no_certificate_hides_it(tmp_path):
    """S is a xor b: each column reveals nothing, and both together everything."""
    xor = np.zeros((2, 2, 2, 1))
    for a, b in product(range(2), repeat=2):
        xor[a ^ b, a, b] = 25
    path = file_of(xor, tmp_path / "xor.csv")
    result, table = answer_on(path, ("s",), ("a",), mechanism="optimal", eps=0.5)
    with patch.object(MODULE, "PARTS", 2):
        made = designed_for(result, table, ("b",))
    assert made.levels["lip"] <= 0.5 + 1e-9
    file = original(result.scenario.data.source, KEPT[-1])
    own = tuple(map(identity, made.results))
    apart = replace(made, results=own, in_turn=in_turn(xor, [np.eye(2)] * 2))
    out = tmp_path / "apart.csv"
    body = make(result, file, Plan(Seeded(SEED)), out, several=apart).certificate
    assert body["levels"]["asked"]["holds"] is False
    assert body["promises"][0]["status"] == "not promised"
    assert not outcomes(body, out, path)["promise"].passed
    text = forged(body, put("levels", "asked", "holds", True))
    assert outcomes(text, out, path)["promise"].passed is False


@pytest.mark.slow
def test_two_columns_with_the_same_values_are_drawn_apart(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 200)
    s = np.where(rng.random(200) < 0.7, x, 1 - x)
    columns = {name: [f"v{i}" for i in values] for name, values in (("a", x), ("b", x))}
    columns |= {"s": [f"s{i}" for i in s], "id": [f"r{i}" for i in range(200)]}
    path = write(columns, tmp_path / "twins.csv")
    for draw, secret in ((Seeded(SEED), {"seed": str(SEED)}), (Keyed(KEY, "id"), {"key": KEY})):
        body, out = released(path, plan=Plan(draw), eps=0.2)
        hashes = [of["draw"] for of in body["columns"]]
        assert len(set(hashes)) == 2
        checks = outcomes(body, out, path, **secret)
        assert failed(list(checks.values())) == []
        assert checks[next(iter(secret))].passed
        # of records with one value, the outputs of both columns go together only by chance
        a, b = (np.array([text.startswith("v0") for text in read(out)[name]]) for name in "ab")
        assert 0 < a.mean() < 1
        assert 0 < b.mean() < 1
        for value in (0, 1):
            assert abs(np.corrcoef(a[x == value], b[x == value])[0, 1]) < 0.3


@pytest.mark.slow
def test_columns_beside_them_are_counted_with_all_outputs(made):
    _, _, path, counts = made
    plan = Plan(Seeded(SEED), keep=("k",))
    body, out = released(path, plan=plan, target="kept.parquet", eps=0.6)
    beside = body["beside"]["together"]
    order = [of["coding"]["columns"][0] for of in body["columns"]]
    turned = counts if order == ["a", "b"] else np.swapaxes(counts, 1, 2)
    sums = products(turned, [of["mechanism"]["kernel"] for of in body["columns"]])
    known = [by_known(sums, 2, outputs) for outputs in (0, 2)]
    prior = {s: int(counts[s].sum()) for s in range(2)}
    same(beside["file"], levels(known[1], lambda _: prior))
    same(beside["added"], levels(known[1], lambda at: known[0][at[0], ()]))
    same(beside["known"], levels(known[0], lambda _: prior))
    checks = outcomes(body, out, path, seed=str(SEED))
    assert failed(list(checks.values())) == []
    assert checks["beside"].passed
    assert checks["attack"].passed
    assert list(read(out)) == ["a", "b", "k"]


@pytest.mark.slow
def test_where_outputs_are_many_the_levels_are_the_sums(made):
    _, _, path, _ = made
    with patch.object(MODULE, "MOST_TOGETHER", 1), patch.object(checking, "MOST_TOGETHER", 1):
        body, out = released(path, eps=0.6, target="many.csv")
        checks = outcomes(body, out, path)
    assert body["levels"]["exact"] is False
    for key in LEVELS:
        sums = sum(of["added"][key] for of in body["columns"])
        assert body["levels"]["design"][key] == pytest.approx(sums)
    assert checks["levels"].passed
    assert checks["promise"].passed
    assert "at most" in body["promises"][0]["sentence"]
    assert failed(list(outcomes(body, out, path).values()))  # they can be counted


@pytest.mark.slow
def test_bins_filters_and_parquet_are_counted_again(tmp_path):
    path = write(people(150), tmp_path / "people.parquet")
    body, out = released(
        path,
        ("age",),
        secret=("sex",),
        released=("note",),
        binnings=(Binning("age", "quantile", 2),),
        parts=PARTS,
        target="out.parquet",
    )
    checks = outcomes(body, out, path, seed=str(SEED))
    assert failed(list(checks.values())) == []
    assert checks["proof"].passed


@pytest.mark.parametrize(
    ("names", "asked", "sentence"),
    [
        (("s",), {}, "'s' is S already"),
        (("a",), {}, "'a' is X already"),
        (("b", "b"), {}, "'b' is named already"),
        (("k",), {"known": ("k",)}, "'k' is known to others already"),
        (("z",), {}, "has no column 'z'"),
        (("b",), {"notion": "l1_upper"}, "the notion must be"),
        (("b",), {"mechanism": "watchdog"}, "must be the optimum"),
        (("b",), {"left_out": (LeftOut(("b",), ("b0",)),)}, "no symbols may be left out"),
    ],
)
def test_what_cannot_be_randomized_is_one_sentence(made, names, asked, sentence):
    _, _, path, _ = made
    data = {name: asked.pop(name) for name in ("known", "left_out") if name in asked}
    asked = {"notion": "lip", "eps": 0.3} | asked
    scenario = Scenario(data=DataSpec("upload:12ab", ("s",), ("a",), **data), **asked)
    with pytest.raises(InvalidInputError) as error:
        check_several(scenario, opened(path), names)
    assert sentence in str(error.value)


@pytest.mark.slow
def test_mechanisms_that_the_search_had_no_time_for_are_made_again(made):
    _, _, path, _ = made
    result, table = answer_on(path, ("s",), ("a",), mechanism="optimal")

    def hasty(joint, eps, notion, *_):
        hurried = released_in_turn(joint, [notion(eps / 3), notion(2 * eps / 3)], [1, 0])
        return replace(
            hurried, mechanisms=tuple(changed(of, status=CUT) for of in hurried.mechanisms)
        )

    with patch.object(module_of_several, "split_budget", hasty):
        again = designed_for(result, table, ("b",))
    assert [own.mechanism.status for own in again.results] == ["optimal", "optimal"]
    shares = {own.scenario.data.released: own.scenario.eps for own in again.results}
    assert shares == {("a",): pytest.approx(0.1), ("b",): pytest.approx(0.2)}


@pytest.mark.slow
def test_a_search_is_finished_unless_time_cut_it_short(made):
    _, _, path, _ = made
    result, table = answer_on(path, ("s",), ("a",), mechanism="optimal", eps=0.6)
    with patch.object(MODULE, "PARTS", 2):
        for longer, finished in ((1, False), (1_000, True)):
            with clock.using(clock.Ticking(2.0)):
                own = designed_for(result, table, ("b",), longer)
            assert own.finished == finished
            assert own.holds


@pytest.mark.slow
def test_one_record_a_person_is_counted_again(tmp_path):
    columns = people(60)
    columns["id"] = [f"p{i // 2}" for i in range(60)]
    path = write(columns, tmp_path / "visits.csv")
    result, _ = answer_on(
        path, released=("note",), mechanism="optimal", read=ReadOptions(person="id", first=True)
    )
    file = original(result.scenario.data.source, KEPT[-1], result.scenario.data.read)
    plan, out = Plan(Seeded(SEED), randomize=("town",)), tmp_path / "out.csv"
    body = make(result, file, plan, out).certificate
    checks = outcomes(body, out, path, seed=str(SEED))
    assert failed(list(checks.values())) == []
    assert checks["persons"].passed
    with pytest.raises(InvalidInputError, match="one a person"):
        verify(forged(body, put("original", "persons", 2)), out, path)
    every = replace(
        result.scenario, data=replace(result.scenario.data, read=ReadOptions(person="id"))
    )
    several_each = original(every.data.source, KEPT[-1], every.data.read).table
    with pytest.raises(InvalidInputError, match="no person may have several records"):
        check_several(every, several_each, ("town",))


@pytest.mark.slow
def test_a_single_record_is_refused(tmp_path):
    path = write({"s": ["s0"], "a": ["a0"], "b": ["b0"]}, tmp_path / "one.csv")
    with pytest.raises(InvalidInputError):
        released(path)


@pytest.mark.slow
def test_records_that_are_missing_in_one_column_are_one_sentence(tmp_path):
    columns = {"s": ["f", "m"] * 10, "a": ["x", "y", "y", "x"] * 5, "b": ["u", "v"] * 9 + ["", "u"]}
    path = write(columns, tmp_path / "missing.csv")
    with pytest.raises(InvalidInputError, match="count missing values as a level"):
        released(path, missing="drop")
    body, out = released(path)
    assert failed(verify(json.dumps(body), out, path)) == []


def test_its_own_promises_follow_from_it(made):
    body, *_ = made
    rest = {name: entry for name, entry in body.items() if name not in ("promises", "fingerprint")}
    assert promises(rest) == body["promises"]
    assert fingerprint(body) == body["fingerprint"]
