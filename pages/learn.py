"""Learn: what lift is and what each promise bounds, on tables small enough to work out by hand."""

from pages.ui.frame import state
from pages.ui.in_class import menu
from pages.ui.learn import board, query

state.restore("learn")
query.restore()
menu.show()
board.show()
