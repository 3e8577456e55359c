"""equipoise: which accelerator configuration should train a model, and how many are worth it.

>>> import equipoise as eq
>>> eq.__version__
'0.1.0'

The names below load what they need at first use; importing the package is cheap.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_EXPORTS = {
    "Answer": "equipoise.workflow.answer",
    "Catalogue": "equipoise.catalogue",
    "EquipoiseError": "equipoise.errors",
    "advise": "equipoise.workflow.decisions",
    "breakeven": "equipoise.workflow.analyses",
    "build_catalogue": "equipoise.workflow.reading",
    "cluster": "equipoise.workflow.analyses",
    "compare": "equipoise.workflow.decisions",
    "importance": "equipoise.workflow.analyses",
    "open_catalogue": "equipoise.workflow.reading",
    "predict": "equipoise.workflow.prediction",
    "rank": "equipoise.workflow.analyses",
    "read_scores": "equipoise.workflow.reading",
    "reproduce": "equipoise.workflow.reproduce",
    "scaling": "equipoise.workflow.analyses",
    "study": "equipoise.workflow.study",
    "study_scaling": "equipoise.workflow.paper2",
    "suggest": "equipoise.workflow.accuracy",
    "trends": "equipoise.workflow.decisions",
    "validate": "equipoise.workflow.accuracy",
}


if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue
    from equipoise.errors import EquipoiseError
    from equipoise.workflow.accuracy import suggest, validate
    from equipoise.workflow.analyses import breakeven, cluster, importance, rank, scaling
    from equipoise.workflow.answer import Answer
    from equipoise.workflow.decisions import advise, compare, trends
    from equipoise.workflow.paper2 import study_scaling
    from equipoise.workflow.prediction import predict
    from equipoise.workflow.reading import build_catalogue, open_catalogue, read_scores
    from equipoise.workflow.reproduce import reproduce
    from equipoise.workflow.study import study


__all__ = [
    "Answer",
    "Catalogue",
    "EquipoiseError",
    "__version__",
    "advise",
    "breakeven",
    "build_catalogue",
    "cluster",
    "compare",
    "importance",
    "open_catalogue",
    "predict",
    "rank",
    "read_scores",
    "reproduce",
    "scaling",
    "study",
    "study_scaling",
    "suggest",
    "trends",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'equipoise' has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Layer(ModuleType):
    """A package such as `equipoise.rank` that is also the question of the same name."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        name = self.__name__.rpartition(".")[2]
        return getattr(import_module(_EXPORTS[name]), name)(*arguments, **options)


class _Package(ModuleType):
    """Keeps `eq.rank(...)` a question although the import system binds the layer there."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _EXPORTS and isinstance(value, ModuleType):
            value.__class__ = _Layer
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
