"""Identification: from measured motion to stiffness, viscosity, plasticity and friction.

This package stands beside the simulator and imports `robotphi`, never the reverse. An `Experiment` says what is unknown of a
scene and what was measured; `fit` finds it by many short simulations.
"""
from identification.errors import DataError, ExperimentError, FitError, JournalError
from identification.experiment.experiment import Experiment
from identification.fit import Fit, fit
from identification.problem import FunctionProblem, Outcome, Parameter, Problem, Series
from identification.search import Aim, Criterion, Search
from identification.verdict import Verdict, judge, suggest

__all__ = ["Aim", "Criterion", "DataError", "Experiment", "ExperimentError", "Fit", "FitError", "FunctionProblem",
           "JournalError", "Outcome", "Parameter", "Problem", "Search", "Series", "Verdict", "fit", "judge", "suggest"]
