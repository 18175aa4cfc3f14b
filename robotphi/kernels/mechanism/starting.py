"""What forces set in motion of a mechanism that begins at rest, as `step/scales.raise_scale` asks: E = t² × OF_SCALE.

    OF_SCALE = ½ a·M a/max(λ T, 1)²        λ = Σ c a²/a·M a

with the accelerations a of the coordinates: what joints and closures bear moves nothing, however heavy it is. What dampers c
hold comes to a/λ. It counts for a hundredth T of the run: what stands in for the energies of the start is to be there by then. Of forces that grow from nothing the mean through
an attempt is what is known.

Efforts × coordinates are what rounding makes work of.
"""
from robotphi.kernels.compiling.compiled import inlined, kernel
from robotphi.kernels.mechanism.columns import BASE, CARRIED, DAMPING, OF_SCALE
from robotphi.kernels.mechanism.flow import kinetic_square
from robotphi.kernels.step import slots as at
from robotphi.kernels.step.scales import at_rest, start_span

FIRST_SHARE = 0.2     # of the start of a run


@inlined
def first_span(numbers):
    """s for which a start counts."""
    return FIRST_SHARE * start_span(numbers)


@kernel
def tell_start(mechanisms, rigids, links, joints, numbers, m):
    """By the accelerations of now."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        links.answer[k, 0] = joints.gain[k, 0]
    tell_square(mechanisms, rigids, links, numbers, 0.0, m)


@kernel
def tell_growth(mechanisms, rigids, links, before, after, numbers, m):
    """By what an attempt has made of the rates, where nothing has moved before."""
    begin, end = mechanisms.start[m], mechanisms.start[m + 1]
    first, last = mechanisms.freedom_start[begin], mechanisms.freedom_start[end]
    carried, dt = 0.0, numbers[at.STEP_TAU]
    for k in range(first, last):
        carried += abs(links.flow[k, BASE] * after.place[k, 0])
    links.sums[m, CARRIED] = carried
    if at_rest(numbers):
        for k in range(first, last):
            links.answer[k, 0] = (after.rate[k, 0] - before.rate[k, 0]) / dt
        tell_square(mechanisms, rigids, links, numbers, dt, m)


@kernel
def tell_square(mechanisms, rigids, links, numbers, dt, m):
    """Of the accelerations `answer`, which are means through a time."""
    begin, end, taken = mechanisms.start[m], mechanisms.start[m + 1], 0.0
    for k in range(mechanisms.freedom_start[begin], mechanisms.freedom_start[end]):
        taken += links.flow[k, DAMPING] * links.answer[k, 0] * links.answer[k, 0]
    square, span = kinetic_square(mechanisms, rigids, links, begin, end), first_span(numbers)
    decay = taken / square if square > 0.0 else 0.0
    share = span / start_span(numbers) * max(decay * dt, 1.0) / max(decay * span, 1.0)
    links.sums[m, OF_SCALE] = 0.5 * share * share * square
