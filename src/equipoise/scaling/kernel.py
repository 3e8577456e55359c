"""Batched non-negative Gauss-Newton on log error: one kernel fits every law.

All laws are linear in their coefficients c (see `laws.base`), so the log residual
ln y - ln(B c) has the Jacobian B / (B c) and each Gauss-Newton step is a small
non-negative least-squares problem, solved exactly over the subsets of active terms.
Arrays carry a leading batch axis: bootstrap resamples or left-out points.
"""

from functools import cache
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling.laws.base import Law

Array = NDArray[np.float64]
Error = Literal["log", "throughput"]

MAX_STEPS = 60
TOLERANCE = 1e-9
HALVINGS = 10
REFIT_STEPS = 3
REFIT_TOLERANCE = 0.02
"""Relative move in the last step of a bootstrap refit that is still called settled."""
RIDGE = 1e-14
"""Relative to unit diagonals; only keeps exactly collinear bases solvable."""
FLOOR = 1e-6
"""A prediction is not let below this share of the observation while iterating."""


class BatchFit(NamedTuple):
    """Coefficients (S, p) and weighted sums of squared residuals (S,)."""

    coefficients: Array
    squares: Array


def fit_batch(
    law: Law,
    accelerators: Array,
    log_time: Array,
    *,
    weights: Array | None = None,
    bounded: bool = True,
    start: Array | None = None,
    steps: int = MAX_STEPS,
    tolerance: float | Array = TOLERANCE,
    error: Error = "log",
) -> BatchFit:
    """Return least-squares fits of a law to S series of times at the same counts.

    Parameters
    ----------
    law : Law
        What is fitted.
    accelerators : array, shape (N,)
        Counts n.
    log_time : array, shape (S, N)
        Natural logarithms of the times.
    weights : array, shape (S, N) or None
        Weights of the squared residuals, for instance 0 to leave a point out.
    bounded : bool
        Keep the coefficients of a non-negative law at zero or above.
    start : array, shape (S, p) or None
        Where to start; by default the fit of the relative error.
    steps, tolerance : int, float or array of shape (S,)
        Most steps, and the relative move of the coefficients at which to stop.
    error : str
        `log`: residual ln y - ln t; `throughput`: residual 1 / y - 1 / t.

    Raises
    ------
    ValueError
        For error in throughput with a law of log time.
    """
    basis = law.basis(accelerators)
    root = np.ones(log_time.shape) if weights is None else np.sqrt(weights)
    if law.response == "log_time":
        if error != "log":
            raise ValueError(f"the {law.name} law is fitted on log error only")
        return _fit_linear(basis, log_time, root)
    if law.size == 1 and error == "log":
        return _fit_single(basis[:, 0], log_time if law.response == "time" else -log_time, root)
    scale = np.sqrt((basis**2).mean(axis=0))
    basis = basis / scale
    observed = np.exp(log_time if law.response == "time" else -log_time)
    bound = bounded and law.nonnegative
    if start is None:
        jacobian = basis[None] * (root / observed)[..., None]
        coefficients = _step(jacobian, root, np.zeros((len(root), law.size)), bounded=bound)
    else:
        coefficients = start * scale
    invert = error == "throughput" and law.response == "time"
    kind = "inverse" if invert else ("plain" if error == "throughput" else "log")
    model = _Model(kind, basis, observed, root)
    state = model.at(coefficients)
    for _ in range(steps):
        jacobian = basis[None] * (root * state.slope)[..., None]
        step = _step(jacobian, root * state.residual, coefficients, bounded=bound) - coefficients
        moved, state = _line_search(model, coefficients, step, state)
        coefficients = coefficients + moved
        if np.all(np.abs(moved).max(axis=1) <= tolerance * np.abs(coefficients).max(axis=1)):
            break
    return BatchFit(coefficients / scale, state.squares)


def refit_batch(law: Law, accelerators: Array, log_time: Array, *, centre: Array) -> BatchFit:
    """Return fits on log error of S series that scatter around one fitted curve.

    The bootstrap's kernel: Gauss-Newton steps with the gram matrix of the centre, which
    all series share; a few that have not settled are fitted by `fit_batch`.

    Parameters
    ----------
    law : Law
        What is fitted.
    accelerators, log_time : array, shapes (N,), (S, N)
        Counts and log times.
    centre : array, shape (p,)
        Coefficients of the curve that the series scatter around.
    """
    if law.response == "log_time" or law.size == 1:
        return fit_batch(law, accelerators, log_time)
    basis = law.basis(accelerators)
    observed = np.exp(log_time if law.response == "time" else -log_time)
    slope = 1.0 / np.maximum(basis @ centre, np.finfo(np.float64).tiny)
    jacobian = basis * slope[:, None]
    scale = np.sqrt((jacobian**2).sum(axis=0))
    jacobian = jacobian / scale
    gram = (jacobian.T @ jacobian + RIDGE * np.eye(law.size))[None]
    inverse = np.linalg.inv(gram[0])
    scaled_basis = basis / scale
    coefficients = np.broadcast_to(centre * scale, (len(log_time), law.size)).copy()
    moved = np.zeros_like(coefficients)
    for _ in range(REFIT_STEPS):
        residual, own_slope = _residual("log", scaled_basis, observed, coefficients)
        gradient = (residual * own_slope) @ scaled_basis
        proposed = coefficients + gradient @ inverse
        rows = np.flatnonzero((proposed < 0).any(axis=1)) if law.nonnegative else np.zeros(0, int)
        if rows.size:
            proposed[rows] = _best_subset(gram, gradient[rows], coefficients[rows])
        moved, coefficients = proposed - coefficients, proposed
    residual, _ = _residual("log", scaled_basis, observed, coefficients)
    squares = (residual**2).sum(axis=1)
    loose = np.abs(moved).max(axis=1) > REFIT_TOLERANCE * np.abs(coefficients).max(axis=1)
    coefficients = coefficients / scale
    if loose.any():
        exact = fit_batch(law, accelerators, log_time[loose], steps=20, tolerance=1e-4)
        coefficients[loose], squares[loose] = exact.coefficients, exact.squares
    return BatchFit(coefficients, squares)


def _fit_single(basis: Array, log_observed: Array, root: Array) -> BatchFit:
    """Return the fit of a single factor: a weighted geometric mean."""
    logs = log_observed - np.log(basis)
    weights = root**2
    mean = (weights * logs).sum(axis=1) / weights.sum(axis=1)
    squares = (weights * (logs - mean[:, None]) ** 2).sum(axis=1)
    return BatchFit(np.exp(mean)[:, None], squares)


def _fit_linear(basis: Array, response: Array, root: Array) -> BatchFit:
    jacobian = basis[None] * root[..., None]
    coefficients = np.zeros((len(response), basis.shape[1]))
    for _ in range(2):  # the second pass restores the digits that normal equations lose
        residual = root * (response - coefficients @ basis.T)
        coefficients = _step(jacobian, residual, coefficients, bounded=False)
    residual = root * (response - coefficients @ basis.T)
    return BatchFit(coefficients, (residual**2).sum(axis=1))


def _residual(kind: str, basis: Array, observed: Array, coefficients: Array) -> tuple[Array, Array]:
    """Return residuals r and slopes q (S, N): a move d of c changes r by -q B d."""
    fitted = np.maximum(coefficients @ basis.T, FLOOR * observed)
    if kind == "log":
        return np.log(observed / fitted), 1.0 / fitted
    if kind == "inverse":
        return 1.0 / fitted - 1.0 / observed, 1.0 / fitted**2
    return observed - fitted, np.ones_like(fitted)


class _State(NamedTuple):
    residual: Array
    slope: Array
    squares: Array


class _Model(NamedTuple):
    kind: str
    basis: Array
    observed: Array
    root: Array

    def at(self, coefficients: Array) -> _State:
        residual, slope = _residual(self.kind, self.basis, self.observed, coefficients)
        return _State(residual, slope, ((self.root * residual) ** 2).sum(axis=1))


def _line_search(
    model: _Model, coefficients: Array, step: Array, before: _State
) -> tuple[Array, _State]:
    """Return the step, halved for the series that it would make worse, and the new state."""
    moved = step
    limit = before.squares * (1.0 + 1e-9) + 1e-28
    state = model.at(coefficients + moved)
    for _ in range(HALVINGS):
        worse = state.squares > limit
        if not worse.any():
            break
        moved = np.where(worse[:, None], 0.5 * moved, moved)
        state = model.at(coefficients + moved)
    return moved, state


def _step(jacobian: Array, residual: Array, current: Array, *, bounded: bool) -> Array:
    """Return c' that minimises |r - J (c' - c)|^2, with c' >= 0 when bounded.

    Shapes: J (S, N, p), r (S, N), c (S, p).
    """
    transposed = np.swapaxes(jacobian, 1, 2)
    gram = transposed @ jacobian
    gradient = (transposed @ residual[..., None])[..., 0]
    scale = np.sqrt(np.maximum(np.diagonal(gram, axis1=1, axis2=2), np.finfo(np.float64).tiny))
    gram = gram / (scale[:, :, None] * scale[:, None, :])
    size = gram.shape[-1]
    gram[:, range(size), range(size)] += RIDGE
    gradient, start = gradient / scale, current * scale
    solution = start + np.linalg.solve(gram, gradient[..., None])[..., 0]
    if bounded:
        rows = np.flatnonzero((solution < 0).any(axis=1))
        if rows.size:
            solution[rows] = _best_subset(gram[rows], gradient[rows], start[rows])
    return solution / scale


def _best_subset(gram: Array, gradient: Array, start: Array) -> Array:
    """Return the non-negative minimum of the quadratic by trying every set of active terms.

    The minimum of a convex quadratic over c >= 0 is the unbounded minimum over its own
    active terms; among the subset minima that are feasible it has the least value. Shapes: gram
    (S, p, p), or (1, p, p) when all series share it; gradient and start (S, p).
    """
    count, size = start.shape
    if size == 1:
        return np.zeros_like(start)
    keep = _subsets(size)
    block = gram[:, None] * keep[:, :, None] * keep[:, None, :]
    block[:, :, range(size), range(size)] += 1.0 - keep
    # In the form of a correction, so that a converged fit keeps all its digits.
    cross: Array = (start[:, None] * (1.0 - keep)) @ gram
    inverse = np.asarray(np.linalg.inv(block), dtype=np.float64)
    moved = _apply(inverse, np.asarray(keep * (gradient[:, None] + cross)))
    trials = start[:, None] * keep + moved
    right = gradient + (gram @ start[..., None])[..., 0]
    values = -0.5 * (trials @ right[..., None])[..., 0]
    values[(trials < 0).any(axis=2)] = np.inf
    chosen = values.argmin(axis=1)
    rows = np.arange(count)
    return np.where((values[rows, chosen] < 0)[:, None], trials[rows, chosen], 0.0)


def _apply(matrices: Array, vectors: Array) -> Array:
    """Return M v for matrices (S or 1, K, p, p) and vectors (S, K, p)."""
    if len(matrices) > 1:
        return np.asarray((matrices @ vectors[..., None])[..., 0])
    # Shared matrices: K large products instead of S K tiny ones.
    return np.swapaxes(np.swapaxes(vectors, 0, 1) @ np.swapaxes(matrices[0], 1, 2), 0, 1)


@cache
def _subsets(size: int) -> Array:
    """Return every choice of 1 to size - 1 active terms as rows of ones and zeros."""
    choices = [pick for pick in product((0.0, 1.0), repeat=size) if 0 < sum(pick) < size]
    return np.array(choices).reshape(-1, size)
