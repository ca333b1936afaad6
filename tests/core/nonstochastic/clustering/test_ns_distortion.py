import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import nonstochastic as ns
from core.errors import InvalidInputError
from tests.strategies import partitions

numbers = st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6)


def test_codewords_by_hand():
    values = [0.0, 1.0, 5.0]
    whole = [(0, 1, 2)]
    assert ns.max_distortion(whole, values) == 3.0
    assert ns.max_distortion(whole, values, "midrange") == 2.5
    assert ns.max_distortion(whole, values, "medoid") == 4.0


def test_vectors_and_other_distances():
    corners = [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]
    whole = [(0, 1, 2, 3)]
    assert ns.max_distortion(whole, corners) == pytest.approx(np.sqrt(2))

    def city_blocks(points, centre):
        return np.abs(points - centre).sum(axis=1)

    assert ns.max_distortion(whole, corners, distance=city_blocks) == 2.0
    assert ns.max_distortion(whole, corners, "medoid", distance=city_blocks) == 4.0


def test_a_table_of_dissimilarities_serves_with_medoids():
    apart = np.array([[0, 1, 9], [1, 0, 3], [9, 3, 0]], dtype=float)

    def look_up(points, centre):
        return apart[points.astype(int), int(centre)]

    result = ns.merge_for_anonymity(
        np.eye(3, dtype=bool), 0.0, "distortion", range(3), codeword="medoid", distance=look_up
    )
    assert result.path[1].merged == ((0, 1, 2),)
    assert result.utility == -3.0


@settings(max_examples=50, deadline=None)
@given(st.data(), numbers)
def test_the_middle_is_never_worse_than_the_centroid(data, values):
    partition = data.draw(partitions(6))
    middle = ns.max_distortion(partition, values, "midrange")
    assert middle <= ns.max_distortion(partition, values) + 1e-9
    assert ns.max_distortion(partition, values, "medoid") <= 2 * middle + 1e-9
    widths = [max(values[x] for x in c) - min(values[x] for x in c) for c in partition]
    assert middle == pytest.approx(max(widths) / 2, abs=1e-9)


def test_merging_can_lower_the_centroid_distortion():
    """So it is no monotone utility: a far member weighs less in a small cluster's mean."""
    values = [0.0, 10.0, 10.0, 10.0, 0.0, 0.0]
    assert ns.max_distortion([(0, 1, 2, 3), (4, 5)], values) == 7.5
    assert ns.max_distortion([(0, 1, 2, 3, 4, 5)], values) == 5.0


def test_values_of_unequal_length_are_refused():
    with pytest.raises(InvalidInputError, match="needs numbers as values"):
        ns.max_distortion([(0, 1)], [[1.0], [1.0, 2.0]])
