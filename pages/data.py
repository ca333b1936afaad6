"""Data: bring it, choose S and X, say what becomes of its columns, and see what is counted."""

from pages.ui.data import board
from pages.ui.frame import state

state.restore("data")
board.show()
