"""An agent's own prompts: text files in a folder, each in place of the built-in one of the same name."""

from __future__ import annotations

from collections.abc import Mapping

from palimpsest.config.places import at_home
from palimpsest.errors import SettingsError
from palimpsest.summarize.abstractive.prompts import prompt_names

MAX_PROMPT_CHARS = 100_000


def load_prompts(folder: str) -> Mapping[str, str]:
    """The texts of `NAME.txt` in a folder, by name; none for "". Raises SettingsError for what cannot be used.

    A prompt may hold $target_tokens, $target_words, $focus, $identity, $form and $identifiers; the one named "data"
    holds $earlier, $source and $facts, "findings" $findings, and "fork" $rules, $first, $last and $facts.
    """
    if not folder:
        return {}
    path = at_home(folder)
    known = prompt_names()
    found: dict[str, str] = {}
    try:
        files = sorted(path.glob("*.txt")) if path.is_dir() else []
        for file in files:
            found[file.stem] = file.read_text(encoding="utf-8")[:MAX_PROMPT_CHARS]
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"prompts_folder {folder!r} cannot be read: {error}", hint="give a folder of UTF-8 texts"
        ) from error
    unknown = [name for name in found if name not in known]
    if unknown or not found:
        what = f"has a prompt of unknown name {unknown[0]!r}" if unknown else "holds no prompts"
        raise SettingsError(
            f"prompts_folder {folder!r} {what}",
            hint=f"known names: {', '.join(f'{name}.txt' for name in known)}",
        )
    if "data" in found and "$source" not in found["data"]:
        raise SettingsError(
            f"data.txt in {folder!r} does not hold $source", hint="it shows what to summarize"
        )
    return found
