"""Sets with a curved boundary: approximated by cuts from outside, by allowed outputs inside."""
