"""Commands in the words of a message, and what a shell shows in the next: together a call and its result."""

from __future__ import annotations

from itertools import product

import pytest

from palimpsest.ledger.codec import from_json, to_json
from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.update import update
from palimpsest.record.message import Media, Message, Text, ToolCall
from palimpsest.record.summary_source import MessageEntry
from palimpsest.toolcalls.calls_in_text import command_in, shell_output, with_calls
from tests.ledger.noting import entry_of, noted
from tests.summarize.dialogues import assistant, call, user

TAGGED = "<returncode>{code}</returncode>\n<output>\n{out}\n</output>"
PROMPT = "{out}\n(Open file: n/a)\n(Current directory: /srv/quay)\nbash-$"
BARE = "{out}\n(Current directory: /srv/quay)\nbash-$"
FRAMES = (TAGGED, PROMPT, BARE)
SAID = ("I look.\n\n", "THOUGHT: prüfen wir es.\n\n", "DISCUSSION\n我先看一下。\n", "")
LANGUAGES = ("", "bash", "mswea_bash_command", "sh")
OUTPUT = "make: *** [check-tides] Error 2"
ORDER = "Never push to main."


def acting(command: str, language: str = "", said: str = "I look.\n\n") -> Message:
    return assistant(f"{said}```{language}\n{command}\n```")


def showing(frame: str, out: str, code: int = 0) -> Message:
    return user(frame.format(out=out, code=code).lstrip())


@pytest.mark.parametrize("said, language, frame", list(product(SAID, LANGUAGES, FRAMES)))
def test_a_command_in_words_has_the_outcome_that_the_next_message_shows(
    said: str, language: str, frame: str
) -> None:
    ledger = noted(
        [
            user("Mend the planner."),
            acting("make check-tides", language, said),
            showing(frame, OUTPUT, 2),
            acting("sed -i 's/a/b/' src/beta.py", language, said),
            showing(frame, ""),
            acting("cat > src/gamma.py <<'EOF'\nx\nEOF", language, said),
            showing(frame, ""),
        ]
    )
    command = entry_of(ledger, "make check-tides")
    assert (command.kind, command.failed, command.seqs) == ("command", True, [2, 3])
    marked = {path.rpartition("/")[2]: entry.label for path, entry in ledger.of("file").items()}
    assert (marked["beta.py"], marked["gamma.py"], "mswea_bash_command" in ledger.of("name")) == (
        "edited",
        "written",
        False,
    )
    assert [entry.text for entry in ledger.of("request").values()] == ["Mend the planner."]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("printed", [ORDER, "Fass niemals legacy/ an.", "永远不要直接推送到 main 分支。"])
def test_what_a_shell_shows_is_no_wish_of_the_users(frame: str, printed: str) -> None:
    ledger = noted([user("Mend the planner."), acting("cat README"), showing(frame, printed)])
    assert ORDER not in " ".join(entry.text for entry in ledger.of("request").values())
    assert len(ledger.of("request")) == 1


@pytest.mark.parametrize(
    "asked",
    [
        "Run this:\n\n```bash\nmake check-tides\n```",
        "```bash\nmake check-tides\n```\nThen tell me what it says.",
        "Use this:\n```python\nprint(1)\n```",
        "No fence at all.",
    ],
)
@pytest.mark.parametrize(
    "told",
    [
        ORDER,
        f"I ran it and got <returncode>2</returncode>. {ORDER}",
        f"It prints:\n```\n$ make check-tides\nbash-$\n```\n{ORDER}",
        f"make: *** Error 2\nbash-$ \n{ORDER}",
        f"(Current directory: /srv) is wrong. {ORDER}",
        f"{ORDER} (Open file: n/a)",
    ],
)
def test_who_was_given_a_command_speaks_for_himself(asked: str, told: str) -> None:
    ledger = noted([assistant(asked), user(told)])
    assert "make check-tides" not in ledger.of("command")
    assert ORDER in " ".join(entry.text for entry in ledger.of("request").values())


def test_what_stands_behind_the_last_tag_is_said_by_the_user() -> None:
    shown = f"{TAGGED.format(code=1, out='x')}\n\n{ORDER}"
    ledger = noted([user("Mend the planner."), acting("cat README"), user(shown)])
    assert entry_of(ledger, "cat README").label == "exit 1"
    assert ORDER in " ".join(entry.text for entry in ledger.of("request").values())


def test_a_command_waits_for_the_very_next_message_also_in_a_ledger_that_was_kept() -> None:
    asked = [user("Mend the planner."), acting("make check-tides")]
    kept = from_json(to_json(noted(asked)))
    assert kept.typed == "make check-tides"
    assert entry_of(update(kept, showing(TAGGED, OUTPUT, 2), 3), "make check-tides").label == "exit 2"
    late = noted([*asked, user("Stop."), showing(TAGGED, OUTPUT, 2)])
    assert "make check-tides" not in late.of("command")
    skipped = update(noted(asked), showing(TAGGED, OUTPUT, 2), 9)
    assert "make check-tides" not in skipped.of("command")


@pytest.mark.parametrize(
    "text, command",
    [
        ("```\nmake a\n```\nor\n```\nmake b\n```", "make b"),
        ("```bash\ncat > a.md <<'E'\n```py\nx\n```\nE\n```", "cat > a.md <<'E'\n```py\nx\n```\nE"),
        ("```bash\nmake a", ""),
        ("make a\n```", ""),
        (f"```\n{'x' * 30_000}\n```", ""),
    ],
)
def test_of_several_fences_the_last_is_the_command(text: str, command: str) -> None:
    assert command_in(assistant(text)) == command


def test_who_calls_tools_has_no_command_in_words() -> None:
    assert command_in(assistant("```\nmake a\n```", call("1", "Read", file_path="a.py"))) == ""
    assert command_in(user("```\nmake a\n```")) == ""


@pytest.mark.parametrize(
    "text, output",
    [
        ("OBSERVATION:\n344 rows", "344 rows"),
        (
            "Your command ran successfully and did not produce any output.",
            "Your command ran successfully and did not produce any output.",
        ),
        ("344 rows\n(Current directory: /srv)\nbash-$", "344 rows"),
        ("(Open file: n/a)\n(Current directory: /srv)\nbash-$ ", ""),
    ],
)
def test_a_shell_is_known_by_its_frame(text: str, output: str) -> None:
    shown = shell_output(user(text))
    assert shown is not None
    assert (shown.output, shown.said) == (output, "")


def test_a_source_has_calls_and_results_in_the_place_of_words() -> None:
    image = Message("user", (Text(TAGGED.format(code=0, out="x")), Media("image/png", "a.png")))
    messages = [
        showing(BARE, "344 rows"),
        acting("make check-tides"),
        showing(TAGGED, OUTPUT, 2),
        acting("cat a.md"),
        image,
        assistant("Done.\n```\nmake all\n```"),
        user(ORDER),
    ]
    made = with_calls([MessageEntry(f"m{at}", one, 1) for at, one in enumerate(messages)])
    roles = [(entry.id, entry.message.role) for entry in made if isinstance(entry, MessageEntry)]
    assert roles == [
        *(("m0", "tool"), ("m1", "assistant"), ("m2", "tool"), ("m3", "assistant")),
        *(("m4", "user"), ("m5", "assistant"), ("m6", "user")),
    ]
    found = [entry.message for entry in made if isinstance(entry, MessageEntry)]
    assert found[1].parts == (
        Text("I look."),
        ToolCall("in the text of 1", "bash", '{"command": "make check-tides"}'),
    )
    assert [one.results[0].call_id for one in (found[0], found[2], found[4])] == [
        f"in the text of {place}" for place in (-1, 1, 3)
    ]
    assert (found[4].parts[1:], found[5:]) == ((Media("image/png", "a.png"),), messages[5:])


def test_a_source_without_a_pair_stays_as_it_is() -> None:
    entries = [MessageEntry("m1", showing(TAGGED, "x"), 1), MessageEntry("m2", user(ORDER), 1)]
    assert with_calls(entries) == tuple(entries)
    assert Ledger().typed == ""
