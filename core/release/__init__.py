"""What a release gives away: by symbol, under repetition, and in terms of other notions."""

from core.release.attack import Attack, attack
from core.release.beside import Beside, beside
from core.release.implications import implications, implied
from core.release.in_turn import Design, InTurn, in_turn, released_in_turn, split_budget
from core.release.perfect_privacy import PerfectPrivacy, perfect_privacy, what_is_left
from core.release.persons import OfPersons, alike_and_independent, of_persons
from core.release.posteriors import least_bounds
from core.release.reach import Implication
from core.release.repeats import RepeatedLevel, draws, repeated
from core.release.second_release import BesideFirst, second_release

__all__ = [
    "Attack",
    "Beside",
    "BesideFirst",
    "Design",
    "Implication",
    "InTurn",
    "OfPersons",
    "PerfectPrivacy",
    "RepeatedLevel",
    "alike_and_independent",
    "attack",
    "beside",
    "draws",
    "implications",
    "implied",
    "in_turn",
    "least_bounds",
    "of_persons",
    "perfect_privacy",
    "released_in_turn",
    "repeated",
    "second_release",
    "split_budget",
    "what_is_left",
]
