"""Whether what is said of tasks is what the newest task list has.

- What it has as done is not open. What it has not begun is not done, unless somebody spoke of it since.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import STEM_CHARS, with_forms
from palimpsest.summarize.audit.told import LOOK_CHARS, WISHED
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.toolcalls import OPEN, decode

OPEN_HEADINGS = frozenset(("Open tasks", "Next steps"))
_MARKED = later(r"^\s{0,8}(?:[-*•]\s{1,3})?(?:\[[xX]\]|✅|☑)")
_WAS_DONE = later(
    r"\b(?:was|were|is|are|has been|have been|got) (?:\w{1,12} )?\w{2,20}(?:ed|en|ten|ne|ut|et|elt|un)\b|"
    r"\b(?:done|completed?|finished|ready|set up|in place|wurden?)\b|✅|完成|已",
    re.IGNORECASE,
)
MIN_TASK_TERMS = 2


def otherwise(text: str, source: Source) -> Iterator[tuple[str, str]]:
    """(line, the task as the list has it) of those that have a task otherwise; "" where it is not to be told there."""
    done, still, untouched = _newest_tasks(source)
    for heading, lines in FORMS["sections"].parse(text):
        for line in lines:
            said = normal(line)
            if heading in OPEN_HEADINGS and said in done and said not in still:
                yield line.strip(), ""
                continue
            for task in untouched if _MARKED.match(line) or heading == "Progress" else ():
                if _tells_done(line, task):
                    yield line.strip(), f"- {OPEN} {task}" if _MARKED.match(line) else ""
                    break


def _tells_done(line: str, task: str) -> bool:
    """Whether a line has a task as done: by its mark, or it tells that all that the task speaks of was done."""
    if _MARKED.match(line):
        return normal(_MARKED.sub("", line)) == normal(task)
    wanted = set(terms(task))
    told = set(terms(line))
    return (
        len(wanted) >= MIN_TASK_TERMS
        and bool(_WAS_DONE.search(line))
        and not WISHED.search(line)
        and len(told) <= 2 * len(wanted)
        and len(with_forms(wanted, told)) >= len(wanted) - 1
    )


def _newest_tasks(source: Source) -> tuple[frozenset[str], frozenset[str], list[str]]:
    """What the newest task list has as done, and as open, in the form in which lines are compared; and the tasks that
    it has as not begun and of which nobody spoke since.
    """
    since: list[str] = []
    for entry in reversed(source.entries):
        if not isinstance(entry, MessageEntry):
            since.append(entry.summary.text)
            continue
        for call in reversed(entry.message.calls):
            action = decode(call)
            if action.tasks is not None:
                waiting = [task.removeprefix(OPEN).strip() for task in action.tasks if task.startswith(OPEN)]
                told = [_stems(one) for one in since] if waiting else []
                untouched = [
                    one for one in waiting if not any(_speaks_of(_stems(one), said) for said in told)
                ]
                return _plain(action.done), _plain(action.tasks), untouched
            since.append(call.arguments[:LOOK_CHARS])
        since.append(entry.message.text[:LOOK_CHARS])
    return frozenset(), frozenset(), []


def _speaks_of(wanted: frozenset[str], told: frozenset[str]) -> bool:
    return 2 * len(wanted & told) >= len(wanted)


def _stems(text: str) -> frozenset[str]:
    return frozenset(term[:STEM_CHARS] for term in terms(text))


def _plain(tasks: Sequence[str]) -> frozenset[str]:
    return frozenset(normal(task.partition("] ")[2]) for task in tasks)
