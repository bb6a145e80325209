"""Secrets behind the beginnings of lines that tools put there, and with what nobody sees in them."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.secrets.prefixed import unprefixed, without
from palimpsest.summarize.secrets.redact import redact
from palimpsest.summarize.visible import hidden_in, visible
from tests.summarize.pace import is_in_proportion

SHOWN = {
    "read": lambda number, line: f"{number:6}→{line}",
    "cat -n": lambda number, line: f"{number:6}\t{line}",
    "grep -n": lambda number, line: f"k8s/db.yml:{number}:{line}",
    "grep": lambda number, line: f"k8s/db.yml:{line}",
    "diff": lambda number, line: f"+{line}",
    "quote": lambda number, line: f"> {line}",
    "comment": lambda number, line: f"# {line}",
    "log": lambda number, line: f"2026-01-05T07:40:0{number}Z app | {line}",
    "compose": lambda number, line: f"app-1  | {line}",
}
FILES = {
    "kind: Secret\ndata:\n  dsn: %s\n": "cG9zdGdyZXM6Ly9hcHA6aGhIYW1jd1dtSUVp",
    'env:\n- name: DB_PASSWORD\n  value: "%s"\n': "pCdLX9bvtkh5XX",
    "password: >-\n  %s\n": "MLH7MOKUlRU9",
    '{\n "password":\n  "%s"\n}': "BcMmMgIeQAZ9zW",
    "%s\n-----END RSA PRIVATE KEY-----": "ML03TyhWo5ihUIYDKsB0l5wUIZBHR16K7EJrhtyLOxcNBiKb5ypO7x6o7d6WFva5",
}
ORDINARY = "import os\n\n\ndef berth(number: int) -> str:\n    return os.environ.get('BERTH', str(number))\n"
TOKEN = "ghp_" + "K7berthMTYLunG3t4i0xFxyMnTyNBiEAEHn4gT"


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("frame", FILES)
def test_a_secret_is_found_behind_what_begins_its_line(frame: str, shown: str) -> None:
    lines = (frame % FILES[frame]).split("\n")
    text = "\n".join(SHOWN[shown](number, line) for number, line in enumerate(lines, 1))
    kept = redact(text)
    assert FILES[frame] not in kept
    assert re.sub(r"\[secret:\w+\]", FILES[frame], kept) == text


@pytest.mark.parametrize("shown", SHOWN)
def test_code_behind_numbers_and_names_stays(shown: str) -> None:
    text = "\n".join(SHOWN[shown](number, line) for number, line in enumerate(ORDINARY.split("\n"), 1))
    assert redact(text) == text


def test_one_line_behind_its_number_is_searched_as_it_stands_in_its_file() -> None:
    text = "     1→" + json.dumps({"password": 'kelp"dune38'})
    assert "dune38" not in redact(text)


@given(
    st.sampled_from(['" + "', '" . "', '"\n    "', '" \\\n"']),
    st.lists(st.integers(1, 11), unique=True, max_size=4),
    st.sampled_from(
        ["api_key = %s", "api_key = (\n    %s\n)", '{"db": 1, "password": %s}', "x = 1\nclientSecret: %s,"]
    ),
)
def test_a_literal_in_pieces_is_one(joint: str, cuts: list[int], frame: str) -> None:
    secret, sign = "q7fLk2Vw9Rn4", joint[0]
    ends = [0, *sorted(cuts), len(secret)]
    pieces = [secret[start:end] for start, end in pairwise(ends)]
    literal = f"{sign}{joint.join(pieces)}{sign}"
    shown = redact(frame % literal)
    assert re.sub(r"\[secret:\w+\]", "...", shown) == frame % f"{sign}...{sign}"


@pytest.mark.parametrize("depth", range(6))
def test_json_in_json_in_a_text_is_read_as_deep_as_it_is(depth: int) -> None:
    inner = json.dumps({"apiSecret": "D7Cc#SVIzB", "zone": "north"})
    for _ in range(depth):
        inner = json.dumps({"body": inner})
    shown = redact(f"I found this:\n{inner}")
    assert ("D7Cc" in shown, "north" in shown) == (False, True)


@pytest.mark.parametrize(
    "unit", ['"ab" + ', '"a"\n', "x = (\n'k'\n)\n", '\\\\\\"token\\\\\\": 1', "'" + " " * 399]
)
def test_pieces_without_number_cost_their_length(unit: str) -> None:
    assert is_in_proportion(lambda chars: redact(unit * (chars // len(unit))), 10_000, 100_000)


def test_a_literal_in_pieces_is_one_in_what_a_tool_is_given() -> None:
    text = json.dumps({"content": 'api_key = (\n    "q7fLk2Vw"\n    "9Rn4"\n)\nport = 1'})
    shown = redact(text)
    assert ("q7fLk2Vw" in shown, "9Rn4" in shown, "port = 1" in json.loads(shown)["content"]) == (
        False,
        False,
        True,
    )


def test_an_armoured_key_is_found_in_a_text_that_also_shows_a_change() -> None:
    change = "@@ -1,3 +1,3 @@\n host=db1\n-port=1\n+port=2\n"
    body = "q7fLk2Vw9Rn4" * 5
    shown = redact(
        f"{change}key:\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\ndone"
    )
    assert re.sub(r"\[secret:\w+\]", "...", shown) == f"{change}key:\n...\ndone"


def test_a_list_of_strings_and_a_sum_stay() -> None:
    text = 'names = (\n    "token_v2"\n    "password"\n)\nkey = "a" + "b"\npassword = "a" + name\n'
    assert redact(text) == text


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), max_size=6), st.text("ab", min_size=90))
def test_every_place_without_some_stretches_is_a_place_in_the_whole(
    gaps: list[tuple[int, int]], text: str
) -> None:
    at, left_out = 0, list[tuple[int, int]]()
    for gap, size in gaps:
        left_out.append((at + gap, at + gap + size))
        at += gap + size
    short = without(text, left_out)
    kept = [place for place in range(len(text)) if not any(a <= place < b for a, b in left_out)]
    assert short.text == "".join(text[place] for place in kept)
    assert [short.place(place, place + 1) for place in range(len(short.text))] == [(p, p + 1) for p in kept]


@pytest.mark.parametrize("shown", SHOWN)
def test_the_lines_are_those_of_the_file(shown: str) -> None:
    lines = ("alpha: 1", "", "beta:", "  gamma: 2")
    found = unprefixed("\n".join(SHOWN[shown](number, line) for number, line in enumerate(lines, 1)))
    assert found is not None
    assert found.text.split("\n") == list(lines)


@pytest.mark.parametrize(
    "text", ["", "one", "one\ntwo\nthree", "- a\n- b\n- c", "12 boats\n3 piers\nnothing"]
)
def test_text_of_its_own_has_no_such_beginnings(text: str) -> None:
    assert unprefixed(text) is None


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\u00ad", "\x1b[0m\x1b[31m", "\x1b[1m"])
def test_a_token_with_something_unseen_in_it_is_hidden_in_what_a_tool_is_given(hidden: str) -> None:
    text = json.dumps({"command": f"use {TOKEN[:20]}{hidden}{TOKEN[20:]} now"})
    shown = redact(text)
    assert (TOKEN[:20] in shown, TOKEN[20:] in shown) == (False, False)
    assert json.loads(shown)["command"].startswith("use [secret:")


@given(st.lists(st.sampled_from(["a", "é", "\u200b", "\u200d", "\x1b[1m", "\x1b[", "👩", "\u00ad"])))
def test_what_is_said_to_be_unseen_is_what_goes(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert without(text, hidden_in(text)).text == visible(text)
