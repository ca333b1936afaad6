"""Measures, notions and mechanisms for releasing X without giving away S."""
