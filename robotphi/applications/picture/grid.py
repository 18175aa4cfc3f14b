"""The grid that a picture lies on: particles on springs without length at rest, in something viscous.

A spring of rest length 0 pulls with k d, which is linear in places: m ẍ = k Σ (x_j − x) − μ ẋ + F, each coordinate by itself,
however far the picture is pulled. That is a membrane of tension k [N/m] and mass m/L² [kg/m²], on which waves travel with
L √(k/m); drawn flat it is in balance, since the pulls of opposite neighbours are equal.
"""
from dataclasses import dataclass

import numpy as np

from robotphi.errors import SceneError

LONGEST = 401   # particles along a side


@dataclass(frozen=True)
class Rubber:
    """What a picture lies on.

    Attributes:
        shape: (nu, nv) particles, along the picture and up.
        spacing: L, between neighbours [m].
        mass: m, of a particle [kg].
        stiffness: k, of a spring [N/m].
        fading: μ/m, by which free motion fades [1/s].
    """
    shape: tuple = (31, 21)
    spacing: float = 0.05
    mass: float = 1e-3
    stiffness: float = 0.4
    fading: float = 2.0

    @property
    def places(self):
        """(nu, nv, 3) places at rest, in the plane z = 0."""
        places = np.zeros((*self.shape, 3))
        places[..., 0], places[..., 1] = np.meshgrid(*(np.arange(n) * self.spacing for n in self.shape), indexing="ij")
        return places

    @property
    def border(self):
        """(nu, nv) of the outermost particles."""
        border = np.ones(self.shape, bool)
        border[1:-1, 1:-1] = False
        return border

    @property
    def speed(self):
        """Of long waves [m/s]."""
        return self.spacing * np.sqrt(self.stiffness / self.mass)

    def turned(self, frequency):
        """By how much a wave of a frequency turns from one particle to the next [rad]: sin(q/2) = Ω/2 √(m/k)."""
        share = np.pi * frequency * np.sqrt(self.mass / self.stiffness)
        if not 0 < share < 1:
            raise SceneError(f"a grid of {self.stiffness:g} N/m and {self.mass:g} kg has no waves of {frequency:g} Hz; "
                             f"give less than {frequency / share:.3g} Hz")
        return 2 * np.arcsin(share)

    def at(self, u, v):
        """The inner particle nearest to shares of both sides, as (i, j)."""
        return tuple(int(np.clip(round(share * (n - 1)), 1, n - 2)) for share, n in zip((u, v), self.shape, strict=True))


def shape_of(aspect, size):
    """(nu, nv) of a grid for a picture so many times as wide as high, `size` particles along the longer side."""
    if not 5 <= size <= LONGEST:
        raise SceneError(f"the grid of a picture: size is {size}; give 5 to {LONGEST} particles along the longer side")
    longer, shorter = size, max(5, round((size - 1) * min(aspect, 1 / aspect)) + 1)
    return (longer, shorter) if aspect >= 1 else (shorter, longer)


def lay_grid(scene, rubber, support, beat=None):
    """Put the grid into a scene, with words of support for each particle; returns the particles (nu, nv).

    Where a drive is given, the first column follows it across and the last, free, has half the mass, as its area has.
    """
    places, nv = rubber.places.reshape(-1, 3), rubber.shape[1]
    words = [str(each) for each in np.ravel(support)]
    if beat is None:
        p = scene.add_particles("picture", places, rubber.mass, support=words)
    else:
        mass = np.full(len(places), rubber.mass)
        mass[-nv:] /= 2
        edge = scene.add_particles("edge", places[:nv], mass[:nv], support=words[:nv], drive={"z": beat})
        p = np.concatenate([edge, scene.add_particles("picture", places[nv:], mass[nv:], support=words[nv:])])
    p = p.reshape(rubber.shape)
    for name, first, second in (("along", p[:-1], p[1:]), ("across", p[:, :-1], p[:, 1:])):
        scene.add_linear(name, first.ravel(), second.ravel(), rubber.stiffness, rest_length=0.0)
    return p
