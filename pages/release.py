"""Release: the mechanism applied to the records, with a certificate of what that promises."""

from pages.ui.frame import state
from pages.ui.in_class import menu
from pages.ui.release import board, controls

state.restore("release")
controls.URL.restore()
menu.show()
board.show()
