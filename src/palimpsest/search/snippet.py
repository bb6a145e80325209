"""A short passage around the best match, with the matches marked."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.lazy_regex import later
from palimpsest.search.text_scan import beginning, best_window
from palimpsest.search.word_folding import ACCENTS, composed, index_stem, spaced, unspaced
from palimpsest.text.cut import safe_end, safe_start

SNIPPET_CHARS = 160
MAX_SEARCHED_CHARS = 200_000
MAX_SPANS = 2_000
MAX_ENDING_CHARS = 16
"""The longest ending of a word."""

_SPACES = later(r"\s+")
_VOICED = later("[\uff66-\uff9d][\uff9e\uff9f]")
"""A half-width kana with its mark, which together are one full-width character."""

_UNSEEN = "\u0301"
Span = tuple[int, int]
Match = tuple[int, int, int]
"""Where a phrase begins and ends, and its number."""


def snippet(
    text: str, phrases: Sequence[str], *, size_chars: int = SNIPPET_CHARS, mark: tuple[str, str] = ("[", "]")
) -> str:
    """Return about `size_chars` of `text` around the best match, on one line, with each match between `mark`s. A part
    is kept for what follows the match.

    `phrases` are the folded words to find. They are marked as whole words, else in another form, else inside other
    words. A text without any gives its beginning.
    """
    return locate(text, phrases).cut(size_chars, mark)


@dataclass(frozen=True, slots=True)
class LocatedText:
    """A text with the positions of the phrases, to be cut to any size; of a very long text one part, which `begins`
    it or not, with `more` behind it.
    """

    text: str
    spans: Sequence[Match]
    begins: bool
    more: bool

    def cut(self, size_chars: int, mark: tuple[str, str]) -> str:
        """Return what `snippet` returns."""
        said = self._around(size_chars, mark) if self.spans else self._beginning(size_chars)
        return said if self.begins else "…" + said.lstrip("…")

    def _beginning(self, size_chars: int) -> str:
        more = self.more or len(self.text) > size_chars
        return _one_line(self.text[: safe_end(self.text, size_chars)]) + ("…" if more else "")

    def _around(self, size_chars: int, mark: tuple[str, str]) -> str:
        start, last = _best(self.spans, size_chars)
        before = max(0, min(size_chars // 4, (size_chars - (last - start)) // 2))
        begin = safe_start(self.text, max(0, start - before))
        end = safe_end(
            self.text, max(begin + size_chars, min(last, begin + 2 * size_chars) + size_chars // 8)
        )
        inside = [(first, last) for first, last, _ in self.spans if begin <= first and last <= end]
        if not inside:
            begin, end = start, start + size_chars
            inside = [(start, min(end, next(last for first, last, _ in self.spans if first == start)))]
        pieces: list[str] = ["…" if begin else ""]
        position = begin
        for first, last in inside:
            pieces += [self.text[position:first], mark[0], self.text[first:last], mark[1]]
            position = last
        pieces += [self.text[position:end], "…" if self.more or end < len(self.text) else ""]
        return _one_line("".join(pieces))


def locate(text: str, phrases: Sequence[str]) -> LocatedText:
    """Find the phrases in a text; in a very long one in its best part."""
    skipped = best_window(text, _telling(phrases), MAX_SEARCHED_CHARS)
    stretch = composed(text[skipped : skipped + MAX_SEARCHED_CHARS], "NFC")
    more = not skipped and len(text) > MAX_SEARCHED_CHARS
    return LocatedText(stretch, _spans(stretch, phrases), not skipped, more)


def best_place(text: str, phrases: Sequence[str]) -> tuple[int, int]:
    """Return where the best part of a text begins, and how many of the phrases it has."""
    skipped = best_window(text, _telling(phrases), MAX_SEARCHED_CHARS)
    spans = _spans(text[skipped : skipped + MAX_SEARCHED_CHARS], phrases)
    if not spans:
        return skipped, 0
    start, end = _best(spans, SNIPPET_CHARS)
    return skipped + start, len({number for first, last, number in spans if start <= first and last <= end})


def _telling(phrases: Sequence[str]) -> list[tuple[str, ...]]:
    """Return what to search for in a very long text: words literally, in any form, and joined in a script without
    spaces.
    """
    found: dict[str, None] = {}
    for phrase in phrases:
        words = phrase.split(" ")
        found |= dict.fromkeys([*words, *map(beginning, words), "".join(filter(unspaced, words))])
    return [(one,) for one in found]


class _Flat(dict[int, str]):
    """Each character folded; a space for separators."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        nothing = unicodedata.combining(char) or ACCENTS.match(char)
        self[code] = spaced(char) or ("" if nothing else " ")
        return self[code]


_FLAT = _Flat()


def _flattened(text: str) -> tuple[str, Sequence[int]]:
    """Return the folded text, and the position of each of its characters in the text, the end last."""
    text = _VOICED.sub(lambda pair: unicodedata.normalize("NFKC", pair[0]).ljust(2, _UNSEEN), text)
    flat = text.translate(_FLAT)
    other = [char for char in set(text) if len(_FLAT[ord(char)]) != 1]
    if not other:
        return flat, range(len(text) + 1)
    places: list[int] = []
    done = 0
    for found in re.finditer(f"[{''.join(map(re.escape, other))}]", text):
        place = found.start()
        places += range(done, place)
        places += [place] * len(_FLAT[ord(found[0])])
        done = place + 1
    return flat, [*places, *range(done, len(text) + 1)]


def _spans(text: str, phrases: Sequence[str]) -> list[Match]:
    """Return the positions of the phrases, in order and not nested, each with its number."""
    flat, places = _flattened(text)
    found: list[Match] = []
    for number, phrase in enumerate(phrases):
        words = phrase.split(" ")
        literal = _literal(flat, words)
        whole = [span for span in literal if _is_whole(flat, span, words[-1])]
        found += [(*span, number) for span in whole or _in_another_form(flat, words) or literal]
    kept: list[Match] = []
    for match in sorted(found, key=lambda one: (one[0], -one[1])):
        if not kept or match[0] >= kept[-1][1]:
            kept.append(match)
    return [(places[first], max(places[last - 1] + 1, places[last]), number) for first, last, number in kept]


def _literal(flat: str, words: Sequence[str]) -> list[Span]:
    if not all(word in flat for word in words):
        return []
    pattern = re.compile(_joined([re.escape(word) for word in words], words))
    return _first(match.span() for match in pattern.finditer(flat))


def _is_whole(flat: str, span: Span, last_word: str) -> bool:
    """Return whether a match begins and ends like words, the last with any ending that leaves its stem."""
    first, last = span
    if first and not _divided(flat[first - 1 : first + 1]):
        return False
    ending = flat[last : last + MAX_ENDING_CHARS].split(" ", 1)[0]
    return (
        not ending
        or _divided(flat[last - 1 : last + 1])
        or index_stem(last_word + ending) == index_stem(last_word)
    )


def _divided(two: str) -> bool:
    """Return whether a word ends between two characters; those of a script without spaces are words themselves."""
    return " " in two or unspaced(two)


def _in_another_form(flat: str, words: Sequence[str]) -> list[Span]:
    """Return whole words with the same stems."""
    stems = [index_stem(word) for word in words]
    heads = [stem[: max(1, len(stem) - 1)] for stem in stems]
    if not all(head in flat for head in heads):
        return []
    begins = [f"({re.escape(head)}[^ ]*+)" for head in heads]
    pattern = re.compile("(?<![^ ])" + _joined(begins, words) + "(?![^ ])")
    return _first(
        match.span()
        for match in pattern.finditer(flat)
        if [index_stem(one) for one in match.groups()] == stems
    )


def _joined(parts: Sequence[str], words: Sequence[str]) -> str:
    """Return a pattern of spaces between words; characters of a script without spaces need none."""
    out = parts[0]
    for part, before, word in zip(parts[1:], words, words[1:], strict=False):
        alone = len(before) == 1 and not before.isascii()
        out += (" *+" if alone or (len(word) == 1 and not word.isascii()) else " ++") + part
    return out


def _first(spans: Iterator[Span]) -> list[Span]:
    return [span for _, span in zip(range(MAX_SPANS), spans, strict=False)]


def _best(matches: Sequence[Match], size_chars: int) -> Span:
    """Return the part of at most this size with the most different phrases, and of these the most matches; the first
    such one. A longer match is a part of its own.
    """
    best, best_worth, tail = matches[0][:2], (0, 0), 0
    inside: dict[int, int] = defaultdict(int)
    for head, (_, last, number) in enumerate(matches):
        inside[number] += 1
        while last - matches[tail][0] > size_chars and tail < head:
            gone = matches[tail][2]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            tail += 1
        worth = len(inside), head - tail + 1
        if worth > best_worth:
            best, best_worth = (matches[tail][0], last), worth
    return best


def _one_line(text: str) -> str:
    return _SPACES.sub(" ", text).strip()
