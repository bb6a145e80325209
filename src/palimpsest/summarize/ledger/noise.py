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
from collections.abc import Iterator

from palimpsest.summarize.ledger.patterns import (
    BUILT,
    COLOUR,
    COLOURED,
    DAY,
    DIFFED,
    FENCE,
    IMPORT_PATH,
    IMPORTED,
    LISTED,
    MEMBER_HOST,
    MISSED,
    NUMBERED,
    PACKAGE,
    REFERENCE,
    SLASHED,
    SPACED,
    STANDARD,
    STANDARD_NUMBER,
    TOLD_BY_SHELL,
)
from palimpsest.text.names import find_names, find_paths, has_extension, is_path

_IMPORTING = ("from", "import", "require", "mock")
_STANDARDS = ("ISO ", "IEEE ", "ANSI ", "DIN ", "ECMA ")
_ASSETS = ("js", "css", "map", "woff")
ROOTS = frozenset(
    "src lib app apps packages pkg cmd internal docs tests config configs scripts include public assets examples "
    "modules services vendor node_modules usr".split()
)
"""How folders of projects begin."""
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
"""Of JavaScript, browsers, React, Node and Python."""


def paths_in(text: str) -> Iterator[str]:
    """The paths that `find_paths` finds, without those of imports and git's own, and quoted ones with spaces whole."""
    if "[Python" in text:
        text = TOLD_BY_SHELL.sub(" ", text)
    if " a/" in text or " b/" in text:
        text = DIFFED.sub(r"\1\2", text)
    if any(word in text for word in _IMPORTING) and ("'" in text or '"' in text):
        text = IMPORTED.sub(" ", text)
    for quoted in SPACED.finditer(text):
        if len(quoted["path"].split()) > 1 and is_path(quoted["path"]):
            yield quoted["path"]
            text = text.replace(quoted[0], " ")
    for path in find_paths(text):
        if not REFERENCE.search(path) and not _is_words(path) and not _is_package(path):
            yield path


def _is_words(path: str) -> bool:
    """Whether a path is plain words between slashes (`build/test/lint`), and begins as no project's folders do."""
    return bool(SLASHED.fullmatch(path)) and path.partition("/")[0] not in ROOTS and not has_extension(path)


def _is_package(path: str) -> bool:
    """Whether a path is that of a Go package, `example.com/tide/pier`, and no file's."""
    return bool(IMPORT_PATH.match(path)) and not (has_extension(path) and not path.endswith(".test"))


def is_missed_edit(error: str) -> bool:
    """Whether an error only says that a call to an editing or reading tool was not as that wants it."""
    return bool(MISSED.match(error))


def is_built(path: str) -> bool:
    """Whether a path's name ends in a hash, as a build gives it."""
    return bool(BUILT.search(path))


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """The names that `find_names` finds, without hashes of builds, packages, numbers of lines, and what a listing says
    beside the names of files; colours as such.
    """
    if "#" in text and COLOURED.search(text):
        yield from (("colour", found[0][found[0].index("#") :]) for found in COLOUR.finditer(text))
        text = COLOUR.sub(" ", text)
    if any(standard in text for standard in _STANDARDS):
        text = STANDARD_NUMBER.sub(" ", text)
    if "PID" in text or "PGID" in text or "[Python" in text:
        text = TOLD_BY_SHELL.sub(" ", text)
    text = LISTED.sub("\n ", f"\n{text}")
    if "```" in text:
        text = FENCE.sub("```", text)
    if any(asset in text for asset in _ASSETS):
        text = BUILT.sub(" ", text)
    for kind, name in find_names(NUMBERED.sub("\n ", text)):
        packed = kind == "email" and PACKAGE.search(name)
        shouted = kind == "code" and name.isalpha() and name not in _ERROR_CODES
        meant = (kind == "ticket" and STANDARD.match(name)) or (kind == "host" and MEMBER_HOST.search(name))
        if not packed and not shouted and not meant:
            yield ("calendar" if kind == "version" and DAY.fullmatch(name) else kind), name
