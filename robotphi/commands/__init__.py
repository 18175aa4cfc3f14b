"""The commands, one module each; `robotphi.cli` gathers them."""
