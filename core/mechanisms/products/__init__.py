"""Mechanisms that release each attribute of X by a mechanism of its own."""
