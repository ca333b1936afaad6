"""What the pages share: controls, figures, exports, words."""
