"""What a user says that is no order, and may matter all the same: "We have a dog with us."

Rules kept here:

- Short sentences of whoever types, not of what is pasted. Questions, work to be done, courtesies, and how something
  went are none: what is asked for is in requests, and how things stood is soon otherwise.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.spoken.clauses import main_clause
from palimpsest.summarize.spoken.cues import (
    CHANGING,
    FORBIDS,
    LEADING,
    OBLIGES,
    is_code,
    is_filler,
    is_heading,
    is_trivial,
    rule_weight,
)
from palimpsest.summarize.spoken.errands import bids_once, plans
from palimpsest.summarize.spoken.idle_talk import is_asked_of, is_idle, is_row
from palimpsest.summarize.spoken.moment import (
    answers,
    depends,
    is_of_moment,
    is_opinion,
    of_himself,
    speaks_of_all,
    starts,
    tells_past,
)
from palimpsest.summarize.spoken.nods import unnodded
from palimpsest.summarize.spoken.orders import GOING_ON, LASTING, NOW, QUESTIONS, REASONS, SPARES

LEAST_CHARS, MOST_CHARS = 10, 110
LEAST_WIDE_CHARS = 5
REASON_CHARS = 90
"""So many more may a sentence have that says why."""
OF_ALL_WEIGHT = 0.5
"""How much a remark reads like a rule that says what holds of every one."""
TYPED_SPACES = 2
"""A line of more words that begins with a small letter, or in which somebody speaks of himself, is no heading."""
LASTING_WEIGHT, FIGURE_WEIGHT = 3.0, 0.5
"""What a remark weighs that says no, when or how often; and how much more one of many figures."""

_WORK = later(
    r"(?:(?:ok(?:ay)?|so|and|also|then|now|next|great|good|yes|yeah|no|hm+|well|first|please|pls|just|let'?s|let me|"
    r"can you|could you|would you|will you|try to|go ahead and|help me(?: to)?|bitte|jetzt|dann|nun|und|"
    r"maintenant|ahora|adesso)[,.:! ]+){0,3}"
    r"(?:fix|add|make|run|write|check|look|go|show|give|put|move|change|update|create|remove|delete|try|"
    r"test(?! files?\b| names?\b)|use|cancel|view|implement|start|continue|summari[sz]e|explain|find|search|read|open|"
    r"close|commit|push|merge|deploy|install|review|refactor|rename|replace|set|get|send|print|list|compare|describe|"
    r"translate|convert|generate|plan|think|tell|do|build|clean|investigate|analy[sz]e|debug|extract|finish|complete|"
    r"compute|calculate|draft|prepare|propose|"
    r"suggest|verify|confirm|restart|retry|revert|roll|split|extend|improve|optimi[sz]e|document|walk|figure|see|wire|"
    r"hook|bump|upgrade|migrate|sort|filter|count|plot|draw|design|export|import|save|load|download|upload|book|order|"
    r"buy|call|email|remind|schedule|work|proceed|resume|wait|come|take|pick|choose|turn|switch|ship|release|step|"
    r"look at)\b|(?:mach|erstell|schreib|bau|prüf|zeig|such|schau|führ|öffne|korrigier|behebe|lies|lösch|füge|ändere|"
    r"teste|fais|crée|écris|ajoute|montre|vérifie|corrige|lance|regarde|haz|crea|escribe|añade|muestra|revisa|arregla|"
    r"ejecuta)\w{0,3}\b|[请帮]|修|加|改(?!动)|写|做|看|查|运行|实现|创建|删|继续|测试(?!用)",
    re.IGNORECASE,
)
"""How a sentence begins that gives work."""
_NAMED = later(
    r"(?:commit|test|build|branch|release|log|error|review|update|import|export|print|change|plan|list|run|fix) "
    r"(?!(?:it|the|this|that|these|all|an?|my|our|your|me|us|them|everything)\b)[a-z-]{2,20} "
    r"(?:in|as|with|without|are|is|under|next|go|goes|live|must|always|never|only|start|end|like|per|stay|get|have)\b|"
    r"(?:测试|提交|运行|检查|修改|删除)(?:文件|信息|说明|用例|目录|日志|脚本|结果|代码|函数|名|记录)",
    re.IGNORECASE,
)
"""How a sentence begins in which such a word only names a thing: "commit messages in lower case"."""
_SCOPE = later(
    r"\b(?:all|any|in(?! (?:english|german|french|spanish|italian|dutch|polish|russian|chinese|japanese)\b)|except|"
    r"but|without|at (?:least|most))\b",
    re.IGNORECASE,
)
"""What says of some work how far it goes, and not that it comes again."""
_SHRUGS = later(
    r"\b(?:luck|idea|problem|clue|news|change|error|warning|difference|doubt|worr|need|wonder|reply|answer|more|"
    r"longer|internet|probleem|idee|ding\b|succès|blague|gana|comenta|comentá|chance|parole|nieuws|nyhet|"
    r"ahnung|fehler|zeit|lust|antwort|sorge|thema|tid|fara|проблем|вопрос|duda|embargo|doute|dubbi|dúvida)|[了吗]",
    re.IGNORECASE,
)
"""How two or three words say that something is not there: that bans nothing."""
_SAYS = later(r"\W*\w\S*(?:\s+\S+){2,}|[^\n]{0,80}?[^\x00-\x7f]{4,}")
_SPEAKS = later(r"(?:I|We|My|Our|Ich|Wir|Je|Nous|Yo|Я|Мы)\b")
"""How somebody speaks of himself, which no heading does."""


_REPORTS = later(r"all \w+[.!]?$", re.IGNORECASE)
"""How two words say of all that it is so: "all done"."""
_NODDED = later(r"all \w+ \w+[.!]?$", re.IGNORECASE)
"""How three do where a nod is asked for: "all tests pass, ok?"."""


_CHOICE = later(r"\S+ (?:or|oder|ou|o|или|of|eller|albo|lub) \S+[.!]?$", re.IGNORECASE)
"""Two things of which somebody asks which one it is."""
_NODS = later(
    r"(?:other than that|apart from that|otherwise|ansonsten|sonst|à part ça|sinon|por lo demás|per il resto|в "
    r"остальном)\b"
    r"[^,;]{0,30}\b(?:fine|good|ok|okay|great|gut|passt|bien|bene|хорошо|нормально)[.!]?$|"
    r"(?:(?:ok(?:ay)?|fine|good|great|nice|perfect|cool|sounds good|looks good|gut|passt|super|prima|parfait|bien|"
    r"vale|bene|"
    r"perfetto|хорошо|отлично|いいね|はい|よし|好的?|좋아요?)[,.!、，]? ?)+(?:"
    r"next(?: one)?|go(?: on| ahead)?|do (?:it|that|so)|weiter|"
    r"nächste[rs]?|continue|suivant|sigue|siguiente|avanti|дальше|次|下一个|다음)[^?]{0,4}$",
    re.IGNORECASE,
)
"""How somebody says that it is well, and what comes next."""


_YES = later(
    r"(?:(?:ja|jo|jep|jau|ok(?:ay)?|gut|gern\w?|klar|passt|yes|yep|yeah|sure|fine|oui|ouais|d['’]accord|sí|si|vale|sì|"
    r"va bene|sim|tá|да|ага|ладно|tak|dobra|jaa?|prima|はい|うん|ええ|네|예|응|好的?|行|嗯|"
    r"可以)[,.!、，。]{0,2} ?){0,3}"
    r"(?:bitte|gerne?|mach(?: (?:mal|das|so|es|ruhig|weiter|du)){0,2}|tu das|leg los|please(?: do)?|do (?:it|that|so)|"
    r"go (?:ahead|for it|on)|ship it|vas-y|fais(?:-le| ça)?|allez|s['’]il te plaît|hazlo|adelante|dale|por favor|"
    r"vai(?: pure)?|fallo|faz(?: isso)?|pode fazer|pode ser|manda ver|doe (?:maar|het|dat)|ga je gang|graag|zrób to|"
    r"dawaj|rób|proszę|делай(?:те)?|давай(?:те)?|пожалуйста|お願い(?:します)?|やって(?:ください)?|해 ?주세요|"
    r"해 ?줘요?|그래요?|"
    r"(?:就|那就)?(?:这么办|这样做?|办吧|改吧|做吧|提交吧|来吧))[\s.!。！~]*",
    re.IGNORECASE,
)
"""A yes, and no more than that it be done."""
YES_CHARS = 40


def only_consents(text: str) -> bool:
    """Whether a sentence says yes, or that something be done, and nothing more."""
    return len(text) <= YES_CHARS and _YES.fullmatch(text) is not None


def is_remark(text: str, *, alone: bool = False) -> bool:
    """Whether a user's sentence, no rule by itself, says something that may matter later; `alone` says that it is all
    that he says, or an item of a list: of that two words are enough.
    """
    return bool(_told_alone(text) if alone else _told(text))


@remembered()
def _told_alone(text: str) -> str:
    return _telling(text, alone=True)


@remembered()
def _told(text: str) -> str:
    return _telling(text, alone=False)


def _telling(text: str, *, alone: bool) -> str:
    """What of a sentence tells something: all of it, what stands behind the few words that lead to it, or before its
    reason, where that says how often, what not, or that something changes. "" where none does.
    """
    if text.endswith(("?", "？", ":", "：")) or len(text) > MOST_CHARS + REASON_CHARS:
        return ""
    if is_idle(text) and not _asks_for_good(text):
        return ""
    leading = LEADING.match(text)
    said = text[leading.end() :] if leading else text
    if leading and (bids_once(text) or is_opinion(leading[0]) or (answers(text) and not is_lasting(said))):
        said = text
    if leading and is_trivial(leading[0].strip(" ,:，、：")):
        text = said
    own = main_clause(said)
    pieces = (text, said, f"{own}.") if _marks(own) and not depends(said) else (text, said)
    return next((piece for piece in pieces if _tells(piece, alone=alone)), "")


def _marks(text: str) -> bool:
    return any(form.search(text) for form in (FORBIDS, LASTING, OBLIGES)) or CHANGING.match(text) is not None


def _tells(text: str, *, alone: bool) -> bool:
    if not (LEAST_CHARS if text.isascii() else LEAST_WIDE_CHARS) <= len(text) <= MOST_CHARS:
        return False
    if is_row(text) or (is_idle(text) and not _asks_for_good(text)):
        return False
    brief = (alone and " " in text) or _says_lasting(text)
    if only_consents(text):
        return False
    if not _SAYS.match(text) and (not brief or _SHRUGS.search(text)):
        return False
    if (
        any(form.match(text) for form in (GOING_ON, QUESTIONS, REASONS, _CHOICE, _NODS))
        or bids_once(text)
        or is_of_moment(text)
    ):
        return False
    if _WORK.match(text) and not (_NAMED.match(text) or LASTING.search(_SCOPE.sub(" ", text))):
        return False
    if plans(text) and not any(sign.isdigit() for sign in text):
        return False
    said = text[:1].islower() or _SPEAKS.match(text)
    typed = alone or (said and text.count(" ") >= TYPED_SPACES) or is_lasting(text)
    return not (is_trivial(text) or is_filler(text) or is_code(text) or (is_heading(text) and not typed))


def _asks_for_good(text: str) -> bool:
    """Whether what is asked for says no, when or how often."""
    return is_asked_of(text) and _says_lasting(text)


def gives_work(text: str) -> bool:
    """Whether a sentence begins by giving work."""
    works = _WORK.match(text) is not None and not _NAMED.match(text)
    return bids_once(text) or (works and not tells_past(text))


def is_lasting(text: str) -> bool:
    """Whether a sentence says no, when, how often, or how much."""
    return _says_lasting(text) or any(sign.isdigit() for sign in text)


def _says_lasting(text: str) -> bool:
    return any(form.search(text) for form in (FORBIDS, LASTING, SPARES))


@remembered()
def as_rule(text: str) -> float:
    """How much a user's sentence reads like a rule, by its form or because it says of every one what holds on."""
    if only_consents(text):
        return 0.0
    plain = unnodded(text)
    nod, text = plain != text, plain
    weight = rule_weight(text)
    of_all = (
        speaks_of_all(text) and not FORBIDS.match(text) and not is_heading(text) and not _REPORTS.match(text)
    )
    if of_all and nod and _NODDED.match(text):
        return weight
    bans = OBLIGES.search(text) and FORBIDS.search(text) and not of_himself(text)
    return max(weight, OF_ALL_WEIGHT) if (of_all or bans) and is_remark(text) else weight


@remembered()
def remark_weight(text: str) -> float:
    """How likely a remark holds on, 0 to 3: what tells the past least, most what says no, when, or how often; a figure
    says a little of how much.
    """
    said = _told(text) or text
    lasts = _says_lasting(said) or NOW.search(said) or starts(said)
    return 2.0 * (not tells_past(said)) + (1.0 if lasts else FIGURE_WEIGHT * any(map(str.isdigit, said)))
