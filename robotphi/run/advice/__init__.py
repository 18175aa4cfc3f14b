"""Advice: what is said before a run, and after it, about what makes it slow, soft or fail."""
