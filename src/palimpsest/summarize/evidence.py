"""What is gathered from a source before anything is chosen: requests, rules, decisions, files, commands, names.

Rules kept here:

- Gathering judges little: it notes where, how often and by whom a thing was used. Choosing comes later, when the age of
  everything is known.
- A thing keeps its latest form: a command that ran again takes the new outcome, a task list replaces the one before.
- Positions are in characters from the beginning of the source, so that ages mean the same in long and short messages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from palimpsest.summarize.cues import decision_weight, is_code, is_filler, is_heading, is_trivial, rule_weight
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.sentences import Sentence, sentences, terms
from palimpsest.summarize.toolcalls import DEEDS, Deed, Outcome

MAX_SENTENCES = 1_200
MAX_KEPT = 400
"""Rules, decisions, errors, commands: no more of each are noted."""
MAX_FILES = 1_500
MAX_NAMES = 4_000
RULE_WEIGHT = 0.5
PASTED_RULE_WEIGHT = 1.0
NO_RULES = 9.0
"""How much a sentence must read like a rule: said by the user, pasted by the user, said by others."""
RULE_CHARS = 300
USER_PRIOR = 1.4
"""What a user says counts this much."""
DULL_PRIOR = 0.2
"""Announcements, headings and lines of code or output count this much among the sentences."""
QUESTION_PRIOR = 0.6
DECISION_WEIGHT = 1.0


_APART = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\d+")


@dataclass(slots=True)
class Found:
    """A line worth keeping. `position` is where it stood last, `weight` how much its words promise."""

    text: str
    weight: float
    position: int
    times: int = 1


@dataclass(slots=True)
class FileUse:
    """How a file was used. `used` is where it was last an argument (-1: never), `messages` how many name it."""

    path: str
    deed: Deed = "named"
    position: int = 0
    used: int = -1
    uses: int = 0
    messages: int = 0
    last_message: int = -1
    by_user: int = -1


@dataclass(slots=True)
class CommandUse:
    """A command in its latest form, with its latest outcome ("" while unknown)."""

    text: str
    position: int
    runs: int = 1
    outcome: str = ""
    error: str = ""
    failed: bool = False


@dataclass(slots=True)
class NameUse:
    """A name from a text. `group` is its kind, or the key it was given under."""

    name: str
    group: str
    position: int
    used: int = -1
    messages: int = 0
    last_message: int = -1
    by_user: int = -1
    in_results: int = 0


@dataclass(slots=True)
class Evidence:
    """Everything gathered so far. `position` and `message` say where reading stands; `requests` are user's messages."""

    position: int = 0
    message: int = 0
    requests: list[Found] = field(default_factory=list[Found])
    newest: str = ""
    newest_message: int = -1
    rules: dict[str, Found] = field(default_factory=dict[str, Found])
    decisions: dict[str, Found] = field(default_factory=dict[str, Found])
    errors: dict[str, Found] = field(default_factory=dict[str, Found])
    files: dict[str, FileUse] = field(default_factory=dict[str, FileUse])
    commands: dict[str, CommandUse] = field(default_factory=dict[str, CommandUse])
    names: dict[str, NameUse] = field(default_factory=dict[str, NameUse])
    tasks: tuple[str, ...] = ()
    said: list[Sentence] = field(default_factory=list[Sentence])


def normal(text: str) -> str:
    """The form under which two lines are the same: case, spaces and punctuation apart."""
    return _APART.sub("", text[:240].lower())


def template(text: str) -> str:
    """The form under which two commands or errors are the same: numbers apart as well."""
    return _NUMBER.sub("0", normal(text))


def note(kept: dict[str, Found], text: str, weight: float, position: int, *, key: str = "") -> None:
    """Note a line, or that it was said again; the later wording wins."""
    key = key or normal(text)
    known = kept.pop(key, None)
    if known:
        known.text, known.position, known.times = text, position, known.times + 1
        known.weight = max(known.weight, weight)
        kept[key] = known
    elif key:
        kept[key] = Found(text, weight, position)
        if len(kept) > MAX_KEPT:
            del kept[next(iter(kept))]


def note_file(evidence: Evidence, path: str, deed: Deed, *, argument: bool, user: bool = False) -> None:
    """Note that a file was used in a call, or named in a text."""
    path = path.removeprefix("./").rstrip("/") or path
    use = evidence.files.get(path)
    if use is None:
        if len(evidence.files) >= MAX_FILES:
            return
        use = evidence.files[path] = FileUse(path)
    use.position = evidence.position
    if argument:
        use.used, use.uses = evidence.position, use.uses + 1
    if user:
        use.by_user = evidence.message
    if use.last_message != evidence.message:
        use.last_message, use.messages = evidence.message, use.messages + 1
    if DEEDS.index(deed) > DEEDS.index(use.deed) or (use.deed == "deleted" and deed in ("written", "edited")):
        use.deed = deed


def note_command(evidence: Evidence, text: str) -> CommandUse:
    """Note that a command was run; its outcome is filled in when the result comes."""
    key = template(text)
    known = evidence.commands.pop(key, None)
    runs = known.runs + 1 if known else 1
    use = evidence.commands[key] = CommandUse(text, evidence.position, runs)
    if len(evidence.commands) > MAX_KEPT:
        del evidence.commands[next(iter(evidence.commands))]
    return use


def note_outcome(evidence: Evidence, use: CommandUse | None, result: Outcome) -> None:
    """Note how a call went: in its command's line where it has one, and the error it ended with."""
    if use:
        use.outcome, use.error, use.failed = result.label, result.error, result.failed
    elif result.error:
        weight = 1.0 if result.failed else 0.4
        note(evidence.errors, result.error, weight, evidence.position, key=template(result.error))


def note_name(evidence: Evidence, group: str, name: str, *, where: str) -> None:
    """Note a name met in a text of `where`: "user", "assistant", "argument", "result" or "summary"."""
    use = evidence.names.get(name)
    if use is None:
        if len(evidence.names) >= MAX_NAMES:
            return
        use = evidence.names[name] = NameUse(name, group, evidence.position)
    use.position = evidence.position
    if where == "result":
        use.in_results += 1
    elif use.last_message != evidence.message:
        use.last_message, use.messages = evidence.message, use.messages + 1
    if where == "argument":
        use.used = evidence.position
    if where == "user":
        use.by_user = evidence.message


def note_names(evidence: Evidence, block: str, *, where: str) -> None:
    """Note the paths and names in a block of text. Names from code are not taken from results: there are too many."""
    if where in ("user", "assistant", "summary"):
        for path in find_paths(block):
            note_file(evidence, path, "named", argument=False, user=where == "user")
    for kind, name in find_names(block):
        if where != "result" or kind not in ("symbol", "number"):
            note_name(evidence, kind, name, where=where)


def note_request(evidence: Evidence, text: str) -> None:
    """Note a user's message: the newest request, unless it only says yes or go on."""
    flat = " ".join(text.split())
    if flat and (not is_trivial(flat) or not evidence.requests):
        if evidence.requests and is_trivial(evidence.requests[-1].text):
            evidence.requests.pop()
        evidence.requests.append(Found(flat, 1.0, evidence.position))
        evidence.newest, evidence.newest_message = flat, evidence.message


def note_said(evidence: Evidence, block: str, speaker: str, *, prior: float, least_rule: float) -> None:
    """Note the sentences of a block: decisions whoever speaks, all as candidates for the notes.

    Sentences that read like a rule with a weight of `least_rule` or more are noted as rules.
    """
    for text in sentences(block):
        position = evidence.position
        if least_rule < NO_RULES and len(text) <= RULE_CHARS and (weight := rule_weight(text)) >= least_rule:
            note(evidence.rules, text, weight, position)
        weight = decision_weight(text)
        plain = not is_filler(text) and not is_heading(text) and not is_code(text)
        if weight >= DECISION_WEIGHT and len(text) >= 16 and plain:
            note(evidence.decisions, text, weight, position)
        if len(evidence.said) < MAX_SENTENCES:
            asks = speaker == "assistant" and text.endswith(("?", "？"))
            worth = DULL_PRIOR if not plain else QUESTION_PRIOR if asks else 1.0 + 0.2 * bool(weight)
            evidence.said.append(Sentence(text, speaker, position, prior * worth))


def focus_terms(focus: str) -> frozenset[str]:
    """The terms of what the caller wants kept above all."""
    return frozenset(terms(focus[:2_000]))
