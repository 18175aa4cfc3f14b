"""The door for acts; `tests/recipes/test_act.py` goes through it with acts of its own."""
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from robotphi import Scene, SceneError
from robotphi.kernels.acts import fields
from robotphi.kernels.acts.table import ACTS, OPEN, Acts


class Pull(NamedTuple):
    particle: fields.particles()
    anchor: fields.vector("m")
    strength: fields.number("N", low=0.0)
    entry: fields.entry()


def test_a_word_that_is_no_act_is_refused_with_those_there_are():
    scene = Scene("acts")
    with pytest.raises(SceneError, match=r"act 'pull': unknown act 'magnet'; (there is none yet|allowed: )"):
        scene.add_act("magnet", "pull", particle=0)
    assert "pull" not in scene.things, "what is refused leaves nothing"


def test_every_act_has_a_name_of_its_own_and_those_with_rows_book_something():
    assert len({act.name for act in ACTS}) == len(ACTS)
    assert Acts._fields == tuple(act.name for act in ACTS)
    for act in OPEN.values():
        assert act.books
        assert act.rows._fields[-1] == "entry"


def test_a_row_of_an_act_takes_what_the_field_takes_and_nothing_else(monkeypatch):
    monkeypatch.setitem(OPEN, "pull", SimpleNamespace(rows=Pull, books=()))
    scene = Scene("rows")
    scene.add_particles("dots", [[0, 0, 0], [1, 0, 0], [2, 0, 0]], 1.0)
    scene.add_act("pull", "leash", particle="dots", anchor=(0, 0, 1), strength=2.0)
    scene.set_value("leash", "strength", 5.0, where=1)
    scene.set_value("leash", "anchor", (1, 2, 3), where=[0, 2])
    assert scene.value("leash", "strength").tolist() == [2, 5, 2]
    assert scene.value("leash", "anchor").tolist() == [[1, 2, 3], [0, 0, 1], [1, 2, 3]]
    for quantity, value, where in (("strength", "much", 1), ("strength", [1, 2, 3], [0, 1]), ("strength", -1.0, 1),
                                   ("anchor", 0.5, 0), ("anchor", [[0, 0, 0]] * 3, [0, 1])):
        with pytest.raises(SceneError, match=r"give|must be"):
            scene.set_value("leash", quantity, value, where=where)
    assert scene.value("leash", "strength").tolist() == [2, 5, 2]
