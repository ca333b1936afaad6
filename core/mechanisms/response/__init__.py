"""Randomized responses in closed form, calibrated to a notion, and subset random response."""
