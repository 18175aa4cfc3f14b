"""Sweeps: a scenario run for many values of its knobs, in processes or on a cluster, into one table."""
