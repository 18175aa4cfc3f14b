"""Results of applications as JSON that every reader takes."""
import json

import numpy as np
import pytest

from robotphi import RobotphiError
from robotphi.applications.data import write_json


def test_what_is_no_finite_number_is_null(tmp_path):
    given = {"a": np.array([1.0, np.nan]), "b": {"c": np.float64(np.inf), "d": (2, "x", None, True)}}
    write_json(tmp_path / "told.json", given)
    told = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"), parse_constant=lambda word: pytest.fail(word))
    assert told == {"a": [1.0, None], "b": {"c": None, "d": [2, "x", None, True]}}


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(RobotphiError, match="cannot be written"):
        write_json(tmp_path, {})
