"""Names, versions and numbers of lines that a summary marks as such and its source does not have.

Rules kept here:

- Marked is a name of code in backticks or with brackets behind it, one behind its noun ("class", "branch", "table"),
  and one that ends as errors do. Other words that merely look like names are not judged.
- A name is known where its parts stand beside each other in the source, however they are joined or written.
- Who or what is named in a goal, a rule, a decision or an open task is known, too: a word with a capital inside of a
  sentence, in English, or inside of itself. What is explained by what stands behind it in brackets is not judged.
- What a line plans to make is not in the source yet.
- The version of something is judged where the source has another one of it, the number of a line where the source has
  it nowhere. They become the source's where one is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from palimpsest.patterns import later
from palimpsest.summarize.audit.exact import Exact
from palimpsest.summarize.spoken.cues import is_code

BEGINNING_CHARS = 5
"""What a longer name may be cut to."""
MAX_PARTS = 12
"""Parts of a name that are looked for side by side."""

_CALL = later(
    r"(?<![\w./\\-])(?=\w{0,60}_|[a-z]\w{0,60}[A-Z]|[A-Z]\w{0,60}[a-z][A-Z])(?P<name>[A-Za-z_]\w{3,60})\(\)"
)
_SPAN = later(
    r"`(?P<name>[a-z]{2,40}(?:[A-Z][a-z0-9]{1,40}){1,8}|[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,8})`"
)
_NOUNS = (
    r"(?:[Cc]lass|[Ff]unction|[Mm]ethod|[Bb]ranch|[Tt]able|[Ss]ervice|[Cc]olumn|[Uu]ser|[Qq]ueue|[Bb]ucket|[Tt]opic|"
    r"[Mm]odule|[Pp]ackage)"
)
_NOUN = later(
    rf"\b{_NOUNS} `?(?P<name>(?=[\w./-]{{0,80}}(?:[a-z0-9]_[a-z0-9]|[a-z][A-Z]))[A-Za-z][\w./-]{{3,80}}\w)`?"
    r"(?![\w/(-]|\.\w)"
)
_BRANCH = later(r"\b[Bb]ranch `?(?P<name>[a-z][\w.-]{1,40}/[\w./-]{2,80}\w)`?(?![\w/(-]|\.\w)")
_ENTRY = later(
    rf"^\s{{0,8}}(?:[-*•]\s{{1,3}})?{_NOUNS}:? `?(?P<name>[A-Za-z][a-z0-9]{{1,40}}(?:-[a-z0-9]{{1,40}}){{2,8}})`?$"
)
"""A name of plain words with hyphens, alone in its line."""
_OWNER = later(
    r"^\s{0,8}(?:[-*•]\s{1,3})?(?:[Uu]ser|[Hh]ost|[Dd]atabase|[Ss]chema|[Tt]able|[Bb]ranch|[Qq]ueue|[Bb]ucket|[Tt]opic|"
    r"[Nn]amespace|[Cc]ontainer|[Pp]od|[Cc]luster|[Rr]ole|[Aa]ccount):? `?(?P<name>[a-z][a-z0-9]{2,40})`?$"
)
"""A name of one word, alone in its line with what it is the name of."""
_FAULT = later(
    r"(?<![\w./\\-])(?P<name>(?=[A-Z][a-z0-9]{0,40}[A-Z])[A-Z][A-Za-z0-9]{1,60}"
    r"(?:Error|Exception|Killed|Exceeded|Failed|Refused|BackOff|Fault|Denied|NotFound|Timeout|TimedOut))(?!\w)"
)
_DOTTED = later(r"`(?=[a-z.]{1,80}_)(?P<name>[a-z_]\w{1,40}(?:\.[a-z_]\w{1,40}){2,8})`")
_MARKS = (_CALL, _SPAN, _NOUN, _BRANCH, _ENTRY, _OWNER, _FAULT, _DOTTED)
_PLANS = later(
    r"\b(?:add|create|introduce|implement|write|define|extract|build|rename|generate|scaffold|draft|propos\w{0,5}|"
    r"plan(?:s|ned|ning)?|should|could|would|might|consider\w{0,3}|suggest\w{0,3}|new|call(?:ed)? it|e\.g|such as|"
    r"for example|like)\b|新|创建|添加|计划|erstell\w{1,2}\b|anleg\w{1,2}\b|neue?\w?\b",
    re.IGNORECASE,
)
_VERSION = later(
    r"(?<![\w./-])(?P<name>(?!(?:Phase|Step|Stage|Task|Section|Chapter|Part|Figure|Table|Listing|Appendix|Item|From|"
    r"Until|Since|About|Over|Under|Total|Score|Rated)\b)[A-Z][A-Za-z+#]{2,30}(?:\.js)?) v?(?P<number>\d{1,4}\.\d{1,6})"
    r"(?![\w%]|[.,]\d|\s?(?:[kKMGT]i?B|[mnµ]?s|sec|min|h|x|percent|hours?|points?|stars?|million|billion)\b|\s?%)"
)
_LINE = later(r"\b[Ll]ine (?P<number>\d{2,6})(?!\d|\s?[-–,]\s?\d)")
_LINE_NUMBERS = later(r"(?<![\d.:])(?:(?<=[Ll]ine )(\d{2,6})(?!\d)|(\d{2,6})(?=[:→\t]))")
_PART = later(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_NAME = later(
    r"(?P<name>(?<=[a-z,;] )[A-Z][a-z][A-Za-z0-9]{1,40}(?:-[A-Za-z]{1,40})?|"
    r"(?<![\w./`-])[A-Z][a-z]{1,40}[A-Z][A-Za-z]{0,40})(?![\w/(-]|\.\w|['’]?s? \()"
)
_OF_EVERYONE = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday english german french spanish italian chinese japanese korean portuguese russian "
    "markdown unicode linux unix windows macos readme internet european american british christmas easter boolean "
    "christian".split()
)
"""Names that a summary may use without having heard them: times, languages, and what is everywhere."""
_TOLD_BY = {
    "python": later(
        r"\.pyi?\b|\bpy(?:test|project|right)|\bpip\d?\b|\buv (?:run|pip|sync)|^\s*(?:def \w|import \w)", re.M
    ),
    "javascript": later(r"\.[cm]?jsx?\b|\bnpm\b|\bnode\b|\bpackage\.json|\bconst \w"),
    "typescript": later(r"\.[cm]?tsx?\b|\btsc\b|\btsconfig"),
    "rust": later(r"\.rs\b|\bcargo\b|\brustc\b|\bfn \w"),
    "github": later(r"\bgh (?:pr|issue|run|api)\b|\.github\b|\bpull request|\bPR\b|#\d"),
    "gitlab": later(r"\bglab\b|\.gitlab|\bmerge request|\bMR\b|!\d"),
    "docker": later(r"\b[Dd]ocker|\bcompose\b|\bcontainers?\b|\bimage\b"),
    "postgres": later(r"\bpsql\b|\bpg_|\bpsycopg|\b5432\b|\bSQL\b", re.IGNORECASE),
    "postgresql": later(r"\bpsql\b|\bpg_|\bpsycopg|\b5432\b|\bSQL\b|\bpostgres", re.IGNORECASE),
    "sqlite": later(r"\.(?:db|sqlite3?)\b|\bSQL\b", re.IGNORECASE),
    "node": later(r"\.[cm]?[jt]sx?\b|\bn(?:pm|px|vm)\b|\bpackage\.json"),
}
"""Languages and tools, and what of files and commands tells of each."""
_ENGLISH = later(r"\b(?:the|a|is|are|were|of|to|with|for|and|by|not|be|use|set|up|that)\b")
"""Words of English that are none of German, which writes every noun with a capital."""
_TITLE = later(r"^(?:\W{0,6}(?:[A-Z][\w'’-]*|a|an|the|of|to|for|and|in|on|with|or)\b){2,12}\W{0,4}$")
"""Every word with a capital."""


def unheard(text: str, exact: Exact) -> Iterator[str]:
    """The marked names of a text that its source does not have in any form."""
    for line in text.splitlines():
        if _PLANS.search(line) or is_code(line):
            continue
        for mark in _MARKS:
            for match in mark.finditer(line):
                if not is_heard(match["name"], exact.text):
                    yield match["name"]


def strangers(lines: Iterable[str], exact: Exact) -> Iterator[str]:
    """The lines that name somebody or something that the source does not know."""
    held = ""
    for line in lines:
        said = line.strip()
        if is_code(said):
            continue
        in_english = bool(_ENGLISH.search(said)) and not _TITLE.match(said)
        for found in _NAME.finditer(said):
            name = found["name"]
            inside = any(letter.isupper() for letter in name[1:])
            if name.lower() in _OF_EVERYONE or not (inside or in_english):
                continue
            telling = _TOLD_BY.get(name.lower())
            if telling is not None and telling.search(exact.text):
                continue
            held = held or exact.text.lower()
            if not _is_known(name.lower(), held) and not is_heard(name, exact.text):
                yield said
                break


def _is_known(name: str, held: str) -> bool:
    """Whether a name stands in a text, its beginning for it ("mongo" for "MongoDB"), or the count of its letters
    ("k8s").
    """
    return name[:BEGINNING_CHARS] in held or f"{name[0]}{len(name) - 2}{name[-1]}" in held


def is_heard(name: str, text: str) -> bool:
    """Whether a name stands in a text, or its parts side by side, whatever joins them."""
    if name in text:
        return True
    parts = [re.escape(part) for part in _PART.findall(name)[:MAX_PARTS]]
    return bool(parts) and bool(re.search(r"[\W_]{0,3}".join(parts), text, re.IGNORECASE))


def renumbered(text: str, exact: Exact) -> Iterator[tuple[str, str]]:
    """(what is said, the source's) of versions and numbers of lines that the source does not have; "" where none is
    meant.
    """
    versions = dict.fromkeys((one[0], one["name"], one["number"]) for one in _VERSION.finditer(text))
    for said, name, number in versions:
        of_name = rf"(?<![\w-]){re.escape(name)}\s?v?(\d{{1,4}}(?:\.\d{{1,6}}){{1,3}})"
        held = set(re.findall(of_name, exact.text))
        if held and not re.search(rf"(?<![\d.]){re.escape(number)}", exact.text):
            yield said, said.replace(number, held.pop()) if len(held) == 1 else ""
    for said, number in dict.fromkeys((one[0], one["number"]) for one in _LINE.finditer(text)):
        if not re.search(rf"(?<!\d){number}(?!\d)", exact.text):
            named = {one or other for one, other in _LINE_NUMBERS.findall(exact.text)}
            like = {one for one in named if sorted(one) == sorted(number)}
            yield said, said.replace(number, like.pop()) if len(like) == 1 else ""
