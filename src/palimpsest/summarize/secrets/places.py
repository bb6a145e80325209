"""Where keys, tokens and passwords stand in a text: by their forms, and by the names that machines write before them.

Work comes in slices of bounded size. A slice is also read with its escapes undone (`\\n`, `\\"`, `\\u0026`), so that
secrets in JSON text, literals and quoted shell commands are found; what is found there is a place in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.secrets.forms import FORMS, KEY_OWNERS, KINDS, POINTERS, WHOLE_NAMES, Form
from palimpsest.summarize.secrets.scanner import scanned
from palimpsest.summarize.secrets.values import is_example, is_random, is_reference, is_secret

SLICE_CHARS = 32_000
OVERLAP_CHARS = 9_000
"""A slice looks this much further, so that a secret across its end is found whole."""
SCANNED_CHARS = 12_000
"""So much of it an installed library is given at a time."""
LONG_CHARS = 60
"""In a bare value of so many characters no other name is looked for."""
LEAST_CHARS = 6
"""No shorter text holds a secret and what tells that it is one."""
MOST_NAMES = 200
"""So many names are looked at before there is a pause."""
BEHIND_CHARS = 400
"""So far before an option its command is looked for."""

PLACEHOLDER, PLACEHOLDER_CHARS = later(r"\[secret:[0-9a-f]{6}\]"), 15

_FORMS_BY_WORD = {
    least: tuple((word, form) for form in FORMS if form.least == least for word in form.words)
    for least in sorted({form.least for form in FORMS})
}
"""The words of forms, by how long what they stand in is at least."""
_TAIL = later(
    r"(?:[_-]?(?:base|prod|dev|test|staging|live|value|b64|base64|\d{1,3}))?(?![A-Za-z])"
    r"(?P<close>[\\\"'`*\])]{0,8})"
    r"(?P<sep>"
    r"\s{0,2}\??:\s{0,2}[&A-Za-z_][\w.&<>\[\], |]{0,40}=\s{0,4}(?=[\\\"'`])"  # a type before the value
    r"|[ \t]{0,8}(?:=>|:=|=(?![=~])|:(?![:=-]))(?:\s{0,20}(?=[brfu@]{0,2}[\\\"'`])|[ \t]{0,8}(?:[|>][+-]?\s{1,40})?)"
    r"|[,;]?\s{0,40}[\"']?(?i:parameter)?(?i:value)[\\\"']{0,4}\s{0,3}[:=]\s{0,3}"  # a name and its value apart
    r"|\s?\{[^{}]{0,200}?\bdefault\s{0,8}=\s{0,4}(?=\")"
    r"|\s{0,2}(?:\|\||\?\?|\?:|:-|\bor\b|,|\()\s{0,2}(?=[\\\"'`])"
    r"|:-|</key>\s{0,40}<string>|>"
    r"| \[[^\]\n]{0,40}\]: |[ \t]{1,4})"
    r"(?:[brfu@]{0,2}(?P<quote>\\{0,7}[\"'`])(?P<quoted>(?:(?!(?P=quote))(?:[^\\\n]|\\[^\n])){4,4000})(?P=quote)"
    r"|(?P<bare>(?:(?!&\w{1,40}=)[^\s\"'`,;<>(){}\[\]\\|]){4,4000}))"
)
_ESCAPE = later(r"\\{1,200}(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([bfnrt/\"'\\]))")
_CALLED = later(r"\(\s{0,2}[\\\"'`]{1,4}[\w.-]{0,60}\Z")
_OPTION = later(r"(?:\A|[\s\"'`])--?[\w-]{0,40}\Z")
_SIGNS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_STOPS = ".:!?…*_"
"""What ends a sentence, and so does not belong to a bare value."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Near:
    """What may stand in some texts: our forms, and whether an installed library found anything in all of them."""

    forms: tuple[Form, ...]
    scanned: bool


def find_secrets(text: str, near: Near | None = None) -> Generator[None, None, list[Span]]:
    """Where in `text` secrets stand, in order and apart; yields None after every slice of bounded size. `near` is what
    may stand in it, where that is known (`looked_near`).
    """
    if len(text) < LEAST_CHARS:
        return []
    found: list[Span] = []
    for begin in range(0, len(text), SLICE_CHARS):
        start = max(0, begin - BEHIND_CHARS)
        piece = text[start : begin + SLICE_CHARS + OVERLAP_CHARS]
        read, ends, shifts = _unescaped(piece)
        spans = [*_formed(read, near), *(yield from _named(read))]
        for at in range(0, len(read), SCANNED_CHARS) if near is None or near.scanned else ():
            yield
            more = scanned(read[at : at + SCANNED_CHARS + BEHIND_CHARS])
            more = [(at + first, at + last) for first, last in more]
            spans += [one for one in more if all(one[1] <= first or last <= one[0] for first, last in spans)]
        stored = [(at + shifts[bisect_right(ends, at) - 1] for at in span) for span in spans]
        stored += (yield from _named(piece)) if read != piece else ()
        found += [(start + first, start + last) for first, last in stored]
        yield
    return [span for span in apart(found) if not _holds_placeholder(text, *span)]


def _holds_placeholder(text: str, start: int, end: int) -> bool:
    near = PLACEHOLDER.finditer(text, max(0, start - PLACEHOLDER_CHARS), end + PLACEHOLDER_CHARS)
    return any(one.start() < end and start < one.end() for one in near)


def unescaped(text: str) -> str:
    """`text` with its escapes undone, however deep in literals it is written."""
    return _ESCAPE.sub(_sign, text) if "\\" in text else text


def _unescaped(text: str) -> tuple[str, list[int], list[int]]:
    """As `unescaped`, with where in it each escape ends, and by how much places behind it lie further on in `text`."""
    pieces: list[str] = []
    starts, shifts = [0], [0]
    if "\\" not in text:
        return text, starts, shifts
    at = size = 0
    for escape in _ESCAPE.finditer(text):
        sign = _sign(escape)
        pieces += (text[at : escape.start()], sign)
        size += escape.start() - at + 1
        at = escape.end()
        starts.append(size)
        shifts.append(at - size)
    return "".join((*pieces, text[at:])), starts, shifts


def _sign(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _SIGNS.get(escape[3], escape[3])


def looked_near(texts: Iterable[str]) -> Near:
    """What may stand in any of these texts: looking into many small ones at once takes less long."""
    whole = unescaped("\n".join(texts))
    parts = (whole[at : at + SCANNED_CHARS + BEHIND_CHARS] for at in range(0, len(whole), SCANNED_CHARS))
    return Near(tuple(_may_stand_in(whole)), any(map(scanned, parts)))


def _formed(text: str, near: Near | None) -> Iterator[Span]:
    forms = _may_stand_in(text) if near is None else near.forms
    low = _lower(text) if forms else ""
    for form in forms:
        if near is not None and not any(word in text for word in form.words):
            continue
        if not _holds(low, form.behind):
            continue
        for match in form.pattern.finditer(text):
            at, group = match.start(), match.lastindex or 0
            line = low[max(0, at - BEHIND_CHARS) : at + 1].rpartition("\n")[2]
            if not _holds(line, form.behind) or (form.begins and not _begins(text, at)):
                continue
            value = match[group]
            is_given = not is_reference(value) if group else not is_example(value)
            if is_given and (is_random(value) or not form.judged):
                yield match.span(group)


def _may_stand_in(text: str) -> list[Form]:
    """The forms of which a word stands in a text, in what is long enough to hold a whole secret of that form."""
    found: dict[Form, None] = {}
    runs, within = text.split(), text
    for least, words in _FORMS_BY_WORD.items():
        if least:
            runs = [run for run in runs if len(run) >= least]
            within = " ".join(runs)
        if within:
            found.update((form, None) for word, form in words if word in within)
    return list(found)


def _lower(text: str) -> str:
    """`text` in lower case, of the same length: one letter would be two."""
    return text.replace("İ", "i").lower()


def _holds(text: str, words: tuple[str, ...]) -> bool:
    return not words or any(word in text for word in words)


def _begins(text: str, at: int) -> bool:
    """Whether a word begins here; `:-` stands before a default."""
    before = text[max(0, at - 2) : at]
    return not (before[-1:].isalnum() or before[-1:] in ("_", "-")) or before == ":-"


def _named(text: str) -> Generator[None, None, list[Span]]:
    """The values that names are given; pauses after so many names."""
    low, hits = _lower(text), 0
    found: list[Span] = []
    for name, kind in KINDS.items():
        at = low.find(name)
        while at >= 0:
            end, hits = at + len(name), hits + 1
            match = _TAIL.match(text, end)
            if match and (span := _value(text, low, at, kind, match)):
                found.append(span)
            if hits % MOST_NAMES == 0:
                yield
            is_long = match and len(match["bare"] or "") >= LONG_CHARS
            at = low.find(name, match.end() if match and is_long else end)
    return found


def _value(text: str, low: str, at: int, kind: str, match: re.Match[str]) -> Span | None:
    """Where the secret stands that a name at this place is given, if there is one."""
    name, before = low[at : match.pos], low[max(0, at - 24) : at].rstrip("_- ")
    is_upper, sep = text[at : match.pos].isupper(), match["sep"]
    if name == "key" and not before.endswith(KEY_OWNERS):
        if not (is_upper and text[at - 1 : at] == "_" and sep == "="):
            return None
        kind = "token"
    if (kind == "token" and before.endswith(POINTERS)) or "::" in before or (name == "_pat" and not is_upper):
        return None
    if (
        name in WHOLE_NAMES
        and text[at - 1 : at].isalpha()
        and not (text[at - 1].islower() and text[at].isupper())
    ):
        return None
    first, last = match.span("quoted" if match["quoted"] else "bare")
    after, value = text[last : last + 2], text[first:last]
    if not _fits(text, at, match, after):
        return None
    is_code = is_variable = False
    if match["bare"]:
        is_title = name in WHOLE_NAMES and is_upper and ":" in sep
        is_json = '"' in match["close"] and ":" in sep
        if is_reference(value) or is_title or is_json or after[:1] in ("(", "[", "{"):
            return None
        value = value.rstrip(_STOPS)
        last = first + len(value)
        is_variable = is_upper and sep == "="
        is_argument = after[:1] in (",", ")") or after == ";\n" or sep == " = "
        is_code = not is_variable and (is_argument or (kind != "password" and ":" in sep))
    secret = is_secret(value, kind, is_code=is_code, is_variable=is_variable)
    return (first, last) if secret else None


def _fits(text: str, at: int, match: re.Match[str], after: str) -> bool:
    """Whether what stands between a name and a value is how some format joins the two."""
    sep, close = match["sep"].strip(), match["close"]
    is_option = bool(_OPTION.search(text, max(0, at - 48), at)) if sep in ("", ",") else False
    if sep == ",":
        return (is_option and bool(close)) or bool(_CALLED.search(text, max(0, at - 70), at))
    if not sep:
        is_sql = match["quote"] == "'" and text[at : match.pos].upper() == "PASSWORD"
        return is_sql or (is_option and not close)
    return after == "</" or not sep.endswith(">") or sep == "=>"


def apart(spans: list[Span]) -> list[Span]:
    """Spans in order, those that overlap made one."""
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
