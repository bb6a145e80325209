"""What was told that belongs under a section of its own, and which of these sections a reply leaves out.

Rules kept here:

- What the user answered a question of the assistant's is a decision, and so is what the user tells as decided, or said
  before telling what another way would do; small talk is none. What the assistant said right behind a call that failed,
  or of what is ruled out, is an error; where it says "no", with the user's question. What it first says when the same
  command went well later is what cured it, and stands with it. What it or the user last said is left to do, and nobody
  told as done since, is open.
- A section is left out where a reply does not have it, and says of something that belongs there hardly half elsewhere.
  What is to be done next is open as well. Where a form has errors under progress, one is left out where hardly
  half of its failure or of its cure is told in one line.
- The newest request stands word for word beside the summary: what it answers is no decision yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from palimpsest.patterns import later
from palimpsest.record.message import Message
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.deeds.settled import is_asked, is_firm
from palimpsest.summarize.audit.told import DONE, LOOK_CHARS, PLANNED, REMAINS, STATES, words_in
from palimpsest.summarize.forms import Form
from palimpsest.summarize.injections import REPORTED
from palimpsest.summarize.outcomes import only_looks, outcome
from palimpsest.summarize.sections import Section
from palimpsest.summarize.sentences import led, sentences
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.moment import tells_past
from palimpsest.summarize.toolcalls import decode
from palimpsest.summarize.traces import (
    ASSISTANT,
    MISSED_SHARE,
    RULES_OUT,
    USER,
    missed,
    one_by_one,
    telling,
    tells_failure,
)

Apart = Sequence[tuple[Section, str]]

MAX_MESSAGES = 600
MAX_TOLD = 40
"""Messages that are looked at, and lines that are kept of them, the newest."""
ANSWER_SENTENCES, LEAST_SHARED = 2, 2
DONE_SHARE = 0.6
"""What was left to do is done where so many of its words are told as done later."""
_WOULD = later(
    r"\b(?:would(?! (?:you|like|love|prefer)\b)(?!n['’]t mind)|würden?(?! (?:ich|gern\w*|mir)\b)|"
    r"ferai(?:t|ent)|serai(?:t|ent)|aurai(?:t|ent)|"
    r"sería[n]?|haría[n]?|tendría[n]?|sarebbe(?:ro)?|farebbe(?:ro)?|avrebbe(?:ro)?|seriam?|fariam?|teriam?|zou(?:den)?|"
    r"byłoby|byłaby|бы)\b|[就则才]?会(?=[让使导引拖变造影占耗花丢])|"
    r"(?:だと|たら|れば|ると)[^。]{2,40}(?:ます|なる|ない|です)|(?:하면|으면|되면)\s",
    re.IGNORECASE,
)
"""How it is told what another way would do."""
_DECIDES = later(
    r"\b(?:(?:have|has|was|is|been|we|i|board|team) decided|decided (?:so|that|to|on|against|by)|"
    r"we (?:keep|stay with|stick (?:to|with)|go with|take)|we['’]ll (?:keep|go with|stay with|stick|take)|"
    r"(?:hat|haben|wurde|so|ist) (?:\w+ )?(?:beschlossen|entschieden)|wir (?:bleiben bei|behalten|nehmen)|"
    r"(?:a|ont|avons|a été) décidé|(?:on|nous) (?:garde|gardons|prend|prenons|reste(?:ons)?)\b|"
    r"(?:ha|han|hemos|fue) decidid?o?|se decidió|(?:nos quedamos con|mantenemos|usamos)|"
    r"(?:foi|ficou|está) decidido|decidi(?:mos|u)|(?:ficamos com|mantemos)|"
    r"(?:ha|hanno|abbiamo|è stato) deciso|(?:teniamo|restiamo con)|(?:is|hebben|heeft) (?:\w+ )?besloten|"
    r"we (?:houden|blijven bij)|(?:zdecydowa(?:no|liśmy|ła|ł)|postanowi(?:ono|liśmy|ła|ł)|zostajemy przy|zostawiamy)|"
    r"(?:решил[аи]?|решено)(?! (?:ли|эту|проблем|задач))|(?:оста[её]мся (?:на|при)|оставляем))\b|"
    r"决定(?!性)|就用|就选|保留(?=[^。]{0,20}(?:虽然|尽管))|に決め|に決定|ことにし(?:た|ます)|にします|"
    r"로 결정|기로 (?:했|하)|로 (?:가|하)겠",
    re.IGNORECASE,
)
"""How somebody tells what was decided."""
_NO = later(r"\W{0,3}(?:no|nein|non|não|nee|nie|нет)\b|不是?[，。,]|いいえ|아니", re.IGNORECASE)
_OF_THIS = later(
    r"^\W{0,3}(?:(?:well|hm+|but|and|aber|und|mais|et) )?(?:it|that|this|i|we|they|he|she|es|das|dies|ich|man|wir|sie|"
    r"ça|ce(?:la)?|il|je|on|esto|eso|questo|isso|isto|это) (?:\w{1,12} ){0,1}?"
    r"(?:would|würden?|ferai|serai|aurai|sería|haría|sarebbe|farebbe|seria|faria|было бы)",
    re.IGNORECASE,
)
"""Such words of what was just spoken of, or of who speaks: no other way is named."""
_OTHERWISE = later(
    r"\b(?:otherwise|instead|else|sonst|andernfalls|stattdessen|sinon|autrement|si no|altrimenti|senão|иначе)\b",
    re.I,
)
_LATER = later(
    r"\b(?:(?:on|by|until|next|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|next (?:week|month|time)|"
    r"(?:am|bis|nächsten?|kommenden?) (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)|"
    r"(?<!guten )(?<!am )morgen(?! früh war)|nächste (?:woche|mal)|"
    r"(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?! dernier)|demain|la semaine prochaine|"
    r"el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)(?! pasado)|mañana|la semana que viene|"
    r"(?:lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)(?! scors)|domani|la settimana prossima|"
    r"(?:na|no|até) (?:segunda|terça|quarta|quinta|sexta|sábado|domingo)(?! passad)|amanhã|semana que vem|"
    r"(?:op|vóór) (?:maan|dins|woens|donder|vrij|zater|zon)dag|morgen|volgende week|"
    r"w (?:poniedziałek|wtorek|środę|czwartek|piątek|sobotę|niedzielę)|jutro|"
    r"(?:в|до) (?:понедельник|вторник|сред[уы]|четверг|пятниц[уы]|суббот[уы]|воскресенье)|завтра)\b|"
    r"(?<!上)(?:周|星期|礼拜)[一二三四五六日天]|明天|下[周个]|[月火水木金土日]曜(?:日)?[にまは]|明日|来週|내일|"
    r"다음 ?주|[월화수목금토일]요일(?:에|까지)",
    re.IGNORECASE,
)
"""When something is to be done that nobody can have done yet."""
_CHATS = later(
    r"^\W{0,3}(?:(?:(?:many )?thanks|thank you|thx|danke|vielen dank|merci|gracias|grazie|obrigad[oa]|спасибо|谢谢|"
    r"ありがとう(?:ございます)?)"
    r"(?: (?:so much|very much|a lot|schön|sehr|beaucoup|mille))?\W{0,4}"
    r"(?:(?:that(?:['’]s| is| was)|you(?:['’]re| are)|how|das (?:ist|war)|c['’](?:est|était)|è|es|eres|isso é|你)\s?"
    r"(?:[^\W\d_]{2,10} ){0,2}?(?:kind|nice|helpful|lovely|sweet|nett|lieb|gentil[ei]?|sympa|amable|真?[好棒]|"
    r"太[好棒]了)"
    r"[^.!?,;:。，]{0,24})?|(?:great|good|nice|excellent) (?:work|job|one|morning|evening|day)(?: so far)?|"
    r"(?:one|just a) (?:moment|second|minute)\b.{0,60}|back (?:at|in|soon|later)\b.{0,24}|"
    r"(?:hm+\W{1,3})?(?:i (?:do not|don['’]t) know(?: yet)?|i(?:['’]ll| will) (?:have to )?think about (?:it|"
    r"that)\b.{0,24}|ich weiß (?:es )?(?:noch )?nicht|je ne sais pas(?: encore)?|no (?:lo )?sé(?: todavía)?)|"
    r"ha(?:ha)+\b.{0,24})\W{0,4}$|"
    r"(?:\b(?:i|i['’]ll|i['’]m|let me|ich|je|j['’]ai|muss|gehe)\b|[我私]|제가)[^.!?,;。]{0,40}?"
    r"(?:\b(?:lunch|coffee|dinner|a (?:meeting|break)|be back|am back|come back|essen|zurück|kaffee|déjeuner|reviens|"
    r"revenir)\b|吃饭|午饭|回来|开会)[^,;]{0,40}$|"
    r"^\W{0,3}(?:vuelvo|torno|volto|вернусь|я вернусь) \w|(?:昼食|休憩)に(?:行|入)|戻ります",
    re.IGNORECASE,
)
"""Thanks, praise, that somebody is away or does not know: what answers no question."""
_NOT_THE_CAUSE = later(
    r"\b(?:it|that|this) (?:is|was) not the\b|\b(?:is|was|are|were)(?: not|n['’]t) (?:the|to) (?:cause|reason|blame|"
    r"problem|culprit)\b|(?:lag|liegt) (?:es nicht\b|nicht (?:an|am)\b)|"
    r"nicht (?:die ursache|der grund|schuld)\b|"
    r"n['’](?:est|était) pas (?:la cause|le problème|dû)|no (?:es|era) (?:la causa|el problema|culpa)|"
    r"non (?:è|era) (?:la causa|il problema|colpa)|não (?:é|era) (?:a causa|o problema|culpa)|"
    r"niet (?:de oorzaak|het probleem)|nie (?:jest|było) przyczyn|не (?:причина|в этом дело)|"
    r"不是(?:原因|问题所在)|原因ではな|のせいではな|원인이 아니",
    re.IGNORECASE,
)
"""How it is told that something is not what was looked for."""


def told_apart(source: Source) -> Apart:
    """(section, line) of what was told that belongs under a section of its own, with who said it."""
    found: list[tuple[Section, str]] = []
    left: list[tuple[str, str]] = []
    asked, doubted = False, ""
    failures, fails = list[str](), False
    broken, failing, cured = dict[str, int](), list[str](), list[int]()
    messages = source.messages[-MAX_MESSAGES:]
    newest = max((at for at, one in enumerate(messages) if one.role == "user"), default=-1)
    commands: dict[str, str] = {}
    for at, message in enumerate(messages):
        if message.role == "user" and message.text.strip():
            if at and (at != newest or source.answered):
                answers = _decided(list(sentences(message.text[:LOOK_CHARS])), asked=asked)
                found.extend(("Decisions", f"{USER}{one}") for one in answers)
            questions = [one for one in sentences(message.text[:LOOK_CHARS]) if is_asked(one)]
            doubted = f"{USER}{questions[0]} " if questions else ""
            asked = False
            remains, later_on = _ahead(message.text)
            left = [(USER, one) for one in remains] or [*left, *((USER, one) for one in later_on)]
        elif message.role == "assistant" and message.text.strip():
            said = list(led(message.text[:LOOK_CHARS]))
            asked = any(is_asked(one) for one, _ in said)
            errors = list(_of_errors(said, failures, fails=fails))
            for at_error in cured[: 1 if said and is_firm(said[0][0]) and said[0][0] not in errors else 0]:
                found[at_error] = ("Errors", f"{found[at_error][1]} {said[0][0]}")
            broken.update(dict.fromkeys(failing, len(found)) if errors else {})
            found.extend(
                ("Errors", f"{doubted}{ASSISTANT}{one}" if _NO.match(one) else f"{ASSISTANT}{one}")
                for one in errors
            )
            doubted, failing, cured = "", [], []
            remains = [
                one
                for one, lead in said
                if is_firm(one) and (REMAINS.search(lead) or (REMAINS.search(one) and one not in errors))
            ]
            done = " ".join(one for one, _ in said if DONE.search(one) and one not in remains)
            left = [(ASSISTANT, one) for one in remains] or [it for it in left if not _is_done(it[1], done)]
            failures, fails = [], False
        commands.update((call.id, decode(call).command) for call in message.calls)
        if message.results:
            went = list(_outcomes(message, commands))
            why = [error for _, error, failed in went if failed]
            failures.extend(why)
            fails = bool(why)
            failing.extend(command for command, _, failed in went if failed and command)
            cured.extend(
                broken.pop(command) for command, _, failed in went if not failed and command in broken
            )
    found.extend(("Open tasks", f"{who}{one}") for who, one in left)
    kept = {*telling([line for _, line in found])}
    return tuple(dict.fromkeys(one for one in found if one[1] in kept))[-MAX_TOLD:]


def _decided(said: Sequence[str], *, asked: bool) -> Iterator[str]:
    """What the user decides: the first sentences of an answer, any that tells so, or any that tells what another way
    would do, with the one before it. Small talk decides nothing, nor does what this very thing would do.
    """
    if asked and not any(map(is_asked, said[:ANSWER_SENTENCES])):
        if answer := [one for one in said[:ANSWER_SENTENCES] if not _CHATS.search(one)]:
            yield " ".join(answer)
        return
    yield from (one for one in said if _DECIDES.search(one) and is_firm(one) and not is_asked(one))
    for before, one in pairwise(said):
        other = _WOULD.search(one) and (_OTHERWISE.search(one) or not _OF_THIS.search(one))
        if other and not any(is_asked(it) or _CHATS.search(it) for it in (before, one)):
            yield f"{before} {one}"


def _ahead(text: str) -> tuple[list[str], list[str]]:
    """What a user tells is left to do, and what is to be done on a later day."""
    firm = [one for one in sentences(text[:LOOK_CHARS]) if is_firm(one)]
    remains = [one for one in firm if REMAINS.search(one)]
    told = (DONE.search, STATES.match, tells_past)
    return remains, [one for one in firm if _LATER.search(one) and not any(it(one) for it in told)]


def _of_errors(said: Sequence[tuple[str, str]], failures: Sequence[str], *, fails: bool) -> Iterator[str]:
    """What tells of a failure or of what is ruled out: what says why a call has failed since somebody spoke, else what
    is said first where the last one did, as `fails` tells.
    """
    why = [words_in(one) for one in failures]
    of_one = [any(len(words_in(one) & its) >= LEAST_SHARED for its in why) for one, _ in said]
    for place, (one, _) in enumerate(said):
        ruled = RULES_OUT.search(one) or _NOT_THE_CAUSE.search(one)
        first = fails and not place and not any(of_one)
        told = (first or of_one[place]) and (not PLANNED.search(one) or tells_failure(one))
        if is_firm(one) and (ruled or told) and not REPORTED.search(one):
            yield one


def _outcomes(message: Message, commands: dict[str, str]) -> Iterator[tuple[str, str, bool]]:
    """(command, error, failed) of each call that a message answers and that did more than look."""
    for one in message.results:
        command = commands.get(one.call_id, "")
        if not only_looks(command):
            went = outcome(one, command)
            yield command, went.error, went.failed


def _is_done(task: str, done: str) -> bool:
    own = words_in(task)
    return len(with_forms(own, words_in(done))) >= DONE_SHARE * max(1, len(own))


def left_out(text: str, apart: Apart, form: Form, share: float = MISSED_SHARE) -> list[tuple[str, str]]:
    """(heading, line) of what a text tells less than a share of, under the headings that it does not have."""
    present = {heading for heading, _ in form.parse(text)}
    if "Progress" not in form.headings:
        return []
    homes = {section: form.homes.get(section, "") for section, _ in apart}
    gone = {home for home in homes.values() if home and (home not in present or home == "Progress")}
    gone -= {"Open tasks"} if "Next steps" in present else set()
    belonging = [(homes[section], line) for section, line in apart if homes[section] in gone]
    lost = {*missed(text, [line for _, line in belonging], share)}
    lost.update(line for home, line in belonging if home == "Progress" and not _is_told(line, text, share))
    return [one for one in belonging if one[1] in lost]


def is_for_later(sentence: str) -> bool:
    """Whether a sentence says that something is to be done on a later day."""
    return _LATER.search(sentence) is not None


def _is_told(line: str, text: str, share: float) -> bool:
    """Whether each sentence of a line has a share of its words in one line of a text."""
    lines = text.splitlines()
    return all(any(not missed(one, [part], share) for one in lines) for part in one_by_one([line]))
