"""Average the fitted laws into one curve, and bootstrap that curve."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.metrics.bootstrap import student_expansion
from equipoise.scaling.fit import SMALLEST_SQUARES, LawFit
from equipoise.scaling.kernel import refit_batch
from equipoise.structs import dataclass

Array = NDArray[np.float64]

BASIS_AICC = "aicc"
BASIS_LOO = "loo"
BASIS_INTERPOLATION = "interpolation"
NEGLIGIBLE_WEIGHT = 0.02
"""Laws below this share are left out of the bootstrap of the averaged curve."""
SIMPLE_LAW_SIZE = 3
"""AICc is used only when it exists for every law with up to this many parameters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedCurve:
    """ln t(n) = sum of w_k ln t_k(n) over the fitted laws k."""

    fits: tuple[LawFit, ...]
    weights: tuple[float, ...]
    basis: str
    """aicc, loo or interpolation."""
    freedom: float
    """Points less the weighted number of parameters."""
    spread: float | None
    """Standard deviation of the log residuals of the averaged curve."""

    def log_time(self, accelerators: Array) -> Array:
        """Return ln t at (G,) counts."""
        total = np.zeros(len(accelerators))
        for fit, weight in zip(self.fits, self.weights, strict=True):
            if weight > 0:
                total += weight * fit.law.log_time(fit.coefficients[None], accelerators)[0]
        return total

    def log_time_without(self, point: int, accelerators: Array) -> Array | None:
        """Return ln t at (G,) counts with one point left out, weights unchanged."""
        total, used = np.zeros(len(accelerators)), 0.0
        for fit, weight in zip(self.fits, self.weights, strict=True):
            if weight > 0 and fit.left_out is not None:
                total += weight * fit.law.log_time(fit.left_out[[point]], accelerators)[0]
                used += weight
        return None if used == 0 else total / used


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveReplicates:
    """Refits of the laws of an averaged curve to B resampled series."""

    fits: tuple[LawFit, ...]
    coefficients: tuple[Array, ...]
    """(B, p) of each law."""
    weights: Array
    """(B, K)."""

    def log_time(self, accelerators: Array) -> Array:
        """Return ln t, shape (B, G)."""
        total = np.zeros((len(self.weights), len(accelerators)))
        for index, (fit, own) in enumerate(zip(self.fits, self.coefficients, strict=True)):
            total += self.weights[:, [index]] * fit.law.log_time(own, accelerators)
        return total


def average_laws(fits: Sequence[LawFit]) -> AveragedCurve | None:
    """Return the averaged curve of laws fitted to the same points, None without any.

    Akaike weights exp(-(AICc - min) / 2) when AICc exists for all simple laws; with fewer
    points pseudo-weights of the leave-one-out error, (mean square)^(-N / 2); through two
    points only the power law, which interpolates them. A law that its bounds reduce to a
    simpler one (USL without coherency is Amdahl's law) is the same curve and counts once.

    Notes
    -----
    Burnham and Anderson, Model Selection and Multimodel Inference, Springer 2002, chapter
    4; Yao et al., "Using stacking to average Bayesian predictive distributions", Bayesian
    Analysis 13 (2018), for pseudo-weights by leave-one-out.
    """
    if not fits:
        return None
    points = len(fits[0].accelerators)
    simple = [fit for fit in fits if fit.law.size <= SIMPLE_LAW_SIZE and not fit.exact]
    exact = [fit for fit in fits if fit.exact]
    if exact and points == exact[0].law.size:
        scores = np.array([0.0 if fit is exact[0] else np.inf for fit in fits])
        basis = BASIS_INTERPOLATION
    elif simple and all(fit.aicc is not None for fit in simple):
        scores = np.array([np.inf if fit.aicc is None else fit.aicc for fit in fits])
        basis = BASIS_AICC
    else:
        scores = np.array([_loo_score(fit, points) for fit in fits])
        basis = BASIS_LOO
    scores[_repeats_simpler(fits)] = np.inf
    if not np.isfinite(scores).any():
        return None
    weights = np.exp(-0.5 * (scores - scores.min()))
    weights /= weights.sum()
    freedom = points - float(weights @ [fit.law.size for fit in fits])
    curve = AveragedCurve(
        fits=tuple(fits),
        weights=tuple(float(w) for w in weights),
        basis=basis,
        freedom=freedom,
        spread=None,
    )
    if basis == BASIS_INTERPOLATION:
        return curve
    residual = fits[0].log_time - curve.log_time(fits[0].accelerators)
    spread = float(np.sqrt((residual**2).sum() / max(freedom, 1.0)))
    return AveragedCurve(
        fits=curve.fits, weights=curve.weights, basis=basis, freedom=freedom, spread=spread
    )


def replicate_curve(
    curve: AveragedCurve, deviations: Array, *, level: float, rng: np.random.Generator
) -> CurveReplicates:
    """Return bootstrap refits of an averaged curve.

    Each series is the averaged curve plus the deviations of the scores (runs, submitters)
    plus normal scatter that brings every point up to the spread of the residuals, so that
    lack of fit is not mistaken for certainty. Weights are found anew for every series
    when they rest on AICc.

    Parameters
    ----------
    curve : AveragedCurve
        What is resampled.
    deviations : array, shape (B, N)
        Log deviations of the points.
    level : float
        Level that the intervals will have; few degrees of freedom widen the scatter.
    rng : numpy.random.Generator
        Source of the scatter.
    """
    counts = curve.fits[0].accelerators
    scatter = (curve.spread or 0.0) ** 2 - deviations.var(axis=0)
    widened = student_expansion(max(curve.freedom, 1.0), level=level)
    series = (
        curve.log_time(counts)
        + deviations
        + widened * np.sqrt(np.maximum(scatter, 0.0)) * rng.standard_normal(deviations.shape)
    )
    chosen = [
        (fit, weight)
        for fit, weight in zip(curve.fits, curve.weights, strict=True)
        if weight >= NEGLIGIBLE_WEIGHT
    ]
    refits = [refit_batch(fit.law, counts, series, centre=fit.coefficients) for fit, _ in chosen]
    if curve.basis == BASIS_AICC:
        squares = np.stack([np.maximum(r.squares, SMALLEST_SQUARES) for r in refits], axis=1)
        penalty = np.array([_penalty(len(counts), fit.law.size) for fit, _ in chosen])
        scores = len(counts) * np.log(squares / len(counts)) + penalty
        weights = np.exp(-0.5 * (scores - scores.min(axis=1, keepdims=True)))
    else:
        weights = np.broadcast_to([weight for _, weight in chosen], (len(series), len(chosen)))
    return CurveReplicates(
        fits=tuple(fit for fit, _ in chosen),
        coefficients=tuple(refit.coefficients for refit in refits),
        weights=weights / weights.sum(axis=1, keepdims=True),
    )


def _repeats_simpler(fits: Sequence[LawFit]) -> list[int]:
    """Return the fits whose curve is that of a law with fewer parameters."""
    return [
        index
        for index, fit in enumerate(fits)
        if any(
            other.law.size < fit.law.size
            and fit.law.response == other.law.response
            and np.isclose(fit.squares, other.squares, rtol=1e-6, atol=SMALLEST_SQUARES)
            for other in fits
        )
    ]


def _penalty(points: int, size: int) -> float:
    estimated = size + 1
    return 2 * estimated + 2 * estimated * (estimated + 1) / (points - estimated - 1)


def _loo_score(fit: LawFit, points: int) -> float:
    if fit.loo_log_error is None:
        return float("inf")
    return points * float(np.log(max(fit.loo_log_error**2, SMALLEST_SQUARES)))
