"""`python -m robotphi` is `robotphi`."""
from robotphi.commands.cli import main

main()
