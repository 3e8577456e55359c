"""The covariance of the pooled model: a sum of products, and its gradient.

`k(x, x') = sum_c v_c prod_{names} [x = x'] prod_{smooth} rho(|x - x'| / l) prod S(x, x')`

Every component c has a variance v_c; its factors are names that must agree (block,
accelerator, ...), smooth correlations of distances (log2 n, year, hardware figures) with
scales l, and for the submitters' effects S = the sum over submitters of the product of
their shares. A component is only evaluated on the pairs whose names agree: most
components touch a few per cent of the pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling.pooled.coordinates import Coordinates
from equipoise.structs import dataclass

Array = NDArray[np.float64]
Index = NDArray[np.int64]
Kind = Literal["gauss", "exponential", "matern3", "matern5"]


@dataclass(frozen=True, slots=True)
class Smooth:
    """A correlation that falls with distance; several places share one product."""

    kind: Kind
    scales: tuple[tuple[str, str], ...]
    """(place, name of the scale) of every distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """One term of the covariance."""

    name: str
    same: tuple[str, ...] = ()
    smooth: tuple[str, ...] = ()
    submitters: bool = False
    heavy: bool = False
    """Scaled by the tails of the points: some pairs stand out by far more than others."""
    variance: float
    """Centre of the prior of its variance (of log time)."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The components with their smooth factors and the centres of the scales."""

    components: tuple[Component, ...]
    smooth: Mapping[str, Smooth]
    scales: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all hyperparameters: variances, scales, noise."""
        return (
            *(f"variance_{c.name}" for c in self.components),
            *(f"scale_{name}" for name in self.scales),
            *NOISE_NAMES,
        )

    @property
    def submitter_components(self) -> tuple[int, ...]:
        """Return the places of the components of the submitters' effects."""
        return tuple(i for i, c in enumerate(self.components) if c.submitters)


NOISE_NAMES: Final = ("noise_point", "noise_submitter", "noise_runs")
JITTER: Final = 1e-8


def noise_variance(theta: Array, configurations: Array, run_variance: Array) -> Array:
    """Return the noise of points: own + per submitter / k + runs x sampling variance, (N,)."""
    own, submitter, runs = np.exp(theta[-3:])
    return np.asarray(own + submitter / configurations + runs * run_variance)


@dataclass(slots=True, eq=False)
class Pairs:
    """Pairs of points, their common names and distances; computed once, used often."""

    left: Coordinates
    right: Coordinates
    rows: Index
    columns: Index
    _masks: dict[tuple[str, ...], Index | None] = field(default_factory=dict)
    _distances: dict[str, Array] = field(default_factory=dict)
    _shares: Array | None = None
    _tails: Array | None = None

    @classmethod
    def within(cls, points: Coordinates) -> "Pairs":
        """Return the pairs of the lower triangle, diagonal included."""
        rows, columns = np.tril_indices(len(points))
        return cls(points, points, rows, columns)

    @classmethod
    def between(cls, left: Coordinates, right: Coordinates) -> "Pairs":
        """Return all pairs of a point on the left with one on the right, row by row."""
        rows = np.repeat(np.arange(len(left)), len(right))
        columns = np.tile(np.arange(len(right)), len(left))
        return cls(left, right, rows, columns)

    def agreeing(self, component: Component) -> Index | None:
        """Return the pairs on which a component is not zero; None: all."""
        key = (*component.same, *(("submitters",) if component.submitters else ()))
        if key not in self._masks:
            self._masks[key] = self._find(key)
        return self._masks[key]

    def _find(self, key: tuple[str, ...]) -> Index | None:
        mask: NDArray[np.bool_] | None = None
        for name in key:
            if name == "submitters":
                here = self.shares() > 0
            else:
                here = self.left.codes[name][self.rows] == self.right.codes[name][self.columns]
            mask = here if mask is None else mask & here
        return None if mask is None else np.flatnonzero(mask)

    def squared(self, place: str) -> Array:
        """Return squared distances of all pairs."""
        if place not in self._distances:
            gap = self.left.places[place][self.rows] - self.right.places[place][self.columns]
            self._distances[place] = gap * gap
        return self._distances[place]

    def shares(self) -> Array:
        """Return the sum over submitters of the product of the shares, all pairs."""
        if self._shares is None:
            self._shares = (self.left.shares @ self.right.shares.T)[self.rows, self.columns]
        return self._shares

    def tails(self) -> Array:
        """Return the product of the tails of both points, all pairs."""
        if self._tails is None:
            self._tails = self.left.tails[self.rows] * self.right.tails[self.columns]
        return self._tails

    def with_tails(self, tails: Array) -> None:
        """Give the points (the same on both sides) other tails."""
        self.left = self.right = self.left.standing_out(tails)
        self._tails = None


@dataclass(frozen=True, slots=True)
class Term:
    """A component evaluated: values on its pairs, and derivatives by log scale."""

    pairs: Index | None
    values: Array
    scales: tuple[tuple[str, Array], ...]


def terms(
    structure: Structure, theta: Array, pairs: Pairs, *, gradient: bool = False
) -> list[Term]:
    """Return every component on its pairs.

    Parameters
    ----------
    structure : Structure
    theta : array, shape (P,)
        Logarithms of variances, scales and noise, in the order of `structure.names`.
    pairs : Pairs
    gradient : bool
        Also return the derivatives of the values by the logarithm of each scale.
    """
    count = len(structure.components)
    scales = dict(
        zip(structure.scales, np.exp(theta[count : count + len(structure.scales)]), strict=True)
    )
    cache: dict[str, tuple[Array, list[tuple[str, Array]]]] = {}
    whole = {name for c in structure.components if pairs.agreeing(c) is None for name in c.smooth}
    found = []
    for component, log_variance in zip(structure.components, theta[:count], strict=True):
        index = pairs.agreeing(component)
        values = np.full(len(pairs.rows) if index is None else len(index), np.exp(log_variance))
        slopes: list[tuple[str, Array]] = []
        for name in component.smooth:
            if name in whole:
                if name not in cache:
                    cache[name] = _correlation(structure.smooth[name], scales, pairs, None)
                correlation, parts = cache[name]
                if index is not None:
                    correlation = correlation[index]
                    parts = [(s, p[index]) for s, p in parts] if gradient else []
            else:
                correlation, parts = _correlation(structure.smooth[name], scales, pairs, index)
            values *= correlation
            slopes.extend(parts)
        if component.submitters:
            shares = pairs.shares()
            values *= shares if index is None else shares[index]
        if component.heavy:
            tails = pairs.tails()
            values *= tails if index is None else tails[index]
        derivatives = tuple((name, values * part) for name, part in slopes) if gradient else ()
        found.append(Term(index, values, derivatives))
    return found


def _correlation(
    smooth: Smooth, scales: Mapping[str, float], pairs: Pairs, index: Index | None
) -> tuple[Array, list[tuple[str, Array]]]:
    """Return a correlation and d ln(correlation) / d ln(scale) for each of its scales."""
    ratios = []
    for place, scale in smooth.scales:
        squared = pairs.squared(place)
        ratios.append((squared if index is None else squared[index]) / scales[scale] ** 2)
    total = ratios[0] if len(ratios) == 1 else np.sum(ratios, axis=0)
    names = [scale for _, scale in smooth.scales]
    if smooth.kind == "gauss":
        return np.exp(-0.5 * total), list(zip(names, ratios, strict=True))
    if smooth.kind == "exponential":
        distance = np.sqrt(total)
        return np.exp(-distance), [(names[0], distance)]
    if smooth.kind == "matern3":
        distance = np.sqrt(3.0 * total)
        return (1.0 + distance) * np.exp(-distance), [(names[0], 3.0 * total / (1.0 + distance))]
    distance = np.sqrt(5.0 * total)
    rest = 1.0 + distance + 5.0 * total / 3.0
    slope = 5.0 * total * (1.0 + distance) / (3.0 * rest)
    return rest * np.exp(-distance), [(names[0], slope)]


def summed(found: Sequence[Term], size: int) -> Array:
    """Return the sum of the components on all pairs, shape (size,)."""
    total = np.zeros(size)
    for term in found:
        if term.pairs is None:
            total += term.values
        else:
            total[term.pairs] += term.values
    return total


def within_groups(points: Coordinates, groups: Sequence[Index]) -> Pairs:
    """Return the pairs inside each group of points, one group after the other."""
    rows = [np.repeat(group, len(group)) for group in groups]
    columns = [np.tile(group, len(group)) for group in groups]
    return Pairs(points, points, np.concatenate(rows), np.concatenate(columns))


def covariance(structure: Structure, theta: Array, points: Coordinates) -> Array:
    """Return the covariance of points with each other, shape (N, N), without noise."""
    pairs = Pairs.within(points)
    return lower_to_full(summed(terms(structure, theta, pairs), len(pairs.rows)), pairs)


def lower_to_full(values: Array, pairs: Pairs) -> Array:
    """Return the symmetric matrix of values of the pairs of a lower triangle."""
    size = len(pairs.left)
    matrix = np.empty((size, size))
    matrix[pairs.rows, pairs.columns] = values
    matrix[pairs.columns, pairs.rows] = values
    return matrix


def cross_covariance(
    structure: Structure, theta: Array, left: Coordinates, right: Coordinates
) -> Array:
    """Return the covariance of points on the left with points on the right, (M, N)."""
    pairs = Pairs.between(left, right)
    values = summed(terms(structure, theta, pairs), len(pairs.rows))
    return values.reshape(len(left), len(right))
