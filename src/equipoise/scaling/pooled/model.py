"""The pooled model of time to train: fit, prediction, storage.

log(n T) of every published point is one Gaussian process over benchmark, accelerator,
round, submitter and n (see `structure`), with Student-t noise and heavy-tailed effects of
(benchmark, accelerator) pairs. Partial pooling is what its covariance says: points share
what they have in common.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import DataError, NothingFoundError
from equipoise.scaling.pooled.coordinates import (
    Coordinates,
    Place,
    block_name,
    coordinates,
)
from equipoise.scaling.pooled.kernel import Structure, covariance, cross_covariance
from equipoise.scaling.pooled.learn import Objective, Robust, reweigh
from equipoise.scaling.pooled.leave_out import (
    Solved,
    other_submitter,
    query_noise,
    solve,
)
from equipoise.scaling.pooled.mixture import evidence_shares
from equipoise.scaling.pooled.points import Point, Pool, build_pool, pool_points
from equipoise.scaling.pooled.shipped import shipped
from equipoise.scaling.pooled.structure import STRUCTURE
from equipoise.structs import dataclass

Array = NDArray[np.float64]

CODE_VERSION: Final = 1
"""Raised with every change that makes stored models differ."""
REWEIGHTINGS: Final = 12
TYPICAL: Final = "typical"
"""As a submitter: the average submitter instead of those behind the nearest evidence."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """What the model believes of some places: log time is normal with this mean and covariance."""

    mean: Array
    """(M,) of log(n T)."""
    covariance: Array
    """(M, M), without the noise of one score."""
    noise: Array
    """(M,) variance of one submitter's score."""

    @property
    def sd(self) -> Array:
        """Return the standard deviation of one score, (M,)."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0) + self.noise)


@dataclass(frozen=True, slots=True, eq=False)
class PooledModel:
    """The pooled model solved for a set of points."""

    structure: Structure
    theta: Array
    robust: Robust
    pool: Pool
    solved: Solved

    def believe(self, places: Sequence[Place], *, submitter: str | None = None) -> Belief:
        """Return the belief about scores at some places.

        Parameters
        ----------
        places : sequence of Place
        submitter : str or None
            Whose score; None: the mix of submitters behind the nearest evidence;
            `typical`: the average submitter.
        """
        queries = self.queries(places, submitter=submitter)
        known = self.pool.at.standing_out(self.robust.tails)
        cross = cross_covariance(self.structure, self.theta, queries, known)
        prior = covariance(self.structure, self.theta, queries)
        extra = other_submitter(self.structure, self.theta, queries.shares)
        mean, spread = self.solved.predict(cross, prior + np.outer(extra, extra))
        return Belief(
            mean=mean + self.pool.centre,
            covariance=spread,
            noise=query_noise(self.theta, self._run_variance(places)),
        )

    def correlations(self, place: Place) -> Array:
        """Return the prior correlation of a place with every point, without its benchmark's level.

        Components that the whole benchmark or the whole pool shares say nothing about
        which of its points is near; they are still counted, the order is what matters.
        """
        queries = self.queries([place], submitter=None)
        known = self.pool.at.standing_out(np.ones(len(self.pool)))
        cross = cross_covariance(self.structure, self.theta, queries, known)
        return np.asarray(cross[0] / np.exp(self.theta[: len(self.structure.components)]).sum())

    def queries(self, places: Sequence[Place], *, submitter: str | None) -> Coordinates:
        """Return places as coordinates, with submitters and the tails of known pairs."""
        vocabulary = {name: dict(known) for name, known in self.pool.vocabulary.items()}
        shares = np.zeros((len(places), len(self.pool.submitters)))
        queries = coordinates(places, shares, vocabulary=vocabulary)
        if submitter is None:
            queries = queries.submitted_by(evidence_shares(queries, self.pool.at))
        elif submitter in self.pool.submitters:
            shares[:, self.pool.submitters.index(submitter)] = 1.0
        known = {p.pair: tail for p, tail in zip(self.pool.points, self.robust.tails, strict=True)}
        tails = [
            known.get((block_name(q.benchmark, q.round), q.accelerator_id), 1.0) for q in places
        ]
        return queries.standing_out(np.array(tails))

    def _run_variance(self, places: Sequence[Place]) -> Array:
        found: dict[str, list[float]] = {}
        for point, own in zip(self.pool.points, self.pool.run_variance, strict=True):
            found.setdefault(point.place.benchmark, []).append(own * len(point.submitters))
        general = float(np.median(self.pool.run_variance))
        typical = {name: float(np.median(values)) for name, values in found.items()}
        return np.array([typical.get(place.benchmark, general) for place in places])

    def to_bytes(self) -> bytes:
        """Return the model as bytes for `from_bytes`."""
        buffer = BytesIO()
        size = len(self.pool)
        np.savez(
            buffer,
            version=np.array(CODE_VERSION),
            theta=self.theta,
            weights=self.robust.weights,
            tails=self.robust.tails,
            inverse=self.solved.inverse[np.tril_indices(size)],
            points=np.frombuffer(_encode(self.pool.points), dtype=np.uint8),
        )
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, stored: bytes, *, structure: Structure = STRUCTURE) -> "PooledModel":
        """Return a stored model.

        Raises
        ------
        DataError
            The bytes are not a model of this version: fit it again.
        """
        try:
            with np.load(BytesIO(stored), allow_pickle=False) as arrays:
                if int(arrays["version"]) != CODE_VERSION:
                    raise DataError("the stored pooled model is of another version: fit it again")
                pool = build_pool(_decode(arrays["points"].tobytes()))
                inverse = np.empty((len(pool), len(pool)))
                rows, columns = np.tril_indices(len(pool))
                inverse[rows, columns] = inverse[columns, rows] = arrays["inverse"]
                theta = arrays["theta"]
                robust = Robust(arrays["weights"], arrays["tails"])
        except (ValueError, KeyError, OSError, EOFError, BadZipFile) as error:
            raise DataError("the stored pooled model is damaged: fit it again") from error
        residual = pool.log_work - pool.centre
        return cls(structure, theta, robust, pool, Solved(inverse, inverse @ residual))


def fit_pooled(
    configurations: Iterable[Configuration],
    *,
    theta: Array | None = None,
    structure: Structure = STRUCTURE,
) -> PooledModel:
    """Return the pooled model of all usable configurations.

    Parameters
    ----------
    configurations : iterable of Configuration
        Of every benchmark; closed ones with a score and a known accelerator are used.
    theta : array or None
        Logarithms of hyperparameters; None: those that come with the package.

    Raises
    ------
    NothingFoundError
        No configuration is usable.
    """
    return fit_points(pool_points(configurations), theta=theta, structure=structure)


def fit_points(
    points: Sequence[Point], *, theta: Array | None = None, structure: Structure = STRUCTURE
) -> PooledModel:
    """Return the pooled model of points."""
    if not points:
        raise NothingFoundError(
            "no closed configuration with a score and a known accelerator to learn from"
        )
    pool = build_pool(points)
    chosen = shipped().theta(structure) if theta is None else theta
    robust = reweigh(Objective(structure, pool), chosen, Robust.none(len(pool)), times=REWEIGHTINGS)
    return PooledModel(structure, chosen, robust, pool, solve(structure, chosen, robust, pool))


def model_key(content: bytes) -> str:
    """Return a key of everything a fitted model depends on: content, facts, code.

    Parameters
    ----------
    content : bytes
        What stands for the configurations, such as the manifest of their catalogue.

    Returns
    -------
    str
        Changes when the content, a fact, the hyperparameters or the code version changes;
        a stored model is good for the same key only.
    """
    digest = hashlib.sha256(f"pooled {CODE_VERSION}\n".encode())
    for part in (shipped().text.encode(), facts.digest().encode(), content):
        digest.update(part)
    return digest.hexdigest()


def _encode(points: Sequence[Point]) -> bytes:
    return json.dumps(
        [
            [
                p.place.benchmark,
                p.place.round,
                p.place.accelerator_id,
                p.place.accelerators,
                p.time_to_train_min,
                p.submitters,
                p.keys,
                p.run_variance,
            ]
            for p in points
        ]
    ).encode()


def _decode(stored: bytes) -> list[Point]:
    return [
        Point(
            place=Place(benchmark, round_name, accelerator, count),
            block=block_name(benchmark, round_name),
            time_to_train_min=time_min,
            submitters=tuple(submitters),
            keys=tuple(keys),
            run_variance=variance,
        )
        for benchmark, round_name, accelerator, count, time_min, submitters, keys, variance in (
            json.loads(stored)
        )
    ]
