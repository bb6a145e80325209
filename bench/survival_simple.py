"""The simple ledger for `bench/survival.py`: fixed shares, scores set by hand, the benchmark's own extraction.

It shares nothing with the package but the form of a tree of files, so that it shows what little rules reach: files as
a tree, commands verbatim, references, and names that no kept path or command says. Scores are sums over ages in
characters from the end, exp(-age / scale), and counts, log(1 + n); an entry is chosen by its score less the logarithm
of its tokens. Shares of the budget: files 27 %, commands 14 %, references 4 %, names the rest, short wishes of the user
up to 60 tokens.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from survival_data import Session
from survival_needs import identifiers_in, paths_in, references_in, text_of, wanted

from palimpsest.budget.token_estimator import count_text
from palimpsest.ledger.extraction import BUILT_IN
from palimpsest.ledger.file_tree import file_entries, split_path
from palimpsest.record.message import Message
from palimpsest.text.identifiers import has_extension

SHARES: Mapping[str, float] = {"file": 0.27, "command": 0.14, "reference": 0.04}
WISH_TOKENS = 60
WISH_SHARE = 0.06
WISH_CHARS = 160
SPOKEN_CHARS = 2_000
BURST_CHARS = 8_000
RECENT_REQUESTS = 3
_WISH = re.compile(
    r"(?:please |and |also |but )?"
    r"(?:never|always|don't|do not|must|use|prefer|only|make sure|i (?:want|need|prefer)|we )",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class Thing:
    """A file, command, reference or name: where it was met last and used last, in characters, and how often."""

    text: str
    met: int = 0
    used: int = -1
    uses: float = 0.0
    messages: int = 0
    results: int = 0
    burst: int = 0
    first_burst: int = -BURST_CHARS
    newest: bool = False
    recent: bool = False


@dataclass(slots=True)
class Things:
    """Everything of the messages before a cut, by kind."""

    position: int = 0
    kinds: dict[str, dict[str, Thing]] = field(
        default_factory=lambda: {kind: {} for kind in ("file", "command", "reference", "name")}
    )
    wishes: list[str] = field(default_factory=list[str])


@lru_cache(maxsize=4_096)
def _named(message: Message) -> tuple[tuple[str, str], ...]:
    """(kind, text) of what a message names, each once."""
    text = text_of(message)
    found = dict.fromkeys(("file", path) for path in paths_in(text) if path[0] in "/~" or has_extension(path))
    found |= dict.fromkeys(("name", name) for name in identifiers_in(text))
    found |= dict.fromkeys(("reference", one) for one in references_in(text))
    return tuple(found)


@lru_cache(maxsize=4_096)
def _used(message: Message) -> tuple[tuple[str, str], ...]:
    """(kind, text) of what the calls of a message are given."""
    kinds = {"path args": "file", "shell paths": "file", "commands": "command"}
    kinds |= {"identifiers": "name", "references": "reference"}
    return tuple(
        (kinds[kind], text) for call in message.calls for kind, text in wanted(call) if kind in kinds
    )


def things_of(session: Session, end: int) -> Things:
    """What the first `end` messages name and use."""
    found = Things()
    messages = session.messages[:end]
    asked = [at for at, message in enumerate(messages) if message.role == "user" and not message.results]
    for at, message in enumerate(messages):
        for kind, text in (*_named(message), *_used(message)):
            _meet(found, kind, text, message, newest=at in asked[-1:], recent=at in asked[-RECENT_REQUESTS:])
        for kind, text in _used(message):
            thing = found.kinds[kind][text]
            thing.used, thing.uses = found.position, thing.uses + 1
        if message.role == "user":
            found.wishes += _wishes(text_of(message))
        found.position += len(text_of(message))
    return found


def _meet(found: Things, kind: str, text: str, message: Message, *, newest: bool, recent: bool) -> None:
    thing = found.kinds[kind].setdefault(text, Thing(text))
    if found.position - thing.first_burst > BURST_CHARS:
        thing.first_burst, thing.burst = found.position, 0
    thing.met, thing.burst = found.position, thing.burst + 1
    thing.messages += 1
    thing.results += bool(message.results)
    thing.newest, thing.recent = thing.newest or newest, thing.recent or recent


def _wishes(text: str) -> Iterator[str]:
    if len(text) <= SPOKEN_CHARS and "<" not in text:
        for sentence in _SENTENCE.split(text):
            if len(sentence) <= WISH_CHARS and _WISH.match(sentence):
                yield sentence.strip()


def score(thing: Thing, kind: str, position: int) -> float:
    """The sum of what is known of a thing, as it was first measured; commands by their newest use."""

    def age(at: int, scale: int) -> float:
        return math.exp(-(position - at) / scale) if at >= 0 else 0.0

    match kind:
        case "file":
            return (
                (thing.used >= 0)
                + 1.5 * thing.newest
                + 0.6 * thing.recent
                + 0.5 * math.log1p(thing.messages)
                + 0.7 * age(thing.used, 120_000)
                + 0.35 * math.log1p(thing.uses) * age(thing.used, 150_000)
                + 0.3 * age(thing.met, 8_000)
            )
        case "command":
            return math.log1p(thing.uses) + age(thing.used, 120_000)
        case _:
            return (
                0.9 * (thing.used >= 0)
                + 1.8 * thing.newest
                + math.log1p(thing.messages)
                + 0.9 * age(thing.met, 120_000)
                + 0.4 * age(thing.met, 30_000)
                + 1.2 * age(thing.used, 8_000)
                + 0.5 * age(thing.used, 120_000)
                + 0.25 * math.log1p(thing.burst) * age(thing.first_burst, 30_000)
                - 0.5 * math.log1p(thing.results)
            )


def simple_text(session: Session, end: int, size_tokens: int) -> str:
    """The simple ledger of the messages before `end`, in at most so many tokens."""
    found = things_of(session, end)
    files = _files(found, SHARES["file"] * size_tokens)
    commands = _taken(_commands(found), SHARES["command"] * size_tokens)
    said = " ".join((*files, *commands))
    references = _taken(
        [text for text in _ranked(found, "reference") if text not in said], SHARES["reference"] * size_tokens
    )
    wishes = _taken(found.wishes[::-1], min(WISH_TOKENS, WISH_SHARE * size_tokens))
    names = [text for text in _ranked(found, "name") if text not in said and text not in BUILT_IN]
    lines = [*wishes, *_tree(files), *commands, " ".join(references)]
    left = size_tokens - count_text("\n".join(lines)) - 2
    return "\n".join((*lines, " ".join(_taken(names, left))))


def _ranked(found: Things, kind: str) -> list[str]:
    things = found.kinds[kind].values()

    def worth(thing: Thing) -> float:
        return score(thing, kind, found.position) - math.log(count_text(thing.text) + 1)

    return [thing.text for thing in sorted(things, key=worth, reverse=True)]


def _commands(found: Things) -> list[str]:
    """Commands from the best down, of those that differ in numbers only the latest."""
    latest = {_NUMBER.sub("0", text): text for text in found.kinds["command"]}
    kept = frozenset(latest.values())
    return [text for text in _ranked(found, "command") if text in kept and "\n" not in text]


def _files(found: Things, budget_tokens: float) -> list[str]:
    """Paths from the best down that fit as a tree; of two of which one is the end of the other, the longer."""
    whole = list(found.kinds["file"])
    taken: list[str] = []
    folders: set[str] = set()
    for path in _ranked(found, "file"):
        if not path.startswith("/") and any(one.endswith("/" + path) for one in whole):
            continue
        folder, name = split_path(path)
        cost = count_text(name) + 1 + (count_text(folder) // 2 + 2 if folder not in folders else 0)
        if cost <= budget_tokens:
            budget_tokens -= cost
            folders.add(folder)
            taken.append(path)
    return taken


def _tree(files: Sequence[str]) -> list[str]:
    lines = file_entries([(path, "named") for path in files])
    return [f"{' ' * (len(line) - len(line.lstrip()))}- {line.lstrip()}" for line in lines]


def _taken(texts: Sequence[str], budget_tokens: float) -> list[str]:
    taken: list[str] = []
    for text in texts:
        cost = count_text(text) + 1
        if cost <= budget_tokens:
            budget_tokens -= cost
            taken.append(text)
    return taken
