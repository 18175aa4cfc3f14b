"""Searches: generators of batches behind one door, `ask` and `tell`."""
from identification.search.aim import Aim, Criterion
from identification.search.search import METHODS, Search

__all__ = ["METHODS", "Aim", "Criterion", "Search"]
