"""What rules add to a model's summary: where it stands, and that it outlasts the next one."""

from __future__ import annotations

import pytest

from palimpsest.settings import SummaryForm
from palimpsest.summarize.facts import Facts, add, facts_of
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.source import Source
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, condense, leaf, quarter, result, user


def test_what_is_added_stands_under_its_heading_and_not_behind_one_of_another_form() -> None:
    begun = "## Goal\n- to work on the login\n\n## Constraints & preferences\n- the schema"
    lazy = f"{begun}\n\n## Notes of mine\n- The session code was looked at."
    draft, _ = asked([lazy, lazy])
    assert draft.text.startswith(
        f"{begun}\n- Never touch the database schema.\n## Notes of mine\n- The session code was looked at.\n"
    )


def test_no_fact_says_what_the_goal_is() -> None:
    assert "Goal" not in grounds().facts
    draft, _ = asked(["## Goal\n- to work on the login\n## Progress\n- The session code was looked at."] * 2)
    assert draft.text.startswith("## Goal\n- to work on the login\n## ")


LOOKED = leaf(
    [
        user("Find out why src/tides/feed.py drops the last row of port 7443."),
        assistant(
            "", call("a", "Bash", command="ls -la src"), call("b", "Bash", command="cd src && rg feed")
        ),
        result("a", "tides"),
        result("b", "tides/feed.py:1: def feed"),
        assistant("", call("c", "Bash", command="cd /srv/ferry && make check")),
        result("c", "all is well"),
        assistant("The loop ends one row too early."),
    ]
)
SHORT = """## Goal
- Find out why src/tides/feed.py drops the last row of port 7443.
## Progress
- Its loop ends one row too early; `make check` is fine"""


def test_a_summary_that_tells_everything_without_a_heading_for_each_is_taken_at_once() -> None:
    draft, requests = asked([SHORT], grounds(LOOKED))
    assert (draft.text, len(requests)) == (SHORT, 1)


def test_a_command_that_failed_is_missed_however_little_it_does() -> None:
    source = leaf(
        [
            user("Find out why src/tides/feed.py drops the last row of port 7443."),
            assistant("", call("a", "Bash", command="ls -la source")),
            result("a", "ls: source: No such file or directory", error=True),
            assistant("The folder has another name."),
        ]
    )
    draft, _ = asked(
        ["## Goal\n- Find out why src/tides/feed.py drops a row of port 7443."] * 2, grounds(source)
    )
    assert "`ls -la source` -> error" in draft.text


REFUSED = leaf(
    [
        user("Find out why src/tides/feed.py drops the last row of port 7443."),
        assistant(
            "",
            call("a", "Edit", file_path="/home/ana/ferry/src/tides/feed.py", old_string="a", new_string="b"),
        ),
        result("a", "File has not been read yet.", error=True),
        assistant("", call("b", "Read", file_path="/home/ana/ferry/src/tides/feed.py")),
        result("b", "def feed(): ..."),
        assistant("The loop ends one row too early."),
    ]
)


def test_an_edit_that_was_refused_changed_nothing_and_a_path_may_begin_at_home() -> None:
    goal = "## Goal\n- Find out why src/tides/feed.py drops a row of port 7443"
    said = f"{goal}\n## Files\n- read ~/ferry/src/tides/feed.py"
    draft, requests = asked([said, said], grounds(REFUSED))
    assert "- read ~/ferry/src/tides/feed.py" in draft.text
    assert "->" not in requests[-1].partition("<findings>")[2]


def facts(source: Source, *, alone: bool) -> Facts:
    steps = facts_of(source, target_tokens=1_000, count=quarter, alone=alone)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value[0]


def test_what_the_user_told_in_the_newest_request_is_a_fact_where_no_ledger_holds_it() -> None:
    told = "The ferries lie in the northern basin."
    source = leaf(
        [
            user("Plan the berths."),
            assistant("Planned."),
            user(f"Look at berth 4 now and tell me what you see. {told}"),
        ]
    )
    assert told in facts(source, alone=True)["Also said by the user"]
    assert "Also said by the user" not in facts(source, alone=False)


def test_what_an_earlier_summary_only_quotes_in_the_users_request_holds_on() -> None:
    told = "The ferries lie in the northern basin."
    earlier = (
        f"## Goal\n- Plan the berths.\n## Last request of this part\n- Look at berth 4 and tell me. {told}"
    )
    source = condense(earlier, "## Progress\n- Berth 4 was looked at.")
    assert told in facts(source, alone=True)["Also said by the user"]


TASKS: Facts = {"Open tasks": ("[ ] Fill the tanks", "[ ] Sail after Vera has been told")}


@pytest.mark.parametrize("form", ["page", "sections"])
@pytest.mark.parametrize(
    "heading, added",
    [
        ("Constraints & preferences", ("[ ] Fill the tanks", "[ ] Sail after Vera has been told")),
        ("Progress", ("[ ] Fill the tanks",)),
        ("Goal", ("[ ] Fill the tanks",)),
    ],
)
def test_a_rule_does_not_say_that_a_task_is_open(
    form: SummaryForm, heading: str, added: tuple[str, ...]
) -> None:
    text = f"## {heading}\n- Vera must be told before we sail"
    assert add(text, TASKS, FORMS[form], room_tokens=500, count=quarter)[1] == added
