"""What rules add to a model's summary: where it stands, and that it outlasts the next one."""

from __future__ import annotations

from tests.summarize.dialogues import condense
from tests.summarize.test_audit import asked, grounds


def test_what_is_added_stands_under_its_heading_and_not_behind_one_of_another_form() -> None:
    lazy = "## Goal\n- to work on the login\n\n## Notes of mine\n- The session code was looked at."
    draft, _ = asked([lazy, lazy])
    lines = draft.text.splitlines()
    assert lines[:2] == ["## Goal", "- to work on the login"]
    assert lines[2].startswith("- Please fix the login in src/auth/session.py.")
    assert lines[3:5] == ["## Notes of mine", "- The session code was looked at."]


def test_the_goal_that_rules_had_to_add_is_added_again_where_the_next_summary_leaves_it_out() -> None:
    goal = "Please fix the login in src/auth/session.py."
    earlier = f"## Goal\n- the work on the code\n- {goal}\n## Progress\n- Code was read."
    source = condense(earlier, "## Progress\n- Nothing else was done to the session code.")
    draft, _ = asked(["## Goal\n- the work on the session code"] * 2, grounds(source))
    assert goal in draft.text
