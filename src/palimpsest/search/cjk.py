"""Questions in scripts without spaces: content characters, who is meant, and whether a time is asked for.

A run of Chinese, Japanese or Korean is searched in pairs of characters, and in single ones at less weight; one of
Thai, Lao, Khmer or Burmese in threes of letters with their marks. Question phrases (which, what, have I told you) are
cut out first.
"""

from __future__ import annotations

from collections.abc import Iterator

from palimpsest.lazy_regex import later
from palimpsest.search.word_folding import SYLLABIC_RANGES

SINGLE_WEIGHT = 0.35
"""The weight of a single character of a longer run, relative to a pair."""

_CJK = r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
_RUN = later(f"[{_CJK}\U00020000-\U0003ffff]+|[{SYLLABIC_RANGES}]+")
_SYLLABIC = later(f"[{SYLLABIC_RANGES}]+")
_MARKS = "\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
_LETTER = later(f"(?s:.)[{_MARKS}]*")
_LETTERS = 3
_DATE = later(r"(?<!\d)\d+ *[年月日号號년월일]")
_KANA = later(r"[\u3040-\u309f]+")
_ASKING = later(
    "什么时候|具体日期|曾经|我们|你们|他们|她们|咱们|什么|甚么|哪些|哪个|哪里|哪儿|哪位|哪天|怎么样|怎么|怎样|如何|为什么|"
    "为何|多少|几个|是否|有没有|是不是|记得|还记|提到过|提到|提过|告诉|分享过|分享|这天|那天|当时|这个|那个|之前|最近|"
    "一下|一个|一些|一部|一本|请问|关于|应该|可以|因为|所以|但是|对吗|"
    "以后|以前|现在|目前|将来|后来|然后|如今|想知道|知道|忘记|忘了|想不起来|提醒|麻烦|谢谢|多谢|"
    "อะไร|ที่ไหน|เมื่อไหร่|เมื่อไร|ใคร|ทำไม|อย่างไร|ยังไง|เท่าไหร่|เท่าไร|หรือไม่|หรือเปล่า|ไหม|ครับ|ค่ะ|"
    "[我你您他她它的了吗呢吧啊呀么过曾和与在是有要会能给对这那些个也都就很还到从把被让谁哪几说]"
)
_DOING = later(
    "讨论|發生|发生|事情|工作|聊天|[聊谈談做干写寫问問事话話天份里裡中间時时候号日]|話し|した|やった|こと|何"
)
"""What only says that something was said or done."""

_ASKED = later(
    "(?<![和与同跟给向对为])[你您](?:之前|曾经|曾|都|还|上次)*(?:给我|向我|跟我|对我|为我|教我|教过"
    "|(?:[和与同帮替]我)?(?:告诉|推荐|建议|提供|列出|写|说|介绍|分享))|"
    "(?:教えて|勧めて|提案して)くれ"
)
_CLAUSES = later(r"(?<=[,;:.!?，、；：。！？\n])\s*")
_QUESTION = later(
    "[?？]|什么|甚么|哪|谁|几|多少|多久|怎么|如何|为何|吗|呢|何|誰|いつ|どこ|どの|か$|누구|언제|어디|무엇|뭐|왜"
)
_FRAME = later(
    "我?(?:很?想|需?要)(?:知道|问一?问?|确认|了解)|我(?:都|已经|又)?(?:忘记?了?|不记得了?|记不清了?|想不起来了?)|"
    "(?:[你您](?:能不能|能否|能|可以)|请[你您]?|麻烦[你您]?)(?:再)?(?:告诉|提醒)我|(?:告诉|提醒)我一下|帮我(?:回忆|查|想)一?下?"
)
"""What only says that something is asked."""
_ASKER = later("[我俺咱]|私|僕|나는|내가|제가|저는")
_WHEN = later("什么时候|何时|哪天|哪一天|几月|几号|几点|日期|多久|哪年|哪一年|いつ|언제|เมื่อไหร่|เมื่อไร|วันไหน")


def runs(text: str) -> list[str]:
    """Return the content runs of these scripts; all of them if there are none."""
    whole = _RUN.findall(_DATE.sub(" ", text))
    telling = [part for run in whole for part in _ASKING.sub(" ", run).split()]
    return telling or whole


def tells(text: str) -> bool:
    """Return whether a text has a content run of these scripts."""
    return any(_DOING.sub("", part) for run in _RUN.findall(text) for part in _ASKING.sub(" ", run).split())


def pieces(runs_found: list[str]) -> Iterator[tuple[str, float]]:
    """Return pairs of neighbouring characters with their weights, then single ones."""
    syllabic = [run for run in runs_found if _SYLLABIC.fullmatch(run)]
    others = [run for run in runs_found if run not in syllabic]
    pairs = [run[at : at + 2] for run in others for at in range(len(run) - 1)]
    telling = [pair for pair in pairs if not _KANA.fullmatch(pair)]
    yield from ((pair, 1.0) for pair in telling or pairs)
    yield from ((three, 1.0) for run in syllabic for three in _threes(_LETTER.findall(run)))
    yield from ((run, 1.0) for run in others if len(run) == 1)
    for run in others:
        yield from ((char, SINGLE_WEIGHT) for char in run if len(run) > 1 and not _KANA.fullmatch(char))


def _threes(letters: list[str]) -> Iterator[str]:
    """Return threes of neighbouring letters; all of them if they are fewer."""
    for at in range(max(1, len(letters) - _LETTERS + 1)):
        yield "".join(letters[at : at + _LETTERS])


def speaker(text: str) -> str:
    """Return the role that a question means by I or you, "" for none. Of several clauses the asking ones decide."""
    if _ASKED.search(text):
        return "assistant"
    asking = [one for one in _CLAUSES.split(text) if _QUESTION.search(one)]
    return "user" if _ASKER.search(_FRAME.sub(" ", " ".join(asking) or text)) else ""


def asks_when(text: str) -> bool:
    """Return whether a question asks for a time."""
    return _WHEN.search(text) is not None
