"""Where joints come from: bundled sets, files, random draws and the papers' examples."""
