"""A forged entry is told, though promises and fingerprint are computed again after it."""

import json
from dataclasses import replace
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pytest

from core.data import DataSpec, Sources
from core.errors import InvalidInputError, SolverError
from core.mechanisms.result import make_mechanism
from core.records.certificate import fingerprint
from core.records.checking import contents, figures
from core.records.draws import Keyed, Seeded
from core.records.fields import LINKED
from core.records.files import Writer, file_hash
from core.records.readable import promises
from core.records.verifying import failed, unproven, verify
from core.scenario import Scenario, evaluate, measured
from tests.core.records.makers import SEED, answer_on, keeping, people, read, write
from tests.core.records.test_verifying import certified

KEY = b"k" * 20
"""The key of the releases that are drawn by one."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("forged")


@pytest.fixture(scope="module")
def made(folder):
    original = write(people(600), folder / "people.csv")
    result, _ = answer_on(original, mechanism="optimal")
    return (*certified(folder, result, original), original)


@pytest.fixture(scope="module")
def fresh(folder):
    """Release 300 other records, by a key."""
    design = write(people(900, seed=3), folder / "design.csv")
    result, _ = answer_on(design, mechanism="optimal")
    original = write(people(300, seed=5), folder / "fresh.parquet")
    plan = keeping(Keyed(KEY, "id"))
    body, path = certified(folder, result, original, plan, "fresh_out.parquet", same=False)
    (folder / "key.txt").write_bytes(KEY)
    return body, path, original, design, folder / "key.txt"


def forged(body, edit):
    """Return a certificate with an edit, and promises and fingerprint that follow from it."""
    body = json.loads(json.dumps(body))
    edit(body)
    del body["promises"]
    body["promises"] = promises(body)
    return json.dumps(body | {"fingerprint": fingerprint(body)})


def put(*path):
    """Return an edit that puts the last argument at the place that the others name."""
    *place, key, value = path

    def edit(body):
        for item in place:
            body = body[item]
        body[key] = value

    return edit


def nothing(body):
    assert body["kind"]


def half(body):
    body["levels"]["design"].pop("ldp")


def no_secret(body):
    body["design"]["same"] = False
    body["scenario"]["data"]["source"] = "upload:" + "0" * 64


def looser(body):
    proof = body["proof"]
    proof["upper_bound"] = proof["utility"] / 2 + proof["upper_bound"]
    proof["gap"] = proof["upper_bound"] - proof["utility"]


def finer(body):
    body["design"]["coding"][1]["symbols"][0]["levels"] = ["elsewhere"]


FORGED = {
    "no column beside Y": (put("released", "columns", ["town"]), {"columns"}),
    "another treatment": (put("released", "treatment", "dropped"), {"columns"}),
    "S of another column": (put("design", "coding", 0, "columns", ["nothing"]), {"codings"}),
    "not made for it": (put("design", "same", False), {"codings", "levels"}),
    "of another source": (put("scenario", "data", "source", "adult"), {"codings"}),
    "made for no file": (no_secret, {"levels"}),
    "no symbol in S": (put("design", "s", []), {"codings", "design"}),
    "empty coding": (put("design", "coding", 0, "symbols", []), {"codings", "design"}),
    "another coding": (finer, {"design"}),
    "another S": (put("scenario", "data", "secret", ["note"]), {"codings"}),
    "another X": (put("scenario", "data", "released", ["note"]), {"codings"}),
    "number of records": (put("design", "records", 10**9), {"design"}),
    "tiny beta": (put("levels", "numbers", "beta", 1e-9), {"numbers"}),
    "negative beta": (put("levels", "numbers", "beta", -1.05), {"numbers"}),
    "large beta": (put("levels", "numbers", "beta", 1e308), {"numbers"}),
    "other numbers": (put("levels", "numbers", {"beta": 0.05}), {"numbers"}),
    "five releases": (put("levels", "repeated", {"5": {"level": 0.2}}), {"repeated levels"}),
    "no releases": (put("levels", "repeated", {}), {"repeated levels"}),
    "smaller bound": (put("levels", "repeated", "2", "at_most", 0.1), {"repeated levels"}),
    "not kept": (put("levels", "asked", "holds", False), {"promise"}),
    "level left out": (half, {"levels"}),
    "level added": (put("levels", "design", "all", 0.0), {"levels"}),
    "levels of records": (put("levels", "records", {"lip": 0.0}), {"levels"}),
    "negative utility": (put("proof", "utility", -5), {"utility"}),
    "no gap": (put("proof", "gap", -1.0), {"utility"}),
    "no bound": (put("proof", "upper_bound", "inf"), {"utility"}),
    "large bound": (put("proof", "upper_bound", 50.0), {"utility"}),
    "another purpose": (put("proof", "purpose", "guess"), {"utility"}),
    "another name": (put("mechanism", "name", "Magic"), {"proof"}),
    "another solver": (put("proof", "solver", "by hand"), {"proof"}),
    "another status": (put("proof", "status", "heuristic"), {"proof"}),
    "a note more": (put("proof", "notes", ["No record is at risk."]), {"proof"}),
    "a looser bound": (looser, {"proof"}),
    "unknown values": (put("unknown", "treatment", "magic"), {"codings"}),
}


def test_another_way_to_the_same_mechanism_is_no_forgery(made):
    body, path, original = made
    by = "columns" if body["proof"]["solver"] != "columns" else "enumerate"
    result = verify(forged(body, put("proof", "solver", by)), path, original)
    assert "proof" not in {item.name for item in failed(result)}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_entry_fails_its_check(name, made):
    body, path, original = made
    edit, names = FORGED[name]
    result = verify(forged(body, edit), path, original)
    assert names <= {item.name for item in failed(result)}


def test_promises_that_are_computed_again_change_nothing(made):
    body, path, original = made
    assert unproven(verify(forged(body, nothing), path, original)) == []


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (put("released", "treatment", "x"), "'released.treatment' must be one of replaced, "),
        (put("released", "treatment", ""), "'released.treatment' must be one of replaced, "),
        (put("draw", "kind", "key"), r"'draw\.id' must name a column"),
        (put("draw", "kind", "seedx"), r"'draw\.kind' must be one of seed, key, got 'seedx'"),
        (put("draw", "kind", ""), r"'draw\.kind' must be one of seed, key, got ''"),
        (put("draw", "id", "town"), r"'draw\.id' must name a column"),
        (put("original", "records", 10**400), "'original.records' holds a number of 401 digits"),
        (put("levels", "numbers", "beta", 10**400), "'levels.numbers.beta' holds a number of"),
        (put("mechanism", "kernel", 0, 0, 10**400), "'mechanism.kernel' holds a number of"),
        (put("scenario", "eps", 10**400), "'scenario.eps' holds a number of 401 digits"),
        (put("more", [10**400]), "'more' holds a number of 401 digits"),
    ],
)
def test_a_value_that_no_certificate_has_is_one_sentence(edit, sentence, made):
    body, path, original = made
    changed = json.loads(json.dumps(body))
    edit(changed)
    with pytest.raises(InvalidInputError, match=sentence):
        verify(json.dumps(changed), path, original)


def test_the_owners_copy_is_none_for_others(made, folder):
    _, _, original = made
    result, _ = answer_on(original)
    body, path = certified(folder, result, original, keeping(Seeded(SEED), "kept"), "kept.csv")
    answer = verify(forged(body, nothing), path, original, str(SEED))
    assert [item.name for item in answer if item.passed is not True] == []

    def edit(body):
        body["released"] |= {"treatment": "dropped", "columns": ["released town"]}

    text = forged(body, edit)
    assert "No other column is released." in text
    assert {item.name for item in failed(verify(text, path, original))} == {"columns"}
    assert {item.name for item in failed(verify(text, path))} == {"columns"}
    text = forged(body, put("released", "treatment", "replaced"))
    assert {item.name for item in failed(verify(text, path))} == {"columns"}


def test_a_draw_by_a_seed_is_none_by_a_key(made):
    body, path, original = made

    def edit(body):
        body["draw"] |= {"kind": "key", "id": "id"}
        body["levels"]["repeated"] = {}

    def hide(body):
        edit(body)
        body["draw"]["commitment"] = "0" * 64

    for item in (edit, hide):
        result = verify(forged(body, item), path, original, str(SEED))
        assert {item.name for item in failed(result)} == {"seed", "drawn for"}
        result = verify(forged(body, item), path, original)
        assert {item.name for item in failed(result)} == {"drawn for"}
        assert [item.name for item in unproven(result)] == ["promised: repeated releases"]
    edit_id = forged(body, lambda body: (edit(body), body["draw"].update(id="town")))
    result = {item.name: item for item in verify(edit_id, path, original)}
    assert result["key"].passed is False


def test_a_release_of_other_records_is_proven_with_its_design_and_key(fresh):
    body, path, original, design, key = fresh
    text = json.dumps(body)
    result = verify(text, path, original, design=design, key=key)
    assert [item.name for item in result if item.passed is not True] == []
    assert {"design levels", "other design levels", "key"} <= {item.name for item in result}
    result = verify(text, path, original)
    assert failed(result) == []
    assert {item.name for item in unproven(result)} == {
        "proof",
        "promised: one record",
        "promised: sampling error",
        "promised: repeated releases",
    }


@pytest.mark.parametrize(
    ("edit", "names"),
    [
        (put("levels", "design", "robust_ldp", 0.01), {"other design levels"}),
        (put("levels", "design", "lip", 0.01), {"design levels"}),
        (put("levels", "asked", "achieved", 0.01), {"promise"}),
        (put("levels", "records", None), {"levels"}),
        (put("draw", "commitment", "0" * 64), {"key"}),
    ],
)
def test_a_forged_release_of_other_records_is_told(edit, names, fresh):
    body, path, original, design, key = fresh
    result = verify(forged(body, edit), path, original, design=design, key=key)
    assert {item.name for item in failed(result)} == names


def test_another_design_or_key_is_told(fresh, made, tmp_path):
    body, path, original, design, key = fresh
    text = json.dumps(body)
    result = {item.name: item for item in verify(text, path, original, design=made[2])}
    assert result["design"].passed is False
    (tmp_path / "key.txt").write_bytes(b"j" * 20)
    result = verify(text, path, original, design=design, key=tmp_path / "key.txt")
    assert {item.name for item in failed(result)} == {"key"}
    with pytest.raises(InvalidInputError, match=r"key file '.*none.txt' cannot be read"):
        verify(text, path, original, design=design, key=tmp_path / "none.txt")
    result = {item.name: item for item in verify(json.dumps(made[0]), made[1], made[2], key=key)}
    assert result["key"].passed is False
    renamed = design.rename(tmp_path / "renamed.csv")
    result = verify(text, path, original, design=renamed, key=key)
    assert failed(result) == []
    assert [item.name for item in unproven(result)] == [
        "promised: one record",
        "promised: sampling error",
    ]  # the proof is made again from the data, whatever their file is called
    renamed.rename(design)


@pytest.fixture
def tuned(made, tmp_path):
    """Release by an optimum that the certificate's scenario does not find: of a smaller budget."""
    _, _, original = made
    result, _ = answer_on(original, mechanism="optimal")
    less, _ = answer_on(original, mechanism="optimal", eps=0.29)
    reported = measured(result.scenario, result.counted, less.mechanism)
    return lambda **more: certified(
        tmp_path, replace(reported, mechanism=remade(result, less, **more)), original
    )


def remade(result, less, **more):
    """Return another mechanism as if it had been found for the result's promise."""
    return make_mechanism(
        result.joint,
        less.mechanism.kernel,
        **{"name": "Optimal", "solver": "enumerate", "status": "optimal"} | more,
        notion=result.mechanism.notion,
        y_labels=less.mechanism.y_labels,
    )


def proof(body, path, original):
    return {item.name: item for item in verify(json.dumps(body), path, original)}["proof"]


def test_a_mechanism_that_is_not_optimal_and_a_bound_that_is_none_are_told(tuned, made):
    original = made[2]
    result = proof(*tuned(), original)
    assert result.passed is False
    assert "another one keeps" in result.sentence
    body, path = tuned(status="time limit")
    body["proof"]["upper_bound"], body["proof"]["gap"] = body["proof"]["utility"], 0.0
    result = proof(body, path, original)
    assert result.passed is False
    assert "more than the bound" in result.sentence
    body["scenario"]["gap"] = 1.0  # a bound is refuted by what was found, whatever gap was allowed
    assert proof(body, path, original).passed is False


def test_a_mechanism_that_is_not_found_again_is_not_proven(tuned, made, monkeypatch):
    original = made[2]
    body, path = tuned(status="time limit", notes=("Found elsewhere.",))
    result = proof(body, path, original)
    assert result.passed is None
    assert "its status is 'optimal', not 'time limit'" in result.sentence
    every = verify(forged(body, nothing), path, original)
    assert (failed(every), [item.name for item in unproven(every)]) == ([], ["proof"])
    true = made[0]
    weaker = replace(answer_on(original, mechanism="optimal")[0].mechanism, upper_bound=9.0)
    stub = SimpleNamespace(mechanism=replace(weaker, status="time limit"))
    monkeypatch.setattr(figures, "answer", lambda *_: stub)
    result = proof(true, made[1], original)
    assert result.passed is None
    assert "A new search proves only the bound" in result.sentence

    body = json.loads(json.dumps(true))
    body["scenario"]["gap"] = 1.0  # a search that stops early is no proof of a smaller bound
    almost = replace(weaker, upper_bound=true["proof"]["upper_bound"] + 1e-4)
    monkeypatch.setattr(figures, "answer", lambda *_: SimpleNamespace(mechanism=almost))
    result = proof(body, made[1], original)
    assert result.passed is None
    assert "A new search proves only the bound" in result.sentence

    def late(*_):
        raise SolverError("Time ended.")

    monkeypatch.setattr(figures, "answer", late)
    result = proof(true, made[1], original)
    assert result.passed is None
    assert result.sentence == "A new search for the scenario failed: Time ended."


@pytest.fixture
def tabled(made, tmp_path):
    """Make the mechanism for a table of a data base, and release a file by it."""
    _, _, original = made
    database = tmp_path / "people.db"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE people AS SELECT * FROM read_csv(?)", [str(original)])
    address = f"duckdb://{database}#people"
    spec = DataSpec(address, ("sex",), ("town",))
    scenario = Scenario(data=spec, notion="lip", eps=0.3, mechanism="optimal")
    result = evaluate(scenario, Sources(databases=True))
    body, path = certified(tmp_path, result, original, target="tabled.csv", same=False)
    return body, path, original, address


def test_a_design_in_a_data_base_is_opened_where_its_table_is_named(tabled):
    body, path, original, address = tabled
    text = json.dumps(body)
    result = verify(text, path, original, str(SEED), design=address)
    assert [item.name for item in result if item.passed is not True] == []
    assert {"design levels", "other design levels", "proof"} <= {item.name for item in result}
    low = forged(body, put("levels", "design", "lip", 0.01))
    assert {item.name for item in failed(verify(low, path, original, design=address))} == {
        "design levels"
    }


def test_no_data_base_is_opened_that_the_user_did_not_name(tabled, monkeypatch):
    body, path, original, address = tabled
    monkeypatch.setattr(contents, "count", lambda *_: pytest.fail("opened"))
    for design in (None, original):
        result = {
            item.name: item for item in verify(json.dumps(body), path, original, design=design)
        }
        assert result["design"].passed is None
        assert f"{address}, a table of a database, which you did not" in result["design"].sentence
        assert result["proof"].passed is None
    other = address.replace("#people", "#others")
    result = {item.name: item for item in verify(json.dumps(body), path, original, design=other)}
    assert result["design"].passed is False


def test_a_table_that_is_gone_or_was_changed_is_told(tabled):
    body, path, original, address = tabled
    with duckdb.connect(address.partition("://")[2].partition("#")[0]) as connection:
        connection.execute("DELETE FROM people WHERE sex = 'f' AND town = 'Köln'")
    result = {item.name: item for item in verify(json.dumps(body), path, original, design=address)}
    assert result["design"].passed is False
    assert "as it is now differs from the certificate in 'records'" in result["design"].sentence
    with duckdb.connect(address.partition("://")[2].partition("#")[0]) as connection:
        connection.execute("DROP TABLE people")
    result = {item.name: item for item in verify(json.dumps(body), path, original, design=address)}
    assert result["design"].passed is None
    assert "The table could not be counted: " in result["design"].sentence


@pytest.mark.parametrize("unknown", ["drop", "Köln"])
def test_a_seed_is_replayed_though_values_are_unknown(unknown, made, tmp_path):
    _, _, design = made
    result, _ = answer_on(design, mechanism="optimal")
    columns = people(300, seed=6)
    columns["town"][3] = columns["town"][9] = "Ys"
    original = write(columns, tmp_path / "fresh.csv")
    plan = keeping(Seeded(SEED), unknown=unknown)
    body, path = certified(tmp_path, result, original, plan, same=False)
    answer = {
        item.name: item
        for item in verify(json.dumps(body), path, original, str(SEED), design=design)
    }
    assert [name for name, item in answer.items() if item.passed is not True] == []
    assert answer["seed"].sentence == "The seed draws every output of the file."
    assert body["released"]["records"] == (298 if unknown == "drop" else 300)


def test_a_release_under_rldp_is_proven(folder, made):
    _, _, original = made
    result, _ = answer_on(
        original, notion="rldp", eps=2.0, mechanism="optimal", secret_released=True
    )
    body, path = certified(folder, result, original, target="rldp.csv")
    answer = verify(json.dumps(body), path, original, str(SEED))
    assert [item.name for item in answer if item.passed is not True] == []


def without_levels(body, *keys):
    for key in keys:
        del body["levels"]["design"][key], body["levels"]["units"][key]


@pytest.mark.parametrize("version", [3, LINKED])
def test_a_certificate_that_is_older_than_a_notion_does_not_fail_for_its_level(made, version):
    """As those of version 3 from before LDP by distance was asked for."""
    body, path, original = made

    def older(body):
        without_levels(body, "metric_ldp", "srlip")
        body["version"] = version
        body["code"]["sha256"] = "0" * 64

    result = {item.name: item for item in verify(forged(body, older), path, original)}
    assert failed(list(result.values())) == []
    value, other = (body["levels"]["design"][key] for key in ("metric_ldp", "srlip"))
    assert result["newer levels"].passed is None
    reported = result["newer levels"].sentence
    assert f"no level of 'metric_ldp' (it is {value}) and 'srlip' (it is {other})" in reported
    assert "newer levels" not in {item.name for item in verify(json.dumps(body), path, original)}


def test_who_knows_a_notion_states_its_level(made):
    body, path, original = made
    text = forged(body, lambda body: without_levels(body, "metric_ldp"))
    assert "other levels" in {item.name for item in failed(verify(text, path, original))}


def test_a_version_that_had_a_level_has_it_whatever_code_is_named(made):
    body, path, original = made

    def older(body):
        without_levels(body, "robust_ldp", "srlip")
        body["code"]["sha256"] = "0" * 64

    result = failed(verify(forged(body, older), path, original))
    assert [item.name for item in result] == ["other levels"]


def each_less(body):
    del body["beside"]["each"]["age"]


def each_none(body):
    body["beside"]["each"] = {}


def each_more(body):
    body["beside"]["each"][""] = body["beside"]["each"]["age"]


def known_too(body):
    body["beside"]["known"] = ["age"]


def known_twice(body):
    body["beside"]["known"] = ["sex", "sex"]


@pytest.mark.parametrize("edit", [each_less, each_none, each_more, known_too, known_twice])
def test_each_column_beside_y_has_its_figures_and_no_other(edit, made):
    body, path, original = made
    result = failed(verify(forged(body, edit), path, original, str(SEED)))
    assert [item.name for item in result] == ["beside"]
    assert "It has figures for the columns" in result[0].sentence


def test_outputs_have_the_names_of_the_mechanism(made, tmp_path):
    body, path, original = made
    labels = body["mechanism"]["outputs"]
    other = dict(zip(labels, labels[1:] + labels[:1], strict=True))
    columns = read(path)
    columns["town"] = [other[item] for item in columns["town"]]
    renamed = tmp_path / "renamed.csv"
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    writer = Writer(renamed, "CSV", table.schema)
    writer.write(table.to_batches()[0])
    writer.close()

    def edit(body):
        body["mechanism"]["outputs"] = [other[item] for item in labels]
        body["released"]["sha256"] = file_hash(renamed)

    result = {item.name: item for item in failed(verify(forged(body, edit), renamed, original))}
    assert "its outputs are" in result["proof"].sentence
    twice = forged(body, put("mechanism", "outputs", [labels[0], *labels[:-1]]))
    assert (
        "an output twice"
        in {item.name: item for item in failed(verify(twice, path, original))}["kernel"].sentence
    )


def test_what_random_numbers_are_for_follows_from_the_certificate(made):
    body, path, original = made
    text = forged(body, put("draw", "mechanism", "0" * 64))
    for given in (None, original):
        assert [item.name for item in failed(verify(text, path, given))] == ["drawn for"]


@pytest.mark.parametrize(
    "commitments", [["Bob is a spy"], ["0" * 63], ["1" * 64, "0" * 64], ["0" * 64] * 2]
)
def test_a_commitment_is_a_hash_and_nothing_else(commitments, made):
    body, path, _ = made
    text = forged(body, put("design", "left_out", {"s": [], "x": commitments}))
    with pytest.raises(InvalidInputError, match=r"'design\.left_out\.x' must list commitments"):
        verify(text, path)


def test_a_certificate_of_before_formats_has_figures_of_other_columns(made):
    body, path, original = made

    def older(body):
        body["version"] = LINKED
        del body["released"]["format"]

    result = {item.name: item for item in verify(forged(body, older), path, original)}
    assert result["beside"].passed is not None
