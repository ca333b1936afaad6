"""Many answers side by side: frontiers, comparisons, robust designs over many samples."""
