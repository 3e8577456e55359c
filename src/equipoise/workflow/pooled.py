"""The pooled model of a catalogue: fitted once, kept beside it or in the user's cache."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import DataError

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.scaling.pooled import PooledModel

KEPT: Final = 8
"""Models kept in the user's cache; the oldest go first."""

NOT_LEARNT: Final = frozenset({"v0.5"})
"""Rounds that the model does not learn from. The first has lower quality targets, no rules that
a program checked and no count of accelerators for clusters, and the accuracy that comes with the
package was measured without it."""

_fitted: "WeakKeyDictionary[Catalogue, tuple[str, PooledModel]]" = WeakKeyDictionary()


def pooled_model(catalogue: "Catalogue") -> "PooledModel":
    """Return the pooled model of everything the catalogue holds.

    A model is kept in memory and in the user's cache under a key of the catalogue's
    manifest, the facts and the code version, so that a change of any of them fits anew.

    Raises
    ------
    NothingFoundError
        No closed configuration to learn from.
    """
    from equipoise.scaling.pooled import fit_pooled, model_key

    key = model_key(catalogue.follow().to_bytes())
    known = _fitted.get(catalogue)
    if known is not None and known[0] == key:
        return known[1]
    model = _stored(key)
    if model is None:
        model = fit_pooled(all_configurations(catalogue))
        key = model_key(catalogue.manifest.to_bytes())  # replaced while it was read
        _store(key, model)
    _fitted[catalogue] = key, model
    return model


def all_configurations(catalogue: "Catalogue") -> tuple[Configuration, ...]:
    """Return the closed configurations to learn from, resubmitted ones once."""
    return tuple(
        configuration
        for benchmark in catalogue.benchmarks()
        for configuration in catalogue.configurations(
            benchmark=benchmark, rounds=facts.every_round(benchmark), divisions=("closed",)
        )
        if configuration.round not in NOT_LEARNT
    )


def cache_folder() -> Path:
    """Return the folder for what can be made again: XDG_CACHE_HOME or the system's place."""
    given = os.environ.get("XDG_CACHE_HOME")
    if given:
        return Path(given) / "equipoise"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "equipoise"
    return Path.home() / ".cache" / "equipoise"


def _stored(key: str) -> "PooledModel | None":
    from equipoise.scaling.pooled import PooledModel

    try:
        return PooledModel.from_bytes((cache_folder() / f"pooled-{key}.npz").read_bytes())
    except (OSError, DataError):  # not there, or not usable any more: it is fitted anew
        return None


def _store(key: str, model: "PooledModel") -> None:
    folder = cache_folder()
    beside = folder / f".pooled-{os.getpid()}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(model.to_bytes())
        beside.replace(folder / f"pooled-{key}.npz")
        for old in sorted(folder.glob("pooled-*.npz"), key=lambda p: -p.stat().st_mtime)[KEPT:]:
            old.unlink(missing_ok=True)
    except OSError:  # a read-only or full disk only costs the next fit
        beside.unlink(missing_ok=True)
