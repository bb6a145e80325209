"""Whether what is said of tasks is what the newest task list has.

- What it has as done is not open, and what it has as open is not marked as done. Whether an open one is told as done in
  other words is asked elsewhere (`closest`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.deeds.closest import still_open
from palimpsest.summarize.forms import FORMS, PLANS
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.source import Source
from palimpsest.summarize.toolcalls import OPEN, decode

_MARKED = later(r"^\s{0,8}(?:[-*•]\s{1,3})?(?:\[[xX]\]|✅|☑)")
_STATUS = later(
    r"\s{0,2}(?:[:(–—-]|（|：)\s{0,2}(?:(?P<open>pending|in[ _]progress|open|to ?do|not (?:yet )?(?:started|done)|"
    r"offen|待办|进行中|未完成)|(?P<done>completed?|done|finished|erledigt|已?完成))[)）]?\.?\s*$",
    re.IGNORECASE,
)
"""How a task's state is told behind it."""


def otherwise(text: str, source: Source) -> Iterator[tuple[str, str]]:
    """(line, the task as the list has it) of those that have a task otherwise; "" where it is not to be told there."""
    done, still = _newest_tasks(source)
    marked: list[tuple[str, str]] = []
    for heading, lines in FORMS["sections"].parse(text):
        for line in lines:
            status = _STATUS.search(line)
            said = normal(_MARKED.sub("", line[: status.start()] if status else line))
            if _MARKED.match(line) or (status and status["done"]):
                marked.extend([(line.strip(), still[said])] if said in still else [])
            elif (heading in PLANS or status) and said in done and said not in still:
                yield line.strip(), ""
    left = still_open({task for _, task in marked}, source)
    yield from ((line, f"- {OPEN} {task}") for line, task in marked if task in left)


def _newest_tasks(source: Source) -> tuple[frozenset[str], dict[str, str]]:
    """What the newest task list has as done, in the form in which lines are compared, and what it has as open so."""
    for message in reversed(source.messages):
        for call in reversed(message.calls):
            action = decode(call)
            if action.tasks is not None:
                return frozenset(_plain(action.done)), _plain(action.tasks)
    return frozenset(), {}


def _plain(tasks: Sequence[str]) -> dict[str, str]:
    return {normal(task.partition("] ")[2]): task.partition("] ")[2] for task in tasks}
