"""Keys and tokens that people tell each other: what a machine made, in a sentence that says what it is.

Rules kept here:

- The value looks drawn by lot, or is of digits and letters as keys, digests and ids are: the sentence has to tell it.
- It is told in one of three ways: the noun, whose it is, a verb or sign, the value; a sentence about the noun and then
  "the new one is"; or the value first, and then that it is the noun, what to use as the noun, or the noun in brackets.
- A key of whatever is named is one if it looks drawn; a digest behind it is one where it is said to be somebody's.
- "key" alone is one of a map, a table or a store as well: a digest or an id behind it is none, and what looks drawn is
  one only where a verb or a sign tells it.
- What a noun only speaks of is none: its id, its digest, its owner, the commit that brought it.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

LEAST_DRAWN_CHARS = 12

_KINDS = (
    r"(?:api|access|secret|auth(?:entication)?|client|webhook|bearer|bot|deploy(?:ment)?|refresh|session|"
    r"personal access|"
    r"app(?:lication)?|storage(?: account)?|account|master|root|admin|(?:en|de)cryption|signing|hmac|jwt|licen[cs]e|"
    r"activation|product|recovery|backup|service(?: account)?|integration|ingest(?:ion)?|write|read|shared|pre-?shared|"
    r"sdk|sas|cookie|private|server|subscription|registration|enrollment|upload|publish|push|consumer|vendor|"
    r"ci|npm|pypi|git(?:hub|lab)?|slack|vpn|wireguard|rest|live|test|sandbox|staging|prod(?:uction)?|vault|"
    r"unseal|join|pairing|monitoring|maps?|mail|sms|payment|billing|admin api|rest api|api access)"
)
_OF_API = r"(?: d['’]| de l['’]| dell['’]| de la| de| di| da| der)? ?"
_NAMED = (
    r"(?:pass ?word|pass ?phrase|passcode|[\w-]{0,16}(?:passwort|kennwort)|mot de passe|"
    r"contraseña|senha|wachtwoord|hasło|парол\w{1,2}|"
    rf"{_KINDS}[ _-]?(?:key|token|secret|credential)s?(?: (?:key|token))?|apikey|authtoken|pat|"
    r"[\w-]{0,16}(?:api|zugangs|zugriffs|lizenz|produkt|geheim|master|konto)[ -]?schlüssel|[\w-]{2,16}(?:-|s)?sleutel|"
    rf"(?:cl[ée]|chiave|clave|chave|klucz|jeton|token|secreto?|segredo|segreto){_OF_API}"
    r"(?:api|acc[eè]s|acceso|acesso|accesso|licence|licencia|licença|licenza|client[ei]?|cliente|dostępu|доступа)|"
    r"klucz licencyjny|api-ключ|ключ (?:api|доступа|лицензии)|лицензионный ключ|токен доступа)"
)
_ARTICLES = (
    "the my our your a new old this following working valid right wrong correct current other actual fresh real "
    "staging "
    "der die das den dem des ein einen unser unseren mein meinen dein neuer neuen falscher alter le la les un "
    "une notre "
    "nos mon ma ton votre nouveau nouvelle el los una nuestro nuestra mi tu su nuevo nueva o os uma meu minha nosso "
    "nossa novo nova il lo mio mia nostro nostra nuovo nuova de het een onze ons mijn nieuwe nasz mój twój nowy stary "
    "наш мой твой новый старый этот alte alter alten altes ancien ancienne viejo vieja antiguo antigua velho velha "
    "antigo antiga vecchio vecchia oude starego"
).split()
_BARE = (
    rf"(?:(?:{'|'.join(_ARTICLES)}) (?:key|token|secret|credential)s?|(?:\A|[.:!?] |\n)(?:key|token|secret)|"
    r"(?:, |with |mit |avec |con |com |met |use |using |put |set |try |send )(?:token|secret)|"
    r"jeton|токен)"
)
_THINGS = (
    "cache primary foreign sort partition row hash object public map lookup index config dict json yaml "
    "dictionary which any each every same other missing unique composite group registry setting header field "
    "column routing idempotency arrow enter shift ctrl tab delete escape function hot short home end page "
    "space alt backspace search translation message next prev previous max stop start special padding mask eos "
    "bos unk design color per first last input output context continuation pagination sync cursor commit "
    "request trace order ticket gpg pgp ssh host from with by via for under and or to in on at of is was no not "
    "restore saved hit"
).split()
_OWNED = rf"(?!(?:{'|'.join((*_ARTICLES, *_THINGS))})[ -])[a-z]\w{{2,19}} (?:key|token)"
"""A key of whatever is called so: not one of a table or a keyboard, nor a token of a text."""
_TOPIC = (
    r"(?![\w-])(?! point\b)(?!['’]s (?!(?:now )?[\"'`]?\Z)|[ _-](?:hash\w*|polic\w+|field|length|reset|manager|"
    r"rules?|prompt|file|format|type|column|"
    r"check\w*|limit|count|budget|handl\w+|pars\w+|stor\w+|rotati\w+|expir\w+|refresh\w*|validat\w+|generat\w+|"
    r"endpoint|bucket|"
    r"usage|page|dialog|screen|view|header|parameter|variable|input|protect\w*|require\w*|name|id|ids|identifier|"
    r"version|"
    r"fingerprint|digest|checksum|lookup|scan\w*|path|support|leak\w*|tests?|fix|bug|vault|ring|chain|store|arn|"
    r"ur[il])\b)"
)
"""What is spoken of is not the key itself."""
_NOUN = rf"(?<![a-zà-ÿа-я0-9_/.@$-])(?:{_NAMED}|{_BARE}|{_OWNED}){_TOPIC}"
_WORD = r"(?:(?: \(?|\()[^\s.,;:=<>{}()\[\]|/\\\"`]{1,20}\)?)"
_VERBS = (
    "is are was were be equals reads to it's it’s that's ist war wäre lautet heißt auf est était c'est c’est es "
    "era será "
    "é è jest to luidt naar это är er"
).split()
_IS = (
    rf"(?:\s(?:(?:set |changed |equal )?(?:{'|'.join(_VERBS)}))"
    r"(?: now| currently| jetzt| nun| maintenant| ahora| теперь)?:?|"
    r"['’]s(?: now)?:?|\s?(?::|=|=>|->|→|—|–|：)|\s-(?=\s))"
)
_OPEN = r"[\s\"'`*(“‘«「]{0,4}\Z"
_ONWARD = (
    r"(?: (?:provided|given|used|sent|for|of|in|on|at|from|to|with|as|we|you|i|they|he|she|it|that|which|should|must|"
    r"will|has|just|now|again|below|für|vom|von|zum|zur|im|pour|de|du|des|del|della|do|da|para|per|di|voor|van|dla|для|"
    r"от)(?![\w-])| ?\()"
)
"""What goes on with whose a key is; another noun there is what is told of: "the api key owner is"."""
_TOLD = later(rf"{_NOUN}(?:(?={_ONWARD}){_WORD}{{1,10}}?)?{_IS}{_OPEN}")
_DIRECT = later(
    rf"{_NOUN}(?: (?:you|we|i|they) (?:asked for|wanted|needed|need|requested|mentioned))?"
    rf"(?:(?:,| is below| below| as follows)?:?(?:\s|[ \t]?\r?\n[ \t]{{0,8}}){{1,3}}[\"'`(]{{0,2}}|"
    rf"[ \"'`(]{{0,2}})\Z"
)
_GIVEN = later(rf"{_NOUN}{_WORD}{{0,6}} \(\Z")
_NEW = (
    r"(?:(?:so |ok |now |here |here's )?(?:the |my |a |our )?(?:(?:right|correct|new|current|working|real|actual|other|"
    r"fresh|next|old) )(?:one|value|key|token)|it|this|that|here it|(?:der |die |das )?(?:neue[rs]?|richtige[rs]?)|neu|"
    r"richtig|(?:le |la )?(?:nouveau|nouvelle)|(?:el |la )?(?:nuevo|nueva)|(?:o |a )?(?:novo|nova)|(?:il |"
    r"la )?(?:nuovo|"
    r"nuova)|(?:de |het )?nieuwe|nowy|nowa|новый|новая|теперь)"
)
_AGAIN = later(
    rf"{_NOUN}[^\n;:=<>{{}}\[\]|/\\\"`]{{0,80}}?(?:[,.;!] (?:and )?|: | - | – | — |\n)"
    rf"{_NEW}(?: (?:should|will|must))?{_IS}{_OPEN}"
)
_MOVED = later(
    rf"\b(?:rotat|chang|updat|reset|set|switch|replac|renew|swap|mov|bump)\w{{0,5}} [^\n:=]{{0,80}}?{_NOUN}"
    rf"{_WORD}{{0,3}}? (?:with|by|into) [\"'`]?\Z"
)
_BETWEEN_COMMAS = later(rf"{_NOUN}{_WORD}{{0,8}}, [\"'`]?\Z")
_COMMA = later(r"[\"'`]?,")
_SAYS = later(
    rf"{_NOUN}[^\n;:=<>{{}}\[\]|/\\\"`]{{0,40}}?[,.;] (?:i|we) (?:used|tried|sent|entered|put|typed) [\"'`]?\Z"
)
_USED = later(
    r"\b(?:use|using|try|take|with|set|put|add|paste|enter|type|send|export|pass|nimm|nutze|verwende|usa|utilise|"
    r"prends) "
    r"[\"'`]?\Z"
)
_CALLED = later(
    r"[\"'`*”’»」]{0,2}(?:(?:,? (?:in|into|to|at|on|there|here|under|dans|en|nel|nella|no|na|w|в|do)"
    r"(?: [\w./-]{1,20}){0,4})?[,.;]? ?(?:–|—|-)?[ (]{1,2}"
    r"(?:(?:it|that|this|which|and that|das|c|esa|ese|essa|questa|dat|to)(?:['’]?s| is| was|['’]est| ist| es| é| è)|is|"
    r"looks? like|"
    rf"was|as|ist|war|est|es|è|é|to|это|als|comme|como|come|jako|как|—|=)(?: (?!(?:not|where|when|how|why|what|if|"
    rf"because|for|in|by|from|before|after)\b)"
    rf"[\w'’.-]{{1,16}}){{0,3}}? |"
    rf"[ ,]{{0,2}}\((?:the |my |our |your |new )?)(?<!not ){_NOUN}|"
    r"[\"'`]? (?:as|als|comme|como|come|jako|как) (?:key|token|secret)(?![\w-])|[\"'`]? \((?:key|token|secret)\)"
)
_FOR = later(rf"[\"'`]? (?:for|für|pour|para|per) (?:[\w-]{{1,16}} ){{0,3}}{_NOUN}")

_HAN = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_EASTERN = (
    r"(?:密码|密碼|口令|パスワード|비밀번호|"
    rf"(?:api ?)?(?:キー(?!ボード|ワード)|トークン(?!数)|シークレット|密钥|密鑰|令牌|토큰|키(?=[는를로가은이입 :]))|"
    rf"(?:(?<={_HAN})|(?<={_HAN} )|(?=[a-z ]{{3,10}}{_HAN}))(?:(?:api|access|secret) ?)?(?:key|token|"
    rf"secret)(?![a-z0-9_-]))"
)
_EASTERN_TOLD = later(rf"{_EASTERN}(?:[^\n.;=<>{{}}\[\]|/\\_a-z]|\. ){{0,24}}?(?: staging| prod)?{_OPEN}")
_EASTERN_CALLED = later(
    rf"[\"'`」]? ?(?:是|为|作为|当作|が|を|は|가|는|를|로)[^\n。；;=<>{{}}\[\]|/\\_a-z]{{0,16}}?{_EASTERN}"
)
"""Without blanks, and the verb behind: what stands between is of that script."""
_SEEDS = tuple(
    "key token secret credential pat pass kennw contrase senha wachtw hasło парол "
    "密码 密碼 口令 パス 비밀 schlüssel sleutel clé cle chiave clave chave klucz jeton segre ключ токен "
    "キー トーク シークレ 密钥 密鑰 令牌 토큰 키".split()
)
"""One of them stands in each noun."""

_GROUPS = later(
    r"(?=[A-Z-]{0,60}\d)(?=[\d-]{0,60}[A-Z])[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,8}|"
    r"(?=[a-z-]{0,60}\d)(?=[\d-]{0,60}[a-z])[a-z0-9]{4,8}(?:-[a-z0-9]{4,8}){3,8}"
)
_DIGEST = later(r"[0-9a-fA-F]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_WAYS = (_TOLD, _DIRECT, _GIVEN, _AGAIN, _MOVED, _EASTERN_TOLD, _SAYS)
_ITS_ID = later(
    r"(?<![\w-])(?:(?:ids?|hash|sha|sha-?\d+|digest|checksum|fingerprint)(?: [\w-]{1,12}){0,3} (?:of|for|from|with)"
    r"(?: (?:the|my|our|your|a|this|that))? |commit (?:that|which|where|adding|with)(?: [\w-]{1,12}){1,3} |"
    r"(?:signed|tag|gpg|pgp)\b[^\n.;]{0,40})\Z",
    re.IGNORECASE,
)
"""What of a secret, or with it, is told: "the hash of the token is", "signed with the key"."""
_KEY_ALONE = later(
    r"(?:(?<![\w-])(?:the|this|that|new|old|a) |\A|[.:!?] |\n|主|这个 ?|(?<![\w アスセ])(?=キー|키))(?:key|キー|"
    r"키)(?![a-z])"
)
"""A key of a table or a map, where a digest or an id stands behind it."""
_GROUP = later(r"[^\W_]+")
_ONLY_NAMED = later(r"(?:with|using|use|try|is)[ \"'`]{1,3}\Z")
_IN_BRACKETS, _ADDED = later(r"[\"'`]? \("), later(r"\s?(?:这个|那个|で(?!す)|に(?!な|変|設))")


_MINE = ("my ", "our ", "your ")
_OWNED_KEY = later(rf"(?!{_NAMED}|{_BARE}){_OWNED}")


def is_its_id(value: str, before: str) -> bool:
    """Whether a digest is told of a secret, or of what has to do with it, by what stands before the secret's name."""
    return bool(_ITS_ID.search(before)) and bool(_DIGEST.fullmatch(value))


def is_told_key(before: str, value: str, after: str, *, drawn: bool) -> bool:
    """Whether a sentence says that a value is a key; `before` is in lower case, `drawn` says that hardly any sentence
    has such a word.
    """
    after = after.lower()
    if not any(seed in before or seed in after for seed in _SEEDS):
        return False
    digest = bool(_DIGEST.fullmatch(value))
    if not (digest or _is_grouped(value) or (drawn and len(value) >= LEAST_DRAWN_CHARS)):
        return False
    ways = (*_WAYS, _BETWEEN_COMMAS) if _COMMA.match(after) else _WAYS
    for way in ways:
        if told := way.search(before):
            alone = _KEY_ALONE.match(before, told.start())
            owned = _OWNED_KEY.match(before, told.start()) and not before[: told.start()].endswith(_MINE)
            if digest:
                return not (
                    alone
                    or owned
                    or is_its_id(value, before[: told.start()])
                    or (way is _GIVEN and "-" in value)
                    or (way is _EASTERN_TOLD and _ADDED.match(after))
                )
            return not (alone and way is _DIRECT)
    if digest and _IN_BRACKETS.match(after) and not _ONLY_NAMED.search(before):
        return False
    called = (
        _CALLED.match(after) or _EASTERN_CALLED.match(after) or (_USED.search(before) and _FOR.match(after))
    )
    return bool(called) and not (digest and _KEY_ALONE.search(called[0]))


def _is_grouped(value: str) -> bool:
    """Whether a value is of groups of letters and digits, as licences have them: most have both."""
    if not _GROUPS.fullmatch(value):
        return False
    groups = _GROUP.findall(value)
    return 2 * sum(not group.isalpha() and not group.isdecimal() for group in groups) >= len(groups)
