"""The application: global options and the groups of commands."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise import __version__
from equipoise.cli import analyse, browse, decide, read, report, serve
from equipoise.cli.command import Globals

app = typer.Typer(
    name="equipoise",
    help="Which accelerator configuration should train your model, and how many accelerators "
    "are worth it: evidence from MLPerf Training and your own runs.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Examples: equipoise study resnet | equipoise breakeven llama2_70b_lora --round v4.1 "
    "| equipoise scores results.tar.zst --format json",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"equipoise {__version__}")
        raise typer.Exit


@app.callback()
def _globals(
    ctx: typer.Context,
    catalogue: Annotated[
        Path | None,
        typer.Option(
            "--catalogue",
            envvar="EQUIPOISE_CATALOGUE",
            help="Folder of the catalogue. Default: the bundled one.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="More messages.")] = False,
    no_color: Annotated[
        bool, typer.Option("--no-color", envvar="NO_COLOR", help="No colours.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show version."),
    ] = False,
) -> None:
    ctx.obj = Globals(catalogue=catalogue, quiet=quiet, verbose=verbose, color=not no_color)


analyse.register(app)
decide.register(app)
read.register(app)
browse.register(app)
report.register(app)
serve.register(app)
