"""What a sentence says of a password that is not the password: states, kinds and places,
in the languages of `passwords`.

Rules kept here:

- Endings stand for whole families (`gespeichert`, `guardada`, `unchanged`); a word of a list is one whatever its form.
- An ending that ordinary nouns have as well counts in short words alone: who joins two words to a password makes a long
  one.
- Words that signs join are a state where the last of them is one, or a part of them only joins (`out-of-date`).
"""

from __future__ import annotations

from palimpsest.patterns import later
from palimpsest.summarize.secrets.ordinary import is_form_word

_ENDINGS = (
    # English; German; Romance languages; Dutch
    r"\w+(?:ed|ing|ly|able|ible|less|ful|ous|ive)|(?:over|un|non)\w+|"
    r"\w{0,9}ge\w{2,14}[tn]|(?:ver|be|er|ent|zer|über|unter|hinter|ab|an|auf|aus|ein|mit|zu|vor|nach|her|hin|un)"
    r"\w{2,16}(?:[td]|en)|\w+(?:ig|lich|isch|bar|los|haft|sam|ung|pflicht|sache|heit|keit|schaft|iert|ieren|ell|sinn|end)|"
    r"\w+(?:ad[oa]s?|id[oa]s?|at[oa]|ut[oa]|it[oa]|mente|ment|ción|ções|ção|zione|tion|ble|vel|bile|é|ée|és|ées|eux|"
    r"euse|ique|iste|aire|oire|elle|if|ive|el)|"
    r"nie\w+|\w+iskt?|(?:ge|ver|be|ont|her|in|op|af|uit|aan)\w{2,16}(?:[dt]|en)|\w+(?:lijk|baar|loos|eel|uldig)"
)
_SHORT_ENDINGS = (
    # English; Romance languages; Polish and Czech; Scandinavian
    r"\w+(?:al|ic|ary|ent|ant|ory|ate|ect|ady|ple|que|lid|nct|ure|age|mal|nal|se|zy|ky|ty|"
    r"(?:ar|or|ór|ár)i[oa]|(?:os|iv|ic|ég|ct|tt|rt|st|lt|ps|rs|is|us|as|es|nt|e)[oa]|[ae]nte|ale|are|ile|ar|or|ct|cte|dard|ão|"
    r"n[yeao]|t[yeao]|ow[eay]|kie|gie|szy|sze|ł[eay]|[knlv]é|ý|á|"
    r"ligt|igt|ande|ende|[aeädt]t|skt|tt(?:ava|ävä)|[őó]|len|tlen)"
)
_WORDS = frozenset(
    # English
    "kept broken known wrong right short long weak strong empty blank plain fine good simple hidden public safe there "
    "here gone older newer longer shorter weaker stronger better worse easy hard stale unsafe random where what which "
    "nothing everything garbage something whatever mine yours theirs ours this that these those them again please "
    "still obvious obsolete static alone somewhere elsewhere anyway however though because unless never always today "
    "yesterday tomorrow secret standard default history private common clear ready later first second third unclear "
    "unique nonsense rubbish junk gibberish trouble business policy overkill history metadata birthday fiction "
    "masked base visible incomplete meant sent split reset local global internal external corporate constant other "
    "another enough crap trash mess problem issue question answer matter bytes letters digits numbers words length "
    "json yaml https email phone sms face touch biometric both neither either ours shown seen taken given written "
    # German
    "falsch richtig leer kurz lang sicher unsicher gleich anders pflicht standard teil bekannt korrekt inkorrekt "
    "schwach stark schlecht einfach kompliziert nirgends immer nicht wieder dort hier danach dabei allein kein keines "
    "klar fest tabu privat kaputt hinfällig intern extern temporär dasselbe derselbe dieselbe identisch egal fertig "
    "veraltet unverändert fällig quatsch unfug geschichte thema problem frage blödsinn müll mist englisch deutsch "
    "zufall irgendwas irgendwo nichts alles meins deins unseres geheim öffentlich komplex simpel trivial individuell "
    "genug drin draußen daneben notwendig nötig weiterhin jedem jeder anonym "
    # French
    "faux fausse vide court courte longue faible forte fort juste ici vieux vieille nouveau nouvelle inconnu inconnue "
    "connu connue perdu perdue même requis requise bonne simple défini définie fini unique secret secrète public "
    "publique sûre clair claire mauvais mauvaise confus dedans dessous dehors introuvable sensible partout ailleurs "
    "rien celui autre différent identique optionnel obligatoire écrit écrite transmis remis permis prêt prête "
    "compromis incorrect correct valide invalide interne externe privé privée "
    # Spanish, Portuguese, Italian
    "vacía vacío nueva nuevo vieja viejo débil fuerte fácil difícil otra otro misma mismo segura seguro insegura buena "
    "bueno mala malo larga largo corta corto secreta secreto única único pública público distinta distinto diferente "
    "sencilla sencillo estándar simple compleja complejo antigua antiguo igual clara abajo arriba dentro fuera nada "
    "nunca siempre aquí cierta falsa oculta nova novo velha fraca forte curta longa vazia mesma certa errada antiga "
    "simples padrão trivial pessoal ruim boa dentro fora idêntica secreta segura outra própria nuova nuovo vecchia "
    "vuota breve lunga debole giusta sbagliata stessa sicura altra nota ignota persa perso semplice banale casuale "
    "personale diversa diverso condivisa condiviso unica pronta temporanea nascosta privata qualsiasi niente qualcosa "
    "quella questa dentro sotto fuori tutti todos todas "
    # Dutch
    "fout juist leeg kort oud nieuw veilig onveilig zwak sterk onbekend bekend nodig hetzelfde kwijt simpel prima "
    "uniek anders verkeerd vereist correct geheim zichtbaar lang slecht goed tijdelijk willekeurig niets iets hier "
    # Polish, Czech
    "puste dobre złe stare nowe takie inne słabe silne tajne tajemnica podstawa problem proste krótkie długie losowe "
    "wygasłe samo gotowe stejné jiné správné špatné prázdné tajné slabé silné náhodné krátké dlouhé "
    # Swedish, Norwegian, Danish, Finnish, Turkish, Hungarian
    "fel rätt tomt gammalt nytt säkert samma långt svagt starkt enkelt okänt unikt glömt feil riktig forkert gammelt "
    "tomme svakt sterkt kort hemmelig ukjent ukendt väärä oikea tyhjä vanha uusi yanlış doğru eski yeni zayıf güçlü "
    "aynı gerekli zorunlu gizli hatalı rossz helyes üres régi titkos gyenge erős".split()
)
_JOINERS = frozenset("of to out only up in on non not by for and the no".split())
_JOINED_ENDING = later(
    r"\w+(?:ed|ing|able|ible|less)|free|proof|safe|based|side|wide|sensitive|specific|like|time|term|date|level|known|"
    r"defined|basiert|kodiert|codiert|weise|frei|los"
)
LONG_WORD = 13
"""So long a word that two were joined for it, rather than an ending added."""
_ENDING = later(_ENDINGS)
_SHORT_ENDING = later(_SHORT_ENDINGS)


def is_state(word: str) -> bool:
    """Whether a word of letters says how a password is, rather than what it is."""
    word = word.lower()
    if word in _WORDS or _ENDING.fullmatch(word):
        return True
    return len(word) < LONG_WORD and bool(_SHORT_ENDING.fullmatch(word))


def is_joined_state(words: list[str]) -> bool:
    """Whether words that signs join say how a password is: `read-only`, `base64-encoded`."""
    words = [word.lower() for word in words]
    if all(map(is_form_word, words)) or any(word in _JOINERS for word in words):
        return True
    return any(map(_JOINED_ENDING.fullmatch, words))
