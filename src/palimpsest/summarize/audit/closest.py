"""Whether what is told as done was only asked for, offered, refused or tried in vain.

Rules kept here:

- Each sentence, call and line of a result has a standing: done, or open (asked for, offered, forbidden, failed). What a
  summary tells as done has the standing of what is closest to it in words.
- It stands where a message has most of its words as done as well, or where those behind the open one do.
- What failed and then worked is told by a later call that shares a name with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.record.message import Message
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.injections import ORDER, REPORTED
from palimpsest.summarize.audit.pending import DONE, PLANNED, STATES, words_in
from palimpsest.summarize.audit.settled import is_asked, is_firm
from palimpsest.summarize.audit.told import FAILED, LOOK_CHARS, OF_USER, RUN
from palimpsest.summarize.cues import FORBIDS
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.outcomes import outcome
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.toolcalls import OPEN, decode

CLOSE_SHARE, DONE_SHARE, BEHIND_SHARE = 0.6, 0.75, 0.5
"""So many of a sentence's words stand in what it is close to, and in what is done behind that."""
MAX_LINES, SHORT_CHARS = 400, 300
"""Lines of one result that are looked at; one of so few characters that tells of a failure is its call's."""
_SUCCESS = later(
    r"\b(?:pass(?:es|ed)?|succeed(?:s|ed)?|success\w*|works?|green|fixed|solved|resolved|saved|bestanden|erfolgreich|"
    r"behoben|gelöst|réussi\w*|corrigé\w*|arreglad\w*|exitos\w*)\b|成功|通过|修复|修好|解决",
    re.IGNORECASE,
)
"""How it is told that something went well."""
_SIGNS_DONE = later(r"[已经完成好了过]|しました|した|済|했습니다|되었습니다")
_CLAUSE = later(r"[,;]\s|[，；]")


@dataclass(frozen=True, slots=True)
class _Open:
    """The words of what is not done, and where it stands. `failed` says that it was tried, or tells of what was;
    `tried` are the words of the call, `paths` the files that either names.
    """

    words: frozenset[str]
    place: int
    failed: bool = False
    tried: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Standings:
    """What is open in a source, what each entry has as done, and the calls that went well: (place, words, files)."""

    opened: list[_Open]
    done: list[frozenset[str]]
    calls: list[tuple[int, frozenset[str], frozenset[str]]]


def told_as_done(lines: Sequence[str], source: Source) -> Iterator[str]:
    """The sentences of lines that have something done which is closest to what is not."""
    claims = [(one, own) for line in lines for one in sentences(line) if (own := _claimed(one))]
    if claims:
        held = _standings(source)
        yield from (one for one, own in claims if _is_open(own, held, well=bool(_SUCCESS.search(one))))


def is_open(task: str, source: Source) -> bool:
    """Whether a task is closest to what is not done."""
    return _is_open(frozenset(words_in(task)), _standings(source), well=False)


def _claimed(sentence: str) -> frozenset[str]:
    """The words of what a sentence has done, none where it tells of nothing done."""
    plain = RUN.sub("` `", sentence)
    tells = DONE.search(plain) or _SUCCESS.search(plain)
    if not tells or any(one.search(plain) for one in (PLANNED, FORBIDS, FAILED, REPORTED, OF_USER)):
        return frozenset()
    return frozenset(words_in(_SUCCESS.sub(" ", _SIGNS_DONE.sub(" ", sentence))))


def _is_open(own: frozenset[str], held: _Standings, *, well: bool) -> bool:
    """Whether what has these words is closest to what is open; `well` says that it is told to have gone well."""
    shared = [(with_forms(own, one.words), one) for one in held.opened if well or not one.failed or one.tried]
    close = [
        (words, one)
        for words, one in shared
        if len(words) >= CLOSE_SHARE * len(own) and (len(words) > 1 or (words and one.failed and well))
    ]
    if not close:
        return False
    most = max(len(words) for words, _ in close)
    nearest = [(words, one) for words, one in close if len(words) == most]
    place = max(one.place for _, one in nearest)
    behind = frozenset[str]().union(*held.done[place + 1 :])
    return not (
        any(
            len(with_forms(words, done)) >= DONE_SHARE * most
            for words in {frozenset(words) for words, _ in nearest}
            for done in held.done
        )
        or len(with_forms(own, behind)) >= BEHIND_SHARE * len(own)
        or any(_is_again(one, *call) for _, one in nearest for call in held.calls)
    )


def _is_again(one: _Open, place: int, words: frozenset[str], paths: frozenset[str]) -> bool:
    """Whether a call that went well is what failed before, or is about the same file."""
    return place > one.place and one.failed and (words <= one.tried or bool(paths & one.paths))


def _standings(source: Source) -> _Standings:
    held = _Standings([], [], [])
    messages = [entry.message for entry in source.entries if isinstance(entry, MessageEntry)]
    calls = {call.id: call for message in messages for call in message.calls}
    results = [result for message in messages for result in message.results]
    failed = {
        one.call_id
        for one in results
        if (one.call_id in calls and outcome(one, decode(calls[one.call_id]).command).failed)
        or (len(one.text) <= SHORT_CHARS and FAILED.search(one.text))
    }
    last = max((at for at, entry in enumerate(source.entries) if not _is_asking(entry)), default=-1)
    for place, entry in enumerate(source.entries):
        if isinstance(entry, MessageEntry):
            done = _said(entry.message, place, held, is_last=place > last)
            for call in entry.message.calls:
                text = f"{call.name} {call.arguments[:LOOK_CHARS]}"
                words, paths = frozenset(words_in(text)), frozenset(find_paths(text))
                action = decode(call)
                if action.tasks is not None:
                    done.update(term for task in action.done for term in words_in(task))
                    waiting = (task for task in action.tasks if task.startswith(OPEN))
                    held.opened.extend(_Open(frozenset(words_in(task)), place) for task in waiting)
                elif call.id in failed:
                    held.opened.append(_Open(words, place, True, words, paths))
                else:
                    held.calls.append((place, words, paths))
                    done |= words
            for result in entry.message.results:
                tried = calls.get(result.call_id)
                words = frozenset(words_in(f"{tried.name} {tried.arguments[:LOOK_CHARS]}") if tried else ())
                for line in result.text[:LOOK_CHARS].splitlines()[:MAX_LINES]:
                    if FAILED.search(line) or ORDER.search(line):
                        paths = frozenset(find_paths(line))
                        held.opened.append(_Open(frozenset(words_in(line)), place, True, frozenset(), paths))
                    else:
                        done |= words_in(line)
            held.done.append(frozenset(done))
        else:
            held.done.append(frozenset(words_in(entry.summary.text)))
    held.done.append(frozenset(term for one in source.earlier for term in words_in(one)))
    return held


def _is_asking(entry: object) -> bool:
    return isinstance(entry, MessageEntry) and entry.message.role == "user" and not entry.message.results


def _said(message: Message, place: int, held: _Standings, *, is_last: bool) -> set[str]:
    """The words of what somebody says was done; what is open goes to `held`. What the user asks for is so where nothing
    follows, and what the user is against.
    """
    done: set[str] = set()
    for one in sentences(message.text[:LOOK_CHARS]) if message.role in ("user", "assistant") else ():
        by_user = message.role == "user"
        parts = [one] if by_user or is_asked(one) or REPORTED.search(one) else _CLAUSE.split(one)
        firm = [
            part
            for part in parts
            if (DONE.search(part) or STATES.match(part) if by_user else is_firm(part))
            and not any(
                no.search(part) for no in (FAILED, FORBIDS, REPORTED, *([] if by_user else [PLANNED]))
            )
        ]
        done.update(words_in(" ".join(firm)))
        if not firm and (not by_user or is_last or FORBIDS.search(one)):
            failed = not by_user and bool(FAILED.search(one))
            held.opened.append(
                _Open(frozenset(words_in(one)), place, failed, paths=frozenset(find_paths(one)))
            )
    return done
