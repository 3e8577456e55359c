"""A mixture of Gaussians with full covariances."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
MOST_STEPS = 100
SETTLED = 1e-3
"""Mean log-likelihoods that rise less than this have settled."""
LEAST_VARIANCE = 1e-3
"""Added to every variance, so that no component shrinks to a point."""


def mixture(points: FloatArray, labels: IntArray) -> IntArray:
    """Return the most likely component of points (n, d), starting from groups.

    Expectation-maximisation (Dempster, Laird and Rubin 1977) from the weights, means and
    covariances of the labels 0, 1, ... given.
    """
    share = (labels[:, None] == np.arange(int(labels.max()) + 1)).astype(float)
    before = -np.inf
    for _ in range(MOST_STEPS):
        joint = _log_joint(points, share)
        peak = joint.max(axis=1, keepdims=True)
        total = peak + np.log(np.exp(joint - peak).sum(axis=1, keepdims=True))
        share = np.exp(joint - total)
        if abs(float(total.mean()) - before) < SETTLED:
            break
        before = float(total.mean())
    return np.asarray(share.argmax(axis=1), dtype=np.int64)


def _log_joint(points: FloatArray, share: FloatArray) -> FloatArray:
    """Return log(weight x density) (n, k) of the components that hold these shares (n, k)."""
    n, d = points.shape
    sizes = share.sum(axis=0) + 10 * np.finfo(float).eps
    means = share.T @ points / sizes[:, None]
    away = points[None] - means[:, None]
    spread = (away * share.T[:, :, None]).transpose(0, 2, 1) @ away / sizes[:, None, None]
    spread += LEAST_VARIANCE * np.eye(d)
    root = np.linalg.cholesky(spread)
    squares = (np.linalg.solve(root, away.transpose(0, 2, 1)) ** 2).sum(axis=1)
    scale = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
    constant = np.log(sizes / n) - scale - d / 2 * np.log(2 * np.pi)
    joint: FloatArray = (constant[:, None] - squares / 2).T
    return joint
