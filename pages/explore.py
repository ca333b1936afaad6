"""Explore: one question live, with its frontier, lifts, mechanism and confusability graph."""

from pages.ui import board, state

state.restore("explore")
board.show()
