"""Passwords that a sentence tells, in many languages: one grammar of what is called so, how it is told, and what may
be a value there.

Rules kept here:

- A sentence tells a password in one of four ways: the noun, whose it is, a verb or colon, the value, an end; the noun
  and what it was changed to; what to use or type as the noun; an account with its password.
- The weaker a value looks, the more the sentence must say. Letters with digits or signs are one behind any of these.
  Words that signs join are one where none of them is a word of forms and code. A plain word is one only directly behind
  the verb or colon, where the sentence ends or pauses, and where it is no state of a password (`correcta`, `vergeben`).
- A bare `password: value` may be a setting or code, which `settings` judges: a colon tells here only behind words that
  say which password is meant, or behind a noun that no code has.
- What names a file, an address, a digest, a version or a variable is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.forms import MIXTURE
from palimpsest.summarize.secrets.looks.ordinary import is_form_word, is_ordinary
from palimpsest.summarize.secrets.told.changes import (
    CHANGE,
    WAS_SET,
    changed_keys_in,
    is_range,
    old_behind,
    pair_behind,
)
from palimpsest.summarize.secrets.told.states import (
    Family,
    is_joined_state,
    is_named_state,
    is_state,
)

Span = tuple[int, int]

BACK_CHARS, ON_CHARS, PAIR_CHARS = 120, 200, 40
MAX_NOUNS = 400
"""More nouns in one stretch are no sentences."""

_NOUNS = (
    # Latin letters: each with the endings that its language gives it
    r"pass ?word|passwd|pass ?phrase|passcode|pwd|pw|[\w-]{0,16}passwort|[\w-]{0,16}kennwort|"
    r"(?:wlan|wi-?fi|zugangs|api)[ -]?schlüssel|"
    r"mot de passe|mdp|contraseña|contrasena|senha|palavra-passe|[\w-]{0,16}wachtwoord|hasł(?:o|a|em|u)|"
    r"hes(?:lo|la|lem)|lösenord(?:et)?|passord(?:et)?|kodeord(?:et)?|adgangskoden?|salasana\w{0,3}|"
    r"şifre\w{0,5}|parola(?:sı|m|n|nız|yı)\w{0,4}|parola d['’]ordine|jelsz(?:ó|ava|avam)|mật khẩu|kata sandi|"
    r"(?<=my )pass|(?<=the )pass|(?<=our )pass|(?<=new )pass|(?<=old )pass|(?<=wifi )pass|(?<=root )pass|"
    r"(?<=admin )pass|(?<=/ )pass(?=:? \S)|(?<=, )pass(?=:? \S)|"
    r"pass(?= (?:for|to|of) (?:the|my|our) )|(?<=mi )clave|(?<=su )clave|(?<=tu )clave|"
    r"clave(?= (?:del?|para) (?:la |el )?(?:wi-?fi|router|servidor|nas|vpn|ssh|admin|usuario|correo|panel|base))"
)
_OTHER_NOUNS = (
    r"парол(?:ь|я|ем|ю|е)|κωδικ(?:ός|ό)|סיסמה|סיסמא|كلمة (?:المرور|السر)|पासवर्ड|รหัสผ่าน|"
    r"密码|密碼|口令|パスワード|暗証番号|비밀번호|비번"
)
_TELLS = (
    r"is|was|be|equals|reads|ist|war|wäre|lautet|heißt|est|était|c['’]est|reste|es|era|será|é|è|luidt|to|jest|brzmi|było|"
    r"je|är|var|er|on|là|adalah|это|стал|теперь|είναι|היא|הוא|هي|هو|है"
)
_NOW = r"now|jetzt|maintenant|ahora|agora|adesso|nu|teraz|теперь|still|simply|just|currently|halt|einfach|weiterhin"
_WHEN = later(
    r"[\"'`]? (?:just now|now|yesterday|today|this (?:morning|week)|last (?:night|week)|again|earlier|gestern|heute|"
    r"eben|gerade|geändert|gesetzt|umgestellt|gestellt|gisteren|vandaag|veranderd|gewijzigd|gezet|wczoraj|dzisiaj|вчера|"
    r"сегодня|včera|dnes|igår|idag|i går|i dag)\b",
    re.IGNORECASE,
)
"""What says when something was changed, or in the languages that put it last, that it was."""
_WHOSE = later(r" (?:vom|von|des|der|für|zum|zur)\b", re.IGNORECASE)
"""Where whose it is stands before, a noun in capitals is no place where it was changed."""
_ONLY_TO = ("to", "auf", "på", "til", "till")
"""What hardly says how or why something was changed."""
_TO = r"to|auf|zu|en|à|par|a|por|para|in|con|naar|na|на|till|til"
_USES = (
    r"use|using|used|wants|takes|needs|try|take|type|enter|put|set|with|nimm|nehmt|nutze?|benutze?|verwende[nt]?|gib|tippe|mit|utilise[rz]?|"
    r"prends|prenez|mets|tape[rz]?|avec|entre[rz]?|usa[r]?|utiliza[r]?|pon|pone[r]?|con|escribe|introduce|use|coloca|"
    r"digit[ae]|com|metti|inserisci|gebruik|neem|typ|met|voer|użyj|wpisz|weź|используй(?:те)?|введи(?:те)?|возьми|"
    r"поставь|použij|zadej|använd|skriv|bruk|brug"
)
_AS = r"as|als|comme|como|come|jako|как|som"
_ACCOUNTS = (
    r"user(?:name)?|log-?in|account|benutzer\w{0,4}|nutzer\w{0,4}|konto|identifiant|utilisateur|compte|usuario|cuenta|usuário|conta|"
    r"utente|conto|gebruiker\w{0,4}|użytkownik|пользовател\w{1,2}|логин|uživatel|användare|bruker|kullanıcı"
)
_SIGNS_IN = (
    r"log(?:ged|ging)? ?in|sign(?:ed|ing)? ?in|creds?|credentials|login|anmelden|einloggen|anmeldest|einloggst|melde|"
    r"logge|"
    r"zugangsdaten|connecter|connecte|connectes|identifiants|entrar|entra|entras|acceder|accede|logar|accedere|accedi|"
    r"inloggen|log in|zaloguj\w{0,3}|zalogować|войти|зайти|зайди|logga in"
)
_QUOTE = r"[\"'`“”‘’«»„]?"
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_QUOTED = (
    rf"{_QUOTE}(?P<value>(?![-/~$<@#&%=+*|])"
    rf"[^\s\"'`“”‘’«»„<>(){{}}\[\]|,;，。；、！{_CJK}]{{4,60}})(?P<after>{_QUOTE})"
)
_GAP = r"(?: \(?(?![A-Z_]{2,}_)(?:[^\s.,;:：=<>{}()\[\]|/\\\"`]|[.:](?=\w)){1,20}\)?| '[^'\n]{1,60}'){0,8}?"
_TOPIC = (
    r"(?! (?:hash|polic|field|length|reset|manager|strength|rule|form\b|prompt|file|format|type|column|check|limit|"
    r"count|"
    r"handl|pars|stor(?!e)|rotati|expir|refresh|validat|generat|endpoint|usage|auth|page|dialog|screen|view|header|"
    r"parameter|variable|input|must|min\b|max\b|protect|requir|entry|attempt|error|hint|option|argument|flag|vault|database|source|"
    r"history|list|env|config|setting|module|class|method|function|test))"
)
"""What is spoken of is not the password itself."""
_NOUN = later(rf"(?<![\w./$@-])(?:{_NOUNS})(?![\w-]|’(?!s )){_TOPIC}|{_OTHER_NOUNS}", re.IGNORECASE)
_SEVERAL = later(
    r"\b(?:passwords|passwörter|mots de passe|contraseñas|senhas|wachtwoorden|пароли)\b", re.IGNORECASE
)
_VERB = later(
    rf"(?:{_GAP},? (?:(?P<verb>{_TELLS})(?: (?:{_NOW}))?|(?:{_NOW})):?|['’]s)\s{{1,3}}{_QUOTED}",
    re.IGNORECASE,
)
_COLON = later(rf"(?P<gap>{_GAP})(?: ?[:：]| [—–-]|(?<= \w)=)[ \t]{{1,3}}{_QUOTED}", re.IGNORECASE)
_DIRECT = later(rf",? (?P<open>[\"'])?{_QUOTED}")
_CHANGED = later(
    rf"{_GAP} (?<!according )(?<!prior )(?<!due )(?<!up )(?<!related )(?P<to>{_TO}):? {_QUOTED}",
    re.IGNORECASE,
)
_TYPED = later(
    rf"[^\n.!?]{{0,60}}?[ ,](?:type|enter|tippe|tape[rz]?|escribe|digita|wpisz|введи(?:те)?) {_QUOTED}",
    re.IGNORECASE,
)
_NATIVE = r"[^\n.,;:：=<>{}\[\]|/\\\"`A-Za-z，。；、]"
_OTHER = later(
    rf"(?:{_NATIVE}{{0,24}}?(?: ?[:：]| [—–-]|[是为為成はがを은는]| (?:это|теперь|стал|είναι|היא|הוא|هي|هو|है))|"
    rf"(?: (?:от|для|к) [\w-]{{1,20}}){{1,2}}|{_NATIVE}{{0,3}}?) ?(?<![A-Za-z0-9_.-])(?=[\"'`“‘«]?[A-Za-z0-9]){_QUOTED}"
)
_USED_AS = later(
    rf"(?<!\w)(?:{_USES}),? {_QUOTED},? (?:{_AS})(?P<one> (?:an?|eine?|une?|una|uma)\b)?"
    rf"(?: (?!to\b)[^\s.,;:=<>{{}}()\[\]|/\\\"`]{{1,16}}){{0,4}}? "
    rf"(?:{_NOUNS}|{_OTHER_NOUNS})(?![\w’-]){_TOPIC}",
    re.IGNORECASE,
)
_PAIR = later(rf"(?<![\w./@-])(?P<user>[\w.@+-]{{2,40}}) / {_QUOTED}")
_SIGNS = later(rf"(?<![\w-])(?:{_SIGNS_IN})(?!\w)", re.IGNORECASE)
_KNOWN_USER = later(
    r"admin\w{0,10}|root|sa|postgres|deploy|guest|gast|[\w.+-]{1,40}@[\w.-]{1,60}", re.IGNORECASE
)
_VERBS_OF: dict[str, str | tuple[str, ...]] = {
    "to": "hasł",
    "on": "salasana",
    "je": "hesl",
    "er": ("passord", "kodeord", "adgangskode"),
}
"""Verbs of one language that are other words in the rest."""
_NOUNS_OF: dict[Family | None, re.Pattern[str]] = {
    "de": later(r"wort\b|schlüssel", re.IGNORECASE),
    "romance": later(r"passe\b|mdp|contrase|senha|clave", re.IGNORECASE),
    "nl": later(r"woord", re.IGNORECASE),
    "slavic": later(r"hasł|hesl", re.IGNORECASE),
    "other": later(
        r"(?:lösen|pass|kode)ord|adgangskode|salasana|şifre|parola|jelsz|mật|sandi", re.IGNORECASE
    ),
    None: later(r"[^\x00-\x7f]"),
}
_VERBS_IN: dict[Family, tuple[str, ...]] = {
    "de": ("ist", "war", "wäre", "lautet", "heißt"),
    "romance": ("est", "était", "c'est", "c’est", "reste", "es", "era", "será", "é", "è"),
    "slavic": ("jest", "to", "brzmi", "było", "je"),
    "other": ("är", "var", "er", "on", "là", "adalah"),
}
_ROMANCE = later(
    r"\b(?:la|il|le|el|una?|de|du|des|del|della|degli|dell|di|da|do|das|dos|como|come|comme)\b",
    re.IGNORECASE,
)
_OWN = later(r"(?=.{0,60}[a-z]{3})(?=.{0,60}(?:\d|\w[!@#%^&?+=~*]\w)).{7,60}")
"""What is behind "pass", which a ticket and a run are called as well."""
_WHICH = later(r"[^\W_] \Z")
_POSSESSED = later(r"(?:şifre|parola|jelsz|парол)\w", re.IGNORECASE)
"""Nouns of languages that need no verb."""
_ENDS = later(
    r"[ \t]{0,3}(?:[,;)，。；、！!]|\.?(?:\r?\n|\Z)|[.!?] |[（(]|[—–-] )|"
    r" ?(?!に(?!変|設)|で(?!す)|から|を(?!使|設|変|入)|へ|中|里|内|上|에|로)[\u3040-\ud7af]|"
    r" (?:and|but|und|aber|et|mais|y|pero|e|mas|ma|en|maar|i|ale|och|men|ve|ama|и|но|а|btw|fyi|lol|thx|thanks|pls|"
    r"please|bitte|danke|merci|gracias|obrigado|grazie|for now)\b"
)
_GOES_ON = later(r" ?[,;)(，。；、]| (?![A-ZÄÖÜ])\w")
_ACCOUNT = later(rf"(?<!\w)(?:{_ACCOUNTS})(?!\w)", re.IGNORECASE)
_BREAK = later(r"[.!?;] |\n")

_DIGIT, _LETTER, _LATIN = later(r"\d"), later(r"[^\W\d_]"), later(r"[A-Za-z]")
_MIXTURE = later(MIXTURE)
_JOINED = later(r"[^\W_]{2,20}(?:[._-][^\W_]{1,20}){1,6}[!?]?")
_SETTING = later(r"pass.{0,6}|pwd|pw|[a-z]+", re.IGNORECASE)
_PARTS = later(r"[^\W_]+")
_PLAIN = later(r"[^\W\d_]{5,32}")
_VARIABLE = later(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_NO_VALUE = later(
    r"[0-9a-f]{7,80}|1password.*|[0-9a-f-]{36}|v?\d+(?:[.:/-]\d+)*\S{0,3}|.*[/\\].*|[\w.+-]{1,40}@[\w.-]+|.*(?:\.\.\.|…|\(|://).*|"
    r"[\w.-]*\.(?:com|org|net|io|de|fr|es|it|uk|local|internal|int|lan|dev|app|cloud|txt|md|json|ya?ml|toml|ini|cfg|"
    r"conf|env|py|js|ts|go|rs|rb|sh|java|kt|php|sql|csv|xml|html?|pdf|docx?|xlsx?|zip|gz|tar|7z|pem|key|crt|p12|kdbx|gpg|"
    r"log|lock|exe|png|jpe?g)|"
    r"(?:sha|md|aes|rsa|utf|base|ipv|oauth|argon|bcrypt|scrypt|pbkdf|ed|log|tls|http|python|java|windows|win|ubuntu|"
    r"debian|postgres|mysql|php|vue|angular|ecma|iso|rfc|cve|ticket|issue|user|test|field|step|page|line|node|web|db|"
    r"server|host|version|rev|build|part|chapter|section|phase|sprint|q|day|tag|room|raum|release)[-_]?\d[\d._-]{0,9}[a-z]{0,3}\d{0,3}|"
    r"\d{1,4}-?(?:digit|char|bit|byte|letter|word|minute|hour|day|stellig)\w{0,6}|\d+\w{0,3}",
    re.IGNORECASE,
)
_SEEDS = tuple(
    "pass pwd pw wort schlüssel mdp contrase senha woord hasł hesl lösenord kodeord adgangskode salasana şifre parola "
    "jelsz mật sandi clave парол κωδικ סיסמ كلمة पास รหัส 密 口令 パスワード 暗証 비밀 비번".split()
)
"""One of them stands in each noun."""


def told_in(text: str, piece: str, start: int, end: int) -> Iterator[Span]:
    """Where passwords stand that sentences tell, whose noun, or whose account, begins in this stretch of a text;
    `piece` is the stretch in lower case.
    """
    spoken = any(seed in piece for seed in _SEEDS)
    for noun in islice(_SEVERAL.finditer(text, start, end), MAX_NOUNS) if spoken else ():
        yield from _pair_behind(text, noun, _sentence(text, noun.start()), noun.end() + ON_CHARS) or ()
    for noun in islice(_NOUN.finditer(text, start, end), MAX_NOUNS) if spoken else ():
        yield from _told_behind(text, noun)
    if "key" in piece or "token" in piece or "secret" in piece:
        yield from changed_keys_in(text, start, end)
    for match in _USED_AS.finditer(text, start, end) if spoken else ():
        if _may_be(match, word=False) or (not match["one"] and _is_word(match)):
            yield _span(match)
    for match in _PAIR.finditer(text, start, end) if " / " in piece else ():
        known = _KNOWN_USER.fullmatch(match["user"])
        about = _sentence(text, match.start()), match.end() + PAIR_CHARS
        user = known or match["user"].isalpha()
        if (
            (_may_be(match, word=False) or (known and _ends(match) and _is_word(match)))
            and user
            and _SIGNS.search(text, *about)
        ):
            yield _span(match)


def _told_behind(text: str, noun: re.Match[str]) -> Iterator[Span]:
    """What stands behind a noun, if a sentence tells it."""
    begin, at = _sentence(text, noun.start()), noun.end()
    until = at + ON_CHARS
    pair = _pair_behind(text, noun, begin, until)
    if pair:
        yield from pair
        return
    if not _LATIN.search(noun[0]):
        direct, ways = None, [_OTHER.match(text, at, until)]
    else:
        which = bool(_WHICH.search(text, begin, noun.start())) or not _SETTING.fullmatch(noun[0])
        verb, colon, direct = (way.match(text, at, until) for way in (_VERB, _COLON, _DIRECT))
        if verb and not noun[0].lower().startswith(_VERBS_OF.get((verb["verb"] or "").lower(), "")):
            verb = None
        ways = [verb or (colon if colon and (which or colon["gap"]) else None)]
        if direct and (
            direct["open"]
            or (
                _POSSESSED.match(noun[0])
                and (_DIGIT.search(direct["value"]) or _JOINED.fullmatch(direct["value"]))
            )
            or _ACCOUNT.search(text, begin, direct.end() + PAIR_CHARS)
        ):
            ways.append(direct)
    for match in ways:
        quoted = match is not None and match is direct and bool(match["open"])
        if match and noun[0].lower() == "pass" and not _OWN.fullmatch(_bare(match)):
            continue
        if match and _may_be(match, _family(text, noun, match), word=quoted or _ends(match)):
            yield _span(match)
    changed = pair is None and CHANGE.search(text, begin, until) and _CHANGED.match(text, at, until)
    if (
        changed
        and _may_be(changed, _family(text, noun, changed), word=_was_set(text, begin, changed))
        and _is_to(text, noun, changed)
    ):
        yield _span(changed)
        for old in old_behind(text, changed.end(), changed.end() + PAIR_CHARS):
            if _is_value(text[slice(*old)], word=False):
                yield old
    typed = _TYPED.match(text, at, until)
    if typed and _DIGIT.search(typed["value"]) and _may_be(typed, word=False):
        yield _span(typed)


def _pair_behind(text: str, noun: re.Match[str], begin: int, until: int) -> list[Span] | None:
    """Where the old and the new password stand, if a sentence tells that one was changed to the other; None where it
    tells of no such pair.
    """
    at = noun.end()
    pair = pair_behind(text, at, until, begin)
    if pair is None:
        return None
    old, new, apart = pair
    both = [old, new]
    if is_range(text, old, new, at):
        return []
    values = [text[slice(*span)] for span in both]
    known = [_is_value(value, word=False) for value in values]
    if not any(known):
        told = not apart and WAS_SET.search(text, begin, new[1] + PAIR_CHARS)
        families: list[Family | None] = [one for one, nouns in _NOUNS_OF.items() if nouns.search(noun[0])]
        family = families[0] if families else "en"
        words = all(value.islower() and _is_value(value, family, word=True) for value in values)
        return both if told and words else None
    if any(_NO_VALUE.fullmatch(value) for value in values):
        return []
    return [span for span, value in zip(both, values, strict=True) if _is_value(value, word=True)]


def _was_set(text: str, begin: int, changed: re.Match[str]) -> bool:
    """Whether somebody tells that a password was changed, and to what: nothing else is said behind it."""
    return bool(
        changed["to"].lower() in _ONLY_TO
        and (changed["value"].islower() or (changed["to"].lower() == "auf" and _WHOSE.match(changed[0])))
        and WAS_SET.search(text, begin, changed.end() + PAIR_CHARS)
        and (_ends(changed) or _WHEN.match(text, changed.end()))
    )


def _is_to(text: str, noun: re.Match[str], changed: re.Match[str]) -> bool:
    """Whether a word says to what something was changed in the language of its sentence."""
    family = _family(text, noun, changed)
    return family != "en" or changed["to"].lower() in ("to", "auf", "zu")


def _is_word(match: re.Match[str]) -> bool:
    """Whether a plain word may be what somebody is told to use: no state, and none of forms and manuals."""
    value = _bare(match)
    return bool(_PLAIN.fullmatch(value) and _LATIN.search(value)) and not (
        is_ordinary(value) or is_named_state(value)
    )


def _family(text: str, noun: re.Match[str], match: re.Match[str]) -> Family | None:
    """The languages that a sentence is of, by its noun, by its verb, or by what joins its words."""
    for family, nouns in _NOUNS_OF.items():
        if nouns.search(noun[0]):
            return family
    verb = (match.groupdict().get("verb") or "").lower()
    for family, verbs in _VERBS_IN.items():
        if verb in verbs:
            return family
    around = (
        f"{text[max(0, noun.start() - 8) : noun.start()]} {match[0][: match.start('value') - match.start()]}"
    )
    return "romance" if _ROMANCE.search(around) else "en"


def _span(match: re.Match[str]) -> Span:
    first, last = match.span("value")
    return first, last - (len(match["value"]) - len(_bare(match)))


def _bare(match: re.Match[str]) -> str:
    """A value without what ends its sentence; a mark that the sentence goes on behind is its own."""
    value: str = match["value"]
    if match["after"]:
        return value
    value = value.rstrip(".:…*_")
    return value if _GOES_ON.match(match.string, match.end()) else value.rstrip(".:?…*_!")


def _sentence(text: str, at: int) -> int:
    """Where the sentence begins in which something stands."""
    begin = max(0, at - BACK_CHARS)
    for found in _BREAK.finditer(text, begin, at):
        begin = found.end()
    return begin


def _ends(match: re.Match[str]) -> bool:
    """Whether the sentence ends or pauses behind a value."""
    stopped = match["value"][-1] in ".!?" and match.string[match.end() : match.end() + 1].isspace()
    return stopped or bool(_ENDS.match(match.string, match.end()))


def _may_be(match: re.Match[str], family: Family | None = None, *, word: bool) -> bool:
    """Whether a value may be a password where a sentence tells one; `word` says whether a plain word may, too."""
    return _is_value(_bare(match), family, word=word)


def _is_value(value: str, family: Family | None = None, *, word: bool) -> bool:
    """Whether something may be a password where a sentence tells one."""
    if (
        len(value) < 4
        or not _LETTER.search(value)
        or _NO_VALUE.fullmatch(value)
        or _VARIABLE.fullmatch(value)
    ):
        return False
    if _JOINED.fullmatch(value):
        parts = _PARTS.findall(value)
        return not (is_joined_state(parts) or ("-" not in value and any(map(is_form_word, parts))))
    if is_ordinary(value):
        return False
    if not _PLAIN.fullmatch(value):
        return bool(_DIGIT.search(value) or _MIXTURE.search(value))
    return word and bool(_LATIN.search(value)) and not is_state(value, family)
