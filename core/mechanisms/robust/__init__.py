"""Robust mechanisms in closed form, and what every robust design shares."""
