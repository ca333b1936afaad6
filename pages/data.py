"""Data: bring it, choose S and X, say what becomes of its columns, and see what is counted."""

from pages.ui import data_board, state

state.restore("data")
data_board.show()
