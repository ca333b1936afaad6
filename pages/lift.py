"""Lift: which symbols give what away, and why some of them break the promise."""

from pages.ui import lift
from pages.ui.frame import state
from pages.ui.in_class import menu

state.restore("lift")
menu.show()
lift.show()
