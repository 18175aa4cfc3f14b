"""How time advances: scheme, step control and its limits."""
from dataclasses import dataclass
from itertools import pairwise

from robotphi.scene.checks import number, refuse, whole, word
from robotphi.scene.saying import made

SCHEMES = ("verlet", "taylor")
CONTROLS = ("ledger", "energy", "fixed")
ACCURACIES = ("path", "energy")
FLOORS = ("error", "accept")


@made
@dataclass(frozen=True)
class Stepping:
    """Scheme and step control.

    Attributes:
        scheme: "verlet" (second order, default) or "taylor" (first order, the report's).
        control: "ledger" (residual within the budget), "energy" (|ΔE| < energy_tolerance) or "fixed" (every step dt).
        budget: largest |Σ residual| relative to the reference energy, for "ledger".
        accuracy: what the budget governs: "path" keeps phases, orbits and attitudes near as well (about √budget in 50 rad of
            steady motion), "energy" leaves them to the ledger. None is "path" where that can be had, by "verlet" under
            "ledger"; what came of it is `governed`.
        dt: the step of "fixed" [s]; for the others the first step tried.
        dt_max, dt_min: limits of the step [s]; None leaves them to the simulator.
        energy_tolerance: largest change of energy a step [J], for "energy".
        count_force_potential: whether "energy" counts the potential of the forces.
        at_floor: "error" ends the run when the smallest step is still refused, "accept" goes on.
        attempt_limit: the run ends after so many attempts; None for no limit.
    """
    scheme: str = "verlet"
    control: str = "ledger"
    budget: float = 1e-4
    accuracy: str | None = None
    dt: float | None = None
    dt_max: float | None = None
    dt_min: float | None = None
    energy_tolerance: float | None = None
    count_force_potential: bool = False
    at_floor: str = "error"
    attempt_limit: int | None = None

    def __post_init__(self):
        where = "stepping"
        word(where, "scheme", self.scheme, SCHEMES)
        word(where, "control", self.control, CONTROLS)
        if self.accuracy is not None:
            word(where, "accuracy", self.accuracy, ACCURACIES)
        word(where, "at_floor", self.at_floor, FLOORS)
        number(where, "budget", self.budget, low=1e-12, high=1.0)  # below, rounding is all there is
        for what in ("dt", "dt_max", "dt_min", "energy_tolerance"):
            if getattr(self, what) is not None:
                number(where, what, getattr(self, what), above=0.0)
        if self.attempt_limit is not None:
            whole(where, "attempt_limit", self.attempt_limit)
        if not isinstance(self.count_force_potential, bool):
            refuse(where, f"count_force_potential is {self.count_force_potential!r}", "give True or False")
        self._check_combinations(where)
        self._check_accuracy(where)

    @property
    def governed(self):
        """What the budget governs: "path" (and the ledger), "energy" (the ledger alone), or "none" where it sets no step."""
        if self.control != "ledger":
            return "none"
        return "energy" if self.scheme != "verlet" else self.accuracy or "path"

    def _check_combinations(self, where):
        limits = [(what, getattr(self, what)) for what in ("dt_min", "dt", "dt_max") if getattr(self, what) is not None]
        for (small, low), (large, high) in pairwise(limits):
            if low > high:
                refuse(where, f"{small} = {low:g} s is larger than {large} = {high:g} s", "need dt_min <= dt <= dt_max")
        if self.control == "fixed" and self.dt is None:
            refuse(where, 'control "fixed" without dt', "give dt, the length of every step in seconds")
        if self.control == "energy" and self.energy_tolerance is None:
            refuse(where, 'control "energy" without energy_tolerance', "give the largest change a step, in joules")
        if self.control != "energy" and (self.energy_tolerance is not None or self.count_force_potential):
            refuse(where, f"energy_tolerance or count_force_potential with control {self.control!r}",
                   'leave them out or use control="energy"')

    def _check_accuracy(self, where):
        """Only the ledger has a budget, and only `verlet` knows its error of the path."""
        if self.accuracy is not None and self.control != "ledger":
            refuse(where, f"accuracy={self.accuracy!r} with control {self.control!r}, which watches neither path nor ledger",
                   'leave accuracy out, or use control="ledger" with a budget')
        if self.accuracy == "path" and self.scheme != "verlet":
            refuse(where, f"accuracy='path' with scheme {self.scheme!r}, whose error of the path nobody knows",
                   'use scheme="verlet", or leave accuracy out: the budget then governs the ledger alone')
