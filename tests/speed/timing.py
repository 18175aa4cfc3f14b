"""Timing where others compute too: cases in, samples out, taken in turn, in random order, disturbed rounds again."""
import os
import time
from typing import NamedTuple

import numpy as np

FOREIGN_LIMIT = 0.08    # of a core taken by others during a round, above which it is taken again
TRIES = 4               # rounds tried for each repeat; then the calmest counts, and is counted as disturbed


class Samples(NamedTuple):
    """Cost of each case in each round [s]; cases of one round share its conditions, so ratios are formed in it."""
    cost: dict              # name -> (repeats,)
    disturbed: int          # rounds kept although others took more than FOREIGN_LIMIT
    refused: int            # rounds taken again

    def ratio(self, case, base):
        """Cost of `case` over cost of `base` in each round."""
        return self.cost[case] / self.cost[base]


def sample(cases, repeats, generator):
    """Time `cases`, functions without arguments by name that return a cost [s], `repeats` times in random order."""
    kept, disturbed, refused = [], 0, 0
    for _ in range(repeats):
        rounds = []
        for _ in range(TRIES):
            rounds.append(one_round(cases, generator))
            if rounds[-1][0] <= FOREIGN_LIMIT:
                break
        calmest = min(rounds, key=lambda one: one[0])
        disturbed += calmest[0] > FOREIGN_LIMIT
        refused += len(rounds) - 1
        kept.append(calmest[1])
    return Samples({name: np.array([costs[name] for costs in kept]) for name in cases}, disturbed, refused)


def one_round(cases, generator):
    """Share of a core that others took, and the cost of every case."""
    names = list(cases)
    generator.shuffle(names)
    busy, own, start = busy_time(), time.process_time(), time.perf_counter()
    costs = {name: cases[name]() for name in names}
    elapsed = time.perf_counter() - start
    foreign = (busy_time() - busy) - (time.process_time() - own)
    return max(0.0, foreign / elapsed), costs


def busy_time():
    """Processor time spent by all processes and taken by other machines since the start [s]; this process's where the
    system does not tell, so that nothing seems disturbed."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    except OSError:
        return time.process_time()
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def summary(values):
    """Median, least and largest as plain numbers."""
    return {"median": float(np.median(values)), "min": float(np.min(values)), "max": float(np.max(values))}


def slope(sizes, costs):
    """Slope of log cost over log size by least squares; 1 is linear."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
