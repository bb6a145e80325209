"""Keys and passwords in files, tables and addresses: what stands around the value gives it away.

Rules kept here:

- The place must be one that holds nothing else: a part of an address or of a key, a line of a server's file.
- Where such a place may hold words, the value must be one that no sentence holds.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.looks.forms import ALONE, BEGUN, CELL, NAME, VALUE, form

_ACCOUNT = (
    r"(?:db|database|smtp|imap|e?mail|s?ftp|ssh|ldap|mysql|pg|postgres|redis|mongo|rabbit|mq|user|root|admin|login|"
    r"http|proxy|wifi|vpn|sudo|ansible_ssh|ansible|key|store|keystore|truststore|service|api|client|server|remote|bind)"
)
_MIXED = r"(?=[^\s\"']{0,60}\d)(?=[^\s\"']{0,60}[A-Za-z])"
_KEPT = r"(?i:password|passwd|passphrase|passwort|secret|token|api[_.-]?key)"

_TO_LAST = (
    r"(?:(?!-----)[\s\S]){0,12000}(?<![A-Za-z0-9+/])(?=[a-z0-9+/]{0,60}[A-Z])(?=[A-Za-z+/]{0,60}\d)[A-Za-z0-9+/]{16,4000}={0,2}"
    r"(?:(?:\\{1,4}[nr]|[\s\"'+>|]){1,24}[A-Za-z0-9+/]{2,80}={0,2}(?=\\{1,4}n|[\"']|\r?\n|\Z))?"
)
"""What stands of an armoured key whose end was cut off: up to its last run of signs, and a last line."""

FILES = (
    # armoured keys, whole or cut off, and keys by their parts
    form(
        "private",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----(?=(?:(?!-----)[\s\S]){0,600}?[A-Za-z0-9+/]{8})"
        rf"(?:(?:(?!-----)[\s\S]){{0,12000}}-----END [A-Z0-9 ]{{0,40}}-----|{_TO_LAST}|(?:(?!-----)[\s\S]){{0,12000}})",
    ),
    form(
        "private",
        r"(?<![A-Za-z0-9+/=])([A-Za-z0-9+/=]{40,80}(?:\s{1,4}[A-Za-z0-9+/=]{1,80}){0,120})\s{0,4}"
        r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY",
        sign="-----END",
    ),
    form(
        "putty-user-key-file",
        r"PuTTY-User-Key-File-\d[\s\S]{0,400}?Private-Lines:\s\d+\s([A-Za-z0-9+/=\s]{40,8000})",
    ),
    form("openvpn", r"-----BEGIN OpenVPN Static key V1-----\s([0-9a-f\s]{32,1200})"),
    form(
        "client-key-data ls0tls1crudjtib",
        r"(?<![A-Za-z0-9+/])LS0tLS1CRUdJTiB(?!DRVJU|QVUJM)[A-Za-z0-9+/]{20,12000}={0,2}",
    ),
    form("-key-data", r"client-key-data:\s{0,3}([A-Za-z0-9+/]{20,12000}={0,2})"),
    form(
        "kty",
        rf"\\{{0,3}}\"(?:d|p|q|dp|dq|qi|k)\\{{0,3}}\"\s{{0,3}}:\s{{0,3}}\\{{0,3}}\"{_MIXED}([\w-]{{22,2000}})",
    ),
    form("unseal", r"(?i:\bunseal key)(?: \d{1,2})?\s{0,2}[:=]\s{0,3}([A-Za-z0-9+/]{40,90}={0,2})"),
    form("sonar.login", r"\bsonar\.login\s{0,2}=\s{0,2}([a-f0-9]{40})"),
    form("master.key", r"\bmaster\.key\W{1,4}([0-9a-f]{32})(?![0-9a-f])"),
    form(
        "==",
        r"(?i:\bkey)[\"']?(?:\s{0,2}[:=]|\s(?i:is))?\s{0,2}[\"']?(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{86}==)",
    ),
    form("presharedkey", r"\bPresharedKey\s{0,3}=\s{0,3}([A-Za-z0-9+/]{42,44}={0,2})"),
    form(
        "private",
        r"(?i:private[ _-]?key)[\"'`]{0,2}(?:\s{0,2}[:=]|\s{1,2}is)?\s{1,2}[\"'`]?"
        r"((?:0x)?[0-9a-fA-F]{64})(?![0-9a-fA-F])",
    ),
    form("prv", BEGUN + r"[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
    form("wif private", r"[5KL](?<![A-Za-z0-9_].)[1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])", judged=True),
    # what passwords are kept as
    form("$2", r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}"),
    form(
        "$apr1$ $1$ $5$ $6$ $7$ $y$ $argon2 $pbkdf2 $scrypt$",
        r"\$(?:apr1|[1567y]|argon2i?d?|pbkdf2-\w{3,8}|scrypt)\$[^\s:\"']{0,120}\$[./A-Za-z0-9+]{16,128}",
    ),
    form(
        "salt pepper",
        r"(?<![A-Za-z0-9_])(?i:salt|pepper)[\"']?\s{0,2}[:=]\s{0,2}[\"']?"
        r"(?!\w[\w.]{0,80}\()((?:[\w+/.!@#%^*()~=-]|&(?![\w-]{1,40}=)){16,400})",
        judged=True,
    ),
    form(
        "pagerduty",
        r"(?i:pagerduty)[\s\S]{0,300}?(?:routing|service|integration)_?[kK]ey[\"']?\s{0,2}[:=]\s{0,2}[\"']?([0-9a-f]{32})(?![0-9a-f])",
    ),
    form("requirepass masterauth", r"\d\) \"(?:requirepass|masterauth)\"\s{1,4}\d\) \"([^\"\n]{4,400})\""),
    form("_salt _key", r"(?:AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)[,|\t]\"?([^\s,\"]{20,200})"),
    form("appid=", r"[?&]appid=([0-9a-f]{32})(?![0-9a-f])"),
    # addresses: of databases, with a signature, that whoever knows them may open
    form(
        "://",
        r"[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s/:@\"'<>`]{0,120}:"
        r"(?![*x.…]{2,200}@)((?:[^\s/@\"'<>`${}\[\]]|\$(?![A-Za-z_({\d])){1,200}(?:@[^\s/@\"'<>`${}\[\]]{1,100}){0,4})(?<!:.)@",
    ),
    form(
        "postgres mysql mariadb mongodb redis:// rediss:// amqp mssql oracle clickhouse",
        r"(?i:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|oracle|clickhouse)(?:\+\w{1,20})?://[^\s/:@\"'<>`]{0,120}:"
        r"([^\s\"'<>`${}\[\]]{2,200})@(?=[\w.-]{1,200}(?::\d{1,5})?(?:[/?,\s\"']|\Z))",
    ),
    form(
        "secret_access_key secretaccesskey",
        r"(?i:secret_?access_?key)[\"']?\s{0,3}[:=|\t]\s{0,3}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    form(
        "code passcode",
        r"[\"'](?:name|label|field|id|key|placeholder|element|selector)[\"']\s?:\s?[\"'][^\"'\n]{0,40}"
        r"(?i:one[-_ ]?time|verification|2fa|mfa|otp|sms|security|confirmation|log-?in)[-_ ]?"
        r"(?i:code|pin|passcode)[^\"'\n]{0,20}"
        r"[\"']\s?,\s?[\"'](?:value|text|content)[\"']\s?:\s?[\"']?(\d{4,8})(?!\w)",
    ),
    form(
        "_code code",
        r"(?i:(?<![a-z])(?:one[-_]?time|verification|2fa|mfa|otp|sms|security|confirmation|login)[-_]?code)[\"']?\s{0,2}[:=]"
        r"\s{0,2}[\"']?(\d{4,8})(?![\w.]\w|\w)",
    ),
    form("://", r"://([A-Za-z0-9_]{20,250})@", judged=True),
    form(
        "://",
        r"://[^\s/:@\"'<>]{1,60}@[^\s/:@\"'<>]{1,60}:([^\s@/\"'<>]{4,200})@[\w.-]",
        sign=r"@[^\s/:@\"'<>]{1,60}:[^\s@/\"'<>]{4,200}@",
    ),
    form(
        "sqlplus jdbc:oracle",
        r"\b(?:sqlplus\s{1,3}(?:-\w{1,3}\s{1,3})?|jdbc:oracle:\w{2,5}:)[\w$]{1,40}/([^\s@\"'/$]{3,100})@",
    ),
    form("@tcp( @unix(", r"(?<![\w.-])[\w.-]{1,60}:([^\s:@\"'/$]{3,100})@(?:tcp|unix)\("),
    form(
        "?key= &key= ?code= &code= ticket= signature= hmac= jwt= sid=",
        r"[?&](?:key|code|ticket|signature|hmac|jwt|sid)=([\w.%+/~-]{16,2000})",
        judged=True,
    ),
    form("session=", r"[?&]session=((?=[^\s&\"']{0,60}\d)[^\s&\"'<>${}]{16,400})"),
    form(
        "/magic /reset /verify /invite /activate",
        r"https?://[^\s\"'<>]{1,200}/(?:magic(?:-link)?|reset(?:-password)?|verify(?:-email)?|invite|activate)/"
        r"((?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Z])[\w-]{30,400})",
    ),
    form(
        "/private /secret /share /invite /feed /token /webhook /ical /rss share- invite- private- token- secret-",
        r"(?:https?|webcal)://[^\s\"'<>]{1,200}?[/-](?:private|secret|shared?|invite|feeds?|token|ical|rss|webhooks?)[/_-]"
        r"(?!0x|[A-Za-z]{1,40}\d{1,14}(?!\w))((?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{16,400}(?![\w-]))",
        judged=True,
    ),
    form("sig=", r"[?&]sig=([A-Za-z0-9%+/]{30,120}={0,2})"),
    form("signature=", r"[?&]Signature=([A-Za-z0-9%+/~_-]{20,700}={0,2})"),
    form(
        "assertion samlresponse",
        r"(?i:assertion|SAMLResponse)[\"']?\s{0,2}[:=]\s{0,2}[\"']?([\w.%+/~-]{16,12000})",
        judged=True,
    ),
    form(
        '" * "',
        r"(?:\A|\n)\"[^\"\n]{1,60}\"[ \t]{1,8}\*[ \t]{1,8}\"([^\"\s]{4,100})\"[ \t]{1,8}\*[ \t]{0,8}(?=\r?\n|\Z)",
    ),
    # what programs say when they are set up
    form(
        "following",
        r"(?i:\bfollowing (?:[\w-]{1,16} ){0,3}(?:password|token|secret|key)\b)"
        r"[^\n:]{0,80}:[ \t]{0,4}\r?\n(?:[ \t]{0,8}\r?\n)?"
        r"[ \t]{0,8}([^\s\"'<]{4,200})[ \t]{0,4}(?=\r?\n|\Z)",
    ),
    form(
        "random_password",
        r"\"random_password\"[^{}\n]{0,80}\{[^{}]{0,600}?\bresult[ \t]{0,24}=[ \t]{0,4}\"([^\"\s]{4,200})\"",
    ),
    form("temporary", r"\btemporary password is generated for \S{1,80}: (\S{4,60})"),
    form("password", r"\bPASSWORD (?:elastic|kibana\w{0,8}|\w{3,12}_system|remote_\w{4,20}) = (\S{4,60})"),
    form("token_accessor", r"(?:\A|\n)token[ \t]{1,40}(\S{8,400})[ \t]{0,4}\r?\ntoken_accessor"),
    form("s%3a", r"(?<![A-Za-z0-9])(?i:s%3A)([\w-]{20,40}\.[\w%+/-]{40,70})(?![\w%+/-])"),
    form(
        "\ttrue\t \tfalse\t",
        r"\t(?:TRUE|FALSE)\t/[^\t\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,14}\t[\w.-]{0,40}(?i:sess|sid|auth|token|csrf|jwt|login|remember|id)[\w.-]{0,40}"
        r"\t([^\s]{6,4000})",
    ),
    # variables and lines of settings
    form(
        "_key _pat _salt _psk _creds",
        r"(?<![A-Za-z0-9_])(?!\w{0,60}(?:GPG|PGP|PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|PARTITION|LOOKUP|OBJECT|S3|ROUTING|IDEMPOTENCY|"
        r"GROUP|INDEX|ROW|MAP|I18N|HOST|KNOWN)_)[A-Z][A-Z0-9_]{0,60}_(?:KEY|PAT|SALT|PSK|CREDS?)[\"']?\s{0,2}[:=]\s{0,2}[\"']?"
        r"(?!/[a-z]{2,12}/)((?:base64:)?[\w+/.!@#%^&*()~=-]{16,400})",
        judged=True,
        sign=r"_(?:KEY|PAT|SALT|PSK|CRED)",
    ),
    form("pw= pass=", r"(?<![A-Za-z])(?i:pw|pass)=[\"']?([^\s\"'`,;<>(){}\[\]\\|&]{6,200})", judged=True),
    form("_sk _pw _psk", rf"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{{0,40}}_(?:SK|PW|PSK)=[\"']?{VALUE}"),
    form(
        "_pass",
        rf"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{{0,40}}_PASS[\"'`]?\s{{0,2}}[:=][ \t]{{0,2}}[\"'`]?{VALUE}",
    ),
    form(
        "pass",
        rf"(?<![A-Za-z0-9])(?i:{_ACCOUNT})[_.-]?(?i:pass)[\"'`]?\s{{0,2}}(?:=>|[:=])[ \t]{{0,2}}[\"'`]?{VALUE}",
        r"[aA][sS][sS][\"'`]?\s{0,2}[:=]",
    ),
    form(
        "pass pw:",
        rf"(?<![A-Za-z0-9])(?i:pass|pw)\s{{0,2}}[:=]\s{{0,3}}[\"'`]?{VALUE}(?=[\"'`]?[,;|]?\s{{1,3}}(?i:user|login)\w{{0,5}}\s?[:=])|"
        rf"(?i:(?<![a-z0-9])(?:user ?name|user|login|e-?mail|account|benutzer(?:name)?))"
        rf"[\"']?\s{{0,2}}[:=][^\n]{{1,80}}[\n,;| ][ \t>*-]{{0,8}}(?i:pass|pw)\s{{0,2}}[:=]\s{{0,3}}[\"'`]?{VALUE}",
    ),
    form("psk", r"(?<![A-Za-z])(?:psk|wpa_passphrase)\s{0,2}[=:]\s{0,2}([\"'])((?:(?!\1)[^\n$<]){4,64})\1"),
    form(
        "psk",
        r"\bwifi-sec\.psk\s{1,3}[\"']?([^\s\"'$<]{8,63})|(?:\A|\n)[ \t]{0,8}wpa-psk\s{1,3}\"?([^\s\"$]{8,63})",
    ),
    form("psk", r"(?<![A-Za-z])(?:psk|wpa_passphrase)\s{0,2}=\s{0,2}([^\s\"']{8,64})", judged=True),
    form("psk", r"(?:\A|\n)psk=([^\s\"']{8,63})(?=\s|\Z)"),
    form(
        "pass",
        r"(?:\A|\n)[ \t]{0,8}pass[ \t]=[ \t](?![\d.]{1,9}[a-zµ%]{1,2}(?:/\w+)?(?!\S))"
        r"(?![A-Za-z]{1,40}(?:[_-][A-Za-z]{1,40})?[_-]?\d{0,3}(?!\S))" + VALUE + r"[ \t]{0,4}(?=\r?\n|\Z)",
    ),
    form("::add-mask::", r"::add-mask::([^\s\"'$]{6,400})"),
    # files of servers and devices
    form(
        ":",
        r"(?<![\w.:/*-])[A-Za-z*][\w.*-]{0,120}:(?:\d{4,5}|\*):[A-Za-z*][\w*-]{0,62}:[A-Za-z*][\w*-]{0,62}:"
        r"((?=[^\s:]{0,199}[\dA-Z!@#$%^&*?+=~])[^\s:\"'`]{6,200}(?![^\s\"'`])|[a-z-]{6,60}(?=[ \t]{0,4}(?:\n|\Z)))",
        sign=r":(?:\d{4,5}|\*):[A-Za-z*]",
    ),
    form("machine", r"\bmachine\s\S{1,200}\s{1,8}login\s\S{1,200}\s{1,8}password\s([^\s\"'\\]{2,200})"),
    form("requirepass masterauth", rf"\b(?:requirepass|masterauth)[ \t]{{1,4}}[\"']?(?:{VALUE}|{ALONE})"),
    form(
        "setuser user", rf"(?:\bSETUSER|(?:\A|\n)user)\s{{1,3}}[\w.-]{{1,60}}\s[^\n]{{0,60}}?>{VALUE}", r">\S"
    ),
    form(
        "bindpw rootpw bind_pw",
        rf"(?i:(?<![A-Za-z0-9])(?:bind_?pw|(?:olc)?rootpw))[:=\s]\s{{0,4}}[\"']?{VALUE}",
    ),
    form(
        "snmp-server radius tacacs pre-shared-key isakmp enable key-string",
        r"\b(?:snmp-server community|(?:radius|tacacs)(?:-server)?(?: host \S{1,60})? key|pre-shared-key|isakmp key"
        rf"|enable (?:secret|password)|key-string)(?: \d{{1,2}})? [\"']?{VALUE}",
    ),
    form(
        "username",
        rf"\busername \S{{1,60}} (?:privilege \d{{1,2}} )?(?:password|secret)(?: \d{{1,2}})? {VALUE}",
    ),
    form("auth", rf"(?:\A|\n|> ?)AUTH (?:[\w.-]{{1,40}} )?[\"']?{VALUE}[\"']?[ \t]{{0,4}}(?=\r?\n|\Z)"),
    form("_password", r":_(?:password|auth)[ =]{1,3}[\"']?([^\s\"'${}]{6,400})"),
    form(
        "identified",
        r"(?i:\b(?:user|role)\s{1,3}[^\n;]{1,200}?\sidentified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}(?:password\s{1,3})?)'([^'\n]{4,200})'|"
        r"\bIDENTIFIED\s{1,3}(?:WITH\s{1,3}\w{1,40}\s{1,3})?BY\s{1,3}(?:PASSWORD\s{1,3})?'([^'\n]{4,200})'",
    ),
    # elements and tables
    form(
        "</",
        r"<[\w:.-]{0,40}(?i:password|passwd|passphrase|secret|api[_-]?key|accesskey|(?<=<)(?:pass|pw))>"
        r"((?=[^<>]{0,200}[\d!@#$%^&*?+=~])[^<>\s]{4,200})</",
    ),
    form(
        "<property <entry <item <param <prop <string <key",
        rf"<(?:property|entry|item|param|prop|string|key)\b[^<>]{{0,120}}?{_KEPT}[^<>/]{{0,20}}>{CELL}</",
    ),
    form("<pass", r"<(?i:pass|password|passwd) [^<>]{1,60}>([^<>\s]{6,400})</"),
    form("password><", r"(?i:password)><[vV]alue>([^<>\s]{4,400})</"),
    form("protectinmemory=", r"ProtectInMemory=\"True\">([^<>\s]{4,400})</"),
    form(
        "type=\"password\" type='password'",
        r"(?i:<input)\b[^<>]{0,200}?(?i:type=[\"']password[\"'])[^<>]{0,200}?(?i:value=)[\"']([^\"'<>\s{}]{4,200})[\"']",
    ),
    form(
        "</td> </th>",
        rf"<t[dh][^<>]{{0,80}}>\s{{0,8}}{NAME}:?\s{{0,8}}</t[dh]>"
        rf"\s{{0,16}}<td[^<>]{{0,80}}>\s{{0,8}}(?:<code>)?{CELL}\s{{0,8}}</",
    ),
    form("password", rf"(?:\A|\n) ?(?:\w{{1,20}}_)?(?i:password) {{1,20}}\| {VALUE}"),
)
