"""The Frontiers page: a sweep is set up, estimated, run, and its questions compared."""
