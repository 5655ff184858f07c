"""The MCP server over streamable HTTP: for this machine, unless more is asked for explicitly and guarded.

Whoever reaches the server acts with the session's token. So it listens on a loopback address, where it answers only
requests that name this machine as Host and Origin, for a page in a browser can make others; anywhere else it takes a
bearer token and the names that it is reached by.
"""

from __future__ import annotations

import errno
import hmac
import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from session_datasets.client.errors import ConfigurationError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

MCP_PATH = "/mcp"
DEFAULT_PORT = 8_765
ENV_BEARER = "SESSION_DATASETS_MCP_TOKEN"
# Characters of a token that can not be guessed: 128 bits and more in any usual spelling.
BEARER_CHARACTERS_MIN = 22
_REFUSALS = {
    errno.EADDRINUSE: (
        "another program listens there",
        "End it, or choose another --port; --port 0 takes one that is free.",
    ),
    errno.EACCES: ("this user may not use that port", "Choose a --port of 1024 or more, or 0 for one that is free."),
    errno.EADDRNOTAVAIL: ("this machine has no such address", "Choose a --host of this machine, e.g. 127.0.0.1."),
}
# Headers that name a host.
_OF_HOSTS = (b"host", b"origin")
_SENDABLE = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where to listen, and whom to answer. ConfigurationError for a place that anybody could reach.

    ``bearer``: what clients send as ``Authorization: Bearer``; optional on a loopback address without ``reached_as``.
    ``reached_as``: values of the Host header, e.g. ``tools.example.org`` or ``tools.example.org:*``, in any case; those
    of a loopback address itself are known.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    bearer: str | None = field(default=None, repr=False)
    reached_as: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.bearer is not None and len(self.bearer) < BEARER_CHARACTERS_MIN:
            raise ConfigurationError(
                f"The bearer token has fewer than {BEARER_CHARACTERS_MIN} characters; nothing was started.",
                f'Choose one that can not be guessed: export {ENV_BEARER}="$(openssl rand -hex 32)"',
            )
        if self.bearer is not None and not _SENDABLE.fullmatch(self.bearer):
            raise ConfigurationError(
                "The bearer token has blanks, line ends or other characters that no header holds; nothing was started.",
                f"Choose one of letters and digits, without a line end behind it: export {ENV_BEARER}=...",
            )
        # A name can be bound to any address: what it is reached by may be a page's own name, or a proxy for anybody.
        if self.bearer is None and self.reached_as:
            raise ConfigurationError(
                f"A name is given that {self.host} is reached by, and no bearer token is set; nothing was started.",
                f"Set {ENV_BEARER} and let clients send it as their bearer token, or leave out --reached-as.",
            )
        if self.is_loopback:
            return
        if self.bearer is None:
            raise ConfigurationError(
                f"{self.host} is not a loopback address, and no bearer token is set; nothing was started.",
                f"Listen on 127.0.0.1, or set {ENV_BEARER} and let clients send it as their bearer token.",
            )
        if not self.reached_as:
            raise ConfigurationError(
                f"{self.host} is not a loopback address, and no name is given that it is reached by; "
                "nothing was started.",
                "Listen on 127.0.0.1, or pass --reached-as with the host name that clients use.",
            )

    @property
    def is_loopback(self) -> bool:
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False

    @property
    def host_in_urls(self) -> str:
        """The host as URLs and the Host header have it: an address of IPv6 in brackets."""
        return f"[{self.host.strip('[]')}]" if ":" in self.host else self.host


def http_app(server: Server[Any], place: Place) -> Any:
    """The ASGI application of one server: each request stands alone, so any number of processes may share the work."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = [each.lower() for each in place.reached_as]
    if place.is_loopback:
        here = dict.fromkeys(["127.0.0.1", "localhost", "[::1]", place.host_in_urls.lower()])
        # A client leaves out the port where it is the scheme's own.
        names += [each for name in here for each in (name, f"{name}:*")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"{scheme}://{name}" for name in names for scheme in ("http", "https")],
    )
    app: Any = _InLowerCase(
        server.streamable_http_app(
            streamable_http_path=MCP_PATH, json_response=True, stateless_http=True, transport_security=security
        )
    )
    return app if place.bearer is None else _Guarded(app, place.bearer)


def serve_http(server: Server[Any], place: Place, listening: Callable[[str], None] = lambda _: None) -> None:
    """Serves until it is interrupted. ``listening`` is called with the URL; port 0 is one that is free.

    ConfigurationError for a place that can not be listened on.
    """
    import uvicorn

    app = http_app(server, place)
    with _taken(place) as taken:
        listening(f"http://{place.host_in_urls}:{taken.getsockname()[1]}{MCP_PATH}")
        # Its log goes where this process's own goes; an access log would tell nothing but times.
        config = uvicorn.Config(app, log_config=None, access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[taken])


def _taken(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host.strip("[]"), place.port), family=family)
    except OSError as error:
        reason, advice = _REFUSALS.get(error.errno or 0, (error.strerror or str(error), "Choose another --host."))
        raise ConfigurationError(
            f"{place.host_in_urls}:{place.port} can not be listened on: {reason}; nothing was started.", advice
        ) from error


class _InLowerCase:
    """A name of a host is the same in any case; what is behind this compares letter by letter."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if "headers" in scope:
            headers = [(name, value.lower() if name in _OF_HOSTS else value) for name, value in scope["headers"]]
            scope = {**scope, "headers": headers}
        await self._app(scope, receive, send)


class _Guarded:
    """Answers 401 to whoever does not send the token; nothing behind it is reached."""

    def __init__(self, app: Any, bearer: str) -> None:
        self._app = app
        self._expected = bearer.encode()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and not self._knows(scope["headers"]):
            headers = [(b"www-authenticate", b"Bearer"), (b"content-length", b"0")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send)

    def _knows(self, headers: Sequence[tuple[bytes, bytes]]) -> bool:
        sent = [value for name, value in headers if name == b"authorization"]
        if len(sent) != 1:
            return False
        # The scheme's case does not count, nor how many blanks follow it.
        scheme, _, token = sent[0].partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token.strip(b" "), self._expected)
