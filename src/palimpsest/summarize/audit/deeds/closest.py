"""Whether what is told as done was only asked for, offered, refused or tried in vain.

Rules kept here:

- Each sentence, call and line of a result has a standing: done, or open (asked for, offered, forbidden, failed). What a
  summary tells as done has the standing of what is closest to it in words.
- It stands where a message has most of its words as done as well, or where those behind the open one do.
- A name that only the newest request has, where nothing follows it, stands for nothing done.
- What failed and then worked is told by a later call that shares a name with it, or that was given what is told to be
  so now.
- What was given up for another thing (`given_up`) is no deed that was left.
- What is left to do (`still_open`) is so until a call does more than to look at something.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.record.message import Message, ToolCall, ToolResult, searchable_text
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.deeds.given_up import given_up_in, is_given_up
from palimpsest.summarize.audit.deeds.plans import told_apart
from palimpsest.summarize.audit.deeds.settled import is_asked, is_firm
from palimpsest.summarize.audit.deeds.still_open import Left, has_done
from palimpsest.summarize.audit.told import (
    DONE,
    FAILED,
    LOOK_CHARS,
    NONE_FAILED,
    OF_USER,
    PLANNED,
    REMAINS,
    STATES,
    words_in,
)
from palimpsest.summarize.injections import ORDER, REPORTED
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.outcomes import only_looks, outcome
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.orders import SPARES
from palimpsest.summarize.spoken.remarks import gives_work
from palimpsest.summarize.toolcalls import OPEN, decode, looks

CLOSE_SHARE, DONE_SHARE, BEHIND_SHARE = 0.6, 0.75, 0.6
"""So many of a sentence's words stand in what it is close to, and in what is done behind that."""
FIGURES = 2
"""So many figures of what is told to be done were given to a call that went well: its name, and the new value."""
MAX_LEFT = 40
"""Of what is left to do, so much is looked for."""
MAX_LINES, SHORT_CHARS = 400, 300
"""Lines of one result that are looked at; one of so few characters that tells of a failure is its call's."""
_SUCCESS = later(
    r"\b(?:pass(?:es|ed)?|succeed(?:s|ed)?|success\w*|works?|green|fixed|solved|resolved|saved|bestanden|"
    r"erfolgreich|"
    r"behoben|gelöst|réussi\w*|corrigé\w*|arreglad\w*|exitos\w*)\b|成功|通过|修复|修好|解决",
    re.IGNORECASE,
)
"""How it is told that something went well."""
_BROKE = later(
    r"(?<![\w./:-])(?:fail(?:s|ed|ures?)?|errors?|\w{3,40}(?-i:Error|Exception)|exit(?: code)? -?[1-9]\d*|"
    r"cannot|can't|"
    r"could not|crash\w*|timed out|denied|refused|rejected|fatal|failing|not found)(?![\w/]|\.\w)|"
    r"❌|失败|错误|未成功|未找到",
    re.IGNORECASE,
)
"""How a line of output tells of a failure: names of tests and of files that speak of one do not."""
_SIGNS_DONE = later(r"[已经完成好了过]|しました|した|済|했습니다|되었습니다")
_ACTED = later(
    r"^(?![^.;]{0,60}\b(?:is|are)\b)\W{0,4}(?:the |our |their )?[\w-]+(?: [\w-]+){0,2} (?:has |have )?\w{3,20}ed\b|"
    r"\b\w{2,20}ó\b|\ba (?:été )?\w{2,20}[éi]\b|[\u3400-\u9fff]了|"
    r"\b(?:have|has|had|['’]ve) (?:now |just |already )?(?:written|made|built|sent|put|set|run|drawn|taken)\b",
    re.IGNORECASE,
)
"""How it is told that somebody did something."""
_NOW = later(
    r"\b(?:now|jetzt|nun|désormais|maintenant|ahora|agora|adesso|теперь)\b|现在|今は|이제", re.IGNORECASE
)
"""How it is told that something is so now: enough for what nobody can have done yet, too little for anything else."""
_NAMED = later(r"`[^`\n]{2,300}`|(?<!\S)\S{0,200}[\w-][./_][\w-]\S{0,200}")
"""Commands and names of files, whose words tell nothing."""
_ATTRIBUTE = later(
    r"ない(?=[\u3400-\u9fff\u30a0-\u30ff])|(?:없|않)[는은] (?=[\uac00-\ud7af])|"
    r"[未不没无][\u3400-\u9fff]{0,4}的(?=[\u3400-\u9fff])|"
    r"\b(?:nicht|nie) \w{2,30}t(?:e[nrsm]?) (?=[A-ZÄÖÜ])"
)
"""How a word for a thing says what it is not, beside what was done with it: "unused"."""
_COUNT = later(
    r"(?<=[\w`\"'）)]) ?[(（](?:\d[\d.,]{0,12}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|zwei|"
    r"drei|vier|fünf|sechs|"
    r"sieben|acht|neun|zehn|deux|trois|quatre|cinq|six|sept|huit|dix|dos|tres|cuatro|cinco|seis|siete|"
    r"ocho|diez|due|tre|"
    r"quattro|cinque|sei|sette|otto|dieci|dois|duas|três|quatro|sete|oito|dez|twee|drie|vijf|zes|zeven|"
    r"tien|dwa|trzy|"
    r"cztery|pięć|sześć|два|две|три|четыре|пять|шесть|семь|[一二三四五六七八九十两]{1,3}|세|네|다섯)"
    r"(?: ?[^\W\d_]{1,20}){1,2}[)）]",
    re.IGNORECASE,
)
"""How many there are of what stands in something: no deed of its own."""
_CLAUSE = later(r"[,;]\s|[，；]")
"""Where a part of what somebody tells ends."""
_AND = later(r"[,;:]\s|[，；]|\s(?:and|und|et|y|e)\s")
"""Where one of several orders ends."""


@dataclass(frozen=True, slots=True)
class _Open:
    """What is not done, and where it stands. `failed` says that it was tried, or tells of what was; `tried` are the
    words of the call, `paths` the files that either names.
    """

    place: int
    failed: bool = False
    tried: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Went:
    """A call that went well, its words and the files that it names; `acts` says that it did more than look."""

    place: int
    words: frozenset[str]
    paths: frozenset[str]
    acts: bool


class _Standings:
    """What is open in a source, with each word's places in it, and each word's entries that have it as done; the calls
    that went well; `left` is what the newest list, the newest request and people have yet to do.
    """

    def __init__(self) -> None:
        self.opened: list[_Open] = []
        self.left: list[Left] = []
        self.calls: list[_Went] = []
        self._open_at: dict[str, set[int]] = {}
        self._done_at: dict[str, set[int]] = {}

    def open(self, words: Iterable[str], one: _Open) -> None:
        for word in words:
            self._open_at.setdefault(word, set()).add(len(self.opened))
        self.opened.append(one)

    def done(self, words: Iterable[str], place: int) -> None:
        for word in words:
            self._done_at.setdefault(word, set()).add(place)

    def places(self, own: Collection[str]) -> tuple[dict[str, set[int]], dict[str, set[int]]]:
        """Where each of the words, in any form, is open, by its place in `opened`, and the entries where it is done."""
        found = [{word: set[int]() for word in own} for _ in range(2)]
        for places, table in zip(found, (self._open_at, self._done_at), strict=True):
            for known in with_forms(table, own):
                for word in with_forms(own, (known,)):
                    places[word] |= table[known]
        return found[0], found[1]


def told_as_done(lines: Sequence[str], source: Source) -> Iterator[str]:
    """The sentences of lines that have something done which is closest to what is not; of one that tells of plans as
    well, the clause.
    """
    said = [one for line in lines for one in sentences(line)]
    if said:
        held, asked = _standings(source), _only_asked(source)
        left = [one for one in held.left[-MAX_LEFT:] if _is_open(one.words, held, well=False)]
        dropped = given_up_in(one for it in source.messages for one in sentences(it.text[:LOOK_CHARS]))
        for one in said:
            if is_given_up(one, dropped):
                continue
            if _is_untrue(one, held, asked, left):
                yield one
            elif not _claimed(one)[0]:
                yield from (it for it in told_apart(one) if _is_untrue(it, held, asked, left))


def _is_untrue(said: str, held: _Standings, asked: Sequence[str], left: Sequence[Left]) -> bool:
    """Whether what is said has something done that is not."""
    own, done = _claimed(said)
    return (
        (bool(own) and any(_holds(said, name) for name in asked))
        or (done and _is_open(own, held, well=bool(_SUCCESS.search(said))))
        or any(has_done(said, it) for it in left)
    )


def still_open(tasks: Collection[str], source: Source) -> frozenset[str]:
    """The tasks that are closest to what is not done."""
    held = _standings(source) if tasks else _Standings()
    return frozenset(task for task in tasks if _is_open(frozenset(words_in(task)), held, well=False))


def _claimed(sentence: str) -> tuple[frozenset[str], bool]:
    """The words of what a sentence has done, or says to be so now, and whether it is done; none where it tells of
    nothing done.
    """
    sentence = _COUNT.sub("", sentence)
    plain = _NAMED.sub("` `", sentence)
    done = any(form.search(plain) for form in (DONE, _SUCCESS, _ACTED))
    if not (done or _NOW.search(plain)) or any(
        one.search(plain) for one in (PLANNED, FORBIDS, SPARES, FAILED, REPORTED, OF_USER)
    ):
        return frozenset(), False
    return frozenset(words_in(_SUCCESS.sub(" ", _SIGNS_DONE.sub(" ", sentence)))), done


def _only_asked(source: Source) -> list[str]:
    """The names that stand in what the newest request asks for, and nowhere else: where nothing follows it, nothing can
    have been done with them.
    """
    last = source.entries[-1] if source.entries else None
    if source.answered or not isinstance(last, MessageEntry) or not _is_asking(last):
        return []
    told = sentences(last.message.text[:LOOK_CHARS])
    asked = [one for one in told if any(map(gives_work, _AND.split(one))) and not DONE.search(one)]
    names = dict.fromkeys(
        name for one in asked for name in (*find_paths(one), *(n for _, n in find_names(one)))
    )
    rest = [one for one in told if one not in asked]
    rest.extend(
        searchable_text(entry.message) if isinstance(entry, MessageEntry) else entry.summary.text
        for entry in source.entries[:-1]
    )
    other = "\n".join((*rest, *source.earlier, source.goal, source.system))
    return [name for name in names if name not in other]


def _holds(sentence: str, name: str) -> bool:
    return name in sentence and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", sentence) is not None


def _is_open(own: frozenset[str], held: _Standings, *, well: bool) -> bool:
    """Whether what has these words is closest to what is open; `well` says that it is told to have gone well."""
    opened, done = held.places(own)
    shared = Counter(at for places in opened.values() for at in places)
    counts = {
        at: number
        for at, number in shared.items()
        if (well or not held.opened[at].failed or held.opened[at].tried)
        and (number > 1 or (held.opened[at].failed and well))
    }
    most = max(counts.values(), default=0)
    if not most or most < CLOSE_SHARE * len(own):
        return False
    nearest = [at for at, number in counts.items() if number == most]
    place = max(held.opened[at].place for at in nearest)
    if sum(any(at > place for at in places) for places in done.values()) >= BEHIND_SHARE * len(own):
        return False
    for at in nearest:
        told = Counter(entry for word in own if at in opened[word] for entry in done[word])
        if max(told.values(), default=0) >= DONE_SHARE * most:
            return False
    return not any(_is_again(held.opened[at], own, call) for at in nearest for call in held.calls)


def _left(text: str) -> Left:
    return Left(text, frozenset(words_in(text)))


def _is_again(one: _Open, own: frozenset[str], call: _Went) -> bool:
    """Whether a call that went well is what failed before, or is about the same file; or whether it did something with
    the names and the figures of what is told.
    """
    figures = {word for word in own & call.words if any(map(str.isdigit, word))}
    again = one.failed and (call.words <= one.tried or bool(call.paths & one.paths))
    return call.place > one.place and (again or (call.acts and len(figures) >= FIGURES))


def _standings(source: Source) -> _Standings:
    held = _Standings()
    messages = source.messages
    calls = {call.id: call for message in messages for call in message.calls}
    failed = {
        one.call_id
        for message in messages
        for one in message.results
        if _went_wrong(one, decode(calls[one.call_id]).command if one.call_id in calls else "")
    }
    last = max((at for at, entry in enumerate(source.entries) if not _is_asking(entry)), default=-1)
    for place, entry in enumerate(source.entries):
        if not isinstance(entry, MessageEntry):
            held.done(words_in(entry.summary.text), place)
            continue
        _read(entry.message, place, held, is_last=place > last)
        for call in entry.message.calls:
            _called(call, place, held, failed=call.id in failed)
        for result in entry.message.results:
            for line in result.text[:LOOK_CHARS].splitlines()[:MAX_LINES]:
                if _tells_nothing_done(line):
                    held.open(words_in(line), _Open(place, True, paths=frozenset(find_paths(line))))
                else:
                    held.done(words_in(line), place)
    for one in source.earlier:
        held.done(words_in(one), -1)
    return held


def _went_wrong(result: ToolResult, command: str) -> bool:
    """Whether a call failed. What a file that was read speaks of says nothing of the reading, unless it is short."""
    wrong = outcome(result, command).failed if command else result.is_error
    return wrong or (len(result.text) <= SHORT_CHARS and _has_failed(result.text))


def _has_failed(output: str) -> bool:
    return _BROKE.search(NONE_FAILED.sub(" ", output)) is not None


@remembered()
def _tells_nothing_done(line: str) -> bool:
    """Whether a line of output says that something failed, or bids something."""
    return _has_failed(line) or ORDER.search(line) is not None


def _is_asking(entry: object) -> bool:
    return isinstance(entry, MessageEntry) and entry.message.role == "user" and not entry.message.results


def _called(call: ToolCall, place: int, held: _Standings, *, failed: bool) -> None:
    text, action = f"{call.name} {call.arguments[:LOOK_CHARS]}", decode(call)
    words, paths = frozenset(words_in(text)), frozenset(find_paths(text))
    if action.tasks is not None:
        held.done((word for task in action.done for word in words_in(task)), place)
        held.left = []
        for task in action.tasks:
            if task.startswith(OPEN):
                held.open(words_in(task), _Open(place))
                held.left.append(_left(task.removeprefix(OPEN)))
    elif failed:
        held.open(words, _Open(place, True, words, paths))
    else:
        acts = not looks(call.name) and not only_looks(action.command)
        held.calls.append(_Went(place, words, paths, acts))
        held.done(words, place)
        if acts:
            held.left.clear()


def _denies(part: str, noes: Iterable[re.Pattern[str]]) -> bool:
    """Whether a part of a sentence tells of what is not, but for a thing that was done something with."""
    rest = _ATTRIBUTE.sub(" ", part)
    plain = rest if rest != part and DONE.search(rest) else part
    return any(no.search(plain) for no in noes)


def _read(message: Message, place: int, held: _Standings, *, is_last: bool) -> None:
    """What somebody says. What the user asks for is open where nothing follows, and so is what the user is against."""
    by_user = message.role == "user"
    noes = (FAILED, FORBIDS, REPORTED, *([] if by_user else [PLANNED]))
    for one in sentences(message.text[:LOOK_CHARS]) if message.role in ("user", "assistant") else ():
        parts = [one] if by_user or is_asked(one) or REPORTED.search(one) else _CLAUSE.split(one)
        firm = [
            part
            for part in parts
            if (DONE.search(part) or STATES.match(part) if by_user else is_firm(part))
            and not _denies(part, noes)
        ]
        remains = not by_user and is_firm(one) and bool(REMAINS.search(one))
        if remains or (by_user and is_last and not firm):
            parts = dict.fromkeys((one, *_AND.split(one) * by_user))
            held.left.extend(_left(part) for part in parts if remains or gives_work(part))
        if remains:
            held.open(words_in(one), _Open(place))
            continue
        held.done(words_in(" ".join(firm)), place)
        if not firm and (not by_user or is_last or FORBIDS.search(one)):
            failed = not by_user and bool(FAILED.search(one))
            opened = [one] if is_last or not by_user else filter(FORBIDS.search, _AND.split(one))
            for part in opened:
                held.open(words_in(part), _Open(place, failed, paths=frozenset(find_paths(part))))
