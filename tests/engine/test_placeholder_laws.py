"""Every placeholder that a conversation shows leads its owner back to the message with the exact text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

import palimpsest
from palimpsest.engine.conversation import Conversation
from palimpsest.engine.reading.expand import resolve_placeholders
from palimpsest.record.completion import CompletionRequest
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.record.window_items import StubItem, SummaryItem
from palimpsest.redaction.detector import PLACEHOLDER

BODY = "\n".join("MIIEpAIBAAKCAQEA" + f"{place * 7919**9:x}".rjust(48, "q")[:48] for place in range(2, 8))
PEM = f"-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----"
ACCOUNT = {"type": "service_account", "project_id": "quay-77", "private_key": f"{PEM}\n"}
SAID: Mapping[str, tuple[str, str]] = {
    "token": ("GITHUB_TOKEN=ghp_aZ4kQ9xT2mB7wE1raZ4kQ9xT2mB7wE1raZ4k", "ghp_aZ4kQ9xT2mB7"),
    "key": (PEM, "MIIEpAIBAAKCAQEA"),
    "indented key": ("key: |\n" + "\n".join(f"  {line}" for line in PEM.splitlines()), "MIIEpAIBAAKCAQEA"),
    "service account": (json.dumps(ACCOUNT, indent=2), "MIIEpAIBAAKCAQEA"),
    "letters": ("DB_PASSWORD=Möwe#Übel77", "#"),
    "words": ("sshpass -p 'moin Moin 17' ssh deploy@10.4.0.17", "moin Moin 17"),
    "address": ("DB=postgresql://pier:v9Kd%21quay77@db-2.harbour.example:5433/pier", "v9Kd%21quay77"),
    "header": ("curl -H 'Authorization: Basic a2ltOkViYmUmRmx1dDQ3' https://pier", "a2ltOkViYmUmRmx1dDQ3"),
}
Messages = list[Message]


def said(role: str, text: str) -> Message:
    return Message("user" if role == "user" else "assistant", (Text(text),))


def called(answer: str, tool: str, **arguments: object) -> Messages:
    written = json.dumps(arguments, ensure_ascii=False)
    return [
        Message("assistant", (ToolCall("k", tool, written),)),
        Message("tool", (ToolResult("k", (Text(answer),)),)),
    ]


PLACES: Mapping[str, Callable[[str], Messages]] = {
    "words": lambda text: [said("user", text), said("assistant", "Noted.")],
    "result": lambda text: called(text, "Bash", command="cat notes.txt"),
    "json result": lambda text: called(json.dumps({"output": text}), "Bash", command="cat notes.txt"),
    "argument": lambda text: called("ok", "Write", file_path="/srv/gate.txt", content=f"{text}\n"),
    "heredoc": lambda text: called("ok", "Bash", command=f"cat > gate.txt <<'EOF'\n{text}\nEOF"),
    "json in an argument": lambda text: called("ok", "post", body=json.dumps({"note": text})),
    "words of a list": lambda text: called("ok", "shell", command=["bash", "-lc", text]),
    "stub": lambda text: called("a line of output\n" * 300, "Bash", command=text),
}
FILLING = "berth tide gauge crane manifest pilot " * 30


async def placeholders(talk: Conversation, seen: str) -> list[str]:
    """All that stand in what was shown of a conversation, its own request aside, which holds it as it is."""
    view = await talk.window()
    shown = [item.summary.text for item in view.window.items if isinstance(item, SummaryItem)]
    shown += [item.note for item in view.window.items if isinstance(item, StubItem)]
    records = await talk.compactions()
    return [*dict.fromkeys(PLACEHOLDER.findall("\n".join((seen, *shown, *map(str, records)))))]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", SAID)
async def test_every_placeholder_leads_its_owner_to_the_exact_text_and_nobody_else(
    kind: str, place: str
) -> None:
    text, part = SAID[kind]
    seen: list[str] = []

    def model(request: CompletionRequest) -> str:
        seen.append("\n".join(str(message.parts) for message in request.messages))
        return "## Goal\n- Mend the parser."

    async with palimpsest.open(":memory:", preset="openclaw", window_tokens=16_000, complete=model) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", "Mend the parser."), said("assistant", "Yes."), *PLACES[place](text))
        for step in range(30):
            await talk.append(said("user", f"Note {step}: {FILLING}"), said("assistant", f"Noted {step}."))
        await talk.compact()
        ledger = await engine.store.ledger(engine.owner, "a", 1) or ""
        found = [
            one for one in await placeholders(talk, "\n".join([*seen, ledger])) if one != "[secret:1a2b3c]"
        ]
        assert found
        for one in found:
            (entry,) = await talk.expand([one])
            assert part in f"{entry.text}{entry.parts}"
            assert await resolve_placeholders(engine.store, "somebody else", None, [one]) == (one,)


@pytest.mark.parametrize("kind", ["token", "words", "address", "header"])
async def test_the_placeholder_of_a_title_leads_back_before_anything_is_summarized(kind: str) -> None:
    text, part = SAID[kind]
    async with palimpsest.open(":memory:", window_tokens=16_000) as engine:
        talk = engine.conversation("a")
        await talk.append(said("user", text), said("assistant", "Yes."))
        (row,) = await engine.conversations()
        (one,) = PLACEHOLDER.findall(row.title)
        for found in (await talk.expand([one]), await engine.expand([one])):
            assert [part in f"{entry.text}{entry.parts}" for entry in found] == [True]
