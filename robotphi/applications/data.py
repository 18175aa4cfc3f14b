"""Files of applications: tables that ship with the package, and results as JSON."""
import json
import math
from pathlib import Path

import numpy as np

from robotphi.errors import RobotphiError


def data_file(name):
    """The path of a file of `data/`, such as "knee/ligaments.csv": inside an installed package, beside it in a clone."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "_data"
    return (shipped if shipped.is_dir() else package.parent / "data") / name


def write_json(path, told):
    """Write dicts, lists, arrays, words and numbers; what is no finite number is null, as JSON has no other word for it."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(_plain(told), file, indent=1, ensure_ascii=False, allow_nan=False)
    except OSError as error:
        raise RobotphiError(f"{path} cannot be written: {error}") from None


def _plain(value):
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
