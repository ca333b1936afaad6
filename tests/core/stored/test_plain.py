"""Answers as bytes: what comes back is what went in, and nothing that the bytes name is run."""

import dataclasses
import hashlib
import json
import pickle
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from core.data import DataSpec, count
from core.errors import CoreError, InvalidInputError
from core.joint import Joint
from core.notions import catalogue as notions
from core.scenario import Scenario, answer
from core.scenario.scenario import Result
from core.stored import MAGIC, from_bytes, to_bytes
from core.studies.frontier import sweep

DATA = DataSpec("example:parity", (), ())

MECHANISMS = ("constant", "watchdog", "subset_merging", "grr", "secret_rr", "optimal")


def same(first, other):
    """Say whether two values are equal to the last bit, types and orders of arrays included."""
    if type(first) is not type(other):
        return False
    if isinstance(first, np.ndarray):
        flags = [(each.flags.writeable, each.flags.f_contiguous) for each in (first, other)]
        return (
            flags[0] == flags[1]
            and (first.dtype, first.shape) == (other.dtype, other.shape)
            and first.tobytes() == other.tobytes()
        )
    if dataclasses.is_dataclass(first):
        return all(
            same(getattr(first, each.name), getattr(other, each.name))
            for each in dataclasses.fields(first)
        )
    if isinstance(first, dict):
        return list(first) == list(other) and all(same(first[key], other[key]) for key in first)
    if isinstance(first, list | tuple):
        return len(first) == len(other) and all(map(same, first, other))
    return first == other or (first != first and other != other)


@pytest.mark.parametrize("notion", [entry.key for entry in notions.ALL])
def test_every_answer_comes_back_to_the_last_bit(notion):
    counted, made = count(DATA), 0
    for mechanism in MECHANISMS:
        request = Scenario(DATA, notion=notion, mechanism=mechanism, eps=0.5, time_limit=0.5)
        try:
            result = answer(request, counted)
        except CoreError:
            continue
        made += 1
        back = from_bytes(to_bytes(result))
        assert same(result, back)
        assert back.joint is back.counted.joint  # what was one object is one again
        assert not back.joint.p.flags.writeable
    assert made


def test_a_frontier_comes_back():
    scenario = Scenario(DATA, mechanism="watchdog")
    counted = count(DATA)
    result = sweep(scenario, counted.joint, [0.5, 1.0], counted.x_values, counted.task)
    assert same(result, from_bytes(to_bytes(result)))


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -0.0,
        float("inf"),
        float("nan"),
        10**40,
        "\ud800 =1+1 \x00",
        (1, [2.0, (), {}], {"a": {3: "b"}, (1, 2): None}),
        {"b", "a"},
        frozenset({1, 2}),
        np.float32(0.1),
        np.bool_(True),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((0, 3), dtype=np.int64),
        np.array(["ä", "b"]),
        np.array(2.0),
    ],
)
def test_plain_values_come_back(value):
    assert same(value, from_bytes(to_bytes(value)))


class Colour(Enum):
    RED = 1


@dataclass
class Elsewhere:
    n: int


@pytest.mark.parametrize(
    "value",
    [
        Path("x"),
        object(),
        Colour.RED,
        Elsewhere(1),
        np.array([None]),
        {(1,)},
        lambda: 1,
        1j,
        b"x",
        [10**5000],
    ],
)
def test_what_is_no_answer_is_not_written(value):
    with pytest.raises(InvalidInputError, match="cannot be written"):
        to_bytes([value])


def test_too_deep_an_answer_is_not_written():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        to_bytes(deep)


def written(header, arrays=b""):
    """Return bytes whose checksum is right, whatever they tell."""
    text = json.dumps(header).encode()
    body = len(text).to_bytes(8, "little") + text + arrays
    return MAGIC + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    "header",
    [
        ["o", "os:system", {"command": "true"}],
        ["o", "core.jobs.pool:Pool", {"size": 1}],
        ["o", "core.scenario.scenario:answer", {}],
        ["o", "core.stored:to_bytes", {"value": 1}],
        ["o", "core..stored:x", {}],
        ["o", "core.nowhere:Joint", {}],
        ["o", "core.scenario:Scenario", {}],  # re-exported there, made elsewhere
        ["o", "core.data.spec:DataSpec", {"nothing": 1}],
        ["e", "core.data.spec:DataSpec", "x"],
        ["e", "core.jobs.job:State", "NONE"],
        ["r", 0],
        ["z", 1],
        ["a", ["|O", [1], "C", 0], True],
        ["a", ["<f8,<f8", [1], "C", 0], True],
        ["a", ["<f8", [2], "C", 0], True],
        ["a", ["<f8", [10**18], "C", 0], True],
        ["a", ["<f8", [-1], "C", 0], True],
        ["a", ["<f8", [1], "C", -8], True],
        [],
        ["d", [[["l", []], 1]]],
        ["a", ["<U0", [10**13], "C", 0], True],
        ["t", 5],
    ],
    ids=str,
)
def test_bytes_that_ask_for_more_are_refused(header):
    with pytest.raises(InvalidInputError, match="no answer of this version"):
        from_bytes(written(header, b"12345678"))


def test_the_same_bytes_with_an_array_that_is_there_are_read():
    assert from_bytes(written(["a", ["<f8", [1], "C", 0], True], bytes(8))).tolist() == [0.0]


def test_any_damage_is_seen():
    content = to_bytes(Joint.from_counts([[3, 1], [1, 3]]))
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1
        with pytest.raises(InvalidInputError):
            from_bytes(bytes(damaged))
    for short in (b"", MAGIC, content[:-1], pickle.dumps(1)):
        with pytest.raises(InvalidInputError):
            from_bytes(short)


def test_results_are_what_the_name_says():
    result = from_bytes(to_bytes(answer(Scenario(DATA, mechanism="constant"), count(DATA))))
    assert isinstance(result, Result)
    assert result.mechanism.n_y == 1
