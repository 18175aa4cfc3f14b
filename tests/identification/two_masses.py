"""Two masses and a damped spring (I1 of RR-3072): the closed form, and experiments on what it gives."""
import numpy as np

from identification.problem import FunctionProblem, Parameter

MASS, STRETCH, DURATION, FRAMES = 1.0, 0.1, 5.0, 25
TRUTH = np.array([8.94, 0.6])
TIMES = np.linspace(0.0, DURATION, FRAMES + 1)[1:]
BOX = (Parameter("stiffness", 0.1, 20.0, unit="N/m"), Parameter("viscosity", 0.01, 2.0, unit="N s/m"))


def stretch(stiffness, viscosity, times=TIMES):
    """x of x'' + (μ x' + λ x)/m = 0, m = m1 m2/(m1 + m2), from rest [m]."""
    half = viscosity / MASS
    root = np.sqrt(complex(2.0 * stiffness / MASS - half**2))
    with np.errstate(all="ignore"):
        found = np.exp(-half * times) * (np.cos(root * times) + half / root * np.sin(root * times))
    return STRETCH * found.real


def closed_form(noise=0.0, seed=0, box=BOX):
    """The problem by the closed form; noise as a share of the sd of the signal, a thousandth where it is 0."""
    data, size = stretch(*TRUTH), np.std(stretch(*TRUTH))
    data = data + noise * size * np.random.default_rng(seed).normal(size=len(data))
    return FunctionProblem(box, lambda values: (stretch(*values) - data) / (size * (noise or 1e-3)))


def write(folder, more="", times=TIMES, fit="{method: auto, seed: 1, workers: 0}", noise="0.01 mm", box=None, drawn=0.0):
    """The experiment as files in a folder, with noise of the sd `drawn` [m] or none; returns the path of the experiment."""
    places = 1.0 + stretch(*TRUTH, times) + drawn * np.random.default_rng(0).normal(size=len(times))
    rows = [f"{1e3 * t!r},{1e3 * x!r}" for t, x in zip(times.tolist(), places.tolist(), strict=True)]
    (folder / "pull.csv").write_text("\n".join(["t [ms],l [mm]", *rows, ""]), encoding="utf-8")
    box = box or "[0.1, 20]"
    (folder / "two.yaml").write_text(f"""robotphi_experiment: 1
scene: two_masses
knobs: {{duration: {DURATION}, frames: {FRAMES}}}
parameters:
  stiffness: {{set: spring.stiffness, unit: N/m, bounds: {box}}}
  viscosity: {{set: spring.viscosity, unit: N s/m, bounds: [0.01, 2]}}
runs:
  pull: {{file: pull.csv, time: "t [ms]"}}
compare:
  length: {{sensor: length, column: "l [mm]", noise: {noise}}}
fit: {fit}
{more}""", encoding="utf-8")
    return folder / "two.yaml"
