"""How people change their mind, and what they say is replaced, or holds no longer: "pnpm instead of yarn", "forget the
line length rule", "日志改用 zap".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.spoken.anycase import Cue

CHANGED = Cue(
    later(
        r"\b(?:instead|after all|no longer|any ?more|from now on|nicht mehr|doch lieber|stattdessen|ab jetzt|"
        r"désormais|"
        r"à la place|ya no|en su lugar|a partir de ahora|em vez disso|invece|d'ora in poi|вместо этого|больше не|"
        r"não mais|já não|non più|niet meer|"
        r"yerine|zamiast)\b|改用|改为|改成|还是用|不再|从现在|今后|代わりに|今後|やっぱり|대신|بدلا من|अब से",
        re.IGNORECASE,
    )
)
ADDING = later(
    r"\b(?:also|too|as well|additionally|besides|auch|außerdem|aussi|también|além|также)\b|也|还要|并且|も",
    re.IGNORECASE,
)
DEMANDING = later(r"必须|一定要?|务必|需要|应该|应当|统一|一律|全部|所有|都要?")
REASON = later(
    r",\s(?:since|because|as|the|it|that|this|we|i|they|he|she|weil|da|denn|der|die|das|es)\b.*", re.I | re.S
)
"""What stands behind what is allowed, and says why."""
WHY = later(
    r"[,;] (?:since|because|weil|da|denn|parce qu|puisque|car|porque|ya que|perché|poiché|потому|так как|ведь|want|"
    r"omdat)\b.*|[,;] (?:the|it|there|they|we|der|die|das|es|er|sie|dann|le|la|les|il|el|los|las|o|a|os|as|lo|gli|i) "
    r"(?:\w+ ){0,2}?(?:is|are|was|were|has|have|ist|sind|war|waren|hat|haben|wird|est|sont|était|a été|es|son|está|"
    r"han|"
    r"era|è|sono|é|são|foi|klappt|läuft|passt|works?|marche|funciona|funziona|werkt|działa|работает)\b.*|[,;] "
    r"(?:it['’]?s|that['’]?s|there['’]?s|they['’]?re|we['’]?re|i['’]?m|you['’]?re|i "
    r"trust|"
    r"no (?:worries|problem|harm|risk)|c['’]est|es (?:solo|sólo|que)|total|total es|tanto|è solo|é só|is maar|"
    r"(?:ist|sind|war|geht|läuft) (?:ja|eh|doch|sowieso|ohnehin|nur)|to tylko|przecież|это|там|вс[её] равно)\b"
    r"(?! (?:only|just|nur|solo|só|tylko|только) (?:for|on|in|when|if|until|für|bei|wenn|bis|para|en|em|per|su|na|для|"
    r"на)\b).*|[,;] [^,;]{3,60} (?:anyways?|eh|sowieso|ohnehin|de toute façon|comunque|toch|i tak)[.!]?$|"
    r"(?<=[^，、]{4})[，、](?:因为|由于|毕竟|反正|只是|又不|本来就|这边|どうせ).*|"
    r"(?<=[^，、]{4})[，、][^，。、]{2,20}(?:而已|嘛|なので|"
    r"だから|だし|ですし|からね?|ですから)[。！]?$|(?<=[^,]{4}), [^,]{2,40}(?:니까요?|거든요?|잖아요?|라서요?)[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
"""Why something is so, behind it."""
HELPING = frozenset(
    "be can may is are was ok okay fine allowed possible it das es ist sind wird werden wurde darf dürfen kann können "
    "man geht gehen möglich erlaubt est sont peut peuvent être on se es son puede pueden ser si può possono essere è "
    "sono pode podem é são можно нельзя есть быть mag kan worden lov får bli again wieder doch ab sofort "
    "otra outra vez".split()
)
"""What allows and forbids, and says nothing of what."""
_BEFORE_WORDS = (
    r"before|until|till|vor|bis|bevor|avant|jusqu\w*|antes|hasta|até|prima|fino|до|перед|voor|tot|innan|przed"
)
_AFTER_WORDS = (
    r"after|from|nach|ab|après|dès|después|desde|tras|depois|dopo|dal?l?[aeo]?|после|na|vanaf|efter|po|od"
)
EARLIER = later(rf"\b(?:{_BEFORE_WORDS})\b|之前|以前|前に|전에", re.IGNORECASE)
LATER = later(rf"\b(?:{_AFTER_WORDS})\b|之后|以后|後|후에", re.IGNORECASE)
CONSENTS = later(
    r"(?:ok(?:ay)?|fine|sure|yes|all ?right|go ahead|gut|einverstanden|d'accord|vale|好吧?|行)[,.!，]? ?",
    re.I,
)
"""How what allows something begins where it answers somebody who asked."""
COMMON = frozenset(
    "please pls plz bitte favor use using run running always everything everywhere every all any write add make keep "
    "put set benutze benutzt nutze verwende nimm schreib schreibe immer alles utilise utilisez toujours "
    "usa utiliza usar siempre sempre".split()
)
"""What is in so many rules that it says nothing of what one is about."""
CONTRAST = later(
    r"(?<=\w), (?:not|never|nicht|nie|keine?[nmrs]?|pas|non|no|não|не|niet|inte|"
    r"ikke) (?P<not>[\w.+-]{2,30})(?=[,.!]|$)"
)
"""What a rule names only to say that something else is meant: "spaces, not tabs, in the sources"."""
PLACES = later(
    r"\b(?:in|for|on|within|im|in (?:der|den)|für|bei|auf|dans|pour|sur|en|para|nei|nell[aeo]?|per|nas?|nos?|в|для|"
    r"на) "
    r"(?:(?:the|all|our|my|die|der|das|den|allen?|unsere\w?|les?|la|tous les|los|las|el|gli|i|le|os|as) )?"
    r"(?!good\b|now\b|ever\b|today\b)(?P<place>[^\W\d][\w.+-]{1,30})",
    re.IGNORECASE,
)
"""Where, or for what, something holds."""
_OLD = later(
    r"\b(?:instead of|rather than|in place of|anstelle von|anstatt|statt|au lieu d(?:e |')|à la place d(?:e |')|"
    r"en vez de|en lugar de|em vez de|no lugar de|invece di|al posto di|вместо|zamiast|in plaats van|i stället för|"
    r"i stedet for) ?(?P<instead>[^\s,.;!?][^,.;!?]{0,60})|"
    r"(?:^|\bso |\buse |\bit's |, )[\w.+-]{2,30},? (?:not|nicht|pas|no|non|не|nie|niet|inte|"
    r"ikke) (?P<not>[\w.+-]{2,30})(?:[.!]?$|(?=, ))|(?:^|, |; )(?:please |and |but |bitte )?"
    r"(?:stop(?: (?:using|running))?|skip|drop|ditch|quit|no more|don'?t (?:use|run)|"
    r"(?:arrête|arrêtez|cesse|cessez) d(?:e |')(?:utiliser |lancer )?|deja de (?:usar )?|pare de (?:usar )?|"
    r"smetti di (?:usare )?|перестань (?:использовать )?) ?(?P<stop>[^\s,.;!?][^,.;!?]{0,60}?)(?: (?:from now on|"
    r"any ?more|now|altogether|completely|for good))?(?=[,.;!]|$)|"
    r"\b(?:no longer|nicht mehr|nicht länger|ya no|não mais|já não|non più|больше не|niet meer|inte längre|(?<=, "
    r")plus)"
    r"(?! (?:than|als|wie|de|del|di|do|que|чем|dan)\b) (?P<nomore>[^\s,.;!?][^,.;!?]{1,40})|"
    r"(?:不再|别再|不要再|不)(?:使用|用)\s?(?P<drop>[^，。；、！？了\s]{1,20})|(?:而不是|代替|"
    r"取代)\s?(?P<but>[^，。；！？]{1,20})",
    re.IGNORECASE,
)
_BEFORE = later(
    r"(?P<kawari>[^、。！？]{1,20})の?(?:代わりに|かわりに)|(?P<janai>[^、。！？はがを]{1,12}?)(?:[じぢ]ゃなく|"
    r"ではなく|でなく)|"
    r"(?P<fuyou>[^、。！？はが]{1,12})[はが](?:もう|今後)?(?:不要|いりません|いらない|使いません|使わない)|"
    r"(?P<daesin>[^,.!?]{1,20}) 대신|(?P<anira>[^,.!? ]{1,20})[이가] 아니라|"
    r"不是(?P<bushi>[^，。；！？]{1,12}?)[，,]?而?是"
)
"""What stands before the word that says it is replaced."""
_RULE = r"(?:rule|limit|ban|restriction|requirement|policy|freeze|constraint|convention)"
_CLOSES = r"(?: (?:now|btw|entirely|altogether|again|please))?(?=[,.;!?]|$)"
_TOPIC = later(
    r"(?:(?:ok(?:ay)?|no|actually|oh),? )?(?:please )?(?:forget|drop|ignore|scrap|lift|cancel|never mind) "
    r"(?:about )?(?:the|that|my|our) "
    rf"(?P<forget>[^,.;!?]{{2,60}}?) (?:thing{_CLOSES}|{_RULE}\b)|"
    r"(?:we|i)(?:'ve| have)? (?:dropped|scrapped|lifted|cancell?ed|ditched) (?:the|that|my|our) "
    rf"(?P<dropped>[^,.;!?]{{2,60}}?) {_RULE}{_CLOSES}|"
    rf"(?:never ?mind|nvm),? (?:about )?(?:the|that|my|our) (?P<nvm>[^,.;!?]{{2,40}}?) (?:thing|{_RULE}){_CLOSES}|"
    rf"(?:the|that|our|my) (?P<lifted>[^,.;!?]{{2,60}}?) {_RULE} (?:is|was|has been) (?:now )?"
    r"(?:lifted|gone|over|dropped|off|cancell?ed|history|removed|obsolete)\b|"
    rf"(?:the|that|our|my) {_RULE} (?:on|of|for|against|about) (?P<banned>[^,.;!?]{{2,60}}?) (?:is|was|"
    rf"has been) (?:now )?"
    r"(?:lifted|gone|over|dropped|off|cancell?ed|history|removed|obsolete)\b|"
    r"(?:das|die|der) (?:verbot|sperre|regel|beschränkung)(?: (?:von|für|über|zu|"
    r"gegen))? (?P<verboten>[^,.;!?]{2,60}?) "
    r"(?:ist|gilt|wurde|fällt) (?:jetzt |nun )?(?:aufgehoben|vorbei|nicht mehr|weg|abgeschafft|gestrichen)|"
    r"l['’]interdiction (?:de |des |d['’])(?P<interdit>[^,.;!?]{2,60}?) est (?:levée|abolie|supprimée|finie)|"
    r"la prohibición (?:de |sobre )(?P<prohibido>[^,.;!?]{2,60}?) (?:queda|está|se) (?:levant\w+|anulad\w|termin\w+|"
    r"acab\w+)|"
    r"il divieto (?:di |su |sui |sulle )(?P<vietato>[^,.;!?]{2,60}?) è (?:stato )?(?:revocato|tolto|finito|abolito)|"
    r"запрет на (?P<zapret>[^,.;!?]{2,60}?) (?:снят|отмен[её]н)|"
    r"(?P<jinling>[^，。；！？]{2,20}?)的?禁令(?:已经?)?(?:解除|取消)|"
    r"(?P<kinshi>[^、。！？]{2,20}?)の?禁止(?:は|を)(?:解除|なくな|取り消)|"
    r"(?:das|die|der|unser\w{0,2}) (?P<verbot>\w{2,40}?)s?-?(?:verbot|sperre|regel|limit|pflicht) "
    r"(?:ist|gilt|wurde|fällt) (?:jetzt |nun )?(?:aufgehoben|vorbei|nicht mehr|weg|abgeschafft|gestrichen)|"
    r"(?:[^，。；！？]{0,6}[，,])?(?P<turn>[^，。；！？,]{1,12})(?:改用|改成|改为|换成|换用|改為|換成)",
    re.IGNORECASE,
)
_ENDS = later(
    r"(?: (?:now|btw|entirely|altogether|completely|again|please|as of (?:today|now)|from now on|jetzt|nun|ganz|"
    r"for (?:good|all|everyone|everybody|everything)|теперь|ahora|maintenant|adesso))*\s?"
    r"(?:了|しました|されました|された|になりました|になった|りました|った|します|です|だ|する)?(?:よ|ね|吧|啦)?"
    r"(?:$|[.!,;:—–。！，、；(-]| (?:[—–-] |(?:because|since|as|so|weil|da|denn|car|parce|puisque|porque|ya que|"
    r"perché|"
    r"потому|так как)\b))",
    re.IGNORECASE,
)
"""How a lift ends: there, or with a reason. With a place, a part or a doer behind it, it is none."""
_RESTORES = later(
    r"\b(?:(?<!go )(?<!going )(?<!get )back|undo|revert|restore|reinstate|tell \w+ no|zurück|rückgängig|"
    r"wieder (?:her|rein|ein)\w*|remets|remettez|rétabli\w*|restaura\w*|ripristina\w*|верни\w*|восстанов\w*)\b|"
    r"恢复|改回|戻し|元に",
    re.IGNORECASE,
)
"""What orders that a rule be put back that somebody else has taken away."""
_DENIED = later(r"\b(?:not|never|nicht|pas|no|non|não|не|ещё не|niet)$|[没未不]$", re.IGNORECASE)
_OTHERS = later(
    r"(?!.*\b(?:you|your|we|i|me|us|my|du|dich|dir|ihr|wir|ich|mich|mir|uns|мы|ты|я|меня)\b)(?:"
    r"(?!please\b|ok\b|no\b|and\b|but\b|so\b)(?:[\w'’-]+ ){1,4}?(?:(?:is|are|was|were) no longer "
    r"(?!need|requir|necess|allow|forbid|mandat|bann|a rule|in force|valid)\w+|"
    r"no longer (?!need|ha(?:s|ve) to|must|should|on |in |at |for |to |with |the |a )\w+)|"
    r"(?:die|der|das|unsere?|alle) (?:\w+ ){1,3}?(?!müssen|muss|brauch|soll|dürfen|darf)\w+(?:t|en) nicht mehr\b|"
    r"(?:\w+ ){1,3}больше не \w+(?:ет|ют|ит|ят|ат)\b|"
    r"(?:los|las|el|la|nuestros?|nuestras?) \w+ ya no (?!en |de |con |por |para |a |deb|tien|hace falta)\w+|"
    r"(?:i|gli|le|il|la|lo|os|as) \w+ (?:non|já não) (?!dev|serv|precis)\w+)",
    re.IGNORECASE,
)
"""What others do no longer, or how something is no longer."""
_VAGUE = later(r"\bthing(?: \w+)?$", re.IGNORECASE)
_BAN = later(
    r"\b(?:ban|restriction|freeze|interdiction|prohibición|divieto|запрет)\b|(?:verbot|sperre)\b|禁",
    re.IGNORECASE,
)
RECOUNTS = later(
    r"\b(?:too|now|instead|no longer|any ?more|went|raised?|lowered|changed?|from \d|zu (?:wenig|viele?|kurz|knapp|"
    r"eng|lang|klein|groß)|"
    r"jetzt|nun|statt|nicht mehr|trop|maintenant|désormais|au lieu|demasiado|ahora|muy poc[oa]s?|en vez|troppo|ora|"
    r"adesso|"
    r"invece|muito|agora|pouco|слишком|теперь|мало|вместо|te (?:weinig|kort|krap)|nu|för|za mało|teraz)\b|太|现在|"
    r"不够|"
    r"もう|すぎ|"
    r"足り|이제|너무|부족",
    re.IGNORECASE,
)
"""What says of a figure that it is another now, or that it was too small or too large."""
SETS = later(
    r"\b(?:can|may|up to|at most|no more than|max(?:imum)?|limit\w*|allow(?:s|ed)?|is enough|are enough|"
    r"(?<=[,.] )use|^use|"
    r"dürfen|darf|kann|können|bis(?: zu)?|höchstens|maximal|erlaubt|grenze|reich(?:t|en)|nimm|nehmt|geht|gehen|"
    r"peu(?:t|vent|x)|jusqu['’]à|au plus|maximum|limite|permis|autoris\w+|suffi\w+|"
    r"puede[ns]?|podemos|hasta|máximo|límite|permit\w+|basta|pode[ms]?|até|può|possono|possiamo|fino a|massimo|"
    r"можно|можем|могут|может|до|максимум|лимит|разреш\w+|хватит|mag|mogen|kunnen|tot|hoogstens|maximaal|"
    r"może|mogą|można|maksymalnie)\b|可以|最[多大高低少小]|上限|不超过|允许|まで|以内|以下|いいです|까지|이하|최대|"
    r"됩니다|until\b",
    re.IGNORECASE,
)
"""What sets a limit, or allows one."""
_PLACED = {
    "en": "instead of|rather than|in place of",
    "de": "statt|anstatt|anstelle von",
    "fr": "au lieu d(?:e |['’])|à la place d(?:e |['’])",
    "es": "en vez de|en lugar de",
    "pt": "em vez de|no lugar de|ao invés de",
    "it": "invece di|al posto di",
    "ru": "вместо",
    "nl": "in plaats van",
    "pl": "zamiast",
    "nordic": "i stället för|i stedet for",
}
INSTEAD = frozenset(
    "instead rather place statt anstatt anstelle lieu vez lugar invece posto вместо plaats zamiast stället "
    "stedet".split()
)
"""The words by which something is put in the place of something else."""
_DENIES = {
    "en": "not",
    "de": "nicht",
    "fr": "pas|et non",
    "es": "no",
    "it": "non",
    "pt": "não",
    "ru": "(?:а )?не",
    "nl": "niet",
    "pl": "(?:a )?nie",
    "nordic": "inte|ikke",
}
FIGURE = r"(?<![^\W\u2e80-\ud7ff])(?<![.,])\d+(?:[.,:]\d+)*"
"""A figure, also behind a sign of a script without spaces."""
_MEASURE = r"(?: ?[^\W\d_\u3040-\ud7ff]{1,20}|%| ?[\u30a1-\u30fc]{1,8}| ?[\u3400-\u9fff\uac00-\ud7a3]{1,2})?"
INSTEAD_OF = later(
    rf"(?:\b(?:{'|'.join(_PLACED.values())})|而不是|代替|取代|不再是|不是|(?:,|, ?(?:and|und|et|y|e)) "
    rf"(?:{'|'.join(_DENIES.values())}))\s?(?:[^\W\d_]{{1,12}} ){{0,2}}(?P<figure>{FIGURE})|"
    rf"(?<=\d )(?:and |und |et |y |e |и |а |a )?(?:{'|'.join(_DENIES.values())}) (?P<not>{FIGURE})|"
    rf"(?P<before>{FIGURE}){_MEASURE}(?:[じぢ]ゃなく|ではなく|でなく|[이가] 아니라|[이가] 아니고)|"
    rf"(?P<from>{FIGURE}){_MEASURE} ?(?:->|=>|→|⇒|➜) ?{FIGURE}|"
    rf"\bvon (?P<von>{FIGURE}){_MEASURE} auf {FIGURE}|"
    rf"\b(?:raise|lower|increase|reduce|change|bump|cut|extend)\b[^.;!?]{{0,60}} from (?P<up>{FIGURE}){_MEASURE} "
    rf"to {FIGURE}|\b(?:passe|change|porte|monte|baisse|sube|baja|cambia|pasa|porta|alza|abbassa|muda|altera|"
    rf"aumenta|reduz)\w{{0,3}}\b[^.;!?]{{0,60}} (?:de|da) (?P<de>{FIGURE}){_MEASURE} (?:à|a|para) {FIGURE}|"
    rf"\bс (?P<s>{FIGURE}){_MEASURE} до {FIGURE}|"
    rf"从\s?(?P<cong>{FIGURE}){_MEASURE}\s?[改换变升降提减增][^。]{{0,4}}?{FIGURE}|"
    rf"(?P<kara>{FIGURE}){_MEASURE}から\s?{FIGURE}[^。]{{0,12}}(?:変|増|減|上げ|下げ|延)",
    re.IGNORECASE,
)
"""What says in whose place a figure stands."""
FREQUENT = later(
    r"\b(?:must|should|please|per|pro|por|par|each|every|jede[nmrs]?|chaque|cada|ogni|кажд\w{1,3}|always|immer|"
    r"toujours|"
    r"siempre|sempre|всегда|bitte)\b|每次|一次|总是|毎回|毎度|常に|必ず|항상|매번",
    re.IGNORECASE,
)
"""What is in rules of any kind beside what they are about."""
LOOSE = frozenset(
    "most least than under over above below until after before about höchstens maximal über unter".split()
)
"""What stands before any figure, and names nothing that has it."""
NO_UNIT = later(
    r"now|from|instead|per|an?|the|and|or|if|not|but|jetzt|nun|pro|und|oder|statt|nicht|auf|par|et|ou|au|de|à|por|y|"
    r"en|"
    r"a|al|per|e|o|di|da|в|на|и|вместо|не|太|不|吧|而|は|が|を|に|で|ま|じ|か|の|も|と|이|가|은|는|을|를",
    re.IGNORECASE,
)
"""What follows a figure and is no unit."""
ADDED = later(
    r"[;；] ?|[,，、] ?(?:and|und|et|y|e|и|а|en|och|og|oraz|i(?= nie\b)) (?!then\b|dann\b|not\b|nicht\b|no\b)|"
    r"[，、](?:并且|而且|还要|また|そして)",
    re.IGNORECASE,
)
"""What leads to another demand in the same sentence."""
KEEPS = later(
    r"\b(?:stays?|remains?|holds? still|still holds?|bleib(?:t|en)|reste(?:nt)?|se queda|sigue|rimane|resta|fica|"
    r"остаётся|остается|blijft|zostaje)\b|保持|不变|仍然|のまま|그대로",
    re.IGNORECASE,
)
"""What says that a figure is the same as before."""


@dataclass(frozen=True, slots=True)
class Swap:
    """`old` is what a sentence says is replaced, or, where it `stops`, is done no longer; `topic` what the rule is
    about that it says holds no longer: one that forbids something, where it `bans`, one that says what is used, where
    it `turns` to something else; `ended`, where `old` held until then; `vague`, where it may be something else than a
    rule ("the tabs thing"). "" for none.
    """

    old: str = ""
    stops: bool = False
    ended: bool = False
    topic: str = ""
    bans: bool = False
    turns: bool = False
    vague: bool = False


def swap_in(text: str) -> Swap:
    """What holds no longer by the words of a sentence. A question drops nothing."""
    if text.endswith(("?", "？")):
        return Swap()
    old, topic = _OLD.search(text), _TOPIC.match(text)
    if topic and not topic["turn"] and not _lifts(topic, text[topic.end() :]):
        topic = None
    before = None if old or text.isascii() else _BEFORE.search(text)
    return Swap(
        _found(old or before),
        stops=bool(old and old["stop"]),
        ended=bool(old and old["nomore"]),
        topic=_found(topic),
        bans=bool(topic and _BAN.search(topic[0])),
        turns=bool(topic and topic["turn"]),
        vague=bool(topic and _VAGUE.search(topic[0])),
    )


def tells_of_others(text: str) -> bool:
    """Whether a sentence tells what others do no longer, or how something is no longer: it demands nothing."""
    return _OTHERS.match(text) is not None


def _lifts(topic: re.Match[str], behind: str) -> bool:
    """Whether what a sentence says of a rule ends there, and nothing says that it still holds, or shall hold again."""
    denied = _DENIED.search(_found(topic)) is not None
    return not denied and _ENDS.match(behind) is not None and _RESTORES.search(behind) is None


def _found(match: re.Match[str] | None) -> str:
    return next((text for text in match.groups() if text), "") if match else ""
