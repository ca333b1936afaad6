"""Confusability: which releases look alike, and what merging them hides and costs."""

from pages.ui.confusability import board, controls
from pages.ui.frame import state
from pages.ui.in_class import menu

state.restore("confusability")
controls.URL.restore()
menu.show()
board.show()
