"""A finished body as a response of the application."""

from typing import Any

from starlette.responses import Response

from equipoise.web.body import Body
from equipoise.web.front import send_body


class BodyResponse(Response):
    """Sends a body with its tag, compressed where the client can take it."""

    def __init__(self, body: Body) -> None:
        super().__init__(status_code=body.status)
        self.finished = body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send the body."""
        await send_body(self.finished, scope, send)
