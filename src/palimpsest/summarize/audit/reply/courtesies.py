"""Which parts of a sentence are courtesies to the user: a hope, thanks, advice to "you", a request to wait, or what is
promised to be done at once, and what more is offered (`offers.py`).

Rules kept here:

- A courtesy is said by "I" or to "you", and begins its sentence, its clause or its brackets. Who else hopes, thanks or
  advises is told of.
- What hangs on a courtesy, "it only takes a minute", with nothing of the matter, goes with it.
- A clause behind others, or what stands in brackets, goes by itself; else the whole sentence does, and so it does where
  a script without spaces joins the clause to the one before it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from palimpsest.patterns import later
from palimpsest.summarize.audit.clauses import clauses
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.spoken.offers import offers

REST_TERMS = 2
"""A sentence that says so much beside a courtesy keeps it."""
_HOPE = (
    r"(?:i|we) (?:do |really )?hope\b|hope (?:this|that|it|everything) (?:helps|is|was|makes)\b|"
    r"(?:ich|wir) hoffen?\b|"
    r"hoffentlich (?:hilft|ist (?:das|damit))\b|j['’]espère\b|(?:nous espérons|en espérant)\b|"
    r"espero (?:que|haber|ter)\b|esperamos (?:que|haber|ter)\b|spero (?:che|di)\b|speriamo\b|ik hoop\b|"
    r"(?:we|wij) hopen\b|mam(?:y)? nadzieję\b|(?:я |мы )?наде(?:юсь|емся)\b|希望[^。，]{0,24}[对帮](?:到|助)?[您你]|"
    r"[^。]{0,60}(?:いただける?[とば]|いただけますと|立てば|立てれば|なれば)幸い|"
    r"[^.]{0,30}(?:도움|참고)[이가] 되(?:었으면|기를|길|셨)"
)
_THANKS = (
    r"(?:many )?thank(?:s| you)(?: (?:so|very) much| a lot)?(?: (?:for|in advance)\b|\s?[!.]|$)|"
    r"(?:vielen|herzlichen|besten|tausend) dank\b|danke\b(?=[ !.,]|$)|"
    r"merci (?:de|pour|d['’]|beaucoup|encore)|merci ?[!.]|"
    r"(?:muchas |mil )?gracias(?: por\b| de antemano|\s?[!.]|$)|"
    r"(?:muito )?obrigad[oa](?: p(?:or|el[oa]s?)\b|\s?[!.]|$)|"
    r"grazie(?: per\b| mille| ancora|\s?[!.]|$)|(?:hartelijk )?(?:bedankt|dank (?:je|u))\b|dziękuj[ęe]\w*\b|"
    r"dzięki za\b|"
    r"спасибо\b|благодарю\b|(?:非常|十分|衷心)?(?:感谢|谢谢)(?:[您你]|$|[！。])|"
    r"[^。]{0,20}(?:ありがとうございま|感謝(?:いた|申し))|(?:[^。、]{0,10})よろしくお願い|お疲れ(?:様|さま)|"
    r"[^.]{0,30}(?:감사합니다|감사드립니다|고맙습니다|수고하셨)"
)
_WISHES = (
    r"good luck\b|all the best\b|have a (?:nice|great|good|lovely)\b|viel (?:erfolg|spaß|glück)\b|"
    r"bonne (?:chance|journée|continuation|soirée)\b|(?:mucha|buena) suerte\b|boa sorte\b|"
    r"buon(?:a (?:fortuna|giornata|serata)| lavoro)\b|veel (?:succes|plezier)\b|powodzenia\b|удачи\b|祝[您你]|행운을|"
    r"좋은 하루"
)
_SORRY = (
    r"(?:(?:i['’]m|i am) )?(?:so |very )?sorry (?:for|about) (?:the|that|this|my|any)\b|(?:i|we) apologi[sz]e\b|"
    r"my apologies\b|"
    r"(?:ich bitte um |bitte )?entschuldig(?:ung|en sie|e) (?:für|bitte|die|das|den)\b|"
    r"(?:je suis |nous sommes )?désolée?s? (?:pour|de)\b|"
    r"(?:perdón|disculpas?|disculpe) por\b|desculpe\b|mi scuso\b|scus[ai] (?:per|il|la)\b|sorry voor\b|przepraszam\b|"
    r"(?:извините|простите|прошу прощения)\b|(?:非常|很)?抱歉|对不起|申し訳(?:あり|ござい)ません|죄송(?:합니다|해요)"
)
_ADVICE = (
    r"(?:i|we)(?:['’]d| would) (?:\w+ly )?(?:recommend|suggest|advise|propose)\b|"
    r"(?:i|we)(?: \w+ly| also)? (?:recommend|suggest|advise|propose)(?: to| that)? you\b|"
    r"you (?:may|might) (?:also )?want to\b|"
    r"you (?:should|could) (?:also|now|probably|still|double-check|consider|make sure)\b|"
    r"(?:ich|wir) (?:empfehlen?|raten?|schlagen?)(?: \w+)? (?:ihnen|dir|euch)\b|"
    r"(?:ich|wir) würden? (?:ihnen|dir|euch|\w+ (?:ihnen|dir|euch))\b[^.]{0,80}(?:raten|empfehlen|vorschlagen)\b|"
    r"ich würde [^.]{0,80}(?:raten|empfehlen|vorschlagen)\b|"
    r"(?:je|nous) (?:vous|te) (?:recommand|conseill|suggèr|suggér|propos)\w+|vous (?:devriez|pourriez)\b|"
    r"(?:le|te|os|les) (?:recomiendo|aconsejo|sugiero|propongo|recomendaría|aconsejaría|sugeriría)\b|"
    r"(?:eu )?(?:lhe |te )?(?:recomendo|sugiro|aconselho)(?:-(?:lhe|te)\b| (?:a |que )?vocês?\b)|"
    r"(?:le|ti|vi) (?:consiglio|suggerisco|raccomando|consiglierei|suggerirei)\b|"
    r"ik (?:raad|adviseer) (?:je|u|jullie)\b|ik zou (?:je|u|jullie) (?:aanraden|adviseren)\b|"
    r"(?:polecam|radzę|zalecam|sugeruję|proponuję|doradzam) (?:ci|państwu|panu|pani|wam)\b|"
    r"(?:я )?(?:бы )?(?:советую|рекомендую|предлагаю|посоветовала?|порекомендовала?|предложила?)"
    r"(?: бы)? (?:вам|тебе)\b|"
    r"我?们?(?:强烈)?(?:建议|推荐)[您你]|[^。]{1,40}(?:お勧め|おすすめ|お薦め)(?:し|いた)|"
    r"[^.]{1,40}(?:권해|추천해|제안해) ?드(?:립니다|려요)"
)
_WAITING = (
    r"please (?:wait|hold on|stand by|be patient|bear with)\b(?! (?:for|until)\b)|bear with (?:me|us)\b|"
    r"(?:just )?(?:a|one) (?:moment|minute|second|sec)(?:,? please\b|[.!]|$)|hold on (?:a|one|while)\b|"
    r"(?:(?:nur )?(?:einen? )?(?:kleinen |kurzen )?(?:moment|augenblick)(?: geduld)?),? bitte\b|"
    r"bitte (?:haben sie|warten sie|gedulden sie|einen (?:moment|augenblick)|(?:noch )?(?:etwas|um) geduld)\b|"
    r"(?:un (?:petit )?(?:instant|moment)|une (?:minute|seconde)),? (?:s['’]il|svp|je)\b|"
    r"(?:veuillez|merci de) patienter\b|patientez\b|(?:espere )?un (?:momento|segundo|instante),? por favor\b|"
    r"(?:aguarde |espere )?(?:só )?um (?:momento|instante|minuto),? por favor\b|"
    r"aguarde (?:só )?um (?:momento|instante)\b|"
    r"un (?:attimo|momento|secondo)(?: di pazienza)?,? (?:per favore|prego|per cortesia)\b|"
    r"(?:een |één )?(?:moment(?:je)?|ogenblik(?:je)?)(?: geduld)?,? (?:alstublieft|alsjeblieft|a\.?u\.?b|graag)\b|"
    r"even geduld\b|proszę (?:o )?(?:chwilę|chwileczkę|cierpliwość|(?:po|za)czekać)\b|chwil(?:eczkę|kę|ę),? proszę\b|"
    r"(?:(?:одну )?минут(?:у|очку)|секунд(?:у|очку)|подождите|подожди),? (?:пожалуйста|немного)\b|"
    r"пожалуйста,? подожди\w*|请[您你]?(?:稍等|稍候|等一下|等一等|耐心等)|稍等(?:一下|片刻)?(?:[，。！]|$)|"
    r"[^。]{0,30}(?:お待ち(?:を|いただ|頂|くださ|下さ)|待ってくださ)|[^.,]{0,30}기다려 ?주[세십시]"
)
_AT_ONCE = (
    r"(?:i['’]m|i am) on it\b|i(?:['’]ll| will) get (?:back to you|right (?:on|to)|started)\b|"
    r"i(?:['’]ll| will|['’]m going to| am going to)\b[^.]{0,80}\b(?:for you|right away|straight away)\b|"
    r"ich (?!habe|hatte|wurde|wollte|musste|konnte|sollte)\w{2,20}e [^.]{0,60}"
    r"(?:für (?:sie|dich)|gleich|sofort|umgehend)\b|"
    r"je m['’]en (?:occupe|charge)\b|je vais [^.]{0,60}(?:tout de suite|immédiatement|pour vous)\b|"
    r"(?:ahora|enseguida) (?:mismo )?(?:lo|la|los|las) \w{2,20}o\b|"
    r"voy a [^.]{0,60}(?:ahora mismo|enseguida|para usted)\b|"
    r"vou [^.]{0,60}(?:agora mesmo|imediatamente|para você)\b|me ne occupo (?:io|subito)\b|"
    r"l[oa] faccio subito\b|ik (?:ga|zal) [^.]{0,60}(?:meteen|direct|voor (?:je|u))\b|"
    r"(?:już|zaraz|od razu) (?:to|się tym) \w{2,20}ę\b|"
    r"(?:сейчас|сразу) (?:же )?[^.]{0,30}(?:сделаю|займусь|реализую)\b|"
    r"我(?:马上|这就|立刻|立即|现在就|会尽快)|(?:马上|这就)(?:为|给|帮)[您你]|"
    r"ご(?:依頼|要望|指定|希望|質問)[^。]{0,60}(?:これから|すぐに|早速|ただちに|今から|ただいま)[^。]{1,40}ます|"
    r"(?:これから|すぐに|早速|ただちに|今から|ただいま)[^。]{1,40}(?:いたします|致します|(?:さ)?せていただきます|ますので)|"
    r"[^.]{1,60} ?드(?:리겠습니다|릴게요)"
)
_COURTESY = later(
    r"\W{0,3}(?:(?:and|und|et|y|e|en|i|и) )?"
    rf"(?:{_HOPE}|{_THANKS}|{_WISHES}|{_SORRY}|{_ADVICE}|{_WAITING}|{_AT_ONCE})",
    re.IGNORECASE,
)
_HANGS = later(
    r"\W{0,3}(?:(?:but|and|so|as|since|because|aber|und|denn|da|mais|et|car|pero|y|ya|porque|ma|e|perché|mas|porque|maar|"
    r"en|want|ale|i|bo|но|и|ведь)[ ,]{1,2}){0,2}"
    r"(?:(?:it|this|that|they|these|those)(?:['’]\w{1,2})?|which|es|das|dies|dauert|ça|cela|c['’]est|ce|"
    r"cela|eso|esto|(?:s[oó]lo|solamente|apenas|únicamente)|lleva|tarda|toma|(?:così|questo|ciò|quello|è|basta|ci|"
    r"richiede|bast\w+)|isso|isto|é|leva|demora|dat|dit|het|to|zajmie|zajmuje|это|займ[её]т|занимает|так)\b|"
    r"\W{0,3}(?:这|那|它|只需?要?|就|很快|一会)|\W{0,3}(?:それ|これ|すぐ|数分|一分)|\W{0,3}(?:그건|이건|그것|이것|금방|잠깐)",
    re.IGNORECASE,
)
"""How what is said behind a courtesy begins that hangs on it."""
_NAMED = later(r"[\d`]|\S[._/]\S|(?<=[^\W\d_] )(?<!\bein )(?<!\beine[nmrs] )(?<!\beine )[A-ZÀ-Þ][a-zà-ÿ]{2,}")
"""A figure or a name is of the matter, ..."""
MATTER_SHARE = 0.5
"""... and so is what has so many words of the source."""
_BRACKETS = later(r"[(（]([^()（）\n]{4,200})[)）]")
_JOINED = later(r"[\u3040-\u30ff\uac00-\ud7af]")
"""Scripts whose clauses lead on to the next one by their last sign."""


def courtesies(sentence: str, plain: str, words: Collection[str] = ()) -> Iterator[str]:
    """The parts of a sentence that are courtesies, or all of it; `plain` is it without quotations, `words` are those of
    the source.
    """
    for found in _BRACKETS.finditer(sentence):
        if found[0] in plain and _is_one(found[1]):
            yield found[0]
    rest = _BRACKETS.sub(" ", plain)
    if _is_one(rest):
        yield sentence
        return
    parts = clauses(rest)
    bad = [one for one in parts[1:] if _is_one(one)]
    if not bad:
        return
    for before, one in pairwise(parts):
        if before in bad and one not in bad and hangs(one, words):
            bad.append(one)
    kept = [one for one in parts if one not in bad]
    apart = all(one in sentence for one in bad) and not _JOINED.search(rest)
    if apart and len(terms(" ".join(kept))) >= REST_TERMS:
        yield from bad
    else:
        yield sentence


def _is_one(said: str) -> bool:
    return bool(_COURTESY.match(said)) or offers(said)


def hangs(said: str, words: Collection[str]) -> bool:
    """Whether what stands behind a courtesy only hangs on it: it points there, and says nothing of the matter."""
    if not _HANGS.match(said) or _NAMED.search(said):
        return False
    own = set(terms(_HANGS.sub(" ", said, count=1))) - LITTLE
    return len(own & set(words)) < max(1, MATTER_SHARE * len(own))
