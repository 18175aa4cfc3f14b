"""The tests, in the rooms of the package; what several of them share is imported from here by name."""
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]  # of the clone
