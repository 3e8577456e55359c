"""The array kernels of stage 2 against scikit-learn and known values."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_samples

from equipoise.cluster.choice import gap_statistics, silhouettes
from equipoise.cluster.describe import medoid, newest_from
from equipoise.cluster.kmeans import batch_kmeans, kmeans
from equipoise.cluster.methods import METHODS, method
from equipoise.cluster.stability import bootstrap_stability


def blobs(rng: np.random.Generator, k: int = 3, each: int = 30) -> np.ndarray:
    angle = 2 * np.pi * np.arange(k) / k
    middle = 8.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    return (middle[:, None] + rng.normal(size=(k, each, 2))).reshape(-1, 2)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_many_starts_reach_the_inertia_of_scikit_learn(k: int) -> None:
    points = blobs(np.random.default_rng(1))
    _, inertia = batch_kmeans(points[None], k, starts=20, rng=np.random.default_rng(0))
    reference = KMeans(k, n_init=20, random_state=0).fit(points).inertia_
    assert inertia[0] <= reference * 1.005
    labels = kmeans(points, k, starts=20, rng=np.random.default_rng(0))
    assert len(set(labels.tolist())) == k


def test_silhouettes_are_those_of_scikit_learn() -> None:
    points = blobs(np.random.default_rng(2))
    labels = kmeans(points, 4, starts=5, rng=np.random.default_rng(0))
    np.testing.assert_allclose(silhouettes(points, labels), silhouette_samples(points, labels))
    assert silhouettes(points, np.zeros(len(points), dtype=np.int64)) is None


def test_gap_finds_three_blobs() -> None:
    rng = np.random.default_rng(3)
    gaps = gap_statistics(blobs(rng), [1, 2, 3, 4, 5], rng=rng)
    assert max(gaps, key=lambda k: gaps[k].gap) == 3
    assert gaps[3].gap - gaps[3].error > gaps[2].gap


def test_real_groups_are_stable_and_cuts_of_one_blob_are_not() -> None:
    rng = np.random.default_rng(4)
    how = method("kmeans")
    points = blobs(rng)
    labels = kmeans(points, 3, starts=20, rng=rng)
    steady = bootstrap_stability(points, labels, method=how, resamples=50, rng=rng)
    assert steady.clusters.min() > 0.95
    assert steady.members.min() > 0.9
    cloud = rng.normal(size=(90, 2))
    cut = kmeans(cloud, 5, starts=20, rng=rng)
    loose = bootstrap_stability(cloud, cut, method=how, resamples=50, rng=rng)
    assert loose.clusters.mean() < 0.8


def test_every_method_says_what_it_is() -> None:
    for name, item in METHODS.items():
        assert item.name == name
        assert item.label
        assert method(name.upper()) is item


def test_medoid_is_the_middle_one() -> None:
    points = np.array([[0.0], [1.0], [10.0]])
    assert medoid(points, rng=np.random.default_rng(0)) == 1


def test_one_early_sample_does_not_make_all_others_old() -> None:
    years = np.array([2020.0] * 30 + [2022.0] * 10 + [2024.0])
    assert newest_from(years) == 2022.0
    assert newest_from(np.array([np.nan])) is None
