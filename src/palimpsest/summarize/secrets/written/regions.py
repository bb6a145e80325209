"""Secrets that something far from them names: manifests, lists, columns of tables, literals of one command.

Rules kept here:

- A region is found by its head and has an end; inside of it every value of its kind is a secret, the head's included.
- Nothing here is tried where none of the head's words stands in the text. Every region and every number of values in it
  is bounded.
- What only stands in a column or a list of that name must look like a secret, as after a name anywhere. A plain word
  below "password", and a number below "pin", are secrets only beside a column that says whose they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.known import is_telling
from palimpsest.summarize.secrets.looks.ordinary import is_ordinary
from palimpsest.summarize.secrets.written.headers import cookies_in
from palimpsest.summarize.secrets.written.settings import OPENS_NOTHING

REGION_CHARS = 6_000
HEAD_CHARS = 600
MAX_ROWS = 400
LEAST_CHARS, LEAST_TOKEN_CHARS, SHORT_CHARS = 4, 16, 9

Span = tuple[int, int]
Looks = Callable[[str], object]

_KIND = later(r"(?<![\w.-])kind[\"']?:\s{0,4}[\"']?Secret\b")
_DATA = later(
    r"^([ \t]{0,12})[\"']?(?:data|stringData)[\"']?:[ \t]{0,4}\{?[ \t]*\n"
    r"((?:\1[ \t]{1,12}\S[^\n]{0,4000}(?:\n|\Z)){1,60})",
    re.MULTILINE,
)
_PLACES = r"(?:host(?:name)?|port|user(?:name)?|region|bucket|email)"
"""How the keys end of what is no secret beside one."""
_DATUM = later(
    rf"^[ \t]{{1,24}}[\"']?(?!(?i:[\w.-]{{0,60}}(?<![a-z]){_PLACES}[\"']?:))"
    r"[\w.-]{1,120}[\"']?:[ \t]{0,4}[\"']?([^\s\"'|>{}\[\]#]{4,4000})",
    re.MULTILINE,
)
_OBJECT = later(r"[\"'](?:data|stringData)[\"']\s{0,3}:\s{0,3}\{([^{}]{1,6000})\}")
_MEMBER = later(
    rf"[\"'](?!(?i:[\w.-]{{0,60}}(?<![a-z]){_PLACES}[\"']))"
    r"[\w.-]{1,120}[\"']\s{0,3}:\s{0,3}[\"']([^\s\"'{}]{4,4000})[\"']"
)
_DOCUMENT = "\n---"
_PLURALS = tuple("passwords secrets tokens api_keys apikeys api-keys access_keys 密码 密钥".split())
_LIST = later(r"[\"']?\s{0,2}[:=]\s{0,2}(?:\[([^\]]{4,6000})|((?:\n[ \t]{0,24}-[ \t][^\n]{1,400}){1,60}))")
_LISTED = later(
    r"[\"']([\w.+/=~!@#%^&*-]{8,400})[\"']|^[ \t]{0,24}-[ \t]{1,4}[\"']?([^\s\"'#]{8,400})", re.MULTILINE
)
_INSERT = later(
    r"\binsert\s{1,8}into\s{1,8}[\w.\"'`\[\]\\]{1,120}\s{0,8}\(([^()]{3,1000})\)\s{0,8}values\s{0,8}",
    re.IGNORECASE,
)
_CREATE = later(
    r"\bcreate\s{1,8}table\s{1,8}(?:if\s{1,8}not\s{1,8}exists\s{1,8})?([\w.\"'`\[\]]{1,120})\s{0,8}\(((?:[^()]|\([^()]{0,200}\)){3,3000})\)",
    re.IGNORECASE,
)
_FILL = later(r"\binsert\s{1,8}into\s{1,8}([\w.\"'`\[\]]{1,120})\s{1,8}values\s{0,8}", re.IGNORECASE)
"""A table, and rows that are put into it without the names of its columns."""
_QUOTES = " \t\r\n\"'`[]\\"
_INNER = later(r"\([^()]{0,200}\)")
_COPY = later(
    r"^copy[ \t]{1,8}[\w.\"'`]{1,120}[ \t]{0,8}\(([^()\n]{3,1000})\)"
    r"[ \t]{1,8}from[ \t]{1,8}stdin[^\n]{0,120};[ \t\r]{0,4}\n",
    re.IGNORECASE | re.MULTILINE,
)
"""What a dump puts into a table: rows of cells that tabs part."""
_ROW = later(r"\(((?:'(?:[^'\\]|\\[^\n]){0,2000}'|[^()'\n]|\([^()]{0,200}\)){1,2000})\)\s{0,8},?\s{0,8}")
_CELL = later(r"(?:N?'((?:[^'\\]|\\[^\n]){0,2000})'|[^,'()]|\([^()]{0,200}\))+?(?=,|\Z)")
_LITERALS = later(r"\bcreate\s{1,3}secret\b([^\n]{1,4000})")
_LITERAL = later(
    r"--from-literal[= ][\"']?(?!user|host|name|port|db\b)[\w.-]{1,60}=[\"']?([^\s\"'$]{4,400})",
    re.IGNORECASE,
)
_NUMBERED = later(r"[A-Za-z]{3,20}\d{2,4}")
"""What is a name in code elsewhere."""
_THINGS, _NUMBERS = ("secret", "secrets", "token"), ("ssn", "pin", "pesel", "cpf")
"""What may also be the name of a thing in a cluster or of a part of a text, and what has a number."""
_COLUMNS = (
    *_THINGS,
    *_NUMBERS,
    "private_key",
    *"password passwords passwd pwd passphrase passwort kennwort contraseña hasło heslo senha 密码 密钥 口令".split(),
    "mot de passe",
    *(f"{kind}{sign}key" for kind in ("api", "access", "secret") for sign in (" ", "_", "-", "")),
)
_PLAINLY = later(r"[ _-](?:plain|text|raw|value|old|new)\Z")
_AROUND = " \t\r\"'`*"
_HEAD = later(
    r"[ \t]{0,8}[|│][^\n]*|(?!\s{0,8}(?:import|from|return|select|del) )[\w .\"'#/-]{0,40}"
    r"(?:[ \t]*[|│\t][\w \t.\"'#/-]{0,40}|[,;](?! )[\w .\"'#/-]{0,40}){1,60}\r?"
)
"""A row of names, not words of a sentence or of code."""
_RULE = later(r"[\s|+:=─═┼├┤┬┴╪-]+")
_PROOF = later(r"\d{3}(?P<sign>[ -]?)\d\d(?P=sign)\d{4}|\d{11}|(?:\d{3}[.]){2}\d{3}-\d\d")
_PIN, _FILLED = later(r"\d{4,6}"), later(rf"\S{{{LEAST_CHARS},}}")
_OWNER = later(
    r"\A(?:(?:full|first|last|display)[ _-])?name\Z|(?:\A|[ ._-])(?:users?|log-?in|accounts?|host|server|device|ssid|"
    r"e-?mail|person|employee|member|customer|applicant|owner|nutzer|benutzer|konto|nom|compte|usuari[oa]|cuenta|utente|"
    r"имя|логин|用户名?|账号|账户|姓名)(?:[ _-]?(?:names?|ids?|address|number))?\Z"
)
"""The head of a column that says whose a password or a number is."""
_PLAIN = later(r"(?:[^\W\d_][a-zà-ÿ]+|[A-Z]+)(?:-(?:[^\W\d_][a-zà-ÿ]*|[A-Z]+))*")


def in_regions(text: str, low: str, start: int, end: int, looks: Looks, is_random: Looks) -> Iterator[Span]:
    """Where in this stretch of a text secrets stand that a region's head makes so; `low` is the stretch in lower case,
    `looks` says whether a value looks like a secret, `is_random` whether it can hardly be anything else.
    """
    if "secret" in low and "kind" in low:
        yield from _in_manifests(text, start, end)
    if "secret" in low and "--from-literal" in low:
        for command in _LITERALS.finditer(text, start, end):
            yield from (one.span(1) for one in _LITERAL.finditer(text, *command.span(1)))
    if "insert" in low and "values" in low and any(column in low for column in _COLUMNS):
        yield from _in_inserts(text, start, end, looks, is_random)
    if "from stdin" in low:
        yield from _in_copies(text, start, end, looks, is_random)
    if "cookie" in low:
        yield from cookies_in(text, start, end)
    for plural in _PLURALS:
        if plural in low:
            sure = is_random if plural == "tokens" else looks
            yield from _in_lists(text, plural, low, start, sure)
    for column in _COLUMNS:
        if column in low:
            yield from _in_columns(text, column, low, start, looks, is_random)


def _judge(
    names: list[str], number: int, looks: Looks, is_random: Looks, *, stored: bool = False
) -> Looks | None:
    """What tells a secret in one of the columns of these names in lower case, for a reader or `stored` in a database;
    None where it holds none.
    """
    name = _PLAINLY.sub("", f" {names[number]}")
    column = next((one for one in _COLUMNS if name.endswith(tuple(sign + one for sign in " _-"))), "")
    if not column or OPENS_NOTHING.search(name.removesuffix(column)):
        return None
    if column == "token":
        return lambda value: len(value) >= LEAST_TOKEN_CHARS and is_random(value)
    owned = any(_OWNER.search(other) for other in names if other != names[number])
    if column == "pin":
        return _PIN.fullmatch if owned else None
    if column in _NUMBERS:
        return lambda value: _PROOF.fullmatch(value) and (owned or len(value) > SHORT_CHARS)
    if column in _THINGS:
        return looks
    return lambda value: (
        not is_ordinary(value) and (stored or owned or is_telling(value) or not _PLAIN.fullmatch(value))
    )


def _in_manifests(text: str, start: int, end: int) -> Iterator[Span]:
    """What a cluster's manifests of secrets hold, whatever its keys are called."""
    seen = start
    for kind in _KIND.finditer(text, start, end):
        if kind.start() < seen:
            continue
        first = max(0, kind.start() - REGION_CHARS)
        first = max(first, text.rfind(_DOCUMENT, first, kind.start()))
        seen = text.find(_DOCUMENT, kind.end(), kind.end() + REGION_CHARS)
        seen = seen if seen >= 0 else min(len(text), kind.end() + REGION_CHARS)
        for data in _DATA.finditer(text, first, seen):
            yield from (one.span(1) for one in _DATUM.finditer(text, data.start(2), data.end(2)))
        for held in _OBJECT.finditer(text, first, seen):
            yield from (one.span(1) for one in _MEMBER.finditer(text, *held.span(1)))


def _in_lists(text: str, plural: str, low: str, start: int, looks: Looks) -> Iterator[Span]:
    at = low.find(plural)
    for _ in range(MAX_ROWS):
        if at < 0:
            return
        found = _LIST.match(text, start + at + len(plural))
        if found:
            for one in _LISTED.finditer(text, *found.span(found.lastindex or 1)):
                group = one.lastindex or 1
                if looks(one[group]):
                    yield one.span(group)
        at = low.find(plural, at + len(plural))


def _in_inserts(text: str, start: int, end: int, looks: Looks, is_random: Looks) -> Iterator[Span]:
    """What rows that are put into a database have in columns that are called as secrets are."""
    named = [(found, found[1].split(",")) for found in _INSERT.finditer(text, start, end)]
    tables = {
        found[1].strip(_QUOTES): [
            column.split(maxsplit=1)[0] for column in _INNER.sub("", found[2]).split(",") if column.strip()
        ]
        for found in _CREATE.finditer(text, start, end)
    }
    unnamed = _FILL.finditer(text, start, end) if tables else ()
    named += [(found, tables.get(found[1].strip(_QUOTES), [])) for found in unnamed]
    for found, columns in named:
        names = [name.strip(_QUOTES).lower() for name in columns]
        judges = [_judge(names, at, looks, is_random, stored=True) for at in range(len(names))]
        at = found.end() if any(judges) else end
        for _ in range(MAX_ROWS):
            row = _ROW.match(text, at, at + REGION_CHARS)
            if row is None:
                break
            for sure, cell in zip(judges, _CELL.finditer(text, *row.span(1)), strict=False):
                if sure and len(cell[1] or "") >= LEAST_CHARS and sure(cell[1]):
                    yield cell.span(1)
            at = row.end()


def _in_copies(text: str, start: int, end: int, looks: Looks, is_random: Looks) -> Iterator[Span]:
    """What the rows of a dump have in columns that are called as secrets are."""
    for found in _COPY.finditer(text, start, end):
        names = [name.strip(_AROUND).lower() for name in found[1].split(",")]
        judges = [_judge(names, number, looks, is_random, stored=True) for number in range(len(names))]
        at = found.end() if any(judges) else end
        for _ in range(MAX_ROWS):
            stop = text.find("\n", at, at + REGION_CHARS)
            cells = text[at:stop].split("\t") if stop >= 0 else []
            if len(cells) != len(names) or cells[0].lower().startswith("copy "):
                break
            for sure, cell in zip(judges, cells, strict=True):
                if sure and _FILLED.fullmatch(cell) and sure(cell):
                    yield at, at + len(cell)
                at += len(cell) + 1


def _in_columns(
    text: str, column: str, low: str, start: int, looks: Looks, is_random: Looks
) -> Iterator[Span]:
    """The cells below a head of a table that is called as secrets are; its rows are read once."""
    at = low.find(column)
    for _ in range(MAX_ROWS):
        if at < 0:
            return
        first, last = low.rfind("\n", 0, at) + 1, low.find("\n", at)
        head = low[first:last] if 0 <= last - first <= HEAD_CHARS else ""
        sign = next((one for one in "|│\t;," if one in head), "")
        names = [cell[0].strip(_AROUND) for cell in _parted(head, sign)] if sign else []
        number = low.count(sign, first, at) if sign else 0
        sure = _judge(names, number, looks, is_random) if number < len(names) else None
        if sure and column in names[number] and "".join(names) != names[number]:
            if column not in (*_NUMBERS, *_THINGS) and not _HEAD.fullmatch(head):
                sure = looks if sign not in ",;" else None
            if sure is None:
                at = low.find(column, at + len(column))
                continue
            rows, end = _cells(text, start + last + 1, sign, number, len(names))
            if column != "pin" or all(sure(value) or value[0] in "*-" for value in rows.values()):
                for row, value in rows.items():
                    named = column not in _NUMBERS and _NUMBERED.fullmatch(value)
                    if _FILLED.fullmatch(value) and (named or sure(value)):
                        yield row
            at = max(at, end - start - len(column))
        at = low.find(column, at + len(column))


def _parted(row: str, sign: str) -> list[re.Match[str]]:
    """The cells of a row; in quotes a cell may hold what parts them."""
    within = rf"[^{re.escape(sign)}\n]"
    cell = rf'(?:[ \t]{{0,8}}"[^"\n]*"{within}*|{within}*)'
    return [*re.finditer(rf"(?:\A|(?<={re.escape(sign)})){cell}(?={re.escape(sign)}|\n|\Z)", row)]


def _cells(text: str, at: int, sign: str, number: int, count: int) -> tuple[dict[Span, str], int]:
    """What one column of the rows from here on holds, as long as they have as many cells, and where they end."""
    held: dict[Span, str] = {}
    for _ in range(MAX_ROWS):
        stop = text.find("\n", at, at + REGION_CHARS)
        row = text[at : stop if stop >= 0 else at + REGION_CHARS]
        cells = [] if _RULE.fullmatch(row) else _parted(row, sign)
        if cells and len(cells) != count:
            break
        value = cells[number][0].strip(_AROUND) if cells else ""
        if value:
            first = at + row.index(value, cells[number].start())
            held[first, first + len(value)] = value
        if stop < 0:
            return held, len(text)
        at = stop + 1
    return held, at
