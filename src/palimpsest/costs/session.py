"""A session as a sequence of model calls: what each added to the prompt, wrote, and quoted, and when it was made.

The prompt of a call is the prefix (system prompt and tools) and every piece before the call's `end`. Growth follows the
provider's counts if the history reports them: the estimates of the pieces between two calls are scaled so that they sum
to the prompt's growth, by at most `MOST_SCALE`. A rest was in the prompt but not in the history, and becomes a piece of
its own. If a prompt shrank (a compaction or a rewind), the estimates are used unscaled. A reply has the larger of its
reported and its estimated length, because many agents log only the first few tokens of it.

If the first prompt is far larger than its messages, the history continues another one; its prefix is then limited to
`LONGEST_PREFIX_TOKENS`.

A quote is a whole line of a reply that is also a line of an earlier piece. It has at least `LEAST_CHARS` characters
without surrounding white space. Replies are their text and the decoded strings of their calls' arguments. A line in
many pieces is boilerplate. This is a lower bound of what is needed: a value that was read and written elsewhere is no
quote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from palimpsest.budget.token_counts import count_message
from palimpsest.record.message import Message, Text, ToolCall
from palimpsest.record.store_values import Progress
from palimpsest.toolcalls.call_actions import decode

LEAST_CHARS = 32
MOST_HOLDERS = 8
"""How many of the newest pieces with a line are remembered."""

MOST_LINES = 400_000
"""How many lines of one session are remembered."""

_LINE_NUMBER = re.compile(r"\s*\d+\s*[\t\u2192]")


@dataclass(frozen=True, slots=True)
class Holder:
    """A piece that contains a quoted line, `offset_tokens` after its start and `rest_tokens` before its end."""

    piece: int
    offset_tokens: int
    rest_tokens: int


class Quoting:
    """The lines of a session's pieces so far."""

    def __init__(self) -> None:
        self._holders: dict[str, list[Holder]] = {}

    def hold(self, piece: int, text: str, tokens: int) -> None:
        """Remember the lines of a piece."""
        for line, share in lines(text):
            held = self._holders.get(line)
            if held is None:
                if len(self._holders) >= MOST_LINES:
                    return
                held = self._holders[line] = []
            if held and held[-1].piece == piece:
                continue
            offset = int(share * tokens)
            held.append(Holder(piece, offset, tokens - offset))
            if len(held) > MOST_HOLDERS:
                del held[0]

    def quoted(self, reply: Message) -> tuple[tuple[Holder, ...], ...]:
        """For each set of pieces that contain a line of the reply: these pieces, newest first."""
        found: dict[tuple[int, ...], tuple[Holder, ...]] = {}
        for line, _ in lines("\n".join([reply.text, *_call_texts(reply)])):
            if held := self._holders.get(line):
                newest = tuple(reversed(held))
                found.setdefault(tuple(one.piece for one in newest), newest)
        return tuple(found.values())


def lines(text: str) -> Iterator[tuple[str, float]]:
    """Each line long enough to be a quote, with the share of the text before it."""
    at = 0
    for raw in text.split("\n"):
        line = bare(raw)
        if len(line) >= LEAST_CHARS:
            yield line, at / len(text)
        at += len(raw) + 1


def bare(line: str) -> str:
    """A line without surrounding white space and without the line number that file tools print."""
    numbered = _LINE_NUMBER.match(line)
    return (line[numbered.end() :] if numbered else line).strip()


def needed_text(message: Message) -> str:
    """The text that can be needed again: an assistant's calls, not its words; everything in other messages."""
    return "\n".join(_call_texts(message)) if message.role == "assistant" else message.text


def _call_texts(message: Message) -> list[str]:
    """The strings in the arguments of a message's calls."""
    return [text for call in message.calls for text in _strings(call)]


def _strings(call: ToolCall) -> list[str]:
    try:
        value = cast("object", json.loads(call.arguments))
    except (ValueError, RecursionError):
        return [call.arguments]
    found: list[str] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            waiting.extend(cast("dict[str, object]", one).values())
        elif isinstance(one, list):
            waiting.extend(cast("list[object]", one))
    return found


Kind = Literal["user", "assistant", "result", "file", "other"]
CALLS_A_STEP = 500

MOST_SCALE = 2.0
LONGEST_PREFIX_TOKENS = 40_000
ASSUMED_PREFIX_TOKENS = 4_000
"""The system prompt and tools of a history without reported usage and without a system message."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A message, or one of several results: its tokens in a prompt. A tail can start at it unless it is a result."""

    kind: Kind
    tokens: int

    @property
    def is_result(self) -> bool:
        return self.kind in {"result", "file"}


@dataclass(frozen=True, slots=True)
class Call:
    """One model call: its prompt has the pieces before `end`; `gap_s` passed since the call before it.

    `quotes`: for everything that its reply quotes, the pieces that contain it, newest first.
    """

    end: int
    output_tokens: int
    gap_s: float = 0.0
    quotes: tuple[tuple[Holder, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """All calls of one history, in order."""

    name: str
    agent: str
    model: str
    prefix_tokens: int
    pieces: tuple[Piece, ...]
    calls: tuple[Call, ...]


def read_session(
    history: Sequence[Message], name: str = "", agent: str = "", *, step: Progress | None = None
) -> Session | None:
    """The session of a history, None if it has no model call."""
    replies = [index for index, message in enumerate(history) if message.role == "assistant"]
    counted = [index for index in replies if _prompt(history[index])]
    indexes = counted or replies
    if not indexes:
        return None
    reader = _Reader(history)
    prefix = reader.begin(indexes[0])
    calls: list[Call] = []
    for number, index in enumerate(indexes):
        if step is not None and number % CALLS_A_STEP == 0:
            step("measuring", number, len(indexes))
        if number:
            reader.add(indexes[number - 1], index)
        reply = history[index]
        calls.append(
            Call(
                end=len(reader.pieces),
                output_tokens=max(reply.usage.output_tokens if reply.usage else 0, count_message(reply)),
                gap_s=_gap(history[indexes[number - 1]], reply) if number else 0.0,
                quotes=reader.quoting.quoted(reply),
            )
        )
    model = next((history[index].model for index in indexes if history[index].model), "")
    return Session(name, agent, model, prefix, tuple(reader.pieces), tuple(calls))


class _Reader:
    """Splits a history into pieces and remembers their lines. Its system messages before `start` are the prompt."""

    def __init__(self, history: Sequence[Message]) -> None:
        self.history = history
        others = (index for index, message in enumerate(history) if message.role != "system")
        self.start = next(others, len(history))
        self.file_calls = {call.id for message in history for call in message.calls if _reads(call)}
        self.pieces: list[Piece] = []
        self.quoting = Quoting()

    def begin(self, first: int) -> int:
        """Read the messages before the first call; returns the tokens of the prefix."""
        self._keep(self._split(0, first), 1.0, 0)
        prompt = _prompt(self.history[first])
        if not prompt:
            system = sum(map(count_message, self.history[: self.start]))
            return system or ASSUMED_PREFIX_TOKENS
        return min(max(prompt - sum(piece.tokens for piece in self.pieces), 0), LONGEST_PREFIX_TOKENS)

    def add(self, last: int, index: int) -> None:
        """Read what the prompt of the call at `index` has in addition to that of the call at `last`."""
        added = self._split(last, index)
        estimate = sum(piece.tokens for piece, _ in added)
        grown = _prompt(self.history[index]) - _prompt(self.history[last])
        if grown <= 0 or not estimate:
            self._keep(added, 1.0, max(0, grown) if not estimate else 0)
            return
        scale = min(grown / estimate, MOST_SCALE)
        self._keep(added, scale, max(0, round(grown - estimate * scale)))

    def _keep(self, added: Sequence[tuple[Piece, str]], scale: float, rest: int) -> None:
        for piece, text in added:
            tokens = max(1, round(piece.tokens * scale))
            self.quoting.hold(len(self.pieces), text, tokens)
            self.pieces.append(Piece(piece.kind, tokens))
        if rest:
            self.pieces.append(Piece("other", rest))

    def _split(self, start: int, end: int) -> list[tuple[Piece, str]]:
        """Messages as pieces with their text."""
        return [
            piece
            for message in self.history[max(start, self.start) : end]
            for piece in self._pieces_of(message)
        ]

    def _pieces_of(self, message: Message) -> list[tuple[Piece, str]]:
        """A message as pieces: each result is one, everything else is one together."""
        tokens = count_message(message)
        results = message.results
        if not results:
            kind: Kind = (
                "other"
                if message.role == "system"
                else "assistant"
                if message.role == "assistant"
                else "user"
            )
            return [(Piece(kind, tokens), needed_text(message))]
        chars = [
            sum(len(part.text) for part in one.content if isinstance(part, Text)) + 40 for one in results
        ]
        total = sum(chars) + len(message.text)
        found: list[tuple[Piece, str]] = []
        for one, length in zip(results, chars, strict=True):
            kind = "file" if one.call_id in self.file_calls else "result"
            found.append((Piece(kind, max(1, tokens * length // total)), one.text))
        if message.text:
            found.append((Piece("user", max(1, tokens * len(message.text) // total)), message.text))
        return found


def _reads(call: ToolCall) -> bool:
    """Whether a call only reads files."""
    action = decode(call)
    return bool(action.files) and not action.command and all(deed == "read" for _, deed in action.files)


def _prompt(message: Message) -> int:
    return message.usage.input_tokens if message.usage is not None else 0


def _gap(before: Message, now: Message) -> float:
    if before.time_s is None or now.time_s is None:
        return 0.0
    return max(0.0, now.time_s - before.time_s)
