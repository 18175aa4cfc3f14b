"""The door for acts; `tests/recipes/test_act.py` goes through it with acts of its own."""
import pytest

from robotphi import Scene, SceneError
from robotphi.kernels.acts.table import ACTS, OPEN, Acts


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
