"""Compare: several questions side by side, each live, with what differs between their answers."""

from pages.ui.compare import board
from pages.ui.frame import pins, state
from pages.ui.in_class import menu

state.restore("compare")
pins.restore()
menu.show()
board.show()
