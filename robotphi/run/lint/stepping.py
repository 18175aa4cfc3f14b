"""Checks of the step: a fixed one that is not stable, steps so short that a run takes very long, what alone makes them so."""
import numpy as np

from robotphi.kernels.springs.table import KINDS
from robotphi.run.advice.slow import one_digit, seconds, two_digits
from robotphi.run.advice.steps import SHORT
from robotphi.run.lint.findings import Finding
from robotphi.run.state import SAFETY

ALONE = 4.0   # times the step that all others would allow, from which one alone is to blame
SOFTEST = 1e-6   # of a stiffness: nobody has use for a spring that much softer


def unstable_step(subject):
    """A fixed step, or a smallest one, that is longer than what is stable at the start."""
    stepping, found = subject.scene.stepping, []
    stable = subject.step / SAFETY
    if stepping.control == "fixed" and stepping.dt > stable:
        found.append(Finding(f"the fixed step of {seconds(stepping.dt)} is longer than the {seconds(stable)} that "
                             f"{_leader(subject)} leaves stable at the start",
                             f'give dt={one_digit(0.5 * stable):g}, or leave the step to control="ledger"'))
    if stepping.control != "fixed" and stepping.dt_min is not None and stepping.dt_min > subject.step:
        found.append(Finding(f"dt_min is {seconds(stepping.dt_min)}, and no more than {seconds(subject.step)} are stable at "
                             f"the start because of {_leader(subject)}", "lower dt_min, or leave it out"))
    return found


def _leader(subject):
    found = [each for each in subject.setters if each.what != "hit"]
    return found[0].name if found else "the damping"


def short_steps(subject):
    """Springs, acts or joints whose steps are below a ten millionth of the duration."""
    wanted = SHORT * subject.scene.duration
    found = [each for each in subject.setters if each.what != "hit"]
    if subject.scene.stepping.control == "fixed" or not subject.step < wanted:
        return []
    first = found[0] if found else None
    do = _softer(subject, first, (first.step / wanted) ** 2) if first else "make the scene softer, or its run shorter"
    return [Finding(f"steps of {seconds(subject.step)} at most are stable, less than {SHORT:g} of the duration, because of "
                    f"{_leader(subject)}", do)]


def lone_setter(subject):
    """One block of springs or joint that alone makes steps several times shorter than all else would."""
    found = [each for each in subject.setters if each.what != "hit"]
    found = found[:1] + [each for each in found[1:] if each.names != found[0].names]
    if len(found) < 2 or found[0].what != "stiffness" or not found[1].step > ALONE * found[0].step:
        return []
    first, then = found[0], found[1]
    if (first.step / then.step) ** 2 < SOFTEST:
        return []
    return [Finding(f"{first.name} alone makes the longest step {seconds(first.step)}; all else allows {seconds(then.step)}, "
                    f"by {then.name}", _softer(subject, first, (first.step / then.step) ** 2), serious=False)]


def _softer(subject, setter, share):
    """What to give instead, so that ω² is so small a share."""
    if setter.thing not in KINDS:
        return f"make {setter.name.removeprefix('the ')} {1.0 / share:.2g} times smaller, or what it moves as much heavier"
    what = "viscosity" if setter.what == "damping" else "stiffness"   # steps go by its inverse, or by the inverse of its root
    share = np.sqrt(share) if setter.what == "damping" else share
    value, unit = float(np.max(subject.scene.value(setter.names[0], what))), getattr(KINDS[setter.thing], what).unit
    return (f"at most {one_digit(share * value):g} {unit} instead of {two_digits(value):g} would leave the step to others, as "
            f"would {1.0 / share:.2g} times the mass at its lighter ends")
