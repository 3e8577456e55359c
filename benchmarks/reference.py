"""Write docs/reference/: command line, Python, HTTP and licences, each from the code itself.

Usage: python benchmarks/reference.py [--check]

`--check` changes nothing and leaves with code 1 where a page is out of date;
`tests/docs/test_reference.py` does so for all but the licences, which depend on what is
installed.
"""

import inspect
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import click

import equipoise as eq
from equipoise.cli.app import application
from equipoise.cli.declare import DescribedArgument, SectionedOption
from equipoise.web.api import document
from equipoise.workflow.selection import SelectionOptions

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "reference"
MOST_NAMES = 12
"""A longer list of names is counted, not written out."""
MADE = "<!-- written by benchmarks/reference.py -->\n"


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def _options(command) -> list[str]:
    lines = ["| option | what | default |", "|---|---|---|"]
    for item in command.params:
        if isinstance(item, DescribedArgument):
            name, text, default = item.metavar or "", item.description, None
        else:
            name = ", ".join([*item.opts, *item.secondary_opts])
            text = item.described() if isinstance(item, SectionedOption) else item.help
            default = item.default if item.show_default or item.secondary_opts else None
        shown = "" if default is None else getattr(default, "value", default)
        lines.append(f"| `{_cell(name)}` | {_cell(text or '')} | {_cell(shown)} |")
    return [*lines, ""] if len(lines) > 2 else []


def _command(name: str, command, depth: int = 2) -> list[str]:
    lines = [f"{'#' * depth} equipoise {name}", ""]
    text = inspect.cleandoc(command.help or "").replace("\f", "")
    body, _, example = text.partition("Example: ")
    lines += [body.strip(), ""]
    if example:
        lines += [f"Example: `{' '.join(example.split())}`", ""]
    lines += _options(command)
    for child, sub in _children(command):
        lines += _command(f"{name} {child}", sub, depth + 1)
    return lines


def _children(command):
    if not isinstance(command, click.Group):
        return []
    context = click.Context(command)
    return [(name, command.get_command(context, name)) for name in command.list_commands(context)]


def cli() -> str:
    """Return the reference of the command line."""
    root = application()
    lines = ["# Command line", "", MADE, inspect.cleandoc(root.help or ""), ""]
    lines += [
        "Exit codes: 0 done, 1 something failed, 2 a mistake in the request, 3 nothing found or "
        "nothing feasible. [Completion](../index.md#completion-in-the-shell) in the shell is one "
        "line.",
        "",
        "## Before the command",
        "",
        *_options(root),
    ]
    for name, command in _children(root):
        lines += _command(name, command)
    return "\n".join(lines).rstrip() + "\n"


def python() -> str:
    """Return the reference of the package."""
    lines = ["# Python", "", MADE, "```text", "import equipoise as eq", "```", ""]
    lines += ["`**options` are the options of a selection, the same names everywhere:", ""]
    lines += ["| option | type |", "|---|---|"]
    for name, kind in SelectionOptions.__annotations__.items():
        shown = getattr(kind, "__name__", None) if isinstance(kind, type) else str(kind)
        shown = str(kind) if "[" in str(kind) else shown
        lines.append(f"| `{name}` | `{_cell(str(shown).replace('collections.abc.', ''))}` |")
    lines.append("")
    for name in eq.__all__:
        if name.startswith("__"):
            continue
        thing = _own(name)
        lines += [f"## {name}", "", *_described(name, thing)]
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for method, function in inspect.getmembers(thing, callable):
                public = not method.startswith("_") and inspect.getdoc(function)
                if public and method in vars(thing):
                    lines += [f"### {name}.{method}", "", *_described(method, function)]
    return "\n".join(lines).rstrip() + "\n"


def _own(name: str):
    from importlib import import_module

    return getattr(import_module(eq._EXPORTS[name]), name)


def _described(name: str, thing) -> list[str]:
    lines = []
    if inspect.isfunction(thing):
        lines += ["```text", _signature(name, thing), "```", ""]
    doc = inspect.cleandoc(inspect.getdoc(thing) or "")
    return [*lines, *_sections(doc), ""]


def _signature(name: str, function) -> str:
    signature = inspect.signature(function)
    parts, starred = [], False
    for item in signature.parameters.values():
        if item.name == "self":
            continue
        if item.kind is item.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        if item.kind is item.VAR_KEYWORD:
            parts.append(f"**{item.name}")
            continue
        default = "" if item.default is item.empty else f" = {item.default!r}"
        parts.append(item.name + default)
    return f"{name}({', '.join(parts)})"


def _sections(doc: str) -> list[str]:
    """Return a numpy docstring as Markdown: headings bold, field lists as they are."""
    lines, plain = doc.splitlines(), []
    for place, line in enumerate(lines):
        under = lines[place + 1] if place + 1 < len(lines) else ""
        if under and set(under) == {"-"}:
            plain += [f"**{line}**", ""]
        elif line and set(line) == {"-"}:
            continue
        elif line.startswith("    "):
            plain.append(f":   {line.strip()}")
        elif line.startswith(">>>"):
            plain.append(f"    {line}")
        else:
            plain.append(line)
    return plain


def http() -> str:
    """Return the reference of the HTTP interface."""
    api = document()
    lines = ["# HTTP", "", MADE, api["info"]["description"], ""]
    lines += [
        "`equipoise serve` listens on 127.0.0.1; the same as OpenAPI is at "
        "`/api/v1/openapi.json`. A mistake answers with a problem object (RFC 9457).",
        "",
    ]
    for path, methods in sorted(api["paths"].items()):
        for method, operation in methods.items():
            lines += [f"## {method.upper()} {path}", ""]
            lines += [operation.get("description") or operation.get("summary", ""), ""]
            rows = [
                f"| `{item['name']}` | {item['in']} | {_type(item['schema'])} | "
                f"{_cell(item.get('description') or item['schema'].get('description', ''))} |"
                for item in operation.get("parameters", [])
            ]
            if rows:
                lines += ["| parameter | in | type | what |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


def _type(schema) -> str:
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(part) for part in schema["anyOf"]))
    if len(schema.get("enum", ())) > MOST_NAMES:
        return f"one of {len(schema['enum'])} names, such as `{schema['enum'][0]}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return schema.get("type", "any")


def licences() -> str:
    """Return what the package and its extras stand on, with the licence each declares."""
    found: dict[str, tuple[str, str]] = {}
    for extra in ("", "charts", "frames", "web", "remote", "cluster", "baselines"):
        _walk("equipoise", {extra}, extra or "core", found)
    found.pop("equipoise", None)
    lines = ["# Licences of the dependencies", "", MADE]
    lines += [
        "From the metadata of the packages as installed, with everything they need themselves. "
        "equipoise itself is Apache-2.0. Only names are listed, versions are in "
        "`constraints.txt`.",
        "",
        "| package | licence | part of |",
        "|---|---|---|",
    ]
    lines += [f"| {name} | {licence} | {part} |" for name, (licence, part) in sorted(found.items())]
    return "\n".join(lines) + "\n"


def _walk(name: str, extras: set[str], part: str, found: dict[str, tuple[str, str]]) -> None:
    from packaging.requirements import Requirement

    try:
        package = distribution(name)
    except PackageNotFoundError:
        return
    plain = package.metadata["Name"].lower().replace("_", "-")
    if plain in found and not extras - {""}:
        return
    found.setdefault(plain, (_licence(package), part))
    for text in package.requires or ():
        need = Requirement(text)
        wanted = need.marker is None or any(
            need.marker.evaluate({"extra": extra}) for extra in (extras or {""})
        )
        if wanted and need.name.lower() != "equipoise":
            _walk(need.name, set(need.extras) | {""}, part, found)


def _licence(package) -> str:
    said = package.metadata.get("License-Expression")
    if not said:
        classes = [
            text.rpartition(" :: ")[2]
            for text in package.metadata.get_all("Classifier", [])
            if text.startswith("License ::")
        ]
        said = ", ".join(classes) or (package.metadata.get("License") or "not declared")
    return _cell(said.splitlines()[0][:80])


PAGES = {"cli.md": cli, "python.md": python, "http.md": http, "licences.md": licences}


def main(arguments: list[str]) -> int:
    stale = []
    FOLDER.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        path, text = FOLDER / name, make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in arguments:
                path.write_text(text, encoding="utf-8")
    print(f"out of date: {', '.join(stale) or 'nothing'}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
