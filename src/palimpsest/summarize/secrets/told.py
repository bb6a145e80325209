"""Accounts with their passwords, names that end in "pass", phrases of many words, codes and numbers of papers.

Rules kept here:

- As in `spoken`, nothing is judged by its value afterwards: a pattern asks for a name, how it is told, and a value that
  is no sentence.
- A plain word is a password only where a label stands directly before it and the line ends with it; types, states and
  what forms say are none.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.spoken import ALONE, CELL, FOR, UNIT, VALUE

FURTHER_NAMES = (
    *"salasana jelszó jelszava adgangskode adgangskoden kodeord kodeordet passord passordet lösenordet".split(),
    *"lozinka парола รหัสผ่าน סיסמה סיסמא".split(),
    *("mật khẩu", "kata sandi", "parola d'ordine", "κωδικός πρόσβασης"),
)
"""What a password is called in languages that `forms` does not name itself."""

_ACCOUNT = (
    r"(?:db|database|smtp|imap|e?mail|s?ftp|ssh|ldap|mysql|pg|postgres|redis|mongo|rabbit|mq|user|root|admin|login|"
    r"http|proxy|wifi|vpn|sudo|ansible_ssh|ansible|key|store|keystore|truststore|service|api|client|server|remote|bind)"
)
_CHOSEN = (
    r"(?![A-Za-z]{1,40}(?:_[A-Za-z]{1,40}){0,4}_?\d{0,3}[\"'`\s])"
    r"(?=[^\s|<>]{0,60}(?:[a-z][^\s|<>]{0,60}[A-Z]|[A-Z][^\s|<>]{0,60}[a-z]|[!@#%^&?+=~]))"
)
"""No name in code: letters of both cases, or a sign that no name has."""
_SIGNED = r"(?=[^\s|<>@/]{1,60}[!#%^&*?+=~])(?=[^\s|<>@/]{0,60}\d)"
"""With a sign that no name, version or address has, and a digit."""
_KEYED = r"(?i:password|passwd|passphrase|_pass|\.pass|secret|token|api[_-]?key|access[_-]?key)"
_NO_VERDICT = r"(?!(?i:pass(?:ed)?|fail(?:ed)?|yes|none|true|false|n/a)\b)"
"""What a check says of itself under the same name."""
_USER = r"[\w.@+-]{1,60}"
_CODE = r"(\d{6}|\d{3}[ -]\d{3}|\d{8})"
_IS = r"(?:\s?(?:[:=：]|(?i:is|ist|lautet|est|es|è|é|är|er|je|to|là)(?=\s)|是|为|は))"
_SENTENCE = (
    r"(?![a-z ]{0,120}\b(?:the|must|for|and|not|you|your|with|that|this|from|which|can|should|will|has|have|was|were|"
    r"are|please|enter|type|use|see|ask|keep|choose|optional|required|least|characters|password|passphrase|into|when|"
    r"empty|never|always|every|each|any|all|one)\b)"
)

TOLD: tuple[tuple[str, ...], ...] = (
    # names that end in "pass"
    (
        "_pass",
        rf"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{{0,40}}_PASS[\"'`]?\s{{0,2}}[:=]\s{{0,2}}[\"'`]?{VALUE}",
    ),
    (
        "pass",
        rf"(?<![A-Za-z0-9])(?:\w{{1,30}}_)?(?i:{_ACCOUNT})[_.-]?(?i:pass)[\"'`]?\s{{0,2}}(?:=>|[:=])\s{{0,2}}[\"'`]?{VALUE}",
        r"[aA][sS][sS][\"'`]?\s{0,2}[:=]",
    ),
    (
        "pass",
        (
            rf"(?i:(?<![a-z0-9])(?:user ?name|user|login|e-?mail|account|benutzer(?:name)?))"
            rf"[\"']?\s{{0,2}}[:=][^\n]{{1,80}}[\n,;| ][ \t>*-]{{0,8}}"
            rf"(?i:pass|pw)\s{{0,2}}[:=]\s{{0,3}}[\"'`]?{VALUE}"
        ),
    ),
    (
        "pass pw",
        (
            rf"[\"'](?:\w{{1,30}}[_.-])?(?:pass|pw)[\"']\s{{0,2}}(?:=>|:)\s{{0,2}}[\"']{_NO_VERDICT}"
            r"((?=[^\"'\n]{0,200}[\dA-Z!@#$%^&*?+=~])[^\"'\s]{6,200})[\"']"
        ),
    ),
    (
        "pass pw",
        (
            rf"(?<![A-Za-z0-9])(?i:pass|pw)\s{{0,2}}(?:=>|:=|=|:)\s{{0,2}}(\\?[\"'`]){_NO_VERDICT}"
            r"((?=[^\"'\n]{0,200}[\dA-Z!@#$%^&*?+=~])[^\"'`\s$\\][^\"'`\s\\]{5,200})\1"
        ),
    ),
    # pairs
    (
        "pass secret token key",
        rf"[\"'][\w.:-]{{0,40}}{_KEYED}\w{{0,10}}[\"']\s{{0,2}},\s{{0,2}}[\"']{_CHOSEN}{CELL}[\"']",
    ),
    (
        "pass secret token key",
        rf"(?:\A|\n)[\"']?[\w.:-]{{0,40}}{_KEYED}[\"']?[,;\t][\"']?{_CHOSEN}{VALUE}[\"']?\s{{0,3}}(?:\n|\Z)",
    ),
    (
        "creds credentials login zugangsdaten anmeldedaten logindaten",
        (
            rf"(?i:(?<![a-z0-9_])(?:creds|credentials|login|zugangsdaten|anmeldedaten|logindaten))"
            rf"(?:\s?[:=：]|\s(?i:are|sind))?\s{{1,3}}{_USER}\s{{1,2}}/\s{{1,2}}[\"'`]?(?:{VALUE}|{ALONE})"
        ),
    ),
    (
        "creds credentials zugangsdaten anmeldedaten logindaten",
        (
            rf"(?i:(?<![a-z0-9_])(?:creds|credentials|zugangsdaten|anmeldedaten|logindaten))"
            rf"(?:\s?[:=：]|\s(?i:are|sind))?\s{{1,3}}{_USER}:{VALUE}"
        ),
    ),
    (
        "log sign melde",
        (
            rf"(?i:\b(?:log|sign)(?:ged|ing|ging)? ?in\b|\blogge dich\b|\bmelde dich\b)\s(?i:as|with|mit|als)\s"
            rf"{_USER}\s(?i:with|and|und|mit|/)\s(?:{_CHOSEN}|(?=\S*\d\d)){VALUE}"
        ),
    ),
    (
        "pw",
        (
            rf"(?<![A-Za-z0-9_-])(?i:pw)(?: {FOR}(?: [\w.@-]{{1,40}}){{1,3}})?"
            rf"(?:\s?[:=]| (?i:is|ist))\s{{1,2}}[\"'`]?{VALUE}"
        ),
    ),
    ("pw", rf"(?<![A-Za-z0-9_-])(?i:pw) [\"'`]?{_CHOSEN}{VALUE}"),
    (
        "salasana",
        rf"(?i:salasana(?:si|ni|mme|nne)?)\s(?:on|:)\s{{1,2}}[\"'`]?{VALUE}",
    ),
    (
        "root admin sa postgres",
        rf" / (?:(?<=\broot / )|(?<=\badmin / )|(?<=\bsa / )|(?<=\bpostgres / )){_SIGNED}{VALUE}",
    ),
    ("@", rf"@[\w-]{{1,60}}(?:\.[\w-]{{1,30}}){{1,4}}:{_SIGNED}{VALUE}(?![\w/])"),
    (
        "@",
        (
            rf"(?<=[a-z0-9_]):{_SIGNED}([^\s@:/\"'`<>()]{{6,60}})"
            r"@(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]{1,60}\.[a-z])"
        ),
    ),
    # phrases and words
    (
        "passphrase",
        (
            rf"(?i:\bpassphrase)[\"'`]{{0,2}}(?:\s{{0,2}}[:=]|\s(?i:is):?)\s{{1,2}}[\"'`]?{_SENTENCE}"
            r"([^\W\d_]{2,16}(?:[ -][^\W\d_]{2,16}){2,9}(?:[ -][^\W\d_]{2,16}|[ -]?\d{1,4}))"
            r"(?=[\"'`.,;]{0,2}\s{0,2}(?:\n|\Z|[}]))"
        ),
    ),
    (
        "seed mnemonic phrase words bip 助记词 助記詞 リカバリーフレーズ",
        (
            r"(?i:\b(?:(?:wallet|seed|recovery|backup|secret)[ _-]?)?(?:seed|mnemonic|phrase|words|bip-?39)|"
            r"助记词|助記詞|リカバリーフレーズ)[\"'`]{0,2}"
            r"(?:\s{0,2}[:=：是为は]|\s(?i:is|are))[\s\"'`\[]{0,6}"
            r"((?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}[\"']?(?:, ?| |\n)[\"']?){11}(?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}"
            r"(?:(?:[\"']?(?:, ?| |\n)[\"']?(?:\d{1,2}[.):]? ?)?[a-z]{3,8}){12})?))"
            r"(?=[\"'`\].]{0,2}\s{0,3}(?:\n|\Z|[}]))"
        ),
    ),
    # codes and numbers of papers
    ("身份证", r"身份证(?:号码?)?(?:是|为|[:：])?\s{0,2}(\d{17}[\dXx])(?!\w)"),
    (
        "passport reisepass",
        (
            r"(?i:passport|reisepass)(?i: ?(?:number|no\.?|nr\.?|nummer))?(?:\s?[:=]|\s(?i:is|ist))?\s{1,2}"
            r"([A-Z](?=[A-Z0-9]{0,8}\d{4}|\d)[A-Z0-9]{7,8})(?!\w)"
        ),
    ),
    (
        "pin",
        (
            r"(?<![A-Za-z0-9_/-])(?<!GPIO )(?:PIN(?:(?: [^\W\d_]{1,12}){1,5} (?:is|ist|es|est|è|é))?|"
            r"(?i:pin(?:[- ]?(?:code|number|nummer))))\s"
            rf"(\d{{4}}){UNIT}(?!\s(?:of|am|an|on (?:the|connector)|is|ist|and|und|to|goes)\b)"
        ),
    ),
    ("tan", rf"(?<![A-Za-z0-9_])(?:m|push|chip|sms|photo|i|SMS-)?TAN{_IS}?\s{{1,2}}(\d{{6}}){UNIT}"),
    (
        "code kode kod código codice mã",
        (
            r"(?i:\b(?:verification|one[- ]?time|security|login|sign[- ]?in|access|confirmation|authentication|2fa|mfa|"
            r"sms|otp) (?:pass)?code|\b(?:dein|ihr|your)(?: [\w-]{1,20})? code|\b(?:bestätigungs|sicherheits|anmelde|"
            r"einmal|verifizierungs|zugangs)-?code|\bcode de (?:vérification|sécurité|confirmation)|"
            r"\bcódigo de \w{4,14}|\bcodice di \w{4,14}|"
            r"\bmã (?:otp|xác (?:nhận|minh))|\bkode? (?:otp|weryfikacyjny|verifikasi))"
            rf"{_IS}?\s{{1,2}}{_CODE}{UNIT}"
        ),
    ),
    ("code", rf"(?i:\bcode) {_CODE}(?= to (?:log|sign|verify|confirm)\b)"),
)
