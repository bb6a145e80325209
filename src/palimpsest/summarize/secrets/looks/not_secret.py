"""What anybody may see, whatever stands before it: no part of it is a secret.

Rules kept here:

- Behind the head of an armoured certificate, public key, signature or message stands base64 that opens nothing, in
  lines of its own: any other line ends it. So does behind the kind of a public key of SSH.
- `0x` and forty digits is an address on a chain where its name says so, not behind any other name of a secret.
- The stage of a flag (`rollout25`) is none under a key that names a flag, or among flags; elsewhere people choose such
  passwords.
- A publishable key (`pk_live_...`) is made to stand in pages, whatever it is called.
- The scope of a signature (a day, a region, a service) is no part of the id of its key; what an account is called is
  none, either.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.patterns import later

Span = tuple[int, int]

_DASHES, _ASKS = "-----BEGIN ", "4_request"
NAME_CHARS = 60
_SLASH = r"(?:/|%2[Ff])"
_END = r"(?:[ \t\"'`,;+]{0,8}(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)[\"'`]?)"
_INDENT = r"[ \t\"'`>|+]{0,40}"
_BASE64 = r"[A-Za-z0-9+/]"
_ARMOURED = later(
    r"-----BEGIN (?![A-Z0-9 ]{0,40}(?:PRIVATE|SECRET))[A-Z0-9 ]{2,40}-----"
    rf"(?:(?:{_END}{_INDENT}(?:Version|Comment|Hash|Charset|MessageID): [^\n\\]{{0,120}}){{1,8}}"
    rf"(?={_END}[ \t>|+]{{0,40}}{_END}))?"
    rf"(?P<body>(?:{_END}{{1,3}}{_INDENT}{_BASE64}{{16,8000}}+={{0,2}}(?={_END}|\s{{0,8}}(?:\Z|-----))){{1,2000}}"
    rf"(?:{_END}{_INDENT}{_BASE64}{{1,15}}={{0,2}}(?:{_END}{_INDENT}={_BASE64}{{1,4}})?"
    rf"(?=(?:{_END}{_INDENT}-----|\s{{0,8}}(?:\Z|-----))))?|"
    rf"(?: ?{_BASE64}{{16,8000}}+={{0,2}}){{1,2000}}(?: {_BASE64}{{1,15}}={{0,2}})?(?= ?-----END ))"
)
"""Where base64 stands in lines of its own, or in one line up to the end."""
_OPEN_KEY = later(
    r"(?<![\w-])(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)"
    r"[ \t]{1,4}AAAA[A-Za-z0-9+/]{20,4000}={0,3}"
)
_PUBLISHED = later(r"pk_(?:live|test)_\w{10,200}")
_ADDRESS = later(r"0x[0-9a-fA-F]{40}")
_HIDES = later(
    r"(?:private|secret|passw|api[_-]?key|access|auth(?!ori)|bearer|jwt|sign(?:er|ing)[_-]?key)[\w -]{0,20}[\"'`]?"
    r"\s{0,8}(?:[:=]>?|=>|\bis\b)?\s{0,8}[\"'`]?\Z"
)
_JOINS = r"[\"'`]?\s{0,8}(?:[:=]>?|:=|=>|\bis\b|\bat\b)?\s{0,8}[\"'`]?\Z"
_OF_CHAINS = (
    r"(?i:reward|stak(?:e|ing)|governance|base|quote|lp|pool|pair|collateral|debt|wrapped|native|underlying|vault|fee|"
    r"payment|asset|share|yield|bridge|deposit|borrow|lending|liquidity|erc-?\d{2,4}|nft|stable|mint|sale|vesting|weth|"
    r"usdc|usdt|dai)"
)
_SHOWS = later(
    r"(?:(?i:address|addr|contract|wallet|owner|deployer|sender|recipient|receiver|spender|treasury|proxy|factory|"
    r"holder|minter|beneficiary)|(?<![A-Za-z])(?i:from|to)(?=[\"']?\s{0,8}[:=])|"
    rf"{_OF_CHAINS}[ _-]?(?i:token)|(?<![A-Za-z_])token(?:[01AB]|In|Out)){_JOINS}|"
    r"\baddress (?:(?:public|constant|immutable|internal) ){0,3}\w{1,40}\s{0,3}=\s{0,3}\Z|ERC20\((?:\w{1,40}: )?\Z|"
    r"\b(?i:approv|transfer|swap|mint|burn|stak|bridg)\w{0,4} (?:(?:the|our|a|all) )?(?:\w{1,20} )?(?i:tokens?) "
    r"(?:to |from |at )?\Z"
)
"""What an address on a chain is called, or the token of one."""
_OWN_TOKEN = later(
    r"(?<![A-Za-z0-9_-])(?!(?i:[a-z]{0,20}(?:access|auth|refresh|session|api|bot|user|csrf|xsrf|bearer|id|jwt|device|"
    r"push|webhook|verify|verification|login|admin|service|client|app|personal|security|request|identity|sso|reset|invite|"
    rf"web|git|hub|lab|deploy|npm|my|the|master|signing|server|agent)token))[A-Za-z]{{2,40}}Token{_JOINS}"
)
_ON_CHAIN = later(r"(?i:chain_?id|contract|erc-?(?:20|721|1155)|solidity|web3|hardhat)|\bethers\b")
"""Beside which any `...Token` is one of a chain."""
CHAIN_CHARS = 300
_SCOPE = later(
    r"(?P<key>(?:A[KS]IA|ABIA|ACCA|LTAI|STS\.)\w{8,64})?"
    r"(?:(?:(?<=redential=)|(?<=redential\": \")|(?<=redential\":\")|(?<=redential: ))"
    r"[\w.+-]{1,80}(?:@|%40)[\w.-]{1,80})?"
    rf"{_SLASH}\d{{8}}(?:{_SLASH}[\w-]{{2,40}}){{2}}{_SLASH}[a-z][a-z_\d]{{1,12}}4_request"
)

_STAGE = later(
    r"(?i:stage|alpha|beta|rollout|variant|control|treatment|cohort|enabled|disabled)s?[-_]?\d{2,5}"
)
_KEY = later(r"(?P<key>[\w.-]{1,60})[\"'`]?\s{0,3}[:=]\s{0,3}[\"'`]?\Z")
_OF_FLAGS = later(r"(?i)(?<![a-z])(?:flag|feature|variant|experiment|rollout|cohort)(?:s|[_.-])")
_CLOSED = later(
    r"(?i)(?:(?:passw\w{0,4}|pwd|pass)(?:[_.-]?(?:prod|dev|test|staging|live|old|new|base|\d+))?|kennwort|passphrase|"
    r"passcode|pw|secret|tokens?|keys?|credentials?|auth)\Z"
)
_CHOSEN = later(r"(?i)(?:passw\w{0,4}|passphrase|passcode|pwd|pw|pass|secret)\Z")
_PARTED = later(r"[_.-]|[a-z](?=[A-Z])")
_MAP_OF_FLAGS = later(
    r"(?i)(?<![\w-])(?:feature[_-]?)?(?:flags|features|variants|experiments|rollouts|cohorts)[\"']?\s{0,3}[:=]\s{0,3}"
    r"(?:\{[^{}]{0,300}|\r?\n(?:[ \t]{1,20}[\w.-]{1,60}: ?[^\n]{0,80}\n){0,10}[ \t]{1,20}[\"']?)\Z"
)
FLAG_CHARS = 400


def without_public(text: str, spans: list[Span]) -> list[Span]:
    """The places of a text that may hold secrets, without what anybody may see of them."""
    public = [match.span("body") for match in _ARMOURED.finditer(text)] if _DASHES in text else []
    keys = [match.span() for match in _OPEN_KEY.finditer(text)] if "AAAA" in text else []
    scopes: list[Span] = []
    if _ASKS in text:
        scopes = [
            (match.end("key") if match["key"] else match.start(), match.end())
            for match in _SCOPE.finditer(text)
        ]
    kept: list[Span] = []
    for span in spans:
        if _within(span, keys) or _within(span, public):
            continue
        if _PUBLISHED.fullmatch(text, *span):
            continue
        if _ADDRESS.fullmatch(text, *span) and _is_shown(text, *span):
            continue
        if _STAGE.fullmatch(text, *span) and _is_flag(text, span[0]):
            continue
        kept.extend(_apart_from(span, scopes))
    return kept


def _is_shown(text: str, at: int, end: int) -> bool:
    """Whether what stands before an address says that it is one."""
    before = text[max(0, at - NAME_CHARS) : at]
    if _HIDES.search(before.lower()):
        return False
    if _SHOWS.search(before):
        return True
    return bool(
        _OWN_TOKEN.search(before) and _ON_CHAIN.search(text, max(0, at - CHAIN_CHARS), end + CHAIN_CHARS)
    )


def _is_flag(text: str, at: int) -> bool:
    """Whether the key before a value names a flag, or stands among flags."""
    key = _KEY.search(text, max(0, at - NAME_CHARS), at)
    if key is None:
        return False
    if _OF_FLAGS.search(key["key"]) and not _CLOSED.search(key["key"]):
        return True
    named = _PARTED.search(key["key"]) and not _CHOSEN.search(key["key"])
    return bool(named and _MAP_OF_FLAGS.search(text, max(0, key.start() - FLAG_CHARS), key.start()))


def _within(span: Span, places: list[Span]) -> bool:
    return any(first <= span[0] and span[1] <= last for first, last in places)


def _apart_from(span: Span, cut: list[Span]) -> Iterator[Span]:
    """What is left of a span."""
    at, end = span
    for first, last in cut:
        if last <= at or end <= first:
            continue
        if at < first:
            yield at, first
        at = last
    if at < end:
        yield at, end
