"""A session lived through by the engine: the same calls at the same times, paid for as a provider's cache has it."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import palimpsest
from palimpsest.budget.assemble import Request
from palimpsest.budget.token_counts import count_message
from palimpsest.costs.session import Session
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.price.request import Part, Use, chain, cost, use
from palimpsest.price.table import find_price
from palimpsest.record.log import Compaction
from palimpsest.record.message import Message, Text, ToolCall, ToolResult, Usage
from palimpsest.record.spending import Account

MODEL = "claude-sonnet-4-5"
START_S = 1_790_000_000.0
RATES = find_price(MODEL, time_s=START_S).rates.relative
SYSTEM = "Be brief. " * 800
WORDS = (
    "the parser reads module alpha at line and fails because index cache build decided file path runs".split()
)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now_s = START_S

    def __call__(self) -> float:
        return self.now_s


def drawn(seed: int, calls: int = 70, *, gaps: bool = False) -> tuple[Message, ...]:
    """A coding session of about so many calls: a command and its result for nearly each, a user now and then, and with
    `gaps` pauses that outlast a cache.
    """
    chance = random.Random(seed)

    def text(tokens: float) -> str:
        made = (
            chance.choice(WORDS) if chance.random() < 0.9 else f"{chance.randrange(10**8):x}"
            for _ in range(max(1, int(tokens * 0.75)))
        )
        return " ".join(made)

    now_s = START_S
    history = [Message("user", (Text(text(60)),), time_s=now_s)]
    for number in range(calls):
        pause = gaps and chance.random() < 0.05
        now_s += 600 * 60 ** chance.random() if pause else chance.lognormvariate(2.4, 1.2)
        words = max(20.0, 163 * math.exp(chance.gauss(0, 0.9)))
        call = ToolCall(f"c{number}", "bash", json.dumps({"command": f"make part{number} {text(words / 2)}"}))
        history.append(Message("assistant", (Text(text(words / 2)), call), time_s=now_s))
        size = min(9_000, max(5.0, 700 * math.exp(chance.gauss(0, 1.2))))
        history.append(Message("tool", (ToolResult(call.id, (Text(text(size)),)),), time_s=now_s))
        if chance.random() < 0.12:
            history.append(Message("assistant", (Text(text(60)),), time_s=now_s))
            history.append(Message("user", (Text(text(60)),), time_s=now_s))
    return tuple(history)


@dataclass(slots=True)
class Lived:
    """What became of a session: each call's request and how it was paid for, and the account at the end."""

    requests: list[Request] = field(default_factory=list[Request])
    made: list[int] = field(default_factory=list[int])
    uses: list[Use] = field(default_factory=list[Use])
    account: Account = field(default_factory=Account)
    compactions: tuple[Compaction, ...] = ()

    @property
    def bill(self) -> float:
        """All calls, in uncached input tokens."""
        return sum(cost(one, RATES) for one in self.uses)

    @property
    def decisions(self) -> list[str]:
        """Why it was compacted, once for each time that it made a summary."""
        summaries = [one for one in self.compactions if one.item_kind == "summary"]
        return [
            one.reason for at, one in enumerate(summaries) if not at or one.time_s > summaries[at - 1].time_s
        ]


async def live(
    history: Sequence[Message], session: Session, window_tokens: int = 200_000, **changes: object
) -> Lived:
    """Every call of the session through an engine with the economic policy. The provider counts as the engine does, and
    caches what two prompts begin with alike.
    """
    clock, found = Clock(), Lived()
    before: tuple[Part, ...] = ()
    given = {"preset": "economic", "window_tokens": window_tokens, "max_tokens": 8_000, **changes}
    async with palimpsest.open(":memory:", clock=clock, **given) as engine:
        talk = engine.conversation("a")
        places = [at for at, message in enumerate(history) if at and message.role == "assistant"]
        read = 0
        for number, (at, call) in enumerate(zip(places, session.calls, strict=False)):
            await talk.append(*(replace(one, usage=None) for one in history[read:at]))
            read = at
            clock.now_s += call.gap_s
            request = await talk.request(system=SYSTEM, model=MODEL)
            now = _parts(request)
            paid = use(before, now, call.gap_s if number else None, RATES, call.output_tokens)
            before = now
            await talk.record_usage(Usage(paid.prompt, paid.output, paid.cached, paid.written), request)
            found.requests.append(request)
            found.uses.append(paid)
            found.made.append(await _compactions(talk))
        found.compactions = tuple(await engine.store.compactions("me", "a"))
        found.account = state_of(talk).costs.account
    return found


def _parts(request: Request) -> tuple[Part, ...]:
    messages = [(repr((one.role, one.parts)).encode(), count_message(one)) for one in request.messages]
    return chain([(request.system.encode(), request.regions.system), *messages])


async def _compactions(talk: Conversation) -> int:
    return len(await talk.compactions())
