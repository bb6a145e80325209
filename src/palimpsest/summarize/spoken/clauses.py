"""What a sentence says itself: without the condition it is given under, and without when, why or what for.

Rules kept here:

- What stands under "if" or "while" at its beginning, up to a comma, is no part of it; nor is what begins with "before",
  "because" or "so that", or stands behind a comma as a reason: a few words, and no consequence.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_GIVEN = later(
    r"(?:(?:ok(?:ay)?|oh|and|but|so|also|und|et|y|и),? ){0,2}"
    r"(?:if|when(?:ever)?|while|before|after|unless|once|wenn|falls|bevor|si|quand|avant|cuando|antes|se|quando|если|"
    r"когда|перед)\b[^,.?\n]{3,90}, ",
    re.IGNORECASE,
)
"""Under what condition an order is given."""
_BEHIND = later(
    r"[^,，、;；]{8,}?(?=[,;] (?!(?:so|but|and|aber|also|und|mais|donc|et|pero|así|y|но|и|так)\b)\S+ \S+ \S|"
    r" (?:before|after(?! all\b)|until|once|when|bevor|nachdem|bis|sobald|wenn|weil|because|since|avant|après|quand|"
    r"antes de|después de|cuando|hasta que|porque|prima|dopo|quando|прежде|после|когда|пока)\b|"
    r",? (?:so(?: that)? (?:i|we|you)|damit|pour que|afin que|para que|perché|чтобы)\b)|"
    r"[^,，、;；]{6,}?(?=[，、；](?![但而所可])[^，。]{4}|[，,]?(?:以便|好让|为了让))",
    re.IGNORECASE,
)
"""What stands before a clause that says when, why or what for."""


_RUN_UP = later(
    r"(?:(?:oh|ah|ach|and|but|also|so|ok(?:ay)?|please|pls|anyways?|btw|by the way|hm+|well|then|right|yeah|yes|fyi|"
    r"p\.?s\.?:?|hey|heads up|reminder|quick (?:note|one|thing)|"
    r"one (?:more|other|last) thing[:,]?|und|aber|ja|noch was|bitte|übrigens|jedenfalls|ansonsten|außerdem|na ja|naja|"
    r"achso|ach so|denk(?:t)? (?:dr|dar)an|wichtig|zur erinnerung|"
    r"dann|et|mais|aussi|au fait|d['’]ailleurs|bon|alors|sinon|(?:autre|petite) chose|pour info|"
    r"y|pero|también|por favor|por cierto|además|bueno|pues|otra cosa|oye|ojo|sí|"
    r"vale|a propósito|aliás|bom|então|outra coisa|sim|e|anche|per favore|comunque|inoltre|allora|a proposito|"
    r"altra cosa|sì|trouwens|overigens|verder|en|oké|o ja|nog iets|"
    r"przy okazji|poza tym|a i|aha i|a|no to|aha|jeszcze jedno|и|а|ещё|ну|так|ах|да|кстати|пожалуйста)(?:[, ]{1,2}|"
    r": )){1,4}"
    r"(?=\w)|"
    r"(?:(?:另外(?:就是)?|[哦噢啊]?对了?(?!于|象|照|比|齐|应|外|接)|[还還]有(?:就是|"
    r"一[点件]事?)?(?![^，。]{0,12}(?:吗|没|问题))|"
    r"顺便(?:说一下|提一下)?|顺带一提|提醒(?:你)?一下|补充一[点下]|那个?|嗯|然后|"
    r"(?:请|要)?(?:记得|记住|注意)(?!力|事项)|ちなみに|参考まで(?:に)?|念のため|そう(?:いえば|だ(?![とがけ]))|あと|"
    r"それ(?:と|から)|"
    r"えっと|그리고|참고로|근데|그런데|아 맞다|혹시 몰라서|아|음)[，、, ]?\s?){1,2}(?=\w)",
    re.IGNORECASE,
)
"""Small words before what is said: "oh and please ..."."""
_SO = later(
    r"[^?]{6,160}?, (?:and )?(?:so(?! far\b| that\b| much\b| many\b| i\b)|therefore|hence|also|deshalb|daher|donc|"
    r"así que|"
    r"por eso|quindi|perciò|então|portanto|поэтому|так что|dus|därför) (?=\S+ \S)|[^？?]{3,60}[，,](?:所以|因此)",
    re.IGNORECASE,
)
"""What stands before what follows from it."""


def consequence(text: str) -> str:
    """What a sentence says follows from its beginning; "" where it says nothing of that."""
    reason = _SO.match(text)
    return text[reason.end() :] if reason else ""


def straight(text: str) -> str:
    """A sentence without the small words that it begins with."""
    run_up = _RUN_UP.match(text)
    return text[run_up.end() :] if run_up else text


def unconditional(text: str) -> str:
    """A sentence without the condition at its beginning."""
    given = _GIVEN.match(text)
    return text[given.end() :] if given else text


def main_clause(text: str) -> str:
    """A sentence without its condition, up to its first clause that says when, why or what for."""
    said = unconditional(text)
    own = _BEHIND.match(said)
    return own[0] if own else said
