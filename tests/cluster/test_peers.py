"""Ward, Gaussian mixtures and HDBSCAN give the groups of scikit-learn."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, AgglomerativeClustering
from sklearn.mixture import GaussianMixture

from equipoise.cluster.density import hdbscan
from equipoise.cluster.kmeans import kmeans
from equipoise.cluster.mixture import mixture
from equipoise.cluster.ward import ward
from equipoise.metrics.agreement import adjusted_rand


def clouds(seed: int, n: int = 150) -> np.ndarray:
    """Return overlapping clouds of unequal size and width with scattered points."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(scale=3.0, size=(5, 3))
    own = rng.integers(5, size=n)
    points = middle[own] + rng.uniform(0.2, 1.2, size=(5, 1))[own] * rng.normal(size=(n, 3))
    points[:10] = rng.uniform(-8, 8, size=(10, 3))
    return points


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [1, 2, 5, 9])
def test_ward(seed: int, k: int) -> None:
    points = clouds(seed)
    theirs = AgglomerativeClustering(k, linkage="ward").fit_predict(points)
    assert adjusted_rand(ward(points, k), theirs) == pytest.approx(1.0)


def test_ward_of_equal_points_ends() -> None:
    points = np.repeat(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 5.0]]), 7, axis=0)
    labels = ward(points, 3)
    assert adjusted_rand(labels, np.repeat([0, 1, 2], 7)) == 1.0


@pytest.mark.parametrize("seed", range(6))
def test_mixture(seed: int) -> None:
    points = clouds(seed)
    start = kmeans(points, 5, starts=20, rng=np.random.default_rng(0))
    parts = [points[start == j] for j in range(5)]
    peer = GaussianMixture(
        5, reg_covar=1e-3, tol=1e-3, random_state=0,
        weights_init=[len(part) / len(points) for part in parts],
        means_init=[part.mean(axis=0) for part in parts],
        precisions_init=[np.linalg.inv(np.cov(p.T, bias=True) + 1e-3 * np.eye(3)) for p in parts],
    )  # fmt: skip
    assert adjusted_rand(mixture(points, start), peer.fit_predict(points)) > 0.95


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("least", [3, 5, 12])
def test_hdbscan(seed: int, least: int) -> None:
    points = clouds(seed)
    theirs = HDBSCAN(min_cluster_size=least, copy=True).fit_predict(points)
    ours = hdbscan(points, least=least)
    # Equal distances may be joined in another order: a point or two at an edge.
    assert ((ours == -1) != (theirs == -1)).sum() <= 2
    assert ours.max() == theirs.max()
    assert adjusted_rand(ours, theirs) > 0.95


def test_hdbscan_of_equal_points_and_of_few() -> None:
    points = np.repeat(np.array([[0.0], [9.0]]), 10, axis=0)
    assert adjusted_rand(hdbscan(points, least=4), np.repeat([0, 1], 10)) == 1.0
    assert set(hdbscan(points[:5], least=4).tolist()) == {-1}
