"""What the results of a sweep tell: means over draws, differences, who dominates whom."""
