"""Round sets between polytopes: from outside by cuts, from inside by allowed outputs."""
