"""`palimpsest demo`: a long coding session passes through a small window, and a fact that left it is read back.

The session is replayed as it happened: message by message, with a request before every answer of the model, so it shows
what the engine does in an agent's loop, not an import.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from palimpsest.cli.commands.window import window_fields
from palimpsest.cli.drawing import budget_lines, clean, clip, count, spread, wrap
from palimpsest.cli.options import OWNER, Db, Json, Shared
from palimpsest.cli.output import Output, fields_of, parts_text
from palimpsest.cli.parameters import argument, option
from palimpsest.cli.session import Session, perform
from palimpsest.config.paths import expand_home
from palimpsest.engine.transcript_files import Candidate, SkippedFile, open_transcript
from palimpsest.errors import FormatError, NotFound, UsageError
from palimpsest.formats.transcripts import Transcript
from palimpsest.record.log import Stored
from palimpsest.record.message import Message, Text, readable_text
from palimpsest.record.summary import Summary
from palimpsest.record.window_items import SummaryItem

if TYPE_CHECKING:
    from palimpsest.engine.conversation import Conversation

WINDOW_TOKENS = 32_000
LINE_CELLS = 79
_BAR_CELLS = 30
_SUMMARY_LINES = 14
_PASSAGE_LINES = 7
_FACT_CELLS = 42
_MAX_MESSAGES = 1_000_000
_SEARCHED_CHARS = 4_000
_SEARCHED_MESSAGES = 2_000
_ROLE_ORDER = {"user": 0, "assistant": 1, "tool": 2}
_EXACT = re.compile(
    r"(?<![\w./:-])(?=[\w./:-]*\d)(?=[\w./:-]*[A-Za-z])[A-Za-z0-9][\w./:-]{4,38}[A-Za-z0-9](?![\w./:-])"
)


@dataclass(frozen=True, slots=True)
class Drop:
    """One time that the window became smaller: after which message, its tokens, and the summaries made."""

    position: int
    before_tokens: int
    after_tokens: int
    capacity_tokens: int
    made: tuple[Summary, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """An exact string that left the window, and the message that contains it."""

    text: str
    message_id: str


@dataclass(slots=True)
class Played:
    """The session so far."""

    drops: list[Drop] = field(default_factory=list["Drop"])
    requests: int = 0
    largest_tokens: int = 0
    message_tokens: int = 0
    widest: Summary | None = None
    seen: set[str] = field(default_factory=set[str])


def demo(
    transcript: Annotated[
        Path | None, argument("TRANSCRIPT", "Your own session; default: a shipped one.")
    ] = None,
    window_tokens: Annotated[
        int, option("--window N", "The model's context window in tokens.", min=1)
    ] = WINDOW_TOKENS,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Watch a long coding session pass through a small window.

    Needs no model, key or network. The database is temporary unless --db names one.

    \b
    palimpsest demo
    palimpsest demo ~/.claude/projects/my-project/session.jsonl
    """
    chosen, preferred = _session(transcript)

    async def body(session: Session) -> None:
        await _show(session, chosen, preferred, kept_in=db)

    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        kept = db or Path(folder) / "demo.db"
        perform(Shared("demo", kept, OWNER, as_json, window_tokens, configured=False), body, creates_db=True)


def _session(given: Path | None) -> tuple[Transcript, tuple[str, ...]]:
    """The session to play, and the facts to look for first."""
    from palimpsest import samples

    path = samples.path() if given is None else expand_home(given)
    if not path.is_file():
        raise NotFound(f"no such file: {path}", hint="give one transcript, not a folder")
    opened = open_transcript(Candidate(path, named=True), None)
    if isinstance(opened, SkippedFile):
        raise FormatError(
            f"{opened.path}: {opened.reason}", hint="palimpsest import --help names the formats"
        )
    playable = [one for one in opened.reading.transcripts if any(one.paths)]
    if not playable:
        raise FormatError(f"{opened.path} holds no messages", hint="give another transcript")
    return playable[0], samples.FACTS if given is None else ()


async def _show(
    session: Session, transcript: Transcript, preferred: tuple[str, ...], *, kept_in: Path | None
) -> None:
    """Play the session and show what happens."""
    output, messages = session.output, transcript.paths[-1]
    if any(info.id == transcript.id for info in await session.engine.conversations()):
        raise UsageError("that database has this session already", hint="leave --db out, or name another one")
    talk = session.engine.conversation(transcript.id)
    from palimpsest.engine.conversation import state_of

    state = state_of(talk)
    await state.store.describe_conversation(state.owner, talk.id, title=transcript.title, now_s=state.clock())
    budget = (await talk.window()).budget
    if not output.as_json:
        room = f"{budget.window_tokens:,} tokens; {budget.capacity_tokens:,} after the reply's reserve and a margin"
        output.show(
            [
                f"session     {clip(transcript.title, LINE_CELLS - 12)}",
                f"            {count(len(messages), 'message')}, {transcript.format} transcript",
                f"window      {room}",
                "",
                drop_heading(budget.capacity_tokens),
            ]
        )
    played = await _play(talk, transcript, output)
    fact = await _find_fact(talk, preferred)
    if output.as_json:
        view = await talk.window()
        fields: dict[str, object] = {
            "messages": view.window.last,
            "said_tokens": played.message_tokens,
            "requests": played.requests,
            "largest_request_tokens": played.largest_tokens,
            "falls": [fields_of(one, "position before_tokens after_tokens") for one in played.drops],
            "fact": None if fact is None else {"text": fact.text, "id": fact.message_id},
        }
        output.result(window_fields(view) | fields)
        return
    output.show(await _closing_lines(talk, played, len(messages)))
    if fact is not None:
        await _read_back(session, talk, fact)
    output.show(["", *_next_commands(transcript.id, kept_in)])


async def _play(talk: Conversation, transcript: Transcript, output: Output) -> Played:
    """Append the messages one by one. Before each answer make the request; after each turn let background work end."""
    from palimpsest.engine.conversation import runtime_of

    background, played = runtime_of(talk).background, Played()
    messages = transcript.paths[-1]
    if transcript.system:
        await talk.append(Message("system", (Text(transcript.system),)))
    with output.progress("playing", len(messages)) as ticker:
        for position, message in enumerate(messages, 1):
            before = (await talk.window()).budget.used_tokens
            if message.role == "assistant" and position > 1:
                request = await talk.request(model=message.model)
                await background.idle()  # a model would take its time now
                played.requests += 1
                played.largest_tokens = max(played.largest_tokens, request.tokens)
            elif message.role == "user":
                await talk.end_turn()
                await background.idle()
            await _note_drop(talk, played, position - 1, before, output)
            (stored,) = await talk.append(replace(message, provisional=False, usage=None))
            played.message_tokens += stored.tokens
            ticker.step("playing")
    return played


async def _note_drop(talk: Conversation, played: Played, position: int, before: int, output: Output) -> None:
    """Print a line if the window became smaller."""
    view = await talk.window()
    after = view.budget.used_tokens
    if after >= before:
        return
    summaries = (item.summary for item in view.window.items if isinstance(item, SummaryItem))
    new = (one for one in summaries if one.id not in played.seen)
    made = tuple(sorted(new, key=lambda one: (len(one.id), one.id)))
    played.seen.update(one.id for one in made)
    drop = Drop(position, before, after, view.budget.capacity_tokens, made)
    played.drops.append(drop)
    known = [played.widest] if played.widest is not None else []
    played.widest = max((*known, *made), key=lambda one: one.covers, default=None)
    if not output.as_json:
        output.show(drop_line(drop))


def drop_heading(capacity_tokens: int) -> str:
    """The heading above the lines of `drop_line`."""
    window = f"█ kept  ░ left  of {capacity_tokens:,}"
    return f"{'after':>5}  {window:<{_BAR_CELLS + 2}}  {'tokens':<16}  became"


def drop_line(drop: Drop) -> str:
    """One compaction as a line: what stayed and what left, as a share of the capacity."""
    left = max(0, drop.before_tokens - drop.after_tokens)
    free = max(0, drop.capacity_tokens - drop.before_tokens)
    cells = spread([drop.after_tokens, left, free], _BAR_CELLS)
    drawn = "".join(mark * wide for mark, wide in zip("█░·", cells, strict=True))
    tokens = f"{drop.before_tokens:,} → {drop.after_tokens:,}"
    return f"{drop.position:>5}  ▕{drawn}▏  {tokens:<16}  {_made_text(drop.made)}"


def _made_text(made: Sequence[Summary]) -> str:
    """The newest summaries, by id: "s4", "s4, s5", "s9 from s1..s4"."""
    if not made:
        return "shorter results"
    newest = made[-1]
    if newest.depth:
        return f"{newest.id} from {newest.sources[0]}..{newest.sources[-1]}"
    return ", ".join(one.id for one in made) if len(made) < 3 else f"{made[0].id}..{newest.id}"


async def _closing_lines(talk: Conversation, played: Played, messages: int) -> list[str]:
    """The window at the end, and the summary that covers the most messages."""
    budget = (await talk.window()).budget
    lines = [
        "",
        f"{count(messages, 'message')}, {played.message_tokens:,} tokens, {count(played.requests, 'request')}.",
        f"The largest took {played.largest_tokens:,} of {budget.capacity_tokens:,} tokens. The window now:",
        "",
        *budget_lines(budget, LINE_CELLS),
        "",
    ]
    widest = played.widest
    if widest is None:
        return [*lines, "It never came near its limit: try a smaller --window."]
    covers = f"{count(widest.covers, 'message')} in {widest.tokens:,} tokens, {widest.method}"
    written = [line for line in widest.text.split("\n") if line.strip()]
    lines += [f"The widest summary, {widest.id} ({covers}):", ""]
    lines += [f"  │ {clip(line, LINE_CELLS - 4)}" for line in written[:_SUMMARY_LINES]]
    rest = len(written) - _SUMMARY_LINES
    return [*lines, f"  │ ... {count(rest, 'more line')}"] if rest > 0 else lines


async def _find_fact(talk: Conversation, preferred: tuple[str, ...]) -> Fact | None:
    """A fact that left the window."""
    view = await talk.window()
    verbatim = {item.first for item in view.window.items if item.first == item.last}
    request = await talk.request()
    stored = await talk.messages(start=1, limit=min(view.window.last, _MAX_MESSAGES))
    left = [one for one in stored if one.seq not in verbatim]
    sent = [*request.system_texts, *(parts_text(message.parts) for message in request.messages)]
    return pick_fact(left, "\n".join(sent), preferred)


def pick_fact(left: Iterable[Stored], sent: str, preferred: Sequence[str]) -> Fact | None:
    """An exact string in a message that left the window, and not in the text that is sent now.

    One of `preferred` if a message's text has it, else another exact string from such text, else the same from calls
    and results. User messages come before the model's, short messages before long ones. None if there is none.
    """
    ordered = sorted(left, key=lambda one: (_ROLE_ORDER.get(one.message.role, 3), one.tokens))
    searched = ordered[:_SEARCHED_MESSAGES]

    def wanted(text: str) -> list[str]:
        return [one for one in preferred if one in text]

    found = (
        Fact(string, message_id)
        for texts in (
            [(one.id, one.message.text) for one in searched],
            [(one.id, readable_text(one.message)) for one in searched],
        )
        for strings_in in (wanted, exact_strings)
        for message_id, text in texts
        for string in strings_in(text)
    )
    return next((fact for fact in found if fact.text not in sent), None)


def exact_strings(text: str) -> Iterator[str]:
    """Distinct strings with letters and digits that summaries tend to lose: ids, versions, paths with numbers."""
    yield from dict.fromkeys(found.group() for found in _EXACT.finditer(text[:_SEARCHED_CHARS]))


async def _read_back(session: Session, talk: Conversation, fact: Fact) -> None:
    """Search for the fact and expand the message that contains it."""
    output = session.output
    hits = await talk.grep(f'"{fact.text}"', scope="message", limit=3)
    output.show(["", f"{clip(fact.text, _FACT_CELLS)} left the window. One search finds it again:", ""])
    output.show(f"  $ palimpsest grep '\"{clean(fact.text)}\"'")
    output.show([f"  {hit.id:<6} {hit.role:<9}  {clip(hit.snippet, LINE_CELLS - 20)}" for hit in hits.hits])
    (entry,) = await session.engine.expand([fact.message_id])
    output.show(["", f"  $ palimpsest expand {entry.id}"])
    output.show(around(parts_text(entry.parts), fact.text, _PASSAGE_LINES))


def around(text: str, fact: str, lines: int) -> list[str]:
    """The part of a message that contains the fact, in at most `lines` lines."""
    written = [
        part for line in clean(text).split("\n") if line.strip() for part in wrap(line, LINE_CELLS - 4)
    ]
    place = next((index for index, line in enumerate(written) if fact in line), 0)
    start = max(0, min(place - lines // 2, len(written) - lines))
    before = ["  │ ..."] if start else []
    after = ["  │ ..."] if start + lines < len(written) else []
    return [*before, *(f"  │ {line}" for line in written[start : start + lines]), *after]


def _next_commands(conversation: str, kept_in: Path | None) -> list[str]:
    """What to try next."""
    if kept_in is not None:
        option = f" --db {kept_in}"
        return [
            "Look around:",
            f"  palimpsest window {conversation[:8]}{option}",
            f"  palimpsest stats{option}",
        ]
    return [
        "Now with your own sessions:",
        "  palimpsest import ~/.claude/projects     (or ~/.codex/sessions, ...)",
        "  palimpsest list",
        "  palimpsest compact last --window 32000",
        "  palimpsest grep 'words to find'",
    ]
