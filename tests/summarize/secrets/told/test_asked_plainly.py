"""Answers of any word, parts of one message, and what is typed where a terminal has asked; other replies stay."""

from __future__ import annotations

import json

import pytest

from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.summarize.secrets.redact import Redactor, placeholder, protect
from palimpsest.summarize.source import MessageEntry, Source
from tests.summarize.secrets.planted import ran
from tests.summarize.secrets.told.test_asked import asked, called, shown

ANSWERS = [
    ("What is the database password?", "%s", "swordfish"),
    ("I need the password for the database. What is it?", "%s", "swordfish"),
    ("Wie lautet das Passwort der Datenbank?", "%s", "seehund"),
    ("Quel est le mot de passe de la base ?", "c'est %s", "goeland"),
    ("What is the password?", "it's %s, all lower case", "seehund"),
    ("Which user name and which password shall I use?", "mk and %s", "seehund"),
    ("Please send me the six-digit code.", "%s", "587128"),
]
REPLIES = [
    ("What is the database password?", "continue"),
    ("What is the database password?", "it's in the vault"),
    ("What is the database password?", "it's expired"),
    ("What is the password for?", "database"),
    ("Which database needs the password?", "ferries"),
    ("Where is the password stored?", "vaultwarden"),
    ("Do you have the admin password?", "certainly"),
    ("I changed the password. What is it you want next?", "deployment"),
    ("Please give me access to the secret", "granted"),
    ("Do you have the database password?", "tomorrow"),
    ("Did you send the password to Tom?", "yesterday"),
    ("I am nearly there. Could I paste the password?", "whenever"),
    ("Should I reset the password? What is it?", "production"),
    ("Tell me the password or the host?", "localhost"),
    ("Do you have the password?", "Sure: Grafana, later"),
]
ECHOES = [
    ("Ship it tomorrow; tomorrow the boats go out.", "Ship it tomorrow; tomorrow the boats go out."),
    ("So it is tomorrow then.", "So it is %s then."),
    ("Nothing of that kind.", "Nothing of that kind."),
]
PROMPTS = ["mk@pier3's password: ", "[sudo] password for ops: ", "Enter passphrase for key 'a': "]


def typed(prompt: str, arguments: dict[str, str]) -> str:
    """What is shown of a call that stands behind this prompt."""
    messages = (
        *called({"command": "ssh pier3"}, prompt),
        Message("assistant", (ToolCall("c2", "send_keys", json.dumps(arguments)),)),
    )
    entries = tuple(MessageEntry(f"m{number}", one, 9) for number, one in enumerate(messages))
    source, _ = ran(protect(Source("leaf", entries), Redactor()))
    last = source.entries[-1]
    assert isinstance(last, MessageEntry)
    return "".join(part.arguments for part in last.message.parts if isinstance(part, ToolCall))


@pytest.mark.parametrize("question, answer, secret", ANSWERS)
def test_any_word_answers_what_asks_for_the_secret_itself(question: str, answer: str, secret: str) -> None:
    assert shown(*asked(question, answer % secret))[1] == answer % placeholder(secret)


@pytest.mark.parametrize("question, answer", REPLIES)
def test_a_reply_that_tells_no_secret_stays(question: str, answer: str) -> None:
    assert shown(*asked(question, answer))[1] == answer


@pytest.mark.parametrize("text, kept", ECHOES)
def test_a_word_that_was_an_answer_is_hidden_elsewhere_only_where_it_is_said_again_once(
    text: str, kept: str
) -> None:
    known = Redactor()
    answer = Message("user", (Text("tomorrow"),))
    question, _ = asked("What is the database password?", "")
    hidden = placeholder("tomorrow")
    said = shown(question, answer, Message("assistant", (Text(text),)), known=known)
    assert said[1:] == [hidden, kept.replace("%s", hidden)]
    assert shown(Message("user", (Text("I go tomorrow"),)), known=known) == ["I go tomorrow"]


def test_a_question_may_be_answered_in_its_own_message_or_part() -> None:
    assert shown(Message("user", (Text("What's the PIN? It is 4711"),))) == [
        f"What's the PIN? It is {placeholder('4711')}"
    ]
    parts = Message("user", (Text("the password is "), Text("Gezeiten!2025xQ")))
    assert shown(parts)[1] == placeholder("Gezeiten!2025xQ")
    other = Message(
        "user", (Text("What's the PIN? Tom knows it"), Text("the password is "), Text("not known"))
    )
    assert shown(other)[0] == "What's the PIN? Tom knows it"
    assert shown(other)[2] == "not known"


@pytest.mark.parametrize("prompt", PROMPTS)
def test_what_is_typed_at_a_prompt_is_the_secret(prompt: str) -> None:
    assert json.loads(typed(prompt, {"input": "seehund\n"})) == {"input": f"{placeholder('seehund')}\n"}
    assert json.loads(typed(prompt, {"command": "ls -la"})) == {"command": "ls -la"}
    assert json.loads(typed("ready> ", {"input": "seehund\n"})) == {"input": "seehund\n"}


def test_what_a_call_typed_that_was_asked_meanwhile_is_the_secret() -> None:
    call, result = called({"command": "sudo ls", "stdin": "seehund\n"}, "[sudo] password for ops: \na.txt")
    entries = (MessageEntry("m1", call, 9), MessageEntry("m2", result, 9))
    source, _ = ran(protect(Source("leaf", entries), None))
    first = source.entries[0]
    assert isinstance(first, MessageEntry)
    assert placeholder("seehund") in str(first.message.parts)


def test_of_a_printed_line_that_has_a_form_only_the_secret_is_hidden() -> None:
    line = "db.internal:5432:ferry:boards:%s\n"
    call, result = called({"command": "cat ~/.pgpass"}, line % "Wattenmeer#8")
    assert shown(call, result)[1] == line % placeholder("Wattenmeer#8")
    assert isinstance(result.parts[0], ToolResult)
