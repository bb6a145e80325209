"""`palimpsest demo`: a long coding session passes through a small window, and a fact that left it is read back.

The session is played as it happened: message by message, with a request made before every answer of the model, as an
agent would make it. So what is shown is what the engine does in an agent's loop, not an import.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from palimpsest.cli.commands.window import window_fields
from palimpsest.cli.demo_text import (
    LINE_CELLS,
    Fact,
    Fall,
    around,
    fall_heading,
    fall_line,
    new_summaries,
    pick_fact,
    summary_lines,
)
from palimpsest.cli.message_text import message_text, parts_text
from palimpsest.cli.options import OWNER, Db, Given, Json, Shared
from palimpsest.cli.output import Output, fields_of
from palimpsest.cli.session import Session, perform
from palimpsest.cli.text_drawing import budget_lines, clean, clip, count
from palimpsest.config.paths import at_home
from palimpsest.engine.transcript_files import Candidate, SkippedFile, open_transcript
from palimpsest.errors import FormatError, NotFound, UsageError
from palimpsest.formats.transcripts import Transcript
from palimpsest.record.message import Message, Text
from palimpsest.record.summary import Summary

if TYPE_CHECKING:
    from palimpsest.engine.conversation import Conversation

WINDOW_TOKENS = 32_000
_SUMMARY_LINES = 14
_PASSAGE_LINES = 7
_FACT_CELLS = 42
_MAX_MESSAGES = 1_000_000


@dataclass(slots=True)
class Played:
    """What playing a session showed so far."""

    falls: list[Fall] = field(default_factory=list["Fall"])
    requests: int = 0
    largest_tokens: int = 0
    said_tokens: int = 0
    widest: Summary | None = None
    seen: set[str] = field(default_factory=set[str])


def demo(
    transcript: Annotated[
        Path | None,
        typer.Argument(metavar="TRANSCRIPT", help="Your own session; a shipped one if not given."),
    ] = None,
    window_tokens: Annotated[
        int, typer.Option("--window", metavar="N", min=1, help="The model's context window in tokens.")
    ] = WINDOW_TOKENS,
    db: Db = None,
    as_json: Json = False,
) -> None:
    """Watch a long coding session pass through a small window.

    Needs no model, key or network. The database is a passing one unless --db names one.

    \b
    palimpsest demo
    palimpsest demo ~/.claude/projects/my-project/session.jsonl
    """
    chosen, preferred = _session(transcript)

    async def body(session: Session) -> None:
        await _show(session, chosen, preferred, kept_in=db)

    with tempfile.TemporaryDirectory(prefix="palimpsest-") as folder:
        kept = db or Path(folder) / "demo.db"
        shared = Shared("demo", kept, OWNER, as_json, Given(window_tokens), configured=False)
        perform(shared, body, makes_db=True)


def _session(given: Path | None) -> tuple[Transcript, tuple[str, ...]]:
    """The session to play, and the facts to look for first."""
    from palimpsest import samples

    path = samples.path() if given is None else at_home(given)
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
    """Play the session and tell what happens."""
    from palimpsest.engine.conversation import state_of

    output = session.output
    messages = transcript.paths[-1]
    if any(info.id == transcript.id for info in await session.engine.conversations()):
        raise UsageError(
            "that database holds this session already", hint="leave --db out, or name another one"
        )
    talk = session.engine.conversation(transcript.id)
    now_s = state_of(talk).clock()
    await session.engine.store.describe_conversation(
        session.engine.owner, talk.id, title=transcript.title, now_s=now_s
    )
    view = await talk.window()
    if not output.as_json:
        output.show(
            _opening(transcript, len(messages), view.budget.window_tokens, view.budget.capacity_tokens)
        )
    played = await _play(talk, transcript, output)
    fact = await _find_fact(talk, preferred)
    if output.as_json:
        output.result(await _fields(talk, played, fact))
        return
    output.show(await _ending(talk, played, len(messages)))
    if fact is not None:
        await _read_back(session, talk, fact)
    output.show(_next_commands(transcript.id, kept_in))


def _opening(transcript: Transcript, messages: int, window_tokens: int, capacity_tokens: int) -> list[str]:
    title = clip(transcript.title, LINE_CELLS - 12)
    return [
        f"session     {title}",
        f"            {count(messages, 'message')}, {transcript.format} transcript",
        f"window      {window_tokens:,} tokens; {capacity_tokens:,} after the reply's reserve and a margin",
        "",
        fall_heading(capacity_tokens),
    ]


async def _play(talk: Conversation, transcript: Transcript, output: Output) -> Played:
    """Append the messages one by one; before each answer make the request, after each turn let the background work."""
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
            await _note_fall(talk, played, position - 1, before, output)
            played_now = replace(message, provisional=False, usage=None)  # paid for as it is played
            (stored,) = await talk.append(played_now)
            played.said_tokens += stored.tokens
            ticker.step()
    return played


async def _note_fall(talk: Conversation, played: Played, position: int, before: int, output: Output) -> None:
    """Print a line if the window became smaller."""
    view = await talk.window()
    after = view.budget.used_tokens
    if after >= before:
        return
    made = new_summaries(view.window, played.seen)
    played.seen.update(one.id for one in made)
    fall = Fall(position, before, after, view.budget.capacity_tokens, made)
    played.falls.append(fall)
    known = [played.widest] if played.widest is not None else []
    played.widest = max((*known, *made), key=lambda one: one.covers, default=None)
    if not output.as_json:
        output.show(fall_line(fall))


async def _find_fact(talk: Conversation, preferred: tuple[str, ...]) -> Fact | None:
    """A fact that left the window and that one search finds again."""
    view = await talk.window()
    verbatim = {item.first for item in view.window.items if item.first == item.last}
    request = await talk.request()
    stored = await talk.messages(start=1, limit=min(view.window.last, _MAX_MESSAGES))
    left = [one for one in stored if one.seq not in verbatim]
    return pick_fact(
        left, "\n".join([*request.system_texts, *map(message_text, request.messages)]), preferred
    )


async def _fields(talk: Conversation, played: Played, fact: Fact | None) -> dict[str, object]:
    """The demo's result for a program."""
    return window_fields(await talk.window()) | {
        "messages": (await talk.window()).window.last,
        "said_tokens": played.said_tokens,
        "requests": played.requests,
        "largest_request_tokens": played.largest_tokens,
        "falls": [fields_of(fall, "position before_tokens after_tokens") for fall in played.falls],
        "fact": None if fact is None else {"text": fact.text, "id": fact.message_id},
    }


async def _ending(talk: Conversation, played: Played, messages: int) -> list[str]:
    """The window at the end, and the summary that stands for the most messages."""
    view = await talk.window()
    requests = count(played.requests, "request")
    lines = [
        "",
        f"{count(messages, 'message')}, {played.said_tokens:,} tokens were said, and {requests} made.",
        f"The largest took {played.largest_tokens:,} of {view.budget.capacity_tokens:,} tokens. The window now:",
        "",
        *budget_lines(view.budget, LINE_CELLS),
    ]
    if played.widest is None:
        return [*lines, "", "It never came near its limit: try a smaller --window."]
    widest = played.widest
    covers = f"{count(widest.covers, 'message')} in {widest.tokens:,} tokens, {widest.method}"
    return [
        *lines,
        "",
        f"The widest summary, {widest.id} ({covers}):",
        "",
        *summary_lines(widest, _SUMMARY_LINES),
    ]


async def _read_back(session: Session, talk: Conversation, fact: Fact) -> None:
    """Search for the fact and expand the message that holds it."""
    output = session.output
    hits = await talk.grep(f'"{fact.text}"', scope="message", limit=3)
    output.show(["", f"{clip(fact.text, _FACT_CELLS)} left the window. It is one search away:", ""])
    output.show(f"  $ palimpsest grep '\"{clean(fact.text)}\"'")
    output.show([f"  {hit.id:<6} {hit.role:<9}  {clip(hit.snippet, LINE_CELLS - 20)}" for hit in hits.hits])
    (entry,) = await session.engine.expand([fact.message_id])
    output.show(["", f"  $ palimpsest expand {entry.id}"])
    output.show(around(parts_text(entry.parts), fact.text, _PASSAGE_LINES))


def _next_commands(conversation: str, kept_in: Path | None) -> list[str]:
    """What to try next, with the person's own sessions."""
    if kept_in is not None:
        option = f" --db {kept_in}"
        return [
            "",
            "Look around:",
            f"  palimpsest window {conversation[:8]}{option}",
            f"  palimpsest stats{option}",
        ]
    return [
        "",
        "Now with your own sessions:",
        "  palimpsest import ~/.claude/projects     (or ~/.codex/sessions, ...)",
        "  palimpsest list",
        "  palimpsest compact last --window 32000",
        "  palimpsest grep 'words to find'",
    ]
