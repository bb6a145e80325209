"""What a model is given for a summary, and how its reply is checked and completed.

- A model sees its source without secrets and invisible characters, and facts from the calls: files, commands with their
  outcomes, names and values, and the open entries of the agent's task list.
- The exact strings of a reply are checked (`checks.exact_strings`). The newest request is added verbatim, and so are
  open entries of the task list, under their headings. No line of the reply is removed."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.file_tree import parse_files
from palimpsest.ledger.render import render
from palimpsest.ledger.sections import parse, parse_names
from palimpsest.ledger.update import LOOK_CHARS, reading
from palimpsest.record.summary import Draft
from palimpsest.record.summary_source import Source
from palimpsest.redaction.redactor import Redactor, protect
from palimpsest.settings import IdentifierPolicy, SummaryForm
from palimpsest.summarize.checks.exact_strings import checked
from palimpsest.summarize.checks.string_index import MARK, Known, knowing, source_texts
from palimpsest.summarize.source import looked_at
from palimpsest.summarize.summary_formats import FORMS, Form, written
from palimpsest.text.blocks import without_wrappers
from palimpsest.text.cut import Count, clip, fit_ends
from palimpsest.text.identifiers import file_name

FACTS_SHARE = 0.4
"""The tokens of the facts in the request for a summary, as a share of its target."""
QUOTE_SHARE = 0.25
"""The most that a quoted request takes of a summary's target; of a long one both ends."""
TASKS_SHARE = 0.1
LEFT_SHARE = 0.5
"""A summary that leaves out more than this share of the facts has a note about it."""
REQUEST_CHARS = 20_000
NOTE_CHARS = 160


@dataclass(frozen=True, slots=True)
class Material:
    """A source as a model sees it, and what is known of it.

    `facts` and `tasks` are from the calls; `request` is the newest user request, "" for none, or if it was answered.
    """

    source: Source
    redactor: Redactor
    known: Known
    facts: str = ""
    tasks: tuple[str, ...] = ()
    request: str = ""


def material_of(
    source: Source, *, target_tokens: int, count: Count, secrets: Redactor | None = None
) -> Generator[None, None, Material]:
    """The material for a summary of about `target_tokens`; `secrets` are those of other sources. Yields between
    steps.
    """
    shown, redactor = yield from protect(source, secrets)
    known = yield from knowing(source_texts(shown))
    ledger = Ledger()
    for seq, message in enumerate(looked_at(shown).messages, 1):
        yield from reading(ledger, message, seq, look_chars=LOOK_CHARS)
    facts = render(ledger, int(target_tokens * FACTS_SHARE), count=count, roomy=True)
    yield
    said = [without_wrappers(text[:REQUEST_CHARS]) for text in source_requests(shown)]
    request = "" if source.answered or source.quoted else next((one for one in reversed(said) if one), "")
    return Material(shown, redactor, known, facts, ledger.tasks, request)


def source_requests(source: Source) -> tuple[str, ...]:
    """What the user says in the entries of a source, oldest first."""
    return tuple(one.text for one in source.messages if one.role == "user" and one.text.strip())


def finished(
    draft: Draft,
    material: Material,
    *,
    form: SummaryForm,
    policy: IdentifierPolicy,
    target_tokens: int,
    limit_tokens: int,
    count: Count,
) -> Generator[None, None, tuple[str, tuple[str, ...]]]:
    """The text of a model's summary after the checks, of fewer than `limit_tokens` tokens, and notes on the changes."""
    check = yield from checked(draft.text, material.known, policy)
    text, notes = check.text, [*check.notes, *left_out(draft.text, material.facts)]
    if count(text) >= limit_tokens:
        text = text.replace(MARK, "")
        notes.append("no room for the marks")
    if count(text) >= limit_tokens:
        text = draft.text
        strange = (*(said for said, _ in check.edits), *check.marked)
        notes = ["no room for the marks", *(f"not in the source: {said}" for said in strange)]
        notes.extend(left_out(text, material.facts))
    shape = FORMS[form]
    if material.request and shape.request:
        room = int(target_tokens * QUOTE_SHARE)
        more = quoted(text, shape, fit_ends(" ".join(material.request.split()), room, count))
        if more and count(more) < limit_tokens:
            text = more
            notes.append(f"quoted: {material.request}")
    yield
    if material.tasks and shape.tasks:
        more, added = with_tasks(text, shape, material.tasks, int(target_tokens * TASKS_SHARE), count)
        if added and count(more) < limit_tokens:
            text = more
            notes.extend(f"open in the task list: {line}" for line in added)
    return text, tuple(clip(" ".join(one.split()), NOTE_CHARS) for one in notes)


def left_out(text: str, facts: str) -> Iterator[str]:
    """A note on the facts that a summary does not name, if it names fewer than half of them."""
    sections = parse(facts)
    named = [file_name(path) for path, _ in parse_files(sections.get("Files", ()))]
    named += sections.get("Commands", ())
    named += [name for entry in sections.get("Identifiers", ()) for _, name in parse_names(entry)]
    missing = [one for one in named if one not in text]
    if len(missing) > LEFT_SHARE * len(named):
        yield f"leaves out {len(missing)} of {len(named)} facts: {', '.join(missing)}"


def quoted(text: str, form: Form, request: str) -> str:
    """A summary with the newest request verbatim under its heading; "" if it is there already."""
    parsed = list(form.parse(text))
    own = " ".join(" ".join(lines) for heading, lines in parsed if heading == form.request)
    if not request or _flat(request) in _flat(own):
        return ""
    form.insert(parsed, form.request, [f'- "{request}"'])
    return written(parsed)


def with_tasks(
    text: str, form: Form, tasks: tuple[str, ...], room_tokens: int, count: Count
) -> tuple[str, list[str]]:
    """A summary with the open entries of the task list that it lacks, under their heading; and these entries."""
    parsed = list(form.parse(text))
    if not any(name for name, _ in parsed):
        return text, []
    plain = _flat(text)
    added: list[str] = []
    for task in tasks:
        cost = count(task) + 2
        if cost <= room_tokens and _flat(task.partition("] ")[2] or task) not in plain:
            added.append(task)
            room_tokens -= cost
    if added:
        form.insert(parsed, form.tasks, [f"- {task}" for task in added])
    return written(parsed), added


def _flat(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())
