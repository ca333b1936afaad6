"""What the algorithms are held against: all partitions, submodular search, suppression."""
