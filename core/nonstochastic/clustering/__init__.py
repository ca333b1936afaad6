"""The clustering of X of [NonStoch]: its algorithms, utilities and frontiers."""
