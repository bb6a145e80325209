"""Invented sessions for `bench/wishes.py`: a user's messages spread over a long history of an assistant and its tools.

The sentences are filled in from the templates of `wishes_texts.txt`. Every draw is seeded, so each run has the same
sessions, and no sentence of a user occurs twice in a session. The user says 4,000 tokens in messages of 15 to 300, and
two longer messages, of 900 and of 2,500 tokens.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from palimpsest.budget.token_counts import count_message
from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Message, Text, ToolCall, ToolResult

LANGUAGES = ("en", "de", "es", "zh", "ja", "ko")
KINDS = ("coding", "customer", "chat")
SHORT_TOKENS = 300
"""A message of the user up to this size must stand as it was written."""
SHORTEST_TOKENS = 15
USER_TOKENS = 4_000
LONG_TOKENS = (900, 2_500)
LIST_SHARE = 0.25
"""Of the user's messages so many are lists, one sentence a line."""
RESULT_TOKENS = (120, 1_500)
SPARE_EVERY = 5
"""One spare chunk for so many: where a compaction changes nothing, another has to be made."""
MAX_TRIES = 1_000
_TEXTS = Path(__file__).parent / "wishes_texts.txt"
_UNSPACED = ("zh", "ja")
_TOOLS: Mapping[str, tuple[str, str]] = {
    "coding": ("read_file", "path"),
    "customer": ("find_order", "order"),
    "chat": ("look_up", "query"),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A message of the user, as the sentences that it is made of; `text` is how it was written."""

    sentences: tuple[str, ...]
    text: str

    @property
    def tokens(self) -> int:
        return count_text(self.text)


@dataclass(frozen=True, slots=True)
class Talk:
    """A session, in chunks that are each followed by a compaction; `wishes` are the user's messages, in order. In the
    `spare` chunks that may follow the user says nothing more.
    """

    language: str
    kind: str
    wishes: tuple[Wish, ...]
    chunks: tuple[tuple[Message, ...], ...]
    spare: tuple[tuple[Message, ...], ...] = ()


@cache
def templates(language: str) -> Mapping[str, tuple[str, ...]]:
    """The lines of a language in `wishes_texts.txt`, by section; names of things, people and days one by one."""
    found: dict[str, list[str]] = {}
    section: list[str] = []
    for line in _TEXTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            its, _, name = line[3:].partition(" ")
            section = found.setdefault(name, []) if its == language else []
        elif line:
            section.extend(line.split(" | "))
    return {name: tuple(lines) for name, lines in found.items()}


def digest() -> str:
    """What names the texts."""
    return hashlib.sha256(_TEXTS.read_bytes()).hexdigest()[:16]


class Writer:
    """Fills in templates; the same seed writes the same sentences, and none twice under `fresh`."""

    def __init__(self, language: str, kind: str, seed: str) -> None:
        self.language = language
        self.kind = kind
        self.chance = random.Random(f"{language}/{kind}/{seed}")
        self._texts = templates(language)
        self._said = set[str]()

    def sentence(self, section: str) -> str:
        """The next sentence of a section."""
        texts, chance = self._texts, self.chance
        return chance.choice(texts[section]).format(
            thing=chance.choice(texts["thing"]),
            name=chance.choice(texts["name"]),
            day=chance.choice(texts["day"]),
            n=chance.randint(2, 97),
        )

    def fresh(self, section: str) -> str:
        """A sentence that was not said before."""
        for _ in range(MAX_TRIES):
            found = self.sentence(section)
            if found not in self._said:
                self._said.add(found)
                return found
        raise ValueError(f"no sentence of {section!r} in {self.language!r} is left")

    def wish(self, tokens: int, most_tokens: int) -> Wish:
        """A message of the user of about so many tokens, one sentence at least, and at most so many."""
        sentences = [self.fresh(self.kind)]
        listed = self.chance.random() < LIST_SHARE
        while self._joined(sentences, listed=listed).tokens < tokens:
            sentences.append(self.fresh(self.kind))
        while len(sentences) > 1 and self._joined(sentences, listed=listed).tokens > most_tokens:
            sentences.pop()
        return self._joined(sentences, listed=listed)

    def prose(self, tokens: int) -> str:
        """An assistant's words, of about so many tokens."""
        sentences = [self.sentence("assistant")]
        while count_text(self._space.join(sentences)) < tokens:
            sentences.append(self.sentence("assistant"))
        return self._space.join(sentences)

    def result(self, tokens: int) -> str:
        """What a tool returns: lines of code, records, or prose, as the kind of session has it."""
        lines = [self._line()]
        size = count_text(lines[0])
        while size < tokens:
            lines.append(self._line())
            size += count_text(lines[-1]) + 1
        return "\n".join(lines)

    def word(self) -> str:
        """An identifier that nobody knows."""
        return f"{self.chance.choice(('load', 'merge', 'print', 'check'))}_{self.chance.getrandbits(24):06x}"

    @property
    def _space(self) -> str:
        return "" if self.language in _UNSPACED else " "

    def _joined(self, sentences: Sequence[str], *, listed: bool) -> Wish:
        text = "\n".join(f"- {one}" for one in sentences) if listed else self._space.join(sentences)
        return Wish(tuple(sentences), text)

    def _line(self) -> str:
        chance = self.chance
        if self.kind == "coding":
            return (
                f"    {self.word()} = rows[{chance.randint(0, 999)}].{self.word()}({chance.randint(0, 99)})"
            )
        if self.kind == "customer":
            record = {
                "order": self.word(),
                "pieces": chance.randint(1, 9),
                "cents": chance.randint(100, 99_999),
            }
            return json.dumps(record)
        return self.sentence("assistant")


def wishes(
    language: str, kind: str, tokens: int = USER_TOKENS, long: Sequence[int] = LONG_TOKENS
) -> tuple[Wish, ...]:
    """The user's messages of a session: at most so many tokens in all, and the longer ones, which stand a third and two
    thirds of the way through.
    """
    writer = Writer(language, kind, "wishes")
    made: list[Wish] = []
    left = tokens
    while left >= SHORTEST_TOKENS:
        size = SHORTEST_TOKENS * (SHORT_TOKENS / SHORTEST_TOKENS) ** writer.chance.random()
        wish = writer.wish(min(round(size), left), min(SHORT_TOKENS, left))
        left -= wish.tokens
        if left >= 0:
            made.append(wish)
    for number, size in enumerate(long, 1):
        made.insert(number * len(made) // (len(long) + 1), writer.wish(size, 2 * size))
    return tuple(made)


def talk(language: str, kind: str, said: Sequence[Wish], chunks: int, chunk_tokens: int) -> Talk:
    """A session in which the user says all that in so many chunks, of so many tokens each."""
    writer = Writer(language, kind, f"history/{chunks}")
    made: list[tuple[Message, ...]] = []
    for number in range(chunks):
        here = said[number * len(said) // chunks : (number + 1) * len(said) // chunks]
        made.append(tuple(_chunk(writer, here, chunk_tokens, f"c{number}")))
    spare = [
        tuple(_chunk(writer, (), chunk_tokens, f"s{number}")) for number in range(2 + chunks // SPARE_EVERY)
    ]
    return Talk(language, kind, tuple(said), tuple(made), tuple(spare))


def _chunk(writer: Writer, said: Sequence[Wish], tokens: int, prefix: str) -> Iterator[Message]:
    """The user's messages, each followed by its share of the assistant's work; all work where the user says nothing."""
    size = number = 0
    for place, wish in enumerate(said or (None,), 1):
        if wish is not None:
            message = Message("user", (Text(wish.text),))
            size += count_message(message)
            yield message
        first = True
        while first or size < tokens * place / max(1, len(said)):
            first = False
            for message in _step(writer, f"{prefix}_{number}"):
                size += count_message(message)
                yield message
            number += 1
        if wish is not None:
            message = Message("assistant", (Text(writer.prose(60)),))
            size += count_message(message)
            yield message


def _step(writer: Writer, call_id: str) -> Iterator[Message]:
    """The assistant says something, calls a tool, and has its result."""
    low, high = RESULT_TOKENS
    name, key = _TOOLS[writer.kind]
    arguments = json.dumps({key: f"src/{writer.word()}.py" if writer.kind == "coding" else writer.word()})
    yield Message("assistant", (Text(writer.prose(40)), ToolCall(call_id, name, arguments)))
    size = round(low * (high / low) ** writer.chance.random())
    yield Message("tool", (ToolResult(call_id, (Text(writer.result(size)),)),))
