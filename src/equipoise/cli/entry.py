"""Entry point of the command line: run a command, turn errors into one line and an exit code."""

import gc
import io
import os
import sys
from pathlib import Path
from typing import Final, TextIO

from equipoise import __version__

PROGRAM: Final = "equipoise"
EXIT_INTERRUPTED: Final = 130
OBJECTS_BEFORE_COLLECTION: Final = 50_000
"""New containers before Python looks for cycles among them; its own 700 cost 3 % of a round."""

SHOWN_CHARACTERS: Final = 300
"""Of the message of a fault: it may quote what was read."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
    code = run(sys.argv[1:] if arguments is None else arguments)
    gc.freeze()  # or Python would search all that is left for cycles twice, 20 ms, to no use
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command line and return the exit code.

    0 done; 1 bad data; 2 usage; 3 nothing satisfies the request; 130 interrupted.
    """
    _open_streams()
    try:
        code = _run_version() if arguments in (["--version"], ["-V"]) else _run_app(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _say("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader (head, less) went away: nothing is wrong
        _abandon(sys.stdout)
        return 0
    except OSError as error:  # such as a full disk behind it
        _say(f"error: {_file_problem(error)}")
        return 1
    return code


def _open_streams() -> None:
    """Give a closed stream a place to write to, and one that knows few letters escapes."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


def _run_version() -> int:
    """Say the version; the whole application need not be imported."""
    sys.stdout.write(f"equipoise {__version__}\n")
    return 0


def _run_app(arguments: list[str]) -> int:
    from click import ClickException
    from click.exceptions import Exit, NoArgsIsHelpError

    from equipoise.cli.app import application
    from equipoise.cli.completion import VARIABLE
    from equipoise.cli.usage import usage_text
    from equipoise.errors import EquipoiseError

    try:
        app = application()
        if VARIABLE in os.environ:  # the shell asks what could come next
            app.main(list(arguments), prog_name=PROGRAM)
        with app.make_context(PROGRAM, list(arguments)) as context:
            app.invoke(context)
    except Exit as end:
        return end.exit_code
    except EquipoiseError as error:
        _say(f"error: {error}")
        return error.exit_code
    except NoArgsIsHelpError as problem:
        problem.show(sys.stdout)
        return 2
    except ClickException as problem:
        _say(f"error: {usage_text(problem)}")
        return 2
    except MemoryError:
        _say("error: out of memory; select fewer rounds or ingest with fewer --workers")
        return 1
    except OSError:
        raise
    except Exception as error:  # the last resort: still one line, and what to do
        return _fault(error, verbose=not {"--verbose", "-v"}.isdisjoint(arguments))
    return 0


def _file_problem(error: OSError) -> str:
    """Return file and reason of an error of the system, such as a full disk."""
    from equipoise.errors import locate, printable

    reason = printable(error.strerror or str(error) or type(error).__name__)
    return reason if error.filename is None else locate(reason, str(error.filename), None)


def _fault(error: Exception, *, verbose: bool) -> int:
    """Say that equipoise itself failed; where it did only on demand."""
    from equipoise.errors import printable

    if verbose:
        import traceback

        traceback.print_exception(error)
    seen = printable(f"{type(error).__name__}: {error}"[:SHOWN_CHARACTERS])
    hint = "" if verbose else "; run `equipoise --verbose ...` to see where"
    _say(f"error: a fault in equipoise, please report it: {seen}{hint}")
    return 1


def _say(text: str) -> None:
    """Write a line to the error stream; where nobody takes it the exit code has to do."""
    try:
        sys.stdout.flush()
    except OSError:
        _abandon(sys.stdout)
    try:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


def _abandon(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, or Python would fail with it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
