"""Configuration files of other agents, read as they are: what each says of context, and what of it has no effect here.

Source of the keys: the agents' own documentation. A value of the wrong type is refused by the name of our setting, as
anywhere else. A key that says `null` says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from palimpsest.config.picoclaw import PER_AGENT, is_picoclaw, read_picoclaw_config
from palimpsest.config.unread_keys import ELSEWHERE, unknown_key
from palimpsest.errors import SettingsError, brief
from palimpsest.settings import check_setting

Table = Mapping[str, object]

NOTHING_LIKE_IT = "nothing here corresponds to it"
NO_TABLE = "it is no table of keys"
INCLUDED = "other files are not read from here: name each with --config"
INCLUDES = ("$include", "include", "includes", "extends")
HERMES_SHARE = 0.5
OPENCLAW_RESERVE_TOKENS = 16_384
OPENCLAW_FLOOR_TOKENS = 20_000


@dataclass(frozen=True, slots=True)
class PeerConfig:
    """What a file says: a table as our own files have it, and the keys that have no effect, with why."""

    agent: str
    table: Table
    ignored: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Reading:
    """A table under a path of keys, and what has been made of it so far; `taken` has the key of each setting."""

    changes: dict[str, object] = field(default_factory=dict[str, object])
    ignored: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    taken: dict[str, str] = field(default_factory=dict[str, str])

    def take(
        self, table: Table, where: str, honoured: Mapping[str, str], why: Mapping[str, str],
        beside: Collection[str] = (), otherwise: str = ELSEWHERE,
    ) -> None:  # fmt: skip
        """Take over the honoured keys under our names, and note the others, with `otherwise` as the reason for those
        that nothing is known of. `beside` are keys that stand there, read elsewhere.
        """
        for key, value in table.items():
            if value is None or value == "" or key in beside:
                continue
            if key in honoured:
                if name := honoured[key]:
                    if name in self.taken and self.changes[name] != value:
                        self.ignored.append((self.taken[name], f"{where}{key} says otherwise, and counts"))
                    self.changes[name], self.taken[name] = value, f"{where}{key}"
            else:
                reason = (
                    INCLUDED if key in INCLUDES else unknown_key(key, (*honoured, *why, *beside), otherwise)
                )
                self.ignored.append((f"{where}{key}", why.get(key, reason)))

    def within(self, table: Table, key: str, where: str = "") -> Table:
        """The table under a key, empty where there is none; a value that is no table is noted."""
        inner = table.get(key)
        if inner is not None and inner != "" and not isinstance(inner, Mapping):
            self.ignored.append((f"{where}{key}", NO_TABLE))
        return _inner(table, key)


def _is_off(table: Table, where: str) -> bool:
    """Whether a table says `enabled: false`. Raises SettingsError for a value that is neither yes nor no."""
    enabled = table.get("enabled")
    if enabled is not None and not isinstance(enabled, bool):
        raise SettingsError(f"{where}enabled cannot be {brief(enabled)}", hint="give true or false")
    return enabled is False


def read_peer(table: Table) -> PeerConfig | None:
    """What a parsed file of OpenClaw, PicoClaw, Hermes or Crabtalk says, None for one of another kind.

    Raises SettingsError for values of the wrong type.
    """
    for is_this, read in _READERS:
        if is_this(table):
            return read(table)
    return None


def _inner(table: Table, *keys: str) -> Table:
    """The table under a path of keys, empty where there is none."""
    for key in keys:
        inner = table.get(key)
        table = cast("Table", inner) if isinstance(inner, Mapping) else {}
    return table


_OPENCLAW_TOP = frozenset(("agents", "agent", "channels", "gateway"))
_HUMPED, _UNDERSCORED = re.compile(r"[a-z][a-z0-9]*[A-Z]"), re.compile(r"[a-z][a-z0-9]*_")
MAX_KEY_DEPTH = 12


def is_openclaw(table: Table) -> bool:
    """Whether a parsed file is OpenClaw's: by what it says of the context or of the model, else by how most of its
    keys of several words are written (`allowFrom`, where PicoClaw's and ours are `allow_from`).
    """
    defaults = _defaults_of_openclaw(table)
    if {"compaction", "contextTokens", "contextPruning"} & set(defaults) or "primary" in _inner(
        defaults, "model"
    ):
        return True
    if not _OPENCLAW_TOP & set(table):
        return False
    keys = list(_keys(table))
    return sum(map(bool, map(_HUMPED.match, keys))) > sum(map(bool, map(_UNDERSCORED.match, keys)))


def _keys(value: object, depth: int = 0) -> Iterator[str]:
    """The keys of a table and of the tables in it."""
    if isinstance(value, Mapping) and depth < MAX_KEY_DEPTH:
        for key, inner in cast("Table", value).items():
            yield key
            yield from _keys(inner, depth + 1)


def _defaults_of_openclaw(table: Table) -> Table:
    """What holds for all its agents: `agents.defaults`, or `agent`, as it was called before there were several."""
    return _inner(table, "agents", "defaults") or _inner(table, "agent")


_OPENCLAW: Mapping[str, str] = {
    "enabled": "",
    "reserveTokens": "",
    "reserveTokensFloor": "",
    "keepRecentTokens": "tail_tokens",
    "identifierPolicy": "identifier_policy",
    "identifierInstructions": "identifier_instructions",
    "timeoutSeconds": "summary_timeout_s",
    "model": "summary_model",
}

_OPENCLAW_WHY: Mapping[str, str] = {
    "mode": "there is one mode: a source too large for the summarizer is always summarized in parts",
    "maxHistoryShare": "nothing is dropped to make room for a summary",
    "recentTurnsPreserve": "the end that is kept is counted in messages and tokens: set fresh_tail_count",
    "qualityGuard": "every summary is checked, and asked for again at most once",
    "customInstructions": "put your own prompts into prompts_folder",
    "memoryFlush": "no turn is run before a compaction: the history stays in the store",
    "provider": "name the model with its provider: provider:model",
    "postCompactionSections": "what must stay word for word is pinned",
    "notifyUser": "a compaction is told as an event",
}


def read_openclaw(table: Table) -> PeerConfig:
    """`agents.defaults.compaction` of an openclaw.json, with `contextTokens` and the primary model beside it."""
    defaults = _defaults_of_openclaw(table)
    where = "agents.defaults." if _inner(table, "agents", "defaults") else "agent."
    reading = _Reading()
    own = reading.within(defaults, "compaction", where)
    given = {key: value for key, value in own.items() if value is not None}
    reading.take(given, f"{where}compaction.", _OPENCLAW, _OPENCLAW_WHY, otherwise=NOTHING_LIKE_IT)
    if given.get("identifierInstructions") and given.get("identifierPolicy") != "custom":
        why = "identifierPolicy is not custom"
        reading.ignored.append((f"{where}compaction.identifierInstructions", why))
    if _is_off(given, f"{where}compaction."):
        reading.changes["compact_threshold"] = False
    reserve = check_setting("trigger_reserve_tokens", given.get("reserveTokens", OPENCLAW_RESERVE_TOKENS))
    floor = check_setting("trigger_reserve_tokens", given.get("reserveTokensFloor", OPENCLAW_FLOOR_TOKENS))
    reading.changes["trigger_reserve_tokens"] = max(cast("int", reserve), cast("int", floor))
    model = defaults.get("model")
    if isinstance(model, Mapping):
        fallbacks = {"fallbacks": "a model to fall back to is given as `fallback`"}
        reading.take(_inner(defaults, "model"), f"{where}model.", {}, fallbacks, ("primary",))
        model = _inner(defaults, "model").get("primary")
    reading.take(
        {**defaults, "model": model},
        where,
        {"contextTokens": "window_tokens", "model": "model"},
        {"contextPruning": "old results are pruned when a compaction starts, not by age"},
        ("compaction",),
    )
    if limits := _limits_of_openclaw(table, reading):
        reading.changes["models"] = limits
    reading.take(table, "", {}, {}, ("agents", "models", *(("agent",) if where == "agent." else ())))
    reading.take(_inner(table, "agents"), "agents.", {}, {"list": PER_AGENT}, ("defaults",))
    return PeerConfig("OpenClaw", {"preset": "openclaw", **reading.changes}, tuple(reading.ignored))


_OPENCLAW_LIMITS = frozenset(("id", "contextTokens", "contextWindow", "maxTokens"))


def _limits_of_openclaw(table: Table, reading: _Reading) -> dict[str, object]:
    """What `models.providers` says of windows and replies, by the names that `model` has there: provider/id."""
    found: dict[str, object] = {}
    declared = reading.within(table, "models")
    reading.take(declared, "models.", {}, {}, ("providers",))
    providers = reading.within(declared, "providers", "models.")
    for provider in providers:
        own = reading.within(providers, provider, "models.providers.")
        where, unused = f"models.providers.{provider}.", dict[str, object]()
        reading.take(own, where, {}, {}, ("models",))
        listed = own.get("models")
        for model in cast("list[object]", listed) if isinstance(listed, list) else ():
            said: Table = cast("Table", model) if isinstance(model, Mapping) else {}
            unused.update(said)
            window = said.get("contextTokens") or said.get("contextWindow")
            limits: dict[str, object] = {"window_tokens": window, "max_tokens": said.get("maxTokens")}
            kept = {name: value for name, value in limits.items() if value}
            if kept and isinstance(name := said.get("id"), str):
                found[f"{provider}/{name}"] = kept
        reading.take(unused, f"{where}models.", {}, {}, _OPENCLAW_LIMITS)
    return found


def is_hermes(table: Table) -> bool:
    """Whether a parsed file is Hermes's: by what it says of the context, or of the model."""
    if isinstance(table.get("compression"), Mapping) or "engine" in _inner(table, "context"):
        return True
    return "provider" in _inner(table, "model") or not {"default", "model"}.isdisjoint(_inner(table, "model"))


_HERMES: Mapping[str, str] = {
    "enabled": "",
    "threshold": "context_threshold_share",
    "target_ratio": "",
    "protect_last_n": "fresh_tail_count",
    "summary_model": "summary_model",
}

_HERMES_WHY: Mapping[str, str] = {
    "threshold_tokens": "the trigger is a share, or a number in its place: set compact_threshold",
    "model_thresholds": "there is one trigger for all models",
    "protect_first_n": "the beginning that is kept is counted in exchanges: set head_turns",
    "summary_provider": "name the model with its provider: provider:model",
    "summary_base_url": "give the engine a client of your own as `complete`",
    "tail_mode": "the end that is kept is set by tail_tokens",
    "min_tail_user_messages": "the newest request is always kept",
}


_HERMES_TOP: Mapping[str, str] = {
    "custom_providers": "lists are not read: what it says of a model's window is given in `models`",
}


def read_hermes(table: Table) -> PeerConfig:
    """`compression`, `auxiliary.compression`, `model` and `context` of a Hermes config.yaml, or of the same as JSON."""
    compression = _inner(table, "compression")
    reading = _Reading()
    auxiliary = reading.within(reading.within(table, "auxiliary"), "compression", "auxiliary.")
    model = _inner(table, "model") or {"default": table.get("model")}
    reading.take(compression, "compression.", _HERMES, _HERMES_WHY, otherwise=NOTHING_LIKE_IT)
    reading.take(
        auxiliary,
        "auxiliary.compression.",
        {"model": "summary_model", "timeout": "summary_timeout_s"},
        {"provider": _HERMES_WHY["summary_provider"], "base_url": _HERMES_WHY["summary_base_url"]},
    )
    reading.take(
        model,
        "model.",
        {"default": "model", "model": "model", "context_length": "window_tokens", "max_tokens": "max_tokens"},
        {},
    )
    if _is_off(compression, "compression."):
        reading.changes["compact_threshold"] = False
    _tail_of_hermes(reading, compression)
    context = reading.within(table, "context")
    if (engine := context.get("engine")) not in (None, "compressor"):
        reading.ignored.append(
            ("context.engine", f"{brief(engine)} is a plug-in of Hermes; its compressor is followed")
        )
    reading.take(context, "context.", {}, {}, ("engine",))
    reading.take(table, "", {}, _HERMES_TOP, ("compression", "model", "context", "auxiliary"))
    reading.take(_inner(table, "auxiliary"), "auxiliary.", {}, {}, ("compression",))
    return PeerConfig("Hermes", {"preset": "hermes", **reading.changes}, tuple(reading.ignored))


def _tail_of_hermes(reading: _Reading, compression: Table) -> None:
    """The tail as the share of the trigger that `target_ratio` says, where the window is known."""
    ratio = compression.get("target_ratio")
    if ratio is None:
        return
    if isinstance(ratio, bool) or not isinstance(ratio, int | float) or not 0 < ratio <= 1:
        raise SettingsError(
            f"target_ratio cannot be {brief(ratio)}", hint="give a share above 0 and at most 1"
        )
    window = reading.changes.get("window_tokens")
    if not isinstance(window, int) or not window:
        why = "it is a share of a trigger that needs model.context_length: set tail_tokens"
        reading.ignored.append(("compression.target_ratio", why))
        return
    share = check_setting("context_threshold_share", compression.get("threshold") or HERMES_SHARE)
    reading.changes["tail_tokens"] = int(window * cast("float", share) * ratio)


_CRABTALK_TOP = frozenset(("provider", "mcps", "mcp", "system", "package", "env", "disabled", "tasks"))
_CRABTALK_AGENT = frozenset(
    (
        "description",
        "max_iterations",
        "thinking",
        "members",
        "skills",
        "mcps",
        "compact_tool_max_len",
        "hooks",
    )
)
_CRABTALK: Mapping[str, str] = {"compact_threshold": "compact_threshold", "model": "model"}
_CRABTALK_WHY: Mapping[str, str] = {
    "compact_tool_max_len": "a summarizer is shown the ends of long results, at most 6,000 characters of one",
}


def is_crabtalk(table: Table) -> bool:
    """Whether a parsed file is Crabtalk's: keys that only its files have, at the top or with an agent."""
    if _CRABTALK_TOP & set(table):
        return True
    agents = _inner(table, "agents")
    return any(_CRABTALK_AGENT & set(_inner(agents, name)) for name in agents)


def read_crabtalk(table: Table) -> PeerConfig:
    """`compact_threshold` and `model` of the agents of a Crabtalk TOML file, and of `[system.crab]` for all."""
    everyone = _Reading()
    everyone.take(_inner(table, "system", "crab"), "system.crab.", _CRABTALK, _CRABTALK_WHY)
    ignored = everyone.ignored
    agents: dict[str, object] = {}
    for name in _inner(table, "agents"):
        own = _Reading()
        own.take(
            own.within(_inner(table, "agents"), name, "agents."), f"agents.{name}.", _CRABTALK, _CRABTALK_WHY
        )
        agents[name] = own.changes
        ignored.extend(own.ignored)
    everyone.take(_inner(table, "system"), "system.", {}, {}, ("crab",))
    everyone.take(table, "", _CRABTALK, {}, ("agents", "system"))
    made: dict[str, object] = {"preset": "crabtalk", **everyone.changes}
    return PeerConfig("Crabtalk", {**made, **({"agents": agents} if agents else {})}, tuple(ignored))


def _read_picoclaw(table: Table) -> PeerConfig:
    found = read_picoclaw_config(table)
    return PeerConfig("PicoClaw", found.changes, found.ignored)


_READERS: tuple[tuple[Callable[[Table], bool], Callable[[Table], PeerConfig]], ...] = (
    (is_openclaw, read_openclaw),
    (is_picoclaw, _read_picoclaw),
    (is_hermes, read_hermes),
    (is_crabtalk, read_crabtalk),
)
