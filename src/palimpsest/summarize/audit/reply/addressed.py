"""Which sentences of a reply speak to the user, as an answer does: a question, or a request to tell, read or confirm.

Rules kept here:

- A question that says "I" or "you" is asked, unless a label tells whose it is, or somebody is quoted. One without them
  is asked where a request to the user follows it, or where it asks whether something is all right: any other may be
  told as open.
- A request to the user begins its sentence, or stands behind a comma in it. What has the user's own words was said by
  the user, unless it stands right behind a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.reply.courtesies import courtesies, hangs
from palimpsest.summarize.sentences import sentences, terms

SAID_SHARE = 0.7
"""So many words of one sentence of the user's make a sentence the user's own."""

ASKED = later(
    r"\b(?:(?i:i|me|you|your|ich|mir|du|dir|je|moi|tu|te|ti|vi|vous|yo|ik|jij|eu|io|я|мне|вы|вам|ты|quieres?|debo|"
    r"puedo|vuoi|"
    r"vuole|devo|posso|quer(?:es)?|dois|puis|veux|voulez|souhaitez|хочешь|хотите|zal)|Sie|Ihnen)\b|[我你您]|ましょうか|"
    r"でしょうか"
)
"""Who asks another something: in a question that is no label's and nobody's in quotation marks."""
TO_SOMEBODY = later(r"\b(?:you|your|you're|you've)\b|[您你]|\b(?:Sie|Ihnen|vous|usted)\b")
QUOTED = later(r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|「[^」\n]{1,600}」|«[^»\n]{1,600}»")
QUESTION = ("?", "？")
LABELLED = later(r"[^\W\d_][\w ]{1,40}[:：]\s")
"""A question that stands behind a label ("Open: ...") is told, not asked."""
_ADDRESSING = later(
    r"(?:please )?(?:let me know|tell me) (?:if|whether|what|when|how|which)\b|feel free to\b|"
    r"is there anything else|you (?:asked|told|wanted) (?:me\b|what\b|how\b|whether\b|for\b|about\b|to\b)|"
    r"(?:bitte )?(?:sag|gib|geben sie|sagen sie)(?: mir)?(?: bitte| einfach| gern)?(?: kurz)? bescheid(?! ist\b)|"
    r"(?:bitte )?sag(?:en sie)? mir\b|dis-moi\b|dites-moi\b|dime\b|dígame\b|fammi sapere|"
    r"(?:i |we )?hope (?:this|that|the) (?:\w+ )?(?:helps?|is (?:useful|helpful))\b|"
    r"(?:i['’]m |i am |we are )?(?:happy|glad) to (?:help|add|give|provide|explain|elaborate|clarify)\b"
    r"[^.]{0,60}\byou\b|"
    r"ich hoffe,? (?:das|dies|es) hilft|j['’]espère que (?:ce|cela|ça) [^.]{0,40}\b(?:vous|te|t['’])|"
    r"espero que (?:esto|isto|isso|te|le|lhe|ajude)\b|spero che (?:questo|sia|ti|le|vi)\b|ik hoop dat (?:dit|het) "
    r"|mam nadzieję, że (?:to|się)\b|надеюсь,? (?:это|что)\b|希望(?:这|以上|本)[^。]{0,12}(?:对|帮)[您你]|"
    r"[^。]{0,16}(?:お役に立て|ご参考に)[^。]{0,8}幸い|도움이 되(?:셨|었|길|시길)|"
    r"dimmi\b|laat me weten|me avis[ea]\b|(?:дай|скажи)те? (?:мне )?(?:знать|если|что)\b|如果您|请?告诉我|请告知",
    re.IGNORECASE,
)
"""A line of an answer in a summary's form."""
_PLEASE = (
    r"please (?:\w+ly )?(?:tell|let me|confirm|read|check|review|look|have a look|decide|answer|choose|pick|say|"
    r"reply|advise|"
    r"approve|clarify)\b|(?:tell me|let me know)\b|"
    r"bitte (?:(?:einmal|kurz|noch|mir|sie) ){0,2}(?:sag|gib|geb|teil|bestätig|lies|les|prüf|schau|entscheid|antwort|"
    r"meld|wähl)"
    r"\w*|(?:sag|gib|teil|bestätig|meld|lies|schau|entscheid)\w* (?:(?:sie|mir|dich|es|das|uns) ){0,2}(?:bitte|"
    r"einfach bescheid|bescheid(?! ist\b)|mir)\b|"
    r"(?:dites|dis|confirmez|confirme|répondez|indiquez|précisez|avisez|prévenez|faites)-(?:le-)?(?:moi|nous)\b|"
    r"(?:merci de|veuillez) (?:me |nous |bien )?(?:le )?(?:dire|confirmer|répondre|indiquer|préciser|valider|lire|"
    r"relire|faire "
    r"savoir)\b|"
    r"(?:dígame|dime|avíseme|avísame|confírm[ae]me|indíqueme|indícame)(?:lo)?\b|ha(?:ga|z)me saber\b|(?:confirm[ae]|"
    r"revis[ae]|"
    r"respond[ae]),? por favor|por favor,? (?:di(?:me|ga)|confirm[ae]|indi(?:ca|que)|le[ae]|revis[ae]|avis[ae]|"
    r"respond[ae]|"
    r"decid[ae]|eli[gj][ae])\w*|"
    r"(?:mi faccia|fammi|fatemi|mi fate) sapere|(?:mi dica|dimmi|ditemi|confermami|mi confermi|avvisami|mi avvisi)\b|"
    r"(?:conferm[ia]|legga|leggi),? per (?:favore|cortesia|piacere)|per (?:favore|cortesia|piacere),? "
    r"(?:di(?:mmi|ca)|conferm|legg|controll|rispond|decid)\w*|"
    r"(?:diga|diz|avise|avisa|confirm[ae]|informe|responda)-(?:me|nos)\b|me (?:diga|avise|confirme|informe)\b|"
    r"(?:confirm[ae]|leia|responda),? por favor|por favor,? (?:diga|confirm|avis|leia|veja|respond|decid|revis)\w*|"
    r"(?:скажи|сообщи|подтверди|ответь|напиши|прочти|прочитай|посмотри|реши|уточни)(?:те)?,? (?:пожалуйста|мне)\b|"
    r"пожалуйста,? (?:скажи|сообщи|подтверди|ответь|прочти|прочитай|посмотри|реши|уточни)\w*|да(?:й|"
    r"йте) (?:мне )?знать\b|"
    r"(?:请|麻烦|烦请|劳驾)[您你](?:先|再|尽快)?.{0,2}(?:告[诉知]|通知|[回答]复|确认|指示|过目|审阅|看|决定|选)|"
    r"you can (?:now )?(?:take|have) a look\b|if you have (?:any )?questions\b|don['’]t hesitate\b|"
    r"(?:du kannst|sie können) (?:es |sie |ihn |das )?(?:dir |sich )?(?:gerne? )?(?:anschauen|ansehen)\b|bei fragen\b|"
    r"n['’]hésite[sz]?\b|no dudes?\b|não hesite\b|"
    r"[您你]可以(?:先)?(?:看|查|检查)|(?:(?:如|若|要是)?有(?:什么|任何)?(?:问题|疑问)|随时|需要的话)[^。，,]{0,6}(?:告诉|联系|找|问)我|"
    r"(?:请|麻烦|烦请)?(?:告诉我|告知我)|(?:请|麻烦|烦请)(?:告知|回复|答复|指示|过目|定夺|确认(?:一下)?)(?=[。！，,]|\s*$)|"
    r"[^。、]{0,30}(?:教えて|お知らせ|ご確認|ご指示|ご連絡|ご回答|ご判断|お聞かせ|お選び|ご検討)"
    r"(?:を)?(?:ください|下さい|いただ|頂|お願い|くださ)|"
    r"[^.,]{0,30}(?:알려|말씀해|확인해|답해|답변해|결정해|골라|검토해|읽어) ?(?:주[세십시실]|줘)"
)
"""How somebody is asked to tell, to read or to confirm something."""
_JUST = (
    r"(?:(?:so|just|simply|einfach|gerne?|nur|simplement|juste|s[oó]lo|simplemente|basta|"
    r"semplicemente|pure|apenas|é só|gewoon|просто|po prostu|欢迎|那就)\s?){0,2}"
)
_TELL = (
    r"ask me\b|(?:meld\w*|wend\w*) (?:sie |du )?(?:sich|dich) (?:\w{1,8} ){0,2}?(?:bei|an) m(?:ir|ich)\b|"
    r"(?:dime|dígame|dinos|escríbeme|escríbame|pregúntame)\b|(?:me )?avis(?:ar|e|a)[ -]?me\b|me avisar\b|"
    r"laat (?:het |'t )?(?:me|mij|ons) (?:\w{1,8} ){0,2}?weten\b|"
    r"laat het (?:gerust |gewoon )?weten (?:als|wanneer|of)\b|"
    r"(?:proszę )?(?:daj(?:cie)?|dać) (?:mi |nam )?znać(?= ?[,.!]|$| (?:jeśli|gdy|czy))|"
    r"proszę o (?:informację|kontakt)|"
    r"обращайтесь\b|пишите\b|дайте? (?:мне )?знать\b|(?:请|欢迎)?随时(?:告[诉知]|联系|询问|[找问])我?|"
    r"[^。]{0,40}(?:お問い合わせ|お尋ね|ご質問|お申し付け|ご連絡|お知らせ|お声がけ)(?:を)?(?:ください|下さい|いただ|頂|お願い)"
)
"""More ways to ask somebody to tell."""
_REQUEST = later(rf"(?:^|[,;:]\s|[，；：、]|\s[–—-]\s)\W{{0,3}}{_JUST}(?:{_PLEASE}|{_TELL})", re.IGNORECASE)
_APPROVAL = later(
    r"^\W{0,3}(?:is (?:that|this|it|everything) (?:\w+ )?(?:all )?(?:ok\w*|fine|right|alright|correct|good|acceptable)|"
    r"does (?:that|this|it) (?:work|suit|look|fit|sound)|any objections?|agreed|"
    r"(?:ist|wäre|passt|geht|reicht) (?:das|es) (?:so|recht|ok\w*|in ordnung|richtig)|einverstanden|"
    r"(?:ça|cela) (?:va|convient)|est-ce (?:que (?:ça|cela)|bon|correct)|d'accord|está bien|de acuerdo|es correcto|"
    r"(?:vi |ti )?va bene|d'accordo|está bem|pode ser|(?:верно|так) ли|годится|подойд[её]т|согласны)\b|"
    r"(?:可以|行|好|对)吗[？?]|(?:よろしい|いい|よい|大丈夫)(?:です|でしょう)か[？?]|"
    r"(?:괜찮|좋)(?:을까요|나요|습니까|은가요)[？?]",
    re.IGNORECASE,
)
"""How somebody asks whether something is all right as it is."""
_BULLET = later(r"\s{0,12}(?:[-*•]|\d{1,3}[.)])?\s{0,4}")


def addressing(
    lines: Sequence[str], said: str, words: frozenset[str] = frozenset(), *, wanted: bool = False
) -> Iterator[str]:
    """The sentences that speak to the user; what the user `said` so is told. `words` are all that the source has;
    `wanted` says that the lines tell what the user wants, perhaps in the user's words.
    """
    known = [frozenset(terms(one)) for one in sentences(said)] if words and not wanted else []
    for line in lines:
        found = list(sentences(line))
        plain = [_plain(one) for one in found]
        asks = [_is_question(one) and one not in said for one in plain]
        spoken = [
            _speaks(one, said)
            or (
                bool(words) and not wanted and _requests(one, () if any(asks[max(0, at - 1) : at]) else known)
            )
            for at, one in enumerate(plain)
        ]
        courteous = ""
        for at, one in enumerate(found):
            approves = bool(words) and asks[at] and _APPROVAL.search(plain[at])
            hanging = courteous and plain[at - 1].endswith(courteous) and hangs(plain[at], words)
            if spoken[at] or approves or hanging or (asks[at] and any(spoken[at + 1 : at + 2])):
                yield one
            elif words and not wanted:
                parts = [
                    part
                    for part in courtesies(one, plain[at], words)
                    if part not in said and not _is_of(part, known)
                ]
                courteous = _plain(parts[-1]) if parts else ""
                yield from parts
                continue
            courteous = ""


def _plain(sentence: str) -> str:
    return QUOTED.sub(" ", _BULLET.sub("", sentence, count=1)).strip().lstrip('"”»」 ')


def _speaks(plain: str, said: str) -> bool:
    asks = _is_question(plain) and ASKED.search(plain)
    return bool(asks or _ADDRESSING.match(plain)) and plain not in said


def _is_question(plain: str) -> bool:
    return plain.endswith(QUESTION) and not LABELLED.search(plain)


def _requests(plain: str, known: Sequence[frozenset[str]]) -> bool:
    """Whether a sentence requests something of the user, in words that are not the user's."""
    return bool(_REQUEST.search(plain)) and not _is_of(plain, known)


def _is_of(plain: str, known: Sequence[frozenset[str]]) -> bool:
    """Whether a sentence says what one of these does."""
    own = frozenset(terms(plain))
    return bool(own) and any(len(own & one) >= SAID_SHARE * len(own) for one in known)
