"""The genetic algorithm of the report (RR-3072 §6.3) on DEAP, with its four changes, each of which can be switched off.

1. Genes are real numbers within bounds; `bounded=False` mutates without looking at them and cuts off.
2. Clones are not evaluated; `clones=True` evaluates them again.
3. Criteria with priority, without, weighted, or as a Pareto front by NSGA-II (Deb et al. 2002): the aim of the search.
4. Mutation is Gaussian with a width that follows the error. The report's a ± √(−2 μ log y) is a Rayleigh variate of either
   sign, which has no chance at a itself (`mutation="rayleigh"`); and a width that follows the error never comes to nothing on
   noisy data. Default is a true Gaussian by the *excess* error √(mean e² − e_best²) of those that are kept: it shrinks as they
   come together, whatever noise leaves. `follows`: "excess", "error", or "nothing" for a fixed width.
"""
import math
from dataclasses import dataclass

import numpy as np
from deap import base, tools

from identification.errors import ExperimentError
from identification.problem import DONE

MUTATIONS = ("gaussian", "rayleigh", "uniform")
FOLLOWS = ("excess", "error", "nothing")
TRIES = 50         # of a mutation that has to stay within its bounds
WIDEST = 0.5       # share of the box
UNLIKE = 10.0      # typical sizes: more is a penalty
NARROWEST = 1e-12  # of those that are kept: they have come together, and nothing new would come of them


@dataclass(frozen=True)
class Genetic:
    """Its settings.

    Attributes:
        population: individuals of a generation.
        kept: share of them that lives on, the best ones (truncation).
        generations: how many at most.
        width: of mutations at the start, as a share of the box.
        mutation, follows, bounded, clones: see above.
        crossover: whether children have the first genes of one parent and the others of another.
    """
    population: int = 20
    kept: float = 0.25
    generations: int = 60
    width: float = 0.3
    mutation: str = "gaussian"
    follows: str = "excess"
    bounded: bool = True
    clones: bool = False
    crossover: bool = True

    def __post_init__(self):
        for what, value, known in (("mutation", self.mutation, MUTATIONS), ("follows", self.follows, FOLLOWS)):
            if value not in known:
                raise ExperimentError(f"genetic: {what} is {value!r}; give one of {', '.join(known)}")
        if self.population < 4 or not 0.0 < self.kept < 1.0 or not 0.0 < self.width <= 1.0 or self.generations < 1:
            raise ExperimentError("genetic: give a population of at least 4, kept and width within 0 and 1, generations from "
                                  "1 on")


class Fitness(base.Fitness):
    """As DEAP compares: larger is better."""
    weights = (-1.0, -1.0)


class Individual(list):
    """Genes in 0…1 with what came of them."""

    def __init__(self, genes, outcome, aim):
        super().__init__(genes)
        self.outcome, self.numbers = outcome, aim.numbers(outcome)
        self.fitness = (Front if aim.mode == "pareto" else Fitness)()
        if aim.mode == "pareto":
            self.fitness.weights = (-1.0,) * len(self.numbers)
            self.fitness.values = tuple(self.numbers)
        else:
            self.fitness.values = aim.rank(self.numbers)


class Front(base.Fitness):
    """The same of as many criteria as there are."""
    weights = (-1.0,)


def genetic(count, stream, aim, settings, known=(), told=None, key=tuple):
    """A search over the unit box of `count` genes: gives batches of new ones, takes their outcomes.

    `known`: [(genes, outcome)] to begin with, beside random ones. `told(generation, kept)` hears of each that begins. `key`:
    what of genes tells clones, which differs from the genes where parameters are whole numbers.
    """
    met = {key(genes): outcome for genes, outcome in known}
    first = [tuple(genes) for genes in stream.uniform(max(settings.population - len(known), 0), count).tolist()]
    living = [Individual(genes, outcome, aim) for genes, outcome in known] + (yield from _born(first, aim, settings, met, key))
    typical = aim.typical([one.numbers for one in living if one.outcome.status == DONE])
    for generation in range(1, settings.generations + 1):
        kept = _select(living, max(2, round(settings.kept * settings.population)), aim)
        if told:
            told(generation, kept)
        width = _width([aim.misfit(one.numbers, typical) for one in kept], typical, settings)
        if settings.follows != "nothing" and width < NARROWEST:
            return
        children = _children(kept, settings.population - len(kept), width, stream, settings)
        living = kept + (yield from _born(children, aim, settings, met, key))
    if told:
        told(settings.generations + 1, _select(living, settings.population, aim))


def _born(children, aim, settings, met, key):
    """Individuals of some genes; clones of what is known cost nothing."""
    keys = [key(genes) for genes in children]
    if settings.clones:
        new = list(range(len(children)))
    else:
        new = [k for k, each in enumerate(keys) if each not in met and each not in keys[:k]]
    outcomes = (yield np.array([children[k] for k in new])) if new else []
    met.update(zip([keys[k] for k in new], outcomes, strict=True))
    return [Individual(genes, met[each], aim) for genes, each in zip(children, keys, strict=True)]


def _select(living, count, aim):
    """Those that live on, the best first."""
    if aim.mode == "pareto":
        return tools.selNSGA2(living, count)
    return tools.selBest(living, count)


def _width(misfits, typical, settings):
    """Width of the mutations of a generation, by the misfits of those that live on."""
    if settings.follows == "nothing":
        return settings.width
    begun = typical if np.ndim(typical) == 0 else 1.0
    errors = np.minimum(misfits, begun if np.ndim(typical) == 0 else UNLIKE)   # what meets a criterion may cost more than most
    square = np.mean(errors**2) - (errors.min()**2 if settings.follows == "excess" else 0.0)
    return min(WIDEST, settings.width * math.sqrt(max(square, 0.0)) / begun) if begun > 0.0 else 0.0


def _children(kept, count, width, stream, settings):
    """Genes of so many children."""
    found = []
    for _ in range(count):
        genes = list(kept[stream.whole(len(kept))])
        if settings.crossover:
            other, place = kept[stream.whole(len(kept))], stream.whole(len(genes) + 1)
            genes[place:] = other[place:]
        found.append(tuple(_mutated(gene, width, stream, settings) for gene in genes))
    return found


def _mutated(gene, width, stream, settings):
    """Another value for a gene, within its bounds."""
    if settings.mutation == "uniform":
        return stream.uniform()
    draw = stream.normal if settings.mutation == "gaussian" else stream.rayleigh
    for _ in range(TRIES if settings.bounded else 1):
        new = gene + width * draw()
        if 0.0 <= new <= 1.0:
            return new
    return min(max(new, 0.0), 1.0)
