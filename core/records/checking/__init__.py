"""The single checks of a certificate."""
