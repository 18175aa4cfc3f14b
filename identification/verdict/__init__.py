"""The verdict on a fit: intervals, what cannot be told and why, errors of the model, the next experiment to do.

It takes a Problem and a point of it, and knows nothing of how that was found. `judge` gives all of it.
"""
from identification.verdict.checks import HeldOut, ModelCheck
from identification.verdict.judge import Verdict, judge
from identification.verdict.pareto import pareto_front
from identification.verdict.refine import refine
from identification.verdict.sentence import Finding
from identification.verdict.suggest import Suggestion, suggest

__all__ = ["Finding", "HeldOut", "ModelCheck", "Suggestion", "Verdict", "judge", "pareto_front", "refine", "suggest"]
