"""An id gives way to another only where it is sure that the other one is meant."""

from __future__ import annotations

import pytest

from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

JOB, EXPORT, IMPORT = (
    "4d1c5b0e-2f64-4a89-9c3b-d1e8f07a6b52",
    "8f6ae39a-70cb-4d15-8b2e-64f9a0c7d318",
    "6b9d44c2-1111-4d15-8b2e-64f9a0c7d777",
)
FIRST, SECOND = "ca9d44c2-2222-4d15-8b2e-64f9a0c7d778", "db9d44c2-3333-4d15-8b2e-64f9a0c7d779"
SYNC = leaf(
    [
        user("Sync the members to the new archive and keep me posted."),
        assistant("", call("a", "Bash", command="./sync.sh")),
        result(
            "a",
            f"job {JOB} started\nexport {EXPORT} finished\nimport {IMPORT} failed: timeout\n"
            "ticket QAY-431 opened for the timeout\nticket QAY-440 closed",
        ),
        assistant(f"The export is done. The import {IMPORT} timed out, so I opened QAY-431."),
        user(f"Retry it. Member Brandt's account is {FIRST}, and Lindqvist has {SECOND}."),
        assistant("Retrying now."),
        user("How far is it?"),
    ]
)


def committed(*lines: str) -> list[str]:
    told = "\n".join(f"- {line}" for line in lines)
    text = (
        "## Goal\n- Sync the members to the new archive\n## Constraints & preferences\n- User: keep me posted\n"
        f"## Progress\n- The import timed out and is retried\n{told}\n## Pending user request\nHow far is it?"
    )
    return asked([text, text], grounds(SYNC))[0].text.splitlines()


@pytest.mark.parametrize(
    "line",
    [
        f"User gave {SECOND} for the other member",
        f"Second member: {SECOND} (after Brandt)",
        f"Brandt's number is {FIRST}, not that of Lindqvist",
        "QAY-431 is not closed",
        "The new ticket QAY-431 has not been closed",
        "QAY-440 had nothing to do with the timeout",
        "QAY-431 is open because of the timeout; the other ticket is closed",
        f"The run with id {JOB} covers export and import",
        f"Run {JOB} is not finished yet",
        f"Dump {EXPORT} succeeded before the timeout",
        f"The first run, {JOB}, had a failed import",
        f"Finished: {EXPORT}; failed: {IMPORT}",
    ],
)
def test_a_true_line_keeps_its_id(line: str) -> None:
    assert f"- {line}" in committed(line)


@pytest.mark.parametrize(
    "line, right",
    [
        (f"export {JOB} finished", f"export {EXPORT} finished"),
        (f"The sync was run (job {EXPORT} started)", f"The sync was run (job {JOB} started)"),
        ("Ticket QAY-431 closed", "Ticket QAY-440 closed"),
    ],
)
def test_an_id_of_which_a_line_says_word_for_word_what_is_said_of_another_gives_way(
    line: str, right: str
) -> None:
    assert f"- {right}" in committed(line)


def test_two_exchanged_ids_are_exchanged_back() -> None:
    text = committed(f"The retried import is {EXPORT}", f"The export has the number {IMPORT}")
    assert f"- The retried import is {IMPORT}" in text
    assert f"- The export has the number {EXPORT}" in text
