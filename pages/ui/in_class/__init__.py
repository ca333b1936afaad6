"""What a class needs on every page: the projector view, and a link to the question on screen."""
