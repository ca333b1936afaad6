"""Search for outputs that the master would gain by: vertices, descents, linearisations."""
