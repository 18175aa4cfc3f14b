"""Dimensions of a hand after Salisbury, and where the joints of a finger are for a pad to be at a place.

A finger moves in a plane while its first joint is at 0: there r is the distance from the axis of the hand, s the way from the
face of the palm towards the tips. Links turn by α and β from s, positive inwards: the pad at the distance d along the last
link is at (r, s) = (b − l₂ sin α − d sin β, l₁ + l₂ cos α + d cos β).
"""

import numpy as np

from robotphi.applications.sizes import check_sizes, one_of, row_of, sizes_of, some, whole_from
from robotphi.scene.checks import refuse, word

PADS = ("pulp", "tip")
TIPS = ("rigid", "soft")
STRETCHED = 0.999   # of the last two links together


@sizes_of("hand")
class Dimensions:
    """Nominal sizes of a hand, of no hand that was built; Salisbury's own lengths are not published.

    Attributes:
        fingers: how many, evenly around the palm.
        base: distance of their first joints from the axis of the hand [m].
        links: lengths of the three links, from the palm on [m]; the last to the middle of the tip.
        width: of the links [m]; pad: radius of the round pads, at the tip and half-way along the last link [m].
        palm: thickness [m].
        density: of links and palm [kg/m³]; pad_density: of the pads.
        tips: "rigid", round pads; or "soft": the pads that take hold are cubes of side 2 × pad, their outer half of bone, their
            inner half soft.
        young: of soft pads [Pa]; cells: of them along a side; damping: their damping ratio at 100 Hz.
        rotor: inertia of what turns with a joint behind its gear [kg·m²].
        holding, viscosity: of the joints, without force as drawn [N·m/rad, N·m·s/rad].
    """
    fingers: int = 3
    base: float = 0.025
    links: tuple = (0.02, 0.05, 0.045)
    width: float = 0.012
    pad: float = 0.009
    palm: float = 0.015
    density: float = 1500.0
    pad_density: float = 1000.0
    tips: str = "rigid"
    young: float = 2e5
    cells: int = 2
    damping: float = 0.1
    rotor: float = 2e-5
    holding: float = 0.1
    viscosity: float = 5e-3

    def __post_init__(self):
        check_sizes(self, "hand", fingers=whole_from(2), links=row_of(3), tips=one_of(TIPS), cells=whole_from(1), damping=some,
                    rotor=some, holding=some, viscosity=some)

    def turns(self):
        """Angles of the fingers around the axis of the hand [rad]."""
        return 2.0 * np.pi / self.fingers * np.arange(self.fingers)

    def along(self, pad):
        """How far along the last link a pad is [m]."""
        return self.links[2] * {"pulp": 0.5, "tip": 1.0}[word("hand", "pad", pad, PADS)]

    def angles(self, pad, r, s):
        """(α, β − α) [rad], angles of the second and third joint that bring a pad to (r, s) [m], with the knuckle outside."""
        second, last = self.links[1], self.along(pad)
        inwards, down = self.base - r, s - self.links[0]
        reach = np.hypot(inwards, down)
        if not abs(second - last) < reach < second + last:
            refuse("hand", f"the {pad} is to be {1e3 * reach:.1f} mm from the second joint", "give a place between "
                   f"{1e3 * abs(second - last):.1f} and {1e3 * (second + last):.1f} mm, or other links")
        knuckle = np.arccos((second**2 + reach**2 - last**2) / (2.0 * second * reach))
        bend = np.arccos((reach**2 - second**2 - last**2) / (2.0 * second * last))
        return float(np.arctan2(inwards, down) - knuckle), float(bend)

    def depth(self, pad, r, lean):
        """s [m] at which a pad is at the distance r while the last link leans inwards by an angle [rad]."""
        last = self.along(pad)
        inwards = self.base - r - last * np.sin(lean)
        if abs(inwards) >= self.links[1]:
            refuse("hand", f"no finger of these links has its {pad} at {1e3 * r:.1f} mm from the axis, leaning by "
                   f"{np.degrees(lean):.0f}°", "give another lean, or a wider base")
        return float(self.links[0] + np.sqrt(self.links[1]**2 - inwards**2) + last * np.cos(lean))

    def deepest(self, pad, r):
        """The largest s [m] at which a pad may be at the distance r, the finger all but straight."""
        far, inwards = STRETCHED * (self.links[1] + self.along(pad)), self.base - r
        return float(self.links[0] + np.sqrt(max(far**2 - inwards**2, 0.0)))
