"""The user's own sentences in the window after 10 and 50 compactions.

    python bench/wishes.py [--presets default economic ...] [--languages en de es zh ja ko]
                           [--kinds coding customer chat] [--compactions 10 50] [--user 4000] [--window 32000]
                           [--chunk 6000] [--apart] [--json]

An invented session (`wishes_data.py`) is appended chunk by chunk, and `compact` is called after each, until the window
has been compacted so often. The user says 4,000 tokens in some 40 messages of up to 300, and two longer messages, all
spread evenly over the chunks. Then the next request is rendered. Columns, each a mean over the kinds of session:

    whole       messages of up to 300 tokens that stand in the window as they were written, white space aside
    sentences   the same for their sentences
    head, tail  the longer messages whose first 210 and last 90 tokens stand, by whole sentences; id: whose id does
    tokens      of the window, by this package's estimate; made: compactions that changed it
    model       summaries that the model wrote, of all that were made

Every preset is run without a model and with one that answers each request for a summary with a plausible text without
any of the user's words. `--apart` prints a row for each kind of session.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import cast

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

import wishes_data  # noqa: E402
from wishes_data import KINDS, LANGUAGES, SHORT_TOKENS, Talk, Wish  # noqa: E402

import palimpsest  # noqa: E402
from palimpsest.budget.token_estimator import count_text  # noqa: E402
from palimpsest.complete.scripted import ScriptedModel  # noqa: E402

PRESETS = ("default", "economic", "hierarchical", "hermes", "openclaw")
WINDOW_TOKENS = 32_000
CHUNK_TOKENS = 6_000
HEAD_TOKENS, TAIL_TOKENS = 210, 90
MODEL_METHODS = ("normal", "aggressive")
"""How a summary is marked that a model wrote."""
MEANS = ("whole", "sentences", "head", "tail", "id", "tokens", "made", "model")


@dataclass(frozen=True, slots=True)
class Row:
    """One session after so many compactions; shares in percent, of the user's messages and of their sentences."""

    language: str
    kind: str
    preset: str
    with_model: bool
    compactions: int
    whole: float
    sentences: float
    head: float
    tail: float
    id: float
    tokens: float
    made: float
    model: float


def flat(text: str) -> str:
    """A text with one space wherever it has white space."""
    return " ".join(text.split())


def window_text(request: dict[str, object]) -> str:
    """All that a request for an OpenAI-compatible client says, without its form."""
    return flat("\n".join(_strings(request["messages"])))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in cast("dict[str, object]", value).values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _strings(one)


def ends(wish: Wish) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sentences of a longer message that end within its first 210 tokens, and those that begin in its last 90."""
    head: list[str] = []
    tail: list[str] = []
    for sentence in wish.sentences:
        start = wish.text.index(sentence)
        if count_text(wish.text[: start + len(sentence)]) <= HEAD_TOKENS:
            head.append(sentence)
        elif count_text(wish.text[start:]) <= TAIL_TOKENS:
            tail.append(sentence)
    return tuple(head), tuple(tail)


def score(wishes: Sequence[Wish], ids: Sequence[str], text: str) -> dict[str, float]:
    """The shares of the user's messages that a window's text holds, in percent. `ids` are those of the messages."""
    short = [one for one in wishes if one.tokens <= SHORT_TOKENS]
    long = [(one, name) for one, name in zip(wishes, ids, strict=True) if one.tokens > SHORT_TOKENS]
    parts = [ends(one) for one, _ in long]
    return {
        "whole": _percent([flat(one.text) in text for one in short]),
        "sentences": _percent([flat(sentence) in text for one in short for sentence in one.sentences]),
        "head": _percent([all(flat(one) in text for one in head) for head, _ in parts]),
        "tail": _percent([all(flat(one) in text for one in tail) for _, tail in parts]),
        "id": _percent([re.search(rf"\b{re.escape(name)}\b", text) is not None for _, name in long]),
    }


def _percent(found: Sequence[bool]) -> float:
    return 100 * sum(found) / len(found) if found else 100.0


def without_the_user(language: str) -> ScriptedModel:
    """A model whose summaries leave out all that the user said."""
    lines = wishes_data.templates(language)["summary"]
    return ScriptedModel(["## Progress\n" + "\n".join(f"- {line}" for line in lines)])


async def measure(talk: Talk, preset: str, *, with_model: bool, window_tokens: int = WINDOW_TOKENS) -> Row:
    """One session with one preset, each chunk followed by a compaction."""
    complete = without_the_user(talk.language) if with_model else None
    made, methods = 0, list[str]()
    ids: list[str] = []
    said = {one.text for one in talk.wishes}
    async with palimpsest.open(
        ":memory:", window_tokens=window_tokens, preset=preset, complete=complete
    ) as engine:
        conversation = engine.conversation("wishes")
        for number, chunk in enumerate((*talk.chunks, *talk.spare)):
            if number >= len(talk.chunks) <= made:
                break
            stored = await conversation.append(*chunk)
            ids.extend(one.id for one in stored if one.message.role == "user" and one.message.text in said)
            report = await conversation.compact()
            if report is not None and (report.summaries or report.stubs or report.omitted):
                made += 1
                methods.extend(one.method for one in report.summaries)
        request = await conversation.request(system="s")
        shares = score(talk.wishes, ids, window_text(request.openai()))
    return Row(
        talk.language,
        talk.kind,
        preset,
        with_model,
        len(talk.chunks),
        tokens=request.tokens,
        made=made,
        model=_percent([one in MODEL_METHODS for one in methods]),
        **shares,
    )


def mean(rows: Sequence[Row]) -> Row:
    """The means of rows that differ in their kind of session."""
    means = {name: sum(getattr(one, name) for one in rows) / len(rows) for name in MEANS}
    return replace(rows[0], kind="all", **means)


def show(rows: Sequence[Row]) -> None:
    """Prints a line for each row."""
    print(
        f"{'preset':14}{'model':7}{'after':>6}  {'language':9}{'session':10}"
        + "".join(f"{name:>11}" for name in MEANS)
    )
    for one in rows:
        numbers = [getattr(one, name) for name in MEANS]
        cells = [
            f"{value:,.0f}" if name == "tokens" else f"{value:.1f}"
            for name, value in zip(MEANS, numbers, strict=True)
        ]
        model = "yes" if one.with_model else "none"
        print(
            f"{one.preset:14}{model:7}{one.compactions:>6}  {one.language:9}{one.kind:10}"
            + "".join(f"{cell:>11}" for cell in cells)
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--presets", nargs="+", default=list(PRESETS), choices=list(palimpsest.PRESETS))
    parser.add_argument("--languages", nargs="+", default=list(LANGUAGES), choices=LANGUAGES)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--compactions", nargs="+", type=int, default=[10, 50])
    parser.add_argument("--user", type=int, default=wishes_data.USER_TOKENS, help="tokens that the user says")
    parser.add_argument("--window", type=int, default=WINDOW_TOKENS)
    parser.add_argument("--chunk", type=int, default=CHUNK_TOKENS, help="tokens before each compaction")
    parser.add_argument("--apart", action="store_true", help="a row for each kind of session")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    options = _options()
    rows: list[Row] = []
    for preset, with_model, count, language in product(
        options.presets, (False, True), options.compactions, options.languages
    ):
        of_kinds: list[Row] = []
        for kind in options.kinds:
            said = wishes_data.wishes(language, kind, options.user)
            talk = wishes_data.talk(language, kind, said, count, options.chunk)
            run = measure(talk, preset, with_model=with_model, window_tokens=options.window)
            of_kinds.append(asyncio.run(run))
            if sys.stderr.isatty():
                print(f"\r{preset:14} {language} {kind:10} {count:>4}", end="", file=sys.stderr)
        rows.extend(of_kinds if options.apart else [mean(of_kinds)])
    if options.json:
        settings = {name: getattr(options, name) for name in ("user", "window", "chunk", "kinds")}
        machine = {"python": platform.python_version(), "machine": platform.machine()}
        record = {"data": wishes_data.digest(), "settings": settings, "machine": machine}
        print(json.dumps(record | {"rows": [asdict(one) for one in rows]}))
    else:
        show(rows)


if __name__ == "__main__":
    main()
