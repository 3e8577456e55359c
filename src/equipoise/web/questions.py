"""Questions of the pages that no command asks, as answers like all others."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from equipoise.report.footnotes import footnotes
from equipoise.workflow.answer import Answer
from equipoise.workflow.selection import SelectionOptions, select

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue


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


def catalogue_info(catalogue: "Catalogue") -> Answer:
    """Return what the catalogue holds, without the place where it lies."""
    from equipoise.workflow.browse import info

    answer = info(catalogue)
    extra = {name: value for name, value in answer.extra.items() if name != "path"}
    return replace(answer, extra=extra, headline=None)
