"""The command that serves dashboard and HTTP interface."""

import sys
from pathlib import Path
from typing import Annotated

from equipoise.cli.command import Globals
from equipoise.cli.declare import Option

DEFAULT_PORT = 8080


def serve(
    settings: Globals,
    *,
    host: Annotated[
        str, Option("--host", help="Address to listen on; only this machine by default.")
    ] = "127.0.0.1",
    port: Annotated[
        int, Option("--port", min=0, max=65535, help="Port; 0 for any that is free.")
    ] = DEFAULT_PORT,
    allow_host: Annotated[
        list[str] | None,
        Option(
            "--allow-host",
            help="Name by which clients may ask for this server; may be repeated, * for any.",
        ),
    ] = None,
    workers: Annotated[
        int | None, Option("--workers", min=1, max=64, help="Processes that compute.")
    ] = None,
    timeout: Annotated[
        float, Option("--timeout", min=1, max=600, help="Longest wait of a request, seconds.")
    ] = 30.0,
    warm: Annotated[
        bool, Option("--warm/--no-warm", help="Make the usual pages before anybody asks.")
    ] = True,
) -> None:
    """Serve the dashboard and the HTTP interface; 127.0.0.1 by default.

    Example: equipoise serve --port 8080
    """
    from equipoise.catalogue import bundled_path
    from equipoise.extras import need

    need("web", "the dashboard")
    from equipoise.web.server import LOCAL_ADDRESSES
    from equipoise.web.server import serve as run

    path = settings.catalogue or bundled_path()
    _check(path)
    if host not in LOCAL_ADDRESSES:
        _say(
            f"warning: {host} can be reached from other machines, and there are no passwords; "
            "name this server's names with --allow-host",
            settings,
        )
    run(
        path,
        host=host,
        port=port,
        hosts=tuple(allow_host or ()),
        workers=workers,
        timeout_s=timeout,
        warm=warm,
        ready=lambda url: _say(f"equipoise is at {url} (Ctrl-C stops it)", settings),
    )


def _check(path: Path) -> None:
    """Fail at once when there is no catalogue."""
    from equipoise.workflow.reading import open_catalogue

    open_catalogue(path).close()


def _say(text: str, settings: Globals) -> None:
    if not settings.quiet:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
