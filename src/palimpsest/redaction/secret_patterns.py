"""The patterns of keys, tokens and passwords, in one table.

- A pattern is tried only if the text contains one of its words, so that a long table does not make every text slow.
  Every quantifier is bounded.
- A pattern with a group finds the group: the name of a secret is not secret.
- A vendor's token is a secret unless it is an obvious example.
- An option of a command counts only after the command, in the same line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.lazy_regex import later


@dataclass(frozen=True, slots=True, eq=False)
class SecretPattern:
    """A regular expression for a secret. Each match contains one of the `words`.

    A match counts only in a line with one of the `commands`, if there are any, and with `at_word_start` only at the
    beginning of a word. With `must_look_random`, only a random value is a secret. A match has at least `min_chars`
    characters without a space.
    """

    words: tuple[str, ...]
    regex: re.Pattern[str]
    commands: tuple[str, ...] = ()
    must_look_random: bool = False
    at_word_start: bool = False
    min_chars: int = 0


def _pattern(
    words: str, regex: str, commands: str = "", *, must_look_random: bool = False, min_chars: int = 0
) -> SecretPattern:
    split_commands = tuple(commands.split(",")) if commands else ()
    return SecretPattern(
        tuple(words.split()), later(regex), split_commands, must_look_random, min_chars=min_chars
    )


VENDOR_CHARS, BOT_CHARS = 15, 56
"""The least characters of a vendor's token, and of a bot's token; neither contains a space."""

_LITERAL = re.compile(r"(?:[\w-]|\\[.$])+")
_MIXED = r"(?=[A-Za-z0-9]{0,40}[a-z])(?=[A-Za-z0-9]{0,40}[A-Z])(?=[A-Za-z0-9]{0,40}\d)[A-Za-z0-9]"
_SHORT = (("<mixed>", _MIXED), ("<uuid>", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"))


def _vendor(regex: str) -> SecretPattern:
    """A token that is a secret as a whole, from the beginning of a word to the end of letters and digits."""
    word = _LITERAL.match(regex)
    for short, long in _SHORT:
        regex = regex.replace(short, long)
    words = (word[0].replace("\\", ""),) if word else ()
    regex += r"(?![A-Za-z0-9])"
    return SecretPattern(words, later(regex), at_word_start=True, min_chars=VENDOR_CHARS)


_VENDORS = r"""
AKIA[A-Z0-9]{16} ASIA[A-Z0-9]{16} ABIA[A-Z0-9]{16} ACCA[A-Z0-9]{16} A3T[A-Z0-9]{17} ABSK[A-Za-z0-9+/]{100,260}={0,2}
bedrock-api-key-[A-Za-z0-9+/=_-]{40,2000} AIza[\w-]{30,60} ya29\.[\w.-]{16,2000} 1//0[\w-]{30,400} GOCSPX-[\w-]{20,60}
LTAI<mixed>{12,30} AKID[A-Za-z0-9]{32} do[opr]_v1_[a-f0-9]{40,80} v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}
cfut_[\w-]{38,60} cfat_[\w-]{38,60} hv[sbr]\.[\w-]{20,200} tskey-[a-z]{2,12}-[\w-]{16,90}
fm2_[A-Za-z0-9+/=_,-]{30,8000} fo1_[A-Za-z0-9+/=_-]{30,4000} fm1[ar]_[A-Za-z0-9+/=_-]{30,4000} HRKU-[\w-]{30,80}
dapi[a-f0-9]{32}(?:-\d)? pul-[a-f0-9]{40} pscale_(?:tkn|pw|oauth)_[\w.=-]{30,70} sbp_[a-f0-9]{36,44}
sb_secret_[\w-]{20,60} AVNS_[\w-]{16,30} nfp_[A-Za-z0-9]{34,44} rnd_<mixed>{26,32} vc[aikpr]_[\w-]{40,70}
t1\.[\w-]{20,400}\.[\w-]{80,100} AQVN[\w-]{34,40} y0_[\w-]{50,64} SWMTKN-\d-[A-Za-z0-9+/-]{40,120}
SWMKEY-\d-[A-Za-z0-9+/-]{40,120} sha256~[\w-]{43} essu_[A-Za-z0-9+/_-]{40,200}={0,2} napi_[A-Za-z0-9]{50,80}
ory_(?:pat|st|at|rt|ac)_[\w-]{30,120} dt0[cs]01\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{60,70} gh[pousr]_[A-Za-z0-9]{20,255}
github_pat_[A-Za-z0-9_]{20,255} GR1348941[\w-]{18,30} AT(?:BB|ATT3|CTT3)[\w=-]{24,250}
gl(?:pat|dt|rt|rtr|cbt|ptt|ft|oas|soat|imt|agent|ffct)-[\w.-]{18,120} BBDC-[A-Za-z0-9+/@_=-]{32,80}
npm_[A-Za-z0-9]{30,40} pypi-A[\w-]{40,400} rubygems_[a-f0-9]{40,60} oy2[a-z0-9]{43} CLOJARS_[a-z0-9]{50,70}
cio<mixed>{32} AKCp[A-Za-z0-9]{60,80} cmVmdGtu[A-Za-z0-9]{50,60} dckr_[po]at_[\w-]{20,60} CCIP(?:AT|PRJ)_[\w-]{20,120}
bk(?:a[ajr]|ct|p[st]|pat|ua)_[\w-]{30,400} snyk_[us]at\.[a-f0-9]{8}\.[\w.-]{30,120} sq[upa]_[a-f0-9]{40}
API-(?=[A-Z0-9]{0,40}\d)[A-Z0-9]{25,40} tfp_[\w.=-]{40,64} sgp_(?:local_|[a-fA-F0-9]{16}_)?[A-Za-z0-9]{40,64}
sntry[su]_[A-Za-z0-9_+/=-]{30,300} NR(?:AK|JS|AA|II|IQ|SP)-[A-Za-z0-9-]{19,44} gl(?:sa|c)_[A-Za-z0-9+/_=]{30,400}
eyJrIjoi[A-Za-z0-9+/]{60,400}={0,3} ddapp_[A-Za-z0-9]{30,44} dd[pw]_[A-Za-z0-9]{32,44} hcaik_[a-z0-9]{50,64}
ph[xs]_[\w-]{40,60} sdk-<uuid> mob-<uuid> api-<uuid> PMAK-[a-f0-9]{20,26}-[a-f0-9]{30,38}
ops_eyJ[A-Za-z0-9+/=_-]{40,4000} dp\.[a-z]{2,6}\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,46}
A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){3,5}[A-Z0-9]{5} sk-ant-[\w-]{40,300}
sk-(?!ssh|ecdsa|ant)(?:[a-z]{2,12}\d{0,2}-){0,4}(?=[\w-]{0,40}\d)[\w-]{16,300} sess-[A-Za-z0-9]{30,60}
hf_[A-Za-z0-9]{24,60} api_org_[A-Za-z0-9]{24,60} gsk_[A-Za-z0-9]{30,80} xai-(?=[\w-]{0,40}\d)[\w-]{20,120}
pplx-(?=[\w-]{0,40}\d)[\w-]{20,120} nvapi-(?=[\w-]{0,40}\d)[\w-]{20,120} tvly-(?=[\w-]{0,40}\d)[\w-]{20,120}
fc-[0-9a-f]{32} jina_\w{30,90} r8_(?=\w{0,40}\d)\w{30,60} tgp_v1_[\w-]{30,60} fw_<mixed>{20,40} csk-[a-z0-9]{30,60}
llx-[A-Za-z0-9]{40,60} pcsk_[A-Za-z0-9]{4,6}_[A-Za-z0-9]{50,80} lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}
ls__[a-f0-9]{32} wandb_v1_\w{60,100} pa-(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Z])[\w-]{40,46}
BSA(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[a-z])[\w-]{24,40} e2b_[a-f0-9]{40} apify_api_[A-Za-z0-9]{30,50} rpa_<mixed>{30,50}
m0-<mixed>{36,44} [sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250} whsec_[A-Za-z0-9+/=]{20,90} sq0[a-z]{3}-[\w-]{20,50}
EAAA[\w-]{56,64} access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}
AQE[A-Za-z0-9]{40,400}-[A-Za-z0-9+/=]{20,60} pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[\w-]{20,40}
FLWSECK(?:_TEST)?-[a-zA-Z0-9]{12,40}(?:-X)? shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}
\$aact_(?:prod|hmlg)_[A-Za-z0-9_:-]{20,200} SG\.[\w-]{16,32}\.[\w-]{30,64} xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}
xsmtpsib-[a-f0-9]{64}-[A-Za-z0-9]{16} mlsn\.[A-Za-z0-9]{32,100} key-[0-9a-f]{32} SK[0-9a-f]{32}
re_[A-Za-z0-9]{6,10}_<mixed>{16,40} xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9%-]{10,400} xapp-\d-[A-Za-z0-9-]{20,200}
ntn_[A-Za-z0-9]{40,60} secret_[A-Za-z0-9]{40,50} figd_[\w-]{30,60} lin_(?:api|oauth)_[A-Za-z0-9]{32,70}
pat[A-Za-z0-9]{14}\.[a-f0-9]{40,70} pat-[a-z]{2}\d-<uuid> CFPAT-[\w-]{40,50} EAA[A-Za-z0-9]{80,300} IGQV[\w-]{80,400}
AAAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{60,120} sl\.[\w-]{100,1500}
00D[A-Za-z0-9]{12}(?:[A-Za-z0-9]{3})?![A-Za-z0-9._]{60,260} shippo_(?:live|test)_[a-f0-9]{40} EZ[AT]K[A-Za-z0-9]{54}
duffel_(?:live|test)_[\w=-]{40,50} sk\.eyJ[\w-]{16,400}\.[\w-]{16,60}
eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})? eyJ[\w-]{8,4000}(?:\.[\w-]{16,8000}){2}(?:\.[\w-]{16,8000}){0,2}
AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{30,3000} nsec1[ac-hj-np-z02-9]{58} [xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}
""".split()
"""Clouds, code hosts, packages, builds, watching, models, payment, mail, shops, signed tokens, in this order."""

_ARMOUR = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:"
    r"(?=(?:(?!-----)[\s\S]){0,400}?[A-Za-z0-9+/]{16})(?:(?!-----)[\s\S]){16,8000}-----END [A-Z0-9 ]{0,40}-----|"
    r"(?:[^A-Za-z0-9+/]{1,24}(?:\d{1,6}[^A-Za-z0-9+/]{1,4})?[A-Za-z0-9+/]{24,500}={0,2}){1,200})"
)
"""A private key, complete or cut off, with any prefix of its lines."""
# fmt: off
_GIVEN = (r"(?:[ =]{0,2}\\{0,3}[\"']((?=\S)[^\"'\n\\]{3,200})(?=\\{0,3}[\"'])|"
          r"[ =]{0,2}(?![\"'\\-])([^\s\"'`\\|;<>)]{3,200}))")
"""The value of an option: a quoted text, or a word."""
_LOGINS = "docker login,podman login,registry login,az login,oc login,mongo,sqlcmd,ldap,mosquitto,zip ,tsql,bcp "
"""Commands with a password after `-p`, `-P` or `-w`."""

PATTERNS: tuple[SecretPattern, ...] = (
    *map(_vendor, _VENDORS),
    _pattern(".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,90}"),
    _pattern("NRAL", r"(?<!\w)[a-f0-9]{36}NRAL(?!\w)"),
    _pattern("AZDO", r"(?<!\w)[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}(?!\w)"),
    _pattern("-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9", r"(?<!\w)[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    _pattern(":fx", r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx(?!\w)"),
    _pattern(":AA", r"(?<![\w:])\d{8,10}:AA[\w-]{32,36}(?!\w)"),
    _pattern("PRIVATE", _ARMOUR),
    _pattern("PuTTY-User-Key-File", r"PuTTY-User-Key-File-\d[\s\S]{0,800}?Private-Lines: \d{1,4}\s{1,2}"
          r"([A-Za-z0-9+/=]{4,64}(?:\s{1,2}[A-Za-z0-9+/=]{4,64}(?=\s|\Z)){0,100})"),
    _pattern("PrivateKey", r"PrivateKey\s{0,3}=\s{0,3}([A-Za-z0-9+/]{43}=)"),
    _pattern("$2 $6$ $5$ $1$ $apr1$ $argon2 $y$",
          r"(?<![\w$])\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|(?:[156y]|apr1)\$[^\s:'\"\\]{20,140}|"
          r"argon2id?\$v=\d\d\$[^\s:'\"\\]{30,160})"),
    _pattern("Q~", r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{30,36}"),
    _pattern(".", r"(?<![\w.-])[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])", min_chars=BOT_CHARS),
    _pattern("AKIA", r"AKIA[A-Z0-9]{16}[\"']?[,;\t |]{1,4}[\"']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])"),
    _pattern("AccountKey= SharedAccessKey=", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,120}={0,2})"),
    # a vendor that no table has, by how vendors begin: acme_sk_live_...
    _pattern("_sk_ _token_ _key_ _pat_ _secret_ sk_ pat_ token_ key_ secret_ _live_ _prod_ -live- -prod-",
          r"(?<![A-Za-z0-9_./-])(?!pub|pk_)(?:[A-Za-z0-9]{1,16}[_-]){0,3}(?:secret|token|key|apikey|sk|pat|live|prod)"
          rf"[_-](?:v\d[_-]|live[_-]|test[_-]|prod[_-])?{_MIXED}[A-Za-z0-9]{{24,200}}(?![A-Za-z0-9_./-])",
          must_look_random=True),
    # addresses: who is in it, what signs it, who may post to it
    _pattern("://", r"://[^\s/:@\"'<>\\`,]{0,120}:([^\s/,\"'<>`\\]{2,200})@(?!sha\d)[\w.\[${%-]"),
    _pattern("://", r"://(?:[A-Za-z0-9-]{1,40}@)?([A-Za-z0-9_-]{20,250})@[\w.-]", must_look_random=True),
    _pattern("sig= Signature= signature=",
          r"[?&](?i:sig|(?:X-(?:Amz|Goog)-)?Signature)=([A-Za-z0-9%+/_-]{30,600}={0,2})"),
    _pattern("Signature=", r"AWS4-HMAC-SHA256 [^\n]{0,400}?Signature=([0-9a-f]{64})"),
    _pattern("key= apikey= code=", r"[?&](?:key|apikey|code)=([\w%.~-]{20,4000})", must_look_random=True),
    _pattern("hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,120})"),
    _pattern("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/(\d{10,24}/[\w-]{40,120})"),
    _pattern("office.com/webhook", r"office\.com/webhook\w{0,3}/([\w@/-]{40,300})"),
    _pattern("hooks.zapier.com", r"hooks\.zapier\.com/hooks/catch/(\d{4,10}/\w{5,20})"),
    _pattern("/bot", r"/bot(\d{8,10}:AA[\w-]{32,36})"),
    _pattern("oracle:thin:", r"oracle:thin:[\w.-]{1,60}/([^\s@\"'\\]{3,100})@"),
    # headers
    _pattern("uthorization AUTHORIZATION",
          r"(?i:authorization)\\{0,3}[\"']?(?:\s{0,3}[:=,]\s{0,3}|\]\s?=\s?)(?:[bf]?\\{0,3}[\"'])?"
          r"(?i:basic|bearer|token|apikey|api-key|bot|key|ghost|splunk|sso-key)[ =]{1,3}"
          r"(?:token=\\{0,3}[\"']?)?([A-Za-z0-9_~+/.=:-]{6,4000})", must_look_random=True),
    _pattern("earer BEARER", r"\b(?i:bearer)\s{1,3}([A-Za-z0-9_~+/.=%-]{12,4000})", must_look_random=True),
    _pattern("sess SESS sid SID auth AUTH oken jwt JWT remember",
          r"(?<![A-Za-z0-9])([\w.-]{0,40}(?i:sess|sid|auth|token|jwt|remember)[\w.-]{0,20})=(?P<value>[^\s;\"',\\]{12,4000})",
          "cookie,curl", must_look_random=True),
    # commands
    _pattern("-u -a --user --auth",
          r"\s(?:-u|-a|--auth|--user|--proxy-user)[ =]{0,2}[\"']?[^\s:\"'$]{1,80}:([^\s\"'\\]{3,200})",
          "curl,wget,http "),
    _pattern("-p -P", r"\s-[pP]([^\s\"'`\\=-][^\s\"'`\\]{3,100})", "mysql,mariadb"),
    _pattern("-p", r"\s-p" + _GIVEN, "sshpass"),
    _pattern("-p -P -w -W", r"\s-[pPwW] {1,3}" + _GIVEN, _LOGINS),
    _pattern("-a --pass", r"\s(?:-a|--pass)" + _GIVEN, "redis-cli"),
    _pattern("pass:", r"\s-pass(?:in|out)?[ =]{1,2}pass:([^\s\"'\\]{3,200})"),
    _pattern("-storepass -keypass", r"\s-(?:store|key|srcstore|deststore)pass" + _GIVEN),
    _pattern("-b -nb -B", r"\s-[a-zA-Z]{0,3}b[a-zA-Z]{0,2} [^\n]{1,120}? ([^\s\"'\\]{4,100})(?=\s{0,3}(?:\n|\"|\Z))",
          "htpasswd"),
    _pattern("sudo", r"\becho (?:-n )?" + _GIVEN + r"[\"']? ?\| ?sudo "),
    _pattern("--password-stdin", r"\b(?:echo|printf) (?:-n )?" + _GIVEN + r"[\"']? ?\| ?[^\n|]{1,120}--password-stdin"),
    _pattern("--from-literal", r"--from-literal[= ][\"']?[\w.-]{1,80}=([^\s\"'\\]{3,400})", "secret"),
    _pattern("%", r"\s(?:-U|--user)[ =]{1,2}[\"']?[\w.\\/-]{1,60}%([^\s\"'\\]{3,100})", "smbclient,rpcclient"),
    _pattern("--body -b", r"\bsecret set [\w-]{1,80} (?:[^\n]{1,80} )?(?:--body|-b)" + _GIVEN),
    _pattern("aws_secret_access_key", r"aws_secret_access_key ([A-Za-z0-9+/]{40})"),
    _pattern("IDENTIFIED identified",
          r"(?i:identified)(?: (?i:with) [\w\"']{1,40})? (?i:by) (?i:password )?\\{0,3}[\"']([^\"'\n\\]{3,200})"),
    # files of passwords
    _pattern("machine", r"\bmachine\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,4}(\S{2,200})"),
    _pattern("_auth", r":_auth(?:Token)?\s{0,2}=\s{0,2}\\{0,3}[\"']?([^\s\"'\\]{8,4000})"),
    _pattern(":5432: :5433: :6432: :*:",
          r"(?<![\w.:/*-])[A-Za-z*][\w.*-]{0,80}\.?[\w*-]{0,40}:(?:5432|5433|6432|\*):[A-Za-z*][\w*-]{0,62}:"
          r"[A-Za-z*][\w*-]{0,62}:([^\s:\"'`\\]{4,200})(?=[\s\"'`]|\Z)"),
)

KIND_BY_NAME = {
    **dict.fromkeys("password passwd passphrase passwort passcode pwd pass pw".split(), "password"),
    **dict.fromkeys("secret key psk".split(), "key"),
    **dict.fromkeys("token credential credentials auth _pat".split(), "token"),
}
"""The names of secrets: passwords, keys, and tokens, which must look random."""
WHOLE_NAMES = ("pass", "pw", "auth", "psk")
"""Names that count only at the beginning of a word: not in `bypass`."""
KEY_OWNERS = tuple(
    "api access secret private signing encryption encrypt crypt master auth account license storage shared session "
    "hmac jwt fernet service app admin function subscription deploy webhook consumer cookie".split()
)
"""Words before `key` in the name of a secret."""
POINTERS = tuple(
    "next page continuation sync cursor resume cancel cancellation idempotency previous public publickey primary "
    "foreign cache sort partition host".split()
)
"""Words before `token` or `key` in a name that is a position, not a secret."""
# fmt: on
