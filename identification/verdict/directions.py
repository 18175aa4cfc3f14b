"""Which parameters, and which mixtures of them, show in what was measured: singular values of the scaled Jacobian.

A direction of the box is unseen where even its whole width would change the residuals by less than their noise lets pass. Small
singular values may be noise of the simulation: what they foretell is believed only as far as evaluations along them confirm it,
without what the stronger directions would make up for.
"""
from typing import NamedTuple

import numpy as np

WEAK = 0.3           # of the largest singular value: those below are tried by steps of their own
LOOKS = 3            # steps along one, as long as the one before has shown; looks at each of them, along a valley that turns
CONFIRMED = 0.5      # of a strength: what a step must show of it
PART = 0.2           # of a unit direction: from here a parameter takes part in it, or two have it in common
MOVED = 4.0          # standard deviations by which it may be moved else


class Directions(NamedTuple):
    """Directions of the box by what they do to the residuals, the strongest first."""
    strength: np.ndarray      # (p,) change of the residuals over the whole box, in units of noise
    direction: np.ndarray     # (p, p), a row each
    unseen: np.ndarray        # (p,) bool
    evaluations: int

    def inverse(self):
        """(JᵀJ)⁻¹ of the directions that are seen, (p, p)."""
        seen = self.direction[~self.unseen]
        return seen.T @ (seen / self.strength[~self.unseen, None] ** 2)

    def part(self):
        """How much of each parameter lies in unseen directions, (p, p): its square on the diagonal."""
        unseen = self.direction[self.unseen]
        return unseen.T @ unseen


def directions(problem, found, reach):
    """Directions of a Jacobian; `reach` is the half width of an interval where the strength is one."""
    left, strength, direction = np.linalg.svd(found.matrix, full_matrices=False)
    missing = len(problem.parameters) - len(strength)
    if missing:
        strength = np.concatenate([strength, np.zeros(missing)])
        direction = np.vstack([direction, _complement(direction)])
    evaluations = 0
    for index in np.flatnonzero((strength < WEAK * strength[0]) & (strength > reach)):
        strength[index], spent = _tried(problem, found, index, strength, direction, left, reach)
        evaluations += spent
    return Directions(strength, direction, strength <= reach, evaluations)


def _complement(rows):
    return np.linalg.svd(rows)[2][len(rows):]


def _tried(problem, found, index, strengths, direction, left, reach):
    """The strength that steps along a direction show, of a length that should change the residuals by their noise."""
    shares, evaluations, strength = problem.shares(found.point)[0], 0, strengths[index]
    stronger, inverse = left[:, :index], direction[:index].T / strengths[:index]
    shortest = found.steps.min()
    for _ in range(LOOKS):
        lengths = [each for each in _lengths(shares, direction[index], reach / strength, shortest) if abs(each) >= shortest]
        if not lengths:
            break
        points = [shares + length * direction[index] for length in lengths]
        shown = []
        for _ in range(LOOKS):
            changes = [None if outcome.residuals is None else outcome.residuals - found.residuals
                       for outcome in problem.evaluate(problem.values(points))]
            evaluations += len(points)
            shown += [np.linalg.norm(change - stronger @ (stronger.T @ change)) / abs(length)
                      for change, length in zip(changes, lengths, strict=True) if change is not None]
            if all(change is None or np.linalg.norm(stronger.T @ change) < reach for change in changes):
                break
            # The valley turns: the stronger directions lead back into it.
            points = [point if change is None else np.clip(point - inverse @ (stronger.T @ change), 0, 1)
                      for point, change in zip(points, changes, strict=True)]
        before, strength = strength, min([strength, *shown])
        if strength > CONFIRMED * before or strength <= reach:
            break
    return strength, evaluations


def _lengths(shares, direction, length, shortest):
    """Steps to either side, as long as wanted or as the box allows; none shorter than what the Jacobian has seen already."""
    for side in (-1, 1):
        moving = np.abs(direction) > shortest       # by less nothing leaves the box that is not put back into it
        room = np.where(side * direction > 0, 1 - shares, shares)[moving] / np.abs(direction[moving])
        yield side * min(max(length, shortest), room.min())


def confounded(names, seen, sd):
    """Groups of parameters that make up for each other; one alone has no effect.

    A parameter takes part where an unseen direction is made of it, or moves it from one end of the box to the other by far more
    than its own standard deviation `sd`: what is lost in noise along one stays within some two of them.
    """
    part = seen.part()
    own = np.sqrt(np.diag(part))
    groups, left = [], [index for index in range(len(names)) if own[index] > PART or own[index] > MOVED * sd[index] > 0]
    while left:
        group, queue = [], [left.pop(0)]
        while queue:
            index = queue.pop()
            group.append(index)
            linked = [other for other in left if abs(part[index, other]) > PART * own[index] * own[other]]
            left = [other for other in left if other not in linked]
            queue += linked
        groups.append(tuple(names[index] for index in sorted(group)))
    return groups
