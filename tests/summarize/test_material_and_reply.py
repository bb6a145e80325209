"""What becomes of a model's summary: its strings are checked, the newest request and open tasks are added."""

from __future__ import annotations

from palimpsest.budget.token_estimator import count_text
from palimpsest.record.message import Message
from palimpsest.record.summary import Draft
from palimpsest.summarize.material_and_reply import finished, material_of
from tests.redaction.planted import ran
from tests.summarize.dialogues import assistant, call, leaf, user

ASKED = "Plan the berths of the north pier for 48,213 t."
TASKS = [{"content": "Read the tide", "status": "pending"}]
TEXT = "## Goal\n- Plan berths\n## Next steps\n- Look at /srv/harbor/plan.py at 99,117 t"


def finish(text: str, messages: list[Message], limit_tokens: int = 2_000) -> tuple[str, tuple[str, ...]]:
    material = ran(material_of(leaf(messages), target_tokens=1_000, count=count_text))
    draft = Draft(text, "normal")
    return ran(
        finished(
            draft, material, form="sections", policy="strict", target_tokens=1_000,
            limit_tokens=limit_tokens, count=count_text,
        )
    )  # fmt: skip


def test_the_newest_request_stands_word_for_word_and_so_do_open_tasks() -> None:
    text, notes = finish(TEXT, [user(ASKED), assistant("Yes.", call("c1", "TodoWrite", todos=TASKS))])
    assert f'## Pending user request\n- "{ASKED}"' in text
    assert "## Open tasks\n- [ ] Read the tide" in text
    assert {f"quoted: {ASKED}", "open in the task list: [ ] Read the tide"} <= set(notes)


def test_where_marks_have_no_room_what_was_put_right_stays() -> None:
    source = [user("The plan is in /srv/harbour/plan.py.")]
    text, notes = finish(TEXT, source, limit_tokens=count_text(TEXT) + 2)
    assert text == TEXT.replace("/srv/harbor", "/srv/harbour")
    assert {"no room for the marks", "/srv/harbor/plan.py -> /srv/harbour/plan.py"} <= set(notes)
