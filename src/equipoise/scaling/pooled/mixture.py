"""Which submitters a prediction stands for when none is named.

Submitters of like systems differ: the makers of an accelerator are a few per cent faster
than the rest, and only they run the largest counts. A prediction without a submitter
stands for the mix of submitters behind the nearest evidence.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equipoise.scaling.pooled.coordinates import Coordinates

Array = NDArray[np.float64]

STEP: Final = 1e-3
"""Evidence that shares less counts by this factor less: it is used when nothing is nearer."""


def evidence_shares(
    queries: Coordinates, points: Coordinates, *, hidden: NDArray[np.bool_] | None = None
) -> Array:
    """Return the submitter shares of the evidence near each query, (M, S).

    `hidden` (M, N) marks points that a query must not see.

    Weight of a point: `exp(-|d log2 n| - |d year|)`, times `STEP` for each of the tiers
    same block and accelerator, same accelerator, same block and vendor, same vendor that
    it misses; none of them: zero, a typical submitter.
    """

    def same(name: str) -> NDArray[np.bool_]:
        return np.asarray(queries.codes[name][:, None] == points.codes[name][None, :])

    block, accelerator, vendor = same("block"), same("accelerator"), same("vendor")
    tiers: Sequence[NDArray[np.bool_]] = (
        block & accelerator,
        accelerator,
        block & vendor,
        vendor,
    )
    seen = True if hidden is None else ~hidden
    weight = np.zeros(block.shape)
    for tier, mask in enumerate(tiers):
        weight = np.where((weight == 0) & mask & seen, STEP**tier, weight)
    for place in ("log_n", "year"):
        weight = weight * np.exp(
            -np.abs(queries.places[place][:, None] - points.places[place][None, :])
        )
    shares = weight @ points.shares
    total = shares.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(shares, total, out=np.zeros_like(shares), where=total > 0))
