"""Confusability: which releases look alike, and what merging them hides and costs."""

from pages.ui.confusability import board, query
from pages.ui.frame import state

state.restore("confusability")
query.restore()
board.show()
