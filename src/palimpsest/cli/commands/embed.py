"""`palimpsest embed`: make the vectors of stored messages."""

from __future__ import annotations

from palimpsest.cli.drawing import clean, count
from palimpsest.cli.options import Shared, command
from palimpsest.cli.session import Session, perform
from palimpsest.errors import SettingsError


@command("embed", settings=True)
def embed(
    shared: Shared,
) -> None:
    """Make the vectors that messages lack.

    The setting embed_model names the model. An interrupted run can be continued.

    \b
    palimpsest embed --set embed_model=ollama:nomic-embed-text
    """
    model = shared.config.settings.embed_model
    if not model:
        raise SettingsError(
            "no embedding model is named",
            hint="set embed_model in the configuration, or try --set embed_model=ollama:nomic-embed-text",
        )

    async def body(session: Session) -> None:
        conversations = await session.engine.conversations()
        with session.output.progress("embedding", max(1, len(conversations))) as ticker:
            made = await session.engine.embed(step=ticker.at)
        fields: dict[str, object] = {"model": model, "vectors": made}
        text = f"{count(made, 'new vector')} by {clean(model)}" if conversations else shared.nothing_stored
        session.output.result(fields, text)

    perform(shared, body, embeds=True)
