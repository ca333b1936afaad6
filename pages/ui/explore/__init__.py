"""The Explore page: one question live, with its frontier."""
