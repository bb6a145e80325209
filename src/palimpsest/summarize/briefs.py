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
    (
        r"(?:the |all (?:the )?|die |alle )?(?:unit |e2e |integration )?"
        r"(?:tests?|builds?|lint(?:ing)?|checks?|migrations?|deploys|deployments|releases|formatting) "
        r"(?:runs?|go(?:es)?|laufen|läuft) (?:with|via|through|mit|über) "
        r"(?!no\b|an?\b|errors?|warnings?|problems?|success|fehler)[^?,]{2,60}"
    ),
    r"everything (?:runs|goes|stays|lives|happens|gets built) (?:in|inside|on|through|via|behind|under) [^?,]{2,40}",
    (
        r"(?:测试|日志|构建|部署|格式化|文档|提交|数据库|前端|后端|缓存|包管理|类型检查|代码检查)[^，。？?]{0,6}?"
        r"(?:改用|都用|统一用|用)\s?[`A-Za-z](?![^？?]{0,60}(?:失败|报错|不行|出错|时|了[。]?$))[^，。？?]{1,60}"
    ),
    # what everything of a kind has, and where it belongs
    (
        r"(?:every|each|all)(?: (?:new|public|exported|private|single))? [\w-]{2,24}(?: [\w-]{2,24}){0,2} "
        r"(?:needs?|gets?|must|should|goes?|belongs?|starts? with|ends? with|lives?) "
        r"(?!(?:an? )?(?:errors?|exceptions?|warnings?|stuck|fixing|to be fixed)\b)[^?]{2,80}"
    ),
    (
        r"(?!i\b|it\b|they\b|this\b|that\b|we\b|he\b|she\b)[^\s?][^?,:]{1,50} "
        r"(?:go|goes|belong|belongs|live|lives|gehör(?:t|en)|komm(?:t|en)|va|vont|van|vão|vanno) "
        r"(?:in|into|to|under|below|inside|next to|nach|unter|dans|sous|en|em|nella?|sotto) (?:the |den |die |le |la )?"
        r"(?:`[^`]{2,60}`|[\w.@-]{1,40}/[\w./@-]{0,60}|[\w.-]{2,30} (?:folder|directory|dossier|carpeta))"
    ),
    r"[\w./-]{2,30}(?: [\w-]{2,20})? (?:stays|remains|bleibt|reste|queda) [\w-]{2,20}[- ](?:only|first|free)",
    # the language of something
    rf"{_WRITTEN}(?: (?:are|is|go|stay|bitte|bleiben|siempre|immer|always|toujours))? {_IN}(?:,? (?:please|bitte))?",
    (
        r"(?:please )?(?:answer|reply|respond|write|talk|speak|réponds?|écris|responde|escribe|rispondi)"
        r"(?: (?:to )?(?:me|us|everything|moi|nous))? "
        rf"{_IN}(?:,? (?:not|pas|no|non) (?:in |en )?{_LANGUAGES})?(?:,? please)?"
    ),
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
    r"(?!不用)[^，。？?]{1,16}(?:不用|不必|无需|不需要)(?!谢|担心|管|急|怕|说|客气)[^，。？?了吗]{1,16}",
    r"我对[^？?，]{1,12}过敏|我不吃[^？?，了]{1,12}",
)
_RULE = later(rf"(?:{'|'.join(_BRIEF)})[.!。！ ]{{0,2}}", re.IGNORECASE)


def is_brief_rule(text: str) -> bool:
    """Whether a whole sentence is a rule in a few words."""
    return len(text) <= MAX_CHARS and _RULE.fullmatch(text) is not None
