"""The Lift page: how far beliefs move, symbol by symbol."""
