"""The table of kinds: every kind has its rows everywhere, and two kinds have forces, or somebody tells that they have none."""
import numpy as np
import pytest

from robotphi import ContactMaterial, Scene
from robotphi.discretise import Material, deformable, discretise, moved, rigid, sheet
from robotphi.geometry.shapes import box
from robotphi.kernels.contact import kinds
from robotphi.kernels.contact.press.below import MOMENTS
from robotphi.kernels.contact.touch import TOUCHES
from robotphi.model.build import build_model
from robotphi.run.advice.misses import missed_contacts
from robotphi.run.advice.steps import FORMS
from robotphi.scene.rounds import SHAPES
from tests.kernels.contact.touching_scenes import square

LAW = ContactMaterial(stiffness=1e6)
MATERIAL = Material(density=1000.0, young=1e5)
CODES = range(len(kinds.PART_KINDS))


def add(scene, kind, name, at, soft=False):
    """Something of a kind that touches, at a place."""
    end = (at[0] + 0.1, at[1], at[2])
    if kind == kinds.POLYHEDRON and not soft:
        scene.add_object(name, rigid(box(0.1, at), density=1000.0), contact=LAW)
    elif kind == kinds.POLYHEDRON:
        scene.add_object(name, moved(deformable(discretise(box(0.1), counts=(1, 1, 1)), MATERIAL), at), contact=LAW)
    elif kind == kinds.SHEET:
        scene.add_object(name, moved(sheet(square(0.1, 1, 0.0), MATERIAL, 0.004), at), contact=LAW)
    elif kind == kinds.SPHERE and soft:
        scene.add_contact_balls(name, scene.add_particle(name + " itself", at, 1.0), 0.05, contact=LAW)
    elif kind == kinds.SPHERE:
        scene.add_ball(name, at, 0.05, mass=1.0, contact=LAW)
    elif kind == kinds.PLANE:
        scene.add_plane(name, point=at, contact=LAW)
    elif kind == kinds.FIELD:
        scene.add_height_field(name, np.zeros((2, 2)), 1.0, origin=at, contact=LAW)
    else:
        getattr(scene, f"add_{kinds.PART_KINDS[kind].word}")(name, at, end, 0.05, mass=1.0, contact=LAW)


def scene_of(*things):
    scene = Scene("kinds")
    for i, (kind, soft) in enumerate(things):
        add(scene, kind, f"thing {i}", (3.0 * i, 0.0, 0.0), soft)
    scene.add_particle("free", (0, 0, 9), 1.0)
    return build_model(scene)


def test_every_case_has_one_kernel():
    assert sorted(case for cases, _ in TOUCHES for case in cases) == list(range(len(kinds.CASES)))


def test_every_round_kind_with_an_axis_has_moments_and_a_shape():
    assert sorted(kind for kind, _ in MOMENTS) == sorted(kinds.ROLLERS)
    assert sorted(SHAPES) == sorted(kinds.PART_KINDS[kind].word for kind in kinds.ROLLERS)


def test_every_form_has_an_estimate_and_words_are_told_apart():
    assert {kind.form for kind in kinds.PART_KINDS} <= FORMS.keys()
    assert len(kinds.CODE) == len(kinds.PART_KINDS)


@pytest.mark.parametrize("kind", CODES)
def test_every_kind_is_built_as_its_row_says(kind):
    row = kinds.PART_KINDS[kind]
    for soft in (False, True) if kind in (kinds.POLYHEDRON, kinds.SPHERE) else (kind == kinds.SHEET,):
        parts = scene_of((kind, soft)).arrays.contact.parts
        assert parts.kind.tolist() == [kind]
        rows, facets = int(parts.vertex_start[1]), int(parts.facet_start[1])
        assert {kinds.FACETS: facets > 0, kinds.CENTRE_ROW: rows == 1, kinds.AXIS: rows == 2,
                kinds.GROUND: rows == 0}[row.form]
        assert (facets > 0) == (row.form == kinds.FACETS)
        assert not row.carried or parts.rigid[0] >= 0
        assert (parts.rigid[0] >= 0) == (not soft and row.form != kinds.GROUND)


def test_no_two_kinds_have_cases_both_ways_round():
    for soft in (0, 1):
        both = (kinds.CASE_TABLE[soft] != kinds.NOTHING) & (kinds.CASE_TABLE[soft].T != kinds.NOTHING)
        assert not np.triu(both, 1).any()


@pytest.mark.parametrize("first", CODES)
def test_two_kinds_touch_or_it_is_told_that_they_do_not(first):
    for second in range(first, len(kinds.PART_KINDS)):
        for soft in [(a, b) for a in (False, True) for b in (False, True)]:
            things = [(kind, (s and kind in (kinds.POLYHEDRON, kinds.SPHERE)) or kind == kinds.SHEET)
                      for kind, s in zip((first, second), soft, strict=True)]
            served = [kinds.CASE_TABLE[int(things[b][1]), things[a][0], things[b][0]] for a, b in ((0, 1), (1, 0))]
            if max(served) != kinds.NOTHING or {first, second} <= set(kinds.GROUNDS):
                continue
            told = missed_contacts(scene_of(*things))
            assert any("passes through" in text for text in told), (kinds.PART_KINDS[first].word, kinds.PART_KINDS[second].word)
