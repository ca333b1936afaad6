"""What surrounds every page: address, session, sidebar, and remedies for failed questions."""
