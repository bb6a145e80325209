"""Identifiers in texts: paths, links, hosts, hashes, versions, ports, tickets, error codes, symbols, and quantities.

- Every pattern starts only where a run of its own characters starts, and is bounded. A minified file or a base64 text
  takes time in proportion to its length.
- Paths in prose are ASCII: in Chinese or Japanese no space separates a path from other words. Paths in other
  scripts come from decoded arguments, where the whole value is the path.
- A name ends where a script without capitals begins: such scripts write words and particles right next to it
- Paths in prose are ASCII: in Chinese or Japanese, no space separates a path from other words. Paths in other
  them (`größe_wert`).
- What only looks like a name is left out: `and/or`, `application/json`, `/dev/null`, dates, plain words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TypeVar

from palimpsest.lazy_regex import later

T = TypeVar("T")
PATH_CHARS = 260
NAME_CHARS = 80
WORD_CHARS = 120
MAX_WORDS = 16_384
"""The results for so many words are cached: most words of a text have occurred before."""
MIN_DIGITS = 3
"""A word with this many digits is an identifier, and so is one with a digit and this many parts: `prod-main-7`."""
_SPACED_CODE, _SPACED_PORT = later(r"[ESPRA] \d{3}"), later(r"[pP]orts?[ =:]{1,3}\d")
"""The only names with a space contain one of these."""
_DAYS = frozenset("dd d. d/ d- mm m. m/ yy tt jj aa gg hh".split())
_COMMON = frozenset(
    "GitHub README MacOS macOS OpenAI LocalStorage GraphQL PostgreSQL MySQL YouTube "
    "tool_use tool_result tool_use_error is_error exit_code in_progress subagent_type files_with_matches output_mode "
    "str_replace_editor undo_edit old_str new_str old_string new_string replace_all view_range uploaded_files "
    "environment_context approval_policy sandbox_mode network_access __init__ __main__ __name__ iOS iPhone "
    "JavaScript's ENOUGH EVERY EITHER EMPTY ERROR ERRORS EXISTS EXACTLY ELSEIF EXPORT EXTRA EDITOR".split()
)


def is_path(text: str, *, given: bool = False) -> bool:
    """Whether a text can be the path of one file or folder; `given`: a path is expected here."""
    return (
        0 < len(text) <= PATH_CHARS
        and BLANK.sub(" ", text).isprintable()
        and "://" not in text
        and not (WILD if given else UNFIT).search(text)
        and not NOISE.match(text)
        and text.strip("./\\~") != ""
    )


def has_extension(path: str) -> bool:
    """Whether a path ends with a known file extension."""
    return bool(HAS_EXTENSION.search(path))


def file_name(path: str) -> str:
    """The last part of a path."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or path


def find_paths(text: str) -> Iterator[str]:
    """Paths in a command or a text, in order, as written, without the dot that ends a sentence."""
    words = (ESCAPES.sub(" ", text) if "\x1b" in text else text).split()
    return chain.from_iterable(_for_words(words, _cached_paths, _paths))


def _for_words(
    words: Sequence[str], cached: Callable[[str], Iterable[T]], find: Callable[[str], Iterable[T]]
) -> Iterator[Iterable[T]]:
    """What is found in each word, cached for short ones.

    All words are checked at once, because a Python step for each word takes longer than the search itself.
    """
    if max(map(len, words), default=0) <= WORD_CHARS:
        return map(cached, words)
    return (cached(word) if len(word) <= WORD_CHARS else find(word) for word in words)


def _up_to_wildcard(found: re.Match[str]) -> str:
    """A path, or the folder of one with a wildcard (`out/day-*.csv`)."""
    if found.string[found.end() : found.end() + 1] != "*":
        return found[0]
    return found[0][: max(found[0].rfind("/"), found[0].rfind("\\")) + 1]


def _paths(word: str) -> tuple[str, ...]:
    """The paths of a text without spaces."""
    if not MAY_BE_PATH.search(word):
        return ()
    found = (_up_to_wildcard(match)[_hyphens(match) :] for match in PATH.finditer(word))
    paths = (_unbracketed(path).rstrip(".").rstrip("/\\") for path in found)
    return tuple(path for path in paths if _is_likely(path))


_cached_paths = lru_cache(MAX_WORDS)(_paths)


def _unbracketed(path: str) -> str:
    """A path without the brackets around it: `[src/a.py]`. In `[slug]/page.tsx` they belong to the folder's name."""
    return path[1:-1] if path[:1] == "[" and path[-1:] == "]" and path.count("[") == 1 else path


def _hyphens(found: re.Match[str]) -> int:
    """How many hyphens join a path to the letters before it, as with prefixes in Hebrew."""
    joined = found.start() and not found.string[found.start() - 1].isascii()
    return len(found[0]) - len(found[0].lstrip("-")) if joined else 0


def _is_likely(path: str) -> bool:
    """Whether what looks like a path is one."""
    if ("\\" in path and path[1:2] != ":") or path.count("[") != path.count("]"):
        return False
    if path[:2].lower() in _DAYS and PATTERN.fullmatch(path.lower()):
        return False
    has_folders = path.count("/") >= 2 and any(map(str.isalpha, path))
    return is_path(path) and (path[0] in "/~." or has_extension(path) or has_folders)


def find_names(text: str) -> Iterator[tuple[str, str]]:
    """(kind, name) of each name in `text`, links first, then in order; the kinds are the groups of the pattern."""
    if _SPACED_CODE.search(text) or (("port" in text or "Port" in text) and _SPACED_PORT.search(text)):
        return _names(text)
    return chain.from_iterable(_for_words(text.split(), _cached_names, _names))


@lru_cache(MAX_WORDS)
def _cached_names(word: str) -> tuple[tuple[str, str], ...]:
    return tuple(_names(word)) if MAY_BE_NAME.search(word) else ()


def _names(text: str) -> Iterator[tuple[str, str]]:
    linked = [*LINK.finditer(text)] if "://" in text or ".git" in text or "10." in text else []
    for match in linked:
        login = LOGIN.match(match[0])
        yield ("host", login[1]) if login else ("link", match[0].rstrip(".,;:!?*_"))
    if linked:
        text = LINK.sub(" ", text)
    for match in NAME.finditer(text):
        kind, name = match.lastgroup, match[0]
        if kind is None:
            continue
        if kind == "email":
            name = name.rstrip(".,;:!?*_")
        if kind == "ticket" or (3 < len(name) <= NAME_CHARS * 2 and name not in _COMMON):
            yield kind, name


def find_opaque(text: str) -> Iterator[tuple[str, str]]:
    """Identifiers of other forms: booking codes ("short"), and words with digits or many parts ("opaque").

    `XK7P2Q`, `subnet-0a1b2c3d4e`, `prod-main-7`.
    """
    words = text.split() if DIGIT.search(text) else []
    return chain.from_iterable(_for_words(words, _cached_opaque, _opaque))


@lru_cache(MAX_WORDS)
def _cached_opaque(word: str) -> tuple[tuple[str, str], ...]:
    return tuple(_opaque(word))


def _opaque(word: str) -> Iterator[tuple[str, str]]:
    if not DIGIT.search(word):
        return
    yield from (("short", match[0]) for match in SHORT.finditer(word))
    for match in OPAQUE.finditer(word):
        digits = sum(sign.isdecimal() for sign in match[0])
        parts = match[0].count("-") + 1 if digits else 0
        if len(match[0]) >= 8 and max(digits, parts) >= MIN_DIGITS and not is_date(match[0]):
            yield "opaque", match[0]


def is_date(text: str) -> bool:
    """Whether a text begins like a numeric date."""
    return bool(DATE.match(text))


def find_quantities(text: str) -> Iterator[str]:
    """Numbers with their units, in order, as written: "37 seconds", "1.5 GB", "80 %"."""
    for match in QUANTITY.finditer(text):
        yield match[0]


EXTENSIONS = (
    "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|json|jsonl|ya?ml|toml|md|mdx|rst|txt|html?|css|scss|less|go|rs|java|kt|kts|"
    "scala|c|h|cc|cpp|hpp|cs|fs|rb|php|pl|lua|swift|dart|ex|exs|erl|hs|ml|vue|svelte|sh|bash|zsh|fish|ps1|bat|sql|xml|"
    "ini|cfg|conf|env|lock|proto|graphql|prisma|tf|hcl|gradle|cmake|mk|csv|tsv|log|svg|png|jpe?g|gif|pdf|zip|gz|"
    "diff|patch|db|sqlite|mts|cts|astro|zig|jl|clj|cljs|nim|mm|plist|pbxproj|csproj|sln|storyboard|xcconfig|rmd|tex|bib|sass|"
    "ejs|hbs|pug|erb|haml|jinja2?|j2|groovy|bazel|nix|rego|webp|ico|woff2?|wasm|tgz|whl|jar|xlsx|docx|pptx|mp[34]|wav|"
    "parquet"
)
NAMED = (
    "Dockerfile|Makefile|Procfile|Gemfile|Rakefile|Jenkinsfile|Justfile|Brewfile|Vagrantfile|LICENSE|"
    "go\\.mod|go\\.sum"
)
"""Files known by their name, without an extension."""
ESCAPES = later(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
"""Terminal colours, which are common in recorded output."""
SIGNS = (
    r"A-Za-z0-9_\u00aa\u00b2\u00b3\u00b5\u00b9\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u03ff\u0400-\u052f"
    r"\u0531-\u0587\u1e00-\u1fff\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
)
"""Characters that can continue a name or a unit: digits, and letters of alphabets with capitals."""
PATH = later(
    rf"(?<![{SIGNS}/\\@.:~+%$)}}-])(?:"
    r"(?:[A-Za-z]:[\\/]|~/|\.{1,2}/|/)?(?:(?:[A-Za-z0-9_@+.\[\]-]{1,80}|\([A-Za-z0-9_-]{1,40}\))[/\\]){1,24}"
    rf"[A-Za-z0-9_@+.\[\]-]{{0,100}}(?![{SIGNS}@+.\[\]-])|~/[A-Za-z0-9_@+.-]{{1,80}}(?![{SIGNS}@+.-])|"
    r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,80}\.(?:"
    + EXTENSIONS
    + rf")(?![{SIGNS}]|\((?!\d)|\.[A-Z][a-z]{{1,20}}[A-Z(])|(?:"
    + NAMED
    + rf")(?![{SIGNS}]))"
)
HAS_EXTENSION = later(r"\.(?:" + EXTENSIONS + r")$|(?:^|[/\\])(?:" + NAMED + r")$", re.IGNORECASE)
NOISE = later(
    r"/dev/(?:null|stdin|stdout|stderr|tty)$|(?:application|text|image|audio|video|multipart|font)/[\w.+-]+$|"
    r"\d[\d./-]*$|(?:.*/)?\.(?!env$)(?:" + EXTENSIONS + r")$|"
    r"[a-z]?/[a-z]?$|[\d,$]{0,12}s/[^/]{1,200}/[^/]{0,200}(?:/[gipm]{0,3})?$|\.{3}|e\.g|i\.e|"
    r"(?:console|process|ctx|this|self|req|res)(?:\.\w+){1,8}$|(?:Node|Next|Nuxt|Vue|Express|Three|D3)\.js$"
)
BLANK = later(r"[\xa0\u2000-\u200a\u202f\u3000]")
"""Spaces in file names: macOS puts one before the "PM" of a screenshot."""
UNFIT = later(r"[*?{}<>|$`]")
WILD = later(r"[*?]|\{[^{}]{0,200},")
"""What matches several files even where a path is expected."""
PLAIN_WORDS = (
    r"(?<![A-Za-z0-9_.-])"
    r"(?:(?![pP]orts?[ =:])[A-Z]?[a-z]{1,30}+(?![A-Za-z0-9_@.:/+-])[^\w#$€£¥@.+-]{0,40}+){1,40}"
)
"""Plain words without a name between them: most of any text, skipped in one step."""
DOMAINS = (
    "com|org|net|edu|gov|mil|int|io|dev|app|ai|cloud|co|biz|xyz|local|internal|intranet|corp|lan|svc|cluster|test|"
    "example|invalid|onion|eu|uk|de|fr|nl|es|it|pl|cn|hk|tw|jp|kr|ru|br|ca|au|ch|se|no"
)
"""Top-level domains, without those that names in code end with as well (`session.info`, `os.name`)."""
UNITS = (
    "[mµμn]s|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|[kKMGT]i?B|[kKMGT]bit|bytes|"
    "[kMG]bps|px|dpi|rps|rpm|fps|[kMG]?Hz|°[CF]|[kcmµμn]m|[kmµμ]g|[kM]N|Nm|[kMG]W|[kMG]?Wh|[mk]V|mA|[khM]Pa|psi|ppm|dBm?|m[lL]|"
    "ft|lbs?|knots?|kn|mph|percent|USD|EUR"
)
SHORT_UNITS = "[smh]"
FRACTION_UNITS = "(?:[smhgtlLVAWNJK]|bar)"
"""One letter is a unit after a space, or after a fraction: `1990s`, `5m` and `3 A` are something else."""
QUANTITY = later(
    rf"(?<![{SIGNS}.,$€£¥/:-])"
    rf"(?:(?:\d{{1,9}}(?:[.,]\d{{1,6}})?\s?(?:{UNITS})|\d{{1,9}}[ \xa0\u202f]{SHORT_UNITS}|"
    rf"\d{{1,9}}[.,]\d{{1,6}}[ \xa0\u202f]?{FRACTION_UNITS})"
    rf"(?:/(?:s|sec|min|h|hour|day|d|m|km|l|kg)|[²³])?(?![{SIGNS}/])|"
    r"\d{1,9}(?:[.,]\d{1,6})?(?:\s?%|\s{0,1}(?:毫秒|秒|分钟|小时|天|元|兆|ミリ秒|時間|초|분)))"
)
IPV6 = (
    r"(?=[0-9a-fA-F:]{0,40}\d)"
    r"(?=[0-9a-f:]{3,60}(?![A-F])|[0-9A-F:]{3,60}(?![a-f]))"
    r"(?:(?:[0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}|"
    r"[0-9a-fA-F]{3,4}(?::[0-9a-fA-F]{1,4}){0,5}::(?:[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){0,5})?)(?!:?[0-9a-fA-F:])"
    r"(?:/\d{1,3}(?![\w/]))?"
)
"""An address of eight groups, or of fewer with `::`. Its first group has three or four characters: a slice (`[10::2]`)
and a name in code (`fs::a2`) look like the others."""
STANDARDS = "GPT|UTF|ISO|SHA|HTTP|RFC|AES|RSA|CRC|TLS|SSL|PEP|ECMA|IEEE|WINDOWS|WGS|COVID"
"""Prefixes of numbers that look like tickets, but are none."""
NAME = later(
    PLAIN_WORDS + rf"|(?=[\w#$€£¥])(?:(?<![{SIGNS}.-])(?:"
    r"(?P<uuid>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})"
    r"|(?P<hash>(?=\d{0,39}[a-f])(?=[a-f]{0,39}\d)[0-9a-f]{7,64})"
    r"|(?P<email>[A-Za-z0-9_.+-]{1,64}@[A-Za-z0-9-]{1,63}\.[A-Za-z0-9.-]{2,63})"
    r"|(?P<ticket>(?:[A-Z]{2,5})?\#\d{1,6}|(?!(?:" + STANDARDS + r")-)[A-Z][A-Z0-9]{1,9}(?:-\d{1,7}){1,3})"
    r"|(?P<code>E[A-Z]{4,14}|(?:E|TS|HTTP|ERR|ORA|PLR|CVE)[-_ ]?\d{3,5})"
    r"|(?P<address>\d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5})?(?!\.\d)|" + IPV6 + r")"
    r"|(?P<host>(?<![^/]/)(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,6}(?:"
    + DOMAINS
    + r")(?::\d{2,5})?(?![(\[/-]|\.\w))"
    r"|(?P<version>v\d{1,4}(?:\.\d{1,6}){1,3}(?:[-+][A-Za-z0-9.]{1,24})?|\d{1,4}(?:\.\d{1,6}){2,3}(?:[-+][A-Za-z0-9.]{1,24})?)"
    r"|(?P<port>[pP]orts?[ =:]{1,3}\d{2,5}|localhost:\d{2,5})"
    r"|(?P<number>[$€£¥]?\d{4,16}(?:\.\d{1,4})?|[$€£¥]\d{1,12}(?:[.,]\d{1,6}){0,3})"
    rf")(?![{SIGNS}])"
    rf"|(?:(?<![{SIGNS}])(?!(?<=\\)[nrt][A-Z]|(?<=[.@-])\d)|(?<=\\[nrt])(?=[A-Z]))"
    r"(?P<symbol>_{0,2}[A-Za-z0-9]{1,61}(?:_[A-Za-z0-9]{1,60}){1,8}|"
    r"_{0,2}[a-z][a-z0-9]{0,40}(?:[A-Z][a-z0-9]{0,40}){1,8}|(?:[A-Z][a-z0-9]{1,40}){2,8})"
    rf"(?![{SIGNS}]))"
)
OPAQUE = later(
    rf"(?<![{SIGNS}./-])(?=[A-Za-z_-]{{0,40}}\d)(?=[\d_-]{{0,40}}[A-Za-z])[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+){{0,8}}"
    rf"(?![{SIGNS}/]|[_-][A-Za-z0-9])"
)
SHORT = later(
    rf"(?<![{SIGNS}./-])(?=[0-9]{{0,7}}[A-Z])(?=[A-Z]{{0,7}}\d[A-Z]{{0,7}}\d)[A-Z0-9]{{5,7}}(?![{SIGNS}/-])"
)
"""Codes of bookings, flights and parts: `XK7P2Q`, `TP551`."""
DIGIT = later(r"\d")
DATE = later(r"\d{4}-\d{2}(?:-\d{2}|$)|\d{1,2}\.\d{1,2}\.(?:19|20)\d\d$")
LINK = later(
    r"(?<![A-Za-z0-9+.-])(?:[A-Za-z][A-Za-z0-9+.-]{1,24}:(?:[a-z0-9]{1,16}:)?//|git@[\w.-]{3,80}:(?=[\w./-]{1,120}\.git)|(?<!/)10\.(?=\d{4,9}/))"
    r"(?:[^\s\"'<>()\[\]{}`\\\u3000-\u303f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]|"
    r"(?<=[/=])[\u30a1-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,40}(?=[/?&#\s]|$)){4,2000}"
)
"""A link of any kind: `https://`, `s3://`, `jdbc:postgresql://`, `git@host:name.git`, and a DOI. It ends where a script
without spaces begins, unless a whole part of it is in that script."""
LOGIN = later(r"[^/]{2,40}://[^\s/@:]{0,80}:[^\s/]{1,200}@([\w.-]{1,120})")
"""A link with a password in it, of which only the host is a name: `mysql://ann:secret@host/app`."""
PATTERN = later(
    r"(?:dd?|mm?|yyyy|yy|hh|ss|tt|jjjj|jj|aaaa|aa|gg)(?:[./-](?:dd?|mm?|yyyy|yy|hh|ss|tt|jjjj|jj|aaaa|aa|gg))+"
)
"""Date and time formats: `dd.mm.yyyy`, `TT.MM.JJJJ`."""
MAY_BE_NAME = later(r"[0-9_@]|[a-z][A-Z]|E[A-Z]{4}|://|[a-fA-F]{8}-|\.(?:" + DOMAINS + r")(?![A-Za-z0-9_])")
MAY_BE_PATH = later(r"[./\\]|" + NAMED)
