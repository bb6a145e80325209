"""Whether what a reply has the user want is what the user said.

Rules kept here:

- Only what stands under a heading for goals or rules is judged: what was done may differ from what was asked for.
- A line is unfounded when hardly a word of it stands in the source, of a rule in what the user said; or when it turns a
  rule round: it has the words of what the user forbade and forbids nothing, or forbids what the user demanded, and the
  user did not take the rule back; or when a later rule took it back; or when it has a rule's words with a number that
  nobody said. That something did not happen ("it was never delivered") is no rule.
- A good summary says things in its own words: forms of a word count as the word, and what stays as it is, or waits for
  somebody's word, is forbidden as well.
- What goes is not missed: the user's own words are put there by rule.
- A decision, and a cause, of which hardly a word stands in the source was made up; in a script without spaces, hardly
  a sign.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import are_alike, with_forms
from palimpsest.summarize.audit.deeds.contradictions import prefers_same
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.numbers.numerals import spelled
from palimpsest.summarize.audit.numbers.quantities import sizes
from palimpsest.summarize.audit.told import LOOK_CHARS, said_in
from palimpsest.summarize.facts import PARTED
from palimpsest.summarize.forms import FORMS, Form
from palimpsest.summarize.ledger.entries import normal
from palimpsest.summarize.ledger.rules import takes_back
from palimpsest.summarize.ledger.set_anew import sets_anew
from palimpsest.summarize.names import find_names
from palimpsest.summarize.sentences import sentences, terms, without_scaffold
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS, RULE_WEIGHT, bare, rule_weight
from palimpsest.summarize.spoken.orders import SPARES

KNOWN_SHARE = 0.3
"""A line of at least two terms, of which fewer than this share stand in the source, is about something else."""
STRANGE_TERMS = 2
"""Of a short line that has one word of the source, so many others may be the summary's own."""
SIGNS_SHARE, LEAST_SIGNS = 0.6, 4
"""Of a line in Chinese signs so many stand in the source where it says in other words what was decided."""
SAME_SHARE = 0.6
"""A line with this share of a rule's terms is about that rule."""
SHORTENED_SHARE = 0.8
"""A line with this share of its words from a rule, in their order, is that rule in short."""
MIN_TERMS, PART_TERMS = 2, 3
SPOKEN_CHARS = 60_000
"""Where the user said more, a rule may have been said in any words of the source."""
SAME_NO_CHARS = 3
"""Between two words that say no together: "ne jamais"."""
MAX_NUMBERED = 100
"""Sentences of the user's with numbers that a line's numbers are held against."""
FRAME = frozenset(
    "user users human customer client wants want wanted would like needs demands asks asked prefers says said requires "
    "requested please bitte nutzer nutzerin kunde kundin will möchte wünscht verlangt utilisateur client cliente veut "
    "veux souhaite demande usuario usuaria cliente clienta quiero quiere desea pide prefiere necesito necesita usuário "
    "quero quer deseja utente voglio vuole desidera chiede пользователь клиент хочу хочет просит".split()
)
"""Words with which a summary says that something was asked for."""
WANTED = frozenset(("Goal", "Constraints & preferences", "Constraints"))

_PLACES = frozenset(("url", "host", "address", "email"))
_NUMBERED = later(
    r"(?:(?P<before>[A-Za-z]{2,20}) )?(?<![A-Za-z0-9_.,:/#-])(?P<number>\d{1,9}(?:\.\d{1,4})?)(?![\d:/.,])"
    r"(?:[ -]?(?P<behind>[A-Za-z]{1,20}|%|[\u4e00-\u9fff]))?"
)
"""A number with the words beside it."""
_BOUNDS = later(
    r"\b(?:at (?:most|least)|up to|limit\w*|max(?:imal|imum)?|min(?:imum)?|höchstens|mindestens|au (?:plus|moins))\b|"
    r"最多|至少|以内|[≤≥]",
    re.I,
)
"""How what must not be exceeded is said without a no: "never more than 4" and "at most 4"."""
_WAITS = later(
    r"\b(?:unless|only|nur|seulement|s[óo]lo|somente|soltanto|erst (?:nach|wenn|ab))\b|只(?!有)|だけ|"
    r"\b(?:exclu\w*|ausgeschlossen\w*|escl\w*|исключ\w*|forb(?:id|ad)\w*|prohibit\w*|untersag\w*|verb(?:iet|ot)\w*|"
    r"interdi\w*|proh[ií]b\w*|vieta\w*|запре\w*)\b|후에만|뒤에만|"
    r"\bprefer\w* [^.;\n]{2,40} (?:over|to)\b|\bzieht [^.;\n]{2,40} vor\b",
    re.I,
)
"""How what must not be done is said by its condition, by leaving it out, by what is liked better, or by telling that it
is forbidden.
"""
_TOLD_NO = later(
    r"\b(?:was|were|has|have|had|did)(?: (?!to\b)\w+)? (?:not|never|no)\b|\b(?:was|were|has|have|had|did)n['’]?t\b|"
    r"\b(?:wurden?|war(?:en)?|hat|hatten?|kam(?:en)?|ging(?:en)?)\b[^,.;]{0,60}\b(?:nicht|nie|niemals|kein\w*)\b|"
    r"\bn(?:e |['’])(?:a|ai|ont|est|était|étaient|avait|fut) [^,.;]{0,20}?(?:pas|jamais|rien)\b|"
    r"\b(?:no|nunca|não|non|mai) (?:me |se |lo |la |l['’])?"
    r"(?:ha|han|he|fue|fueron|foi|foram|è|sono|\w{2,20}(?:ó|aron|ieron))\b|"
    r"[没沒未](?!有必要|经允许)|ませんでした|なかった|지 않았",
    re.IGNORECASE,
)
"""What did not happen is told, and forbids nothing: "it was never delivered"."""
_COMPARES = later(
    r"\b(?:less|fewer|more|under|below|over|above|than|weniger|mehr|unter|über|als)\b|少于|超过|[<>]", re.I
)

_CLAUSE_ENDS = later(r"[,;:.]\s|[，；：。]")

_HAN = later(r"[\u3400-\u9fff]")
_DECIDING = later(
    r"\b(?:decid\w*|decision|chose\w?|choos\w*|chosen|pick\w*|select\w*|us(?:e|ed|es|ing)|because|instead|rather|since|"
    r"reject\w*|prefer\w*|went|over|against|assistant|as|is|was|were)\b",
    re.I,
)
"""How a decision is told, whatever it is about."""
_REASON = later(r"\b(?:because|since|due to|so that|as it|weil|denn)\b", re.I)
"""What stands between a decision and its reason; each of them is known or is not."""
_CAUSE = later(
    r"\b(?:caused by|root cause(?: is| was|:)|due to|because of|the (?:cause|reason) (?:is|was))\s"
    r"(?P<cause>[^.;)\n]{6,200})",
    re.I,
)


def unfounded(
    text: str, form: Form, source: Source, words: frozenset[str], rules: Sequence[str]
) -> list[str]:
    """The lines of a reply that have the user want what the user did not say; `words` are the source's terms, `rules`
    the user's rules.
    """
    known_rules = [
        (frozenset(terms(FORBIDS.sub(" ", rule))) - FRAME - LITTLE, bool(FORBIDS.search(rule)))
        for rule in (part for rule in rules for part in _parts(bare(rule)))
        if not FORBIDS.search(rule) or FORBIDS.search(_TOLD_NO.sub(" ", rule))
    ]
    spoken: dict[bool, frozenset[str]] = {}
    said: frozenset[str] | None = None
    numbered = [*rules, *list(_with_numbers(source))[-MAX_NUMBERED:]]
    found: list[str] = []
    for heading, line in _wanted(text, form):
        known = words
        if heading != "Goal":
            forbids = bool(FORBIDS.search(line))
            if forbids not in spoken:
                spoken[forbids] = _spoken(source, words, refused=forbids)
            known = spoken[forbids]
        turned = any(_turns(line, rule, source, forbids=forbids) for rule, forbids in known_rules)
        turned = turned or any(_changes_number(line, rule, source) for rule in numbered)
        others = [
            rule
            for rule in rules
            if not (prefers_same(rule, line) or _shortens(line, rule) or sets_anew(line, rule))
        ]
        if (
            turned
            or _is_strange(_unnamed(line, words), known)
            or any(takes_back(rule, line, next_to=True) for rule in others)
        ):
            said = _user_said(source) if said is None else said
            own = [normal(one) for one in sentences(line)]
            again = any(takes_back(rule, line) for rule in others)
            if again or not said.issuperset(own):
                found.append(line)
    return found


def baseless(lines: Sequence[str], words: frozenset[str]) -> list[str]:
    """The decisions of which hardly a word stands in the source, whose terms `words` are."""
    signs = frozenset(_HAN.findall("".join(words)))
    return [
        one.strip()
        for one in lines
        if not _has_signs(one, signs)
        and any(_is_strange(_DECIDING.sub(" ", part), words) for part in (one, _REASON.split(one)[0]))
    ]


def _has_signs(line: str, known: frozenset[str]) -> bool:
    """Whether so many of the Chinese signs of a line are known that it may say what is known in words of its own."""
    own = frozenset(_HAN.findall(line))
    return len(own) >= LEAST_SIGNS and len(own & known) >= SIGNS_SHARE * len(own)


def uncaused(text: str, words: frozenset[str]) -> Iterator[str]:
    """The sentences that name a cause of which no word stands among the source's."""
    for one in said_in(text):
        found = _CAUSE.search(one)
        own = set(terms(found["cause"])) if found else set[str]()
        if len(own) >= MIN_TERMS and not with_forms(own, words):
            yield one


def rules_in(text: str) -> list[str]:
    """The rules among the sentences of a user's message."""
    return [one for one in sentences(text[:LOOK_CHARS]) if rule_weight(one) >= RULE_WEIGHT]


def _spoken(source: Source, words: frozenset[str], *, refused: bool) -> frozenset[str]:
    """The terms of what the user, the agent's own prompt and summaries say, and of questions that the user answers;
    of those that the answer refuses only with `refused`.
    """
    texts = [*source.summaries, source.focus, source.system, source.goal]
    asked: list[str] = []
    for message in source.messages:
        said = list(sentences(message.text[:LOOK_CHARS]))
        if message.role == "user":
            texts.extend((message.name, message.text))
            texts.extend(asked if refused or not FORBIDS.search(next(iter(said), "")) else ())
            asked = []
        elif message.role == "assistant":
            asked = [one for one in said if one.endswith(("?", "？"))] or asked
    if sum(map(len, texts)) > SPOKEN_CHARS:
        return words
    return frozenset(term for text in texts for term in terms(text))


def _user_said(source: Source) -> frozenset[str]:
    """The user's sentences, in the form in which lines are compared: what is said word for word is founded."""
    return frozenset(normal(one) for text in source.requests for one in sentences(text[:LOOK_CHARS]))


def _wanted(text: str, form: Form) -> Iterator[tuple[str, str]]:
    """(heading, line) of what the user is said to want."""
    shape = form if "Progress" in form.headings else FORMS["sections"]
    for heading, lines in shape.parse(text):
        if heading in WANTED:
            yield from (
                (heading, line.strip())
                for line in lines
                if not line.lstrip().startswith("#") and line.strip()
            )


def _is_strange(line: str, words: frozenset[str]) -> bool:
    own = {term for term in terms(line) if term in words or not term.isdecimal()} - FRAME - LITTLE
    if len(own) < MIN_TERMS or len(own & words) >= KNOWN_SHARE * len(own):
        return False
    known = len(with_forms(own, words))
    return known < KNOWN_SHARE * len(own) and not (known and len(own) - known <= STRANGE_TERMS)


def _unnamed(line: str, words: Collection[str]) -> str:
    """A line without the links and addresses that the source has: what the user wants may be named by anybody."""
    for kind, name in dict.fromkeys(find_names(line)):
        if kind in _PLACES and words and all(term in words for term in terms(name)):
            line = line.replace(name, " ")
    return line


def _shortens(line: str, rule: str) -> bool:
    """Whether a line has nearly only words of a rule, in their order, and says no where it does."""
    own, whole = [term for term in terms(line) if term not in FRAME], terms(rule)
    known = [term for term in own if term in whole]
    rest = iter(whole)
    return (
        len(known) >= max(MIN_TERMS, SHORTENED_SHARE * len(own))
        and all(term in rest for term in known)
        and bool(FORBIDS.search(line)) == bool(FORBIDS.search(rule))
    )


def _turns(line: str, rule: frozenset[str], source: Source, *, forbids: bool) -> bool:
    """Whether a line has what a rule forbids and forbids nothing, or begins by forbidding what a rule demands."""
    shared = with_forms(rule, set(terms(line)))
    if len(shared) < MIN_TERMS or len(shared) < SAME_SHARE * len(rule):
        return False
    if forbids and any(said.search(line) for said in (FORBIDS, SPARES, _BOUNDS, _WAITS)):
        return False
    if not forbids and not _forbids_all(line, shared):
        return False
    return not _taken_back(shared, source, forbids=forbids)


def _changes_number(line: str, rule: str, source: Source) -> bool:
    """Whether a line has most words of a rule, and in the same words another number, which nobody said."""
    ours = list(_numbers(line))
    theirs = list(_numbers(rule)) if ours else []
    own, words = (set(filter(str.isalpha, terms(text))) - FRAME for text in (line, rule))
    if not theirs or not own or len(with_forms(own, words)) < SAME_SHARE * len(own):
        return False
    said = [said for _, said in theirs]
    return any(
        number not in said
        and not (abs(number - other) == 1 and _COMPARES.search(line))
        and not _says_number(number, beside, source)
        for beside, number in ours
        for word, other in theirs
        if word == beside or (len(word) > 1 and are_alike(word, beside))
    )


def _numbers(text: str) -> Iterator[tuple[str, float]]:
    """(word beside it, number) of the numbers in a text."""
    for found in _NUMBERED.finditer(text):
        beside = found["behind"] or found["before"]
        if beside:
            yield beside.lower(), float(found["number"])


def _says_number(number: float, beside: str, source: Source) -> bool:
    """Whether the user or a summary says a number, in figures or in words, or anybody says it beside the same word."""
    told = (text for one in source.messages for text in (one.text, *(result.text for result in one.results)))
    if any((beside, number) in _numbers(text[:LOOK_CHARS]) for text in told):
        return True
    texts = (*source.summaries, source.focus, source.system, source.goal, *source.requests)
    return any(number in sizes(text) or number in set(spelled(text)) for text in texts)


def _parts(rule: str) -> list[str]:
    """A rule, and each part of it that forbids by itself, in a few words: "never restart it, and tell me before"."""
    parts = [part for part in PARTED.split(rule) if FORBIDS.search(part) and part != rule]
    return [rule, *(part for part in parts if len(set(terms(FORBIDS.sub(" ", part))) - FRAME) >= PART_TERMS)]


def _with_numbers(source: Source) -> Iterator[str]:
    """The sentences of the user's that have numbers, the newest of them."""
    for text in source.requests:
        yield from filter(_NUMBERED.search, sentences(without_scaffold(text[:LOOK_CHARS])))


def _forbids_all(line: str, words: Collection[str]) -> bool:
    """Whether a line says no once, before it says any of the words, and of them all: "never use tabs", and neither
    "never use spaces; tabs" nor "edit nothing outside of src/".
    """
    found = list(FORBIDS.finditer(line))
    noes = [
        one for at, one in enumerate(found) if not at or one.start() - found[at - 1].end() > SAME_NO_CHARS
    ]
    if len(noes) != 1 or SPARES.search(line) or with_forms(words, set(terms(line[: noes[0].start()]))):
        return False
    forbidden = _CLAUSE_ENDS.split(line[noes[0].end() :], maxsplit=1)[0]
    return len(with_forms(words, set(terms(forbidden)))) == len(words)


def _taken_back(shared: Collection[str], source: Source, *, forbids: bool) -> bool:
    """Whether a sentence of the user's, or of a summary, says the same the other way round."""
    said = (*source.summaries, *(without_scaffold(text[:LOOK_CHARS]) for text in source.requests))
    return any(
        len(with_forms(shared, set(terms(one)))) == len(shared) and bool(FORBIDS.search(one)) != forbids
        for text in said
        for one in sentences(text[:LOOK_CHARS])
    )
