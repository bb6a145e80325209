"""Secrets in files of devices and servers, in what checks a password, and in what a command reads: (words, pattern) for
`forms`.

Rules kept here:

- As in `carried`, the place holds nothing else. A value in quotes or between tags may end as a sentence does.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.spoken import CELL, VALUE

_WORD = r"[\"']?([^\s\"'$<{-][^\s\"'$]{3,400})"
_KEPT = r"(?i:password|passwd|passphrase|passwort|secret|token|api[_.-]?key)"
_BOTH = r"(?=[^\s\"'`]{0,60}[a-z])(?=[^\s\"'`]{0,60}[A-Z!@#%^&?*+~])"

SETTLED: tuple[tuple[str, ...], ...] = (
    # files of servers and devices
    (
        "bindpw rootpw bind_pw",
        rf"(?i:(?<![A-Za-z0-9])(?:bind_?pw|(?:olc)?rootpw))[:=\s]\s{{0,4}}[\"']?{VALUE}",
    ),
    (
        "snmp-server radius tacacs pre-shared-key isakmp enable key-string",
        (
            r"\b(?:snmp-server community|(?:radius|tacacs)(?:-server)?(?: host \S{1,60})? key|pre-shared-key|isakmp key"
            rf"|enable (?:secret|password)|key-string)(?: \d{{1,2}})? [\"']?{VALUE}"
        ),
    ),
    (
        "username",
        rf"\busername \S{{1,60}} (?:privilege \d{{1,2}} )?(?:password|secret)(?: \d{{1,2}})? {VALUE}",
    ),
    (
        "<property <entry <item <param <prop <string <key",
        rf"<(?:property|entry|item|param|prop|string|key)\b[^<>]{{0,120}}?{_KEPT}[^<>/]{{0,20}}>{CELL}</",
    ),
    ("auth", rf"(?:\A|\n|> ?)AUTH (?:[\w.-]{{1,40}} )?[\"']?{VALUE}[\"']?[ \t]{{0,4}}(?=\r?\n|\Z)"),
    ("passcode", rf"(?i:\bpasscode)(?:\s{{0,2}}[:=]|\s(?i:is))?\s{{1,2}}[\"'`]?{VALUE}"),
    (
        "answer",
        r"(?i:\b(?:security|secret) answer)[\"'`]?\s{0,2}[:=]\s{0,3}[\"'`]?([^\s\"'`<>{}$(\[][^\s\"'`<>{}$(\[]{2,60})",
    ),
    # what checks a password, or opens something with one
    (
        "hashpw( checkpw( password( password_hash( bcrypt.hash bcrypt.compare",
        (
            r"\b(?:\w{0,20}(?:verify|hash|check|make|encrypt|validate|compare)_?(?i:password|passwd|pw)\w{0,10}|"
            r"bcrypt\.(?:hash|compare)\w{0,6})\("
            rf"(?:\s{{0,4}}[^,()\"'\n]{{1,60}},)?\s{{0,4}}b?[\"'`]{CELL}[\"'`]"
        ),
    ),
    (
        (
            "signin( sign_in( signup( sign_up( login( log_in( authenticate( andpassword( register( networkcredential( "
            "mysqli_connect( getconnection("
        ),
        (
            r"(?i:sign_?in|sign_?up|log_?in|authenticate|register|andpassword|networkcredential|mysqli_connect|getconnection)"
            r"\((?:\s{0,4}(?:[\"'][^\"'\n]{1,80}[\"']|[\w.]{1,60}),){1,2}"
            rf"\s{{0,4}}[\"'`]{_BOTH}{CELL}[\"'`]"
        ),
    ),
    # what commands are given, read and put in a stead
    ("http-basic", r"\bhttp-basic\.\S{1,60}\s{1,3}\S{1,60}\s{1,3}" + _WORD),
    (
        "<<<",
        rf"{_KEPT}[^\n]{{0,160}}?<<<\s{{0,2}}[\"']?{CELL}",
    ),
    ("<<<", r"\bsecrets?\s[^\n]{0,160}?<<<\s{0,2}" + _WORD),
    (
        "secret",
        r"\bsecrets?\s{1,3}(?:set|add|create|put)\s[^\n|;&]{0,200}?(?<![\w-])[A-Z][A-Z0-9_]{1,60}=" + _WORD,
    ),
    ("login", r"\bbw\s{1,3}login\s{1,3}\S{1,80}\s{1,3}" + _WORD),
    (
        "mysql mariadb",
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p[\"']([^\s\"'$][^\"'\n]{2,100})[\"']",
    ),
    ("_password", r":_(?:password|auth)[ =]{1,3}[\"']?([^\s\"'${}]{6,400})"),
    (
        "changeme change_me replace_me replaceme placeholder xxx dummy your_ your-",
        (
            r"\bs([/|#])(?i:change_?me|replace_?me|placeholder|x{3,20}|dummy|<?your[_-][\w-]{1,40}>?)\1"
            r"(?![^\s/|#]{0,60}\\)(?=[^\s/|#]{0,60}\d)(?=[^\s/|#]{0,60}[A-Za-z])([^\s/|#\"'$]{8,200})\1"
        ),
    ),
    (
        "=%s :%s :_%s",
        rf"(?i:pass\w{{0,12}}|token|secret|key)[=:]\s?%s[^\n\"']{{0,40}}[\"']\s{{1,3}}[\"']?{CELL}",
    ),
    (
        "securestring",
        r"(?i:ConvertTo-SecureString)(?:\s{1,3}-String)?\s{1,3}[\"']([^\"'\n$][^\"'\n]{3,400})[\"']",
    ),
)
