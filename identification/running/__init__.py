"""Running: who evaluates candidates, and the journal of what came of them."""
