"""The scripted model of the shared suite: a strict server that knows from a request whose turn it is.

Every text of a user begins with a mark such as `[ann/one turn 12]`. The newest mark of a request names the conversation
and the turn, so no framework has to send a header. What the model says in a turn is set before the turn begins.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from palimpsest.record.message import ToolCall
from tests.wire.replies import Say
from tests.wire.server import Answer
from tests.wire.strict.refusal import Fields
from tests.wire.strict.scripts import part_text
from tests.wire.strict.server import Seen, StrictServer

MARK = re.compile(r'(?:(?<!\\)"|New task:\\n)\[(\w+/\w+) turn (\d+)\]')
"""A mark with which a text begins, or a task of smolagents. What a recall tool quotes of another conversation does not
begin with it.
"""
READ_TOOL = "read_part"
PART_LINES, LARGE_LINES, LARGE_EVERY = 12, 60, 40
DONE = "Everything of turn {turn} is read."


def part(number: int) -> str:
    """The text of a part; every fortieth is large."""
    return part_text(number, PART_LINES if number % LARGE_EVERY else LARGE_LINES)


def reading(*numbers: int, thinks: bool = True) -> Say:
    """A reply that reads parts, all at once."""
    calls = tuple(
        ToolCall(f"call_part_{one}", READ_TOOL, json.dumps({"number": one}, separators=(",", ":")))
        for one in numbers
    )
    return Say("", calls, f"Part {numbers[0]} comes next." if thinks else "")


def calling(name: str, call_id: str, **arguments: object) -> Say:
    """A reply that calls any tool."""
    return Say("", (ToolCall(call_id, name, json.dumps(arguments, separators=(",", ":"))),))


def ten_calls(first: int) -> list[Say]:
    """Ten calls from a part on, some of them two at once."""
    groups = ((0,), (1, 2), (3, 4), (5,), (6, 7), (8, 9))
    return [reading(*(first + step for step in group)) for group in groups]


def lines_in(text: str, raw: str) -> bool:
    """Whether a request shows each line of a text, however it is escaped."""
    return all(line in raw for line in text.split("\n"))


@dataclass(frozen=True, slots=True)
class Shown:
    """One request of a turn: what the server found, when, its text, and what of the turn it does not show."""

    seen: Seen
    time_s: float
    raw: str
    unseen: tuple[str, ...]


class ScriptedModel(StrictServer):
    """The server; a context manager. `turns` says what the model says in each turn of a conversation.

    A `Say` with an `ending` stops in the middle of the answer, and `stopped` is set. Before each answer, `think` is
    called with the conversation's name. It waits for the engine's background work, as a real model takes its time.
    """

    def __init__(self, *, window_tokens: int) -> None:
        super().__init__(self._say, window_tokens=window_tokens)
        self.turns: dict[tuple[str, int], Sequence[Say]] = {}
        self.shown: list[Shown] = []
        self.stopped = threading.Event()
        self.think: Callable[[str], object] = str
        self._said: Counter[tuple[str, int]] = Counter()
        self._now: tuple[str, int] = ("", 0)
        self._last = Say()

    def _say(self, number: int, body: Fields) -> Say:
        says = self.turns[self._now]
        step = self._said[self._now]
        self._said[self._now] += 1
        self._last = says[step] if step < len(says) else Say(DONE.format(turn=self._now[1]))
        return replace(self._last, ending="")

    def answer(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> Answer:
        text = raw.decode("utf-8", "replace")
        marks = [(found[1], int(found[2])) for found in MARK.finditer(text)]
        self._last = Say()
        if marks:
            name = marks[-1][0]
            self._now = (name, max(turn for one, turn in marks if one == name))
        unseen, now_s = tuple(self._unseen(text)), time.time()
        answer = super().answer(method, path, {**headers, "x-conversation": self._now[0]}, raw)
        self.shown.append(Shown(self.seen[-1], now_s, text, unseen))
        if self._now[0]:
            self.think(self._now[0])
        if self._last.ending:
            answer.pieces = [piece[: len(piece) // 2] for piece in answer.pieces[:3]]
            answer.ending = self._last.ending
            self.stopped.set()
        return answer

    def _unseen(self, raw: str) -> Iterator[str]:
        """What the model has just asked for or been asked, and a request does not show."""
        if not self._now[0]:
            return
        name, turn = self._now
        if f"[{name} turn {turn}]" not in raw:
            yield "the user's request"
        step = self._said[self._now]
        says = self.turns.get(self._now, ())
        for call in says[step - 1].calls if 0 < step <= len(says) else ():
            number = int(json.loads(call.arguments).get("number", 0))
            if number % LARGE_EVERY and not lines_in(part(number), raw):
                yield f"part {number}"

    def accepted(self, name: str = "") -> list[Shown]:
        """The accepted requests for a reply, of one conversation or of all."""
        return [
            one
            for one in self.shown
            if one.seen.refusal is None and not one.seen.side and name in ("", one.seen.conversation)
        ]
