"""Whether a reply is a summary of its source at all: in its language, about it, and not obeying what it says.

Rules kept here:

- Words of the conversation decide, not those of tool output: a session in Chinese stays one with English logs. The
  user's language is one of the conversation's however little the user says.
- Of a reply of which half is what an instruction in tool output said, all is distrusted.
- A reply without words is none, nor is one that fills in nothing, or goes round in a loop.
- Short replies are given the benefit of the doubt: too few words to judge by. But of a conversation that says much, a
  summary names a few things at least: a greeting, "it is done" and a bare value name nothing that was said before the
  newest request. Two clauses about two things are enough ("flight done; hotel next").
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.record.message import Text
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.chinese import is_chinese
from palimpsest.summarize.audit.languages import (
    FEW_LETTERS,
    LATIN,
    LITTLE,
    agree,
    heard,
    is_other,
    is_other_script,
    languages,
    latin_letters,
    other_language,
    speaks_latin,
    unquoted,
)
from palimpsest.summarize.audit.reply.addressed import QUOTED
from palimpsest.summarize.audit.reply.answers import answering
from palimpsest.summarize.audit.reply.planted import SLICE_CHARS, Orders, orders_in, planted
from palimpsest.summarize.audit.reply.works import laid_out
from palimpsest.summarize.audit.told import said_in
from palimpsest.summarize.audit.voices import Voices, is_elsewhere, voices_of, weight
from palimpsest.summarize.forms import EMPTY
from palimpsest.summarize.sentences import PIECE, sentences, terms, without_fences, without_scaffold
from palimpsest.summarize.source import MessageEntry, Source

LOOK_CHARS = 4_000
"""Characters of one message in which language and orders are sought, from its beginning."""
SPOKEN_CHARS = 20_000
TERSE_LETTERS = 200
"""Up to here, Latin letters without little words are taken for technical terms of any language."""
MIN_TERMS = 14
KNOWN_SHARE, KNOWN_FORMS_SHARE = 0.3, 0.45
"""A reply of so many different words, of which fewer than this share stand in the source, is about something else."""
MUCH_TERMS, LEAST_TERMS, BARE_TERMS = 45, 2, 3
"""Of a source with so many different words, numbers apart, before its newest request, a summary has so many at least;
a bare reply more ..."""
BARE_WORDS = 3
"""... which is one of fewer words, or of so many with the signs of code."""
TWO_TERMS, EXACT_CHARS = 2, 3
"""Such words of two clauses that are enough, and signs of an exact name or number."""
OURS_SHARE = 0.6
"""A reply of which so much is left without its lines in another language is in the conversation's."""
OBEYED_SHARE = 0.5
"""A reply of which this share of the sentences was planted obeys."""
ECHOED_SHARE = 0.5
"""A reply of which this share of the sentences stands in its prompt repeats it."""
LOOPING_SENTENCES, LOOPING_SHARE = 12, 0.3
"""Of so many sentences, so few different ones: the model went round in a loop."""

_CODE = later(
    r"`[^`\n]{1,300}`|https?://[!-~]{1,400}|(?<!\S)[\u2e80-\u9fff\uac00-\ud7af]{1,4}[:：](?=[!-~]{1,200}[/\\])|"
    r"(?<![^\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef])[^\s/\\_=<>{}\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]{0,200}"
    r"[/\\_=<>{}][^\s\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]{0,300}|^#{1,4}.*$",
    re.MULTILINE,
)

_REPEATING = later(r"^</?conversation>$|^<message id=\"|^\[result of \w{1,60}\] ", re.MULTILINE)
_FRAME = later(
    r"\[CONTEXT COMPACTION\]|</?[A-Za-z_]{1,30}\b[^<>\n]{0,300}>|^#{1,4}(?!\d).*$|^\s{0,8}```.*$",
    re.MULTILINE,
)
"""What stands around the words of a summary."""
_CLAUSE, _SIGNS = later(r"[,;.!?]\s|[，；。、！？\n]"), later(r"[=(){}<>]")
_UNFILLED = later(
    r"^\s{0,8}(?:[-*•]\s{0,4})?(?:\[(?! ?[xX ]?\]|secret:)[^\]\n]{2,120}\]|<[^<>\n]{2,120}>|"
    r"\{\{[^{}\n]{1,120}\}\}|\{\s{0,4}\}|\[\s{0,4}\]|"
    rf"{EMPTY}|ok(?:ay)?|undefined|empty|tbd|todo|[A-Za-z0-9+/=]{{40,}})[.!]?\s*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that holds the place of something, says that there is nothing, or is one long string of signs."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a source speaks: its languages, the words in it, those of them that stand not in its newest request alone,
    what orders in tool output say, and who says which of the words. `asked` is the newest request where nothing
    follows it, else "".
    """

    languages: frozenset[str]
    words: frozenset[str]
    behind: frozenset[str]
    orders: Orders
    voices: Voices
    asked: str = ""


def manner(source: Source, text: str) -> Generator[None, None, Manner]:
    """The manner of a source; `text` is all of it. Yields between small pieces of work."""
    said: list[str] = []
    asked: list[str] = []
    for entry in source.entries:
        if not isinstance(entry, MessageEntry):
            said.append(entry.summary.text[:LOOK_CHARS])
            continue
        for part in entry.message.parts:
            if isinstance(part, Text) and entry.message.role in ("user", "assistant"):
                words = (
                    without_scaffold(part.text[:LOOK_CHARS]) if entry.message.role == "user" else part.text
                )
                spoken = asked if entry.message.role == "user" else said
                spoken.append(without_fences(words[:LOOK_CHARS]))
    newest = _newest_request(source)
    rest = text.replace(newest, "\n") if newest else text
    behind: set[str] = set()
    for start in range(0, len(rest), SLICE_CHARS):
        behind.update(terms(rest[start : start + SLICE_CHARS]))
        yield
    vocabulary = behind | set(terms(newest[:SPOKEN_CHARS]))
    user, others = "\n".join(asked)[:SPOKEN_CHARS], "\n".join(said)[:SPOKEN_CHARS]
    spoken_in = languages(user, FEW_LETTERS) | languages(f"{user}\n{others}")
    if spoken_in & LATIN:
        spoken_in |= heard(user) | heard(f"{user}\n{others}")
    yield
    orders = yield from orders_in(source, text)
    voices = yield from voices_of(source, spoken_in, vocabulary)
    open_now = not source.answered and source.messages[-1:] and source.messages[-1].text == newest
    return Manner(
        spoken_in, frozenset(vocabulary), frozenset(behind), orders, voices, newest if open_now else ""
    )


def _newest_request(source: Source) -> str:
    """What the user said last in a source."""
    return next(filter(terms, reversed(source.requests)), "")


def unfaithful(text: str, manner: Manner, *, formed: bool) -> str:
    """Why a reply is no summary of its source, "" if it may be one. `formed` says that it has headings of its form."""
    plain = _CODE.sub(" ", without_fences(text))
    own = languages(plain)
    terse = own == frozenset(("latin",)) and latin_letters(plain) < TERSE_LETTERS
    strange = (not terse and not _agrees(plain, manner)) or _strays(plain, manner)
    if strange and not _is_mostly_ours(plain, manner):
        return f"it is not in the language of the conversation ({', '.join(sorted(manner.languages))})"
    if _REPEATING.search(text):
        return "it repeats the conversation instead of summarizing it"
    if not formed and (answers := answering(text, plain, manner.behind)):
        return answers
    if not formed and laid_out(text, manner.asked, manner.words):
        return "it is a piece of work instead of a summary"
    words, said = set(terms(text)), list(said_in(text))
    if not any(sign.isalnum() for sign in _UNFILLED.sub(" ", _FRAME.sub(" ", text))):
        return "it says nothing"
    if _says_little(text, manner.behind):
        return "it names next to nothing of the conversation"
    pieces = sum(len(PIECE.split(one)) for one in said)
    if said and len(planted(text, manner.orders)) >= OBEYED_SHARE * pieces:
        return "it follows an instruction in the conversation instead of summarizing it"
    if len(said) >= LOOPING_SENTENCES and len(set(said)) <= LOOPING_SHARE * len(said):
        return "it says the same over and over"
    elsewhere = not formed and is_elsewhere(text, manner.voices)
    if elsewhere or (len(words) >= MIN_TERMS and not _is_known(words, manner.words)):
        return "it says other things than the conversation does"
    return ""


def _says_little(text: str, behind: frozenset[str]) -> bool:
    """Whether a short reply has hardly a word of what was said before the newest request, and much was said. An exact
    name or number of it counts twice, but for code; and a word of it in each of two clauses tells of two things.
    """
    plain = _FRAME.sub(" ", text)
    own = set(terms(plain)) - LITTLE
    much = sum(not any(map(str.isdigit, term)) for term in behind) >= MUCH_TERMS
    if not much or weight(own) >= MIN_TERMS:
        return False
    known = with_forms(own, behind - LITTLE)
    exact = [word for word in known & behind if len(word) >= EXACT_CHARS and any(map(str.isdigit, word))]
    told = [clause for clause in _CLAUSE.split(plain) if not known.isdisjoint(terms(clause))]
    is_of_two = len(told) > 1 and weight(known) >= TWO_TERMS
    twice = 0 if _SIGNS.search(plain) else len(exact)
    number = len(plain.split())
    bare = number < BARE_WORDS or (number <= BARE_WORDS and bool(_SIGNS.search(plain)))
    return not is_of_two and weight(known) + twice < (BARE_TERMS if bare else LEAST_TERMS)


def _is_known(words: set[str], known: frozenset[str]) -> bool:
    """Whether enough of the words stand in the source, as they are or in other forms."""
    return len(words & known) >= KNOWN_SHARE * len(words) or (
        len(with_forms(words, known)) >= KNOWN_FORMS_SHARE * len(words)
    )


def echoes(text: str, prompt: str) -> bool:
    """Whether half of what a reply says is what it was told to do."""
    said = [" ".join(terms(one)) for one in said_in(text)]
    told = {" ".join(terms(one)) for one in sentences(prompt)}
    return bool(said) and sum(one in told for one in said) >= ECHOED_SHARE * len(said)


def _is_mostly_ours(plain: str, manner: Manner) -> bool:
    """Whether a text that seems to be in another language is so by some of its lines alone, which then go by
    themselves. A script tells of every line what it is; in Latin letters a short one tells nothing, and what is
    quoted says nothing of the others.
    """
    said = unquoted(plain, manner.words) if manner.languages & LATIN else plain.splitlines()
    lines = [line for line in said if any(map(str.isalpha, line))]
    ours = [line for line in lines if not _is_foreign_line(line, manner)]
    rest = "\n".join(ours)
    return (
        len(ours) < len(lines)
        and len(rest) >= OURS_SHARE * len("\n".join(lines))
        and bool(languages(rest))
        and not _is_foreign(rest, manner)
    )


def foreign_parts(lines: Sequence[str], manner: Manner) -> tuple[bool, list[str]]:
    """Whether all of a section is in a language that the conversation is not in, and the lines of it that are."""
    if not _is_foreign("\n".join(lines), manner):
        return False, [line.strip() for line in lines if _is_foreign_line(line, manner)]
    others = [line for line in lines if _is_foreign_line(line, manner) or _is_apart(line, manner)]
    rest = [line for line in lines if line not in others and line.strip()]
    whole = not rest or _is_foreign("\n".join(rest), manner)
    return whole, [line.strip() for line in others]


def foreign_too(lines: Sequence[str], foreign: Sequence[str], manner: Manner) -> list[str]:
    """The lines that are in the language of `foreign` lines of the same reply: who translates one translates others."""
    told = {other_language(_spoken(one), manner.languages, manner.words, line=True) for one in foreign} - {""}
    return [
        line.strip()
        for line in (lines if told else ())
        if line.strip() not in foreign
        and other_language(_spoken(line), manner.languages, manner.words, line=True, told=told) in told
    ]


def _is_foreign(text: str, manner: Manner) -> bool:
    plain = _CODE.sub(" ", text)
    return not _agrees(plain, manner) or _strays(plain, manner)


def _agrees(plain: str, manner: Manner) -> bool:
    """Whether a text can be in a language of the conversation; one without kana is Japanese unless it is Chinese."""
    own, theirs = languages(plain), manner.languages
    if own == frozenset(("han",)) and "kana" in theirs and "han" not in theirs:
        return not is_chinese(plain, manner.words)
    return agree(own, theirs)


def _is_apart(line: str, manner: Manner) -> bool:
    """Whether a line has Latin letters alone, in a conversation in another script."""
    plain = _CODE.sub(" ", line)
    own = manner.languages & languages(plain, FEW_LETTERS)
    return not own and not manner.languages & LATIN and latin_letters(plain) > FEW_LETTERS


def _is_foreign_line(line: str, manner: Manner) -> bool:
    """Whether a line by itself is in a language that the conversation is not in."""
    plain = _spoken(line)
    if manner.languages and _is_apart(line, manner) and speaks_latin(plain, manner.words):
        return True
    return is_other_script(plain, manner.languages, manner.words) or (
        is_other(plain, manner.languages, manner.words, line=True)
    )


def _spoken(line: str) -> str:
    """What a line says itself, without code and quotations."""
    return QUOTED.sub(" ", _CODE.sub(" ", line))


def _strays(plain: str, manner: Manner) -> bool:
    """Whether what a text says itself, quotations apart, is in a language that the conversation is not in."""
    return is_other(QUOTED.sub(" ", plain), manner.languages, manner.words)
