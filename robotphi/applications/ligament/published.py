"""What others measured and published, to be printed beside: nothing here enters a result."""
from typing import NamedTuple


class Published(NamedTuple):
    """Attributes:
        value, spread: SI; the spread is None where none is told.
        of: what was measured.
        source: who, and where it stands.
    """
    value: float
    spread: float
    of: str
    source: str


STIFFNESS = Published(242e3, 28e3, "femur, ligament and tibia in series, at 30° of flexion, age 22–35",
                      "Woo and others, Am. J. Sports Med. 19 (1991)")
FAILURE = Published(2160.0, 157.0, "force at which it tears, at 30° of flexion, age 22–35", STIFFNESS.source)
# m, anterior and posterior together, by an arthrometer (KT-1000) at 30° of flexion, whole cadaveric knees
LAXITY = {"intact": Published(5.8e-3, None, "whole knees", "Komzák and others, The Knee 20 (2013) 551–555"),
          "cut": Published(10.8e-3, None, "whole knees, both bundles cut", "Komzák and others, The Knee 20 (2013) 551–555")}
