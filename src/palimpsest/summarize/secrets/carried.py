"""Secrets where addresses, commands, headers and files carry them: what stands around the value gives it away.

Rules kept here:

- The place must be one that holds nothing else: an option of one command, a header, a part of a key.
- Where such a place may hold words, the value must be one that no sentence holds, as in `spoken`.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.spoken import CELL, UNIT, VALUE

_SESSION = r"(?i:sess\w{0,12}|sid|auth\w{0,12}|token)"
_MIXED = r"(?=[^\s\"']{0,60}\d)(?=[^\s\"']{0,60}[A-Za-z])"

CARRIED: tuple[tuple[str, ...], ...] = (
    # addresses that whoever knows them may post to
    ("/bot", r"/bot(\d{8,10}:AA[\w-]{32,36})"),
    ("office.com/webhook", r"office\.com/webhook\w{0,3}/([\w@/-]{40,300})"),
    ("/v2/hook/", r"/bot/v2/hook/([0-9a-f-]{36})"),
    ("hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(\d{4,10}/\w{5,20})"),
    ("/with/key/", r"/with/key/([\w-]{20,60})"),
    # keys by their parts and their files
    (
        "kty",
        rf"\\{{0,3}}\"(?:d|p|q|dp|dq|qi|k)\\{{0,3}}\"\s{{0,3}}:\s{{0,3}}\\{{0,3}}\"{_MIXED}([\w-]{{22,2000}})",
    ),
    ("unseal", r"(?i:\bunseal key)(?: \d{1,2})?\s{0,2}[:=]\s{0,3}([A-Za-z0-9+/]{40,90}={0,2})"),
    ("squ_ sqp_ sqa_", r"(?<![A-Za-z0-9_])sq[upa]_[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("sonar.login", r"\bsonar\.login\s{0,2}=\s{0,2}([a-f0-9]{40})"),
    ("master.key", r"\bmaster\.key\W{1,4}([0-9a-f]{32})(?![0-9a-f])"),
    ("==", r"(?i:\bkey)[\"']?(?:\s{0,2}[:=]|\s(?i:is))?\s{0,2}[\"']?(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{86}==)"),
    # how databases are reached
    (
        "sqlplus jdbc:oracle",
        r"\b(?:sqlplus\s{1,3}(?:-\w{1,3}\s{1,3})?|jdbc:oracle:\w{2,5}:)[\w$]{1,40}/([^\s@\"'/$]{3,100})@",
    ),
    ("@tcp( @unix(", r"(?<![\w.-])[\w.-]{1,60}:([^\s:@\"'/$]{3,100})@(?:tcp|unix)\("),
    # commands
    (
        "curl",
        r"\bcurl\b[^\n]{0,200}?\s(?:-[A-Za-z]{1,8}u|--proxy-user|-U)[ =]{0,2}[\"']?[^\s:\"']{1,80}:([^\s\"'$]{3,200})",
    ),
    (
        "curl",
        (
            rf"\s(?:-b|--cookie)[ =]{{0,2}}[\"'][^\n\"']{{0,200}}?{_SESSION}="
            rf"([^\s;\"'$]{{8,2000}})"
        ),
    ),
    ("http xh", r"\b(?:https?|xh)\s{1,3}[^\n]{0,80}?-a\s{1,2}[\"']?[^\s:\"']{1,80}:([^\s\"'$]{3,200})"),
    ("net", r"\bnet user\s{1,2}[\w.-]{1,40}\s{1,2}[\"']?([^\s\"'$*/][^\s\"'$]{3,200})"),
    (
        "htpasswd",
        r"\bhtpasswd\s{1,2}-\w{0,6}b\w{0,6}\s{1,2}\S{1,120}\s{1,2}[\w.@-]{1,60}\s{1,2}[\"']?([^\s\"'$<][^\s\"'$]{3,200})",
    ),
    ("useradd usermod", rf"\buser(?:add|mod)\b[^\n]{{0,80}}?\s-p\s{{1,2}}[\"']?{VALUE}"),
    ("%", rf"\s-U\s{{0,2}}[\"']?[\w.\\-]{{1,60}}%{VALUE}"),
    ("--", rf"(?<![\w-])--(?:\w{{1,20}}-)?(?:pass|passwd|pw)[= ][\"']?{VALUE}"),
    # headers, and how browsers and clients note them
    (
        "cookie",
        (
            rf"(?i:\"(?:set-)?cookie\"),\s{{0,40}}\"(?i:value)\":\s{{0,4}}\"[^\n\"]{{0,300}}?{_SESSION}="
            rf"([^\s;\"$]{{8,2000}})"
        ),
    ),
    (
        "cookie",
        (
            rf"(?i:\bcookies?)[\"']?\s{{0,2}}[:=]\s{{0,2}}\{{\s{{0,8}}[\"']{_SESSION}[\"']\s{{0,2}}:\s{{0,2}}"
            rf"[\"']([^\s\"'$]{{8,2000}})[\"']"
        ),
    ),
    (
        "authorization",
        rf"(?i:[\"']authorization)[\"']\s{{0,2}}[:,]\s{{0,2}}[\"']{_MIXED}([\w.+/~=-]{{20,4000}})[\"']",
    ),
    (
        "subscription-key",
        rf"(?i:subscription-key)[\"']?\s{{0,2}}[:=]\s{{0,2}}[\"']?{_MIXED}([A-Za-z0-9]{{24,90}})",
    ),
    # code and tables
    ("_pass", rf"\b[A-Z0-9_]{{0,40}}_PASS(?:WORD|PHRASE)?[ \t]{{1,8}}\"{CELL}\""),
    ("wifi.begin", r"\bWiFi\.begin\(\s{0,4}[^\n,]{1,80},\s{0,4}\"([^\"\n]{8,63})\""),
    # what people say in other words
    (
        "парол mot contraseña senha wachtwoord lösenord hasło parola heslo",
        (
            r"(?i:\b(?:парол[ья]|mot de passe|contraseña|senha|wachtwoord|lösenord|hasło|parola|heslo))"
            rf"(?: [^\s:=|,.]{{1,20}}){{1,4}}\s?[:=]\s{{1,2}}[\"'`]?{VALUE}"
        ),
    ),
    (
        "密码 密碼 口令 暗証番号 パスワード 비밀번호",
        (
            r"(?:密码|密碼|口令|暗証番号|パスワード|비밀번호)(?:[:：是为為はが은는]|\s){1,3}(\d{4,8})"
            r"(?![\dA-Za-z]|\s?[位个個文桁자字到至分天日次回年月种条~、-])"
        ),
    ),
    (
        "zugang wifi wlan",
        rf"(?i:\b(?:zugang|wifi|wi-fi|wlan)):\s{{1,2}}[\w.@+-]{{1,60}}\s{{1,2}}/\s{{1,2}}{VALUE}",
    ),
    (
        "your",
        r"(?<![\w.-])(?:G-)?(\d{6}|\d{3}[ -]\d{3}) (?i:is your (?:[\w-]{1,20} ){0,3}(?:code|otp|passcode))\b",
    ),
    ("use", r"(?i:\buse) (\d{6}|\d{3}[ -]\d{3}) (?i:to (?:verify|log|sign|confirm))\b"),
    (
        "code",
        rf"(?i:\b(?:door|gate|alarm|safe|entry|locker|key ?box|lock) ?code)(?::| (?i:is))? (\d{{4,8}}){UNIT}",
        r"[eE](?::| [iI][sS])? \d{4}",
    ),
)
