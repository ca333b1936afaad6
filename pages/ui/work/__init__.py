"""From questions to answers: what is kept, what is under way, and how its progress is shown."""
