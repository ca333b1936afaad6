"""What a release tells about S, and what it keeps of X."""
