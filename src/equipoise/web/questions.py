"""Questions of the pages that no command asks, as answers like all others."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Unpack

from equipoise.report.footnotes import footnotes
from equipoise.workflow.answer import Answer
from equipoise.workflow.selection import SelectionOptions, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equipoise.catalogue import Catalogue


USUAL_VALIDATION: Final = {"baselines": True, "seed": 0}


def configurations(
    catalogue: "Catalogue", benchmark: str, **options: Unpack[SelectionOptions]
) -> Answer:
    """Return the configurations that every analysis of this selection starts from."""
    selection, found = select(catalogue, benchmark, **options)
    ordered = sorted(found, key=lambda c: (c.time_to_train_min, c.key))
    return Answer(
        command="configurations",
        tables={"configurations": ordered},
        selection=selection.to_dict(),
        footnotes=footnotes(
            rounds=tuple(dict.fromkeys(c.round for c in found)),
            divisions=tuple(dict.fromkeys(c.division for c in found)),
            derived=False,
        ),
        result=found,
    )


def rank(catalogue: "Catalogue", benchmark: str, **options: Any) -> Answer:
    """Return the ranking; criteria come as one text, separated by commas."""
    from equipoise.workflow.analyses import rank as ask

    text = options.pop("criteria", None)
    names = tuple(name.strip() for name in text.split(",")) if text else None
    return ask(catalogue, benchmark, criteria=names, **options)


def study_scaling(catalogue: "Catalogue", *, paper: bool = True, **options: Any) -> Answer:
    """Return the second paper's four workloads; there is no other setting to ask for."""
    from equipoise.errors import UsageError
    from equipoise.workflow.paper2 import study_scaling as ask

    if not paper:
        raise UsageError("there is no other setting than the paper's: leave paper out")
    return ask(catalogue, **options)


def predict(catalogue: "Catalogue", benchmark: str | None = None, **options: Any) -> Answer:
    """Return predictions; without a benchmark those of the user's own job."""
    from equipoise.workflow.prediction import predict as ask

    return ask(catalogue, benchmark, **options)


def advise(catalogue: "Catalogue", *, measured_only: bool = False, **options: Any) -> Answer:
    """Return advice, on request without predicted sizes."""
    from equipoise.workflow.decisions import advise as ask

    return ask(catalogue, predicted=not measured_only, **options)


def validate(catalogue: "Catalogue", *, protocols: "Sequence[str]" = (), **options: Any) -> Answer:
    """Return the accuracy of the predictors: as stored, or measured in this process alone."""
    from equipoise.workflow.accuracy import validate as ask

    if not protocols and options in ({}, USUAL_VALIDATION):
        stored = stored_accuracy(catalogue)
        if stored is not None:
            return stored
    return ask(catalogue, protocols=protocols, workers=1, **options)


def stored_accuracy(catalogue: "Catalogue") -> Answer | None:
    """Return the accuracy that was measured beforehand on these same results, if it was."""
    from equipoise.scaling.pooled.points import pool_points
    from equipoise.scaling.validate_stored import stored_accuracy as stored
    from equipoise.workflow.pooled import all_configurations

    try:
        found = stored()
    except FileNotFoundError:
        return None
    points = pool_points(all_configurations(catalogue))
    present = (len(points), sum(len(point.submitters) for point in points))
    if present != (found.points, found.configurations):
        return None
    return Answer(
        command="validate",
        tables={"accuracy": found.accuracy},
        selection={
            "protocols": list(dict.fromkeys(row.protocol for row in found.accuracy)),
            "points": found.points,
            "configurations": found.configurations,
            "rounds": list(found.rounds),
        },
        extra={"command": found.command},
        footnotes=footnotes(rounds=found.rounds, divisions=("closed",), derived=True),
    )


def catalogue_info(catalogue: "Catalogue") -> Answer:
    """Return what the catalogue holds, without the place where it lies."""
    from equipoise.workflow.browse import info

    answer = info(catalogue)
    extra = {name: value for name, value in answer.extra.items() if name != "path"}
    return replace(answer, extra=extra, headline=None)
