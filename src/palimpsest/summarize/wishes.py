"""How people put a rule without giving an order: as a wish, a ban, a limit or a custom, in many languages.

Rules kept here:

- A form counts where a sentence begins with it, and none in a question: "eval is forbidden" in the middle of a story is
  what somebody else said.
- "No" before a name or a plural forbids ("No Docker."); before most other words it tells how things are ("No luck.").
- A wish counts that says how something should be, or what should be used, and none that somebody should come along.
- A limit has a number. A custom says "we", and what is not used, or what else is.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.briefs import is_brief_rule
from palimpsest.summarize.obligations import binds
from palimpsest.summarize.standing import is_standing

_WISHES = {
    "en": (
        r"(?:i|we)(?:'d| would) (?:much |really |strongly |far )?"
        r"(?:prefer\b(?! to (?:go|stay|be|see|eat|have|meet|take)\b)|"
        r"rather (?:(?:you|we|it|this|that|the \w+|they|these|those) (?!c[ao]me\b)\w+|"
        r"not (?:use|add|change|touch|depend|introduce|rely|install|break|edit|commit|push))\b)|"
        r"it(?:'s| is) (?:also |very |really |absolutely |extremely |most )?"
        r"(?:important|essential|crucial|vital|critical|imperative|mandatory|necessary)(?: (?:to|for) (?:me|us))?,? "
        r"(?:that|the|all|every\w*|no|not to|nothing|to (?:keep|use|avoid|preserve|retain|leave|write))\b"
    ),
    "de": (
        r"ich (?:möchte|will|bestehe darauf|lege wert darauf|wünsche mir)(?: (?:nicht|bitte|auch|"
        r"unbedingt))?, dass (?!es\b|ich\b)|"
        r"(?:mir|uns) (?:wäre es|ist es|ist|wäre) (?:sehr )?(?:lieber|wichtig),? (?:dass|wenn)\b|(?:mir|"
        r"uns) wäre lieber\b|"
        r"es ist (?:mir |uns )?(?:sehr |auch )?"
        r"(?:wichtig|wesentlich|entscheidend|unerlässlich|zwingend|nötig|notwendig), dass\b|"
        r"denk(?:e|t)?(?: bitte)? (?:daran|dran), dass\b"
    ),
    "fr": (
        r"je (?:veux|voudrais|préfère|préf[ée]rerais|souhaite|tiens à ce) qu(?:e |')"
        r"(?:t(?:out|oute|ous|outes)|chaque|le|la|les|rien|aucune?|(?:tu |vous )"
        r"(?:n[e']|utilis|gard|laiss|écriv|évit|répond))|"
        r"il est (?:très )?(?:important|essentiel|crucial|impératif|indispensable|obligatoire) (?:qu(?:e |')|de ne)"
    ),
    "es": (
        r"(?:quiero|prefiero|quisiera|preferiría|exijo) que (?:tod[oa]s?|el|la|los|las|cada|no|nunca|nada|"
        r"siempre|s[oó]lo|"
        r"us|utilic|manteng|dej|escrib|evit|respond)|"
        r"es (?:muy )?(?:importante|esencial|crucial|fundamental|imprescindible|obligatorio) que\b"
    ),
    "pt": (
        r"(?:quero|prefiro|preferia|exijo) que (?:tudo|tod[oa]s?|o|a|os|as|cada|não|nunca|nada|sempre|só|"
        r"(?:você )?(?:us|utiliz|mantenh|deix|escrev|evit|respond)\w{0,4})\b|"
        r"é (?:muito )?(?:importante|essencial|crucial|fundamental|imprescindível|obrigatório) que\b"
    ),
    "it": (
        r"(?:voglio|preferisco|vorrei|preferirei|esigo) che (?:tutt[oaie]|ogni|il|la|lo|gli|le|non|nessun\w?|"
        r"niente|sempre|"
        r"(?:tu )?(?:us|utilizz|manteng|lasc|scriv|evit|rispond)\w{0,4})\b|"
        r"è (?:molto )?(?:importante|essenziale|cruciale|fondamentale|indispensabile|obbligatorio) che\b"
    ),
    "nl": (
        r"ik (?:wil|heb liever|zou liever hebben)(?: niet)? dat (?:j[ei]j?|alles|alle|elke?|niets|niemand|"
        r"er)\b|ik wil (?:geen|nooit)\b|"
        r"het is (?:heel |erg )?(?:belangrijk|essentieel|cruciaal|noodzakelijk) dat\b"
    ),
    "nordic": (
        r"(?:jag vill (?:inte )?|jag föredrar |jeg (?:vil|vill)(?: ikke)?(?: have| ha)? |jeg foretrækker |"
        r"jeg foretrekker )"
        r"att?\b|jag vill inte ha\b|det (?:är|er) (?:väldigt |meget |veldig |strängt |strengt )?"
        r"(?:viktigt?|vigtigt|avgörande|afgørende|nödvändigt|nødvendig|förbjudet|forbudt) (?:att?|å)\b"
    ),
    "pl": (
        r"(?:nie )?(?:chcę|chciał[ab]\w{1,3}|wolę|wolał[ab]\w{1,3}), (?:że|a)by(?:(?:ś|ście)? (?:nie|zawsze|"
        r"używał\w*|pisał\w*)| wszystk\w+|"
        r" każd\w+| nikt| nic| nie)\b|"
        r"(?:to )?(?:ważne|istotne|konieczne)(?: jest)?, (?:żeby|aby|by)\b"
    ),
    "ru": (
        r"(?:я )?(?:не )?(?:хочу|хотел бы|хотела бы|предпочитаю|предпоч[её]л бы|предпочла бы), "
        r"чтобы (?:вс[её]|каждый|каждая|никто|ничего|не|ты (?!знал)|вы (?!знали))|"
        r"(?:очень )?(?:важно|необходимо|обязательно), чтобы\b"
    ),
    "tr": r"[^.?!]{0,200}m[ae](?:m[ae])?s[ıi]n[ıi] (?:istiyorum|isterim|istemiyorum|tercih ederim)[.!]?$",
    "zh": r"我(?:更)?(?:倾向于?|偏好|宁愿|宁可)|我(?:希望|要求)(?:你)?(?:只|都|一律|统一|始终|先问)",
    "ja": r"[^？?]{0,200}(?:てほしくない|ないほうがいい|ないようにしたい)",
    "ko": r"[^？?]{0,200}지 않(?:았으면|으면) (?:좋겠|합니다|해요)",
}

_TELLERS = (
    "i he she they it there this that what why if since because my his her their say says access request port "
    "ich er sie es da weil je il elle si él ella se lui lei ele ela я он она они ik hij zij ze jag han hon jeg hun"
)
_ABOUT = (
    rf"(?!(?:{'|'.join(_TELLERS.split())})\b)"
    r"(?:(?! (?:is|are|was|were|had|says?|said|dice|dijo|dit|sagt)\b)[^?\"“„«:;,\n]){1,80}?"
)
"""What a ban is about: at the beginning of a sentence, and nobody who tells something."""
_BE = (
    "is are remains? stays? ist sind est sont está están queda quedan es son fica ficam é são è sono zijn är "
    "er jest są"
)
_VERY = (
    "strictly absolutely completely always also streng strengstens strictement terminantemente severamente strängt "
    "strengt surowo"
)
_BANNED = {
    "en": (
        "forbidden prohibited banned disallowed taboo a\\sno-go out\\sof\\sbounds off[-\\s]limits "
        "out\\sof\\sthe\\squestion "
        "not\\s(?:an\\soption|acceptable|permitted|allowed|to\\sbe\\s(?!found|seen)\\w+)"
    ),
    "de": "ausgeschlossen nicht\\s(?:erlaubt|gestattet|zulässig|erwünscht)",
    "fr": "hors\\sde\\squestion interdite?s? proscrite?s? pas\\sautorisée?s?",
    "es": "prohibid[oa]s? descartad[oa]s? fuera\\sde\\s(?:discusión|cuestión) vetad[oa]s?",
    "pt": "proibid[oa]s? fora\\sde\\s(?:questão|cogitação)",
    "it": "vietat[oaie] proibit[oaie] fuori\\sdiscussione esclus[oaie]",
    "nl": "verboden taboe uitgesloten niet\\s(?:toegestaan|acceptabel)",
    "nordic": (
        "förbju(?:d|t)\\w* forbudte? uteslut\\w+ udelukket utelukket (?:inte|ikke)\\s(?:tillåt\\w+|tilladt|tillatt?)"
    ),
    "pl": "zabronion\\w+ zakazan\\w+ niedopuszczaln\\w+ wykluczon\\w+",
}
_BANS = {
    "is": (
        rf"{_ABOUT} (?:{'|'.join(_BE.split())}) (?:(?:{'|'.join(_VERY.split())}) )?"
        rf"(?:{'|'.join(' '.join(_BANNED.values()).split())})"
        r"(?=[.,;!]|$| (?:in|on|here|for|from|by|without|until|before|after|during|unless|to|under|within|"
        r"everywhere|outside|inside)\b)"
        r"(?![^?\n]{0,200}\b(?:so (?:i|we)|but i|i (?:had|was|got|read|heard|think|guess)|again)\b)|"
        rf"{_ABOUT} (?:is|are) read-only (?:for|to) (?:you|us|me)\b"
    ),
    "en": (
        r"(?:nothing|nobody|no one|none of [^?\n,]{1,30}) "
        r"(?:may|shall|is to|are to|should (?:be|leave|change|go|get|run))\b|"
        r"(?:without|with no) (?:any |new |external |extra |third-party )[\w -]{2,40}s[.!]?$|"
        r"(?:(?!(?:come|go|hand|start|take|look|read|think|turn|bring|send)\b)"
        r"[\w.+-]{2,30} (?:[\w.+-]{2,20} )?(?:instead of|rather than|over)|without|within|"
        r"with no) [^?\n]{1,60},? please[.!]?$"
    ),
    "de": rf"{_ABOUT} (?:kommt|kommen) (?:\w+ )?nicht in ?frage\b",
    "es": r"(?:no se permiten?|no está permitido) \w",
    "nl": (
        r"(?:je|jij|jullie|er) (?:mag|mogen|moet|moeten) [^?.\n]{0,40}?\b(?:nooit|niets?|geen|altijd|alleen)\b|"
        r"(?:raak|wijzig|verander|verwijder|wis|push|commit|gebruik|schrijf|stuur|installeer|zet|laat|maak) "
        r"(?:[^?.\n]{1,60} )?(?:niet|nooit|geen|altijd|alleen)\b"
    ),
    "nordic": (
        r"(?:du|ni|man|der|det|i) (?:får|må|ska|skal|måste) (?:aldrig|aldri|inte|ikke|alltid|altid|bara|kun)\b|"
        r"(?:rör|kör|gör|rør|kør|gør|kjør|använd|brug|bruk|skriv|ändra|ændr|endre|radera|slet|slett|ta|tag|"
        r"pusha|push|skicka|"
        r"send|installera|lägg|läg|legg|svara|svar|håll|hold) "
        r"(?:[^?.\n]{1,40} )?(?:aldrig|aldri|inte|ikke|alltid|altid|bara|kun|inga|ingen|inget)\b"
    ),
    "ru": rf"{_ABOUT} (?:под запретом|недопустим\w?|не допускается|исключены)(?=[.,;!]|$)",
    "tr": r"[^.?!:\"]{1,80} (?:kesinlikle )?(?:yasak|yasaktır|söz konusu (?:değil|olamaz))[.!]?$",
    "zh": r"严禁|不允许|不准许|[^？?：“]{1,40}(?:免谈|不在考虑范围|不予考虑)",
    "ja": (
        r"[^？?「]{1,200}(?:(?<![がはも題係])(?<!でき)(?<!わから)(?<!知ら)ないこと(?:[。！!]|$)|厳禁|"
        r"[はも]不可(?:です|とする)?(?:[。！]|$))|"
        r"(?![^。]{0,200}(?:趣味|夢|好き|楽しみ|目標|問題|理由))[^？?「]{1,200}"
        r"(?:書く|使う|付ける|つける|残す|守る|揃える|用いる|統一する|確認する)こと(?:[。！]|$)"
    ),
    "ko": r"[^？?]{1,200}면 안 (?:됩니다|돼요?|된다)(?:[.!]|$)",
}

_LACKED = {
    "de": (
        (
            r"keine?[nmrs]? ~[\w.+-]{2,30}(?: (?!heute|gestern|mehr|da\b|hier|von|i[mn]\b)[\w.+-]{2,30})?|"
            r"ohne ~\w{2,20}en? \w{2,30}"
        ),
        (
            "problem ahnung zeit lust fehler antwort erfolg änderung wunder sorge stress thema ding ursache "
            "grund zweifel "
            "unterschied ergebnis treffer eile frage chance geld plan idee glück bock internet netz strom "
            "empfang hunger panik "
            "spaß mensch sau schwein schimmer angst kommentar nachricht reaktion warnung ausgabe verbindung "
            "zugriff test sinn"
        ),
    ),
    "fr": (
        r"aucune? ~\w{3,30}(?: \w{2,30})?|sans ~(?:aucune? )?\w{3,30}s \w{3,30}s",
        "idée problème souci erreur réponse résultat doute chance changement nouvelle succès blague",
    ),
    "es": (
        r"sin ~\w{3,30}s(?: \w{3,30}s)?",
        "problema duda noticia gana palabra resultado cambio error novedad comentario",
    ),
    "pt": (
        r"sem ~\w{3,30}s(?: \w{3,30}s)?",
        "problema dúvida notícia palavra resultado erro novidade mudança comentário",
    ),
    "it": (
        r"senza ~\w{3,30}[ei] \w{3,30}[ei]|nessuna? ~\w{3,30} \w{3,30}",
        "problem dubbi notizi parol risultat error novità rispost idea cambiament",
    ),
    "nl": (
        r"geen ~\w[\w.+-]{1,30}(?: (?!meer|vandaag|hier|van|in\b)\w{2,30})?",
        (
            "probleem problemen idee tijd zin fout antwoord succes zorgen verschil resultaat punt wonder "
            "geld reactie kans vraag "
            "nieuws stress"
        ),
    ),
    "nordic": (
        r"ing(?:a|en|et) ~\w[\w.+-]{1,30}(?: (?!idag|i\b|här|her|mer|kvar|tilbage|igjen)\w{2,30})?",
        "problem aning tid fara fel fejl feil svar skillnad idé lust stress ændring endring orsak lycka nyhet årsag",
    ),
    "pl": (
        r"żadn(?:ych|ego|ej) ~\w{3,30}(?: \w{3,30})?|bez ~\w{3,30}(?:ych|ego|ej) \w{3,30}",
        "problem wątpliwo zmian błęd odpowiedzi sens obaw skut powodzeni",
    ),
    "ru": (
        r"никаких ~\w{3,30}(?: \w{3,30})?|без ~\w{3,30}(?:их|ых|ого|ей|ой) \w{3,30}",
        "проблем новост изменени вопрос сомнени ошиб ответ толк поняти",
    ),
}
"""How a few words without a verb forbid something, and what is only missing, or told, where it stands at the ~."""
_LACKING = "|".join(
    form.replace("~", rf"(?!(?:{'|'.join(told.split())})\w{{0,4}}\b)") for form, told in _LACKED.values()
)

_AMOUNT = r"(?:[^\s,.?]{1,20} ){0,3}[^\s\d?]{0,3}\d[\d.,]{0,12}[^\s,?]{0,12}"
_MOST = (
    "max(?:imum|imal|imaal|imalt)?\\.? minimum not?\\s(?:more|longer|larger)\\sthan not\\sover höchstens "
    "mindestens nicht\\smehr\\sals "
    "au\\smaximum au\\splus pas\\splus\\sde como\\smáximo máximo no\\smás\\sde no\\smáximo não\\smais\\s(?:de|que) "
    "al\\smassimo massimo non\\spiù\\sdi hoogstens niet\\smeer\\sdan högst inte\\smer\\sän højst høyst "
    "maks\\w{0,5}\\.? "
    "ikke\\smere?\\s(?:end|enn) maksymalnie najwyżej nie\\swięcej\\sniż максимум не\\sболее не\\sбольше en\\sfazla"
)
_LIMITS = (
    rf"(?:{'|'.join(_MOST.split())}) {_AMOUNT}(?: (?!(?:is|was|are|were)\b)[^\s,.?]{{1,24}}){{0,5}}[.!]?$|"
    r"(?:最多|至多|不超过|最大)\s?\d[^，。？?\n]{0,16}[。！]?$|최대 \d[^?\n]{0,20}$|"
    r"(?:the|our|my|your) (?:(?:hard|upper|absolute|total|overall|monthly|size|line|word|memory|time|page) )?"
    r"(?:budget|limit|max|maximum|minimum|deadline|cap|ceiling)(?: (?:for|per|of) [^?.,\n]{1,40})? (?:is|stays at) "
    rf"{_AMOUNT}|"
    r"(?:(?:das|unser|mein|le|notre|mon|el|nuestro|mi|o|nosso|meu|il|nostro|mio|het|ons|mijn|наш) )?"
    r"(?:budget(?:en)?|limit|presupuesto|límite|orçamento|limite|budżet|бюджет|лимит) "
    rf"(?:ist|liegt bei|beträgt|est de|es de|é de|è di|is|wynosi|är|er|—|-) {_AMOUNT}|"
    rf"(?:please )?(?:stay|remain|keep) (?:\w+ ){{0,2}}?(?:within|under|below) (?:{_AMOUNT}|(?:the|our|my|this) "
    r"(?:budget|limit)s?)|"
    r"(?!(?:i|he|she|they|we|it) (?!is\b|has\b|must\b))[^?\n]{0,120}\d[^?\n]{0,60}, (?:but )?(?:not?|never) "
    r"(?:more|less|longer|later|earlier)[.!]?$|"
    r"(?!(?:i|he|she|they|it|there)\b)[^?\n]{3,120}, (?:and )?(?:nowhere|nothing|nobody|no one) else[.!]?$"
)

_USE = {
    "en": (
        "use accept allow support commit ship store log track mock deploy rely\\son depend\\son write import "
        "merge push "
        "publish release target name format indent document vendor pin"
    ),
    "de": (
        "verwenden benutzen nutzen schreiben akzeptieren erlauben unterstützen committen pushen speichern "
        "deployen setzen "
        "loggen importieren mergen veröffentlichen"
    ),
}
_WE_USE, _WIR_NUTZEN = ("|".join(verbs.split()) for verbs in _USE.values())
_CUSTOMS = {
    "en": (
        r"(?:(?:here|as a rule),? )?"
        r"(?!we [^?.\n]{0,20}\b(?:it|them|that|this|those|these|him|her|any of|each other)\b)we (?:"
        rf"(?:don't|do not|no longer|never)(?: ever)? (?:{_WE_USE})\b|"
        rf"(?:only|always|exclusively|strictly) (?:{_WE_USE})\b|"
        rf"(?:{_WE_USE})\b[^?.\n]{{1,60}}?(?:,? (?:not|never|instead of|rather than)\b|"
        r"(?<!\bget) (?:here|everywhere|exclusively|throughout|in (?:this|our) (?:project|repo\w*|team|"
        r"code\w*|company))"
        r"(?=[,.!]|$)))(?![^?\n]{0,200}\b(?:so (?:i|it|we)|because|any ?more|yet|anywhere|much|often|a lot|"
        r"yesterday|last)\b)|"
        rf"in (?:this|our) (?:project|repo\w*|team|code\w*|company),? we (?:{_WE_USE})\b|"
        r"(?:my|our|house|team|project) (?:\w+ )?(?:rule|convention|policy|standard|guideline|style(?: guide)?)s?"
        r"(?: (?:here|for [^?:.\n]{1,40}))?(?:: |,? (?:is|are|says?|requires?|demands?|forbids?) (?:that|to|"
        r"no|one|not|never)\b)"
    ),
    "de": (
        rf"(?:bei uns |hier )?(?:wir|man) (?:{_WIR_NUTZEN}) (?:hier |bei uns |im projekt |auf )?"
        r"(?:keine?[nmrs]?|nie|niemals|nur|ausschließlich|immer|grundsätzlich)\b|"
        rf"(?:bei uns|hier) (?:{_WIR_NUTZEN}) wir\b|[\w.+-]{{2,30}} statt [\w.+-]{{2,30}},? bitte"
    ),
    "fr": (
        r"(?:nous|on) (?:n'(?:utilis|accept|autoris|import)\w{1,4} (?:pas|jamais|plus|aucun|que)|"
        r"(?:utilis|accept|écriv)\w{1,4} (?:toujours|uniquement|seulement|exclusivement))\b|"
        r"[\w.+-]{2,30} (?:au lieu de|plutôt que) [\w.+-]{2,30},? s'il"
    ),
    "es": (
        r"(?:aquí |nosotros )?(?:(?:no|nunca|s[oó]lo|siempre) (?:usamos|utilizamos|aceptamos|permitimos)|"
        r"(?:usamos|utilizamos) (?:s[oó]lo|siempre|únicamente))\b(?![^?\n]{0,40} (?:mucho|casi|a menudo)\b)"
    ),
    "pt": (
        r"(?:aqui |nós )?(?:(?:não|nunca|só|apenas|sempre) (?:usamos|utilizamos|aceitamos|permitimos)|"
        r"(?:usamos|utilizamos) (?:só|apenas|sempre|somente))\b(?![^?\n]{0,40} (?:muito|quase)\b)"
    ),
    "it": (
        r"(?:qui |noi )?(?:(?:non|solo) (?:usiamo|utilizziamo|accettiamo|permettiamo)|"
        r"(?:usiamo|utilizziamo) (?:solo|soltanto|sempre|esclusivamente))\b(?![^?\n]{0,40} (?:molto|quasi|spesso)\b)"
    ),
    "nl": r"(?:we|wij) (?:gebruiken|accepteren|schrijven)(?: hier)? (?:geen|nooit|alleen|altijd|uitsluitend)\b",
    "nordic": (
        r"vi (?:använder|bruger|bruker|accepterer|aksepterer|accepterar|skriver)(?: här| her)? "
        r"(?:inte|ikke|aldrig|aldri|bara|endast|kun|alltid|altid|inga|ingen|inget)\b"
    ),
    "pl": r"(?:u nas |my )?(?:(?:nigdy )?nie używamy|używamy (?:tylko|wyłącznie|zawsze)|nie akceptujemy)\b",
    "ru": (
        r"(?:у нас |мы )(?:здесь )?"
        r"(?:не используем|не применяем|используем только|всегда используем|не принимаем)\b"
    ),
    "tr": r"(?:biz |burada )[^.?!]{0,80}(?:kullanmıyoruz|kullanmayız|kabul etmiyoruz)[.!]?$",
    "zh": (
        r"我们(?:这里|这边|项目里?|团队)?(?:从来|一律|都)?不(?:使用|用(?![担管急怕了再谢来去等说]))|"
        r"我们(?:一律|统一)"
    ),
    "ja": (
        r"(?:うち|当社|私たち|我々|このプロジェクト|チーム)[はで][^？?]{1,80}"
        r"使(?:わない|いません|用しません|っていません)"
    ),
    "ko": r"(?:우리|저희)[^？?]{1,80}(?:쓰지|사용하지) 않(?:습니다|아요|는다)",
}

_PUT = later(
    r"(?:(?:and|but|also|so|und|aber|et|mais|y|pero|e|mas|ma|и|но|a|ale|en|maar|och|men|og|ve|ama),? )?(?:please )?"
    rf"(?:{'|'.join((*_WISHES.values(), *_BANS.values(), _LIMITS, *_CUSTOMS.values()))}|(?:{_LACKING})(?:[.!]?$|; ))",
    re.IGNORECASE,
)
_TOLD = (
    "luck idea clue problem issue error warning failure change result difference worr question comment hit "
    "match answer "
    "update response repl news sign trace doubt wonder one matter need thank way plan regret excuse kidding "
    "joke reason "
    "chance rush hurry pressure time sense progress success effect signal output visitor message mail email "
    "call friend "
    "complaint surprise longer such test file log offen[cs]e conflict sibling kid pet child memor detail symptom "
    "expectation obligation string guarantee promise limit words this is was has does yes less stress access process "
    "business loss always unless lies feeling pun internet wifi power"
)
_NO_MORE = later(
    rf"(?:and |but |also |please,? )?no (?!(?:[\w.+-]{{1,20}} )?(?:{'|'.join(_TOLD.split())})\w{{0,3}}\b)"
    r"(?:[a-z][\w.+-]{1,24} ){0,2}[a-z-]{3,24}s"
    r"(?:[.!]{0,2}$|, (?!no\b|just\b|i\b|he\b|she\b|they\b|it\b|but\b|only\b|so\b))",
    re.IGNORECASE,
)
_NO_NAME = later(
    r"(?:[Aa]nd |[Bb]ut |[Aa]lso |[Pp]lease,? )?[Nn]o (?:(?:new|more|extra) )?"
    r"(?![^?\n]{0,60}\b(?:found|available|installed|detected|running|working|yet|left|response|errors?|output)\b)"
    r"(?!Internet|Wi-?[Ff]i|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
    r"(?:[A-Z][\w.+-]{1,24}|[a-z]{1,8}[A-Z][\w.+-]{1,24})(?: (?!today\b|either\b)\w{1,20}){0,2}"
    r"(?:(?:,| and| or) no [A-Z]\w{1,24}|(?:,| and| or) no [a-z]{1,8}[A-Z]\w{1,24}){0,3}(?:,? (?:please|"
    r"thanks|at all))?[.!]?$"
)
"""A name, or a word in several cases, that is not wanted: in capitals it is no lack."""
_QUESTION = later(r"[?？؟]\W{0,2}$")
_MATTERS = {
    "en": (
        "whatever\\s(?:you\\sdo|happens|else)[^,:\\n]{0,30} no\\smatter\\swhat(?:\\shappens)? "
        "in\\sany\\scase either\\sway "
        "by\\sthe\\sway btw fyi just\\sso\\syou\\sknow as\\s(?:agreed|discussed|always) for\\sthe\\srecord "
        "(?:a\\s)?reminder note important (?:oh,?\\s)?(?:and\\s)?one\\s(?:(?:more|other|last)\\s)?thing rule "
        "(?:just\\s)?(?:to\\srepeat|once\\smore|again) as\\si\\s(?:already\\s)?said "
        "(?:tests|commits|linting|formatting|naming|logging|docs|dependencies|imports|branches|comments|replies|answers)"
    ),
    "de": (
        "egal\\swas(?:\\sdu\\stust|\\spassiert)? auf\\sjeden\\sfall übrigens hinweis wichtig regel "
        "(?:noch\\s?(?:ein)?mal) wie\\sgesagt"
    ),
    "fr": "quoi\\squ'il\\sarrive règle au\\sfait je\\srépète comme\\sdit",
    "es": "pase\\slo\\sque\\spase importante regla repito como\\sdije",
    "pt": "aconteça\\so\\sque\\sacontecer regra",
    "it": "qualunque\\scosa\\saccada regola",
    "ru": "что\\sбы\\sни\\sслучилось важно правило повторяю как\\sя\\sговорила?",
    "pl": "ważne zasada",
    "nl": "belangrijk",
    "nordic": "viktigt? vigtigt",
    "tr": "önemli kural",
    "zh": "重要 注意 规则 另外 对了 再说一遍",
    "ja": "補足",
    "ko": "중요",
}
LEADING = later(rf"(?:{'|'.join(' '.join(_MATTERS.values()).split())})[,:，：] ?", re.IGNORECASE)
"""How a sentence begins that says first that what follows matters."""


def puts_rule(text: str) -> bool:
    """Whether a sentence puts a rule as a wish, a ban, a limit or a custom; a question puts none."""
    if _QUESTION.search(text):
        return False
    return (
        any(form.match(text) is not None for form in (_PUT, _NO_MORE, _NO_NAME))
        or is_brief_rule(text)
        or is_standing(text)
        or binds(text)
    )
