import hashlib
import random

import numpy as np
import pytest
from scipy import stats

from core.errors import InvalidInputError
from core.records.draws import BLOCK, GUESSABLE, Keyed, Sampler, Seeded


def test_a_seeds_numbers_are_those_of_the_documented_hash():
    seed, record = 31, BLOCK + 5
    digest = hashlib.shake_256(b"liftscope draw 31 1").digest(8 * 6)
    by_hand = (int.from_bytes(digest[40:], "little") >> 11) / 2**53
    assert Seeded(seed).uniforms(record, 1)[0] == by_hand


def test_a_keys_numbers_are_those_of_the_documented_hash():
    key = bytes(range(40))
    said = hashlib.blake2b(
        "東京".encode(), key=hashlib.blake2b(key).digest(), digest_size=8, person=b"record"
    ).digest()
    by_hand = (int.from_bytes(said, "little") >> 11) / 2**53
    assert Keyed(key, "id").uniforms(9, 1, ["東京"])[0] == by_hand


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
    found = draw.uniforms(0, 100_000, [str(i) for i in range(100_000)])
    assert found.min() >= 0
    assert found.max() < 1
    assert stats.kstest(found, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(found[:-1], found[1:])[0, 1]) < 0.015


def test_other_seeds_and_keys_have_other_numbers_and_commitments():
    seeds = [Seeded(i) for i in range(50)]
    assert len({one.uniforms(0, 1)[0] for one in seeds}) == 50
    assert len({one.commitment for one in seeds}) == 50
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
    found = Sampler(kernel)(rows, u)
    for row, number, output in zip(rows, u, found, strict=True):
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
    found = Sampler(kernel)(rows, np.tile(extreme, 2))
    assert (kernel[rows, found] > 0).all()
    assert (found[4:] == 0).all()


def test_frequencies_are_those_of_the_kernel():
    kernel = np.random.default_rng(1).dirichlet(np.ones(5), 4)
    rows = np.repeat(np.arange(4), 20_000)
    found = Sampler(kernel)(rows, Seeded(3).uniforms(0, len(rows)))
    for row in range(4):
        counts = np.bincount(found[rows == row], minlength=5)
        assert stats.chisquare(counts, 20_000 * kernel[row]).pvalue > 0.001
