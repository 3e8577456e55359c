"""Help pages: sections of options, examples that can be copied, commands in their groups."""

import os
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

import click

from equipoise.cli.declare import DescribedArgument

WIDEST: Final = 100
"""Of a help page, characters."""

EXAMPLE: Final = "Example:"

Loader = Callable[[str, str], click.Command]


class _Formatter(click.HelpFormatter):
    """A formatter with headings that stand out; the terminal alone gets the codes."""

    def write_heading(self, heading: str) -> None:
        if not os.environ.get("NO_COLOR"):
            heading = click.style(heading, bold=True)
        super().write_heading(heading)


class Context(click.Context):
    """A context whose help pages use the width of the terminal, up to a limit."""

    formatter_class = _Formatter

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings["max_content_width"] = WIDEST
        settings["help_option_names"] = ["--help", "-h"]
        super().__init__(*arguments, **settings)


class Command(click.Command):
    """A command whose docstring ends in an example and whose options stand in sections."""

    context_class = Context

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the text before the example, then the example as it is typed."""
        text, _, example = (self.help or "").partition(EXAMPLE)
        formatter.write_paragraph()
        with formatter.indentation():
            for number, paragraph in enumerate(text.strip().split("\n\n")):
                if number:
                    formatter.write_paragraph()
                formatter.write_text(paragraph)
        if example:
            with formatter.section("Example"):
                formatter.write(f"{'':{formatter.current_indent}}{' '.join(example.split())}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options section by section."""
        _write_parameters(self, ctx, formatter)


class Group(click.Group):
    """A group whose commands stand in sections and come from their modules when needed."""

    context_class = Context
    command_class = Command

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._lazy: dict[str, tuple[Loader, str, str]] = {}

    def add_lazy(self, name: str, load: Loader, module: str, section: str = "Commands") -> None:
        """Add a command that is made by `load(module, name)` when it is asked for."""
        self._lazy[name] = (load, module, section)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command, making it the first time."""
        if name not in self.commands and name in self._lazy:
            load, module, _ = self._lazy[name]
            self.add_command(load(module, name), name)
        return self.commands.get(name)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the commands section by section."""
        _write_parameters(self, ctx, formatter)
        sections: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name in self.list_commands(ctx):
            found = self.get_command(ctx, name)
            if found is not None:
                sections[self._lazy[name][2]].append((name, _first_sentence(found)))
        longest = max(len(name) for rows in sections.values() for name, _ in rows)
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl([(name.ljust(longest), text) for name, text in rows])


def _first_sentence(command: click.Command) -> str:
    text = (command.help or "").partition("\n\n")[0]
    return " ".join(text.partition(EXAMPLE)[0].split())


def _write_parameters(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    sections: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for item in command.get_params(ctx):
        if isinstance(item, DescribedArgument):
            sections["Arguments"].append((item.make_metavar(ctx), item.description))
        elif (row := item.get_help_record(ctx)) is not None:
            sections[getattr(item, "section", None) or "Options"].append(row)
    # the parser puts its own --help last, behind the sections: it belongs to the first
    for section in sorted(sections, key=lambda name: (name != "Arguments", name != "Options")):
        with formatter.section(section):
            formatter.write_dl(sections[section])
