"""Frontiers: promises, mechanisms and budgets on data or many random joints, in one sweep."""

from pages.ui.frame import state
from pages.ui.frontiers import board, query
from pages.ui.in_class import menu

state.restore("frontiers")
query.restore()
menu.show()
board.show()
