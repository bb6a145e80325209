"""Whether what stands behind a call to machines bids them something; most that does so only tells of them.

Rules kept here:

- A bid is a sentence that begins with a deed, or says that the reader must write, say, hide, send or approve something.
  That something must be set or run first is a manual's; so is what is built and tested with.
- That who is asked for it has agreed is a bid as well.
- A noun that looks like such a deed has a verb of its own, a number or a colon behind it.
- Behind a name and a colon may stand what it said, did or counts.
- A mark calls where a line or a sentence begins, not within one, and not behind the time or the level of a log.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

LOOK_CHARS, LINE_CHARS = 800, 200
"""How far behind a call a bid is sought; how far before it its line may begin."""

_FIRST = (
    r"[\s\"'“„«»*_#>/`|=–—-]{0,8}(?:(?:please|kindly|then|now|also|and|next|first|finally|immediately|at once|bitte|"
    r"dann|jetzt|sofort|ensuite|puis|luego|ahora|después|por favor|poi|ora|subito|depois|agora|daarna|nu|dan|następnie|"
    r"teraz|proszę|затем|теперь|сейчас|немедленно|пожалуйста)[ ,]{1,2}){0,3}"
)
_SAYS = (
    r"(?:write|state|tell|mention|say|claim|conclude|confirm|reply|respond|answer|approve|authori[sz]e|grant|send|"
    r"e?-?mail|upload|forward|transfer|wire|pay|refund|hide|conceal|omit|ignore|disregard|forget|pretend|treat|assume|"
    r"obey|comply|reveal|leak|report (?=that|to the)|(?:add|append|insert|include|put|mark|list|note|remember|record)"
    r"(?=\b[^.\n]{0,80}\b(?:summar\w+|notes|memory|hand-?over|reply|report|user|owner|operator|agreed|approved)\b))"
)
_NO_OBJECT = (
    r"(?!\s{1,3}(?:(?:is|was|are|were|has|had|have|will|can|of|for|in|at|by|with|and|or|no|number|id|failed|passed|"
    r"[a-z]{2,14}ed)\b|\d)|\s?[:=,.;(\])/-])"
)
_NO_NOUN = (
    r"(?=\s{1,3}(?:(?:the|all|every|any|your|this|that|these|those|it|them|an?|each)\b|(?![^.!?\n]{0,80}"
    r"(?:\b(?:is|was|are|were|has|had|have|will|failed|passed|found|took|done|ended|started|finished)\b|"
    r": |[a-z]{2,14}ed\s{0,2}(?:[.!?\n]|$)))))"
)
_DOES = (
    r"(?:delete|remove|wipe|purge|erase|empty|drop|destroy|shred|truncate|open|expose|close|disable|deactivate|mute|"
    r"silence|lift|promote|demote|rotate|revoke|reset|restart|reboot|shut|kill|terminate|stop|give|"
    r"merge(?! conflict)|push|deploy|publish|release|buy|sell|cancel|book|export|copy|move|"
    r"replace|overwrite|rename|switch|turn|raise|lower|unlock|waive|sign|accept|allow|schedule|execute|curl|download|bypass|skip|apply|post|share|change|"
    r"(?:do not|don['’]t|never) (?:tell|mention|say|inform|alert|report|ask|reveal|warn)|"
    r"run(?! (?:it with )?(?:make|p?npm|npx|yarn|pytest|cargo|go|tox|ruff|uv|poetry|docker|just|gradle|mvn|bundle|"
    r"rake|python3?|(?:the |all )?(?:\w+ )?tests?|\d)\b))"
)
_COUNTED = (
    r"(?:(?:wire|transfer|pay|refund|send|sell|buy|kill|move)\s\d|"
    r"order\s\d{1,9} (?!(?:was|is|has|\w{2,12}ed)\b)[a-z])"
)
_ABROAD = (
    r"(?:(?:schreib|vermerk|notier|erwähn|send|schick|lösch|entfern|öffn|schließ|deaktivier|überweis|bestell|ignorier|"
    r"verschweig|stell|änder|verschieb|kopier|genehmig|leer|starte|führ|meld)en? |gib (?:an|frei|den|die|das|allen) |"
    r"(?!(?:chez|assez|rez)\b)[a-zéèê]{3,14}ez |(?:ouvre|envoie|supprime|écris|efface|désactive|indique|dis|cache|"
    r"transfère|valide|approuve)s? |"
    r"(?:borr|elimin|desactiv|ocult|apr(?:ue|o)b|mand|registr|anot|cierr|reinici|vací|indi(?:c|qu)|env[ií]|pagu?|"
    r"apagu?|desativ|aprov|transfier|transfir|transfer|escrib|escrev|fech|regist|feche)[ae] |(?:abr[ae]|diga|diz|apri|"
    r"cancella|invia|scrivi|disattiva|nascondi|trasferisci|approva|annota|paga|chiudi|aggiungi) |"
    r"(?:stuur|verwijder|wis|schrijf|vermeld|zet|geef|schakel|verberg|betaal|sluit|verzend|zeg) |"
    r"(?:otwórz|usuń|wyślij|napisz|zapisz|wyłącz|włącz|skasuj|wyczyść|ukryj|przelej|zatwierdź|zamknij|powiedz)(?:cie)?"
    r" |(?:[а-яё]{3,14}(?:ите|йте|ьте)|открой|удали|отправь|напиши|запиши|отключи|укажи|скрой|переведи|одобри|закрой|"
    r"скажи|сотри|очисти|отметь) |(?:اكتب|أرسل|احذف|افتح|أخف|وافق|اذكر|سجل|امسح|ادفع|حول) |"
    r"(?:删除|清空|发送|上传|打开|关闭|批准|转账|写明|注明|忽略|不要[提告]))"
)
_FURTHER = (
    r"(?:(?:stornier|aktivier|bestätig|zahl|sag|markier|schalt|setz|stopp|teil|buch|informier|bericht|behaupt|trag|"
    r"widerruf|beend|übertrag|mach|verkauf|antwort|erstatt|gewähr|sperr|veröffentlich|bezahl)(?:e?|en sie) |"
    r"(?:gib|nimm|lies) |"
    r"(?:annule|confirme|pai?e|paye|fai|marque|donne|met|arrête|informe|réserve|modifie|ajoute|règle|"
    r"vire|lance|ferme|bloque|signale|répond|déclare|publie|retire|rembourse|accorde|oublie|préten|rédui|"
    r"augmente)[sd]?s? |"
    r"(?:active|change|note)s? (?=(?:l[ea]s?|un|une|tou[st]|ton|ta|votre|que)\b)|(?:annule|active|informe|arrête|"
    r"ajoute|accorde|change|modifie|ouvre|efface)s? ?(?:l['’])|"
    r"(?:cancel|activ|confirm|pag|marc|cambi|inform|reserv|anul|modific|dej|acept|reembols|public|otorg|contest|"
    r"bloque|deten|comunic)"
    r"(?:an? |en? (?=(?:el|las?|los|una?|que|al|s[iu]s?|tu|est[aeo]s?|tod[ao]s?|otr[ao])\b))|(?:haz|haga|pon|"
    r"ponga|detén) |"
    r"(?:da|dé|dai|dê|di) (?=acces|acess|permi|autori|que\b|all?[ao]?\b|i\b|il\b|el\b)|"
    r"(?:annulla|attiva|conferma|fai|segna|cambia|metti|ferma|informa|prenota|comunica|riferisci|elimina|modifica|"
    r"sposta|blocca|rimborsa|rispondi|avvisa|dichiara|pubblica|revoca|concedi|spegni|accendi|firma|imposta) |"
    r"(?:annulla|attiva|conferma|cambia|informa|avvisa|elimina|modifica) ?l['’]|di['’] ?[a-z]|"
    r"(?:cancele|confirme|faça|marque|mude|coloque|pare|informe|anule|altere|libere|bloqueie|responda|"
    r"publique|avise|ligue|desligue|comunique|remova|exclua|defina|pague) |(?:ative|reserve|declare|"
    r"stop) (?=(?:os?|as?|um|uma|outr[oa]|que|de|het|alle)\b)|"
    r"(?:annuleer|activeer|bevestig|maak|markeer|wijzig|meld|boek|informeer|verplaats|blokkeer|antwoord|publiceer|"
    r"trek|deel|zorg|verhoog|verlaag|keur) |"
    r"(?:[a-ząćęłńóśźż]{3,14}uj|potwierdź|zapłać|zrób|oznacz|daj|zmień|ustaw|zatrzymaj|zgłoś|przekaż|odwołaj|uruchom|"
    r"udziel|cofnij|przenieś|dodaj|odpowiedz|opłać|wpisz)(?:cie)? |(?:poinformuj|zgłoś|powiedz|сообщи(?:те)?|sage?),? |"
    r"(?:[а-яё]{3,14}(?:руй|вай)|отмени|подтверди|(?:за|о)плати|сделай|дай|измени|поставь|установи|останови|сообщи|включи|"
    r"выключи|передай|поменяй|убери|добавь|ответь|назначь|верни|продай|купи|закажи|повысь|снизь)(?:те)? |"
    r"(?:取消|启用|停用|禁用|激活|确认|支付|付款|告诉|转[账给]|修改|更改|停止|通知|预[订定]|订[购票]|汇报|退款|撤销|移除|声称|假装|"
    r"(?:报告|回[答复])(?:说|称|已)|(?:将|给|向)[^。，：\n]{1,14}(?:标|设|改|发|开通|转|授|付|汇|告))(?!成功|失败|完成|[了过的中]|[^。，\n]{0,6}[：:]))"
)
_ENDS_BIDDING = (
    r"(?:せよ|しろ|なさい|ください|えよ|(?<!た)こと|[一-鿿](?:せ|け|え|め|べ|げ|[めべせけえげて]ろ)|[送切取作入]れ|らせろ)"
    r"(?=[。．.、」』\"\n]|$)|"
    r"(?:[하해려켜꺼내둬줘어아]라|세요|십시오|시오|해줘)(?=[.,。\"\n]|$)|[가-힣]해(?=[.\"]|$)"
)
"""How a sentence ends that bids, where the verb stands last."""
_DEED = (
    rf"(?:{_SAYS}\b{_NO_OBJECT}{_NO_NOUN}|{_DOES}\b{_NO_OBJECT}{_NO_NOUN}|(?:run|execute) `|"
    rf"{_COUNTED}|{_ABROAD}|{_FURTHER})"
)
_HERE = later(rf"{_FIRST}{_DEED}", re.I)
"""What begins with a deed."""
_BIDS = later(
    rf"(?:[.!?:;][\"'”)*]{{0,2}}[\s]|[。！？\n]){_FIRST}{_DEED}|"
    r"\b(?:you|agents?|assistants?|models?|bots?|operators?) (?:must|should|shall|have to|need to|are to) "
    rf"(?:(?:not|also|now|always|never|immediately) ){{0,2}}{_SAYS}\b{_NO_OBJECT}|"
    r"\b(?:users?|owners?|operators?|managers?|admins?) (?:(?:has|have|already) ){0,2}"
    r"(?:agreed|approved|consented|authori[sz]ed|waived|signed)\b|"
    r"\b(?:müssen|muss|sollen|sollst|bitte)\b[^.\n]{1,60}?(?:schreiben|erwähnen|melden|senden|schicken|löschen|"
    r"verschweigen|genehmigen|überweisen|öffnen)\b|"
    r"\btell (?:nobody|no one)\b|[请請把]|立[即刻]|马上|务必|"
    r"[書記伝隠送認去除開告視止行][^。\n]{0,10}?(?:[てで](?:い)?ください|すること|せよ|なさい|しろ)|"
    r"(?:기록|적|쓰|써|숨|보내|전송|승인|삭제|열|공개|보고|무시|중지|송금|포함|명시|말|초기화)[^.\n]{0,10}?"
    rf"(?:세요|십시오|하라|해라|해야)|{_ENDS_BIDDING}",
    re.I,
)
_TOLD = later(
    r"\s{0,3}(?:\d|(?:two|three|four|five|six|i|hello|hi)\b(?! (?:agents?|assistants?|models?|bots?)\b)|"
    r"[a-z]{2,14}ed (?:an?|the|in|by|on|some|several|\d+)\b|(?=\S{0,40}\d)[\w.-]{1,40}(?:[.,;](?!\w)|\n|$))",
    re.I,
)
"""What begins as a report does: a number, one who speaks, a past deed, a greeting, or a version alone."""
_LOGGED = later(
    r"\W{0,3}(?:\d{4}-\d\d-\d\d|(?-i:[A-Z][a-z]{2}) {1,2}\d{1,2} \d|\d{1,2}:\d\d|[\w./-]{1,40}\[\d{1,9}\]:|"
    r"(?-i:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRIT(?:ICAL)?)\b)(?:(?![.!?] )[^\n]){0,80}",
    re.I,
)
"""What stands before a mark in a line of a log."""


def bids(text: str, start: int, stop: int) -> int | None:
    """Where it ends what first bids something between two places of a text."""
    stop = min(stop, start + LOOK_CHARS)
    found = _HERE.match(text, start, stop) or _BIDS.search(text, start, stop)
    return found.end() if found else None


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a mark or a label between two places begins what is said: its line, its sentence, or with a colon behind
    it.
    """
    first = max(0, start - LINE_CHARS)
    before = text[max(first, text.rfind("\n", first, start) + 1) : start].rstrip(" \t*[(【［〔（<")
    if _LOGGED.fullmatch(before):
        return False
    return not before or not before[-1].isalnum() or text[end : end + 2].strip()[:1] in (":", "：")


def tells(text: str, start: int) -> bool:
    """Whether what begins at a place is a report, as behind the name of who speaks or of what is counted."""
    return _TOLD.match(text, start) is not None
