"""The user's own job: its level from the measurements, its shape from like benchmarks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.errors import NothingFoundError, UsageError
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
from equipoise.scaling.pooled.shipped import OwnJobSettings, shipped
from equipoise.scaling.predict import (
    EXTRAPOLATED,
    FAR,
    INTERPOLATED,
    LEVELS,
    MEASURED,
    checked_counts,
)

Array = NDArray[np.float64]

GENERIC: Final = "any other"
"""The candidate that is like no benchmark in particular."""
FREE_LEVEL: Final = 1e4
"""Variance of the job's level: nothing is known of it before it is measured."""
LEVEL_FREEDOM: Final = 3.0
NAMED: Final = 5
"""Benchmarks named in the reason."""
SPAN: Final = 50.0
"""Standard deviations from the mean within which quantiles are looked for."""
CALIBRATION: Final = "own_job"
SHAPES: Final = ("block_shape", "block_shape_trend", "block_hardware_shape")
"""Components in which the shapes of benchmarks differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """How much of a prediction's shape comes from one benchmark."""

    benchmark: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJobPrediction:
    """The predicted time of the user's own job at one count; never an MLPerf result."""

    accelerator_id: str
    accelerators: int
    time_to_train_min: float
    low_50: float
    high_50: float
    low_80: float
    high_80: float
    low_90: float
    high_90: float
    basis: str
    """measured, interpolated or extrapolated."""
    reason: str
    far: bool
    """More than four times the largest measured count away from it."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJobResult:
    """Predictions of the user's own job along n."""

    accelerator_id: str
    measured: tuple[tuple[int, float], ...]
    """(accelerators, minutes) as given."""
    like: str | None
    similar: tuple[Similar, ...]
    predictions: tuple[OwnJobPrediction, ...]
    mixture: Mixture
    warnings: tuple[str, ...]

    def samples(self, rng: np.random.Generator, *, size: int) -> Array:
        """Return joint draws of the times in minutes, shape (size, predictions)."""
        return self.mixture.samples(rng, size)


def own_job(
    model: PooledModel,
    *,
    measured: Sequence[tuple[int, float]],
    accelerator_id: str,
    accelerators: Sequence[int],
    like: str | None = None,
) -> OwnJobResult:
    """Return the predicted times of a job known only by the user's own measurements.

    `log(n T) = a + f_b(n) + d(n)`: the level a is free, f_b is the curve of benchmark b on
    this accelerator, d a deviation of the job's own. The answer is the mixture over all
    benchmarks (and one that is like none of them), weighted by how well each explains the
    measurements and how near its amount of work is.

    Parameters
    ----------
    model : PooledModel
    measured : sequence of (int, float)
        (accelerators, minutes); one is enough.
    accelerator_id : str
        Of the measurements and of the predictions.
    accelerators : sequence of int
        Counts to predict.
    like : str or None
        A benchmark whose shape is to be used; None: all, weighted.

    Raises
    ------
    UsageError
        No measurement, or a count or time that is not above zero.
    UnknownNameError
        An accelerator or benchmark that is not known.
    NothingFoundError
        No score of the benchmark given as `like`.
    """
    found = facts.accelerator(accelerator_id).id
    points = checked_measurements(measured)
    counts = checked_counts(accelerators)
    named = None if like is None else facts.benchmark(like).id
    similar, mixture = own_mixture(
        model,
        measured=points,
        accelerator_id=found,
        accelerators=counts,
        like=named,
        settings=shipped().own_job,
        calibration=shipped().calibration(CALIBRATION),
    )
    bounds = {
        level: (mixture.quantile((1 - level) / 2), mixture.quantile((1 + level) / 2))
        for level in LEVELS
    }
    centre = mixture.quantile(0.5)
    rows = tuple(_row(found, n, points, i, centre, bounds, similar) for i, n in enumerate(counts))
    warnings = ["the user's own measurements are not verified by MLCommons Association"]
    if len(points) == 1:
        warnings.append(
            "one measurement fixes the level only; the shape is that of the benchmarks: "
            "measure a second count"
        )
    known = {p.place.accelerator_id for p in model.pool.points}
    if found not in known:
        warnings.append(
            f"{found} was never measured in MLPerf Training: its shape is bridged by its facts"
        )
    return OwnJobResult(
        accelerator_id=found,
        measured=points,
        like=named,
        similar=similar,
        predictions=rows,
        mixture=mixture,
        warnings=tuple(warnings),
    )


def checked_measurements(measured: Sequence[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    """Return the measurements by count."""
    if not measured:
        raise UsageError("no measurement: give at least one, such as 8=180min")
    for n, minutes in measured:
        if n < 1 or not np.isfinite(minutes) or minutes <= 0:
            raise UsageError(f"the measurement {n}={minutes:g} min: both must be above zero")
    return tuple(sorted((int(n), float(minutes)) for n, minutes in measured))


def own_mixture(
    model: PooledModel,
    *,
    measured: Sequence[tuple[int, float]],
    accelerator_id: str,
    accelerators: Sequence[int],
    like: str | None,
    settings: OwnJobSettings,
    calibration: Calibration,
    round_name: str | None = None,
) -> tuple[tuple[Similar, ...], Mixture]:
    """Return the weights of the benchmarks and the mixture of log times at the counts."""
    candidates = _candidates(model, like, round_name)
    counts = [n for n, _ in measured] + list(accelerators)
    means, covariances = _beliefs(model, candidates, accelerator_id, counts, settings)
    log_work: Array = np.log([n * minutes for n, minutes in measured])
    noise = float(query_noise(model.theta, np.array([np.median(model.pool.run_variance)]))[0])
    size = len(measured)
    scores, shifted, spreads = [], [], []
    for mean, spread in zip(means, covariances, strict=True):
        free = spread + FREE_LEVEL
        gram = free[:size, :size] + noise * np.eye(size)
        inverse = np.linalg.inv(gram)
        error = log_work - mean[:size]
        gain = free[size:, :size] @ inverse
        shifted.append(mean[size:] + gain @ error - np.log(accelerators))
        rest = free[size:, size:] - gain @ free[:size, size:]
        spreads.append(rest + noise * np.eye(len(accelerators)))
        fit = -0.5 * float(error @ inverse @ error) - 0.5 * np.linalg.slogdet(gram)[1]
        away = float(error.mean()) / settings.level_spread
        near = -0.5 * (LEVEL_FREEDOM + 1.0) * np.log1p(away**2 / LEVEL_FREEDOM)
        scores.append(fit + near)
    logs = np.array(scores)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    order = np.argsort(-weights, kind="stable")
    names = [GENERIC if c is None else c.benchmark for c in candidates]
    similar = tuple(Similar(benchmark=names[i], weight=float(weights[i])) for i in order)
    return similar, Mixture(weights, np.array(shifted), np.array(spreads), calibration)


@dataclass(frozen=True, slots=True)
class _Candidate:
    benchmark: str
    round: str


def _candidates(
    model: PooledModel, like: str | None, round_name: str | None
) -> list[_Candidate | None]:
    """Return the latest round of each block; None stands for a benchmark like no other."""
    latest: dict[str, _Candidate] = {}
    for point in model.pool.points:
        here = point.place
        if round_name is not None and facts.round_index(here.round) > facts.round_index(round_name):
            continue
        known = latest.get(point.block)
        if known is None or facts.round_index(here.round) > facts.round_index(known.round):
            latest[point.block] = _Candidate(here.benchmark, here.round)
    if like is None:
        return [*latest.values(), None]
    named = [c for c in latest.values() if c.benchmark == like]
    if not named:
        raise NothingFoundError(f"no score of {like} to take the shape from")
    return [max(named, key=lambda c: facts.round_index(c.round))]


def _beliefs(
    model: PooledModel,
    candidates: Sequence[_Candidate | None],
    accelerator_id: str,
    counts: Sequence[int],
    settings: OwnJobSettings,
) -> tuple[Array, Array]:
    """Return means (C, M) of log(n T) and covariances (C, M, M) of each candidate."""
    size, number = len(counts), len(candidates)
    real = [c for c in candidates if c is not None]
    latest = max(real, key=lambda c: facts.round_index(c.round))
    places = [
        Place((c or latest).benchmark, (c or latest).round, accelerator_id, n)
        for c in candidates
        for n in counts
    ]
    known = model.pool.at.standing_out(model.robust.tails)
    queries = model.queries(places, submitter=None).standing_out(np.ones(len(places)))
    unlike = np.repeat([c is None for c in candidates], size)
    queries = _unlike_any(queries, known, unlike)
    cross = cross_covariance(model.structure, model.theta, queries, known)
    groups = [np.arange(i * size, (i + 1) * size) for i in range(number)]
    pairs = within_groups(queries, groups)
    values = summed(terms(model.structure, model.theta, pairs), len(pairs.rows))
    own = settings.shape_share * _own_shape(model, queries.take(groups[0]))
    means, covariances = [], []
    for group, candidate in zip(groups, candidates, strict=True):
        start = int(group[0]) * size
        prior = values[start : start + size * size].reshape(size, size)
        mean, spread = model.solved.predict(cross[group], prior)
        means.append(mean + model.pool.log_work.mean())
        covariances.append(spread if candidate is None else spread + own)
    return np.array(means), np.array(covariances)


def _unlike_any(queries: Coordinates, known: Coordinates, rows: NDArray[np.bool_]) -> Coordinates:
    """Return the queries, some of them as those of a benchmark nobody has seen."""
    codes = dict(queries.codes)
    for name in ("block", "kind"):
        codes[name] = np.where(rows, -1, codes[name])
    places = dict(queries.places)
    age = float(np.median(known.places["block_age"]))
    places["block_age"] = np.where(rows, age, places["block_age"])
    return Coordinates(codes, places, queries.shares, queries.tails)


def _own_shape(model: PooledModel, queries: Coordinates) -> Array:
    """Return the covariance of the shapes of benchmarks among each other."""
    theta = model.theta.copy()
    for i, component in enumerate(model.structure.components):
        if component.name not in SHAPES:
            theta[i] = -np.inf
    return covariance(model.structure, theta, queries)


def _row(
    accelerator_id: str,
    n: int,
    measured: Sequence[tuple[int, float]],
    i: int,
    centre: Array,
    bounds: dict[float, tuple[Array, Array]],
    similar: Sequence[Similar],
) -> OwnJobPrediction:
    counts = [count for count, _ in measured]
    least, most = counts[0], counts[-1]
    listed = ", ".join(f"{s.benchmark} {s.weight:.0%}" for s in similar[:NAMED] if s.weight > 0.02)
    if n in counts:
        basis, where = MEASURED, f"measured: {dict(measured)[n]:.4g} min"
    elif least < n < most:
        basis, where = INTERPOLATED, f"between the measured {least} and {most}"
    else:
        basis, where = EXTRAPOLATED, f"measured on {', '.join(map(str, counts))} only"
    far = n > FAR * most or n * FAR < least
    reason = f"{where}; shape like {listed}"
    if far:
        reason += f"; more than {FAR} times away from what was measured"
    return OwnJobPrediction(
        accelerator_id=accelerator_id,
        accelerators=n,
        time_to_train_min=float(np.exp(centre[i])),
        low_50=float(np.exp(bounds[0.5][0][i])),
        high_50=float(np.exp(bounds[0.5][1][i])),
        low_80=float(np.exp(bounds[0.8][0][i])),
        high_80=float(np.exp(bounds[0.8][1][i])),
        low_90=float(np.exp(bounds[0.9][0][i])),
        high_90=float(np.exp(bounds[0.9][1][i])),
        basis=basis,
        reason=reason,
        far=far,
    )
