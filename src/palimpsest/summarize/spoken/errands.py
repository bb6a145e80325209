"""What is asked for once: work, and no rule.

Rules kept here:

- Who asks that something be done to one thing that is at hand ("mend it", "find the cause", "arréglalo", "把它修好")
  asks once. Who says what is used, kept or written, or how often, when, or what not, asks for it to hold on.
- What is to be found out is a question, in whatever words it is bidden; help is asked for once.
- What a German verb in two parts is said to be done under, at or in ("leg die Logs unter logs ab"), and what Chinese
  has turned into something (把时间改成UTC), may hold on.
- Languages with a sign for what a sentence is about (Japanese, Korean) put it there where a request holds on, and the
  sign of an object where it is asked for once.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.spoken.orders import ERRANDS, LASTING

_ASKS = (
    r"(?:(?:and|but|so|now|then|also|ok(?:ay)?|und|aber|y|et|e|и|а),? )?"
    r"(?:(?:please|pls|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|per favore|пожалуйста|lütfen|proszę),? "
    r"(?:(?:also|just|now|then|first|quickly|mal|noch|auch|kurz) ){0,2})"
)
_KEEPING = (
    r"(?:keep|leave|use|stick|stay|follow|respect|honou?r|observe|obey|treat|avoid|answer|reply|respond|write|speak|"
    r"talk|call|address|prefer|mind|remember|name|format|indent|sign|limit|assume|consider|skip|spare|"
    r"behalt|lass|nutz|verwend|benutz|nimm|bleib|halt|beacht|befolg|antwort|schreib|sprich|duz|siez|vermeid|"
    r"respektier|"
    r"garde|laisse|utilise|reste|respecte|suis|évite|répond|écri|mantén|deja|usa|utiliza|respeta|sigue|evita|responde|"
    r"escribe|trata|mantenha|deixe|use|responda|escreva|mantieni|lascia|rispondi|scrivi|используй|оставь|держи|"
    r"соблюдай|пиши|отвечай|избегай)"
)
_IT = (
    r"(?:it|this|that|these|those|them|es|ihn|dies\w{0,2}|ça|cela|ce|cet|cette|ces|est[aeo]s?|isso|isto|quest[oaie]|"
    r"эт\w{1,2}|его|её|их)"
)
"""What is at hand, said by a word that points to it: a name may stand for each thing of its kind."""
_ENCLITIC = (
    r"(?!(?:tuto|vouvo|trát|tuté)\w)(?:\w{0,20}[áéíóú]\w{1,12}(?:l[oae]s?|nos|me|mel[oa]s?)\b|"
    r"\w{3,20}-(?:l[ae]s?|l['’]|moi|nous|[oa]s?|me)\b)"
)
_ONE_THING = later(
    rf"{_ASKS}(?!{_KEEPING})\w{{2,20}} (?:(?:up|out|down|off|over|at|into|through|for|mir|uns|mal|bitte) )?{_IT}\b|"
    r"(?:please |bitte )?(?:write|schreib\w{0,2}|mach\w{0,2}|écri\w{1,3}|escrib\w{1,2}|scriv\w{1,2}|напиши(?:те)?) "
    r"(?:(?:me|mir|uns|bitte) )?(?:an?|eine?[nr]?|une?|una) |"
    rf"{_ENCLITIC}|\w{{4,20}}(?:l[oa]s?|melo|selo),? por favor|(?!{_KEEPING})\w{{2,20}} {_IT} (?:bitte|mal|doch)\b|"
    r"請?请?(?:你|帮我)?(?:先|再)?[把将][^，。]{1,16}(?:修|删|查|看|弄|改一?下|打开|关掉|重启|发给|合并|升级|印|"
    r"放到|拿)|"
    r"[^。？はも]{1,40}[をにか][^。？は]{0,12}(?:調べ|直し|修正し|確認し|見て|見せ|探し|教え|実行し|試し|削除し|消し|"
    r"追加し|作成し|作って|印刷し|実装し|説明し|開い|送っ)[^。？は]{0,8}(?:ください|下さい|てほしい(?:です)?|"
    r"てくれ)[。！]?$|(?!(?:[^ ?]+ )?[^ ?]+[은는] )[^?]{1,80}[을를도] [^?]{0,20}(?:고쳐|찾아|확인해|살펴|알려|설명해|"
    r"실행해|삭제해|지워|추가해|만들어|보여|열어|보내|수정해|인쇄해) ?(?:주세요|줘요?|주십시오|주시겠어요)[.!]?$|"
    r"[^؟]{2,40}[هاك] من فضلك",
    re.IGNORECASE,
)
"""How one thing that is at hand is asked to be dealt with."""
_BIDS = later(
    rf"(?!{_KEEPING}\b|(?:all|both|half|only|not|never|even|just|also|if|when|while|until|unless|as|like|than|"
    rf"what|where|"
    r"who|with|for|from|into|onto|over|under|after|before|behind|below|above|beside|between|during|within|without|by|"
    r"near|per|since|because|through|about|against|along|around|across|and|but|or|so|then|once|maybe|here|there|is|"
    r"are|was|were|has|have|had|does|did|can|will|should|may)\b)[a-z]{3,20} (?:the|an?|my|our|this|these|those)\b|"
    r"(?!(?:alle|keine|jede|eine|diese|beide|meine|unsere|viele|welche)\b)\w{2,20}e (?:der|die|das|den|dem|"
    r"eine?[nmr]?|"
    r"mir|uns|mal|bitte|noch)\b|"
    r"(?!(?:cada|toda|nada|entre|sobre|desde|durante|para|fuera|contra|donde|nunca|siempre|este|que|cuando|mientras|"
    r"antes|ante|una)\b)\w{2,20}(?:[ae]|en|ed|ad|ón) (?:(?:ahora|luego|ya) )?(?:el|la|los|las|un|una|esto|eso|il|"
    r"gli|os|as|i(?= \w+i\b)) |"
    r"(?!(?:tous|toutes|toute|dans|sans|sous|après|vers|chez|seule?s?|pas|jamais|entre|comme|notre|cette|chaque|parce|"
    r"lorsque|puisque|depuis|avec|plus|moins|les|mes|nos|une|elle|on)\b)\w{3,20}[esz] (?:maintenant )?(?:le|la|les|un|"
    r"une|des|l['’]|ce|cette|au|aux)\b|(?!случай|край|урожай|трамвай|сарай)\w{2,14}(?<![ыиа]в)[аяу]й(?:те)? \w|"
    r"\w{2,14}(?:вь|шь|жь|ери|ови|отри|рой|ажи|иши|ини|ди|верь|пусти|числи|дали|здай|читай|елай)(?:те)? (?!ть)\w|"
    r"在[^，。]{1,12}[里上中](?:加|删|改|写|放|建)|(?:أضف|أصلح|احذف|انظر|ابحث|شغل|أخبر)\w{0,3} ",
    re.IGNORECASE,
)
"""How a sentence begins that bids somebody do something with a thing, in languages that show it."""
_APART = later(
    r"(?:(?:und|dann|jetzt|nun|bitte|danach|also|ok(?:ay)?|gut|ja|hm+),? ){0,3}(?:"
    r"(?!(?:der|die|das|den|dem|ein|eine|wir|ich|ihr|sie|man|es|er|du|was|wer|wie|wo|wann|nur|auch|noch|mit|von|"
    r"für|auf|"
    r"bei|nach|vor|aus|zum|zur|heute|morgen|gestern|mein|unser|sein|kein|alle|halt|lass|bleib)\b)"
    r"(?-i:[a-zäöüß])[^\W\d_]{1,9}(?<!en) (?:(?:bitte|noch|mal|doch|auch|jetzt|gleich|dann) ){0,2}"
    r"(?:der|die|das|den|dem|eine?[nmr]?|mein\w{0,2}|unser\w{0,2}|diese\w|mir|uns|"
    r"(?-i:[A-ZÄÖÜ])\w+)\b[^?]{0,160}? ?\b(?:"
    r"ein|an|ab|aus|auf|zu|nach|vor|bei|raus|rein|weg|zusammen|hinzu|um|durch|zurück|rüber|her|hin|fertig)[.!]?$|"
    r"(?:vergleich|streich|setz|schick|such|druck|sortier|ordne|trag|leg|stell|pass|hak|füg|bestell|buch|lösch|kopier|"
    r"verschieb|aktualisier|zähl|übersetz|speicher|korrigier|rechne?|räum|ergänz|entfern|verteil|verschick|lad|"
    r"bau) (?:(?:bitte|noch|mal|doch|jetzt|dann) ){0,2}(?:der|die|das|den|dem|eine?[nmr]?|mir|uns|diese\w)\b)",
    re.IGNORECASE,
)
"""How something is bidden by a verb whose other part stands at the end ("trag das Angebot ein"), or by a bare one."""
_STANDING = later(
    r"\b(?:im|am|unter|beim?|pro|je|gemäß|laut|per|erst|fett|kursiv|nach [A-ZÄÖÜ]\w+|ins \w+sche)\b|"
    r"\bin (?:[A-Z]|k?lein|groß)|(?<=[a-zäöüß]) (?!(?:ein|an|ab|aus|auf|zu|nach|vor|bei|raus|rein|weg|zusammen|hinzu|"
    r"um|durch|zurück|rüber|her|hin|fertig|bitte|noch|mal|jetzt|heute|morgen|gleich|schnell|danach|dann|auch|doch|mit|"
    r"nochmal|kurz|sofort|später|weiter)\b)[a-zäöüß]+[.!]?$"
)
"""Where, when or how something is done, and not where to: that may hold on."""
_VERB_END = later(r" (?:nach|vor)[.!]?$")
_DONE_TO = later(
    r"(?:好的?|行|嗯|可以|那|然后|再|先|请|帮我|麻烦|[，,、\s])*(?:把|"
    r"将)(?![^，。]{1,16}[按每统])[^，。]{1,40}?(?:改名|重命名|"
    r"拆成|拆开|更新|移到|移动到|搬|挪|"
    r"提交|推到|推上|合并|补上|补全|加上|导出|(?:翻译|整理)(?!成)|列出|贴|跑|发|写完|做完|做成)|"
    r"(?:好的?|行|嗯|可以|那|然后|再|先|请|帮我|[，,、\s])*给[^，。]{1,20}加(?:个|一个|上|一下|几个)|"
    r"(?:(?:und|jetzt|dann|nun|ok) ){0,3}(?:weiter mit |mach\w? (?:bitte )?mit [^.,?]{3,40} weiter|"
    r"vergleich\w? [^.,?]{3,60} mit )|(?:现在|接下来|然后)先?(?:做|弄|看)[^，。]{1,12}$|先看[^，。]{1,16}[，,]再看|"
    r"(?:好的?|行|嗯|可以|那就?|[，,、\s])*(?:先|再|就|接着|现在)?(?:(?:继续|接着)(?!使?用|沿用|[按照以采遵保])|"
    r"跑一?[遍下次](?![^。]*再)|试一?[下次]|这么办|"
    r"这样[办做]|不管它)"
)
"""How something is bidden in Chinese to be done to a thing; how it is bidden that work goes on."""
_LET_IT = later(
    rf"(?:(?:ja|ok(?:ay)?|gut|gern|nein|und|dann|yes|yeah|yep|sure|fine|so|then|and|oui|sí|si|sì|da|да|sim|"
    rf"hai)[,.!]? ){{0,2}}"
    rf"(?!{_KEEPING}\b)(?:mach\w?|tu|leg\w?|pack\w?|stell\w?|nimm|hol\w?|bring\w?|schick\w?|zeig\w?|probier\w?|"
    rf"\w{{2,12}}) "
    rf"(?:(?:bitte|mal|doch|ruhig|einfach) ){{0,2}}(?:das|{_IT})"
    r"(?: (?:bitte|mal|so|doch|ruhig|einfach|weg|rein|raus|jetzt|gleich|dann|now|then|please|too|again|first|alors|ya|"
    r"entonces|allora|ora|так|тогда|теперь)){0,3}[.!]?$",
    re.IGNORECASE,
)
"""How a bare order ends in what it is about, said by a word that points to it."""
_LETTER = later(
    r"(?:(?:bitte|please|pls|und|and|dann|then|now|jetzt|et|y|e|и),? ){0,2}"
    r"(?:schreib\w{0,2}|schick\w{0,2}|sag\w{0,2}|ruf\w{0,2}|write|send|tell|drop|text|mail|email|écri\w{1,3}|"
    r"envoie\w{0,2}|"
    r"dis|escrib\w{1,2}|manda\w?|envía\w?|env[ií]e|dile|scriv\w{1,2}|invia\w?|escrev\w{1,2}|напиши(?:те)?|"
    r"отправь(?:те)?|"
    r"schrijf|stuur|skriv|skicka|napisz|wyślij) (?!(?:your|my|all|the|every|each|alle|jede\w|in|auf|deine|meine|"
    r"unsere|keine)\b)"
    r"(?:(?:[\w.'’-]+ ){1,3}?(?:eine?[nrm]?|kurz\w*|a|an(?= [aeiou])(?! (?:alle|uns|euch|ihn|ihre|eine|unser))|une?|"
    r"un[ao]?|two|zwei|deux|dos|due|два|пару|några|krótk\w+|"
    r"een|ett)\b"
    r"(?! (?:pro|per|par|por|for|für|je)\b)|(?:[\w.'’-]+ ){1,2}?[\w.'’-]+, (?:dass|ob|that|when|que|che|что|att|że|"
    r"dat)\b|"
    r"(?:[\w.'’-]+ ){1,2}?(?:that|que|che)\b)|(?:écri\w{1,3}|escrib\w{1,2}|scriv\w{1,2}|напиши(?:те)?|write|schreib) "
    r"(?:(?:an?|une?|un[ao]?|eine?[nr]?|due|deux|dos|two|zwei) )(?:[\w'’-]+ ){1,2}(?:à|a|al|alla|to|an|для|к|"
    r"[А-Я]\w+) (?!(?:each|"
    r"every|all|"
    r"jede\w*|alle|chaque|tous|cada|todos)\b)",
    re.IGNORECASE,
)
"""How somebody is bidden to write to a person, once."""
_TO_PERSON = later(
    r"[^。？は]{1,40}[をにも](?:[^。？は]{0,10})?(?:見せて|調べて|直して|確認して|見て|教えて|まとめて|探して|"
    r"試して|やってみて|"
    r"進めて|始めて|書き直して|戻ろう|お願い)(?:ください|下さい|ね|よ|くれる|ほしい|します)?[。！]?$|"
    r"[^。？はも]{1,20}(?:さん|様|さま|氏|先生|部長|店長)に[^。？は]{0,30}(?:書いて|送って|伝えて|知らせて|返して|"
    r"聞いて|連絡して)"
    r"(?:ください|下さい|ね|よ|くれる|もらえる)?[。！]?$|[给跟][^，。]{1,8}(?:写|发|回|打)[一个封条下][^，。]{0,12}|"
    r"[^?]{1,20}(?:씨|님)(?:에게|께|한테) [^?]{0,30}(?:써|보내|전해) ?(?:줘|주세요)?[.!]?$"
)
"""The same in languages that name the person with a sign."""
_PLEASE = r"(?:bitte|please|pls|por favor|per favore|s['’]il (?:te|vous) pla[iî]t|пожалуйста|alsjeblieft|tack|proszę)"
_NOW_THIS = later(
    r"(?:(?:ok(?:ay)?|gut|gern|fine|good|great|danke|thanks|bien|bon|vale|bene|хорошо|いいね|はい|好的?)[,.!、，]? ?)?"
    r"(?:(?:und |and |et |y |e |а |и )?(?:jetzt|nun|dann|danach|als nächstes|now|then|next(?: up)?|maintenant|"
    r"ensuite|puis|ahora|luego|después|"
    r"adesso|"
    r"ora|poi|agora|depois|теперь|дальше|потом|nu|dan|teraz|potem)[,:]? "
    rf"(?![^.]*\b{_KEEPING})(?![^.]*\b(?:sind|ist|haben|hat|is|are|have|has|we|wir|on est|somos|son|siamo|estamos|"
    rf"нас)\b)"
    rf"(?:(?:noch |auch |auf |zu |also |the )?{_PLEASE} (?:[\w.'’/-]+ ?){{1,4}}|(?:[\w.'’/-]+ ){{1,4}}{_PLEASE}|"
    r"(?:to |on to |the |zu[mr]? |den |die |das |le |la |el |il |lo )?[\w'’/-]+[.\w'’/-]*)[.!]?$|"
    r"次は[^。？]{1,24}(?:お願いします|お願い|を見て|へ)?[。！]?$|(?:接下来|然后|现在)(?:是|看|弄|"
    r"做)?[^，。？是有在都不]{1,8}吧?[。！]?$)",
    re.IGNORECASE,
)
"""How the next thing is named that shall be dealt with."""
_TELLS_ME = later(
    r"\b(?:tell|show|give|explain|send) (?:me|us)\b|\b(?:sag|zeig|gib|nenn) (?:mir|uns)\b|\bdis-(?:moi|nous)\b|"
    r"\b(?:dime|dinos|dame|enséñame|cuéntame|explícame)\b|\b(?:скажи|дай|покажи)(?:те)?\b|[等给告][^，。]{0,2}我|写个|"
    r"发个|告诉我|教えて|알려 ?(?:주|줘)|أخبرني",
    re.IGNORECASE,
)
"""Who asks to be told something,"""
_LOOK = later(
    r"(?:(?:and|but|so|now|then|also|ok(?:ay)?|please),? ){0,2}(?:have|take|give) (?:(?:it|the \w+(?: \w+)?|this|"
    r"that) )?(?:a|another) "
    r"(?:\w+ )?(?:look|go|try|read|glance|shot)\b",
    re.IGNORECASE,
)
"""How a look at something is asked for."""
_FIRST = later(
    r"\b(?:first|if|before|falls|wenn|zuerst|vorher|avant|antes|primero|сначала)\b|先|先に|먼저",
    re.IGNORECASE,
)
"""unless that comes before something else."""
_NEXT = later(
    r"(?:(?:and|und|et|y|и|ok|so),? )?(?:next\b(?! time| to)|als nächstes\b|ensuite\b|a continuación\b|далее\b|接下来|"
    r"次に|다음(?:으로|에는))",
    re.IGNORECASE,
)
"""How the next step begins."""
_AGAIN = later(
    r"\b(?:once more|one more time|noch ?(?:ein)?mal|nochmals|encore une fois|otra vez|una vez más|ancora una volta|"
    r"mais uma vez|ещё раз|еще раз|jeszcze raz)\b|再一次|もう一度|한 번 더",
    re.IGNORECASE,
)
"""What is done once more is done once."""
_HOW = later(
    r"\b(?:with|as|using|like|mit|als|wie|avec|comme|con|como|en|с|как)\b|\b\w{4,}(?:ly|isch|mente|ment)\b|"
    r"\bin (?:[A-Z]|lower|upper)",
)
"""How something is done: of what is done once that is seldom said."""
_PLANS = later(
    r"(?:(?:and|but|so|yes|no|ok(?:ay)?|actually|well|just|also),? )*(?:i|we)(?:'d like| would like| want)(?: (?:just|"
    r"also|really|actually|first))? to (?!keep|avoid|stay|use|be (?:asked|told|able)|limit|have|see|stick|pay|approve|"
    r"review|confirm|decide|sign)|(?:i|we)(?:'d like| would like| want| need) (?:some |a little |your )?help\b|"
    r"(?:(?:and|but|so|yes|no|ok(?:ay)?|then|now),? )*let's (?!not\b|never\b|use\b|stick\b|keep (?!\w+ing\b)|stay\b|"
    r"avoid\b)|\w{3,}en wir (?!nicht\b|kein)",
    re.IGNORECASE,
)
"""What somebody means to do, or proposes: what says how often, when, or what not, may be a rule all the same."""


_TAIL = later(
    r"[,.;] (?:(?:so|and) )?(?:please|pls|can you|could you|would you|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|"
    r"per favore|"
    r"пожалуйста|kannst du|peux-tu|puedes|puoi|pode|можешь)\b,? (?P<after>[^,]{4,80})$|"
    r", (?P<before>[^,]{4,60}),? (?:bitte|por favor|s['’]il (?:te|vous) pla[iî]t|per favore|пожалуйста)[.!]?$",
    re.IGNORECASE,
)
"""What is asked for at the end of a sentence."""
_LOOKS = later(
    r"(?:see|check|find out|look|tell|trace|track|schau\w{0,2}|sieh|prüf\w{0,2}|find\w{0,2} heraus|such\w{0,2}|"
    r"regarde[zr]?|vérifie[zr]?|"
    r"cherche[zr]?|mira|revisa|busca|verifica|comprueba|guarda|controlla|cerca|veja|посмотри\w{0,2}|проверь\w{0,2}|"
    r"узнай\w{0,2})\b",
    re.IGNORECASE,
)
"""How somebody is bidden to find out what became of something."""


_NEVER_DID = later(
    r"\bnever (?:was |were |got )?\w+(?:ed|ame|ent|ot)\b|\bjamais \w+ée?s?\b|\b(?:nunca|jamás) \w+ó\b|"
    r"\bnie \w*(?:an|ge\w+t)\b|"
    r"\bmai \w+[aiu]t[oaie]\b|\bтак и не \w+л",
    re.IGNORECASE,
)


_COURTESY = (
    r"(?:(?:please|pls|bitte|por favor|per favore|s['’]il (?:te|vous) pla[iî]t|пожалуйста|alsjeblieft|proszę|mal|doch|"
    r"noch|kurz|just|also|und|and|then|dann)[, ]{1,2}){0,3}"
)
_ASKS_WHAT = later(
    rf"{_COURTESY}(?:(?:schau|sieh|guck|prüf|find|klär|kuck)\w{{0,2}} (?:[^,.?]{{1,30}})?, ?(?:wo|ob|wann|wer|wen|was|"
    r"wie|warum|wieso|welche\w?)\b|"
    r"(?:see|check|find out|look(?: up| into)?|figure out) (?:whether|where|when|who|why|how|which)\b|"
    r"(?:mira|revisa|averigua|comprueba|verifica|consulta)\w{0,2} (?:por favor )?(?:si|dónde|cuándo|quién|qué|cómo|"
    r"cuánt\w+|por qué)\b|"
    r"(?:regarde|vérifie|cherche)[sz]?,? (?:s['’]il (?:te|vous) pla[iî]t,? )?(?:où|si|quand|qui|pourquoi|comment|"
    r"combien)\b|"
    r"(?:guarda|controlla|verifica|cerca)\w{0,2},? (?:per favore,? )?(?:dov['’]è|dove|se|quando|chi|perché|come|"
    r"quant\w)(?!\w)|"
    r"(?:посмотри|проверь|узнай|выясни)(?:те)?, (?:пожалуйста, )?(?:где|когда|кто|почему|как|сколько|\w+ ли)(?!\w))|"
    r"请?(?:你|您|帮我|麻烦)?(?:去)?(?:看看|看一?下|查查|查一?下)[^，。]{1,24}(?:哪|没有|吗|谁|什么|几|多少|怎么|是否)",
    re.IGNORECASE,
)
"""How something is to be found out: what is asked for is itself a question."""
_COUNTED = later(
    r"(?!(?:rück|halt|lass|bleib|nimm|nutz)\w{0,1} )[^\W\d_]{2,10}(?<!en) (?:(?:bitte|noch|mal|doch|jetzt) ){0,2}"
    r"(?:\d{1,3}|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf) [^\W\d_][^.,?]{2,60} "
    r"(?:an|ab|aus|auf|nach|vor|ein|raus|zusammen|zurück)[.!]?$",
    re.IGNORECASE,
)
"""How something is bidden in German to be done to so many."""
_HELPS = later(
    rf"{_COURTESY}(?:help(?: (?:me|us))?|hilf (?:mir|uns)|helft uns|aide[zr]?[ -](?:moi|nous)|ayúda(?:me|nos)|"
    r"aiuta(?:mi|ci|temi)|ajud[ae](?:-me|-nos)|помоги(?:те)?(?: (?:мне|нам))?|help (?:me|ons)|pomóż (?:mi|nam))"
    r"(?: (?:out|dabei|damit|bitte|here|ici|con est[oa]|mee))?(?:,? (?:please|bitte|s['’]il (?:te|vous) pla[iî]t|"
    r"por favor|per favore|пожалуйста|alsjeblieft|proszę))?[.!]?$|"
    r"请?(?:你|您)?(?:能)?帮(?:帮|一?下)?[我我们]{1,2}(?:一下)?[。！]?$|"
    r"[\u3400-\u9fff\u30a1-\u30fa]{1,4}[ぁ-かがきぎけ-なぬ-んっ]{0,2}て(?:ください|下さい|くれ|ほしい)"
    r"(?:です|ますか|ませんか)?[。！]?$|"
    r"(?:도와|찾아|알려|확인해|살펴|기다려|고쳐|보여|봐) ?(?:주세요|줘요?|주십시오)[.!]?$",
    re.IGNORECASE,
)
"""How somebody asks for help, or for a deed of which nothing more is said."""


def asks_about(text: str) -> bool:
    """Whether a sentence tells what became of something and asks to look after it: its "never" is told."""
    tail = _TAIL.search(text)
    asked = (tail["after"] or tail["before"]) if tail else ""
    told = text[: tail.start()] if tail else ""
    return bool(asked and _LOOKS.match(asked)) and (tells_past(told) or _NEVER_DID.search(told) is not None)


@remembered()
def _lasts(text: str) -> bool:
    """Whether a sentence says how often, when, or what not; what stands at its end may be a part of its verb, and so
    may what leads to what is asked.
    """
    head = _ASKS_WHAT.match(text)
    return LASTING.search(_VERB_END.sub("", text), head.end() if head else 0) is not None


@remembered()
def asks_once(text: str) -> bool:
    """Whether a sentence asks that something at hand be done, and not how often, when, or what not."""
    if _lasts(text):
        return False
    told = any(form.match(text) for form in (_NEXT, _LETTER, _TO_PERSON, _NOW_THIS)) or (
        _TELLS_ME.match(text) is not None and not _FIRST.search(text)
    )
    return (
        told
        or (_APART.match(text) is not None and not _HOW.search(text) and not _STANDING.search(text))
        or _DONE_TO.match(text) is not None
        or _COUNTED.match(text) is not None
        or _AGAIN.search(text) is not None
        or any(form.match(text) for form in (ERRANDS, _ONE_THING, _LOOK, _LET_IT, _ASKS_WHAT, _HELPS))
    )


@remembered()
def bids_once(text: str) -> bool:
    """As `asks_once`, also without a please: for sentences that are no rule by their form."""
    if _lasts(text):
        return False
    told = _TELLS_ME.search(text) is not None and not _FIRST.search(text)
    return told or asks_once(text) or (_BIDS.match(text) is not None and not _HOW.search(text))


def plans(text: str) -> bool:
    """Whether a sentence says what somebody means to do, or proposes, and not how often, when, or what not."""
    return _PLANS.match(text) is not None and not LASTING.search(text)
