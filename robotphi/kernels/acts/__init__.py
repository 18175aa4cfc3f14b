"""Acts: what pushes from outside."""
