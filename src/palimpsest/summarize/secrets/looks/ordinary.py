"""Values that no secret is, whatever stands before them: types, states, references, and words that only say again what
is wanted.

Rules kept here:

- A value is ordinary where each of its words is one that forms, types and manuals use (`my-secret-token`, `apiKey`,
  `changeme`). One word more, or a number, and it is somebody's own: `changeme2031`.
- Where a value is to be had is none: a variable, an address, a path, a template, a name in code or in a store of
  secrets (`vault:kv/app#key`).
"""

from __future__ import annotations

from palimpsest.patterns import later

_WORDS = frozenset(
    # what forms and manuals call it, also in other languages
    "password passwords passwd passphrase passcode pass pwd pw passwort kennwort secret secrets token tokens key "
    "keys api apikey credential credentials cred creds auth bearer basic oauth jwt hmac pat private public access "
    "refresh session client app service bot webhook admin user username name login account database db root email "
    "host id code pin value geheimnis schlüssel contraseña clave senha hasło heslo lösenord wachtwoord jelszó "
    "parola şifre salasana adgangskode kodeord mot de passe "
    # stand-ins
    "my your the a an this that some any new old own our real actual fake dummy mock sample example test testing "
    "demo foo bar baz qux placeholder changeme change me replace replaceme with here todo tbd fixme insert enter "
    "put set type use paste goes redacted hidden masked removed sanitized censored omitted xxx unknown something "
    "anything whatever "
    "unique phrase "
    # types and what code calls it
    "string strings str text bytes byte int integer number bool boolean object array list dict map char varchar "
    "uuid buffer binary secretstr optional option nullable self cls ctx request response req res params param "
    "args arg kwargs config settings env environment props state form data input output field result payload body "
    "header headers variable constant function lambda var let const default process os vault keyring keychain "
    "manager provider policy prompt flag argument parameter switch format column index hash digest plain "
    "plaintext cleartext random primary secondary "
    # states
    "true false yes no none null nil undefined nan void empty blank missing required require mandatory not "
    "nologin available na invalid valid wrong correct incorrect incomplete complete weak strong medium strength length "
    "secure safe sensitive expired expires revoked unset ok okay error failed failure success denied never always "
    "later below above again please see ask same different fine there outdated longer shorter enough exactly "
    "lowercase uppercase match comply expire "
    "nowhere stale broken stolen forgotten forgot lost inherit auto automatic manual internal external local "
    "remote reset generated overview recovery instructions instruction check checks fields inputs forms works "
    "without which through instead stdin file path url bcrypt argon scrypt md sha encrypted hashed erforderlich "
    "notwendig falsch richtig ungültig gültig unbekannt vergessen verloren kein keine keines siehe pflicht "
    "remember repeat retype confirm submit cancel continue show hide next back save merken wiederholen bestätigen "
    "weiter anmelden abbrechen speichern vergessen "
    "pflichtfeld incorrecta obligatoria obligatorio obligatoire invalide incorrecte inválida requerida requerido "
    "vide vacía".split()
)
_WORD = later(r"[A-ZÄÖÜ]?[^\W\dA-ZÄÖÜ_]+|[A-ZÄÖÜ]+(?![a-z])")
_DIGIT, _LATIN = later(r"\d"), later(r"[A-Za-z]")
_STATE = later(r"[a-z]{1,24}(?:ed|ing|able|ible)|ge[a-zäöü]{3,12}")
"""What something is or was made, in English and German."""
_NUMBERED = later(
    r"(?i:attempt|try|field|input|step|version|policy|rule|case|column|page|form|option|line|row|item|arg|param|test|"
    r"(?:sha|md|hs|rs|es|ps|aes|argon|utf|base|pbkdf|ed|p|bcrypt|varchar|char|int|float|nvarchar|scrypt|oauth|http|win|"
    r"x|v)-?_?)s?[-_]?\d{1,5}|"
    r"(?i:stage|alpha|beta|rollout|variant|control|treatment|cohort|enabled|disabled)s?[-_]?\d"
)
"""A thing and which of them; a stage or a variant is one of few."""
_REFERENCE = later(
    r"[$%<{&@#*.…~/\[!?=(:,;-]+.{0,3}\Z|[<{\[(*].*|\$[A-Za-z_][A-Za-z_.]*\d?|[$%][({].*|%[A-Za-z_]\w*%?|@\w+[./:].*|"
    r"~?/\S*|\.{1,2}/\S*|"
    r"[^\s\"']{0,80}(?:\$\{|\{\{|%\(|<%|#\{|\$\(|\(\)).*|x{3,}\S{0,2}|(?P<one>.)(?P=one){3,}|"
    r"[^\w\s%]{0,3}(?:%[sdrvq][^\w\s%]{0,3}){1,6}|_?[a-z][a-z0-9_]{1,40}\.(?:[A-Z][a-z]{1,20}){2,5}|"
    r"[A-Za-z][\w+.-]{1,20}://\S*|[a-z][a-z_-]{1,30}(?:/[a-z][a-z_-]{0,40}){2,8}|"
    r"(?i:change|replace)[-_]?(?i:me)[-_]\S*|"
    r"(?:arn|urn|env|ref|file|secretref|!\w+):\S*|"
    r"[a-z]{2,12}(?:\+[a-z]{2,12})?:/{0,2}(?:[\w.-]+/)+[\w.-]*(?:#[\w.-]+)?|"
    r"_?[A-Za-z][A-Za-z_]*(?:\.[A-Za-z_]{2,40})+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|_?[a-z]+(?:_[a-z]+)+_?|"
    r"[a-z]+(?:[A-Z][a-z]+){1,2}|(?:[A-Z][a-z]+){2,4}|ENC\[.*|"
    r"[\w./-]+\.(?:py|js|ts|go|rs|java|json|ya?ml|toml|md|txt|env|pem|key|sh)|"
    r"[A-Za-z][\w-]{1,40}_[A-Za-z][\w-]{1,40}__[A-Za-z0-9_-]{5}|"
    r"[a-z][\w-]{0,20}(?:/[\w.-]{1,40}){1,6}[:#][a-z_]{2,30}|"
    r"(?i:ctrl|cmd|command|alt|option|shift|meta|super|control)(?:\+\w{1,10}){1,4}|"
    r"(?i:your)[-_ ]?\S*|v?\d+(?:[.:/-]\d+)+\S{0,3}|\d{1,4}-?(?:digit|char|bit|byte|letter|word|minute|hour|day)s?"
)


def is_ordinary(value: str) -> bool:
    """Whether a value, behind a name of a secret or not, is none."""
    if _REFERENCE.fullmatch(value) or _NUMBERED.fullmatch(value):
        return True
    if _DIGIT.search(value):
        return False
    words = _WORD.findall(value)
    if all(
        word in _WORDS or word.removesuffix("s") in _WORDS for word in {word.lower() for word in {*words}}
    ):
        return True
    return len(words) == 1 and bool(_STATE.fullmatch(words[0].lower()))


def is_form_word(word: str) -> bool:
    """Whether forms, types and manuals use a word."""
    return word.lower() in _WORDS


def is_translated(name: str, value: str) -> bool:
    """Whether a value only says a name in another script: what people choose has Latin letters or digits in it."""
    return name.isascii() and value.isalpha() and not _LATIN.search(value)
