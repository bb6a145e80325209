"""What `auto_recall_tokens` is worth: how long it takes, and whether what is asked for reaches the model.

The questions of a talk are asked one after another in the conversation itself, whose window was compacted first. A
question counts where none of its evidence stands in the window; it is reached where the recalled text holds the
beginning of one of the messages that answer it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from recall_data import Asked, Talk

from palimpsest.engine.opening import open_engine

ASKED = 100
AUTO_TOKENS = 1_000
SETTINGS = {"window_tokens": 16_000, "compact_threshold": None}
COMPACTED_TOKENS = 6_000
TOLD_CHARS = 60
"""So much of a message says which one it is: recalled passages cut what is long."""


async def added_ms(given: Sequence[Talk]) -> dict[str, float]:
    """Milliseconds that `auto_recall_tokens` adds to a request, at the questions of the longest talk; and how long a
    request takes without it, in the same run.
    """
    talk = max(given, key=lambda one: len(one.messages))
    times: dict[int, list[float]] = {0: [], AUTO_TOKENS: []}
    for tokens, taken in times.items():
        async with open_engine(":memory:", owner="bench", auto_recall_tokens=tokens, **SETTINGS) as engine:
            handle = engine.conversation("talk")
            await handle.append(*talk.messages)
            await handle.compact(until_under_tokens=COMPACTED_TOKENS)
            for asked in talk.questions[:ASKED]:
                await handle.append(
                    {"role": "user", "content": asked.text}, {"role": "assistant", "content": "Noted."}
                )
                begin = time.perf_counter()
                await handle.request()
                taken.append(time.perf_counter() - begin)
    return {
        "messages": len(talk.messages),
        "request p50 ms": percentile_ms(times[0], 0.5),
        "request p95 ms": percentile_ms(times[0], 0.95),
        "with recall p50 ms": percentile_ms(times[AUTO_TOKENS], 0.5),
        "with recall p95 ms": percentile_ms(times[AUTO_TOKENS], 0.95),
    }


async def reached(given: Sequence[Talk]) -> dict[str, float]:
    """How many questions ask for what is not in the window, and the share of them, in percent, whose evidence is among
    the recalled passages; nothing where there is no such question.
    """
    found: list[bool] = []
    for talk in given:
        async with open_engine(
            ":memory:", owner="bench", auto_recall_tokens=AUTO_TOKENS, **SETTINGS
        ) as engine:
            handle = engine.conversation("talk")
            await handle.append(*talk.messages)
            await handle.compact(until_under_tokens=COMPACTED_TOKENS)
            for asked in talk.questions:
                await handle.append({"role": "user", "content": asked.text})
                request = await handle.request()
                await handle.append({"role": "assistant", "content": "Noted."})
                told = _told(talk, asked)
                standing = "\n".join(message.text for message in request.messages)
                if not any(one in standing for one in told):
                    found.append(any(one in text for one in told for text in request.injections))
    if not found:
        return {}
    return {"asked": len(found), "reached %": round(100 * sum(found) / len(found), 1)}


def _told(talk: Talk, asked: Asked) -> list[str]:
    """What the messages that answer a question begin with."""
    return [talk.messages[place].text.strip()[:TOLD_CHARS] for place in asked.evidence]


def percentile_ms(times: Sequence[float], share: float) -> float:
    """The time below which a share of them lies, in milliseconds."""
    ordered = sorted(times) or [0.0]
    return round(1_000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))], 2)
