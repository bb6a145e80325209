"""Where keys, tokens and passwords stand in a text: by their forms, and by what names them.

Where only a name makes a value a secret, the value must look like one: hashes, ids, paths, names of variables and
examples are none. Work comes in slices of bounded size.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Generator, Iterator

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.forms import HEAD_ENDS, MIXTURE, Form
from palimpsest.summarize.secrets.looks.mixed import mixed_in
from palimpsest.summarize.secrets.looks.not_secret import without_public
from palimpsest.summarize.secrets.looks.numbers import numbers_in
from palimpsest.summarize.secrets.looks.ordinary import is_ordinary, is_translated
from palimpsest.summarize.secrets.looks.queries import BEHIND_VALUE, value_end
from palimpsest.summarize.secrets.looks.vendors import VENDORS
from palimpsest.summarize.secrets.names import SPOKEN_NAMES, STRONG_NAMES, WEAK_NAMES
from palimpsest.summarize.secrets.prefixed import read_plainly
from palimpsest.summarize.secrets.told.accounts import TOLD
from palimpsest.summarize.secrets.told.code_lists import lists_in
from palimpsest.summarize.secrets.told.codes import codes_in
from palimpsest.summarize.secrets.told.keys import is_its_id
from palimpsest.summarize.secrets.told.passwords import told_in
from palimpsest.summarize.secrets.told.sentences import drawn_said, is_phrase, is_small_phrase
from palimpsest.summarize.secrets.told.states import is_state
from palimpsest.summarize.secrets.written.code import CODE
from palimpsest.summarize.secrets.written.commands import COMMANDS
from palimpsest.summarize.secrets.written.files import FILES
from palimpsest.summarize.secrets.written.headers import HEADERS
from palimpsest.summarize.secrets.written.random_keys import random_keys_in
from palimpsest.summarize.secrets.written.regions import in_regions
from palimpsest.summarize.secrets.written.settings import FURTHER_KEYS, value_under
from palimpsest.summarize.secrets.written.terminals import terminals_in

SLICE_CHARS = 16_000
OVERLAP_CHARS = 6_000
"""A slice looks this much further, so that a secret across its end is found whole."""
WORD_CHARS = 39
"""What is longer is no word of a form or a manual; a secret key of AWS has 40 characters, and may begin as a path."""
RANDOM_BITS = 3.0
"""Entropy of a character from which a value looks random."""

PLACEHOLDER = later(r"\[secret:[0-9a-f]{6}\]")

_NAMES = tuple((name, name in SPOKEN_NAMES, True) for name in STRONG_NAMES) + tuple(
    (name, False, False) for name in WEAK_NAMES
)
_HEAD = later(rf"[a-z0-9]{{1,12}}+[{HEAD_ENDS}]")
FORMS = VENDORS + FILES + HEADERS + CODE + COMMANDS + TOLD
_FORMS_OF: dict[str, list[Form]] = {}
"""Forms by their words, but for those that the beginning of a word gives away."""
_FORMS_BY_HEAD: dict[str, list[Form]] = {}
for _form in FORMS:
    for _word in _form.words:
        _head = _HEAD.match(_word) if _form.begins else None
        _found = _FORMS_BY_HEAD.setdefault(_head[0], []) if _head else _FORMS_OF.setdefault(_word, [])
        _found.append(_form)
_TAIL = later(
    r"(?:[_-]?(?:base|prod|dev|test|staging|live|value|hash|\d{1,3}))?(?![a-z])"
    r"[\"'`*\])\\’]{0,4}(?P<sep>\s{0,2}\??:\s{0,2}[&A-Za-z_][\w.&<>\[\], |]{0,60}=\s{0,8}(?=\\?[\"'`])"
    r"|\s{0,8}(?:=>|:=|==?|[:：]\*\*|[:：]__|:(?!:)|：|＝|->|→)(?:[ \t]{0,8}|\s{0,8}(?![^\n]{0,60}[\w\"']\s?[:=]))"
    r"|\s{1,3}(?:is(?: now)?|ist(?: jetzt)?|lautet|est|es|è|é|är|er|je|là|adalah|είναι|היא|הוא|هي|هو|[—–]|"
    r"was|will be|to|(?:(?:was|is|has been) )?(?:set|changed|reset) to)(?:\s?[:：=])?\s{1,3}"
    r"|\s{0,2}(?:คือ|改?成|[是为為はがを])\s{0,2}|[은는이가]\s{1,2}|[ \t]{1,8}|\s{1,3})"
    r"(?:(?P<quote>\\?[\"'`])(?![ \t]\S{1,20};)(?P<quoted>(?:(?!(?P=quote))[^\\\n]){4,400})(?P=quote)|"
    r"‘?(?![A-Za-z_]\w{0,60}(?:(?:::|\.)\w{1,60}){1,4}\()(?P<bare>"
    rf"(?:[^\s\"'`,;&<>(){{}}\[\]\\|，。；、‘’]|(?!{BEHIND_VALUE})&|"
    r";(?=[^\s\"'`,;<>=(){}\[\]\\|\d!@%^?]{0,40}[\d!@%^?][^\s\"'`,;<>=(){}\[\]\\|]{0,40}(?:\s|\Z))"
    r"){5,400}))",
    re.IGNORECASE,
)
_NO_SECRET = later(
    r"\$(?!\w{0,20}[!#%^&*?+=~]\w)|[%<{&@#*.…-]|\[|(?:wrong|expired|weak|strong|forgot(?:ten)?)(?![\w-]| \w)|"
    r"\d{1,4}-?(?:digit|char|bit|byte|letter|word|minute|hour|day)s?\b|"
    r"(?:your|(?!\S{0,24}\d{2})(?:my|the|some|fake|dummy|test|example))[-_ ]?(?:password|secret|token|key|api|pass)|"
    r"(?:os|process|env|self|this|config|settings|options|request|req|ctx|args|params|data|user|account|"
    r"secrets|vault|getpass|import)[.\[(]|(?:sha|md|hs|rs|es|pbkdf|aes|argon|bcrypt|scrypt|base)-?\d{1,3}\b|"
    r"arn:|/|\./|~/|\w{2,20}://|https?:|env:|!(?:vault|secret|ref|sub|env|include)\b|\?[A-Za-z]{1,40}\Z",
    re.IGNORECASE,
)
_REFERENCE = later(
    r"[A-Za-z_]+(?:\.[A-Za-z_]\w*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+|"
    r"_?[a-z][a-z0-9_]{1,40}\.(?:[A-Z]{1,2}[a-z]{1,20}\d{0,6}){1,4}[A-Z][a-z]{2,20}(?:\.[a-z_]{1,60})?|"
    r"[a-z][a-z0-9._/-]{0,80}:v?\d{1,4}(?:\.\d{1,4}){1,3}(?:-[\w.]{1,20})?|"
    r"[\w./-]+\.(?:py|js|ts|go|rs|java|json|ya?ml|toml|md|txt|env|pem|key|sh)"
)
MOST_BARE_CHARS = 400
_ONWARD = later(r"[\w+/=.~%-]{0,8000}")
"""A value of which only the beginning was looked at goes on so."""
_PARTICLES = "是为為はがを은는이가"
_PLAIN = later(r"(?=[^A-Za-z]{0,60}[A-Za-z])\D{0,60}[0-9]")
"""Behind a particle of a script without blanks: not just the rest of the sentence."""
_WORDED = later(
    r"(?:[A-Z][a-z]+|[a-z]{2,}|[A-Z]{2,})(?:[-_](?:[A-Z][a-z]+|[a-z]{2,}|[A-Z]{2,}|[vq]?\d{1,8}))+"
)
"""Words and numbers: the name of a file, a branch, an order."""
_CJK = later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ASSIGNED = later(r" {1,2}=[ (]")
_RUN = later(
    r"(?=[!-~]{0,40}\d)(?=[!-~]{0,40}[A-Za-z])[!-~]{6,200}(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
)
_MIXTURE = later(MIXTURE)
_SAID = later(r"(?:is|ist|lautet|est|es|è|é)\b", re.IGNORECASE)
_COUNTED = later(r"\s{1,3}(?:char|digit|bit|byte|iteration|time|row|line|word|zeichen)", re.IGNORECASE)
_IS_VALUE = later(r"[=:][ \t]{0,2}[\"']?[\w-]{0,40}\Z")
"""What stands before a name that is itself assigned to something: the next line is no value of its own."""
_MOVED = later(r"\b(?:set|chang|reset|updat|rotat|switch|now)", re.IGNORECASE)
_COUNTED_WORD = later(r"[a-z]{10,40}\d{1,2}")
_CHANGING = later(r"(?:.{0,20}?[a-z](?=[A-Z0-9])){2}")
"""Letters as in no word or name."""
_LONG_WORD = later(r"[a-z]{8,40}\d{1,2}")
_WORDS = later(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SYMBOL = later(
    r"_{0,2}(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,6}+)(?:_?(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,6}+)|_[a-z](?![a-z]))*_?\d{0,3}_{0,2}"
)
"""A name in code that ends in a number: `test_r39`, `modelName1`."""
_TYPE = later(r"_{0,2}(?:[A-Z][a-z]{1,20}+){1,6}[A-Z]{0,3}")
_PHRASE = later(r"[A-Za-z]{4,12}(?:-[A-Za-z]{4,12}){2,7}")
"""Words that were drawn by lot: `correct-horse-battery`."""
_TELLS = later(r"(?=\D{0,60}\d\D{0,60}\d).{0,60}(?:secret|token|passw|api[_-]?key)", re.IGNORECASE)
"""What says of itself what it is, and is numbered."""
_NO_KEY = later(
    r"(?:PAD|EOS|BOS|UNK|SEP|CLS|MASK|STOP|START|END|SPECIAL|IMAGE|USER|SYSTEM|NEXT|PAGE|THINK)_$"
)
"""What stands before a token that a model reads."""
_VARIABLE = later(r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{0,22}_$")
_RESOURCE = later(
    r"://[^\s/?#]{0,60}$|:\d{12}:$|AWS::\w{1,40}::\w{0,20}$|(?:next|prev|previous|page|continuation|pagination|sync|"
    r"starting|forward|backward|cursor|resume|"
    r"client[_-]?request|public[_-]?key|cancell?(?:ation)?|idempotency|creation|lifecycle[_-]?action)[_-]?$|"
    r"(?:next(?:[ _-]page)?|continuation|pagination|cursor) $",
    re.IGNORECASE,
)
"""What stands before a kind of resource (`arn:...:secret:`), or a token that marks a place and opens nothing."""
_LETTER, _DIGIT, _SIGN = later(r"[^\W\d_]"), later(r"\d"), later(r"[!@#$%^&*?+/=~_-]")
_MIXED = later(r".[^\W\d_a-z]|[a-z].{0,60}[A-Z]")
_QUOTES = tuple("\"'`")
_STOPS = ".:!?…*_"
"""What ends a sentence, and so does not belong to a value at its end."""
_LONGER_IN_LOWER_CASE = "İ"
"""The one letter that is two characters in lower case, behind which every place would be another."""

FILLED = later(
    r"[A-Za-z0-9/+]{4,40}EXAMPLE(?:KEY)?|"
    r"(?:[A-Za-z]{1,12}\d?[-_.:]){0,4}[A-Za-z]{0,6}?(?:(?P<one>[^\W_])(?:(?P=one)|[-_.]){6,}(?P=one)|(?P<two>[^\W_]{2})(?:(?P=two)|[-_.]){2,}(?P=two))"
)
"""One or two signs over and over, whatever stands before them: an example."""

Span = tuple[int, int]


def find_secrets(text: str) -> Generator[None, None, list[Span]]:
    """Where in `text` secrets stand, in order and apart; yields None after every slice of bounded size."""
    text = read_plainly(text)
    low = text.replace(_LONGER_IN_LOWER_CASE, "i").lower()
    found: list[Span] = []
    for start in range(0, len(text), SLICE_CHARS):
        end = min(len(text), start + SLICE_CHARS + OVERLAP_CHARS)
        piece = low[start:end]
        found.extend(_formed(text, piece, start, end))
        found.extend(_named(text, low, piece, start, end))
        found.extend(told_in(text, piece, start, end))
        found.extend(codes_in(text, piece, start, end))
        found.extend(lists_in(text, piece, start, end))
        found.extend(numbers_in(text, piece, start, end))
        found.extend(mixed_in(text, low, piece, start, end))
        found.extend(random_keys_in(text, low, start, end, _is_random))
        found.extend(terminals_in(text, start, end))
        found.extend(in_regions(text, piece, start, end, _looks, _is_random))
        yield
    return without_public(text, apart([span for span in found if not FILLED.fullmatch(text, *span)]))


def _formed(text: str, piece: str, start: int, end: int) -> Iterator[Span]:
    tried = {form for word, forms in _FORMS_OF.items() if word in piece for form in forms}
    for head in _FORMS_BY_HEAD.keys() & set(_HEAD.findall(piece)):
        tried.update(form for form in _FORMS_BY_HEAD[head] if any(word in piece for word in form.words))
    for form in tried:
        if form.sign is not None and not form.sign.search(text, start, end):
            continue
        for match in form.pattern.finditer(text, start, end):
            group = match.lastindex or 0
            first, last = match.span(group)
            last = last if form.begins else value_end(text, first, last)
            value = text[first:last]
            if (_is_random(value) or not form.judged) and (form.begins or not _is_word(value)):
                yield first, last


def _is_word(value: str) -> bool:
    """Whether what a form found is a word of forms and manuals, or says where the value is to be had."""
    digits = _DIGIT.search(value) and not _LETTER.search(value)
    return len(value) <= WORD_CHARS and not digits and is_ordinary(value)


def _named(text: str, low: str, piece: str, start: int, end: int) -> Iterator[Span]:
    """What names that begin in this slice say; what begins further on is the next one's."""
    for name, spoken, strong in _NAMES:
        if name not in piece:
            continue
        until = min(end, start + SLICE_CHARS + len(name) - 1)
        at = low.find(name, start, until)
        while at >= 0:
            named = PLACEHOLDER.match(text, max(0, at - 1))
            match = None if named else _TAIL.match(text, at + len(name), end)
            flag = text[max(0, at - 48) : at]
            given = None if named else value_under(text, at, at + len(name), spoken=spoken, strong=strong)
            if given:
                yield given
            elif (
                match
                and not _RESOURCE.search(flag)
                and (
                    (
                        _is_value(match, name, flag=flag, spoken=spoken, strong=strong)
                        and not _is_neighbour(match, text, at, name)
                    )
                    or _is_variable(match, text[at : at + len(name)], strong=strong, flag=flag)
                )
            ):
                yield match.span("quoted") if match["quoted"] else _unstopped(match)
            elif spoken and not named and (said := drawn_said(text, at, at + len(name))):
                yield said
            at = low.find(name, at + len(name), until)
    for name in FURTHER_KEYS:
        until = min(end, start + SLICE_CHARS + len(name) - 1)
        at = low.find(name, start, until) if name in piece else -1
        while at >= 0:
            span = value_under(text, at, at + len(name), spoken=name == "pass", strong=True)
            if span:
                yield span
            at = low.find(name, at + len(name), until)


def _unstopped(match: re.Match[str]) -> Span:
    at, end = match.span("bare")
    if end - at >= MOST_BARE_CHARS:
        onward = _ONWARD.match(match.string, end)
        return at, onward.end() if onward else end
    return at, at + len(_bare(match))


def _bare(match: re.Match[str]) -> str:
    """A bare value without what ends a sentence behind it, or goes on with it in a script without blanks."""
    at, end = match.span("bare")
    value = match.string[at : value_end(match.string, at, end)]
    quoted = match.string[end : end + 1] in _QUOTES
    value = value.rstrip(_STOPS.replace("!", "") if quoted else _STOPS)
    run = _RUN.match(value)
    return run[0] if run else value


def _is_value(match: re.Match[str], name: str, *, flag: str, spoken: bool, strong: bool) -> bool:
    """Whether what stands behind a name is a secret."""
    quoted: str | None = match["quoted"]
    value = quoted or _bare(match)
    sep = match["sep"].strip()
    assigned = sep.endswith("=") or sep.rstrip("*_") in (":", "=>", "：", "＝", "->", "→")
    if len(value) < 4 or _NO_SECRET.match(value) or _REFERENCE.fullmatch(value) or is_ordinary(value):
        return False
    if is_translated(name, value) or is_its_id(value, flag):
        return False
    if (_SYMBOL.fullmatch(value) or _TYPE.fullmatch(value)) and (
        sep == "==" or _names_code(match, spoken=spoken)
    ):
        return False
    given = assigned and name != "secret"
    if not spoken and _WORDED.fullmatch(value) and _TELLS.match(value):
        return given or (name != "secret" and bool(_SAID.match(sep)))
    if not spoken and not quoted and _WORDED.fullmatch(value):
        return strong and given and bool(_DIGIT.search(value))
    if not quoted and not value.isascii() and sep and (sep in _PARTICLES or _CJK.search(value)):
        return False
    if value[-1] in "-_" and match["bare"] and match["bare"].endswith(("...", "…")):
        return False
    if not quoted and sep and sep in _PARTICLES and not (_PLAIN.match(value) or _is_mixture(value)):
        return False
    if quoted and " " in quoted and not (spoken and _DIGIT.search(quoted) and len(quoted) <= 80):
        said = bool(_SAID.match(sep) or (sep and sep in _PARTICLES))
        drawn = name.startswith("secret") and assigned
        return (drawn and is_small_phrase(quoted)) or (
            spoken and (assigned or said or sep in ("", "to")) and is_phrase(quoted, said=said)
        )
    if not strong:
        variable = match["sep"] == "=" and _VARIABLE.search(flag)
        if name == "token" and flag.endswith("--") and _LETTER.search(value) and _DIGIT.search(value):
            return len(value) >= 6
        least = 8 if variable else 10
        told = (
            assigned
            or "--" in flag[-24:]
            or (len(value) >= (12 if _CHANGING.match(value) else 16) and bool(quoted or _SAID.match(sep)))
        )
        return len(value) >= least and told and _is_random(value)
    if _WORDS.fullmatch(value):
        return (
            bool(spoken and match["sep"].strip() and _PHRASE.fullmatch(value))
            or bool(spoken and quoted and assigned and len(value) >= 6)
            or bool(
                len(value) >= 12
                and _MIXED.search(value[1:])
                and not (value.islower() and is_state(value))
                and _is_random(value, letters=True)
            )
        )
    if value.isdecimal():
        said = len(value) >= 6 and _SAID.match(sep) and not _COUNTED.match(match.string, match.end())
        numbered = len(value) >= 12 and assigned and name.endswith("key")
        return numbered or (spoken and (assigned or bool(quoted or said)))
    looks = bool(_LETTER.search(value)) and bool(_DIGIT.search(value) or _SIGN.search(value))
    return looks and (assigned or bool(quoted or _DIGIT.search(value) or _MIXTURE.search(value)))


def _is_mixture(value: str) -> bool:
    return value.isascii() and bool(_MIXTURE.search(value))


def _names_code(match: re.Match[str], *, spoken: bool) -> bool:
    """Whether a value with the form of a name in code is one: a type behind a parameter, a function that is called."""
    after = match.string[match.end() : match.end() + 3]
    named = not _DIGIT.search(match[0]) and bool(_MIXED.search(match["quoted"] or match["bare"]))
    return (named and not spoken) or bool(match["bare"] and re.match(r"\(| [=|] ", after))


def _is_neighbour(match: re.Match[str], text: str, at: int, name: str) -> bool:
    """Whether a name of code only stands before another word, as in our own lists of names: "apiKey modelName1".

    What people say ("password hunter2") and what commands are given (`--api-key ...`) is not meant.
    """
    sep = match["sep"].strip()
    if sep.lower() == "to" and match["bare"] and not _MOVED.search(text, max(0, at - 40), at):
        onward = text[match.end() : match.end() + 2]
        return bool(_SYMBOL.fullmatch(match["bare"]) and onward[:1] == " " and onward[1:].islower())
    if not sep and "\n" in match["sep"] and _IS_VALUE.search(text, max(0, at - 48), at):
        return True
    if not sep and ";" in (match["bare"] or "") and ("\n" in match["sep"] or text[at - 1 : at] == ";"):
        return True
    if sep or match["quoted"] or "--" in text[max(0, at - 24) : at]:
        return False
    if _ASSIGNED.match(text, match.end()) or (
        "\n" in match["sep"] and match.start("sep") > match.start() and text[match.start()] in "\"'])"
    ):
        return True
    said = name in SPOKEN_NAMES or name == "secret" or " " in name or not name.isascii()
    within = bool(re.match(r"\w", text[at - 1 : at], re.ASCII))
    value = match["bare"].rstrip(_STOPS)
    if name == "secret" and _LONG_WORD.fullmatch(value):
        return True
    return (within or not said) and (bool(_SYMBOL.fullmatch(value)) or not _is_random(value))


def _is_variable(match: re.Match[str], name: str, *, strong: bool, flag: str) -> bool:
    """Whether a variable of the environment is set here: what it holds is a secret even if it is made of words."""
    value: str | None = match["bare"]
    if not name.isupper() or match["sep"] != "=" or value is None or len(value) < 6:
        return False
    if (
        _NO_SECRET.match(value)
        or is_ordinary(value)
        or not (strong or (name == "TOKEN" and not _NO_KEY.search(flag)))
    ):
        return False
    if _WORDS.fullmatch(value):
        return True
    if name == "TOKEN" and _LETTER.search(value) and _DIGIT.search(value) and not _REFERENCE.fullmatch(value):
        return True
    return name != "SECRET" and bool(_DIGIT.search(value)) and bool(_WORDED.fullmatch(value))


def _looks(value: str) -> bool:
    """Whether a value that stands in a list or a column of secrets is one: no plain word, number or reference."""
    named = _NO_SECRET.match(value) or _REFERENCE.fullmatch(value) or _SYMBOL.fullmatch(value)
    return not named and bool((_LETTER.search(value) and _DIGIT.search(value)) or _MIXTURE.search(value))


def _is_random(value: str, *, letters: bool = False) -> bool:
    if not letters and not (_DIGIT.search(value) and _LETTER.search(value)):
        return False
    if _WORDED.fullmatch(value) or _COUNTED_WORD.fullmatch(value):
        return False
    size = len(value)
    bits = -sum(n / size * math.log2(n / size) for n in Counter(value).values())
    return bits >= RANDOM_BITS


def apart(spans: list[Span]) -> list[Span]:
    """Spans in order, those that touch made one."""
    merged: list[Span] = []
    for start, end in sorted(set(spans)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
