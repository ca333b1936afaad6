"""Robust: what if the data misleads the designer, and what protecting against it costs."""

from pages.ui.frame import state
from pages.ui.in_class import menu
from pages.ui.robust import board

state.restore("robust")
menu.show()
board.show()
