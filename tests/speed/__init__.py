"""The benchmark: our kernels against C of the same physics, and the tests of what it says."""
