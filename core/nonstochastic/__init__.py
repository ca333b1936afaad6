"""Privacy without probabilities: ranges, confusability graphs and clustering."""
