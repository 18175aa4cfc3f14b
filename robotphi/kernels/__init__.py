"""The step: numba and numpy only, arrays in, arrays changed. Read `advance` first."""
