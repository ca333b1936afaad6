"""Mechanisms: one mechanism taken apart, and all of them at the same level of privacy."""

from pages.ui import mechanism_board, mechanism_state, state

state.restore("mechanisms")
mechanism_state.restore()
mechanism_board.show()
