"""Measured data: files of recordings, as columns with units, by readers that a table names by the ending of a file."""
from identification.measured.table import READERS, open_data

__all__ = ["READERS", "open_data"]
