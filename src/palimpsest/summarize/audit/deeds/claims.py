"""Whether what a reply says was achieved is what happened.

- A command that is named with an outcome has the outcome that its result had: a line that lets it succeed where it
  failed, or fail with a code that no command ended with, becomes the line that rules know.
- So many passed, or failed, as in the newest run of the command; what errors there were before may be told as such.
- Tests that are said to pass do (`passing`), tasks stand as the newest list has them (`tasks`), and what is told with
  an outcome was run (`never_run`).
- Wishes and plans ("until the tests pass") are no claims. Everything else is left alone: rules cannot know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.audit.deeds.never_run import never_run
from palimpsest.summarize.audit.deeds.passing import passing
from palimpsest.summarize.audit.deeds.tasks import otherwise
from palimpsest.summarize.audit.told import FAILED, NONE_FAILED, RUN, WISHED
from palimpsest.summarize.facts import Facts
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.sections import parse_command
from palimpsest.summarize.source import Source

ERRORS = "Errors and rejected approaches"
_TOLD = later(r"`\s{0,3}(?:->|→|=>|—|:)")
"""How an outcome is written behind its command."""
_SUCCEEDED = later(
    r"(?:->|→|:|=>|—)\s{0,2}(?:ok|0 failed|success\w*|pass\w*|exit(?: code)? 0|all \w+ pass\w*)\b|"
    r"\b(?:(?:then|now|later|dann|jetzt|danach) ok|ohne fehler|fehlerfrei|bestanden|erfolgreich|"
    r"pass(?:es|ed|ing)?|succe(?:eds?|eded|ssful\w*)|works now|is green)\b|✅|成功|通过",
    re.IGNORECASE,
)
_TOLD_FAILED = later(
    r"`\s{0,3}(?:->|→|=>|—|:)\s{0,2}(?:failed|fails|error|exit(?: code)? [1-9]|[1-9]\d{0,5} failed)\b", re.I
)
_COUNTS = later(
    r"(?<![\d/])\b([1-9]\d{0,5})(?: (?:out )?of (?:the )?\d{1,6}| ?/ ?\d{1,6}| von \d{1,6})? "
    r"(passed|failed|passing|failing|errors?|tests? passed|tests? failed)\b",
    re.IGNORECASE,
)
_EARLIER = later(
    r"\b(?:first|before|initial\w*|earlier|previous\w*|at one point|once|then|was|were|until|zuerst|erst|anfangs|"
    r"vorher|zunächst|d'abord|avant|primero|antes|al principio)\b|最初|之前|起初|先前|当初|以前",
    re.IGNORECASE,
)
"""How a run before the newest one is told."""
_EXIT = later(
    r"\b(?:exit(?:ed|s)?|return(?:ed|s)?|status|code)(?: with)?(?: (?:exit|return))?(?: code| status)?[:=]? "
    r"(-?\d{1,3})\b|退出码\D{0,3}(\d{1,3})",
    re.IGNORECASE,
)


def untrue(text: str, facts: Facts, source: Source) -> list[tuple[str, str]]:
    """(what a reply says, what rules know in its place) of what did not happen; "" for nothing. What is said is a line
    where it names a command or a task, else a sentence.
    """
    return [
        *_outcomes(text, facts, source),
        *passing(text, facts, source),
        *otherwise(text, source),
        *never_run(text, facts, source),
    ]


def _outcomes(text: str, facts: Facts, source: Source) -> Iterator[tuple[str, str]]:
    failed = {" ".join(command.split()): entry for command, entry in _ended(facts, failed=True)}
    went_well = {" ".join(command.split()): entry for command, entry in _ended(facts, failed=False)}
    codes: set[str] | None = None
    parsed = FORMS["sections"].parse(text)
    current = {line for heading, lines in parsed if heading != ERRORS for line in lines}
    for line in text.splitlines():
        said = line.strip()
        runs = [" ".join(run.split()) for run in RUN.findall(said)]
        entry = failed.get(runs[0]) if len(runs) == 1 else None
        told = bool(_TOLD.search(said)) or not WISHED.search(RUN.sub(" ", said))
        if entry and told and _says_success(RUN.sub(" ", said)):
            yield said, f"- {entry}"
        elif entry and _codes(RUN.sub(" ", said)) - {"0"} - _codes(entry) and _codes(entry):
            codes = _exits(source) if codes is None else codes
            if not _codes(RUN.sub(" ", said)) <= codes:
                yield said, f"- {entry}"
        entry = went_well.get(runs[0]) if len(runs) == 1 and not entry else None
        if entry and _says_failure(said):
            yield said, f"- {entry}"
        elif len(runs) == 1 and (entry := went_well.get(runs[0]) or failed.get(runs[0])):
            ours, theirs = _counts(RUN.sub(" ", said)), _counts(entry)
            if line in current and ours and theirs and ours.isdisjoint(theirs) and not _EARLIER.search(said):
                yield said, f"- {entry}"


def _counts(text: str) -> set[tuple[str, str]]:
    """How many a text has pass, or fail."""
    return {(count, "passed" if "pass" in how.lower() else "failed") for count, how in _COUNTS.findall(text)}


def _codes(text: str) -> set[str]:
    """The codes with which a text has something end."""
    return {code for found in _EXIT.findall(text) for code in found if code}


def _exits(source: Source) -> set[str]:
    """The codes with which anything ended, as anybody or any result tells."""
    told = (text for one in source.messages for text in (one.text, *(result.text for result in one.results)))
    return {code for text in (*source.summaries, *told) for code in _codes(text)} | {"0"}


def _ended(facts: Facts, *, failed: bool) -> Iterator[tuple[str, str]]:
    """(command, entry) of those that failed, or of those that did not and whose outcome is known."""
    for entry in facts.get("Commands", ()):
        command, outcome, bad = parse_command(entry)
        if bad == failed and outcome:
            yield command, entry


def _says_failure(line: str) -> bool:
    """Whether a line tells failure as the outcome of its one command, and nothing else of it."""
    told = _TOLD_FAILED.search(RUN.sub("`", line))
    return bool(told) and not _SUCCEEDED.search(line)


def _says_success(words: str) -> bool:
    return bool(_SUCCEEDED.search(words)) and not FAILED.search(NONE_FAILED.sub(" ", words))
