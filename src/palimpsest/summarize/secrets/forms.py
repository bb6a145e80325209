"""What keys, tokens and passwords look like: one table, made to be added to.

Rules kept here:

- A form is tried only where one of its words stands in the text (lower-case), so that the table can grow without
  making every text slower. Where its words are in many texts, a `sign` that is quickly looked for must stand there too:
  an expression that begins with a character, not with a choice or with what stands before. Every pattern is bounded.
- Words that begin a form, and end in one of `HEAD_ENDS`, are looked for all at once: by how a text's words begin.
- A form without a group is the secret as a whole; with one, only the group is: what names a secret is not secret.
- What has a form of its own (a vendor's prefix, an armoured key) is taken as it is. What only its name makes a secret
  (`password = ...`) is judged by its value, in `redact`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.secrets.carried import CARRIED
from palimpsest.summarize.secrets.coded import CODED
from palimpsest.summarize.secrets.issued import ISSUED, SHAPED
from palimpsest.summarize.secrets.settled import SETTLED
from palimpsest.summarize.secrets.spoken import SPOKEN
from palimpsest.summarize.secrets.told import TOLD
from palimpsest.summarize.secrets.vendors import PLACED, VENDORS


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A pattern, the lower-case words of which one stands in every text that it matches, whether the value must look
    random to count, what else stands in every match, and whether the words begin it.
    """

    words: tuple[str, ...]
    pattern: re.Pattern[str]
    judged: bool = False
    sign: re.Pattern[str] | None = None
    begins: bool = False


def _form(words: str, pattern: str, sign: str = "", *, judged: bool = False) -> Form:
    begins = pattern.startswith(_B) and pattern.count(_B) == 1
    sign = sign or (_SIX if _SIX_PARTED in pattern else "")
    return Form(tuple(words.split()), later(pattern), judged, later(sign) if sign else None, begins)


_B = r"(?<![A-Za-z0-9_])"
_SIX_PARTED, _SIX = r"\d{3}[ -]\d{3}", r"\d{3}[ -]?\d{3}"
"""A code of six digits in two parts, and what stands wherever it does, or in one."""
JUDGED = 1
"""So many of the first places are judged by their value."""
HEAD_ENDS = "_.-"
_WRAP = r"\\{0,2}\r?\n[ \t+>|]{0,16}"
"""Where a terminal or an editor broke a line."""

FORMS: tuple[Form, ...] = (
    # armoured keys, whole or cut off
    _form(
        "private",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----(?=(?:(?!-----)[\s\S]){0,600}?[A-Za-z0-9+/]{8})"
        r"(?:(?!-----)[\s\S]){0,12000}"
        r"(?:-----END [A-Z0-9 ]{0,40}-----)?",
    ),
    _form(
        "private",
        r"(?<![A-Za-z0-9+/=])([A-Za-z0-9+/=]{40,80}(?:\s{1,4}[A-Za-z0-9+/=]{1,80}){0,120})\s{0,4}"
        r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY",
        sign="-----END",
    ),
    _form(
        "putty-user-key-file",
        r"PuTTY-User-Key-File-\d[\s\S]{0,400}?Private-Lines:\s\d+\s([A-Za-z0-9+/=\s]{40,8000})",
    ),
    _form("openvpn", r"-----BEGIN OpenVPN Static key V1-----\s([0-9a-f\s]{32,1200})"),
    _form("age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{30,80}"),
    # signed tokens
    _form("eyj", _B + r"eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?"),
    _form("eyj", _B + r"eyJ[\w-]{8,4000}(?:\.[\w-]{16,8000}){2}(?:\.[\w-]{16,8000}){0,2}"),
    _form(
        "eyj",
        _B
        + rf"eyJ[\w-]{{8,4000}}(?:{_WRAP}[\w-]{{1,400}}){{0,40}}(?:{_WRAP})?\.(?:{_WRAP})?eyJ[\w-]{{4,8000}}"
        rf"(?:{_WRAP}[\w-]{{1,400}}){{0,40}}(?:{_WRAP})?\.(?:{_WRAP})?[\w-]{{1,2000}}"
        rf"(?:{_WRAP}(?=[\w-]{{0,400}}\d)(?=[\w-]{{0,400}}[A-Z])[\w-]{{8,400}}(?=[\"'\s]|\Z)){{0,20}}",
    ),
    _form("sk.eyj tk.eyj", _B + r"[st]k\.eyJ[\w-]{16,400}\.[\w-]{16,60}"),
    # clouds
    _form("akia asia abia acca a3t", _B + r"(?:A[KS]IA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _form("aiza", _B + r"AIza[\w-]{30,60}"),
    _form("ya29.", _B + r"ya29\.[\w.-]{16,2000}"),
    _form("gocspx-", _B + r"GOCSPX-[\w-]{20,60}"),
    _form("q~", r"(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{30,36}"),
    _form("sig=", r"[?&]sig=([A-Za-z0-9%+/]{30,120}={0,2})"),
    _form("signature=", r"[?&]Signature=([A-Za-z0-9%+/~_-]{20,700}={0,2})"),
    _form(
        "\ttrue\t \tfalse\t",
        r"\t(?:TRUE|FALSE)\t/[^\t\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,14}\t[\w.-]{0,40}(?i:sess|sid|auth|token|csrf|jwt|login|remember|id)[\w.-]{0,40}"
        r"\t([^\s]{6,4000})",
    ),
    _form(
        "signature=", r"(?i:X-(?:Amz|Goog)-Signature=|\bCredential=.{0,300}\bSignature=)([0-9a-fA-F]{32,600})"
    ),
    _form("1//0", r"(?<![\w/:.])1//0[\w-]{20,400}"),
    _form("ltai", _B + r"LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])", judged=True),
    _form("akid", _B + r"AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _form("dop_v1_ doo_v1_ dor_v1_", _B + r"do[opr]_v1_[a-f0-9]{40,80}"),
    _form("v1.0-", _B + r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}"),
    _form("hvs. hvb. hvr.", _B + r"hv[sbr]\.[\w-]{20,200}"),
    _form(".atlasv1.", _B + r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,90}"),
    _form("tskey-", _B + r"tskey-[a-z]{2,12}-[\w-]{16,90}"),
    _form("flyv1 fm2_ fo1_", _B + r"(?:FlyV1 )?f(?:m2|o1)_[A-Za-z0-9+/=_,-]{30,4000}"),
    _form("hrku-", _B + r"HRKU-[\w-]{30,80}"),
    _form("dapi", _B + r"dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9])"),
    _form("pul-", _B + r"pul-[a-f0-9]{40}"),
    _form("pscale_", _B + r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,70}"),
    _form("sbp_ sb_secret_", _B + r"(?:sbp_[a-f0-9]{36,44}|sb_secret_[\w-]{20,60})"),
    # code hosts, builds and packages
    _form("ghp_ gho_ ghu_ ghs_ ghr_", _B + r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _form("github_pat_", _B + r"github_pat_[A-Za-z0-9_]{20,255}"),
    _form(
        "glpat- gldt- glrt- glcbt- glptt- glft- gloas- glsoat- glimt- glagent- glffct-",
        _B + r"gl[a-z]{2,6}-[\w.-]{18,120}",
    ),
    _form("atbb atatt3", _B + r"AT(?:BB|ATT3)[\w=-]{24,250}"),
    _form("gr1348941", _B + r"GR1348941[\w-]{18,30}"),
    _form("npm_", _B + r"npm_[A-Za-z0-9]{30,40}(?![A-Za-z0-9])"),
    _form("pypi-", _B + r"pypi-A[\w-]{40,400}"),
    _form("rubygems_", _B + r"rubygems_[a-f0-9]{40,60}"),
    _form("cio", _B + r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", judged=True),
    _form("dckr_pat_ dckr_oat_", _B + r"dckr_[po]at_[\w-]{20,60}"),
    _form("ccipat_ ccipprj_", _B + r"CCIP(?:AT|PRJ)_[\w-]{20,120}"),
    _form("bkua_", _B + r"bkua_[a-f0-9]{30,50}"),
    _form("sntrys_ sntryu_", _B + r"sntry[su]_[A-Za-z0-9_+/=-]{30,300}"),
    _form("nrak- nrjs- nraa-", _B + r"NR(?:AK|JS|AA)-[A-Za-z0-9]{19,44}"),
    _form("glsa_ glc_", _B + r"gl(?:sa|c)_[A-Za-z0-9+/_=]{30,400}"),
    _form("pmak-", _B + r"PMAK-[a-f0-9]{20,26}-[a-f0-9]{30,38}"),
    _form("dp.pt. dp.st. dp.ct.", _B + r"dp\.[a-z]{2,6}\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,46}"),
    _form("lin_api_ lin_oauth_", _B + r"lin_(?:api|oauth)_[A-Za-z0-9]{32,70}"),
    _form("ops_eyj", _B + r"ops_eyJ[A-Za-z0-9+/=_-]{40,4000}"),
    _form("a3-", _B + r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,11}-){3,5}[A-Z0-9]{5}"),
    # models
    _form("sk-", _B + r"sk-(?!ecdsa|ssh)(?:[a-z]{2,12}\d{0,2}-){0,4}[A-Za-z0-9_-]{16,300}", judged=True),
    _form("sess-", _B + r"sess-[A-Za-z0-9]{30,60}"),
    _form("hf_ api_org_", _B + r"(?:hf|api_org)_[A-Za-z0-9]{24,60}(?![A-Za-z0-9])"),
    _form("gsk_", _B + r"gsk_[A-Za-z0-9]{30,80}"),
    _form(
        "xai- pplx- nvapi- jina_ tvly- fc-",
        _B + r"(?:xai|pplx|nvapi|tvly|fc)-[A-Za-z0-9_-]{20,120}|" + _B + r"jina_[A-Za-z0-9]{30,90}",
        judged=True,
    ),
    _form(
        "r8_ tgp_v1_ fw_ csk- esecret_",
        r"(?<![\w-])(?:r8_|tgp_v1_|fw_|csk-|esecret_)[A-Za-z0-9_-]{20,90}",
        judged=True,
    ),
    # payment, mail, messages, shops, desks
    _form("sk_ rk_", _B + r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}"),
    _form("whsec_", _B + r"whsec_[A-Za-z0-9+/=]{20,90}"),
    _form("sq0 eaaa", _B + r"(?:sq0[a-z]{3}-[\w-]{20,50}|EAAA[\w-]{56,64})"),
    _form("access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    _form("shpat_ shpca_ shppa_ shpss_", _B + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _form("sg.", _B + r"SG\.[\w-]{16,32}\.[\w-]{30,64}"),
    _form("-us", _B + r"[0-9a-f]{32}-us\d{1,2}(?![0-9])"),
    _form("sk ac", r"[SA](?<![A-Za-z0-9_].)[KC](?<=SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])"),
    _form("re_", _B + r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{16,40}", judged=True),
    _form("xox", _B + r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,250}"),
    _form("xapp-", _B + r"xapp-\d-[A-Za-z0-9-]{20,200}"),
    _form("hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,120})"),
    _form("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/(\d{10,24}/[\w-]{40,120})"),
    _form("webhook.office.com", r"webhook\.office\.com/(\S{40,300})"),
    _form(
        ".",
        _B + r"[MNO][A-Za-z0-9_-]{22,28}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])",
        sign=r"\.[\w-]{6}\.[\w-]{27}",
    ),
    _form(":aa", _B + r"\d{8,10}:AA[\w-]{32,36}"),
    _form("ntn_ secret_", _B + r"(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{40,50})(?![A-Za-z0-9])"),
    _form("figd_", _B + r"figd_[\w-]{30,60}"),
    _form("pat", r"pat(?<![A-Za-z0-9_]pat)[A-Za-z0-9]{14}\.[a-f0-9]{40,70}"),
    _form("pat-", _B + r"pat-[a-z]{2}\d-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"),
    _form("eaa", _B + r"EAA[A-Za-z0-9]{80,300}"),
    _form("sl.", _B + r"sl\.[A-Za-z0-9_-]{100,1500}"),
    # what passwords are kept as, and what opens a wallet
    _form("$2", r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}"),
    _form(
        "$apr1$ $1$ $5$ $6$ $7$ $y$ $argon2 $pbkdf2 $scrypt$",
        r"\$(?:apr1|[1567y]|argon2i?d?|pbkdf2-\w{3,8}|scrypt)\$[^\s:\"']{0,120}\$[./A-Za-z0-9+]{16,128}",
    ),
    _form("prv", _B + r"[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
    _form(
        "wif private",
        r"[5KL](?<![A-Za-z0-9_].)[1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])",
        judged=True,
    ),
    _form(
        "private",
        r"(?i:private[ _-]?key)[\"'`]{0,2}(?:\s{0,2}[:=]|\s{1,2}is)?\s{1,2}[\"'`]?"
        r"((?:0x)?[0-9a-fA-F]{64})(?![0-9a-fA-F])",
    ),
    # what the place makes a secret
    _form(
        "://",
        r"[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s/:@\"'<>`]{0,120}:"
        r"(?![*x.…]{2,200}@)((?:[^\s/@\"'<>`${}\[\]]|\$(?![A-Za-z_({\d])){1,200}(?:@[^\s/@\"'<>`${}\[\]]{1,100}){0,4})(?<!:.)@",
    ),
    _form(
        "postgres mysql mariadb mongodb redis:// rediss:// amqp mssql oracle clickhouse",
        r"(?i:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|oracle|clickhouse)(?:\+\w{1,20})?://[^\s/:@\"'<>`]{0,120}:"
        r"([^\s\"'<>`${}\[\]]{2,200})@(?=[\w.-]{1,200}(?::\d{1,5})?(?:[/?,\s\"']|\Z))",
    ),
    _form(
        "?key= &key= ?code= &code= ticket= signature= hmac= jwt= sid=",
        r"[?&](?:key|code|ticket|signature|hmac|jwt|sid)=([\w.%+/~-]{16,2000})",
        judged=True,
    ),
    _form(
        "assertion samlresponse",
        r"(?i:assertion|SAMLResponse)[\"']?\s{0,2}[:=]\s{0,2}[\"']?([\w.%+/~-]{16,12000})",
        judged=True,
    ),
    _form(
        "? ？",
        r"(?i:password|passphrase|passcode|passwort|token|api[ _-]?key|secret|密码|口令)[^\n?]{0,40}[?？][ \t]{0,4}\n{1,2}"
        r"(?:[\w.-]{1,20}(?:>|:) {0,3})?[\"'`]?([^\s\"'`]{8,400}?)[\"'`]?\.?[ \t]{0,4}(?=\n|\Z)",
        judged=True,
        sign=r"[?？][ \t]{0,4}\n",
    ),
    _form(
        "_key _pat _salt _psk _creds",
        r"(?<![A-Za-z0-9_])(?!\w{0,60}(?:PUBLIC|CACHE|PRIMARY|FOREIGN|SORT|PARTITION|LOOKUP|OBJECT|S3|ROUTING|IDEMPOTENCY|"
        r"GROUP|INDEX|ROW|MAP|I18N|HOST|KNOWN)_)[A-Z][A-Z0-9_]{0,60}_(?:KEY|PAT|SALT|PSK|CREDS?)[\"']?\s{0,2}[:=]\s{0,2}[\"']?"
        r"(?!/[a-z]{2,12}/)((?:base64:)?[\w+/.!@#%^&*()~=-]{16,400})",
        judged=True,
        sign=r"_(?:KEY|PAT|SALT|PSK|CRED)",
    ),
    _form(
        "client-key-data ls0tls1crudjtib",
        r"(?<![A-Za-z0-9+/])LS0tLS1CRUdJTiB(?!DRVJU|QVUJM)[A-Za-z0-9+/]{20,12000}={0,2}",
    ),
    _form("-key-data", r"client-key-data:\s{0,3}([A-Za-z0-9+/]{20,12000}={0,2})"),
    _form("psk", r"(?<![A-Za-z])(?:psk|wpa_passphrase)\s{0,2}=\s{0,2}\"([^\n\"]{4,64})\""),
    _form("psk", r"(?<![A-Za-z])(?:psk|wpa_passphrase)\s{0,2}=\s{0,2}([^\s\"]{8,64})", judged=True),
    _form(
        "variable",
        r"\bvariable\s{1,3}\"\w{0,40}(?:password|secret|token|api_?key)\w{0,20}\"\s{0,3}\{[^{}]{0,400}?\bdefault\s{0,8}=\s{0,3}\""
        r"([^\"\n$]{4,400})\"",
        sign=r"variable\s{1,3}\"",
    ),
    _form(
        "identified",
        r"(?i:\b(?:user|role)\s{1,3}[^\n;]{1,200}?\sidentified\s{1,3}(?:with\s{1,3}\w{1,40}\s{1,3})?by\s{1,3}(?:password\s{1,3})?)'([^'\n]{4,200})'|"
        r"\bIDENTIFIED\s{1,3}(?:WITH\s{1,3}\w{1,40}\s{1,3})?BY\s{1,3}(?:PASSWORD\s{1,3})?'([^'\n]{4,200})'",
    ),
    _form("pass:", r"\s-pass(?:in|out)?\s{1,3}pass:([^\s\"'$]{4,200})"),
    _form("unzip 7z zip", r"\b(?:unzip|zip)\b[^\n]{0,80}?\s-P\s{0,2}[\"']?([^\s\"'$-][^\s\"'$]{3,200})"),
    _form("7z", r"\b7z[a-z]?\s[^\n]{0,80}?\s-p[\"']?([^\s\"'$]{4,200})"),
    _form(
        "ldap",
        r"\bldap(?:search|add|modify|delete|whoami|passwd)\b[^\n]{0,300}?\s-w\s{1,2}[\"']?([^\s\"'$-][^\s\"'$]{3,200})",
    ),
    _form("-storepass -keypass", r"-(?:src|dest|new)?(?:store|key)pass\s{1,2}[\"']?([^\s\"'$]{4,200})"),
    _form(
        "password-stdin sudo",
        r"\b(?:echo|printf)\s{1,2}(?:-n\s{1,2})?[\"']?([^\s\"'$|;&]{4,400})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s{1,2}-S|[^\n|;&]{1,200}--password-stdin)",
    ),
    _form(
        "auth",
        r"(?:\bauth\s{0,2}=\s{0,2}|HTTP(?:Basic|Digest)Auth|BasicAuth)\(\s{0,4}[\"'][^\"'\n]{1,120}[\"'],\s{0,4}[\"']([^\"'\n]{4,200})[\"']",
        sign=r"uth\s{0,2}=?\s{0,2}\(",
    ),
    _form(
        "|| ??",
        r"(?i:password|passwd|secret|token|api_?key)\w{0,10}[\"'\])]{0,3}\s{0,2}(?:\|\||\?\?)\s{0,2}[\"']([^\"'\n\s]{8,400})[\"']",
        judged=True,
        sign=r"[|?](?:(?<=\|)\||(?<=\?)\?)\s{0,2}[\"']",
    ),
    _form(
        "```",
        r"(?i:password|passphrase|passwort|secret|token|api[ _-]?key|密码|密钥|口令)[^\n]{0,24}\n{1,2}```\w{0,12}\n"
        r"([^\s`]{8,400})\n{1,2}```",
        judged=True,
        sign=r"\n```\w{0,12}\n[^\s`]{8}",
    ),
    _form(
        "cvv cvc csc",
        r"(?i:\b(?:cvv2?|cvc2?|csc)\b)(?:\W{1,4}|\s+is\s+|\s+(?:code|number)\W{1,3})(\d{3,4})(?![\d.])",
    ),
    _form(
        "verification time passcode 2fa mfa otp sms 验证码 認証コード 인증번호",
        r"(?i:\b(?:verification|one[- ]?time|security|2fa|mfa|otp|sms) (?:code|passcode|pin)"
        r"|验证码|認証コード|인증번호)(?:\s?(?:is|ist|[:=：]|是|为|は|는))?\s{0,2}(\d{4,8})(?![\w.]?\d)",
        sign=r"[eEnN码ド호](?:\s?(?:[iI][sS][tT]?|[:=：]|是|为|は|는))?\s{0,2}\d{4}",
    ),
    _form(
        "x-",
        r"(?i:\bx-(?:[\w-]{0,20}(?:auth|api|access|admin|service|app|master|secret|vault|user|csrf)[\w-]{0,20}-)?(?:auth|key|token|secret))[\"']?\s{0,2}:"
        r"\s{0,2}[\"']?([\w.+/~=-]{12,2000})",
        judged=True,
    ),
    _form("://", r"://([A-Za-z0-9_]{20,250})@", judged=True),
    _form(
        "</",
        r"<[\w:.-]{0,40}(?i:password|passwd|passphrase|secret|api[_-]?key|accesskey|(?<=<)(?:pass|pw))>"
        r"((?=[^<>]{0,200}[\d!@#$%^&*?+=~])[^<>\s]{4,200})</",
    ),
    _form("bearer", r"(?i:\bbearer)\s{1,3}([A-Za-z0-9_~+/.=%-]{12,4000})", judged=True),
    _form(
        "authorization",
        r"(?i:\bauthorization)(?:[\"']?\s{0,3}[:=]\s{0,3}[\"']?|\s[\"'])(?i:basic|bearer|token|apikey|digest|bot)\s{1,3}"
        r"([A-Za-z0-9_~+/.=!#%^&*-]{6,4000})",
    ),
    _form(
        "cookie",
        r"(?i:\bcookie)[\"']?\s{0,3}[:=]\s{0,3}[^\n\"':]{0,300}?(?i:sess\w{0,12}|sid|auth\w{0,12}|token)=([^\s;\"',]{8,2000})",
    ),
    _form(
        "curl wget",
        r"\b(?:curl|wget)\b[^\n]{0,400}?\s(?:-u|--user)[ =]{0,2}[\"']?(?:[^\s:\"']{1,80}:)([^\s\"'$]{3,200})",
    ),
    _form("key=", r"(?<![A-Za-z0-9_])KEY=([A-Za-z0-9+/=_-]{24,200})", judged=True),
    _form("sshpass", r"\bsshpass\s{1,3}-p\s{0,3}[\"']?([^\s\"'$]{3,200})"),
    _form("mysql mariadb", r"\b(?:mysql|mysqldump|mariadb)\b[^\n]{0,200}?\s-p([^\s\"'$-][^\s\"']{3,100})"),
    _form("redis-cli", r"\bredis-cli\b[^\n]{0,200}?\s-a\s{0,3}[\"']?([^\s\"'$-][^\s\"'$]{3,200})"),
    _form(
        "docker podman helm",
        r"\b(?:docker|podman|helm)\b[^\n]{0,80}?\blogin\b[^\n]{0,200}?\s-p\s{0,3}[\"']?([^\s\"'$-][^\s\"']{3,200})",
    ),
    _form("pw= pass=", r"(?<![A-Za-z])(?i:pw|pass)=[\"']?([^\s\"'`,;<>(){}\[\]\\|&]{6,200})", judged=True),
    _form(
        ":",
        r"(?<![\w.:/*-])[A-Za-z*][\w.*-]{0,120}:(?:\d{4,5}|\*):[A-Za-z*][\w*-]{0,62}:[A-Za-z*][\w*-]{0,62}:"
        r"((?=[^\s:]{0,199}[\dA-Z!@#$%^&*?+=~])[^\s:\"'`]{6,200}(?![^\s\"'`])|[a-z-]{6,60}(?=[ \t]{0,4}(?:\n|\Z)))",
        sign=r":(?:\d{4,5}|\*):[A-Za-z*]",
    ),
    _form(
        "phrase mnemonic",
        r"(?i:\b(?:(?:seed|recovery|backup|secret|wallet)[ _-]?(?:phrase|words)|mnemonic))[\"'`]{0,2}\s{0,3}"
        r"(?:is|are|[:=])\s{0,3}[\"'`]{0,2}([a-z]{3,8}(?:(?: [a-z]{3,8}){11,23}|(?:, ?[a-z]{3,8}){11,23}))(?![a-z])",
    ),
    _form("machine", r"\bmachine\s\S{1,200}\s{1,8}login\s\S{1,200}\s{1,8}password\s([^\s\"'\\]{2,200})"),
    _form(
        "totp otp 2fa mfa authenticator",
        r"(?i:\b(?:totp|otp|2fa|mfa|authenticator)\b[^\n]{0,30}?\b(?:seed|secret|key)\b(?: is)?)[\"':= ]{1,4}"
        r"((?=[A-Z -]{0,60}[2-7])[A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){2,12}(?:[ -]?[A-Z2-7]{1,3})?|"
        r"(?=[a-z ]{0,60}[2-7])[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?![A-Za-z0-9])",
    ),
    _form(
        "ssn social",
        r"(?i:\b(?:ssn|social security(?: number| no\.?)?))(?i:\W{1,6}|\s+is\s+)(\d{3}[- ]?\d{2}[- ]?\d{4})(?![\d-])",
    ),
    _form(
        "pin",
        r"(?i:(?<![A-Za-z0-9_])pin(?:[- ]?(?:code|number|nummer))?)\s{0,2}(?i:[:=：]|is|ist|lautet|es|est)\s{0,2}"
        r"(\d{4,8})(?![\w.]?\d|[a-zA-Z]|\s?(?:[kMG]?Hz|ms|px|bytes?)\b)",
    ),
    _form(
        "decode( atob( from(",
        r"(?i:secret|password|passwd|token|key)\w{0,20}\s{0,3}[:=]\s{0,3}[\w.]{0,40}(?i:decode|atob|from)\(\s{0,2}b?[\"']"
        r"([A-Za-z0-9+/_=-]{12,400})[\"']",
        judged=True,
    ),
    *(_form(words, _B + pattern) for words, pattern in VENDORS + ISSUED),
    *(_form(*form, judged=True) for form in SHAPED),
    *(_form(*form) for form in SPOKEN + TOLD + CARRIED + CODED + SETTLED),
    *(_form(words, pattern, judged=place < JUDGED) for place, (words, pattern) in enumerate(PLACED)),
)
