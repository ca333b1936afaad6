"""What every figure and word shares: colours, labels, units, axes, the glossary."""
