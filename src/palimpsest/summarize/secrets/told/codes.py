"""Codes of digits that a sentence tells in many languages: what opens a door or a safe, stills an alarm, unlocks a card
or a phone, or proves who one is.

Rules kept here:

- A code is spoken of together with what it opens or how it came (`the code for the door`, `Türcode`, `code reçu par
  SMS`), in one sentence; then come a verb, a colon or nothing, and the digits.
- Without the word "code" it is the deed that tells: typing digits at a keypad, opening or stilling something with them.
- A PIN needs no such word where it says what it is for.
- Codes of a failure, a place, a product or a program open nothing, and a number behind a preposition is a day or
  a year.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.forms import MEASURED, UNIT

Span = tuple[int, int]

BACK_CHARS, ON_CHARS, LEAST_UNTOLD = 32, 90, 4

_COUNTED = r"(?i:err|fehl|times|fois|mal |veces|seats|users)"
_DIGITS = (
    rf"(?P<code>\d{{3}}[ -]\d{{3}}|\d{{3,8}}[A-Z#*]?|[A-Z]\d{{3,6}})(?![\w%€$£]|[.,:/-]\d| {_COUNTED}){UNIT}"
)
_CODE = later(
    r"(?:code|kodes?|kode?n?|código|codigo|codice|kodu|kodem|код(?:а|ом)?|combination|combinación|combinaison|"
    r"kombination|digicode|pin-?code|пин(?:-?код)?|(?<![^\W_])pin(?!码))(?![^\W\d_])|"
    r"コード|暗証番号|番号|密码|密碼|验证码|pin码|코드|번호|(?<![^\W_])pin(?=[은は是为])",
    re.IGNORECASE,
)
_OPENED = (
    # English, German, Dutch; French, Spanish, Portuguese, Italian; Polish, Russian; Chinese, Japanese, Korean
    r"(?:door|gate|garage|safe|lock(?:box|er)?|key ?box|key ?safe|alarm|keypad|building|intercom|lobby|entrance|shed|"
    r"card|phone|sim|voicemail|vault|padlock|"
    r"tür|tor|garagen?|tresor|schloss|alarmanlage|schließfach|haus|karte|handy|spind|"
    r"deur|poort|kluis|kaart|slot|toegangs|hek|"
    r"porte|portail|coffre|alarme|immeuble|entrée|cadenas|carte|téléphone|grille|bâtiment|digicode|"
    r"puerta|portón|portal|garaje|caja fuerte|alarma|candado|tarjeta|móvil|edificio|"
    r"porta|portão|garagem|cofre|cartão|celular|prédio|cancello|portone|cassaforte|allarme|carta|lucchetto|"
    r"drzwi|bram[ya]|sejfu?|alarmu|karty|telefonu|domofonu|"
    r"двер\w{1,2}|ворот\w{0,2}|сейф\w{0,1}|домофон\w{0,1}|сигнализац\w{2}|карт\w|телефон\w{0,1}|подъезд\w{0,1}|замк\w{1,2}|"
    r"门|門|保险箱|银行卡|手机|车库|玄関|ドア|金庫|カード|현관|금고|카드)"
)
_CAME = (
    r"(?:sms|text(?:ed)?|sent|2fa|mfa|otp|authenticator|verification|verificat\w{2}|verifica\w{0,4}|e-?mailed|reçu|llegó|"
    r"enviaron|mandaron|chegou|enviaram|arrivato|mandato|geschickt|gesendet|bekommen|prislali|смс|пришёл|пришел|прислали|"
    r"подтвержд\w{3}|短信|认证|認証|인증)"
)
_NEAR = later(rf"(?<![^\W_])(?:{_OPENED}|{_CAME})(?![^\W\d_]{{3}})|{_OPENED}s?-?\Z", re.IGNORECASE)
_BESIDE = later(rf"(?<![^\W_])(?:{_OPENED}|{_CAME})s?(?:['’]s)?[ -]?\Z|(?:の|的)\Z", re.IGNORECASE)
_THINGS = later(
    rf"(?:s|n|en)?(?: (?:for|of|to|from|the|my|our|für|die|der|den|das|zur|zum|aus|par|du|de|la|le|del|do|da|dla|z|"
    rf"от|из|для|к|(?:[ld]['’])?(?:{_OPENED}|{_CAME}))[\w-]{{0,3}}){{1,5}}",
    re.IGNORECASE,
)
"""Nothing but the thing and what joins it."""
_DOOR = later(_OPENED, re.IGNORECASE)
_CARRIED = later(
    r"card|sim\b|phone|handy|voicemail|karte|carte|tarjeta|cartão|carta|kaart|karty|карт|卡|カード|카드",
    re.IGNORECASE,
)
_PIN = later(r"пин|pin|暗証", re.IGNORECASE)
_MINE = later(
    r"(?<![^\W_])(?:my|our|mein|unser|mon|mi|meu|mio|mijn|mój|мой|我的|私の|내)\s?\Z",
    re.IGNORECASE,
)
_OF = later(
    r"\s?(?:for|of|to|on|at|für|zum|zur|am|de(?:l|s|r)?|du|da|do|para|pour|per|van|voor|dla|do|od|для|от|к|на)\s|[的のはの]",
    re.IGNORECASE,
)
"""What a PIN is for."""
_MEASURED = later(MEASURED)
_UNLOCKS = later(r" to (?:unlock|open|log|sign|enter|disarm|get in)\b", re.IGNORECASE)
_NO_CODE = later(
    r"(?:error|fehler|status|exit|return|product|produkt|zip|post|postal|area|country|länder|source|quell|bar|qr|gpio|header|connector|chip|"
    r"colou?r|farb|artikel|machine|version|country|language|sprach|type|air ?port|promo|vat|ошибки|ответа|"
    r"http|review)[\s_-]?\Z",
    re.IGNORECASE,
)
_IS = (
    r"(?:\s?[:=：]|\s(?:is|was|ist|war|lautet|est|était|c['’]est|es|era|é|è|to|jest|luidt|это)(?: (?:now|jetzt))?:?|"
    r"['’]s(?: now)?|(?:, | - )(?:it|that)(?:['’]?s| is)(?: now)?|\s?(?:是|为|は|은|는|[—–]))"
)
_BEHIND = later(
    r"(?P<gap>(?:s|n|en)?(?! (?:postal|http|err|d['’]erreur|de err|de estado|di errore|review|block|base|path|snippet))"
    rf"(?: (?!\d{{3}})[\w'’-]{{1,16}}){{0,9}}?)(?P<tells>{_IS})?(?:[\s「\"'`]{{1,2}}|(?<=[\u3000-\ud7af：]))"
    rf"(?<! of )(?<! in )(?<! since )(?<! from )(?<! von )(?<! seit )(?<! depuis )(?<! by )(?<! line ){_DIGITS}",
    re.IGNORECASE,
)
_AT = (
    r"(?:keypad|gate|door|digicode|tastenfeld|tastatur|tür|tor|clavier|porte|portail|teclado|puerta|portón|porta|"
    r"tastiera|cancello|deur|klawiatur\w|drzwi\w{0,3}|bram\w{1,3}|двер\w|домофон\w{0,2}|клавиатур\w)"
)
_TYPED = later(
    r"(?<!\w)(?:enter|press|type|dial|tap|punch in|gib|tippe|drück[et]?|tape[rz]?|compose[rz]?|marca|teclea|pulsa|"
    rf"digit[ae]|tecla|toets|wpisz|wciśnij|набери|введи) {_DIGITS}[^\n.!?]{{0,24}}?(?<!\w){_AT}(?!\w)",
    re.IGNORECASE,
)
_DONE = (
    r"(?=[.,;:!?)\"']|\s{0,3}(?:\n|\Z)|\s(?:and|then|but|within|on|at|if|after|before|from|und|dann|am|auf|ab|puis|et|y|luego|e|poi|"
    r"i|potem|и|потом)\b)"
)
_OPENS = later(
    rf"(?<!\w){_OPENED}[^\n.!?\d]{{0,24}}? (?:opens?|unlocks?|geht|öffnet|s['’]ouvre|se abre|abre|si apre|gaat|"
    r"otwiera się|открывается)(?: up| open| auf)? (?:with|using|mit|avec|con|com|met|kodem|кодом|с) "
    rf"(?:the code |dem code )?{_DIGITS}(?:{_DONE}|(?= auf\b))",
    re.IGNORECASE,
)
_STILLED = later(
    r"(?<!\w)(?:(?:disarm(?:ed|s)?|entschärf\w{1,3}|désarm\w{1,3}|desarm\w{1,4}|disinser\w{2,4})[^\n.!?\d]{0,30}?|"
    r"(?:unlock(?:ed|s)?|open(?:ed|s)?|entsperr\w{1,3}|aufschließ\w{1,3}|désactiv\w{1,3}|déverrouill\w{1,3}|"
    rf"desactiv\w{{1,4}}|disattiv\w{{1,4}}) [^\n.!?\d]{{0,16}}?(?<!\w){_OPENED}(?!\w)[^\n.!?\d]{{0,12}}?) "
    r"(?:with|using|mit|avec|con|com)(?: (?:the|den|dem|le|el|il|o))?"
    rf"(?: (?:code|pin|código|codice):?)? (?=\d{{4}}){_DIGITS}{_DONE}",
    re.IGNORECASE,
)
_DEEDS = {
    _TYPED: "keypad gate door digicode tasta taste tür tor clavier port tecla puert cancell deur klaw drzwi bram "
    "двер домоф клав",
    _OPENS: "opens unlocks geht öffnet ouvre abre apre gaat otwiera открыва",
    _STILLED: "disarm unlock open entsperr entschärf aufschließ désarm désactiv déverrouill desactiv desarm "
    "disattiv disinser",
}
"""What is done with a code, and words of which one stands in each of them."""
_SEEDS = tuple("code kod код пин pin ódigo odice ombina コード 番号 码 密碼 코드 번호".split())


def codes_in(text: str, piece: str, start: int, end: int) -> Iterator[Span]:
    """Where codes stand that are told in this stretch of a text; `piece` is the stretch in lower case."""
    if any(seed in piece for seed in _SEEDS):
        for noun in _CODE.finditer(text, start, end):
            told = _BEHIND.match(text, noun.end(), noun.end() + ON_CHARS)
            if told is None:
                continue
            before = text[max(0, noun.start() - BACK_CHARS) : noun.start()]
            before = before[max(before.rfind(sign) for sign in "\n.!?;,") + 1 :]
            if _NO_CODE.search(before):
                continue
            if not told["tells"] and len(told["code"]) < LEAST_UNTOLD:
                continue
            if _MEASURED.match(told["gap"]):
                continue
            pin, near = _PIN.match(noun[0]), f"{before}\0{told['gap']}"
            mine = pin and not told["gap"] and (told["tells"] or _MINE.search(before))
            mine = mine or (pin and not told["gap"] and _UNLOCKS.match(text, told.end()))
            mine = mine or (pin and told["tells"] and _OF.match(told["gap"]) and told["code"].isdigit())
            if told["tells"]:
                opens = _NEAR.search(before) or _NEAR.search(told["gap"]) or _DOOR.fullmatch(noun[0])
            else:
                opens = (_BESIDE.search(before) and not told["gap"]) or (
                    _THINGS.fullmatch(told["gap"]) and _NEAR.search(told["gap"])
                )
            if len(told["code"]) < LEAST_UNTOLD:
                opens = _DOOR.search(near)
            elif pin and not told["tells"]:
                opens = _CARRIED.search(near)
            if mine or opens:
                yield told.span("code")
    for deed, words in _DEEDS.items():
        for told in deed.finditer(text, start, end) if any(word in piece for word in words.split()) else ():
            yield told.span("code")
