"""Which of several names is meant by a part that all of them begin or end with: what stands beside it decides.

Rules kept here:

- What the source has in a line with one of the names is that one's own: a name, a figure, an outcome; not where it has
  it beside another of them, but for a row of much else. A line that has several is looked at sentence by sentence, and
  clause by clause.
- In a summary the nearest words decide: what labels the part, and its clause. Where that says nothing else ("..., id
  7d0e") its sentence does, and in the rest of its line names and figures. Where words are own to several names, or a no
  turns them round, nothing is decided.
- Of several in one breath ("both A and B"), and where the signs of a part are counted, the part itself is meant.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from palimpsest.patterns import later
from palimpsest.summarize.alike import Known
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.sentences import PIECE, terms
from palimpsest.summarize.spoken.cues import FORBIDS

MAX_PLACES = 60
"""Places of one name that are looked at, the first ones."""
MAX_RECORD_LINES = 8
OWN_TIMES = 2
"""So many times more of what stands beside a name a word is that belongs to it, where another has it as well."""
LINE_CHARS = 1_000
"""So much of a line before and behind a name is looked at."""
BOTH = "both"
"""Said of a part that is meant as such."""

_CLAUSE = later(
    r"[;|(){}\[\]（）\n]|[.!?]\s|,\s(?![\"'])|[。；，、]|"
    r"\s(?:and|und|et|y|e|ed|og|och|i|и|but|while|whereas|aber|mais|pero|ma)\s|和|而"
)
_LABELS = later(r"([^,;:.()（）|，。；、：\n]{1,80})(?:[:：=]|->|→)[\s`\"'*(]{0,4}$")
_BEFORE_BRACKET = later(r"([^,;:.()（）|，。；、：\n]{1,80})[`\"'*]{0,3}\s?[(（][`\"'*]{0,3}$")
_BRACKET = later(r"[`\"'*]{0,3}\s?[(（]([^()（）\n]{1,100})[)）]")
_LABELLED = later(r"[`\"'*]{0,3}\s?(?:[:：=]|->|→|[-–—]\s)\s?([^,;:.()（）|，。；、：\n]{1,80})")
_SINGLE = later(r"(?<![\w.,'’-])(?:\d|[A-Z](?!\s[a-z]))(?![\w'’]|[.,]\d)")
_NAME = later(r"(?<![\w.])[^\W\d_a-zß-öø-ÿ][\w'’-]+|[^\W\d_]+\d\w*")
_WORD_BEFORE = later(r"([^\W\d_]{2,20})[\s:=\"'`(#]{0,4}$")
_KINDS = frozenset(
    "id ids uuid guid hash sha commit key nr no number nummer numéro número numero номер 编号 号码 番号 번호".split()
)
"""What an id is called by: a clause that says no more goes with the rest of its sentence."""
_PAIR = later(r"\s{0,20}(?:-\s)?[\"']?[^\W\d_][\w .-]{0,40}[\"']?\s?[:=]\s?\S")
"""A line of a record: a key and its value."""
_BEGINS = later(r"\s{0,20}(?:[-*•]\s|[{}\[\]])")
_CONTRASTS = later(
    r"\b(?:than|other|another|else|unlike|instead|rather|als|ander\w*|statt|autre|lieu|otr[oa]|outr[oa]|altr[oa]|друг\w*)\b|"
    r"另|其他|而不是|他の|代わり|다른|대신",
    re.IGNORECASE,
)
"""What sets one apart from another: whose words a line then has, is not sure."""


def meant_in(line: str, said: str, among: Sequence[str], exact: Exact) -> list[tuple[int, str]]:
    """(where it stands, the name that is meant) for each place of a part in a line; "" where nothing decides, `BOTH`
    where the part itself is meant.
    """
    own = own_words(among, exact)
    wholes = [found.span() for one in among for found in re.finditer(re.escape(one), line)]
    spans = [found.span() for found in re.finditer(_pattern(said), line)]
    spans = [one for one in spans if not any(start <= one[0] < stop for start, stop in wholes)]
    if not spans or _counts_signs(line, said, own):
        return [(start, BOTH) for start, _ in spans]
    labels = _KINDS | labels_of(among, exact)
    bounds = sorted((*spans, *wholes))
    found: list[tuple[int, str]] = []
    for start, end in spans:
        before = line[max((stop for _, stop in bounds if stop <= start), default=0) : start]
        behind = line[end : min((begin for begin, _ in bounds if begin >= end), default=len(line))]
        found.append(
            (
                start,
                _decided(before, behind, own, labels)
                or _decided(before, behind, own_words(among, exact, record=True), labels),
            )
        )
    return found


def _counts_signs(line: str, said: str, own: Mapping[str, frozenset[str]]) -> bool:
    """Whether a line tells how many signs a part has, and means nothing else by the number."""
    number = str(sum(map(str.isalnum, said)))
    is_told = re.search(rf"(?<![\w.,:=]){number}(?![\w]|[.,:]\d)", line)
    return bool(is_told) and not any(number in words for words in own.values())


def _pattern(said: str) -> str:
    before = r"(?<![A-Za-z0-9_])" if said[:1].isalnum() else ""
    return rf"{before}{re.escape(said)}(?![A-Za-z0-9_])"


def labels_of(among: Sequence[str], exact: Exact) -> frozenset[str]:
    """The words that the source has directly before each of the names: "run", "id"."""
    found: list[set[str]] = []
    for name in among:
        before = (_WORD_BEFORE.search(line[:at]) for line, at in _places(name, exact.text))
        found.append({word[1].lower() for word in before if word})
    return frozenset(set[str].intersection(*found))


def own_words(among: Sequence[str], exact: Exact, *, record: bool = False) -> Mapping[str, frozenset[str]]:
    """What each of the names has beside it, and none of the others nearly as much; with `record` in the lines of its
    record. Reckoned once for each source.
    """
    asked = (record, *among)
    if asked not in exact.owned:
        shares = {name: _shares(_units(name, among, exact.text, record=record)) for name in among}
        exact.owned[asked] = {name: _own(name, shares) for name in among}
    return exact.owned[asked]


def _own(name: str, shares: Mapping[str, Mapping[str, float]]) -> frozenset[str]:
    others = [its for one, its in shares.items() if one != name]
    return frozenset(
        word
        for word, share in shares[name].items()
        if not any(
            share < OWN_TIMES * max((its[one] for one in alike_words({*its}, {word})), default=0)
            for its in others
        )
    )


def _shares(units: Iterable[str]) -> dict[str, float]:
    """The words of texts, each with how much of a text it is, where it is the most."""
    found: dict[str, float] = {}
    for text in units:
        words = words_of(text)
        found |= {word: max(found.get(word, 0), 1 / len(words)) for word in words}
    return found


def alike_words(words: AbstractSet[str], others: AbstractSet[str]) -> frozenset[str]:
    """Those of the words that are among the others: figures as they are, words in any form."""
    plain = [word for word in words if not _has_digit(word)]
    return frozenset((*(words & others), *Known({one for one in others if not _has_digit(one)}).of(plain)))


def _units(name: str, among: Sequence[str], text: str, *, record: bool) -> Iterator[str]:
    """The texts in which a name stands and none of the others: lines, sentences or clauses; with `record` the lines of
    its record.
    """
    others = [one for one in among if one != name]
    if record:
        yield from _records(name, others, text)
        return
    for line, _ in _places(name, text):
        part = line
        if any(one in part for one in others):
            part = next((one for one in PIECE.split(line) if name in one), line)
        if any(one in part for one in others):
            before, _, behind = part.partition(name)
            for one in others:
                before, behind = before.rpartition(one)[2], behind.partition(one)[0]
            part = f"{_CLAUSE.split(before)[-1]} {_behind(behind)}"
        yield part.replace(name, " ")


def _behind(text: str) -> str:
    """What stands behind a name in its clause: the bracket that follows it, or up to the next bounds."""
    bracket = _BRACKET.match(text)
    return bracket[1] if bracket else _CLAUSE.split(text, maxsplit=1)[0]


def _places(name: str, text: str) -> Iterator[tuple[str, int]]:
    """(line, where the name stands in it) of the places of a name."""
    at = text.find(name)
    for _ in range(MAX_PLACES):
        if at < 0:
            return
        start = max(text.rfind("\n", 0, at) + 1, at - LINE_CHARS)
        stop = text.find("\n", at)
        yield text[start : min(stop if stop >= 0 else len(text), at + LINE_CHARS)], at - start
        at = text.find(name, at + len(name))


def _records(name: str, others: Sequence[str], text: str) -> Iterator[str]:
    lines = text.splitlines()
    places = [at for at, line in enumerate(lines) if name in line and len(line) < LINE_CHARS][:MAX_PLACES]
    for place in places:
        if not _PAIR.match(lines[place]):
            continue
        first = place
        while first > 0 and place - first < MAX_RECORD_LINES and not _BEGINS.match(lines[first]):
            if not _is_of_record(lines[first - 1], others):
                break
            first -= 1
        last = place + 1
        while last < len(lines) and last - place < MAX_RECORD_LINES and not _BEGINS.match(lines[last]):
            if not _is_of_record(lines[last], others):
                break
            last += 1
        yield "\n".join(lines[first:last]).replace(name, " ")


def _is_of_record(line: str, others: Sequence[str]) -> bool:
    return bool(_PAIR.match(line)) and len(line) < LINE_CHARS and not any(one in line for one in others)


def _decided(before: str, behind: str, own: Mapping[str, frozenset[str]], labels: AbstractSet[str]) -> str:
    """The name that is meant between two texts of a line; "" where nothing decides, `BOTH` where a part is meant."""
    for text, sure, plain in _contexts(before, behind, labels):
        words = (
            words_of(text)
            if not sure
            else {*words_of(" ".join(_NAME.findall(text))), *filter(_has_digit, terms(text))}
        )
        if plain and any(_in_one_breath(one, list(own.values())) for one in (before, behind)):
            return BOTH
        hits = {name: held for name, its in own.items() if (held := alike_words(frozenset(words), its))}
        if not hits:
            continue
        if len(hits) > 1:
            return _beside(before, hits)
        return "" if FORBIDS.search(text) or _CONTRASTS.search(text) else next(iter(hits))
    return ""


def _contexts(before: str, behind: str, labels: AbstractSet[str]) -> Iterator[tuple[str, bool, bool]]:
    """(text, whether names and figures alone count, whether it is no label) around a part, the nearest first."""
    nearest = (
        _LABELS.search(before),
        _BRACKET.match(behind),
        _BEFORE_BRACKET.search(before),
        _LABELLED.match(behind),
    )
    for found in filter(None, nearest):
        yield found[1], False, False
    clause = f"{_CLAUSE.split(before)[-1]} {_behind(behind)}"
    yield clause, False, True
    if {*terms(clause)} <= labels:
        yield f"{PIECE.split(before)[-1]} {PIECE.split(behind)[0]}", False, True
        yield f"{before} {behind}", True, True


def _in_one_breath(text: str, hits: Sequence[frozenset[str]]) -> bool:
    """Whether words of several names follow one another with nothing between them that says something."""
    owners = [next((at for at, its in enumerate(hits) if word in its), -1) for word in terms(text)]
    return any(one != two and min(one, two) >= 0 for one, two in itertools.pairwise(owners))


def _beside(before: str, hits: Mapping[str, frozenset[str]]) -> str:
    """The name of which a word stands directly before a part."""
    last = terms(before)[-1:]
    return next((name for name, its in hits.items() if not its.isdisjoint(last)), "")


def words_of(text: str) -> set[str]:
    """The words of a text that may decide something: its terms, and single figures and capitals."""
    return {*terms(text), *_SINGLE.findall(text)}


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
