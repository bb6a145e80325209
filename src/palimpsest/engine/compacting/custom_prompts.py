"""Custom prompts: text files in a folder, each replacing the built-in prompt of the same name."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from palimpsest.config.paths import expand_home
from palimpsest.errors import SettingsError
from palimpsest.summarize.model.prompts import prompt_names

MAX_PROMPT_CHARS = 100_000
_FIELDS = ("target_tokens", "target_words", "focus", "identity", "form", "identifiers", "depth")
_FIELDS_BY_NAME = {
    "data": ("earlier", "source", "facts"),
    "findings": ("findings",),
    "fork": ("rules", "first", "last", "facts"),
}
_WITHOUT_FIELDS = ("form_", "depth_", "identifiers_")
"""Prefixes of prompts that become parts of others and have no fields."""


def load_prompts(folder: str) -> Mapping[str, str]:
    """The texts of `NAME.txt` in a folder, by name; none for "". Raises SettingsError for unusable ones.

    A prompt may have the fields in `_FIELDS`, or those in `_FIELDS_BY_NAME`.
    """
    if not folder:
        return {}
    path, names = expand_home(folder), prompt_names()
    found: dict[str, str] = {}
    try:
        for file in sorted(path.glob("*.txt")) if path.is_dir() else []:
            found[file.stem] = file.read_text(encoding="utf-8")[:MAX_PROMPT_CHARS]
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"prompts_folder {folder!r} cannot be read: {error}", hint="give a folder of UTF-8 texts"
        ) from error
    unknown = [name for name in found if name not in names]
    if unknown or not found:
        what = f"has a prompt of unknown name {unknown[0]!r}" if unknown else "holds no prompts"
        hint = f"known names: {', '.join(f'{name}.txt' for name in names)}"
        raise SettingsError(f"prompts_folder {folder!r} {what}", hint=hint)
    for name, text in found.items():
        _check_prompt(name, text, folder)
    if "data" in found and "$source" not in found["data"]:
        raise SettingsError(
            f"data.txt in {folder!r} does not hold $source", hint="it shows what to summarize"
        )
    return found


def _check_prompt(name: str, text: str, folder: str) -> None:
    """Raise SettingsError for a prompt that is empty or has an unknown field."""
    if not text.strip():
        raise SettingsError(f"{name}.txt in {folder!r} is empty", hint="write the prompt, or delete the file")
    known = () if name.startswith(_WITHOUT_FIELDS) else _FIELDS_BY_NAME.get(name, _FIELDS)
    unknown = next((one for one in Template(text).get_identifiers() if one not in known), None)
    if unknown is not None:
        raise SettingsError(
            f"{name}.txt in {folder!r} has ${unknown}, which nothing fills in",
            hint=f"it may have {', '.join(f'${one}' for one in known) or 'none'}; a dollar sign is written $$",
        )
