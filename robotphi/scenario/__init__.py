"""Scenarios: runnable files that show one thing each, found by name or path, run, checked and drawn."""
from robotphi.scenario.file import list_scenarios, load_scenario
from robotphi.scenario.perform import Outcome, perform, run_scenario

__all__ = ["Outcome", "list_scenarios", "load_scenario", "perform", "run_scenario"]
