"""Where a value in the query of an address ends, and the next parameter begins.

Rules kept here:

- Behind a `?`, or before a further parameter, any `&name=` begins one. Elsewhere its name must be words of letters: a
  password may have both signs in it (`Xk29&d-k=3l`).
"""

from __future__ import annotations

from palimpsest.patterns import later

QUERY_CHARS = 300

BEHIND_VALUE = (
    r"&(?:(?:[Xx]-)?[A-Za-z]{3,24}(?:[_-][A-Za-z]{2,24}){0,4}=|"
    r"[A-Za-z][\w-]{0,40}=[^\s&\"'`]{0,120}&[A-Za-z][\w-]{1,40}=)"
)
"""What begins a parameter wherever it stands."""
_PARAMETER, _IN_QUERY = later(BEHIND_VALUE), later(r"\?[^\s?\"'`<>]{0,300}\Z")
_ANY = later(r"&[\w-]{1,40}=")


def value_end(text: str, first: int, last: int) -> int:
    """Where the value ends that begins at `first` and was read up to `last`."""
    if "&" not in text[first:last]:
        return last
    queried = _IN_QUERY.search(text, max(0, first - QUERY_CHARS), first)
    following = (_ANY if queried else _PARAMETER).search(text, first, last + QUERY_CHARS)
    return min(following.start(), last) if following else last
