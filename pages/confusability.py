"""Confusability: which releases look alike, and what merging them hides and costs."""

from pages.ui import confusability_board, confusability_state, state

state.restore("confusability")
confusability_state.restore()
confusability_board.show()
