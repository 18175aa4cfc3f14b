"""What a picture on rubber does exactly: its modes answer a force, waves travel along it."""
import numpy as np


def answer(square, fading, turning, time):
    """q̈ + γ q̇ + ω² q = e^{iΩt} from rest: G (e^{iΩt} − h), G = 1/(ω² − Ω² + iγΩ), h free with h(0) = 1, ḣ(0) = iΩ."""
    swing = np.sqrt(square - fading ** 2 / 4 + 0j)
    free = np.exp(-fading * time / 2) * (np.cos(swing * time) + (1j * turning + fading / 2) / swing * np.sin(swing * time))
    return (np.exp(1j * turning * time) - free) / (square - turning ** 2 + 1j * fading * turning)


def dragged(rubber, at, forces, times):
    """(t, nu, nv, 3) displacements under forces on one particle, by the modes sin(πpi/(nu−1)) sin(πqj/(nv−1)).

    Args:
        at: (i, j) of the particle.
        forces: (vector [N], frequency [Hz], until [s]); of frequency 0 constant, else sines.
    """
    waves = [np.arange(1, n - 1) * np.pi / (n - 1) for n in rubber.shape]
    modes = [np.sin(np.outer(np.arange(n), wave)) for n, wave in zip(rubber.shape, waves, strict=True)]
    parts = [4 * rubber.stiffness / rubber.mass * np.sin(wave / 2) ** 2 for wave in waves]
    square = parts[0][:, None] + parts[1]
    share = np.outer(modes[0][at[0]], modes[1][at[1]]) * 4 / np.prod(np.subtract(rubber.shape, 1)) / rubber.mass
    moved = np.zeros((len(times), *rubber.shape, 3))
    for vector, frequency, until in forces:
        for row, time in enumerate(times):
            q = answer(square, rubber.fading, 2 * np.pi * frequency, time)
            q = q.imag if frequency else q.real
            if time > until:   # of constant forces
                q = q - answer(square, rubber.fading, 0.0, time - until).real
            moved[row] += (modes[0] @ (share * q) @ modes[1].T)[..., None] * np.asarray(vector)
    return moved


def travelling(rubber, height, frequency):
    """(nu,) complex heights of columns, z_j(t) = Im(z_j e^{iΩt}), of waves that nothing sends back: height e^{−iqj}."""
    return height * np.exp(-1j * rubber.turned(frequency) * np.arange(rubber.shape[0]))


def wave_speed(rubber, heights, frequency):
    """Of the waves in complex heights of columns [m/s]: from (z_before + z_behind) = 2 cos q z by least squares."""
    inner = heights[1:-1]
    cosine = float((np.vdot(inner, heights[:-2] + heights[2:]) / np.vdot(inner, inner)).real / 2)
    return 2 * np.pi * frequency * rubber.spacing / np.arccos(cosine)


def beaten(times, values, frequency):
    """Complex amplitude c of values (t, …) = Im(c e^{iΩt}) + mean, by least squares."""
    phase = 2 * np.pi * frequency * times
    found = np.linalg.lstsq(np.stack([np.sin(phase), np.cos(phase), np.ones_like(phase)], axis=1), values, rcond=None)[0]
    return found[0] + 1j * found[1]
