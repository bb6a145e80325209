"""Finding secrets in texts: by patterns, by the names before values, and by an installed library.

A value after the name of a secret is not always a secret:

- A reference to a secret is none: a variable, a template, a path, an address, a call.
- A value made only of words in forms, manuals and types (`changeme`, `my-secret-token2`, `SecretStr`) is none.
- Words with spaces between them are prose.
- A password needs letters and a digit or a punctuation character. A key and a token must look random.
"""

from __future__ import annotations

import logging
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from palimpsest.lazy_regex import later
from palimpsest.redaction.secret_patterns import (
    KEY_OWNERS,
    KIND_BY_NAME,
    PATTERNS,
    POINTERS,
    WHOLE_NAMES,
    SecretPattern,
)

RANDOM_BITS = 3.0
"""The entropy per character from which a value looks random."""
MOST_CHARS = 400
"""The most characters of a value that are examined."""
LEAST_CHARS = {"password": 4, "key": 6, "token": 10}

_GENERIC = frozenset(
    "a an any app admin api apikey arg args array auth base basic bearer boolean buffer byte bytes chain change "
    "changeme char client code config const credential credentials current data db default demo dev dict digest "
    "disabled dummy else empty enabled encrypted enter env error example expired expires fake false field file first "
    "foo for from func function generated get given goes hash hashed header here hidden hook id input insert int "
    "integer invalid is key keys last list local map me missing mock my name nan new nil no none not null number "
    "object old omitted on optional or os our param pass passed passphrase passwd password passwords path pin "
    "placeholder plain plaintext private prod public pwd random real redacted refresh ref replace required reset root "
    "safe sample second secret secrets secure self service session set shared sign signing some something stale str "
    "string strong super test testing text that the this todo token tokens true type undefined unknown unset use user "
    "username value values var varchar void weak with wrong x xxx yes your".split()
)
_PART = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\x00-\x7f]+")
_REFERENCE = later(
    r"\$[A-Za-z_]\w*\Z|[$%][({].*|%\w{1,60}%|%\(?\w|[<{\[&!@*.:=(?-](?![^\s]{5,60}[\d!#%&]).*|[@&*]\w+\Z|~?/(?!\w{0,40}[+=]).*|"
    r"\.{1,2}/.*|[a-z][a-z+]{1,12}://.*|"
    r"(?i:arn|urn|env|file|vault|ref|secretref|kms|ssm|op|bws|sha\d{1,3}|md5|https?|data|pass|fd|prompt):.*|"
    r"(?i:os|process|env|self|this|config|settings|options|request|ctx|args|params|secrets|vault)[.\[(].*|"
    r"(?i:(?!base64:)(?:sha|md|hs|rs|es|ps|eddsa|pbkdf|aes|argon|bcrypt|scrypt|u?int|float|bytes|base|utf|x|ed|oauth|v)[-_]?\d{1,4})"
    r"(?![A-Za-z0-9]).*|[\w./\\-]+\.(?:py|jsx?|tsx?|go|rs|java|json|ya?ml|toml|md|txt|env|pem|key|crt|sh|php|rb|html?|css|pub)|"
    r"_?[A-Za-z_]{1,40}\d{0,3}(?:(?:\.|::|->)[A-Za-z_]{1,40}\d{0,3}){1,8}|(?:[Uu]?[Ii]nt|[Ff]loat|[Bb]ytes?)\d{1,3}\w*|[A-Z][a-z]{1,12}\d{1,5}(?:[A-Z][a-z]{1,20}){1,5}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|v?\d+(?:[.:/-]\d+)+\Z|"
    r"(?:[a-z][a-z_-]*/)+[a-z][a-z_.-]*|(?P<one>.)(?P=one){3,}"
)
_MARKS = later(
    r"\$\{|%s(?!\w)|\{\{|\$\(|<%|#\{|\.\.\.|…|\*\*\*|[xX]{4}|•|EXAMPLE|REDACTED|\\n|(?i:your[_-]|[_-]here\b|placeholder)"
)
"""Marks of a template, of an example, or of an omission, which no secret contains."""
_COUNTING = later(r"(?i)123456|abcdef|abc123|fedcba|654321|(.)\1{7}|(..)\2{4}")
_SYMBOL = later(
    r"[_$]{0,2}(?:[A-Z]?[a-z]++|[A-Z]{2,6}+|[A-Z])(?:[-_.]?(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,6}+|(?<=[-_])[A-Za-z]|v\d))*[-_]?\d{0,3}_{0,2}"
)
"""A symbol in code, which may end in a number: `test_r39`, `modelName1`, `db-creds-2`."""
_LETTER, _SIGN = later(r"[A-Za-z]"), later(r"[!@#$%^&*?+=~]")
_DIGIT, _WIDE = later(r"\d"), later(r"[\u0250-\uffff]")


def is_reference(value: str) -> bool:
    """Whether a value only refers to a secret, or is a placeholder for one."""
    value = value[:MOST_CHARS]
    if _MARKS.search(value) or _REFERENCE.fullmatch(value):
        return True
    return len(value) <= 40 and all(
        len(part) <= 4 if part.isdecimal() else part.lower() in _GENERIC for part in _PART.findall(value)
    )


def is_example(value: str) -> bool:
    """Whether a value that matches a pattern is an obvious example."""
    return bool(_MARKS.search(value) or _COUNTING.search(value)) or len(set(value[-24:])) < 6


def is_random(value: str) -> bool:
    """Whether a value looks random: letters and digits, and no symbol in code."""
    if not (_DIGIT.search(value) and _LETTER.search(value)) or _SYMBOL.fullmatch(value):
        return False
    size = len(value)
    bits = -sum(n / size * math.log2(n / size) for n in Counter(value).values())
    return bits >= RANDOM_BITS and not _COUNTING.search(value)


def is_secret(value: str, kind: str, *, is_code: bool, is_variable: bool) -> bool:
    """Whether the value after a name of this kind is a secret.

    `is_code`: the value may be an expression in code. `is_variable`: it is the value of an environment variable, so it
    may be a plain word."""
    if (
        len(value) < LEAST_CHARS[kind]
        or any(map(str.isspace, value))
        or is_reference(value)
        or _WIDE.search(value)
    ):
        return False
    if kind == "token":
        return is_random(value)
    if is_variable and len(value) >= 6 and not value.isdecimal():
        return True
    if value.isdecimal():
        return kind == "password" and len(value) >= 6 and not is_code
    if is_code and _SYMBOL.fullmatch(value):
        return False
    looks = bool(_LETTER.search(value) and (_DIGIT.search(value) or _SIGN.search(value)))
    return looks if kind == "password" else looks and is_random(value)


def is_unmistakable(secret: str) -> bool:
    """Whether a secret cannot be mistaken for ordinary text, so that it is replaced everywhere."""
    mixed = bool(_DIGIT.search(secret) and _LETTER.search(secret))
    return (mixed and len(secret) >= 6) or (len(secret) >= 8 and bool(_SIGN.search(secret)))


log = logging.getLogger(__name__)

LIBRARY = "betterleaks"


@cache
def _scanners(library: str) -> list[Callable[[str], Any]]:
    """The library's function, imported once; none if it is not installed or cannot be loaded."""
    try:
        return [import_module(library).scan_string] if find_spec(library) else []
    except Exception as error:  # noqa: BLE001  (a native library can raise anything)
        log.warning(
            "%s cannot be loaded; only built-in patterns find secrets: %s", library, type(error).__name__
        )
        return []


def scanned(text: str, library: str = LIBRARY) -> list[tuple[int, int]]:
    """Where a text contains secrets of which the library is certain. After a failure it is not used again."""
    scanners = _scanners(library)
    try:
        found = scanners[0](text.encode("utf-8", "replace").replace(b"\0", b" ").decode()) if scanners else ()
        secrets = {str(one.secret) for one in found if one.confidence == "high" and one.secret}
    except Exception as error:  # noqa: BLE001  (as above)
        scanners.clear()
        log.warning("%s failed; only built-in patterns find secrets: %s", library, type(error).__name__)
        return []
    return [match.span() for secret in secrets for match in re.finditer(re.escape(secret), text)]


SLICE_CHARS = 32_000
OVERLAP_CHARS = 9_000
"""A slice extends this much further, so that a secret across its end is found whole."""
SCANNED_CHARS = 12_000
"""How much the installed library scans at a time."""
LONG_CHARS = 60
"""An unquoted value of so many characters is not searched for other names."""
LEAST_TEXT_CHARS = 6
"""A shorter text contains no secret with a name."""
MOST_NAMES = 200
"""Names between two yields."""
COMMAND_CHARS = 400
"""How far before an option its command is searched for."""

PLACEHOLDER, PLACEHOLDER_CHARS = later(r"\[secret:[0-9a-f]{6}\]"), 15

_PATTERNS_BY_CHARS = {
    min_chars: tuple((word, one) for one in PATTERNS if one.min_chars == min_chars for word in one.words)
    for min_chars in sorted({one.min_chars for one in PATTERNS})
}
"""The words of patterns, by the least length of a match."""
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
"""Characters that end a sentence, and do not belong to an unquoted value."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Prefilter:
    """What some texts may contain: the possible patterns, and whether the installed library found anything in them."""

    patterns: tuple[SecretPattern, ...]
    scanned: bool


def find_secrets(text: str, prefilter: Prefilter | None = None) -> Generator[None, None, list[Span]]:
    """Where `text` contains secrets, in order and without overlaps; yields None after every slice of bounded size."""
    if len(text) < LEAST_TEXT_CHARS:
        return []
    found: list[Span] = []
    for begin in range(0, len(text), SLICE_CHARS):
        start = max(0, begin - COMMAND_CHARS)
        piece = text[start : begin + SLICE_CHARS + OVERLAP_CHARS]
        read, ends, shifts = _unescaped(piece)
        spans = [*_pattern_secrets(read, prefilter), *(yield from _named_secrets(read))]
        for at in range(0, len(read), SCANNED_CHARS) if prefilter is None or prefilter.scanned else ():
            yield
            more = scanned(read[at : at + SCANNED_CHARS + COMMAND_CHARS])
            more = [(at + first, at + last) for first, last in more]
            spans += [one for one in more if all(one[1] <= first or last <= one[0] for first, last in spans)]
        stored = [(at + shifts[bisect_right(ends, at) - 1] for at in span) for span in spans]
        stored += (yield from _named_secrets(piece)) if read != piece else ()
        found += [(start + first, start + last) for first, last in stored]
        yield
    near = PLACEHOLDER_CHARS - 1
    return [
        (start, end)
        for start, end in apart(found)
        if not PLACEHOLDER.search(text, max(0, start - near), end + near)
    ]


def unescaped(text: str) -> str:
    """`text` with its escapes undone, at any depth of string literals."""
    return _ESCAPE.sub(_sign, text) if "\\" in text else text


def _unescaped(text: str) -> tuple[str, list[int], list[int]]:
    """`unescaped`, with where each escape ends in the result, and how far positions after it are shifted in `text`."""
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


def prefilter_of(texts: Iterable[str]) -> Prefilter:
    """What any of these texts may contain: examining many small ones together is faster."""
    whole = unescaped("\n".join(texts))
    parts = (whole[at : at + SCANNED_CHARS + COMMAND_CHARS] for at in range(0, len(whole), SCANNED_CHARS))
    return Prefilter(tuple(_possible_patterns(whole)), any(map(scanned, parts)))


def _pattern_secrets(text: str, prefilter: Prefilter | None) -> Iterator[Span]:
    """The secrets that match one of the patterns."""
    patterns = _possible_patterns(text) if prefilter is None else prefilter.patterns
    low = _lower(text) if patterns else ""
    for pattern in patterns:
        if prefilter is not None and not any(word in text for word in pattern.words):
            continue
        if not _contains(low, pattern.commands):
            continue
        for match in pattern.regex.finditer(text):
            at, group = match.start(), match.lastindex or 0
            line = low[max(0, at - COMMAND_CHARS) : at + 1].rpartition("\n")[2]
            if not _contains(line, pattern.commands) or (pattern.at_word_start and not _begins(text, at)):
                continue
            value = match[group]
            is_given = not is_reference(value) if group else not is_example(value)
            if is_given and (is_random(value) or not pattern.must_look_random):
                yield match.span(group)


def _possible_patterns(text: str) -> list[SecretPattern]:
    """The patterns with a word in a text, in a run of characters that is long enough for a match."""
    found: dict[SecretPattern, None] = {}
    runs, within = text.split(), text
    for min_chars, words in _PATTERNS_BY_CHARS.items():
        if min_chars:
            runs = [run for run in runs if len(run) >= min_chars]
            within = " ".join(runs)
        found.update((pattern, None) for word, pattern in words if word in within)
    return list(found)


def _lower(text: str) -> str:
    """`text` in lower case, with the same length."""
    return text.replace("İ", "i").lower()


def _contains(text: str, words: tuple[str, ...]) -> bool:
    return not words or any(word in text for word in words)


def _begins(text: str, at: int) -> bool:
    """Whether a word begins here; `:-` precedes a default value."""
    before = text[max(0, at - 2) : at]
    return not (before[-1:].isalnum() or before[-1:] in ("_", "-")) or before == ":-"


def _named_secrets(text: str) -> Generator[None, None, list[Span]]:
    """The secrets after names; yields after every `MOST_NAMES` names."""
    low, hits = _lower(text), 0
    found: list[Span] = []
    for name, kind in KIND_BY_NAME.items():
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
    """Where the secret after the name at this position is, if there is one."""
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
    """Whether some format joins a name and a value like this."""
    sep, close = match["sep"].strip(), match["close"]
    is_option = bool(_OPTION.search(text, max(0, at - 48), at)) if sep in ("", ",") else False
    if sep == ",":
        return (is_option and bool(close)) or bool(_CALLED.search(text, max(0, at - 70), at))
    if not sep:
        is_sql = match["quote"] == "'" and text[at : match.pos].upper() == "PASSWORD"
        return is_sql or (is_option and not close)
    return after == "</" or not sep.endswith(">") or sep == "=>"


def apart(spans: list[Span]) -> list[Span]:
    """Spans in order, with overlapping ones merged."""
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
