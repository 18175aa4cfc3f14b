"""Small vectors and an arctangent that has the same bits everywhere."""
