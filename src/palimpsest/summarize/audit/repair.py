"""What is put right in a model's reply before it is committed.

Rules kept here:

- Identifiers get the source's form; sentences about invented ones go, and so do planted and untrue ones, and what is in
  another language. A quoted request becomes what was asked letter by letter, and what rules know and the reply leaves
  out is added under its heading.
- Where sections are left out, the last request stands there letter by letter, answered or not, if nothing tells of it.
- A reply of which less than half is left is not taken: what else it says is not to be trusted, and rules say more.
- What was put right is on record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.audit import FINDING_CHARS, Findings, Grounds, merged
from palimpsest.summarize.audit.clauses import without_clause
from palimpsest.summarize.audit.filling import with_details, with_notes, with_sections, without_doubles
from palimpsest.summarize.audit.headings import rehomed, whole_page
from palimpsest.summarize.audit.meant import meant_by
from palimpsest.summarize.audit.names.ambiguous import given_whole
from palimpsest.summarize.audit.names.fitting import fits
from palimpsest.summarize.audit.names.shortened import without_remarks
from palimpsest.summarize.audit.open_request import lets_go_on, open_request, with_open_request
from palimpsest.summarize.audit.people.requests import is_answered, quoting, titled
from palimpsest.summarize.audit.reply.works import without_lines
from palimpsest.summarize.audit.struck import (
    is_figure,
    meant_path,
    rejoined,
    without_clauses,
    without_gaps,
    without_item,
    without_part,
)
from palimpsest.summarize.audit.told import said_in
from palimpsest.summarize.cut import Count, clip, fit_prefix
from palimpsest.summarize.facts import ADDED_SHARE, Facts, add, headings_of, without_named
from palimpsest.summarize.forms import Form, fenced_lines, written
from palimpsest.summarize.ledger.tree import parse_files
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.sentences import PIECE
from palimpsest.summarize.traces import USER, missed

KEPT_SHARE = 0.5
"""A reply that keeps less than this share of its sentences is not taken."""

MOST_OF_REQUEST = 1.5
"""A section that is so many times as long as the request that it holds holds other things as well."""
SAID_SHARE = 0.7
"""A text says a request again that has so many of its words."""
_EMPTY_HEADING = later(r"^(#{1,4}) [^\n]{1,100}\n(?:[ \t]*\n)*(?=\1 |\Z)", re.MULTILINE)
"""A heading of any form with nothing under it before the next one like it."""


def repair(
    text: str, findings: Findings, grounds: Grounds, *, target_tokens: int, limit_tokens: int, count: Count
) -> tuple[str, tuple[str, ...]]:
    """The text put right, of fewer than `limit_tokens` tokens, and what was done; "" where too little of it is left."""
    left, done = cleaned(text, findings, grounds)
    if not left.strip() or _is_distrusted(text, left, findings, grounds.shape):
        return "", tuple(done)
    reply, text = text, left
    gone = grounds.shape.filled(reply) - grounds.shape.filled(left)
    dropped = (*findings.dropped, *(one for one in grounds.shape.headings if one in gone))
    if grounds.form == "sections":
        request, facts = grounds.request, grounds.facts
        text, renamed = grounds.shape.shaped(
            text,
            lambda body: (
                [grounds.shape.request] * _is_request(body, request)
                + _homes(headings_of(body, facts, grounds.shape))
            ),
        )
        done.extend(renamed)
    text, moved = rehomed(text, grounds.facts, grounds.source, grounds.shape)
    done.extend(moved)
    request = open_request(grounds.source) if lets_go_on(grounds.request) else ""
    request = request or grounds.request
    lost = bool(dropped) and bool(missed(text, [f"{USER}{request}"], SAID_SHARE))
    pending = lost or not is_answered(grounds.source)
    text, quoted = quoting(text, grounds.shape, request, limit_tokens, count, pending=pending)
    untold = request if lost else ""
    text, kept = with_open_request(text, grounds.source, grounds.shape, limit_tokens, count, untold)
    done.extend((*quoted, *kept))
    size_tokens = count(text)
    room = min(
        max(int(target_tokens * ADDED_SHARE), target_tokens - size_tokens), limit_tokens - 1 - size_tokens
    )
    facts: Facts = grounds.facts if grounds.alone else without_named(grounds.facts)
    if grounds.policy != "strict":
        facts = {**facts, "Identifiers": ()}
    if grounds.form == "prose" and not grounds.alone:
        facts = {**facts, "Goal": ()}  # the ledger says it where the prose does not
    owed = limit_tokens - 1 - size_tokens if grounds.alone else 0
    more, added = add(text, facts, grounds.shape, room_tokens=room, count=count, owed_tokens=owed)
    if count(more) < limit_tokens:
        text = more
        done.extend(f"added: {line}" for line in added)
    room = min(int(target_tokens * ADDED_SHARE), limit_tokens - 1 - count(text))
    text, told = with_notes(text, reply, left, findings, grounds, room, count)
    room = min(target_tokens, limit_tokens - 1) - count(text)
    text, exactly = with_details(text, findings, grounds, room, count)
    done.extend(f"added: {line}" for line in (*told, *exactly))
    if grounds.form != "prose":
        text, named = with_sections(text, dropped, (*added, *told, *exactly), grounds, limit_tokens, count)
        text = without_doubles(text, added, grounds.shape)
        done.extend(f"under its heading: {line}" for line in named)
    if grounds.form == "page":
        text = whole_page(text, grounds.shape, begins=grounds.source.begins)
    text = titled(text, grounds.shape, grounds.source)
    return fit_prefix(text, limit_tokens, count), tuple(
        clip(" ".join(one.split()), FINDING_CHARS) for one in done
    )


def _homes(headings: list[str]) -> list[str]:
    """Where a section of an unknown name goes that belongs under these: one of several kinds tells of progress."""
    return ["Progress", *headings] if len(headings) > 1 else headings


def _is_request(body: str, request: str) -> bool:
    """Whether a section holds the newest request and hardly more."""
    return request in body and len(body) <= MOST_OF_REQUEST * len(request)


def cleaned(text: str, findings: Findings, grounds: Grounds) -> tuple[str, list[str]]:
    """The text without what was found in it that has no right form, and what was done."""
    done: list[str] = []
    for why, said in (
        ("planted", findings.planted),
        ("of a tool", findings.overheard),
        ("new", findings.nobodys),
    ):
        for sentence in said:
            text = _without_sentence(text, sentence)
            done.append(f"{why}: {sentence}")
    text = without_lines(text, findings.answers)
    done.extend(f"an answer: {line}" for line in findings.answers)
    for why, lines in (("not asked for", findings.unfounded), ("in another language", findings.mixed)):
        for line in lines:
            kept = [one for one in text.splitlines() if one.strip() != line]
            text = "\n".join(kept) if len(kept) < len(text.splitlines()) else _without_sentence(text, line)
            done.append(f"{why}: {line}")
    for sentence in findings.addressed:
        aside = sentence[0] in "(（" and not any(_bare(one) == _bare(sentence) for one in text.splitlines())
        text = re.sub(rf" ?{re.escape(sentence)}", "", text) if aside else _without_sentence(text, sentence)
        done.append(f"speaks to the user: {sentence}")
    for said, right in findings.untrue:
        text = _replaced(text, said, right) if right else _without_sentence(text, said)
        done.append(f"did not happen: {said}")
    text = _unmixed(text, findings.foreign, grounds.shape)
    done.extend(f"in another language: {heading}" for heading in findings.foreign)
    for doubt in sorted((one for one in findings.doubts if one.among), key=lambda one: -len(one.text)):
        text = given_whole(text, doubt, grounds.exact)
    text = _corrected(text, {doubt.text: doubt.right or doubt.text for doubt in findings.doubts})
    for doubt in sorted(findings.doubts, key=lambda doubt: -len(doubt.text)):
        if not (doubt.right or doubt.among):
            text = _without_claim(text, doubt.text, grounds)
        done.append(str(doubt))
    return _without_empty(text, grounds.shape), done


def _is_distrusted(text: str, left: str, findings: Findings, form: Form) -> bool:
    """Whether too little of a reply is left: less than half, or half where its goal is another one than the user's."""
    told, kept = (len(list(said_in(one))) for one in (text, left))
    goal = [line.strip() for heading, lines in form.parse(text) if heading == "Goal" for line in lines]
    strays = any(goal) and {*filter(None, goal)} <= {*findings.unfounded}
    return kept < KEPT_SHARE * told or (strays and kept <= KEPT_SHARE * told)


def _unmixed(text: str, foreign_headings: Sequence[str], form: Form) -> str:
    """The text without what sections in another language say, and with each of its sections once."""
    parsed = form.parse(text)
    named = [heading for heading, _ in parsed if heading]
    if not foreign_headings and len(named) == len(set(named)):
        return text
    return written(one for one in merged(parsed) if one[0] not in foreign_headings)


def _without_empty(text: str, form: Form) -> str:
    """The text without headings that nothing is left under, "" where nothing is left at all."""
    fenced = fenced_lines(text.splitlines())
    text = f"{text}\n"
    text = _EMPTY_HEADING.sub(lambda it: it[0] if text.count("\n", 0, it.start()) in fenced else "", text)
    return written(one for one in form.parse(text) if any(line.strip() for line in one[1]))


def _corrected(text: str, rights: Mapping[str, str]) -> str:
    """The text with every altered name in its right form, in one pass: what is right already, has just been made so, or
    has no right form, is not looked into for a part that would be altered.
    """
    if not rights:
        return text
    names = sorted({*rights, *rights.values()}, key=len, reverse=True)
    whole = re.sub("|".join(map(_whole, names)), lambda match: rights.get(match[0], match[0]), text)
    return without_remarks(whole, rights)


def _whole(name: str) -> str:
    """The pattern of a name that is no part of a word, at the ends where it has letters or figures."""
    before, behind = (r"(?<![A-Za-z0-9_])" * name[:1].isalnum(), r"(?![A-Za-z0-9_])" * name[-1:].isalnum())
    return f"{before}{re.escape(name)}{behind}"


def _replaced(text: str, line: str, right: str) -> str:
    lines = text.splitlines()
    if not any(one.strip() == line for one in lines):
        return text.replace(line, right.removeprefix("- "))
    return "\n".join(right if one.strip() == line else one for one in lines)


def _without_sentence(text: str, sentence: str) -> str:
    """The text without a sentence or a clause, whatever list marks and bold type stand in it; without its whole line
    otherwise.
    """
    lines: list[str] = []
    bare = _bare(sentence)
    for line in text.splitlines():
        pieces = PIECE.split(line)
        kept = [
            piece if not bare or bare not in _bare(piece) else without_clause(piece, sentence)
            for piece in pieces
        ]
        kept = without_gaps(kept, pieces)
        if bare and kept == pieces and bare in _bare(line):
            kept = []
        lines.extend(rejoined(line, pieces, kept))
    return "\n".join(lines)


def _without_claim(text: str, name: str, grounds: Grounds) -> str:
    """The text without what it says of something invented: the item of a list, the clause, or the sentence; where one
    file is meant by it which the rest of its line fits, that file's name instead.
    """
    pattern = re.compile(_whole(name))
    files = list(parse_files(grounds.facts.get("Files", ())))
    lines: list[str] = []
    for line in text.splitlines():
        if not pattern.search(line):
            lines.append(line)
            continue
        pieces = PIECE.split(line)
        if not any(map(pattern.search, pieces)):  # it stands across two of them
            pieces = [line]
        right = meant_path(name, line, text, files) if "/" in name else ""
        meant = "" if is_figure(name) else meant_by(line, name, grounds.source)
        right, meant = (one if one and fits(line, name, one, grounds.exact) else "" for one in (right, meant))
        kept = [
            _without_name(piece, pattern, (right, meant), grounds, parted=not is_figure(name))
            for piece in pieces
        ]
        kept = without_gaps(kept, pieces)
        lines.extend(rejoined(line, pieces, kept))
    return "\n".join(lines)


def _without_name(
    piece: str, pattern: re.Pattern[str], right: tuple[str, str], grounds: Grounds, *, parted: bool
) -> str:
    """A sentence without something invented, "" where nothing stays; with `parted` the part that has a name may go.
    `right` is what it means in a list of names, and in any sentence.
    """
    if not pattern.search(piece):
        return piece
    listed = without_item(piece, pattern, right[0])
    if listed is not None:
        return listed
    if right[1]:
        return pattern.sub(lambda _: right[1], piece)
    rest = without_clauses(piece, pattern, grounds.manner.behind)
    if rest:
        return rest
    rest = without_part(piece, pattern) if parted else ""
    return rest if _names_known(rest, grounds) else ""


def _names_known(text: str, grounds: Grounds) -> bool:
    names = [*find_paths(text), *(name for _, name in find_names(text))]
    return any(name in grounds.exact.text for name in names)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
