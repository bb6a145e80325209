"""What a user wants to be asked about before it is done, and what may be done without asking: "ask me before you push",
"you can push without asking me now", "改表结构不用先问我了".

Rules kept here:

- Only what the assistant may do is freed: "the script can delete files without asking me" tells of somebody else.
- What it is about is what a sentence says beside the asking; where the clause of the asking says nothing else, that is
  what stands before it.
- A question, a condition and a limit ("only on staging") free nothing; nor does what is allowed once ("this one",
  "today"), what tells the past, cites somebody, or says no beside ("you can't push without asking").
- Who wants to be shown or told something first asks for that; a demand to be asked says before what.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from palimpsest.patterns import later
from palimpsest.summarize.spoken.changes import WHY
from palimpsest.summarize.spoken.cues import FORBIDS, bare
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.spoken.nods import unnodded
from palimpsest.summarize.spoken.orders import LIMITS, NOW

MAX_READ = 1_024
"""Sentences that are kept as they were understood."""
_SEEDS = (
    "ask check consult approv permission confirm notif tell show run my mein freigab "
    "frag rückf zustimm erlaubnis bescheid demand "
    "accord consult pregunt pregún permiso avis chied conferma pergunt permiss avisa vra toestemming pyta zapyt "
    "zgod спр "
    "разреш 问 通知 确认 看 告诉 同意 聞 確認 許可 相談 물어 묻 확인 허락"
).split()
"""One of these stands in each sentence that speaks of asking: looking for them costs little."""
_ASK = {
    "en": (
        r"(?:ask(?:ing)?|check(?:ing)? with|consult(?:ing)?|confirm(?:ing)? with|notify(?:ing)?|tell(?:ing)?|"
        r"run(?:ning)? (?:it|this|that|them) (?:by|past)) (?:me|us)\b|\bask(?:ing)?\b(?= (?:before|first|any ?more|"
        r"now|again)\b|[,.!]|$)|show(?:ing)? (?:me|it to me)\b|my (?:ok(?:ay)?|approval|permission|consent|go-ahead)\b"
    ),
    "de": (
        r"frag\w{0,2} (?:mich|uns)\b|(?:mich|uns) (?:(?:nicht|vorher|erst|noch|mehr) ){0,3}(?:zu )?(?:ge)?fragen\b|"
        r"rückfragen?\b|(?:zu |nach)fragen\b|(?<=ohne )(?:freigabe|zustimmung|erlaubnis)\b|meine[rn]? (?:zustimmung|"
        r"erlaubnis|freigabe)\b|mein(?:en?)? "
        r"(?:ok(?:ay)?|go|einverständnis|ja)\b|sag mir bescheid\b|"
        r"mir bescheid (?:zu )?sagen\b"
    ),
    "fr": (
        r"demande[zr]?-(?:moi|nous)\b|(?:me|nous) (?:le )?(?:demand\w{1,4}|consulter)\b|mon (?:accord|feu vert)\b|"
        r"ma permission\b"
    ),
    "es": r"preg[uú]nt[ae]n?(?:me|nos)\b|preguntar(?:me|nos)?\b|me preguntes?\b|mi (?:permiso|visto bueno|ok)\b",
    "pt": (
        r"me (?:pergunte\w{0,2}|perguntar(?:es)?|pergunta|consultar)\b|pergunt[ae]r?-me\b|"
        r"minha (?:permissão|autorização|aprovação)\b|meu ok\b"
    ),
    "it": r"chied(?:i|e|er|ete)(?:mi|ci|melo)\b|(?:il )?mio (?:ok|permesso|consenso)\b|mi chieda\b",
    "nl": r"vra(?:ag|gen) (?:het )?(?:me|mij|ons)\b|(?:het )?(?:aan )?(?:me|mij|ons) (?:eerst )?(?:te )?vragen\b|"
    r"mijn (?:toestemming|akkoord|ok)\b",
    "pl": r"(?:za)?pyta(?:j|nia|ć|jąc) (?:się )?(?:mnie|nas|o zgodę)\b|mnie (?:za)?pytać\b|mojej zgody\b",
    "ru": (
        r"(?:спр(?:оси|ашива(?:й|ть|я))|спросить)(?:те)? (?:меня|нас|у меня)\b|меня спрашивать\b|спрашивать\b|"
        r"моего (?:разрешения|согласия|ведома)\b"
    ),
    "zh": r"(?:再|先|来|都|经过)*(?:征求)?(?:问|通知|告诉|请示|知会)(?:一下|过)?(?:我们?|一声)|(?:再|"
    r"先)*给我(?:看|过目)|"
    r"(?:再|先)*(?:经过?)?我的?(?:同意|确认|批准)|(?:再|先)*(?:跟|和|找|向)我(?:确认|商量|说一声|请示)",
    "ja": r"(?:必ず|まず|先に|いちいち|私に|僕に|俺に)*(?:聞(?:い|か|く)|確認(?:し|を|なし)|相談(?:し|なし)|"
    r"許可(?:を|なし))",
    "ko": r"(?:저에게|나에게|저한테|나한테|제게|꼭|항상|먼저)? ?(?:안 ?)?(?:물어|묻지|확인받|허락)\S*",
}
_ASKING = "|".join(
    rf"\b(?:{form})" if name not in ("zh", "ja", "ko") else form for name, form in _ASK.items()
)
_ASKED = later(rf"(?:{_ASKING})", re.IGNORECASE)
_WITHOUT = later(
    r"\b(?:without|w/o|ohne|sans|sin|sem|senza|zonder|bez|без|не)(?: (?:me|the|first|even|dafür|vorher|erst|meine|que|"
    rf"mi|het|mij|ter)\b)? (?:{_ASKING})|不(?:问我|经我同意|跟我确认)就?|(?:聞かずに|聞かないで|確認せずに|"
    rf"確認なし(?:で|に)|相談なしで|許可なし(?:で|に))|"
    r"(?:묻지 않고|안 묻고|물어보지 않고|확인 없이|허락 없이)",
    re.IGNORECASE,
)
_NEED_NOT = later(
    r"\b(?:no (?:more )?need|(?:do|does)(?:n['’]?t| not)(?: really| always)? (?:need|have(?= to))|needn['’]?t|"
    r"need not|no longer (?:need|ha(?:ve|s)(?= to))|stop|quit|not necessary|(?:brauchst|musst|brauchen|müssen)\b"
    r"[^.?!]{0,60}\b(?:nicht|nimmer)(?: mehr)?|plus (?:la peine|besoin)|pas besoin|(?:ne )?dois plus|n['’]as (?:plus|"
    r"pas) (?:besoin|à)|no (?:hace falta|necesitas|tienes que|hay)|não (?:precisa\w?|é preciso)|non (?:serve|"
    r"c['’]è bisogno|"
    r"occorre|devi)|hoef\w*(?:[^.?!]{0,40}\bniet)?|nie (?:musisz|trzeba)|(?:не нужно|не надо|необязательно))\b"
    rf"[^.,;?!]{{0,24}}?(?:{_ASKING})|(?:不用|不必|无需|不需要|没必要|不再需要)(?:每次|都|再)*(?:{_ASK['zh']})|"
    r"(?:聞かなくて|確認しなくて|相談しなくて)(?:も)?(?:いい|大丈夫|OK|構)|確認は?(?:もう)?不要|"
    r"(?:안 물어봐도|묻지 않아도|물어보지 않아도|확인 안 받아도)",
    re.IGNORECASE,
)
_MAY = later(
    r"\b(?:(?:you|u)(?: now)? (?:(?:can|could|may)(?!['’]?t\b| (?:not|never|no|have|hardly)\b)|are (?:free|allowed)|"
    r"have my)|(?:darfst|kannst|könnt|dürft) (?:du|ihr)|(?:du|ihr) (?:jetzt )?(?:darfst|kannst|könnt|dürft)|tu peux|"
    r"vous pouvez|puedes|podéis|puede usted|você pode|podes|puoi|potete|(?:je|jij) (?:mag|kunt|kan)|mag je|możesz|"
    r"możecie|можешь|можете|можно)\b|(?:^|[,;:] )(?:(?:ok(?:ay)?|so|now|then|and|but|please|pls),? )*(?:go ahead|"
    r"feel free|just|(?:can|may)(?= \w+ without))\b"
    r"(?= [^,;:]* (?:without|w/o)\b)|可以|直接[^，。]{1,8}(?:就行|即可|就好|就可以|吧|好了)|大丈夫|いいです|"
    r"構いません|いいよ|(?:해|하셔)도 (?:됩니다|돼|좋|괜찮)",
    re.IGNORECASE,
)
_DENIES = later(
    r"\b(?:\w+n['’]t|cannot|nobody|no one|hardly|refuse\w*|niemand|keiner|personne|nadie|nessuno|ninguém|никто|nikt|"
    r"(?:could|should|would|might)(?:['’]ve| have))\b|(?<!特)别|[没未休莫]|不(?!问|经)|ない(?!で)|ません|"
    r"않(?!고)|지 ?마",
    re.IGNORECASE,
)
"""What says no beside FORBIDS, or of what was not."""
_ONCE = later(
    r"\b(?:this|that|these|those|it|once|for now|(?<!from )(?<!of )(?:today|tonight|tomorrow)|(?<!ab )(?<!seit )heute|"
    r"diesmal|ausnahmsweise|dies\w{1,2}|morgen|fürs erste|das(?=  )|cette|ce|ces|"
    r"(?<!dès )(?<!partir d['’])aujourd['’]hui|"
    r"(?<!desde )hoy|est[ae]|quest[oa]|stavolta|(?<!da )oggi|est[ae] vez|desta vez|(?<!de )hoje|(?<!с )сегодня|этот|"
    r"эту|это|deze|dit|(?<!vanaf )vandaag|tym razem|(?<!od )dzisiaj)\b|[这此]一?[次回个]|"
    r"今[天日回]|このPR|今度だけ|이번|오늘",
    re.IGNORECASE,
)
"""What names one thing at hand, or one time."""
_ASKS_BACK = later(
    r"(?:(?:and|but|so|wait|hey|ok),? )*(?:why|how|what|when|where|who|whether|since when|did|do|does|is|are|was|were|"
    r"have|has|can|could|may|should|would|will) (?:i|you|u|we|he|she|they|it|the|there|come|that|about|not)\b|"
    r"(?:warum|wieso|weshalb|wie|seit wann|darfst du|kannst du|darf ich|pourquoi|comment|est-ce|por qué|cómo|"
    r"perché|come mai|por que|почему|зачем|разве|waarom|dlaczego|czy)\b|.*(?:吗|么|呢|是不是|能不能|可不可以|难道|怎|"
    r"谁[说讲]|"
    r"为什么|为何|なぜ|なんで|どうして|왜)",
    re.IGNORECASE,
)
"""How a question is asked that bears no mark."""
_SHOWN = later(
    r"\b(?:show|tell|run|notify)(?:ing)? |\bbescheid\b|(?:通知|告诉|知会)|给我(?:看|过目)", re.IGNORECASE
)
_BEFORE = later(
    r"\b(?:before|bevor|vor|avant|antes|prima|voordat|voor|zanim|przed|прежде|перед)\b|前|전에", re.IGNORECASE
)
VERB_PREFIX = later(r"^(?:raus|rein|ver|ab|weg|los|aus|hin|her|auf|ein|vor)(?=\w{4,}(?:en|st|t)$)")
"""What stands before a German verb and changes little of what is done: "rausschicken", "verschicken"."""
CITES = later(
    r"[\"“”„«»「『]|(?<!\bi )\b(?:says|said|asks|asked|reads|writes|wrote|thinks|claims|prints|according to|"
    r"told (?!you\b)|sagte?|schreibt|schrieb|meinte?|steht|laut|dit|écrit|selon|dice|dijo|según|scrive|"
    r"secondo l|diz|disse|segundo [oa]|говорит|сказал\w?|пишет)\b|\b(?:old|former|previous|alte|früher\w*|"
    r"ancienne|antigua|vecchia|старое) |^(?:in|from|per|on|im|in der|auf|dans|en|nel|no|в) (?:\w+ ){0,3}?[\w.-]+[:：]|"
    r"\bbefore that\b|[说写称道][:：过着]|有人|と(?:言|書)|によると",
    re.IGNORECASE,
)
"""What says that words are somebody else's, or of another time."""
_DEMANDED = later(
    r"\b(?:before|first|bevor|vorher|vor|avant|antes|prima|voordat|voor|zanim|przed|прежде|перед|сначала)\b|前|先|"
    r"전에",
    re.IGNORECASE,
)
_MUST_NOT = later(
    r"\b(?:don['’]?t|do not|never|must(?:n['’]t| not)|no|nothing|nie|nichts?|niemals|jamais|rien|ne|nunca|no|nada|não|"
    r"mai|non|nooit|niets|niet|nigdy|никогда|ничего|нельзя)\b|不要|别|不准|不得|ないで|말",
    re.IGNORECASE,
)
_EMPTY = later(
    r"\b(?:(?:go|went|let['’]?s go)? ?back to|the old way|reverted?|doch wieder|zurück|wieder wie vorher|nee|nein|"
    r"de nouveau|comme avant|de nuevo|volvamos a|como antes|di nuovo|torniamo a|come prima|de novo|voltamos a|"
    r"opnieuw|toch weer|znów|wracamy do|опять|верн[её]мся к|как раньше|hm+|nah|nope|no|ok|wait|"
    r"bevor|before|first|until|please|pls|you|your|we|i|again|any ?more|now|from|on|now|always|every ?time|ever|"
    r"time|each|any(?:thing|where)?|something|everything|to|the|can|may|could|go|ahead|and|just|feel|free|ok(?:ay)?|"
    r"after|yesterday|today|hoy|oggi|hoje|aujourd|hui|dès|desde|heute|but|so|hm+|actually|any|stuff|things?|"
    r"du|ihr|darfst|kannst|könnt|dürft|etwas|was|irgendwas|irgendetwas|immer|ab|sofort|heute|bitte|vorher|erst|vor|"
    r"jede[mnr]?|eine?[nmr]?|die|der|das|den|dem|mehr|wieder|avant|d['’]|de|que|quoi|ce|soit|quelque|chose|toujours|"
    r"tu|peux|"
    r"pouvez|vous|à|nouveau|un|une|l['’]|antes|nada|algo|siempre|puedes|podéis|cualquier|cosa|ya|otra|vez|sempre|"
    r"você|pode|podes|qualquer|coisa|algo|prima|di|puoi|potete|qualsiasi|qualcosa|ora|fare|do|a|voordat|voor|je|jij|"
    r"iets|mag|kunt|altijd|weer|zanim|przed|coś|czegokolwiek|możesz|zawsze|znowu|перед|прежде|чем|кажд\w+|всегда|что|"
    r"можешь|можно|можете|ли|бы|снова|опять|to|nu)\b|之前|以前|以后|今后|从现在起|前|每次|任何|一定|必须|务必|都|"
    r"要|请|现在|可以|直接|"
    r"还是|恢复|(?:改|变|换|调)回(?:来|去)?|照旧|跟以前一样|原来的?|规矩|重新|算了|やっぱり|やはり|元に戻して|また|"
    r"역시|다시는?|了|吧|必ず|もう|今後|これから|私に|前に|ください|する|항상|꼭|이제|전에|주세요|"
    r"저에게|나에게|저한테|제게|해도|됩니다|돼요|하기|다시",
    re.IGNORECASE,
)
"""What says when and to whom, and nothing of what is asked about."""
_CLAUSES = later(r"[,;:，；：、](?!\d)")


_LEAD = later(r"[^:：]{1,40}[:：] ?")
_NO_PROBLEM = later(
    r"\b(?:no (?:problem|worries)|kein problem|pas de problème|sin problema|没问题)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Consent:
    """What a sentence says of asking: that it `frees` what it is `about` from it, or else demands it."""

    frees: bool
    about: str


@lru_cache(MAX_READ)
def consent_in(text: str) -> Consent | None:
    """What a sentence says of asking the user; None where it says nothing of that."""
    text = unnodded(text)
    low = text.lower()
    if not any(seed in low for seed in _SEEDS) or not _ASKED.search(text):
        return None
    if text.endswith(("?", "？")) or _ASKS_BACK.match(text) or CITES.search(text):
        return None
    need_not = _NEED_NOT.search(text)
    if tells_past(NOW.sub(" ", _NEED_NOT.sub(" ", text))):
        return None
    without = None if need_not else _WITHOUT.search(text)
    found = need_not or without
    if found and (need_not or _MAY.search(text)):
        return Consent(frees=True, about=_about(text, found)) if _frees(text, found) else None
    if without and _MUST_NOT.search(text[: without.start()]):
        return Consent(frees=False, about=_demanded(text))
    named = (_BEFORE if _SHOWN.search(text) else _DEMANDED).search(text)
    return Consent(frees=False, about=_demanded(text)) if named and not without else None


def _frees(text: str, found: re.Match[str]) -> bool:
    """Whether what says that nobody need be asked holds on, and nothing beside it says no, or when."""
    if _WITHOUT.search(found[0]) and _NEED_NOT.match(found[0]):
        return False
    beside = WHY.sub("", f"{text[: found.start()]} {_NO_PROBLEM.sub(' ', text[found.end() :])}")
    if _DENIES.search(beside) or FORBIDS.search(beside):
        return False
    end = next((match.start() for match in _CLAUSES.finditer(text, found.end())), len(text))
    own = f"{text[: found.start()]} {text[found.end() : end]}"
    return not _ONCE.search(own) and not LIMITS.search(_bare(WHY.sub("", text)))


def _demanded(text: str) -> str:
    """What a sentence wants to be asked about."""
    lead = _LEAD.match(text)
    return _bare(bare(text[lead.end() :] if lead else text))


def _about(text: str, found: re.Match[str]) -> str:
    """What a sentence says in the clause of what was found, beside that; if nothing, what it says before."""
    begin = max((match.end() for match in _CLAUSES.finditer(text, 0, found.start())), default=0)
    end = next((match.start() for match in _CLAUSES.finditer(text, found.end())), len(text))
    own = _bare(f"{text[begin : found.start()]} {text[found.end() : end]}")
    return own if own.strip(" .!。！") else _bare(text[: found.start()])


def _bare(text: str) -> str:
    """A sentence without what says that somebody is asked, when, and by whom."""
    for form in (_NEED_NOT, _WITHOUT, _ASKED, FORBIDS, NOW, _EMPTY):
        text = form.sub(" ", text)
    return text
