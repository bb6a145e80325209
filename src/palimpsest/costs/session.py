"""A session as its bill sees it: what each model call added to the prompt, what it wrote, when, and what it quoted.

The prompt of a call is the prefix (system prompt and tools) and every piece before the call's `end`. Growth is the
provider's own count where the history reports one: the pieces between two calls are estimated, and their estimates are
scaled so that they sum to what the prompt grew by. Never by more than `MOST_SCALE`: what is left over was in the prompt
and not in the history, and is a piece of its own. Where a prompt shrank, because it was compacted or rewound, the
estimates stand as they are. A reply is taken at the larger of its reported and its estimated length, because many
agents log only the first few tokens of it.

A history whose first prompt is far larger than its own messages continues one that is not in it; its prefix is taken
for `LONGEST_PREFIX_TOKENS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from palimpsest.budget.token_counts import count_message
from palimpsest.costs.quotes import Holder, Quoting, held_text
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.store_values import Progress
from palimpsest.toolcalls.call_actions import decode

Kind = Literal["user", "assistant", "result", "file", "other"]
CALLS_A_STEP = 500

MOST_SCALE = 2.0
LONGEST_PREFIX_TOKENS = 40_000
ASSUMED_PREFIX_TOKENS = 4_000
"""The system prompt and tools of a history that reports no usage and holds no system message."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A message, or one result of several: its tokens in a prompt. A cut may stand before it unless it is a result."""

    kind: Kind
    tokens: int

    @property
    def is_result(self) -> bool:
        return self.kind in {"result", "file"}


@dataclass(frozen=True, slots=True)
class Call:
    """One model call: its prompt holds the pieces before `end`; `gap_s` has passed since the call before it.

    `quotes`: for everything its reply quotes, which pieces hold it, the newest first.
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
    """The session of a history, None where it holds no model call."""
    spoken = [place for place, message in enumerate(history) if message.role == "assistant"]
    counted = [place for place in spoken if _prompt(history[place])]
    places = counted or spoken
    if not places:
        return None
    reader = _Reader(history, _file_calls(history))
    prefix = reader.begin(places[0])
    calls: list[Call] = []
    for number, place in enumerate(places):
        if step is not None and number % CALLS_A_STEP == 0:
            step("measuring", number, len(places))
        if number:
            reader.add(places[number - 1], place)
        reply = history[place]
        calls.append(
            Call(
                end=len(reader.pieces),
                output_tokens=max(reply.usage.output_tokens if reply.usage else 0, count_message(reply)),
                gap_s=_gap(history[places[number - 1]], reply) if number else 0.0,
                quotes=reader.quoting.quoted(reply),
            )
        )
    model = next((history[place].model for place in places if history[place].model), "")
    return Session(name, agent, model, prefix, tuple(reader.pieces), tuple(calls))


class _Reader:
    """Pieces as they are read, and what they hold."""

    def __init__(self, history: Sequence[Message], file_calls: frozenset[str]) -> None:
        self.history = history
        self.file_calls = file_calls
        self.pieces: list[Piece] = []
        self.quoting = Quoting()

    def begin(self, first: int) -> int:
        """Reads what stands before the first call; returns the prefix's tokens."""
        system = sum(count_message(one) for one in self.history[:first] if one.role == "system")
        before = [self._split(one) for one in self.history[:first] if one.role != "system"]
        self._keep([piece for pieces in before for piece in pieces], 1.0, 0)
        prompt = _prompt(self.history[first])
        if not prompt:
            return system or ASSUMED_PREFIX_TOKENS
        return min(max(prompt - sum(piece.tokens for piece in self.pieces), 0), LONGEST_PREFIX_TOKENS)

    def add(self, last: int, place: int) -> None:
        """Reads what the prompt of the call at `place` holds more than that of the call at `last`."""
        added = [
            piece for one in self.history[last:place] if one.role != "system" for piece in self._split(one)
        ]
        estimate = sum(piece.tokens for piece, _ in added)
        grown = _prompt(self.history[place]) - _prompt(self.history[last])
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

    def _split(self, message: Message) -> list[tuple[Piece, str]]:
        """A message as pieces with their text: each result one, all else together."""
        tokens = count_message(message)
        results = message.results
        if not results:
            kind: Kind = "assistant" if message.role == "assistant" else "user"
            return [(Piece(kind, tokens), held_text(message))]
        chars = [
            sum(len(part.text) for part in one.content if isinstance(part, Text)) + 40 for one in results
        ]
        words = len(message.text)
        whole = sum(chars) + words
        found = [
            (Piece(self._kind(one), max(1, tokens * length // whole)), one.text)
            for one, length in zip(results, chars, strict=True)
        ]
        if words:
            found.append((Piece("user", max(1, tokens * words // whole)), message.text))
        return found

    def _kind(self, result: ToolResult) -> Kind:
        return "file" if result.call_id in self.file_calls else "result"


def _file_calls(history: Sequence[Message]) -> frozenset[str]:
    """The ids of calls that did nothing but read files."""
    return frozenset(call.id for message in history for call in message.calls if _reads(call))


def _reads(call: ToolCall) -> bool:
    action = decode(call)
    return bool(action.files) and not action.command and all(deed == "read" for _, deed in action.files)


def _prompt(message: Message) -> int:
    return message.usage.input_tokens if message.usage is not None else 0


def _gap(before: Message, now: Message) -> float:
    if before.time_s is None or now.time_s is None:
        return 0.0
    return max(0.0, now.time_s - before.time_s)
