"""Where the tables are that ship with the package: inside an installed one, beside it in a clone."""
from pathlib import Path


def data_file(name):
    """The path of a file of `data/`, such as "knee/ligaments.csv"."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "_data"
    return (shipped if shipped.is_dir() else package.parent / "data") / name
