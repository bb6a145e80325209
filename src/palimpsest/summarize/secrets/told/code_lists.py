"""Codes that let one in again once the phone is lost: lists of them, as sites hand them out and people keep them.

Rules kept here:

- What they are called is a word for what they are kept for with a word for "code", in either order and in many
  languages; a few words, then a colon, a verb or the end of a line, and one more line of a text, lead to the first.
- A list goes on for as long as its members are formed alike: lines, numbers, bullets, columns, cells of a table,
  commas, and words for "and" part them. A member of letters alone is one where the others have digits.
- Where commits, orders, files or failures are spoken of, what is listed are these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later

Span = tuple[int, int]

MAX_CODES, MAX_JOINTS = 60, 60
BACK_CHARS, ON_CHARS, LIST_CHARS, LINE_CHARS = 60, 280, 300, 200
LEAST_DIGITS, LEAST_MIXED = 6, 8

_KEPT_FOR = (
    r"(?:recover\w{0,3}|back[ -]?up|emergency|scratch|rescue|one[ -]?time|single[ -]use|2fa|mfa|two[ -]factor|"
    r"wiederherstellungs?|notfall|ersatz|reserve?|einmal|rettungs|sicherungs|herstel|nood|"
    r"récupération|secours|sauvegarde|urgence|restauration|recuperación|respaldo|copia de seguridad|emergencia|reserva|"
    r"recupero|emergenza|riserva|ripristino|recuperação|emergência|zapasow\w{1,3}|odzyskiwania|awaryjn\w{1,3}|"
    r"восстановления|резервн\w{2,3}|запасн\w{2,3}|аварийн\w{2,3}|záložní\w{0,2}|obnovení|återställnings|gendannelses|"
    r"gjenopprettings|palautus|vara|kurtarma|yedek|helyreállítási|khôi phục|dự phòng)"
)
_CODE_WORD = (
    r"(?:(?:pass)?codes?|kod(?:y|ów|ami|er|erna|lar\w{0,4})?|kódy?|kódok|códigos?|codigos?|codic[ei]|koodi\w{0,4}|"
    r"код(?:ы|ов|а|ами)?|mã)"
)
_EASTERN = (
    r"(?:恢复|恢復|备用|備用|备份|備份|救援|应急)(?:验证|驗證)?(?:代码|代碼|码|碼)|"
    r"(?:リカバリー?|バックアップ|復旧|回復|緊急|予備)(?:用|の)?コード|(?:복구|백업|비상|예비) ?코드"
)
_NOUN = later(
    rf"(?<![^\W_]){_KEPT_FOR}[ _-]?(?:(?:verification|login|access|security|recovery|back-?up) )?"
    rf"{_CODE_WORD}(?![^\W_])|"
    rf"(?<![^\W_]){_CODE_WORD} (?:(?:de|di|do|da|für|for|of|zur|pro|dla) |d['’])?{_KEPT_FOR}(?![^\W_])|{_EASTERN}",
    re.IGNORECASE,
)
_SEEDS = tuple("code kod kód ódig odig odic koodi код mã 码 碼 コード 코드".split())
_ELSE = later(
    r"(?<![^\W\d_])(?:commits?|tickets?|orders?|branch(?:es)?|versions?|builds?|runs?|paths?|coverage|errors?|files?|lines?|tests?|"
    r"issues?|prs?|hash(?:es)?|revisions?|nodes?|servers?|hosts?|functions?|modules?|promo|product|return|exit|bestell\w*|"
    r"commandes?|pedidos?|ordini|zamówie\w*|заказ\w*|коммит\w*|订单|提交|注文|コミット)(?![^\W\d_])|"
    r"(?:订单|提交|注文|コミット)",
    re.IGNORECASE,
)
"""What other things codes and ids are of."""
_LEADS = later(
    r"[\"'`*_]{0,4}(?:[^\n:：=。]{0,110}?[\"'`*_]{0,3}\s?(?:[:：=]|(?=\r?\n))[*_]{0,2}"
    r"(?:\s{1,4}(?<=\n)[^\W\d][^\n]{8,110}[.!:：](?=\r?\n))?|"
    r"(?: (?:[\w.-]{1,20} ){0,4}?(?:are|is|was|were|sind|ist|lauten|sont|est|son|es|sono|è|são|é|zijn|to|är|er|ovat|"
    r"jsou)(?: now)?|[是为為はがを은는이가]|\s?[—–-]|\s?\()(?=[\s\"'`(「]|(?<=[\u3000-\ud7af])))"
)
_CODE = later(
    r"(?<![\w.@/#+-])(?:\d{3,4} \d{3,4}(?![ -]?\d)|[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){1,7}|[A-Za-z0-9]{6,32})"
    r"(?![\w@/#+%€$-]|[.:]\w)"
)
_JOINT = later(
    r"\((?:[\w ]{1,16})\)|\[[ xX]\]|[\w#.:-][\w :#.-]{0,19}(?=\|)|\||\r?\n(?:[ \t]*\r?\n){0,2}|[ \t]{1,60}|"
    r"[,;/&、，；・•·▪◦`\"'「」\[\](){}]|[*+–—-](?=\s)|\d{1,2}[.):](?=\s)|#{1,6} |```\w{0,10}|"
    r"\[secret:[0-9a-f]{6}\]|[=:：](?=\s)|(?:[:=+-]{2,40}[|+]?){1,8}(?=\s)|~~|\*\*|-?>|→|"
    r"</?\w{1,10}(?: [^<>\n]{0,60})?>|(?:used|unused|codes?)(?=\s)|"
    r"(?:and|or|und|oder|et|ou|y|o|e|en|i|oraz|и|a|och|og|ja|ve|as well as)(?=\s)|[和与及、と그및]",
    re.IGNORECASE,
)
"""What parts the members of a list."""
_DIGIT, _LETTER = later(r"\d"), later(r"[A-Za-z]")
_DAY = later(r"(?:19|20)\d\d[ -]?\d\d[ -]?\d\d|v\d.*|\d{4}-\d{4}-\d{4}-\d{4}")
_STOP = later(r"[\n\]}:：]")
_NUMBERED = later(r"[A-Za-z]{3,20}(?=\d{1,5}\Z)")
"""A word with its number."""
_LISTED = later(
    rf"(?:{_CODE.pattern}(?:,? (?:and|und|et|y|e|en|i|и|och|og) |, ?|; ?| ?/ ?|[、，和与と])){{0,20}}{_CODE.pattern},? "
    r"(?:are|is|sind|sont|son|sono|são|zijn|to|är|er|это)(?: [\w'’]{1,12}){0,3} \Z",
    re.IGNORECASE,
)
"""A list that stands before what it is called."""

Shape = tuple[int, ...]


def lists_in(text: str, piece: str, start: int, end: int) -> Iterator[Span]:
    """Where such codes stand whose name begins in this stretch of a text; `piece` is the stretch in lower case."""
    if not any(seed in piece for seed in _SEEDS):
        return
    for noun in _NOUN.finditer(text, start, end):
        line = text.rfind("\n", max(0, noun.start() - BACK_CHARS), noun.start()) + 1
        if _ELSE.search(text, line or max(0, noun.start() - BACK_CHARS), noun.start()):
            continue
        before = _LISTED.search(text, max(0, noun.start() - LIST_CHARS), noun.start())
        if before:
            yield from _alike([one.span() for one in _CODE.finditer(text, *before.span())], text, sure=True)
        codes = _alike(_walk(text, noun.end()), text, sure=False)
        lead = None if codes else _LEADS.match(text, noun.end(), noun.end() + ON_CHARS)
        if lead and not _ELSE.search(lead[0]):
            codes = _alike(_walk(text, lead.end()), text, sure=True)
        yield from codes
        if codes:
            yield from _further(text, codes)


def _walk(text: str, at: int) -> list[Span]:
    """Where the members of the list stand that begins here: as long as nothing but joints parts them, and all are
    formed as the first is.
    """
    found: list[Span] = []
    while len(found) < MAX_CODES:
        for _ in range(MAX_JOINTS):
            code = _CODE.match(text, at)
            fits = code and (_shape(code[0]) == _shape(text[slice(*found[0])]) if found else _begins(code[0]))
            joint = None if fits else _JOINT.match(text, at)
            if not joint:
                break
            at = joint.end()
        else:
            return found
        if not code or not fits:
            return found
        found.append(code.span())
        at = code.end()
    return found


def _begins(code: str) -> bool:
    return bool(_DIGIT.search(code)) or "-" in code


def _shape(code: str) -> Shape:
    return tuple(len(part) for part in re.split("[ -]", code))


def _alike(found: list[Span], text: str, *, sure: bool) -> list[Span]:
    """The members of a list that are codes: most have digits, and where they are one word the last of them has, too;
    one alone must look like nothing else.
    """
    codes = [text[slice(*span)] for span in found]
    while codes and codes[-1].isalpha():
        codes.pop()
    if 2 * sum(bool(_DIGIT.search(code)) for code in codes) <= len(codes) or all(map(_DAY.fullmatch, codes)):
        return []
    if len({word[0] if (word := _NUMBERED.match(code)) else code for code in codes}) == 1 and _NUMBERED.match(
        codes[0]
    ):
        return []
    parted = any(sign in codes[0] for sign in " -")
    if len(codes) == 1:
        digits = codes[0].isdecimal() or not _LETTER.search(codes[0])
        least = LEAST_DIGITS if digits and sure else LEAST_MIXED
        if sum(map(str.isalnum, codes[0])) < least or not (digits or parted or _LETTER.search(codes[0])):
            return []
    return found[: len(codes)]


def _further(text: str, codes: list[Span]) -> Iterator[Span]:
    """What stands further on in the same line and is formed alike, with digits."""
    at = codes[-1][1]
    stop = _STOP.search(text, at, at + LINE_CHARS)
    shape = _shape(text[slice(*codes[0])])
    for code in _CODE.finditer(text, at, stop.start() if stop else at + LINE_CHARS):
        if _DIGIT.search(code[0]) and _LETTER.search(code[0]) and _shape(code[0]) == shape:
            yield code.span()
