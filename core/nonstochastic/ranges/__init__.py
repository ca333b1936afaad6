"""What follows from which secrets and releases occur together: parts, graphs, measures."""
