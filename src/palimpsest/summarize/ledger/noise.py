"""What looks like a path or a name in a text and is none that a later call could ask for.

Rules kept here:

- The module in an import (`from "./button.js"`, `require("@scope/kit")`) is no file's path: its folder is missing, and
  often the file ends otherwise. The file itself stands in the calls that read or change it.
- `a/` and `b/` before the paths of a diff are git's, and so are its names for branches (`refs/heads/...`).
- What a build hashed (`root-vXJNkuOi.js`) is another file after the next one; `kit@1.2.3` is a package, no address.
- The numbers of lines in listings and searches are no numbers of anything, nor are sizes and owners before the names
  of files. Words in capitals that begin with an E are error codes only where a system knows them.
- Words between slashes (`build/test/lint`) are no path unless they begin as folders of projects do, nor is a colour
  (`#303030`) a ticket, a standard (`UTF-8`) either.
- What an editing tool says of a call that missed its text is put right by the next call: nobody asks for it again.
- Names of a language and its libraries are known to every model. They are kept, and worth less.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.names import find_names, find_paths, has_extension, is_path

_IMPORTED = later(
    r"\b(?:from|import|require|mock|importActual)\s{0,4}\(?\s{0,4}(?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\")"
)
_IMPORTING = ("from", "import", "require", "mock")
_DIFFED = later(r"^((?:---|\+\+\+) |diff --git )[ab]/([^\s]{1,300})(?: b/[^\s]{1,300})?", re.MULTILINE)
_REFERENCE = later(r"^(?:refs|remotes|origin|upstream)/|(?:^|/)\.git/(?:objects|refs|logs)(?:/|$)")
_BUILT = later(
    r"[-.](?:(?!(?:[A-Z]?[a-z]{2,8}){1,4}\d{0,2}\.|\d+\.)(?=[\w-]{0,7}[A-Z0-9_])[\w-]{8}"
    r"|(?=[a-f]{0,31}\d)(?=\d{0,31}[a-f])[0-9a-f]{10,32})\.(?:m?js|css|map|woff2?)\b"
)
"""Eight signs that are no words (`UserPage`, `config02`) and no date, or a hash in hexadecimal figures."""
_PACKAGE = later(r"@[\d.]+$")
_NUMBERED = later(r"\n(?:[^\s:]{1,300}+:)?[ \t]{0,8}\d{1,7}[:→\t-]")
_LISTED = later(
    r"\n(?:[bcdlps-][rwxsStT-]{9}[@+.]?[ \t]{1,8}\d{1,6}(?:[ \t]{1,16}\S{1,40}){3}[ \t]|total \d{1,9}(?=\n|\Z))"
)
"""Both with the line end before them: a pattern that begins with a character is looked for many times faster."""
_COLOUR = later(r"(?:[:=][ \t]?|[\"'])#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})(?=[\"';])|#(\d\d)\1\1(?!\w)")
_STANDARD = later(r"(?:UTF|SHA|ISO|AES|RSA|MD|ANSI|IEEE)-\d")
_COLOURED = later(r"#[0-9a-fA-F]{3}")
_STANDARDS = ("ISO ", "IEEE ", "ANSI ", "DIN ", "ECMA ")
_ASSETS = ("js", "css", "map", "woff")
_STANDARD_NUMBER = later(r"\b(?:ISO|IEEE|ANSI|DIN|ECMA) \d{2,6}(?!\d)")
_DAY = later(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d")
"""A day as much of Europe writes it, and no version."""
_MEMBER_HOST = later(r"[a-z][A-Z]\w*\.(?:test|app|dev|io|local|internal|example)$|\.pl$")
ROOTS = frozenset(
    "src lib app apps packages pkg cmd internal docs tests config configs scripts include public assets examples "
    "modules services vendor node_modules usr".split()
)
"""How folders of projects begin."""
_SLASHED = later(r"[A-Za-z][a-z-]{0,30}(?:/[A-Za-z][a-z-]{0,30}){2,12}")
_SPACED = later(r"(['\"`])(?P<path>(?:~?/|[A-Za-z]:\\)[^'\"`\n*?<>|]{1,240}\.[A-Za-z0-9]{1,5})\1")
_IMPORT_PATH = later(r"(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|in|sh|co|xyz|internal|example|test)/")
"""How the path of a Go package begins: with a host."""
_FENCE = later(r"```[\w+.-]{1,40}(?=[ \t]{0,8}\r?\n)")
"""How a fence begins: it names a language, or who is to run it."""
_TOLD_BY_SHELL = later(
    r"^(?:Background PIDs?|Process Group PGID|PIDs?): [\d, ()a-z]{1,80}$|^\[Python interpreter: [^\n]{1,200}\]$",
    re.MULTILINE,
)
"""What shell tools of Gemini CLI and OpenHands say beside an output."""
_ERROR_CODES = frozenset(
    (*errno.errorcode.values(), "ENOTFOUND", "ERESOLVE", "EINTEGRITY", "EBADENGINE", "ELIFECYCLE")
)

_MISSED = later(
    r"\s{0,8}(?:error:\s{1,4})?(?:File has (?:not been read yet|been (?:unexpectedly )?modified since)|"
    r"No changes to make|String to replace not found|Found \d{1,5} (?:matches of the string|occurrences of)|"
    r"File content \(.{1,40}\) exceeds|No replacement was performed\b|Could not find\b.{0,80}\bold_str|"
    r"Could not find the (?:exact )?text|Failed to edit, |(?:Failed to apply|Error applying) (?:the )?patch|"
    r"apply_patch verification failed|Your (?:proposed edit|changes) ha(?:s|ve) (?:introduced|NOT been applied)|"
    r"The edit was not applied|Cancelled: parallel tool call)",
    re.IGNORECASE,
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
"""Of JavaScript, browsers, React, Node and Python."""


def paths_in(text: str) -> Iterator[str]:
    """The paths that `find_paths` finds, without those of imports and git's own, and quoted ones with spaces whole."""
    if "[Python" in text:
        text = _TOLD_BY_SHELL.sub(" ", text)
    if " a/" in text or " b/" in text:
        text = _DIFFED.sub(r"\1\2", text)
    if any(word in text for word in _IMPORTING) and ("'" in text or '"' in text):
        text = _IMPORTED.sub(" ", text)
    for quoted in _SPACED.finditer(text):
        if len(quoted["path"].split()) > 1 and is_path(quoted["path"]):
            yield quoted["path"]
            text = text.replace(quoted[0], " ")
    for path in find_paths(text):
        if not _REFERENCE.search(path) and not _is_words(path) and not _is_package(path):
            yield path


def _is_words(path: str) -> bool:
    """Whether a path is plain words between slashes (`build/test/lint`), and begins as no project's folders do."""
    return bool(_SLASHED.fullmatch(path)) and path.partition("/")[0] not in ROOTS and not has_extension(path)


def _is_package(path: str) -> bool:
    """Whether a path is that of a Go package, `example.com/tide/pier`, and no file's."""
    return bool(_IMPORT_PATH.match(path)) and not (has_extension(path) and not path.endswith(".test"))


def is_missed_edit(error: str) -> bool:
    """Whether an error only says that a call to an editing or reading tool was not as that wants it."""
    return bool(_MISSED.match(error))


def is_built(path: str) -> bool:
    """Whether a path's name ends in a hash, as a build gives it."""
    return bool(_BUILT.search(path))


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """The names that `find_names` finds, without hashes of builds, packages, numbers of lines, and what a listing says
    beside the names of files; colours as such.
    """
    if "#" in text and _COLOURED.search(text):
        yield from (("colour", found[0][found[0].index("#") :]) for found in _COLOUR.finditer(text))
        text = _COLOUR.sub(" ", text)
    if any(standard in text for standard in _STANDARDS):
        text = _STANDARD_NUMBER.sub(" ", text)
    if "PID" in text or "PGID" in text or "[Python" in text:
        text = _TOLD_BY_SHELL.sub(" ", text)
    text = _LISTED.sub("\n ", f"\n{text}")
    if "```" in text:
        text = _FENCE.sub("```", text)
    if any(asset in text for asset in _ASSETS):
        text = _BUILT.sub(" ", text)
    for kind, name in find_names(_NUMBERED.sub("\n ", text)):
        packed = kind == "email" and _PACKAGE.search(name)
        shouted = kind == "code" and name.isalpha() and name not in _ERROR_CODES
        meant = (kind == "ticket" and _STANDARD.match(name)) or (kind == "host" and _MEMBER_HOST.search(name))
        if not packed and not shouted and not meant:
            yield ("calendar" if kind == "version" and _DAY.fullmatch(name) else kind), name
