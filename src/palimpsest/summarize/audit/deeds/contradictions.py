"""What a reply says otherwise than the conversation: other deeds, turned decisions, exchanged names.

Rules kept here:

- A file was changed, made or deleted where a call did so; one that was only read is not said to be changed, nor the
  other way round. What a command, a summary or somebody's words say of the file is believed.
- "X instead of Y" is not "Y instead of X", and what was rejected was not adopted.
- Where two ids stand in clauses of their own, the words that one alone stands beside are not said of the other. An id
  gives way to another where both are exchanged, or where a clause says of it, word for word, what the source says of
  the other, without a no and without telling one thing from another.
- Whatever is less clear is left alone: rules cannot know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.record.message import Text
from palimpsest.summarize.audit.deeds.settled import CONDITION, is_asked, is_firm, lasting
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.told import LOOK_CHARS, said_in
from palimpsest.summarize.deeds import CHANGES, DID, Deed, deed_of, says_changed
from palimpsest.summarize.facts import Facts, of_user
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.names import file_name, find_names, find_paths, has_extension
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.toolcalls import decode, looks

MAX_SAID = 2_000
"""Sentences of a source that are looked at, the last ones."""
MAX_PLACES = 40
"""Places of one id that are looked at."""
MAX_LISTED = 4
"""A line of more ids is a list of them."""
MAX_OTHER_IDS = 40
"""Ids of the source that a summary does not have and may mean."""
ASKED = frozenset(
    ("Goal", "Constraints & preferences", "Open tasks", "Pending user request", "Next steps", "Next Steps")
)
"""Headings under which stands what shall be, not what was done."""
SAME_SHARE = 0.75
MIN_SHARED = 2

_FOLDER = later(r"\s*[-*] ([^\s:]{1,200}): ")
"""How a line begins that lists the files of one folder."""
_INSTEAD = later(
    r"\s(?:instead of|rather than|in place of|anstatt|anstelle von|statt|au lieu d[eu']|en lugar de|en vez de|вместо)\s"
    r"|而不是|而非"
)
_PIVOT = later(rf"{_INSTEAD.pattern}|,? (?:not|nicht|pas|no)\s")
_DENIES = later(
    r"\b(?:is|are|was|were|be|been|will|would|can|could|do|does|did|has|have|had|should|must|may|might|shall|ist|sind|war|"
    r"wird|werden|wurde|kann|darf|soll|muss|hat|haben|est|sont|peut|doit)$",
    re.I,
)
"""Before a no: what is denied is not preferred to."""
_ENDS = later(r"[.;:。；：]|, | because | since | so that |因为|，")
_PARTS = later(r"[;；]")
"""What parts the files of a line: a deed is told of those of its own part."""
_REJECTED = later(
    r"\b(?:reject\w*|ruled out|abandon\w*|discard\w*|decided against|gave up|given up|verworfen)\b|拒绝|放弃|否决",
    re.I,
)
_ADOPTED = later(
    r"\b(?:adopt\w*|chosen|chose|accept\w*|decided (?:on|for|to)|going with|went with|kept|keep|agreed)\b"
    r"|采用|选择|决定",
    re.I,
)
_CLAUSE = later(r"[;|(){}\n]|(?<![\"'\d\]}]), |\. |[。；，]| (?:and|und|et|y|but) |和")
_CONTRASTS = later(
    r"\b(?:before|after|until|since|than|other|another|first|second|next|last|else|later|earlier|but|yet|"
    r"vor|nach|bis|seit|als|ander\w*|erst\w*|zweit\w*|nächst\w*|letzt\w*|aber|avant|après|autre|mais|antes|después|"
    r"otr[oa]|pero|depois|outr[oa]|prima|dopo|altr[oa]|до|после|друг\w*|но)\b|之前|之后|另|其他|但|前|後|他",
    re.I,
)
"""What sets one thing apart from another: whose words a line then has, is not sure."""
_NO_WORDS: frozenset[str] = frozenset()
_IDS = frozenset(("uuid", "hash", "address", "host", "email", "ticket"))
_APPROVES = later(
    r"(?<!than )(?<!als )\b(?:approv\w*|permi(?:t|ssion)\w*|authori[sz]\w*|allow\w*|consent\w*|agreed to|erlaubt|"
    r"genehmigt)\b|批准|允许|同意|授权",
    re.I,
)


def contradictions(text: str, facts: Facts, source: Source, exact: Exact) -> list[tuple[str, str]]:
    """(what a reply says, what is right in its place) of what contradicts its source; "" where nothing is known."""
    said = spoken(source)
    body = [
        (heading, line) for heading, lines in FORMS["sections"].parse(text) for line in lines if line.strip()
    ]
    return [
        *_deeds(body, source, said),
        *_turned(body, facts, said),
        *_exchanged(body, exact),
    ]


def spoken(source: Source) -> list[str]:
    """The last sentences of people, the assistant and summaries, in order."""
    texts: list[str] = []
    for entry in source.entries:
        if isinstance(entry, MessageEntry):
            texts.extend(part.text for part in entry.message.parts if isinstance(part, Text))
        else:
            texts.append(entry.summary.text)
    return [one for text in texts for one in sentences(text[:LOOK_CHARS])][-MAX_SAID:]


def _deeds(body: Sequence[tuple[str, str]], source: Source, said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Lines that have a file changed which was only read, or only read which was changed."""
    told = [
        (heading == "Files", line.strip(), list(_told(line, in_files=heading == "Files")))
        for heading, line in body
        if heading not in ASKED
    ]
    if not any(found for _, _, found in told):
        return
    known = _done_to(source, said)
    for listed, line, found in told:
        wrong = {path: right for path, deed in found if (right := _right_deed(path, deed, known))}
        if wrong:
            path, right_deed = next(iter(wrong.items()))
            yield line, f"- {right_deed} {path}" if listed and len(found) == 1 else ""


def _told(line: str, *, in_files: bool) -> Iterator[tuple[str, Deed]]:
    """(path, what was done to it) as a line tells: a deed before its paths, or in brackets behind one."""
    paths = list(dict.fromkeys(find_paths(line)))
    label = _FOLDER.match(line)
    folder = f"{label[1]}/" if label and not has_extension(label[1]) else ""
    marks: list[tuple[int, int, Deed]] = [
        (match.start(), match.end(), deed_of(match[0])) for match in DID.finditer(line)
    ]
    if not paths or not marks or (not in_files and (len(paths) > 1 or line[: marks[0][0]].strip(" -*•"))):
        return
    for path in paths:
        at = line.find(path)
        before = [
            mark
            for mark in marks
            if mark[1] <= at
            and line[mark[0] - 1 : mark[0]] not in ("(", "[")
            and not _PARTS.search(line, mark[1], at)
        ]
        after = [
            mark
            for mark in marks
            if mark[0] >= at + len(path) and not line[at + len(path) : mark[0]].strip(" `([:–—-*")
        ]
        if not in_files:
            before = [mark for mark in before if not line[mark[1] : at].strip(" `*")]
            after = []
        in_brackets = bool(after) and line[after[0][0] - 1] in "(["
        mark = before[-1] if before and not in_brackets else after[0] if after else None
        deed: Deed | None = mark[2] if mark else None
        looked = deed == "read" and (not in_files or (len(paths) == 1 and says_changed(line)))
        if deed and not looked:
            yield f"{folder}{path}", deed


def _done_to(source: Source, said: Sequence[str]) -> dict[str, set[Deed]]:
    """What calls did to each file; without those that commands, summaries or people speak of changing."""
    done: dict[str, set[Deed]] = {}
    loose: list[str] = [*source.summaries]
    refused = {result.call_id for message in source.messages for result in message.results if result.is_error}
    for message in source.messages:
        for call in message.calls:
            action = decode(call)
            loose.extend((action.command, "" if action.files else action.text))
            if not action.command and not looks(call.name) and '"view"' not in call.arguments:
                loose.extend(path for path, deed in action.files if deed not in CHANGES)
            for path, deed in action.files:
                deeds = done.setdefault(path.replace("\\", "/"), set())
                deeds |= {deed} - (CHANGES if call.id in refused else frozenset[Deed]())
        results = (line for one in message.results for line in one.text[:LOOK_CHARS].splitlines())
        loose.extend(line for line in results if (match := DID.match(line)) and deed_of(match[0]) in CHANGES)
    loose.extend(one for one in said if DID.search(one))
    return {
        path: deeds
        for path, deeds in done.items()
        if deeds & CHANGES or not any(file_name(path) in text for text in loose)
    }


def _right_deed(path: str, deed: Deed, known: Mapping[str, set[Deed]]) -> Deed | None:
    """What was done to a file in place of what is said, None where that is right or not known."""
    path = path.replace("\\", "/").removeprefix("./")
    meant = [one for one in known if f"/{one}".endswith(f"/{path}") or path.endswith(f"/{one}")]
    deeds = known[meant[0]] if len(meant) == 1 else set[Deed]()
    changes = sorted(deeds & CHANGES)
    if deed == "read":
        return changes[0] if changes else None
    if not deeds or not deeds & {"read", *CHANGES}:
        return None
    if deed == "deleted" and changes and "deleted" not in changes:
        return changes[0]
    return None if changes else "read"


def _turned(body: Sequence[tuple[str, str]], facts: Facts, said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Lines that say a decision or a rule the other way round."""
    firm = [one for _, one in lasting(said)]
    decisions = [
        one for one in facts.get("Decisions", ()) if one in firm or (one not in said and is_firm(one))
    ]
    rules = [one for one in of_user(facts) if not is_asked(one)]
    known = [sides for one in dict.fromkeys((*decisions, *rules, *firm)) if (sides := _sides(one))]
    every = [sides for one in said if (sides := _sides(one))]
    for heading, line in body:
        mine = _sides(line)
        right = next((one for one in known if mine and _is_turned(mine, one)), None) if mine else None
        same = mine and any(_is_same(mine, one) for one in (*known, *every))
        if right and not same:
            yield line.strip(), f"- {right[2]}"
        elif heading == "Decisions" and not same:
            other = _overturned(line, decisions, said)
            if other:
                yield line.strip(), f"- {other}"


def _sides(sentence: str) -> tuple[frozenset[str], frozenset[str], str] | None:
    """What a sentence prefers, and to what, each without what both have; None where it prefers nothing."""
    match = _PIVOT.search(sentence)
    if not match or (not match[0].startswith(",") and _DENIES.search(sentence[: match.start()])):
        return None
    before = _ENDS.split(sentence[: match.start()])[-1]
    after = next((one for one in _ENDS.split(sentence[match.end() :], maxsplit=1) if one.strip()), "")
    left, right = frozenset(terms(before)), frozenset(terms(after))
    both = left & right
    return (left - both, right - both, sentence.strip()) if left - both and right - both else None


def prefers_same(one: str, other: str) -> bool:
    """Whether two sentences prefer the same to the same."""
    ours, theirs = _sides(one), _sides(other)
    return bool(ours and theirs and _is_same(ours, theirs))


def _is_turned(
    mine: tuple[frozenset[str], frozenset[str], str], known: tuple[frozenset[str], frozenset[str], str]
) -> bool:
    """Whether what one sentence prefers is what the other rejects, and the other way round."""
    return bool(mine[0] & known[1] and mine[1] & known[0]) and not mine[1] & known[1]


def _is_same(
    mine: tuple[frozenset[str], frozenset[str], str], known: tuple[frozenset[str], frozenset[str], str]
) -> bool:
    return bool(mine[0] & known[0] and mine[1] & known[1])


def _overturned(line: str, decisions: Sequence[str], said: Sequence[str]) -> str:
    """The known decision that a line has adopted where it was rejected, or rejected where it was taken; "" for none."""
    own, mine = _subject(line), _says_no(line)
    if mine is None or len(own) < MIN_SHARED:
        return ""
    for one in decisions:
        theirs = _says_no(one)
        if theirs is not None and theirs != mine and len(own & _subject(one)) >= SAME_SHARE * len(own):
            like = (other for other in said if len(own & _subject(other)) >= SAME_SHARE * len(own))
            if not any(_says_no(other) == mine for other in like):
                return one
    return ""


def _says_no(sentence: str) -> bool | None:
    """Whether something was decided against, None where nothing was decided."""
    if _REJECTED.search(sentence):
        return True
    if _ADOPTED.search(sentence):
        return bool(FORBIDS.search(_INSTEAD.split(sentence)[0]))
    return None


def _subject(sentence: str) -> frozenset[str]:
    """What a decision is about: the words before its reason and before what it was preferred to."""
    first = re.split(r" because | since | so that |因为", _INSTEAD.split(sentence)[0])[0]
    return frozenset(terms(_ADOPTED.sub(" ", _REJECTED.sub(" ", FORBIDS.sub(" ", first)))))


def _exchanged(body: Sequence[tuple[str, str]], exact: Exact) -> Iterator[tuple[str, str]]:
    """Lines in which ids stand beside what only others of their kind stand beside: two that have each other's words,
    and one of which is said, word for word, what is said of another.
    """
    said = dict.fromkeys(one for _, line in body for one in find_names(line) if one[0] in _IDS)
    kinds = {kind for kind, _ in said}
    more = [one for one in exact.names if one[0] in kinds and one not in said][:MAX_OTHER_IDS]
    clauses = {one: _beside(one[1], exact.text) for one in (*said, *more) if one[1] in exact.text}
    found: list[tuple[str, dict[str, str], dict[str, str]]] = []
    for _, line in body:
        named = [one for one in dict.fromkeys(find_names(line)) if one[0] in _IDS]
        if named and len(named) <= MAX_LISTED and not (FORBIDS.search(line) or _CONTRASTS.search(line)):
            found.append((line.strip(), *_swaps(line, named, clauses)))
    meant = {pair for _, loose, _ in found for pair in loose.items()}
    for line, loose, sure in found:
        swaps = {name: right for name, right in loose.items() if (right, name) in meant} | sure
        swaps = {name: right for name, right in swaps.items() if right in swaps or right not in line}
        if swaps:
            pattern = "|".join(map(re.escape, sorted(swaps, key=len, reverse=True)))
            yield line, re.sub(pattern, lambda match, to=swaps: to[match[0]], line)


def _swaps(
    line: str, named: Sequence[tuple[str, str]], clauses: Mapping[tuple[str, str], Sequence[frozenset[str]]]
) -> tuple[dict[str, str], dict[str, str]]:
    """For the ids named in a line, those it may mean by them, and those it surely does."""
    loose: dict[str, str] = {}
    sure: dict[str, str] = {}
    for kind, name in named:
        others = {other: words for (of, other), words in clauses.items() if of == kind and other != name}
        if (kind, name) not in clauses or not others:
            continue
        right = _meant(name, line, clauses[kind, name], others)
        if right:
            loose[name] = right
            words = _clause(name, line, line.find(name))
            around = set(terms(line.replace(name, " "))) if len(named) == 1 else words
            own = _NO_WORDS.union(*clauses[kind, name]) - _NO_WORDS.union(*others[right])
            if around.isdisjoint(own) and words in others[right]:
                sure[name] = right
    return loose, sure


def _beside(name: str, text: str) -> list[frozenset[str]]:
    """The words of each clause in which a name stands."""
    found: list[frozenset[str]] = []
    at = text.find(name)
    for _ in range(MAX_PLACES):
        if at < 0:
            break
        found.append(_clause(name, text[max(0, at - 160) : at + len(name) + 160], min(at, 160)))
        at = text.find(name, at + len(name))
    return found


def _clause(name: str, text: str, at: int) -> frozenset[str]:
    """The words beside a name up to the next bounds; behind a bracket that follows it, those in the bracket."""
    first, rest = text[:at], text[at + len(name) :]
    for other in {one for kind, one in find_names(text) if kind in _IDS} - {name}:
        first, rest = first.rpartition(other)[2], rest.partition(other)[0]
    bracket = re.match(r"\s{0,2}\(([^()]{2,60})\)", rest)
    after = bracket[1] if bracket else _CLAUSE.split(rest, maxsplit=1)[0]
    return frozenset(terms(f"{_CLAUSE.split(first)[-1]} {after}"))


def _meant(
    name: str, line: str, own: Sequence[frozenset[str]], others: Mapping[str, Sequence[frozenset[str]]]
) -> str:
    """The id that a line may mean by `name`: the only one beside which its words stand; "" where it is right."""
    ours = _NO_WORDS.union(*own)
    theirs = {other: _NO_WORDS.union(*words) for other, words in others.items()}
    words = _clause(name, line, line.find(name))
    mine = ours - _NO_WORDS.union(*theirs.values())
    if not mine or words & mine:
        return ""
    fitting = [
        other
        for other, its in theirs.items()
        if words & (its - ours - _NO_WORDS.union(*(rest for one, rest in theirs.items() if one != other)))
    ]
    return fitting[0] if len(fitting) == 1 else ""


def unapproved(text: str, source: Source) -> list[str]:
    """The sentences that have somebody allow what nobody but tools spoke of; for sources in which tools give orders."""
    known = {term for one in spoken(source) for term in terms(one)}
    return [
        one
        for one in said_in(text)
        if _APPROVES.search(one)
        and not FORBIDS.search(one)
        and not CONDITION.search(one)
        and len(own := set(terms(_APPROVES.sub(" ", one)))) >= MIN_SHARED
        and len(own & known) <= len(own) / 2
    ]
