"""Texts that are written by hand: JSON with comments and trailing commas, and the plain mappings of YAML.

Of YAML only what configurations of context settings are written in is read: mappings by indentation or in braces on one
line, scalars, and what an anchor has named before. Lists and block texts are passed over, lists in brackets kept as
text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import cast

from palimpsest.errors import SettingsError
from palimpsest.patterns import later

MAX_LINES = 20_000
MAX_DEPTH = 20
"""Of mappings in braces."""

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COMMENTED = later(rf"{_STRING}|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LOOSE = later(
    rf"{_STRING}|,(?=\s*[}}\]])|(?<![\w$.])[A-Za-z_$][\w$]*(?=\s*:)"
    r"|(?<![\w$.+-])(?:\+|-(?=0[xX]|\.))?(?P<digits>0[xX][0-9A-Fa-f]+|\.?\d[\d.]*(?:[eE][+-]?\d+)?)(?![\w$.])",
    re.DOTALL,
)
_ESCAPED = later(r"\\(?:\r\n|x(?P<hex>[0-9A-Fa-f]{2})|(?P<sign>.))|\"", re.DOTALL)
_LINE = later(r"(?P<indent> *)(?P<key>\"[^\"]*\"|'[^']*'|[^\s#'\"\[{&*!|>%@,-].*?)\s*:(?:\s+(?P<value>.*))?")
_PAIR = later(
    r"\s*(?P<key>\"[^\"]*\"|'[^']*'|[^\s,:{}\[\]'\"][^,:{}\[\]]*?)\s*:(?=[\s\"'{\[]|$)\s*"
    r"(?:(?P<inner>\{)|(?P<value>\"[^\"]*\"|'[^']*'|\[[^\[\]]*\]|[^,{}\[\]]*))"
)
_ANY = later(r"[^\n]")
_ESCAPES = frozenset('"\\/bfnrtu')
_SIGN = later(r"\s*([,}])")
_COMMENT = later(r"(?:^|\s)#.*$")
_ANCHOR = later(r"&(?P<name>[^\s,{}\[\]]+)\s*")
_ALIAS = later(r"\*(?P<name>[^\s,{}\[\]]+)\s*(?:#.*)?")
_CONSTANTS: Mapping[str, object] = {
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
    **dict.fromkeys(("null", "~", ""), None),
}


def read_loose_json(text: str) -> object:
    """The value of a JSON text that may have comments, trailing commas, keys without quotes, single quotes, and numbers
    and strings as JSON5 has them.

    Raises ValueError for anything else.
    """
    return cast("object", json.loads(_LOOSE.sub(_strict, _COMMENTED.sub(_uncommented, text)), strict=False))


def _uncommented(found: re.Match[str]) -> str:
    """Blanks in place of a comment, so that an error names the place in the file; a string as JSON writes it."""
    piece = found[0]
    if piece.startswith("/"):
        return _ANY.sub(" ", piece)
    return f'"{_ESCAPED.sub(_escape, piece[1:-1])}"'


def _escape(found: re.Match[str]) -> str:
    """An escape as JSON has it: it knows neither `\x41` nor a line that goes on, and needs none before a quote."""
    if found["hex"]:
        return f"\\u00{found['hex']}"
    sign = found["sign"]
    if sign in {"\n", None}:
        return '\\"' if found[0] == '"' else ""
    return found[0] if sign in _ESCAPES else sign


def _strict(found: re.Match[str]) -> str:
    piece = found[0]
    if piece.startswith('"'):
        return piece
    if not found["digits"]:
        return "" if piece == "," else json.dumps(piece)
    minus = "-" if piece.startswith("-") else ""
    if "x" in found["digits"].lower():
        return f"{minus}{int(found['digits'], 16)}"
    begun = f"0{found['digits']}" if found["digits"].startswith(".") else found["digits"]
    return minus + begun.removesuffix(".")


def read_plain_yaml(text: str) -> dict[str, object]:
    """The mappings of a YAML text. Raises SettingsError naming the line that cannot be read."""
    root: dict[str, object] = {}
    levels: list[tuple[int, dict[str, object]]] = [(-1, root)]
    named: dict[str, object] = {}
    said = False
    raws, quoted_end = text.splitlines(), 0
    for number, line in _lines(text):
        if number <= quoted_end:
            continue
        found = _LINE.fullmatch(line)
        if found is None and said and line.startswith(" " * (levels[-1][0] + 2)):
            continue  # a plain text that goes on
        if found is None:
            raise SettingsError(f"line {number} cannot be read", hint="give plain `key: value` lines")
        indent, value = len(found["indent"]), (found["value"] or "").strip()
        while indent <= levels[-1][0]:
            levels.pop()
        key = found["key"].strip("\"'")
        anchor = _ANCHOR.match(value)
        value = value[anchor.end() :] if anchor else value
        said, place = bool(value), levels[-1][1]
        if value[:1] in {'"', "'"} and value.find(value[0], 1) < 0:
            quoted_end = _quote_end(raws, number, indent, value[0])
        alias = _ALIAS.fullmatch(value)
        meant = named.get(alias["name"]) if alias else None
        if meant is not None and all(meant is not above for _, above in levels):
            _put(place, key, meant)
        elif value:
            mapping = _mapping(value) if value.startswith("{") else None
            _put(place, key, _scalar(value) if mapping is None else mapping)
        else:
            inner: dict[str, object] = {}
            place[key] = inner
            levels.append((indent, inner))
        if anchor:
            named[anchor["name"]] = place.get(key)
    return root


def _quote_end(raws: list[str], number: int, indent: int, sign: str) -> int:
    """The line that closes the quote opened in line `number`; the lines between are indented further than its key.

    Raises SettingsError where none does.
    """
    for place in range(number, len(raws)):
        bare = raws[place].lstrip()
        if bare and len(raws[place]) - len(bare) <= indent:
            break
        if sign in bare:
            return place + 1
    raise SettingsError(f"line {number} opens a quote that is not closed", hint=f"close it with {sign}")


def _put(place: dict[str, object], key: str, value: object) -> None:
    """Note a value; under `<<` the keys of a mapping, where the place does not say something else itself."""
    if key != "<<" or not isinstance(value, Mapping):
        place[key] = value
        return
    for name, inner in cast("Mapping[str, object]", value).items():
        place.setdefault(name, inner)


def _mapping(text: str) -> dict[str, object] | None:
    """A mapping in braces, None for a text that is none."""
    try:
        found, end = _flow(text, 1, 1)
    except ValueError:
        return None
    return None if _COMMENT.sub("", text[end:]).strip() else found


def _flow(text: str, at: int, depth: int) -> tuple[dict[str, object], int]:
    """The mapping whose brace was opened before `at`, and where it ends. Raises ValueError for what is none."""
    found: dict[str, object] = {}
    while depth <= MAX_DEPTH:
        pair = _PAIR.match(text, at)
        if pair is not None:
            key, at = pair["key"].strip("\"'"), pair.end()
            if pair["inner"]:
                found[key], at = _flow(text, at, depth + 1)
            else:
                found[key] = _scalar(pair["value"].strip())
        sign = _SIGN.match(text, at)
        if sign is None or (pair is None and sign[1] == ","):
            break
        at = sign.end()
        if sign[1] == "}":
            return found, at
    raise ValueError("no mapping")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold a key, without comments; those of lists and block texts are passed over."""
    passed_indent: int | None = None
    for number, raw in enumerate(text.splitlines()[:MAX_LINES], 1):
        line = raw.rstrip() if '"' in raw or "'" in raw else _COMMENT.sub("", raw).rstrip()
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if not bare or bare.startswith("#") or bare in {"---", "..."}:
            continue
        if passed_indent is not None and indent > passed_indent:
            continue
        passed_indent = None
        if bare.startswith("- ") or bare == "-":
            passed_indent = indent
            continue
        if re.search(r":\s+[|>][+-]?\d?$", line):
            passed_indent = indent
        yield number, line


def _scalar(text: str) -> object:
    for quote in "\"'":
        if text.startswith(quote):
            end = text.find(quote, 1)
            return text[1:end] if end > 0 else text[1:]
    plain = _COMMENT.sub("", text).strip()
    if plain.lower() in _CONSTANTS:
        return _CONSTANTS[plain.lower()]
    try:
        return int(plain.replace("_", "")) if re.fullmatch(r"[+-]?[\d_]+", plain) else float(plain)
    except ValueError:
        return plain
