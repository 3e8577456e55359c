"""The outermost layer: who may ask what, headers that protect, and responses from memory."""

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from equipoise.web.body import Body
from equipoise.web.kitchen import problem_body
from equipoise.web.problems import problem

if TYPE_CHECKING:
    from equipoise.web.desk import Desk

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LONGEST_TARGET: Final = 8192
"""Bytes of path and query."""
READING: Final = ("GET", "HEAD")
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PROTECTION: Final = (
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
)
_PROTECTION: Final = [(name.encode(), value.encode()) for name, value in PROTECTION]


class Front:
    """ASGI layer around the application: read-only, known hosts, bounded, cached."""

    def __init__(self, app: App, *, desk: "Desk", hosts: Sequence[str] = LOCAL_NAMES) -> None:
        self._app, self.desk = app, desk
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from memory or pass on what may be passed on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refused = self._refusal(scope)
        if refused is not None:
            await send_body(refused, scope, send)
            return
        found = self.desk.ready(target_of(scope))
        if found is not None:
            await send_body(found, scope, send)
            return
        await self._pass_on(scope, receive, send)

    def _refusal(self, scope: Scope) -> Body | None:
        if not self._known_host(scope):
            host = header(scope, b"host") or "no name"
            detail = f"{host[:100]!r} is no name of this server; allow it with --allow-host"
            return problem_body(problem(421, "host", detail))
        if scope["method"] not in READING:
            detail = "this interface only reads: use GET"
            refused = problem_body(problem(405, "method", detail))
            return with_headers(refused, ("Allow", "GET, HEAD"))
        if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_TARGET:
            detail = f"path and query may have {LONGEST_TARGET} bytes"
            return problem_body(problem(414, "too-long", detail))
        return None

    def _known_host(self, scope: Scope) -> bool:
        """Return whether the request names this server: a foreign name is a rebound one."""
        if "*" in self._hosts:
            return True
        host = (header(scope, b"host") or "").lower()
        name, colon, port = host.rpartition(":")
        if colon and port.isdecimal():
            host = name
        return host in self._hosts

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the application; HEAD is GET without its content."""
        head = scope["method"] == "HEAD"

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(pair for pair in _PROTECTION if pair[0] not in present),
                ]
            elif head:
                message = {"type": "http.response.body", "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET"} if head else scope, receive, guarded)


def target_of(scope: Scope) -> str:
    """Return path and query as one text: the key of a response by its address."""
    query = scope["query_string"].decode("latin-1")
    return f"{scope['path']}?{query}" if query else str(scope["path"])


def header(scope: Scope, name: bytes) -> str | None:
    """Return a header of a request."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return None


def with_headers(body: Body, *headers: tuple[str, str]) -> Body:
    """Return a response with further headers."""
    from dataclasses import replace

    return replace(body, headers=(*body.headers, *headers))


async def send_body(body: Body, scope: Scope, send: Send) -> None:
    """Send a response: compressed where the client can, not at all where it has it."""
    names = {name.lower() for name, _ in body.headers}
    headers = [(b"etag", f'W/"{body.tag}"'.encode()), (b"vary", b"accept-encoding")]
    if "cache-control" not in names:
        headers.append((b"cache-control", b"no-cache" if body.status < 400 else b"no-store"))
    headers += [(n.lower().encode(), v.encode("latin-1", "replace")) for n, v in body.headers]
    headers += _PROTECTION
    if body.status == 200 and _has_it(scope, body.tag):
        await send({"type": "http.response.start", "status": 304, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    content = body.content
    if body.compressed is not None and _accepts_gzip(scope):
        content = body.compressed
        headers.append((b"content-encoding", b"gzip"))
    headers.append((b"content-type", body.media_type.encode()))
    headers.append((b"content-length", str(len(content)).encode()))
    await send({"type": "http.response.start", "status": body.status, "headers": headers})
    shown = b"" if scope["method"] == "HEAD" else content
    await send({"type": "http.response.body", "body": shown})


def _has_it(scope: Scope, tag: str) -> bool:
    given = header(scope, b"if-none-match")
    if given is None:
        return False
    tags = (part.strip().removeprefix("W/").strip('"') for part in given.split(","))
    return any(each == "*" or hmac.compare_digest(each.encode(), tag.encode()) for each in tags)


def _accepts_gzip(scope: Scope) -> bool:
    given = header(scope, b"accept-encoding") or ""
    for part in given.lower().split(","):
        name, _, quality = part.strip().partition(";")
        if name.strip() in ("gzip", "*"):
            return quality.replace(" ", "") not in ("q=0", "q=0.0")
    return False


def allowed_hosts(host: str, more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names by which a server bound to `host` may be asked.

    >>> allowed_hosts("127.0.0.1", ["bench.example"])
    ('localhost', '127.0.0.1', '[::1]', 'bench.example')
    """
    names = dict.fromkeys(LOCAL_NAMES)
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104  (every interface is not a name)
        names[f"[{host}]" if ":" in host else host] = None
    names.update(dict.fromkeys(more))
    return tuple(names)
