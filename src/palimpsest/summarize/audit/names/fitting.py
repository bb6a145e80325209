"""Whether a line may mean the file that an invented path is put right to: its other words fit none better.

Rules kept here:

- What the source says in lines that name one of the files alone is that file's own. A line with more words of another
  file than of the right one means the other; with as many, the one counts that has more of the invented name in it.
- A path that ends with the name of its file is put right as to its folder alone, and asks for no such thing. A file
  that the line names beside it is not meant once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.audit.names.which import alike_words, own_words, words_of
from palimpsest.summarize.names import file_name

MAX_FILES = 40
"""Files that a line is held against."""

_PARTS = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_A-Za-z]+|\d+")


def fits(line: str, wrong: str, right: str, exact: Exact) -> bool:
    """Whether a line that gives an invented path may mean the right one by it, as far as its other words tell."""
    name, invented = file_name(right), file_name(wrong)
    rest = re.sub(rf"(?<![\w./\\-]){re.escape(wrong)}", " ", line)
    if name == invented:
        return True
    if right in rest:
        return False
    others = list(dict.fromkeys(one for one in _rivals(right, exact) if one != name and one not in rest))[
        :MAX_FILES
    ]
    own = own_words((name, *others), exact)
    words = words_of(rest)
    parts = set(_parts(invented))
    score = {
        one: (len(alike_words(words, own[one])), len(with_forms(parts, set(_parts(one))))) for one in own
    }
    return all(score[name] >= score[one] for one in others)


def _rivals(right: str, exact: Exact) -> Iterator[str]:
    """The names of the source's files with the same ending."""
    ending = right.rpartition(".")[2]
    return (file_name(one) for one in exact.paths if one.endswith(f".{ending}"))


def _parts(name: str) -> list[str]:
    """The words of a file's name, without its ending."""
    return [one.lower() for one in _PARTS.findall(name.rpartition(".")[0] or name)]
