"""Robust: what if the data misleads the designer, and what protecting against it costs."""

from pages.ui import robust_board, state

state.restore("robust")
robust_board.show()
