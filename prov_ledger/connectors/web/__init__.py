"""Reading pages of the web, and only what is meant to be read by strangers."""
