"""Whether a model's reply may be committed as the summary of its source, and what is put right in it before it is.

Rules kept here:

- What cannot be put right is a reply that is no summary of its source: in another language, an answer to the user, the
  work of an instruction in tool output. It is not taken.
- What can be put right is asked for once more, with the findings; then it is put right by rule: identifiers get the
  source's form, sentences about invented ones go, so do planted and untrue ones, a quoted request becomes what was
  asked letter by letter, and what rules know and the reply leaves out is added under its heading.
- What was put right is on record.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.settings import IdentifierPolicy, SummaryForm
from palimpsest.summarize.audit.acts import undone
from palimpsest.summarize.audit.bindings import misbound, outdated
from palimpsest.summarize.audit.claims import untrue
from palimpsest.summarize.audit.consent import unsaid, wishes
from palimpsest.summarize.audit.contradictions import ASKED, contradictions, spoken, unapproved
from palimpsest.summarize.audit.demands import WANTED, baseless, rules_in, uncaused, unfounded
from palimpsest.summarize.audit.exact import Exact, exact_text
from palimpsest.summarize.audit.fidelity import Manner, foreign, foreign_lines, manner, planted, unfaithful
from palimpsest.summarize.audit.identifiers import Doubt, doubts
from palimpsest.summarize.audit.others import unconfirmed
from palimpsest.summarize.audit.requests import quoting, titled, unasked
from palimpsest.summarize.audit.settled import never_allowed, overtaken, ruled_out
from palimpsest.summarize.audit.speakers import misattributed
from palimpsest.summarize.audit.unheard import strangers
from palimpsest.summarize.cut import Count, clip, fit_prefix
from palimpsest.summarize.facts import ADDED_SHARE, Facts, add, facts_of, untold, without_named, without_names
from palimpsest.summarize.forms import FORMS, Form
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.secrets.redact import Redactor, protect
from palimpsest.summarize.sentences import NO_END, NO_ORDINAL, sentences
from palimpsest.summarize.source import MessageEntry, Source

UNUSABLE = "unusable: "
"""How the reason begins for which a reply was refused that could not be put right."""
REMOVED = "[removed]"
NOTHING_KNOWN = "- (nothing known)"
SAID_BEFORE = "- (said before this part)"
"""Under a goal that the model left out, where the user has stated it before the source."""
MEANT = frozenset((*WANTED, "Decisions", "Open tasks"))
"""Headings under which a name is known that somebody said."""
MAX_NAMED = 12
"""Findings of one kind that are told to the model or kept on record."""
FINDING_CHARS = 160

_EMPTY_HEADING = later(r"^(#{1,4}) [^\n]{1,100}\n(?:[ \t]*\n)*(?=\1 |\Z)", re.MULTILINE)
"""A heading of any form with nothing under it before the next one like it."""
_PIECE = later(r"(?<=[.!?;])" + NO_END + r"\s+" + NO_ORDINAL + r"|(?<=[。！？；])")
_BULLET = later(r"\s{0,12}(?:[-*•]|\d{1,3}[.)])?\s{0,4}(?:\*\*[^*\n]{1,60}\*\*:?)?[\s.,:;-]*")


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a reply is held against. `source` is as the model is shown it, without secrets; `request` its newest request
    of the user, "" for none; `alone` says that no ledger stands beside the summary.
    """

    source: Source
    redactor: Redactor
    exact: Exact
    manner: Manner
    facts: Facts
    form: SummaryForm
    policy: IdentifierPolicy
    request: str = ""
    alone: bool = False

    @property
    def shape(self) -> Form:
        return FORMS[self.form]


@dataclass(frozen=True, slots=True)
class Findings:
    """What is wrong with a reply. `unusable` says why it is no summary at all; the rest can be put right."""

    unusable: str = ""
    doubts: tuple[Doubt, ...] = ()
    planted: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    unfounded: tuple[str, ...] = ()
    untrue: tuple[tuple[str, str], ...] = ()
    foreign: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unusable or len(self))

    def __len__(self) -> int:
        named = (self.doubts, self.planted, self.dropped, self.unfounded, self.untrue)
        return sum(map(len, (*named, self.foreign, self.mixed)))

    def told(self) -> tuple[str, ...]:
        """The findings as lines, for the model and for the record."""
        if self.unusable:
            return (self.unusable,)
        lines = [
            *(str(doubt) for doubt in self.doubts[:MAX_NAMED]),
            *(
                f"it states what only an instruction in tool output says: {one}"
                for one in self.planted[:MAX_NAMED]
            ),
            *(f"the user did not ask for this: {one}" for one in self.unfounded[:MAX_NAMED]),
            *(
                f"this did not happen: {said}{f' (known: {right})' * bool(right)}"
                for said, right in self.untrue
            ),
            *(f'the section "{heading}" is in another language' for heading in self.foreign),
            *(f"this line is in another language: {line}" for line in self.mixed[:MAX_NAMED]),
            *(f'the section "{heading}" is left out' for heading in self.dropped),
        ]
        return tuple(clip(line, FINDING_CHARS) for line in lines)


def grounds_of(
    source: Source,
    *,
    form: SummaryForm,
    policy: IdentifierPolicy,
    target_tokens: int,
    count: Count,
    known: Redactor | None = None,
    alone: bool = False,
) -> Generator[None, None, Grounds]:
    """Everything that a model is given for a summary and that its reply is held against; yields between small pieces
    of work. `known` are secrets of other sources, `alone` as in `Grounds`.
    """
    shown, redactor = yield from protect(source, known)
    exact = exact_text(shown)
    yield
    facts = yield from facts_of(shown, target_tokens=target_tokens, count=count)
    how = yield from manner(shown, exact.text)
    said = [
        entry.message.text
        for entry in shown.entries
        if isinstance(entry, MessageEntry) and entry.message.role == "user" and entry.message.text.strip()
    ]
    facts = without_names(facts, how.planted_names)
    return Grounds(shown, redactor, exact, how, facts, form, policy, said[-1] if said else "", alone)


def audit(text: str, grounds: Grounds, *, whole: bool = True) -> Findings:
    """Hold a reply against its grounds. `whole` asks for the sections of its form, where it has any of them."""
    headings = {heading for heading, _ in grounds.shape.parse(text)} - {""}
    unusable = unfaithful(text, grounds.manner, formed=bool(headings))
    if unusable:
        return Findings(unusable)
    found = doubts(text, grounds.exact) if grounds.policy != "off" else []
    if grounds.policy == "custom":
        found = [doubt for doubt in found if doubt.standing == "invented"]
    whole = whole and bool(headings) and grounds.form != "prose"
    dropped = tuple(one for one in _expected(text, grounds) if one not in headings) if whole else ()
    obeyed = tuple(planted(text, grounds.manner))
    if grounds.manner.planted:
        obeyed = tuple(dict.fromkeys((*obeyed, *unapproved(text, grounds.source))))
    rules = (*grounds.facts.get("Constraints", ()), *rules_in(grounds.source.goal))
    wanted = unfounded(text, grounds.shape, grounds.source, grounds.manner.words, rules)
    wrong = untrue(text, grounds.facts, grounds.source)
    known = {said for said, _ in wrong}
    others = [*contradictions(text, grounds.facts, grounds.source, grounds.exact), *_misplaced(text, grounds)]
    wrong.extend(one for one in others if one[0] not in known)
    asked = tuple(one for one in wanted if one not in obeyed)
    sections = [
        one for one in _merged(grounds.shape.parse(text)) if one[0] != grounds.shape.request or not one[0]
    ]
    strange = tuple(heading for heading, lines in sections if heading and foreign(lines, grounds.manner))
    mixed = tuple(
        line
        for heading, lines in sections
        if heading not in strange
        for line in foreign_lines(lines, grounds.manner)
    )
    return Findings("", tuple(found), obeyed, dropped, asked, tuple(wrong), strange, mixed)


def _misplaced(text: str, grounds: Grounds) -> list[tuple[str, str]]:
    """What is said of the wrong thing, or in the wrong person's name, or of what nobody did; with what is right."""
    quoted = grounds.shape.request
    told = [
        (heading, line)
        for heading, lines in FORMS["sections"].parse(text)
        for line in lines
        if line.strip() and (not quoted or heading != quoted)
    ]
    done = [line for heading, line in told if heading not in ASKED]
    lines = [line for _, line in told]
    decided = [line for heading, line in told if heading == "Decisions"]
    meant = [line for heading, line in told if heading in MEANT]
    said = spoken(grounds.source)
    asked = (
        *grounds.facts.get("Constraints", ()), *sentences(grounds.source.goal), *wishes(grounds.source)
    )  # fmt: skip
    return [
        *outdated(decided, said),
        *overtaken(done, grounds.source),
        *ruled_out(done, said),
        *((one, "") for one in unasked(text, grounds.source) if not quoted or not grounds.request),
        *never_allowed(lines, asked),
        *misbound(lines, grounds.exact.text, grounds.source),
        *misattributed(lines, grounds.source),
        *((one, "") for one in unsaid("\n".join(lines), grounds.source)),
        *((one, "") for one in unconfirmed(lines, grounds.source)),
        *((one, "") for one in undone(done, grounds.source)),
        *((one, "") for one in baseless(decided, grounds.manner.words)),
        *((one, "") for one in strangers(meant, grounds.exact)),
        *((one, "") for one in uncaused("\n".join(done), grounds.manner.words)),
    ]


def _expected(text: str, grounds: Grounds) -> tuple[str, ...]:
    """The headings that a whole summary has: all of the page's, and of ours those that something belongs under which it
    says nowhere else.
    """
    if grounds.form == "page":
        return grounds.shape.headings
    belonging = untold(text, grounds.facts, grounds.shape)
    return tuple(heading for heading in grounds.shape.headings if heading in belonging)


def repair(
    text: str, findings: Findings, grounds: Grounds, *, target_tokens: int, limit_tokens: int, count: Count
) -> tuple[str, tuple[str, ...]]:
    """The text put right, of fewer than `limit_tokens` tokens, and what was done; "" where nothing is left of it."""
    done: list[str] = []
    for sentence in findings.planted:
        text = _without_sentence(text, sentence)
        done.append(f"planted: {sentence}")
    for why, lines in (("not asked for", findings.unfounded), ("in another language", findings.mixed)):
        for line in lines:
            text = "\n".join(one for one in text.splitlines() if one.strip() != line)
            done.append(f"{why}: {line}")
    for said, right in findings.untrue[:MAX_NAMED]:
        text = _replaced(text, said, right) if right else _without_sentence(text, said)
        done.append(f"did not happen: {said}")
    text = _unmixed(text, findings.foreign, grounds.shape)
    done.extend(f"in another language: {heading}" for heading in findings.foreign)
    text = _corrected(text, {doubt.text: doubt.right or doubt.text for doubt in findings.doubts})
    for doubt in sorted(findings.doubts, key=lambda doubt: -len(doubt.text)):
        if not doubt.right:
            text = _without_claim(text, re.compile(_whole(doubt.text)), grounds)
        done.append(str(doubt))
    text = _without_empty(text, grounds.shape)
    if not text.strip():
        return "", tuple(done)
    text, quoted = quoting(text, grounds.shape, grounds.request, limit_tokens, count)
    done.extend(quoted)
    size_tokens = count(text)
    room = min(
        max(int(target_tokens * ADDED_SHARE), target_tokens - size_tokens), limit_tokens - 1 - size_tokens
    )
    facts: Facts = grounds.facts if grounds.alone else without_named(grounds.facts)
    if grounds.policy != "strict":
        facts = {**facts, "Identifiers": ()}
    if grounds.form == "prose" and not grounds.alone:
        facts = {**facts, "Goal": ()}  # the ledger says it where the prose does not
    more, added = add(text, facts, grounds.shape, room_tokens=room, count=count)
    if count(more) < limit_tokens:
        text = more
        done.extend(f"added: {line}" for line in added)
    if grounds.form == "page":
        text = _whole_page(text, grounds.shape, begins=grounds.source.begins)
    text = titled(text, grounds.shape, grounds.source)
    return fit_prefix(text, limit_tokens, count), tuple(
        clip(" ".join(one.split()), FINDING_CHARS) for one in done
    )


def _merged(parsed: Sequence[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Sections with those of one heading made one; what a section says twice, once."""
    found: dict[str, list[str]] = {}
    for heading, lines in parsed:
        held = found.setdefault(heading, [])
        held.extend(line for line in lines if heading == "" or not line.strip() or line not in held)
    return list(found.items())


def _unmixed(text: str, foreign_headings: Sequence[str], form: Form) -> str:
    """The text without what sections in another language say, and with each of its sections once."""
    parsed = form.parse(text)
    named = [heading for heading, _ in parsed if heading]
    if not foreign_headings and len(named) == len(set(named)):
        return text
    kept = [(heading, lines) for heading, lines in _merged(parsed) if heading not in foreign_headings]
    return "\n".join(
        "\n".join([f"## {heading}", *lines] if heading else lines) for heading, lines in kept
    ).strip()


def _without_empty(text: str, form: Form) -> str:
    """The text without headings that nothing is left under, "" where nothing is left at all."""
    text = _EMPTY_HEADING.sub("", f"{text}\n")
    parsed = [(heading, lines) for heading, lines in form.parse(text) if any(line.strip() for line in lines)]
    return "\n".join("\n".join([f"## {heading}", *lines] if heading else lines) for heading, lines in parsed)


def _whole_page(text: str, form: Form, *, begins: bool) -> str:
    """A text in sections with all of the page's, in its order."""
    found: dict[str, list[str]] = {}
    for heading, lines in form.parse(text):
        found.setdefault(heading, []).extend(lines)
    if not any(found):
        return text
    first = "\n".join(found.get("", ())).strip()
    if not begins:
        found.setdefault("Goal", [SAID_BEFORE])
    sections = ["\n".join([f"## {one}", *found.get(one, (NOTHING_KNOWN,))]) for one in form.headings]
    return "\n".join([first, *sections] if first else sections)


def _corrected(text: str, rights: Mapping[str, str]) -> str:
    """The text with every altered name in its right form, in one pass: what is right already, has just been made so, or
    has no right form, is not looked into for a part that would be altered.
    """
    if not rights:
        return text
    names = sorted({*rights, *rights.values()}, key=len, reverse=True)
    return re.sub("|".join(map(_whole, names)), lambda match: rights.get(match[0], match[0]), text)


def _whole(name: str) -> str:
    """The pattern of a name that is no part of a word."""
    return rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])" if name[:1].isalnum() else re.escape(name)


def _replaced(text: str, line: str, right: str) -> str:
    return "\n".join(right if one.strip() == line else one for one in text.splitlines())


def _without_sentence(text: str, sentence: str) -> str:
    """The text without a sentence, whatever list marks and bold type stand in it; without its whole line otherwise."""
    lines: list[str] = []
    for line in text.splitlines():
        pieces = _PIECE.split(line)
        kept = [piece for piece in pieces if _bare(sentence) not in _bare(piece) or not _bare(sentence)]
        if len(kept) == len(pieces) and _bare(sentence) in _bare(line):
            kept = []
        lines.extend(_rejoined(line, pieces, kept))
    return "\n".join(lines)


def _without_claim(text: str, pattern: re.Pattern[str], grounds: Grounds) -> str:
    """The text without the sentences about something invented; where a sentence also names what the source has, only
    the name goes.
    """
    lines: list[str] = []
    for line in text.splitlines():
        if not pattern.search(line):
            lines.append(line)
            continue
        pieces = _PIECE.split(line)
        if not any(map(pattern.search, pieces)):  # it stands across two of them
            pieces = [line]
        kept: list[str] = []
        for piece in pieces:
            rest = pattern.sub(REMOVED, piece)
            if rest == piece or _names_known(rest, grounds):
                kept.append(rest)
        lines.extend(_rejoined(line, pieces, kept))
    return "\n".join(lines)


def _names_known(text: str, grounds: Grounds) -> bool:
    names = [*find_paths(text), *(name for _, name in find_names(text))]
    return any(name in grounds.exact.text for name in names)


def _rejoined(line: str, pieces: list[str], kept: list[str]) -> list[str]:
    """A line of what was kept of its pieces; none where only its mark is left."""
    if kept == pieces:
        return [line]
    rest = " ".join(kept).rstrip(" ;；、")
    mark = _BULLET.match(line)
    if (
        rest
        and mark
        and kept[0] is not pieces[0]
        and kept[0] != pieces[0]
        and not rest.startswith(mark[0].strip() or " ")
    ):
        rest = f"{mark[0]}{rest}" if mark[0].strip() in ("-", "*", "•") else rest
    return [rest] if not _BULLET.fullmatch(rest) else []


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
