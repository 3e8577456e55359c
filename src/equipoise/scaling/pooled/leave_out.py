"""Predictions with groups of points left out, from one inverse instead of many fits.

With A = K + diag(noise) of all points and g the left-out group, the inverse without g is
`A_-g^-1 = A^-1_rr - A^-1_rg (A^-1_gg)^-1 A^-1_gr` on the rest r: every leave-out
prediction at fixed hyperparameters costs a few products.

Source: Rasmussen and Williams (2006), section 5.4.2, extended to groups.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling.pooled.coordinates import Coordinates
from equipoise.scaling.pooled.kernel import (
    JITTER,
    Structure,
    covariance,
    cross_covariance,
    noise_variance,
    summed,
    terms,
    within_groups,
)
from equipoise.scaling.pooled.learn import FREEDOM, PAIR_FREEDOM, Robust
from equipoise.scaling.pooled.mixture import evidence_shares
from equipoise.scaling.pooled.points import Pool
from equipoise.structs import dataclass

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Submitters = Literal["named", "evidence", "typical"]
"""Whose score is predicted: the real submitters', that of the mix of submitters behind the
nearest evidence, or a typical submitter's."""

ADMISSION_STEPS = 8


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The inverse of the covariance with noise, and what it makes of the residuals."""

    inverse: Array
    """(N, N)."""
    solved: Array
    """(N,) inverse times (y - mean)."""

    @classmethod
    def of(cls, matrix: Array, residual: Array) -> "Solved":
        """Return the inverse of a covariance given by its lower triangle."""
        from scipy.linalg import lapack

        factor, failed = lapack.dpotrf(matrix, lower=1)
        if failed:
            raise np.linalg.LinAlgError("the covariance is not positive definite")
        inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        return cls(inverse, inverse @ residual)

    def predict(self, cross: Array, prior: Array) -> tuple[Array, Array]:
        """Return mean (above the pool's mean) and covariance of queries.

        Parameters
        ----------
        cross : array, shape (M, N)
            Covariance of the queries with the points.
        prior : array, shape (M, M)
            Covariance of the queries.
        """
        return cross @ self.solved, prior - cross @ self.inverse @ cross.T

    def without(self, cross: Array, prior: Array, group: Index) -> tuple[Array, Array]:
        """Return mean and covariance of queries as if a group of points were not there.

        Columns of the group in `cross` are ignored.
        """
        k = cross.copy()
        k[:, group] = 0.0
        half = k @ self.inverse
        block = half[:, group]
        core = self.inverse[np.ix_(group, group)]
        mean = k @ self.solved - block @ np.linalg.solve(core, self.solved[group])
        spread = half @ k.T - block @ np.linalg.solve(core, block.T)
        return mean, prior - spread


def solve(structure: Structure, theta: Array, robust: Robust, pool: Pool) -> Solved:
    """Return the solved model of a pool."""
    matrix = covariance(structure, theta, pool.at.standing_out(robust.tails))
    noise = noise_variance(theta, pool.configurations, pool.run_variance)
    matrix[np.diag_indices(len(pool))] += noise / robust.weights + JITTER
    return Solved.of(matrix, pool.log_work - pool.centre)


def other_submitter(structure: Structure, theta: Array, shares: Array) -> Array:
    """Return the root of the variance by which one submitter differs from a mix, (M,).

    A mix with shares p has the variance v sum p^2; one submitter has v: the rest is this.
    """
    variance = float(np.exp(theta[list(structure.submitter_components)]).sum())
    return np.asarray(np.sqrt(variance * (1.0 - np.minimum((shares**2).sum(axis=1), 1.0))))


def query_noise(theta: Array, run_variance: Array) -> Array:
    """Return the noise variance of one submitter's score."""
    return noise_variance(theta, np.ones_like(run_variance), run_variance)


def leave_out(
    structure: Structure,
    theta: Array,
    robust: Robust,
    pool: Pool,
    groups: Sequence[Index],
    *,
    submitters: Submitters,
    new_pair: bool,
    solved: Solved | None = None,
) -> list[tuple[Array, Array]]:
    """Return (mean, covariance) of the scores of each group predicted from all others.

    Parameters
    ----------
    structure, theta, robust, pool
        The model of all points, at fixed hyperparameters.
    groups : sequence of index arrays
    submitters : str
        named, evidence or typical.
    new_pair : bool
        The group's pairs of benchmark and accelerator are unknown without the group.
    solved : Solved or None
        `solve(structure, theta, robust, pool)` if it is at hand.
    """
    members = np.concatenate(groups)
    owner = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    hidden = np.zeros((len(members), len(pool)), dtype=np.bool_)
    for number, group in enumerate(groups):
        hidden[np.ix_(np.flatnonzero(owner == number), group)] = True
    tails = np.ones(len(members)) if new_pair else robust.tails[members]
    queries = _submitted(pool, members, submitters, hidden).standing_out(tails)
    known = pool.at.standing_out(robust.tails)
    cross = cross_covariance(structure, theta, queries, known)
    solved = solved or solve(structure, theta, robust, pool)
    places = [np.flatnonzero(owner == number) for number in range(len(groups))]
    pairs = within_groups(queries, places)
    priors = summed(terms(structure, theta, pairs), len(pairs.rows))
    extra = other_submitter(structure, theta, queries.shares) if submitters != "named" else None
    noise = query_noise(theta, pool.run_variance[members])
    found, start = [], 0
    for group, rows in zip(groups, places, strict=True):
        size = len(rows)
        prior = priors[start : start + size * size].reshape(size, size)
        start += size * size
        if extra is not None:
            prior = prior + np.outer(extra[rows], extra[rows])
        mean, spread = solved.without(cross[rows], prior, group)
        spread[np.diag_indices(size)] += noise[rows]
        found.append((mean + pool.centre, spread))
    return found


def _submitted(
    pool: Pool, members: Index, submitters: Submitters, hidden: NDArray[np.bool_]
) -> Coordinates:
    queries = pool.at.take(members)
    if submitters == "named":
        return queries
    if submitters == "typical":
        return queries.submitted_by(np.zeros_like(queries.shares))
    return queries.submitted_by(evidence_shares(queries, pool.at, hidden=hidden))


def admit(
    structure: Structure,
    theta: Array,
    robust: Robust,
    pool: Pool,
    *,
    known: Index,
    newcomers: Sequence[Index],
) -> Robust:
    """Return weights and tails of all points, those of the newcomers from `known` alone.

    Each group of newcomers is judged by itself against the model of the known points, by
    the expectation maximisation of `learn.reweigh`, so that no group of newcomers has a
    say in the weight of another or of a known point.

    Parameters
    ----------
    structure, theta : Structure, array
    robust : Robust
        Weights and tails of the known points.
    pool : Pool
        All points.
    known : array of int
    newcomers : sequence of index arrays
        Groups, each of one pair of benchmark and accelerator.
    """
    rest = pool.take(known)
    solved = solve(structure, theta, robust, rest)
    weights, tails = np.ones(len(pool)), np.ones(len(pool))
    weights[known], tails[known] = robust.weights, robust.tails
    tail_of = {p.pair: t for p, t in zip(rest.points, robust.tails, strict=True)}
    heavy = [i for i, c in enumerate(structure.components) if c.heavy]
    variance = float(np.exp(theta[heavy]).sum())
    at_rest = rest.at.standing_out(robust.tails)
    noise_all = noise_variance(theta, pool.configurations, pool.run_variance)
    for group in newcomers:
        known_tail = tail_of.get(pool.points[group[0]].pair)
        tail = np.full(len(group), 0.0 if known_tail is None else known_tail)
        queries = pool.at.take(group).standing_out(tail)
        cross = cross_covariance(structure, theta, queries, at_rest)
        mean, spread = solved.predict(cross, covariance(structure, theta, queries))
        error = pool.log_work[group] - rest.centre - mean
        weights[group], factor = _admitted(
            error, spread, noise_all[group], variance if known_tail is None else None
        )
        tails[group] = factor if known_tail is None else known_tail
    return Robust(weights, tails)


def _admitted(
    error: Array, spread: Array, noise: Array, variance: float | None
) -> tuple[Array, float]:
    """Return weights (G,) and the tail of one group, given its prediction by the others."""
    weights, tail = np.ones(len(error)), 1.0
    ones = np.ones(len(error))
    for _ in range(ADMISSION_STEPS):
        shrunk = noise / weights
        own = 0.0 if variance is None else variance * tail**2
        total = spread + own + np.diag(shrunk + JITTER)
        inverse = np.linalg.inv(total)
        solved = inverse @ error
        own_error = shrunk * solved
        own_spread = shrunk - shrunk**2 * np.diag(inverse)
        weights = (FREEDOM + 1.0) / (FREEDOM + (own_error**2 + own_spread) / noise)
        if variance is not None:
            effect = own * float(ones @ solved)
            second = effect**2 + own - own**2 * float(inverse.sum())
            tail = float(np.sqrt((PAIR_FREEDOM + second / variance) / (PAIR_FREEDOM + 1.0)))
    return weights, tail
