"""What of a source's exact strings a window still holds, by kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.engine.background_pauses import give_way
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.summary_source import MessageEntry, Source
from palimpsest.summarize.retained_strings import (
    MAX_NAMED,
    Evidence,
    Index,
    Strings,
    evidence_lines,
    same_paths,
    strings_of,
    survival,
)
from tests.summarize.indexing import index_of

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
    assert evidence_lines(evidence) == (
        "paths 1/2 kept, 1 one search away",
        "identifiers 1/1 kept",
        "symbols 1/2 kept, 1 one search away",
    )
    assert [one.gone for one in evidence] == [("src/a/writer.py",), (), ("save_index",)]


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


@pytest.mark.parametrize("before", [3_980, 3_999, 4_010, 7_990, 19_985, 19_999])
async def test_a_path_at_the_border_of_what_is_read_at_once_is_one_path_or_none(before: int) -> None:
    path = "packages/harbour/src/tides/moorings.ts"
    filler = ("quiet tides " * 2_000)[: before - 1]
    found = await strings(said(f"{filler} {path} {'quiet ' * 40}"))
    assert {one for kind, one in found if kind == "paths"} == ({path} if before < 19_900 else set())


async def test_a_name_is_not_kept_where_only_a_longer_one_stands() -> None:
    found: Strings = (("symbols", "load_1"), ("paths", "src/tide.py"), ("numbers", "48.2"))
    longer = "load_12 and load_3, 1 of them; lib/src/tide.pyc, src, tide, py; 48.21, 48, 2"
    assert sum(one.kept for one in await kept(found, longer)) == 0
    assert sum(one.kept for one in await kept(found, f"{longer}; load_1, src/tide.py: 48.2")) == 3


async def test_nothing_is_told_of_nothing() -> None:
    assert await kept((), "anything") == ()
    assert evidence_lines(()) == ()


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


ONE_PATH = [
    ("/srv/pier/src/tide.ts src/tide.ts /srv/pier", 2),
    ("/srv/pier/src/tide.ts src/tide.ts and /srv/pier/src/buoy.ts src/buoy.ts", 2),
    ("./src/tide.ts src/tide.ts", 1),
    ("lib/deep/tide.py tide.py", 1),
    ("~/pier/conf/mole.toml conf/mole.toml ~/pier/conf ~/pier", 3),
    ("/srv/a/x/quay.rs /srv/a/x x/quay.rs quay.rs /srv/a", 3),
]
SEVERAL_PATHS = [
    ("/opt/vendor/src/tide.ts src/tide.ts", 2),
    ("/srv/a/src/tide.ts /srv/b/src/tide.ts src/tide.ts /srv/a /srv/b", 5),
    ("/srv/pier/mysrc/tide.ts src/tide.ts /srv/pier", 3),
    ("lib/tide.py src/tide.py tide.py", 3),
    ("apps/web/src/tide.ts src/tide.ts", 2),
    ("./pier/deck.ts pier/deck.tsx", 2),
]


@pytest.mark.parametrize("text, number", [*ONE_PATH, *SEVERAL_PATHS])
async def test_the_forms_of_one_path_count_once_and_paths_that_only_end_alike_each(
    text: str, number: int
) -> None:
    found = await strings(said(text))
    (evidence,) = await kept(found, "none of it")
    assert evidence == Evidence("paths", 0, number)


async def test_a_path_stands_where_any_of_its_forms_does() -> None:
    found = await strings(said("cd /srv/pier && cat /srv/pier/src/tide.ts src/tide.ts /srv/a/tide.ts"))
    for shown in ("/srv/pier/src/tide.ts", "src/tide.ts", "- src: tide.ts"):
        (evidence,) = await kept(found, shown)
        assert "/srv/pier/src/tide.ts" not in evidence.gone
    (evidence,) = await kept(found, "tide.ts")
    assert "/srv/pier/src/tide.ts" in evidence.gone


async def test_a_plain_word_does_not_stand_for_the_folder_that_is_called_so() -> None:
    found = await strings(said("cd /srv/harbour/north"))
    assert await kept(found, "we go north") == (Evidence("paths", 0, 1),)
    assert await kept(found, "we are in /srv/harbour/north") == (Evidence("paths", 1, 0),)


@given(st.lists(st.lists(st.sampled_from(["a", "src", "x.ts", "y.ts"]), min_size=1, max_size=4), max_size=9))
async def test_every_path_is_a_form_of_exactly_one(parts: list[list[str]]) -> None:
    paths = list(dict.fromkeys(("/" if len(one) > 3 else "") + "/".join(one) for one in parts))
    forms = await give_way(same_paths(paths))
    assert sorted(one for each in forms for one in each) == sorted(paths)
    assert all(each[0] == one or each[0].endswith(f"/{one}") for each in forms for one in each)


async def test_of_many_strings_that_left_the_first_are_named() -> None:
    found: Strings = tuple(("numbers", str(number)) for number in range(1_000, 3_000))
    (evidence,) = await kept(found, "nothing")
    assert (evidence.left, evidence.gone) == (2_000, tuple(one for _, one in found[:MAX_NAMED]))


NAMES = ["tide_1", "tide_2", "src/quay.py", "lib/quay.py", "文件-7", "4711"]
TEXTS = [*NAMES, "tide_1 and 4711", "- src: quay.py", "", "文件-7 src/quay.py"]


@given(st.lists(st.tuples(st.sampled_from(TEXTS), st.booleans()), max_size=12))
async def test_an_index_from_which_texts_are_taken_out_holds_what_one_of_the_rest_holds(
    changes: list[tuple[str, bool]],
) -> None:
    index, standing = Index(), dict[int, str]()
    wanted: Strings = tuple(("paths" if "/" in one else "symbols", one) for one in NAMES)
    for text, comes in changes:
        if comes or not standing:
            standing[await give_way(index.adding(text))] = text
        else:
            oldest = next(iter(standing))
            index.out.add(oldest)
            del standing[oldest]
        fresh = await give_way(index_of(standing.values()))
        assert await give_way(survival(wanted, index)) == await give_way(survival(wanted, fresh))


@pytest.mark.parametrize(
    "path", ["src/quay/tides/range.ts", "./src/quay/tides/range.ts", "quay/tides/range.ts"]
)
async def test_a_path_stands_in_a_tree_that_shows_it_from_the_root(path: str) -> None:
    found = await strings(said(f"I edited {path} and src/mast/range.ts"))
    tree = "## Files\n- /home/kim/src/quay: read boats/api.ts; edited hull/range.ts\n - tides: range.ts period.ts"
    (evidence,) = await kept(found, tree)
    assert (evidence.kept, evidence.gone) == (1, ("src/mast/range.ts",))


async def test_what_an_import_names_is_no_path() -> None:
    found = await strings(
        said("import { weekOf } from '../invoices/period'; from './period' and ../quay/mast.ts")
    )
    assert [one for kind, one in found if kind == "paths"] == ["../quay/mast.ts"]


@pytest.mark.parametrize("text", ["dd.mm.yyyy", "TT.MM.JJJJ", "dd.mm", "dd/mm/yyyy", "jj/mm/aaaa"])
async def test_how_a_day_is_written_is_no_file(text: str) -> None:
    assert await strings(said(f"Write all days as {text} please.")) == ()
