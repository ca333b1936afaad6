"""The Release page: how records are released, the preview, the file and its certificate."""
