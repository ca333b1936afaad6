"""Optima under budgets on averages: the same solver, on a cone with one more coordinate each."""
