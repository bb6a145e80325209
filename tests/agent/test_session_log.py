"""Session files as projections of the store: whole, followed, torn, forked, shared, and read back."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Sequence
from pathlib import Path

from hypothesis import HealthCheck, given

import palimpsest
from palimpsest.agent.session_log import (
    SessionLog,
    Written,
    export_session,
    load_context,
    render_session,
)
from palimpsest.engine.conversation import Conversation, state_of
from palimpsest.engine.engine import Engine
from palimpsest.engine.transcript_import import adopt_compactions
from palimpsest.formats.transcripts import Marker, Source, Transcript, read
from palimpsest.formats.transcripts.crabtalk import context_of, read_file
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.summary import Summary
from palimpsest.record.window_items import SummaryItem
from tests import strategies
from tests.effort import examples
from tests.formats.cuts import said, texts

LONG = "The tide table of the outer harbour, read out hour by hour. " * 12


def talk_of(count: int, start: int = 1) -> list[Message]:
    """Messages said in turn, long enough to be worth a summary."""
    return [
        Message("user" if n % 2 else "assistant", (Text(f"{n}. {LONG}"),), time_s=1000.0 + n)
        for n in range(start, start + count)
    ]


async def roll(talk: Conversation, text: str, through: int, quotes: int = 0) -> None:
    """Put a summary at the beginning of the window."""
    history = [one.message for one in await talk.messages(limit=10_000)]
    taken, refused = await adopt_compactions(
        state_of(talk), [Marker(text, through, quotes=quotes, time_s=5000.0 + through)], history
    )
    assert (taken, refused) == (1, ())


async def history_of(talk: Conversation) -> list[Message]:
    return [one.message for one in await talk.messages(limit=10_000)]


def transcript_in(path: Path) -> Transcript:
    """The one conversation of a session file."""
    (transcript,) = read(Source(str(path), path.read_bytes())).transcripts
    return transcript


async def imported(engine: Engine, path: Path) -> Conversation:
    """The conversation of a session file, in another store."""
    transcript = transcript_in(path)
    await engine.import_transcript(transcript)
    return engine.conversation(transcript.id)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def kinds(path: Path) -> str:
    """The lines of a file, a letter each: meta, message, marker, rewind."""
    names = {"agent": "M", "role": "m", "compact": "C", "rewind": "R"}
    return "".join(next(letter for key, letter in names.items() if key in row) for row in rows(path))


async def test_a_conversation_goes_to_a_file_and_back_into_another_store(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    async with (
        palimpsest.open(":memory:", preset="hierarchical") as one,
        palimpsest.open(":memory:", preset="hierarchical") as two,
    ):
        talk = one.conversation("harbour-42")
        await talk.append({"role": "system", "content": "Be brief."}, *talk_of(9))
        await roll(talk, "Tides were read out.", 6)
        assert await export_session(talk, path) == Written(path, 9, 1)
        other = await imported(two, path)
        assert other.id == "harbour-42"
        assert await history_of(other) == await history_of(talk)
        ours, theirs = await talk.window(), await other.window()
        assert theirs.system == "Be brief."
        assert [said(message) for message in state_of(talk).show(ours.window).messages] == [
            said(message) for message in state_of(other).show(theirs.window).messages
        ]
        first = theirs.window.items[0]
        assert isinstance(first, SummaryItem)
        assert (first.summary.method, first.summary.text) == ("imported", "Tides were read out.")
    assert kinds(path) == "MmmmmmmCmmm"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@examples(25, lenient=[HealthCheck.function_scoped_fixture])
@given(messages=strategies.histories())
def test_any_history_comes_back_equal(messages: Sequence[Message], tmp_path: Path) -> None:
    path = tmp_path / "any.jsonl"

    async def there_and_back() -> tuple[list[Message], list[Message]]:
        async with (
            palimpsest.open(":memory:", preset="hierarchical") as one,
            palimpsest.open(":memory:", preset="hierarchical") as two,
        ):
            talk = one.conversation("t")
            await talk.append(Message("user", (Text("first"),), time_s=1.0), *messages)
            await export_session(talk, path)
            return await history_of(talk), await history_of(await imported(two, path))

    before, after = asyncio.run(there_and_back())
    assert after == before


async def test_a_file_cut_at_any_byte_loads_and_loses_at_most_its_last_line() -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        await talk.append(*(Message("user", (Text(f"{n} é好🙂"),)) for n in range(3)), *talk_of(2))
        await roll(talk, "Short.", 5)
        await talk.append(Message("user", (Text("on \ud83d"),)))
        whole = (await render_session(talk)).data
    ends = [place + 1 for place, byte in enumerate(whole) if byte == 10]
    for cut in range(len(whole) + 1):
        context = context_of(read_file(whole[:cut]))
        lines = sum(end <= cut for end in ends)
        standing = {0: 0, 7: 1, 8: 2}.get(lines, lines - 1)
        whole_but_for_newline = cut + 1 in ends
        after = {0: 0, 7: 1, 8: 2}.get(lines + 1, lines)
        assert len(context) == (after if whole_but_for_newline else standing)


async def test_following_after_a_cut_at_any_byte_gives_the_whole_file_again(tmp_path: Path) -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        await talk.append(*talk_of(4))
        await SessionLog(tmp_path).follow(talk)
        await roll(talk, "Short.", 3)
        await talk.append(Message("user", (Text("more"),), time_s=9.0))
        path = (await SessionLog(tmp_path).follow(talk)).path
        whole = path.read_bytes()
        assert kinds(path) == "MmmmmCm"
        for cut in [*range(0, len(whole), 37), *range(len(whole) - 60, len(whole) + 1)]:
            path.write_bytes(whole[:cut])
            done = await SessionLog(tmp_path).follow(talk)
            assert texts(transcript_in(path).paths[-1]) == texts(await history_of(talk))
            assert kinds(path).count("m") == 5
            assert kinds(path).count("C") == 1
            assert (done.torn_bytes > 0) == (
                cut < len(whole) and whole[cut : cut + 1] != b"\n" and whole[:cut][-1:] not in {b"", b"\n"}
            )


async def test_a_torn_line_is_put_aside_and_a_whole_one_is_kept(tmp_path: Path) -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        await talk.append(*talk_of(2))
        path = (await SessionLog(tmp_path).follow(talk)).path
        whole = path.read_bytes()
        path.write_bytes(whole + b'{"role": "us')
        done = await SessionLog(tmp_path).follow(talk)
        assert (done.torn_bytes, done.messages) == (12, 0)
        assert path.read_bytes() == whole
        assert path.with_name("t.jsonl.torn").read_bytes() == b'{"role": "us\n'
        path.write_bytes(whole[:-1])
        assert (await SessionLog(tmp_path).follow(talk)).torn_bytes == 0
        assert path.read_bytes() == whole


async def test_following_adds_only_what_is_new(tmp_path: Path) -> None:
    log = SessionLog(tmp_path, agent="tern")
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        assert (await log.follow(talk)).messages == 0
        assert not log.folder.exists()
        await talk.append(*talk_of(3))
        first = await log.follow(talk)
        size = first.path.stat().st_size
        assert (first.messages, (await log.follow(talk)).messages) == (3, 0)
        assert first.path.stat().st_size == size
        await talk.append(*talk_of(2, start=4))
        assert (await log.follow(talk)).messages == 2
        assert (await SessionLog(tmp_path).follow(talk)).messages == 0
    meta, context = load_context(first.path)
    assert (meta.agent, meta.created_by, meta.id, meta.created_at) == (
        "tern",
        "me",
        "t",
        "1970-01-01T00:16:41Z",
    )
    assert len(context) == 5
    assert kinds(first.path) == "Mmmmmm"


async def test_many_messages_are_written_page_by_page(tmp_path: Path) -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        await talk.append(*(Message("user", (Text(f"say {n}"),)) for n in range(1201)))
        done = await SessionLog(tmp_path).follow(talk)
        assert done.messages == 1201
        assert len(rows(done.path)) == 1202


async def test_a_late_marker_says_how_far_it_reaches_and_the_rest_stays_in_context(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        await talk.append(*talk_of(6))
        await log.follow(talk)
        await roll(talk, "Four were said.", 4)
        done = await log.follow(talk)
        assert (done.messages, done.markers) == (0, 1)
        _, context = load_context(done.path)
        assert texts(context) == ["Four were said.", *texts((await history_of(talk))[4:])]
        await roll(talk, "Six.", 6)
        assert (await SessionLog(tmp_path).follow(talk)).markers == 1
        assert (await SessionLog(tmp_path).follow(talk)).markers == 0
        assert texts(load_context(done.path)[1]) == ["Six."]
    assert kinds(done.path) == "MmmmmmmCC"


async def test_a_marker_ends_with_the_request_its_summary_quotes(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    async with (
        palimpsest.open(":memory:", preset="hierarchical") as one,
        palimpsest.open(":memory:", preset="hierarchical") as two,
    ):
        talk = one.conversation("t")
        await talk.append(
            *talk_of(4), Message("user", (Text("And the inner harbour?"),)), *talk_of(1, start=6)
        )
        await roll(talk, "Tides were read out.", 6, quotes=5)
        await export_session(talk, path)
        assert rows(path)[-1]["compact"] == "Tides were read out.\n\nAnd the inner harbour?"
        other = await imported(two, path)
        (item,) = (await other.window()).window.items
        assert isinstance(item, SummaryItem)
        assert item.quoted is not None
        assert (item.summary.text, item.quoted.message.text) == (
            "Tides were read out.",
            "And the inner harbour?",
        )
        again = await two.import_transcript(transcript_in(path))
        assert (again.compactions, again.notes, again.added) == (0, (), 0)


async def test_only_summaries_at_the_beginning_of_the_window_leave_a_marker(tmp_path: Path) -> None:
    async with palimpsest.open(
        ":memory:", window_tokens=8_000, max_tokens=1_000, preset="hierarchical"
    ) as engine:
        talk = engine.conversation("t")
        await talk.append(*talk_of(60))
        report = await talk.compact(until_under_tokens=4_000)
        assert report is not None
        done = await SessionLog(tmp_path).follow(talk)
        found = await engine.store.read("me", [made.id for made in report.summaries])
        firsts = [one.id for _, one in found.values() if isinstance(one, Summary) and one.first == 1]
        assert 0 < done.markers == len(firsts) < len(report.summaries)


async def test_an_edited_history_goes_on_behind_a_rewind(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    async with (
        palimpsest.open(":memory:", preset="hierarchical") as one,
        palimpsest.open(":memory:", preset="hierarchical") as two,
    ):
        talk = one.conversation("t")
        old = talk_of(6)
        await talk.sync(old)
        await roll(talk, "Two.", 2)
        await roll(talk, "Five.", 5)
        await log.follow(talk)
        new = [*old[:3], Message("assistant", (Text("otherwise"),), time_s=1.0)]
        await talk.sync(new)
        done = await log.follow(talk)
        assert done.messages == 1
        assert kinds(done.path) == "MmmCmmmCmRm"
        other = await imported(two, done.path)
        assert await history_of(other) == await history_of(talk)
        assert await two.store.match("me", "t", old) == 6
        assert texts(load_context(done.path)[1])[0] == "Two."
        await talk.sync(old)
        assert (await log.follow(talk)).messages == 3
        assert texts(load_context(done.path)[1]) == ["Five.", texts(old)[-1]]


async def test_a_damaged_line_is_made_good_by_the_next_follower(tmp_path: Path) -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        await talk.append(*talk_of(4))
        path = (await SessionLog(tmp_path).follow(talk)).path
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines[:2], b"\0\0\0\n", *lines[3:]]))
        assert (await SessionLog(tmp_path).follow(talk)).messages == 3
        assert list(transcript_in(path).paths[-1]) == await history_of(talk)


async def test_a_message_that_may_still_grow_is_written_when_it_no_longer_can(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        growing = Message("assistant", (Text("We s"),), origin="a", provisional=True)
        await talk.sync([*talk_of(1), growing])
        assert (await log.follow(talk)).messages == 1
        assert (await render_session(talk)).messages == 2
        await talk.sync([*talk_of(1), Message("assistant", (Text("We sail."),), origin="a")])
        path = (await log.follow(talk)).path
    assert texts(load_context(path)[1])[-1] == "We sail."


async def test_followers_at_the_same_time_write_everything_once(tmp_path: Path) -> None:
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        logs = [SessionLog(tmp_path) for _ in range(3)]
        for start in range(1, 13, 2):
            await talk.append(*talk_of(2, start=start))
            done = await asyncio.gather(*(log.follow(talk) for log in (*logs, logs[0])))
            assert sum(one.messages for one in done) == 2
        assert kinds(done[0].path) == "M" + 12 * "m"


async def test_markers_that_would_not_help_are_left_out_and_said(tmp_path: Path) -> None:
    call, result = ToolCall("c1", "look"), ToolResult("c1", (Text(LONG),))
    history = [*talk_of(2), Message("assistant", (call,)), Message("tool", (result,)), *talk_of(1)]
    markers = [Marker(LONG * 6, 2), Marker("In the middle.", 3), Marker("All of it.", 4), Marker(" ", 5)]
    async with palimpsest.open(":memory:", preset="hierarchical") as engine:
        talk = engine.conversation("t")
        await talk.sync(history)
        taken, refused = await adopt_compactions(state_of(talk), markers, history)
        assert taken == 1
        assert [note.partition(": ")[2][:21] for note in refused] == [
            "it is not smaller tha",
            "the step it ends in m",
        ]
        items = (await talk.window()).window.items
        assert [(item.first, item.last) for item in items] == [(1, 4), (5, 5)]
        assert (await talk.grep("middle")).total == 0
        assert await adopt_compactions(state_of(talk), markers, history) == (0, ())
