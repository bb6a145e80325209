"""The exact strings of a summary, checked against its source: which are corrected, and which are marked.

- A link, a path or a name of 8 or more characters that the source lacks is corrected if exactly one form in it is
  near. Near forms differ by a few characters changed, left out, added or exchanged, or by one folder of a path.
- All other strings that the source does not have are marked. The text around them and fenced code are not changed.
- Corrections and marks are recorded.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from itertools import islice

from palimpsest.lazy_regex import later
from palimpsest.settings import IdentifierPolicy
from palimpsest.summarize.checks.string_index import MARK, MOST_CHARS, UUID, Found, Known, found_in, stands

LEAST_EDITED_CHARS = 8
CHARS_PER_SLIP = 6
"""A string may have one slip in so many characters, up to `MOST_SLIPS` in all."""
MOST_SLIPS = 3
LEAST_STEM_CHARS = 6
COMMON_FILES = frozenset("__init__ package README tsconfig conftest Makefile Dockerfile".split())
"""Files with these or shorter names, without extension, are in many folders, so one may be new in a folder."""
LINK_CHARS = 400
MOST_COMPARED = 2_000
"""The most forms that are compared character by character: if so many are similar, none of them is certain."""
STEP = 256
"""Forms of the source that a string is compared with between two yields."""
MAX_CHECKED = 400
"""The most strings of one summary that are checked."""
MAX_UNKNOWN = 60
"""The most unknown strings for which a near form is searched."""

_FENCED = later(r"^[ \t]{0,8}```[^`\n]{0,60}\n.*?(?:^[ \t]{0,8}```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
HEX = later(r"(?=[a-fA-F]*\d)[0-9a-fA-F]{7,64}")
SHORT_NUMBER = later(r"(?<!\d)\d{1,4}(?!\d)")


@dataclass(frozen=True, slots=True)
class Checked:
    """A text after the check, its corrections (before, after), and the strings that were marked."""

    text: str
    edits: tuple[tuple[str, str], ...] = ()
    marked: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The corrections and marks as lines for the record."""
        edits = (f"{said} -> {right}" for said, right in self.edits)
        return (*edits, *(f"not in the source: {said}" for said in self.marked))


def checked(text: str, known: Known, policy: IdentifierPolicy = "strict") -> Generator[None, None, Checked]:
    """A summary with its strings checked against the source. Yields between small pieces of work.

    With the policy "custom" strings are only marked; with "off" nothing is checked.
    """
    if policy == "off":
        return Checked(text)
    unknown: dict[tuple[str, str], list[Found]] = {}
    without_code = _FENCED.sub(lambda match: " " * len(match[0]), text) if "```" in text else text
    for one in islice(found_in(without_code), MAX_CHECKED):
        key = (one.kind, one.text)
        if key not in unknown and known.has(one):
            if one.kind != "path" or not known.is_joined(one.text):
                continue
            yield from known.look()
            if len(fuller_paths(one.text, known)) != 1:
                continue
        unknown.setdefault(key, []).append(one)
        yield
    changes: list[tuple[int, int, str]] = []
    edits: list[tuple[str, str]] = []
    marked: list[str] = []
    for place, ((kind, said), ones) in enumerate(unknown.items()):
        right = ""
        if policy == "strict" and place < MAX_UNKNOWN and len(said) >= LEAST_EDITED_CHARS:
            yield from known.look()
            right = yield from near_form(ones[0], known)
        if kind == "begun" and not right and known.begins(said.rstrip(".…")):
            continue  # several strings of the source begin like this
        if right:
            edits.append((said, right))
            changes.extend((one.start, one.end, right) for one in ones)
        else:
            marked.append(said)
            ends = (_mark_position(text, one.end) for one in ones)
            changes.extend((end, end, MARK) for end in ends if not text.startswith(MARK, end))
        yield
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(changes):
        pieces.extend((text[at:start], new))
        at = max(at, end)
    text = "".join((*pieces, text[at:]))
    return Checked(text, tuple(edits), tuple(marked))


def _mark_position(text: str, end: int) -> int:
    """Where a mark goes: after the end of the code, the quotes or the link around the string."""
    if text[end : end + 2] == "()":
        end += 2
    while text[end : end + 1] in ("`", "/", '"', "'"):
        end += 1
    opened = text.rfind("](", max(0, end - LINK_CHARS), end)
    if text[end : end + 1] == ")" and opened >= 0 and ")" not in text[opened:end]:
        end += 1
    return end


def near_form(said: Found, known: Known) -> Generator[None, None, str]:
    """The only form in the source that a string may be a slip of; "" for none or several. Yields between steps."""
    if said.kind == "begun":
        begun = said.text.rstrip(".…").rstrip("-")
        wholes = {name for name in known.names if name.startswith(begun)}
        return wholes.pop() if len(wholes) == 1 else ""
    if said.kind == "path":
        return (yield from _near_path(said.text.replace("\\", "/"), known))
    if len(said.text) > MOST_CHARS:
        return ""
    text, slips = said.text, min(MOST_SLIPS, len(said.text) // CHARS_PER_SLIP)
    is_id = UUID.fullmatch(text) or HEX.fullmatch(text)
    best: set[str] = set()
    least = slips
    compared = 0
    for place, form in enumerate(
        () if said.kind == "number" else known.links if said.kind == "link" else known.names
    ):
        if place % STEP == 0:
            yield
        if abs(len(form) - len(text)) > least or not _may_be_near(text, form):
            continue
        if not is_id and _numbers_another(text, form):
            continue
        compared += 1
        if compared > MOST_COMPARED:
            return ""
        yield
        distance = slips_between(text, form, least + 1)
        if distance < least:
            best.clear()
            least = distance
        if distance <= least:
            best.add(form)
    return best.pop() if len(best) == 1 else ""


def _numbers_another(one: str, other: str) -> bool:
    """Whether two strings are the same but for a short number: `pull/17` and `pull/18` are two things."""
    numbers, its = SHORT_NUMBER.findall(one), SHORT_NUMBER.findall(other)
    return numbers != its and SHORT_NUMBER.sub("0", one) == SHORT_NUMBER.sub("0", other)


def _near_path(text: str, known: Known) -> Generator[None, None, str]:
    """`near_form` of a path: the end of a path in the source with as many parts, one of which differs by few
    characters; else one with another folder, one more or one less."""
    own = text.split("/")
    best: set[str] = set()
    least = MOST_SLIPS
    for place, path in enumerate(known.paths):
        if place % STEP == 0:
            yield
        end = path.split("/")
        end = end if own[0] in ("", "~") else end[-len(own) :]
        differ = [at for at, (a, b) in enumerate(zip(own, end, strict=False)) if a != b]
        if len(end) != len(own) or len(differ) != 1:
            continue
        mine, its = own[differ[0]], end[differ[0]]
        near = _may_be_near(mine, its) and not _numbers_another(mine, its)
        distance = slips_between(mine, its, least + 1) if near else MOST_SLIPS + 1
        if distance > max(1, min(MOST_SLIPS, len(mine) // 4)):
            continue
        if distance < least:
            best.clear()
            least = distance
        if distance <= least:
            best.add("/".join(end))
    best = best or other_folders(text, known)
    return best.pop() if len(best) == 1 else ""


def fuller_paths(text: str, known: Known) -> set[str]:
    """The paths of the source that are this path with one more folder."""
    own = text.split("/")
    same = (path.split("/") for path in known.by_name.get(own[-1], ()) if len(own) > 1)
    ends = (whole if own[0] in ("", "~") else whole[-len(own) - 1 :] for whole in same)
    return {"/".join(end) for end in ends if len(end) == len(own) + 1 and _but_for_one(own, end)}


def other_folders(text: str, known: Known) -> set[str]:
    """The paths of the source with the same file name that differ in one folder: those with one more.

    If the source does not have the folder at all: those with one less, or a different one.
    """
    own = text.split("/")
    if fuller := fuller_paths(text, known):
        return fuller
    stem = own[-1].rpartition(".")[0] or own[-1]
    specific = len(stem) >= LEAST_STEM_CHARS and stem not in COMMON_FILES
    if len(own) < 2 or stands("/".join(own[:-1]), known.text):
        return set()  # it may well be a new file in a known folder
    found: tuple[set[str], set[str]] = (set(), set())
    for path in known.by_name.get(own[-1], ()):
        whole = path.split("/")
        for rank, parts in enumerate((len(own), len(own) - 1)):
            end = whole if own[0] in ("", "~") else whole[-parts:]
            if (rank or specific) and len(end) == parts > 1 and _but_for_one(own, end):
                found[rank].add("/".join(end))
    return found[0] or found[1]


def _but_for_one(own: list[str], other: list[str]) -> bool:
    """Whether two paths differ in one part, which one of them may lack."""
    short, long = sorted((own, other), key=len)
    at = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


def _may_be_near(one: str, other: str) -> bool:
    """A cheap test: with few slips, the beginning, the middle or the end of a string is unchanged."""
    third = max(2, len(one) // 4)
    middle = one[len(one) // 2 - third // 2 :][:third]
    return one[:third] == other[:third] or one[-third:] == other[-third:] or middle in other


def slips_between(one: str, other: str, limit: int) -> int:
    """How many characters have to be changed, added, left out or exchanged with the next; `limit` if not fewer."""
    if abs(len(one) - len(other)) >= limit:
        return limit
    size = len(other)
    rows = [list(range(size + 1))]
    for at, sign in enumerate(one, 1):
        row = [at, *[limit] * size]
        for to in range(max(1, at - limit), min(size, at + limit) + 1):
            its = other[to - 1]
            cost = min(rows[-1][to] + 1, row[to - 1] + 1, rows[-1][to - 1] + (sign != its))
            if at > 1 and to > 1 and sign == other[to - 2] and one[at - 2] == its:
                cost = min(cost, rows[-2][to - 2] + 1)
            row[to] = cost
        if min(*row, *rows[-1]) >= limit:
            return limit
        rows = [rows[-1], row]
    return min(limit, rows[-1][-1])
