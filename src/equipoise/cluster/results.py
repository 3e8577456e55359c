"""What stage 2 hands on: frozen rows whose field names are the JSON field names."""

from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    """One group of configurations, described from its own numbers."""

    cluster: int
    """1 for the group with the fewest accelerators (median), then upwards."""
    label: str
    size: int
    """Distinct configurations."""
    time_to_train_min_median: float
    time_to_train_min_low: float
    time_to_train_min_high: float
    throughput_per_accelerator_median: float | None
    throughput_per_accelerator_low: float | None
    throughput_per_accelerator_high: float | None
    accelerator_hours_median: float | None
    accelerator_hours_low: float | None
    accelerator_hours_high: float | None
    efficiency_median: float | None
    efficiency_low: float | None
    efficiency_high: float | None
    """`_low` and `_high` are the least and greatest value in the group."""
    accelerators_min: int
    accelerators_median: float
    accelerators_max: int
    newest_share: float | None
    """Share of configurations with an accelerator of the newest generation of the data."""
    release_year_median: float | None
    """Median year in which the accelerators of the group came out."""
    families: str
    """Accelerator families and their counts, most frequent first."""
    stability: float | None
    """Mean bootstrap Jaccard similarity: > 0.75 stable, < 0.5 dissolves (Hennig 2007)."""
    silhouette: float | None
    medoid: str
    """Key of the typical configuration: least summed distance to the others."""
    balanced: bool
    """Whether this is the group that uses its accelerators best while still fast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """One configuration and the group that it is in."""

    cluster: int | None
    """None for noise (HDBSCAN only)."""
    label: str
    key: str
    round: str
    submitter: str
    system_id: str
    division: str
    accelerator_id: str | None
    accelerators: int
    time_to_train_min: float
    throughput_per_accelerator: float | None
    accelerator_hours: float | None
    efficiency: float | None
    stability: float | None
    """Share of the bootstrap samples in which the configuration stays in this group."""
    silhouette: float | None
    medoid: bool
    duplicate_of: str | None
    """Key of the configuration that stands for this one in the grouping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KChoice:
    """One number of groups with every criterion that speaks for or against it."""

    k: int
    silhouette: float | None
    gap: float | None
    gap_error: float | None
    """Standard error of the gap statistic (Tibshirani, Walther and Hastie 2001)."""
    stability: float | None
    """Mean over the groups of the bootstrap Jaccard similarity."""
    stability_least: float | None
    """The same of the least stable group."""
    votes: int
    """Of silhouette, gap and stability: how many prefer this k."""
    chosen: bool
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRow:
    """One clustering method beside the chosen one, at the same number of groups."""

    method: str
    clusters: int
    noise: int
    silhouette: float | None
    agreement: float | None
    """Adjusted Rand index with the chosen method's groups."""
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRow:
    """One statement of paper 1 about its five groups against these groups."""

    claim: str
    cluster: int | None
    """The group that comes closest."""
    closeness: float | None
    """0 (nothing of it) to 1 (as in the paper)."""
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterResult:
    """Stage 2: the groups, their members, the choice of k and how far to believe them."""

    benchmark: str | None
    method: str
    k: int
    """Number of groups found."""
    k_requested: str
    """What was asked for: a number or auto."""
    features: tuple[str, ...]
    """Criteria that span the space, each as its logarithm, robustly standardised."""
    configurations: int
    distinct: int
    """Distinct points after duplicates are counted once."""
    clusters: tuple[ClusterRow, ...]
    members: tuple[MemberRow, ...]
    choices: tuple[KChoice, ...]
    methods: tuple[MethodRow, ...]
    paper: tuple[PaperRow, ...]
    silhouette: float | None
    stability: float | None
    balanced: int | None
    """Cluster that uses its accelerators best."""
    largest: int | None
    """Cluster with the most accelerators (median)."""
    sentence: str
    details: str
    """Space, bootstrap and what was subsampled, in words."""
    warnings: tuple[str, ...] = ()
