"""How well the next prompt's size is foreseen: transcripts replayed call by call, against what the provider counted.

    python bench/next_prompt.py TRANSCRIPT... [--json]

TRANSCRIPTs are files or folders. A step is two model calls in a row of one history: known is the prompt the provider
counted for the first, foreseen the one it counts for the second, in percent of which the error is. A model's
calibration is carried from step to step and from session to session, in the order of the files' names. The rows, each
with what the one above it has:

- chars/4: a quarter token a character of everything since the history's first count; estimate: the default estimator
  the same way. A transcript holds no system prompt and no tools, so nothing can be foreseen without one count; where
  the prompt did not grow, it is taken anew;
- chars/4, anchored; estimate, anchored: the last count, and the estimate of what was added;
- ratio, without thinking: a ratio learnt per model and kind of content; what the model thought is left out;
- ratio, with thinking: thinking counted by its length;
- ratio, with output tokens: a reply costs what the provider reported for it, where that can be believed.

Left out, and counted: steps whose prompt did not grow (compacted, rewound, cut), steps that are also in another
history, and prompts under 1,000 tokens, which are made-up ones.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

from palimpsest.budget import calibration  # noqa: E402
from palimpsest.budget.calibration import Calibration, profile  # noqa: E402
from palimpsest.budget.token_counts import count_message, estimate_chars_over_4  # noqa: E402
from palimpsest.errors import FormatError  # noqa: E402
from palimpsest.formats.transcripts import Source, read  # noqa: E402
from palimpsest.record.message import Message, Reasoning  # noqa: E402

LEAST_PROMPT_TOKENS = 1_000
SHARES = (0.5, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Step:
    """From one call to the next, between which `added` came, the reply first.

    `began_tokens` is the first count since the prompt last shrank, `before` what came between it and the first call.
    """

    agent: str
    model: str
    known_tokens: int
    output_tokens: int
    next_tokens: int
    began_tokens: int
    before: tuple[Message, ...]
    added: tuple[Message, ...]


@dataclass(slots=True)
class Found:
    """The steps of an agent, and how many were left out, by reason."""

    steps: list[Step]
    left_out: dict[str, int]


def files(paths: Iterable[Path]) -> list[Path]:
    """All transcripts under the paths, in order."""
    found = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [file for file in found if file.is_file() and file.suffix in {".json", ".jsonl"}]


def histories(paths: Iterable[Path]) -> Iterator[tuple[str, tuple[Message, ...]]]:
    """Each history with the agent that wrote it."""
    for file in paths:
        try:
            transcripts = read(Source(str(file), file.read_bytes())).transcripts
        except FormatError:
            continue
        for transcript in transcripts:
            for path in transcript.paths:
                yield transcript.format, path


def steps(paths: Iterable[Path]) -> dict[str, Found]:
    """All steps by agent."""
    found: dict[str, Found] = defaultdict(lambda: Found([], defaultdict(int)))
    seen: set[tuple[object, ...]] = set()
    for agent, history in histories(paths):
        calls = [
            place
            for place, message in enumerate(history)
            if message.role == "assistant" and message.usage is not None and message.usage.input_tokens
        ]
        start = calls[0] if calls else 0
        for first, second in pairwise(calls):
            step = _step(agent, history, start, first, second)
            key = (agent, step.model, step.known_tokens, step.next_tokens, step.added[0].origin)
            if key in seen:
                found[agent].left_out["also in another history"] += 1
            elif step.next_tokens <= step.known_tokens:
                found[agent].left_out["prompt did not grow"] += 1
                start = second
            elif step.known_tokens < LEAST_PROMPT_TOKENS:
                found[agent].left_out[f"prompt under {LEAST_PROMPT_TOKENS:,} tokens"] += 1
            else:
                found[agent].steps.append(step)
            seen.add(key)
    return found


def _step(agent: str, history: Sequence[Message], start: int, first: int, second: int) -> Step:
    usages = [history[place].usage for place in (start, first, second)]
    began, known, following = (usage.input_tokens if usage is not None else 0 for usage in usages)
    return Step(
        agent=agent,
        model=history[first].model,
        known_tokens=known,
        output_tokens=usages[1].output_tokens if usages[1] is not None else 0,
        next_tokens=following,
        began_tokens=began,
        before=tuple(history[start:first]),
        added=tuple(replace(message, usage=None) for message in history[first:second]),
    )


def unthinking(message: Message) -> Message:
    """The message without what the model thought."""
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, Reasoning)))


def plain(count: Callable[[Message], int]) -> Callable[[Step], float]:
    """The first count, and the estimate of all that came since."""
    known: dict[int, int] = {}

    def foresee(step: Step) -> float:
        since = sum(known.setdefault(id(message), count(message)) for message in step.before)
        return step.began_tokens + since + sum(map(count, step.added))

    return foresee


def anchored(count: Callable[[Message], int]) -> Callable[[Step], float]:
    """The last count, and the estimate of what was added."""
    return lambda step: step.known_tokens + sum(map(count, step.added))


def calibrated(*, thinking: bool, output: bool) -> Callable[[Step], float]:
    """The last count, and what the model's calibration expects of what was added; it learns from each step."""
    known: dict[str, Calibration] = defaultdict(Calibration)

    def foresee(step: Step) -> float:
        given = step.added if thinking else tuple(map(unthinking, step.added))
        added = [(message, count_message(message)) for message in given]
        learnt = known[step.model]
        believed = calibration.believed_outputs(learnt, added, step.output_tokens if output else 0)
        reported = sum(tokens for tokens in believed if tokens is not None)
        pairs = zip(added, believed, strict=True)
        rest = calibration.total(profile(*one) for one, tokens in pairs if tokens is None)
        foreseen = step.known_tokens + reported + calibration.expected(learnt, rest)
        for (message, tokens), own in zip(added, believed, strict=True):
            if own is not None:
                learnt = calibration.learn(learnt, profile(message, tokens), own)
        grown = step.next_tokens - step.known_tokens - reported
        known[step.model] = calibration.learn(learnt, rest, grown)
        return foreseen

    return foresee


def _chars_over_4(message: Message) -> int:
    return estimate_chars_over_4([message])


def ways() -> dict[str, Callable[[Step], float]]:
    """Each row's way to foresee, fresh."""
    return {
        "chars/4": plain(_chars_over_4),
        "estimate": plain(count_message),
        "chars/4, anchored": anchored(_chars_over_4),
        "estimate, anchored": anchored(count_message),
        "ratio, without thinking": calibrated(thinking=False, output=False),
        "ratio, with thinking": calibrated(thinking=True, output=False),
        "ratio, with output tokens": calibrated(thinking=True, output=True),
    }


@dataclass(frozen=True, slots=True)
class Row:
    """Errors of one way, in percent of the prompt."""

    agent: str
    way: str
    n: int
    p50: float
    p95: float
    p99: float


def measure(agent: str, found: Sequence[Step]) -> list[Row]:
    """A row for each way."""
    rows: list[Row] = []
    for way, foresee in ways().items():
        errors = sorted(100 * abs(foresee(step) - step.next_tokens) / step.next_tokens for step in found)
        at = [round(errors[min(int(len(errors) * share), len(errors) - 1)], 3) for share in SHARES]
        rows.append(Row(agent, way, len(errors), *at))
    return rows


def main() -> None:
    """Reads, replays, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    paths = files(given.data)
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    found = {agent: one for agent, one in steps(paths).items() if one.steps}
    rows = [row for agent, one in found.items() for row in measure(agent, one.steps)]
    record: dict[str, object] = {
        "schema": "palimpsest.bench.next_prompt/1",
        "data": digest.hexdigest()[:12],
        "settings": {"least_prompt_tokens": LEAST_PROMPT_TOKENS, "memory_tokens": calibration.MEMORY_TOKENS},
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cpus": os.cpu_count(),
        },
        "left_out": {agent: dict(one.left_out) for agent, one in found.items()},
    }
    if given.json:
        print(json.dumps(record | {"errors": [asdict(row) for row in rows]}))
        return
    print("error of the next prompt, in percent of it")
    for agent in found:
        print(f"\n{agent:28}{'n':>7}{'p50':>9}{'p95':>9}{'p99':>9}")
        for row in rows:
            if row.agent == agent:
                print(f"{row.way:28}{row.n:7}{row.p50:9.3f}{row.p95:9.3f}{row.p99:9.3f}")
    print("\n" + "\n".join(f"{key}: {value}" for key, value in record.items()))


if __name__ == "__main__":
    main()
