"""Explore: one question live, with its frontier, lifts, mechanism and confusability graph."""

from pages.ui.explore import board
from pages.ui.frame import state

state.restore("explore")
board.show()
