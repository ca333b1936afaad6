"""What all figures and texts share: colours, labels, units, axes, the glossary."""
