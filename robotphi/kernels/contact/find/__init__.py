"""Find: who is near whom, how far apart, in which direction."""
