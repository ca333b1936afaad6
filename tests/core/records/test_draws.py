import hashlib
import random

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from core.errors import InvalidInputError
from core.limits import CACHED
from core.records.checking.drawn import siphashes
from core.records.draws import BLOCK, GUESSABLE, Keyed, Sampler, Seeded, siphash


def test_a_seeds_numbers_are_those_of_the_documented_hash():
    seed, record = 31, BLOCK + 5
    digest = hashlib.shake_256(b"liftscope draw 31 1").digest(8 * 6)
    by_hand = (int.from_bytes(digest[40:], "little") >> 11) / 2**53
    assert Seeded(seed).uniforms(record, 1)[0] == by_hand


def test_a_keys_numbers_are_those_of_the_documented_hash():
    key = bytes(range(40))
    secret = hashlib.blake2b(hashlib.blake2b(key).digest(), digest_size=16, person=b"record")
    by_hand = (by_whole_numbers("東京".encode(), secret.digest()) >> 11) / 2**53
    assert Keyed(key, "id").uniforms(9, 1, ["東京"])[0] == by_hand


def by_whole_numbers(text, key):
    """Return SipHash-2-4 by Python's whole numbers, a byte at a time."""
    most = 2**64 - 1

    def turned(v, bits):
        return ((v << bits) | (v >> (64 - bits))) & most

    def mixed(a, b, c, d):
        a, c = (a + b) & most, (c + d) & most
        b, d = turned(b, 13) ^ a, turned(d, 16) ^ c
        a = turned(a, 32)
        c, a = (c + b) & most, (a + d) & most
        b, d = turned(b, 17) ^ c, turned(d, 21) ^ a
        return a, b, turned(c, 32), d

    k = [int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")]
    words = b"somepseudorandomlygeneratedbytes"
    v = tuple(int.from_bytes(words[8 * i : 8 * i + 8], "big") ^ k[i % 2] for i in range(4))
    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) % 256])
    for i in range(0, len(padded), 8):
        word = int.from_bytes(padded[i : i + 8], "little")
        v = mixed(*mixed(v[0], v[1], v[2], v[3] ^ word))
        v = v[0] ^ word, *v[1:]
    v = v[0], v[1], v[2] ^ 255, v[3]
    for _ in range(4):
        v = mixed(*v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


PUBLISHED = {
    0: 0x726FDB47DD0E0E31,
    1: 0x74F839C593DC67FD,
    7: 0xAB0200F58B01D137,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
    63: 0x958A324CEB064572,
}
"""Lengths of the bytes 0, 1, 2, … and their hash by the key of bytes 0 to 15, as the function's
authors publish them."""


@pytest.mark.parametrize("length", PUBLISHED)
def test_the_hash_is_that_of_the_published_examples(length):
    key, text = bytes(range(16)), bytes(range(length))
    assert by_whole_numbers(text, key) == PUBLISHED[length]
    assert siphash(pa.array([text.decode()]), key).tolist() == [PUBLISHED[length]]
    assert siphashes([text], key) == [PUBLISHED[length]]


@pytest.mark.parametrize("n", [0, 1, 2, 300, CACHED + 7])
def test_texts_of_all_lengths_are_hashed_as_one_by_one(n):
    chosen = random.Random(n)
    texts = ["".join(chosen.choices("aé東🦊", k=int(chosen.expovariate(0.1)))) for _ in range(n)]
    key = chosen.randbytes(16)
    array = pa.array(["before", *texts, "after"])[1:-1]
    result = siphash(array, key).tolist()
    assert result == siphashes([item.encode() for item in texts], key)
    assert result[:300] == [by_whole_numbers(item.encode(), key) for item in texts[:300]]
    assert (Keyed(key, "id").uniforms(0, n, texts) == Keyed(key, "id").uniforms(0, n, array)).all()


def test_a_missing_text_is_hashed_as_empty_and_a_key_of_another_length_is_refused():
    key = bytes(16)
    assert len(set(siphash(pa.array([None, "", None], pa.string()), key).tolist())) == 1
    assert siphash(pa.array([], pa.string()), key).shape == (0,)
    with pytest.raises(InvalidInputError, match="must have 16 bytes, got 15"):
        siphash(pa.array(["a"]), key[:15])


def test_numbers_do_not_depend_on_how_they_are_asked_for():
    whole = Seeded(5).uniforms(0, 2 * BLOCK + 10)
    pieces, place = [], 0
    chosen = random.Random(0)
    while place < len(whole):
        count = min(chosen.randrange(1, 50_000), len(whole) - place)
        pieces.append(Seeded(5).uniforms(place, count))
        place += count
    assert (np.concatenate(pieces) == whole).all()
    assert Seeded(5).uniforms(3, 0).shape == (0,)


@pytest.mark.parametrize("draw", [Seeded(2), Keyed(b"k" * 16, "id")])
def test_numbers_are_uniform(draw):
    result = draw.uniforms(0, 100_000, [str(i) for i in range(100_000)])
    assert result.min() >= 0
    assert result.max() < 1
    assert stats.kstest(result, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(result[:-1], result[1:])[0, 1]) < 0.015


def test_other_seeds_and_keys_have_other_numbers_and_commitments():
    seeds = [Seeded(i) for i in range(50)]
    assert len({item.uniforms(0, 1)[0] for item in seeds}) == 50
    assert len({item.commitment for item in seeds}) == 50
    a, b = Keyed(b"a" * 16, "id"), Keyed(b"b" * 16, "id")
    assert a.commitment != b.commitment
    assert a.uniforms(0, 1, ["1"])[0] != b.uniforms(0, 1, ["1"])[0]


def test_neither_seed_nor_key_is_shown():
    assert "secretsecretsecret" not in repr(Keyed(b"secretsecretsecret", "id"))
    assert "123456789" not in Seeded(123456789).commitment


@pytest.mark.parametrize("seed", [-1, 1 << 256, True, 1.5])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(InvalidInputError, match="The seed must be"):
        Seeded(seed)


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e3", "9" * 5_000])
def test_a_text_that_is_no_seed_is_refused(text):
    with pytest.raises(InvalidInputError, match="The seed must be"):
        Seeded.from_text(text)


def test_small_seeds_are_known_as_such():
    assert Seeded(GUESSABLE - 1).guessable
    assert not Seeded(GUESSABLE).guessable


def test_a_short_key_or_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match="at least 16 bytes, got 15"):
        Keyed(b"k" * 15, "id")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        Keyed.from_file(tmp_path / "none", "id")
    (tmp_path / "short").write_bytes(b"k")
    with pytest.raises(InvalidInputError, match="at least 16 bytes, got 1"):
        Keyed.from_file(tmp_path / "short", "id")
    (tmp_path / "key").write_bytes(b"k" * 16)
    assert Keyed.from_file(tmp_path / "key", "id") == Keyed(b"k" * 16, "id")


def test_a_keyed_draw_needs_an_id_for_each():
    with pytest.raises(InvalidInputError, match="an id for each of 2 records"):
        Keyed(b"k" * 16, "id").uniforms(0, 2, ["1"])


def test_the_sampler_is_the_inverse_of_the_cumulative_kernel():
    rng = np.random.default_rng(0)
    kernel = rng.dirichlet(np.ones(7), 30) * (rng.random((30, 7)) < 0.6)
    kernel[:, 3] += 0.01
    kernel /= kernel.sum(axis=1, keepdims=True)
    rows, u = rng.integers(0, 30, 5_000), rng.random(5_000)
    result = Sampler(kernel)(rows, u)
    for row, number, output in zip(rows, u, result, strict=True):
        total = 0.0
        for y in range(7):  # by hand: the first output whose sum exceeds the number
            total += kernel[row, y]
            if total > number:
                break
        assert output == y


def test_an_output_of_probability_0_is_never_drawn():
    kernel = np.array([[0.0, 0.1, 0.0, 0.2, 0.7 - 1e-15, 0.0], [1.0, 0, 0, 0, 0, 0]])
    extreme = np.array([0.0, 0.1, 0.3, 1 - 2.0**-53])
    rows = np.repeat([0, 1], 4)
    result = Sampler(kernel)(rows, np.tile(extreme, 2))
    assert (kernel[rows, result] > 0).all()
    assert (result[4:] == 0).all()


def test_frequencies_are_those_of_the_kernel():
    kernel = np.random.default_rng(1).dirichlet(np.ones(5), 4)
    rows = np.repeat(np.arange(4), 20_000)
    result = Sampler(kernel)(rows, Seeded(3).uniforms(0, len(rows)))
    for row in range(4):
        counts = np.bincount(result[rows == row], minlength=5)
        assert stats.chisquare(counts, 20_000 * kernel[row]).pvalue > 0.001
