"""The application: global options, and where each command is found."""

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import click

from equipoise import __version__
from equipoise.cli.command import Globals, command, parameters_of
from equipoise.cli.completion import SHELLS, completion_script
from equipoise.cli.declare import Option
from equipoise.cli.help import Group

COMMANDS: Final[Mapping[str, Mapping[str, str]]] = {
    "The three stages": dict.fromkeys(("study", "importance", "cluster", "rank"), "analyse"),
    "Scaling": dict.fromkeys(("scaling", "breakeven", "study-scaling", "reproduce"), "analyse"),
    "Predict and decide": dict.fromkeys(
        ("predict", "suggest", "validate", "advise", "compare", "trends"), "decide"
    ),
    "Reading results": dict.fromkeys(("scores", "ingest"), "read"),
    "The catalogue": dict.fromkeys(("list", "show", "sql"), "browse"),
    "Reports and the dashboard": {"report": "report", "serve": "serve"},
}
"""Section of the help -> command -> module, which is loaded when the command is run."""

CATALOGUE_COMMANDS: Final = ("info", "check", "path")


def _globals(
    ctx: click.Context,
    *,
    catalogue: Annotated[
        Path | None,
        Option(
            "--catalogue",
            envvar="EQUIPOISE_CATALOGUE",
            help="Folder of the catalogue. Default: the bundled one.",
        ),
    ] = None,
    quiet: Annotated[bool, Option("--quiet", "-q", help="No messages.")] = False,
    verbose: Annotated[bool, Option("--verbose", "-v", help="More messages.")] = False,
    no_color: Annotated[
        bool, Option("--no-color", help="No colours; so does the environment variable NO_COLOR.")
    ] = False,
) -> None:
    color = not no_color and not os.environ.get("NO_COLOR")
    ctx.obj = Globals(catalogue=catalogue, quiet=quiet, verbose=verbose, color=color)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"equipoise {__version__}")
        ctx.exit()


def _completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is not None:
        click.echo(completion_script(shell))
        ctx.exit()


def _loader(module: str, name: str) -> click.Command:
    functions = import_module(f"equipoise.cli.{module}")
    attribute = {"list": "list_"}.get(name, name.replace("-", "_"))
    return command(name, getattr(functions, attribute))


def application() -> Group:
    """Return the command line; commands are loaded when they are asked for."""
    app = Group(
        name="equipoise",
        help="Which accelerator configuration should train your model, and how many accelerators "
        "are worth it: evidence from MLPerf Training and your own runs.",
        epilog="Examples: equipoise study resnet | equipoise breakeven llama2_70b_lora --round "
        "v4.1 | equipoise scores results.tar.zst --format json",
        no_args_is_help=True,
        callback=click.pass_context(_globals),
        params=[
            *parameters_of(_globals),
            click.Option(
                ["--show-completion"],
                type=click.Choice(SHELLS),
                expose_value=False,
                is_eager=True,
                callback=_completion,
                help="Print what the shell needs to complete commands, options and names; "
                "see docs/index.md.",
            ),
            click.Option(
                ["--version", "-V"],
                is_flag=True,
                expose_value=False,
                is_eager=True,
                callback=_version,
                help="Show the version.",
            ),
        ],
    )
    catalogue = Group(
        name="catalogue",
        help="What is in the catalogue, whether it is whole, and where it is.",
        no_args_is_help=True,
    )
    for name in CATALOGUE_COMMANDS:
        catalogue.add_lazy(name, _loader, "browse")
    for section, names in COMMANDS.items():
        for name, module in names.items():
            app.add_lazy(name, _loader, module, section=section)
    app.add_lazy("catalogue", lambda *_: catalogue, "", section="The catalogue")
    return app
