"""Papers: what the five papers print, what comes out here, and a verdict on every claim."""

from pages.ui.frame import state
from pages.ui.in_class import menu
from pages.ui.papers import board, query

state.restore("papers")
query.restore()
menu.show()
board.show()
