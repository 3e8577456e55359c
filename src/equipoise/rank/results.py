"""What stage 3 returns: frozen rows whose field names are the JSON field names."""

from collections.abc import Mapping
from dataclasses import field

from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One configuration with its rank, how sure the rank is, and why it is there."""

    rank: int
    """1 is best; equal scores share a rank and the next one is skipped (1, 2, 2, 4)."""
    rank_low: int
    """Best rank of the interval from score noise and weight perturbation."""
    rank_high: int
    score: float | None
    """Score of the method in its own direction (see `RankResult.score_direction`); None
    when no criterion separates the configurations."""
    round: str
    submitter: str
    system_id: str
    benchmark: str
    division: str
    availability: str | None
    accelerator_id: str | None
    accelerator_model: str | None
    accelerators: int
    nodes: int | None
    time_to_train_min: float
    criteria: Mapping[str, float]
    """Value of every criterion that was used, in the unit of the criterion."""
    contributions: Mapping[str, float]
    """What each criterion adds (+) or takes (-) compared with the average configuration."""
    probability_top1: float | None
    probability_top3: float | None
    probability_top10: float | None
    pareto: bool
    """Whether no other configuration is at least as good in everything and better in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRow:
    """One criterion of the ranking: its direction, weight and whether it was used."""

    criterion: str
    unit: str
    direction: str
    """min (less is better) or max."""
    weight: float
    """Share of the weight, the used ones sum to 1; 0 when set aside."""
    weight_low: float | None
    """5 % point of the perturbed weights."""
    weight_high: float | None
    coverage: float
    """Share of the configurations that have a value."""
    used: bool
    reason: str | None
    """Why it was set aside; None when used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """Kendall's tau-b between the rankings of two methods, -1 to 1."""

    method: str
    other: str
    kendall_tau: float | None
    """None when one of the two rankings has nothing but ties."""
    same_first: bool
    """Whether the two methods share a configuration at rank 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversalResult:
    """What happens to the order when a clearly worse alternative is added."""

    reversed_pairs: int
    """Pairs of configurations whose strict order turns round."""
    pairs: int
    """Pairs that are strictly ordered without the worse alternative."""
    first_changed: bool
    largest_shift: int
    """Largest change of a rank."""
    share: float
    """reversed_pairs / pairs; 0 when there are no pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A configuration that could not be ranked, and why."""

    round: str
    submitter: str
    system_id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankResult:
    """The ranking of configurations by several criteria with its robustness."""

    method: str
    weights: str
    """Name of the weighting, or `user`."""
    score_direction: str
    """max: a higher score is better (TOPSIS, PROMETHEE II, WASPAS); min: a lower one."""
    scale: str
    """log: criteria whose ratios count are compared on a log scale; raw: as they are."""
    ranking: tuple[RankingRow, ...]
    """Best first; equal ranks in the order of round, submitter and system."""
    criteria: tuple[CriterionRow, ...]
    agreement: tuple[AgreementRow, ...]
    reversal: ReversalResult | None
    set_aside: tuple[SetAside, ...]
    resamples: int
    """Resamples really drawn (fewer than asked for on very large input, with a warning)."""
    level: float
    """Coverage of rank_low..rank_high."""
    why_first: str
    """One sentence on the leader; empty when nothing could be ranked."""
    notes: tuple[str, ...] = ()
    """What the method itself says beside the scores, such as VIKOR's compromise set."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """One named alternative of a plain decision matrix."""

    name: str
    rank: int
    score: float | None
    contributions: Mapping[str, float]
    pareto: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixResult:
    """The ranking of a plain decision matrix, in the order of its rows."""

    method: str
    score_direction: str
    ranking: tuple[MatrixRow, ...]
    criteria_used: tuple[str, ...]
    weights: Mapping[str, float]
    set_aside: Mapping[str, str] = field(default_factory=dict)
    """Alternatives that lack a value of a used criterion, with the reason."""
    warnings: tuple[str, ...] = ()

    @property
    def ranks(self) -> dict[str, int]:
        """Return name -> rank of everything that was ranked."""
        return {row.name: row.rank for row in self.ranking}
