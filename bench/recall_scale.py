"""How well questions are answered long after, in a conversation of very many messages.

    python bench/recall_scale.py DATA... [--messages 3000 25000] [--every 3]

All talks of DATA (see `recall.py`) are one conversation, one after the other; then come messages made of the first half
of one turn and the second of another, until there are so many in all. So what answers is the oldest, and what comes
later has the same words. Every so-manieth question is asked; recall and any are at ten, in percent, beside FTS5 with
Porter's stems in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from recall_data import Asked, Talk  # noqa: E402
from recall_sources import talks  # noqa: E402
from recall_unasked import percentile_ms  # noqa: E402
from recall_ways import WAYS, baseline, judged, searched  # noqa: E402

from palimpsest.record.message import Message, Text  # noqa: E402

PORTER = "FTS5, any word, no stop words, porter"


def joined(given: Sequence[Talk], messages: int, every: int) -> Talk:
    """All talks as one, and what comes later."""
    said: list[Message] = []
    questions: list[Asked] = []
    sessions: list[int] = []
    for talk in given:
        first, session = len(said), max(sessions, default=-1) + 1
        for asked in talk.questions[::every]:
            evidence = frozenset(first + place for place in asked.evidence)
            questions.append(replace(asked, evidence=evidence))
        said += talk.messages
        sessions += [session + one for one in talk.sessions]
    later = _later(said, max(0, messages - len(said)))
    return Talk(
        "all", "one", (*said, *later), (*sessions, *[max(sessions) + 1] * len(later)), tuple(questions)
    )


def _later(said: Sequence[Message], count: int) -> list[Message]:
    """So many messages, each of the words of two."""
    chance = random.Random(1)
    made: list[Message] = []
    for _ in range(count):
        one, other = chance.choice(said), chance.choice(said)
        first, second = one.text.split(), other.text.split()
        words = first[: len(first) // 2] + second[len(second) // 2 :]
        made.append(Message(one.role, (Text(" ".join(words) or "yes"),), name=one.name, time_s=one.time_s))
    return made


def percents(talk: Talk, hits: Sequence[Sequence[int]]) -> tuple[float, float]:
    """(recall, any) of all questions."""
    values = [judged(talk, asked, found) for asked, found in zip(talk.questions, hits, strict=True)]
    recall, held = (statistics.fmean(one[place] or 0.0 for one in values) for place in (0, 1))
    return round(100 * recall, 1), round(100 * held, 1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--messages", nargs="+", type=int, default=[3_000, 25_000])
    parser.add_argument("--every", type=int, default=3, help="ask each so-manieth question")
    options = parser.parse_args()
    given = talks(options.data)
    for messages in options.messages:
        talk = joined(given, messages, options.every)
        found, times = asyncio.run(searched([talk]))
        print(
            f"{len(talk.messages):,} messages, {len(talk.questions)} questions:"
            f" search {percents(talk, found[0])}, {PORTER} {percents(talk, baseline(talk, *WAYS[PORTER]))};"
            f" p50 {percentile_ms(times, 0.5)} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
