"""How many groups: silhouette, gap statistic and bootstrap stability side by side."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.cluster.kmeans import batch_kmeans
from equipoise.cluster.methods import Method, group
from equipoise.cluster.results import KChoice
from equipoise.cluster.space import distinct_points
from equipoise.cluster.stability import STARTS, bootstrap_stability
from equipoise.structs import dataclass

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
MOST_K = 8
SAMPLE = 800
"""Points that silhouette, gap and stability look at; more are subsampled."""
REFERENCES = 10
RESAMPLES = 20
STABLE = 0.75
STRUCTURE = 0.25
"""A silhouette below this is no substantial structure (Kaufman and Rousseeuw 1990)."""


def silhouettes(points: FloatArray, labels: IntArray) -> FloatArray | None:
    """Return s = (b - a) / max(a, b) of every point, None with fewer than two groups.

    a: mean distance to the others of its group, b: least mean distance to another group; a
    point alone in its group has 0 by convention (Rousseeuw 1987). Noise has NaN.

    >>> found = silhouettes(np.array([[0.0], [0.0], [0.0], [1.0]]), np.array([0, 0, 0, 1]))
    >>> float(found.mean())
    0.75
    """
    k = int(labels.max(initial=-1)) + 1
    if k < 2:
        return None
    member = (labels[:, None] == np.arange(k)).astype(float)
    sizes = member.sum(axis=0)
    squares = (points**2).sum(axis=1)
    distance = np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * points @ points.T, 0.0))
    np.fill_diagonal(distance, 0.0)
    sums = distance @ member
    inside = np.maximum(labels, 0)
    rows = np.arange(len(points))
    own = sums[rows, inside] / np.maximum(sizes[inside] - 1, 1)
    means = sums / np.maximum(sizes, 1)
    means[rows, inside] = np.inf
    other = means.min(axis=1)
    widest = np.maximum(own, other)
    value = np.where(widest > 0, (other - own) / np.where(widest > 0, widest, 1.0), 0.0)
    value[sizes[inside] == 1] = 0.0
    value[labels < 0] = np.nan
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Gap statistic of one k."""

    gap: float
    error: float


def gap_statistics(
    points: FloatArray, ks: Sequence[int], *, rng: np.random.Generator
) -> dict[int, Gap]:
    """Return gap(k) = E*[ln W_k] - ln W_k with its standard error, for k-means.

    W_k is the within-group sum of squares; the expectation is over uniform points in the
    box along the principal axes (Tibshirani, Walther and Hastie 2001).
    """
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    reference = rng.uniform(low, high, size=(REFERENCES, *turned.shape))
    result = {}
    for k in ks:
        _, within = batch_kmeans(turned[None], k, starts=10, rng=rng)
        _, expected = batch_kmeans(reference, k, starts=STARTS, rng=rng)
        if within[0] <= 0 or (expected <= 0).any():
            continue
        logs = np.log(expected)
        error = float(logs.std() * np.sqrt(1 + 1 / REFERENCES))
        result[k] = Gap(gap=float(logs.mean() - np.log(within[0])), error=error)
    return result


def choice_table(
    points: FloatArray, *, method: Method, requested: int | None, rng: np.random.Generator
) -> tuple[int, tuple[KChoice, ...]]:
    """Return the number of groups to use and the table of all that speaks for each number.

    Votes: the greatest silhouette; the first k whose gap is within one error of the greatest
    (Dudoit and Fridlyand 2002); the greatest k whose groups are stable (mean Jaccard of
    0.75 or more). Most votes win, on a tie the silhouette; without a silhouette of 0.25
    anywhere and with the gap for one group, there is one group.
    """
    sample = points
    if len(points) > SAMPLE:
        sample = points[np.sort(rng.choice(len(points), SAMPLE, replace=False))]
    most = min(MOST_K, distinct_points(sample))
    ks = sorted({*range(1, most + 1), *((requested,) if requested else ())})
    width: dict[int, float] = {}
    steady: dict[int, FloatArray] = {}
    for k in ks[1:] if ks[0] == 1 else ks:
        labels = group(sample, method=method, k=k, rng=rng)
        found = silhouettes(sample, labels)
        if found is not None and np.isfinite(found).any():
            width[k] = float(np.nanmean(found))
        if k < distinct_points(sample):
            resamples = RESAMPLES if method.name == "kmeans" else RESAMPLES // 3
            steady[k] = bootstrap_stability(
                sample, labels, method=method, resamples=resamples, rng=rng
            ).clusters
    gaps = gap_statistics(sample, ks, rng=rng) if len(sample) > 1 and sample.shape[1] else {}
    votes = _votes(width, gaps, steady)
    chosen = requested if requested is not None else _winner(votes, width)
    rows = tuple(
        KChoice(
            k=k,
            silhouette=width.get(k),
            gap=gaps[k].gap if k in gaps else None,
            gap_error=gaps[k].error if k in gaps else None,
            stability=float(steady[k].mean()) if k in steady else None,
            stability_least=float(steady[k].min()) if k in steady else None,
            votes=sum(v == k for v in votes.values()),
            chosen=k == chosen,
            note=_note(k, votes),
        )
        for k in ks
    )
    return chosen, rows


def _votes(
    width: dict[int, float], gaps: dict[int, Gap], steady: dict[int, FloatArray]
) -> dict[str, int]:
    votes = {}
    if width:
        votes["silhouette"] = max(width, key=lambda k: (width[k], -k))
    if gaps:
        top = max(gaps, key=lambda k: (gaps[k].gap, -k))
        votes["gap"] = min(k for k in gaps if gaps[k].gap >= gaps[top].gap - gaps[top].error)
    stable = [k for k, values in steady.items() if values.mean() >= STABLE]
    if stable:
        votes["stability"] = max(stable)
    elif steady:
        votes["stability"] = max(steady, key=lambda k: (float(steady[k].mean()), -k))
    return votes


def _winner(votes: dict[str, int], width: dict[int, float]) -> int:
    if not width or (votes.get("gap") == 1 and max(width.values()) < STRUCTURE):
        return 1
    counts = {k: sum(v == k for v in votes.values()) for k in votes.values() if k > 1}
    return max(counts, key=lambda k: (counts[k], width.get(k, -1.0)))


def _note(k: int, votes: dict[str, int]) -> str | None:
    by = [name for name, choice in votes.items() if choice == k]
    return f"preferred by {', '.join(by)}" if by else None
