"""Explore: one question live, with its frontier, lifts, mechanism and confusability graph."""

from pages.ui.explore import board
from pages.ui.frame import state
from pages.ui.in_class import menu

state.restore("explore")
menu.show()
board.show()
