"""Names of files with letters beyond ASCII, which no path in prose has: no space parts them from the words around them
in Chinese or Japanese.

Rules kept here:

- Such a name is known where it stands in the source, also without words that stand right before it.
- Else the source's only file of its ending is meant that has its name in other folders, or with whose name it begins.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.names import EXTENSIONS

LEAST_STEM = 2
"""Signs of a name before its ending, without the words that may stand before it."""
MAX_FILES = 400
_PART = r"[^\s/\\:*?\"<>|`'()（）\[\]【】「」『』“”，。；：、！？,;!=]"
_FILE = later(
    rf"(?=[^\n/\\]{{0,80}}[^\x00-\x7f]|[^\n\s]{{0,200}}[^\x00-\x7f])(?:~?/)?(?:{_PART}{{1,80}}/){{0,12}}{_PART}{{1,80}}\.(?:{EXTENSIONS})(?![A-Za-z0-9_])"
)
_JOINED = later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Signs of scripts without spaces, and of those that bind little words to others."""


def lettered(text: str, exact: Exact) -> Iterator[tuple[str, str]]:
    """(name, the source's or "" for none) of files that the source does not have."""
    found = dict.fromkeys(_files(text))
    unknown = [one for one in found if not any(part in exact.text for part in _without_words(one))]
    if not unknown:
        return
    known = list(dict.fromkeys(_files(exact.text, alone=True)))[:MAX_FILES]
    for one in unknown:
        yield one, _meant(one, known)


def _files(text: str, *, alone: bool = False) -> Iterator[str]:
    """The names in a text; with `alone` no name that words of a script without spaces may stand right before."""
    if text.isascii():
        return
    for match in _FILE.finditer(text):
        before = text[match.start() - 1 : match.start()]
        if not match[0].isascii() and not (alone and _JOINED.match(match[0]) and before in ("", "\n")):
            yield match[0]


def _without_words(name: str) -> Iterator[str]:
    """A name, and what is left of it without signs of scripts without spaces at its beginning."""
    yield name
    first = name.find("/")
    last = first if first >= 0 else name.rfind(".") - LEAST_STEM
    for at in range(1, last + 1):
        if _JOINED.match(name[at - 1]) and name[at] != "/":
            yield name[at:]


def _meant(name: str, known: list[str]) -> str:
    base, ending = name.rpartition("/")[2], name.rpartition(".")[2]
    stem = base.rpartition(".")[0]
    same = {one for one in known if one.rpartition("/")[2] == base}
    like = {
        one
        for one in known
        if one.endswith(f".{ending}")
        and len(its := one.rpartition("/")[2].rpartition(".")[0]) >= LEAST_STEM
        and stem.startswith(its)
    }
    fitting = same or like
    return fitting.pop() if len(fitting) == 1 else ""
