"""Exact mechanisms: rigids whose motion follows from the coordinates of their joints."""
