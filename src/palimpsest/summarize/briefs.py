"""Rules in a few words: what stays as it is, what alone is used, the language of something, whom to ask first, and what
somebody cannot have.

Each is a whole sentence of its kind, so that a report with the same words in it is none.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

MAX_CHARS = 120

_LANGUAGES = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|turkish|russian|chinese|japanese|korean|"
    r"(?:british|american|plain|simple) english|deutsch|englisch|französisch|spanisch|"
    r"anglais|allemand|français|espagnol|inglés|español|alemán|francés|inglês|português|italiano|inglese)"
)
_IN = rf"(?:in|auf|en|em) {_LANGUAGES}"
_WRITTEN = (
    r"(?:(?:all |die |les |los |las |os |as |i |le )?(?:commits?|commit[ -]?(?:messages?|nachrichten)|comments?|docs?|"
    r"docstrings?|documentation|replies|answers|names?|identifiers|messages?|variables?|reports?|summar(?:y|ies)|"
    r"kommentare|antworten|bezeichner|namen|berichte|commentaires|réponses|messages de commit|comentarios|respuestas|"
    r"comentários|respostas|commenti|risposte))"
)
_BRIEF = (
    # what stays
    r"(?:please |we )?(?:stay|remain) (?:on|with|at) (?!top|track|it\b|hold|call|standby)[\w.+# -]{2,40}",
    r"(?:bitte )?bleib(?:e|t|en wir)?(?: bitte)? (?:bei|auf) (?!dran|mir|uns)[\w.+# -]{2,40}",
    r"(?:on )?reste[rz]?(?:ns)?(?: bien)? (?:sur|en|avec) [\w.+# -]{2,40}",
    r"(?:nos )?qu[eé]d(?:a|e|ate|émonos|amos) (?:en|con) [\w.+# -]{2,40}",
    # what alone is used
    r"(?:nur|ausschließlich|bitte nur) (?:die|der|das|mit|aus|in|auf|eigene\w?) [^?]{3,60}",
    r"(?:only|just|nothing but) (?:the )?standard library[^?]{0,40}",
    r"[^？?、]{1,30}(?:だけ|のみ)(?:を)?(?:使って|使用して|で)(?:ください|下さい|ね)?",
    # the language of something
    rf"{_WRITTEN}(?: (?:are|is|go|stay|bitte|bleiben|siempre|immer|always|toujours))? {_IN}(?:,? (?:please|bitte))?",
    r"[^，,？?]{1,14}(?:都)?(?:一律|统一)?(?:使?用|写)(?:英文|中文|英语|日文|法语|德语)(?:写)?",
    r"[^、？?]{1,20}は(?:すべて|全て|必ず)?(?:英語|日本語|中国語|ドイツ語)で(?:書いて|お願いします)?(?:ください)?",
    # whom to ask first
    r"[^？?]{1,30}之?前[，,]?(?:请|必须|一定要?|都要?)?先?(?:问(?:一下)?我|征求我|跟我(?:确认|说)|告诉我|通知我)[^？?]{0,10}",
    # limits, and what somebody cannot have
    r"[^，,？?]{1,30}(?:控制|限制|保持)在[^，,？?]{1,20}(?:以?内|之内|以下)",
    r"[^？?]{1,30}は[^？?]{0,12}[\d一二三四五六七八九十百千万]+[^？?]{0,10}(?:以内|以下|まで)(?:です|でお願いします|大丈夫です)?",
    r"[^？?]{1,30}(?:食べられ(?:ません|ない)|飲め(?:ません|ない)|避けたい|アレルギーがあり)(?:です|ます|んです)?",
    r"i(?:'m| am) (?:allergic|intolerant) to [^?]{2,60}|i (?:can't|cannot|don't) (?:eat|drink) [^?]{2,60}",
    r"ich (?:bin|reagiere) allergisch (?:gegen|auf) [^?]{2,60}|ich (?:esse|trinke|vertrage) kein\w{0,2} [^?]{2,60}",
    r"je suis allergique (?:à|aux) [^?]{2,60}|soy alérgic[oa] a[l ][^?]{2,60}",
    r"我对[^？?，]{1,12}过敏|我不吃[^？?，了]{1,12}",
)
_RULE = later(rf"(?:{'|'.join(_BRIEF)})[.!。！ ]{{0,2}}", re.IGNORECASE)


def is_brief_rule(text: str) -> bool:
    """Whether a whole sentence is a rule in a few words."""
    return len(text) <= MAX_CHARS and _RULE.fullmatch(text) is not None
