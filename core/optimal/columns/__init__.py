"""Column generation: the search for outputs of negative reduced cost."""
