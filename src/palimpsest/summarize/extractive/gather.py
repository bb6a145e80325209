"""Reading a source: what the ledger notes of it, and every sentence that could stand in a summary.

Rules kept here:

- Messages are read into a ledger of their own, block by block, with a pause after each; in a source of very many
  messages less of each is looked at.
- A child summary in our own form is read entry by entry; one written by a model, as prose.
- What a model writes under the goal is no request of the user's: it may be anybody's sentence.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field

from palimpsest.patterns import later
from palimpsest.record.summary import Summary
from palimpsest.summarize.cut import ELLIPSIS, clean
from palimpsest.summarize.extractive.calls import Calls, is_call
from palimpsest.summarize.ledger.entries import (
    Ledger,
    note_file,
    note_line,
    note_name,
    note_value,
)
from palimpsest.summarize.ledger.goals import new_goal, note_goal
from palimpsest.summarize.ledger.reading import LOOK_CHARS, note_names, read_prose, reading
from palimpsest.summarize.ledger.rules import note_remark, note_rule, takes_back
from palimpsest.summarize.ledger.runs import note_command
from palimpsest.summarize.ledger.said import RULE_CHARS, note_request, note_said
from palimpsest.summarize.ledger.tree import parse_files
from palimpsest.summarize.pasted import is_prose, without_cited
from palimpsest.summarize.sections import TEXT_GROUPS, Section, parse, parse_command, parse_names
from palimpsest.summarize.sentences import Sentence, sentences
from palimpsest.summarize.source import Source, SummaryEntry
from palimpsest.summarize.spoken.cues import RULE_WEIGHT
from palimpsest.summarize.spoken.remarks import as_rule, is_remark, remark_weight

LOOK_ALL_CHARS = 600_000
"""Characters of a source that are looked at."""
LOOK_LEAST_CHARS = 400
SECTION_LINES = 16
"""Lines of a child summary read between two pauses."""


@dataclass(slots=True)
class Gathered:
    """What a source holds. `calls` are what tools did beside commands and files. `said` are the sentences of people,
    models and results, in order. `goal` is how the summary that it begins with says what the user wants: its first
    line, and its last, which rules have added where a model had left it out, or which was named as the new one.
    `quoted` says that the newest request stands behind the summary, word for word; `begins` that the first request is
    the conversation's first; `updates` that the summary is the one before, brought up to date: what it does not say
    the user wants is no later request. `standing` is what the user demanded and holds still: what it takes back a
    summary may say, and holds no more.
    """

    ledger: Ledger = field(default_factory=Ledger)
    calls: Calls = field(default_factory=Calls)
    said: list[Sentence] = field(default_factory=list[Sentence])
    goal: tuple[str, ...] = ()
    quoted: bool = False
    begins: bool = True
    updates: bool = False
    standing: tuple[str, ...] = ()


def gather(source: Source) -> Generator[None, None, Gathered]:
    """Read all entries, oldest first; yields None after every block."""
    found = Gathered(
        quoted=source.quoted, begins=source.begins, updates=source.kind == "roll", standing=source.rules
    )
    if source.goal and not any(f"\n- {source.goal}\n" in f"\n{text}\n" for text in source.earlier):
        found.goal = (source.goal,)
    for said in source.rules:
        _note_lasting(found.ledger, said)
    look = max(LOOK_LEAST_CHARS, min(LOOK_CHARS, LOOK_ALL_CHARS // max(1, len(source.entries))))
    for seq, entry in enumerate(source.entries, start=1):
        if isinstance(entry, SummaryEntry):
            found.ledger.seq = seq
            yield from _read_summary(found, entry.summary)
        else:
            found.calls.note(entry.message)
            yield from reading(found.ledger, entry.message, seq, look_chars=look, said=found.said)
    newest = source.newer_goal or found.ledger.goal
    found.goal = _with_newest(found, newest) if newest else found.goal
    return found


def _with_newest(found: Gathered, newest: str) -> tuple[str, ...]:
    """The goal with what was named last as the new one behind it, in the place of what was named so before."""
    first = next(iter(found.ledger.of("request").values()), None)
    asked = found.goal or ((first.text,) if first and found.begins else ())
    kept = (*asked[:1], *(one for one in asked[1:] if not new_goal(one, "".join(asked[:1]))))
    return tuple(dict.fromkeys((*kept, newest)))


def _read_summary(found: Gathered, summary: Summary) -> Generator[None, None, None]:
    ledger = found.ledger
    text = clean(summary.text[: LOOK_CHARS * 4])
    sections = parse(text)
    opens = not found.goal and not ledger.of("request") and (found.begins or found.updates)
    goal = _goal_in(text, sections) if opens else []
    if goal:
        found.goal = tuple(dict.fromkeys((goal[0], goal[-1])))
    elif opens and found.updates:
        found.begins = False
    if not sections:
        yield from read_prose(ledger, text, "", found.said)
        ledger.position += len(text)
        return
    ledger.position += len(text)
    for section, lines in sections.items():
        for start in range(0, len(lines), SECTION_LINES):
            piece = lines[start : start + SECTION_LINES]
            if section == "Goal" and summary.model:
                _read_model_goal(found, piece, opens=opens and start == 0)
            else:
                _read_section(found, section, piece)
            yield
    for path, deed in parse_files(sections.get("Files", ())):
        note_file(ledger, path, deed, "argument")
    if "Open tasks" in sections:
        ledger.tasks = tuple(sections["Open tasks"])
    yield


def _goal_in(text: str, sections: Mapping[Section, list[str]]) -> list[str]:
    """How a summary with headings says what the user wants: under that one, else first of all, before any."""
    if "Goal" in sections or not sections:
        return sections.get("Goal", [])
    first = text.lstrip().partition("\n")[0]
    return [first] if first and not first.startswith("#") else []


def _note_lasting(ledger: Ledger, said: str, *, told: bool | None = None) -> None:
    """Note a rule, or what the user only told; `told` says which of them it is known to be."""
    if as_rule(said) < RULE_WEIGHT and (is_remark(said, alone=True) if told is None else told):
        note_remark(ledger, said, remark_weight(said))
    else:
        note_rule(ledger, said)


def _note_again(found: Gathered, line: str, *, told: bool) -> None:
    """Note what a summary says the user demanded or told, if he has not taken it back since."""
    if not any(rule != line and takes_back(rule, line) for rule in found.standing):
        _note_lasting(found.ledger, line, told=told)


_BREAK = later(r"(?<=[:：.!])\s+|(?<=[：。！])")
"""Where a line may have ended that was put together with the next."""


def _typed(request: str) -> Iterator[str]:
    """What holds on in a request that was made one line, without what was pasted into it."""
    for typed in request.split("```")[::2]:
        own, cited = without_cited(_BREAK.sub("\n", typed))
        for said in sentences(own if cited else typed):
            if (
                len(said) <= RULE_CHARS
                and ELLIPSIS not in said
                and is_prose(said)
                and (as_rule(said) >= RULE_WEIGHT or is_remark(said))
            ):
                yield said


def _read_model_goal(found: Gathered, lines: list[str], *, opens: bool) -> None:
    """Read what a model says is wanted: it is nobody's request, but where a conversation `opens` with it its first
    line stands for that.
    """
    _read_section(found, "Goal", lines[: int(opens)])
    for line in lines[int(opens) :]:
        note_goal(found.ledger, line)
        note_names(found.ledger, line, "user")
        for said in _typed(line):
            _note_lasting(found.ledger, said)
        note_said(found.ledger, line, "", found.said)


def _read_section(found: Gathered, section: Section, lines: list[str]) -> None:
    ledger = found.ledger
    for line in lines:
        match section:
            case "Goal" | "Last request of this part":
                note_goal(ledger, line)
                note_request(ledger, line)
                note_names(ledger, line, "user")
                for said in _typed(line):  # a form may have no other place for the user's rules
                    _note_lasting(ledger, said)
            case "Constraints" | "Also said by the user":
                _note_again(found, line, told=section != "Constraints")
            case "Decisions":
                note_line(ledger, "decision", line)
            case "Errors":
                note_line(ledger, "error", line)
            case "Commands":
                text, label, failed = parse_command(line)
                if is_call(text):
                    found.calls.end(text, line.partition("` -> ")[2] or label)  # with how many there were
                    continue
                entry = ledger.of("command").get(note_command(ledger, text))
                if entry:
                    entry.label, entry.failed = label, failed
            case "Identifiers":
                for group, name in parse_names(line):
                    if group in TEXT_GROUPS:
                        note_name(ledger, group, name, "argument")
                    else:
                        note_value(ledger, group, name, "argument")
            case "Notes":
                speaker, _, rest = line.partition(": ")
                known = rest and len(speaker) <= 24 and " " not in speaker
                note_names(ledger, line, "assistant")
                note_said(ledger, rest if known else line, speaker if known else "", found.said)
                ledger.position += 1  # each is of a message of its own
            case _:
                pass
