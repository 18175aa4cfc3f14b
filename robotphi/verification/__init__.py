"""The oracles on the user's own machine: exact answers and the cases that hold the simulator against them."""
from robotphi.verification.registry import Case, Figure, Result, all_cases, case, run_cases

__all__ = ["Case", "Figure", "Result", "all_cases", "case", "run_cases"]
