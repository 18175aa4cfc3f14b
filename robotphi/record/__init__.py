"""Record: what happened, as arrays over time and one file, and what can be read from it."""
