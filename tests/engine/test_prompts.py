"""An agent's own prompts: what a folder of them may hold, and how what it may not is told."""

from pathlib import Path

import pytest

from palimpsest.engine.compacting.custom_prompts import load_prompts
from palimpsest.errors import SettingsError
from palimpsest.summarize.model.prompts import prompt, prompt_names


def saved(folder: Path, name: str, text: str) -> str:
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("name", prompt_names())
def test_a_copy_of_a_shipped_prompt_is_taken(name: str, tmp_path: Path) -> None:
    text = prompt(name, {}).template
    assert load_prompts(saved(tmp_path, name, text)) == {name: text}


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_prompt_without_words_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"leaf_normal\.txt in .* is empty"):
        load_prompts(saved(tmp_path, "leaf_normal", text))


@pytest.mark.parametrize(
    "name, field, may_have",
    [
        ("leaf_normal", "tokens", "target_tokens"),
        ("data", "focus", r"\$source"),
        ("fork", "source", r"\$rules"),
        ("form_page", "focus", "none"),
    ],
)
def test_a_field_that_nothing_fills_in_is_named(name: str, field: str, may_have: str, tmp_path: Path) -> None:
    folder = saved(
        tmp_path, name, f"Tell it. $source ${{{field}}}" if name == "data" else f"Tell it. ${field}"
    )
    with pytest.raises(SettingsError, match=rf"{name}\.txt in .* has \${field}, .*") as caught:
        load_prompts(folder)
    assert may_have.replace("\\", "") in str(caught.value.hint)


def test_prices_and_doubled_dollar_signs_are_text(tmp_path: Path) -> None:
    text = "Keep what costs more than $5, and names such as $$HOME. $focus"
    assert load_prompts(saved(tmp_path, "leaf_normal", text)) == {"leaf_normal": text}


@pytest.mark.parametrize(
    "name, text, said",
    [("leaf", "Tell it.", "unknown name 'leaf'"), ("data", "Tell it.", "does not hold")],
)
def test_a_name_that_is_none_and_data_without_source_are_refused(
    name: str, text: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=said):
        load_prompts(saved(tmp_path, name, text))


def test_a_folder_without_prompts_or_that_is_none_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SettingsError, match="holds no prompts"):
            load_prompts(str(folder))
    assert load_prompts("") == {}
