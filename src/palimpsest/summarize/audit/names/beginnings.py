"""Names at the end of a line that break off, as the last one of a reply that was cut off does.

Rules kept here:

- A name breaks off where the source has it nowhere as a whole, and where a longer one of the source goes on with its
  last word: `berth-db-2.harb` of `berth-db-2.harbour.example`. One that ends with a whole word is a short form, or a
  folder.
- It is the one longer name of the source, or of several that stand in each other the shortest; of paths that go on with
  the same folder, that folder.
- A line that tells that a name becomes another tells the other one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact, stands
from palimpsest.summarize.audit.names.misspelt import BECOMES

MAX_ENDS = 400
"""Ends of lines that are looked at."""
MAX_LONGER = 200
"""Places of the source that go on with one."""
_END = later(
    r"(?<![A-Za-z0-9_./\\:@#~-])(?P<name>[A-Za-z0-9/~.][A-Za-z0-9_./\\:@#=?&%-]{3,250})(?:[`\"'»”)\]]|\*\*){0,4}\s{0,8}$"
)
_JOINED = later(r"[A-Za-z0-9_][/\\.:@#_-][A-Za-z0-9_]|^[/~].*[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]")
"""What tells a name from a word."""
_STRONG = later(r"[A-Za-z0-9_](?:[/\\@_]|::)[A-Za-z0-9_]|^[/~]")
"""What tells one whose like stands in no list of names."""
_ON = r"[A-Za-z0-9_./\\:@#=?&%-]{1,200}"
_PLURAL, _PART = "s", "::"


def begun(text: str, exact: Exact) -> Iterator[tuple[str, str]]:
    """(what is said, the source's) of the names at ends of lines that are the beginning of one of the source alone."""
    for line in text.splitlines()[-MAX_ENDS:]:
        found = _END.search(line)
        for said in dict.fromkeys((found["name"], found["name"].rpartition(_PART)[2]) if found else ()):
            right = _whole(said, exact) if _JOINED.search(said) and said[-1].isalnum() else ""
            if right and not (right in line and BECOMES.search(line)):
                yield said, right
                break


def _whole(said: str, exact: Exact) -> str:
    """The one name of the source that a name is the beginning of; "" for none or several, or where it is whole."""
    if stands(said, exact.text, "path"):
        return ""
    names = {*exact.paths, *(name for _, name in exact.names)}
    if _STRONG.search(said):
        places = islice(re.finditer(rf"(?<![A-Za-z0-9_]){re.escape(said)}{_ON}", exact.text), MAX_LONGER)
        names.update(one[0].rstrip("./\\:@#=?&%-") for one in places)
    longer = {one for one in names if one.startswith(said) and _goes_on(one[len(said) :], said[-1])}
    least = min(longer, key=len, default="")
    if all(one.startswith(least) for one in longer):
        return least
    folders = {said + one[len(said) :].partition("/")[0] for one in longer if "/" in one[len(said) :]}
    folder = folders.pop() if len(folders) == 1 else ""
    return folder if folder and all(one.startswith(f"{folder}/") for one in longer) else ""


def _goes_on(rest: str, last: str) -> bool:
    """Whether what is left of a name goes on with the word that broke off, by more than a plural."""
    word = re.match(r"[a-z]+|[0-9]+|[A-Z]+", rest)
    if not word or rest == _PLURAL:
        return False
    return word[0].islower() or (word[0].isdigit() and not last.isalpha()) or last.isupper() or last.isdigit()
