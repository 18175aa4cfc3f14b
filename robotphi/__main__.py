"""`python -m robotphi` is `robotphi`."""
from robotphi.cli import main

main()
