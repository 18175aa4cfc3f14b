"""Matter: materials in, stiffnesses of springs out, and what they reach."""
