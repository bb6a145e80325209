"""Where commands run: one line for a command, what failed in another folder beside it, and paths from where it is."""

from __future__ import annotations

import json

import pytest

from palimpsest.ledger.codec import from_json, to_json
from palimpsest.ledger.commands import MAX_ELSEWHERE
from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.render import render
from palimpsest.ledger.scoring import ranked
from palimpsest.ledger.sections import parse
from palimpsest.ledger.update import update
from tests.summarize.dialogues import assistant, call, result

FAILED, PASSED = ("1 failed, 2 passed", 1), ("3 passed", 0)
Run = tuple[str, tuple[str, int]]


def _run(ledger: Ledger, *runs: Run, together: bool = False) -> Ledger:
    """The same command in several folders, each answered before the next, or all called at once."""
    calls = [
        call(f"{ledger.seq}-{at}", "shell", command=["bash", "-lc", "pnpm test"], workdir=folder)
        for at, (folder, _) in enumerate(runs)
    ]
    answers = [
        result(one.id, json.dumps({"output": text, "metadata": {"exit_code": code}}))
        for one, (_, (text, code)) in zip(calls, runs, strict=True)
    ]
    alternating = [
        part for one, answer in zip(calls, answers, strict=True) for part in (assistant("", one), answer)
    ]
    for message in (assistant("", *calls), *answers) if together else alternating:
        update(ledger, message, ledger.seq + 1)
    return ledger


def _told(ledger: Ledger, budget_tokens: int = 500) -> list[str]:
    return parse(render(ledger, budget_tokens))["Commands"]


API, WEB = "/w/packages/api", "/w/packages/web"
BOTH = f"`pnpm test` -> 3 passed in {WEB}; 1 failed, 2 passed in {API}"


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("budget_tokens", [200, 1_500])
def test_what_failed_in_one_folder_is_told_though_it_passes_in_another(
    together: bool, budget_tokens: int
) -> None:
    ledger = _run(Ledger(), (API, FAILED), (WEB, PASSED), together=together)
    assert _told(ledger, budget_tokens) == [BOTH]


@pytest.mark.parametrize(
    "runs, told",
    [
        ([(API, PASSED), (WEB, PASSED)], "`pnpm test` -> 3 passed"),
        ([(API, FAILED), (WEB, PASSED), (API, PASSED)], "`pnpm test` -> 3 passed"),
        ([(API, FAILED), (API, PASSED)], "`pnpm test` -> 3 passed"),
        ([(API, FAILED), ("", PASSED)], "`pnpm test` -> 3 passed"),
        ([("", FAILED), (API, PASSED)], "`pnpm test` -> 3 passed"),
        (
            [(API, FAILED), (WEB, FAILED)],
            f"`pnpm test` -> 1 failed, 2 passed in {WEB}; 1 failed, 2 passed in {API}",
        ),
    ],
)
def test_what_ran_again_where_it_had_failed_has_the_newer_outcome(runs: list[Run], told: str) -> None:
    assert [line.partition(" (x")[0] for line in _told(_run(Ledger(), *runs))] == [told]


def test_failures_of_few_folders_are_kept() -> None:
    ledger = _run(Ledger(), *((f"/w/p{at}", FAILED) for at in range(20)))
    assert list(ledger.of("command")["pnpm test"].elsewhere) == [f"/w/p{at}" for at in range(15, 19)]
    assert MAX_ELSEWHERE == 4


def test_a_ledger_keeps_its_folders_when_it_is_saved() -> None:
    ledger = _run(Ledger(), (API, FAILED), (WEB, PASSED))
    update(ledger, assistant("", call("z", "shell", command="pnpm lint", workdir=API)), ledger.seq + 1)
    ledger.folder = "/w"
    assert from_json(to_json(ledger)) == ledger
    saved = json.loads(to_json(ledger))
    saved["waiting"] = {key: row[:2] for key, row in saved["waiting"].items()}
    assert from_json(json.dumps(saved)).waiting["z"].key == "pnpm lint"


@pytest.mark.parametrize(
    "said",
    [
        "done\n[Current working directory: /w/ferry]\n[Command finished with exit code 0]",
        "(Open file: n/a)\n(Current directory: /w/ferry)\nbash-$",
        "done\nShell cwd was reset to /w/ferry",
    ],
)
def test_a_path_is_seen_from_where_the_shell_said_that_it_is(said: str) -> None:
    ledger = Ledger()
    messages = [
        assistant("", call("a", "execute_bash", command="cd ferry")),
        result("a", said),
        assistant("", call("b", "execute_bash", command="sed -i s/a/b/ src/gate.py")),
    ]
    for seq, message in enumerate(messages, start=1):
        update(ledger, message, seq)
    assert ("/w/ferry/src/gate.py", "edited") in [(one.entry.text, one.entry.label) for one in ranked(ledger)]


def test_what_another_tool_shows_says_nothing_of_where_the_shell_is() -> None:
    ledger = Ledger()
    update(ledger, assistant("", call("a", "read_file", path="/w/log.txt")), 1)
    update(ledger, result("a", "[Current working directory: /elsewhere]"), 2)
    assert ledger.folder == ""


@pytest.mark.parametrize("folders, told", [(("/w/web",), False), (("/w/web", "/v/web"), True)])
def test_a_file_that_a_summary_names_from_the_folder_of_the_work_is_not_said_again(
    folders: tuple[str, ...], told: bool
) -> None:
    paths = [f"{folder}/src/pier/gate.py" for folder in folders]
    calls = [
        call(str(at), "Read", file_path=path) for at, path in enumerate([*paths, "/w/web/src/pier/quay.py"])
    ]
    ledger = Ledger()
    for seq, one in enumerate(calls, 1):
        update(ledger, assistant("", one), seq)
    shown = render(ledger, 400, said="## Files\n- src/pier: edited gate.py")
    assert "quay.py" in shown
    assert ("gate.py" in shown) == told
