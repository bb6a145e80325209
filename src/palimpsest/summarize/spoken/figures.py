"""How people say of a figure that it was too small or too large, and which one is all right: "200 is too tight, 300 is
ok".
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.spoken.changes import FIGURE

_UNIT = (
    r"(?:\s?(?!(?:is|was|are)\b)[^\W\d_\u3040-\ud7ff]{1,20}|%|\s?[\u30a1-\u30fc]{1,8}|"
    r"\s?[\u4e00-\u9fff](?![紧少小短严窄多长大高松])|\s?[\uac00-\ud7a3])?"
)
_SO = (
    r"(?: (?:is|are|was|were|['’]s|feels?|seems?|ist|sind|war|waren|est|sont|c['’]est|c['’]était|es|son|era|eran|"
    r"é|são|"
    r"è|sono|era|это|было|zijn|was|jest|to|są|było))?(?:,? c['’]est)? ?(?:just |way |a bit |much |viel |etwas |echt |"
    r"bien |un peu |wel )?"
)
_TOO = r"(?:too|zu|trop|muy|demasiado|muito|troppo|слишком|te|za|not|nicht|pas|no|não|non) "
_SMALL = (
    r"(?:tight|short|few|small|low|little|strict|narrow|restrictive|enough|eng|knapp|kurz|wenige?|klein|streng|genug|"
    r"court\w?|peu|petit\w?|serré\w?|juste|strict\w?|assez|poc[oa]s?|cort[oa]s?|pequeñ[oa]s?|just[oa]s?|estrict[oa]s?|"
    r"pouc[oa]s?|curt[oa]s?|apertad[oa]s?|pochi|poche|strett[oaie]|rigid[oaie]|мало|тесно|коротко|строго|krap|weinig|"
    r"kort|mało|ciasno|krótko)\b"
)
_LARGE = (
    r"(?:many|much|long|high|big|large|loose|viele?|lang|hoch|groß|locker|longs?|longues?|grand\w?|haut\w?|beaucoup|"
    r"larg[oa]s?|much[oa]s?|alt[oaie]s?|muit[oa]s?|longh?[oaie]s?|molt[oaie]|tropp[oaie]|много|длинно|lang|veel|hoog|"
    r"dużo|długo)\b"
)
OUTGROWN = later(
    rf"(?<!第)(?<!第 )(?P<figure>{FIGURE}){_UNIT}(?:{_SO}(?:{_TOO}(?:(?P<small>{_SMALL})|(?P<large>{_LARGE}))|"
    r"(?P<scarce>мало|маловато|трудно)\b)|\s?(?:还是|实在|有点|真的|也)?(?:(?:太|过于|"
    r"有点)(?:(?P<紧>[紧少小短严窄])|(?P<长>[多长大高松]))|"
    r"(?P<不够>不够|不太够))|[はがでじゃ]{0,3}\s?(?:ちょっと|少し|さすがに)?(?:(?P<短>厳し|短|少な|きつ|足り)|"
    r"(?P<多>長すぎ|多すぎ|大き))|"
    r"[은는이가]?\s?(?:너무|좀)?\s?(?:(?P<적>적|짧|빡빡|부족|모자)|(?P<길>길|많|커|크)))",
    re.IGNORECASE,
)
"""A figure of which is said that it was too small, or too large."""
SMALL, LARGE = ("small", "scarce", "紧", "不够", "短", "적"), ("large", "长", "多", "길")
FITS = later(
    r"\bmake (?:it|that)\b|\b(?:is|are|['’]s|ist|sind|wären|wäre|est|c['’]est|sont|est[áa]n?|va|vanno|zijn|jest|są) "
    r"(?:(?:also|now|totally|auch|doch|aussi|também|anche|ook|też|jetzt|tout à fait|voll) ){0,2}"
    r"(?:fine|ok|okay|good|alright|enough|in ordnung|gut|bien|bon|bom|bene|prima|goed|w porządku|acceptable|genug)\b|"
    r"\b(?:нормально|хорошо|ок|пойд[её]т|geht(?:en)? auch|tut es auch)\b|(?:改|放宽|提|提高|调|调整|降|加|增加|"
    r"变)[成到为](?!了)|"
    r"(?:でも|まで|で)(?:も)?(?:大丈夫|いい|構|OK)|도 (?:괜찮|좋|됩|돼)|로 (?:해|바꿔|늘려|올려)",
    re.IGNORECASE,
)
"""What says that a figure is all right, or makes it the new one."""
IDLE = frozenset(
    "make makes that hm hmm actually ok okay fine good alright enough set go let lets change last also too now "
    "limit max "
    "maximum most total altogether overall together alles zusammen insgesamt gesamt auch gut kommando zurück doch nur "
    "jetzt nun bitte dürfen tout ensemble bien bon todo total está están bom bene vanno tutto totale prima "
    "jest для voor dla нормально хорошо всего ок sorry again correction korrektur change gehen geht 再改 改成 "
    "改到 改为 放宽 宽到 提到 提高 高到 调到 "
    "调整 总共 一共 合计 上限 限到 上限改 合計 全部 괜찮 찮아 아요 어요 도 よ ね".split()
)
"""What says nothing of what a figure is about."""
VERBS = frozenset(
    "is are was were feels feel seems seem ist sind war waren est sont es son era eran é "
    "são è sono это было zijn jest to "
    "są było c слишком".split()
)
"""What stands behind a figure, before it is said that it was too small, and is no unit."""
LINKS = frozenset(
    "each per every only just our your these those please pls und oder für pour para los las gli".split()
)
"""What stands before a word and does not tell one thing of its kind from another."""
