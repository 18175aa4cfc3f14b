"""The command `robotphi-identify`; each word in a file of its own."""
