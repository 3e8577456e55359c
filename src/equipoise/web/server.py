"""Run the application: local by default, bounded in time, stopped cleanly."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from equipoise.web.app import TIMEOUT_S, create_app
from equipoise.web.desk import default_workers
from equipoise.web.front import LOCAL_NAMES, allowed_hosts

REQUEST_S: Final = 10.0
"""Longest time that a client may take to send its request."""
IDLE_S: Final = 15
"""How long a connection is kept between requests."""
STOP_S: Final = 5
MOST_CONNECTIONS: Final = 1000
LOCAL_ADDRESSES: Final = ("127.0.0.1", "localhost", "::1")


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that closes connections whose request does not come in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the clock of the first request."""
        super().connection_made(transport)
        self._start_clock()

    def data_received(self, data: bytes) -> None:
        """Stop the clock while a request is being answered."""
        super().data_received(data)
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete:
            self._stop_clock()
        elif self._deadline is None:
            self._start_clock()

    def on_response_complete(self) -> None:
        """Leave the time between requests to the server's own limit."""
        self._stop_clock()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_clock()
        super().connection_lost(exc)

    def _start_clock(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_S, self._give_up)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


def serve(
    catalogue: Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    hosts: Sequence[str] = (),
    workers: int | None = None,
    timeout_s: float = TIMEOUT_S,
    warm: bool = True,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve dashboard and HTTP interface until interrupted.

    `ready` is told the address as soon as requests are answered.
    """
    app = create_app(
        catalogue,
        hosts=allowed_hosts(host, hosts),
        workers=default_workers() if workers is None else workers,
        timeout_s=timeout_s,
        warm=warm,
    )
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PatientProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=STOP_S,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=32_768,
    )
    _Server(config, ready, leave=app.desk.leave).run()


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[str], None] | None,
        *,
        leave: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._ready, self._leave = ready, leave
        self._loop: asyncio.AbstractEventLoop | None = None

    def handle_exit(self, sig: int, frame: object) -> None:
        """Stop on a signal, at once on the second; the process then ends as usual."""
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._leave)

    async def startup(self, sockets: list[Any] | None = None) -> None:
        """Start and tell the address, with the port that the system gave."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self._ready is not None and self.started:
            self._ready(address(self.config.host, self._port()))

    def _port(self) -> int:
        for server in self.servers:
            for socket in server.sockets:
                return int(socket.getsockname()[1])
        return self.config.port


def address(host: str, port: int) -> str:
    """Return what to open in a browser.

    >>> address("0.0.0.0", 8080), address("::1", 80)
    ('http://127.0.0.1:8080/', 'http://[::1]:80/')
    """
    if host in ("0.0.0.0", "::", ""):  # noqa: S104  (every interface is no address)
        host = LOCAL_NAMES[1]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
