"""How kernels are compiled, run in step by a team, and handed their arrays."""
