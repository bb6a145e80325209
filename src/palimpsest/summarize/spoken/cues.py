"""Words that mark what matters: rules of the user, decisions with reasons, small talk. Several languages.

Rules kept here:

- A rule of the user is looked for in sentences that open as an order or in the first person, or that hold a word
  such as must or never: pasted plans and logs are full of "use" and "should" in the middle of a line.
- Weights are coarse on purpose. What is chosen is decided by weight, age and room together.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.spoken.anycase import Cue
from palimpsest.summarize.spoken.clauses import consequence, main_clause, straight, unconditional
from palimpsest.summarize.spoken.errands import asks_about, asks_once, bids_once, plans
from palimpsest.summarize.spoken.moment import goes_on, is_opinion, regrets, tells_past
from palimpsest.summarize.spoken.nods import unnodded
from palimpsest.summarize.spoken.orders import (
    ASKED,
    ASKING,
    DEMANDS,
    GOING_ON,
    LASTING,
    NEVER,
    ONCE,
    ORDERING,
    QUESTIONS,
    REASONS,
    RULED_OUT,
    SPARES,
    WAITS,
    WISHES,
)

RULE_WEIGHT = 0.5
"""How much a sentence of the user's must read like a rule."""
SENTENCE_CHARS = 400
TOLD_CHARS = 60
"""In a sentence as short as this "never" and "always" are told where a past is."""


CHANGING = later(
    r"(?:ok(?:ay)?,? |sorry,? |hm+,? |but )?"
    r"(?:sorry(?=,)|(?:no|nope|non|não)(?=[,.;:!]| (?:use|please|let'?s|it|we|i|you|always|never)\b)|"
    r"(?:actually|instead|rather|correction|scratch that|change of plans?|on second thoughts?|"
    r"i(?:'ve| have)? changed my mind|"
    r"forget (?:that|(?:about )?(?:the|my)(?= [^,.]{1,60}\b(?:rule|limit|ban|restriction))) ?|nein|"
    r"eigentlich|stattdessen|en fait|finalement|mejor|en realidad|pensándolo bien|pensando bem|na verdade|anzi|meglio|"
    r"нет|лучше|вообще-то|hayır|aslında|jednak|w sumie)\b|"
    r"いや|やっぱり|やはり|不对|不是|不[,，]|还是|算了|아니|그냥|لا،|नहीं,)[,.!，：:;、 -]{0,3}",
    re.IGNORECASE,
)
"""How a sentence begins that takes back what was said before."""
LEADING = re.compile(
    r"(?!(?:if|when|wenn|falls|si|quand|cuando|если|когда)\b|(?-i:[A-ZА-Я]{3,})\b|\w*(?:error|fehler|ошибка))"
    r"[^\W\d\u3040-\u9fff][^\s,:?]{0,16}(?: [^\s,:?]{1,12}){0,2}[,:] |(?!错误|エラー)[\u3040-\u9fff]{1,6}[，、：,:]|"
    r"(?:no matter|was auch immer|quoi qu['’]il|pase lo que|что бы ни) [^\s,]{1,12}(?: [^\s,]{1,12})?, ",
    re.IGNORECASE,
)
"""A few words before what a sentence says: "by the way, ...", "Wichtig: ...", "对了，..."."""
FORBIDS = re.compile(
    r"\b(?:not|never|no|(?:do|does|must|can|should|wo)n'?t|cannot|without|nothing|avoid|nichts?|nie|niemals|kein\w*|"
    r"ohne|ne|pas|jamais|rien|sans|sin|nunca|jamás|nada|não|sem|non|mai|niente|senza|не|никогда|ничего|никаки[хем]|"
    r"никако[йе]|без|nigdy|bez|"
    r"niets?|nooit|geen|inte|ikke|aldrig?|ingen|inga|asla|sakın|değil)\b|不(?!(?<=(.)不)\1)|[勿别別没沒禁无無]|ない|"
    r"ません|않|말|지(?:는|도)? ?마|금지|(?<!\w)(?:لا|أبدا|ممنوع|بدون)(?!\w)|मत|नहीं|बिना",
    re.IGNORECASE,
)
"""What says no."""
_OPENING = re.compile(
    r"(?:and |but |also |so |ok(?:ay)?,? |yes,? |no,? |then )?"
    r"(?:never(?! ?mind)|always|don'?t|do not|make sure|ensure|use(?! cases?\b)|prefer|avoid|keep(?! up\b| at\b| it "
    r"up|"
    r" on\b| (?!us|writ|runn|log|nam|test)\w+in[g']\b)|"
    r"only(?! (?:\d|one\b|two|three|a few|some))|stop(?!\W*$|[,.!:]| (?:here|now|it|that|there|the)\b)|remember|must|"
    r"instead(?! of [^,.]{1,40} (?:i|we|he|she|they|it) )|"
    r"(?:you|we|it|they|this|that|everything|all [a-z]+|the [a-z]+) (?:must|should|need|needs|have to|has to|can'?t|"
    r"cannot|may not|(?<!\bit )(?<!\bthey )(?<!\bthat )(?<!\bthis )(?:never|always))|i (?:want|need|prefer|expect|"
    r"insist|don'?t want|do not want|would like|like|hate)|"
    r"be (?!(?:right|back|there|here|done|sure|my guest|honest)\b)(?:\w+ly |more |as )?[a-z]+"
    r"(?:[.!,]|$| (?:with|in|about|and)\b)|"
    r"(?:in|for) (?!(?:case|order|short|example|instance|that case)\b)[^,.?\n]{2,40}?,? "
    r"(?:use|prefer|keep|avoid|never|always|don't)|"
    r"i'd (?:like|prefer)|from now on|under no|no more|"
    r"no (?!news|signs?|luck|trace|word|repl|response)(?:(?!found|was|were|is|are|left|has|have)[a-z-]+ ){1,3}"
    r"(?:in|on|for|from|to|without|please))\b",
    re.IGNORECASE,
)
_STRONG = Cue(
    re.compile(
        r"(?:总是|始终|一律|永远)(?=用|使用|先|在|保持|写|要)|不准|"
        r"(?<![特区分级辨告类性个])别(?=碰|用|改|动|删|写|加|提交|推)|只改|"
        r"\b(?:must(?! (?:admit|say|confess|be (?:so|such|quite|very|really)\b)|-)|must not|"
        r"(?<!'ll )never(?! (?:been|mind)\b)|"
        r"(?<!'ll )(?<!'m )(?<!'s )(?<!'re )(?<!n't )(?<!\bi "
        r")(?<!\bhe )(?<!\bshe )(?<!\bthey )(?<!\bhas )(?<!\bhave )"
        r"(?<!\bnot )(?<!\bit is )always|(?<!\bi )(?<!\bwe )(?<!\bthey )(?:do not|don'?t)|"
        r"(?<!'ll )(?<!\bjust to )make sure|from now on|at most|no more than|under no circumstances|not allowed|"
        r"required|niemals|immer|keinesfalls|darf nicht|dürfen nicht|muss|müssen|auf keinen fall|"
        r"jamais|toujours|il faut|doit|doivent|ne pas|n'utilise|évite[zr]?|"
        r"nunca|siempre|no uses|no use|debe|deben|hay que|evita|jamás|sempre|não use|deve|"
        r"никогда|всегда|нельзя|должен|должна|обязательно|не надо)\b"
        r"|(?:以后|今后|今後|从现在起|往后|所有|每次)[^，。；\n]{0,16}(?:都[用要得是]|一律|必须|要用)|不要|必须|必須|"
        r"(?<![我他她们])一定[要得](?![是有来去])|务必|禁止|(?<!能)不能|不许|不得|千万别|(?:请|要|"
        r"应该?|必须|以后|今后)(?:总是|始终|都|一律)|只能|只用|优先|请一定|绝不|不可以|"
        r"ないで|必ず|常に|絶対|しないこと|してはいけ|べき|"
        r"반드시|항상|하지 ?마|절대|말아",
        re.IGNORECASE,
    )
)
_ORDERS, _DEMANDS = Cue(ORDERING), Cue(DEMANDS)
_STRONG_DECISION = Cue(
    re.compile(
        r"\b(?:decided|decision(?: (?:is|was) (?:to|made)|(?=\s?:))|"
        r"we chose|i chose|chosen|choose|going with|go with|went with|settled on|opted|opt for|"
        r"root cause(?! analys)|the (?:fix|solution|cause|reason) (?:is|was)"
        r"(?! (?:[a-z]{2,10} )?(?:clear|obvious|known|unknown|unclear|found|understood|ready|done|in)(?:[.,;!]|$))|"
        r"turns out|turned out|trade-?offs?|switch(?:ed|ing)? to|(?<=.)agreed|agreed(?= (?:to|on|that|with)\b|:)|"
        r"(?<!nothing )(?<!nothing was )(?<!none )(?<!none were )(?<!not )(?<!the )rejected|"
        r"ruled out|abandon(?:ed)?|replaced? .{1,60} with|"
        r"(?<!\d )instead of(?! \d)|rather than|"
        r"entschieden|entscheidung|beschlossen(?=:)|beschluss(?=:)|stattdessen|ursache|décidé|décision(?=\s?:)|choisi|"
        r"au lieu d|cause racine|decisi(?:ón|one|ão)(?=:)|deciso(?=:)|bes(?:luit|loten)(?=:)|decyzja(?=:)|решение(?=:)|"
        r"decidi(?:do|mos)|elegi(?:do|mos)|en lugar de|en vez de|causa|решил[иа]?|вместо|причина)\b"
        r"|决定|采用|採用|根本原因|改为|改用|结论是|定为|选择了|不再使用|放弃|原因是|決定|方法にし(?:ます|た)|ことにし(?:ます|た)|代わりに|方針|결정|대신|"
        r"원인",
        re.IGNORECASE,
    )
)
_WEAK_DECISION = Cue(
    re.compile(
        r"\b(?:because|since|therefore|so that|the (?:problem|issue|bug) (?:is|was)|we(?:'ll| will) use|"
        r"i(?:'ll| will) use|fixed by|works? now|weil|grund|parce que|car|porque|потому что)\b"
        r"|因为|由于|选择|選択|方案|所以|为了|问题是|なので|ため|理由|때문",
        re.IGNORECASE,
    )
)
_FILLER = re.compile(
    r"(?:step \d|phase \d|let me|let's|now\b|next,|first,? (?:let|i)|i need to|"
    r"i(?:'ll| will| am going to|'m going to) (?:now|start|check|look|read|take|help|assist|go ahead)\b|"
    r"to [^,.]{3,60}, (?:i|we)(?:'ll| will| need to| have to| should| must)\b|"
    r"i(?:'ve| have) (?:now )?successfully (?:completed|finished) (?:the|this|all)|i apologi[sz]e|sorry,? |sure|great|"
    r"perfect|okay|ok\b|good\b|thanks|thank you|you're (?:right|welcome|absolutely)|looking at|"
    r"让我|好的|当然|是的|不用谢|不客气|谢谢|你好|现在我|我来|我先|では|それでは)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[{};]$|=>|\w\(.{0,80}\);|^[!-~]{20,}$|^[\w./-]{3,}:\d+[:\s]|^(?:import|export|const|let|var|def|class|"
    r"return) \S"
)
_SAYING_END = re.compile(r"[.!?。！？；;)`\"']$|\d$|\bplease$|[\u2e80-\ud7ff]")
_THANKS = re.compile(
    r"(?:many thanks|thanks|thank you|谢谢|ありがとう|danke|merci|gracias)"
    r"(?!.*\b(?:but|please|now|can|could|also|next)\b)[^?？]{0,80}",
    re.IGNORECASE,
)
_TRIVIAL = re.compile(
    r"/[\w:-]{0,40}|(?:y|yes|yep|yeah|no|n|yo|wow|lol|ok|okay|k|"
    r"continue|go on|go ahead|go|proceed|next|sure|thanks|thank you|thx|great|nice|"
    r"perfect|cool|done|good|lgtm|do it|yes please|please continue|keep going|hi|hello|hey|"
    r"好|好的|继续|可以|行|是|是的|对|谢谢|你好|嗯|はい|続けて|ありがとう|네|계속|ja|weiter|danke|oui|continue[zr]|"
    r"merci|sí|si|sigue|continúa|gracias|да|продолжай|спасибо)[\s.!。！,，~]*",
    re.IGNORECASE,
)


_OFFERING = re.compile(
    r"(?:please |just )?let me know\b|(?:could|would|do) you\b|if you(?:'d| would) (?:like|prefer)|"
    r"请告诉|请问|您(?:想|希望|要)",
    re.IGNORECASE,
)
ASKED_WEIGHT = 0.5
"""How much a sentence that only asks for something reads like a rule."""
ERRAND_WEIGHT = 0.6
"""What is asked for once reads at most so much like a rule, however it is put."""
_COMPLAINS = later(
    r"(?:it|this|that|he|she|the \w+(?: \w+)?) (?:never|always) (?:work|crash|fail|break|broke|happen|return|show|"
    r"load|"
    r"appear|respond|finish|end|hang|time|g[eo]t|throw|complain|ask|say|come|came)(?:s|es|ed)?\b|"
    r"(?:my|his|her|their) \w+ (?:never|always) \w{2,20}s\b|(?:i am|i'm|he is|he's|she is|she's) not allowed\b|"
    r"no [^?\n]{1,80}, (?:and )?so (?:i|we|he|she|it|they|the)\b|"
    r"(?:i|we|you|he|she|they|it) (?:never|always) (?:got|had|was|were|did|saw|heard|knew|thought|felt|came|went|"
    r"found|"
    r"\w+(?:(?<!e)ed|ood))\b|"
    r"(?:\w+,? )?there must (?:have )?be(?:en)? (?:(?:an?|some) (?:\w+ )?"
    r"(?:bug|problem|mistake|error|issue|reason|way|misunderstanding|trick|typo|cause)|something)\b|"
    r"(?:it|this|that) must be (?:an?|some|the|because|due|related|caused)\b|"
    r"(?:you|it|this|that|everything|all|they|we|the \w+(?: \w+)?) should (?:now\b|see\b|"
    r"(?:be|work|pass|run|show|load|build|start|return)\b[^.,?\n]{0,40} (?:now|again)[.!]{0,2}$)|"
    r"only [^.,?\n]{1,50} (?:fail|pass|work|crash|break|broke|happen|remain|differ)(?:s|es|ed)?[.!]{0,2}$",
    re.IGNORECASE,
)
"""How something is told that went wrong, or was so, or is guessed to be so, and is no rule."""
_MENDS = later(
    r"(?:(?:please|pls|let'?s|can you|could you),? )?(?:(?:also|just|now|then|first) )?"
    r"(?:(?:fix|debug|reproduce|solve) (?:the|this|that|these|those|it|why|my|our|a|an)|investigate|figure out|"
    r"find out|look into)\b",
    re.IGNORECASE,
)
_REPEATS = later(
    r"\b(?:each|every|always|never|before|after|whenever|from now on|in future)\b", re.IGNORECASE
)
"""What is to be mended is told with when and how it goes wrong: that makes no rule of it, only what says how often."""
OBLIGES = later(
    r"must|should|ha[sv]e? to|need|m[uü]ss|soll|darf|doit|faut|deb[ea]|должн|нельзя|want|[必要禁]|야|"
    r"[,;] (?:so |and |please )*(?:don'?t|do not|never(?! ?mind))\b",
    re.IGNORECASE,
)
_HENCEFORTH = later(
    r"(?:from now on|from here on|ab (?:jetzt|sofort)|von nun an|désormais|dorénavant|à partir de maintenant|"
    r"(?:a partir de|desde) (?:ahora|hoy)|d'ora in poi|a partir de agora|впредь|теперь(?=[^?]*\b(?:не|только|"
    r"всегда)\b)|с этого момента|отныне|odtąd|vanaf nu|från och med nu)\b|(?:从现在起|从今以后|今后|以后)|今後|"
    r"これから|앞으로|이제부터|من الآن فصاعدا",
    re.IGNORECASE,
)
"""How a sentence begins that says that what follows holds from then on."""
_LOGGED = re.compile(
    r"[\[(]?\d+[.:]\d|(?:npm )?(?:error|err!|warn(?:ing)?|fatal|panic|fehler)(?:\[\w+\])?[:!] ?\S|npm ERR!",
    re.I,
)
"""How a line of a log begins: with a time, or with how bad it is."""


_LEAD_IN = later(r"[^,.?!;:]{2,48}, ")
"""What stands before a wish: "as for the rows, I'd rather ..."."""
_NOTHING = later(
    r"(?:no|nothing|nobody|no one|none) [^,.?\n]{2,60}(?:, (?:ever|please|at all)\b|[.!]?$)", re.IGNORECASE
)
"""How what follows from a reason bans something."""
_POLITE = later(
    r"¿?(?:(?:can|could|would|will) (?:you|we)|(?:kannst|könntest|würdest|könn(?:t|en|ten)|würden) (?:du|ihr|sie|wir)|"
    r"(?:tu )?(?:peux|pourrais|pouvez|pourriez)(?:[ -](?:tu|vous))?|(?:puede|podría)[sn]?|(?:puoi|potresti)|"
    r"(?:pode|poderia)|(?:не )?(?:можешь|можете|мог(?:ла|ли)?)(?: бы)?(?: ты| вы)?)"
    r"(?:,? (?:please|kindly|also|just|maybe|bitte|auch|por favor|s'il (?:te|vous) plaît|пожалуйста),?){0,2} "
    r"(?!(?:use|ensure|prefer|rather|like)\b|remember (?:wh\w+|how|if)\b|avoid (?:the|this|that|these|those) [\w-]+\?)"
    r"(?=[^\n]{0,300}\?$)|[你您]?(?:能不能|可不可以|能否)(?=[^\n]{0,300}[?？]$)",
    re.IGNORECASE,
)
"""How a question begins that asks for something."""


def bare(rule: str) -> str:
    """A rule without the words that say that it changes another: their "no" forbids nothing."""
    opening = CHANGING.match(rule)
    return rule[opening.end() :] if opening else rule


@remembered()
def rule_weight(sentence: str) -> float:
    """How much a user's sentence reads like a rule to keep: 0 to 1.5, 0.5 and more worth keeping. One that changes its
    mind first ("Actually, use spaces."), or says that it matters ("Important: use tabs."), is one if what follows is.
    """
    text = sentence[:SENTENCE_CHARS].replace("’", "'")
    if _LOGGED.match(text):
        return 0.0
    text = unnodded(text)
    asks = _POLITE.match(text)
    if asks:
        text = f"{text[asks.end() :].rstrip(' ?？')}."
    weight, new = _rule_weight(text), bare(text)
    before = _LEAD_IN.match(new)
    if before and WISHES.match(new, before.end()) and not is_opinion(before[0]):
        new = new[before.end() :]
    leading = LEADING.match(new)
    lasting = leading and (
        any(form.search(new, leading.end()) for form in (FORBIDS, LASTING, SPARES))
        or WISHES.match(new, leading.end()) is not None
    )
    if leading and lasting and not FORBIDS.search(leading[0]) and not is_opinion(leading[0]):
        new = new[leading.end() :]
    others = (one for one in {new, straight(text)} - {text} if " " in one or not one.isascii())
    return max(weight, 0.0, *map(_rule_weight, others))


def _rule_weight(text: str) -> float:
    if text.endswith((":", "：")):
        return 0.0
    follows = consequence(text)
    follows = "" if follows and tells_past(text.removesuffix(follows)) else follows
    plain = straight(text)
    orders = (text, plain, unconditional(text), *filter(None, (follows,)))
    opens = any(form.match(order) for form in (_OPENING, _HENCEFORTH, WISHES) for order in orders)
    opens = opens or WAITS.match(text) is not None or _NOTHING.match(follows) is not None
    weight = 0.6 if opens or any(map(_ORDERS.begins, (text, plain, *filter(None, (follows,))))) else 0.0
    bans = (
        _STRONG.stands_in(text)
        or _DEMANDS.stands_in(text)
        or (RULED_OUT.search(text) and not is_opinion(text))
    )
    if bans or any(map(NEVER.match, orders)):
        weight += 0.8
    if _COMPLAINS.match(text) or _COMPLAINS.match(plain) or regrets(text):
        return 0.0
    if (
        0.6 < weight <= 0.8
        and len(text) <= TOLD_CHARS
        and (tells_past(main_clause(text)) or goes_on(text))
        and not OBLIGES.search(text)
    ):
        return 0.0
    if (weight < 0.8 and GOING_ON.match(text)) or QUESTIONS.match(text) or REASONS.match(text):
        return 0.0
    if weight <= ERRAND_WEIGHT and (asks_once(text) or plans(text)):
        return 0.0
    if asks_about(text):
        return 0.0
    if weight <= ERRAND_WEIGHT and _MENDS.match(text) and not _REPEATS.search(text):
        return 0.0
    if weight or not (ASKING.match(text) or ASKED.search(text)):
        return weight
    once = bids_once(text) or (ONCE.search(text) is not None and not LASTING.search(text))
    return 0.0 if once else ASKED_WEIGHT


@remembered()
def decision_weight(sentence: str) -> float:
    """How much a sentence reads like a decision or its reason: 0, 0.5, 1 or 1.5. A question and an offer are none."""
    text = sentence[:SENTENCE_CHARS]
    if text.endswith(("?", "？")) or _OFFERING.match(text):
        return 0.0
    return (1.0 if _STRONG_DECISION.stands_in(text) else 0.0) + (
        0.5 if _WEAK_DECISION.stands_in(text) else 0.0
    )


def is_filler(sentence: str) -> bool:
    """Whether a sentence announces a step or is a courtesy."""
    return len(sentence) < (160 if sentence.isascii() else 16) and bool(_FILLER.match(sentence))


@remembered()
def is_code(sentence: str) -> bool:
    """Whether a line outside of a fence is rather code or output than something said."""
    return sentence.startswith(("//", "$ ", "|", "at ", "+++", "---")) or bool(_CODE.search(sentence))


def is_heading(sentence: str) -> bool:
    """Whether a short line announces what follows it, instead of saying it."""
    return sentence.endswith((":", "：")) or (len(sentence) < 60 and not _SAYING_END.search(sentence))


def is_trivial(text: str) -> bool:
    """Whether a whole message says nothing, or only yes, go on, or thank you, or is a client's command (`/mode`)."""
    text = text.strip()
    if not text:
        return True
    return bool(_TRIVIAL.fullmatch(text) if len(text) <= 40 else len(text) <= 80 and _THANKS.fullmatch(text))
