"""Thin surfaces: forces are gradients of an energy that counts each place once, found by a tree that loses nothing."""
import numpy as np
import pytest

from robotphi.errors import SceneError
from robotphi.kernels.compiling.compiled import PLAIN
from robotphi.kernels.contact import columns, kinds
from robotphi.kernels.contact.press import facet_tree as walk
from robotphi.kernels.contact.press import thin
from robotphi.model.arrays import Parts
from robotphi.model.facet_tree import LEAF, facet_tree

STIFFNESS = 1e5  # N/m³


def parts_of(surfaces, self_touch=1):
    """Parts of (vertices, facets, kind) rows, areas shared by thirds."""
    empty = {name: np.zeros(0, np.int32) for name in Parts._fields}
    position = np.concatenate([np.asarray(p, float) for p, _, _ in surfaces])
    starts = np.cumsum([0] + [len(p) for p, _, _ in surfaces]).astype(np.int32)
    facets = np.concatenate([np.asarray(f).reshape(-1, 3) + starts[i] for i, (_, f, _) in enumerate(surfaces)]).astype(np.int32)
    area = np.zeros(len(position))
    if len(facets):
        a, b, c = (position[facets[:, i]] for i in range(3))
        np.add.at(area, facets, (np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6)[:, None])
    count = len(surfaces)
    empty |= {"kind": np.array([k for _, _, k in surfaces], np.int32), "rigid": np.zeros(count, np.int32),
              "vertex_start": starts,
              "vertex": np.arange(len(position), dtype=np.int32), "vertex_area": area, "facet": facets, "facet_vertex": facets,
              "facet_start": np.cumsum([0] + [len(f) for _, f, _ in surfaces]).astype(np.int32),
              "size": np.zeros((count, columns.SIZE_COLUMNS)), "self_touch": np.full(count, self_touch, np.int32)}
    return Parts(**empty), position


def rows4(a):
    return np.ascontiguousarray(np.column_stack([a, np.zeros(len(a))]))


def grid(nu, nv, size=1.0, jitter=0.0, seed=0):
    """Points in the plane z = 0 and triangles, counterclockwise from above; inner points shaken by a share of the mesh."""
    rng = np.random.default_rng(seed)
    u, w = np.meshgrid(np.arange(nu + 1.0), np.arange(nv + 1.0), indexing="ij")
    inner = (u > 0) & (u < nu) & (w > 0) & (w < nv)
    points = np.stack([u + inner * rng.uniform(-jitter, jitter, u.shape), w + inner * rng.uniform(-jitter, jitter, u.shape),
                       0 * u], axis=2).reshape(-1, 3) * size
    i, j = np.meshgrid(np.arange(nu), np.arange(nv), indexing="ij")
    a = (i * (nv + 1) + j).ravel()
    b, c, d = a + nv + 1, a + nv + 2, a + 1
    return points, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def shares(parts):
    """What each vertex gets of the normal force, nothing yet."""
    return np.zeros(len(parts.vertex))


def press_self(parts, tree, x, v, reach, damping=0.0, stiffness=STIFFNESS):
    force, sums = np.zeros((len(x), 4)), np.zeros((1, columns.PAIR_SUMS))
    box = np.full((len(tree.behind), 6), np.nan)
    thin.press_self(parts, tree, 0, rows4(x), rows4(v), force, box, reach, stiffness, damping, (0.0, 0.0, 0.0),
                    shares(parts), sums, 0)
    return force[:, :3], sums[0]


def press_corners(parts, tree, x, v, reach, damping=0.0, origin=(0.0, 0.0, 0.0)):
    force, sums = np.zeros((len(x), 4)), np.zeros((1, columns.PAIR_SUMS))
    box = np.full((len(tree.behind), 6), np.nan)
    thin.press_corners(parts, tree, 0, 1, rows4(x), rows4(v), force, box, reach, STIFFNESS, damping, origin,
                       shares(parts), sums, 0)
    return force[:, :3], sums[0]


def folded(nu=8, nv=4, size=0.1, above=0.05, seed=0, shake=0.0):
    """A flat sheet at rest, and the same folded over: two layers `above` each other, joined by half a cylinder."""
    points, facets = grid(nu, nv, size, jitter=0.2, seed=seed)
    parts, rest = parts_of([(points, facets, kinds.SHEET)])
    middle, radius = nu * size / 2, above / 2
    bent, arc = rest.copy(), np.pi * radius
    s = rest[:, 0] - middle
    angle = np.clip((s + arc / 2) / radius, 0.0, np.pi)
    bent[:, 0] = np.where(s > arc / 2, middle - (s - arc / 2), np.where(s < -arc / 2, middle + s + arc / 2, middle))
    bent[:, 0] += radius * np.sin(angle)
    bent[:, 2] = radius * (1.0 - np.cos(angle))
    bent += np.random.default_rng(seed).normal(size=bent.shape) * shake
    return parts, facet_tree(parts, rest), rest, bent


# distances -----------------------------------------------------------------------------------------------------------

def test_the_closest_point_of_any_triangle_satisfies_its_conditions():
    # q is closest if no corner c has (p − q)·(c − q) > 0; rounding: some eps × size², magnified where a sliver is solved for
    rng = np.random.default_rng(1)
    for trial in range(500 if PLAIN else 20000):
        corners = rng.normal(size=(3, 3))
        sort = trial % 6
        if sort == 1:
            corners[2] = corners[0] + rng.uniform(-1, 2) * (corners[1] - corners[0])
        elif sort == 2:
            corners[1] = corners[0]
        elif sort == 3:
            corners[:] = corners[0]
        elif sort == 4:
            corners[2] = corners[0] + rng.uniform(-1, 2) * (corners[1] - corners[0]) + 1e-9 * rng.normal(size=3)
        p = rng.normal(size=3) if trial % 2 else corners.T @ rng.dirichlet(np.ones(3)) + 1e-3 * rng.normal(size=3)
        w, r = thin.point_triangle(tuple(p), *map(tuple, corners))
        w = np.array(w)
        assert w.min() >= -1e-15
        assert abs(w.sum() - 1.0) < 1e-15
        q = w @ corners
        assert abs(r - np.linalg.norm(p - q)) < 1e-12
        assert np.max((corners - q) @ (p - q)) < (1e-6 if sort == 4 else 1e-12)


# energy ----------------------------------------------------------------------------------------------------------------

def point_over(points, facets, p):
    parts, position = parts_of([(points, facets, kinds.SHEET), ([p], np.zeros((0, 3), int), kinds.POLYHEDRON)], self_touch=0)
    parts.vertex_area[-1] = 2.0
    return parts, facet_tree(parts, position), position


@pytest.mark.parametrize("reach", [0.03, 0.1, 0.35])
def test_over_a_flat_sheet_each_place_counts_once_however_it_is_cut(reach):
    # facets 0.1 long: the reach is from a third of that to more than three; 1e-12: a hundred terms and their rounding
    points, facets = grid(10, 10, 0.1, jitter=0.3, seed=2)
    rng = np.random.default_rng(3)
    parts, tree, x = point_over(points, facets, [0.5, 0.5, 0.01])
    special = [points[60], points[49], points[facets[77]].mean(0), points[facets[30][:2]].mean(0)]
    for trial in range(10 if PLAIN else 200):
        x[-1] = np.append(rng.uniform(0, 1, 2), 0) if trial >= len(special) else special[trial]
        x[-1, 2] = rng.choice([-1, 1]) * rng.uniform(0.05, 0.99) * reach
        force, sums = press_corners(parts, tree, x, 0 * x, reach)
        gap = reach - abs(x[-1, 2])
        want = 0.5 * STIFFNESS * 2.0 * gap**2
        assert sums[columns.PAIR_ENERGY] == pytest.approx(want, rel=1e-12, abs=1e-9 * STIFFNESS * reach**2)
        push = STIFFNESS * 2.0 * gap * np.sign(x[-1, 2])
        assert force[-1] == pytest.approx([0, 0, push], rel=1e-10, abs=1e-9 * STIFFNESS * reach)
        assert sums[columns.PAIR_NORMAL] == pytest.approx(np.linalg.norm(force[-1]), rel=1e-9)
        assert sums[columns.PAIR_AREA] == 2.0
        assert sums[columns.PAIR_POINTS] == 1.0


def test_beyond_the_border_and_over_a_ridge_it_is_the_closest_point_that_counts():
    points, facets = grid(6, 6, 0.1, jitter=0.3, seed=2)
    ridge = points.copy()
    ridge[:, 2] = -np.abs(points[:, 0] - 0.3)  # points that lie on the ridge are not shaken along x
    ridge[np.abs(points[:, 0] - 0.3) < 0.05, 0] = 0.3
    ridge[:, 2] = -np.abs(ridge[:, 0] - 0.3)
    rng = np.random.default_rng(4)
    for surface, low, high in ((points, [-0.1, -0.1, 0], [0.7, 0.7, 0.1]), (ridge, [0.2, 0.1, 0.0], [0.4, 0.5, 0.1])):
        parts, tree, x = point_over(surface, facets, [0, 0, 0])
        for _ in range(5 if PLAIN else 100):
            x[-1] = rng.uniform(low, high)
            r = min(thin.point_triangle(tuple(x[-1]), *map(tuple, surface[f]))[1] for f in facets)
            _, sums = press_corners(parts, tree, x, 0 * x, 0.15)
            want = STIFFNESS * max(0.15 - r, 0.0)**2
            assert sums[columns.PAIR_ENERGY] == pytest.approx(want, rel=1e-9, abs=1e-12 * STIFFNESS)


def test_the_force_is_the_gradient_of_the_energy():
    # differences over 2e-7 m: energies ~1e-1 J rounded to ~1e-17 give forces to ~1e-9 N; where a term begins within the
    # difference it is off by κ × 1e-7 ~ 1e-4 N at most
    for seed in range(1 if PLAIN else 4):
        parts, tree, _, x = folded(4, 2, 0.1, above=0.05, seed=seed, shake=0.008)
        force, sums = press_self(parts, tree, x, 0 * x, 0.08)
        assert sums[columns.PAIR_POINTS] > 5
        scale = np.abs(force).max()
        for i in range(0, len(x), 5 if PLAIN else 1):
            for axis in range(3):
                moved = [x.copy(), x.copy()]
                moved[0][i, axis] -= 1e-7
                moved[1][i, axis] += 1e-7
                low, high = (press_self(parts, tree, y, 0 * y, 0.08)[1][columns.PAIR_ENERGY] for y in moved)
                assert force[i, axis] == pytest.approx(-(high - low) / 2e-7, abs=1e-5 * scale)


def test_momenta_are_exact_and_damping_only_takes():
    rng = np.random.default_rng(5)
    for seed in range(2 if PLAIN else 20):
        parts, tree, _, x = folded(8, 4, 0.1, above=0.05, seed=seed, shake=0.01)
        v = rng.normal(size=x.shape)
        for damping in (0.0, 0.3, 30.0):
            force, sums = press_self(parts, tree, x, v, 0.08, damping)
            size = np.abs(force).sum()
            assert np.abs(force.sum(0)).max() < 1e-14 * size
            assert np.abs(np.cross(x, force).sum(0)).max() < 1e-14 * size  # arms ~1 m
            assert np.all(sums[columns.PAIR_FORCE:columns.PAIR_FORCE + 3] == 0.0)
            # what the forces take from the motion is what the energy gains and what is lost
            elastic, _ = press_self(parts, tree, x, v, 0.08, 0.0)
            assert np.sum((elastic - force) * v) == pytest.approx(sums[columns.PAIR_LOSS], rel=1e-9, abs=1e-12)
            assert sums[columns.PAIR_LOSS] >= 0.0


def test_pressure_between_two_layers_is_stiffness_times_gap():
    points, facets = grid(8, 8, 0.1, jitter=0.2, seed=6)
    more, _ = grid(8, 8, 0.1, jitter=0.2, seed=7)
    both = np.concatenate([points + np.array([0, 0, 1.0]), more])
    parts, rest = parts_of([(both, np.concatenate([facets, facets[:, [0, 2, 1]] + len(points)]), kinds.SHEET)])
    tree = facet_tree(parts, rest)  # a metre apart at rest
    x = both.copy()
    x[:len(points), 2] = 0.03
    force, sums = press_self(parts, tree, x, 0 * x, 0.04)
    assert force[:len(points)].sum(0) == pytest.approx([0, 0, STIFFNESS * 0.64 * 0.01], rel=1e-9, abs=1e-9)
    assert sums[columns.PAIR_ENERGY] == pytest.approx(0.5 * STIFFNESS * 0.64 * 0.01**2, rel=1e-9)


@pytest.mark.parametrize("reach", [0.01, 0.05, 0.25])
def test_a_sheet_does_not_push_itself_at_rest_nor_gently_bent(reach):
    points, facets = grid(20, 10, 0.05, jitter=0.3, seed=8)
    parts, rest = parts_of([(points, facets, kinds.SHEET)])
    tree = facet_tree(parts, rest)
    bent = rest * [0.9, 0.9, 1.0]  # shortened by a tenth as well
    bent[:, 2] = 0.2 * np.sin(2.0 * bent[:, 0])
    for x in (rest, bent):
        force, sums = press_self(parts, tree, x, 0 * x, reach)
        assert not force.any()
        assert not sums.any()


# tree -------------------------------------------------------------------------------------------------------------------

def test_the_tree_holds_every_facet_once_and_its_boxes_hold_the_facets():
    for nu, nv in ((1, 1), (2, 1), (3, 5), (17, 9)):
        points, facets = grid(nu, nv, 0.1, 0.3)
        surfaces = [(points, facets, kinds.SHEET), (points, facets, kinds.POLYHEDRON), (points + 1, facets[::-1], kinds.SHEET)]
        parts, x = parts_of(surfaces, self_touch=0)
        tree = facet_tree(parts, x)
        assert tree.start[1] == tree.start[2]  # a polyhedron that does not touch itself has none
        assert tree.count.max() <= LEAF
        box = np.full((len(tree.behind), 6), np.nan)
        for part in (0, 2):
            walk.renew_boxes(parts, tree, part, rows4(x), box)
            nodes = range(tree.start[part], tree.start[part + 1])
            own = np.concatenate([tree.order[tree.first[m]:tree.first[m] + tree.count[m]] for m in nodes])
            assert np.array_equal(np.sort(own), np.arange(parts.facet_start[part], parts.facet_start[part + 1]))
            looked = tree.place[tree.place_start[tree.start[part]]:tree.place_start[tree.start[part + 1]]]
            assert np.array_equal(np.sort(looked), np.arange(parts.vertex_start[part], parts.vertex_start[part + 1]))
            for m in nodes:
                mine = x[parts.vertex[tree.place[tree.place_start[m]:tree.place_start[m + 1]]]]
                assert np.all((mine >= box[m, :3]) & (mine <= box[m, 3:]))
                below = range(m, tree.behind[m])
                inside = np.concatenate([tree.order[tree.first[i]:tree.first[i] + tree.count[i]] for i in below])
                corners = x[parts.facet[inside]].reshape(-1, 3)
                assert np.array_equal(box[m], np.concatenate([corners.min(0), corners.max(0)]))
        assert tree.behind[tree.start[2]] == tree.start[3]


def distance_to(x, rows, k):
    return thin.point_triangle(tuple(x[k]), *(tuple(x[row]) for row in rows))


def press_all(parts, tree, x, v, reach, damping):
    """As press_self, facet by facet, without tree and boxes."""
    force, sums, four, speed = np.zeros((len(x), 4)), np.zeros((1, columns.PAIR_SUMS)), rows4(x), rows4(v)
    for k in range(len(x)):
        for f in range(len(parts.facet)):
            rows = tuple(parts.facet[f])
            best, r = distance_to(x, rows, k)
            if k not in rows and r < reach and distance_to(tree.rest, rows, k)[1] >= thin.APART_AT_REST * reach:
                thin.press_facet(tree, f, rows, best, k, four, speed, force, reach, 0.5 * STIFFNESS * parts.vertex_area[k],
                                 damping, (0.0, 0.0, 0.0), sums, 0)
    return force[:, :3], sums[0]


def test_the_tree_finds_what_every_pair_gives():
    rng = np.random.default_rng(9)
    for seed in range(1 if PLAIN else 10):
        parts, tree, _, x = folded(6, 3, 0.1, above=0.04, seed=seed, shake=0.02)
        v = rng.normal(size=x.shape)
        force, sums = press_self(parts, tree, x, v, 0.08, 0.5)
        every, total = press_all(parts, tree, x, v, 0.08, 0.5)
        # the same terms in another order
        assert np.abs(force - every).max() < 1e-13 * np.abs(every).max()
        assert sums[:5][[0, 1, 2, 3]] == pytest.approx(total[:5][[0, 1, 2, 3]], rel=1e-12)


def test_nonsense_ends_and_gives_nothing():
    parts, tree, _, x = folded()
    force, sums = press_self(parts, tree, np.full_like(x, np.nan), 0 * x, 0.08)
    assert not force.any()
    x[::3] = np.nan
    press_self(parts, tree, x, 0 * x, 0.08)
    press_self(parts, tree, 0 * x, 0 * x, 0.08)  # all in one point
    with pytest.raises(SceneError, match="positions of all particles"):
        facet_tree(parts, x[:5])


def wavy(n, wave):
    """Arguments of a sheet of n × n squares, flat or in waves that do not touch, and the number of its facets."""
    points, facets = grid(n, n, 1.0, 0.2)
    parts, x = parts_of([(points, facets, kinds.SHEET)])
    tree = facet_tree(parts, x)
    x[:, 2] = wave * np.sin(0.3 * x[:, 0])
    return (parts, tree, 0, rows4(x), rows4(0 * x), np.zeros((len(x), 4)), np.zeros((len(tree.behind), 6)), 0.5, STIFFNESS, 0.0,
            (0.0, 0.0, 0.0), shares(parts), np.zeros((1, columns.PAIR_SUMS)), 0), len(facets)


def test_each_leaf_meets_as_many_leaves_however_large_the_sheet():
    met = []
    for n in (10, 20) if PLAIN else (20, 100):
        (parts, tree, _, x, *_, box, _, _, _, _, _, _, _), _ = wavy(n, 1.0)
        walk.renew_boxes(parts, tree, 0, x, box)
        end, pairs = len(tree.behind), 0
        leaves = np.flatnonzero(tree.count)[::3 if PLAIN else n // 20]
        for leaf in leaves:
            node = walk.next_leaf_near(tree, box, 0, end, leaf, 0.5)
            while node < end:
                pairs += 1
                node = walk.next_leaf_near(tree, box, node + 1, end, leaf, 0.5)
        met.append(pairs / len(leaves))
    assert met[1] < 1.25 * met[0]  # the smaller one has more border
    assert met[1] < 12.0           # itself and what is around it


# motion -----------------------------------------------------------------------------------------------------------------

def clap(speed, damping=0.0, dt=2e-5, steps=1500, reach=0.04, stiffness=2e7):
    """The flat layers of a folded sheet, particles without springs, thrown at each other.

    Returns the energies over time (first: before), the smallest distance of the layers, the last speeds, and the momentum.
    """
    above = 0.06
    parts, tree, _, x = folded(8, 4, 0.1, above=above, seed=3)
    upper, lower = x[:, 2] > above * (1 - 1e-9), x[:, 2] < above * 1e-9
    mass = (0.5 * parts.vertex_area + 1e-4)[:, None]
    v = np.zeros_like(x)
    v[upper, 2], v[lower, 2] = -speed, speed
    force, sums = press_self(parts, tree, x, v, reach, damping, stiffness)
    momentum, nearest, lost = (mass * v).sum(0), above, 0.0
    energy = [0.5 * np.sum(mass * v * v)]
    for _ in range(steps):
        v = v + dt * force / mass / 2
        x = x + dt * v
        force, sums = press_self(parts, tree, x, v, reach, damping, stiffness)
        v = v + dt * force / mass / 2
        lost += dt * sums[columns.PAIR_LOSS]
        energy.append(0.5 * np.sum(mass * v * v) + sums[columns.PAIR_ENERGY] + lost)
        nearest = min(nearest, x[upper, 2].min() - x[lower, 2].max())
    return np.array(energy), nearest, v[upper, 2], (mass * v).sum(0) - momentum


@pytest.mark.skipif(PLAIN, reason="thousands of steps")
@pytest.mark.parametrize(("damping", "falls"), [(0.0, 0.4), (0.5, 0.6)])
def test_the_layers_of_a_fold_do_not_go_through_each_other(damping, falls):
    # the scheme is second order, with damping at the velocity of the middle of the step first order: halving the step takes
    # the energy's error to 1/4 and 1/2
    error = []
    for dt in (2e-5, 1e-5):
        energy, nearest, after, drift = clap(1.0, damping, dt, round(0.03 / dt))
        assert 0.039 < nearest < 0.04  # ½ λ g² = ½ ρ v² a side: 0.2 to 0.4 mm at 20 MN/m³ and 0.5 kg/m²
        assert np.all(after > 0.0)
        assert np.abs(drift).max() < 1e-12 * energy[0]
        error.append(np.abs(energy / energy[0] - 1.0).max())
    assert error[0] < 0.1
    assert error[1] < falls * error[0]


@pytest.mark.skipif(PLAIN, reason="thousands of steps")
def test_a_fast_fold_is_stopped_before_the_middle():
    energy, nearest, after, _ = clap(60.0, dt=5e-6, steps=1000)  # up to 12 mm on either side, of 20
    assert nearest > 0.02
    assert np.all(after > 0.0)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-3


# corners ----------------------------------------------------------------------------------------------------------------

def test_corners_of_a_box_press_on_a_sheet_and_all_sums_are_on_the_sheet():
    points, facets = grid(10, 10, 0.1, jitter=0.3, seed=2)
    box = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)]) * 0.35 + np.array([0.21, 0.33, 0.015])
    parts, x = parts_of([(points, facets, kinds.SHEET), (box, np.zeros((0, 3), int), kinds.POLYHEDRON)], self_touch=0)
    parts.vertex_area[len(points):] = 0.1
    tree = facet_tree(parts, x)
    rng = np.random.default_rng(12)
    x = x + rng.normal(size=x.shape) * 0.004
    v, origin = rng.normal(size=x.shape), np.array([0.3, -0.2, 0.1])
    force, sums = press_corners(parts, tree, x, v, 0.03, 0.2, tuple(origin))
    sheet = slice(0, len(points))
    size = np.abs(force).sum()
    assert sums[columns.PAIR_POINTS] == 4.0
    assert sums[columns.PAIR_AREA] == pytest.approx(0.4)
    assert np.abs(force.sum(0)).max() < 1e-14 * size
    assert sums[columns.PAIR_FORCE:columns.PAIR_FORCE + 3] == pytest.approx(force[sheet].sum(0), abs=1e-13 * size)
    moment = np.cross(x[sheet] - origin, force[sheet]).sum(0)
    assert sums[columns.PAIR_MOMENT:columns.PAIR_MOMENT + 3] == pytest.approx(moment, abs=1e-13 * size)
    # each corner is pushed off the sheet, and the rate of what is lost is what the damping forces take
    assert np.all(force[len(points):, 2][box[:, 2] < 0.1] > 0.0)
    elastic, without = press_corners(parts, tree, x, v, 0.03, 0.0, tuple(origin))
    assert np.sum((elastic - force) * v) == pytest.approx(sums[columns.PAIR_LOSS], rel=1e-9)
    assert sums[columns.PAIR_ELASTIC] == pytest.approx(without[columns.PAIR_NORMAL], rel=1e-12)
    centre = sums[columns.PAIR_CENTRE:columns.PAIR_CENTRE + 3] / sums[columns.PAIR_NORMAL] + origin
    assert np.all((centre > [0.2, 0.3, -0.02]) & (centre < [0.6, 0.7, 0.03]))
    # far away: nothing
    x[len(points):, 2] += 1.0
    force, sums = press_corners(parts, tree, x, v, 0.03)
    assert not force.any()
    assert not sums.any()


def test_a_corner_just_on_a_facet_is_pushed_along_its_normal():
    parts, tree, x = point_over(*grid(2, 2, 0.1), [0.03, 0.01, 0.0])
    force, sums = press_corners(parts, tree, x, 0 * x, 0.02)
    assert force[-1] == pytest.approx([0.0, 0.0, STIFFNESS * 2.0 * 0.02], abs=1e-9)
    assert np.all(np.isfinite(force))
    assert sums[columns.PAIR_ENERGY] == pytest.approx(0.5 * STIFFNESS * 2.0 * 0.02**2)


def test_damping_never_pulls_and_a_vertex_of_a_facet_is_left_alone():
    parts, tree, x = point_over(*grid(2, 2, 0.1), [0.03, 0.01, 0.01])
    v = 0 * x
    v[-1, 2] = 10.0  # leaves at 10 m/s: 1 − 0.5 × 10 < 0
    force, sums = press_corners(parts, tree, x, v, 0.02, 0.5)
    assert np.abs(force).max() < 1e-12 * sums[columns.PAIR_ELASTIC]
    assert sums[columns.PAIR_LOSS] == pytest.approx(sums[columns.PAIR_ELASTIC] * 10.0)  # all the elastic power
    v[-1, 2] = -10.0
    assert press_corners(parts, tree, x, v, 0.02, 0.5)[0][-1, 2] == pytest.approx(6.0 * STIFFNESS * 2.0 * 0.01)
    own = parts._replace(vertex=np.append(parts.vertex[:-1], parts.vertex[4]))  # the middle of the sheet, in its facets
    assert not press_corners(own, tree, x, v, 0.02, 0.5)[1].any()


def test_force_is_continuous_where_a_vertex_goes_from_facet_to_facet():
    # along a line over a rough sheet force changes by no more than κ per metre and term: no jumps at edges and folds
    points, facets = grid(6, 6, 0.1, jitter=0.3, seed=2)
    points[:, 2] = np.random.default_rng(13).normal(size=len(points)) * 0.03
    parts, tree, x = point_over(points, facets, [0.05, 0.31, 0.0])
    last, step = None, 1e-5
    for i in range(200 if PLAIN else 20000):
        x[-1] = [0.05 + step * i, 0.31 + 0.2 * step * i, 0.06]
        force, _ = press_corners(parts, tree, x, 0 * x, 0.1)
        if last is not None:
            # curvature of distances: force/distance ~ κ h/r at most, of the order of three for r > 0.03, and a few facets
            assert np.abs(force[-1] - last).max() < 20 * STIFFNESS * 2.0 * step
        last = force[-1]
