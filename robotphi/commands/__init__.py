"""The commands, one module each; `cli` gathers them."""
