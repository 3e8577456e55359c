"""Hyperparameters by the marginal likelihood, and weights against outliers.

`y ~ N(m, K(theta) + diag(s / w))`: w are the weights of a Student-t noise with `FREEDOM`
degrees of freedom, found by expectation maximisation: w = (nu + 1) / (nu + E[e^2] / s).

Source: Rasmussen and Williams, "Gaussian Processes for Machine Learning" (2006), ch. 5;
Lange, Little and Taylor, "Robust statistical modeling using the t distribution",
JASA 84 (1989).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling.pooled.kernel import (
    JITTER,
    NOISE_NAMES,
    Pairs,
    Structure,
    Term,
    noise_variance,
    summed,
    terms,
)
from equipoise.scaling.pooled.points import Pool
from equipoise.structs import dataclass

Array = NDArray[np.float64]

FREEDOM: Final = 4.0
"""Degrees of freedom of the noise."""
PAIR_FREEDOM: Final = 1.0
"""Degrees of freedom of the effect of a pair of benchmark and accelerator: some
implementations are many times slower than their like."""
NOISE_CENTRES: Final = (5e-4, 4e-3, 1.0)
VARIANCE_SPREAD: Final = 2.0
SCALE_SPREAD: Final = 0.7
REWEIGHTINGS: Final = 3
FIRST_REWEIGHTINGS: Final = 10
BAD: Final = 1e10


def prior(structure: Structure) -> tuple[Array, Array]:
    """Return centre and spread of the normal prior of the logarithms of hyperparameters."""
    centre = [c.variance for c in structure.components]
    centre += [*structure.scales.values(), *NOISE_CENTRES]
    spread = [VARIANCE_SPREAD] * len(structure.components)
    spread += [SCALE_SPREAD] * len(structure.scales) + [VARIANCE_SPREAD] * len(NOISE_NAMES)
    return np.log(centre), np.array(spread)


class Objective:
    """Negative log posterior of the hyperparameters of one pool, with gradient."""

    def __init__(self, structure: Structure, pool: Pool) -> None:
        self.structure, self.pool = structure, pool
        self.pairs = Pairs.within(pool.at)
        self.centre, self.spread = prior(structure)
        self.residual = pool.log_work - pool.centre
        self._off_diagonal = np.where(self.pairs.rows == self.pairs.columns, 0.5, 1.0)

    def covariance(self, theta: Array) -> Array:
        """Return the covariance without noise, lower triangle filled."""
        size = len(self.pool)
        matrix = np.zeros((size, size))
        values = summed(terms(self.structure, theta, self.pairs), len(self.pairs.rows))
        matrix[self.pairs.rows, self.pairs.columns] = values
        return matrix

    def __call__(self, theta: Array, weights: Array) -> tuple[float, Array]:
        """Return the value and its gradient by theta."""
        from scipy.linalg import lapack

        size = len(self.pool)
        found = terms(self.structure, theta, self.pairs, gradient=True)
        matrix = np.zeros((size, size))
        matrix[self.pairs.rows, self.pairs.columns] = summed(found, len(self.pairs.rows))
        noise = noise_variance(theta, self.pool.configurations, self.pool.run_variance)
        matrix[np.diag_indices(size)] += noise / weights + JITTER
        factor, failed = lapack.dpotrf(matrix, lower=1, overwrite_a=1)
        if failed:
            return BAD, np.zeros_like(theta)
        value = float(np.log(np.diag(factor)).sum())
        inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=0)
        solved, _ = lapack.dpotrs(factor, self.residual, lower=1)
        value += 0.5 * float(self.residual @ solved)
        sensitivity = inverse[self.pairs.rows, self.pairs.columns]
        sensitivity -= solved[self.pairs.rows] * solved[self.pairs.columns]
        diagonal = np.diag(inverse) - solved**2
        sensitivity *= self._off_diagonal
        gradient = self._gradient(found, theta, sensitivity, diagonal / weights)
        away = (theta - self.centre) / self.spread
        return value + 0.5 * float(away @ away), gradient + away / self.spread

    def _gradient(
        self, found: Sequence[Term], theta: Array, sensitivity: Array, diagonal: Array
    ) -> Array:
        count = len(self.structure.components)
        by_scale = dict.fromkeys(self.structure.scales, 0.0)
        gradient = np.zeros_like(theta)
        for place, term in enumerate(found):
            here = sensitivity if term.pairs is None else sensitivity[term.pairs]
            gradient[place] = here @ term.values
            for name, slope in term.scales:
                by_scale[name] += float(here @ slope)
        gradient[count : count + len(by_scale)] = list(by_scale.values())
        own, submitter, runs = np.exp(theta[-3:])
        gradient[-3:] = [
            0.5 * own * diagonal.sum(),
            0.5 * submitter * (diagonal / self.pool.configurations).sum(),
            0.5 * runs * (diagonal * self.pool.run_variance).sum(),
        ]
        return gradient


@dataclass(frozen=True, slots=True, eq=False)
class Robust:
    """What keeps outliers from bending the rest: weights of points, tails of pairs."""

    weights: Array
    """(N,) divisors of the noise."""
    tails: Array
    """(N,) factors of the effect of the pair of benchmark and accelerator."""

    @classmethod
    def none(cls, size: int) -> "Robust":
        """Return weights and tails of one."""
        return cls(np.ones(size), np.ones(size))

    def take(self, index: NDArray[np.int64]) -> "Robust":
        """Return those of some of the points."""
        return Robust(self.weights[index], self.tails[index])


def reweigh(objective: Objective, theta: Array, robust: Robust, *, times: int) -> Robust:
    """Return the weights and tails after some steps of expectation maximisation."""
    from scipy.linalg import lapack

    structure, pool = objective.structure, objective.pool
    size = len(pool)
    heavy = [i for i, c in enumerate(structure.components) if c.heavy]
    variance = float(np.exp(theta[heavy]).sum())
    groups = pair_groups(pool)
    same_pair = np.zeros((size, size))
    for members in groups:
        same_pair[np.ix_(members, members)] = variance
    weights, tails = robust.weights, robust.tails
    objective.pairs.with_tails(np.zeros(size))
    base = objective.covariance(theta)
    noise = noise_variance(theta, pool.configurations, pool.run_variance)
    for _ in range(times):
        shrunk = noise / weights
        matrix = base + same_pair * np.outer(tails, tails)
        matrix[np.diag_indices(size)] += shrunk + JITTER
        factor, _ = lapack.dpotrf(matrix, lower=1)
        solved, _ = lapack.dpotrs(factor, objective.residual, lower=1)
        inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        error = shrunk * solved
        spread = shrunk - shrunk**2 * np.diag(inverse)
        weights = (FREEDOM + 1.0) / (FREEDOM + (error**2 + spread) / noise)
        tails = _new_tails(tails, groups, variance, solved, inverse) if heavy else tails
    objective.pairs.with_tails(tails)
    return Robust(weights, tails)


def _new_tails(
    tails: Array,
    groups: Sequence[NDArray[np.int64]],
    variance: float,
    solved: Array,
    inverse: Array,
) -> Array:
    found = tails.copy()
    for members in groups:
        own = variance * tails[members[0]] ** 2
        effect = own * solved[members].sum()
        total = _symmetric_sum(inverse[np.ix_(members, members)])
        second = effect**2 + own - own**2 * total
        found[members] = np.sqrt((PAIR_FREEDOM + second / variance) / (PAIR_FREEDOM + 1.0))
    return found


def _symmetric_sum(lower: Array) -> float:
    """Return the sum of a symmetric matrix of which only the lower triangle is filled."""
    return float(2.0 * np.tril(lower).sum() - np.diag(lower).sum())


def pair_groups(pool: Pool) -> list[NDArray[np.int64]]:
    """Return the points of every pair of block and accelerator."""
    groups: dict[tuple[str, str], list[int]] = {}
    for i, point in enumerate(pool.points):
        groups.setdefault(point.pair, []).append(i)
    return [np.array(members) for members in groups.values()]


def learn(
    structure: Structure,
    pool: Pool,
    *,
    start: Array | None = None,
    robust: Robust | None = None,
    cycles: int = 4,
    steps: int = 15,
) -> tuple[Array, Robust, float]:
    """Return hyperparameters, weights with tails, and the objective's value.

    Parameters
    ----------
    structure, pool : Structure, Pool
    start, robust : array, Robust or None
        Where to begin; by default the centre of the prior and weights of one.
    cycles, steps : int
        Rounds of (hyperparameters, weights), and quasi-Newton steps in each.
    """
    from scipy.optimize import minimize

    objective = Objective(structure, pool)
    theta = objective.centre.copy() if start is None else start.copy()
    found = Robust.none(len(pool)) if robust is None else robust
    objective.pairs.with_tails(found.tails)
    value = BAD
    found = reweigh(objective, theta, found, times=FIRST_REWEIGHTINGS)
    for _ in range(cycles):
        best = minimize(
            objective,
            theta,
            args=(found.weights,),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": steps},
        )
        theta, value = best.x, float(best.fun)
        found = reweigh(objective, theta, found, times=REWEIGHTINGS)
    return theta, found, value
