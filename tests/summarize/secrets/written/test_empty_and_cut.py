"""A setting without a value takes none from the next line; a key that was cut off ends where its lines do; numbers of a
list are no card.
"""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.summarize.secrets.redact import placeholder, redact
from palimpsest.summarize.secrets.told.asked import Asked

KEY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQAAACDp"


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=\nDB_HOST=localhost\nDB_PORT=5432",
        "SMTP_PASS=\nMAIL_FROM=quay@post.example",
        "SMTP_PASS=\n\nDB_HOST=localhost2",
        "API_KEY=\nSECRET_KEY=\nDEBUG=true1",
        "./api/.env.example:14:SMTP_PASS=\n./web/.env.test:3:SKIP_PASSWORD_CHECK=true",
        "password:\nusername: kim77",
        "password: \n  host: db1.example",
        "JWT_SECRET=change-me-in-production",
        "DB_PASS: projects/quay/secrets/db-pass/versions/latest",
        'contents = "{{ with secret "kv/data/tide" }}{{ .Data.data.password }}{{ end }}"',
        "define('AUTH_KEY',         'put your unique phrase here');",
        "  public key: guN3ND8W2SqZ+PQmNHw8Khu+UkoR0GjHOHfiz0iM0ng=",
        "the account is AC111fcbf1c28df1cce6feb7233030a95e, twilio says",
        "- numbers: 12 4439 2537 8993 1464 77",
    ],
)
def test_what_has_no_value_or_only_says_where_it_is_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "after", ["[output truncated]", "$ ls -la\ntotal 4", "drwxr-xr-x 2 kim kim", "tail: done"]
)
def test_a_key_that_was_cut_off_ends_with_its_last_line(after: str) -> None:
    key = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}"
    assert redact(f"{key}\n{after}\n") == f"{placeholder(key)}\n{after}\n"


@pytest.mark.parametrize("head", ["Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,9A41\n\n", ""])
def test_a_whole_key_is_one_secret(head: str) -> None:
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{head}{KEY}\n-----END RSA PRIVATE KEY-----"
    assert redact(f"cat id\n{key}\nls") == f"cat id\n{placeholder(key)}\nls"


@pytest.mark.parametrize(
    "command, printed, hidden",
    [
        ("cat config/master.key && ls config", "d71c4d2010292134\napplication.rb", ["d71c4d2010292134"]),
        ("op read op://Ops/pg1/password", "herbst.sturm.vor.sylt\n", ["herbst.sturm.vor.sylt"]),
        ("bw get password nas; op read op://a/b/c", "zKq-ufer\nherbstwind\n", ["zKq-ufer", "herbstwind"]),
        ("bw get password nas", "Not found.\n", []),
        ("ls && op read op://a/b/c", "notes\nherbstwind\n", []),
    ],
)
def test_what_a_command_prints_alone_is_a_secret(command: str, printed: str, hidden: list[str]) -> None:
    asked = Asked()
    call = ToolCall("c1", "Bash", f'{{"command": "{command}"}}')
    assert list(asked.answers(Message("assistant", (call,)))) == []
    found = asked.answers(Message("tool", (ToolResult("c1", (Text(printed),)),)))
    assert sorted({text[slice(*span)] for text, span in found}) == sorted(hidden)


def test_a_code_in_two_parts_answers_a_question() -> None:
    asked = Asked()
    question = Message("assistant", (Text("They have sent a verification code to your phone. What is it?"),))
    assert list(asked.answers(question)) == []
    found = asked.answers(Message("user", (Text("804 217"),)))
    assert [text[slice(*span)] for text, span in found] == ["804 217"]
