"""Objects in a scene: checked at the door, moving as they were told, with their own mass and inertia."""
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robotphi.errors import SceneError
from robotphi.model.build import build_model
from robotphi.record.balance import check_balance
from robotphi.record.measure import centre_of_mass, recorded_momenta
from robotphi.run.simulator import simulate
from robotphi.scene import Scene, Stepping
from robotphi.scene.checks import frozen
from robotphi.scene.objects import Object, RigidPart, SpringGroup
from robotphi.scene.rigid import mass_properties

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
PAIRS = np.array([(i, j) for i in range(8) for j in range(i)], np.int32)


def soft(stiffness=100.0):
    """Eight particles of unlike mass, joined each with each."""
    springs = SpringGroup("linear", PAIRS, np.full(28, stiffness), np.full(28, 0.5))
    return Object(CUBE, np.arange(1.0, 9.0), {"linear": springs}, regions={"bottom": np.flatnonzero(CUBE[:, 2] == 0)})


def rigid_on_springs():
    """A rigid tetrahedron below a free particle on three springs, and a second rigid part of three beside them."""
    position = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.3, 0.3, 2], [3, 0, 0], [3, 1, 0], [3, 0, 1.0]])
    mass = np.array([1, 2, 3, 4, 0.5, 1, 1, 2.0])
    parts = tuple(RigidPart(name, rows, *mass_properties(position[rows], mass[rows]))
                  for name, rows in (("foot", np.arange(4)), ("hand", np.arange(5, 8))))
    pairs = np.array([[0, 4], [1, 4], [2, 4], [4, 5], [4, 6], [4, 7]])
    springs = {"ties": SpringGroup("linear", pairs, np.full(6, 50.0), np.full(6, 0.1))}
    return Object(position, mass, springs, parts, facets=[[0, 2, 1]], regions={"foot": [0, 1, 2, 3], "top": [4]})


def free_scene(**more):
    return Scene("object", duration=0.2, frames=4, gravity=(0, 0, 0), **more)


def test_properties_are_those_of_all_particles():
    for thing in (soft(), rigid_on_springs()):
        for mine, points in zip(thing.properties, mass_properties(thing.position, thing.mass), strict=True):
            assert_allclose(mine, points, rtol=1e-14, atol=1e-14)


def test_a_placed_object_at_rest_keeps_its_shape():
    scene = free_scene()
    for index, thing in enumerate((soft(), rigid_on_springs())):
        scene.add_object(f"thing{index}", replace(thing, position=thing.position + 5.0 * index))
    recording = simulate(scene)
    # no force but what rounding of lengths makes: 1e-16 × k/m × t²
    assert_allclose(recording.position[-1], recording.position[0], atol=1e-15)


def test_a_moving_object_keeps_its_momenta_and_its_ledger():
    thing = rigid_on_springs()
    scene = free_scene()
    scene.add_object("thing", thing, velocity=(1, 2, 3), spin=(0.1, 0.2, -0.3))
    model, recording = build_model(scene), simulate(scene)
    mass, centre, inertia = thing.properties
    momentum, angular = (np.array(each) for each in recorded_momenta(recording, about=centre)[:2])
    assert_allclose(momentum[0], mass * np.array([1, 2, 3.0]), rtol=1e-13)
    assert_allclose(angular[0], inertia @ [0.1, 0.2, -0.3], rtol=1e-13)
    assert_allclose(momentum - momentum[0], 0, atol=1e-11 * np.abs(momentum).max())
    assert_allclose(angular - angular[0], 0, atol=1e-11 * np.abs(momentum).max())
    assert_allclose(centre_of_mass(model, recording.position[-1], recording.rigid_position[-1]),
                    centre + 0.2 * np.array([1, 2, 3]), rtol=1e-12)
    check_balance(recording)


def test_the_placed_scene_has_the_mass_and_inertia_of_the_object():
    thing = rigid_on_springs()
    scene = free_scene()
    scene.add_particle("before", (9, 9, 9), 1.0)
    placed = scene.add_object("thing", thing)
    free = placed.particles[thing.rigid_of_particle < 0]
    masses = np.concatenate([block.mass for block in scene.particle_blocks])
    pieces = [(masses[i], scene.position[i], np.zeros((3, 3))) for i in free]
    pieces += [(rigid.mass, rigid.centre, rigid.inertia) for rigid in placed.rigids]
    mass, centre, between = mass_properties(np.array([p[1] for p in pieces]), np.array([p[0] for p in pieces]))
    for mine, other in zip(thing.properties, (mass, centre, between + sum(p[2] for p in pieces)), strict=True):
        assert_allclose(mine, other, rtol=1e-14, atol=1e-14)
    assert_array_equal(scene.position[placed.particles], thing.position)
    assert_array_equal(scene.position[placed.facets], thing.position[thing.facets])
    assert_array_equal(placed.region("top"), placed.particles[[4]])
    assert_array_equal(scene.springs["linear"][0].second[:3], placed.particles[[4, 4, 4]])
    assert list(scene.things) == ["before", "thing.particles", "thing.foot", "thing.hand", "thing.ties"]


def test_held_regions_add_up_and_start_still():
    thing = replace(soft(), regions={"bottom": np.arange(4), "side": np.arange(2, 6)})
    scene = free_scene()
    scene.add_object("thing", thing, velocity=(1, 1, 1), spin=(0, 0, 2), support={"bottom": "z", "side": "x"})
    block = scene.particle_blocks[0]
    assert_array_equal(block.support.astype(int), [[0, 0, 1]] * 2 + [[1, 0, 1]] * 2 + [[1, 0, 0]] * 2 + [[0, 0, 0]] * 2)
    assert (block.velocity[block.support] == 0).all()
    assert_array_equal(block.velocity[:, 1], 1 + 2 * (CUBE[:, 0] - thing.properties[1][0]))
    recording = simulate(scene)
    held = recording.position[-1][:, 2][:4]
    assert_array_equal(held, CUBE[:4, 2])


def test_a_rigid_part_held_along_an_axis_may_still_turn_about_it():
    thing = rigid_on_springs()
    scene = free_scene()
    placed = scene.add_object("thing", thing, velocity=(1, 0, 0), spin=(0, 0, 1), support={"foot": "z"})
    foot, hand = placed.rigids
    assert_array_equal(foot.support, [False, False, True])
    assert_array_equal(foot.rotation_support, [True, True, False])
    assert foot.velocity[0] != 0
    assert foot.spin[2] == 1
    assert not hand.support.any()
    recording = simulate(scene)
    assert_allclose(recording.position[:, placed.particles[:3], 2], 0.0, atol=1e-14)  # rounding of the orientation, 100 steps
    scene = free_scene()
    placed = scene.add_object("thing", thing, support={"foot": "xyz"})
    assert placed.rigids[0].support.all()
    assert placed.rigids[0].rotation_support.all()


def test_what_has_no_mass_must_be_held():
    thing = replace(soft(), mass=np.array([0, 1, 1, 1, 1, 1, 1, 1.0]), regions={"first": [0]})
    with pytest.raises(SceneError, match="no mass; give it mass, or hold every axis"):
        free_scene().add_object("thing", thing)
    free_scene().add_object("thing", thing, support={"first": "xyz"})


def test_springs_that_never_yield_stay_elastic_among_others():
    group = SpringGroup("linear", PAIRS, np.full(28, 10.0), np.zeros(28), np.where(np.arange(28) == 3, 2.0, np.inf))
    scene = free_scene()
    scene.add_object("thing", replace(soft(), springs={"linear": group}))
    limits = scene.springs["linear"][0].yield_force
    assert limits[3] == 2.0
    assert (np.delete(limits, 3) >= 1e300).all()
    simulate(scene)


@pytest.mark.parametrize(("support", "says"), [
    ("xq", "give the held axes as letters"), ({"botom": "x"}, "did you mean 'bottom'"),
    ({"bottom": "xyzz"}, "give the held axes"),
    (3, "or {region: axes}")])
def test_wrong_supports_are_refused(support, says):
    with pytest.raises(SceneError, match=says):
        free_scene().add_object("thing", soft(), support=support)


def test_contradictions_are_refused():
    with pytest.raises(SceneError, match="velocity along x is 1, but x is supported"):
        free_scene().add_object("thing", soft(), velocity=(1, 0, 0), support="x")
    thing = replace(rigid_on_springs(), regions={"a": [0], "b": [1]})
    with pytest.raises(SceneError, match=r"rigid part 'foot' is held by \['z', 'x'\]"):
        free_scene().add_object("thing", thing, support={"a": "x", "b": "z"})
    with pytest.raises(SceneError, match="give what deformable"):
        free_scene().add_object("thing", CUBE)


@pytest.mark.parametrize(("change", "says"), [
    ({"position": CUBE[:, :2]}, r"position is an array of shape \(8, 2\)"),
    ({"position": np.where(CUBE == 1, np.nan, CUBE)}, "index 1: position is .*nan.*give finite numbers"),
    ({"mass": np.ones(7)}, r"mass is an array of shape \(7,\).*\(8\)"),
    ({"mass": -np.ones(8)}, "index 0: mass is -1.0"),
    ({"facets": [[0, 1, 8]]}, r"index 0: facets names particle \[0, 1, 8\]; use 0 to 7"),
    ({"regions": {"a": [-1]}}, "regions 'a' names particle -1"),
    ({"regions": {"a": [0.5]}}, "give whole numbers"),
    ({"polyhedra": {"a": [0]}}, "there is no facet"),
    ({"springs": {"linear": PAIRS}}, "give a SpringGroup"),
    ({"springs": {"linear": SpringGroup("linear", PAIRS + 1, np.ones(28), np.ones(28))}}, "springs 'linear' names"),
    ({"rigids": (RigidPart("a", [0, 1], 1.0, np.zeros(3), np.eye(3)), RigidPart("b", [1, 2], 1.0, np.zeros(3), np.eye(3)))},
     "'b' has a particle that is in 'a' already"),
    ({"rigids": (RigidPart("a", [0, 0], 1.0, np.zeros(3), np.eye(3)),)}, "once"),
    ({"rigids": (RigidPart("a", [0], 1.0, np.zeros(3), np.eye(3)), RigidPart("a", [1], 1.0, np.zeros(3), np.eye(3)))},
     "two rigid"),
    ({"cells": {"tetrahedron": [[0, 1, 2, 9]]}}, "cells 'tetrahedron'"),
])
def test_arrays_that_do_not_fit_are_refused(change, says):
    with pytest.raises(SceneError, match=says):
        replace(soft(), **change)


def test_groups_and_parts_check_their_own_arrays():
    with pytest.raises(SceneError, match="unknown kind 'liner'"):
        SpringGroup("liner", PAIRS, np.ones(28), np.ones(28))
    with pytest.raises(SceneError, match=r"stiffness is an array of shape \(27,\)"):
        SpringGroup("linear", PAIRS, np.ones(27), np.ones(28))
    with pytest.raises(SceneError, match=r"particles is an array of shape \(28, 2\).*\(any, 3\)"):
        SpringGroup("angular", PAIRS, np.ones(28), np.ones(28))
    with pytest.raises(SceneError, match="mass is 0"):
        RigidPart("a", [0], 0.0, np.zeros(3), np.eye(3))


def test_large_objects_share_their_arrays_with_the_scene():
    count = 200_000
    position = frozen(np.indices((count, 1, 1)).reshape(3, -1).T.astype(float, order="C"))
    pairs = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1).astype(np.int32)
    ones = frozen(np.ones(count))
    thing = Object(position, ones, {"linear": SpringGroup("linear", pairs, ones[1:], ones[1:])}, regions={"end": [0]})
    scene = Scene("large", stepping=Stepping())
    scene.add_object("thing", thing, support={"end": "xyz"})
    assert np.shares_memory(scene.particle_blocks[0].position, position)
    assert np.shares_memory(scene.particle_blocks[0].mass, ones)


def test_arrays_that_the_user_can_write_to_are_copied():
    position, mass = CUBE.copy(), np.ones(8)
    view = position[:]
    view.flags.writeable = False
    for given in (position, view):
        thing = Object(given, mass)
        assert not np.shares_memory(thing.position, position)
        assert not thing.position.flags.writeable
    position[0] = 9.0
    assert thing.position[0, 0] == 0.0
    assert mass.flags.writeable


def test_a_refused_object_leaves_nothing_behind():
    scene = Scene("names")
    scene.add_particle("block.linear", (0, 0, 9), 1.0)
    with pytest.raises(SceneError, match=r"block\.linear is taken"):
        scene.add_object("block", soft())
    assert scene.particle_count == 1
    scene.add_object("other", soft())
