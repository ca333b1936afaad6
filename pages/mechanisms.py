"""Mechanisms: one mechanism taken apart, and all of them at the same level of privacy."""

from pages.ui.frame import state
from pages.ui.in_class import menu
from pages.ui.mechanisms import board, query

state.restore("mechanisms")
query.restore()
menu.show()
board.show()
