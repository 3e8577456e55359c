"""The mixture behind the user's own job: like which benchmarks it scales, and how surely."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.errors import NothingFoundError
from equipoise.scaling.pooled import Calibration, PooledModel
from equipoise.scaling.pooled.coordinates import Coordinates, Place
from equipoise.scaling.pooled.kernel import (
    covariance,
    cross_covariance,
    summed,
    terms,
    within_groups,
)
from equipoise.scaling.pooled.leave_out import query_noise
from equipoise.scaling.pooled.shipped import OwnJobSettings
from equipoise.structs import dataclass

Array = NDArray[np.float64]
Target = tuple[str, int]
"""(accelerator id, accelerators)."""

GENERIC: Final = "any other"
"""The candidate that is like no benchmark in particular."""
FREE_LEVEL: Final = 1e4
"""Variance of the job's level: nothing is known of it before it is measured."""
LEVEL_FREEDOM: Final = 3.0
UNLIKELY: Final = 0.01
"""Measurements less likely than this contradict the curve of a benchmark."""
SPAN: Final = 50.0
"""Standard deviations from the mean within which quantiles are looked for."""
SHAPES: Final = ("block_shape", "block_shape_trend", "block_hardware_shape", "kind_shape")
"""Components in which the shapes of benchmarks differ."""
HARDWARE: Final = (
    "block_hardware",
    "block_accelerator",
    "block_family",
    "kind_hardware",
)
"""Components in which benchmarks differ about which accelerator is faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """How much of a prediction's shape comes from one benchmark."""

    benchmark: str
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """A mixture of Student distributions of log time over places."""

    weights: Array
    """(C,) of the candidates."""
    means: Array
    """(C, M) of log time in minutes."""
    covariances: Array
    """(C, M, M), with the noise of one score."""
    calibration: Calibration
    misfit: float = 1.0
    """How much wider the best candidate was made because the measurements contradict it."""

    def quantile(self, level: float) -> Array:
        """Return the quantile of log time at each place, (M,), by bisection."""
        from scipy.special import stdtr

        sd = np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2)) * self.calibration.scale
        low = (self.means - SPAN * sd).min(axis=0)
        high = (self.means + SPAN * sd).max(axis=0)
        for _ in range(80):
            middle = 0.5 * (low + high)
            below = self.weights @ stdtr(self.calibration.freedom, (middle - self.means) / sd)
            low, high = np.where(below < level, middle, low), np.where(below < level, high, middle)
        return np.asarray(0.5 * (low + high))

    def log_density(self, log_time: Array) -> Array:
        """Return the log density of log times at the places one by one, (M,)."""
        from scipy.special import logsumexp

        sd = np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2))
        parts = self.calibration.log_density((log_time - self.means) / sd, sd)
        return np.asarray(logsumexp(parts + np.log(self.weights)[:, None], axis=0))

    def standardise(self, log_time: Array) -> Array:
        """Return log times as multiples of the mixture's standard deviation, (M,)."""
        mean = self.weights @ self.means
        variance = np.diagonal(self.covariances, axis1=1, axis2=2) + (self.means - mean) ** 2
        return np.asarray((log_time - mean) / np.sqrt(self.weights @ variance))

    def total_covariance(self) -> Array:
        """Return the covariance of the whole mixture, (M, M)."""
        away = self.means - self.weights @ self.means
        within = np.einsum("c,cij->ij", self.weights, self.covariances)
        return np.asarray(within + np.einsum("c,ci,cj->ij", self.weights, away, away))

    def samples(self, rng: np.random.Generator, size: int) -> Array:
        """Return joint draws of the times in minutes, (size, M)."""
        chosen = rng.choice(len(self.weights), size=size, p=self.weights)
        normal = rng.standard_normal((size, self.means.shape[1]))
        freedom = self.calibration.freedom
        stretch = self.calibration.scale * np.sqrt(freedom / rng.chisquare(freedom, size))
        values, vectors = np.linalg.eigh(self.covariances)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        drawn = np.einsum("smk,sk->sm", roots[chosen], normal)
        return np.asarray(np.exp(self.means[chosen] + drawn * stretch[:, None]))


@dataclass(frozen=True, slots=True, eq=False)
class Beliefs:
    """What each candidate says of the measured places and the targets, before settings."""

    names: tuple[str, ...]
    means: Array
    """(C, M) of log(n T)."""
    covariances: Array
    """(C, M, M)."""
    shape: Array
    """(M, M) covariance of the shapes of benchmarks among each other."""
    hardware: Array
    """(M, M) covariance of their tastes in accelerators."""
    noise: float
    log_work: Array
    """(L,) of the measurements: the first L of the M places."""
    log_counts: Array
    """(M - L,) log n of the targets."""


def own_mixture(
    beliefs: Beliefs, *, settings: OwnJobSettings, calibration: Calibration
) -> tuple[tuple[Similar, ...], Mixture]:
    """Return the weights of the benchmarks and the mixture of log times at the targets.

    `log(n T) = a + f_b(n) + d(n)`: a free, f_b the belief in benchmark b, d the job's own
    deviation: a share of the covariance of shapes, and that of tastes in accelerators,
    which on one accelerator is a constant that the level takes up. Weight of b: likelihood
    of the measurements given b, times a Student density of the distance of the work.
    """
    size, rest = len(beliefs.log_work), len(beliefs.log_counts)
    deviation = settings.shape_share * beliefs.shape + beliefs.hardware
    scores, shifted, spreads, misfits = [], [], [], []
    for name, mean, spread in zip(beliefs.names, beliefs.means, beliefs.covariances, strict=True):
        free = spread + FREE_LEVEL + (0.0 if name == GENERIC else deviation)
        gram = free[:size, :size] + beliefs.noise * np.eye(size)
        inverse = np.linalg.inv(gram)
        error = beliefs.log_work - mean[:size]
        gain = free[size:, :size] @ inverse
        shifted.append(mean[size:] + gain @ error - beliefs.log_counts)
        left = free[size:, size:] - gain @ free[:size, size:]
        misfits.append(_misfit(float(error @ inverse @ error) / calibration.scale**2, size - 1))
        spreads.append((left + beliefs.noise * np.eye(rest)) * misfits[-1])
        fit = -0.5 * float(error @ inverse @ error) - 0.5 * np.linalg.slogdet(gram)[1]
        away = float(error.mean()) / settings.level_spread
        near = -0.5 * (LEVEL_FREEDOM + 1.0) * np.log1p(away**2 / LEVEL_FREEDOM)
        scores.append(fit + near)
    logs = np.array(scores)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    order = np.argsort(-weights, kind="stable")
    similar = tuple(Similar(benchmark=beliefs.names[i], weight=float(weights[i])) for i in order)
    return similar, Mixture(
        weights, np.array(shifted), np.array(spreads), calibration, misfits[order[0]]
    )


def _misfit(squares: float, freedom: int) -> float:
    """Return by how much to widen the variance: the Birge ratio, where chance hardly explains it.

    `chi2 / nu` of the measurements against the curve they are compared with, if more than
    `UNLIKELY` of chance; 1 otherwise. Source: Birge, Physical Review 40 (1932), 207.

    >>> _misfit(3.0, 1), _misfit(50.0, 2)
    (1.0, 25.0)
    """
    from scipy.special import chdtrc

    if freedom < 1 or chdtrc(freedom, squares) >= UNLIKELY:
        return 1.0
    return squares / freedom


@dataclass(frozen=True, slots=True)
class _Candidate:
    benchmark: str
    round: str


def _candidates(model: PooledModel, like: str | None) -> list[_Candidate | None]:
    """Return the latest round of each block; None stands for a benchmark like no other."""
    latest: dict[str, _Candidate] = {}
    for point in model.pool.points:
        here = point.place
        known = latest.get(point.block)
        if known is None or facts.round_index(here.round) > facts.round_index(known.round):
            latest[point.block] = _Candidate(here.benchmark, here.round)
    if like is None:
        return [*latest.values(), None]
    named = [c for c in latest.values() if c.benchmark == like]
    if not named:
        raise NothingFoundError(f"no score of {like} to take the shape from")
    return [max(named, key=lambda c: facts.round_index(c.round))]


def own_beliefs(
    model: PooledModel,
    *,
    measured: Sequence[tuple[int, float]],
    accelerator_id: str,
    targets: Sequence[Target],
    like: str | None,
) -> Beliefs:
    """Return what every benchmark says of the measured places and the targets.

    Parameters
    ----------
    model : PooledModel
    measured : sequence of (int, float)
        (accelerators, minutes) on `accelerator_id`.
    accelerator_id : str
    targets : sequence of (str, int)
        (accelerator id, accelerators) to predict.
    like : str or None
        The only benchmark to take the shape from; None: all, and one like none of them.
    """
    candidates = _candidates(model, like)
    asked = [(accelerator_id, n) for n, _ in measured] + list(targets)
    size = len(asked)
    real = [c for c in candidates if c is not None]
    latest = max(real, key=lambda c: facts.round_index(c.round))
    places = [
        Place((c or latest).benchmark, (c or latest).round, accelerator, n)
        for c in candidates
        for accelerator, n in asked
    ]
    known = model.pool.at.standing_out(model.robust.tails)
    queries = model.queries(places, submitter=None).standing_out(np.ones(len(places)))
    queries = _unlike_any(queries, known, np.repeat([c is None for c in candidates], size))
    cross = cross_covariance(model.structure, model.theta, queries, known)
    groups = [np.arange(i * size, (i + 1) * size) for i in range(len(candidates))]
    pairs = within_groups(queries, groups)
    values = summed(terms(model.structure, model.theta, pairs), len(pairs.rows))
    priors = values.reshape(len(candidates), size, size)
    means = (cross @ model.solved.solved).reshape(-1, size) + model.pool.centre
    half = (cross @ model.solved.inverse).reshape(-1, size, len(model.pool))
    known_part = np.einsum("cin,cjn->cij", half, cross.reshape(half.shape), optimize=True)
    own = queries.take(groups[0])
    return Beliefs(
        names=tuple(GENERIC if c is None else c.benchmark for c in candidates),
        means=means,
        covariances=priors - known_part,
        shape=_only(model, own, SHAPES),
        hardware=_only(model, own, HARDWARE),
        noise=float(query_noise(model.theta, np.array([np.median(model.pool.run_variance)]))[0]),
        log_work=np.log([n * minutes for n, minutes in measured]),
        log_counts=np.log([n for _, n in targets]),
    )


def _unlike_any(queries: Coordinates, known: Coordinates, rows: NDArray[np.bool_]) -> Coordinates:
    """Return the queries, some of them as those of a benchmark nobody has seen."""
    codes = dict(queries.codes)
    for name in ("block", "kind"):
        codes[name] = np.where(rows, -1, codes[name])
    places = dict(queries.places)
    age = float(np.median(known.places["block_age"]))
    places["block_age"] = np.where(rows, age, places["block_age"])
    return Coordinates(codes, places, queries.shares, queries.tails)


def _only(model: PooledModel, queries: Coordinates, components: Sequence[str]) -> Array:
    """Return the covariance of queries by some components only."""
    theta = model.theta.copy()
    for i, component in enumerate(model.structure.components):
        if component.name not in components:
            theta[i] = -np.inf
    return covariance(model.structure, theta, queries)
