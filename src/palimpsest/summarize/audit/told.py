"""What claims are told by, for every rule that looks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.sentences import sentences, terms

LOOK_CHARS = 20_000
"""Characters of one message in which somebody may tell how something went."""

RUN = later(r"`([^`\n]{2,300})`")
"""A command, or what stands where one would."""

FAILED = later(
    r"\b(?:fail\w*|\w{0,40}errors?|exit(?: code)? -?[1-9]\d*|not|never|cannot|can't|broke\w*|crash\w*|timed out|"
    r"fehl\w*)\b|❌|失败|错误|未",
    re.IGNORECASE,
)
NONE_FAILED = later(
    r"\b(?:0|no) (?:failures?|failed|failing|errors?|vulnerabilities)\b|\b(?:failures?|failed|errors?)\s?[:=]\s?0\b",
    re.IGNORECASE,
)

WISHED = later(
    r"\b(?:not|no|never|fail\w*|don't|doesn't|until|once|if|when|before|after|must|should|shall|will|would|to|make|ensure|"
    r"need\w*|want\w*|verify|check|confirm|whether|some|\d+ of|bis|wenn|falls|sollen|"
    r"müssen|nicht)\b|\b(?P<part>\d{1,6})\s?/\s?(?!(?P=part)\b)\d{1,6}\b|未|没|直到|确保|必须|如果|需要|ない",
    re.IGNORECASE,
)
"""Wishes and plans, and what was not all of it."""

OF_USER = later(
    r"\b(?:user|human|person\b|client|customer|nutzer|benutzer|anwender|utilisat|usuari|utente|gebruiker)|用户|用戶|使用者|"
    r"ユーザ|利用者(?![\u3400-\u9fff])|사용자|пользовател",
    re.IGNORECASE,
)
"""How a summary names the user."""
OF_ASSISTANT = later(r"\b(?:assist|asist|agent)|助手|アシスタント|어시스턴트|ассистент", re.IGNORECASE)
"""How a summary names the assistant."""

STATES = later(
    r"\W{0,3}(?:the|my|our|your|his|her|their|it|there|der|die|das|mein\w*|unser\w*|es|le|la|les|"
    r"mon|ma|el|los|mi|il|o|a)\b"
    r"(?! \w+ing\b)(?![^\n]{0,80}\b(?:should|must|needs?|shall|have to|has to|soll\w*|muss|müssen|doit|"
    r"doivent|debe\w*)\b)"
    r"(?: [\w-]+){0,4} "
    r"(?:is|are|was|were|has|have|had|came|got|did|ist|sind|war|waren|hat|haben|hatte|kam|kamen|est|sont|"
    r"était|es|son|era|fue|è|sono|foi|são)\b",
    re.IGNORECASE,
)
"""A sentence of the user's that tells something and asks for nothing."""
PLANNED = later(
    r"\b(?:let(?:['’]s| me| us)|ask\w*|want\w*|request\w*|wish\w*|will|shall|should|must|next|pending|todo|"
    r"to (?:do|be|go)|not|yet|still|plan\w*|started?|begin\w*|begun|"
    r"in progress|needs?|once|when|before|after|if|until|then|check|whether|"
    r"soll\w*|möchte|will|noch|muss|wird|werden|bitte|wenn|sobald|bevor|danach|offen|nächst\w*|"
    r"doi(?:t|vent)|veut|demand\w*|à (?:faire|\w+er)|encore|reste|faut|avant|quand|puis|ensuite|prochain\w*|"
    r"deb(?:e|en)|quier[eo]n?|pid(?:e|ió)|falta\w*|pendiente|aún|todavía|antes|cuando|luego|por \w+[aei]r|siguientes?|"
    r"próxim[oa]s?|"
    r"dev(?:e|em)|quer|ped(?:e|iu)|ainda|pendente|quando|depois|a seguir|"
    r"vuole|chie\w*|ancora|prima|poi|da \w+re|prossim[oaie]|"
    r"долж\w*|нужно|надо|прос\w*|хоч\w*|ещё|предстоит|потом|дал(?:ее|ьше)|следующ\w*)\b"
    r"|下一步|接下来|要求|需要|待|尚未|开始|将|再|准备|请|依頼|予定|まだ|たい|必要|ください|次|この後|요청|예정|아직|해야|필요|다음",
    re.IGNORECASE,
)
"""How it is told that something is wanted, planned, or not so yet."""
REMAINS = later(
    r"\b(?:(?:things?|tasks?|points?|items?|steps?|one|two|three|what(?:'s| is)) (?:is |are )?(?:still )?"
    r"(?:left|remain\w*|open|missing)|(?:is|are|remains?|still) (?:still |yet )?"
    r"(?:open|left(?= to\b|:|$|[.])|pending|to be \w+)|"
    r"(?:open|left|remaining)(?: tasks?| points?| items?)? (?:is|are)\b|not (?:yet )?\w{3,20} yet|"
    r"offen (?:ist|sind|bleib\w+)|"
    r"(?:fehlt|fehlen|bleibt|bleiben|aussteh\w*|steht|stehen) (?:jetzt |nur |noch |aus\b)+|il (?:nous |me )?reste|"
    r"quedan? (?:por |pendientes? |aún |todavía )?(?:el|la|los|las|un|una|por|dos|tres)\b|"
    r"faltan? (?:el|la|los|las|por|\w{2,20}[aei]r)\b|il (?:nous |me )?manque encore|"
    r"restano?\b|manca(?:no)?\b|faltam?\b|осталось|остались)|"
    r"^\W{0,4}(?:left to do|to do|to-?dos?|remaining|still (?:to do|missing|open|left)|not done yet|missing|open|offen|"
    r"noch (?:offen|zu tun)|zu tun|ausstehend|(?:reste )?à faire|pendientes?|por hacer|da fare|in sospeso|a fazer|"
    r"pendentes?|te doen|do zrobienia|待办|未完了|할 일)\s?[:：]|剩下|还[剩差没]|尚未|残り[はの]|残って|남은|남았",
    re.IGNORECASE,
)
"""How somebody tells what is left to do."""
DONE = later(
    r"\b(?:was|were|been|done|already|finished|wurden?|worden|bereits|erledigt|été|déjà|fue(?:ron)?|sido|foi|foram|"
    r"stat[oaie]|già|был[аои]?|уже|готово)\b|^\W{0,4}\w{3,20}ed\b|"
    r"\bse \w{2,20}(?:ó|aron|ieron)\b|\b(?:ist|sind|hat|haben)\b[^.;]{0,80}\b\w{0,8}ge\w{2,20}(?:t|en)\b|"
    r"\b(?:is|are|ist|sind|est|sont|está|están|é|è|é|são)\b[^.;]{0,60}\b(?:now|jetzt|nun|désormais|maintenant|ahora|ya|"
    r"agora|já|ora)\b|\b(?:now|jetzt|nun|désormais|maintenant|ahora|ya|agora|já|ora|теперь)\b[^.;]{0,60}"
    r"\b(?:is|are|ist|sind|est|sont|está|están|é|è|são)\b|"
    r"已经?|完成|しました|した(?=[。\s]|$)|済|完了|했습니다|되었|됐|완료(?! ?[전후시하되])",
    re.IGNORECASE,
)
"""How it is told that something was done, or is so now."""

ORDINARY = frozenset(
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
DIRECTING = frozenset(
    "Goal|Constraints & preferences|Constraints|Decisions|Open tasks|Next steps|Pending user request".split(
        "|"
    )
)
"""Headings under which stands what somebody wants."""

_SIGN = later(r"[\u3400-\u9fff\uac00-\ud7af]")


def words_in(text: str) -> set[str]:
    """The words of a text that say something; of scripts without spaces its single signs."""
    return {*_words_in(text)}


@remembered()
def _words_in(text: str) -> frozenset[str]:
    words = {term for term in terms(text) if len(term) > 1 and not _SIGN.match(term)} - LITTLE
    return frozenset((*words, *_SIGN.findall(text)))


def said_in(text: str) -> Iterator[str]:
    """The sentences of a reply that say something, without its headings."""
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return (one for one in sentences(body) if terms(one))
