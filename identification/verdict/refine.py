"""From a point near the optimum to the optimum: least squares in shares of the box, with differences far above the noise."""
import numpy as np

from identification.verdict.jacobian import jacobian

FALL = 1e-10         # of the sum of squares: less is no progress


def refine(problem, start, steps=20):
    """Least squares from `start` by Levenberg and Marquardt, projected onto the box: values and evaluations."""
    shares, damping = np.clip(problem.shares(start)[0], 0, 1), 1e-6
    evaluations, found = 0, None
    for _ in range(steps):
        found = jacobian(problem, problem.values(shares)[0], central=False)
        evaluations += found.evaluations
        cost = found.residuals @ found.residuals
        while True:
            move = _move(found, shares, damping)
            trial = np.clip(shares + move, 0, 1)
            outcome = problem.evaluate(problem.values(trial))[0]
            evaluations += 1
            if outcome.residuals is not None and outcome.residuals @ outcome.residuals <= cost:
                break
            damping = max(10 * damping, 1e-6)
            if damping > 1e6:
                return problem.values(shares)[0], evaluations
        fall, shares = cost - outcome.residuals @ outcome.residuals, trial
        damping /= 10
        if fall <= FALL * cost or np.abs(trial - shares + move).max() < 1e-10:
            break
    return problem.values(shares)[0], evaluations


def _move(found, shares, damping):
    """The damped step; parameters at a bound that would be left stay where they are."""
    free = np.ones(len(shares), bool)
    for _ in range(len(shares)):
        matrix = found.matrix[:, free]
        scale = np.maximum(np.linalg.norm(matrix, axis=0), 1e-12)
        rows = np.vstack([matrix, np.sqrt(damping) * np.diag(scale)])
        step = np.zeros(len(shares))
        step[free] = -np.linalg.lstsq(rows, np.concatenate([found.residuals, np.zeros(free.sum())]), rcond=1e-12)[0]
        leaving = free & (((shares <= 0) & (step < 0)) | ((shares >= 1) & (step > 0)))
        if not leaving.any():
            break
        free &= ~leaving
        if not free.any():
            return np.zeros(len(shares))
    return step
