"""The limits of models: context window, longest prompt, longest reply.

Windows come from the data of genai-prices. Loading it takes a third of a second, so it is loaded for the first model
that is asked for. It has no limits of replies and lacks some windows. Those are in a table here, collected from the
providers' model pages on the day it names. Neither is used for a model on the user's own server, where the window is
what the server was started with.

Models have the names that people and transcripts use: "openai:gpt-5", "claude-sonnet-4-5-20250929",
"anthropic/claude-sonnet-4.5", "deepseek/deepseek-r1:free", "us.anthropic.claude-haiku-4-5-20251001-v1:0".
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.lazy_regex import later
from palimpsest.settings import DEFAULT_MAX_TOKENS, ModelLimits, Settings

TABLE_DATE = "2026-11-21"
TABLE_SOURCE = f"models table of {TABLE_DATE}"
MAX_NAME_CHARS = 200

OWN_SERVERS = frozenset(
    ("ollama", "vllm", "llamacpp", "llama.cpp", "lmstudio", "lm-studio", "local", "openai-compatible", "scripted")
)  # fmt: skip
"""Names before the colon for servers whose windows only their operator knows."""


@dataclass(frozen=True, slots=True)
class Known:
    """The known limits of a model in tokens; 0 for an unknown one.

    `input_tokens` is the longest prompt if that is less than the window. `source` says where the window is from.
    """

    window_tokens: int = 0
    input_tokens: int = 0
    max_tokens: int = 0
    source: str = ""


_GPT_5 = (400_000, 272_000, 128_000)
_GPT_5_4 = (1_050_000, 922_000, 128_000)
_GEMINI = (1_048_576, 0, 65_536)
_CLAUDE_1M = (1_000_000, 0, 128_000)

_TABLE: dict[str, tuple[int, int, int]] = {
    **dict.fromkeys(("gpt-5", "gpt-5-1", "gpt-5-2", "gpt-5-3-codex"), _GPT_5),
    "gpt-5-3-codex-spark": (128_000, 0, 0),
    **dict.fromkeys(("gpt-5-4-mini", "gpt-5-4-nano"), _GPT_5),
    **dict.fromkeys(("gpt-5-4", "gpt-5-5", "gpt-5-6", "gpt-6", "gpt-6-1"), _GPT_5_4),
    **dict.fromkeys(("gpt-5-chat", "gpt-5-1-chat", "gpt-5-2-chat", "gpt-5-3"), (128_000, 0, 16_384)),
    "gpt-4-1": (1_047_576, 0, 32_768),
    "gpt-4o": (128_000, 0, 16_384),
    "gpt-4o-2024-05-13": (128_000, 0, 4_096),
    "gpt-4-turbo": (128_000, 0, 4_096),
    "gpt-4": (8_192, 0, 8_192),
    "gpt-3-5-turbo": (16_385, 0, 4_096),
    **dict.fromkeys(("o1", "o3", "o3-mini", "o4-mini"), (200_000, 0, 100_000)),
    "o1-mini": (128_000, 0, 65_536),
    "o1-preview": (128_000, 0, 32_768),
    "codex-mini": (200_000, 0, 100_000),
    **dict.fromkeys(("claude-fable-5", "claude-opus-5", "claude-opus-5-5"), _CLAUDE_1M),
    **dict.fromkeys(("claude-sonnet-5", "claude-haiku-5-5"), _CLAUDE_1M),
    **dict.fromkeys(("claude-opus-4-6", "claude-opus-4-7", "claude-opus-4-8"), _CLAUDE_1M),
    "claude-sonnet-4-6": (1_000_000, 0, 64_000),
    **dict.fromkeys(("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"), (200_000, 0, 64_000)),
    **dict.fromkeys(("claude-sonnet-4", "claude-sonnet-4-0", "claude-3-7-sonnet"), (200_000, 0, 64_000)),
    **dict.fromkeys(("claude-opus-4", "claude-opus-4-0", "claude-opus-4-1"), (200_000, 0, 32_000)),
    **dict.fromkeys(("claude-3-5-sonnet", "claude-3-5-haiku"), (200_000, 0, 8_192)),
    **dict.fromkeys(("claude-3-opus", "claude-3-sonnet", "claude-3-haiku"), (200_000, 0, 4_096)),
    **dict.fromkeys(("gemini-2-5-pro", "gemini-2-5-flash", "gemini-3-pro", "gemini-3-flash"), _GEMINI),
    **dict.fromkeys(("gemini-3-1-pro", "gemini-3-1-flash-lite", "gemini-3-5-flash"), _GEMINI),
    **dict.fromkeys(("gemini-3-7-flash", "gemini-3-8-flash"), _GEMINI),
    **dict.fromkeys(("gemini-2-0-flash", "gemini-2-0-flash-lite"), (1_048_576, 0, 8_192)),
}
"""Family -> window, longest prompt if that is less than the window, longest reply. Versions are written with "-"."""

_PROVIDER = later(r"(?P<provider>[a-z][a-z0-9_-]*):(?P<name>[^:/][^/]*|[^:/]+/.+)")
_OTHER_APIS = {"openai-responses:": "openai:"}
"""Names of another API of a provider, and the provider's own."""
_REGIONAL = later(r"(?:[a-z]{2,6}\.)?(?:anthropic|openai|meta|mistral|deepseek|amazon|cohere)\.(?=[a-z])")
_MARKED = later(r"\[[^\]]*\]$|:[a-z0-9]+$")
_OTHER_VERSION = later(r"-\d{1,2}(?:-|$)")


@lru_cache(maxsize=256)
def known(model: str) -> Known | None:
    """The known limits of the model, None where neither source has it."""
    names = tuple(spellings(model))
    row = next((found for _, name in names if (found := _row(name))), None)
    window_tokens, source = _listed_window(names)
    if row is None:
        return Known(window_tokens, source=source) if window_tokens else None
    own_window, input_tokens, max_tokens = row
    if not window_tokens:
        window_tokens, source = own_window, TABLE_SOURCE
    return Known(window_tokens, input_tokens, max_tokens, source)


def longest_reply(model: str) -> int:
    """The most tokens the model writes in one reply by the table here, 0 where that is not known."""
    row = next((found for _, name in spellings(model) if (found := _row(name))), None)
    return row[2] if row is not None else 0


def canonical(model: str) -> str:
    """The form in which names are compared with those in settings: lower case, versions with "-"."""
    return re.sub(r"(?<=\d)\.(?=\d)", "-", _with_own_provider(model.strip().lower()))


def _with_own_provider(name: str) -> str:
    other = next((one for one in _OTHER_APIS if name.startswith(one)), "")
    return _OTHER_APIS[other] + name[len(other) :] if other else name


def spellings(model: str) -> Iterator[tuple[str, str]]:
    """The (provider or "", name) pairs under which the model may be listed, most specific first."""
    name = _with_own_provider(model.strip().lower().replace("@", "-"))
    own_server = name.partition(":")[0] in OWN_SERVERS
    if not name or own_server or name.startswith("<") or len(name) > MAX_NAME_CHARS:
        return
    provider = ""
    split = _PROVIDER.fullmatch(name)
    if split is not None:
        provider, name = split["provider"], split["name"]
    plain = _MARKED.sub("", name)
    for spelling in dict.fromkeys((name, plain)):
        vendor, slash, rest = spelling.rpartition("/")
        if provider:
            yield provider, spelling
        elif slash:
            yield "openrouter", spelling
        if slash:
            yield vendor.rpartition("/")[2], rest
            yield "", rest
        elif not provider:
            yield "", spelling
    if _REGIONAL.match(plain):
        yield "", _REGIONAL.sub("", plain, count=1)


def _row(name: str) -> tuple[int, int, int] | None:
    """The row of the longest family that the name belongs to, not counting another version of it."""
    given = canonical(_MARKED.sub("", name.rpartition("/")[2]))
    fitting = (
        family
        for family in _TABLE
        if given == family
        or (given.startswith(f"{family}-") and not _OTHER_VERSION.match(given[len(family) :]))
    )
    longest = max(fitting, key=len, default=None)
    return _TABLE[longest] if longest is not None else None


def _listed_window(spellings: tuple[tuple[str, str], ...]) -> tuple[int, str]:
    """The window that genai-prices lists under one of the spellings, with its version; 0 for none."""
    if not spellings:
        return 0, ""
    import genai_prices
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    for provider, name in spellings:
        try:
            _, found = snapshot.find_provider_model(name, None, provider or None, None)
        except LookupError:
            continue
        if found.context_window:
            return found.context_window, f"genai-prices {genai_prices.__version__}"
    return 0, ""


SET = "set"
DEFAULT = "default"
FOUR_TIMES = "4 x max_tokens"
QUARTER = "a quarter of the window"

_DATED = later(r"-(?:\d{8}|\d{4}-\d{2}-\d{2})$")


@dataclass(frozen=True, slots=True)
class Limits:
    """The effective limits in tokens, and where each is from: "set", "set for MODEL", "genai-prices VERSION",
    "models table of DATE", "4 x max_tokens", "a quarter of the window" or "default".

    `longest_reply_tokens` is the most the model writes, 0 where that is not known.
    """

    window_tokens: int
    window_source: str
    max_tokens: int
    max_source: str
    longest_reply_tokens: int = 0


def find_limits(settings: Settings, model: str = "") -> Limits:
    """The limits for a model, "" for an unknown one. The reply always leaves room for a prompt."""
    own = _set_for(settings, model)
    set_here = f"{SET} for {own.name}"
    reply, reply_source = settings.max_tokens, SET
    if not reply:
        reply, reply_source = own.max_tokens, set_here
    window, window_source = settings.window_tokens, SET
    if not window:
        window, window_source = own.window_tokens, set_here
    found = (known(model) if model and not window else None) or Known(max_tokens=longest_reply(model))
    usual = min(DEFAULT_MAX_TOKENS, found.max_tokens or DEFAULT_MAX_TOKENS)
    if not window:
        window, window_source = found.window_tokens, found.source
        if found.input_tokens and found.input_tokens + (reply or usual) < window:
            window, window_source = found.input_tokens + (reply or usual), TABLE_SOURCE
    if not window:
        window, window_source = 4 * (reply or usual), FOUR_TIMES
    if not reply:
        reply, reply_source = usual, TABLE_SOURCE if usual < DEFAULT_MAX_TOKENS else DEFAULT
        if reply > window // 4:
            reply, reply_source = window // 4, QUARTER
    elif reply >= window:
        reply, reply_source = window // 4, QUARTER
    return Limits(window, window_source, reply, reply_source, found.max_tokens)


def resolve_limits(settings: Settings, model: str = "") -> Settings:
    """The settings with both limits filled in."""
    limits = find_limits(settings, model)
    return dataclasses.replace(settings, window_tokens=limits.window_tokens, max_tokens=limits.max_tokens)


def observed_limits(settings: Settings, model: str, observed_tokens: int) -> Settings:
    """The settings with both limits filled in; the window as a refusal reported it, if that is less (0 for none)."""
    made = resolve_limits(settings, model)
    if not 0 < observed_tokens < made.window_tokens:
        return made
    return resolve_limits(dataclasses.replace(settings, window_tokens=observed_tokens), model)


def _set_for(settings: Settings, model: str) -> ModelLimits:
    """The settings for this model: under its full name, else without its provider or its date."""
    set_by_name = {canonical(one.name): one for one in settings.models}
    name = canonical(model)
    short = name.partition(":")[2] or name
    for spelling in (name, short, _DATED.sub("", name), _DATED.sub("", short)):
        if spelling in set_by_name:
            return set_by_name[spelling]
    return ModelLimits(model)
