"""What the ledger extracts from texts: paths and names, and patterns that classify commands and files."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from palimpsest.lazy_regex import later
from palimpsest.text.identifiers import find_names, find_paths, has_extension

HOME = later(r"/(?:home|Users)/[^/]{1,64}|/root")
"""What `~` stands for."""
LOOKING = later(
    r"(?:ls|cat|pwd|cd|head|tail|grep|rg|find|sed -n|wc|echo|tree|which|nl|awk|less|jq|git show)\b"
)
"""Searching and looking around, which is written differently each time."""
READING = later(r"(?:cat|head|tail|nl|less|more|bat|sed -n)\s[^|<]*$")
"""Reading one file, which many agents repeat with the same command."""
ONCE = later(
    r"(?:mkdir|mv|rm|rmdir|touch|ln|chmod|chown|sed -i|git (?:commit|mv|rm|clone|init)|gh (?:pr|issue) create)\b"
)
"""Commands that are run once and seldom again."""
WORDED = later(
    r"\bgit commit\b[^|;&]{0,200}?\s-(?:\w{0,8}m|-message)\b|\bgh (?:pr|issue|release) (?:create|comment|edit)\b|"
    r"\bgit add (?!-A\b|\.(?:\s|$)|-u\b|--all\b)"
)
"""Commands with words or files of their own each time: commits, comments, added files."""
ROUTINE = later(r"git (?:status|push|pull|fetch|diff|log|add (?:-A|\.|-u|--all))(?:\s|$)")
"""Commands that are run after every piece of work."""
BEFORE = later(
    r"(?:#[^\n]{0,300}\n\s{0,8}|cd [^\s;&|]{1,200}\s?(?:&&|;|\n)\s{0,8}|[A-Z_]{1,40}=\S{0,80}\s{1,8}){0,8}"
)
"""Comments, a change of the folder, and variables at the beginning of a command."""
MADE = later(
    r"(?:^|/)(?:node_modules|site-packages|\.?venv|dist|build|out|target|vendor|third_party|coverage|__pycache__|\.next|"
    r"\.git|\.turbo|\.pnpm|\.cache)/|\.(?:lock|map|snap|log)$|/(?:tmp|T)/"
)
KNOWN = later(
    r"(?:^|/)(?:(?:CLAUDE|AGENTS|GEMINI|CHANGELOG)\.md|README(?:\.md|\.rst)?|package\.json|tsconfig\.json|pyproject\.toml|"
    r"requirements\.txt|Cargo\.toml|go\.mod|Makefile|Dockerfile|docker-compose\.ya?ml|\.env(?:\.example)?|\.gitignore)$"
)
"""Files that every project has and that are often needed: instructions, manifests, settings."""
CHECKING = later(
    r"\b(?:test|tests|pytest|check|build|lint|typecheck|tsc|make|dev|start|run|mypy|ruff|cargo|go)\b"
    r"|\b(?:npm|pnpm|yarn|bun) (?:install|i|ci)\s{0,4}$|\bpip3? install -[re]\b|\b(?:poetry|bundle|composer) install\b"
    r"|\buv sync\b"
)
"""Commands that are run again after a change: tests, builds, and the installation of dependencies."""
IDENTIFYING = later(r"(?:^|_|\b)(?:id|ids|number|code|key|name|email|phone|date|dob)s?$", re.I)
HEREDOC = later(r"<<-?\s{0,2}['\"]?\w{1,40}['\"]?")
FILE_WRITTEN = later(r"\s*(?:cat|tee(?: -a)?)[ \t]*>{0,2}[ \t]*[^\s;&|<>]{1,300}\s*")
CHANGING_FOLDER = later(r"cd [^\s;&|]{1,200} ?(?:&&|;) ?")
SEGMENT = later(r"&&|\|\||[;|\n]")
QUOTED = later(r"'[^']{0,2000}'|\"(?:[^\"\\]|\\.){0,2000}\"", re.DOTALL)
LINE_END = later(
    r"(?<![\\|&;({\s])(?<!\bdo)(?<!\bthen)(?<!\belse)[ \t]{0,40}(?:\n[ \t]{0,40}){1,8}(?=[^\s|&)}])"
)
"""The end of a line that is the end of a command."""
COMMENTED = later(r"^[ \t]{0,40}#(?!!)[^\n]*(?:\n|\Z)", re.MULTILINE)
REDIRECTED = later(r"\s{0,4}(?:2>&1|\d?>\s?/dev/null)")
PASSIVE_SEGMENT = later(
    r"(?:cd|echo|ls|cat|head|tail|wc|sort|uniq|true|false|sleep|pwd|exit|fi|done|do|then|else|if|for|while|printf|"
    r"export|xargs|tee)\b|#"
)
FILTER = later(
    r"(?:sed|g?awk|[ef]?grep|rg|jq|yq|tr|cut|column|fold|nl|tac|rev|paste|less|more|perl -\w{0,4}e)\b"
)
"""Filters after a pipe, which are never run alone."""
IMPORTED = later(
    r"\b(?:from|import|require|mock|importActual)\s{0,4}\(?\s{0,4}(?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\")"
)
DIFFED = later(r"^((?:---|\+\+\+) |diff --git )[ab]/([^\s]{1,300})(?: b/[^\s]{1,300})?", re.MULTILINE)
BUILT = later(
    r"[-.](?:(?!(?:[A-Z]?[a-z]{2,8}){1,4}\d{0,2}\.|\d+\.)(?=[\w-]{0,7}[A-Z0-9_])[\w-]{8}"
    r"|(?=[a-f]{0,31}\d)(?=\d{0,31}[a-f])[0-9a-f]{10,32})\.(?:m?js|css|map|woff2?)\b"
)
"""Eight characters that are no words (`UserPage`, `config02`) and no date, or a hexadecimal hash."""
NUMBERED = later(r"\n(?:[^\s:]{1,300}+:)?[ \t]{0,8}\d{1,7}[:→\t-]")
LISTED = later(
    r"\n(?:[bcdlps-][rwxsStT-]{9}[@+.]?[ \t]{1,8}\d{1,6}(?:[ \t]{1,16}\S{1,40}){3}[ \t]|total \d{1,9}(?=\n|\Z))"
)
"""Both begin with a line end: a pattern that begins with a literal character is many times faster."""
FENCE = later(r"```[\w+.-]{1,40}(?=[ \t]{0,8}\r?\n)")
"""The beginning of a fence, with a language or the name of what runs it."""
IMPORT_PATH = later(r"(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|in|sh|co|xyz|internal|example|test)/")
"""The beginning of a Go package's path: a host."""
MISSED = later(
    r"\s{0,8}(?:error:\s{1,4})?(?:File has (?:not been read yet|been (?:unexpectedly )?modified since)|"
    r"No changes to make|String to replace not found|Found \d{1,5} (?:matches of the string|occurrences of)|"
    r"File content \(.{1,40}\) exceeds|No replacement was performed\b|Could not find\b.{0,80}\bold_str|"
    r"Could not find the (?:exact )?text|Failed to edit, |(?:Failed to apply|Error applying) (?:the )?patch|"
    r"apply_patch verification failed|Your (?:proposed edit|changes) ha(?:s|ve) (?:introduced|NOT been applied)|"
    r"The edit was not applied|Cancelled: parallel tool call)",
    re.IGNORECASE,
)


_IMPORTING = ("from", "import", "require", "mock")
ROOTS = frozenset(
    "src lib app apps packages pkg cmd internal docs tests config configs scripts include public assets examples "
    "modules services vendor node_modules usr".split()
)
"""First folders of projects."""
_ERROR_CODES = frozenset(
    (*errno.errorcode.values(), "ENOTFOUND", "ERESOLVE", "EINTEGRITY", "EBADENGINE", "ELIFECYCLE")
)


BUILT_IN = frozenset(
    "toString toLowerCase toUpperCase toISOString toLocaleString toLocaleDateString toLocaleTimeString toFixed toJSON "
    "valueOf hasOwnProperty isArray forEach indexOf lastIndexOf findIndex flatMap reduceRight startsWith endsWith "
    "replaceAll matchAll padStart padEnd trimStart trimEnd charAt charCodeAt fromCharCode codePointAt localeCompare "
    "parseInt parseFloat isNaN isFinite isInteger encodeURIComponent decodeURIComponent setTimeout clearTimeout "
    "setInterval clearInterval setImmediate requestAnimationFrame addEventListener removeEventListener "
    "preventDefault stopPropagation querySelector querySelectorAll getElementById createElement appendChild "
    "removeChild innerHTML textContent classList className localStorage sessionStorage TypeError RangeError "
    "SyntaxError ReferenceError ReadonlyArray ReturnType FormData AbortController TextDecoder TextEncoder "
    "ReadableStream WebSocket XMLHttpRequest getTime getFullYear getMonth getDate getDay getHours getMinutes "
    "getSeconds randomUUID useState useEffect useMemo useCallback useRef useContext onClick onChange htmlFor "
    "readFileSync writeFileSync existsSync mkdirSync readdirSync statSync readFile writeFile execSync "
    "node_modules devDependencies peerDependencies JavaScript TypeScript "
    "ValueError KeyError IndexError AttributeError RuntimeError FileNotFoundError NotImplementedError StopIteration "
    "AssertionError ImportError ModuleNotFoundError OSError OrderedDict "
    "__file__ __all__ __str__ __repr__ __enter__ __exit__".split()
)
"""Names of JavaScript, browsers, React, Node and Python."""


def paths_in(text: str) -> Iterator[str]:
    """The paths that `find_paths` finds, without those of imports and Go packages."""
    if " a/" in text or " b/" in text:
        text = DIFFED.sub(r"\1\2", text)
    if any(word in text for word in _IMPORTING) and ("'" in text or '"' in text):
        text = IMPORTED.sub(" ", text)
    return (path for path in find_paths(text) if not _is_package(path))


def _is_package(path: str) -> bool:
    """Whether a path is that of a Go package, `example.com/tide/pier`, not of a file."""
    return bool(IMPORT_PATH.match(path)) and not (has_extension(path) and not path.endswith(".test"))


def is_missed_edit(error: str) -> bool:
    """Whether an error only says that the call of an editing or reading tool was malformed or out of date."""
    return bool(MISSED.match(error))


def is_built(path: str) -> bool:
    """Whether a file name ends in a build hash."""
    return bool(BUILT.search(path))


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """The names that `find_names` finds, without line numbers, the columns of a listing, and plain words in
    capitals.
    """
    text = NUMBERED.sub("\n ", LISTED.sub("\n ", f"\n{text}"))
    if "```" in text:
        text = FENCE.sub("```", text)
    for kind, name in find_names(text):
        if kind != "code" or not name.isalpha() or name in _ERROR_CODES:
            yield kind, name
