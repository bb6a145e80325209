"""A request that is still worked on when its part of a conversation is summed up.

Rules kept here:

- It is open as long as the assistant has not ended a turn since, also where only a word to go on follows it ("yes, go
  on"): that asks for nothing new. Behind words that end a turn such a word answers them.
- It stands letter by letter: in the section of its form, with the word to go on, else under what is left to do.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.audit.people.requests import ANSWERED, REQUEST_SHARE
from palimpsest.summarize.cut import Count
from palimpsest.summarize.forms import Form, written
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import is_trivial
from palimpsest.summarize.traces import USER

GO_ON_CHARS = 60
_AGREED = (
    r"yes|yep|yeah|ok(?:ay)?|sure|good|great|fine|perfect|right|thanks|thank you|please|ja|jawohl|gut|passt|genau|klar|"
    r"bitte|danke|oui|d['’]accord|bien|parfait|merci|s['’]il (?:te|vous) pla[iî]t|s[íi]|vale|bueno|perfecto|gracias|"
    r"por favor|sim|certo|perfeito|obrigad[oa]|sì|va bene|perfetto|grazie|per favore|goed|prima|graag|alsjeblieft|tak|"
    r"dobrze|dobra|świetnie|jasne|proszę|dziękuję|да|хорошо|ладно|отлично|пожалуйста|спасибо|"
    r"好的?|是的?|对|行|可以|没问题|谢谢|请|はい|ええ|うん|では|それでは|じゃあ|了解(?:です)?|わかりました|お願い(?:し|いたし)ます|"
    r"どうぞ|네|예|좋아요?|그래요?|부탁(?:해요|합니다|드립니다)"
)
_ONWARD = (
    r"(?:do |just |and |so |now )?(?:go on|go ahead|carry on|continue|proceed|keep going|move on|next)(?: please)?|"
    r"(?:und |also )?(?:mach|machen sie|fahr|fahre|fahren sie)(?: (?:so|ruhig|bitte))? (?:weiter|fort)|weiter(?: so)?|"
    r"(?:vas|allez)-y|(?:et )?continue[sz]?|poursui[st]|poursuivez|(?:sigue|siga|contin[uú]a|contin[uú]e|adelante)|"
    r"(?:pode |podes )?continu(?:e|a|ar)|prossiga|segue|(?:vai |vada )?avanti|(?:continu|prosegu)[aei]|procedi|"
    r"ga (?:maar )?(?:door|verder)|doorgaan|kontynuuj|(?:rób|idź|działaj) dalej|dalej|продолжай(?:те)?|дальше|"
    r"давай(?:те)?|"
    r"(?:继续|繼續)(?:吧|做|进行)?|接着(?:来|做)?|(?:続け|進め|つづけ)て(?:ください|下さい|いいです|いいよ|ね)?|続行(?:して(?:ください)?)?|"
    r"계속(?:해|해요|하세요|해 ?주세요|진행해 ?주세요)?|진행(?:해 ?주세요|하세요)?"
)
_GO_ON = later(
    rf"\W*(?:(?:{_AGREED}|{_ONWARD})(?:[\s,.!;。，、！…–-]+|$|(?<=[\u3040-\u30ff\u4e00-\u9fff]))){{1,6}}",
    re.IGNORECASE,
)
"""A whole message of such words lets the work go on."""


def lets_go_on(text: str) -> bool:
    """Whether a whole message only says that the work may go on, or nothing."""
    text = text.strip()
    return not text or (len(text) <= GO_ON_CHARS and _GO_ON.fullmatch(text) is not None)


def open_request(source: Source) -> str:
    """What the assistant still works on: the newest request of a source that asks for something, as it was written,
    with the word to go on behind it, where no turn has ended since; "" for none.
    """
    if source.answered:
        return ""
    nods: list[str] = []
    behind = ""
    for message in reversed(source.messages):
        said = message.text.strip()
        if message.role == "assistant" and said and not message.calls and behind in ("", "user"):
            return ""
        if message.role == "user" and said:
            if not lets_go_on(said):
                return "" if is_trivial(said) else "\n".join((said, *reversed(nods)))
            nods.append(said)
        behind = message.role
    return ""


def with_open_request(
    text: str, source: Source, form: Form, limit_tokens: int, count: Count, untold: str = ""
) -> tuple[str, tuple[str, ...]]:
    """The text with the request that is still worked on, and what was done: under what is left to do, where a form in
    sections has none for it and it stands nowhere else. Without one the last request stands there as such, where it is
    `untold`.
    """
    home = form.homes.get("Open tasks", "")
    if form.request or "Progress" not in form.headings or source.quoted or not home:
        return text, ()
    open_now = open_request(source)
    request = open_now or untold
    headed = any(map(form.heading_of, request.splitlines()))
    if not request or request in text or headed or count(request) > limit_tokens * REQUEST_SHARE:
        return text, ()
    parsed = form.parse(text)
    form.insert(parsed, home, [f"- [ ] {USER}{request}" if open_now else f"- {ANSWERED}: {request}"])
    more = written(parsed)
    said = (
        "added: the request that is still worked on" if open_now else "the newest request, which was left out"
    )
    return (more, (said,)) if count(more) < limit_tokens else (text, ())
