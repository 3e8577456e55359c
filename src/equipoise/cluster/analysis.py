"""Stage 2, the whole of it: groups, their members, their number and their stability."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from equipoise.cluster import describe
from equipoise.cluster.choice import SAMPLE, choice_table, silhouettes
from equipoise.cluster.methods import METHODS, Method, group
from equipoise.cluster.methods import method as method_named
from equipoise.cluster.paper import paper_rows
from equipoise.cluster.results import ClusterResult, ClusterRow, KChoice, MemberRow, MethodRow
from equipoise.cluster.space import FEATURES, Space, space
from equipoise.cluster.stability import Stability, bootstrap_stability
from equipoise.domain import Configuration
from equipoise.errors import UsageError
from equipoise.metrics.agreement import adjusted_rand
from equipoise.structs import dataclass
from equipoise.units import duration, figure

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
AUTO = "auto"
PAPER_PRESET = 5
RESAMPLES = 100
NOISE = "in no group (noise)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grouping:
    """Labels of the points with what was found out about them."""

    labels: IntArray
    about: describe.Facts
    words: tuple[str, ...]
    silhouette: FloatArray
    """(n,) NaN where it was not computed."""
    stability: Stability | None
    stable_rows: IntArray
    """Places of the points that the bootstrap looked at."""


def cluster(
    configurations: Sequence[Configuration],
    *,
    k: int | str = PAPER_PRESET,
    method: str = "kmeans",
    features: Sequence[str] = FEATURES,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> ClusterResult:
    """Group configurations by time, use of each accelerator and number of accelerators.

    Features are logarithms, centred on their median and scaled by IQR / 1.349; runs that
    were submitted again count once. Groups are numbered by their median accelerators.

    Parameters
    ----------
    configurations
        Selected configurations: one benchmark, one compatible block.
    k
        Number of groups (5 is the paper's), or `auto`: by silhouette, gap statistic and
        bootstrap stability. Lowered to the number of distinct points with a warning.
    method
        kmeans, mixture, agglomerative or hdbscan (which finds k itself).
    features
        Criteria (or accelerators) that span the space.
    rng
        Source of all randomness: the same generator state gives the same result.
    resamples
        Bootstrap resamples for the stability.

    Raises
    ------
    UsageError
        k is neither a positive number nor `auto`.
    UnknownNameError
        No such method or criterion.

    """
    how, wanted = method_named(method), _requested(k)
    where = space(configurations, features=features)
    notes = list(where.notes)
    if not where.configurations:
        return _nothing(where, how, k)
    wanted = _lowered(wanted, where, how, notes)
    chosen, choices = choice_table(where.points, method=how, requested=wanted, rng=rng)
    labels = group(where.points, method=how, k=chosen, rng=rng)
    found = _grouping(where, labels, how, resamples=resamples, rng=rng)
    rows = _rows(where, found, rng=rng)
    if len(where.points) > SAMPLE:
        notes.append(
            f"Silhouette, gap and stability look at {SAMPLE} of {len(where.points)} points."
        )
    return _assembled(where, found, rows, choices, how, k, notes, rng=rng)


def _requested(k: int | str) -> int | None:
    if isinstance(k, str):
        if k.strip().lower() == AUTO:
            return None
        if not k.strip().isdecimal():
            raise UsageError(f"k is a number of groups or auto, not {k!r}")
        k = int(k)
    if k < 1:
        raise UsageError(f"k is 1 or more, not {k}")
    return k


def _lowered(wanted: int | None, where: Space, how: Method, notes: list[str]) -> int | None:
    if not how.needs_k:
        if wanted is not None:
            notes.append(f"{how.label} finds the number of groups itself.")
        return 1
    if wanted is None or wanted <= where.distinct:
        return wanted
    points = "1 distinct point" if where.distinct == 1 else f"{where.distinct} distinct points"
    each = "it is a group of its own" if where.distinct == 1 else "each is a group of its own"
    notes.append(f"Fewer points than groups: {points}, not {wanted}; {each}.")
    return where.distinct


def _grouping(
    where: Space, labels: IntArray, how: Method, *, resamples: int, rng: np.random.Generator
) -> _Grouping:
    about = describe.describe_facts(where.configurations)
    labels = describe.ordered(labels, about.accelerators, about.table[:, 0])
    n = len(labels)
    rows = np.arange(n) if n <= SAMPLE else np.sort(rng.choice(n, SAMPLE, replace=False))
    width = np.full(n, np.nan)
    found = silhouettes(where.points[rows], labels[rows])
    if found is not None:
        width[rows] = found
    k = int(labels.max(initial=-1)) + 1
    stability = None
    if 1 <= k < where.distinct:
        draws = resamples if how.name == "kmeans" else max(10, resamples // 5)
        stability = bootstrap_stability(
            where.points[rows], labels[rows], method=how, resamples=draws, rng=rng
        )
    return _Grouping(
        labels=labels,
        about=about,
        words=describe.labels_in_words(labels, about),
        silhouette=width,
        stability=stability,
        stable_rows=rows,
    )


def _rows(where: Space, found: _Grouping, *, rng: np.random.Generator) -> tuple[ClusterRow, ...]:
    # a balanced group among single configurations would only be the best configuration
    alone = _all_alone(np.bincount(found.labels[found.labels >= 0]))
    balanced = None if alone else describe.balanced_group(found.labels, found.about)
    rows = []
    for j in range(len(found.words)):
        inside = np.flatnonzero(found.labels == j)
        middle = inside[describe.medoid(where.points[inside], rng=rng)]
        width = found.silhouette[inside]
        width = width[np.isfinite(width)]
        held = found.stability
        rows.append(
            describe.cluster_row(
                j + 1,
                inside,
                found.about,
                label=found.words[j],
                stability=None if held is None else float(held.clusters[j]),
                silhouette=float(width.mean()) if width.size else None,
                medoid_key=where.configurations[int(middle)].key,
                balanced=balanced == j,
            )
        )
    return tuple(rows)


def _all_alone(sizes: IntArray) -> bool:
    return bool(sizes.size) and int(sizes.max()) == 1


def _members(where: Space, found: _Grouping, rows: Sequence[ClusterRow]) -> tuple[MemberRow, ...]:
    typical = {row.medoid for row in rows}
    held = np.full(len(found.labels), np.nan)
    if found.stability is not None:
        held[found.stable_rows] = found.stability.members
    own = [(c, i, None) for i, c in enumerate(where.configurations)]
    copies = [(c, i, where.configurations[i].key) for c, i in where.duplicates]
    table = found.about.table
    result = []
    for c, i, stand_in in (*own, *copies):
        label = int(found.labels[i])
        result.append(
            MemberRow(
                cluster=None if label < 0 else label + 1,
                label=NOISE if label < 0 else found.words[label],
                key=c.key,
                round=c.round,
                submitter=c.submitter,
                system_id=c.system_id,
                division=c.division,
                accelerator_id=c.accelerator_id,
                accelerators=c.accelerators,
                time_to_train_min=c.time_to_train_min,
                throughput_per_accelerator=_known(table[i, 1]),
                accelerator_hours=_known(table[i, 2]),
                efficiency=_known(table[i, 3]),
                stability=_known(held[i]),
                silhouette=_known(found.silhouette[i]),
                medoid=stand_in is None and c.key in typical,
                duplicate_of=stand_in,
            )
        )
    return tuple(sorted(result, key=lambda m: (m.cluster is None, m.cluster or 0)))


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _method_rows(
    where: Space, found: _Grouping, how: Method, *, rng: np.random.Generator
) -> tuple[MethodRow, ...]:
    """Group with every other method at the same k (on the sample) and compare."""
    rows = found.stable_rows
    points, own = where.points[rows], found.labels[rows]
    k = len(found.words)
    result = []
    for other in METHODS.values():
        chosen = other.name == how.name
        labels = own if chosen else group(points, method=other, k=k, rng=rng)
        width = silhouettes(points, labels)
        known = width is not None and bool(np.isfinite(width).any())
        result.append(
            MethodRow(
                method=other.name,
                clusters=int(labels.max(initial=-1)) + 1,
                noise=int((labels < 0).sum()),
                silhouette=float(np.nanmean(width)) if width is not None and known else None,
                agreement=None if chosen else adjusted_rand(own, labels),
                chosen=chosen,
            )
        )
    return tuple(result)


def _assembled(
    where: Space, found: _Grouping, rows: tuple[ClusterRow, ...], choices: tuple[KChoice, ...],
    how: Method, k: int | str, notes: Sequence[str], *, rng: np.random.Generator,
) -> ClusterResult:  # fmt: skip
    balanced = next((row.cluster for row in rows if row.balanced), None)
    alone = _all_alone(np.array([row.size for row in rows], dtype=np.int64))
    largest = rows[-1].cluster if len(rows) > 1 and not alone else None
    width = found.silhouette[np.isfinite(found.silhouette)]
    held = found.stability
    return ClusterResult(
        benchmark=_benchmark(where.configurations),
        method=how.name,
        k=len(rows),
        k_requested=str(k),
        features=where.features,
        configurations=len(where.configurations) + len(where.duplicates),
        distinct=where.distinct,
        clusters=rows,
        members=_members(where, found, rows),
        choices=choices if how.needs_k and where.distinct > 1 else (),
        methods=_method_rows(where, found, how, rng=rng) if where.distinct > 2 else (),
        paper=() if alone else paper_rows(rows, choices, balanced=balanced, largest=largest),
        silhouette=float(width.mean()) if width.size else None,
        stability=None if held is None or not held.clusters.size else float(held.clusters.mean()),
        balanced=balanced,
        largest=largest,
        sentence=_sentence(rows, balanced, largest),
        details=_details(where, how),
        warnings=tuple(notes),
    )


def _sentence(rows: Sequence[ClusterRow], balanced: int | None, largest: int | None) -> str:
    total = sum(row.size for row in rows)
    if not rows:
        return "Every configuration is noise: there are no groups."
    if total == 1:
        return f"There is one configuration only ({rows[0].label}): nothing to group."
    if total == len(rows):
        return f"{total} configurations are too few to group: each is a group of its own."
    if len(rows) == 1:
        return f"All {total} configurations form one group: {rows[0].label}."
    text = f"{total} configurations form {len(rows)} groups."
    for number, what in ((balanced, "balanced"), (largest, "largest")):
        if number is None or (what == "largest" and number == balanced):
            continue
        row = rows[number - 1]
        which = "balanced one is" if what == "balanced" else "largest systems are in"
        text += (
            f" The {which} group {row.cluster} ({row.label}): median "
            f"{figure(row.accelerators_median, 4)} accelerators and "
            f"{duration(row.time_to_train_min_median)}."
        )
    return text


def _details(where: Space, how: Method) -> str:
    return (
        f"{how.label} on the logarithms of {', '.join(where.features) or 'no feature'}, centred on "
        "the median and divided by IQR / 1.349; stability is the mean Jaccard similarity with the "
        "groups of bootstrap resamples."
    )


def _benchmark(configurations: Sequence[Configuration]) -> str | None:
    names = {c.benchmark for c in configurations}
    return names.pop() if len(names) == 1 else None


def _nothing(where: Space, how: Method, k: int | str) -> ClusterResult:
    text = "There is no configuration to group."
    return ClusterResult(
        benchmark=None, method=how.name, k=0, k_requested=str(k), features=where.features,
        configurations=0, distinct=0, clusters=(), members=(), choices=(), methods=(), paper=(),
        silhouette=None, stability=None, balanced=None, largest=None, sentence=text,
        details=_details(where, how), warnings=(*where.notes, text),
    )  # fmt: skip
