"""Robust: what if the data misleads the designer, and what protecting against it costs."""

from pages.ui.frame import state
from pages.ui.robust import board

state.restore("robust")
board.show()
