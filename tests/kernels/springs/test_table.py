"""The table of springs: every kind has every row, and what is made from it agrees with it."""
import numpy as np
import pytest

from robotphi.kernels.springs import measured, table
from robotphi.kernels.springs.table import IDENTITY, KINDS, OF_LIST, START
from robotphi.kernels.step.buffers import Buffers
from robotphi.model.arrays import SPRING_LISTS, Arrays
from robotphi.model.build import build_model
from robotphi.record.sensors import Seen
from robotphi.record.springs import springs
from robotphi.run.state import State
from robotphi.scene import Scene
from robotphi.scene.blocks import BLOCKS
from robotphi.scene.sensors import QUANTITIES

EFFECTS = {"force", "rest", "sign"}


def pair_of_each_kind():
    scene = Scene("two of each", gravity=(0, 0, 0))
    p = scene.add_particles("p", np.random.default_rng(3).normal(size=(8, 3)), 1.0)
    scene.add_linear("plain", p[0], p[1], 1.0, rest_length=0.5)
    scene.add_linear("own", p[2], p[3], 1.0, yield_force=1.0)
    scene.add_angular("bend", p[0], p[1], p[2], 1.0)
    scene.add_angular("own bend", p[3], p[4], p[5], 1.0, normal=(0, 0, 1))
    scene.add_articular("turn", p[4], p[5], p[6], p[7], 1.0)
    return scene


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_has_every_row(kind):
    fields = kind.fields(kind.own)
    assert len({field.name for field in fields}) == len(fields), "two fields of one name"
    assert kind.stiffness.unit
    assert kind.viscosity.unit == kind.stiffness.unit.replace("/", "·s/")
    assert kind.rest.unit
    assert kind.state[:len(table.STATE)] == table.STATE
    assert len(set(kind.state)) == len(kind.state)
    assert kind.strain in QUANTITIES
    assert kind.name in QUANTITIES[kind.strain].kinds
    assert kind.name in QUANTITIES[kind.force].kinds
    assert QUANTITIES[kind.force].unit == kind.stiffness.unit.split("/")[0]
    assert set(kind.ends) <= {field.name for field in fields}
    assert kind.own in kind.lists
    assert kind.name in measured.READERS
    for law in kind.laws:
        assert law.changes in EFFECTS
        assert law.fields
        firsts = {other.fields[0].name for other in kind.laws}
        assert {other for other, _ in law.beside} <= firsts, "a law that is not there"
        for field in law.fields:
            assert field.missing is not None, f"{field.name}: what plain springs have is not said"
            assert field.meaning, field.name
            assert field.unit or field.dtype is table.WHOLE or field.width == 3, f"{field.name}: a number without a unit"


def test_model_blocks_and_table_have_the_same_fields():
    model = build_model(pair_of_each_kind())
    assert SPRING_LISTS.keys() == OF_LIST.keys()
    for name, kind in OF_LIST.items():
        made = getattr(model.arrays, name)
        assert Arrays.__annotations__[name] is type(made)
        assert made._fields == tuple(field.name for field in kind.fields(name))
        for field in kind.fields(name):
            values = getattr(made, field.name)
            assert values.dtype == field.dtype, field.name
            assert values.shape[1:] == (() if field.width == 1 else (field.width,)), field.name
    for name, kind in KINDS.items():
        fields = {field.name for field in kind.fields(kind.own)} - {START.name, IDENTITY.name}
        assert set(BLOCKS[name].__dataclass_fields__) == fields | {"name", "start"}


def test_buffers_and_instants_keep_the_states_that_the_table_tells():
    state = State(build_model(pair_of_each_kind()))
    buffers, ledger = state.buffers, state.ledger()
    for kind in KINDS.values():
        assert kind.stored in ledger
        assert kind.own in Buffers._fields
        assert kind.own in Seen._fields
        assert getattr(buffers, kind.own).shape == (1, len(kind.state))


def test_plain_springs_read_as_springs_whose_laws_are_missing():
    model = build_model(pair_of_each_kind())
    for kind in KINDS.values():
        chosen = springs(model, kind.name)
        assert chosen.columns._fields == tuple(field.name for field in kind.fields(kind.own))
        for field in kind.law_fields if kind.plain else ():
            assert np.all(getattr(chosen, field.name)[0] == field.missing), field.name
    assert springs(model, "linear").row.tolist() == [-1, 0]
    assert [springs(model, kind).is_straight for kind in KINDS] == [False, True, True]
    assert springs(model, "linear", [0]).is_straight
