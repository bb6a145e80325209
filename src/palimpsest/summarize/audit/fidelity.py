"""Whether a reply is a summary of its source at all: in its language, about it, and not obeying what it says.

Rules kept here:

- Words of the conversation decide, not those of tool output: a session in Chinese stays one with English logs. The
  user's language is one of the conversation's however little the user says.
- An answer speaks to the user; a summary speaks of the user. What looks like the beginning of an answer, or says "you"
  and never names the user, counts only where nothing of a summary's form is there.
- Of a reply of which half is what an instruction in tool output said, all is distrusted.
- Code and calls of tools are work, not a summary of it. A reply without words is none, nor is one that goes round in a
  loop.
- Short replies are given the benefit of the doubt: too few words to judge by.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.record.message import Text
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.languages import (
    FEW_LETTERS,
    LATIN,
    agree,
    heard,
    is_other,
    is_other_script,
    languages,
    latin_letters,
)
from palimpsest.summarize.audit.planted import SLICE_CHARS, Orders, orders_in, planted, said_in
from palimpsest.summarize.audit.told import OF_USER
from palimpsest.summarize.cues import is_code
from palimpsest.summarize.sentences import sentences, terms, without_fences, without_scaffold
from palimpsest.summarize.source import MessageEntry, Source

LOOK_CHARS = 4_000
"""Characters of one message in which language and orders are sought, from its beginning."""
SPOKEN_CHARS = 20_000
TERSE_LETTERS = 200
"""Up to here, Latin letters without little words are taken for technical terms of any language."""
MIN_TERMS = 14
KNOWN_SHARE, KNOWN_FORMS_SHARE = 0.3, 0.45
"""A reply of so many different words, of which fewer than this share stand in the source, is about something else."""
CODE_SHARE = 0.6
CODE_CHARS = 160
"""A reply of which this share of the lines is code, in lines up to here, is code."""
OBEYED_SHARE = 0.5
"""A reply of which this share of the sentences was planted obeys."""
ECHOED_SHARE = 0.5
"""A reply of which this share of the sentences stands in its prompt repeats it."""
LOOPING_SENTENCES, LOOPING_SHARE = 12, 0.3
"""Of so many sentences, so few different ones: the model went round in a loop."""

_CODE = later(
    r"`[^`\n]{1,300}`|https?://\S{1,400}|(?<!\S)[^\s/\\_=<>{}]{0,200}[/\\_=<>{}]\S{0,300}|^#{1,4}.*$",
    re.MULTILINE,
)

_ANSWERING = later(
    r"\W{0,4}(?:sure\b|of course\b|certainly[,!. ]|absolutely[,!. ]|great question|happy to\b|i'?d be happy|"
    r"i'?d love|glad to|i(?:'ll| will| can| can't| cannot|'m sorry| apologi[sz]e|'ve (?:just )?(?:fixed|updated|"
    r"added|created|done))\b|i (?:have |just |now )?(?:fixed|updated|added|created|changed|"
    r"removed|finished|did)\b[^\n]{0,120}\byou|done[.!,]|(?:ok|okay|yes|alright|all right|understood|got it)[,.! ]|"
    r"let me\b|here(?:'s| is| are)\b|as an ai\b|you (?:can|should|could|need to)\b|"
    r"thanks? (?:you )?for|no problem|gerne\b|natürlich\b|klar[,! ]|hier ist\b|ich (?:werde|kann|habe)\b|"
    r"bien sûr|voici\b|d'accord|je (?:vais|peux)\b|claro\b|por supuesto|aquí (?:está|tienes)|voy a\b|puedo\b|"
    r"好的|当然|當然|没问题|我来|我會|我会|以下是|您可以|你可以|もちろん|はい、|承知|わかりました|물론|네,|알겠습니다|"
    r"конечно|хорошо[,!]|вот\b)",
    re.IGNORECASE,
)
DECLINING = later(
    r"\W{0,4}summari[sz]e (?:the|this) (?:conversation|messages?|following)\b|"
    r"\W{0,4}(?:(?:i'?m|i am|we are) (?:\w+ )?sorry|sorry|i apologi[sz]e|unfortunately|"
    r"i (?:can'?t|cannot|can not|won'?t|"
    r"will not|am (?:not able|unable) to|'m (?:not able|unable) to)|i'm (?:not able|unable) to|es tut mir leid|"
    r"leider kann|désolé|je ne peux pas|"
    r"lo siento|no puedo|抱歉|很抱歉|对不起|对不起|无法|我不能|申し訳|죄송|извините)"
    r"[^\n]{0,200}(?:help|assist|summar|provide|comply|continue|discuss|process|zusammenfass|helfen|"
    r"aider|résum|ayudar|resum|总结|摘要|帮助|"
    r"協力|要約|도와|요약|помочь)",
    re.IGNORECASE,
)
_ABOUT = later(
    r"summar|briefing|conversation so far|recap|zusammenfassung|résumé|resumen|摘要|总结|總結|要約|まとめ|요약|"
    r"сводк|резюме",
    re.IGNORECASE,
)
_ASKING_BACK = later(
    r"(?:would you like|do you want me|shall i|let me know|should i (?:go|proceed|continue|do)|anything else|"
    r"what(?:'s| is) next|"
    r"feel free to|möchten sie|soll ich|souhaitez-vous|voulez-vous|quieres que|需要我|要我|您希望|"
    r"でしょうか|ましょうか)"
    r"[^\n]{0,160}[?？.!。！]?\s*$",
    re.IGNORECASE,
)
_ADDRESSING = later(
    r"\s{0,12}(?:[-*•]|\d{1,3}[.)])?\s{0,4}(?:(?:please )?let me know (?:if|whether|what|when|how)|"
    r"(?:would you like|do you want) me\b|(?:shall|should) i (?:go|proceed|continue|start|do)\b|feel free to\b|"
    r"is there anything else|you (?:asked|told|wanted) (?:me\b|what\b|how\b|whether\b|for\b|about\b|to\b)|"
    r"(?:möchten sie|möchtest du|soll ich)\b|sag(?:en sie)? mir bescheid|(?:souhaitez|voulez)-vous|"
    r"quieres que|需要我|要我|您希望|如果您)",
    re.IGNORECASE,
)
"""A line of an answer in a summary's form."""
_REPEATING = later(r"^</?conversation>$|^<message id=\"|^\[result of \w{1,60}\] ", re.MULTILINE)
_WORKING = later(
    r"\s{0,4}(?:\[(?:call|tool)\b|<\|?/?(?:antml:|tool_|function_)?(?:call|calls|invoke|use|function|parameter)\b|"
    r"\{\s{0,8}\"(?:name|tool|tool_calls|function|function_call|arguments|parameters|command|input)\"\s{0,4}:)",
    re.IGNORECASE,
)
_FRAME = later(
    r"\[CONTEXT COMPACTION\]|</?[A-Za-z_]{1,30}\b[^<>\n]{0,300}>|^#{1,4}.*$|^\s{0,8}```.*$", re.MULTILINE
)
"""What stands around the words of a summary."""
_TO_USER = later(r"\b(?:you|your|you're|you've)\b|[您你]|\b(?:Sie|Ihnen|vous|usted)\b")
_QUOTED = later(r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|「[^」\n]{1,600}」|«[^»\n]{1,600}»")


@dataclass(frozen=True, slots=True)
class Manner:
    """How a source speaks: its languages, the words in it, and what orders in tool output say."""

    languages: frozenset[str]
    words: frozenset[str]
    orders: Orders


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
    vocabulary: set[str] = set()
    for start in range(0, len(text), SLICE_CHARS):
        vocabulary.update(terms(text[start : start + SLICE_CHARS]))
        yield
    user, others = "\n".join(asked)[:SPOKEN_CHARS], "\n".join(said)[:SPOKEN_CHARS]
    spoken_in = languages(user, FEW_LETTERS) | languages(f"{user}\n{others}")
    if spoken_in & LATIN:
        spoken_in |= heard(user) | heard(f"{user}\n{others}")
    yield
    return Manner(spoken_in, frozenset(vocabulary), (yield from orders_in(source, text)))


def unfaithful(text: str, manner: Manner, *, formed: bool) -> str:
    """Why a reply is no summary of its source, "" if it may be one. `formed` says that it has headings of its form."""
    plain = _CODE.sub(" ", without_fences(text))
    own = languages(plain)
    terse = own == frozenset(("latin",)) and latin_letters(plain) < TERSE_LETTERS
    if (not terse and not agree(own, manner.languages)) or _strays(plain, manner):
        return f"it is not in the language of the conversation ({', '.join(sorted(manner.languages))})"
    first = text.lstrip()[:200]
    opening = first.split("\n", 1)[0]
    if _REPEATING.search(text):
        return "it repeats the conversation instead of summarizing it"
    if not formed and DECLINING.match(first):
        return "it speaks of summarizing instead of doing it"
    if not formed and _ANSWERING.match(first) and not _ABOUT.search(opening):
        return "it answers the conversation instead of summarizing it"
    if not formed and (_ASKING_BACK.search(text[-300:]) or _speaks_to_user(plain)):
        return "it speaks to the user instead of summarizing"
    if not formed and (_WORKING.match(text) or _is_work(text)):
        return "it goes on with the work instead of summarizing it"
    words, said = set(terms(text)), list(said_in(text))
    if not any(sign.isalnum() for sign in _FRAME.sub(" ", text)):
        return "it says nothing"
    if said and len(planted(text, manner.orders)) >= OBEYED_SHARE * len(said):
        return "it follows an instruction in the conversation instead of summarizing it"
    if len(said) >= LOOPING_SENTENCES and len(set(said)) <= LOOPING_SHARE * len(said):
        return "it says the same over and over"
    if len(words) >= MIN_TERMS and not _is_known(words, manner.words):
        return "it says other things than the conversation does"
    return ""


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


def addressing(lines: Sequence[str]) -> Iterator[str]:
    """The lines that speak to the user, as an answer does."""
    return (line.strip() for line in lines if _ADDRESSING.match(line))


def foreign_parts(lines: Sequence[str], manner: Manner) -> tuple[bool, list[str]]:
    """Whether all of a section is in a language that the conversation is not in, and the lines of it that are."""
    if not _is_foreign("\n".join(lines), manner):
        return False, [line.strip() for line in lines if _is_foreign_line(line, manner)]
    others = [line for line in lines if _is_foreign_line(line, manner) or _is_apart(line, manner)]
    rest = [line for line in lines if line not in others and line.strip()]
    whole = not rest or _is_foreign("\n".join(rest), manner)
    return whole, [line.strip() for line in others]


def _is_foreign(text: str, manner: Manner) -> bool:
    plain = _CODE.sub(" ", text)
    return not agree(languages(plain), manner.languages) or _strays(plain, manner)


def _is_apart(line: str, manner: Manner) -> bool:
    """Whether a line has Latin letters alone, in a conversation in another script."""
    plain = _CODE.sub(" ", line)
    own = manner.languages & languages(plain, FEW_LETTERS)
    return not own and not manner.languages & LATIN and latin_letters(plain) > FEW_LETTERS


def _is_foreign_line(line: str, manner: Manner) -> bool:
    """Whether a line by itself is in a language that the conversation is not in."""
    plain = _QUOTED.sub(" ", _CODE.sub(" ", line))
    return is_other_script(plain, manner.languages, manner.words) or _strays(plain, manner)


def _strays(plain: str, manner: Manner) -> bool:
    """Whether what a text says itself, quotations apart, is in a language that the conversation is not in."""
    return is_other(_QUOTED.sub(" ", plain), manner.languages, manner.words)


def _is_work(text: str) -> bool:
    """Whether most of the lines are code, or stand in a fence of code."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("```")]
    plain = [line.strip() for line in without_fences(text).splitlines() if line.strip()]
    said = sum(len(line) > CODE_CHARS or not is_code(line) for line in plain)
    return len(lines) > 1 and said <= (1 - CODE_SHARE) * len(lines)


def _speaks_to_user(text: str) -> bool:
    """Whether it says "you", quotations apart, and never names the user."""
    return bool(_TO_USER.search(_QUOTED.sub(" ", text))) and not (OF_USER.search(text) or _ABOUT.search(text))
