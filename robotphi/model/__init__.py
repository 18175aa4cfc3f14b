"""Model: a scene in, the read-only arrays that the kernels read out."""
