"""Which languages a text is in: by its script, and in Latin letters by its little words.

Rules kept here:

- A language counts with a good part of a text. Where letters or little words are too few, nothing is said about it.
- Two texts of which nothing is known agree.
- Against languages that are known, a few little words of another one tell it, if they are different ones and those of
  the known languages are far fewer. Lines of which nearly every word is known are quoted, and tell nothing.
- English is the language of tools: among those of other scripts a few of its words tell nothing, but a line that is
  said in it alone does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from collections.abc import Set as AbstractSet

from palimpsest.patterns import later
from palimpsest.summarize.audit.accents import accented
from palimpsest.summarize.audit.chinese import is_chinese
from palimpsest.summarize.sentences import terms

MIN_LETTERS = 60
MIN_STOPS = 8
"""Letters and little words below which nothing is said about a language."""
FEW_LETTERS, FEW_STOPS = 6, 3
"""Of a user who says less, so many letters of another script than the Latin one, or so many little words, tell the
language.
"""
SAID_WORDS, SAID_STOPS = 6, 2
"""Words of a line that is said in a language in Latin letters, and little ones among them."""
SAME_SHARE = 0.25
"""A language with this share of what was said is one of the conversation's."""
HEARD_SHARE = 0.15
"""So is one in Latin letters with little words of its own for this share of the most frequent one's."""
OTHER_STOPS, OTHER_KINDS, OTHER_TIMES = 4, 3, 2
"""So many little words of another language, so many of them different, and so many for each of a known language."""
CLAUSE_KINDS, WORD_LETTERS = 2, 4
"""So many of them are enough in a clause that has as many other words, of so many letters, none of them known, in a
line without little words of a known language.
"""
QUOTED_SHARE = 0.8
"""A line of which so many words are known is a quoted one."""

_LATIN = later(r"[A-Za-z\u00c0-\u024f]")
_SCRIPTS = (
    ("han", later(r"[\u3400-\u9fff\uf900-\ufaff]")),
    ("kana", later(r"[\u3040-\u30ff]")),
    ("hangul", later(r"[\uac00-\ud7af]")),
    ("cyrillic", later(r"[\u0400-\u04ff]")),
    ("arabic", later(r"[\u0600-\u06ff]")),
    ("hebrew", later(r"[\u0590-\u05ff]")),
    ("devanagari", later(r"[\u0900-\u097f]")),
    ("thai", later(r"[\u0e00-\u0e7f]")),
    ("greek", later(r"[\u0370-\u03ff]")),
    ("latin", _LATIN),
)
_DENSE = frozenset(("han", "kana", "hangul"))
"""Scripts in which a letter says about three times as much."""
_STOPS = {
    "en": (
        "the and of to is was that with for this not from are be it has have which were will by their its been after "
        "when into should must then"
    ),
    "de": (
        "der die das und ist nicht ein eine zu den mit von für auf im dem sich wurde werden wird noch dass sie als es "
        "einen einer nach bei aus oder auch über ohne kein keine weil vom zum zur durch wenn sind"
    ),
    "fr": (
        "le les et est une des du dans pour pas sur au qui que avec sont été ne ce il elle cette de la un aux sans "
        "vers après ou mais leur être doit"
    ),
    "es": (
        "el los las y una del por con para su que es se está fue más como pero ya este esta de la un al lo sin "
        "después sus"
    ),
    "pt": "o uma da em para não que foi mais mas já este esta está de um na pelo pela após sem são seu sua",
    "it": (
        "il lo gli e un una di che non per con è sono del della nel alla anche stato questo la le da dal dei delle "
        "senza dopo"
    ),
    "nl": "de het een en van niet dat met voor op te zijn wordt ook naar aan deze werd bij uit zonder na maar als",
    "pl": "na się nie jest po bez dla oraz przez że od został została zostały które który jak lub są już za",
    "cs": "se na je že není pro nebo jako byl byla bylo po bez podle který jsou také při",
    "sv": "och att det som en är för på av med inte den har ett om från efter utan ska",
    "da": "og det som en er på af av med ikke den til et fra efter etter uden uten skal blev ble",
    "ro": "și în nu este pentru cu pe care după fără sunt",
    "hu": "és az nem hogy egy van meg vagy után nélkül kell volt",
    "fi": "ja ei se että oli kun mutta ole sekä ovat jälkeen ilman",
    "tr": "ve bir bu için ile olarak değil olan sonra gibi daha",
}
"""Without words that are English ones as well, or names in technical English."""
_LANGUAGES = {language: frozenset(words.split()) for language, words in _STOPS.items()}
_MORE = {
    "en": (
        "a an who had has can could does did only now than or if but because before between both each every "
        "without still there these those we you they he she where what how no on at as so again already yet "
        "never more all any our"
    ),
    "de": (
        "alle am an auch beim bis bleibt da damit dann dem diese dieser dieses dort er gibt haben hat ihr "
        "ihre jede jedem jeden jetzt kann man mehr nur ob obwohl schon sehr seit soll sollen um unter waren "
        "wegen wie wieder wir wo"
    ),
    "fr": (
        "à aussi avant car ces chaque comme dès donc elles en encore entre ils je leurs mais même nous où par "
        "plus quand se ses si sous son toujours tous tout très trop y"
    ),
    "es": (
        "a al antes aún cada cuando donde en entre era fueron ha hasta hay le les ni no nos o porque queda "
        "sido si sobre son también todo todos un ya"
    ),
    "pt": (
        "à antes ao aos as até cada com como dos das ela ele então era foram há isso já mas nas no nos o os "
        "ou pelos por porque quando se também todos"
    ),
    "it": (
        "a ai al ancora anche che chi ci col come cui dai delle dopo dove era fino ha hanno i in l ma nei nel "
        "né o ogni per perché più prima quando quello se si sono su sul tra tutti"
    ),
    "nl": (
        "al alle als altijd ben dan die dit door elke geen heeft hij hun ik in is je kan maar meer moet nog "
        "nu of om onder over tot twee waar want was we weer werden wie wij worden zich ze"
    ),
    "pl": (
        "a ale aby bo być by była było były co czy dla gdy i ich ile jego jej każdy ma nad nie o od ona po "
        "pod przed przy są tam też to trzeba tylko tym w we wszystkie z zawsze ze"
    ),
}
"""More of them, of which some are words of others too: they tell the language of a line that has none of ours."""
_ALL = {one: words | frozenset(_MORE.get(one, "").split()) for one, words in _LANGUAGES.items()}
LATIN = frozenset(("latin", *_LANGUAGES))
LITTLE = frozenset[str]().union(*_LANGUAGES.values())
"""The little words of all languages."""
_CLAUSE = later(r"[,;:.!?()]\s|\n")
_ASIDE = later(r"\([^()\n]{1,200}\)")
_LEADS = later(r"\b([^\W\d_]{1,20})(?= [^\W\d_])")
"""A word that leads to the next one, as little words do."""
_PLAIN = later(r"(?<![\w.@:-])[^\W\d_]{1,40}(?![\w@:-]|\.\w)")
"""A word that is no part of a name."""


def languages(text: str, least: int = 0) -> frozenset[str]:
    """The languages that make up a good part of a text; for Latin letters by their little words. Of so few letters that
    its language is not sure, those of other scripts tell it from `least` on.
    """
    letters = {
        script: len(pattern.findall(text)) * (3 if script in _DENSE else 1) for script, pattern in _SCRIPTS
    }
    whole = sum(letters.values())
    if whole - letters["latin"] * (whole < MIN_LETTERS) < (least or MIN_LETTERS):
        return frozenset()
    found = {script for script, count in letters.items() if count >= SAME_SHARE * whole}
    if "kana" in found or letters["kana"] * 8 >= whole:
        found = (found | {"kana"}) - {"han"}
    if "latin" in found:
        found.discard("latin")
        found |= _latin(text, FEW_STOPS if least else MIN_STOPS) or {"latin"}
    return frozenset(found)


def agree(own: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether two texts can be in one language; in Latin letters with too few little words, any of theirs."""
    if not own or not theirs or own & theirs:
        return True
    return bool(own & LATIN and theirs & LATIN) and ("latin" in own or "latin" in theirs)


def heard(text: str) -> set[str]:
    """The languages in Latin letters that a part of a text is in, however much more of it is in another such one."""
    words = Counter(_plain(text))
    hits = {language: _count(words, stops) for language, stops in _LANGUAGES.items()}
    most = max(hits, key=lambda language: hits[language])
    own = {language: _count(words, stops - _LANGUAGES[most]) for language, stops in _LANGUAGES.items()}
    least = max(FEW_STOPS, HEARD_SHARE * hits[most])
    return {language for language, hit in own.items() if hit >= least}


def is_other(text: str, spoken: frozenset[str], known: Collection[str], *, line: bool = False) -> bool:
    """Whether a text in Latin letters is in another language than those spoken, by however few words; of a `line`, a
    clause is enough. `known` are the terms of all that was said.
    """
    return bool(other_language(text, spoken, known, line=line))


def other_language(
    text: str,
    spoken: frozenset[str],
    known: Collection[str],
    *,
    line: bool = False,
    told: Collection[str] = (),
) -> str:
    """The language other than those spoken that a text in Latin letters is in, "" for none. Beside lines in a language
    that was `told`, one of its little words is enough for a line of words that nobody said.
    """
    scripts = spoken - LATIN
    if not spoken or "latin" in spoken or (scripts and scripts & languages(text, FEW_LETTERS)):
        return ""
    ours = frozenset[str]().union(*(_LANGUAGES.get(language, frozenset()) for language in spoken))
    unknown = Counter(word for line in unquoted(text, known) for word in _plain(line))
    whole = Counter(_plain(text))
    has_ours = not ours.isdisjoint(whole)
    shared = frozenset[str]().union(*(_ALL.get(language, frozenset()) for language in spoken))
    best = (0, "")
    for language in sorted(_LANGUAGES.keys() - spoken - ({"en"} if scripts else set())):
        own = (unknown.keys() & _LANGUAGES[language]) - ours
        if len(own) >= OTHER_KINDS:
            held = OTHER_TIMES * _count(whole, ours - _LANGUAGES[language])
            if _count(unknown, own) >= max(OTHER_STOPS, held):
                return language
        if line and not has_ours and own:
            own = (unknown.keys() & _ALL[language]) - ours
            if _is_told_in(text, own, known, 1 if language in told else CLAUSE_KINDS, shared):
                best = max(best, (len(own), language), key=lambda one: one[0])
    if not best[1] and line and not has_ours and not scripts:
        plain = _ASIDE.sub(" ", "\n".join(unquoted(text, known)))
        little = (unknown.keys() & LITTLE) - shared
        return accented(_PLAIN.findall(plain), spoken, known, little)
    return best[1]


def _is_told_in(
    line: str, own: Collection[str], known: Collection[str], least: int, shared: frozenset[str]
) -> bool:
    """Whether a line without little words of a known language is in the one of these little words: it has several of
    them, and several words that nobody said. `shared` are those that a known language has as well.
    """
    if len(own) < least:
        return False
    plain = _ASIDE.sub(" ", line)
    if least < CLAUSE_KINDS and not any(found[1].lower() in own for found in _LEADS.finditer(plain)):
        return False
    new = {word for word in _PLAIN.findall(plain) if word.islower()}.difference(own, known)
    if len(own) >= OTHER_KINDS and len(new) >= CLAUSE_KINDS:
        return True
    parts = (*_CLAUSE.split(plain), plain)
    for one in parts[:-1] if new else ():
        said = {word.lower() for word in _PLAIN.findall(one)}
        if len(said.intersection(own)) >= OTHER_KINDS and said & new:
            return True
    if len({*own} - shared) >= CLAUSE_KINDS and _is_mostly_new(plain, own, known):
        return True
    return any(_is_strange(one, own, known, min(least, CLAUSE_KINDS)) for one in parts)


def _is_mostly_new(line: str, own: Collection[str], known: Collection[str]) -> bool:
    """Whether of the longer words of a line several are such that nobody said, and no more of them are known."""
    longer = {word for word in _PLAIN.findall(line) if word.islower() and len(word) >= WORD_LETTERS}
    new = longer.difference(own, known)
    return len(new) >= CLAUSE_KINDS and len(new) >= len(longer.intersection(known))


def _is_strange(clause: str, own: Collection[str], known: Collection[str], least: int) -> bool:
    """Whether a clause has so many little words of another language, and several others none of which is known; what
    has a capital letter may be a name.
    """
    said = _PLAIN.findall(clause)
    others = {word for word in said if word.islower() and word not in own}
    rest = {word for word in others if len(word) >= WORD_LETTERS}
    little = len({word.lower() for word in said}.intersection(own))
    return little >= least and len(rest) >= least and others.isdisjoint(known)


def is_other_script(line: str, spoken: frozenset[str], known: Collection[str]) -> bool:
    """Whether a line is in another script than all that was spoken, and no quoted one, or has words in one that nobody
    wrote in. Japanese has lines without kana, which may be Chinese.
    """
    written = {"latin", *spoken, *(("han",) if "kana" in spoken else ())}
    others = ((one, pattern) for one, pattern in _SCRIPTS if one not in written)
    if known and any(_is_unheard(line, one, pattern, known) for one, pattern in others):
        return True
    own = languages(line, FEW_LETTERS)
    if "kana" in spoken and "han" not in spoken:
        if is_chinese(line, known) and any(unquoted(line, known)):
            return True
        if own == frozenset(("han",)):
            return False
    return bool(own and spoken) and not own & (spoken | LATIN) and any(unquoted(line, known))


def _is_unheard(line: str, script: str, pattern: re.Pattern[str], known: Collection[str]) -> bool:
    """Whether a line has a word in a script in which nothing known is."""
    letters = len(pattern.findall(line)) * (3 if script in _DENSE else 1)
    return letters >= FEW_LETTERS and not any(map(pattern.search, known))


def speaks_latin(line: str, known: Collection[str]) -> bool:
    """Whether a line is said in a language in Latin letters, and quotes nothing: it has a few words, and several of
    them are little ones.
    """
    words = [list(_plain(one)) for one in unquoted(line, known)]
    return any(len(one) >= SAID_WORDS and len(LITTLE.intersection(one)) >= SAID_STOPS for one in words)


def _plain(text: str) -> Iterator[str]:
    """The words of a text that are neither names nor abbreviations in capitals, in small letters."""
    return (word.lower() for word in _PLAIN.findall(text) if not word.isupper())


def unquoted(text: str, known: Collection[str]) -> Iterator[str]:
    """The lines of a text without those of which nearly all words are known."""
    for line in text.splitlines():
        said = [word for word in terms(line) if word.isalpha()]
        if sum(word in known for word in said) < QUOTED_SHARE * len(said):
            yield line


def _latin(text: str, least: int) -> set[str]:
    words = Counter(_plain(text))
    hits = {language: _count(words, stops) for language, stops in _LANGUAGES.items()}
    best = max(hits.values())
    return {language for language, hit in hits.items() if hit >= 0.6 * best} if best >= least else set()


def _count(words: Counter[str], stops: AbstractSet[str]) -> int:
    """How many of the words are these."""
    return sum(words[word] for word in words.keys() & stops)


def latin_letters(text: str) -> int:
    """How many Latin letters a text has."""
    return len(_LATIN.findall(text))
