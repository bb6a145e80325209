"""Keys and tokens that people tell each other: what a machine made, in a sentence that says what it is.

Rules kept here:

- The value looks drawn by lot, or is of digits and letters as keys, digests and ids are: the sentence has to tell it.
- It is told in one of three ways: the noun, whose it is, a verb or sign, the value; a sentence about the noun and then
  "the new one is"; or the value first, and then that it is the noun, what to use as the noun, or the noun in brackets.
- "key" alone is one of a map, a table or a store as well: it counts behind what it is for, or where somebody's is
  meant.
- What a noun only speaks of is none: its id, its digest, the commit that brought it, the request that had it. A digest
  or an id is none where the sentence names such a thing at all.
"""

from __future__ import annotations

from palimpsest.patterns import later

LEAST_DRAWN_CHARS = 12

_KINDS = (
    r"(?:api|access|secret|auth(?:entication)?|client|webhook|bearer|bot|deploy(?:ment)?|refresh|session|personal access|"
    r"app(?:lication)?|storage(?: account)?|account|master|root|admin|(?:en|de)cryption|signing|hmac|jwt|licen[cs]e|"
    r"activation|product|recovery|backup|service(?: account)?|integration|ingest(?:ion)?|write|read|shared|pre-?shared|"
    r"sdk|sas|cookie|private|server|subscription|registration|enrollment|upload|publish|push|consumer|vendor|team|org|"
    r"project|user|ci|npm|pypi|git(?:hub|lab)?|slack|vpn|wireguard|rest|live|test|sandbox|staging|prod(?:uction)?|vault|"
    r"unseal|join|pairing|device|monitoring|maps?|mail|sms|payment|billing|search|admin api|rest api|api access)"
)
_NAMED = (
    rf"(?:{_KINDS}[ _-]?(?:key|token|secret|credential)s?(?: (?:key|token))?|apikey|authtoken|pat|"
    r"(?:api|zugangs|zugriffs|lizenz|produkt)[ -]?schlüssel|"
    r"(?:cl[ée]|chiave|clave|chave|klucz|sleutel)(?: d['’]| de l['’]| dell['’]| de la| de| di| da| der)? ?"
    r"(?:api|acc[eè]s|acceso|acesso|accesso|licence|licencia|licença|licenza|licencyjny|dostępu)|api-?sleutel|"
    r"api ?(?:キー|密钥|密鑰|令牌|키)|アクセスキー|アクセストークン|ライセンスキー|访问令牌|许可证密钥|"
    r"api-ключ|ключ (?:api|доступа|лицензии)|лицензионный ключ)"
)
_BARE = (
    r"(?:(?:the|my|our|your|a|new|old|this|following|working|valid|right|wrong|correct|current|other|actual|fresh|real) "
    r"(?:key|token|secret|credential)s?|(?:\A|[.:!?] |\n)(?:key|token|secret)|jeton|トークン|シークレット|令牌|토큰|токен)"
)
_TOPIC = (
    r"(?![\w-])(?! point\b)(?!['’]s (?!(?:now )?[\"'`]?\Z)|[ _-](?:hash\w*|polic\w+|field|length|reset|manager|rules?|prompt|file|format|type|column|"
    r"check\w*|limit|count|budget|handl\w+|pars\w+|stor\w+|rotati\w+|expir\w+|refresh\w*|validat\w+|generat\w+|endpoint|bucket|"
    r"usage|page|dialog|screen|view|header|parameter|variable|input|protect\w*|require\w*|name|id|ids|identifier|version|"
    r"fingerprint|digest|checksum|lookup|scan\w*|path|support|leak\w*|tests?|fix|bug|vault|ring|chain|store|arn|ur[il])\b)"
)
"""What is spoken of is not the key itself."""
_NOUN = rf"(?<![\w/.@$-])(?:{_NAMED}|{_BARE})(?:[はが是为為은는이가을를]|{_TOPIC})"
_WORD = r"(?:(?: \(?|\()[^\s.,;:=<>{}()\[\]|/\\\"`]{1,20}\)?)"
_IS = (
    r"(?:\s(?:is|are|was|were|be|equals|reads|to|it's|it’s|that's|ist|war|lautet|heißt|est|c['’]est|es|era|será|é|è|"
    r"jest|to jest|luidt|это|är|er)(?: now| currently| jetzt| nun| maintenant| ahora| теперь)?:?|"
    r"['’]s(?: now)?:?|\s?(?::|=|=>|->|→|—|–|：)|\s-(?=\s)|(?<=[\u3040-\ud7af])[はが是为為은는이가을를]?)"
)
_OPEN = r"[\s\"'`*(“‘«「]{0,4}\Z"
_TOLD = later(rf"{_NOUN}{_WORD}{{0,10}}?{_IS}{_OPEN}")
_DIRECT = later(
    rf"{_NOUN}(?:(?:,| is below| below)?:?(?:\s|[ \t]?\r?\n[ \t]{{0,8}}){{1,3}}[\"'`(]{{0,2}}|[ \"'`(]{{0,2}})\Z"
)
_AGAIN = later(
    rf"{_NOUN}[^\n;:=<>{{}}\[\]|/\\\"`]{{0,80}}?(?:[,.;!] (?:and )?|: | - | – | — |\n)"
    r"(?:(?:so |ok |now |here |here's )?(?:the |my |a |our )?(?:(?:right|correct|new|current|working|real|actual|other|fresh|next|old) )"
    r"(?:one|value|key|token)|it|this|that|here it|neue[rs]?|der neue|le nouveau|la nouvelle|el nuevo|la nueva|il nuovo)"
    rf"(?: (?:should|will|must))?{_IS}{_OPEN}"
)
_USED = later(
    r"\b(?:use|using|try|take|with|set|put|add|paste|enter|type|send|export|pass|nimm|nutze|verwende|usa|utilise|prends) "
    r"[\"'`]?\Z"
)
_CALLED = later(
    r"[\"'`*”’»」]{0,2}(?:(?:,? (?:in|into|to|at|on|there|here|under)(?: [\w./-]{1,20}){0,4})?[,.;]? ?(?:–|—|-)?[ (]{1,2}"
    r"(?:(?:it|that|this|which|and that|das|c)(?:['’]?s| is| was|['’]est| ist)|is|was|as|ist|est|es|è|é|als|comme|como|"
    rf"come|jako|как|=)(?: (?!not\b)[\w'’.-]{{1,16}}){{0,3}}? |[ ,]{{0,2}}\((?:the |my |our |your |new )?)(?<!not ){_NOUN}"
)
_FOR = later(rf"[\"'`]? (?:for|für|pour|para|per) (?:[\w-]{{1,16}} ){{0,3}}{_NOUN}")
_IDENTIFIES = (
    r"commit\w*|sha|sha-?\d+|hash\w*|digest|checksum|etag|revision|merge[ds]?|revert\w*|cherry-?pick|fingerprint|"
    r"ids?|uuid|guid|identifier|request|trace|span|run|job|build|session id|ticket|message|file|image|layer|artifact|"
    r"document|conversation|deployment|pod|arn|primary|foreign|cache|idempotency|object|sort|partition|public|kms|page|"
    r"next|continuation|cancell?ation|cursor|s3|token usage|video|site"
)
_THING = later(rf"(?<![\w-])(?:{_IDENTIFIES})(?![\w-])")
_POINTS = later(
    r"(?<![\w-])(?:ids?|hash|sha|sha-?\d+|digest|checksum|fingerprint|etag|version|commit|name|identifier|public|primary|"
    r"foreign|cache|idempotency|object|sort|partition|page|next|continuation|kms|s3)(?![\w-])"
)
"""What is told of a key is this, or the key is one of these."""
_ENDS_AT = "\n.;!?"

_GROUPS = later(
    r"(?=[A-Z-]{0,60}\d)(?=[\d-]{0,60}[A-Z])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,8}|"
    r"(?=[a-z-]{0,60}\d)(?=[\d-]{0,60}[a-z])[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){3,8}"
)
_DIGEST = later(r"[0-9a-fA-F]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_LOT = later(r"[A-Za-z0-9+/_-]{16,400}(?:\.[A-Za-z0-9+/_-]{16,400}){0,3}={0,2}")


def is_told_key(before: str, value: str, after: str, *, drawn: bool) -> bool:
    """Whether a sentence says that a value is a key; `before` is in lower case, `drawn` says that hardly any sentence
    has such a word.
    """
    digest = bool(_DIGEST.fullmatch(value))
    if not (digest or _GROUPS.fullmatch(value) or (drawn and len(value) >= LEAST_DRAWN_CHARS)):
        return False
    after = after.lower()
    told = _TOLD.search(before) or _DIRECT.search(before) or _AGAIN.search(before)
    called = None if told else (_CALLED.match(after) or (_USED.search(before) and _FOR.match(after)))
    if told:
        return not _speaks_of(before, told.start(), digest=digest)
    return bool(called) and not _speaks_of(before, len(before), digest=digest)


def _speaks_of(before: str, at: int, *, digest: bool) -> bool:
    """Whether a sentence names what else a value may be: behind its noun, or for a digest anywhere before it."""
    begin = max(before.rfind(sign, 0, at) for sign in _ENDS_AT) + 1
    return bool((_THING if digest else _POINTS).search(before, begin))
