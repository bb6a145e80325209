"""Names are looked for as they were typed: what holds one so comes before what holds only a form of it."""

from __future__ import annotations

import pytest

from palimpsest.ports import Store
from tests.contract.kit import append, dialogue, hits


@pytest.mark.parametrize(
    "pattern, first",
    [
        ("getThemes", {"m1", "m3"}),
        ("_identity", {"m5"}),
        ("team_member_id", {"m6"}),
        ("getThemes OR team_member_id", {"m1", "m3", "m6"}),
        ("getThemes NOT home", {"m3"}),
        ("ids_ids", {"m8"}),
    ],
)
async def test_what_holds_a_name_as_it_was_typed_comes_before_what_holds_forms_of_it(
    store: Store, pattern: str, first: set[str]
) -> None:
    home = "on the very long way home, which goes on and on and on until nobody knows any more why"
    await append(
        store,
        dialogue(
            f"getThemesDir {home}",
            "getTheme",
            f"getThemes on {home.replace('home', 'and')}",
            "identical, identically",
            f"swc/_/_identity {home}",
            f"the team_member_id {home}",
            "api/team-members/ids",
            "api/team-members/[ids]/ids/team-members/ids",
            "getTheme() getTheme()",
            "id id",
        ),
    )
    answer = await hits(store, pattern)
    assert {hit.id for hit in answer[: len(first)]} == first
    assert len(answer) > len(first)
    assert [hit.rank for hit in answer] == sorted(hit.rank for hit in answer)


@pytest.mark.parametrize(
    "pattern, first",
    [
        ("c++", {"m2"}),
        ("C# OR Rust", {"m3", "m4"}),
        ("$PATH", {"m5"}),
        ("(--force)", {"m7"}),
        ("th-wor", {"m9"}),
    ],
)
async def test_what_holds_the_signs_of_a_name_comes_before_what_holds_its_letters(
    store: Store, pattern: str, first: set[str]
) -> None:
    rest = "and many more words that make this the longer text of all that there are here"
    await append(
        store,
        dialogue(
            "c c c", f"in C++ {rest}", f"in C# {rest}", f"in rust {rest}", f"the $PATH {rest}", "path path path",
            f"push --force {rest}", "force force", f"path/with-words {rest}", "path/with/words, with/words",
        ),
    )  # fmt: skip
    answer = await hits(store, pattern)
    assert {hit.id for hit in answer[: len(first)]} == first
    assert len(answer) > len(first)
    assert [hit.rank for hit in answer] == sorted(hit.rank for hit in answer)


async def test_a_piece_that_nobody_wrote_as_a_word_comes_before_forms_of_it(store: Store) -> None:
    await append(
        store,
        dialogue("present", "presents presented", f"the PresentEndpoint {'of them all ' * 9}", "endpoint"),
    )
    assert (await hits(store, "Presente"))[-1].id == "m1"
    await append(store, dialogue("presente, as they say"))
    assert (await hits(store, "Presente"))[-1].id == "m3"


async def test_of_a_plain_word_all_forms_are_alike(store: Store) -> None:
    await append(
        store, dialogue("one of the identities that somebody had", "identity", "identities identities")
    )
    assert (await hits(store, "identities"))[-1].id == "m1"
    assert (await hits(store, "identity"))[-1].id == "m1"
