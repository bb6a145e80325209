"""Settings without effect: each policy names what it reads, and running it shows that this is so."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

import palimpsest
from palimpsest.complete.scripted import ScriptedModel
from palimpsest.config.files import read_config
from palimpsest.config.precedence import from_flags, resolve
from palimpsest.engine.engine import Engine
from palimpsest.errors import ModelError
from palimpsest.settings import (
    CHOICES,
    PRESETS,
    READ_BY,
    SETTING_NAMES,
    Settings,
    make_settings,
    without_effect,
)
from palimpsest.stores.sqlite.store import SqliteStore

OVERFLOW = ModelError("prompt is too long: 9000 tokens > 8000 maximum", reason="context_overflow")
COPIERS = frozenset(("dataclasses", "palimpsest.settings", __name__))
"""Modules that read all settings only to copy, compare or check them."""

seen: set[str] = set()


@dataclass(frozen=True)
class Watched(Settings):
    """Settings that note which of them are read."""

    def __getattribute__(self, name: str) -> object:
        if sys._getframe(1).f_globals.get("__name__") not in COPIERS:
            seen.add(name)
        return object.__getattribute__(self, name)


def watched(settings: Settings) -> Watched:
    return Watched(**{one.name: getattr(settings, one.name) for one in fields(Settings)})


async def session(settings: Settings) -> set[str]:
    """The settings that a session reads in which everything happens: turns, tools, compactions, an overflow."""
    seen.clear()
    store = await SqliteStore.open(":memory:")
    model = ScriptedModel(["## Progress\n- The tide tables were read."])
    async with Engine(store, settings=watched(settings), complete=model) as engine:
        talk = engine.conversation("a")
        for turn in range(24):
            call = {"id": f"c{turn}", "type": "function", "function": {"name": "read", "arguments": "{}"}}
            await talk.append({"role": "user", "content": f"question {turn} " + "of the tide " * 40})
            await talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
            await talk.append({"role": "tool", "tool_call_id": f"c{turn}", "content": f"row {turn} " * 300})
            await talk.append({"role": "assistant", "content": f"answer {turn} " + "so it is " * 40})
            request = await talk.request(tools=talk.tools())
            await talk.record_usage({"prompt_tokens": request.tokens, "completion_tokens": 9}, request)
            await talk.end_turn()
            await engine.idle()
        await talk.compact(until_under_tokens=2_500)
        await talk.append({"role": "user", "content": "and now?"})
        await talk.request()
        await talk.recover(OVERFLOW)
    return set(seen)


def of_policies() -> frozenset[str]:
    return frozenset[str]().union(*READ_BY.values())


@pytest.mark.parametrize("preset", PRESETS)
async def test_no_preset_reads_a_setting_that_is_reported(preset: str) -> None:
    settings = make_settings(preset, window_tokens=8_000, max_tokens=1_000, summary_window_tokens=6_000)
    read = await session(settings)
    unread = {
        name for name, why in without_effect(settings, SETTING_NAMES).items() if "does not read it" in why
    }
    assert unread & set(SETTING_NAMES)
    assert read & unread <= {"prompts_folder"}  # read once for every engine


NEVER_MET = {"failure_cooldown_s", "when_refused", "summary_window_tokens", "prompts_folder", "summarizer"}
"""What only an engine that is opened otherwise reads, or a call that fails."""
LAST_RESORT = {name for name in SETTING_NAMES if name.startswith(("leaf_", "condensed_"))}
"""What policies other than the hierarchical read where nothing else makes a request fit."""


@pytest.mark.parametrize("preset", ["seahorse", "picoclaw", "hermes", "default", "sliding-window"])
async def test_a_policy_reads_what_it_says_it_reads(preset: str) -> None:
    settings = make_settings(preset, window_tokens=8_000, max_tokens=1_000, fresh_tail_count=2)
    policy = READ_BY[settings.policy] - NEVER_MET
    policy -= set[str]() if settings.policy == "hierarchical" else LAST_RESORT
    assert policy - await session(settings) == set()


def other_value(name: str) -> object:
    """A value of the setting that is not its default, as a flag gives it."""
    default = getattr(make_settings(), name)
    if name in CHOICES:
        return next(one for one in CHOICES[name] if one != default)
    return (
        1
        if isinstance(default, float)
        else 90
        if isinstance(default, int)
        else "other"
        if isinstance(default, str)
        else default
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_every_key_is_either_read_or_reported_in_every_preset(preset: str) -> None:
    for name in set(SETTING_NAMES) - {"models", "policy", "compact_threshold"}:
        flags = from_flags([f"preset={preset}", f"{name}={other_value(name)}"])
        config = resolve([flags])
        told = dict(config.ignored)
        unread = name in of_policies() - READ_BY[config.settings.policy]
        assert (f"--set {name}" in told) == (name in without_effect(config.settings, [name]))
        assert unread <= (f"--set {name}" in told or config.settings.summarizer == "provider")


@pytest.mark.parametrize(
    "preset, changes, told",
    [
        ("crabtalk", ["context_threshold_share=0.5"], ["context_threshold_share"]),
        ("crabtalk", ["context_threshold_share=0.5", "compact_threshold=0"], []),
        ("openclaw", ["trigger_base=window"], ["trigger_base"]),
        ("hermes", ["identifier_instructions=Keep ids"], ["identifier_instructions"]),
        ("hermes", ["identifier_instructions=Keep ids", "identifier_policy=custom"], []),
        ("default", ["summarize_message_threshold=9"], ["summarize_message_threshold"]),
        ("hierarchical", ["tail_tokens=9"], ["tail_tokens"]),
        ("hierarchical", ["tail_tokens=9", "summarizer=provider"], []),
        ("seahorse", ["gate_shown_tokens=90"], ["gate_shown_tokens"]),
    ],
)
def test_a_setting_that_another_one_overrides_is_reported(
    preset: str, changes: list[str], told: list[str]
) -> None:
    found = resolve([from_flags([f"preset={preset}", *changes])]).ignored
    assert [name for name, _ in found] == [f"--set {name}" for name in told]


def reasons(found: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{name}: {why}" for name, why in found]


def test_files_variables_and_the_library_report_it_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "palimpsest.toml"
    path.write_text("head_turns = 2\n", encoding="utf-8")
    found = read_config(tmp_path, environment={"PALIMPSEST_CUTS_AT": "turns"}, user=False)
    why = 'the policy "economic" does not read it'
    assert reasons(found.ignored) == [f"{path}: head_turns: {why}", f"PALIMPSEST_CUTS_AT: {why}"] or reasons(
        found.ignored
    ) == [f"PALIMPSEST_CUTS_AT: {why}", f"{path}: head_turns: {why}"]
    with caplog.at_level(logging.WARNING, "palimpsest"):
        palimpsest.open(":memory:", head_turns=2)
    assert [record.message for record in caplog.records] == [f"setting head_turns has no effect: {why}"]
