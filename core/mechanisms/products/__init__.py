"""Mechanisms that release each attribute of X by a separate kernel."""
