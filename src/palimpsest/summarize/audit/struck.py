"""How a name or a figure that was invented is taken out of a sentence.

Rules kept here:

- An item of a list of names goes by itself. Where one file of the session, of the list's kind and in a folder that the
  item has, is named nowhere in the text, that file was meant.
- Of a sentence with clauses the one goes that has it, where the others say what the source says; who says "I" and names
  what nobody has, tells of work that nobody did.
- What is left of a sentence of several parts begins and ends as a sentence does.
- No gap is left: a name takes the bracket with it in which it stands, or all from the word that joins its part of the
  sentence to what stands before. What is the only part of its sentence, or the first, takes the sentence; and so does a
  figure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.clauses import clauses, without_clause
from palimpsest.summarize.deeds import CHANGES, DID, Deed, deed_of
from palimpsest.summarize.names import find_paths
from palimpsest.summarize.sentences import terms

KNOWN_SHARE, LEAST_TERMS = 0.7, 3
"""A clause of at least so many words, so many of them the source's, says what the source says."""
_BETWEEN = later(r"(,\s+|[、，]\s?|\s(?:and|und|et|y|e|ed|и|&)\s|\s?[和及与]\s?)")
"""What stands between the items of a list."""
_HEAD = later(r"^\s{0,12}(?:[-*•]\s{1,4})?(?:[^:：\n]{1,60}[:：]\s?|(?:[^\W\d_]{2,20} ){0,2})")
"""What a list begins with: its mark, and a label or a verb."""
_ITEM = r"[`\"'*]{0,3}(?:%s)[`\"'*]{0,3}(?:\s?[(（][^()（）]{0,60}[)）])?"
_LONE = later(r"[^\s、，]{2,300}(?:\s?[(（][^()（）]{0,60}[)）])?")
_FIRST = later(r"\b(?:I|(?i:we|ich|wir|je|nous|io|noi|eu|nós|yo|nosotros|я|мы))\b|我|私|저는|제가")
_JOINS = later(
    r"(,\s(?:(?:and|then|und|dann|et|puis|y|luego|e|poi|и)\s)?|[；;]\s|[，；、]|"
    r"\s(?:and|or|but|while|whereas|und|oder|aber|während|et|ou|mais|tandis que|y|pero|mientras|e|ed|ma|mentre|"
    r"i|oraz|og|och|и|или|а)\s)"
)
"""What joins the parts of a sentence."""
_PAIRED = later(
    r"\b(?:between|both|either|zwischen|sowohl|entweder|entre|tra|fra|między|между)\b|之间", re.IGNORECASE
)
"""What needs two."""
_BRACKETS = later(r"\s?[(（][^()（）]{1,120}[)）]")
_STOPS, _ENDS = tuple(".!?"), tuple(".!?。！？")
_BULLET = later(r"\s{0,12}(?:[-*•]|\d{1,3}[.)])?\s{0,4}(?:\*\*[^*\n]{1,60}\*\*:?)?[\s.,:;-]*")
_WORD = later(r"[^\W\d_]+(?=[\s,])")
"""A plain word that a piece begins with."""
_FIGURE = later(r"[$€£¥]?\d[\d.,_]*\s?(?:[^\W\d_]{0,12}|%)")


def is_figure(name: str) -> bool:
    """Whether what was invented is a number, with a unit or without one."""
    return _FIGURE.fullmatch(name) is not None


def without_item(piece: str, pattern: re.Pattern[str], right: str = "") -> str | None:
    """A list of names without one of its items, or with the right one in its place; None where a sentence is no such
    list.
    """
    head = _HEAD.match(piece)
    begun = head.end() if head else 0
    stop = re.search(r"[.。;；]?\s*$", piece)
    end = stop.start() if stop else len(piece)
    parts = _BETWEEN.split(piece[begun:end])
    items, signs = parts[::2], parts[1::2]
    item = re.compile(_ITEM % pattern.pattern)
    gone = [at for at, one in enumerate(items) if item.fullmatch(one.strip())]
    if not gone or len(items) < 2 or not all(_LONE.fullmatch(one.strip()) for one in items):
        return None
    if right:
        changed = [pattern.sub(lambda _: right, one) if at in gone else one for at, one in enumerate(items)]
        return piece[:begun] + "".join(map("".join, zip(changed, (*signs, ""), strict=True))) + piece[end:]
    kept = [at for at in range(len(items)) if at not in gone]
    if not kept:
        return ""
    listed = items[kept[0]] + "".join(signs[at - 1] + items[at] for at in kept[1:])
    return f"{piece[:begun]}{listed}{piece[end:]}"


def without_clauses(piece: str, pattern: re.Pattern[str], words: Collection[str]) -> str:
    """A sentence without the clauses that have something invented, "" where the others do not say what the source
    says; `words` are its terms that stand not in the newest request alone.
    """
    if _FIRST.search(piece):
        return ""
    rest = piece
    for one in clauses(piece):
        if pattern.search(one):
            rest = without_clause(rest, one)
    own = set(terms(rest))
    known = with_forms(own, words)
    return rest if len(own) >= LEAST_TERMS and len(known) >= KNOWN_SHARE * len(own) else ""


def without_part(piece: str, pattern: re.Pattern[str]) -> str:
    """A sentence without the bracket, or without the part behind "and" or a comma, that has something invented; ""
    where it stands in the first part, or in one that belongs to it ("between A and B").
    """
    for bracket in _BRACKETS.finditer(piece):
        if pattern.search(bracket[0]):
            rest = f"{piece[: bracket.start()]}{piece[bracket.end() :]}"
            return without_part(rest, pattern) if pattern.search(rest) else rest
    parts = _JOINS.split(piece)
    kept = parts[0]
    for joint, part in zip(parts[1::2], parts[2::2], strict=True):
        if not pattern.search(part):
            kept += joint + part
        elif _PAIRED.search(kept) or _has_its_deed(part, pattern, is_last=part is parts[-1]):
            return ""
    stop = re.search(r"[.!?。！？;；]?\s*$", piece)
    if _FIRST.search(piece) or pattern.search(kept) or len(set(terms(kept))) < LEAST_TERMS:
        return ""
    return kept if parts[-1] and kept.endswith(parts[-1]) else f"{kept.rstrip()}{stop[0] if stop else ''}"


def _has_its_deed(part: str, pattern: re.Pattern[str], *, is_last: bool) -> bool:
    """Whether a part begins with a name of which something is said together with the one before: "A and B differ"."""
    name = re.match(rf"[\s`\"'*]{{0,4}}(?:{pattern.pattern})", part)
    return bool(name) and (not is_last or bool(terms(part[name.end() :])))


def without_gaps(kept: Sequence[str], pieces: Sequence[str]) -> list[str]:
    """What was kept of each of the pieces of a line, without the empty ones: what ended with a semicolon before the end
    of its sentence ends it now, and what stood behind the beginning of one begins it.
    """
    found: list[str] = []
    begins = True
    is_gone = False
    for piece, whole in zip(kept, pieces, strict=True):
        stop = whole.rstrip()[-1:]
        if whole and not piece:
            if found and not begins and stop in _STOPS and found[-1].rstrip().endswith(";"):
                found[-1] = f"{found[-1].rstrip()[:-1]}{stop}"
                begins = True
            is_gone = True
        else:
            found.append(
                piece[:1].upper() + piece[1:] if is_gone and begins and _WORD.match(piece) else piece
            )
            begins, is_gone = stop in _STOPS, False
    return found


def rejoined(line: str, pieces: list[str], kept: list[str]) -> list[str]:
    """A line of what was kept of its pieces; none where only its mark is left."""
    if kept == pieces:
        return [line]
    rest = _joined(kept).rstrip(" ;；、")
    if rest and kept[-1] != pieces[-1] and rest[-1].isalnum() and line.rstrip().endswith(_ENDS):
        rest += line.rstrip()[-1]
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


def _joined(kept: list[str]) -> str:
    """What was kept of a line in one line, with a space between two pieces unless their script has none."""
    return "".join(f"{piece} " if piece[-1:].isascii() else piece for piece in kept).rstrip(" ")


def meant_path(path: str, line: str, text: str, files: Sequence[tuple[str, Deed]]) -> str:
    """The one file of the session that an invented path of a list means; "" for none or several. It has the same ending
    and a folder of it, was done to it what the line tells, and the text does not name it.
    """
    folders, ending = path.rpartition("/")[0].split("/"), path.rpartition(".")[2]
    told = {deed_of(found[0]) for found in DID.finditer(line)}
    deeds = CHANGES if not told or told & CHANGES else told
    fitting: dict[str, int] = {}
    text = text.replace(path, " ")
    for one, deed in files:
        if deed in deeds and one.endswith(f".{ending}") and one.rpartition("/")[2] not in text:
            shared = len({*one.split("/")[:-1]} & {*filter(None, folders)})
            if shared:
                fitting[one] = shared
    best = [one for one, shared in fitting.items() if shared == max(fitting.values())]
    return _as_beside(best[0], line) if len(best) == 1 else ""


def _as_beside(path: str, line: str) -> str:
    """A path from the folder that the other paths of a line begin with, where it has that folder in it."""
    for other in find_paths(line):
        first = other.split("/")[0]
        if first and not path.startswith(other[:1]) and f"/{first}/" in path:
            return path[path.index(f"/{first}/") + 1 :]
    return path
