"""`expand` and `describe` at the command line: ranges, pages, counts, and nothing of another owner."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import palimpsest
from tests.cli.run import Shell
from tests.engine.drawing import bulk

SECRET = "only ann knows"


@pytest.fixture
def filled(shell: Shell) -> Shell:
    """A compacted conversation of ann's, and one of the same name of another owner's."""

    async def fill(path: Path) -> None:
        for owner, words in (("ann", SECRET), ("me", "the ferry leaves at noon")):
            async with palimpsest.open(path, owner=owner, window_tokens=8_000, fresh_tail_count=2) as engine:
                talk = engine.conversation("harbour")
                for turn in range(5):
                    said = f"{words} {turn} {bulk(600, turn)}"
                    await talk.append(
                        {"role": "user", "content": said}, {"role": "assistant", "content": said}
                    )
                await talk.compact(until_under_tokens=1_000)

    shell.db.parent.mkdir(parents=True)
    asyncio.run(fill(shell.db))
    return shell


def test_a_range_is_read_in_order(filled: Shell) -> None:
    found = filled("expand", "m11-m13", "--json").json
    assert [entry["id"] for entry in found["entries"]] == ["m11", "m12", "m13"]
    assert found["cursor"] == ""


def test_what_is_found_is_printed_where_another_id_is_unknown(filled: Shell) -> None:
    told = filled("expand", "m11", "m999", "m12")
    assert (told.code, told.err.count("m999")) == (3, 1)
    assert [line.split()[0] for line in told.out.splitlines() if line.startswith("m1")] == ["m11", "m12"]
    found = filled("expand", "m11", "m999", "--json")
    assert (found.code, found.json["missing"], len(found.json["entries"])) == (3, ["m999"], 1)


def test_pages_lead_from_one_to_the_next(filled: Shell) -> None:
    whole = filled("expand", "s2", "--messages", "--json").json["entries"]
    page = filled("expand", "s2", "--messages", "--tokens", 300, "--json").json
    ids = [entry["id"] for entry in page["entries"]]
    while page["cursor"]:
        page = filled("expand", "--tokens", 300, "--cursor", page["cursor"], "--json").json
        ids += [entry["id"] for entry in page["entries"]]
    assert list(dict.fromkeys(ids)) == [entry["id"] for entry in whole]


def test_the_way_to_the_next_page_is_printed_and_works(filled: Shell) -> None:
    last_line = filled("expand", "m11-m20", "--tokens", 200).out.strip().splitlines()[-1]
    assert last_line.startswith("more: palimpsest expand --tokens 200 --cursor ")
    following = filled(*last_line.removeprefix("more: palimpsest ").split())
    assert following.code == 0
    assert following.out.strip()


@pytest.mark.parametrize(
    "words", [("expand",), ("expand", "--cursor", "m1~r~0~0~0000"), ("expand", "m1", "--tokens", "3")]
)
def test_what_cannot_be_read_is_told(filled: Shell, words: tuple[str, ...]) -> None:
    ran = filled(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "hint" in filled(*words, "--json").json["error"]


def test_describe_counts_each_level(filled: Shell) -> None:
    found = filled("describe", "s2", "--json").json
    assert found["counts_by_level"]["0"] == found["messages"]
    assert set(found["counts_by_level"]) == set(found["tokens_by_level"])
    shown = filled("describe", "s2").out
    assert "messages" in shown
    assert "m11-m" in shown


@pytest.mark.parametrize(
    "words",
    [
        ("grep", "knows", "--limit", "100"),
        ("grep", "%nly ann know%"),
        ("grep", "o1 OR o2 OR knows"),
        ("search", "what does only ann know?"),
        ("expand", "m1"),
        ("expand", "m1-m10"),
        ("expand", "s1", "--messages"),
        ("expand", "--cursor", "s1~rd~1~0~52b0"),
        ("describe", "s1"),
        ("describe", "m1"),
        ("show", "harbour"),
        ("window", "harbour"),
        ("list",),
        ("stats",),
        ("export", "harbour"),
    ],
)
def test_nothing_of_another_owner_is_ever_printed(filled: Shell, words: tuple[str, ...]) -> None:
    mine, hers = filled(*words), filled(*words, "--owner", "ann")
    assert SECRET + " 0" not in mine.out + mine.err
    assert "leaves at noon 0" not in hers.out + hers.err
