"""Data: bring it, choose S and X, say what becomes of its columns, and see what is counted."""

from pages.ui.data import board
from pages.ui.frame import state
from pages.ui.in_class import menu

state.restore("data")
menu.show()
board.show()
