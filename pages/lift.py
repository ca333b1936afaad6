"""Lift: which symbols give what away, and why some of them break the promise."""

from pages.ui.frame import state
from pages.ui.in_class import menu
from pages.ui.lift import board

state.restore("lift")
menu.show()
board.show()
