"""The longest step on the event loop, in processor time of its thread, over inputs that are made to be slow.

    python bench/steps.py [--chars 2000000] [--only NAME...] [--json]

Each input is one message or many, appended to a conversation that is then asked for a request, compacted by hand and
asked again. Every callback of the event loop is timed with the clock of its thread, so that other work on the machine
does not count. The worst of each phase is printed with the task it belonged to. What runs before the first input
(opening a database, importing modules for a first compaction) is run once and not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import asyncio.events
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from first_request import short

import palimpsest
from palimpsest.record.message import Message, Text, ToolCall, ToolResult

MOST_FRAMES = 40


def repeated(unit: str) -> Callable[[int], list[Message]]:
    """A result of a tool that says one thing over and over."""
    return lambda chars: result(unit * (chars // len(unit)))


def result(text: str) -> list[Message]:
    """A question, a call and what it answered."""
    return [
        Message("user", (Text("Read the log of the harbour."),)),
        Message("assistant", (ToolCall("c1", "read_log", '{"path": "quay/app.log"}'),)),
        Message("tool", (ToolResult("c1", (Text(text),)),)),
        Message("assistant", (Text("The log was read."),)),
    ]


def said(unit: str) -> Callable[[int], list[Message]]:
    """A message of the user that says one thing over and over."""
    return lambda chars: [
        Message("user", (Text(unit * (chars // len(unit))),)),
        Message("assistant", (Text("I see."),)),
    ]


def nested(chars: int) -> list[Message]:
    """JSON in strings of JSON."""
    text = "the berth is free"
    while len(text) < chars // 4:
        text = json.dumps([{"value": text, "at": "quay 7"}] * 3)
    return result(text)


def called(chars: int) -> list[Message]:
    """A call with one long argument."""
    arguments = json.dumps({"path": "quay/tide.py", "content": "berth = tide(7)  # free\\n" * (chars // 24)})
    return [
        Message("user", (Text("Write the file."),)),
        Message("assistant", (ToolCall("c1", "write_file", arguments),)),
        Message("tool", (ToolResult("c1", (Text("written"),)),)),
        Message("assistant", (Text("It is written."),)),
    ]


def many_calls(chars: int) -> list[Message]:
    """Many small calls in one message, with their results."""
    count = min(5_000, chars // 200)
    calls = tuple(
        ToolCall(f"c{at}", "run", json.dumps({"command": f"cat quay/{at}.log"})) for at in range(count)
    )
    results = tuple(
        ToolResult(f"c{at}", (Text(f"line {at}: berth {at % 97} is free"),)) for at in range(count)
    )
    return [Message("user", (Text("Read all logs."),)), Message("assistant", calls), Message("tool", results)]


INPUTS: dict[str, Callable[[int], list[Message]]] = {
    "short messages": lambda chars: short(max(200, chars // 100)),
    "one word": repeated("a"),
    "blanks": repeated(" "),
    "lines": repeated("\n"),
    "words": repeated("the berth at quay 7 is free at noon "),
    "lines of words": repeated("line: the berth at quay 7 is free at noon, see quay/tide.py\n"),
    "paths": repeated("a/"),
    "dots": repeated("a.b"),
    "addresses": repeated("a@b."),
    "digits": repeated("1234567890"),
    "backslashes": repeated("\\"),
    "quotes": repeated('"\\"'),
    "brackets": repeated("[({<"),
    "hyphens": repeated("-_"),
    "passwords": repeated("password=x key: "),
    "tokens": repeated("sk-ant-api03-"),
    "base64": repeated("QmVydGhTZXZlbklzRnJlZUF0Tm9vbg"),
    "keys": repeated("-----BEGIN PRIVATE KEY-----\nMIIB"),
    "terminal": repeated("\x1b[31mred\x1b[0m"),
    "invisible": repeated("a\u200b"),
    "Chinese": repeated("潮汐表的第七码头中午空闲"),
    "minified": repeated("function(a,b){return a.c(b)||d[e]};"),
    "markdown": repeated("# Heading\n- item `code`\n```\nx\n```\n"),
    "times": repeated("2026-01-31T09:30:00Z 12:30:00 "),
    "JSON": nested,
    "a long request": said("Please look at the berth of quay 7. "),
    "a long word": said("berth"),
    "a long argument": called,
    "many calls": many_calls,
}


class Steps:
    """The longest step of the event loop since the last reading, in milliseconds, and whose it was."""

    def __init__(self) -> None:
        self.longest_ms, self.whose = 0.0, ""

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While this lasts, every callback is timed."""
        run = asyncio.events.Handle._run  # noqa: SLF001  (the one place that every step passes)

        def timed(handle: asyncio.events.Handle, /) -> None:
            task = getattr(handle._callback, "__self__", None)  # noqa: SLF001  (nothing else tells whose it is)
            begun = where(task)
            before = time.thread_time()
            run(handle)
            took_ms = (time.thread_time() - before) * 1_000
            if took_ms > self.longest_ms:
                self.longest_ms, self.whose = took_ms, f"{begun} .. {where(task)}"

        setattr(asyncio.events.Handle, "_run", timed)  # noqa: B010  (a type checker knows better)
        try:
            yield
        finally:
            asyncio.events.Handle._run = run  # noqa: SLF001

    def read(self) -> tuple[float, str]:
        """The longest and whose it was; then it begins anew."""
        found = (round(self.longest_ms, 1), self.whose)
        self.longest_ms, self.whose = 0.0, ""
        return found


def where(task: object) -> str:
    """Where a task stands now, from outside in, the generator that it drives included."""
    names: list[str] = []
    awaited: object = task.get_coro() if isinstance(task, asyncio.Task) else None
    while awaited is not None and len(names) < MOST_FRAMES:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is None:
            break
        names.append(f"{frame.f_code.co_name}:{frame.f_lineno}")
        driven = frame.f_locals.get("steps") if frame.f_code.co_name == "give_way" else None
        awaited = driven or getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return " > ".join(names[-3:])


async def measure(messages: list[Message], path: Path, steps: Steps) -> dict[str, tuple[float, str]]:
    """The longest step of each phase."""
    found: dict[str, tuple[float, str]] = {}
    async with palimpsest.open(path, window_tokens=1_000_000) as engine:
        talk = engine.conversation("slow")
        await talk.append(*short(20))
        await talk.request()
        with steps.watched():
            steps.read()
            for begin in range(0, len(messages), 1_000):
                await talk.append(*messages[begin : begin + 1_000])
            await talk.append(*short(20))
            await engine.idle()
            await asyncio.sleep(0)
            found["append"] = steps.read()
            for phase in ("request", "compact", "request after"):
                with suppress(palimpsest.DoesNotFit):
                    await (talk.compact(until_under_tokens=12_000) if phase == "compact" else talk.request())
                await asyncio.sleep(0)
                found[phase] = steps.read()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chars", type=int, default=2_000_000)
    parser.add_argument("--only", nargs="+", choices=INPUTS, default=list(INPUTS))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    steps, rows = Steps(), {}
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(short(200), Path(folder) / "first.db", steps))
        for name in options.only:
            messages = INPUTS[name](options.chars)
            rows[name] = asyncio.run(measure(messages, Path(folder) / f"{name}.db", steps))
            if not options.json:
                for phase, (took_ms, whose) in rows[name].items():
                    print(f"{name:18}{phase:16}{took_ms:>9} ms  {whose}", flush=True)
    if options.json:
        print(json.dumps(rows))
    else:
        print(f"longest: {max(took for row in rows.values() for took, _ in row.values())} ms")


if __name__ == "__main__":
    main()
