"""The file of a recording: HDF5 that VTK plays, written into while the run goes on, read without being copied."""
