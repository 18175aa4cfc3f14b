"""Marks: points and frames by name on objects, as regions of one particle, or of three, that go with it."""
from dataclasses import replace

import numpy as np

from robotphi.discretise.joining.picking import near_enough
from robotphi.scene.checks import frozen, refuse
from robotphi.scene.objects import Object
from robotphi.scene.poses import mark_places
from robotphi.scene.saying import made

ARM = 0.25   # of the size of the object: how far the ends of a frame's axes stand from its origin


@made
def mark(thing, points=None, frames=None, part=None):
    """The object with points and frames marked by name; each becomes a region, of one particle or of three.

    Args:
        thing: an Object.
        points: {name: place [m]}. On a rigid part they get a particle without mass of their own, anywhere; on deformable
            objects they are particles that are there.
        frames: {name: (4, 4), or (position, quaternion)}, on rigid parts alone.
        part: name of the rigid part that carries them, where there are several, or deformable particles as well.
    """
    if not isinstance(thing, Object):
        refuse("mark", f"it is {thing!r:.60}", "give an Object, such as rigid(...) made")
    places = mark_places("mark", points, frames, ARM * (float(np.ptp(thing.position, axis=0).max()) or 1.0))
    for name in places:
        if name in thing.regions:
            refuse("mark", f"the name {name!r} is taken by a region", "call it otherwise")
    rigid = _part(thing, part)
    if rigid is None:
        found = {name: _particle(thing, name, place) for name, place in places.items()}
        return replace(thing, regions={**thing.regions, **found})
    for name, place in places.items():
        rows = np.arange(len(thing.position), len(thing.position) + len(place), dtype=np.int32)
        own = thing.rigids[rigid]
        more = np.zeros(len(rows))
        own = replace(own, particles=np.concatenate([own.particles, rows]),
                      taken=None if own.taken is None else np.concatenate([own.taken, more]))
        thing = replace(thing, position=np.concatenate([thing.position, place]), mass=np.concatenate([thing.mass, more]),
                        rigids=(*thing.rigids[:rigid], own, *thing.rigids[rigid + 1:]),
                        regions={**thing.regions, name: frozen(rows)})
    return thing


def _part(thing, part):
    """Index of the rigid part that carries marks, None where particles do."""
    names = [each.name for each in thing.rigids]
    if part is not None:
        if part not in names:
            refuse("mark", f"it has no rigid part {part!r:.40}", f"give one of: {', '.join(names) or 'none; leave it out'}")
        return names.index(part)
    soft = (thing.rigid_of_particle < 0).any()
    if len(names) > 1 or (names and soft):
        refuse("mark", f"it has {len(names)} rigid parts{' and deformable particles' if soft else ''}",
               f"say by part= which carries the marks, one of: {', '.join(names)}; or name_region(thing, name, particle)")
    return 0 if names else None


def _particle(thing, name, place):
    """The particle of a deformable object in a place."""
    if len(place) > 1:
        refuse("mark", f"frame {name!r} on a deformable object", "mark points, or a rigid part")
    apart = np.linalg.norm(thing.position - place, axis=1)
    row = int(np.argmin(apart))
    if apart[row] > near_enough(thing.position):
        refuse("mark", f"no particle is at point {name!r}", f"particle {row} at {thing.position[row].tolist()} is nearest, "
               f"{apart[row]:.3g} m away: give that place, or name_region(thing, name, nearest(thing, place))")
    return frozen(np.array([row], np.int32))
