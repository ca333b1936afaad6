"""The Compare page: its columns, controls, charts and its part of the address."""
