"""The interface: a folder for each page, and folders of what pages share."""
