"""`palimpsest embed`: vectors of what is stored, by the model that the settings name."""

from __future__ import annotations

from palimpsest.cli.options import OWNER, ConfigFile, Db, Json, Owner, Set, Shared, given
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import clean, count
from palimpsest.errors import SettingsError


def embed(
    settings: Set = None,
    config: ConfigFile = None,
    owner: Owner = OWNER,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Make the vectors that messages lack.

    The setting embed_model names the model. Run again it goes on where it ended.

    \b
    palimpsest embed --set embed_model=ollama:nomic-embed-text
    """
    shared = Shared("embed", db, owner, as_json, given(None, settings, config))
    model = shared.config.settings.embed_model
    if not model:
        raise SettingsError(
            "no model of embeddings is named",
            hint="set embed_model in the configuration, or try --set embed_model=ollama:nomic-embed-text",
        )

    async def body(session: Session) -> None:
        conversations = await session.engine.conversations()
        with session.output.progress("embedding", max(1, len(conversations))) as ticker:
            made = await session.engine.embed(step=ticker.at)
        fields: dict[str, object] = {"model": model, "vectors": made}
        said = f"{count(made, 'new vector')} by {clean(model)}" if conversations else shared.nothing_stored
        session.output.result(fields, said)

    perform(shared, body, embeds=True)
