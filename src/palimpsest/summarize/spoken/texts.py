"""Words by which a text is cut into sentences and compared: stop words, what is shortened, what points to a text."""

from __future__ import annotations

import re

from palimpsest.patterns import later

_SHORTENED = (
    r"e\.g i\.e eg ie vs cf Dr Mr Mrs Ms Prof St approx z\.B z d\.h bzw ca Nr inkl Az Abs Art vgl ggf evtl Sr Sra Mme"
).split()
NO_END = "".join(rf"(?<!\b{word}\.)" for word in (*_SHORTENED, r"z\. B", r"d\. h", r"u\. a"))
"""Behind a stop that ends no sentence: that of a word which is shortened."""
_GOES_ON = (
    r"(?:(?:und|aber|oder|also|dann|and|but|so|then|et|mais|y|pero|e|ma|mas) )?"
    r"(?:was|wie|wo|wer|wann|warum|wieso|weshalb|welche[nmrs]?|wem|wen|woher|wohin|kannst|könntest|bitte|danke|"
    r"what|how|where|who|when|why|which|can|could|please|thanks|que|quoi|comment|pourquoi|qué|cómo|cuándo|dónde|por "
    r"qué|"
    r"che|come|quando|perché|dove|o que|como)\b"
)
"""How another sentence begins that somebody types in small letters."""
_PUT = "|".join(
    rf"(?<=\b{word} {figure}\.\s)"
    for word in ("statt", "anstatt", "als", "than", "of", "not", "nicht", "de", "vez de", "invece di", "max")
    for figure in (r"\d", r"\d\d")
)
"""Behind a figure that is no ordinal number, by the word before it."""
_DATED = "".join(
    rf"(?<!\b{word} {figure}\.\s)"
    for word in "am Am zum vom Vom der Der den dem die Die das Das im Im beim bis Bis ab Ab seit Seit und".split()
    for figure in (r"\d", r"\d\d")
)
"""Behind a figure that may be a day or an ordinal number, by the word before it."""
_MONTH = r"(?:Jan|Feb|Mär|Mrz|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]{0,7}\b"
NO_ORDINAL = (
    rf"(?!(?!{_DATED}{_GOES_ON}|(?:{_PUT})(?!{_MONTH}))(?:(?<=\b\d\.\s)|(?<=\b\d\d\.\s))"
    rf"(?:[a-zäöüß]|{_MONTH}))"
)
"""Behind the space after a stop: what shows that it made an ordinal number ("am 3. Januar")."""
_NUMBERED = (
    r"no nos nr nos num nums núm n pp p pg pag pág págs fig figs abb tab taf eq sec sect sez ch chap cap kap ziff pos "
    r"vol bd ser ver rev ed art par abs bl blz str стр рис гл ст п пп табл д кв S"
).split()
_BEFORE_NUMBER = "|".join(
    rf"(?<=\b{word}\.\s)" for one in _NUMBERED for word in dict.fromkeys((one, one.capitalize()))
)
NO_NUMBER = rf"(?!(?:{_BEFORE_NUMBER})\d)"
"""Behind the space after a stop: what shows that the word before it was shortened, since a number follows ("no. 7")."""
VERDICT = re.compile(
    r"(?:Rejected|Chosen|Accepted|Abandoned|Discarded|Dropped|Ruled out|Verworfen|Rejeté|Descartado|Отклонено)"
    r"(?:[:,]| (?:for|because|since|as|by|in favou?r)\b)"
)
STOP = frozenset(
    "the be to of and in that have it for not on with he as you do at this but his by from they we say her she or an "
    "will my one all would there their what so up out if about who get which go me when make can like no just him "
    "know take into your some could them see other than then now only its over also after use two how our first any "
    "these us is are was were been has had did does am i'm it's let here should may might very too more most such "
    "der die das und ist nicht ein eine zu den mit von für auf im dem sich auch es an als wie wir ich sie er "
    "le la les et un une des du en que qui dans pour pas sur au est il elle nous vous je ce se sont avec "
    "el los las y una del al lo es por con para su no se ha como más "
    "и в не на что с по это как он я мы из за то".split()
)
PARTICLES = frozenset(
    "的了是我你他她它们吗呢啊吧呀嗯很在也都就不有和与这那么什着过得地一个会可以没要说"
    "はがをにのともでへやかなだですますしてたるいうれさん"
)
BESIDE = later(
    r"\b(?:this|these|following|below|above|attached|here(?:'s| is| are)|dies\w{0,2}|folgende\w?|unten|oben|anbei|"
    r"hier|ce|cette|ces|suivante?s?|ci-(?:dessous|joint)|voici|est[aeo]s?|siguientes?|abajo|aquí|quest[aeio]|seguente|"
    r"ecco|este|seguinte|abaixo|эт\w{1,2}|следующ\w{2,3}|ниже|вот)\b|[这那]|以下|下面|如下|上面|この|これ|次の|"
    r"이 |다음|아래|(?<!\w)(?:هذا|هذه|التالي|أدناه)(?!\w)",
    re.IGNORECASE,
)
"""How somebody speaks of a text that stands beside his words."""
_RULES = (
    r"(?:(?:house|ground|basic|general|golden|hard|strict|simple|usual|more|other|new) )?"
    r"(?:rules|constraints|conventions|wishes)|(?:\w+ )?(?:regeln|vorgaben|wünsche)|(?:quelques )?(?:règles|"
    r"consignes)|"
    r"(?:algunas )?(?:normas|reglas)|(?:alcune )?regole|(?:algumas )?regras|правила"
)
_MINE = (
    r"(?:my|our|some|a few|several|meine|unsere|einige|ein paar|mes|nos|quelques|mis|nuestras|algunas|nostre|mie|"
    r"minhas|nossas|мои|наши)"
)
_FOR = (
    r"(?: (?:(?:for|in|around|of|on|at) (?!.*\b(?:to|that|which|fails?)\b)|"
    r"(?:fürs?|beim?|im|pour|du|de|del|da|do|para|для) )"
    r"[^:：.,?]{1,40}| here)?(?: (?:are|sind|sont|son|такие))?\s?[:：]$"
)
RULED = later(
    rf"(?:(?:^|[,.;–—] ?)(?:here are |the following |these |die |les |las |le )?|\b{_MINE} )(?:{_RULES}){_FOR}|"
    rf"\b{_MINE} (?:\w+ )?(?:conditions|bedingungen|condiciones|condizioni|condições|условия){_FOR}|"
    r"(?:^|[，,。]|我们?的?|这里的?|以下|几[条个点项])(?:基本)?(?:规则|规矩|要求|条件)(?:如下|是|有)?[:：]$|"
    r"(?:^|[、。]|この[^。、]{1,12}の|いくつか)(?:お願い|ルール)(?:です|があります)?[:：]$|"
    r"(?:^|우리 |몇 가지 )(?:기본 )?규칙(?:은)?[:：]$",
    re.IGNORECASE,
)
"""How a line ends under which somebody lists his rules: by that name and no other thing's ("the firewall rules")."""
MINDED = later(
    r"\b(?:mind|keep (?:in mind|to)|bear in mind|remember|note|observe|respect|follow|stick to|hold|holds|apply|"
    r"applies|"
    r"matters?(?= to)|compte|think of|denk\w{0,2} (?:bitte )?an|respect these|care about|like my|want (?:it|them|"
    r"my)|gilt|gelten|beacht\w{1,3}|zu beachten|halt\w{0,2} dich an|"
    r"wichtig ist|mir ist wichtig|à respecter|à retenir|respecte[zr]?|vaut pour|valent pour|n['’]oublie[zr]? pas|"
    r"ten(?:ga[ns]?|ed|er)? en cuenta|vale para|a tener en cuenta|respeta\w{0,2}|leva em conta|levem em conta|"
    r"tieni presente|tenga presente|da rispettare|rispetta\w{0,2}|vale per|действу[ею]т|учти(?:те)?|учитывай(?:те)?|"
    r"соблюдай(?:те)?|помни(?:те)?|let op|houd rekening|gelden|pamiętaj|dikkat)\b[^?:：]{0,60}\s?[:：]$|"
    r"(?:请?注意|遵守|记住|牢记)[^？?:：]{0,8}[:：]$|(?:守って|注意して|気をつけて)[^？?:：]{0,8}[:：]$|(?:지켜|"
    r"주의)[^？?:：]{0,8}[:：]$",
    re.IGNORECASE,
)
"""How a line ends under which somebody lists what is to be minded, or holds."""
_SOME = (
    r"(?:a few|some|a couple of|couple of|couple|two|three|several|more|(?:noch )?(?:ein paar|einige|zwei|drei|paar)|"
    r"quelques|deux|trois|un(?:as|os)|alg(?:un[oa]s|umas|uns)|dos|tres|duas|três|alcun[ei]|due|tre|несколько|пара|"
    r"пару|"
    r"een paar|enkele|nog wat|kilka|parę)"
)
_THINGS = (
    r"(?:things?|notes?|points?|remarks|sachen|dinge|punkte|hinweise|choses|points|remarques|cosas|puntos|notas|"
    r"coisas|"
    r"pontos|cose|punti|note|вещей|моментов|слов|пунктов|dingen|punten|opmerkingen|rzeczy|spraw|uwag)"
)
_ABOUT = (
    r"(?:before|first|upfront|up front|for|about|on|in|to (?:keep|note|mind|remember|know)|noch|vorab|vorweg|bevor|"
    r"vor|zu[mr]?|für|avant|pour|sur|au sujet|antes|para|sobre|prima|per|su[il]?|перед|прежде|для|по|vooraf|voor|"
    r"voordat|zanim|przed|na|do)"
)
_STARTS = (
    r"(?:go on|start|begin|continue|proceed|move on|commit|weiter\w*|anf[aä]ng\w*|beginn\w*|loslegst|los geht|"
    r"continu\w+|commenc\w+|reprend\w+|segu\w+|empe[zc]\w+|começ\w+|inizi\w+|продолж\w+|нач\w+|verder\w*|"
    r"begint|zaczni\w+|kontynu\w+)"
)
NOTED = later(
    rf"(?:(?:ok(?:ay)?|so|and|also|oh|und|ach|et|y|e|и),? )?(?:just )?(?:{_SOME} (?:[\w]+ )?{_THINGS}"
    rf"(?:,? {_ABOUT}(?: [^:?]{{0,60}})?)?|(?:before|bevor|vor dem|avant de|antes de|prima di|перед тем|прежде чем|"
    rf"voordat|"
    rf"zanim) [^:?]{{0,24}}?{_STARTS}(?: [^:?]{{0,24}})?)\s?:$|"
    r"(?:在?(?:继续|开始|动手)之?前)?[，,]?(?:还?有|先说|注意)?几[点件条](?:事|要求)?[:：]$|(?:在?(?:继续|开始|"
    r"动手)之?前)[^：:？]{0,8}[:：]$|"
    r"(?:続ける|始める|進める)前に[^：:？]{0,12}[:：]$|(?:시작|계속|진행)하기 전에[^:?]{0,10}:$",
    re.IGNORECASE,
)
"""How a line ends under which somebody lists a few things, or what holds before work goes on."""
NO_BEHIND = later(r"[\u3041-\u3096\uac00-\ud7a3]")
"""Scripts of languages that say no at the end."""
_SUBJECT = (
    r"(?:it|this|that|i|he|she|they|ci|"
    r"(?:the|our|my|its|a|an|no|some) [\w.'’/-]+(?: [\w.'’/-]+){0,2}?|[\w.'’/-]+)"
)
STATES = later(
    rf"{_SUBJECT} (?:is|are|was|were|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|has|have|had|hasn['’]t|haven['’]t|does|"
    r"doesn['’]t|did|didn['’]t|can['’]?t|cannot|will|won['’]t|seems?|looks?|says?|shows?|happens?|fails?|crash(?:es)?|"
    r"hangs?|breaks?|works?|(?:never|always|still|only|sometimes|often|no longer) (?!use\b)\w+(?:s|ed)|never (?:got|"
    r"came|went|saw|ran|did))\b(?! (?:in|on|at|next|under|"
    r"to be|written|important|mine|off limits|read-only|enough|fine|ok)\b)|(?:it|he|she) \w+|i (?:never |also |only )?"
    r"(?!want|need|prefer|like|hate|expect|insist|would|do|don|never|always|am\b)\w+|"
    r"(?:der|die|das|es|ich|er|sie|unsere?|mein\w?|ein|eine) (?:[\w.-]+ )?(?:\w+t|ist|sind|war|waren|habe|hat|kann|"
    r"wird|geht|komm\w+) (?:nicht|nie|kein\w*|noch|immer noch|langsam|kaputt|rot|weg|leer)\b|"
    r"ich (?!will|möchte|mag|brauche|bitte|erwarte|hätte|hasse)\w+|"
    r"(?:le|la|les|l['’]\w+|il|elle|je|el|los|las|lo|i|gli) (?:[\w.-]+ )?(?:ne \w+ (?:pas|plus|jamais|rien)|n['’]\w+|"
    r"no \w+|nunca \w+|non \w+)\b",
    re.IGNORECASE,
)
"""How an item begins that states something of a thing, or of somebody."""
OWN = later(
    r"\b(?:i(?! (?:don'?t|do not|never|got|found|saw)\b)|my|we|our|ich|wir|mein\w*|unser\w*|je|mes|nos|mis?|quiero|"
    r"nuestr\w+|мо[йия]|наш\w*)\b|我|require|\w*(?:rules?\b|condition|constraint|convention|wish|regel|vorgabe|wunsch|"
    r"wünsche|règle|consigne|norma|regla|condicion|правил|услов)\w*|规则|规矩|条件|要求|お願い|ルール|규칙",
    re.IGNORECASE,
)
"""What speaks of rules, or of who says it."""
_NOTE = (
    r"(?:reports?|e-?mails?|mails?|letters?|notes?|memos?|messages?|tickets?|reviews?|proposals?|leaflets?|flyers?|"
    r"manuals?|handbooks?|guidelines|brochures?|pitch|offers?|comments?|replies|reply|answers?|feedback)"
)
_PAPER = (
    rf"(?:{_NOTE}|runbook|readme|docs?|documentation|changelog|wiki|article|post|blog|page|website|sign|draft|plan|"
    r"screen|logs?|guides?)"
)
_LETTER = (
    r"(?:reseña|carta|correo|mensaje|nota|brief|mail|notiz|rezension|zettel|lettre|avis|message|mot|recensione|"
    r"lettera|"
    r"messaggio|resenha|mensagem)"
)
OTHERS = later(
    r"(?<!\bnobody )\b(?:says|writes|wrote|states|replied|answered|recommends|suggests|claims|complains|prints|"
    r"printed|(?:sent|told|left|gave) (?:us|me|this|these|it|behind))\b|"
    r"\b(?:he|she|they|(?:the|a|an|this) \w+(?: \w+)?) (?:said|left|sent|reads)\b|"
    rf"^(?:\W*(?:this|that|these|it)(?: is|'s|s)? )?\W*(?:{_PAPER} )?from (?:the|an?|this|that|his|her|their|your) "
    rf"(?:\S+ ){{0,3}}?{_PAPER}\b|\b{_NOTE} from (?:the|an?|his|her|their)\b|\bin the logs?\s?:|"
    rf"^(?:the|an?|his|her|their) (?:\S+ )?\S+['’]s? {_NOTE}\b(?! (?:must|should|is|are|needs?|has|will)\b)|"
    r"\b(?:got|found|saw) (?:this|these|it)\b|\b(?:im|in der|auf dem|auf der|am|in den) [^:]{2,40} (?:steht|stand)\b|"
    r"\b(?:er|sie|der|die|das) (?:\w+ )?(?:schreibt|schrieb|sagt|sagte|meint|meinte|hat [^:]{0,40}\b(?:hinterlassen|"
    r"geschrieben|gesagt|geschickt))\b|\b(?:il|elle|une?|le|la|les|l['’]\w+)(?: \w+){0,3} "
    r"(?:dit|écrit|affiche|indique|a (?:dit|écrit|laissé|envoyé))\b|"
    r"\b(?:dice|escribió|sale en|dejó (?:esto|escrito)|ha scritto|scrive|diz|escreveu)\b|"
    r"\b(?:написан[оаы]?|пишет|написала?|говорит|сказала?|оставила?)\b|"
    r"\bв (?:журнал|лог)\w*|\bиз (?:журнал\w*|лог\w*|письма|readme)\b|"
    rf"\b{_LETTER} (?:(?:de|di|von) (?:une?|una|um|uma|einem|einer|la|los|las)|d['’]une?|del|do|vom|der|della) "
    r"(?!día\b)\w|"
    r"\b(?:письмо|отзыв|записка) от\b|\b(?:letter|feedback|alert|ticket|review|comment|e-?mail|message|report) "
    r"(?:text|#\S{1,8}|\d+)\s?:|"
    r"写着|写道|是这样写的|[^\s，。：:我你您来之话是么]{1,8}说\s?[:：]|留下|書いてあ|と書か|によると|"
    r"(?:者|さん|氏|様)の(?:メモ|メール|手紙|説明)|こう(?:出|書|言)",
    re.IGNORECASE,
)
"""What says before a colon that what follows is somebody else's."""
SELF = later(
    r"\b(?:i(?! (?:don'?t|do not|never|got|found|saw)\b)|we|ich|wir|je|nous|yo|io|eu|я|мы)\b|\bj['’]ai|我",
    re.IGNORECASE,
)
"""What says that he speaks of himself who speaks."""
