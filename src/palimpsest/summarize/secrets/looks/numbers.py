"""Numbers of payment cards and bank accounts, which check themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later

Span = tuple[int, int]

_ISSUED = r"(?:(?:4\d|5[1-5]|2[2-7]|6[0245]|35)\d{14}|3[47]\d{13}|3[068]\d{12})"
"""Numbers as those who give out cards begin them."""
_GROUPED = later(
    r"([3-6](?<![\d.-].)(?:\d{3}[ -]\d{4}[ -]\d{4}[ -]\d{4}|"
    r"(?<=3)[47]\d{2}[ -](?:\d{6}[ -]\d{5}|\d{4}[ -]\d{4}[ -]\d{3})))(?![\d-])"
)
"""Numbers of payment cards in groups, anywhere but among other numbers."""
_SPOKEN_OF = later(
    rf"(?:(?:card|karte|visa|amex|mastercard|pay|paid|charge|[\"'](?:pan|number)[\"']\s{{0,2}}:|[银信]\w{{0,2}}卡)"
    rf"[^\n\d]{{1,48}}|(?<!\d)(?={_ISSUED}[^\n\d]{{1,16}}(?:card|karte|visa|amex|mastercard)))({_ISSUED})(?!\d)",
    re.IGNORECASE,
)
"""In one piece only where a card is spoken of, since ids look like it."""
_PROVED = later(
    r"(?:card|karte|tarjeta|carte|cartão|carta)\b[^\n\d]{0,24}(\d{4}(?P<sign>[ -]?)\d{4}(?P=sign)\d{4}(?P=sign)\d{4})"
    r"(?=[^\n]{0,40}(?:cvc|cvv|exp|valid|gültig|cad|vál|scad|\d\d/\d\d))",
    re.IGNORECASE,
)
"""With what a shop asks for beside it, whether its digits add up or not."""
_CARD_WORDS = (
    "card",
    "cart",
    "tarjeta",
    "karte",
    "visa",
    "amex",
    "pay",
    "paid",
    "charge",
    "pan",
    "number",
    "卡",
)

_BEFORE, _NEXT = later(r"\d \Z"), later(r" \d+(?![\d/])")
_ACCOUNT = later(r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")


def numbers_in(text: str, piece: str, start: int, end: int) -> Iterator[Span]:
    """Where in this stretch of a text such numbers stand; `piece` is the stretch in lower case."""
    spoken = any(word in piece for word in _CARD_WORDS)
    cards = (
        match for card in (_GROUPED, *(_SPOKEN_OF,) * spoken) for match in card.finditer(text, start, end)
    )
    yield from (
        match.span(1) for match in cards if _checks_out(match[1]) and not _is_listed(text, *match.span(1))
    )
    if spoken:
        yield from (match.span(1) for match in _PROVED.finditer(text, start, end))
    yield from (match.span() for match in _ACCOUNT.finditer(text, start, end) if _is_account(match[0]))


def _is_listed(text: str, first: int, last: int) -> bool:
    """Whether numbers stand on both sides, as in a list; a day on which a card ends is none."""
    return bool(_BEFORE.search(text, max(0, first - 8), first) and _NEXT.match(text, last))


def _is_account(number: str) -> bool:
    """Whether a bank account's number has its check digits right (ISO 13616); what a bill is paid under
    begins with RF (ISO 11649).
    """
    bare = number.replace(" ", "")
    if bare.startswith("RF"):
        return False
    return (
        15 <= len(bare) <= 34 and int("".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])) % 97 == 1
    )


def _checks_out(number: str) -> bool:
    """Whether the digits of a payment card add up (Luhn)."""
    digits = [int(sign) for sign in number if sign.isdecimal()][::-1]
    doubled = (2 * digit - 9 * (digit > 4) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
