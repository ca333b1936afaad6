"""Joint ranges, which say what can occur together: components, graphs, measures."""
