"""Joining: objects moved, picked, put together."""
