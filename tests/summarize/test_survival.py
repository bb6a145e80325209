"""What of a source's exact strings a window still holds, by kind."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.compacting.drive import give_way
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.survival import (
    Evidence,
    Strings,
    added,
    index_of,
    strings_of,
    survival,
    told,
)

UUID = "0b54a2f2-9c1d-4b7e-8a31-6f0f5d2c9e77"


async def strings(*messages: Message) -> Strings:
    """The exact strings of these messages."""
    entries = tuple(MessageEntry(f"m{place}", one, 10) for place, one in enumerate(messages, 1))
    return await give_way(strings_of(Source("leaf", entries)))


def said(text: str) -> Message:
    """A message of the model."""
    return Message("assistant", (Text(text),))


async def kept(found: Strings, *texts: str) -> tuple[Evidence, ...]:
    """What of these strings stands in texts."""
    return await give_way(survival(found, await give_way(index_of(texts))))


async def test_strings_are_counted_once_each_under_their_kind() -> None:
    run = Message("assistant", (ToolCall("c1", "bash", '{"command": "make  smoke -j2"}'),))
    found = await strings(said(f"src/a/reader.py and src/a/reader.py, {UUID}, load_index, 48213"), run)
    assert set(found) == {
        ("paths", "src/a/reader.py"),
        ("identifiers", UUID),
        ("symbols", "load_index"),
        ("numbers", "48213"),
        ("commands", "make smoke -j2"),
    }


async def test_a_string_is_kept_where_any_text_or_verbatim_message_holds_it() -> None:
    found = await strings(said(f"src/a/reader.py src/a/writer.py {UUID} load_index save_index"))
    evidence = await kept(found, "- src/a: reader.py", f"ids {UUID}", "I call load_index now")
    assert evidence == (
        Evidence("paths", 1, 1),
        Evidence("identifiers", 1, 0),
        Evidence("symbols", 1, 1),
    )
    assert told(evidence) == "paths 1/2, identifiers 1/1, symbols 1/2 kept, 2 one search away"


async def test_a_command_is_kept_whatever_its_spaces() -> None:
    run = Message("assistant", (ToolCall("c1", "bash", '{"command": "make  smoke\\n -j2"}'),))
    evidence = await kept(await strings(run), "it ran `make smoke -j2`")
    assert evidence == (Evidence("commands", 1, 0),)


async def test_a_string_is_kept_only_where_it_stands_as_a_whole() -> None:
    found: Strings = (("numbers", "8080"), ("paths", "src/a.py"), ("identifiers", "文件-7"))
    assert await kept(found, "port 18080; src/ba.py; 文件-") == (
        Evidence("paths", 0, 1),
        Evidence("identifiers", 0, 1),
        Evidence("numbers", 0, 1),
    )
    assert await kept(found, "端口8080，", "见a.py。", "文件-7") == (
        Evidence("paths", 1, 0),
        Evidence("identifiers", 1, 0),
        Evidence("numbers", 1, 0),
    )


@given(st.integers(0, 30_000), st.sampled_from(["48213 rows", "src/deep/reader.py", "第一步"]))
async def test_where_in_a_long_text_a_string_stands_makes_no_difference(before: int, one: str) -> None:
    text = f"{'x ' * (before // 2)}{'y' * (before % 2)} {one} {'z ' * 3_000}"
    assert await kept((("identifiers", one),), text) == (Evidence("identifiers", 1, 0),)


async def test_a_name_is_not_kept_where_only_a_longer_one_stands() -> None:
    found: Strings = (("symbols", "load_1"), ("paths", "src/tide.py"), ("numbers", "48.2"))
    longer = "load_12 and load_3, 1 of them; lib/src/tide.pyc, src, tide, py; 48.21, 48, 2"
    assert sum(one.kept for one in await kept(found, longer)) == 0
    assert sum(one.kept for one in await kept(found, f"{longer}; load_1, src/tide.py: 48.2")) == 3


def test_counts_of_two_sources_add_up_and_nothing_is_told_of_nothing() -> None:
    both = added([Evidence("paths", 1, 2)], [Evidence("paths", 3, 4), Evidence("commands", 1, 0)])
    assert both == (Evidence("paths", 4, 6), Evidence("commands", 1, 0))
    assert told(()) == ""


async def test_names_in_a_result_that_is_json_text_are_read_as_it_reads() -> None:
    page = json.dumps({"output": "see\nsrc/quay/dock.py\nimport\ttideTable"})
    found = await strings(Message("tool", (ToolResult("c1", (Text(page),)),)))
    assert set(found) == {("paths", "src/quay/dock.py"), ("symbols", "tideTable")}


async def test_a_file_name_that_several_paths_have_says_nothing_of_any_of_them() -> None:
    paths = [f"/srv/ferry/src/{pier}/route.ts" for pier in "abcde"]
    found = await strings(said(" ".join(paths)))
    assert await kept(found, "read route.ts") == (Evidence("paths", 0, 5),)
    assert await kept(found, f"read {paths[2]}") == (Evidence("paths", 1, 4),)
    tree = "## Files\n- /srv/ferry: package.json\n - src: b/route.ts; edited d/route.ts"
    assert await kept(found, tree) == (Evidence("paths", 2, 3),)


async def test_a_file_name_of_one_path_stands_for_it() -> None:
    found = await strings(said("/srv/ferry/src/a/reader.ts and /srv/ferry/src/a/writer.ts"))
    assert await kept(found, "I edited reader.ts") == (Evidence("paths", 1, 1),)
