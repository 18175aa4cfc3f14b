"""Drawing lots: what random scenes of all kinds are made with."""
from dataclasses import dataclass

import numpy as np


@dataclass
class Drawer:
    """Draws whatever a scene needs."""
    random: np.random.Generator

    def chance(self, share):
        return self.random.random() < share

    def power(self, low, high):
        """10 to a power between low and high."""
        return float(10.0 ** self.random.uniform(low, high))

    def pick(self, *options):
        return options[self.random.integers(len(options))]

    def direction(self):
        d = self.random.normal(size=3)
        return d / np.linalg.norm(d)
