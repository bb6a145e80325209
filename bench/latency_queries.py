"""Patterns and questions of every kind that is measured, made from what a filled database holds."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latency_fill import OWNER
from latency_texts import vocabulary

PATTERNS_OF_A_KIND = 12
COMMON = ("compass", "lantern")
"""Planted words that every third message holds."""

_NAMED = re.compile(r"`(src/\S+?\.py)` (\w+)")


@dataclass(frozen=True, slots=True)
class Kind:
    """Patterns of one kind, each with the plain FTS5 expression that comes nearest, "" where none does."""

    name: str
    patterns: tuple[tuple[str, str], ...]


def names_in(path: Path, count: int, chance: random.Random) -> list[tuple[str, str]]:
    """(path, identifier) of messages drawn from all that the owner has."""
    connection = sqlite3.connect(path)
    (last,) = connection.execute("SELECT max(id) FROM message").fetchone()
    found: dict[tuple[str, str], None] = {}
    for _ in range(count * 1_000):
        row = connection.execute(
            "SELECT message.body FROM message JOIN owner ON owner.id = message.owner_id"
            " WHERE message.id = ? AND owner.name = ?",
            (chance.randint(1, last), OWNER),
        ).fetchone()
        match = _NAMED.search(json.loads(row[0])["p"][0][1]) if row else None
        if match:
            found[match[1], match[2]] = None
        if len(found) == count:
            break
    connection.close()
    return list(found)


def kinds(path: Path) -> list[Kind]:
    """Patterns of every kind; the same for the same database."""
    chance = random.Random(7)
    words = vocabulary()
    count = PATTERNS_OF_A_KIND
    names = names_in(path, count, chance)
    rare = chance.sample([one for one in words[8_000:] if len(one) > 6], count)
    medium = chance.sample(words[100:1_000], count)
    frequent = chance.sample(words[:20], count)
    plain = [
        Kind("a rare word", tuple((one, one) for one in rare)),
        Kind("a word of medium rarity", tuple((one, one) for one in medium)),
        Kind("a word in every third message", tuple((one, one) for one in COMMON)),
        Kind("frequent words", tuple((one, one) for one in frequent)),
        Kind("two in every third message", ((" ".join(COMMON), " ".join(COMMON)),)),
        Kind("a path", tuple((one, _phrase(one)) for one, _ in names)),
        Kind("an identifier", tuple((one, _phrase(one)) for _, one in names)),
    ]
    return [
        *plain,
        Kind("a phrase of frequent words", tuple(_pair(pair, '"{} {}"') for pair in _pairs(frequent))),
        Kind("OR", tuple(_pair(pair, "{} OR {}") for pair in zip(medium, COMMON * count, strict=False))),
        Kind("NOT", tuple(_pair(pair, "{1} NOT {0}") for pair in zip(medium, COMMON * count, strict=False))),
        Kind("%fuzzy%", tuple((f"%{one[1:-1]}%", "") for one in rare)),
        Kind("%fuzzy% of a frequent part", tuple((f"%{part}%", "") for part in ("compa", "antern", "ainar"))),
        Kind("the inside of an identifier", tuple((one[2:-2], "") for _, one in names)),
        Kind("the inside of a path", tuple((one[6:-4], "") for one, _ in names)),
        Kind("Chinese", (("灯塔", ""), ("渡轮", ""), ("时间表", ""))),
        Kind("what nobody said", tuple((f"qz{chance.getrandbits(32):08x}", "") for _ in range(count))),
    ]


def questions(path: Path) -> list[str]:
    """Questions of six to eight words with content, most of which many messages hold."""
    chance = random.Random(8)
    words = vocabulary()
    asked: list[str] = []
    for place, (_, identifier) in enumerate(names_in(path, PATTERNS_OF_A_KIND, chance)):
        frequent, medium = chance.sample(words[:60], 2), chance.sample(words[100:2_000], 2)
        named = identifier if place % 2 else chance.choice(words[8_000:])
        asked.append(
            f"When did we change the {medium[0]} {COMMON[place % 2]} of {frequent[0]} {frequent[1]} "
            f"because {named} was {medium[1]}?"
        )
    return asked


def _phrase(text: str) -> str:
    return f'"{text}"'


def _pairs(words: Sequence[str]) -> list[tuple[str, str]]:
    return [(words[place - 1], word) for place, word in enumerate(words)]


def _pair(pair: tuple[str, str], form: str) -> tuple[str, str]:
    return form.format(*pair), form.format(*pair)
