"""The command that writes reports: one file to mail, a folder, or the dashboard as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from equipoise.cli import completion
from equipoise.cli.declare import Argument, Option
from equipoise.cli.options import Groups, RankingMethod, Resamples, Seed, Weights
from equipoise.extras import need
from equipoise.workflow.answer import Answer

if TYPE_CHECKING:
    from equipoise.catalogue import Catalogue

PICTURES = ("svg", "png")


def report(
    catalogue: "Catalogue",
    selection: dict[str, Any],
    benchmark: Annotated[
        str | None,
        Argument(
            help="Benchmark: id, pretty name or alias.",
            metavar="BENCHMARK",
            names=completion.benchmarks,
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None,
        Option("--out", "-o", help="File (.html), or folder for page, tables and charts."),
    ] = None,
    site: Annotated[
        Path | None,
        Option("--site", help="Folder for all read-only pages of the dashboard as files."),
    ] = None,
    systems: Annotated[
        bool, Option("--systems/--no-systems", help="With --site: a page for every system.")
    ] = True,
    k: Groups = "5",
    method: RankingMethod = "topsis",
    weights: Weights = "equal",
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> Answer:
    """Write a study as a page to mail, as a folder, or the whole dashboard as files.

    Example: equipoise report resnet --out resnet.html
    """
    from equipoise.errors import UsageError
    from equipoise.workflow.study import study as run_study

    if site is not None:
        if benchmark is not None or out is not None:
            raise UsageError("--site writes all benchmarks: give neither BENCHMARK nor --out")
        return _site(catalogue, site, systems=systems)
    if benchmark is None or out is None:
        raise UsageError("give BENCHMARK and --out FILE.html or --out DIR; or --site DIR")
    need("charts", "a report", "vl_convert")
    answer = run_study(
        catalogue,
        benchmark,
        k=k,
        method=method,
        weights=weights,
        resamples=resamples,
        seed=seed,
        **selection,
    )
    written = (
        _file(answer, out) if out.suffix.lower() in (".html", ".htm") else _folder(answer, out)
    )
    return Answer(
        command="report",
        tables={"files": [{"path": str(path), "bytes": path.stat().st_size} for path in written]},
        selection=answer.selection,
        headline=answer.headline,
        footnotes=answer.footnotes,
        warnings=answer.warnings,
    )


def _file(answer: Answer, path: Path) -> list[Path]:
    from equipoise.cli.show import write_file
    from equipoise.workflow.study import study_report

    write_file(path, study_report(answer))
    return [path]


def _folder(answer: Answer, folder: Path) -> list[Path]:
    """Write the page, every table as CSV, everything as JSON and every chart as a picture."""
    from equipoise.cli.show import write_file
    from equipoise.report.export import save
    from equipoise.report.sections import study_page
    from equipoise.report.tables import render

    written = _file(answer, folder / "index.html")
    for name in answer.tables:
        path = folder / "tables" / f"{name}.csv"
        write_file(path, render(answer, form="csv", table=name))
        written.append(path)
    path = folder / "tables" / "study.json"
    write_file(path, render(answer, form="json"))
    written.append(path)
    (folder / "charts").mkdir(exist_ok=True)
    for section in study_page(answer.result)["sections"]:
        for item in section.figures:
            for ending in PICTURES:
                picture = folder / "charts" / f"{item.figure.name}.{ending}"
                save(item.figure, picture)
                written.append(picture)
    return written


def _site(catalogue: "Catalogue", folder: Path, *, systems: bool) -> Answer:
    from equipoise.cli.progress import progress

    need("web", "the dashboard")
    from equipoise.web.site import export_site

    with progress("pages", unit="") as advance:
        files = export_site(catalogue.path, folder, systems=systems, progress=advance)
    start = folder / "index.html"
    return Answer(
        command="report",
        tables={"files": [{"path": str(start), "files": files}]},
        headline=f"{files:,d} files; open {start}",
    )
