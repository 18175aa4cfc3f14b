"""Methods of other libraries behind the same door: differential evolution of scipy, CMA-ES of the package `cma`."""
from dataclasses import dataclass
from queue import Queue
from threading import Thread

import numpy as np

from identification.errors import ExperimentError


@dataclass(frozen=True)
class Evolution:
    """Differential evolution (Storn & Price 1997): a population, and generations at most."""
    population: int = 20
    generations: int = 100


@dataclass(frozen=True)
class Cma:
    """CMA-ES (Hansen & Ostermeier 2001): width at the start as a share of the box, population (None: by the number of
    parameters), iterations and restarts with twice the population at most."""
    width: float = 0.3
    population: int | None = None
    iterations: int = 200
    restarts: int = 2


def evolution(count, stream, aim, settings):
    """Differential evolution: scipy calls for the costs of a generation, which is turned round here by a thread of its own."""
    from scipy.optimize import differential_evolution

    population = max(5, round(settings.population / count)) * count   # scipy wants a multiple of the parameters
    words = np.random.Generator(np.random.PCG64(stream.whole(2**32)))

    def minimise(costs):
        differential_evolution(costs, [(0.0, 1.0)] * count, maxiter=settings.generations, popsize=population // count,
                               init=stream.spread(population, count), polish=False, vectorized=True, updating="deferred",
                               tol=1e-10, atol=0.0, seed=words)

    return (yield from _asked(minimise, aim))


def _asked(minimise, aim):
    """A generator of batches from a function that minimises, given a function of costs."""
    questions, answers = Queue(), Queue()

    def costs(points):
        questions.put(np.array(points, float).T)
        found = answers.get()
        if found is None:
            raise _Enough
        return found

    def work():
        try:
            minimise(costs)
            questions.put(None)
        except _Enough:
            pass
        except Exception as error:
            questions.put(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        while (asked := questions.get()) is not None:
            if isinstance(asked, Exception):
                raise asked
            outcomes = yield asked
            answers.put(np.array([aim.total(aim.numbers(each)) for each in outcomes]))
    finally:
        answers.put(None)
        thread.join()


class _Enough(BaseException):
    """Nobody asks any more."""


def cma(count, stream, aim, settings, start=None):
    """CMA-ES, started anew with twice the population where it has come to rest."""
    try:
        from cma import CMAEvolutionStrategy
    except ImportError:
        raise ExperimentError("method cma needs the package cma, which is not installed: pip install 'robotphi[cma]', or use "
                              "method: auto") from None
    left, population = settings.iterations, settings.population
    place = np.full(count, 0.5) if start is None else np.array(start)
    for again in range(settings.restarts + 1):
        options = {"bounds": [0.0, 1.0], "verbose": -9, "seed": np.nan, "randn": lambda *shape: stream.normals(*shape),
                   "maxiter": left, **({} if population is None else {"popsize": population})}
        strategy = CMAEvolutionStrategy(stream.uniform(count) if again else place, settings.width, options)
        while not strategy.stop() and left > 0:
            asked = [np.clip(each, 0.0, 1.0) for each in strategy.ask()]
            outcomes = yield np.array(asked)
            strategy.tell(asked, [aim.total(aim.numbers(each)) for each in outcomes])
            left -= 1
        population = 2 * strategy.popsize
        if left <= 0:
            return
