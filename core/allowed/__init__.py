"""The sets of outputs that a notion allows: linear rows, and cuts where they are round."""
