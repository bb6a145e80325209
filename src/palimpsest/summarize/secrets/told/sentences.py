"""Secrets near a noun that says what they are: a value such as no word is, and words that were drawn by lot. What a
sentence tells outright, `passwords` knows.

Rules kept here:

- Between the noun and the value stand words alone, in whatever language: no sign that ends a sentence or is code's.
- What a sentence of passwords and tokens names besides (users, requests, commits, files, versions) is none: a digest,
  an id, a name of a file, and what stands directly behind "user", "by" or "from".
- A value of words and a number is one where nothing else (a user, a version, a ticket) is named since the noun, and
  what stands directly before it does not make it a thing or a day ("of Router12", "on Monday12"); with
  one digit only where a verb, a colon or a bracket stands directly before it, or where one is told to use it.
- Words drawn by lot (`correct-horse-battery-staple`) are a password wherever a sentence has said "password"; three
  words only where a verb or nothing stands before them.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.ordinary import is_ordinary

Span = tuple[int, int]

CHOSEN = (
    r"(?:password|passwd|passphrase|passcode|[\w-]{0,16}passwort|[\w-]{0,16}kennwort|wlan-schlüssel|code secret|pw|pwd|"
    r"(?:mot de |palavra-)passe|contraseña|clave|senha|[\w-]{0,16}wachtwoord|mdp|"
    r"(?:(?<=my )|(?<=the )|(?<=our )|(?<=new )|(?<=old )|(?<=wifi )|(?<=oot )|(?<=min ))pass|"
    r"парол\w{1,2}|hasł\w{1,2}|hesl\w{1,2}|lösenord(?:et)?|salasana|adgangskode|şifre\w{0,3}|parola|पासवर्ड|mật khẩu|"
    r"(?:chiave|clé|clave)(?: del?| du)? wi-?fi|kata sandi|كلمة المرور|סיסמה|密码|密碼|口令|パスワード|비밀번호)"
)
_GIVEN = (
    r"(?:(?:api|access|secret|auth|bot|deploy|session|bearer)[ -]?(?:token|key)|token|secret|credentials?|"
    r"(?:cl[ée]|chiave|clave|chave|klucz|schlüssel)(?: d['’]| de l['’]| dell['’]| de la| da| der)? ?api|api-schlüssel|"
    r"api ?(?:キー|密钥|密鑰|令牌|키)|アクセスキー|トークン|シークレット|访问令牌|令牌|토큰|"
    r"api-ключ|ключ api|токен)[はが是为為은는이가]?"
)
OF_ITSELF = (
    r"(?:(?<=[\u3040-\ud7af])|(?![\w-]))(?!'s\b|\s(?:hash\w*|polic\w+|field|length|reset|manager|strength|rules?|form\b|prompt|file|format|type|"
    r"column|check\w*|limit|count|budget|handl\w+|pars\w+|stor\w+|rotati\w+|expir\w+|refresh\w*|validat\w+|generat\w+|"
    r"endpoint|bucket|usage|auth\w*|page|dialog|screen|view|header|parameter|variable|input|must|min\b|max\b|protect\w*|"
    r"require\w*|change[sd]? by))"
)
_BETWEEN = r"[^\n.,;:=<>{}\[\]|/\\\"_]"
_SPOKEN = r"[^\n.,;:=<>{}()\[\]|/\\\"_]"
_UNNAMED = (
    r"(?:(?! (?:user|log-?in|account|e?-?mail|name|nom|port|version|branch|commit|ticket|order|nutzer|benutzer|konto|"
    r"compte|utilisateur|usu[aá]rio|cuenta|utente|conta|gebruiker|użytkownik|пользовател))[^\n.;:=<>{}()\[\]|/\\\"_])"
)
"""What stands between, as long as nothing else is named."""
_ELSE = (
    r"(?<!user )(?<!id )(?<! by )(?<!from )(?<!commit )(?<!request )(?<!session )(?<!file )(?<! at )"
    r"(?:(?<! in )|(?<=erd in )|(?<=igd in )|(?<=biato in )|(?<=biata in ))"
    r"(?<!run )(?<!job )(?<!build )(?<!issue )(?<!ticket )(?<!version )(?<! via )(?<!client )(?<!account )"
    r"(?<!see )(?<!hash )(?<!branch )(?<!host )(?<!server )(?<!module )(?<!function )(?<!class )(?<!table )"
)
_BEFORE = (
    later(
        r"\b(?:creds?|credentials|logins?|identifiants|zugangsdaten|auth|sign(?:ed)? in|log(?:ged)? ?in)\b"
        r"[^\n.;]{0,30}?[ :](?:[\w.@+-]{1,40}) ?[:/] ?\Z"
    ),
    later(r"(?<![\w-])(?:(?:my|the|his|her|our) )?pass (?:is|was) [\"'`]?\Z"),
    later(r"\bssid\b[^\n]{1,40}\b(?:key|pass)[ :]{1,2}\Z"),
)
_NEAR = later(
    rf"(?<![a-zà-ÿ0-9_.]){CHOSEN}{OF_ITSELF}{_UNNAMED}{{0,60}}[:=]?(?:[ '(\"`]{{1,3}}|(?<=[^\x00-\x7f])){_ELSE}\Z"
)
_WHERE = later(
    r" (?:of|on|for|since|after|before|de|del|du|von|für|seit|pour|para|per|per il|do|dla|для|от)"
    r"(?: (?:the|a|my|our|your|la|le|el|der|dem|den|das))? [\"'`]?\Z"
)
"""What makes a word and a number a thing, a place or a day: "the password of Router12"."""
_SAID = later(
    rf"(?<![a-zà-ÿ0-9_.]){CHOSEN}{OF_ITSELF}{_SPOKEN}{{0,40}}"
    r"(?: (?:is|are|was|be|equals|ist|lautet|est|c'est|es|è|é|är|er|je|to|jest|"
    r"है|है:|là|هي|היא)(?: now| jetzt)?:?|:|,| [—–]|\()[ \"'`]{0,3}\Z|"
    rf"(?:\b(?:my|the|our|his|her|wifi|root|admin)(?: [\w-]{{1,12}})? {CHOSEN}'s|парол\w{{1,2}}|"
    r"hasł\w{1,2}|hesl\w{1,2}|şifre\w{1,3}|parola\w{1,2}) [\"'`]?\Z"
)
"""The last need no verb: some languages have none there."""
_USED = later(
    r"(?:\b(?:use|using|try|take|with|set|put|add|paste|enter|type|send|nimm|nutze|verwende|usa|utilise|prends) |用 ?)"
    r"[\"'`]?\Z"
)
_ROLES = rf"(?:{CHOSEN}|{_GIVEN}|credentials?|keys?|pat|api|schlüssel)"
_AS = later(
    rf"[!?&+#$%*]?[\"'`]?,? (?:as|als|como|comme|come|jako|как)(?: [\w./-]{{1,30}}){{0,8}}? {_ROLES}s?{OF_ITSELF}",
    re.IGNORECASE,
)
_WHEN = later(
    rf"[!?&+#$%*]?[\"'`]?,? (?:for|für|para|pour|when|if|wenn|falls|si|cuando|quand)(?: [\w./-]{{1,30}}){{0,8}}? "
    rf"{_ROLES}{OF_ITSELF}",
    re.IGNORECASE,
)
"""What a value that one is told to use is for."""
_CALLED = (
    r"[!?&+#$%*]?[\"'`]?\)?(?:,| -| –| —)? ?\(?"
    r"(?:(?:is|was|are|ist|war|that(?:'?s| is)?|which is|c'est|это|the|my|our|das|mein|est|es|è) ?)"
    r"{1,3}(?:(?!not )[\w-]{1,16} ){0,3}(?<!not )"
)
_AFTER = later(rf"{_CALLED}(?:{CHOSEN}|credentials){OF_ITSELF}", re.IGNORECASE)
_AFTER_DRAWN = later(rf"{_CALLED}{_ROLES}{OF_ITSELF}", re.IGNORECASE)
"""What is said of a value: a cipher or a part may be "the key", too, but not what nobody would call a thing."""
_PLAIN = later(
    r"(?:[A-Z][^\W\d_]{3,12}_|[A-Za-z]{4,24}[#$%*&+@!]?)[0-9]{1,6}[a-z]?[!?#$%*&+]?|(?:[A-Za-z][a-z]{2,12}[-.]){1,4}[0-9]{2,4}[a-z]?[!?#$%*&+]?|\d{0,2}[A-Za-z]{1,12}[0-9@$!][A-Za-z0-9@$!]{2,12}\d?|"
    r"[A-Za-z][a-z]{2,12}[._-][A-Za-z][a-z]{2,12}\d{1,4}[!?]?"
)
"""A word and a number, two of them, or a word with signs in it."""
_OWN = later(r".*(?:\d\d|[@$!#%*])")
_NONE = later(
    r"(?-i:(?![A-Z][a-z]{3,9}_\d))[a-z]{2,8}_.*|[0-9a-f]{7,80}|[0-9a-f-]{36}|v?\d+(?:[.-]\d+)+\S*|[\w./-]*\.(?:[a-z]{1,4}|[a-z]{1,2}\d|woff2)|.*/.*|\w{2,60}@[a-z][\w.-]*|"
    r"(?:sha|md|aes|rsa|utf|base|ipv|oauth|argon|bcrypt|scrypt|pbkdf|ed|p|x|log|tls|http|python|java|windows|win|ubuntu|"
    r"debian|postgres|mysql|php|vue|angular|es|ecma|iso|rfc|cve|ticket|issue|user|test|field|step|page|line|node|web|db|"
    r"server|host|version|rev|build|part|chapter|section|phase|sprint|q)-?\d[\d._-]{0,9}[a-z]{0,3}\d{0,3}",
    re.IGNORECASE,
)
_OPENED = r"[\"'`]?"
_FOUR, _THREE = r"([A-Za-z]{3,12}(?:-[A-Za-z]{3,12}){3,9})", r"([A-Za-z]{4,12}(?:-[A-Za-z]{4,12}){2})"
_ENDED = r"(?![A-Za-z0-9_-])"
BY_LOT = rf"(?:{_FOUR}|{_THREE}){_ENDED}"
_DRAWN = later(
    rf"{OF_ITSELF}(?:(?:{_BETWEEN}|,){{0,60}}?[ ,:(\"'`–—]{{1,4}}{_FOUR}|(?:(?:{_BETWEEN}|,){{0,60}}?"
    r"(?: (?:is|are|was|were|be|to|now|it's|ist|war|heißt|lautet|auf|est|c'est|es|a|è|in|é|para|jest)|[:,—–]))?"
    rf"[ \"'`]{{1,3}}{_THREE}){_ENDED}"
)
"""Three words may also be a command's name: they are one where a verb or nothing stands before them."""
_FOREIGN_DRAWN = later(
    rf"[^\n.;=<>{{}}\[\]|/\\\"_A-Za-z]{{0,40}}?{_OPENED}(?<![A-Za-z0-9-]){BY_LOT}|[是为為はが]{_OPENED}{BY_LOT}"
)
_LATIN = later(r"[A-Za-z]")
_CHOSEN_WORDS = later(r"[^\W\d_]{1,14}(?: [^\W\d_]{1,14}){3,9}")
_FEW_WORDS = later(r"[^\W\d_]{2,14}(?: [^\W\d_]{2,14}){1,2}")
_SMALL_WORDS = later(
    r"(?!.*\b(?:an?|the|to|of|for|in|on|at|by|or|if|as|and|with|from|into|when|no|name|text)\b)"
    r"[a-zäöüß]{3,14}(?: [a-zäöüß]{3,14}){1,3}"
)
_IN_SENTENCES = later(
    r"\A(?=[A-ZÄÖÜ]).*\b(?:the|and|for|with|you|my|this|from|one|der|die|das|und|le|la|les|el|los|y|e)\b|"
    r"\b(?:must|not|your|that|which|cannot|can|should|will|has|is|does|have|was|were|are|please|enter|"
    r"type|use|see|ask|keep|choose|least|characters|when|empty|never|always|set|"
    r"current|confirm\w*|change|forgot\w*|reset|wrong|invalid|strong|weak|user\w*|account|login|sign|\w{0,12}pass\w{0,12}|"
    r"secret|token|key|code|contrase\w+|clave\w*|senhas?|wachtw\w*|kennw\w+|парол\w*|hasł\w*|hesl\w*|parola|lösen\w*|"
    r"salasan\w*|(?:das|dies) (?:ist|sind|war)|sie|ihr\w*|bitte|eing\w*|mot|votre|introdu\w*|"
    r"too|very|case|minimum|older|expired|shared|plain|trop|demasiado|field|required|hash\w*|encrypted|stored|value|string|here)\b",
    re.IGNORECASE,
)


def in_prose(before: str, value: str, after: str, *, drawn: bool) -> bool:
    """Whether a sentence makes a value a secret; `before` is in lower case, `drawn` says that hardly any sentence has
    such a word.
    """
    if _NONE.fullmatch(value) or is_ordinary(value):
        return False
    if not drawn and not _PLAIN.fullmatch(value):
        return False
    if _SAID.search(before) or (_AFTER_DRAWN if drawn else _AFTER).match(after):
        return True
    used, own = bool(_USED.search(before)), drawn or bool(_OWN.match(value))
    near = own and _NEAR.search(before) and (drawn or not _WHERE.search(before))
    if near or (drawn and any(one.search(before) for one in _BEFORE)):
        return True
    return bool(((used or own) and _AS.match(after)) or (used and own and _WHEN.match(after)))


def drawn_said(text: str, at: int, end: int) -> Span | None:
    """Where a password of words drawn by lot stands that is told behind its name here; None where none is."""
    match = (_DRAWN if _LATIN.search(text, at, end) else _FOREIGN_DRAWN).match(text, end)
    group = match.lastindex or 1 if match else 1
    if match and not is_ordinary(match[group]) and not _says_manner(match[group]):
        return match.span(group)
    return None


def _says_manner(value: str) -> bool:
    """Whether each of a few words is one of forms and manuals by itself (`user-defined-value`): nobody drew them."""
    words = value.split("-")
    return len(words) > 1 and all(map(is_ordinary, words))


def is_sentence(words: str) -> bool:
    """Whether words make a sentence, or speak of passwords: nobody's choice."""
    return bool(_IN_SENTENCES.search(words))


def is_phrase(value: str, *, said: bool) -> bool:
    """Whether words are somebody's choice: four or more, or two of what is said to be one, none of those that make a
    sentence or speak of passwords.
    """
    enough = _CHOSEN_WORDS.fullmatch(value) or (said and _FEW_WORDS.fullmatch(value))
    return bool(enough) and not is_sentence(value)


def is_small_phrase(value: str) -> bool:
    """Whether words in small letters, two to four, are somebody's choice."""
    return bool(_SMALL_WORDS.fullmatch(value)) and not is_sentence(value)
