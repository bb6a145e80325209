"""What keys, tokens and passwords look like: how a form of them is told, and what values are in one.

Rules kept here:

- A form is tried only where one of its words stands in the text (lower-case), so that the tables can grow without
  making every text slower. Where its words are in many texts, a `sign` that is quickly looked for must stand there too:
  an expression that begins with a character, not with a choice or with what stands before. Every pattern is bounded.
- Words that begin a form, and end in one of `HEAD_ENDS`, are looked for all at once: by how a text's words begin.
- A form without a group is the secret as a whole; with one, only the group is: what names a secret is not secret.
- What has a form of its own (a vendor's prefix, an armoured key) is taken as it is, unless the form says that it is
  judged by its value. Words for how something is written, hashed or counted (`base64-encoded`, `16-digit`) are no
  values.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.patterns import later

HEAD_ENDS = "_.-"
NAME = r"(?i:(?<![A-Za-z0-9_-])(?:password|passwd|passphrase|passcode|passwort|kennwort|api[ _-]?key|secret))"
UNCODED = (
    r"(?![A-Za-z]{1,40}(?:_[A-Za-z]{1,40}){0,4}_?\d{0,3}[\"'`\s])"
    r"(?=[^\s|<>]{0,60}(?:[a-z][^\s|<>]{0,60}[A-Z]|[A-Z][^\s|<>]{0,60}[a-z]|[!@#%^&?+=~]))"
)
"""No name in code: letters of both cases, or a sign that no name has."""
BEGUN = r"(?<![A-Za-z0-9_])"
"""What stands at the beginning of a word."""
_SIX_PARTED, _SIX = r"\d{3}[ -]\d{3}", r"\d{3}[ -]?\d{3}"
"""A code of six digits in two parts, and what stands wherever it does, or in one."""

_MANNER = (
    r"(?!(?i:(?:var)?char\d|n?varchar|text\d|utf-?\d|sha-?\d|md5|base\d|oauth\d|argon2|pbkdf2|aes-?\d|rsa-?\d|sha\d|"
    r"v\d{1,3}(?![A-Za-z0-9])|\d{1,4}-?(?:st|nd|rd|th|(?:char|digit|bit|byte|letter|day|hour|word|zeichen|stellig)[a-z]{0,6})(?![A-Za-z0-9])|"
    r"https?:|[a-z]{1,20}://))"
)
MIXTURE = r"(?:[A-Za-z][!@#%^&?+=~*][A-Za-z]|[a-z][A-Z]{1,8}[a-z]{1,12}[A-Z])"
"""What no word has: a sign between letters, or capitals again and again."""
VALUE = (
    _MANNER + r"(?=[^\s|<>]{0,60}(?:\d|" + MIXTURE + r"))(?=[^\s|<>]{0,60}[A-Za-z])(?![^\s|<>]{0,60}[(\[{])"
    r"([^\s|<>\"'`$*,;/\[\]{}()][^\s|<>\"'`,;()\[\]{}]{4,198}[^\s|<>\"'`,;()\[\]{}.:!?*_])"
)
CELL = (
    _MANNER + r"(?=[^\s|<>]{0,60}(?:\d|" + MIXTURE + r"))(?=[^\s|<>]{0,60}[A-Za-z])(?![^\s|<>]{0,60}[(\[{])"
    r"([^\s|<>\"'`$*,;/\[\]{}()][^\s|<>\"'`,;()\[\]{}]{5,199})"
)
"""As VALUE, where what stands behind it shows that its last sign is its own: in quotes, a table, before a word."""
ALONE = r"([^\s\"'`$<{*-][^\s\"'`$]{3,200})(?=[\"'`]?[.]?[ \t]{0,4}(?:\r?\n|\Z))"
"""Whatever ends a line, where the place holds nothing else."""
FOR = r"(?i:for|of|to|on|at|in|für|von)"
MEASURED = (
    r"(?i:(?:[ -](?:code|number))?[ -](?:max(?:imum)?[ -])?(?:limit|length|count|quota|range|total|size|attempts?|"
    r"tries|retries|timeout|expiry|version|policy|länge|anzahl|versuche)(?![^\W\d_]))"
)
"""Behind what is called a code: how many of them there are, or how long they are."""
UNIT = r"(?![\w.]?\d)(?!\s?(?i:lines|characters|chars|tokens|bytes|rows|words|bits|zeichen|[kmg]?hz|ms|px))"


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A pattern, the lower-case words of which one stands in every text that it matches, whether the value must look
    random to count, what else stands in every match, and whether the words begin it.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    judged: bool = False
    sign: re.Pattern[str] | None = None
    begins: bool = False


def form(words: str, pattern: str, sign: str = "", *, judged: bool = False) -> Form:
    """A form of these words, which may be looked for all at once where they begin it."""
    begins = pattern.startswith(BEGUN) and pattern.count(BEGUN) == 1
    sign = sign or (_SIX if _SIX_PARTED in pattern else "")
    return Form(tuple(words.split()), later(pattern), judged, later(sign) if sign else None, begins)
