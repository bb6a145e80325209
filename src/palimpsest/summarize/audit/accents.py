"""Which language a line is in by its letters, where its little words are too few: `todavía` is not English.

Rules kept here:

- Only words in small letters that nobody said tell: names have capitals. Words that English has taken over tell
  nothing, and little words are parts of names as well.
- One such word is enough beside a second word that nobody said, where no more of the line's words are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

LEAST_LETTERS, NEW_WORDS = 3, 2
"""A word of fewer letters tells nothing; so many words of a line are new."""

_LETTERS = {
    "de": "äöüß",
    "fr": "àâæçéèêëîïôœùûüÿ",
    "es": "áéíñóúü",
    "pt": "ãõáéíóúâêôçà",
    "it": "àèéìíòóù",
    "nl": "éèëïöü",
    "pl": "ąćęłńóśźż",
    "cs": "áčďéěíňóřšťúůýž",
    "sv": "åäöé",
    "da": "æøåé",
    "ro": "ăâîșțşţ",
    "hu": "áéíóöőúüű",
    "fi": "äöå",
    "tr": "çğıöşüâîû",
}
_TAKEN_OVER = frozenset(
    "café cafés cliché clichés crème brûlée brûlé crêpe crêpes décor déjà doppelgänger entrée façade façades fiancé "
    "fiancée idée jalapeño mañana maté mélange naïve naïveté née papier-mâché piñata pièce protégé purée raison résumé "
    "résumés rosé sauté señor smörgåsbord soufflé soirée touché tête über vice-versa voilà château coup élite émigré "
    "épée étude matinée mêlée ménage première régime rôle outré passé communiqué exposé attaché blasé habitué".split()
)
"""Words that English has with their letters."""


def accented(
    words: Iterable[str], spoken: Collection[str], known: Collection[str], little: Collection[str]
) -> str:
    """The language that the words of a line are in by their letters, "" for none; `little` are the little words of
    other languages than those spoken.
    """
    ours = frozenset("".join(_LETTERS.get(language, "") for language in spoken))
    own = [word for word in words if word.islower() and len(word) >= LEAST_LETTERS]
    new = {word for word in own if word not in known and word not in _TAKEN_OVER}
    strange = {word for word in new if any(not sign.isascii() and sign not in ours for sign in word)}
    heard = {word for word in own if word in known}
    if not strange - {*little} or len(new | {*little}) < NEW_WORDS or len(heard) > len(new):
        return ""
    letters = {sign for word in strange for sign in word if not sign.isascii()}
    fitting = {
        language: sum(sign in signs for sign in letters)
        for language, signs in _LETTERS.items()
        if language not in spoken
    }
    best = max(fitting, key=lambda language: fitting[language], default="")
    return best if best and fitting[best] else ""
