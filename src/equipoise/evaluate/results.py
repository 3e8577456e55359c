"""What stage 1 hands on: frozen rows whose field names are the JSON field names."""

from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """How well the model predicts configurations of groups it has never seen."""

    r2: float | None
    """Share of the variance of the (log) target explained on held-out groups; may be < 0."""
    r2_low: float | None
    r2_high: float | None
    """90 % interval: bootstrap over the held-out groups."""
    mdape: float | None
    """Median absolute relative error of held-out predictions, as a share (0.2 = 20 %)."""
    floor: float
    """Importances are withheld when `r2` is below this."""
    trusted: bool
    n: int
    """Configurations predicted while held out."""
    groups: int
    """Groups (system family and round) kept together in the folds."""
    folds: int
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableImportance:
    """One variable, or one set of variables that cannot be told apart."""

    variable: str
    """Name of the variable that stands for the set: the one best known."""
    label: str
    importance: float
    """Share of the variance that the set explains, alone and with others: half the rise of the
    held-out squared error when it is shuffled, over the variance (may pass 1)."""
    low: float
    high: float
    """90 % interval: folds x shuffles x bootstrap over groups; covers 0 = no effect seen."""
    rank: int
    agreement: float
    """Share of the three methods that say the variable matters: 0, 1/3, 2/3 or 1."""
    n: int
    """Configurations where the variable is known."""
    members: tuple[str, ...]
    """Variables shuffled together because they are correlated (this one included)."""
    matters: bool
    """`low` > 0."""
    mutual_information: float | None
    """Mutual information with the target, nats."""
    mutual_information_matters: bool
    """Above the 95 % quantile under shuffled targets."""
    linear: float | None
    """Largest absolute standardised coefficient of the set in the sparse linear model."""
    linear_matters: bool
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencePoint:
    """Partial dependence: the predicted target with one variable set to one value."""

    variable: str
    value: float | None
    """Value of a numeric variable, else None."""
    category: str | None
    """Value of a categorical variable, else None."""
    target: float
    """Predicted target in its own unit (geometric mean for a log target)."""
    low: float
    high: float
    """Least and greatest over the models of the folds."""
    n: int
    """Configurations at this value, or nearer to it than to its neighbours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedEffect:
    """Whether one variable matters where accelerator, count and round are the same."""

    variable: str
    label: str
    question: str
    """interconnect, network or host."""
    strata: int
    """Sets with one accelerator, count, round and benchmark in which the variable varies."""
    n: int
    """Configurations in those sets."""
    explained: float | None
    """Share of the variance of the log target inside the sets that the variable explains."""
    change: float | None
    """Numeric variable: relative change of the target per doubling (-0.05 = 5 % less)."""
    low: float | None
    high: float | None
    """90 % interval of `change`: bootstrap over the sets."""
    p_value: float | None
    """Share of shuffles inside the sets that explain at least as much."""
    verdict: str
    """matters, no effect seen, or cannot be told."""
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageRow:
    """For how many configurations a variable is known."""

    variable: str
    label: str
    theme: str
    unit: str | None
    known: int
    n: int
    """Configurations looked at."""
    high: int
    medium: int
    low: int
    """Known values by confidence of the reading."""
    distinct: int
    """Distinct values."""
    used: bool
    """Whether the model can use it: known for enough configurations and not constant."""
    reason: str | None
    """Why it is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportanceResult:
    """Stage 1: which variables matter for the target, and how far to believe it."""

    benchmark: str | None
    target: str
    target_unit: str
    target_log: bool
    configurations: int
    """Configurations with a value of the target."""
    skill: Skill | None
    """None when there are too few configurations for a held-out test."""
    withheld: bool
    """True when the skill is below the floor: `variables` and `dependence` are then empty."""
    variables: tuple[VariableImportance, ...]
    dependence: tuple[DependencePoint, ...]
    fixed: tuple[FixedEffect, ...]
    """Answers "do interconnect and CPU matter?" at fixed accelerator and count."""
    coverage: tuple[CoverageRow, ...]
    rank_agreement: tuple[tuple[str, str, float], ...]
    """Kendall's tau-b between the orders of two of the three methods."""
    sentence: str
    method: str
    """Models, folds, shuffles and what was subsampled, in words."""
    warnings: tuple[str, ...] = ()
