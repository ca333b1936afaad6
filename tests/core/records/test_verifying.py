import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data import Binning, Filter, Sources
from core.errors import InvalidInputError
from core.joint import Joint
from core.records import written
from core.records.applying import write as write_records
from core.records.certificate import Release, certificate, fingerprint
from core.records.draws import Keyed, Seeded
from core.records.files import checked_kind, replacing
from core.records.recount import kept_information, plain_levels, released
from core.records.verifying import failed, verify
from core.studies.side_by_side import levels
from tests.core.records.makers import KEPT, SEED, answer_on, keeping, people, read, write


def certified(tmp_path, result, original, plan=None, target="out.csv", same=True):
    """Release a file with its certificate; return the certificate as a dictionary."""
    sources = Sources()
    KEPT.append(sources)
    upload = sources.uploads[sources.add_file(original)]
    plan = plan or keeping(Seeded(SEED))
    path = tmp_path / target
    with replacing([path]) as (fresh,):
        applied = write_records(result, upload, fresh, checked_kind(path), plan)
        body = certificate(Release(result, upload, same, plan, applied), fresh)
    return body, path


def outcomes(body, path, original=None, seed=None):
    return {item.name: item for item in verify(json.dumps(body), path, original, seed)}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    original = write(people(3_000), folder / "people.csv")
    result, _ = answer_on(original, mechanism="optimal")
    body, path = certified(folder, result, original)
    return body, path, original


def test_a_true_release_passes_every_check(made):
    result = outcomes(*made, seed=str(SEED))
    assert {name: item.passed for name, item in result.items() if item.passed is not True} == {}
    assert len(result) == 29


def test_without_the_original_some_checks_are_left(made):
    body, path, _ = made
    result = outcomes(body, path)
    unchecked = {name for name, item in result.items() if item.passed is None}
    checks = {"cells", "data", "design", "levels", "promise", "utility", "proof", "draw", "beside"}
    assert unchecked == checks | {"attack", "promised: one record", "promised: sampling error"}
    assert all(item.passed for name, item in result.items() if name not in unchecked)


SPECS = {
    "bins": {"released": ("age", "note"), "binnings": (Binning("age", "quantile", 3),)},
    "filters": {"filters": (Filter("age", low=30), Filter("note", ("n0", "(missing)")))},
    "rare": {"released": ("age",), "rare_below": 15},
    "dropped": {"missing": "drop", "filters": (Filter("town", ("Köln", "東京", "Zürich")),)},
    "pairs": {"secret_released": True, "mechanism": "identity"},
    "reads S": {"mechanism": "conditional_reporting"},
}


@pytest.mark.parametrize("name", ["records.csv", "records.parquet"])
@pytest.mark.parametrize("spec", SPECS)
def test_every_treatment_is_counted_again(spec, name, tmp_path):
    columns = people(2_000)
    columns["age"][::9] = [None] * len(columns["age"][::9])
    if spec != "dropped":
        columns["note"][5] = None
    original = write(columns, tmp_path / name)
    result, _ = answer_on(original, **{"mechanism": "watchdog"} | SPECS[spec])
    plan = keeping(Seeded(SEED), unknown="drop")
    body, path = certified(tmp_path, result, original, plan, "out.parquet")
    answer = outcomes(body, path, original)
    assert failed(list(answer.values())) == []
    assert answer["data"].passed
    assert answer["levels"].passed
    assert answer["draw"].passed


def test_fresh_records_have_levels_of_their_own(tmp_path):
    result, _ = answer_on(write(people(2_000), tmp_path / "a.csv"), mechanism="optimal")
    columns = people(500, seed=5)
    columns["town"][3], columns["town"][4] = "Ys", ""
    fresh = write(columns, tmp_path / "fresh.csv")
    plan = keeping(Keyed(b"k" * 20, "id"), unknown="Köln")
    body, path = certified(tmp_path, result, fresh, plan, same=False)
    answer = outcomes(body, path, fresh, str(SEED))
    assert failed(list(answer.values())) == []
    assert answer["levels"].passed
    assert answer["promise"].passed is None
    assert answer["seed"].passed is None
    assert body["levels"]["records"]["lip"] != body["levels"]["design"]["lip"]
    reported = {item["about"]: item for item in body["promises"]}
    assert (
        "2 records with unknown values were taken for 'Köln'"
        in reported["unknown values"]["sentence"]
    )
    assert "by their own distribution" in reported["fresh records"]["sentence"]
    assert reported["repeated releases"]["status"] == "promised"
    assert "kkkk" not in json.dumps(body)


def test_a_word_among_numbers_is_no_bin(tmp_path):
    binning = Binning("age", "edges", edges=(30, 40, 50))
    original = write(people(2_000), tmp_path / "a.csv")
    result, _ = answer_on(original, released=("age",), binnings=(binning,))
    assert result.joint.x_labels[0] == "< 30"
    columns = people(300, seed=8)
    columns["age"][4] = "old"
    fresh = write(columns, tmp_path / "fresh.csv")
    plan = keeping(Seeded(1), unknown="drop")
    body, path = certified(tmp_path, result, fresh, plan, same=False)
    assert body["unknown"]["records"] == 1
    assert failed(list(outcomes(body, path, fresh).values())) == []


def raise_level(body):
    body["levels"]["design"]["lip"] /= 2


def raise_other_level(body):
    body["levels"]["design"]["robust_ldp"] = 0.1


def raise_promise(body):
    body["levels"]["asked"]["achieved"] = 0.01


def request_less(body):
    body["levels"]["asked"]["notion"] = "0.1-LIP"


def request_more(body):
    body["scenario"]["eps"] = 0.05
    body["levels"]["asked"]["notion"] = "0.05-LIP"


def keep_more(body):
    body["proof"]["information"] += 0.1


def exceed_the_bound(body):
    body["proof"]["upper_bound"] = body["proof"]["utility"] / 2


def swap_rows(body):
    body["mechanism"]["kernel"].reverse()


def break_row(body):
    body["mechanism"]["kernel"][0][0] += 0.5


def cut_kernel(body):
    del body["mechanism"]["kernel"][0]


def other_records(body):
    body["original"]["records"] += 1
    body["released"]["records"] += 1


def other_outputs(body):
    body["mechanism"]["outputs"][0] = "nothing"


def other_seed(body):
    body["draw"]["commitment"] = "0" * 64


def utf_16(columns, path):
    lines = [
        ";".join(columns),
        *(";".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    path.with_suffix(".csv").write_text("\n".join(lines), encoding="utf-16")
    return path.with_suffix(".csv")


def workbook(columns, path):
    pd.DataFrame(columns).to_excel(path.with_suffix(".xlsx"), index=False)
    return path.with_suffix(".xlsx")


@pytest.mark.parametrize("kind", [utf_16, workbook])
def test_files_that_are_not_plain_are_read_by_the_library(kind, tmp_path):
    columns = people(400)
    columns["town"] = ["Köln" if item == "Köln" else "Zürich" for item in columns["town"]]
    original = kind(columns, tmp_path / "a")
    result, _ = answer_on(original)
    body, path = certified(tmp_path, result, original)
    answer = outcomes(body, path, original)
    assert failed(list(answer.values())) == []
    assert "The library's own code read it" in answer["data"].sentence


@pytest.mark.parametrize(
    ("edit", "names"),
    [
        (raise_level, {"levels"}),
        (raise_other_level, {"other levels"}),
        (raise_promise, {"promise"}),
        (request_less, {"notion"}),
        (request_more, {"promise"}),
        (keep_more, {"utility"}),
        (exceed_the_bound, {"utility"}),
        (swap_rows, {"levels", "draw"}),
        (break_row, {"kernel"}),
        (cut_kernel, {"kernel"}),
        (other_records, {"records", "data"}),
        (other_outputs, {"outputs", "draw"}),
        (other_seed, {"seed"}),
    ],
)
def test_a_tampered_certificate_is_told_even_with_a_new_fingerprint(edit, names, made):
    body, path, original = made
    body = json.loads(json.dumps(body))
    edit(body)
    result = outcomes(body, path, original, str(SEED))
    assert not result["certificate"].passed
    body["fingerprint"] = fingerprint(body)
    result = outcomes(body, path, original, str(SEED))
    assert result["certificate"].passed
    wrong = {item.name for item in failed(list(result.values()))}
    assert names <= wrong


def test_a_changed_file_is_told(made, tmp_path):
    body, path, original = made
    columns = read(path)
    other = next(item for item in body["mechanism"]["outputs"] if item != columns["town"][0])
    columns["town"][0] = other
    result = outcomes(body, write(columns, tmp_path / "out.csv"), original, str(SEED))
    assert result["released file"].passed is False
    assert result["seed"].passed is False
    columns["town"][1] = "elsewhere"
    result = outcomes(body, write(columns, tmp_path / "out.csv"), original)
    assert "'elsewhere' is not an output" in result["outputs"].sentence
    assert result["draw"].passed is False
    columns = people(3_000)
    columns["town"][0] = "Köln" if columns["town"][0] != "Köln" else "東京"
    columns["age"][0] = None
    result = outcomes(body, path, write(columns, tmp_path / "people.csv"), str(SEED))
    assert result["original file"].passed is False
    assert result["levels"].passed is False


def test_outputs_that_the_kernel_does_not_give_are_told(made, tmp_path):
    body, path, original = made
    columns = read(path)
    columns["town"] = [columns["town"][0]] * 3_000
    result = outcomes(body, write(columns, tmp_path / "out.csv"), original)
    assert result["draw"].passed is False


def test_another_seed_is_not_the_one(made):
    body, path, original = made
    assert outcomes(body, path, original, "18")["seed"].passed is False
    with pytest.raises(InvalidInputError, match=r"from 0 to 2\^256 − 1, got 'x'"):
        verify(json.dumps(body), path, original, "x")
    with pytest.raises(InvalidInputError, match=r"from 0 to 2\^256 − 1, got '9+\.\.\.9+'"):
        verify(json.dumps(body), path, original, "9" * 5_000)
    assert outcomes(body, path, original, f"000{SEED}")["seed"].passed is True


@pytest.mark.parametrize(
    ("part", "change", "check"),
    [
        ("mechanism", {"outputs": [], "kernel": [[], [], []]}, "kernel"),
        ("mechanism", {"inputs": [], "kernel": []}, "kernel"),
        ("proof", {"upper_bound": "x"}, "utility"),
        ("proof", {"utility": math.nan}, "utility"),
    ],
)
def test_a_certificate_of_nonsense_fails_its_check(part, change, check, made):
    body, path, original = made
    body = json.loads(json.dumps(body))
    body[part].update(change)
    assert outcomes(body, path, original)[check].passed is False


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda body: body.update(kind="x"), "not a release certificate: its entry 'kind' must be"),
        (lambda body: body.update(version=9), "version must be 2, 3, 4, 5, 6, 7 or 8, got 9"),
        (
            lambda body: body.update(version=True),
            "version must be 2, 3, 4, 5, 6, 7 or 8, got True",
        ),
        (lambda body: body["original"].pop("commitment"), "lacks the entry 'original.commitment'"),
        (lambda body: body.update(version=2), "lacks the entry 'original.sha256'"),
        (lambda body: body["levels"].pop("units"), "lacks the entry 'levels.units'"),
        (lambda body: body.pop("levels"), "lacks the entry 'levels'"),
        (lambda body: body["mechanism"].pop("kernel"), "lacks the entry 'mechanism.kernel'"),
        (lambda body: body.pop("beside"), "lacks the entry 'beside'"),
        (lambda body: body["released"].pop("format"), "lacks the entry 'released.format'"),
        (lambda body: body["draw"].pop("mechanism"), "lacks the entry 'draw.mechanism'"),
        (lambda body: body["scenario"].pop("data"), "lacks the entry 'scenario.data'"),
        (
            lambda body: body["original"].update(records="x"),
            "'original.records' has the wrong type: 'x'",
        ),
        (lambda body: body["original"].update(records=True), "has the wrong type: True"),
        (lambda body: body.update(design=3), "'design' has the wrong type: 3"),
        (lambda body: body.update(promises=3), "'promises' has the wrong type: 3"),
        (lambda body: body["design"]["coding"].pop(), "two codings"),
        (lambda body: body["design"]["coding"][0]["columns"].append("a"), "is inconsistent"),
        (lambda body: body["design"]["coding"][0].update(edges=[["a"]]), "coding.edges"),
        (lambda body: body["scenario"].update(eps=-1), "eps must be in"),
        (lambda body: body["released"].update(column="x"), "no column 'x', where Y should be"),
    ],
)
def test_what_is_no_certificate_is_refused(edit, sentence, made):
    body, path, original = made
    body = json.loads(json.dumps(body))
    edit(body)
    with pytest.raises(InvalidInputError, match=sentence):
        verify(json.dumps(body), path, original)


def test_files_that_cannot_be_read_are_refused(made, tmp_path):
    body, path, original = made
    text = json.dumps(body)
    with pytest.raises(InvalidInputError, match="not a release certificate"):
        verify("[]", path)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        verify(text, tmp_path / "none.csv")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and nothing")
    with pytest.raises(InvalidInputError, match=r"bad\.parquet. cannot be read as Parquet: "):
        verify(text, tmp_path / "bad.parquet")
    (tmp_path / "short.csv").write_text("id,town\n1\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"Record 1 of short\.csv has 1 fields"):
        verify(text, tmp_path / "short.csv")
    with pytest.raises(InvalidInputError, match="which the release read"):
        verify(text, path, write({"a": [1], "b": [2]}, tmp_path / "other.csv"))
    del original


def test_the_certificate_of_a_plain_mechanism_promises_nothing(tmp_path):
    original = write(people(400), tmp_path / "a.csv")
    result, _ = answer_on(original, mechanism="identity")
    body, path = certified(tmp_path, result, original, keeping(Seeded(1), "dropped"))
    assert outcomes(body, path, original)["promise"].passed is None
    reported = {item["about"]: item["sentence"] for item in body["promises"]}
    assert reported["one record"] == "No promise was requested of this mechanism."
    assert reported["other columns"] == "No other column is released."
    body, _ = certified(tmp_path, result, original, keeping(Seeded(1), "kept"))
    assert body["released"]["treatment"] == "kept"
    assert "order" not in {item["about"] for item in body["promises"]}


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(2, 5), st.booleans())
def test_the_formulas_agree_with_the_library(seed, n_s, n_x, reads_s):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 5, (n_s, n_x)).astype(float)
    cells[:, 0] += 1
    cells[0] += 1
    kernel = rng.dirichlet(np.full(3, 0.6), n_s * n_x if reads_s else n_x)
    kernel = np.where(kernel < 0.1, 0, kernel)
    kernel /= kernel.sum(axis=1, keepdims=True)
    joint = Joint.from_counts(cells)
    expected = levels(joint, kernel)
    result = plain_levels(released(cells, kernel, reads_s))
    for key, value in result.items():
        assert value == pytest.approx(expected[key], rel=1e-9, abs=1e-9), key
    joint_xy = joint.release_x(kernel)
    product = np.outer(joint_xy.sum(axis=1), joint_xy.sum(axis=0))
    seen = joint_xy > 0
    by_numpy = (joint_xy[seen] * np.log(joint_xy[seen] / product[seen])).sum()
    assert kept_information(cells, kernel, reads_s) == pytest.approx(by_numpy, abs=1e-12)
    assert all(not math.isnan(value) for value in result.values())


def test_the_certificate_holds_no_seed_and_no_counts_of_pairs(made):
    body, _, _ = made
    text = json.dumps(body)
    assert str(SEED) not in text
    message = {name: item for name, item in body["draw"].items() if name != "mechanism"}
    assert message == {"kind": "seed", "commitment": Seeded(SEED).commitment, "id": None}
    assert "cells" not in text


@pytest.fixture(scope="module")
def of_entries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("entries")
    original = write(people(300), folder / "people.csv")
    result, _ = answer_on(original, mechanism="optimal")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(written, "MAX_WRITTEN", result.mechanism.kernel.size - 1)
        return (*certified(folder, result, original), original, result.mechanism.kernel)


def test_a_large_kernel_is_written_by_its_entries_and_verified(of_entries):
    body, path, original, kernel = of_entries
    rows, places = body["mechanism"]["kernel"], body["mechanism"]["places"]
    assert sum(map(len, rows)) == np.count_nonzero(kernel) < kernel.size
    assert [[*kernel[x, own]] for x, own in enumerate(places)] == rows
    np.testing.assert_array_equal(written.read(body["mechanism"]), kernel)
    result = outcomes(body, path, original, seed=str(SEED))
    assert {name: item.passed for name, item in result.items() if item.passed is not True} == {}


@pytest.mark.parametrize(
    "forge",
    [
        lambda places: places.pop(),
        lambda places: places[0].append(0),
        lambda places: places[0].reverse(),
        lambda places: places[0].__setitem__(0, 10**6),
        lambda places: places[0].__setitem__(0, -1),
    ],
)
def test_places_that_fit_no_row_are_refused(of_entries, forge):
    body = json.loads(json.dumps(of_entries[0]))
    body["mechanism"]["places"].sort(key=len, reverse=True)
    body["mechanism"]["kernel"].sort(key=len, reverse=True)
    forge(body["mechanism"]["places"])
    assert outcomes(body, of_entries[1])["kernel"].passed is False
