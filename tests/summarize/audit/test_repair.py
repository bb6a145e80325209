"""What is put right in a reply, and when so little is left of it that none of it is taken."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.repair import repair
from tests.summarize.audit.stories import GOOD, REQUEST, STORY, asked, grounds
from tests.summarize.dialogues import quarter


def mended(text: str) -> str:
    """A reply as it would be committed, "" where it would not be."""
    held = grounds(STORY)
    found = audit(text, held)
    if found.unusable:
        return ""
    return repair(text, found, held, target_tokens=1_000, limit_tokens=3_000, count=quarter)[0]


def with_line(heading: str, line: str) -> str:
    return GOOD.replace(f"## {heading}\n", f"## {heading}\n- {line}\n")


def test_however_many_lines_are_untrue_none_is_left() -> None:
    lies = [f"The e-mail was sent to customer {name}." for name in "ABCDEFGHIJKLMNOPQ"]
    known = [f"The service listens on port 8443, part {name}." for name in "ABCDEFGHIJKLMNOPQ"]
    left = mended(with_line("Progress", "\n- ".join((*lies, *known))))
    assert "was sent" not in left
    assert known[-1] in left


@pytest.mark.parametrize(
    "reply",
    [
        "## Goal\n- Build a weather widget in React.\n## Progress\n- The widget shows the temperature.",
        "## Goal\n- You asked what is left to do.\n## Next steps\n- Let me know whether I should go on!",
        (
            "## Progress\n- Times are compared in UTC.\n- The e-mail was sent to the customer.\n"
            "- The release was published on PyPI."
        ),
    ],
)
def test_a_reply_of_which_little_is_left_is_not_taken(reply: str) -> None:
    assert not mended(reply)


@pytest.mark.parametrize(
    "line",
    [
        "Let me know whether I should go on!",
        "Would you like me to rename it?",
        "Shall I proceed with the alias?",
        "You asked me to mend the login.",
        "Soll ich weitermachen?",
        "Ti va bene se scrivo al molo?",
        "Ça te va si je continue ?",
    ],
)
def test_a_line_that_speaks_to_the_user_goes(line: str) -> None:
    left = mended(with_line("Progress", line))
    assert line not in left
    assert "Times are compared in UTC" in left


@pytest.mark.parametrize(
    "line", ["You asked the user about parse_token.", "Ask the user: shall I keep parse_token?"]
)
def test_a_line_that_speaks_to_the_agent_stays(line: str) -> None:
    assert line in mended(with_line("Progress", line))


def test_a_section_of_all_kinds_of_things_is_not_the_request_that_it_holds() -> None:
    rule, decided = (
        "The user: never touch the database schema",
        "UTC instead of local time, as the tokens carry UTC",
    )
    told = f"## Goal\n- Fix the login in src/auth/session.py\n## Notes\n- {rule}\n- {decided}\n- {REQUEST}"
    draft, _ = asked([told, told])
    assert f"## Progress\n- {rule}" in draft.text
    assert REQUEST in draft.text
