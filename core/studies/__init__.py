"""Studies of many answers: frontiers, comparisons, matching, robust designs over many samples."""
