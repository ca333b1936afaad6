"""Serving: requests that come late, several servers behind a proxy, the answers they share."""
