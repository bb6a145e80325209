"""What orders in tool output say, and whether a summary says it too.

Rules kept here:

- An order that stands in tool output may be reported, but not repeated as a fact: a sentence that says what only such
  an order said, or that names what only such an order names, is taken out.
- Of what is wanted, decided or to be done next, one word is enough that only such an order has: "close every ticket" is
  obedience in whatever other words, where nobody else spoke of closing. Words that any summary has do not count.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.told import OF_USER
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.names import find_names, find_paths
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.visible import told

SLICE_CHARS = 3_000
ORDER_CHARS = 40_000
"""Characters of one result in which orders are sought."""
ORDER_OVERLAP_CHARS = 120
MAX_ORDERS = 8
"""Orders looked at in one slice."""
MAX_PLANTED = 64
PLANTED_SHARE = 0.7
FRESH_SHARE, FEW_PLANTED_TERMS = 0.6, 2
"""So much, in whatever form, of a sentence with a word that only such a passage has."""
MIN_PLANTED_TERMS = 3
"""Fewer words stand in any passage by chance: "New files", a line of a tree."""
DIRECTING = frozenset(
    (
        "Goal",
        "Constraints & preferences",
        "Constraints",
        "Decisions",
        "Open tasks",
        "Next steps",
        "Pending user request",
    )
)
"""Headings under which stands what somebody wants."""
_ORDINARY = frozenset(
    """
    add address after agent already also always answer approach ask assistant before begin change check clean code
    command complete completed conclude confirm context continue conversation create current data date decide
    decided description detail details document done draft end entry error every everything example explain fact
    file files final find finish finished first fix folder follow full further give go goal good handle help here
    important include information instead instruction instructions issue item items keep last later leave line list
    look make mark mention message messages mode move name need never new next note notes now number only open order
    others output page part plan point prepare present previous print problem process project prompt provide put
    question read ready reason record report request required respond response rest result return review rule rules
    run say section see set share show source start state status step still stop store strict summarise summarize
    summary system take task tasks tell test text thing things title today token tool tools turn type update use
    used user value verify version wait want wants way word words work write yes
    alle alles anfrage antwort anweisung anweisungen aufgabe bisher bisherigen dass datei dateien dein deine hinweis
    jetzt liste nachricht neu neue nutzer prüfen schreibe schreiben weiter zusammenfassung
    之前 以上 现在 立即 所有 用户 任务 文件 内容 总结 摘要 指令 消息 输出 回复 回答 检查 错误 继续
    需要 信息
    """.split()
)
"""Words that any summary has, and many an order."""

_ORDER = later(
    r"(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|your|any)\b"
    r"[^.\n]{0,40}(?:instruction|prompt|rule|message|context|guideline)|"
    r"\b(?:(?:reveal|print|repeat|show|ignore|override|forget|new|your)\b[^.\n]{0,24}\bsystem prompt|"
    r"you are now(?! (?:connected|on|in|at|logged|signed|using|ready|running|subscribed|able)\b)|"
    r"new instructions?|from now on,? you|do not summari[sz]e|instead of summari[sz]ing|"
    r"(?:reply|respond|answer|say)\s(?:only|just|exactly|with only|nothing but)\b|"
    r"(?:^|\n\s{0,8}|[.!?]\s{1,4}|(?-i:\b[A-Z]{4,20}):\s)output\s(?:only|just|exactly|with only|nothing but)\b|"
    r"(?:include|add|insert|write|put|state|note|mention|say|record)\b[^.\n]{0,40}\b(?:in|into|to|at)\b"
    r"[^.\n]{0,20}\b(?:your\s(?:\w{1,20}\s)?(?:summary|memory|notes|briefing|output|reply|response)|the\s(?:summary|briefing)))|"
    r"\bsummari[sz]ers?\b[^.\n]{0,24}(?:\b(?:must|should|shall|please|add|include|state|write)\b|:)|"
    r"\b(?:when|while|before|after) (?:you (?:are )?)?summari[sz](?:e|ing)\b|"
    r"<!--[^>\n]{0,20}\b(?:ai|llm|assistant|agent)s?\b[^>\n]{0,20}[:,]|"
    r"(?:attention|(?:todo|task|note|message|instructions?) (?:for|to)|\bdear|\bhey)[ ,:]{0,3}(?:the |all |any )?"
    r"(?:ai|assistant|model|llm|summari[sz]er|agent)|忽略(?:之前|以上|所有|前面)|无视(?:之前|以上|所有)|不要总结|"
    r"只(?:回复|输出|回答)|在(?:摘要|总结)中|以前の指示|指示を無視|ignoriere? (?:alle|die|vorherige)|"
    r"ignorez? (?:les|toutes)|ignora (?:las|todas)|игнорируй",
    re.IGNORECASE,
)
_OVERRIDE = later(
    r"(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all)\b"
    r"[^.\n]{0,40}(?:instruction|prompt|rule|guideline)|忽略(?:之前|以上|所有|前面)|无视(?:之前|以上|所有)|不要总结",
    re.IGNORECASE,
)
"""Of these orders none is what a summary says."""
_REPORTED = later(
    r"inject|(?:hidden|embedded|malicious|suspicious|planted|fake|untrusted)\b|ignored|not followed|"
    r"(?:instruct\w{0,6}|prompt|order)s? (?:in|inside|within|from|of) (?:the|a|an|its|some|tool|file|web)\b|"
    r"(?:tool|file|page|command|web)(?:'s)? (?:output|result|content|text)|claims? to|"
    r"(?:tells|telling|told) the|注入|恶意|惡意|"
    r"(?:输出|文件|网页|結果|出力).{0,12}(?:指令|指示)|anweisung(?:en)? (?:in|aus)\b",
    re.IGNORECASE,
)
_REFUSES = later(
    r"\b(?:user|nutzer\w*|benutzer\w*|utilisateur|usuario)\b[^\n]{0,24}\b(?:refus\w+|declin\w+|denied|forb[ia]d\w*|"
    r"abgelehnt|lehnt\w*|verweiger\w+|verbot\w*|verbiet\w*|rechaz\w+|prohib\w+|interdi\w+)|用户(?:拒绝|禁止|不同意)|"
    r"(?:\bonly (?:be )?(?:\w+ )?(?:after|with|when|if|once)\b|\bunless\b|\buntil\b|\bwithout\b|"
    r"\bnur (?:nach|mit|wenn)\b|\bohne\b|\bsans\b|\bsin\b|除非|只有|未经)"
    r"[^\n]{0,40}(?:\b(?:ask\w*|permission|approv\w*|consent|confirm\w*|agree\w*|okay|allow\w*|zustimm\w*|"
    r"erlaubnis|rückfrage|nachfrage|genehmig\w*|freigabe|accord|autoris\w*|permiso|autoriz\w*)|同意|许可|批准|确认)",
    re.IGNORECASE,
)
"""What keeps a ban has the same words as an order that would lift it."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What orders in tool output say: the terms of each, and the names and the words that stand in such orders only;
    `fresh` are those of the words that stand nowhere else in another form either.
    """

    said: tuple[frozenset[str], ...] = ()
    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.said)


def orders_in(source: Source, text: str) -> Generator[None, None, Orders]:
    """The orders in the results of a source; `text` is all of it. Yields between small pieces of work."""
    found: list[tuple[str, str]] = []
    for entry in source.entries:
        for result in entry.message.results if isinstance(entry, MessageEntry) else ():
            body = told(result.text)[:ORDER_CHARS] if len(found) < MAX_PLANTED else ""
            for start in range(0, len(body), SLICE_CHARS):
                found.extend(_orders(body, start))
                yield
    if not found:
        return Orders()
    del found[MAX_PLANTED:]
    rest = text
    for _, passage in found:
        rest = rest.replace(passage, " ")
    yield
    named = {name for said, _ in found for name in _names(said)}
    named |= {host for name in named if "." in (host := name.split("://")[-1].split("/")[0])}
    said = tuple(frozenset(terms(said)) for said, _ in found)
    others: set[str] = set()
    for start in range(0, len(rest), SLICE_CHARS):
        others.update(terms(rest[start : start + SLICE_CHARS]))
        yield
    # Any summary names the user.
    words = {term for one in said for term in one - others if not OF_USER.match(term)}
    fresh = {term for term in words - _ORDINARY if not term.isdecimal()}
    return Orders(
        said,
        frozenset(name for name in named if name not in rest),
        frozenset(words),
        frozenset(fresh - with_forms(fresh, others)),
    )


def _orders(text: str, start: int) -> Iterator[tuple[str, str]]:
    """What each passage in a slice that gives orders says, the sentence and what is said behind it; and the passage."""
    for match in list(_ORDER.finditer(text, start, start + SLICE_CHARS + ORDER_OVERLAP_CHARS))[:MAX_ORDERS]:
        passage = text[max(0, match.start() - 80) : match.end() + 240]
        said = list(sentences(passage))
        at = next((place for place, one in enumerate(said) if match[0][:24].lower() in one.lower()), 0)
        yield " ".join(said[at : at + 3]), passage


def _names(text: str) -> Iterator[str]:
    """The paths, links and other names of things in a text, without those of code."""
    yield from find_paths(text)
    yield from (name for kind, name in find_names(text) if kind not in ("symbol", "number"))


def planted(text: str, orders: Orders) -> list[str]:
    """The sentences of a reply that repeat as a fact what an order in tool output said, or obey it."""
    if not orders:
        return []
    repeated = [one for one in said_in(text) if _is_planted(one, orders)]
    wanted = ("\n".join(lines) for heading, lines in FORMS["sections"].parse(text) if heading in DIRECTING)
    obeyed = [one for part in wanted for one in said_in(part) if _obeys(one, orders)]
    return list(dict.fromkeys((*repeated, *obeyed)))


def said_in(text: str) -> Iterator[str]:
    """The sentences of a reply that say something, without its headings."""
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return (one for one in sentences(body) if terms(one))


def _obeys(sentence: str, orders: Orders) -> bool:
    """Whether a sentence about what is wanted has words that nobody but an order has."""
    if _REPORTED.search(sentence) or _REFUSES.search(sentence):
        return False
    own = with_forms(set(terms(sentence)) - _ORDINARY, orders.fresh)
    return len(own) > (0 if any(map(str.isascii, own)) else 1)


def _is_planted(sentence: str, orders: Orders) -> bool:
    if _REPORTED.search(sentence):
        return False
    if orders.names and not orders.names.isdisjoint(_names(sentence)):
        return True
    words = set(terms(sentence))
    if _OVERRIDE.search(sentence):
        return True
    if _REFUSES.search(sentence):
        return False
    if with_forms(words, orders.words) and len(words) >= FEW_PLANTED_TERMS:
        return any(len(with_forms(words, one)) >= FRESH_SHARE * len(words) for one in orders.said)
    return len(words) >= MIN_PLANTED_TERMS and any(
        len(words & one) >= PLANTED_SHARE * len(words) for one in orders.said
    )
