"""Estimated tokens of a text in the o200k vocabulary, without that vocabulary.

A text is cut exactly as the vocabulary's own pre-tokenizer cuts it. The number of tokens of each piece is estimated.
Most pieces are one token, so a Bloom filter holds the frequent ones that do not look like it. An unknown piece is
estimated by its shape (prefix, case, length) and its letters, three at a time; Han, kana and hangul by their characters
and neighbours; every other uncased script by what a character of its block costs.

Tokens of the vocabulary have a maximal length: eight of one letter, 64 of a ruler's sign, 128 spaces. So a long piece
has a least cost, whatever the tables say of its length. A run of letters that is no word ("wtfwtf...", a sequence of
amino acids) is estimated seven letters at a time: the tables know the lengths of words.

Unknown words are single tokens more often in English than in other languages. So what the pieces of a text cost beyond
one token each is reduced where its share in the text is small (`bent`).

The tables are trained by `bench/train_tokens.py`, measured by `bench/tokens.py`, and read at the first count.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp, log1p

from palimpsest.lazy_regex import later

LONG_CHARS = 16_384
BLOCK_CHARS = 1_024
CACHE_PIECES = 32_768
CACHED_PIECE_CHARS = 48

UNIT = 16
"""Trained numbers and estimates are whole sixteenths of a token."""

KNOWN_BITS = (29_443, 29_437, 29_429)
"""One checksum modulo each of these primes makes three independent hashes: their product exceeds 2**32."""

LETTER_BUCKETS = 16_384
CHARACTER_BUCKETS = 4_093
NEIGHBOUR_BUCKETS = 12_281
SHAPES = 544
BLOCKS = 513

FIELDS = (
    ("known_shapes", SHAPES, 1),
    ("shapes", SHAPES, 1),
    ("letters", LETTER_BUCKETS, 4),
    ("characters", CHARACTER_BUCKETS, 2),
    ("neighbours", NEIGHBOUR_BUCKETS, 4),
    ("blocks", BLOCKS, 1),
)
"""The contents of the file after the filter: name, length, and how many sixteenths one step of a stored byte is."""

_FIRM = 1 << 40
_OTHER_SHAPES = 384
_SOFT_UNITS = 128
_LONG_PIECE_CHARS = 24
"""Longer pieces cost at least `least_units`."""
_LONG_RUN_CHARS = 40
"""Longer runs of ASCII letters are no word."""
_RUN_STEP_CHARS = 7
"""A prime, so that a repeated text does not begin at the same letter in every step."""
_SHARES = {
    sign: share
    for share, signs in {
        128: " ",
        64: "#*-./=_",
        32: "%+~",
        16: "\n\t:;!",
        8: "<>?@^",
        4: "\"$'(),|\\`",
        2: "&[]{}\r",
    }.items()
    for sign in signs
}
"""How many of a sign are one token in a long run of it. Other ASCII characters: eight; other letters: four; lines and
bullets: 16; emoji: one."""
_CONTRACTION = r"(?:'(?i:[stmd]|re|ve|ll))?"
_ASCII = later(
    rf"[^\r\na-zA-Z0-9]?(?:[A-Z]*+[a-z]++|[A-Z]++){_CONTRACTION}"
    r"|[0-9]{1,3}| ?[^\sa-zA-Z0-9]++[\r\n/]*+|\s*[\r\n]++|\s+(?!\S)|\s+"
)
CJK = later(
    r"[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7a3"
    r"\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
UNCASED = later(
    r"[\u0530-\u10ff\u1200-\u1dff\u2d00-\u2dff\ua000-\ua63f\ua6a0-\ua6ff\ua800-\uab2f\uab70-\uabff\ud7b0-\uf8ff"
    r"\ufb1d-\ufdff\ufe70-\ufefe\U00010000-\U0001cfff\U0001e000-\U0001efff\U000e0000-\U0010ffff]"
)

_FAR = later(r"[^\0-\u024f\u2000-\u206f]")
_FAR_LETTERS = r"\u3400-\u9fff\uac00-\ud7a3\U00010000-\U0001d0ff\U0001e000-\U0001efff\U00020000-\U0003ffff"


@dataclass(frozen=True, slots=True)
class Tables:
    """The trained numbers, in sixteenths; `known` has a byte, 0 or 1, for each bit of the filter.

    `softplus` turns the sum of shape and letters, from -128 to 128, into a number that is never negative. `bend` is a
    factor, the share at which half of it applies, and the usual share of texts.
    """

    known: tuple[bytes, bytes, bytes]
    softplus: list[int]
    known_shapes: list[int]
    shapes: list[int]
    letters: list[int]
    characters: list[int]
    neighbours: list[int]
    blocks: list[int]
    bend: tuple[float, float, float]


def count_text(text: str) -> int:
    """Estimated tokens of `text`; 0 for the empty text, else 1 to its bytes in UTF-8. Deterministic; never raises.

    A text of more than 16,384 characters is estimated from evenly spaced blocks: half of it, of very long texts down to
    an eighth.
    """
    size = len(text)
    if size <= LONG_CHARS:
        return max(round(_estimate(text)), 1) if text else 0
    stride = BLOCK_CHARS * (2 if size <= 4 * LONG_CHARS else 4 if size <= 16 * LONG_CHARS else 8)
    blocks = [text[start : start + BLOCK_CHARS] for start in range(0, size, stride)]
    return round(sum(map(_estimate, blocks)) * size / sum(map(len, blocks)))


def forget() -> None:
    """Clear the cache of pieces, so that the next count is a cold one."""
    _cache.clear()


def cached() -> int:
    """How many pieces are cached; at most `CACHE_PIECES`."""
    return len(_cache)


def loaded() -> bool:
    """Whether the tables have been loaded."""
    return _tables.cache_info().currsize > 0


def pieces(text: str) -> list[str]:
    """`text` cut as the vocabulary's pre-tokenizer cuts it."""
    return (_ASCII if text.isascii() else _wide_pattern(far=_FAR.search(text) is not None)).findall(text)


def bent(excess: float, count: int, bend: tuple[float, float, float]) -> float:
    """The part to count of `excess` tokens beyond one each in a text of `count` pieces."""
    factor, half, usual = bend
    share = (excess + 8 * usual) / (count + 8)
    return excess * factor * share / (share + half)


def shape(piece: str) -> int:
    """Prefix, case, width and length of a piece as one number below `SHAPES`."""
    first, size = piece[0], min(len(piece), 16) - 1
    wide = 0 if piece.isascii() else 16
    if piece[-1].isalpha() or (len(piece) > 1 and piece[1].isalpha()):
        prefix = 0 if first.isalpha() else 1 if first == " " else 2
        case = 0 if piece.islower() else 1 if piece.istitle() else 2 if piece.isupper() else 3
        return (case * 3 + prefix) * 32 + wide + size
    if first.isdigit():
        kind = 0
    elif piece.isspace():
        kind = 2 if "\n" in piece else 1
    else:
        kind = 4 if first == " " else 3
    return _OTHER_SHAPES + kind * 32 + wide + size


def piece_units(piece: str, tables: Tables) -> int:
    """Sixteenths of a token beyond the first; times `_FIRM` for scripts estimated by their characters."""
    if not piece.isascii():
        if CJK.search(piece):
            return _bounded(_cjk_units(piece, tables), piece) * _FIRM
        if UNCASED.search(piece):
            units = sum(tables.blocks[min(ord(sign) >> 7, BLOCKS - 1)] for sign in piece)
            return _bounded(units - UNIT, piece) * _FIRM
    if len(piece) > _LONG_RUN_CHARS and piece[-1].isalpha() and piece.isascii() and len(set(piece[1:])) > 1:
        return max(_run_units(piece, tables), least_units(piece)) * _FIRM
    if len(piece) > _LONG_PIECE_CHARS and (least := least_units(piece)) > _shaped(piece, tables):
        return least * _FIRM
    return _shaped(piece, tables)


def least_units(piece: str) -> int:
    """The least sixteenths of a token beyond the first that a piece costs, by the maximal length of tokens."""
    tokens = sum(1 / _share(sign) for sign in piece)
    return int(max(tokens - 1, 0) * UNIT)


def _run_units(piece: str, tables: Tables) -> int:
    starts = range(0, len(piece), _RUN_STEP_CHARS)
    units = (_shaped(piece[start : start + _RUN_STEP_CHARS], tables) for start in starts)
    return sum(units) + UNIT * (len(starts) - 1)


def _share(sign: str) -> int:
    if sign.isascii():
        return _SHARES.get(sign, 8)
    code = ord(sign)
    if 0x2000 <= code < 0x2600:
        return 16
    return 1 if code > 0xFFFF or 0x2600 <= code < 0x2C00 else 4


def _shaped(piece: str, tables: Tables) -> int:
    check = checksum(piece)
    first, second, third = tables.known
    if first[check % 29_443] and second[check % 29_437] and third[check % 29_429]:
        return tables.known_shapes[shape(piece)]
    letters = tables.letters
    units = tables.shapes[shape(piece)]
    bucket = 0
    for code in map(ord, piece):
        bucket = (bucket * 96 + code) & 16_383
        units += letters[bucket]
    if units > _SOFT_UNITS:
        return _bounded(units, piece)
    return tables.softplus[max(units + _SOFT_UNITS, 0)]


def checksum(piece: str) -> int:
    """The 32 bits of a piece that the filter uses."""
    try:
        return zlib.crc32(piece.encode())
    except UnicodeEncodeError:
        return zlib.crc32(piece.encode("utf-8", "surrogatepass"))


def parse_tables(data: bytes) -> Tables:
    """The tables from a file of `bench/train_tokens.py`: compressed; bit fields, `FIELDS`, bend."""
    rest = memoryview(zlib.decompress(data))
    known: list[bytes] = []
    spread = [bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256)]
    for bits in KNOWN_BITS:
        size = (bits + 7) // 8
        known.append(b"".join(map(spread.__getitem__, rest[:size])))
        rest = rest[size:]
    fields: dict[str, list[int]] = {}
    for name, count, step in FIELDS:
        fields[name] = [step * value for value in rest[:count].cast("b")]
        rest = rest[count:]
    factor, half, usual = (int.from_bytes(rest[i : i + 2], "little") / 10_000 for i in (0, 2, 4))
    softplus = [round(UNIT * log1p(exp(units / UNIT))) for units in range(-_SOFT_UNITS, _SOFT_UNITS + 1)]
    return Tables((known[0], known[1], known[2]), softplus, bend=(factor, half, usual), **fields)


class _PieceCache(dict[str, int]):
    """The units of pieces, computed on first use. It is cleared when full; long pieces are not kept."""

    def __missing__(self, piece: str) -> int:
        units = piece_units(piece, _tables())
        if len(piece) <= CACHED_PIECE_CHARS:
            if len(self) >= CACHE_PIECES:
                self.clear()
            self[piece] = units
        return units


_cache = _PieceCache()


def _estimate(text: str) -> float:
    found = pieces(text)
    firm, units = divmod(sum(map(_cache.__getitem__, found)), _FIRM)
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return min(len(found) + firm / UNIT + bent(units / UNIT, len(found), _tables().bend), size)


def _cjk_units(piece: str, tables: Tables) -> int:
    characters, neighbours = tables.characters, tables.neighbours
    units = -UNIT
    last = 0
    for code in map(ord, piece):
        units += characters[code % 4_093] + neighbours[(last * 4_099 + code) % 12_281]
        last = code
    return units + neighbours[(last * 4_099 + 1) % 12_281]


def _bounded(units: int, piece: str) -> int:
    return min(max(units, 0), (len(piece) * (1 if piece.isascii() else 3) - 1) * UNIT)


@cache
def _tables() -> Tables:
    return parse_tables(resources.files("palimpsest.budget").joinpath("tables", "o200k.bin").read_bytes())


@cache
def _wide_pattern(*, far: bool) -> re.Pattern[str]:
    """The pattern for text beyond ASCII, with or without the characters of `_FAR`.

    `re` has no classes for letter cases, so they are listed here. That takes 20 ms once, or 2 ms without `_FAR`.
    """
    upper: list[int] = []
    lower: list[int] = []
    uncased: list[int] = []
    number: list[int] = []
    kinds = {"Lu": upper, "Lt": upper, "Ll": lower} | dict.fromkeys(("Nd", "Nl", "No"), number)
    kinds |= dict.fromkeys(("Lo", "Lm", "Mn", "Mc", "Me"), uncased)
    near = (*range(0x80, 0x250), *range(0x2000, 0x2070))
    for code in (*range(0x80, 0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x10000)) if far else near:
        group = kinds.get(unicodedata.category(chr(code)))
        if group is not None:
            group.append(code)
    u, w, n = _spans(upper), _spans(lower), _spans(number)
    o = _spans(uncased) + (_FAR_LETTERS if far else "")
    letter_or_number = f"A-Za-z0-9{u}{w}{o}{n}"
    return re.compile(
        rf"[^\r\n{letter_or_number}]?(?:[A-Z{u}{o}]*[a-z{w}{o}]++|[A-Z{u}{o}]++){_CONTRACTION}|[0-9{n}]{{1,3}}"
        rf"| ?[^\s{letter_or_number}]++[\r\n/]*+|\s*[\r\n]++|\s+(?!\S)|\s+"
    )


def _spans(codes: list[int]) -> str:
    spans: list[list[int]] = []
    for code in codes:
        if spans and code == spans[-1][1] + 1:
            spans[-1][1] = code
        else:
            spans.append([code, code])
    return "".join(chr(low) if low == high else f"{chr(low)}-{chr(high)}" for low, high in spans)
