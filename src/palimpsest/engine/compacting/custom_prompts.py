"""An agent's own prompts: text files in a folder, each in place of the built-in one of the same name."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from palimpsest.config.paths import expand_home
from palimpsest.errors import SettingsError
from palimpsest.summarize.model.prompts import prompt_names

MAX_PROMPT_CHARS = 100_000
_FIELDS = ("target_tokens", "target_words", "focus", "identity", "form", "identifiers", "depth")
_FIELDS_OF = {
    "data": ("earlier", "source", "facts"),
    "findings": ("findings",),
    "fork": ("rules", "first", "last", "facts"),
}
_FIXED = ("form_", "depth_", "identifiers_")
"""The beginnings of the names of prompts that stand in others, with no fields of their own."""


def load_prompts(folder: str) -> Mapping[str, str]:
    """The texts of `NAME.txt` in a folder, by name; none for "". Raises SettingsError for what cannot be used.

    What may stand in a prompt for something to be filled in: `_FIELDS`, or `_FIELDS_OF` its name.
    """
    if not folder:
        return {}
    path = expand_home(folder)
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
    for name, text in found.items():
        _require_usable(name, text, folder)
    if "data" in found and "$source" not in found["data"]:
        raise SettingsError(
            f"data.txt in {folder!r} does not hold $source", hint="it shows what to summarize"
        )
    return found


def _require_usable(name: str, text: str, folder: str) -> None:
    """Raises SettingsError for a prompt without words, or with a field that nothing fills in."""
    if not text.strip():
        raise SettingsError(f"{name}.txt in {folder!r} is empty", hint="write the prompt, or delete the file")
    known = () if name.startswith(_FIXED) else _FIELDS_OF.get(name, _FIELDS)
    unknown = next((one for one in Template(text).get_identifiers() if one not in known), None)
    if unknown is not None:
        raise SettingsError(
            f"{name}.txt in {folder!r} has ${unknown}, which nothing fills in",
            hint=f"it may have {', '.join(f'${one}' for one in known) or 'none'}; a dollar sign is written $$",
        )
