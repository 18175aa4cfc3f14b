"""Springs: linear, angular, articular, and those with a law of their own."""
