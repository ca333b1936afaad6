"""What a release promises: told symbol by symbol, once more, and in other notions' terms."""

from core.release.implications import implications, implied
from core.release.merging_bounds import least_bounds
from core.release.reach import Implication
from core.release.repeats import Draws, draws, repeated
from core.release.second_release import BesideFirst, second_release

__all__ = [
    "BesideFirst",
    "Draws",
    "Implication",
    "draws",
    "implications",
    "implied",
    "least_bounds",
    "repeated",
    "second_release",
]
