"""Secrets in what a tool is given: no escape hides them, and what is left is JSON with all else as it was."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.secrets.redact import placeholder, protect, redact
from palimpsest.summarize.source import MessageEntry, Source
from tests.summarize.dialogues import assistant, call
from tests.summarize.secrets.planted import ran

SECRET = "H4rb0urMaster"
PAGES = [
    f'os.Setenv("DB_PASSWORD", "{SECRET}")',
    f"# env\nDB_PASSWORD={SECRET}\nPORT=80\n",
    f'variable "db_password" {{\n  default = "{SECRET}"\n}}',
    f"user,password,role\nada,{SECRET},root\n",
    f"密码：{SECRET}，请保密",
    f'<add key="DbPassword" value="{SECRET}"/>',
    json.dumps({"inner": {"password": SECRET}}),
]


def shown(arguments: str) -> str:
    """The arguments of a call as a summarizer sees them."""
    entry = MessageEntry("m1", assistant("", call("1", "Write")), 10)
    part = entry.message.calls[0]
    message = type(entry.message)("assistant", (type(part)("1", "Write", arguments),))
    source, _ = ran(protect(Source("leaf", (MessageEntry("m1", message, 10),))))
    (kept,) = source.entries
    assert isinstance(kept, MessageEntry)
    return kept.message.calls[0].arguments


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("frame", ["{}", "cat > f <<'E'\n{}\nE"])
def test_a_secret_in_what_a_call_writes_is_found_behind_its_escapes(
    page: str, ascii_only: bool, frame: str
) -> None:
    content = frame.replace("{}", page)
    arguments = json.dumps({"path": "a.conf", "content": content}, ensure_ascii=ascii_only)
    seen = json.loads(shown(arguments))
    assert seen == {"path": "a.conf", "content": content.replace(SECRET, placeholder(SECRET))}


@pytest.mark.parametrize("value", ['Zk7p"Qw3nRt', "harb\\our2xyz", "pässw0rt-9"])
def test_a_value_with_an_escape_is_judged_by_its_key(value: str) -> None:
    text = json.dumps({"user": "ada", "password": value, "note": 'the "old" quay'})
    seen = json.loads(redact(text))
    assert seen["password"].startswith("[secret:")
    assert (seen["user"], seen["note"]) == ("ada", 'the "old" quay')


def test_an_option_in_a_list_of_words_names_the_word_behind_it() -> None:
    argv = ["psql", "--password", SECRET, "-f", "tides.sql"]
    assert json.loads(redact(json.dumps(argv))) == [*argv[:2], placeholder(SECRET), *argv[3:]]


@given(
    st.recursive(
        st.text(max_size=40) | st.integers(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
        max_leaves=12,
    )
)
def test_what_a_call_is_given_stays_json(value: object) -> None:
    text = json.dumps({"content": value, "more": f'a\nDB_PASSWORD="{SECRET}"\n'})
    seen = json.loads(redact(text))
    assert SECRET not in seen["more"]
    plain = json.dumps({"content": "line\none", "path": "src/quay.py"})
    assert redact(plain) == plain


@pytest.mark.parametrize("unit", ['"\\\\"', '{"a":"\\n', '\\"', '","--p","', '["', "\\u00e4"])
def test_any_json_is_searched_in_time_that_grows_with_its_length(unit: str) -> None:
    text = f'{{"a": "{unit * (60_000 // len(unit))}"}}'
    assert isinstance(redact(text), str)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"command": "machine api.example.com login kim password hunter2"}),
        json.dumps(
            {
                "private_key": "-----BEGIN PRIVATE KEY-----\n"
                + "Kelp7dune" * 8
                + "\n-----END PRIVATE KEY-----\n"
            }
        ),
        json.dumps({"content": "db:\n  api_key: swordfish\n", "password": "Sommer2024!"}),
    ],
)
def test_what_was_taken_out_once_stays_as_it_is_and_leaves_json(text: str) -> None:
    once = redact(text)
    assert once != text
    assert json.loads(once).keys() == json.loads(text).keys()
    assert redact(once) == once


def test_many_secrets_in_json_take_about_the_time_they_take_without_it() -> None:
    lines = "".join(f"GET /x?token=abQcd{n:04}x9Z \n" for n in range(2_000))
    begun = time.process_time()
    redact(lines)
    plain_s = time.process_time() - begun
    begun = time.process_time()
    seen = json.loads(redact(json.dumps({"content": lines})))["content"]
    assert time.process_time() - begun < 8 * (plain_s + 0.05)
    assert "abQcd" not in seen
    assert seen.count("[secret:") == 2_000


@given(st.text(max_size=30), st.text('abc\n\t"\\ü😀', max_size=30), st.booleans())
def test_a_secret_in_a_string_is_replaced_alone_however_its_neighbours_are_written(
    before: str, after: str, ascii_only: bool
) -> None:
    line = f"{before}\ndb:\n  password: {SECRET}\n{after}"
    seen = json.loads(redact(json.dumps([line], ensure_ascii=ascii_only)))
    assert placeholder(SECRET) in seen[0]
    assert SECRET not in seen[0]
