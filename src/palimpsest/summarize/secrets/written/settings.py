"""Values under a key that says that they are secret: in files of settings, code, commands, addresses, tables and logs.

Rules kept here:

- The frame is what counts: a key that ends with such a name, a sign that assigns, and a literal. Then the value may
  be weak, or a word that everybody knows: whoever wrote `"api_key": "swordfish"` meant a key.
- A value in quotes is a literal. Without quotes a word may be a variable's name; it is a literal where a line, a part
  of an address, an option or an element holds nothing else, and no code goes on behind it.
- A key may go on behind that name with whose it is or which of them (`DB_PASSWORD_RO`, `jwtSecretOld`); then its value
  must look like one. An ending that points to a secret or measures it (`_POINTS`) leaves none.
- What `ordinary` knows stays: types, states, placeholders (`changeme`), references. So does what a key only points to,
  since its name ends otherwise (`secret_name`, `api_key_id`, `token_type`), and what opens nothing (`next_token`).
- A secret of a cluster is called as things are (`secret: db-creds`): words with hyphens behind "secret" alone stay.
- What only says its key again (`auth_token = "csrftoken"`), a version behind what a machine gives out, and a word
  behind a label that nobody chooses words for (`account key: customer`) stay.
- "token" alone is also a part of a text, a color or a design: behind it words stay, and so do words with a number
  that a sign parts.
"""

from __future__ import annotations

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.known import is_telling
from palimpsest.summarize.secrets.looks.ordinary import is_ordinary, is_translated
from palimpsest.summarize.secrets.told.keys import is_its_id
from palimpsest.summarize.secrets.told.sentences import is_sentence
from palimpsest.summarize.secrets.written.frames import FRAMES, GOES_ON, Frame

Span = tuple[int, int]

HEAD_CHARS, NEAR_CHARS, SECTION_CHARS = 240, 48, 400
LEAST_CHARS, LEAST_MIXED_CHARS = 4, 6

FURTHER_KEYS = (
    *("_hmac", "psk", "wpa_passphrase", "pre-shared-key", "presharedkey"),
    *("pass", "auth key", "accountkey", "account.key", "account-key", "account key"),
    *(f"{kind}{sign}key" for kind in ("api", "access", "secret", "private", "auth") for sign in ".-"),
    *(
        f"{kind}{sign}key"
        for kind in (
            "signing encryption master cipher jwt hmac license licence storage recovery activation credentials vault "
            "session cookie kms root"
        ).split()
        for sign in ("", *"._- ")
    ),
    *(f"{kind} token" for kind in ("access", "auth", "bot", "api", "bearer")),
)
"""Names of secrets where they are keys; elsewhere they say too little."""
_POINTS = (
    "ids?|idx|index|name|file|filename|path|dir|folder|ur[il]|links?|endpoint|host|port|ttl|len|length|size|bytes|"
    "counts?|limit|max|min|num|number|budget|usage|used|rate|cost|price|total|left|policy|policies|rules?|age|at|on|by|"
    "date|day|days|time|timestamp|timeout|duration|lifetime|expir(?:y|es|ed|ation)|hint|help|fields?|labels?|headers?|"
    "type|kind|class|format|params?|parameters?|args?|arguments?|option|prefix|suffix|pattern|regex|ref|refs|reference|"
    "arn|vers?|version|hash|hashes|digest|checksum|checks?|fingerprint|algo?|algorithm|method|mode|encoding|placeholder|"
    "desc|description|title|message|msg|errors?|status|state|strength|score|level|rotation|reset|changed|created|updated|"
    "enabled|required|disabled|source|provider|manager|store|scope|scopes|audience|issuer|role|owner|users?|username|"
    "account|bucket|env|var|variable|prompt|question|selector|column|table|element|input|form|button|icon|color|colour|"
    "style|theme|page|route|handler|service|server|client|model|map|list|set|array|object|schema|location|region|"
    "resource|identity|entry|key|keys|namespace|project|tests?|hashed|cache|file_?name"
)
"""How a key ends that says where a secret is, how it is called, or how much of it there is."""
_ENDING = later(
    r"(?:(?i:[_-]?(?:base|prod|dev|test|staging|live|value|plain|text|\d{1,3}))(?![A-Za-z0-9_-])|"
    r"(?P<further>(?:(?:[_-]|(?<![A-Z_-])(?=[A-Z])|(?=\d)|(?<=\d))"
    rf"(?!(?i:{_POINTS})(?![a-z0-9]))"
    r"(?:[A-Z]?[a-z]{1,16}|[A-Z]{1,16}(?![a-z])|\d{1,4})){1,4}))?(?![A-Za-z0-9_-])"
)
"""What a key may end with behind its name of a secret: whose it is, which of them, where it is used."""
OPENS_NOTHING = later(
    r"(?:(?i:next|prev|previous|page|continuation|pagination|sync|starting|forward|backward|cursor|resume|client[_-]?request|"
    r"idempotency|creation|lifecycle[_-]?action|cancell?(?:ation)?|special|image|public|(?:public|primary|foreign)[_-]?key|"
    r"(?<![a-z])(?:max|min|num|n|per|stop|start|end|pad|eos|bos|unk|sep|cls|mask))"
    r"|:\d{12}:|AWS::\w{1,40}::\w{0,20})[_ -]?\Z"
)
_CODE = later(r"(?<!\w)(?:self|this|user|form|cls|req|props|state)\.[\w.]{0,40}\Z")
_SECTION = later(
    r"(?:\A|\n)\[[^\]\n]{1,80}\]\s{0,4}\n(?:[^\n=:(){}]{0,60}=[^\n(){}]{0,200}\n|[#;][^\n]{0,200}\n|\s{0,8}\n){0,12}\Z"
)
_ACCOUNT = later(
    r"(?i:(?<![a-z])(?:default|db|database|smtp|imap|e?mail|s?ftp|ssh|ldap|mysql|pg|postgres|redis|mongo|rabbit|mq|user|root|"
    r"admin|login|http|proxy|wifi|vpn|sudo|ansible|become|key|store|keystore|truststore|service|client|server|remote|"
    r"bind|app))[_. -]?\Z"
)
_PAIRED = later(
    r"(?i:user(?:name)?|login|e?mail|account|host|type|server|port)"
    r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}\S{1,40}?(?:,[ \t]{0,4}|[ \t]{0,4}\n[ \t]{0,16})[\"']?\Z"
)
"""What "pass" is short for "password" behind, in its name or in the line before."""
_OWN = later(
    r"(?i:client|app|api|jwt|webhook|session|signing|shared|cookie|oauth|consumer|hmac|csrf|bot|my|the|a)[_. -]?\Z"
)
"""What stands before "secret" where somebody's own is meant, not a name in a cluster."""
_MADE = later(r"[a-z]{2,12}\d{0,3}-(?:encoded|encrypted|hashed|protected|based|signed)")
"""How a value is written."""
_LETTER, _DIGIT, _SIGN = later(r"[^\W\d_]"), later(r"\d"), later(r"[!@#$%^&*?+/=~_.:-]")
_PLAIN = later(r"[^\W\d_]+(?:[-.][^\W\d_]+)*")
_PHRASE = later(r"[A-Za-z]{3,12}(?:[-.][A-Za-z]{3,12}){3,9}|[A-Za-z]{4,12}(?:-[A-Za-z]{4,12}){2}")
_NAME = later(r"[A-Za-z]{1,40}(?:_[A-Za-z]{1,40}){0,4}_?\d{0,3}")
_THING = later(r"(?i)secret|creds?|credentials|token|keys?|tls|cert|config|prod|staging|registry")
_PARTED = later(r"[A-Za-z]+(?:[-_.:/][A-Za-z]+)*[-_.:/]?\d{0,3}[a-z]{0,2}(?:[-_.]\d{1,3})*")
_VERSIONED = later(r"[A-Za-z]{2,20}(?:-[A-Za-z]{2,20}){0,3}-v?\d{1,2}(?:\.\d{1,3}){1,2}(?:-[a-z]{2,12}){0,3}")
"""A name and its version, as licences and releases have them."""
_KEY, _SIGNS = later(r"[\w.-]{0,60}\Z"), later(r"[^a-z]")
_NUMBERED, _COLOR = later(r"[a-z]{2,20}(?:-[a-z0-9]{1,12}){1,6}"), later(r"#[0-9A-Fa-f]{3,8}")
_STOPS = ".:…"
_IN_ADDRESS = later(r"[?&][\w-]{0,40}\Z")


def value_under(text: str, at: int, end: int, *, spoken: bool, strong: bool) -> Span | None:
    """Where the value of a key stands whose name of a secret stands here; None where it has none that is one.

    `spoken` says that people choose what is called so, `strong` that hardly anything else is.
    """
    name = text[at:end].lower()
    if not strong and name not in ("token", "credential"):
        return None
    head = text[max(0, at - HEAD_CHARS) : at]
    ending = _ENDING.match(text, end)
    if ending is None or (not GOES_ON.match(text, ending.end()) and "--" not in head):
        return None
    end, strong = ending.end(), strong and not ending["further"]
    for frame in FRAMES:
        match = frame.tail.match(text, end)
        if match is None or not frame.head.search(head):
            continue
        if not frame.names and _NAME.fullmatch(match["value"]):
            return None
        near = head[-NEAR_CHARS:]
        if (
            match["value"].endswith(("...", "…"))
            or _names_another(name, near)
            or is_its_id(match["value"], near)
        ):
            return None
        quoted = match.re.groupindex.get("quote") and match["quote"]
        value = match["value"] if quoted else match["value"].rstrip(_STOPS)
        told = not spoken and (frame.chosen or " " in name)
        plain = bool(_PLAIN.fullmatch(value)) and (
            bool(quoted) or (not told and _holds_words(frame, text, at, head))
        )
        if _is_given(value, head, name, plain=plain, spoken=spoken, strong=strong):
            return match.start("value"), match.start("value") + len(value)
    return None


def _names_another(name: str, near: str) -> bool:
    """Whether what stands before a name makes it one of something else."""
    return bool(OPENS_NOTHING.search(near)) or (
        name == "pass" and not _ACCOUNT.search(near) and not _PAIRED.search(near)
    )


def _holds_words(frame: Frame, text: str, at: int, head: str) -> bool:
    """Whether a plain word is a value here: where the frame says so, and below the head of a section of settings."""
    if _CODE.search(head[-NEAR_CHARS:]):
        return False
    line = text.rfind("\n", 0, at) + 1
    return frame.plain or bool(_SECTION.search(text[max(0, line - SECTION_CHARS) : line]))


def _is_given(value: str, head: str, name: str, *, plain: bool, spoken: bool, strong: bool) -> bool:
    if len(value) < LEAST_CHARS or is_ordinary(value) or is_translated(name, value):
        return False
    if " " in value:
        return spoken and not is_sentence(value)
    if _MADE.fullmatch(value):
        return False
    if not spoken and (_VERSIONED.fullmatch(value) or _says_key(value, head, name)):
        return False
    if value.isdecimal():
        return (spoken and name != "pass") or (strong and len(value) >= LEAST_MIXED_CHARS)
    if not _LETTER.search(value):
        return False
    if _PHRASE.fullmatch(value):
        return name != "secret" or bool(_OWN.search(head)) or not _THING.search(value)
    if _PLAIN.fullmatch(value):
        if _IN_ADDRESS.search(head) and is_telling(value):
            return True
        own = "-" in value and bool(_OWN.search(head))
        if not (plain and strong and (spoken or value.islower() or own)):
            return False
        return name != "secret" or bool(_OWN.search(head)) or "-" not in value
    if name == "secret" and _NUMBERED.fullmatch(value) and _THING.search(value) and not _OWN.search(head):
        return False
    if not strong:
        return (
            len(value) >= LEAST_MIXED_CHARS
            and bool(_DIGIT.search(value))
            and not _COLOR.fullmatch(value)
            and not (_PARTED.fullmatch(value) and not value.isalnum())
        )
    return bool(_DIGIT.search(value) or _SIGN.search(value))


def _says_key(value: str, head: str, name: str) -> bool:
    """Whether a value of letters only says its key again, or what kind of token it is."""
    said = value.strip("._-").lower()
    if not said.isalpha() or (name.endswith("token") and said.endswith("token")):
        return said.isalpha()
    key = (_KEY.search(head) or [""])[0].lower() + name
    return said == _SIGNS.sub("", key)
