"""`palimpsest search` and `grep` on the shipped session."""

from __future__ import annotations

import pytest

from tests.cli.run import Shell
from tests.cli.surroundings import narrow_terminal


def test_a_question_is_answered_by_passages_with_ids_that_expand_takes(sample: Shell) -> None:
    found = sample.json("search", "why was CI red on the push?", "last", "--limit", 3)
    assert found["schema"] == "palimpsest.search/1"
    passages = {one["id"]: one for one in found["passages"][:2]}
    assert {"id", "kind", "conversation", "score", "text", "tokens", "current"} <= passages["m208"].keys()
    assert "CI is red on that push" in passages["m208"]["text"]
    assert sample.json("expand", "m208")["entries"][0]["id"] == "m208"


def test_passages_keep_to_their_budget(sample: Shell) -> None:
    passages = sample.json("search", "why was CI red on the push?", "--budget", 150)["passages"]
    assert 0 < sum(one["tokens"] for one in passages) <= 150


def test_a_person_reads_who_said_it_and_how_to_read_on(sample: Shell) -> None:
    out = sample("search", "why was CI red on the push?", "--limit", 2).out
    assert "m208  user" in out
    assert f"palimpsest expand {out.split()[0]}" in out


def test_where_nothing_is_found_that_is_said(sample: Shell) -> None:
    ran = sample("search", "zyzzyva quokka?")
    assert (ran.code, ran.out.strip()) == (0, "nothing found: no message or summary has any of the words")


def test_where_nobody_said_it_then_it_is_not_said_that_nobody_ever_did(sample: Shell) -> None:
    ran = sample("search", "why was CI red?", "--before", "2020")
    assert ran.out.startswith("nothing found: none of the words in this role and time")


@pytest.mark.parametrize("command", ["search", "grep"])
def test_where_nothing_is_stored_yet_that_is_said(shell: Shell, command: str) -> None:
    ran = shell(command, "ferry")
    assert ran.code == {"search": 0, "grep": 1}[command]
    assert "yet; begin with: palimpsest import PATH" in ran.out


def test_a_question_without_a_word_is_a_usage_error(sample: Shell) -> None:
    ran = sample("search", "?!")
    assert ran.code == 2
    assert "no word" in ran.err


@pytest.mark.parametrize("command", ["search", "grep"])
def test_where_another_owner_has_it_all_it_is_said_who_has_nothing(sample: Shell, command: str) -> None:
    ran = sample(command, "ferry", "--owner", "the harbour")
    assert ran.out.strip().endswith(
        "for the harbour yet; begin with: palimpsest import PATH --owner 'the harbour'"
    )


def test_at_a_narrow_terminal_a_hit_takes_several_lines(sample: Shell) -> None:
    with narrow_terminal(50):
        lines = sample("grep", "NOT zyzzyva", "--scope", "summary", "--limit", 1).out.splitlines()
    assert "summary of" in lines[0]
    assert max(map(len, lines[:4])) <= 50
