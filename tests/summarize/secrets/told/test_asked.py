"""Secrets that stand alone because they were asked for, and answers that are none."""

from __future__ import annotations

import json

import pytest

from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.summarize.secrets.redact import Redactor, protect
from palimpsest.summarize.source import MessageEntry, Source
from tests.summarize.secrets.planted import ran

SECRET = "Kd83xx99kkDune"
QUESTIONS = (
    "I can reach the host. What is the database password?",
    "Please paste the API key",
    "Wie lautet das Passwort?",
    "数据库密码是什么？",
    "Password:",
    "Can you tell me the passphrase for the key?",
)
COMMANDS = (
    "cat /run/secrets/db_password",
    "echo $DB_PASSWORD",
    'echo "${API_TOKEN}"',
    "printenv STRIPE_API_KEY",
    "vault kv get -field=password secret/db",
    "gh auth token",
    "gcloud auth print-access-token",
    "kubectl get secret db -o jsonpath='{.data.pass}' | base64 -d",
    "openssl rand -base64 24",
    "pwgen 16 3",
    "op read op://pier/db/password",
    "aws ecr get-login-password --region eu-central-1",
)
NO_ANSWERS = (
    ("What should the password policy be?", "strict"),
    ("What is the token limit?", "4096"),
    ("Which token count do you see?", "128k"),
    ("What is the password for?", "database"),
    ("Please enter the password field name", "user_password2"),
    ("What is the secret name?", "db-creds-v2"),
    ("Where is the API key stored? Please tell me the password path", "/etc/app2/key"),
    ("What is the API key?", "https://vault.example/ui2"),
    ("Shall I go on?", SECRET),
    ("What is the database password?", "I do not know it, ask 2 people"),
)
NO_OUTPUT = (
    ("cat src/token_utils.py", "import os\nTOKEN2 = 1"),
    ("echo $TOKEN_COUNT", "4096"),
    ("cat /run/secrets/", "cat: /run/secrets/: Is a directory"),
    ("openssl version", SECRET),
    ("kubectl get pods", SECRET),
    ("echo $SECRET_FILE", "/etc/app2/key"),
)


def shown(*messages: Message, known: Redactor | None = None) -> list[str]:
    entries = tuple(MessageEntry(f"m{number}", one, 9) for number, one in enumerate(messages))
    source, _ = ran(protect(Source("leaf", entries), known))
    parts = (
        part for entry in source.entries if isinstance(entry, MessageEntry) for part in entry.message.parts
    )
    return [part.text if isinstance(part, Text | ToolResult) else "" for part in parts]


def asked(question: str, answer: str) -> tuple[Message, Message]:
    return Message("assistant", (Text(question),)), Message("user", (Text(answer),))


def called(arguments: dict[str, str], result: str) -> tuple[Message, Message]:
    call = Message("assistant", (ToolCall("c1", "bash", json.dumps(arguments)),))
    return call, Message("tool", (ToolResult("c1", (Text(result),)),))


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("answer", [SECRET, f"`{SECRET}`.", "  Kelp!Dune"])
def test_an_answer_that_is_nothing_but_the_secret_is_hidden(question: str, answer: str) -> None:
    secret = answer.strip(" `.")
    said = shown(*asked(question, answer))[1]
    assert (secret in said, "[secret:" in said) == (False, True)


@pytest.mark.parametrize("question", ["Please enter the 6-digit verification code", "What's your PIN?"])
def test_an_answer_may_be_of_digits(question: str) -> None:
    assert "482913" not in shown(*asked(question, "482913"))[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_prints_that_prints_secrets_is_hidden(command: str) -> None:
    result = shown(*called({"command": command}, f"{SECRET}\n"))[1]
    assert (SECRET in result, "[secret:" in result) == (False, True)
    inner = shown(*called({"command": command}, json.dumps({"output": f"{SECRET}\n", "exit_code": 0})))[1]
    assert SECRET not in inner


def test_a_tool_that_asks_the_user_is_a_question() -> None:
    assert SECRET not in shown(*called({"question": "Enter the API key for the pier"}, SECRET))[1]


def test_a_secret_that_was_an_answer_is_known_from_then_on() -> None:
    known = Redactor()
    question, answer = asked(QUESTIONS[0], SECRET)
    shown(question, known=known)
    assert SECRET not in shown(answer, known=known)[0]
    later = shown(Message("user", (Text(f"I typed {SECRET} into the form"),)), known=known)
    assert SECRET not in later[0]
    assert known.places


@pytest.mark.parametrize("question, answer", NO_ANSWERS)
def test_other_answers_stay(question: str, answer: str) -> None:
    assert shown(*asked(question, answer)) == [question, answer]


@pytest.mark.parametrize("command, result", NO_OUTPUT)
def test_other_output_stays(command: str, result: str) -> None:
    assert shown(*called({"command": command}, result))[1] == result


@pytest.mark.parametrize(
    "written",
    ["Kelp%2138%2FDune", "https://ann:Kelp%2138%2FDune@pier", "S2VscCEzOC9EdW5l", "pw S2VscCEzOC9EdW5l"],
)
def test_a_known_secret_is_known_as_others_write_it(written: str) -> None:
    redactor = Redactor()
    ran(redactor.learn("password: Kelp!38/Dune"))
    secret = next(one for one in ("Kelp%2138%2FDune", "S2VscCEzOC9EdW5l") if one in written)
    assert secret not in redactor.redact(written)


@pytest.mark.parametrize("number, hidden", [("19840612", True), ("123456", False), ("111111", False)])
def test_a_number_that_was_a_password_is_known_where_it_cannot_be_mistaken(number: str, hidden: bool) -> None:
    redactor = Redactor()
    ran(redactor.learn(f"password: {number}"))
    assert (number not in redactor.redact(f"then {number} again")) is hidden
