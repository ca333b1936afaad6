"""Release: the mechanism applied to the records, with a certificate of what that promises."""

from pages.ui.frame import state
from pages.ui.in_class import menu
from pages.ui.release import board, query

state.restore("release")
query.restore()
menu.show()
board.show()
