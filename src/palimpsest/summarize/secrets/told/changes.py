"""How a sentence tells that a password was changed, and from what to what.

Rules kept here:

- Behind the noun stand words that say whose it is, then the pair: "from" and "to" in the words of a language, an arrow,
  or a verb that replaces one with the other. In scripts without blanks nothing but signs of that script parts them.
- A range of things (`the hosts from nas-2 to nas-9`) is no pair: what counts them stands directly before it.
- A mark that the sentence goes on behind is the value's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from palimpsest.patterns import later

Span = tuple[int, int]

VERB_CHARS, BACK_CHARS, ON_CHARS, MAX_NOUNS = 32, 120, 240, 400
"""So far behind a pair a verb may stand in the languages that put it last."""

_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_QUOTE = r"[\"'`“”‘’«»„「」]?"
_VALUE = rf"(?![-/~$<@#&%=+*|])[^\s\"'`“”‘’«»„「」<>(){{}}\[\]|,;，。；、{_CJK}]{{4,90}}"
_PAIRED = rf"{_QUOTE}(?P<old>{_VALUE}){_QUOTE}(?P<by>BY){_QUOTE}(?P<new>{_VALUE})"
_WORD = r"\(?(?![A-Z_]{2,}_)(?:[^\s.,;:：=<>{}()\[\]|/\\\"`]|[.:](?=\w)){1,24}\)?"
_GAP = rf"(?P<gap>(?: {_WORD}){{0,10}}?)"
_FROM = r"from|von|vom|de|desde|da|dal|van|z|ze|с|со|från|fra"
_TO = r"to|into|auf|zu|in|nach|à|en|vers|a|por|par|hacia|para|naar|tot|na|на|till|til"
_WITH = r"with|by|for|durch|mit|gegen|par|por|con|door|met|na|на"
_ARROW = r" {0,2}(?:[-=]{1,2}>|[→➜⇒⟶]) {0,2}"
_NATIVE = r" ?(?:被?(?:改|换|換|更换|更換|变更|變更|更新|修改|重置|变|變)(?:成|为|為)了?|到|から|에서|→|->) ?"
_PAIRS = (
    later(rf"{_GAP} (?:{_FROM}) " + _PAIRED.replace("BY", rf" (?:{_TO}) "), re.IGNORECASE),
    later(rf"{_GAP} ?:?(?: (?:{_FROM}))? " + _PAIRED.replace("BY", _ARROW), re.IGNORECASE),
    later(r"[^\n。A-Za-z\d]{0,16}" + _PAIRED.replace("BY", _NATIVE)),
)
_ARROW_ONLY = later(_ARROW)
_SWAP = later(rf"{_GAP} " + _PAIRED.replace("BY", rf" (?:{_WITH}) "), re.IGNORECASE)
_SWAPS = later(
    r"replac|swap|exchang|ersetz|tausch|remplac|reemplaz|sustitu|sostitu|substitu|troc|vervang|zastąp|замен|byt",
    re.IGNORECASE,
)
CHANGE = later(
    r"chang|reset|\bset\b|updat|rotat|switch|geänder|änder|gesetzt|\bsetz|gestellt|umgestellt|modifi|remplac|\bmis\b|"
    r"\bmets|cambi|\bpuse|\bpon|actualiz|mudei|\bmud|troqu|alter|impost|\bmesso|verander|gezet|gewijzigd|zmieni|ustaw|"
    r"смени|поменя|измени|постави|změni|nastav|ändra|bytt|endret|ændre",
    re.IGNORECASE,
)
"""What says that something was changed, or should be."""
WAS_SET = later(
    r"\b(?:changed|updated|rotated|switched|(?:i|we|was|been|is now|have|i've|we've) (?:just )?(?:re)?set|geändert|"
    r"gesetzt|(?:um)?gestellt|veranderd|gewijzigd|gezet|zmieniłem|zmieniłam|ustawiłem|ustawiłam|ändrade|bytte|endret|"
    r"ændrede)\b|\b(?:сменил|поменял|změnil|nastavil)\w?\b",
    re.IGNORECASE,
)
"""What tells that it was."""
_CHANGES = later(
    r"(?:est|été|è|foi) pass[ée]|pasó|passou|passat|\bwent\b|wechsel|\bstell\w{0,3}\b|wijzig|wissel|\bruil|zmie[nń]|"
    r"zmian|podmie|aggiorn|atualiz|измен|меня|değiş|vaihd|cser[eé]l|改|换|換|更|变|變|変|바꾸|바꿨|"
    r"변경|(?<=word )change",
    re.IGNORECASE,
)
"""Further ways to say that something was changed."""
_KEY = later(
    r"(?<![\w-])(?:(?:api|access|secret|auth|bearer|bot|deploy|signing|webhook|client|app|refresh|license|encryption|session|"
    r"master|storage|service)[ _-]?(?:key|token|secret)|token|api-schlüssel|"
    r"(?:clé|clave|chiave|chave|klucz)(?: d['’])? ?api)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_DRAWN = later(r"(?=(?:[A-Za-z_+/=.~-]{0,60}\d){2})(?=[\d_+/=.~-]{0,60}[A-Za-z])[\w+/=.~-]{16,90}")
_NAMED = later(r"[A-Za-z]+(?:[-_./][A-Za-z]*\d*)*|[a-z]+\d{1,4}")
"""What words and numbers make up: a name, and which of them."""
_COUNTED = later(r"(?:s|everyone|everybody|all|alle[nr]?|tous|todos|tutti) ?\Z", re.IGNORECASE)
_INSTEAD = later(
    r"[\"'`”»]?,? (?:from|instead of|in place of|statt|anstelle von|anstatt|au lieu de|en vez de|en lugar de|invece di|"
    r"em vez de|in plaats van|zamiast|вместо|istället för|i stedet for) "
    rf"{_QUOTE}(?P<old>{_VALUE})",
    re.IGNORECASE,
)
_ENDS, _GOES_ON = ".:?…*_", later(r"[\"'`”»]?(?: ?[,;)(，。；、]| (?![A-ZÄÖÜ])\w|[\u3040-\ud7af])")
_DIGITS = later(r"\d+")


def pair_behind(text: str, at: int, until: int, begin: int) -> tuple[Span, Span, bool] | None:
    """Where the old and the new password stand that are told behind a noun, and whether words stand between; None where
    no pair is, or no verb in the sentence, which begins at `begin`, says that anything was changed.
    """
    for way in _PAIRS:
        pair = way.match(text, at, until)
        if pair and (
            CHANGE.search(text, begin, until)
            or _ARROW_ONLY.match(pair["by"])
            or _CHANGES.search(text, begin, pair.end("new") + VERB_CHARS)
        ):
            return _spans(pair)
    swap = _SWAP.match(text, at, until)
    return _spans(swap) if swap and _SWAPS.search(text, begin, until) else None


def _spans(pair: re.Match[str]) -> tuple[Span, Span, bool]:
    gap: str = pair.groupdict().get("gap") or ""
    old, new = pair.span("old"), _bare(pair.string, *pair.span("new"))
    if pair["old"].endswith("!") and pair.string[new[1] : new[1] + 1] == "!":
        new = (new[0], new[1] + 1)
    return (old[0], old[0] + len(pair["old"].rstrip(_ENDS))), new, bool(gap.strip())


def changed_keys_in(text: str, start: int, end: int) -> Iterator[Span]:
    """Where in this stretch of a text keys and tokens stand that were drawn, and changed one to the other."""
    for noun in islice(_KEY.finditer(text, start, end), MAX_NOUNS):
        begin = max(start, noun.start() - BACK_CHARS, text.rfind("\n", start, noun.start()) + 1)
        pair = pair_behind(text, noun.end(), noun.end() + ON_CHARS, begin)
        if pair and all(
            _DRAWN.fullmatch(text, *span) and not _NAMED.fullmatch(text, *span) for span in pair[:2]
        ):
            yield from pair[:2]


def is_range(text: str, old: Span, new: Span, at: int) -> bool:
    """Whether two values only say from which to which of some things something was done."""
    one, other = (_DIGITS.sub("", text[slice(*span)]) for span in (old, new))
    before = re.sub(rf"(?i: (?:{_FROM}) [\"'`]?\Z)", "", text[at : old[0]])
    return one == other and one.islower() and bool(before.strip()) and bool(_COUNTED.search(before))


def old_behind(text: str, at: int, until: int) -> Iterator[Span]:
    """Where the old password stands that is told behind the new one, which ends here."""
    told = _INSTEAD.match(text, at, until)
    if told:
        yield _bare(text, *told.span("old"))


def _bare(text: str, first: int, last: int) -> Span:
    """A value without what ends its sentence."""
    kept = _GOES_ON.match(text, last) or text[last : last + 1] in tuple("\"'`”»")
    value = text[first:last]
    bare = value.rstrip(_ENDS)
    return first, first + len(bare if kept or bare != value else bare.rstrip(_ENDS + "!"))
