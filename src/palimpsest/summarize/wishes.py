"""How people put a rule without giving an order: as a wish, a ban, a limit or a custom, in many languages.

Rules kept here:

- A form counts where a sentence begins with it, and none in a question: "eval is forbidden" in the middle of a story is
  what somebody else said.
- "No" before a name or a plural forbids ("No Docker."); before most other words it tells how things are ("No luck.").
- A limit has a number. A custom says "we", and what is not used, or what else is.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_TOLD = "|".join(
    (
        "luck idea clue problem issue error warning failure change result difference worr question "
        "comment hit match answer update response repl news sign trace doubt wonder one matter need thank "
        "way plan regret excuse kidding joke reason chance rush hurry pressure time sense "
        "progress success effect signal output visitor message mail email call friend complaint surprise "
        "longer such test file log match offen[cs]e conflict sibling "
        "kid pet child memor detail symptom expectation obligation string guarantee promise "
        "limit words this is was has does yes less stress access process business loss always unless lies"
    ).split()
)
_TOLD_DE = "|".join(
    (
        "problem ahnung zeit lust fehler antwort erfolg änderung wunder sorge stress thema ding ursache "
        "grund zweifel unterschied ergebnis treffer eile frage chance geld plan idee glück bock internet "
        "netz strom empfang hunger panik spaß mensch sau schwein schimmer angst kommentar nachricht "
        "reaktion warnung ausgabe verbindung zugriff test sinn"
    ).split()
)
_WE_DO = "|".join(
    (
        "use accept allow support commit ship store log track mock deploy rely\\son depend\\son write import "
        "merge push publish release target call name format indent run host speak document vendor pin"
    ).split()
)
_WE_DO_DE = "|".join(
    (
        "verwenden benutzen nutzen schreiben akzeptieren erlauben unterstützen committen pushen speichern "
        "deployen setzen loggen importieren mergen veröffentlichen"
    ).split()
)
_WISHES = {
    "en": (
        r"(?:i|we)(?:'d| would) (?:much |really |strongly |far )?(?:prefer\b(?! to (?:go|stay|be|see|eat|"
        r"have|meet))|"
        r"rather (?:(?:you|we|it|this|that|the \w+|they|these|those) (?:did|do|was|were|had|not|never|"
        r"stay|kept|used?)\w*|"
        r"not (?:use|add|change|touch|depend|introduce|rely|install|break|edit|commit|push)))\b|"
        r"it(?:'s| is) (?:also |very |really |absolutely |extremely |most )?"
        r"(?:important|essential|crucial|vital|critical|imperative|mandatory|necessary)(?: (?:to|for) "
        r"(?:me|us))?,? "
        r"(?:that\b|the\b|all\b|every|no\b|not to\b|nothing\b|to (?:keep|use|avoid|preserve|support|"
        r"retain|leave|write)\b)"
    ),
    "de": (
        r"ich (?:möchte|will|bestehe darauf|lege wert darauf|wünsche mir)(?: (?:nicht|bitte|auch|"
        r"unbedingt))?, dass\b|"
        r"(?:mir|uns) (?:wäre es|ist es|ist|wäre) (?:sehr )?(?:lieber|wichtig),? (?:dass|wenn)\b|"
        r"(?:mir|uns) wäre lieber\b|es ist (?:mir |uns )?(?:sehr |auch )?"
        r"(?:wichtig|wesentlich|entscheidend|unerlässlich|zwingend|nötig|notwendig), (?:dass|\w+ nicht)\b|"
        r"denk(?:e|t)?(?: bitte)? (?:daran|dran), dass\b"
    ),
    "fr": (
        r"je (?:veux|voudrais|préfère|préférerais|souhaite|tiens à ce|préfèrerais) (?:que|qu')(?! (?:tu "
        r"saches|vous sachiez))|"
        r"il est (?:très )?(?:important|essentiel|crucial|impératif|indispensable|obligatoire) (?:que|qu'|de ne)"
    ),
    "es": (
        r"(?:yo )?(?:quiero|prefiero|quisiera|preferiría|exijo) que (?!sepas|me\b|mi\b)|"
        r"es (?:muy )?(?:importante|esencial|crucial|fundamental|imprescindible|obligatorio) que\b"
    ),
    "pt": (
        r"(?:eu )?(?:quero|prefiro|exijo|preferia) que (?!você saiba|saibas|me\b)|"
        r"é (?:muito )?(?:importante|essencial|crucial|fundamental|imprescindível|obrigatório) que\b"
    ),
    "it": (
        r"(?:voglio|preferisco|vorrei|preferirei|esigo) che (?!tu sappia|mi\b)|"
        r"è (?:molto )?(?:importante|essenziale|cruciale|fondamentale|indispensabile|obbligatorio) che\b"
    ),
    "nl": (
        r"ik (?:wil|heb liever|zou liever hebben|zou graag willen)(?: niet)? dat\b|ik wil (?:geen|nooit)\b|"
        r"het is (?:heel |erg )?(?:belangrijk|essentieel|cruciaal|noodzakelijk) dat\b"
    ),
    "nordic": (
        r"(?:jag vill (?:inte )?|jag föredrar |jeg (?:vil|vill)(?: ikke)?(?: have| ha)? |jeg foretrækker "
        r"|jeg foretrekker )att?\b|jag vill inte ha\b|det (?:är|er) (?:väldigt |meget |veldig )?"
        r"(?:viktigt?|vigtigt|avgörande|afgørende|nödvändigt|nødvendig) att?\b"
    ),
    "pl": (
        r"(?:nie )?(?:chcę|chciałbym|chciałabym|wolę|wolałbym|wolałabym), (?:żeby|aby|by)(?:ś|ście)?\b|"
        r"(?:to )?(?:ważne|istotne|konieczne)(?: jest)?, (?:żeby|aby|by)\b"
    ),
    "ru": (
        r"(?:я )?(?:не )?(?:хочу|хотел бы|хотела бы|предпочитаю|предпоч[её]л бы|предпочла бы), "
        r"чтобы\b(?! ты знал)|(?:очень )?(?:важно|необходимо|обязательно), чтобы\b"
    ),
    "tr": r"[^.?!]{0,200}m[ae](?:m[ae])?s[ıi]n[ıi] (?:istiyorum|isterim|istemiyorum|tercih ederim)[.!]?$",
    "zh": r"我(?:更)?(?:倾向于?|偏好|宁愿|宁可)|我(?:希望|要求)(?:你)?(?:只|都|一律|统一|始终|先问)",
    "ja": r"[^？?]{0,200}(?:てほしくない|ないほうがいい|ないようにしたい)",
    "ko": r"[^？?]{0,200}지 않(?:았으면|으면) (?:좋겠|합니다|해요)",
}
_SUBJECT = (
    r"(?!(?:i|he|she|they|it|there|this|that|what|why|if|since|because|my|his|her|their|says?|ich|er|sie|"
    r"es|da|weil|je|il|"
    r"elle|si|él|ella|se|lui|lei|ele|ela|я|он|она|они|ik|hij|zij|ze|jag|han|hon|jeg|hun|access|request|port)\b)"
)
_BANS = {
    "en": (
        rf"{_SUBJECT}[^?\"“:;,\n]{{1,80}}? (?:is|are|remains?|stays?) (?:strictly |absolutely |"
        rf"completely |always |also )?"
        r"(?:(?:forbidden|prohibited|banned|disallowed|taboo|a no-go|out of bounds|off[- ]limits|"
        r"out of the question|not (?:an option|acceptable|permitted|to be \w+))(?=[.,;!]|$| (?:in|on|"
        r"here|for|from|by|"
        r"without|until|to|and|or|under|within|everywhere|outside|inside)\b)(?![^?\n]{0,200}\b(?:so i|"
        r"but i|i (?:had|was|got)|"
        r"in (?:germany|france|china|\w+land)|again)\b)|read-only (?:for (?:you|us|me|now)|to (?:you|us)))|"
        r"(?:nothing|nobody|no one|none of [^?\n,]{1,30}) (?:may|should|can|shall|is to|are to)\b|"
        r"(?:without|with no) (?:any |new |external |extra |third-party )[\w -]{2,40}s[.!]?$"
    ),
    "de": (
        rf"{_SUBJECT}[^?\"„:;,\n]{{1,80}}? (?:(?:kommt|kommen) (?:\w+ )?nicht in frage|(?:ist|sind) (?:\w+ )?"
        r"(?:ausgeschlossen|nicht (?:erlaubt|gestattet|zulässig|erwünscht)))(?=[.,;!]|$)|"
        rf"keine?[nmrs]? (?!(?:{_TOLD_DE})\w{{0,3}}\b)[\w.+-]{{2,30}}(?: [\w.+-]{{2,30}}){{0,1}}[.!]?$|"
        rf"keine?[nmrs]? (?!(?:\w+ )?(?:{_TOLD_DE})\w{{0,3}}\b)\w{{2,20}}e[nrs]? \w{{2,30}}[.!]?$|"
        rf"ohne (?!(?:{_TOLD_DE})\w{{0,3}}\b)\w{{2,20}}en? \w{{2,30}}[.!]?$"
    ),
    "fr": (
        rf"{_SUBJECT}[^?\"«:;,\n]{{1,80}}? (?:est|sont) (?:hors de question|(?:strictement "
        rf")?(?:interdite?s?|proscrite?s?)|"
        r"pas autorisée?s?)(?=[.,;!]|$)|aucune? (?!idée|problème|souci|erreur|réponse|résultat|doute|"
        r"chance|changement)\w{3,30}(?: \w{2,30})?[.!]?$|"
        r"sans (?!doute|problème|souci|succès|réponse|résultat|nouvelle)(?:aucune? )?\w{3,30}s \w{3,30}s[.!]?$"
    ),
    "es": (
        rf"{_SUBJECT}[^?\"«:;,\n]{{1,80}}? (?:está|están|queda|quedan) (?:terminantemente )?(?:prohibid[oa]s?|"
        r"descartad[oa]s?|fuera de (?:discusión|cuestión)|vetad[oa]s?)(?=[.,;!]|$)|"
        r"sin (?!problemas|dudas|noticias|ganas|palabras|resultados|cambios|errores|"
        r"novedades)\w{3,30}s(?: \w{3,30}s)?[.!]?$"
    ),
    "pt": (
        rf"{_SUBJECT}[^?\"«:;,\n]{{1,80}}? (?:está|estão|fica|ficam|é|são) (?:terminantemente )?(?:proibid[oa]s?|"
        r"fora de (?:questão|cogitação)|vetad[oa]s?)(?=[.,;!]|$)|"
        r"sem (?!problemas|dúvidas|notícias|palavras|resultados|erros|novidades|mudanças)\w{3,30}s(?: "
        r"\w{3,30}s)?[.!]?$"
    ),
    "it": (
        rf"{_SUBJECT}[^?\"«:;,\n]{{1,80}}? (?:è|sono) (?:severamente )?(?:vietat[oaie]|proibit[oaie]|"
        rf"fuori discussione|"
        r"esclus[oaie])(?=[.,;!]|$)|"
        r"senza (?!problemi|dubbi|notizie|parole|risultati|errori|novità)\w{3,30}[ei] \w{3,30}[ei][.!]?$|"
        r"nessuna? (?!problema|dubbio|errore|risposta|risultato|idea|notizia|cambiamento|novità)\w{3,30} "
        r"\w{3,30}[.!]?$"
    ),
    "nl": (
        rf"{_SUBJECT}[^?\"„:;,\n]{{1,80}}? (?:is|zijn|blijft|blijven) (?:streng )?(?:verboden|taboe|uitgesloten|"
        r"niet (?:toegestaan|acceptabel))(?=[.,;!]|$)|"
        r"(?:je|jij|jullie|er) (?:mag|mogen|moet|moeten) [^?.\n]{0,40}?\b(?:nooit|niets?|geen|altijd|alleen)\b|"
        r"(?!(?:ik|je|jij|hij|zij|ze|we|wij|het|dat|dit|er|wie|nog|bijna|echt|ook|nu|en|maar|weet|denk|"
        r"heb|snap|begrijp|kan|"
        r"wil|zal|was|ben|is|had|nee|ja|toch|vaak|zo)\b)\w{2,20}[^\Wt] (?:nooit|geen|altijd|alleen|niet)\b|"
        r"geen (?!probleem|idee|tijd|zin|fout|antwoord|succes|zorgen|verschil|resultaat|punt|wonder|geld|"
        r"reactie|kans|vraag)\w[\w.+-]{1,30}(?: \w{2,30}){0,1}[.!]?$"
    ),
    "nordic": (
        rf"{_SUBJECT}[^?\"„:;,\n]{{1,80}}? (?:är|er|blir) (?:strengt |strängt )?(?:förbju(?:d|t)\w*|"
        rf"forbudte?|tabu|"
        r"uteslut\w+|udelukket|utelukket|(?:inte|ikke) (?:tillåt\w+|tilladt|tillatt?))(?=[.,;!]|$)|"
        r"(?:du|ni|man|der|det|vi|i) (?:får|må|ska|skal|måste) (?:aldrig|aldri|inte|ikke|alltid|altid|"
        r"bara|kun)\b|"
        r"(?!(?:jag|du|han|hon|den|det|vi|ni|dom|de|som|att|så|nu|men|och|ännu|nästan|helt|också|man|om|"
        r"här|kan|ska|vill|vil|skal|må|jeg|hun|kunde|og|är|ved|vet|nej|nei|ja)\b)(?:rör|kör|gör|rør|kør|gør|kjør|"
        r"\w{1,20}[^\Wre]) (?:aldrig|aldri|inte|ikke|alltid|altid|bara|kun|inga|ingen|inget)\b|"
        r"(?:inga|ingen|inget) (?!problem|aning|tid|fara|fel|fejl|feil|svar|skillnad|idé|lust|stress|"
        r"ændringer|orsak|lycka)\w[\w.+-]{1,30}(?: \w{2,30}){0,1}[.!]?$"
    ),
    "pl": (
        r"żadn(?:ych|ego|ej) (?!problem|wątpliwo|zmian|błęd|odpowiedzi)\w{3,30}(?: \w{3,30})?[.!]?$|"
        r"bez (?!problem|zmian|odpowiedzi|sensu|obaw|skutku|powodzenia)\w{3,30}(?:ych|ego|ej) \w{3,30}[.!]?$|"
        rf"{_SUBJECT}[^?\"„:;,\n]{{1,80}}? (?:jest|są) (?:surowo )?(?:zabronion\w+|zakazan\w+|niedopuszczaln\w+|"
        r"wykluczon\w+)(?=[.,;!]|$)"
    ),
    "ru": (
        r"никаких (?!проблем|новостей|изменений|вопросов|сомнений|ошибок)\w{3,30}(?: \w{3,30})?[.!]?$|"
        r"без (?!проблем|изменений|ответа|толку|сомнения)\w{3,30}(?:их|ых|ого|ей|ой) \w{3,30}[.!]?$|"
        rf"{_SUBJECT}[^?\"«:;,\n]{{1,80}}? (?:под запретом|недопустим\w?|не допускается|исключены)(?=[.,;!]|$)"
    ),
    "tr": r"[^.?!:\"]{1,80} (?:kesinlikle )?(?:yasak|yasaktır|söz konusu (?:değil|olamaz))[.!]?$",
    "zh": r"严禁|[^？?：“]{1,40}(?:免谈|不在考虑范围|不予考虑)",
    "ja": (
        r"[^？?「]{1,200}(?:(?<!でき)(?<!わから)(?<!知ら)(?<!題)(?<!係)ないこと(?:[。！!]|$)|厳禁|(?:は|も)不可(?:です|とする)?(?:[。！]|$))"
    ),
    "ko": r"[^？?]{1,200}면 안 (?:됩니다|돼요?|된다)(?:[.!]|$)",
}
_AMOUNT = r"(?:[^\s,.?]{1,20} ){0,3}[^\s\d?]{0,3}\d[\d.,]{0,12}[^\s,?]{0,12}"
_MOST = (
    r"max(?:imum|imal|imaal|imalt)?\.?|minimum|no(?:t)? more than|not over|höchstens|mindestens|nicht "
    r"mehr als|au maximum|"
    r"au plus|pas plus de|como máximo|máximo|no más de|no máximo|não mais (?:de|que|do que)|al massimo|"
    r"massimo|non più di|"
    r"hoogstens|niet meer dan|högst|inte mer än|højst|maks\w{0,5}\.?|høyst|ikke mer(?:e)? (?:end|enn)|"
    r"maksymalnie|najwyżej|nie więcej niż|максимум|не более|не больше|en fazla"
)
_LIMITS = (
    rf"(?:{_MOST}) {_AMOUNT}(?: [^\s,.?]{{1,24}}){{0,5}}[.!]?$|"
    r"(?:最多|至多|不超过|最大)\s?\d[^，。？?\n]{0,16}[。！]?$|최대 \d[^?\n]{0,20}$|"
    r"(?:the|our|my|your) (?:hard |upper |absolute |total |overall |monthly |size |line |word |memory |"
    r"time |page )?"
    rf"(?:budget|limit|maximum|minimum|deadline|cap|ceiling)(?: (?:for|per|of) [^?.,\n]{{1,40}})? (?:is|"
    rf"stays at) {_AMOUNT}|"
    rf"(?:das|unser|mein|le|notre|mon|el|nuestro|mi|o|nosso|meu|il|nostro|mio|het|ons|mijn|budgeten|"
    rf"budsjettet|бюджет|наш)? ?"
    rf"(?:budget|limit|presupuesto|límite|orçamento|limite|budżet|бюджет|лимит) (?:ist|liegt bei|beträgt|"
    rf"est de|es de|é de|è di|is|wynosi|är|er|—|-) {_AMOUNT}|"
    rf"(?:please )?(?:stay|remain|keep) (?:\w+ )?(?:within|under|below) (?:{_AMOUNT}|(?:the|our|my|this) "
    rf"(?:budget|limit)s?)|"
    r"(?!(?:i|he|she|they|we|it) (?!is\b|has\b|must\b))[^?\n]{0,120}\d[^?\n]{0,60}, (?:but )?(?:not?|never) "
    r"(?:more|less|longer|later|earlier)[.!]?$|"
    r"(?!(?:i|he|she|they|it|there)\b)[^?\n]{3,120}, (?:and )?(?:nowhere|nothing|nobody|no one) else[.!]?$"
)
_PLACE = (
    r"(?:here|everywhere|exclusively|throughout|in (?:this|our) (?:project|repo\w*|team|code\w*|company))"
)
_CUSTOMS = {
    "en": (
        rf"(?:here |in this \w+ |at \w+ |as a rule )?,?\s?we (?:(?:don't|do not|no longer|never)(?: "
        rf"ever)? (?:{_WE_DO})\b"
        r"(?! (?:it|them|that|this|those|these|any of)\b)|"
        rf"(?:only|always|exclusively|strictly) (?:{_WE_DO})\b|"
        rf"(?:{_WE_DO})\b[^?.\n]{{1,60}}?(?:,? (?:not|never|instead of|rather than)\b|\b{_PLACE}(?=[,.!]|$)))"
        r"(?![^?\n]{0,200}\b(?:so (?:i|it|we)|because|any ?more|yet|anywhere|yesterday|last)\b)|"
        r"(?:my|our|house|team|project) (?:\w+ )?(?:rule|convention|policy|standard|guideline|custom)s?"
        r"(?: (?:here|for [^?:.\n]{1,40}))?(?:: |,? (?:is|are|says?|requires?|demands?|forbids?) (?:that|"
        r"to|no|one|not|never)\b)|"
        r"\S{2,30}(?: \S{2,20})? (?:instead of|rather than) \S{2,30}(?: \S{2,20})?,? please[.!]?$"
    ),
    "de": (
        rf"(?:bei uns |hier )?(?:wir|man) (?:{_WE_DO_DE}) (?:hier |bei uns |im projekt |auf )?"
        r"(?:keine?[nmrs]?|nie|niemals|nur|ausschließlich|immer|grundsätzlich)\b(?! mehr,)|"
        rf"(?:bei uns|hier) (?:{_WE_DO_DE}) wir\b|[\w.+-]{{2,30}} statt [\w.+-]{{2,30}},? bitte"
    ),
    "fr": (
        r"(?:nous|on) (?:n'(?:utilis|accept|autoris|import)\w{1,4} (?:pas|jamais|plus|aucun|que)|"
        r"(?:utilis|accept|écriv)\w{1,4} (?:toujours|uniquement|seulement|exclusivement))\b|"
        r"[\w.+-]{2,30} (?:au lieu de|plutôt que) [\w.+-]{2,30},? s'il"
    ),
    "es": (
        r"(?:aquí |nosotros )?(?:no|nunca|solo|sólo|siempre) (?:usamos|utilizamos|aceptamos|permitimos)\b|"
        r"(?:aquí )?(?:usamos|utilizamos) (?:solo|sólo|siempre|únicamente)\b"
    ),
    "pt": (
        r"(?:aqui |nós )?(?:não|nunca|só|apenas|sempre) (?:usamos|utilizamos|aceitamos|permitimos)\b|"
        r"(?:aqui )?(?:usamos|utilizamos) (?:só|apenas|sempre|somente)\b"
    ),
    "it": (
        r"(?:qui |noi )?(?:non|solo) (?:usiamo|utilizziamo|accettiamo|permettiamo)\b|"
        r"(?:qui )?(?:usiamo|utilizziamo) (?:solo|soltanto|sempre|esclusivamente)\b"
    ),
    "nl": (
        r"(?:we|wij) (?:gebruiken|accepteren|schrijven)(?: hier)? (?:geen|nooit|alleen|altijd|uitsluitend)\b"
    ),
    "nordic": (
        r"vi (?:använder|bruger|bruker|accepterer|aksepterer|accepterar|skriver)(?: här| her)? "
        r"(?:inte|ikke|aldrig|aldri|bara|endast|kun|alltid|altid|inga|ingen|inget)\b"
    ),
    "pl": (
        r"(?:u nas |my )?(?:nie używamy|nigdy nie używamy|używamy (?:tylko|wyłącznie|zawsze)|nie akceptujemy)\b"
    ),
    "ru": (
        r"(?:у нас |мы )(?:здесь )?(?:не используем|не применяем|используем только|всегда используем|"
        r"не принимаем)\b"
    ),
    "tr": r"(?:biz |burada )[^.?!]{0,80}(?:kullanmıyoruz|kullanmayız|kabul etmiyoruz)[.!]?$",
    "zh": r"我们(?:这里|这边|项目里?|团队)?(?:从来|一律|都)?不(?:使用|用(?!担心|管|急|怕|了|再))|我们(?:一律|统一)",
    "ja": (
        r"(?:うち|当社|私たち|我々|このプロジェクト|チーム)[はで][^？?]{1,80}"
        r"使(?:わない|いません|用しません|っていません)"
    ),
    "ko": r"(?:우리|저희)[^？?]{1,80}(?:쓰지|사용하지) 않(?:습니다|아요|는다)",
}
_PUT = later(
    r"(?:(?:and|but|also|so|und|aber|et|mais|y|pero|e|mas|ma|и|но|a|ale|en|maar|och|men|og|ve|ama),? "
    r")?(?:please )?"
    rf"(?:{'|'.join((*_WISHES.values(), *_BANS.values(), _LIMITS, *_CUSTOMS.values()))})",
    re.IGNORECASE,
)
_NO_PLURAL = later(
    rf"(?:and |but |also |please,? )?no (?!(?:[\w.+-]{{1,20}} )?(?:{_TOLD})\w{{0,3}}\b)"
    r"(?:[a-z][\w.+-]{1,24} ){0,2}[a-z-]{3,24}s(?:[.!]{0,2}$|, (?!no\b|just\b|i\b|he\b|she\b|they\b|it\b|"
    r"but\b|only\b|so\b))",
    re.IGNORECASE,
)
_NO_NAME = later(
    r"(?:[Aa]nd |[Bb]ut |[Aa]lso |[Pp]lease,? )?[Nn]o (?:(?:new|more|extra) )?"
    r"(?:[A-Z][\w.+-]{1,24}|[a-z]{1,8}[A-Z][\w.+-]{1,24})(?: \w{2,20})?(?:,? (?:please|thanks|at all))?[.!]?$"
)
_QUESTION = later(r"[?？؟]\W{0,2}$")
LEADING = later(
    r"(?:whatever (?:you do|happens|else)[^,:\n]{0,30}|no matter what(?: happens)?|in any case|either "
    r"way|by the way|btw|fyi|"
    r"just so you know|as (?:agreed|discussed|always)|for the record|(?:a )?reminder|note|important|"
    r"(?:oh,? )?(?:and )?one (?:more |other |last )?thing|rule|egal was(?: du tust| passiert)?|auf jeden "
    r"fall|übrigens|hinweis|"
    r"wichtig|regel|quoi qu'il arrive|important|règle|pase lo que pase|importante|regla|aconteça o que "
    r"acontecer|regra|"
    r"qualunque cosa accada|regola|что бы ни случилось|важно|правило|ważne|zasada|belangrijk|viktigt?|"
    r"vigtigt|önemli|kural|重要|注意|规则|另外|对了|補足|중요)[,:，：] ?",
    re.IGNORECASE,
)
"""How a sentence begins that says first that what follows matters."""


def puts_rule(text: str) -> bool:
    """Whether a sentence puts a rule as a wish, a ban, a limit or a custom; a question puts none."""
    if _QUESTION.search(text):
        return False
    return any(form.match(text) is not None for form in (_PUT, _NO_PLURAL, _NO_NAME))
