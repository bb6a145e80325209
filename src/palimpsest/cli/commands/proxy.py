"""`palimpsest proxy`: run the proxy. The server is imported when the command runs."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from palimpsest.cli.drawing import clean
from palimpsest.cli.options import Shared, command
from palimpsest.cli.output import make_output
from palimpsest.cli.parameters import option
from palimpsest.cli.session import Session, perform
from palimpsest.errors import UsageError


@command("proxy", window=True, settings=True, json=False)
def proxy(
    shared: Shared,
    port: Annotated[
        int | None, option("--port N", "The port; 0 takes a free one. [default: 8378]", min=0, max=65_535)
    ] = None,
    host: Annotated[
        str, option("--host ADDRESS", "The address to serve; others than 127.0.0.1 need a token.")
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None,
        option(
            "--token-file FILE",
            "The token that every request needs; created if missing. [env: PALIMPSEST_PROXY_TOKEN]",
        ),
    ] = None,
    anthropic_url: Annotated[
        str | None, option("--anthropic-url URL", "Where calls of Anthropic's API go.")
    ] = None,
    openai_url: Annotated[str | None, option("--openai-url URL", "Where calls of OpenAI's API go.")] = None,
    gemini_url: Annotated[str | None, option("--gemini-url URL", "Where calls of Gemini's API go.")] = None,
    inject_tools: Annotated[
        bool, option("--inject-tools", "Offer recall tools to the model, and answer them here.")
    ] = False,
) -> None:
    """Send windows in place of histories that grew too long.

    \b
    palimpsest proxy
    ANTHROPIC_BASE_URL=http://127.0.0.1:8378 claude
    OPENAI_BASE_URL=http://127.0.0.1:8378/v1 python my_agent.py
    """
    import os

    from palimpsest.config.local_server import own_address, take_token
    from palimpsest.proxy.addresses import Upstreams
    from palimpsest.proxy.launch import DEFAULT_PORT, TOKEN_VARIABLE, ProxySettings, require_packages, run

    require_packages()
    output = make_output(shared.command, as_json=False)

    def note(text: str) -> None:
        output.note(clean(text))

    needs_token = token_file is not None or TOKEN_VARIABLE in os.environ
    needs_token = needs_token or not own_address(host, anywhere=True).is_loopback
    usual = Upstreams()
    settings = ProxySettings(
        host=host,
        port=DEFAULT_PORT if port is None else port,
        token=take_token(token_file, TOKEN_VARIABLE, note) if needs_token else "",
        upstreams=Upstreams(
            _checked("--anthropic-url", anthropic_url) or usual.anthropic,
            _checked("--openai-url", openai_url) or usual.openai,
            _checked("--gemini-url", gemini_url) or usual.gemini,
        ),
        inject_tools=inject_tools,
    )
    logging.getLogger("palimpsest.proxy").addHandler(_Notes(note))

    async def body(session: Session) -> None:
        await run(session.engine, settings, note)

    perform(with_usual_settings(shared), body, creates_db=True, embeds=True)


def with_usual_settings(shared: Shared) -> Shared:
    """The options with the settings that a proxy uses unless the user gives them."""
    from palimpsest.proxy.launch import USUAL_SETTINGS

    given = shared.config.options()
    usual = [one for one in USUAL_SETTINGS if one.partition("=")[0] not in given]
    return replace(shared, settings=[*usual, *(shared.settings or ())])


class _Notes(logging.Handler):
    """Shows what the proxy logs."""

    def __init__(self, note: object) -> None:
        super().__init__(logging.WARNING)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        if callable(self._note):
            self._note(record.getMessage())


def _checked(name: str, given: str | None) -> str:
    """An address of a provider. Raises UsageError."""
    if given is None:
        return ""
    try:
        parts = urlsplit(given)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.query
        _ = parts.port
    except ValueError:
        fits = False
    if not fits:
        raise UsageError(f"{name} is no address", hint="give one such as https://api.example.com")
    return given
