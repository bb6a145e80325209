"""Where things lie that are no plain paths, held against the source: images, links, buckets, remotes, modules, mounts.

Rules kept here:

- One with a folder more, less or another, or with two of them in the other order, is the only one of the source that
  begins and ends as it does; what it is called by, its host and its numbers are never put right so.
- An address in figures in another order is the source's.
- The same in another form is known (`https://h/a/b` for `git@h:a/b.git`), and so is a host of the source's with a path
  that the source tells by itself.
- One with a host that the source has others at is invented, however many of its parts are words of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact, stands
from palimpsest.summarize.names import has_extension

MAX_REFERENCES = 100
"""References of a summary that are looked at."""
LEAST_PARTS = 3
"""A reference of fewer parts has no folder to exchange."""

_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{1,24}:(?:[a-z0-9]{1,16}:)?//"
_PART = r"[A-Za-z0-9_.~+%-]{1,100}"
_REFERENCE = later(
    rf"(?<![A-Za-z0-9_@./:~+%$-])(?P<scheme>{_SCHEME})?(?P<user>[A-Za-z0-9_.-]{{1,40}}@|@)?"
    rf"(?P<body>/?{_PART}(?:(?:[/@?#&=]|:/?){_PART}){{1,24}})"
)
_HOST = later(
    r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,6}\.[A-Za-z][A-Za-z0-9-]{1,62}|localhost|[\d.]{7,15}"
)
_JOINTS = later(r"[/:@?#&=]+")
_ADDRESS = later(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)")
_NUMBERED = later(r"v?\d[\w.+-]*|latest|r[ow]|\d+")
"""A part that is a version, a port or a way to mount, and no name."""
_MOUNT = later(r"(?:/[\w.@-]{1,100}){1,12}:(?:/[\w.@-]{1,100}){1,12}(?::r[ow])?")


@dataclass(frozen=True, slots=True)
class _Reference:
    """One as it is written, what stands before its host, and its parts."""

    text: str
    before: str
    parts: tuple[str, ...]

    @property
    def name_at(self) -> int:
        """Where the part stands that it is called by."""
        last = len(self.parts) - 1
        return last - 1 if last > 1 and _NUMBERED.fullmatch(self.parts[last]) else last

    @property
    def unversioned(self) -> tuple[str, ...]:
        return self.parts[: self.name_at + 1]


def misplaced_parts(text: str, exact: Exact) -> Iterator[tuple[str, str | None]]:
    """(a reference, the source's) of those that the source does not have so; "" where none is meant, None where it has
    it in another form.
    """
    strange = [one for one in _references(text) if not stands(one.text, exact.text, "link")][:MAX_REFERENCES]
    known = list(_references(exact.text)) if strange else []
    held = {one.parts for one in known}
    for one in strange:
        if one.parts in held or _is_joined(one, exact):
            yield one.text, None
        elif right := _turned(one, exact) or _meant(one, known):
            yield one.text, right
        elif not one.before and _is_made_up(one, known):
            yield one.text, ""


def turned_address(address: str, exact: Exact) -> str:
    """The one address of the source that has the same figures in another order."""
    bare, colon, port = address.partition(":")
    digits = sorted(bare)
    like = {
        it
        for it in _ADDRESS.findall(exact.text)
        if it != bare and len(it) == len(bare) and sorted(it) == digits
    }
    return f"{like.pop()}{colon}{port}" if len(like) == 1 and not stands(bare, exact.text, "address") else ""


def _references(text: str) -> Iterator[_Reference]:
    for match in _REFERENCE.finditer(text):
        whole = match[0].rstrip(".:-_~+%")
        before = f"{match['scheme'] or ''}{match['user'] or ''}"
        body = whole[len(before) :]
        parts = tuple(one for one in _JOINTS.split(body.removesuffix(".git")) if one)
        if len(parts) > 1 and _is_reference(match, parts, whole):
            yield _Reference(whole, before, parts)


def _is_reference(match: re.Match[str], parts: Sequence[str], whole: str) -> bool:
    if match["scheme"] or match["user"] == "@":
        return True
    if match["user"]:
        return ":" in whole
    if _MOUNT.fullmatch(whole):
        return True
    return (
        not whole.startswith("/")
        and bool(_HOST.fullmatch(parts[0]))
        and not has_extension(parts[0])
        and not (len(parts) == 2 and _NUMBERED.fullmatch(parts[1]))
    )


def _is_joined(one: _Reference, exact: Exact) -> bool:
    """Whether a beginning of the source's goes before a path that the source tells by itself."""
    start = one.text.find(one.parts[0])
    return any(
        stands(one.text[len(one.before) : slash.start()], exact.text, "path")
        and _stands_by_itself(one.text[slash.start() :].rstrip("/"), exact)
        for slash in re.finditer("/", one.text)
        if slash.start() > start
    )


def _stands_by_itself(path: str, exact: Exact) -> bool:
    """Whether a path from its first slash on is the source's; without that slash where it has another one."""
    bare = path[1:]
    return stands(path, exact.text, "path") or (
        "/" in bare and bool(re.search(rf"(?<![\w./~@:-]){re.escape(bare)}(?![\w/-])", exact.text))
    )


def _turned(one: _Reference, exact: Exact) -> str:
    """A reference with its address in the order of the source's figures."""
    found = _ADDRESS.search(one.text)
    right = turned_address(found[0], exact) if found else ""
    whole = one.text.replace(found[0], right) if found and right else ""
    return whole if whole and whole in exact.text else ""


def _meant(one: _Reference, known: Sequence[_Reference]) -> str:
    """The only one of the source's that it was made from."""
    rights = {
        other.text if other.before == one.before else other.text[len(other.before) :]
        for other in known
        if (other.before == one.before or not one.before)
        and (
            _is_near(one.parts, one.name_at, other)
            or _is_near(one.parts, len(one.parts) - 1, other, whole=False)
        )
    }
    return rights.pop() if len(rights) == 1 else ""


def _is_near(parts: tuple[str, ...], name_at: int, other: _Reference, *, whole: bool = True) -> bool:
    """Whether parts differ from another reference's by one folder, or by the order of two; without its version where
    not `whole`.
    """
    its = other.parts if whole else other.unversioned
    longer, shorter = (parts, its) if len(parts) > len(its) else (its, parts)
    if parts[0] != its[0] or parts[name_at] != its[min(other.name_at, len(its) - 1)]:
        return False
    last = len(longer) - 1
    if len(longer) == len(shorter) + 1:
        return len(longer) >= LEAST_PARTS and any(
            longer[:at] + longer[at + 1 :] == shorter and not longer[at].isdecimal() for at in range(1, last)
        )
    if len(parts) != len(its) or len(its) < LEAST_PARTS:
        return False
    differing = [at for at in range(len(its)) if parts[at] != its[at]]
    if len(differing) == 2:
        first, second = differing
        return second == first + 1 and (parts[first], parts[second]) == (its[second], its[first])
    return (
        len(differing) == 1
        and 0 < differing[0] < name_at
        and _is_another(parts[differing[0]], its[differing[0]])
    )


def _is_another(part: str, other: str) -> bool:
    """Whether two parts are two folders, and not one with other numbers."""
    return re.sub(r"\d+", "0", part) != re.sub(r"\d+", "0", other)


def _is_made_up(one: _Reference, known: Sequence[_Reference]) -> bool:
    """Whether the source has others at its host, and none that it is a part of or goes on from."""
    size = len(one.unversioned)
    at_host = [other for other in known if other.parts[0] == one.parts[0]]
    return (
        size >= LEAST_PARTS
        and bool(at_host)
        and not any(
            other.parts[:size] == one.unversioned or one.parts[: len(other.unversioned)] == other.unversioned
            for other in at_host
        )
    )
