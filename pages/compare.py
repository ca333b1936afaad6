"""Compare: several questions side by side, each live, with what differs between their answers."""

from pages.ui.compare import board
from pages.ui.frame import pins, state

state.restore("compare")
pins.restore()
board.show()
