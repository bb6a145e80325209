"""What a sentence says of the moment in which it is said: such a sentence is no standing condition, in any language.

Rules kept here:

- What holds on can be understood by itself at any time. It points to no day and to no thing that is at hand, tells no
  past, guesses nothing, proposes no next step, and says nothing of what somebody feels, knows or finds nice.
- Only what a language has few of counts: words that point, endings and helping verbs of a past, particles, verbs of the
  mind. None of them says what a sentence is about.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.spoken.anycase import Cue
from palimpsest.summarize.spoken.orders import LASTING, SPARES

_POINTING = {
    "en": (
        "today tonight tomorrow yesterday currently so\\sfar yet again already recently lately ago soon "
        "(?:right|for|by|just|until)\\snow now\\sand\\s(?:then|again) "
        "(?:i|(?:is|are)(?!\\s\\w+(?:ed|[ktv]en|nt)\\b)|has|have|looks?|works?|fails?|shows?)\\b[^.?]*\\bnow "
        "(?:this|last|next)\\s(?:time|morning|afternoon|evening|night|week|weekend|month|year|part|one) "
        "at\\sthe\\smoment the\\sother\\sday"
    ),
    "de": (
        "heute gestern vorgestern gerade eben vorhin bisher schon wieder noch(?:\\s?ein)?mals? momentan derzeit "
        "inzwischen neulich bald (?:letzte|diese|nächste)[nrsm]?\\s(?:woche|nacht|mal|monat|jahr|teil)"
    ),
    "fr": (
        "aujourd['’]hui demain déjà tout\\sà\\sl['’]heure récemment en\\sce\\smoment "
        "pour\\sl['’]instant (?:ce|cette)\\s(?:matin|soir|nuit|semaine|fois|partie) bientôt"
    ),
    "es": (
        "hoy ayer anoche todavía aún recién hace\\s\\w+\\s(?:días?|horas?|semanas?|meses|años?) "
        "est[ae]\\s(?:mañana|tarde|noche|semana|vez|parte|mes|año) por\\sel\\smomento otra\\svez pronto mañana"
    ),
    "pt": "hoje ontem amanhã já ainda recentemente est[ae]\\s(?:manhã|tarde|noite|semana|vez|parte)",
    "it": (
        "oggi ieri domani già ancora stamattina stasera recentemente quest[ao]\\s(?:settimana|volta|parte)"
    ),
    "ru": (
        "сегодня вчера завтра сейчас уже ещё снова опять недавно только\\sчто с\\sутра скоро "
        "эт(?:у|а|ой)\\s(?:часть|раз|неделю?)"
    ),
    "pl": "dzisiaj dziś wczoraj jutro już jeszcze znowu niedawno",
    "nl": "vandaag gisteren morgen net alweer onlangs straks",
    "nordic": "idag igår imorgon i\\sdag i\\sgår i\\smorgen nyss nyligen igen",
    "tr": "bugün dün yarın şu\\san henüz hâlâ demin",
}
_UNITS_PAST = (
    r"(?:last|next) (?:spring|summer|autumn|fall|winter|term|season|\w{3,6}day)|"
    r"letzte[nrsm]? (?:frühling|sommer|herbst|winter|wochenende|\w{3,7}tag|mittwoch)|"
    r"(?:printemps|été|automne|hiver|année|semaine|mois|\w{3,5}di|dimanche) (?:dernier|dernière|passée?)|"
    r"(?:\w{4,9}s|primavera|verano|otoño|invierno|año|semana|mes|sábado|domingo) pasad[oa]|прошл\w{2,3}"
)
_FROM = r"from\s \bab\s partir\sde\s desde\s partir\sd['’] dès\s \bda\s vanaf\s \bс\s".split()
_DAYS = "|".join(" ".join(_POINTING.values()).split(" "))
_STARTS = later(rf"(?:{'|'.join(_FROM)})(?:{_DAYS})\b", re.IGNORECASE)
"""From which day something holds: that is none of the moment."""
_POINTS = Cue(
    later(
        rf"{''.join(f'(?<!{word})' for word in _FROM)}\b(?:{_DAYS})\b|"
        rf"\b(?:{_UNITS_PAST})\b|去年|上个?(?:周|月|次|星期)|先週|先月|昨年|지난|(?<!\w)(?:الماضي|الماضية|"
        rf"الليلة)(?!\w)|"
        r"今天|昨天|明天|前天|刚才|刚刚|目前|已经|这次|今早|今晚|早上|接下来|这部分|今日|昨日|明日|さっき|先ほど|今朝|"
        r"今夜|最近|もう|まだ|(?<![只])今(?![後日朝夜])(?=[、はすのまも])|次に|この部分|오늘|어제|내일|아까|방금|아직|"
        r"벌써|요즘|최근|이 부분|(?<!\w)(?:اليوم|لهذا اليوم|أمس|غدا|منذ|مؤخرا|حاليا|هذا الجزء)(?!\w)",
        re.IGNORECASE,
    )
)
"""Words that point to a day, or to what is at hand; none in "from now on"."""
_AT_HAND = later(
    r"(?:and |but |so |well,? |oh,? |yeah,? |yes,? |no,? )?"
    r"(?:it(?!(?:'s| is) (?:\w+ )?(?:important|essential|vital|crucial|necessary|imperative|mandatory)\b(?! to (?!me|"
    r"us|keep|use|avoid)))|(?:this|that)(?! (?:repo|project|codebase|"
    r"package|app|service|site|team|company|folder|branch|module|library|tool|version|environment|server)\b)|these|"
    r"those|he|she|they|there(?! (?:is|are) no\b))(?:'\w+)?\b|"
    r"(?:(?:es|dies\w{0,2}|er|sie) (?!gibt keine?\b|ist \w+, dass\b|\w+ que\b)(?=\w)|das (?:ist|sieht|hat|war|"
    r"wird|geht|klingt|macht|kann|soll)\b)|(?:c['’]est|ça|cela|ceci|ces?|il|elle|ils|elles|"
    r"voilà)\b(?! est (?:\w+ )?(?:\w+, )?(?:que|qu'|de ne|"
    r"interdit|essentiel|important))|(?:est[oae]s?|es[ea]s?|eso|esos|él|ella|ellos|ahí|aquí está)\b|(?:isto|isso|"
    r"ess[ea]|ele|ela|eles|quest[oaie]|quello|lui|lei)\b|(?:это|этот|эта|эти|он|она|оно|они|вот|тут)\b|"
    r"[这那它他她](?!里|边|个(?:项目|仓库))|(?:これ|それ|あれ|この|その|あの|ここ|そこ|彼)|(?:이|그|저)(?:것|건|게|"
    r"거| "
    r")|(?:هذا|هذه|ذلك|تلك|هو|هي|هم)(?!\w)",
    re.IGNORECASE,
)
"""How a sentence begins that goes on from another: it cannot be understood by itself."""
_STRONG_PASTS = (
    "said told went came got had did was(?!\\s(?:auf|der|die|das|passiert|du|ich|wir|ist|man)\\b) were made took saw "
    "found broke ran gave felt thought knew met bought brought "
    "wrote spent grew began sent lost won heard forgot taught chose woke fell flew drove"
)
_PASSIVE = "".join(
    rf"(?<!\b{word} )"
    for word in (
        "be is are been being get gets stay stays remain remains keep not never always only the a an our my your "
        "their no all every each and or"
    ).split()
)
_ENDED = r"the|a|an|my|our|it|me|him|her|us|them|that|without|with|to|up|down|out|off|in|at|on|through|so|but|and|last"
_KOREAN_PAST = "".join(chr(code) for code in range(0xAC00 + 20, 0xD7A4, 28) if chr(code) not in ("있", "겠"))
"""Syllables that end with a double s: so verbs do in the past."""
_PASTS = {
    "en": (
        rf"{_PASSIVE}\b(?:{'|'.join(_STRONG_PASTS.split())})\b|{_PASSIVE}\b\w{{2,}}(?<!e)ed (?:{_ENDED})\b|"
        r"\b(?:i|we|you|he|she|they|it)(?:'ve|'d| have| has)? (?:just |also |really |finally )?\w{2,}(?<!e)ed\b|"
        r"\b(?:i|we|you|they)(?:'ve| have) \w{2,}(?:en|ne|wn|ght|de|ad|ot|ut)\b|"
        rf"{_PASSIVE}\b\w{{3,}}(?<!e)ed[.!]{{0,2}}$"
    ),
    "de": (
        r"\b(?:hat|habe|haben|hast|habt|hab) [^,;?]{0,60}?\b\w{0,12}(?:ge\w{2,}(?:t|en)|iert)\b|\b(?:ist|sind|"
        r"bin) [^,;?]{0,60}?\b\w{0,12}ge(?:lauf|gang|komm|fall|fahr|worden|wes|lung|schehen|stürz)\w{0,3}\b|\b(?:war|"
        r"waren|hatte|hatten|wurde|wurden|sagte|meinte|dachte|fand|ging|kam|wollte|konnte|musste|sollte)n?\b"
    ),
    "fr": (
        r"\bn['’](?:a|ai|as|ont) (?:pas|rien|jamais|plus) \w{2,}|\ba (?:pris|fait|dit|mis|vu|eu|perdu|reçu|voulu|pu|"
        r"dû|"
        r"lu|su|tenu)\b|\best (?:tomb|part|arriv|devenu|all|entr|sort|ven)\w{0,2}[éeiu]\b|"
        r"\b(?:(?:tu |l['’])as|a|avez|s['’]est|se sont|me suis) (?:pas |jamais |déjà |bien |tout )?\w{2,}ée?s?\b|"
        r"(?:\b(?:avons|ont)|j['’]ai) (?:pas |jamais |déjà |bien |tout )?\w{2,}(?:[éiu]|is|it)e?s?\b|"
        r"\b(?:était|étaient|avait|avaient|disait|voulait|pouvait|allait|faisait)\b"
    ),
    "es": (
        r"\b\w{2,}ó\b|\b\w{2,}(?:aron|ieron|aba|aban|ábamos)\b|\b(?:fue|era|eran|había|habían|tenía|quería|decía)\b|"
        r"\b(?:he|has|ha|hemos|han) (?:\w{2,10} )?(?:\w{2,}[ai]do|hecho|dicho|visto|puesto|escrito|roto|vuelto)\b"
    ),
    "pt": (
        r"\b(?!(?:sou|vou|dou|estou)\b)\w{2,}ou\b|\b\w{2,}(?:aram|eram|iram|avam)\b|\b(?:foi|era|eram|tinha|estava|"
        r"disse)\b"
    ),
    "it": (
        r"\b(?:ho|hai|ha|abbiamo|avete|hanno) (?:\w{2,10} )?(?:\w{2,}[aiu]to|detto|fatto|visto|messo|scritto|preso)\b|"
        r"\b(?:era|erano|aveva|avevano|stava|voleva|disse)\b"
    ),
    "ru": (
        r"\b(?:я|он|она|оно|они|мы|ты|вы|кто-то) (?:(?:не|уже|тоже|его|её|это|этого|никогда|ещё|еще|такого) "
        r"){0,3}\w{2,}л(?:а|и|о|ся|ась|ись|ось)?\b|"
        r"\b\w{2,}л(?:ся|ась|ось|ись)\b|\b\w{0,6}(?:шёл|шел|шла|шло|шли)\b|\b(?:был[аои]?|сказал\w?|говорил\w?|"
        r"звонил\w?)\b"
    ),
    "pl": r"\b\w{2,}(?:łem|łam|łeś|łaś|liśmy|łyśmy|ał|ała|ili|iła|ył|yła)\b",
}
_PAST = Cue(
    later(
        rf"{'|'.join(_PASTS.values())}|(?<![为除忘])了(?![不解ぁ-ん])|过(?:[。！，]|$|[^，。]{{0,4}}次)|当初|"
        r"(?:ました|でした|だった|った|いた|えた|れた|きた|した)(?:[。！、]|$|[がけの])|"
        rf"[{_KOREAN_PAST}](?!으면|어야)|(?<!\w)(?:قال|قالت|قالوا|كان|كانت|لقد|انتهى|انتهت|أعدت|اتصل)(?!\w)",
        re.IGNORECASE,
    )
)
"""How verbs tell the past; no participle behind "is" and "are", which says how something is to be as well."""
_REGRET = Cue(
    later(
        r"^(?![^.]*\b(?:never|always|nie|immer|jamais|toujours|nunca|siempre)\b)(?:[^.]*\b(?:the|that|den|die|das|"
        r"le|la|el) "
        r"(?:other|ander\w{1,2}|autre|otr[oa])\b[^.]{0,40}\b(?:i meant|meinte ich)\b|[^.]*\b(?:i meant (?:the|that|"
        r"this)|"
        r"ich meinte? (?:den|die|das|dies\w{1,2})|je parlais d|me refería a|intendevo (?:il|la|lo)|имел[а]? в "
        r"виду)\b)|"
        r"[^。？]{0,30}の(?:方|ほう)(?:です|だよ|だった|でした|ね|を)?[。！]?$|"
        r"\b(?:should|shouldn['’]t|could|would|wouldn['’]t)(?: not| never)?(?:['’]ve| have) (?:never |just |really )?"
        r"(?!an?\b|the\b|no\b|at\b|one\b)\w{2,}(?:ed|en|ne|wn|ght|ad|old|elt|ept|ade|ost|ut|it|me|un)\b|"
        r"\b(?:il doit y avoir|debe de (?:haber|ser)|deve (?:esserci|haver))\b|に違いない|"
        r"\b(?:must|might)(?:['’]ve \w{3,}|(?: not)? have (?:been|felt|had|taken|left|made|got|gotten|given|seen|gone|"
        r"done|come|lost|thought|meant|cost|become)\b)|"
        r"\bhätte\w{0,3} [^?,]{0,80}\b(?:dürfen|sollen|müssen|können)\b|\baur\w{2,6} (?:\w+ )?(?:dû|pu)\b|"
        r"\b(?:debi(?:ó|mos|eron)|(?:deber|tendr)[íi]a\w{0,3} (?:que )?haber|deveria\w{0,3} ter)\b|"
        r"\b(?:надо|нужно|следовало|стоило|должн\w{1,2}) был[оаи]\b|(?:当初|本来|早)[^，。？?]{0,6}(?:不该|应该|该)|"
        r"べき(?:では|じゃ)なかった|말았어야|ما كان ينبغي",
        re.IGNORECASE,
    )
)
"""What should have been otherwise, or must have been so: it is over."""
_COUNTED = Cue(
    later(
        r"\b(?:(?:twice|(?:three|four) times)(?! (?:a|per|each|every|than)\b)|(?:zwei|drei|vier)mal(?! (?:am|pro|im|"
        r"die|in der)\b)|(?:deux|trois) fois(?! par\b)|(?:dos|tres) veces(?! (?:al|por|a la)\b)|(?:due|"
        r"tre) volte(?! al)|дважды(?! в )|трижды(?! в ))\b|(?<![每一])[了现]?[两三]次[。！]?$|[二三]回(?!まで|以内|"
        r"以上|ずつ)|(?<!에 )[두세] 번(?!까지|씩)|(?<!\w)مرتين(?! في)",
        re.IGNORECASE,
    )
)
"""How often something was met, and not how often it is to be done."""
_OTHERS = Cue(
    later(
        r"\b(?:says(?! no\b|:)|saying|(?<=. )(?<!you )(?<!we )(?<!\bi )say|claims?|complains?|(?<!the )(?<!to )thinks|"
        r"believes)\b|\b(?:sagt|meint|behauptet|findet),? |"
        r"\b(?:dit|répète|prétend|trouve) qu|\b(?:dice|diciendo|opina|piensa) que\b|\b(?:говорит|твердит|считает)\b|"
        r"(?:老|总|一直|都)说|と(?:言|い)って|다고 (?:합니다|해요|했|말)|(?<!\w)[يت]قول(?!\w)",
        re.IGNORECASE,
    )
)
"""What somebody else says or thinks."""
_MIND = Cue(
    later(
        r"\b(?:i (?:meant|was talking about)|meinte ich|ich meinte?|je (?:parlais|voulais dire)|me refería|quería "
        r"decir|"
        r"intendevo|volevo dire|eu quis dizer|имел[а]? в виду)\b|我[是]?[说指]的是|のほうでした|の方だった|"
        r"\bi(?:['’]m| am)? (?:(?:do|am)(?: not|n['’]t) |(?:not|don['’]t|really|just|also|quite|so|still|always|can|"
        r"can['’]t|cannot) ){0,2}(?:sure|understand|know|think|guess|believe|feel|wonder|hope|remember|see|hear|love|"
        r"miss|hate|glad|happy|tired|"
        r"hungry|excited|confused|curious|mean|agree|bet|imagine|appreciate|enjoy|suppose|get|notice|find)\b|"
        r"\b(?:ich (?:bekomme?|kriege?|sehe?|höre?)|(?:bekomme?|kriege?|sehe?|höre?) ich|(?:je |j['’])(?:obtiens|vois|"
        r"reçois|entends)|me (?:sale|aparece|devuelve)|veo|recibo|вижу|получаю|слышу)\b|[我里]?(?:看到|看见|收到|"
        r"听到)|"
        r"(?<!\w)(?:أرى|تظهر لي|يظهر لي)(?!\w)|"
        r"\b(?:ich (?:verstehe?|weiß|glaube?|denke?|finde?|hoffe?|meine?|fühle?)|(?:verstehe?|weiß|glaube?|denke?|"
        r"finde?|hoffe?|meine?) ich|ich hasse|ich habe (?:hunger|durst|angst))\b|\b(?:je (?:ne |n['’])?(?:déteste|"
        r"comprends|sais|pense|crois|trouve|espère|sens)|j['’](?:espère|ai (?:faim|soif|peur)))\b|\b(?:(?:no "
        r")?(?:odio|"
        r"entiendo|sé(?! \w+[.!]?$)|creo|pienso|espero|supongo|siento|recuerdo)|me parece|tengo (?:hambre|sed|"
        r"miedo))\b|\b(?:(?:não )?(?:entendo|sei|acho|penso|creio)|(?:non |lo )so|(?:non )?(?:capisco|credo|penso|"
        r"spero)|mi sembra)\b|"
        r"\b(?:не )?(?:ненавижу|понимаю|знаю|думаю|считаю|надеюсь|помню|чувствую|проголодал\w{2})\b|"
        r"讨厌|嫌い|싫어|知道|明白|觉得|认为|理解|记得|我想(?!要)|饿|累|分かり|わかり|思い|思う|気が[しす]|気になる|"
        r"모르겠|알겠|생각|(?<!\w)(?:أفهم|أعرف|أعتقد|أظن|أتمنى|أشعر|جائع)(?!\w)",
        re.IGNORECASE,
    )
)
"""What somebody knows, thinks or feels."""
_GUESS = Cue(
    later(
        r"\b(?:maybe|perhaps|probably|might|seems?|apparently|looks? (?:like|good|great|nice|fine|ok|better|odd|off|"
        r"wrong|"
        r"weird|bad|strange)|could be|könnte\w{0,2} [^,?]{0,40}\bsein|podría (?:ser|estar)|pourrai(?:t|ent) être|"
        r"potrebbe essere|"
        r"for some reason|somehow|vielleicht|wohl|irgendwie|komischerweise|por alguna razón|почему-то|wahrscheinlich|"
        r"vermutlich|anscheinend|scheint|sieht [^,?]{0,20}\baus|"
        r"kommt (?:mir|uns) [^,?]{0,30}\bvor|"
        r"peut-être|sans doute|probablement|semble|quizás?|tal vez|a lo mejor|parece|probablemente|talvez|forse|"
        r"magari|"
        r"sembra|probabilmente|наверное|может быть|возможно|похоже|кажется|видимо)\b|"
        r"不知怎么|不知为何|なぜか|왠지|可能|也许|大概|好像|似乎|たぶん|かもしれ|でしょう|らしい|みたい|よう(?:だ|"
        r"です)(?:[。！]|$)|아마|것 같|수도 있|(?<!\w)(?:ربما|لعل|يبدو|قد يكون)(?!\w)",
        re.IGNORECASE,
    )
)
"""What is a guess, or an impression."""
_FERVENT = Cue(
    later(
        r"\b(?:really|truly|totally|definitely|such an?|so (?!that\b)\w+ly|echt|wirklich|vraiment|tellement|realmente|"
        r"thanks|thank you|danke|merci|gracias|grazie|obrigad[oa]|спасибо|honestly|frankly|to be honest|"
        r"ehrlich(?: gesagt)?|franchement|honnêtement|la verdad|sinceramente|честно(?: говоря)?|too (?:much|many)|"
        r"zu viele?|trop|demasiad[oa]s?|слишком|"
        r"de verdad|davvero|muito mesmo|очень|правда)\b|真的(?=[很好不太]|[，。！])|非常|很[^多少]|挺|とても|本当に|"
        r"정말|너무|谢谢|感谢|ありがとう|고마|감사|شكرا|正直|说实话|솔직히|(?<!\w)(?:بصراحة|رائعة?|جدا|"
        r"حقا)(?!\w)",
        re.IGNORECASE,
    )
)
"""What says how much somebody means it: an opinion."""
_FAILS = later(
    r"\b(?:still|fails?|failing|crash(?:es|ing)|throws|hangs|times out|(?:does|do|is|are)(?:n'?t| not) "
    r"(?:work|load|close|open|show|start|respond)(?:ing)?|not working|"
    r"(?:geht|gehen|funktionier\w{1,2}|läuft|klappt)(?: bei mir)? nicht|"
    r"immer noch|ne (?:marche|fonctionne|répond)\w{0,2} pas|encore|no (?:funciona|abre|carga|responde)n?|todavía|"
    r"не (?:работа|открыва|загружа)\w{1,4}|вс[её] ещ[её])\b|还是|仍然|动不了|打不开|エラー|動き?ません|動かない|"
    r"(?<!면 )안 (?:돼|됩|열|되)|에러",
    re.IGNORECASE,
)
"""How something is that does not work, or is as it was: it is to be mended."""
_CALLED_OUT = later(r"[!！]['\"”»]?$")
"""A call is an opinion as well, unless it says when, how often, or what not."""
_INTENDS = Cue(
    later(
        r"\bi(?:['’]ll| will|['’]d love|['’]m (?:just |really |still )?(?!allergic)\w{2,}ing| am (?:just |"
        r"still )?\w{2,}ing)\b|\bi['’]m (?:off|back|out|done|leaving)\b|\b(?:ich (?:werde|gehe?|komme?|fahre?|"
        r"bin (?:gleich|dann|kurz|bald|in))|je (?:vais|pars|reviens|sors)|voy a|me voy|vuelvo|vou|sto per|vado|я буду|"
        r"вернусь|пойду|уш[её]л|ушла)\b|我(?:会|要去|正在|先?去)|てきます|戻ります|게요|"
        r"(?<!\w)(?:سوف|أنا ذاهب|سأ\w+)",
        re.IGNORECASE,
    )
)
"""What somebody is about to do himself."""
_ANSWER = later(
    r"(?:perfect|great|excellent|awesome|brilliant|nice|cool|good|perfekt|super|toll|klasse|gut|parfait|génial|bien|"
    r"perfecto|genial|estupendo|vale|perfetto|отлично|супер|хорошо|прекрасно|класс)[,.!]|太[好棒]了|很好|不错|完璧|"
    r"素晴らし|완벽|좋아요|최고|ممتاز|رائع|(?:and |oh,? )?(?:one|two|another)(?: \w{4,5})? things?[.!]?$|(?:yes|yeah|"
    r"yep|yup|no(?=,)|nope|hi|hello|hey|oh|ah|wow|haha\w*|hm+|well|sure|ok(?:ay)?|thanks?|thank you|sorry|"
    r"unfortunately|congrat\w*|you(?:['’]re| are| (?:can|may|did|have|should) (?:see|find|not)| \w+ed)|"
    r"ja(?=,)|nein(?=,)|hallo|danke|ach|tja|oui|non(?=,)|salut|bonjour|merci|désolée?|sí(?=,)|hola|gracias|perdón|"
    r"vaya|"
    r"olá|obrigad[oa]|ciao|grazie|да(?=,)|нет(?=,)|привет|спасибо|извини(?:те)?|ну)\b|"
    r"嗯|哈|うん|ええ[、。]|なるほど|了解|いいね|よし[、。]|違う違う|あ[、,]|好的|谢谢|你好|当然|你(?:是|说|真|的)|"
    r"はい|いいえ|ありがとう|すみません|こんにちは|네[,. ]|아니요|안녕|"
    r"고마|감사|(?:شكرا|مرحبا|نعم)(?!\w)",
    re.IGNORECASE,
)
"""How a sentence begins that answers or greets, or speaks of whom it is said to."""
_PROPOSAL = later(
    r"(?:(?:so|and|ok(?:ay)?|well|now|then),? )?let['’]?s (?!not\b|never\b)|давай(?:те)?\b|"
    r"(?!(?:nous|sauf)\b)\w{2,}ons\b(?=-nous| )|(?:vamos a|hagamos|vayamos|\w{2,}[áé]mos(?:nos|l[oa]s?))\b|لن\w{3,}|"
    r"[^？?]{1,60}(?:ましょう|一下|吧|합시다|읍시다|ㅂ시다|하자|자구|어요|아요|네요|군요)(?:[，,。！!.]|$)",
    re.IGNORECASE,
)
"""How somebody proposes the next step, or says how nice something is."""


_I = later(r"(?:and |but |so )?i\b", re.IGNORECASE)
"""How a sentence begins in which who says it speaks of himself."""
_SCOLDED = later(
    r"\b(?:says?|saying|thinks|believes|claims|complains|sagt|meint|findet|dit|pense|trouve|répète|dice|diciendo|"
    r"piensa|opina|cree|говорит|думает|считает|твердит)\b[^.?]{0,24}\b(?:we|wir|nous|on|nos|que|что мы|"
    r"noi)\b[^.?]{0,12}\b(?:always|never|immer|nie|toujours|jamais|siempre|nunca|всегда|никогда)\b",
    re.IGNORECASE,
)
"""How somebody else speaks of what all of us do."""
_IF = later(
    r"(?:[^?,]{0,24}, чтобы|if|when(?:ever)?|once|as soon as|unless|wenn|falls|sobald|si|quand|lorsque|dès que|cuando|"
    r"se|quando|если|когда|как только)\b|如果|要是|一旦|إذا|كلما|[^？?]{1,30}(?:的话|なら|場合|たら|되면)",
    re.IGNORECASE,
)
"""How a condition begins: what was before it, and how often, is none of the moment."""


_OF_ALL = later(
    r"(?:(?:please|and|but|so|bitte),? )?(?:(?:every|each|all|any|no|always|never|keep|avoid|immer|nie|"
    r"jede[nmrs]?|alle|toujours|chaque|tous|toutes|siempre|cada|todos|todas|всегда|кажд\w{2,3}|"
    r"все)\b|[a-z]{3,30}s must\b)",
    re.IGNORECASE,
)
"""How a sentence begins that speaks of every one, or every time: it puts what it says as a rule."""


def depends(text: str) -> bool:
    """Whether a sentence begins with a condition."""
    return _IF.match(text) is not None


def of_himself(text: str) -> bool:
    """Whether who says something begins with himself: that he needs or must not do it gives no order."""
    return _I.match(text) is not None


def answers(text: str) -> bool:
    """Whether a sentence begins with an answer, a greeting or thanks."""
    return _ANSWER.match(text) is not None


def goes_on(text: str) -> bool:
    """Whether a sentence begins with what it goes on from: "it", "this one"."""
    return _AT_HAND.match(text) is not None


def speaks_of_all(text: str) -> bool:
    """Whether a sentence begins with every one, every time, or none."""
    return _OF_ALL.match(text) is not None


def regrets(text: str) -> bool:
    """Whether a sentence says what should have been or should be otherwise, or must have been so."""
    if speaks_of_all(text):
        return False
    return _REGRET.stands_in(text) or _SCOLDED.search(text) is not None


def tells_past(text: str) -> bool:
    """Whether a sentence tells what was."""
    return _PAST.stands_in(text)


def _lasts(text: str) -> bool:
    """Whether a sentence says when, how often, or what not, beside that something does not work."""
    said = _FAILS.sub(" ", text)
    return any(form.search(said) for form in (LASTING, SPARES))


def starts(text: str) -> bool:
    """Whether a sentence says from which day on something holds."""
    return _STARTS.search(text) is not None


def is_opinion(text: str) -> bool:
    """Whether words say what somebody guesses, feels or thinks."""
    return any(form.stands_in(text) for form in (_FERVENT, _GUESS, _MIND, _OTHERS))


def is_of_moment(text: str) -> bool:
    """Whether a sentence can only be understood, or only holds, at the moment in which it is said."""
    if any(form.match(text) for form in (_AT_HAND, _PROPOSAL, _ANSWER)) or _SCOLDED.search(text):
        return True
    if (_CALLED_OUT.search(text) or _FAILS.search(text)) and not _lasts(text):
        return True
    told = () if _IF.match(text) else (_COUNTED, _PAST)
    return any(
        form.stands_in(text) for form in (_FERVENT, _INTENDS, _GUESS, _OTHERS, _MIND, _REGRET, _POINTS, *told)
    )
