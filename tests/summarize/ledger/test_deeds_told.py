"""What a ledger tells of what was done: refused changes, failed commands, lists of tasks, scripts of several lines."""

from __future__ import annotations

import json

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.ledger.codec import from_json, to_json
from palimpsest.summarize.ledger.commands import command_text
from palimpsest.summarize.ledger.render import render
from palimpsest.summarize.ledger.tree import parse_files
from palimpsest.summarize.sections import parse
from palimpsest.summarize.shellfiles import shell_files
from tests.summarize.dialogues import assistant, call, result
from tests.summarize.ledger.noting import noted


def deeds(name: str, answer: str, **arguments: object) -> dict[str, str]:
    messages = [assistant("", call("1", name, **arguments)), result("1", answer)]
    return dict(parse_files(parse(render(noted(messages), 1_000)).get("Files", ())))


REFUSED = json.dumps({"output": "mv: cannot stat 'gate.py'", "metadata": {"exit_code": 1}})


@pytest.mark.parametrize(
    "name, arguments, answer",
    [
        (
            "str_replace_editor",
            {"command": "str_replace", "path": "/w/gate.py", "old_str": "q", "new_str": "p"},
            "ERROR:\nNo replacement was performed, old_str `q` did not appear verbatim in /w/gate.py.",
        ),
        (
            "replace",
            {"file_path": "/w/gate.py", "old_string": "q", "new_string": "p"},
            "Failed to edit, 0 occurrences found for old_string in /w/gate.py",
        ),
        (
            "edit",
            {"path": "/w/gate.py", "oldText": "q", "newText": "p"},
            "Could not find the exact text in /w/gate.py. The old text must match exactly.",
        ),
        (
            "apply_patch",
            {"input": "*** Begin Patch\n*** Delete File: /w/gate.py\n*** End Patch"},
            json.dumps({"output": "gate.py is not there", "metadata": {"exit_code": 1}}),
        ),
        ("shell", {"command": ["bash", "-lc", "mv /w/gate.py /w/lock.py"]}, REFUSED),
        ("shell", {"command": ["bash", "-lc", "rm /w/gate.py"]}, REFUSED),
    ],
)
def test_what_a_refused_call_was_to_change_is_only_named(
    name: str, arguments: dict[str, object], answer: str
) -> None:
    assert deeds(name, answer, **arguments)["/w/gate.py"] == "named"


def test_of_a_command_that_does_more_some_may_have_been_done() -> None:
    told = deeds("shell", REFUSED, command=["bash", "-lc", "touch /w/gate.py && rm /w/lock.py"])
    assert told == {"/w/gate.py": "written", "/w/lock.py": "deleted"}


def commands(*ran: tuple[str, str]) -> list[str]:
    messages: list[Message] = []
    for at, (command, answer) in enumerate(ran):
        messages += [assistant("", call(str(at), "Bash", command=command)), result(str(at), answer)]
    return list(parse(render(noted(messages), 1_400))["Commands"])


def test_a_command_that_failed_is_not_hidden_by_one_that_went_well() -> None:
    found = commands(("pytest tests", "2 failed, 9 passed"), ("pytest tests -k low -x", "1 passed"))
    assert sorted(found) == ["`pytest tests -k low -x` -> 1 passed", "`pytest tests` -> 2 failed, 9 passed"]
    assert len(commands(("make tides", "done"), ("cd /w && make tides; rm low.py", "done"))) == 1


def test_a_list_in_prose_does_not_replace_that_of_a_tool() -> None:
    todos = [{"content": "mend the gate", "status": "pending"}]
    talk = [
        assistant("", call("1", "TodoWrite", todos=todos)),
        result("1", "ok"),
        assistant("The README has a list:\n- [ ] buy a rope\n- [x] mend the gate"),
    ]
    assert noted(talk).tasks == ("[ ] mend the gate",)
    assert from_json(to_json(noted(talk))) == noted(talk)


def test_what_a_list_in_prose_ticks_off_is_done() -> None:
    plan = assistant("Plan:\n- [ ] mend the gate\n- [ ] oil the lock")
    assert noted([plan, assistant("So far:\n- [x] mend the gate")]).tasks == ("[ ] oil the lock",)
    assert noted([plan, assistant("Done:\n- [x] mend the gate\n- [x] Oil the lock.")]).tasks == ()


@pytest.mark.parametrize(
    "script, line",
    [
        ("npm run build\nnpm run e2e", "npm run build; npm run e2e"),
        ("for x in a b; do\n  echo $x\ndone\nls -la", "for x in a b; do echo $x; done; ls -la"),
        ("make \\\n  all &&\n  make low\n# and then\nls -la", "make all && make low; ls -la"),
        ("python3 -c 'import tide\nprint(tide)'\nls -la", "python3 -c 'import tide print(tide)'; ls -la"),
        ("if true; then\n  ls -la\nfi", "if true; then ls -la; fi"),
        ("a |\n b\n", "a | b"),
    ],
)
def test_the_lines_of_a_script_are_commands_of_their_own(script: str, line: str) -> None:
    assert command_text(script) == line


@pytest.mark.parametrize("command", ["rm -rf /w/old", "git mv /w/old /w/new", "Remove-Item -Recurse /w/old"])
def test_what_is_below_a_folder_that_is_gone_is_gone(command: str) -> None:
    edited = assistant("", call("1", "Edit", file_path="/w/old/gate.py", old_string="a", new_string="b"))
    talk = [edited, result("1", "ok"), assistant("", call("2", "Bash", command=command))]
    assert noted([*talk, result("2", "")]).of("file")["/w/old/gate.py"].label == "deleted"
    refused = noted([*talk, result("2", "no such folder\nexit code 1", error=True)])
    assert refused.of("file")["/w/old/gate.py"].label == "edited"


@pytest.mark.parametrize(
    "command, told",
    [
        ("Move-Item C:\\w\\a.cs C:\\w\\b.cs", {"C:\\w\\a.cs": "deleted", "C:\\w\\b.cs": "written"}),
        ("Set-Content -Path notes.txt -Value low", {"notes.txt": "written"}),
        ("Get-Content a.txt | Out-File b.txt", {"b.txt": "written"}),
        ("Remove-Item -Force C:\\w\\a.cs", {"C:\\w\\a.cs": "deleted"}),
    ],
)
def test_powershell_changes_files_as_other_shells_do(command: str, told: dict[str, str]) -> None:
    assert told.items() <= dict(shell_files(command)).items()


def test_a_key_that_is_called_as_a_kind_of_name_is_not_taken_for_one() -> None:
    talk = [assistant("", call("1", "book", code="XK7P", version="deluxe", hotel="Pier")), result("1", "ok")]
    lines = list(parse(render(noted(talk), 1_000))["Identifiers"])
    assert {"Code: XK7P", "Version: deluxe", "hotel: Pier"} <= set(lines)
