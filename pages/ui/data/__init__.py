"""The Data page: uploads, preprocessing, and what was counted."""
