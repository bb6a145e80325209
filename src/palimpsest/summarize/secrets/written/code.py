"""Secrets in code: what a call opens something with, what a test types into a field, pairs of name and value.

Rules kept here:

- As in `files`, what stands around the value gives it away. What a field or a pair may hold besides is kept out by
  asking for a digit or a sign in the value.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.looks.forms import CELL, UNCODED, VALUE, form

_NO_VERDICT = r"(?!(?i:pass(?:ed)?|fail(?:ed)?|yes|none|true|false|n/a)\b)"
"""What a check says of itself under the same name."""
_KEYED = r"(?i:password|passwd|passphrase|_pass|\.pass|secret|token|api[_-]?key|access[_-]?key)"
_NO_PAGE = r"(?!(?i:[\w.:-]{0,40}(?:next|page|continuation|sync|cursor)[\w-]{0,12}token))"
"""What names the token of a page opens nothing."""
_BOTH = r"(?=[^\s\"'`]{0,60}[a-z])(?=[^\s\"'`]{0,60}[A-Z!@#%^&?*+~])"
_FILLS = (
    ".fill( .fill_in( .type( .presssequentially( .press_sequentially( .send_keys( .sendkeys( .setvalue( .set_value( "
    ".addvalue( .add_value( .entertext( .enter_text( .typetext("
)
_TYPES = r"(?:fill|fill_in|type(?:Text)?|press_?[sS]equentially|send_?[kK]eys|(?:set|add)_?[vV]alue|enter_?[tT]ext)"
_KEYS = r"secret|token|api[_-]?key"
_FIELD = rf"(?i:password|passwd|passphrase|passwort|passcode|contraseña|\bpwd\b|\bpin\b|\botp\b|{_KEYS})"
_TYPED = r"[\"'`]([^\"'`\n\s$][^\"'`\n\s]{3,200})[\"'`]"
_LABEL = rf"(?:(?i:password|passwd|passphrase|passwort|passcode|contraseña|\bpwd\b|\bpin\b|\botp\b)|(?i:{_KEYS})(?= ))"
"""What a field is called; a key is where words say so ("API key field"), not where it has one name (`max_tokens`)."""
_VALUE = "\"value\" 'value'"
_PAIRED = r"[\"']((?=[^\s\"']{0,400}\d)[^\s\"'{}$<][^\s\"'{}<]{5,400})[\"']"
_NAMED = rf"(?i:password|passwd|passphrase|passwort|passcode|\bpwd\b|{_KEYS}|access[_-]?key|private[_-]?key)"
_MADE = r"(?:[\w.:\[\]]{0,40}(?i:hex|bytes?|code|from|parse|string)\(\s{0,40})?"
_ARGUMENT = r"(?:\s{0,40}(?:\{[^{}]{0,300}\}|[^,(){}\n]{1,80}(?:\([^()\n]{0,80}\))?),)"
_GIVEN = r"[bBuU]?[\"'`](?![^\s\"'`]{0,60}[\\${<])([^\"'`\n ](?:[^\"'`\n]{4,400})[^\"'`\n ])[\"'`]"
"""How a key is made of a literal, and the literal: it may have blanks, as a phrase has."""

CODE = (
    # fields that a test or a robot fills
    form(
        _FILLS,
        rf"\.{_TYPES}\(\s{{0,40}}(?P<mark>[\"'`])(?:(?!(?P=mark))[^\n]){{0,120}}?{_FIELD}(?:(?!(?P=mark))[^\n]){{0,60}}"
        rf"(?P=mark)\s{{0,2}},\s{{0,4}}{_TYPED}",
    ),
    form(_FILLS, rf"{_FIELD}[^\n;(]{{0,40}}\)\s{{0,20}}\.{_TYPES}\(\s{{0,40}}{_TYPED}"),
    form(
        '"text" "value"',
        rf"\"(?:element|name|label|field|placeholder|selector)\"\s{{0,3}}:\s{{0,3}}\"[^\"\n]{{0,60}}{_LABEL}(?!_\w|[a-z])[^\"\n]{{0,40}}\""
        r"(?:,\s{0,40}\"\w{1,30}\"\s{0,3}:\s{0,3}(?:\"[^\"\n]{0,80}\"|\w{1,10})){0,4},\s{0,40}"
        r"\"(?:text|value)\"\s{0,3}:\s{0,3}\"([^\s\"\\${}<]{4,200})\"",
    ),
    form(
        "fill_in",
        rf"\bfill_in[ (]\s{{0,4}}[\"'][^\"'\n]{{0,60}}{_FIELD}[^\"'\n]{{0,40}}[\"'],\s{{0,4}}with:\s{{0,4}}{_TYPED}",
    ),
    # places in a call
    form(
        ".connect(",
        r"\.connect\(\s{0,40}[\"'][^\"'\n]{1,120}[\"'],\s{0,4}(?:\d{1,5},\s{0,4})?[\"'][\w.@-]{1,60}[\"'],\s{0,4}[\"']([^\"'\n]{4,200})[\"']",
    ),
    # pairs of name and value
    form(
        '"sensitive"',
        r"\"sensitive\"\s{0,3}:\s{0,3}true\b[^{}]{0,200}?\"value\"\s{0,3}:\s{0,3}\"([^\"\n]{4,2000})\"",
    ),
    form(
        _VALUE,
        rf"(?i:[\"']value[\"'])\s{{0,2}}:\s{{0,2}}{_PAIRED},\s{{0,40}}(?i:[\"'](?:name|key)[\"'])\s{{0,2}}:\s{{0,2}}"
        rf"[\"']\w{{0,60}}{_NAMED}[\"']",
    ),
    form(
        "pass pw",
        rf"(?<![A-Za-z0-9])(?i:pass|pw)[\"']?\s{{0,2}}(?:=>|:=|=|:)\s{{0,2}}(\\?[\"'`]){_NO_VERDICT}"
        r"((?=[^\"'\n]{0,200}[\dA-Z!@#$%^&*?+=~])[^\"'`\s\\]{6,200})\1",
    ),
    form(
        "pass secret token key",
        rf"[\"']{_NO_PAGE}[\w.:-]{{0,40}}{_KEYED}\w{{0,10}}[\"']\s{{0,2}},\s{{0,2}}[\"']{UNCODED}{CELL}[\"']",
    ),
    form(
        "jwt encryption",
        r"(?i:\"\w{0,20}(?:jwt|encryption|signing)\w{0,20}\")\s{0,3}:\s{0,3}\{[^{}]{0,400}?"
        rf"\"(?i:key|secret|signingkey)\"\s{{0,3}}:\s{{0,3}}\"{CELL}\"",
    ),
    form("random_password", r"\"random_password\"[\s\S]{0,1200}?\"result\":\s{0,3}\"([^\"\n]{6,400})\""),
    # names that a value is given
    form(
        "variable",
        r"\bvariable\s{1,3}\"\w{0,40}(?:password|secret|token|api_?key)\w{0,20}\"\s{0,3}\{[^{}]{0,400}?\bdefault\s{0,40}=\s{0,3}\""
        r"([^\"\n$]{4,400})\"",
        sign=r"variable\s{1,3}\"",
    ),
    form(
        "buildconfigfield resvalue",
        rf"(?i:buildConfigField|resValue)\s?\(?\s{{0,12}}(?i:([\"'])string\1),\s{{0,12}}[\"']\w{{0,60}}{_NAMED}[\"'],\s{{0,12}}"
        r"[\\\"']{1,5}([^\s\\\"'$<{]{4,400})[\\\"']",
    ),
    form("_pass", rf"\b[A-Z0-9_]{{0,40}}_PASS(?:WORD|PHRASE)?[ \t]{{1,8}}\"{CELL}\""),
    form(
        "b' b\"",
        rf"= {{0,3}}b(?:(?<=(?i:key|ret|ord|ass|ken) = b)|(?<=(?i:key|ret|ord|ass|ken)=b))[\"']{CELL}[\"']",
    ),
    form("n'", r"(?i:\bpassword)\s{0,3}=\s{0,3}N'([^'\n]{4,200})'"),
    form(
        "|| ??",
        r"(?i:password|passwd|secret|token|api_?key)\w{0,10}[\"'\])]{0,3}\s{0,2}(?:\|\||\?\?)\s{0,2}[\"']([^\"'\n\s]{8,400})[\"']",
        judged=True,
        sign=r"[|?](?:(?<=\|)\||(?<=\?)\?)\s{0,2}[\"']",
    ),
    form(
        "|| ??",
        rf"(?i:\bpass(?:word)?)\w{{0,10}}[\"'\])]{{0,3}}\s{{0,2}}(?:\|\||\?\?)\s{{0,2}}[\"'`]{CELL}[\"'`]",
    ),
    form(
        "default=",
        rf"[\"']--[\w-]{{0,30}}{_FIELD}[\w-]{{0,20}}[\"'](?:,[^()\n]{{0,120}}?)?,\s{{0,2}}default=[\"']{CELL}[\"']",
    ),
    form(
        "decode( atob( from( byte( bytes( data(",
        r"(?:(?i:secret|password|passwd|token)|(?i:(?<!ublic)(?<!ublic[_-])(?<!pub)(?<!pub[_-])key))\w{0,20}\s{0,3}:?[:=]\s{0,3}[\w.\[\]]{0,40}(?i:decode|atob|from|bytes?|data)\(\s{0,2}b?[\"']"
        r"([A-Za-z0-9+/_=-]{12,400})[\"']",
        judged=True,
    ),
    form(
        "_salt _key",
        r"\bdefine\(\s{0,3}[\"'](?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)[\"']"
        r"\s{0,3},\s{0,24}(?!'put your unique)'([^'\n]{20,200})'",
    ),
    # calls that open something, or check a password
    form(
        "auth",
        r"(?:\bauth\s{0,2}=\s{0,2}|HTTP(?:Basic|Digest)Auth|BasicAuth)\(\s{0,40}[\"'][^\"'\n]{1,120}[\"'],\s{0,4}[\"']([^\"'\n]{4,200})[\"']",
        sign=r"uth\s{0,2}=?\s{0,2}\(",
    ),
    form("wifi.begin", r"\bWiFi\.begin\(\s{0,40}[^\n,]{1,80},\s{0,4}\"([^\"\n]{8,63})\""),
    form(
        "hashpw( checkpw( password( password_hash( bcrypt.hash bcrypt.compare",
        r"\b(?:\w{0,20}(?:verify|hash|check|make|encrypt|validate|compare)_?(?i:password|passwd|pw)\w{0,10}|"
        r"bcrypt\.(?:hash|compare)\w{0,6})\("
        rf"(?:\s{{0,4}}[^,()\"'\n]{{1,60}},)?\s{{0,4}}b?[\"'`]{CELL}[\"'`]",
    ),
    form(
        "signin( sign_in( signup( sign_up( login( log_in( authenticate( andpassword( register( networkcredential( "
        "mysqli_connect( getconnection(",
        r"(?i:sign_?in|sign_?up|log_?in|authenticate|register|andpassword|networkcredential|mysqli_connect|getconnection)"
        r"\((?:\s{0,40}(?:[\"'][^\"'\n]{1,80}[\"']|[\w.]{1,60}),){1,2}"
        rf"\s{{0,4}}[\"'`]{_BOTH}{CELL}[\"'`]",
    ),
    form(
        "getconnection( mysqli( mysqli_connect( pdo( ->connect( networkcredential( usernamepasswordcredential( "
        "credentials( passwordauthentication(",
        r"(?:getConnection|mysqli|mysqli_connect|PDO|->connect|[nN]etworkCredential|\w{0,30}Credentials|"
        r"PasswordAuthentication|UsernamePasswordCredential)"
        rf"\((?:\s{{0,40}}(?:\"[^\"\n]{{0,160}}\"|'[^'\n]{{0,160}}'|\$?[\w.]{{1,60}}),){{1,4}}\s{{0,40}}[\"']{CELL}[\"']",
    ),
    form(
        "host= jdbc: dbname=",
        r"(?i:connect\w{0,12}|\bPDO|__construct|getconnection|mysqli|datasource)\(\s{0,40}"
        r"[\"'](?:[^\"'\n]{0,120}(?:host=|dbname=)|jdbc:)[^\"'\n]{0,200}[\"'],\s{0,40}[\"'][^\"'\n]{1,80}[\"'],"
        r"\s{0,40}[\"'](?!\$)([^\"'\n\s]{4,200})[\"']",
    ),
    form(
        "twilio ac",
        r"(?:\bAC[0-9a-f]{32}|(?i:\btwilio)[\"']?\)?\(\s{0,40}[\w.]{1,60})[\"'`]?\s{0,2},\s{0,40}[\"'`]([0-9a-f]{32})[\"'`]",
        sign=r"[\"'`][0-9a-f]{32}[\"'`]",
    ),
    # calls that are given a key: ciphers, signers, clients
    form(
        "aes des. des3 arc4 blowfish cha20 salsa20 fernet secretbox secretkeyspec newcipher urlsafe timestampsigner "
        "hmac cookieparser signingkey",
        r"(?<![\w.])(?:(?:\w{1,20}\.){0,3}(?:(?:AES|DES3?|ARC4|Blowfish|ChaCha20(?:_Poly1305)?|Salsa20|hmac|HMAC)\.new|"
        r"hmac\.digest|algorithms\.\w{3,12}|(?:Multi)?Fernet|AES(?:GCM|CCM|SIV)|X?ChaCha20Poly1305|SecretBox|"
        r"Hmac\w{0,12}::new_from_slice|SecretKeySpec|NewCipher|URLSafe\w{0,12}Serializer|TimestampSigner|SigningKey|cookieParser))"
        rf"\(\s{{0,40}}{_MADE}{_GIVEN}",
    ),
    form(
        "jwt hmac cipher .encrypt( .decrypt( openssl_",
        r"(?:\bjwt\.(?:sign|verify|encode|decode)|\bhmac\.New|create_?[hH]mac|create(?:Dec|C)ipher(?:iv)?|"
        rf"HMAC\.(?:hex)?digest|CryptoJS\.\w{{2,12}}(?:\.(?:en|de)crypt)?|(?P<two>hash_hmac|openssl_\w{{2}}crypt))"
        rf"\({_ARGUMENT}(?(two){_ARGUMENT})\s{{0,40}}{_MADE}{_GIVEN}",
    ),
    form(
        "client( api( sdk(",
        r"\b\w{0,20}(?:Client|API|Api|SDK)\((?:\s{0,40}[^,()\n]{1,80},)?\s{0,40}[\"'`]"
        r"((?=[^\s\"'`]{0,40}\d)(?=[^\s\"'`]{0,40}[A-Za-z])(?![a-z]{2,9}_[A-Za-z0-9]{14,24}[\"'])[A-Za-z0-9_]{20,200})[\"'`]",
        judged=True,
    ),
    form("password(", rf"(?i:\bpassword)\(\s{{0,2}}'{CELL}'\s{{0,2}}\)"),
    form(
        "securestring",
        r"(?i:ConvertTo-SecureString)(?:\s{1,3}-String)?\s{1,3}[\"']([^\"'\n$][^\"'\n]{3,400})[\"']",
    ),
    # what is put in the stead of something
    form(
        "'s/ \"s/ 's| \"s| 's# \"s#",
        rf"s([/|#])(?:(?!\1)[^\n]){{0,60}}(?i:pass|secret|token|key|_pw)(?:(?!\1)[^\n]){{0,30}}\1(?:[\w.-]{{1,60}}=)?{VALUE}\1",
    ),
    form(
        "changeme change_me replace_me replaceme placeholder xxx dummy your_ your-",
        r"\bs([/|#])(?i:change_?me|replace_?me|placeholder|x{3,20}|dummy|<?your[_-][\w-]{1,40}>?)\1"
        r"(?![^\s/|#]{0,60}\\)(?=[^\s/|#]{0,60}\d)(?=[^\s/|#]{0,60}[A-Za-z])([^\s/|#\"'$]{8,200})\1",
    ),
    form(
        "=%s :%s :_%s",
        rf"(?i:pass\w{{0,12}}|token|secret|key)[=:]\s?%s[^\n\"']{{0,40}}[\"']\s{{1,3}}[\"']?{CELL}",
    ),
    form("send", rf"\bsend (?:-- )?\"{VALUE}\\r\""),
)
