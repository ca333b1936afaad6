"""Mechanisms that answer at random by a formula, calibrated to the notion."""
