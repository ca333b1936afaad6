"""Lift: which symbols give what away, and why some of them break the promise."""

from pages.ui import lift_board, state

state.restore("lift")
lift_board.show()
