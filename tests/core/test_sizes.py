"""Bytes of values, held against what the interpreter says it has taken."""

import gc
import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest

from core.data import DataSpec
from core.scenario import Scenario, evaluate
from core.sizes import LruCache, size_of


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


@dataclass
class Plain:
    a: object
    b: object = None


def test_what_is_in_a_value_counts_however_it_is_held():
    array = np.zeros(10_000)
    for held in (
        [array],
        (array,),
        {"a": array},
        {"a": {1: [array]}},
        Slotted(array),
        Plain(array),
    ):
        assert 80_000 < size_of(held) < 81_000
    assert 80_000 < size_of({"x" * 80_000}) < 81_000
    assert size_of(np.array(["x" * 5_000, None], dtype=object)) > 5_000


def test_an_object_counts_once_and_a_view_for_all_it_keeps():
    array = np.zeros(10_000)
    assert size_of([array, array, Plain(array, array)]) < 81_000
    assert size_of(array[:1]) > 80_000
    assert size_of([array[:1], array[1:]]) < 81_000


def test_what_a_value_refers_to_and_does_not_own_does_not_count():
    assert size_of([np, np.zeros, Plain, size_of, "x".join]) < 500


def test_a_circle_ends():
    ring: list[object] = []
    ring.append(ring)
    assert size_of(ring) < 200


def test_an_answer_counts_for_what_it_has_taken():
    request = Scenario(DataSpec("random:uniform:300x300:1", (), ()), mechanism="watchdog")
    evaluate(request)  # modules and caches are loaded
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        answer = evaluate(request)
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert size_of(answer) == pytest.approx(taken, rel=0.05)


def test_a_cache_keeps_count_of_its_bytes():
    cache = LruCache(3, 100)
    for key, n_bytes in (("a", 40), ("b", 40), ("a", 10), ("c", 40), ("d", 30)):
        cache.put(key, key, n_bytes)
    assert ("b" in cache, "a" in cache, cache.n_bytes) == (False, True, 80)
    assert cache.find("a") == "a"
    cache.put("e", 1, 10)
    assert "c" not in cache  # the one not used for longest, since "a" was
    cache.put("f", 1, 1_000)
    assert cache.n_bytes == 1_000
    cache.clear()
    assert (cache.n_bytes, cache.find("f")) == (0, None)
