"""Whether a model's reply may be committed as the summary of its source, and what is wrong with it.

Rules kept here:

- What cannot be put right is a reply that is no summary of its source: in another language, an answer to the user, the
  work of an instruction in tool output. It is not taken.
- What can be put right is asked for once more, with the findings; then it is put right by rule.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.settings import IdentifierPolicy, SummaryForm
from palimpsest.summarize.alike import Known
from palimpsest.summarize.audit.belonging.bindings import misbound
from palimpsest.summarize.audit.belonging.exchanged import exchanged
from palimpsest.summarize.audit.belonging.tables import misread
from palimpsest.summarize.audit.deeds.acts import all_well, undone
from palimpsest.summarize.audit.deeds.claims import untrue
from palimpsest.summarize.audit.deeds.closest import told_as_done
from palimpsest.summarize.audit.deeds.contradictions import ASKED, contradictions, spoken, unapproved
from palimpsest.summarize.audit.deeds.forbidden import against_the_user
from palimpsest.summarize.audit.deeds.plans import tells_deed
from palimpsest.summarize.audit.deeds.settled import never_allowed, outdated, overtaken, ruled_out
from palimpsest.summarize.audit.details import Detail, details_of, lacking
from palimpsest.summarize.audit.exact import Exact, exact_text
from palimpsest.summarize.audit.left_out import Apart, left_out, told_apart
from palimpsest.summarize.audit.names.identifiers import Doubt, doubts
from palimpsest.summarize.audit.names.unheard import strangers
from palimpsest.summarize.audit.people.consent import unsaid, wishes
from palimpsest.summarize.audit.people.demands import WANTED, baseless, rules_in, uncaused, unfounded
from palimpsest.summarize.audit.people.granted import ungranted
from palimpsest.summarize.audit.people.others import unconfirmed
from palimpsest.summarize.audit.people.requests import unasked
from palimpsest.summarize.audit.people.speakers import misattributed
from palimpsest.summarize.audit.people.wished import in_nobodys_name
from palimpsest.summarize.audit.reply.addressed import addressing
from palimpsest.summarize.audit.reply.ahead import Asked, ahead, is_answer
from palimpsest.summarize.audit.reply.answers import before_headings, opening
from palimpsest.summarize.audit.reply.fidelity import (
    Manner,
    foreign_parts,
    foreign_too,
    manner,
    unfaithful,
)
from palimpsest.summarize.audit.reply.planted import planted
from palimpsest.summarize.audit.reply.works import drafts
from palimpsest.summarize.audit.voices import nobodys, overheard
from palimpsest.summarize.cut import Count, clip
from palimpsest.summarize.facts import Facts, facts_of, of_user, untold, without_names
from palimpsest.summarize.forms import FORMS, PLANS, Form
from palimpsest.summarize.secrets.redact import Redactor, protect
from palimpsest.summarize.sentences import PIECE, sentences
from palimpsest.summarize.source import Source
from palimpsest.summarize.traces import is_thin, missed, telling, untold_progress

UNUSABLE = "unusable: "
"""How the reason begins for which a reply was refused that could not be put right."""
MEANT = frozenset((*WANTED, "Decisions", "Open tasks"))
"""Headings under which a name is known that somebody said."""
MAX_NAMED = 12
"""Findings of one kind that are told to the model or kept on record."""
FINDING_CHARS = 160


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a reply is held against. `source` is as the model is shown it, without secrets; `request` its newest request
    of the user, "" for none; `alone` says that no ledger stands beside the summary. `told` is what the user told that
    says no, when or how often, also where the facts leave it to the ledger; `notes` are what else was said, by whom,
    `apart` what of it belongs under a section of its own, `details` what of it is exact.
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
    told: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    apart: Apart = ()
    details: tuple[Detail, ...] = ()

    @property
    def known(self) -> Facts:
        """The facts with all of what was told."""
        return {**self.facts, "Also said by the user": self.told}

    @property
    def beside(self) -> str:
        """What is known to stand beside a summary, or is put into it by rule."""
        return "\n".join((self.request, *(line for lines in self.known.values() for line in lines)))

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
    untold: tuple[str, ...] = ()
    addressed: tuple[str, ...] = ()
    overheard: tuple[str, ...] = ()
    nobodys: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.unusable or len(self))

    def __len__(self) -> int:
        named = (
            self.doubts,
            self.planted,
            self.dropped,
            self.unfounded,
            self.untrue,
            self.foreign,
            self.mixed,
        )
        more = (self.untold, self.addressed, self.overheard, self.nobodys, self.unsaid, self.answers)
        return sum(map(len, (*named, *more)))

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
            *(
                f"only tool output says this, and nobody asked for it: {one}"
                for one in self.overheard[:MAX_NAMED]
            ),
            *(f"nothing in the conversation says this: {one}" for one in self.nobodys[:MAX_NAMED]),
            *(
                f"this answers the newest request instead of telling of it: {one}"
                for one in self.answers[:MAX_NAMED]
            ),
            *(f"this speaks to the user: {one}" for one in self.addressed[:MAX_NAMED]),
            *(f'the section "{heading}" is in another language' for heading in self.foreign),
            *(f"this line is in another language: {line}" for line in self.mixed[:MAX_NAMED]),
            *(f'the section "{heading}" is left out' for heading in self.dropped),
            *(f"it says nothing of this: {one}" for one in (*self.unsaid, *self.untold)[:MAX_NAMED]),
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
    facts, told, notes = yield from facts_of(shown, target_tokens=target_tokens, count=count, alone=alone)
    how = yield from manner(shown, exact.text)
    said = [text for text in shown.requests if text.strip()]
    facts = without_names(facts, how.orders.names)
    notes = tuple(one for one in telling(notes) if not any(planted(one, how.orders)))
    apart = tuple(one for one in told_apart(shown) if not any(planted(one[1], how.orders)))
    request = said[-1] if said else ""
    yield
    exactly = tuple(one for one in details_of(shown, how.languages) if not any(planted(one.line, how.orders)))
    return Grounds(
        shown, redactor, exact, how, facts, form, policy, request, alone, told, notes, apart, exactly
    )


def audit(text: str, grounds: Grounds, *, whole: bool = True) -> Findings:
    """Hold a reply against its grounds. `whole` asks for the sections of its form, where it has any of them."""
    headings = {heading for heading, _ in grounds.shape.parse(text)} - {""}
    unusable = unfaithful(text, grounds.manner, formed=bool(headings))
    newest = _asked(grounds)
    if not unusable and newest and not headings and is_answer(text, newest):
        unusable = "it answers the newest request instead of summarizing the conversation"
    if unusable:
        return Findings(unusable=unusable)
    together = text
    if grounds.form == "prose":
        text = "\n".join(piece for line in text.splitlines() for piece in PIECE.split(line))
    found = doubts(text, grounds.exact) if grounds.policy != "off" else []
    if grounds.policy == "custom":
        found = [doubt for doubt in found if doubt.standing == "invented"]
    whole = whole and grounds.form != "prose"
    formed = whole and bool(headings)
    dropped = tuple(one for one in _expected(text, grounds) if one not in headings) if formed else ()
    obeyed = tuple(planted(text, grounds.manner.orders))
    if grounds.manner.orders:
        never = ungranted(text, grounds.manner.orders.around, grounds.source)
        obeyed = tuple(dict.fromkeys((*obeyed, *unapproved(text, grounds.source), *never)))
    rules = (*of_user(grounds.known), *rules_in(grounds.source.goal))
    wanted = unfounded(text, grounds.shape, grounds.source, grounds.manner.words, rules)
    wrong = untrue(text, grounds.facts, grounds.source)
    known = {said for said, _ in wrong}
    others = [
        *contradictions(text, grounds.facts, grounds.source, grounds.exact),
        *_misplaced(text, grounds),
        *misread(together.splitlines(), grounds.exact.text),
    ]
    wrong.extend(one for one in others if one[0] not in known)
    asked = tuple(one for one in wanted if one not in obeyed)
    strange, mixed = _in_another_language(text, grounds)
    thin = whole and is_thin(text, grounds.notes, grounds.shape)
    untold = tuple(missed(text, grounds.notes)) if thin else ()
    to_user = tuple(dict.fromkeys(_addressed(text, grounds)))
    known = {*obeyed, *asked, *to_user, *(said for said, _ in wrong)}
    read = tuple(one for one in overheard(text, grounds.manner.voices) if one not in known)
    answering = (*drafts(text, newest.source, newest.known), *ahead(text, newest)) if newest else ()
    answers = tuple(
        one for one in dict.fromkeys(answering) if not any(part in one for part in (*known, *read))
    )
    known.update((*read, *answers))
    new = tuple(one for one in nobodys(text, grounds.manner.voices) if one not in known)
    lost = lacking(text, grounds.beside, grounds.details, grounds.shape, dropped) if formed else []
    unsaid = tuple(one.line for one in lost if one.line not in untold)
    return Findings(
        doubts=tuple(found),
        planted=obeyed,
        dropped=dropped,
        unfounded=asked,
        untrue=tuple(wrong),
        foreign=strange,
        mixed=mixed,
        untold=untold,
        addressed=to_user,
        overheard=read,
        nobodys=new,
        unsaid=unsaid,
        answers=answers,
    )


def _in_another_language(text: str, grounds: Grounds) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The headings of whole sections, and the lines of others, in a language that the conversation is not in."""
    sections = [
        one for one in merged(grounds.shape.parse(text)) if one[0] != grounds.shape.request or not one[0]
    ]
    parts = [(heading, *foreign_parts(lines, grounds.manner)) for heading, lines in sections]
    strange = tuple(heading for heading, whole, _ in parts if heading and whole)
    mixed = tuple(line for heading, _, lines in parts if heading not in strange for line in lines)
    rest = [line for heading, lines in sections if heading not in strange for line in lines]
    translated = [*mixed, *(line for heading, lines in sections if heading in strange for line in lines)]
    return strange, mixed + tuple(foreign_too(rest, translated, grounds.manner))


def _addressed(text: str, grounds: Grounds) -> Iterator[str]:
    """The sentences of a reply that speak to the user, and are none of the user's own."""
    said = "\n".join(grounds.source.requests)
    yield from filter(None, (opening(text),))
    parsed = FORMS["sections"].parse(text)
    if len(parsed) > 1 and not parsed[0][0]:
        yield from before_headings(parsed[0][1])
    for heading, lines in parsed:
        yield from addressing(lines, said, grounds.manner.words, wanted=heading in WANTED)


def _asked(grounds: Grounds) -> Asked | None:
    """The newest request, where nothing follows it."""
    how = grounds.manner
    if not how.asked:
        return None
    return Asked(how.asked, Known(how.behind), how.voices.all or Known(how.words), grounds.exact.text)


def _misplaced(text: str, grounds: Grounds) -> list[tuple[str, str]]:
    """What is said of the wrong thing, or in the wrong person's name, or of what nobody did; with what is right."""
    quoted = grounds.shape.request
    told = [(heading, line) for heading, lines in _told(text, grounds) for line in lines]
    done = [line for heading, line in told if heading not in ASKED]
    elsewhere = [
        one
        for heading, line in told
        for one in (sentences(line) if heading in PLANS else [line] * (heading not in ASKED))
        if heading not in PLANS or tells_deed(one, grounds.request)
        if heading != "Files"  # what was done to files is known from calls
    ]
    lines = [line for _, line in told]
    decided = [line for heading, line in told if heading == "Decisions"]
    meant = [line for heading, line in told if heading in MEANT]
    said = spoken(grounds.source)
    asked = [*of_user(grounds.known), *sentences(grounds.source.goal), *wishes(grounds.source)]
    return [
        *outdated(decided, said),
        *overtaken(done, grounds.source),
        *ruled_out(done, said),
        *((one, "") for one in unasked(text, grounds.source) if not quoted or not grounds.request),
        *never_allowed(lines, asked),
        *misbound(lines, grounds.exact.text, grounds.source),
        *exchanged(lines, grounds.exact.text),
        *misattributed(lines, grounds.source),
        *((one, "") for one in unsaid("\n".join(lines), grounds.source)),
        *((one, "") for one in in_nobodys_name("\n".join(lines), grounds.source)),
        *((one, "") for one in unconfirmed(lines, grounds.source)),
        *((one, "") for one in undone(done, grounds.source)),
        *((one, "") for one in all_well(lines, grounds.source)),
        *((one, "") for one in told_as_done(elsewhere, grounds.source)),
        *((one, "") for one in against_the_user(done, asked, grounds.source)),
        *((one, "") for one in baseless(decided, grounds.manner.words)),
        *((one, "") for one in strangers(meant, grounds.exact)),
        *((one, "") for one in uncaused("\n".join(done), grounds.manner.words)),
    ]


def _told(text: str, grounds: Grounds) -> Iterator[tuple[str, list[str]]]:
    """The sections of a reply that tell something: all but the user's newest request."""
    quoted = grounds.shape.request
    for heading, lines in FORMS["sections"].parse(text):
        if not quoted or heading != quoted:
            yield heading, [line for line in lines if line.strip()]


def _expected(text: str, grounds: Grounds) -> tuple[str, ...]:
    """The headings that a whole summary has: all of the page's, and of ours those that something belongs under which it
    says nowhere else.
    """
    if grounds.form == "page":
        return grounds.shape.asked
    belonging = {*untold(text, grounds.facts, grounds.shape)}
    if untold_progress(text, grounds.notes, grounds.shape):
        belonging.add("Progress")
    belonging.update(heading for heading, _ in left_out(text, grounds.apart, grounds.shape))
    return tuple(heading for heading in grounds.shape.headings if heading in belonging)


def merged(parsed: Sequence[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    """Sections with those of one heading made one; what a section says twice, once."""
    found: dict[str, list[str]] = {}
    for heading, lines in parsed:
        held = found.setdefault(heading, [])
        held.extend(line for line in lines if heading == "" or not line.strip() or line not in held)
    return list(found.items())
