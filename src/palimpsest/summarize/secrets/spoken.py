"""Values of letters and digits: behind what they are for, in cells, after options of commands, before their name.

Rules kept here:

- Nothing here is judged by its value afterwards, so every pattern asks for a value that no sentence holds: letters with
  digits, or mixed as no word is, or digits alone behind a name that nothing but a code has.
- Words for how something is written, hashed or counted (`base64-encoded`, `16-digit`) are no values.
"""

from __future__ import annotations

_NAME = (
    r"(?i:(?<![A-Za-z0-9_-])(?:password|passwd|passphrase|passcode|passwort|kennwort|api[ _-]?key|secret))"
)
_MANNER = (
    r"(?!(?i:(?:var)?char\d|n?varchar|text\d|utf-?\d|sha-?\d|md5|base\d|oauth\d|argon2|pbkdf2|aes-?\d|rsa-?\d|sha\d|"
    r"v\d{1,3}(?![A-Za-z0-9])|\d{1,4}-?(?:st|nd|rd|th|(?:char|digit|bit|byte|letter|day|hour|word|zeichen|stellig)[a-z]{0,6})(?![A-Za-z0-9])|"
    r"https?:|[a-z]{1,20}://))"
)
MIXTURE = r"(?:[A-Za-z][!@#%^&?+=~*][A-Za-z]|[a-z][A-Z]{1,8}[a-z]{1,12}[A-Z])"
"""What no word has: a sign between letters, or capitals again and again."""
VALUE = (
    _MANNER + r"(?=[^\s|<>]{0,60}(?:\d|" + MIXTURE + r"))(?=[^\s|<>]{0,60}[A-Za-z])(?![^\s|<>]{0,60}[(\[{])"
    r"([^\s|<>\"'`$*,;/\[\]{}()][^\s|<>\"'`,;()\[\]{}]{4,198}[^\s|<>\"'`,;()\[\]{}.:!?*_])"
)
CELL = (
    _MANNER + r"(?=[^\s|<>]{0,60}(?:\d|" + MIXTURE + r"))(?=[^\s|<>]{0,60}[A-Za-z])(?![^\s|<>]{0,60}[(\[{])"
    r"([^\s|<>\"'`$*,;/\[\]{}()][^\s|<>\"'`,;()\[\]{}]{5,199})"
)
"""As VALUE, where what stands behind it shows that its last sign is its own: in quotes, a table, before a word."""
ALONE = r"([^\s\"'`$<{*-][^\s\"'`$]{3,200})(?=[\"'`]?[.]?[ \t]{0,4}(?:\r?\n|\Z))"
"""Whatever ends a line, where the place holds nothing else."""
FOR = r"(?i:for|of|to|on|at|in|für|von)"
UNIT = r"(?![\w.]?\d)(?!\s?(?i:lines|characters|chars|tokens|bytes|rows|words|bits|zeichen))"

SPOKEN: tuple[tuple[str, ...], ...] = (
    (
        "</td> </th>",
        (
            rf"<t[dh][^<>]{{0,80}}>\s{{0,8}}{_NAME}:?\s{{0,8}}</t[dh]>"
            rf"\s{{0,16}}<td[^<>]{{0,80}}>\s{{0,8}}(?:<code>)?{CELL}\s{{0,8}}</"
        ),
    ),
    (
        "password passwd passphrase passwort kennwort",
        (
            rf"{_NAME}(?: {FOR}(?: [^\s:=]{{1,60}}){{1,4}}| \([^()\n]{{1,40}}\))"
            rf"(?:\s?[:=]| (?i:is|ist))\s{{1,2}}[\"'`]?{VALUE}"
        ),
    ),
    (
        "pass:",
        (
            rf"(?<![A-Za-z0-9_-])(?i:pass):\s{{1,3}}[\"'`]?(?![A-Za-z_.-]{{1,60}}\d{{1,3}}(?![A-Za-z0-9]))(?!\w{{0,40}}[_:.])"
            rf"{VALUE}"
        ),
    ),
    ("requirepass masterauth", rf"\b(?:requirepass|masterauth)[ \t]{{1,4}}[\"']?(?:{VALUE}|{ALONE})"),
    (
        "chpasswd",
        (
            r"\becho\s{1,3}"
            r"(?:-e\s{1,3})?[\"']?[\w.-]{1,40}:([^\s\"'$|]{4,200})[\"']?\s{0,3}\|\s{0,3}"
            r"(?:sudo\s{1,3})?chpasswd"
        ),
    ),
    (
        "otp",
        (
            rf"(?<![A-Za-z0-9_/-])OTP(?:\s{{0,2}}[:=]|\s(?:is|code(?: is)?:?))?\s{{1,2}}(\d{{6,8}})"
            rf"{UNIT}"
        ),
    ),
    ("passcode", rf"(?i:\bpasscode)(?:\s{{0,2}}[:=]|\s(?i:is))?\s{{1,2}}(\d{{4,8}}){UNIT}"),
    ("2fa mfa", rf"(?i:\b(?:2fa|mfa)(?: code)?)(?:\s{{0,2}}[:=]|\s(?i:is))?\s{{1,2}}(\d{{6,8}}){UNIT}"),
    (
        "code",
        (
            rf"(?i:\b(?:your|the login|the access|sign-in|login) code is):?\s{{1,2}}"
            rf"(\d{{6}}|\d{{3}}[ -]\d{{3}}){UNIT}"
        ),
    ),
    (
        "確認コード 認証番号 確認番号 ワンタイム",
        rf"(?:確認コード|認証番号|確認番号|ワンタイムパスワード)(?:は|[:：])?\s{{0,2}}(\d{{4,8}}){UNIT}",
    ),
    (
        "clave mdp passcode",
        rf"(?<![A-Za-z0-9_-])(?i:clave|mdp|passcode)(?:\s?[:=]|\s(?i:is|es|est))\s{{1,3}}[\"'`]?{VALUE}",
    ),
    (
        "-p",
        (
            r"\b(?:cqlsh|cypher-shell|psexec(?:\.py)?|evil-winrm|mongosh?|mongodump|mongorestore|snowsql|smbclient)\b"
            r"[^\n]{0,200}?\s-p\s{1,2}[\"']?([^\s\"'$-][^\s\"'$]{3,200})"
        ),
    ),
    (
        "mosquitto_ sqlcmd bcp",
        r"\b(?:mosquitto_(?:pub|sub)|sqlcmd|bcp)\b[^\n]{0,200}?\s-P\s{0,2}[\"']?([^\s\"'$-][^\s\"'$]{3,200})",
    ),
    ("freerdp", r"freerdp\b[^\n]{0,200}?\s/p:[\"']?([^\s\"'$]{4,200})"),
    (
        "password passwort passphrase token",
        (
            r" (?:from|von) (?:(?<=(?:word|wort) from )|(?<=(?:word|wort) von )|(?<=token from ))"
            rf"[\"'`]?{VALUE}[\"'`]? (?i:to|auf|zu)\b"
        ),
    ),
    (
        "password passphrase",
        (
            r"(?i:password|passphrase|token|api key)\b[^\n.:=]{0,40} "
            rf"(?i:set|changed|reset|rotated) to [\"'`]?{VALUE}"
        ),
    ),
    ("password", rf"(?:\A|\n) ?(?:\w{{1,20}}_)?(?i:password) {{1,20}}\| {VALUE}"),
    ("密码 口令", rf"(?:密码|口令)(?=[A-Za-z0-9]){VALUE}"),
    (
        "schlüssel",
        rf"(?i:(?:api|wlan|wifi|zugangs)-?schlüssel)(?:\s?[:=]| (?i:ist|wäre|lautet))\s{{1,2}}[\"'`]?{VALUE}",
    ),
    (
        "pass pw",
        (
            rf" (?i:pass|pw) (?:(?<=(?:old|new|the|our) pass )|(?<=(?:old|new|the|our) pw )|(?<=(?:oot|min|ent) pass )|"
            rf"(?<=my pass )|(?<=my pw ))(?i:is|was|now) [\"'`]?{VALUE}"
        ),
    ),
    (
        "<- ←",
        (
            rf"(?<![^\s\"'`]){VALUE}[\"'`]? {{1,3}}(?:<-+|←) {{0,2}}"
            r"(?i:that'?s |this is |das ist )?(?i:the|my|das|mein) (?i:password|passwort)"
        ),
    ),
)
