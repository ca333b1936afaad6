"""What all figures and texts share: colors, labels, units, axes, the glossary."""
