"""A league of all methods of search over problems whose truth is known."""
from identification.league.league import Row, play, winners
from identification.league.truths import TRUTHS, Truth

__all__ = ["TRUTHS", "Row", "Truth", "play", "winners"]
