"""Help pages, declared options and completion in the shell."""

import inspect
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import click
import pytest

from equipoise.cli.app import COMMANDS, application
from equipoise.cli.command import command
from equipoise.cli.completion import SHELLS, VARIABLE, accelerators, benchmarks, rounds
from equipoise.cli.declare import Argument, Option


class Size(StrEnum):
    small = "small"
    large = "large"


def sample(
    names: Annotated[list[str], Argument(metavar="NAME...", help="Names.")],
    *,
    size: Annotated[Size, Option("--size", help="Size.", section="Looks")] = Size.small,
    count: Annotated[int, Option("--count", "-c", help="Count.", min=1, max=9)] = 3,
    share: Annotated[float | None, Option("--share", help="Share.", min=0.0)] = None,
    where: Annotated[Path | None, Option("--where", help="Where.")] = None,
    also: Annotated[list[str] | None, Option("--also", help="More.")] = None,
    loud: Annotated[bool, Option("--loud/--soft", help="Loud.")] = True,
) -> None:
    """Do something.

    In a second paragraph.

    Example: equipoise sample a b
    --loud
    """
    click.echo(repr((names, size, count, share, where, also, loud)))


def given(*arguments: str) -> str:
    from click.testing import CliRunner

    made = command("sample", sample)
    made.params = [item for item in made.params if item.name not in ("format", "out")]
    made.callback = lambda **values: sample(**values)
    ran = CliRunner().invoke(made, arguments)
    return ran.output.strip().splitlines()[-1]


def test_values_have_the_declared_types() -> None:
    assert given("a") == repr((("a",), Size.small, 3, None, None, (), True))
    assert given(
        "a", "b", "--size", "large", "-c", "9", "--share", "0.5", "--where", "x/y", "--also", "p",
        "--also", "q", "--soft",
    ) == repr((("a", "b"), Size.large, 9, 0.5, Path("x/y"), ("p", "q"), False))  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "NAME"),
        (("a", "--size", "huge"), "huge"),
        (("a", "--count", "0"), "1<=x<=9"),
        (("a", "--count", "many"), "many"),
        (("a", "--share", "-1"), "x>=0"),
    ],
)
def test_other_values_are_refused(arguments: tuple[str, ...], said: str) -> None:
    assert said in given(*arguments)


def test_a_page_of_help_has_text_example_and_sections(cli) -> None:
    made = command("sample", sample)
    page = click.unstyle(made.get_help(made.context_class(made, info_name="equipoise sample")))
    headings = [line for line in page.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == ["Example:", "Arguments:", "Options:", "Looks:", "Output:"]
    assert "  Do something.\n\n  In a second paragraph.\n\nExample:\n" in page
    assert "\n  equipoise sample a b --loud\n" in page
    assert "\n  NAME...  Names.\n" in page


def test_every_command_has_help_with_an_example(cli) -> None:
    for names in COMMANDS.values():
        for name in names:
            ran = cli(name, "--help")
            assert ran.code == 0
            assert f"\nExample:\n  equipoise {name}" in ran.out
            assert "\n  -h, --help" in ran.out


def test_the_main_page_lists_every_command_in_its_section(cli) -> None:
    page = cli("--help").out
    for section, names in COMMANDS.items():
        assert f"\n{section}:\n" in page
        for name in names:
            assert f"\n  {name} " in page
    assert cli("-h").out == page


@pytest.mark.parametrize("arguments", [[], ["catalogue"]])
def test_without_a_command_comes_the_help(cli, arguments) -> None:
    ran = cli(*arguments)
    assert ran.code == 2
    assert ran.out.startswith(" ".join(["Usage: equipoise", *arguments]))
    assert ran.err == ""


def test_a_command_loads_its_own_module_alone() -> None:
    code = (
        "import sys; from equipoise.cli.entry import run; run(['scores', '--help']); "
        "print({'equipoise.cli.decide', 'equipoise.cli.analyse', 'rich', 'duckdb', 'numpy'}"
        " & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == "set()\n"


def test_every_parameter_of_a_command_is_declared() -> None:
    app = application()
    context = click.Context(app)
    for name in app.list_commands(context):
        found = app.get_command(context, name)
        assert found is not None
        assert found.name == name
        if not isinstance(found, click.Group):
            assert inspect.cleandoc(found.help or "") == found.help


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_its_script(cli, shell) -> None:
    ran = cli("--show-completion", shell)
    assert ran.code == 0
    assert VARIABLE in ran.out
    assert "equipoise" in ran.out


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("equipoise bre", "breakeven"),
        ("equipoise study res", "resnet"),
        ("equipoise study resnet --min", "--min-accelerators"),
        ("equipoise study resnet --round v4.", "v4.1"),
        ("equipoise study resnet --accelerator h100-s", "h100-sxm5-80gb"),
        ("equipoise rank resnet --format j", "json"),
    ],
)
def test_the_shell_completes(monkeypatch, capsys, typed: str, offered: str) -> None:
    from equipoise.cli.entry import run

    monkeypatch.setenv(VARIABLE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    with pytest.raises(SystemExit):
        run([])
    assert f"plain,{offered}" in capsys.readouterr().out.splitlines()


def test_the_names_that_can_be_completed() -> None:
    assert "llama2_70b_lora" in benchmarks()
    assert {"v0.5", "v5.1"} <= set(rounds())
    assert {"h100", "h100-sxm5-80gb"} <= set(accelerators())
