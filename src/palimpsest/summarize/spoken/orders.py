"""How people say what must be done and what must not, in languages whose verbs say so themselves.

Rules kept here:

- English orders stand in `cues`. Here are openings ("Fass ... nicht an", "Não mexa", "не трогай"), words that make a
  rule wherever they stand ("asla", "zawsze", "दائما"), and ways to forbid without a no ("stays as it is").
- A report has the same no as an order ("No funciona", "Es geht nicht"): only forms that give orders count.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_BIDDEN = (
    r"(?:retry|try|send|show|use|keep|list|print|log|fetch|load|read|write|batch|run|start|open|hire|book|buy|order|"
    r"plan|"
    r"schedule|invite|accept|take|spend|give|make|set|limit|cap|wait|store|save|post|call|ask|cut|serve|seat|put|"
    r"add|upload|"
    r"download|process|import|export|publish|ship|deliver|charge|sell|offer|allow)"
)
"""What is bidden with how much, or for whom alone."""
_OPENINGS = {
    "en": (
        r"(?:run|add|use|write|check|test|update|commit|push|format|lint|put|start|end|begin|reply|answer|include|"
        r"report|make|do|create|show|print|save|log|give|read|say|review|verify|rebase|build|document|sign|mention|"
        r"list|note|name) [^.?\n]{0,200}\b(?:before|after|for|on|with|in) (?:each|every)\b|"
        r"(?:ask|check with|tell) (?:me|us)\b[^.?\n]{0,40}\b(?:before|first)\b|ask before\b|"
        rf"{_BIDDEN} (?:[\w'-]+ ){{0,3}}?(?:at most|max(?:imum|\.)?|at least|min(?:imum|\.)?|no more than) \$?\d|"
        rf"{_BIDDEN} (?:nothing|nobody|no one|no [a-z-]+) (?:before|after|on|in|to|from|without|unless|until|with|"
        rf"at)\b|"
        rf"{_BIDDEN} (?:[\w'-]+ ){{1,3}}only (?:to|on|in|at|after|before|with|from|via|by|for|when|if|as)\b|"
        r"(?:un)?til [^,.?\n]{1,40}, (?:don't|do not|no)\b|"
        r"(?:stay (?:away|clear)|refrain) from\b|hands off\b|leave \S[^?\n]{0,60} (?:alone|untouched|as (?:it|they) )|"
        r"stick (?:to|with) (?!it\b|me\b|us\b)|(?:be careful|take care) (?:not to|that|never to)\b|mind that\b|"
        r"(?:run|deploy|push|commit|write|test|reply|answer|work|read|print|log|show|edit|change|touch)\b[^.?\n]{0,80}"
        r"\bonly[.!]?$|no (?:new |more |extra |additional )?(?!(?:worrie|problem|issue|error|change|result|thank|test|"
        r"failure|warning|idea|difference|question|comment|hit|matche|answer|update)s)[a-z-]{3,20}s[.!]{0,2}$"
    ),
    "de": (
        r"(?:bitte )?(?:(?:nicht|keine?[nms]?|nie|immer|nur|erst)(?=\b[^?]{0,300}n[.!]{0,2}$)|"
        r"(?:fass|rühr|änder|lösch|lass|nimm|verwend|benutz|nutz|schreib|mach|antwort|acht|behalt|halt|stell|frag)"
        r"(?:e|en)?)\b[^?]{0,300}$|bis [^,.?]{1,40} (?:nichts?|keine?[nms]?)\b[^.?]{0,80}\wn[.!]{0,2}$|"
        r"(?:du|ihr|wir|man|es) (?:soll(?:s?t|en|te)?|darf(?:st)?|dürf(?:t|en)) [^.?\n]{0,80}?"
        r"\b(?:nichts?|keine?[nms]?|nie)\b|"
        r"ich (?:will|möchte|mag) (?:nie|keine?[nms]?)\b|(?:mir|uns) (?:ist|wäre) (?:es )?lieber\b"
    ),
    "fr": (
        r"demande[zr]?-(?:moi|nous) [^?]{0,60}\b(?:avant|d['’]abord)\b|(?:jusqu['’][^,.?]{1,40}, )?n(?:e |"
        r"['’])\w[^.?]{0,60}?\b(?:pas|jamais|plus|rien|aucune?)\b|"
        r"(?:il ne faut|je ne veux|tu ne dois|on ne doit) (?:pas|jamais|plus)\b|surtout pas\b|"
        r"(?:pas d(?!e (?:problème|souci|quoi|nouvelle|chance|erreur|réponse))|aucune? (?=\w+ (?:d|à|au|en|dans|"
        r"sur)))|"
        r"(?:utilise|évite|garde|laisse|écri[st]|répond)[sz]?\b|je (?:préfère|préférerais) (?:que|ne|des|les?|la)\b"
    ),
    "es": (
        r"preg[uú]nt[ae]n?(?:me|nos) [^?]{0,60}\b(?:antes|primero)\b|(?:prefiero|preferiría|preferimos) (?:que|no|"
        r"sin|un[ao]?s?|l[ao]s?|el)\b|"
        r"no (?:quiero|(?:cambie|modifique|toque|borre|use|agregue|elimine|escriba|haga)n?)\b|"
        r"(?=[^\n]{0,300}\b(?:el|la|los|las|de|del|un|una|que|con|por|para|este|esta|ese|esa|mi|mis|tus?|nada|nunca|"
        r"ninguna?|ningún|al|sin|lo)\b)(?:no (?:(?:me|te|lo|la|los|las|se) )?"
        r"(?!(?:estás|tienes|puedes|sabes|eres|has|haces|crees|vas|es|más|las|los)\b)\w{2,20}(?:as|es)\b|"
        r"(?:solo|sólo|usa|utiliza|mantén|deja|escribe|responde|nada de)\b)"
    ),
    "pt": (
        r"(?:me pergunt[ae]|pergunt[ae]-me) [^?]{0,60}\bantes\b|não quero\b|prefiro (?:que|não|sem|as?|os?)\b|"
        r"não (?:mex|toqu|us|alter|mud|apagu|modifi|faç|escrev|coloqu|remov|delet|instal|cri|troqu)\w{0,4}\b|"
        r"(?:apenas|só|mantenha|deixe|evite|responda)\b"
    ),
    "it": (
        r"chied(?:i|ete)(?:mi|ci) [^?]{0,60}\bprima\b|preferisco (?:che|non|senza|l[ao]|il|i|gli)\b|non (?:voglio|"
        r"\w{2,20}(?:[aei]re|[aei]te|[aei]rl[oaie]))\b|"
        r"(?=[^\n]{0,300}\b(?:il|lo|gli|un|una|uno|di|del|della|dello|delle|dei|con|nel|nella|sempre|le)\b)"
        r"(?:usa|evita)\b|(?:lascia|scrivi|rispondi|niente|soltanto)\b"
    ),
    "nl": (
        r"(?:gebruik|schrijf|laat|houd|raak|wijzig|verander|verwijder|antwoord|vermijd|push|deploy|"
        r"commit)\b[^?]{1,120}"
        r"\b(?:nooit|niet|altijd|alleen|geen|met rust)\b|vraag (?:me|mij|ons)\b[^?]{0,60}\b(?:voor|voordat|eerst)\b|"
        r"(?:nooit|altijd|alleen|geen) (?!meer\b)[^?.]{3,200}\w{2,}en[.!]?$"
    ),
    "ru": (
        r"спр(?:ашивай|оси)(?:те)? (?:меня|нас) [^?]{0,60}\b(?:перед|прежде|до|сначала)\b|я не хочу\b|(?:я "
        r")?предпочитаю\b|лучше (?:бы|если)\b|не \w{2,20}(?:й|йте|и|ите|ь|ьте)\b|"
        r"(?:только|используй|пиши|оставь|делай|отвечай|держи)(?:те)?\b"
    ),
    "pl": (
        r"(?:za)?pytaj(?:cie)? (?:mnie|nas) [^?]{0,60}\b(?:przed|zanim|najpierw)\b|nie \w{2,20}(?:aj|uj|ij|yj|ń|ź|ż|"
        r"cie)\b|(?:tylko|używaj|unikaj|pisz|zostaw|odpowiadaj)\b"
    ),
    "tr": r"(?=[^.?!]{0,300}(?-i:[ığşİ]))[^.?!]{0,300}\w{2,20}m[ae](?:y[ıi]n(?:[ıi]z)?)?[.!]{0,3}$",
    "zh": r"都(?:用|使用|写|加|跑|保持|先|带)(?![^，。；]{0,12}[了过完])",
    "ar": r"لا ت\w|(?:فقط|استخدم|اكتب)(?!\w)",
}
ORDERING = re.compile(
    r"(?:(?:und|aber|also|ja|nein|et|mais|y|pero|e|mas|ma|и|но|a|ale|ve|ama)[, ]{1,2})?"
    rf"(?:{'|'.join(_OPENINGS.values())})",
    re.IGNORECASE,
)
"""How a sentence begins that gives an order."""

_SUBJECTS = (
    r"(?:ich|du|er|sie|es|wir|ihr|man|das|dies\w{0,2}|der|die|herr|frau|mein\w{0,2}|unser\w{0,2}|sein\w{0,2}|jemand|"
    r"ik|jij|je|hij|zij|ze|wij|we|het|de|deze|mijn|ons|jag|vi|han|hon|det|den|de|min|mitt|vår|"
    r"ja|ty|on|ona|ono|my|wy|oni|to|ten|ta|mój|nasz)"
)
NEVER = later(
    rf"(?:(?:und|aber|also|bitte|en|och|og|i|maar|men|ale)[, ]{{1,2}})?(?!{_SUBJECTS}\b)"
    r"(?!(?:war|waren|hab|habe|hatte|hatten|bin|ist|sind|ging|kam|noch|fast|auch|doch|einfach|eigentlich|wirklich|"
    r"hat|wird|"
    r"gibt|was|is|heb|nog|bijna|var|är|har|nästan|był\w?|jest|jeszcze|prawie|klappt|stimmt|funktioniert|geht|kommt|"
    r"läuft|"
    r"passt|hilft|bringt|macht|reicht|passiert|startet|werkt|lukt|komt|gaat|fungerar|stämmer|kommer|działa)\b)"
    r"[^\W\d_][\w-]{1,30}(?: (?:an|ans|am|auf|für|fürs|mit|bei|beim|im|in|von|vom|zu|zum|zur|aus|aan|voor|met|bij|van|"
    rf"till|med|hos|från|til|fra|do|dla|z|w|na) (?!{_SUBJECTS}\b)[\w-]{{2,30}})?(?: (?:dort|hier|da|bitte|tu|här))? "
    r"(?:nie(?![^?]*(?:[ąęłńśźż]|\b(?:się|na|jest|do|po|w|z)\b))|niemals|nooit|aldrig|aldri|nigdy)\b(?! mehr\.?$)"
    r"[^?]{3,200}$|[^，。？?他她我你它们谁这那]{1,8}(?:从不|永不)[^，。？?]{2,}",
    re.IGNORECASE,
)
"""How a sentence bans something by its never, in languages in which a report has the same word: behind the verb or the
name of the thing with which it begins. Who speaks of somebody names him first.
"""
RULED_OUT = later(
    r"\b(?:komm(?:t|en) (?:[\w-]+ ){0,3}?nicht in frage|scheide(?:t|n) aus|(?:is|are) out of the question|(?:is|"
    r"are) not an "
    r"option|(?:est|sont) (?:hors de question|exclue?s?)|(?:queda|quedan|está|están) (?:descartad[oa]s?|fuera de "
    r"(?:discusión|"
    r"cuestión))|(?:è|sono) (?:fuori discussione|esclus[oaie])|(?:está|estão|fica|ficam) fora de questão|"
    r"исключ(?:ено|ены|ён|"
    r"ена)\b(?! из)|не рассматрива(?:ем|ются|ется)|(?:komt|komen) niet in aanmerking|kommer inte i fråga|nie "
    r"wchodz[ią] w grę)"
    r"(?!\w)|不予考虑|不考虑|免谈|論外|候補から(?:外|はず)|対象外|고려하지 않|제외(?:입니다|예요|해)",
    re.IGNORECASE,
)
"""What says of something that it is ruled out."""
WISHES = later(
    r"(?:(?:and|but|so|also|btw|übrigens|overigens|und|et|y|e|и),? )?(?:"
    r"(?:i|we)(?:['’]d| would) (?:much |far )?(?:rather (?:(?:you|we|they|it|not)\b(?! had)|(?!have \w+(?:ed|en|"
    r"ne)\b)[^.?!]{3,90}\bthan (?!do\b|go\b|be\b|to\b)(?![^.?!]*\b(?:again|today|tomorrow|tonight)\b))|"
    r"prefer\b(?! to\b))|i(?: much| strongly)? prefer\b(?! to\b)|we(?:['’]d| would)? prefer\b(?! to\b)|"
    r"(?:mir|uns) w[äa]re?n? [^.?!]{2,60}\blieber\b|(?:ich|wir) (?:hätten? (?:gern|lieber)|bevorzugen?)\b"
    r"(?![^.?!]{0,80}\b\w{0,6}ge\w{2,}(?:t|en)[.!]?$)|"
    r"(?:je |nous |on )(?:préf[éè]r\w{1,6}|aimerai(?:s|t|ons) (?:mieux|autant))\b|"
    r"(?:prefiero|preferiría(?:mos)?|preferimos|prefiro|preferia|preferiria|preferimos|preferisco|preferirei|"
    r"preferirebbe)\b|"
    r"(?:я|мы|мне)(?: бы)? (?:предпоч\w{2,5}|больше нравится|хотелось бы)|(?:ik|wij|we) (?:heb|hebben|zie|"
    r"wil) liever\b|"
    r"(?:wolę|wolał[ao]?bym|jag föredrar|jeg foretrekker|jeg foretrækker)\b|heb ik liever\b)|"
    r"我(?:们)?(?:更|比较|还是)(?:喜欢|希望|想要|倾向|愿意)|[^。？?]{1,40}(?:ほう|方)が(?:いい|良い|よい|好き|"
    r"助かり|嬉しい)(?:です)?[。！]?$|"
    r"[^?]{2,60}(?:이|가|는 게|은 게) 더 (?:좋|낫|편)[^?]{0,8}$",
    re.IGNORECASE,
)
"""How a sentence begins in which somebody says what is liked better; in Japanese and Korean how it ends."""
_BEFORE = (
    r"(?:before|prior to|bevor|vor|avant|antes de|antes que|prima di|prima che|перед|прежде чем|voordat|voor|innan|"
    r"przed)"
)
WAITS = later(
    rf"(?:(?:and|but|also|und|et|y|e|и),? )?{_BEFORE} (?![^.?!]*\b(?:i|ich|je|yo|io) (?:have|must|need|should|muss|"
    rf"soll|"
    r"dois|tengo|devo)\b)"
    r"(?!that\b|this\b|(?:we|you|i) (?:go|start|begin|continue|move)\b)"
    r"[^.?!]{2,80}?[ ,](?!i\b|ich\b|je\b)(?:\w+ ){0,3}?(?:must(?! have)|ha(?:s|ve) to|needs? to|should(?! have)|"
    r"müss(?:en|t)|muss|soll(?:en)?|doit|doivent|"
    r"il faut|tienen? que|deben?|hay que|debe|dev[eo]|devono|precisa|tem que|должн\w|нужно|надо|пусть|moet(?:en)?|"
    r"måste|musi)\b|"
    r"[^，。？?\s了过]{1,14}(?:之前|以前|前)[，,]?(?:都)?(?:先(?:让|给|请|问|通知|跑|测|备份|告诉)|要(?!不|是|么|"
    r"多)|得(?!到)|"
    r"需要?|必须|务必)[^？?了过]*[。！!]?$|"
    r"[^，。？?\s了过]{1,10}(?:之后|以后|后)[，,]?(?:都)?(?:要(?!不|是|么|多)|得(?!到)|需要|必须|"
    r"务必)[^？?了过]*[。！!]?$|"
    r"[^?]{2,40} 전에[^?]{2,60}야 (?:합니다|해요|한다|돼요|됩니다)[.!]?$|"
    r"[^?]{2,40} 전에[^?]{0,20} (?:물어봐|물어보|확인받|알려)(?:\S| 줘| 주세요){0,8}[.!]?$",
    re.IGNORECASE,
)
"""What has to be done, and by anybody, before something else is."""
_ALWAYS = {
    "en": "but\\sonly off[-\\s]limits",
    "de": "verboten untersagt tabu",
    "fr": "interdit",
    "es": "prohibido",
    "pt": "proibido devem",
    "it": "mai deve devono bisogna vietato",
    "ru": "должны запрещено",
    "tr": "asla sakın daima yalnızca mutlaka her\\szaman",
    "pl": "nigdy zawsze musi muszą nie\\swolno nie\\snależy",
}
DEMANDS = re.compile(
    rf"\b(?:{'|'.join(' '.join(_ALWAYS.values()).split())})\b"
    r"|(?<!\w)(?:دائما|دائماً|أبدا|أبداً|يجب|ممنوع|لا يجوز)(?!\w)"
    r"|कभी (?:न|भी)|हमेशा|मत (?:कर|छू|छु|बदल|लिख|इस्तेमाल|छेड़)|(?:ना|न) (?:करें|छुएं|बदलें)"
    r"|지 ?(?:마|말)|금지|てはいけ|禁止|(?:触る|する|使う|変える|消す|書く|入れる)な(?=[。！!\s]|$)",
    re.IGNORECASE,
)
"""Words that make a rule of a sentence, wherever they stand."""
ASKING = re.compile(
    r"(?:please|pls|let'?s|bitte|por favor|s'il (?:te|vous) pla[iî]t|veuillez|per favore|пожалуйста|lütfen|proszę|"
    r"请|麻烦|請|من فضلك|कृपया)",
    re.IGNORECASE,
)
"""How a sentence begins that asks for something."""
ERRANDS = re.compile(
    r"(?:(?:please|pls|let'?s)(?:,? (?:also|just|now|then|first|quickly|try (?:and|to)))?|"
    r"(?:i|we)(?:'d like| want| need| would like| wish)(?: you)? to) "
    r"(?:do|provide|know|see|ask|get|return|exchange|modify|add|find|fix|look|check|investigate|implement|debug|"
    r"figure|review|analy[sz]e|create|add|show|tell|explain|help|"
    r"continue|try|start|update|remove|rename|move|convert|refactor|generate|build|draft|prepare|plan|send|run|open|"
    r"list|read|see|have a look|take a look|confirm|cancel|book|change|downgrade|upgrade)\b|"
    r"(?:bitte )?(?:mach|erstell|schreib|bau|prüf|zeig|such|schau|führ|start|öffne|korrigier|behebe|reparier)\w{0,3} "
    r"(?:(?:bitte|noch|auch|doch) ){0,2}(?:jetzt|nun|mal|dir|mir|uns|kurz|schnell)\b|"
    r"bitte (?:finde?|suche?|zeige?|behebe?|korrigiere?|repariere?|prüfe?|erkläre?)\b|"
    r"请?(?:你|帮我|你帮我)?(?:先)?(?:修复|修一下|检查|看一?下|运行|执行|解释|分析|查[找明清]|找[出到]|[弄搞]清|"
    r"打开|实现)",
    re.IGNORECASE,
)
"""How a sentence begins that asks for something to be done once: that is work, and no rule ..."""
LASTING = re.compile(
    r"\b(?:each|every|all|any|never|always|before|after|when(?:ever)?|while|until|unless|as long as|in future|only|"
    r"not|"
    r"no|nothing|nobody|no one|without|except|but|instead|at least|at most|(?-i:in [A-Z][a-z]+)|"
    r"everywhere|überall|partout|"
    r"in (?:english|german|french|spanish|italian|chinese|japanese)|(?:snake|camel|pascal|kebab)[_-]?case|"
    r"auf (?:deutsch|englisch)|en (?:español|inglés|francés|alemán|français|anglais|allemand)|"
    r"immer|nie|niemals|niemand|jede[nmrs]?|alle[nmrs]?|nur|kein\w{0,2}|nicht|nichts|bevor|vor|nach|wenn|sobald|"
    r"künftig|ohne|(?:höchst|mindest)ens|maximal|statt|ab jetzt|auf jeden fall|"
    r"personne|tous|toutes?|chaque|avant|après|jamais|toujours|rien|aucune?|seulement|uniquement|sauf|quand|si|pas|"
    r"plus|nadie|sin|cada|tod[oa]s|tod[oa] (?:el|la|lo|o|a)|antes|siempre|nunca|jamás|nada|ning[uú]na?|solo|sólo|"
    r"salvo|"
    r"cuando|ninguém|sempre|só|apenas|sem|"
    r"nessuno|(?-i:mai)|ogni|tutt[ei]|prima|senza|quando|"
    r"никто|кажд\w{1,3}|вс[её]|всегда|никогда|не|без|только|перед|после|когда|если|пока|прежде|люб\w{2,3}|вместо|"
    r"кроме|"
    r"впредь)\b|모든|마다|항상|언제나|전에|없이|않|지 ?마|때[는마]?|(?<=[되하으])면(?= )|"
    r"(?<!\w)(?:كل|جميع|دائما|أبدا|لا|بدون|دون|فقط|إذا|عند|قبل|بعد|إلا)(?!\w)|不(?!(?<=(.)不)\1)|[每只勿别]|"
    r"(?<![京首])都|所有|"
    r"一律|总是|始终|"
    r"之前|前先|之后|时候|今后|必ず|毎回|いつも|常に|すべて|全て|前に|後に|ないで|だけ|のみ|とき|時は|場合|今後|以降|"
    r"\bmax(?:imum|\.)? \d|以内|以下|以上|最大|最多|最高|至多|最少|まで(?=[でにだ]|[。！]?$)",
    re.IGNORECASE,
)
"""... unless it says when, how often, or what not."""
ONCE = re.compile(
    r"\b(?:next|now|then|again|today|tomorrow|tonight|this|that|these|those|"
    r"jetzt|nun|dann|danach|nächstes?|nochmals?|heute|morgen|diese[mnrs]?|ahora|luego|después|hoy|mañana|est[aeo]s?|"
    r"maintenant|ensuite|puis|aujourd'hui|demain|cet?|cette|adesso|ora|poi|oggi|domani|quest[aeio]|agora|depois|hoje|"
    r"amanhã|est[ae]s?|теперь|сейчас|потом|дальше|затем|сегодня|завтра|эт\w{1,2})\b|\d{2}|#\d|"
    r"现在|接下来|然后|这个|这段|这些|今天|明天|次[はに]|今すぐ|この|これ|今日|明日",
    re.IGNORECASE,
)
"""What says that something is asked for once: when in the row it comes, or which one it is about."""
REASONS = re.compile(
    r"(?:otherwise|or else|sonst|sinon|si no|de lo contrario|иначе|否则|不然)\b", re.IGNORECASE
)
"""How a sentence begins that says what would happen else."""
ASKED = re.compile(
    r"(?:てください|下さい|주세요|주십시오|\bin [a-z]{4,20},? please|"
    r"(?:,? )(?:bitte|por favor|s'il (?:te|vous) pla[iî]t|per favore|"
    r"пожалуйста|lütfen|proszę))[.!。！]{0,2}$|"
    r"\w please,? and (?:no|only|always|never)\b|请(?:一定)?(?:使?用|先|把|保持|统一)",
    re.IGNORECASE,
)
"""How one ends, or goes on, that does."""
QUESTIONS = re.compile(
    r"(?!.*(?:\b(?:can|could|would|will|may|if) (?:you|we|i)\b|\b(?:kann|könn|würde|magst|peux|pourr|pued|podr|pode|"
    r"può|puo|potr|мож|мог)|could|[能请別别]|可以|可否|もらえ|くれ|いただけ|주실|줄래|주세요|なくて|please|bitte|por "
    r"favor))[^\n]{0,400}[?？؟]\W{0,2}$",
    re.IGNORECASE,
)
"""A question is no rule; one that asks for something is ("could you always ...?")."""
GOING_ON = re.compile(
    r"(?:please |let'?s )(?:just )?(?:go ahead|proceed|continue|go on|go with|move on|do (?:it|so|that))\b|"
    r"(?:mach|geht?) (?:bitte )?weiter\b|(?:macht?|fahr[te]?|gehe?|geht) (?:bitte |jetzt |dann )?"
    r"(?![^.?]{0,80}\b(?:nie|niemals|nicht|nur|ohne|immer|erst)\b)[^,.;?]{3,60} (?:weiter|fort)(?:,? bitte)?[.!]?$|"
    r"(?![^.?]{0,120}\b(?:jamais|sans|toujours|pas|nunca|sin|siempre|no|mai|senza|sempre|sem|без|не|всегда|niet|"
    r"zonder)\b)"
    r"(?:continuez?|poursui[st]|continúa|sigue|continua|prosegui|продолжай(?:те)?|ga verder)\b|続けて",
    re.IGNORECASE,
)
"""A word that lets work go on is no rule."""

_SPARING = {
    "en": (
        "un(?:touched|changed|modified|altered) intact off[-\\s]limits hands\\soff forbidden prohibited banned "
        "disallowed refrain frozen read[-\\s]only left\\salone as\\s(?:it|they)\\s(?:is|are) stays? remains? "
        "instead\\sof rather\\sthan free\\sof outside except limited\\sto only\\s(?:after|with|if|when|once) "
        "leave\\s[^.\\n]{1,60}\\salone ask\\w*\\b[^.\\n]{0,24}\\s(?:before|first) "
        "(?:stay|keep|steer)\\s(?:away|clear|off|out) "
        "(?:require|need)s?\\s[^.\\n]{0,30}(?:ok|okay|approval|permission|consent|confirmation)"
    ),
    "de": (
        "unverändert unberührt tabu finger\\sweg verboten untersagt gesperrt bleib\\w* "
        "(?:erst|nur)\\s(?:nach|mit|wenn) in\\sruhe statt"
    ),
    "fr": "inchangé\\w* interdit\\w* défense\\sde reste\\w* tel(?:le)?\\squel\\w* au\\slieu seulement\\saprès",
    "es": "intocable\\w* intact[oa]s? prohibid[oa]s? conservar preservar tal\\scual en\\slugar en\\svez",
    "pt": "proibid[oa]s? inalterad[oa]s? em\\svez",
    "it": "vietat\\w proibit\\w invariat\\w intatt\\w invece",
    "ru": "запрещ\\w* неприкосновен\\w* нельзя вместо оста(?:вить|ётся|ется|вь)",
    "tr": "yasak\\w* olduğu\\sgibi kalmalı",
    "pl": "zakaz\\w* zabron\\w* pozostaj\\w* nietykaln\\w*",
}
SPARES = re.compile(
    rf"\b(?:{'|'.join(' '.join(_SPARING.values()).split(' '))})\b"
    r"|保持|只读|原样|而不是|そのまま|ままに|維持|유지|그대로",
    re.IGNORECASE,
)
"""What forbids without a no: it stays as it is, something else is used, or somebody is asked before."""

_ALLOWING = {
    "en": (
        "(?:you\\s(?:can|could)|(?:you|we)\\s(?:may|are\\sallowed\\sto|are\\sfree\\sto)) "
        "(?:is|are)\\s(?:now\\s)?(?:fine|ok|okay|allowed)(?:\\s(?:now|again))? feel\\sfree\\sto "
        "you\\shave\\smy\\s(?:permission|ok|okay|approval|consent|blessing) permission\\sgranted "
        "forget\\s(?:about\\s)?the\\srule changed\\smy\\smind go\\sahead\\sand"
    ),
    "de": "(?:darfst|dürft|kannst|könnt)\\s(?:du|ihr)? (?:du|ihr)\\s(?:darfst|dürft|kannst|könnt) erlaubt "
    "(?:ist|sind)\\s(?:doch\\s|jetzt\\s|wieder\\s|nun\\s)?(?:okay|ok|in\\sordnung)",
    "fr": "(?:tu\\speux|vous\\spouvez) autorisée?s? permise?s?",
    "es": "(?:puedes|puede|podéis|pueden) permitid[oa]s?",
    "pt": "(?:você\\spode|pode|podes|podem) permitid[oa]s?",
    "it": "(?:puoi|può|potete|possiamo|si\\spuò) permess[oaie]",
    "ru": "(?:можно|можешь|можете|разрешено)",
    "pl": "(?:możesz|możecie|można|wolno)",
    "tr": "\\w{2,20}(?:abilir|ebilir)(?:sin|siniz|iz)? serbest",
}
_NOW = (
    "now again already after\\sall changed\\smy\\smind jetzt doch wieder nun maintenant désormais "
    "ahora ya sí agora já ora adesso теперь уже de\\snouveau à\\snouveau de\\snuevo di\\snuovo de\\snovo снова weer "
    "igen "
    "vuelven?\\sa\\s(?:estar|ser) voltam?\\sa\\s(?:estar|ser) znowu "
    "teraz już artık şimdi maintenant\\son ya\\sse sofort nu nå igjen åter opnieuw"
)
_ANEW = {
    "en": (
        "(?:can|may)\\s(?:now\\s)?be(?=\\s[^.,;]{2,60}\\s(?:again|now|after\\sall)\\b) "
        "can(?=\\s\\w+\\s[^.,;]{0,60}(?:again|after\\sall)\\b)"
    ),
    "de": (
        "(?:darf|dürfen|kann|können)\\s(?:(?:man|wir|ich|ihr|du)\\s)?(?:(?:ab\\s)?jetzt|wieder|nun|doch|ab\\ssofort) "
        "geh(?:t|en)\\s(?:(?:ab\\s)?jetzt|nun|wieder)(?:\\sdoch|\\swieder)?(?!\\snicht)"
    ),
    "fr": (
        "peu(?:t|vent|x)\\s(?:désormais|maintenant|de\\snouveau|à\\snouveau|enfin|finalement) "
        "(?:maintenant|désormais),?\\son\\speut"
    ),
    "es": (
        "(?:ya|ahora)\\s(?:sí\\s)?(?:se\\s)?(?:puede[ns]?|podemos) "
        "se\\spuede[n]?\\s(?:de\\snuevo|otra\\svez|ahora|ya)"
    ),
    "pt": "(?:já|agora)\\s(?:já\\s)?(?:se\\s)?(?:pode[ms]?|podemos)",
    "it": "(?:ora|adesso|di\\snuovo)\\ssi\\spuò si\\spuò\\s(?:di\\snuovo|ora|adesso)",
    "nl": "ma(?:g|gen)\\s(?:nu|weer|toch|voortaan) kan\\s(?:nu|weer|toch)",
    "nordic": "(?:får|kan|må)\\s(?:man\\s)?(?:nu|nå|igen|igjen|åter)",
}
"""What allows again, or now, what could not be done."""
PERMITS = re.compile(
    rf"\b(?:{'|'.join(' '.join((*_ANEW.values(), *_ALLOWING.values())).split(' '))})\b|可以|てもいい|ても良い|"
    r"て(?:いい|良い)(?=です|よ|。|$)|てよい|도 (?:됩니다|돼|좋)|يمكنك|सकते|सकता",
    re.IGNORECASE,
)
"""What allows."""
NOW = re.compile(
    rf"\b(?:{'|'.join(_NOW.split(' '))})\b|从(?:现在|今天|此)(?:起|开始)|现在|已经|了|もう|이제|الآن|अब",
    re.IGNORECASE,
)
"""What says that something has changed."""
LIMITS = re.compile(
    r"\b(?:only|except|unless|just|once|if|when|until|nur|außer|wenn|falls|bis|seulement|sauf|si|quand|jusqu\w*|solo|"
    r"sólo|salvo|cuando|hasta|só|apenas|quando|até|soltanto|tranne|se|fino|только|кроме|если|когда|до|tylko|oprócz|"
    r"jeśli|gdy|sadece|hariç|eğer)\b|只|除|如果|だけ|のみ|なら|만|فقط|केवल",
    re.IGNORECASE,
)
"""What allows only some of it."""
