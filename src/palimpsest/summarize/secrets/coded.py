"""Secrets in code and in commands: an option of one program, what a test types into a field, pairs of name and value.

Rules kept here:

- As in `carried`, what stands around the value gives it away. What a field or a pair may hold besides is kept out by
  asking for a digit or a sign in the value.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.spoken import CELL, VALUE

_KEYS = r"secret|token|api[_-]?key"
_NAMED = rf"(?i:password|passwd|passphrase|passwort|passcode|\bpwd\b|{_KEYS}|access[_-]?key|private[_-]?key)"
_FIELD = rf"(?i:password|passwd|passphrase|passwort|passcode|contraseña|\bpwd\b|\bpin\b|\botp\b|{_KEYS})"
_LABEL = rf"(?:(?i:password|passwd|passphrase|passwort|passcode|contraseña|\bpwd\b|\bpin\b|\botp\b)|(?i:{_KEYS})(?= ))"
"""What a field is called; a key is where words say so ("API key field"), not where it has one name (`max_tokens`)."""
_TYPES = (
    r"(?:fill|fill_in|type|press_?[sS]equentially|send_?[kK]eys|set_?[vV]alue|add_?[vV]alue|enter_?[tT]ext|"
    r"typeText)"
)
_TYPED = r"[\"'`]([^\"'`\n\s$][^\"'`\n\s]{3,200})[\"'`]"
_PAIRED = r"[\"']((?=[^\s\"']{0,400}\d)[^\s\"'{}$<][^\s\"'{}<]{5,400})[\"']"
_WORD = r"[\"']?([^\s\"'$<{-][^\s\"'$]{3,400})"

_FILLS = (
    ".fill( .fill_in( .type( .presssequentially( .press_sequentially( .send_keys( .sendkeys( .setvalue( .set_value( "
    ".addvalue( .add_value( .entertext( .enter_text( .typetext("
)
_VALUE = "\"value\" 'value'"

CODED: tuple[tuple[str, ...], ...] = (
    # fields that a test or a robot fills
    (
        _FILLS,
        (
            rf"\.{_TYPES}\(\s{{0,4}}(?P<mark>[\"'`])(?:(?!(?P=mark))[^\n]){{0,120}}?{_FIELD}(?:(?!(?P=mark))[^\n]){{0,60}}"
            rf"(?P=mark)\s{{0,2}},\s{{0,4}}{_TYPED}"
        ),
    ),
    (
        _FILLS,
        rf"{_FIELD}[^\n;(]{{0,40}}\)\s{{0,20}}\.{_TYPES}\(\s{{0,4}}{_TYPED}",
    ),
    (
        '"text" "value"',
        (
            rf"\"(?:element|name|label|field|placeholder|selector)\"\s{{0,3}}:\s{{0,3}}\"[^\"\n]{{0,60}}{_LABEL}(?!_\w|[a-z])[^\"\n]{{0,40}}\""
            r"(?:,\s{0,8}\"\w{1,30}\"\s{0,3}:\s{0,3}(?:\"[^\"\n]{0,80}\"|\w{1,10})){0,4},\s{0,8}"
            r"\"(?:text|value)\"\s{0,3}:\s{0,3}\"([^\s\"\\${}<]{4,200})\""
        ),
    ),
    # pairs of name and value
    (
        _VALUE,
        (
            rf"(?i:[\"']value[\"'])\s{{0,2}}:\s{{0,2}}{_PAIRED},\s{{0,40}}(?i:[\"'](?:name|key)[\"'])\s{{0,2}}:\s{{0,2}}"
            rf"[\"']\w{{0,60}}{_NAMED}[\"']"
        ),
    ),
    ("pin otp", r"(?i:[\"'](?:pin|otp|pin_?code|otp_?code)[\"'])\s{0,2}:\s{0,2}[\"']?(\d{4,8})(?![\w.])"),
    ("otp", r"(?i:(?<![A-Za-z0-9_])otp)\s{0,2}[:=]\s{0,2}[\"']?(\d{4,8})(?![\w.])"),
    # calls that open something
    (
        (
            "getconnection( mysqli( mysqli_connect( pdo( ->connect( networkcredential( usernamepasswordcredential( "
            "credentials( passwordauthentication("
        ),
        (
            r"(?:getConnection|mysqli|mysqli_connect|PDO|->connect|[nN]etworkCredential|\w{0,30}Credentials|"
            r"PasswordAuthentication|UsernamePasswordCredential)"
            rf"\((?:\s{{0,8}}(?:\"[^\"\n]{{0,160}}\"|'[^'\n]{{0,160}}'|\$?[\w.]{{1,60}}),){{1,4}}\s{{0,8}}[\"']{CELL}[\"']"
        ),
    ),
    (
        "jwt hmac( .new( encode( decode(",
        (
            r"\b(?:jwt\.(?:sign|verify|encode|decode)|[hH]mac\.new|create[hH]mac|createCipher\w{0,4})\("
            rf"(?:\s{{0,8}}[^,()\n]{{1,80}}(?:\([^()\n]{{0,80}}\))?,){{0,1}}\s{{0,8}}b?[\"'`]{CELL}[\"'`]"
        ),
    ),
    ("password(", rf"(?i:\bpassword)\(\s{{0,2}}'{CELL}'\s{{0,2}}\)"),
    (
        "b' b\"",
        rf"= {{0,3}}b(?:(?<=(?i:key|ret|ord|ass|ken) = b)|(?<=(?i:key|ret|ord|ass|ken)=b))[\"']{CELL}[\"']",
    ),
    (
        "|| ??",
        rf"(?i:\bpass(?:word)?)\w{{0,10}}[\"'\])]{{0,3}}\s{{0,2}}(?:\|\||\?\?)\s{{0,2}}[\"'`]{CELL}[\"'`]",
    ),
    ("n'", r"(?i:\bpassword)\s{0,3}=\s{0,3}N'([^'\n]{4,200})'"),
    (
        "'s/ \"s/ 's| \"s| 's# \"s#",
        rf"s([/|#])(?:(?!\1)[^\n]){{0,60}}(?i:pass|secret|token|key|_pw)(?:(?!\1)[^\n]){{0,30}}\1(?:[\w.-]{{1,60}}=)?{VALUE}\1",
    ),
    ("send", rf"\bsend (?:-- )?\"{VALUE}\\r\""),
    (
        "jwt encryption",
        (
            r"(?i:\"\w{0,20}(?:jwt|encryption|signing)\w{0,20}\")\s{0,3}:\s{0,3}\{[^{}]{0,400}?"
            rf"\"(?i:key|secret|signingkey)\"\s{{0,3}}:\s{{0,3}}\"{CELL}\""
        ),
    ),
    ("random_password", r"\"random_password\"[^\n]{0,800}?\"result\":\s{0,3}\"([^\"\n]{6,400})\""),
    ("<pass", r"<(?i:pass|password|passwd) [^<>]{1,60}>([^<>\s]{6,400})</"),
    (
        "type=\"password\" type='password'",
        r"(?i:<input)\b[^<>]{0,200}?(?i:type=[\"']password[\"'])[^<>]{0,200}?(?i:value=)[\"']([^\"'<>\s{}]{4,200})[\"']",
    ),
    # headers and addresses
    (
        "jsessionid phpsessid sessionid connect.sid _session",
        (
            r"=(?:(?<=SESSIONID=)|(?<=PHPSESSID=)|(?<=SessionId=)|(?<=connect\.sid=)|(?<=sessionid=)|(?<=_session=)|"
            r"(?<=_session_id=))((?=[^\s;\"',]{0,200}\d)[^\s;\"',${}()]{16,400})"
        ),
    ),
    (
        "/magic /reset /verify /invite /activate",
        (
            r"https?://[^\s\"'<>]{1,200}/(?:magic(?:-link)?|reset(?:-password)?|verify(?:-email)?|invite|activate)/"
            r"((?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Z])[\w-]{30,400})"
        ),
    ),
    (
        "-key",
        (
            r"(?i:(?<![\w-])(?:x|ocp)-(?![\w-]{0,30}(?:cache|idempotency|request|trace|partition|surrogate|sort|routing|"
            r"correlation|object|row|public)[\w-]{0,30}key)[\w-]{1,40}-key)[\"']?\s{0,2}[:,]\s{0,2}[\"']?"
            r"((?=[\w+/=.~-]{0,200}\d)(?=[\w+/=.~-]{0,200}[A-Za-z])[\w+/=.~-]{12,400})"
        ),
    ),
    # variables and messages
    ("_sk _pw _psk", rf"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{{0,40}}_(?:SK|PW|PSK)=[\"']?{VALUE}"),
    ("_pin", r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{0,40}_PIN=[\"']?(\d{4,8})(?!\w)"),
    ("token=s.", r"(?i:token)=[\"']?(s\.[A-Za-z0-9]{20,40})(?!\w)"),
    (
        "incorrect invalid wrong",
        (
            r"(?i:\b(?:incorrect|invalid|wrong) (?:api key|token|password|credentials?|access key))"
            rf"(?i: provided| given)?(?::\s|\s)[\"'`]?(?=[^\s|<>]{{0,60}}\d){VALUE}"
        ),
    ),
    ("_otp", r"(?<![A-Za-z0-9_])[A-Z][A-Z0-9_]{0,40}_OTP[:=]\s?[\"']?(\d{6,8})(?!\w)"),
    ("session=", r"[?&]session=((?=[^\s&\"']{0,60}\d)[^\s&\"'<>${}]{16,400})"),
    (
        "default=",
        rf"[\"']--[\w-]{{0,30}}{_FIELD}[\w-]{{0,20}}[\"'](?:,[^()\n]{{0,120}}?)?,\s{{0,2}}default=[\"']{CELL}[\"']",
    ),
    ("password><", r"(?i:password)><[vV]alue>([^<>\s]{4,400})</"),
    ("protectinmemory=", r"ProtectInMemory=\"True\">([^<>\s]{4,400})</"),
    (
        "setuser user",
        rf"(?:\bSETUSER|(?:\A|\n)user)\s{{1,3}}[\w.-]{{1,60}}\s[^\n]{{0,60}}?>{VALUE}",
        r">\S",
    ),
    # commands
    ("--otp", r"--otp[ =]{1,2}(\d{6,8})(?!\w)"),
    ("login", r"\b(?:cargo|npm|hex|gem)\s{1,3}login\s{1,3}((?=[\w-]{0,80}\d)[\w-]{16,200})(?!\w)"),
    ("set", rf"\bset\s{{1,3}}-[a-zA-Z]{{1,3}}\s{{1,3}}\w{{0,40}}{_NAMED}\w{{0,10}}\s{{1,3}}[\"']?{VALUE}"),
    ("/user:", rf"\bnet use\b[^\n/]{{0,120}}?\s{VALUE}\s{{1,3}}/user:"),
    ("unlock", rf"\bbw\s{{1,3}}(?:unlock|login \S{{1,80}})\s{{1,3}}{VALUE}"),
    ("snmp", rf"\bsnmp\w{{2,12}}\s[^\n]{{0,200}}?\s-A\s{{1,3}}{VALUE}"),
    ("snmp", rf"\bsnmp\w{{2,12}}\s[^\n]{{0,200}}?\s-X\s{{1,3}}{VALUE}"),
    (
        "wrangler cryptsetup",
        (
            rf"\b(?:echo|printf)\s{{1,2}}(?:-n\s{{1,2}})?[\"']?{VALUE}[\"']?\s{{0,3}}\|\s{{0,3}}"
            r"(?:npx\s)?(?:wrangler|sudo cryptsetup|cryptsetup)\b"
        ),
    ),
    (
        "login twine mongo",
        r"\b(?:(?:az|oc|cf|ibmcloud)\s{1,3}login|twine|mongo(?:sh|dump|restore)?)\s[^\n|;&]{0,200}?\s-p[ =]{0,2}"
        + _WORD,
    ),
    ("vault", r"\bvault\s{1,3}login\s{1,3}(?:-[\w=-]{1,40}\s{1,3}){0,4}(?![\w]{1,20}=)" + _WORD),
    ("--body -b", r"\bgh\s{1,3}secret\s{1,3}set\s[^\n|;&]{0,200}?\s(?:--body|-b)[ =]{0,2}" + _WORD),
    (
        "put-parameter",
        r"\bput-parameter\b(?=[^\n]{0,400}(?i:SecureString|pass|secret|token|key|/pw))[^\n]{0,400}?\s--value[ =]{1,2}"
        + _WORD,
    ),
    ("--secret-string", r"--secret-string[ =]{1,2}(?![\"']?file:)" + _WORD),
    ("openssl", r"\bopenssl\s{1,3}enc\b[^\n|;&]{0,200}?\s-k\s{1,2}" + _WORD),
    (
        "encrypt_string",
        r"\bansible-vault\s{1,3}encrypt_string\s(?:--?[\w-]{1,30}[ =]\S{1,80}\s{1,3}){0,4}" + _WORD,
    ),
    ("/user:", r"\bnet use\b[^\n]{0,120}?\s/user:\S{1,80}\s{1,3}" + _WORD),
    ("_authtoken", r"_authToken[\"']?\s{1,3}" + _WORD),
    (
        "add_user change_password",
        rf"\brabbitmqctl\s{{1,3}}(?:add_user|change_password)\s{{1,3}}\S{{1,60}}\s{{1,3}}{_WORD}",
    ),
    (
        "wpa_passphrase",
        r"\bwpa_passphrase\s{1,3}(?:\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|\S{1,40})\s{1,3}" + _WORD,
    ),
    ("lftp", rf"\blftp\b[^\n|;&]{{0,120}}?\s-u\s{{0,2}}[\"']?[\w.@-]{{1,60}},{VALUE}"),
    ("alias", r"\bmc\s{1,3}alias\s{1,3}set\s{1,3}\S{1,60}\s{1,3}\S{1,200}\s{1,3}\S{1,80}\s{1,3}" + _WORD),
    ("doctl", r"\bdoctl\b[^\n|;&]{0,80}?\s(?:-t|--access-token)[ =]{1,2}" + _WORD),
)
