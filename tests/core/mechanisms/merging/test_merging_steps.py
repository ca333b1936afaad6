import numpy as np
import pytest
from hypothesis import given, settings

from core.errors import InvalidInputError
from core.joint import Joint
from core.mechanisms import MergeStep, merge_high_risk
from core.mechanisms.merging.subset_merging import in_words, replay
from core.notions import LIP
from tests.strategies import joints, symbol_notions


@settings(max_examples=60, deadline=None)
@given(joints(), symbol_notions())
def test_all_steps_replayed_are_the_answer(joint, notion):
    merging = merge_high_risk(joint, notion)
    sets = replay(merging.steps, len(merging.steps))
    assert {frozenset(item.members) for item in sets} == {frozenset(item) for item in merging.sets}
    assert all(item.fits for item in sets) == merging.attained
    for taken in range(len(merging.steps) + 1):
        members = [x for item in replay(merging.steps, taken) for x in item.members]
        assert len(members) == len(set(members))
        # sets are closed one after the other: only the last one may be open
        assert all(item.fits for item in replay(merging.steps, taken)[:-1])


def test_a_step_that_joins_an_earlier_set_replaces_it():
    steps = (
        MergeStep((0,), (), 0.0, 2.0, False),
        MergeStep((1,), (0,), 2.0, 0.5, True),
        MergeStep((2,), (), 0.0, 3.0, False),
        MergeStep((0, 1), (2,), 3.0, 0.4, True),
    )
    assert [item.members for item in replay(steps, 3)] == [(0, 1), (2,)]
    last = replay(steps, 4)
    assert [(item.members, item.risk) for item in last] == [((2, 0, 1), 0.4)]
    assert in_words(steps[3], "abc") == (
        "Adding 'a' + 'b' to 'c' lowers ω from 3.000 to 0.400 nats, within the budget."
    )


def test_sentences_stay_short():
    step = MergeStep((4,), (0, 1, 2, 3), 0.5, np.inf, False)
    assert in_words(step, "abcde") == (
        "Adding 'e' to 'a' + 'b' + 'c' and 1 more raises ω from 0.500 to ∞ nats, still over the "
        "budget."
    )


@pytest.mark.parametrize("count", [-1, 5])
def test_steps_that_are_not_there_are_refused(count):
    joint = Joint.from_counts([[8, 1, 7, 2, 5], [1, 8, 2, 7, 5]])
    steps = merge_high_risk(joint, LIP(0.4)).steps
    with pytest.raises(InvalidInputError, match=rf"count must be in \[0, 4\], got {count}"):
        replay(steps, count)
