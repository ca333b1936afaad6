"""What the algorithms are compared with: all partitions, submodular search, suppression."""
