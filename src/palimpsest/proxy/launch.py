"""Runs the proxy: `serve` starts it in the running event loop, `run` serves until a signal arrives.

    async with await serve(engine, ProxySettings()) as proxy:
        print(proxy.url)

The packages of the extra `proxy` are imported in `serve`, so that their absence can be reported clearly.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from palimpsest.config.local_server import bind, make_server, own_address, own_names, shown_host, stopping
from palimpsest.errors import SettingsError
from palimpsest.proxy.access import Access
from palimpsest.proxy.addresses import Upstreams

if TYPE_CHECKING:
    import uvicorn

    from palimpsest.engine.engine import Engine
    from palimpsest.proxy.conversations import Counts
    from palimpsest.proxy.server import Proxy

DEFAULT_PORT = 8378
USUAL_SETTINGS = ("durability=relaxed",)
"""What a proxy's engine uses unless the user says otherwise: a client sends its history again, so no call waits for
the disk.
"""

TOKEN_VARIABLE = "PALIMPSEST_PROXY_TOKEN"  # noqa: S105  (the variable's name)
CLOSING_TIMEOUT_S = 10
"""How long open streams may go on after the proxy was asked to end."""

MAX_BODY_BYTES = 64_000_000
_NEEDED = ("aiohttp", "uvicorn")
_FILES = 65_536


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """Where the proxy is served, the providers' addresses, and whether it offers recall tools itself.

    Port 0 takes a free one. A host that is no loopback address needs a token. `folder` is where the served program
    works, "" if that is unknown.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = ""
    upstreams: Upstreams = field(default_factory=Upstreams)
    inject_tools: bool = False
    folder: str = ""
    max_body_bytes: int = MAX_BODY_BYTES


class Running:
    """A proxy that is served. `url` is its address; a context manager that closes it."""

    def __init__(self, url: str, proxy: Proxy, server: uvicorn.Server, task: asyncio.Task[None]) -> None:
        self.url = url
        self._proxy = proxy
        self._server = server
        self._task = task

    @property
    def counts(self) -> Counts:
        """What the proxy did since it was started."""
        return self._proxy.conversations.counts

    @property
    def accepts(self) -> bool:
        """Whether new connections are accepted."""
        return any(one.is_serving() for one in self._server.servers)

    async def settle(self) -> None:
        """Wait until the replies so far are stored."""
        await self._proxy.conversations.close()

    def stop(self) -> None:
        """Take no more requests; open streams go on for a while. `wait` returns when they have ended."""
        self._server.should_exit = True

    async def wait(self) -> None:
        """Wait until the proxy has ended, and its replies are stored."""
        try:
            await asyncio.shield(self._task)
        finally:
            await self._proxy.close()

    async def close(self) -> None:
        """End the proxy."""
        self.stop()
        await self.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def require_packages() -> None:
    """Raises SettingsError if the packages are not installed."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise SettingsError(
            f"the proxy needs {' and '.join(missing)}, which is not installed",
            hint="pip install 'palimpsest[proxy]'",
        )


async def serve(engine: Engine, settings: ProxySettings) -> Running:
    """Start the proxy in this event loop. The engine has to stay open, and is closed by the caller.

    Raises UsageError for an address that cannot be used, SettingsError without the packages.
    """
    require_packages()
    from palimpsest.proxy.conversations import Conversations
    from palimpsest.proxy.server import Proxy, make_client

    own = own_address(settings.host, anywhere=True)
    if not own.is_loopback and not settings.token:
        raise SettingsError(
            f"{settings.host} can be reached by others, so a token is needed",
            hint=f"give --token-file, or {TOKEN_VARIABLE}; or serve 127.0.0.1",
        )
    _raise_file_limit()
    bound = bind(settings.host, settings.port, anywhere=True)
    host, port = bound.getsockname()[:2]
    names = (*own_names(host, port), *own_names("127.0.0.1", port)) if own.is_loopback else ()
    access = Access(frozenset(one.encode() for one in names), settings.token)
    proxy = Proxy(
        Conversations(engine, inject_tools=settings.inject_tools, folder=settings.folder),
        settings.upstreams,
        make_client(),
        access,
        settings.max_body_bytes,
    )
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    server = make_server(proxy, CLOSING_TIMEOUT_S, ws="none", lifespan="off")
    task = asyncio.create_task(_serving(server, bound))
    try:
        while not server.started and not task.done():  # noqa: ASYNC110  (uvicorn has no event for it)
            await asyncio.sleep(0.002)
        if task.done():
            await task
        await engine.resume()
        proxy.conversations.spawn(asyncio.to_thread(_load))
    except BaseException:
        server.should_exit = True
        with suppress(Exception):
            await task
        await proxy.close()
        raise
    return Running(f"http://{shown_host(host)}:{port}", proxy, server, task)


@cache
def _load() -> None:
    """Load what the first calls need, so that they need not wait for it: a conversation is made and compacted."""
    import palimpsest

    async def converse() -> None:
        async with palimpsest.open(":memory:", window_tokens=2_000, max_tokens=100) as engine:
            talk = engine.conversation("first")
            for model in ("anthropic:claude-opus-5-5", "openai:gpt-5"):
                await talk.append(
                    {"role": "user", "content": "word " * 100}, {"role": "assistant", "content": "yes"}
                )
                request = await talk.request(model=model)
                _ = request.anthropic(), request.openai()
            await talk.end_turn()
            await talk.compact(until_under_tokens=300)

    with suppress(Exception):
        asyncio.run(converse())


async def _serving(server: uvicorn.Server, bound: Any) -> None:
    try:
        await server.serve(sockets=[bound])
    finally:
        bound.close()


async def run(engine: Engine, settings: ProxySettings, say: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM. `say` writes to standard error."""
    running = await serve(engine, settings)
    with stopping(running.stop, CLOSING_TIMEOUT_S + 5):
        say(f"serving {running.url}")
        await running.wait()


def _raise_file_limit() -> None:
    """Allow as many open files as the system does: each stream needs two."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
