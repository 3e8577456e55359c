"""Commands that look into a catalogue."""

from typing import TYPE_CHECKING, Annotated

from equipoise.cli.declare import Argument, Option
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue


def info(catalogue: "Catalogue") -> Answer:
    """Show the rounds of the catalogue with their numbers of systems, runs, scores and rejections.

    Example: equipoise catalogue info
    """
    from equipoise.workflow import browse

    return browse.info(catalogue)


def check(catalogue: "Catalogue") -> Answer:
    """Verify every file of the catalogue and its invariants.

    Example: equipoise catalogue check
    """
    from equipoise.workflow import browse

    return browse.check(catalogue)


def path(catalogue: "Catalogue") -> Answer:
    """Show where the catalogue is.

    Example: equipoise catalogue path
    """
    from equipoise.workflow import browse

    return browse.path(catalogue)


def list_(
    catalogue: "Catalogue",
    what: Annotated[
        str,
        Argument(
            metavar="WHAT",
            help="rounds, benchmarks, accelerators, prices, systems, scores or rejections.",
        ),
    ],
    *,
    round: Annotated[  # noqa: A002  (the name of the option)
        list[str] | None, Option("--round", help="Only these rounds.")
    ] = None,
) -> Answer:
    """List rounds, benchmarks, accelerators, prices, systems, scores or rejections.

    Example: equipoise list accelerators --format csv
    """
    from equipoise.workflow import browse

    return browse.list_things(catalogue, what, rounds=tuple(round or ()))


def show(
    catalogue: "Catalogue",
    system_id: Annotated[
        str, Argument(metavar="SYSTEM_ID", help="System id, or round/submitter/system id.")
    ],
) -> Answer:
    """Show one system: its facts, its scores and where they come from.

    Example: equipoise show v4.1/NVIDIA/eos_n8_ngc24.09_pytorch
    """
    from equipoise.workflow import browse

    return browse.show(catalogue, system_id)


def sql(
    catalogue: "Catalogue",
    query: Annotated[str, Argument(metavar="QUERY", help="One SELECT statement.")],
) -> Answer:
    """Run a read-only SQL query over the tables rounds, systems, runs, scores, rejections.

    Example: equipoise sql "select round, count(*) from scores group by 1 order by 1"
    """
    from equipoise.workflow import browse

    return browse.sql(catalogue, query)
