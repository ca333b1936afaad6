"""Optima under budgets on averages: the same solver, on a cone of one symbol more a budget."""
