"""Robust mechanisms in closed form, and functions that all robust mechanisms use."""
