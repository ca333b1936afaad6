"""What stands around every page: address, session, sidebar, and what to ask instead."""
