"""Parts of an experiment: what is unknown, what was run, what is compared."""
from dataclasses import dataclass

from identification.problem import Parameter

SERIES, VALUE = "series", "value"
TAKEN = ("largest", "smallest", "last", "mean", "range", "largest_size", "settled")   # of a sensor over a stretch of time
TAKES = (SERIES, VALUE, *TAKEN)
KNOB, ADDRESS, OFFSET = "knob", "address", "offset"


@dataclass(frozen=True)
class Target:
    """What a parameter sets: a knob, an address of the model, or the offset of the clock of a run."""
    kind: str
    what: object       # name; (thing, quantity[, where]); name of a run
    factor: float      # value × factor is what is set, in SI


@dataclass(frozen=True)
class Unknown:
    """A parameter, and all that it sets."""
    parameter: Parameter
    targets: tuple
    factor: float = 1.0   # to SI


@dataclass(frozen=True)
class Run:
    """One recording of what was done.

    Attributes:
        path: of its data; None where all that was measured stands in the experiment.
        time: head of the column of times; None where it is called t or time.
        begins: s, what the clock of the recording shows when the scene begins.
        knobs: of the scene, for this run.
        every: of so many rows one is taken.
        missing: whether rows with nothing in them are left out.
        topic: of a ROS bag.
        unit: of its times; None where their head tells it, or where they are seconds.
    """
    name: str
    path: object
    time: str | None
    begins: float
    knobs: dict
    held_out: bool
    every: int
    missing: bool
    topic: str | None = None
    unit: str | None = None


@dataclass(frozen=True)
class Compared:
    """Which quantity of the simulation answers which column, and how closely it was measured.

    Attributes:
        sensor, place: of the scene, and which of its numbers: an index, "size" of all, or None.
        column, unit: of the data; None where a value is told by itself.
        take, at, within: the whole series, the value at an instant [s], or what of it.
        measured: that value, in SI.
        noise: sd in SI; None where it is to be told from the data.
        share: of the largest size of the column, where noise is told so.
        begin, end: s, of the scene's clock.
        step: s, of a grid of times on which the series is compared.
        runs: names; all where empty.
    """
    name: str
    sensor: str
    place: object
    column: str | None
    unit: str | None
    take: str
    at: float | None
    within: float
    measured: float | None
    noise: object
    weight: float
    begin: float
    end: float
    step: float | None
    runs: tuple

    @property
    def said(self):
        """The sensor as it is told."""
        axes = {0: ".x", 1: ".y", 2: ".z", None: ""}
        return self.sensor + axes.get(self.place, f".{self.place}" if self.place == "size" else f"[{self.place}]")


@dataclass(frozen=True)
class Scalar:
    """A criterion that the simulation gives by itself, such as the time at which something has settled; of several of one name
    the largest counts."""
    name: str
    sensor: str
    place: object
    take: str
    at: float | None
    within: float
    begin: float
    end: float
