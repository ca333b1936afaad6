"""What a class needs of every page: the projector view, and a link to the question on screen."""
