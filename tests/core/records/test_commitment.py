"""A public certificate confirms no guess of the original; its owner can show which it was."""

import hashlib
import hmac
import inspect
import itertools
import json
import re
from pathlib import Path

import pytest

from core.data.hierarchies import Hierarchy
from core.data.spec import WITHHELD, Binning, LeftOut
from core.records import readable
from core.records.certificate import fingerprint
from core.records.checking.check import REWORDED, reworded
from core.records.draws import Keyed, Seeded
from core.records.verifying import failed, unproven, verify
from core.release import file_words
from tests.core.records.makers import SEED, answer_on, keeping, people, read, write
from tests.core.records.test_verifying import certified, outcomes

OLD = Path(__file__).parent / "version_2"


def texts(value):
    """Yield all texts of a certificate."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, str):
        yield value


def guessed(body, released, folder):
    """Return the original's towns as somebody finds them who has the release and its certificate.

    Y is of the towns; the other columns are released as they are. What is left is to try towns
    until a hash of the file, or one of what is derived from it alone, is in the certificate.
    """
    columns = read(released)
    labels = [item["levels"][0] for item in body["design"]["coding"][1]["symbols"]]
    known = {name: columns[name] for name in ("id", "sex", "age", "note")}
    text = " ".join(texts(body))
    for towns in itertools.product(labels, repeat=len(columns["id"])):
        guess = {"id": known["id"], "sex": known["sex"], "town": towns} | known
        path = write({name: guess[name] for name in ("id", "sex", "town", "age", "note")}, folder)
        content = path.read_bytes()
        tries = [hashlib.new(kind, content).hexdigest() for kind in ("sha256", "sha1", "blake2b")]
        tries.append(hmac.new(b"", tries[0].encode(), hashlib.sha256).hexdigest())
        if any(item in text for item in tries):
            return list(towns)
    return None


@pytest.fixture
def six(tmp_path):
    columns = people(6, seed=3)
    columns["town"] = ["Köln", "Zürich", "Köln", "Zürich", "Zürich", "Köln"]
    columns["sex"] = ["f", "m", "f", "m", "f", "m"]
    return columns, write(columns, tmp_path / "six.csv")


def test_six_records_cannot_be_guessed_from_the_file_and_its_certificate(six, tmp_path):
    columns, original = six
    result, _ = answer_on(original, eps=3.0, mechanism="grr")
    plan = keeping(Seeded(SEED), columns="replaced")
    body, released = certified(tmp_path, result, original, plan)
    known = {name: columns[name] for name in ("id", "age", "note", "sex")}
    full = write(known | {"Y": read(released)[body["released"]["column"]]}, tmp_path / "seen.csv")
    assert guessed(body, full, tmp_path / "guess.csv") is None
    plain = hashlib.sha256(original.read_bytes()).hexdigest()
    assert plain not in " ".join(texts(body))
    before = body | {"original": body["original"] | {"sha256": plain}}  # as version 2 had it
    assert guessed(before, full, tmp_path / "guess.csv") == columns["town"]


@pytest.mark.parametrize("kind", ["seed", "key"])
def test_the_owner_shows_which_file_was_released_and_nobody_else(kind, six, tmp_path):
    _, original = six
    result, _ = answer_on(original, eps=3.0)
    (tmp_path / "key").write_bytes(b"0123456789abcdef")
    draw = Seeded(SEED) if kind == "seed" else Keyed.from_file(tmp_path / "key", "id")
    body, released = certified(tmp_path, result, original, keeping(draw))
    own = {"seed": str(SEED)} if kind == "seed" else {"key": tmp_path / "key"}
    answer = {item.name: item for item in verify(json.dumps(body), released, original, **own)}
    assert failed(list(answer.values())) == []
    assert answer["original file"].passed is True
    assert body["scenario"]["data"]["source"] == f"upload:{body['original']['commitment']}"
    unknown = outcomes(body, released, original)
    assert unknown["original file"].passed is None
    assert kind in unknown["original file"].sentence
    other = tmp_path / "other.csv"
    other.write_bytes(original.read_bytes() + b"\n")  # the same records, in other bytes
    reported = {item.name: item for item in verify(json.dumps(body), released, other, **own)}
    assert reported["original file"].passed is False
    forged = json.loads(json.dumps(body))
    forged["original"]["commitment"] = "0" * 64
    forged["fingerprint"] = fingerprint(forged)
    reported = {item.name: item for item in verify(json.dumps(forged), released, original, **own)}
    assert reported["original file"].passed is False
    assert reported["codings"].passed is False  # the scenario is about another file


def test_a_seed_that_can_be_guessed_commits_to_nothing(six, tmp_path):
    _, original = six
    result, _ = answer_on(original, eps=3.0)
    body, released = certified(tmp_path, result, original, keeping(Seeded(17)))
    assert body["original"]["commitment"] is None
    assert body["scenario"]["data"]["source"] == f"upload:{WITHHELD}"
    answer = outcomes(body, released, original, "17")
    assert failed(list(answer.values())) == []
    assert answer["original file"].passed is None
    assert "can be guessed" in answer["original file"].sentence


def test_a_commitment_that_was_taken_out_is_missed_by_who_has_the_seed(six, tmp_path):
    _, original = six
    result, _ = answer_on(original, eps=3.0)
    body, released = certified(tmp_path, result, original, keeping(Seeded(SEED)))
    body["original"]["commitment"] = None
    body["scenario"]["data"]["source"] = f"upload:{WITHHELD}"
    body["fingerprint"] = fingerprint(body)
    answer = outcomes(body, released, original, str(SEED))
    assert answer["original file"].passed is False
    assert outcomes(body, released, original)["original file"].passed is None


def test_without_the_original_it_is_said_that_no_draw_was_made_again(six, tmp_path):
    _, original = six
    result, _ = answer_on(original, eps=3.0)
    body, released = certified(tmp_path, result, original, keeping(Seeded(SEED)))
    answer = {item.name: item for item in verify(json.dumps(body), released, seed=str(SEED))}
    assert answer["seed"].passed is None
    assert "seed" not in {item.name for item in verify(json.dumps(body), released)}


OTHER = {"seed": {"seed": str(SEED + 1)}, "key": {"key": b"another key of the owner"}}
"""Secrets that a release was not drawn by."""


@pytest.mark.parametrize("kind", OTHER)
def test_another_seed_or_key_is_told_where_no_draw_is_made_again(kind, tmp_path):
    original = write(people(60), tmp_path / "people.csv")
    gone = (LeftOut(("town",), ("Köln",)),)
    result, _ = answer_on(original, left_out=gone)
    draw = Seeded(SEED) if kind == "seed" else Keyed(b"k" * 20, "id")
    body, released = certified(tmp_path, result, original, keeping(draw))
    for given in (None, original):
        checks = verify(json.dumps(body), released, given, **OTHER[kind])
        assert [item.sentence for item in failed(checks)] == [
            f"This is not the {kind} that the certificate commits to."
        ]


@pytest.mark.parametrize("kind", ["quantile", "width", "edges"])
def test_it_is_said_that_ends_of_bins_are_values_of_records(kind, tmp_path):
    columns = people(200)
    original = write(columns, tmp_path / "people.csv")
    own = {"edges": (0.0, 40.05, 100.0)} if kind == "edges" else {"count": 3}
    bins = (Binning("age", kind, **own),)
    result, _ = answer_on(original, released=("age",), binnings=bins)
    body, _ = certified(tmp_path, result, original, keeping(Seeded(SEED)))
    edges = body["design"]["coding"][1]["edges"][0]
    reported = counts_sentence(body)
    of_records = (edges[0], edges[-1]) == (min(columns["age"]), max(columns["age"]))
    assert ("outer ends of the bins of 'age'" in reported) == of_records == (kind != "edges")
    assert ("even if left out later" in reported) == of_records
    inner = set(edges[1:-1]) <= set(columns["age"])
    assert ("The inner ends of 'age' are values too." in reported) == inner == (kind == "quantile")


def counts_sentence(body):
    (reported,) = [item["sentence"] for item in body["promises"] if item["about"] == "counts"]
    return reported


def test_it_is_said_that_figures_of_a_task_follow_from_its_counts(tmp_path):
    original = write(people(200), tmp_path / "people.csv")
    for task in ((), ("note",)):
        result, _ = answer_on(original, task=task)
        body, _ = certified(tmp_path, result, original, keeping(Seeded(SEED)))
        assert ("each pair of S and X, and of T and X: a guess" in counts_sentence(body)) == (
            bool(task)
        )


def test_it_is_said_that_a_table_of_parents_names_its_values(tmp_path):
    columns = people(200)
    original = write(columns, tmp_path / "people.csv")
    rows = tuple((town, town[0]) for town in sorted({*columns["town"], "nowhere"}))
    result, _ = answer_on(original, hierarchies=(Hierarchy("town", "table", rows=rows),))
    body, _ = certified(tmp_path, result, original, keeping(Seeded(SEED)))
    assert "nowhere" in json.dumps(body["scenario"])
    assert "So are the values that are in a table of parents." in counts_sentence(body)


def test_the_commitments_are_those_of_the_standards():
    digest = "ab" * 32
    mac = hmac.new(f"liftscope original {SEED}".encode(), digest.encode(), hashlib.sha256)
    assert Seeded(SEED).committed(digest) == mac.hexdigest()
    assert Seeded(SEED).committed(digest) != Seeded(SEED + 1).committed(digest)
    assert Keyed(b"k" * 16, "id").committed(digest) != Keyed(b"l" * 16, "id").committed(digest)
    assert Seeded(2**64 - 1).committed(digest) is None
    assert Seeded(2**64).committed(digest) is not None


def test_a_certificate_of_version_2_verifies_and_what_it_gives_away_is_said():
    body = json.loads((OLD / "released.json").read_text(encoding="utf-8"))
    assert body["version"] == 2
    result = outcomes(body, OLD / "released.csv", OLD / "people.csv", "17")
    assert failed(list(result.values())) == []
    assert result["original file"].passed is True
    assert result["exposed"].passed is None
    assert "test guesses of the whole original" in result["exposed"].sentence
    (reported,) = [item for name, item in result.items() if name.startswith("robust PML, ")]
    assert reported.passed is None
    assert (
        f"{body['levels']['design']['robust_pml']:.4g} nats, takes P(S) as known"
        in reported.sentence
    )


def test_a_certificate_of_version_3_verifies_as_it_was_written():
    old = OLD.with_name("version_3")
    body = json.loads((old / "released.json").read_text(encoding="utf-8"))
    assert body["version"] == 3
    symbols = [item["label"] for item in body["design"]["coding"][1]["symbols"]]
    assert "(missing)" in symbols  # which records left out alone have
    result = outcomes(body, old / "released.csv", old / "people.csv", str(SEED))
    assert failed(list(result.values())) == []
    assert result["left out"].passed is result["design"].passed is True


def test_a_certificate_of_version_4_verifies_as_it_was_written():
    old = OLD.with_name("version_4")
    body = json.loads((old / "released.json").read_text(encoding="utf-8"))
    assert body["version"] == 4
    assert "smith" in body["design"]["coding"][1]["kept"][0]  # which records left out alone have
    result = outcomes(body, old / "released.csv", old / "people.csv", str(SEED))
    assert failed(list(result.values())) == []
    assert result["left out"].passed is result["design"].passed is result["seed"].passed is True


def test_no_phrase_of_older_certificates_is_written_now():
    written = "\n".join(
        [*(now for _, now in REWORDED), inspect.getsource(readable), inspect.getsource(file_words)]
    )
    assert [old for old, _ in REWORDED if re.search(old, written)] == []


def test_a_certificate_of_version_5_verifies_as_it_was_written():
    old = OLD.with_name("version_5")
    body = json.loads((old / "released.json").read_text(encoding="utf-8"))
    assert (body["version"], len(body["design"]["left_out"]["x"])) == (5, 2)
    assert "The mechanism and all figures here follow from" in counts_sentence(body)
    text = json.dumps(body)
    assert "Against whoever sees Y" in text  # other words than a new certificate has
    result = verify(text, old / "released.csv", old / "people.csv", key=b"k" * 32)
    assert failed(result) == []
    passed = {item.name for item in result if item.passed}
    assert {"left out", "design", "key", "beside", "promises"} <= passed
    by_name = {item.name: item for item in result}
    assert by_name["exposed"].passed is None
    assert "X differs wherever Y does" in by_name["exposed"].sentence
    assert "promised: one record" in {item.name for item in unproven(result)}


def test_a_certificate_of_the_present_version_by_earlier_code_verifies():
    """It has no level of a notion that later code knows, and no attack."""
    old = OLD.with_name("version_6")
    text = (old / "released.json").read_text(encoding="utf-8")
    assert json.loads(text)["version"] == 6
    seed = "31415926535897932384626"
    result = verify(text, old / "released.csv", old / "people.csv", seed=seed)
    assert failed(result) == []
    assert {item.name for item in result if item.passed is None} == {"code", "attack"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "The level is that of the distribution by the sampling weights of 'w 1'. The records "
            "themselves, counted once each, have another: by their own",
            "The level is that of the distribution weighted by 'w 1'. The records counted once "
            "each have another distribution: by their own",
        ),
        (
            "By the sampling weights of 'w' the records are worth about 9 records. Over the "
            "confidence set of so many LDP holds at 1 nats, but how likely this set has the true "
            "distribution is not known.",
            "With the sampling weights in 'w', the records are worth about 9 records. Over the "
            "confidence set for that many, LDP holds at 1 nats, but the probability that this set "
            "contains the true distribution is unknown.",
        ),
        (
            "Only one record of each person, as 'id' names them, is counted and released. It was "
            "drawn by the seed 7, which is not secret.",
            "Only one record of each person, identified by 'id', is counted and released. It was "
            "drawn with seed 7, which is not secret.",
        ),
        (
            "2 cells never seen: answered like a typical member of the secret.",
            "2 cells never observed: treated as typical of the secret.",
        ),
        ("2 reach ∞ of its budgets", "2 reach ∞ times its budgets"),
        (
            "The promise is about 'a' and 'b' together, each randomized for itself: all",
            "The promise is about 'a' and 'b' together, each randomized separately: all",
        ),
        (
            "X_H, the symbols that break the promise by themselves, reach 0.6286 nats",
            "X_H, the symbols that exceed the budget on their own, reach 0.6286 nats",
        ),
        ("Only α = 0 keeps the promise.", "Only α = 0 satisfies the notion."),
        (
            "the whole leaks more than asked, although",
            "the whole leaks more than allowed, although",
        ),
        ("Optimised unary encoding", "Optimized unary encoding"),
        ("Secret randomised response", "Secret randomized response"),
        ("Randomised response of (s, u)", "Randomized response of (s, u)"),
    ],
)
def test_older_words_are_read_as_those_of_now(old, new):
    assert reworded([old]) == [new]
