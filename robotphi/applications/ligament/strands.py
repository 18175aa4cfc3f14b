"""Strands: straight lines from bone to bone that pull by strain, with a toe; SI, each end in the axes of its bone.

T(ε) = k ε²/(2 ε_t) up to the transition ε_t, then k (ε − ε_t/2), nothing when slack; ε = L/L0 − 1, k in N per strain
(Blankevoort, Kuiper, Huiskes & Grootenboer, J. Biomechanics 24, 1991; their ε_l is ε_t/2, 0.03).
"""
from dataclasses import dataclass, replace

import numpy as np

from robotphi.errors import SceneError
from robotphi.scene.checks import refuse, whole, word

TRANSITION = 0.06    # strain at which all fibres of a strand are straight


@dataclass(frozen=True, eq=False)
class Strands:
    """Strands of one or several ligaments.

    Attributes:
        names, ligaments, bundles: (n,) words.
        femur, tibia: (n, 3) m, where they are fixed, each in the axes of its bone.
        stiffness: (n,) N per strain, NaN where `pitch` stands for it.
        pitch: (n,) N/m, stiffness times slack length; NaN where the stiffness is told.
        slack: (n,) m, the length from which on they pull; NaN where it follows from one of the two below.
        strain, force: (n,) strain or tension [N] in the pose of reference, NaN where the slack length is told.
        toe: (n,) strain of the transition.
    """
    names: tuple
    ligaments: tuple
    bundles: tuple
    femur: np.ndarray
    tibia: np.ndarray
    stiffness: np.ndarray
    pitch: np.ndarray
    slack: np.ndarray
    strain: np.ndarray
    force: np.ndarray
    toe: np.ndarray

    def __len__(self):
        return len(self.names)

    def of(self, *words):
        """Those of some ligaments or bundles, by name."""
        known = tuple(dict.fromkeys((*self.ligaments, *self.bundles)))
        for name in words:
            word("strands", "ligament", name, known)
        return self.picked([i for i in range(len(self)) if self.ligaments[i] in words or self.bundles[i] in words])

    def without(self, *words):
        """All but those of some ligaments or bundles, as when they are cut."""
        cut = set(self.of(*words).names)
        return self.picked([i for i in range(len(self)) if self.names[i] not in cut])

    def picked(self, rows):
        """Those at some places of the table."""
        rows = [int(i) for i in rows]
        if not rows:
            refuse("strands", "none is left", f"there are {', '.join(self.names)}")
        return Strands(*(tuple(value[i] for i in rows) if isinstance(value, tuple) else value[rows]
                         for value in vars(self).values()))

    def thinned(self, count):
        """So many of them, evenly through the table, as stiff together as all are."""
        count = whole("strands", "count", count, 1, len(self))
        chosen, share = self.picked(np.round(np.linspace(0, len(self) - 1, count)).astype(int)), len(self) / count
        return replace(chosen, stiffness=chosen.stiffness * share, pitch=chosen.pitch * share)

    def places(self, poses):
        """((m, n, 3), (m, n, 3)) m: ends on femur and tibia in axes of the tibia, by (m, 4, 4) poses of the femur."""
        poses = np.asarray(poses)
        femur = np.einsum("mij,nj->mni", poses[:, :3, :3], self.femur) + poses[:, None, :3, 3]
        return femur, np.broadcast_to(self.tibia, femur.shape)

    def lengths(self, poses):
        """(m, n) m from end to end in each pose."""
        femur, tibia = self.places(poses)
        return np.linalg.norm(femur - tibia, axis=-1)

    def tension(self, lengths):
        """N, by the law, of (…, n) lengths."""
        return law(lengths / self.slack - 1.0, self.stiffness, self.toe)

    def tangent(self, lengths):
        """N/m, by how much the tension grows with the length."""
        strain = np.asarray(lengths) / self.slack - 1.0
        return self.stiffness / self.slack * np.clip(strain / self.toe, 0.0, 1.0)

    def slack_in(self, pose):
        """The same with all slack lengths and stiffnesses known: those told by strain or force have it in a (4, 4) pose."""
        length, slack = self.lengths(np.asarray(pose)[None])[0], self.slack.copy()
        by_strain, by_force = np.isfinite(self.strain), np.isfinite(self.force)
        slack[by_strain] = (length / (1.0 + self.strain))[by_strain]
        slack[by_force] = slack_of_force(length, self.force, self.stiffness, self.pitch, self.toe)[by_force]
        if not np.all(slack > 0.0):
            bad = int(np.flatnonzero(~(slack > 0.0))[0])
            raise SceneError(f"strand {self.names[bad]!r}: no slack length gives {self.force[bad]:g} N at {length[bad]:g} m; "
                             "ask for less force, or give more stiffness")
        stiffness = np.where(np.isnan(self.stiffness), self.pitch * slack, self.stiffness)
        nothing = np.full(len(self), np.nan)
        return replace(self, slack=slack, stiffness=stiffness, pitch=nothing, strain=nothing, force=nothing)

    def told_by(self, what, value):
        """The same whose slack lengths follow from a strain, or a force [N] of each strand, in a pose that `slack_in` names."""
        word("strands", "way of telling slack", what, ("table", "strain", "force"))
        if what == "table":
            return self
        nothing, all_of = np.full(len(self), np.nan), np.full(len(self), float(value))
        if (what == "force" and not value > 0.0) or (what == "strain" and not value > -1.0):
            refuse("strands", f"reference {what} is {value!r}", "give a force above 0 N, or a strain above −1")
        return replace(self, slack=nothing, strain=all_of if what == "strain" else nothing,
                       force=all_of if what == "force" else nothing)


def law(strain, stiffness, toe):
    """N at a strain."""
    straight = np.clip(strain, 0.0, toe)
    return stiffness * (straight * straight / (2.0 * toe) + np.maximum(strain - toe, 0.0))


def strain_of(force, stiffness, toe):
    """The strain at which the law gives a force [N] above 0."""
    return np.where(force <= 0.5 * stiffness * toe, np.sqrt(2.0 * toe * force / stiffness), force / stiffness + 0.5 * toe)


def slack_of_force(length, force, stiffness, pitch, toe):
    """m: the slack length by which a strand of a length [m] pulls with a force [N]; by N per strain, or where that is NaN by
    the pitch p [N/m], k = p L0: then T = p (L − L0 (1 + ε_t/2)), in the toe T = p (L − L0)²/(2 ε_t L0)."""
    of_strain = length / (1.0 + strain_of(force, stiffness, toe))
    straight = (length - force / pitch) / (1.0 + 0.5 * toe)
    share = toe * force / pitch
    bent = length + share - np.sqrt(share * (share + 2.0 * length))
    of_pitch = np.where(length <= (1.0 + toe) * bent, bent, straight)
    return np.where(np.isnan(stiffness), of_pitch, of_strain)
