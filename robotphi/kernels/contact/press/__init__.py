"""Press: the pressure of what overlaps."""
