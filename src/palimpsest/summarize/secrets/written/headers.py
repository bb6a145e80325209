"""Headers and cookies: keys and passwords behind the names of headers, however a client, a server or a program writes
the two.

Rules kept here:

- What stands between a header and its value is one grammar (`_IS`): a colon, an arrow, the comma of a list, the bracket
  of a map, a key beside a "value", the next line of a list.
- Behind the word that says how somebody proves who he is, whatever a vendor calls it, stands a secret; where nobody
  knows that word, and behind the names of tokens and keys, the value must look random.
- Names of keys that a cache, a request or a page has open nothing. A cookie is one where its name says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.forms import form

Span = tuple[int, int]

_IS = (
    r"(?:[\"'`]?\]?\s{0,3}(?:[:=]>?|=>)\s{0,12}(?:-[ \t]{1,3})?(?:\[\]string\{)?[\[({]{0,2}"
    r"(?:b(?=[\"']))?\\{0,4}[\"'`]?|"
    r"\\{0,4}[\"'`],?\s{1,24}b?\\{0,4}[\"'`]|\\{0,4}[\"'`],\\{0,4}[\"'`]|[ \t]\\{0,4}[\"']|"
    r"\\{0,4}[\"'],?\s{0,4}\\{0,4}[\"']?(?i:value)(?:\\{0,4}[\"']\s{0,3}:|=)\s{0,4}\\{0,4}[\"'])"
)
"""What stands between the name of a header and its value."""
_HTTP = r"(?<![A-Za-z0-9])"
_MIXED = r"(?=[\w+/=.~-]{0,200}\d)(?=[\w+/=.~-]{0,200}[A-Za-z])"
_OPENS_NOTHING = (
    r"(?!(?i:[\w-]{0,40}(?:cache|websocket|idempotency|request|trace|partition|surrogate|sort|routing|correlation|object|row|public|"
    r"next|prev|page|continuation|sync|cursor|delta|design|primary|foreign|resume|change)[\w-]{0,40}(?:key|token)))"
)
_SESSION = r"(?i:sess\w{0,12}|sid|auth\w{0,12}|token)"
_SCHEMES = r"(?i:basic|bearer|token|apikey|digest|bot|key|ssws|geniekey|splunk|negotiate|ntlm)"

HEADERS = (
    form(
        "-key -token -secret -auth -apikey -jwt -password -session token apikey",
        rf"(?i:(?<![\w-])(?:x|ocp|dd|http)[-_]{_OPENS_NOTHING}"
        r"[\w-]{0,40}(?:key|token|secret|auth|jwt|password|session(?:[-_]?id)?))"
        rf"{_IS}({_MIXED}[\w+/=.~-]{{12,4000}})",
        judged=True,
    ),
    form(
        "-key -token -secret -apikey",
        rf"(?<![\w-]){_OPENS_NOTHING}(?i:[a-z][a-z0-9]{{1,20}}-(?:[a-z0-9]{{1,20}}-){{0,3}}(?:api-?key|token|secret)|api-key)"
        rf"{_IS}({_MIXED}[\w+/=.~-]{{16,4000}})(?![\w(])",
        judged=True,
    ),
    form("bearer", r"(?i:\bbearer)\s{1,3}([A-Za-z0-9_~+/.=%-]{12,4000})", judged=True),
    form(
        "authorization",
        rf"{_HTTP}(?i:authorization){_IS}{_SCHEMES}\s{{1,3}}([A-Za-z0-9_~+/.=!#%^&*-]{{6,4000}})",
    ),
    form(
        "authorization",
        rf"{_HTTP}(?i:authorization){_IS}(?!\w{{1,20}}=)[A-Za-z][\w-]{{1,24}}[ ]"
        rf"(?!\w{{1,24}}=)({_MIXED}[\w+/=.~-]{{16,4000}})",
        judged=True,
    ),
    form(
        "authorization",
        rf"{_HTTP}(?i:authorization){_IS}(?i:digest)\s[^\n]{{1,600}}?\bresponse=\\{{0,4}}[\"']?([0-9a-fA-F]{{32,128}})",
    ),
    form(
        "authorization",
        rf"{_HTTP}(?i:authorization){_IS}({_MIXED}[\w.+/~=-]{{20,4000}})(?![\w ])",
        judged=True,
    ),
    form(
        "proxy_set_header add_header set_header requestheader set-header",
        rf"(?:proxy_set_header|add_header|set_header|RequestHeader \w{{3,8}}|set-header)[ \t]{{1,8}}{_OPENS_NOTHING}"
        rf"(?i:[\w-]{{0,40}}(?:key|token|secret|authorization))[ \t]{{1,8}}(?:[A-Z][\w-]{{1,24}}[ ])?"
        rf"({_MIXED}[\w+/=.~-]{{12,4000}})",
        judged=True,
    ),
    form("credentials:", r"\n[ \t]{4,40}Credentials: [^\s:\\]{1,80}:([^\s\\]{2,200})"),
    form("signature=", r"(?i:\bCredential=.{0,300}\bSignature=)([0-9a-fA-F]{32,600})"),
    form("-signature", rf"(?i:X-(?:Amz|Goog)-Signature){_IS}([0-9a-fA-F]{{32,600}})"),
    form(
        "cookie",
        rf"(?i:\bcookies?)[\"']?\s{{0,2}}[:=]\s{{0,2}}\{{\s{{0,8}}[\"']{_SESSION}[\"']\s{{0,2}}:\s{{0,2}}"
        rf"[\"']([^\s\"'$]{{8,2000}})[\"']",
    ),
    form("<cookie", rf"<Cookie [\w.-]{{0,40}}{_SESSION}[\w.-]{{0,20}}=([^\s<>]{{8,4000}}) for "),
    form(
        "jsessionid phpsessid sessionid connect.sid _session",
        r"=(?:(?<=SESSIONID=)|(?<=PHPSESSID=)|(?<=SessionId=)|(?<=connect\.sid=)|(?<=sessionid=)|(?<=_session=)|"
        r"(?<=_session_id=))((?=[^\s;\"',]{0,200}\d)[^\s;\"',${}()\[\]`\\]{16,400})",
    ),
)
_COOKIES = later(rf"(?<![A-Za-z0-9])(?i:(?:set[-_])?cookie){_IS}(?=[\w.-]{{1,60}}=)([^\n\"'`]{{1,4000}})")
_COOKIE = later(
    rf"(?:\A|(?<=[;,\s&]))(?:[^\s;=,]{{0,60}}?{_SESSION}|{_SESSION})[\w.-]{{0,20}}=([^\s;\"'`,\\\[\](){{}}]{{8,4000}})"
)


def cookies_in(text: str, start: int, end: int) -> Iterator[Span]:
    """Where in this stretch of a text the values of cookies stand that say who somebody is."""
    for cookies in _COOKIES.finditer(text, start, end):
        first, last = cookies.span(1)
        for cookie in _COOKIE.finditer(text[first:last]):
            yield first + cookie.start(1), first + cookie.end(1)
