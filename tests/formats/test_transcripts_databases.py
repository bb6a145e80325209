"""Sessions in SQLite databases: read as bytes, with the log beside them, and never changed, locked or trusted."""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.transcript_files import (
    Candidate,
    Opened,
    SkippedFile,
    candidates,
    open_transcript,
    stamp_of,
)
from palimpsest.errors import FormatError
from palimpsest.formats.transcripts import FORMATS, Reading, Source, detect, read
from palimpsest.formats.transcripts.registry import may_be_known
from palimpsest.formats.transcripts.sqlite_file import with_log
from palimpsest.record.message import Message
from tests.formats.agents import GOOSE, GOOSE_CONTENT, HERMES, OPENCODE, SEAHORSE, Dict, database, shown
from tests.formats.cuts import texts
from tests.formats.test_transcripts_agents import kept, lost

STORE = (
    "create table blobs(id text primary key, data blob); create table meta(key text primary key, value text);"
)
EDITOR = (
    "create table ItemTable(key text, value blob); create table cursorDiskKV(key text unique, value blob);"
)
Rows = dict[str, list[tuple[object, ...]]]


def opencode_rows() -> Rows:
    def tool(call_id: str, **state: object) -> Dict:
        return {
            "type": "tool",
            "callID": call_id,
            "tool": "bash",
            "state": {"input": {"p": "shown-call"}, **state},
        }

    picture = {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,QUJD"}
    tokens = {"input": 5, "output": 2, "reasoning": 1, "cache": {"read": 3, "write": 0}}
    parts: list[tuple[str, str, Dict]] = [
        ("m1", "s1", {"type": "text", "text": "shown-ask"}),
        ("m1", "s1", {"type": "text", "text": "shown-synthetic", "synthetic": True}),
        ("m1", "s1", {"type": "text", "text": "unseen-ignored", "ignored": True}),
        ("m1", "s1", {"type": "file", "mime": "text/plain", "url": "file:///shown-file"}),
        ("m1", "s1", {"type": "subtask", "prompt": "shown-subtask", "description": "d", "agent": "a"}),
        ("m1", "s1", {"type": "agent", "name": "unseen-agent"}),
        ("m2", "s1", {"type": "step-start", "snapshot": "unseen-snapshot"}),
        ("m2", "s1", {"type": "reasoning", "text": "shown-think"}),
        ("m2", "s1", tool("c1", status="completed", output="shown-result", attachments=[picture])),
        (
            "m2",
            "s1",
            tool("c2", status="error", error="shown-error", metadata={"output": "shown-interrupted"}),
        ),
        ("m2", "s1", {"type": "step-finish", "reason": "tool-calls", "tokens": tokens}),
        ("m2", "s1", {"type": "text", "text": "shown-say"}),
        ("m2", "s1", {"type": "patch", "hash": "h", "files": ["unseen-patch"]}),
        ("m2", "s1", {"type": "snapshot", "snapshot": "unseen-snapshot"}),
        ("m2", "s1", {"type": "retry", "attempt": 1, "error": "unseen-retry"}),
        ("m3", "s1", {"type": "compaction", "auto": True}),
        ("m4", "s1", {"type": "text", "text": "shown-summary"}),
        ("m5", "s1", {"type": "text", "text": "shown-more"}),
        ("n1", "s2", {"type": "text", "text": "shown-child"}),
    ]
    messages: list[tuple[str, str, Dict]] = [
        ("m1", "s1", {"role": "user", "system": "shown-system"}),
        ("m2", "s1", {"role": "assistant", "modelID": "maple-1", "time": {"created": 1770091506000, "completed": 1}}),
        ("m3", "s1", {"role": "user"}),
        ("m4", "s1", {"role": "assistant", "summary": True, "time": {"created": 1770091507000}}),
        ("m5", "s1", {"role": "user", "time": {"created": 1770091508000}}),
        ("n1", "s2", {"role": "user"}),
    ]  # fmt: skip
    return {
        "session": [
            ("s1", "p", None, "slug", "/quay", "Ropes", "1.2", 1, 2),
            ("s2", "p", "s1", "slug", "/quay", "A child", "1.2", 3, 4),
        ],
        "message": [
            (own, session, at, at, json.dumps(data)) for at, (own, session, data) in enumerate(messages)
        ],
        "part": [
            (f"p{at:02}", owner, session, at, json.dumps(data))
            for at, (owner, session, data) in enumerate(parts)
        ],
    }


def hermes_rows() -> Rows:
    call = [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"p": "shown-call"}'}}]
    blocks = "\0json:" + json.dumps([{"type": "text", "text": "shown-block"}])
    # role, content, tool_call_id, tool_calls, reasoning, active, compacted, is a summary, what was sent
    told: list[tuple[object, ...]] = [
        ("user", "shown-ask", None, None, None, 0, 1, 0, None),
        ("assistant", "shown-say", None, json.dumps(call), "shown-think", 0, 1, 0, None),
        ("tool", "shown-result", "c1", None, None, 1, 0, 0, None),
        ("user", "[CONTEXT SUMMARY] unseen-summary", None, None, None, 1, 0, 1, None),
        ("user", "unseen-rewound", None, None, None, 0, 0, 0, None),
        ("user", blocks, None, None, None, 1, 0, 0, None),
        ("user", "plain", None, None, None, 1, 0, 0, "plain with shown-context"),
    ]
    rows: list[tuple[object, ...]] = [
        (
            at,
            "h1",
            role,
            content,
            asked,
            calls,
            None,
            1770091506.0 + at,
            thought,
            active,
            compacted,
            own,
            sent,
        )
        for at, (role, content, asked, calls, thought, active, compacted, own, sent) in enumerate(told, 1)
    ]
    rows.append((99, "h2", "user", "shown-child", None, None, None, 1770091600.0, None, 1, 0, 0, None))
    return {
        "system_prompts": [("x", "shown-system")],
        "sessions": [
            ("h1", "cli", "fir-3", None, "x", None, 1.0, "Ropes", "/quay"),
            ("h2", "cli", "fir-3", None, None, "h1", 2.0, None, "/quay"),
        ],
        "messages": rows,
    }


def goose_rows() -> Rows:
    rows: list[tuple[object, ...]] = [
        (at, f"msg{at}", "g1", role, json.dumps(content), 1770091506 + at, "{}")
        for at, (role, content) in enumerate(GOOSE_CONTENT)
    ]
    return {"sessions": [("g1", "Ropes", "/quay", "2026-02-03 04:05:06")], "messages": rows}


def store_rows() -> Rows:
    told: list[Dict] = [
        {"role": "system", "content": "shown-system"},
        {"role": "user", "content": [{"type": "text", "text": "shown-ask"}]},
        {"role": "assistant", "content": [
            {"type": "reasoning", "text": "shown-think"},
            {"type": "tool-call", "toolCallId": "c1", "toolName": "Shell", "args": {"p": "shown-call"}}]},
        {"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "c1", "toolName": "Shell", "result": "shown-result"}]},
    ]  # fmt: skip
    names = [bytes([at + 1]) * 32 for at in range(len(told))]
    root = b"".join(b"\x0a\x20" + name for name in names) + b"\x4a\x05/quay"
    about = json.dumps({"agentId": "k1", "latestRootBlobId": "ff" * 32, "name": "Ropes"})
    blobs: list[tuple[object, ...]] = [("ff" * 32, root)]
    blobs += [(name.hex(), json.dumps(one).encode()) for name, one in zip(names, told, strict=True)]
    return {"blobs": blobs[::-1], "meta": [("0", about.encode().hex())]}


def editor_rows() -> Rows:
    tool = {"toolCallId": "c1", "name": "run", "rawArgs": '{"p": "shown-call"}', "result": "shown-result"}
    bubbles: list[Dict] = [
        {"bubbleId": "b1", "type": 1, "text": "shown-ask"},
        {
            "bubbleId": "b2",
            "type": 2,
            "text": "",
            "thinking": {"text": "shown-think"},
            "toolFormerData": tool,
        },
        {"bubbleId": "b3", "type": 2, "text": "shown-say", "createdAt": "2026-02-03T04:05:06Z"},
    ]
    headers = [{"bubbleId": one["bubbleId"], "type": one["type"]} for one in bubbles]
    composer = {"composerId": "k2", "name": "Ropes", "fullConversationHeadersOnly": headers}
    rows: list[tuple[object, ...]] = [("composerData:k2", json.dumps(composer))]
    rows += [(f"bubbleId:k2:{one['bubbleId']}", json.dumps(one).encode()) for one in bubbles]
    return {"cursorDiskKV": rows}


def seahorse_rows() -> Rows:
    at = "2026-02-03 04:05:06"
    called = '[tool_use: ls, args: {"p": "shown-call"}]'
    said: list[tuple[str, str, str]] = [
        ("user", "shown-ask", ""),
        ("assistant", f"shown-say\n{called}", "shown-think"),
        ("tool", "[tool_result for c1: shown-result of it]", ""),
        ("user", "shown-look\n[media: media://shown-picture (image/png)]", ""),
        ("assistant", "shown-answer", ""),
        ("user", "shown-more", ""),
    ]
    return {
        "conversations": [(1, "agent:main:1", at, at), (2, "agent:main:2", at, at)],
        "messages": [
            *((own, 1, role, text, "maple-1", thought, 5, at) for own, (role, text, thought) in enumerate(said, 1)),
            (7, 2, "user", "shown-other", "", "", 5, at),
        ],
        "message_parts": [
            (1, 2, "text", "shown-say", "", "", "", "", "", 0),
            (2, 2, "tool_use", None, "ls", '{"p": "shown-call"}', "c1", "", "", 1),
            (3, 3, "tool_result", "shown-result of it", "", "", "c1", "", "", 0),
            (4, 4, "text", "shown-look", "", "", "", "", "", 0),
            (5, 4, "media", "", "", "", "", "media://shown-picture", "image/png", 1),
        ],
        "summaries": [
            ("sum_1", 1, "leaf", 0, "shown-leaf"),
            ("sum_2", 1, "leaf", 0, "unseen-leaf"),
            ("sum_3", 1, "condensed", 1, "shown-condensed"),
        ],
        "context_items": [
            (1, 100, "summary", "sum_3", None), (1, 200, "summary", "sum_1", None), (1, 300, "message", None, 5),
            (1, 400, "message", None, 6), (2, 100, "message", None, 7),
        ],
    }  # fmt: skip


MADE: dict[str, tuple[str, str, Rows]] = {
    "opencode": ("opencode", OPENCODE, opencode_rows()),
    "hermes": ("hermes", HERMES, hermes_rows()),
    "goose": ("goose", GOOSE, goose_rows()),
    "picoclaw": ("picoclaw", SEAHORSE, seahorse_rows()),
    "cursor's agent": ("cursor", STORE, store_rows()),
    "cursor's editor": ("cursor", EDITOR, editor_rows()),
}
FILES = {made: database(script, rows, log=True) for made, (_, script, rows) in MADE.items()}


def reading_of(made: str, *, log: bool = True) -> Reading:
    data, beside = FILES[made]
    if not log:
        data, beside = database(*MADE[made][1:])
    return read(Source("x/a.db", data, {"x/a.db-wal": beside}))


@pytest.mark.parametrize("log", [True, False])
@pytest.mark.parametrize("made", MADE)
def test_everything_in_a_database_that_the_model_saw_is_kept(made: str, log: bool) -> None:
    rows = MADE[made][2]
    words = {word for values in rows.values() for row in values for one in row for word in shown_in(one)}
    reading = reading_of(made, log=log)
    assert len(words) > 3
    assert lost(reading, words) == set()
    assert "unseen" not in kept(reading)
    assert reading.skipped == ()
    assert detect(Source("x/a.db", FILES[made][0], {"x/a.db-wal": FILES[made][1]})) == MADE[made][0]


def shown_in(value: object) -> set[str]:
    """The words that the model saw in a value of a row."""
    return shown(value if isinstance(value, bytes) else str(value).encode())


def test_sessions_are_conversations_with_parents_and_their_own_compactions() -> None:
    main, child = reading_of("opencode").transcripts
    assert (main.id, main.title, main.cwd, main.system) == ("s1", "Ropes", "/quay", "shown-system")
    assert (child.id, child.parent) == ("s2", "s1")
    assert [(marker.text, marker.through) for marker in main.markers] == [
        ("shown-summary", len(main.paths[0]) - 1)
    ]
    assert texts(main.paths[0])[-1] == "shown-more"
    left_out = reading_of("opencode").left_out
    assert left_out["part/text"] == left_out["part/retry"] == left_out["part/agent"] == 1
    hermes, resumed = reading_of("hermes").transcripts
    assert (hermes.system, resumed.parent) == ("shown-system", "h1")
    assert reading_of("hermes").left_out == {"summary": 1, "rewound message": 1}


def test_a_session_of_picoclaws_engine_keeps_its_calls_and_the_summaries_its_window_begins_with() -> None:
    first, second = reading_of("picoclaw").transcripts
    assert (first.id, second.id, len(second.paths[0])) == ("agent:main:1", "agent:main:2", 1)
    asked, called, answered, looked, *_ = first.paths[0]
    assert (asked.text, called.text, called.model, called.time_s) == (
        "shown-ask",
        "shown-say",
        "maple-1",
        1770091506,
    )
    assert [(call.id, call.name, call.arguments) for call in called.calls] == [
        ("c1", "ls", '{"p": "shown-call"}')
    ]
    assert [(one.call_id, one.text) for one in answered.results] == [("c1", "shown-result of it")]
    assert (looked.text, len(looked.parts)) == ("shown-look", 2)
    assert [(one.text, one.through) for one in first.markers] == [("shown-condensed\n\nshown-leaf", 4)]
    assert reading_of("picoclaw").left_out == {"summary": 1}


def test_a_message_names_the_part_of_opencode_that_nobody_knows() -> None:
    rows = opencode_rows()
    rows["part"].append(("z", "m5", "s1", 1, json.dumps({"type": "hologram"})))
    rows["part"].append(("zz", "m5", "s1", 1, "{broken"))
    reading = read(Source("a.db", database(OPENCODE, rows)[0]))
    assert [one.reason for one in reading.skipped] == [
        "row zz: broken JSON",
        'unknown part type "hologram"',
        'unknown part type ""',
    ]


def test_an_export_of_opencode_gives_what_its_database_gives() -> None:
    (session, *_), messages, parts = opencode_rows().values()
    info = {"id": "s1", "directory": "/quay", "title": "Ropes", "time": {"created": 1}}
    told = [
        {
            "info": {**json.loads(str(row[4])), "id": row[0], "sessionID": "s1"},
            "parts": [{**json.loads(str(part[4])), "id": part[0]} for part in parts if part[1] == row[0]],
        }
        for row in messages
        if row[1] == session[0]
    ]
    exported = json.dumps({"info": info, "messages": told}).encode()
    assert detect(Source("a.json", exported)) == "opencode"
    assert (
        read(Source("a.json", exported)).transcripts[0].paths == reading_of("opencode").transcripts[0].paths
    )
    cut = read(Source("a.json", exported[:-200]), "opencode")
    assert cut.transcripts[0].id == "s1"
    assert "cut off" in cut.skipped[-1].reason


@given(
    st.sampled_from(sorted(MADE)),
    st.lists(st.tuples(st.booleans(), st.integers(0, 10**7), st.integers(0, 255)), min_size=1, max_size=60),
)
def test_damage_anywhere_is_refused_or_reported(made: str, damage: list[tuple[bool, int, int]]) -> None:
    files = [bytearray(one) for one in FILES[made]]
    for in_log, at, value in damage:
        files[in_log][at % len(files[in_log])] = value
    messages: list[Message] = []
    with suppress(FormatError):
        source = Source("x/a.db", bytes(files[0]), {"x/a.db-wal": bytes(files[1])})
        reading = FORMATS[MADE[made][0]].read(source)
        messages = [message for one in reading.transcripts for path in one.paths for message in path]
    assert all(message.parts for message in messages)


@given(st.sampled_from(sorted(MADE)), st.integers(0, 10**7))
def test_of_a_cut_log_the_whole_transactions_count(made: str, cut: int) -> None:
    data, log = FILES[made]
    found = with_log(data, log[: cut % (len(log) + 1)])
    link = sqlite3.connect(":memory:")
    link.deserialize(found)
    assert link.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    counts = [link.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in MADE[made][2]]
    assert all(count <= len(rows) for count, rows in zip(counts, MADE[made][2].values(), strict=True))
    link.close()


def test_a_log_is_applied_as_sqlite_itself_does() -> None:
    for made, (data, log) in FILES.items():
        link = sqlite3.connect(":memory:")
        link.deserialize(with_log(data, log))
        for table, rows in MADE[made][2].items():
            assert sorted(map(repr, link.execute(f"SELECT * FROM {table}"))) == sorted(map(repr, rows))
        link.close()


def write(path: Path, made: str) -> None:
    data, log = FILES[made]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.with_name(path.name + "-wal").write_bytes(log)


def test_a_database_in_a_folder_is_found_with_its_log_and_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path / "opencode" / "opencode.db", "opencode")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    opened = [open_transcript(one, None) for one in candidates([str(tmp_path)])]
    (found,) = [one for one in opened if isinstance(one, Opened)]
    assert (found.format, len(found.reading.transcripts)) == ("opencode", 2)
    assert found.related == {str(tmp_path / "opencode" / "opencode.db-wal")}
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_database_is_read_while_its_program_writes_to_it(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    writer.executescript(OPENCODE)
    for table, rows in opencode_rows().items():
        for row in rows:
            writer.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute("DELETE FROM message")
    opened = open_transcript(Candidate(path, named=True), None)
    assert isinstance(opened, Opened)
    assert len(opened.reading.transcripts) == 2
    writer.execute("COMMIT")
    assert stamp_of(path)[0] > path.stat().st_size
    writer.close()


def test_other_databases_are_refused_in_words(tmp_path: Path) -> None:
    other, _ = database("create table ships(id, name)", {"ships": [(1, "tern")]})
    near, _ = database("create table session(id); create table message(id); create table part(id)", {})
    hot = Source("a.db", FILES["goose"][0], {"a.db-journal": b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(20)})
    for source, words in (
        (Source("a.db", other), "of none of the known programs .*opencode, .*Goose"),
        (
            Source("a.db", near),
            "looks like a database of opencode, but has no column .* in its table session",
        ),
        (Source("a.db", b"SQLite format 3\0" + bytes(2000)), "cannot be read"),
        (hot, "in the middle of a write"),
    ):
        assert detect(source) is None
        with pytest.raises(FormatError, match=words):
            read(source)
    with pytest.raises(FormatError, match="not an opencode database: it has no table session"):
        read(Source("a.db", other), "opencode")
    (tmp_path / "ships.db").write_bytes(other)
    (walked,) = candidates([str(tmp_path)])
    assert open_transcript(walked, None) == SkippedFile(
        str(tmp_path / "ships.db"), "a database of none of the known programs"
    )
    assert may_be_known(FILES["hermes"][0])


def test_views_and_endless_trees_of_pages_are_not_followed() -> None:
    views = (
        "create table x(id); create view session as select * from x; create view message as select * from x;"
    )
    with pytest.raises(FormatError, match="none of the known programs"):
        read(Source("a.db", database(views, {})[0]))
