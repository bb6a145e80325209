"""Secrets that commands are given: an option of one program, a place among its words, what is read by one.

Rules kept here:

- The place holds nothing else, whatever stands there. References (`$TOKEN`) and other options are none.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.looks.forms import CELL, VALUE, form

_SESSION = r"(?i:sess\w{0,12}|sid|auth\w{0,12}|token)"
_NAMED = (
    r"(?i:password|passwd|passphrase|passwort|passcode|\bpwd\b|secret|token|(?:api|access|private)[_.-]?key)"
)
_WORD = r"[\"']?([^\s\"'$<{-][^\s\"'$]{3,400})"

COMMANDS = (
    form("pass:", r"\s-pass(?:in|out)?\s{1,3}pass:([^\s\"'$]{4,200})"),
    form("7z", r"\b7z[a-z]?\s[^\n]{0,80}?\s-p[\"']?([^\s\"'$]{4,200})"),
    form(
        "ldap",
        r"\bldap(?:search|add|modify|delete|whoami|passwd)\b[^\n]{0,300}?\s-w\s{1,2}[\"']?([^\s\"'$-][^\s\"'$]{3,200})",
    ),
    form("storepass keypass", r"-(?:src|dest|new)?(?:store|key)pass\s{1,2}[\"']?([^\s\"'$]{4,200})"),
    form("configure", r"\bconfigure set \S{0,40}(?:secret|token|password)\S{0,20} [\"']?([^\s\"'$]{8,400})"),
    form("sudo", r"\b(?:echo|printf)\s{1,2}(?:-n\s{1,2})?'([^'\n]{4,400})'\s{0,3}\|\s{0,3}sudo\s{1,2}-S"),
    form(
        "password-stdin sudo wrangler cryptsetup",
        r"\b(?:echo|printf)\s{1,2}(?:-n\s{1,2})?[\"']?([^\s\"'$|;&]{4,400})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s{1,2}-S|[^\n|;&]{1,200}--password-stdin|"
        r"(?:npx\s)?(?:wrangler|(?:sudo )?cryptsetup)\b)",
    ),
    form(
        "curl wget twilio",
        r"\b(?:curl|wget|twilio)\b[^\n]{0,400}?\s(?:-[A-Za-z]{0,8}[uU]|--user|--proxy-user)"
        r"[ =]{0,2}[\"']?[^\s:\"']{1,80}:([^\s\"'$]{3,200})",
    ),
    form("sshpass", r"\bsshpass\s{1,3}-p\s{0,3}(?:[\"']([^\"'$\n]{3,200})[\"']|([^\s\"'$]{3,200}))"),
    form(
        "mysql mariadb",
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p"
        r"(?:[\"']([^\s\"'$][^\"'\n]{2,100})[\"']|([^\s\"'$-][^\s\"']{3,100}))",
    ),
    form("redis-cli", r"\bredis-cli\b[^\n]{0,200}?\s-a\s{0,3}[\"']?([^\s\"'$-][^\s\"'$]{3,200})"),
    form("curl", rf"\s(?:-b|--cookie)[ =]{{0,2}}[\"'][^\n\"']{{0,200}}?{_SESSION}=([^\s;\"'$]{{8,2000}})"),
    form("http xh", r"\b(?:https?|xh)\s{1,3}[^\n]{0,80}?-a\s{1,2}[\"']?[^\s:\"']{1,80}:([^\s\"'$]{3,200})"),
    form("net", r"\bnet user\s{1,2}[\w.-]{1,40}\s{1,2}[\"']?([^\s\"'$*/][^\s\"'$]{3,200})"),
    form(
        "htpasswd",
        r"\bhtpasswd\s{1,2}-\w{0,6}b\w{0,6}\s{1,2}\S{1,120}\s{1,2}[\w.@-]{1,60}\s{1,2}[\"']?([^\s\"'$<][^\s\"'$]{3,200})",
    ),
    form("useradd usermod", rf"\buser(?:add|mod)\b[^\n]{{0,80}}?\s-p\s{{1,2}}[\"']?{VALUE}"),
    form("%", rf"\s-U\s{{0,2}}[\"']?[\w.\\/-]{{1,60}}%{VALUE}"),
    form("--", rf"(?<![\w-])--(?:\w{{1,20}}-)?(?:pass|passwd|pw)[= ][\"']?{VALUE}"),
    form("--otp", r"--otp[ =]{1,2}(\d{6,8})(?!\w)"),
    form("login", r"\b(?:cargo|npm|hex|gem)\s{1,3}login\s{1,3}((?=[\w-]{0,80}\d)[\w-]{16,200})(?!\w)"),
    form(
        "set", rf"\bset\s{{1,3}}-[a-zA-Z]{{1,3}}\s{{1,3}}\w{{0,40}}{_NAMED}\w{{0,10}}\s{{1,3}}[\"']?{VALUE}"
    ),
    form("/user:", rf"\bnet use\b[^\n/]{{0,120}}?\s(?!\\){VALUE}\s{{1,3}}/user:"),
    form("unlock login", rf"\bbw\s{{1,3}}(?:unlock|login \S{{1,80}})\s{{1,3}}{_WORD}"),
    form("snmp", rf"\bsnmp\w{{2,12}}\s[^\n]{{0,200}}?\s-A\s{{1,3}}{VALUE}"),
    form("snmp", rf"\bsnmp\w{{2,12}}\s[^\n]{{0,200}}?\s-X\s{{1,3}}{VALUE}"),
    form("vault", r"\bvault\s{1,3}login\s{1,3}(?:-[\w=-]{1,40}\s{1,3}){0,4}(?![\w]{1,20}=)" + _WORD),
    form("--body -b", r"\bgh\s{1,3}secret\s{1,3}set\s[^\n|;&]{0,200}?\s(?:--body|-b)[ =]{0,2}" + _WORD),
    form(
        "put-parameter",
        r"\bput-parameter\b(?=[^\n]{0,400}(?i:SecureString|pass|secret|token|key|/pw))[^\n]{0,400}?\s--value[ =]{1,2}"
        + _WORD,
    ),
    form("--secret-string", r"--secret-string[ =]{1,2}(?![\"']?file:)" + _WORD),
    form("openssl", r"\bopenssl\s{1,3}enc\b[^\n|;&]{0,200}?\s-k\s{1,2}" + _WORD),
    form(
        "encrypt_string",
        r"\bansible-vault\s{1,3}encrypt_string\s(?:--?[\w-]{1,30}[ =]\S{1,80}\s{1,3}){0,4}" + _WORD,
    ),
    form("/user:", r"\bnet use\b[^\n]{0,120}?\s/user:\S{1,80}\s{1,3}" + _WORD),
    form("_authtoken", r"_authToken[\"']?\s{1,3}" + _WORD),
    form(
        "add_user change_password",
        rf"\brabbitmqctl\s{{1,3}}(?:add_user|change_password)\s{{1,3}}\S{{1,60}}\s{{1,3}}{_WORD}",
    ),
    form(
        "wpa_passphrase",
        r"\bwpa_passphrase\s{1,3}(?:\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|\S{1,40})\s{1,3}" + _WORD,
    ),
    form("lftp", rf"\blftp\b[^\n|;&]{{0,120}}?\s-u\s{{0,2}}[\"']?[\w.@-]{{1,60}},{VALUE}"),
    form("alias", r"\bmc\s{1,3}alias\s{1,3}set\s{1,3}\S{1,60}\s{1,3}\S{1,200}\s{1,3}\S{1,80}\s{1,3}" + _WORD),
    form("doctl", r"\bdoctl\b[^\n|;&]{0,80}?\s(?:-t|--access-token)[ =]{1,2}" + _WORD),
    form(
        "chpasswd",
        r"\becho\s{1,3}(?:-e\s{1,3})?[\"']?[\w.-]{1,40}:([^\s\"'$|]{4,200})[\"']?\s{0,3}\|\s{0,3}"
        r"(?:sudo\s{1,3})?chpasswd",
    ),
    form(
        "-p",
        r"\b(?:(?:docker|podman|helm|az|oc|cf|ibmcloud)\b[^\n]{0,80}?\blogin|twine|mongo(?:sh|dump|restore)?|cqlsh|cypher-shell|"
        r"psexec(?:\.py)?|evil-winrm|snowsql|smbclient)\b[^\n]{0,200}?\s-p[ =]{0,3}" + _WORD,
    ),
    form(
        "mosquitto_ sqlcmd bcp unzip zip",
        r"\b(?:mosquitto_(?:pub|sub)|sqlcmd|bcp|unzip|zip)\b[^\n]{0,200}?\s-P\s{0,2}[\"']?([^\s\"'$-][^\s\"'$]{3,200})",
    ),
    form(
        "rclone",
        r"\brclone\s{1,3}(?:config\s{1,3}(?:create|update)\b[^\n]{0,200}?\spass|obscure)\s{1,3}" + _WORD,
    ),
    form("ssh-keygen", r"\bssh-keygen\b[^\n|;&]{0,200}?\s-[NP]\s{1,2}" + _WORD),
    form("nmcli", r"\bnmcli\b[^\n|;&]{0,200}?\spassword\s{1,3}" + _WORD),
    form("smbclient", r"\bsmbclient\b[^\n|;&]{0,200}?\s-U\s{0,2}[\"']?[\w.\\/-]{1,60}%([^\s\"'$]{4,200})"),
    form("mount", r"\bmount\b[^\n|;&]{0,200}?\s-o\s{1,2}[^\s]{0,200}?\bpass(?:word)?=([^\s,\"'$]{4,200})"),
    form(
        "vault",
        rf"\bvault\s{{1,3}}(?:kv\s{{1,3}}(?:put|patch)|write)\s[^\n|;&]{{0,200}}?{_NAMED}(?:_?\d{{1,2}})?={_WORD}",
    ),
    form("password-command", r"--password-command[ =][\"']?(?:echo|printf)\s{1,3}[\"']?([^\s\"'$]{4,200})"),
    form(
        "--",
        rf"--[\w-]{{0,40}}(?:requirepass|masterauth|(?:{_NAMED})(?![\w-]{{0,10}}(?:file|path|dir|name|id)\b))[\"']?"
        r"(?:[ \t]{0,4}\r?\n[ \t]{0,24}-[ \t]{1,4}[\"']?([^\s\"'$<{/-][^\s\"'$]{3,200})[\"']?[ \t]{0,4}(?=\r?\n|\Z)|"
        r"(?<=[\"']),\s{0,8}[\"']([^\s\"'$<{/-][^\s\"'$]{3,200})[\"'])",
    ),
    form("setuser", r"(?i:\bacl\s{1,3}setuser)\s{1,3}\S{1,60}[^\n]{0,120}?\s>([^\s\"'$]{4,200})"),
    # settings of routers
    form(
        "username enable",
        r"(?:\A|\n)\s{0,4}(?:enable|username\s{1,3}\S{1,60}(?:\s{1,3}privilege\s{1,3}\d{1,2})?)\s{1,3}(?:secret|password)\s{1,3}"
        r"(?:\d\s{1,3}|(?=\S{0,60}\d))([^\s\"'$<]{4,200})[ \t]{0,4}(?=\r?\n|\Z)",
    ),
    form(
        "community", r"\bsnmp-server\s{1,3}community\s{1,3}(?!public\b)([^\s\"'$<]{4,200})(?=\s{1,3}R[OW]\b)"
    ),
    form("freerdp", r"freerdp\b[^\n]{0,200}?\s/p:[\"']?([^\s\"'$]{4,200})"),
    form("http-basic", r"\bhttp-basic\.\S{1,60}\s{1,3}\S{1,60}\s{1,3}" + _WORD),
    form("<<<", rf"{_NAMED}[^\n]{{0,160}}?<<<\s{{0,2}}[\"']?{CELL}"),
    form("<<<", r"\bsecrets?\s[^\n]{0,160}?<<<\s{0,2}" + _WORD),
    form(
        "secret",
        r"\bsecrets?\s{1,3}(?:set|add|create|put)\s[^\n|;&]{0,200}?(?<![\w-])[A-Z][A-Z0-9_]{1,60}=" + _WORD,
    ),
)
