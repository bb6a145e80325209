"""What a sentence says of a password that is not the password: states, kinds and places,
in the languages of `passwords`.

Rules kept here:

- Endings stand for whole families (`gespeichert`, `guardada`, `unchanged`); a word of a list is one whatever its form.
- An ending that ordinary nouns have as well counts in short words alone: who joins two words to a password makes a long
  one.
- Words that signs join are a state where the last of them is one, or a part of them only joins (`out-of-date`).
"""

from __future__ import annotations

import re
from typing import Literal

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.ordinary import is_form_word

Family = Literal["en", "de", "nl", "romance", "slavic", "other"]
"""Languages whose words end alike: French, Spanish, Portuguese and Italian; Polish and Czech; Scandinavian languages,
Finnish, Hungarian and Turkish.
"""
_ENDINGS: dict[Family, tuple[str, str]] = {
    "en": (
        r"\w+(?:ed|ing|ly|able|ible|less|ful|ous|ive)|un\w+(?:t|al|wn|fe|ue|ar|r)|over(?:due|long)",
        r"\w+(?:al|ic|ary|ent|ant|ory|ect|ady|ple|que|lid|nct)",
    ),
    "de": (
        (
            r"\w{0,9}ge\w{2,14}[tn]|(?:ver|be|er|ent|zer|über|unter|hinter|ab|an|auf|aus|ein|mit|zu|vor|nach|her|hin|un)"
            r"\w{2,16}(?:[td]|en)|\w+(?:ig|lich|isch|bar|los|haft|sam|ung|pflicht|sache|heit|keit|schaft|iert|ieren|ell|"
            r"sinn|end)"
        ),
        r"\w+(?:al|iv|tel)",
    ),
    "nl": (
        r"(?:ge|ver|be|ont|her|in|op|af|uit|aan)\w{2,16}(?:[dt]|en)|\w+(?:lijk|baar|loos|eel|uldig|ig)",
        r"\w+(?:al|ief|isch)",
    ),
    "romance": (
        (
            r"\w+(?:ad[oa]s?|id[oa]s?|at[oa]|ut[oa]|it[oa]|mente|ment|ción|ções|ção|zione|tion|ble|vel|bile|é|ée|és|ées|eux|"
            r"euse|ique|iste|aire|oire|elle|if|ive|el)"
        ),
        (
            r"\w+(?:(?:ar|or|ór|ár)i[oa]|(?:os|iv|ic|ég|ct|tt|rt|st|lt|ps|rs|is|us|as|es|nt|e)[oa]|[ae]nte|ale|are|ile|al|ar|"
            r"or|ent|ant|ct|cte|dard|ão|et[oa])"
        ),
    ),
    "slavic": (r"nie\w+", r"\w+(?:n[yeao]|t[yeao]|ow[eay]|kie|gie|szy|sze|ł[eay]|[knlv]é|ý|á)"),
    "other": (
        r"\w+(?:iskt?|l?igt?|tt(?:ava|ävä))|(?:o|u)\w+[dt]",
        r"\w+(?:ande|ende|[aeädt]t|skt|[őó]|len|tlen)",
    ),
}
"""How states end, and what ends only short words so."""
_WORDS: dict[Family, str] = {
    "en": (
        "private accurate adequate appropriate intermediate duplicate insecure secure obscure garbage average legit "
        "tough weird funny crazy bogus kaput kerberos ascii unicode postgres monday tuesday wednesday thursday "
        "friday saturday sunday plaintext "
        "kept broken known wrong right short long weak strong empty blank plain fine good simple hidden public "
        "safe there here gone older newer longer shorter weaker stronger better worse easy hard stale unsafe "
        "random where what which nothing everything garbage something whatever mine yours theirs ours this that "
        "these those them again please still obvious obsolete static alone somewhere elsewhere anyway however "
        "though because unless never always today yesterday tomorrow secret standard default history private "
        "common clear ready later first second third unclear unique nonsense rubbish junk gibberish trouble "
        "business policy overkill metadata birthday fiction masked base visible incomplete meant sent split reset "
        "local global internal external corporate constant other another enough crap trash mess problem issue "
        "question answer matter bytes letters digits numbers words length json yaml https email phone sms face "
        "touch biometric both neither either shown seen taken given written"
    ),
    "de": (
        "murks super klartext scheiße "
        "falsch richtig leer kurz lang sicher unsicher gleich anders pflicht standard teil bekannt korrekt "
        "inkorrekt schwach stark schlecht einfach kompliziert nirgends immer nicht wieder dort hier danach dabei "
        "allein kein keines klar fest tabu privat kaputt hinfällig intern extern temporär dasselbe derselbe "
        "dieselbe identisch egal fertig veraltet unverändert fällig quatsch unfug geschichte thema problem frage "
        "blödsinn müll mist englisch deutsch zufall irgendwas irgendwo nichts alles meins deins unseres geheim "
        "öffentlich komplex simpel trivial individuell genug drin draußen daneben notwendig nötig weiterhin jedem "
        "jeder anonym"
    ),
    "nl": (
        "onjuist klaar onzin "
        "fout juist leeg kort oud nieuw veilig onveilig zwak sterk onbekend bekend nodig hetzelfde kwijt simpel "
        "prima uniek anders verkeerd vereist correct geheim zichtbaar lang slecht goed tijdelijk willekeurig "
        "niets iets hier"
    ),
    "romance": (
        "bizarre super bidon pourri parfait demain robuste basura ridícula obvia minha assurda "
        "buona buono boa "
        "faux fausse vide court courte longue faible forte fort juste ici vieux vieille nouveau nouvelle inconnu "
        "inconnue connu connue perdu perdue même requis requise bonne simple défini définie fini unique secret "
        "secrète public publique sûre clair claire mauvais mauvaise confus dedans dessous dehors introuvable "
        "sensible partout ailleurs rien celui autre différent identique optionnel obligatoire écrit écrite "
        "transmis remis permis prêt prête compromis incorrect correct valide invalide interne externe privé "
        "privée vacía vacío nueva nuevo vieja viejo débil fuerte fácil difícil otra otro misma mismo segura "
        "seguro insegura buena bueno mala malo larga largo corta corto secreta secreto única único pública "
        "público distinta distinto diferente sencilla sencillo estándar compleja complejo antigua antiguo igual "
        "clara abajo arriba dentro fuera nada nunca siempre aquí cierta falsa oculta nova novo velha fraca curta "
        "longa vazia mesma certa errada antiga simples padrão trivial pessoal ruim boa fora idêntica outra "
        "própria nuova nuovo vecchia vuota breve lunga debole giusta sbagliata stessa sicura altra nota ignota "
        "persa perso semplice banale casuale personale diversa diverso condivisa condiviso unica pronta "
        "temporanea nascosta privata qualsiasi niente qualcosa quella questa sotto fuori tutti todos todas"
    ),
    "slavic": (
        "głupie super "
        "puste dobre złe stare nowe takie inne słabe silne tajne tajemnica podstawa problem proste krótkie długie "
        "losowe wygasłe samo gotowe stejné jiné správné špatné prázdné tajné slabé silné náhodné krátké dlouhé"
    ),
    "other": (
        "hukassa borta borte rahasia wajib szükséges lejárt "
        "fel rätt tomt gammalt nytt säkert samma långt svagt starkt enkelt okänt unikt glömt feil riktig forkert "
        "gammelt tomme svakt sterkt kort hemmelig ukjent ukendt väärä oikea tyhjä vanha uusi yanlış doğru eski "
        "yeni zayıf güçlü aynı gerekli zorunlu gizli hatalı rossz helyes üres régi titkos gyenge erős"
    ),
}

_JOINERS = frozenset("of to out only up in on non not by for and the no".split())
_BEGINNERS = frozenset("non not self auto pre re two one multi".split())
_JOINED_ENDING = later(
    r"\w+(?:ed|ing|able|ible|less)|free|proof|only|out|up|off|safe|based|side|wide|sensitive|specific|like|time|term|date|level|known|"
    r"defined|basiert|kodiert|codiert|weise|frei|los"
)
LONG_WORD = 13
"""So long a word that two were joined for it, rather than an ending added."""
_STATES: dict[Family, tuple[frozenset[str], re.Pattern[str], re.Pattern[str]]] = {
    family: (frozenset(_WORDS[family].split()), later(any_length), later(short))
    for family, (any_length, short) in _ENDINGS.items()
}


def is_state(word: str, family: Family | None = None) -> bool:
    """Whether a word of letters says how a password is, rather than what it is, in a sentence of this family of
    languages, or of any.
    """
    word = word.lower()
    return any(
        word in words or any_length.fullmatch(word) or (len(word) < LONG_WORD and short.fullmatch(word))
        for words, any_length, short in (_STATES.values() if family is None else (_STATES[family],))
    )


def is_named_state(word: str) -> bool:
    """Whether a word stands in a list of states, or ends as deeds do in English."""
    word = word.lower()
    return word.endswith(("ed", "ing")) or any(word in words for words, _, _ in _STATES.values())


def is_joined_state(words: list[str]) -> bool:
    """Whether words that signs join say how a password is: `read-only`, `base64-encoded`, `out-of-date`."""
    words = [word.lower() for word in words]
    if len(words) in (3, 4) and {*words[1:-1]} <= _JOINERS and all(map(str.isalpha, words)):
        return True
    if all(is_form_word(word) or _JOINED_ENDING.fullmatch(word) for word in words):
        return True
    return len(words) == 2 and (bool(_JOINED_ENDING.fullmatch(words[1])) or words[0] in _BEGINNERS)
