"""Identification: from measured motion to stiffness, viscosity, plasticity and friction.

This package stands beside the simulator: it will turn experiments (a scenario and a measurement of it) into parameters
with intervals and a verdict, by searching with many short simulations. It imports `robotphi`, never the reverse.
"""
