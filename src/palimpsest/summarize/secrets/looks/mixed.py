"""Passwords that are known by their look alone: letters of both cases, digits and signs, changing as in no word.

Rules kept here:

- A sign stands between letters or digits, and kinds of characters change so often that neither words, names in code,
  formulas nor addresses come near it.
- Where a line, or the one before it, speaks of a password, less is enough: signs that formulas and formats have, too.
- Percent-escapes, formats, entities of HTML and what a path, a call or an assignment goes on with are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from palimpsest.patterns import later

MOST_CHARS, LEAST_CHARS = 48, 8
LINE_CHARS = 300
LEAST_CHANGES, LEAST_SPOKEN_CHANGES = 6, 4
LEAST_DENSITY = 0.4
"""Changes for each character."""

Span = tuple[int, int]

_SIGN = later(r"[A-Za-z0-9][!#^~][A-Za-z0-9]")
_SPOKEN_SIGN = later(r"[A-Za-z0-9][!#^~%*$@&+?][A-Za-z0-9]|[A-Z]\w{0,12}\d\w{0,12}[!#%*$](?!\w)")
_RUN = later(r"[A-Za-z0-9!#^~%*$@&+?_-]{0,48}")
_RUN_BACK = later(r"[A-Za-z0-9!#^~%*$@&+?_-]{0,48}\Z")
_BORDER = " \t\r\n\"'`:,([=》：，。是为は成"
_ACCOUNTS = later(r"(?:\A|[\s\"'`(])(?:admin|root|user|test|guest|sa|postgres|administrator)[/:]\Z")
_GOES_ON = later(r"[(=/\\|<>{};~]|[.:@]\w")
_OTHER = later(
    r"\^[A-Za-z]\d{0,2}[\^_*]|%[0-9A-Fa-f]{2}|%[-0]?\d{0,2}[a-zA-Z]\b|&#|##|\*\*|\d[*^+]\d|@[a-z]+\b(?!.*[!#%])|[A-Za-z]\+[+\d]|_[A-Z]{2,}_"
)
_ENCODED = later(r"[A-Za-z0-9+/=_-]{20,}")
"""Of such signs alone, and so long, is what machines write: it is no word that somebody chose."""
_WORDS = (
    *"password passwd passphrase passwort kennwort passcode pwd contraseña wachtwoord lösenord hasło heslo".split(),
    *"senha пароль mdp clave 密码 密碼 口令 パスワード 비밀번호 şifre secret token credential".split(),
    *"mot de passe|parola d'ordine|api key|api-key|_key|apikey|wifi key|wlan|login".split("|"),
)


def mixed_in(text: str, low: str, piece: str, start: int, end: int) -> Iterator[Span]:
    """Where in this stretch of a text passwords stand that need no name; `low` is the whole text in lower
    case, `piece` the stretch of it.
    """
    at = start
    while (hit := _SIGN.search(text, at, end)) is not None:
        first, at = _token(text, hit)
        if _is_mixed(text[first:at], LEAST_CHANGES) and _stands_alone(text, first, at):
            yield first, at
    if not any(word in piece for word in _WORDS):
        return
    at = start
    while (hit := _SPOKEN_SIGN.search(text, at, end)) is not None:
        first, at = _token(text, hit)
        if (
            _is_mixed(text[first:at], LEAST_SPOKEN_CHANGES)
            and _stands_alone(text, first, at)
            and _is_spoken_of(low, first, at)
        ):
            yield first, at


def _token(text: str, hit: re.Match[str]) -> Span:
    """The run of characters around a hit, without what emphasis or the end of a sentence puts around it."""
    before = _RUN_BACK.search(text, max(0, hit.start() - MOST_CHARS), hit.start())
    after = _RUN.match(text, hit.end())
    first = before.start() if before else hit.start()
    last = after.end() if after else hit.end()
    while first < hit.start() and text[first] in "*~_":
        first += 1
    while last > hit.end() and text[last - 1] in "*~_?":
        last -= 1
    return first, max(last, hit.end())


def _is_mixed(value: str, least: int) -> bool:
    if not LEAST_CHARS <= len(value) <= MOST_CHARS or _OTHER.search(value) or _ENCODED.fullmatch(value):
        return False
    kinds = [_kind(sign) for sign in value]
    if not {"lower", "upper", "digit"} <= set(kinds):
        return False
    changes = sum(one != other and (one, other) != ("upper", "lower") for one, other in pairwise(kinds))
    return changes >= least and (least < LEAST_CHANGES or changes > LEAST_DENSITY * len(value))


def _kind(sign: str) -> str:
    return (
        "lower" if sign.islower() else "upper" if sign.isupper() else "digit" if sign.isdecimal() else "sign"
    )


def _stands_alone(text: str, first: int, last: int) -> bool:
    before = text[max(0, first - 1) : first]
    alone = not before or before in _BORDER or bool(_ACCOUNTS.search(text, max(0, first - 16), first))
    return alone and not _GOES_ON.match(text, last)


def _is_spoken_of(low: str, first: int, last: int) -> bool:
    """Whether the line, or the one before it, speaks of a password."""
    begin = low.rfind("\n", max(0, first - LINE_CHARS), first) + 1
    stop = low.find("\n", last, last + LINE_CHARS)
    line = low[begin or max(0, first - LINE_CHARS) : stop if stop >= 0 else last + LINE_CHARS]
    if any(word in line for word in _WORDS):
        return True
    earlier = low[max(0, begin - LINE_CHARS) : max(0, begin - 1)].rpartition("\n")[2]
    return (
        begin > 0
        and earlier.rstrip().endswith(("?", ":", "：", "？"))
        and any(word in earlier for word in _WORDS)
    )
