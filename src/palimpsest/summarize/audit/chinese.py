"""Whether a line among Japanese ones is Chinese: both are written in the same signs, and some Japanese has no kana.

Rules kept here:

- Signs tell that Chinese character sets have and Japanese ones do not: the simplified ones, and words like 你, 们.
  One that the conversation has tells nothing.
- So do words that only Chinese has. 的, 是 or 在 alone do not: 目的, 是正 and 在庫 are Japanese.
- A long run of signs without kana tells nothing by its length: `夜間運転停止原因調査完了` is Japanese.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from palimpsest.patterns import later

SURE_SIGNS, CLAUSE_SIGNS = 2, 2
"""So many signs of Chinese alone tell a line with kana; one tells a clause without, of so many signs."""

_HAN, _KANA = later(r"[\u3400-\u9fff]"), later(r"[\u3041-\u3096\u30a1-\u30fa]")
_CLAUSE = later(r"[，、。；：！？,;:!?\s()（）「」『』]+")
_WORDS = later(
    r"[没沒]有|不是|不会|不會|不再|不用|所以|但是|如果|可以|就是|也是|都是|只用|只有|只能|[为為]了|因[为為]|已[经經]|还没|還沒|"
    r"^已[一-龥]|[^完終修未魅校満投]了$|[一-龥]了[吗嗎]|都[一-龥]{1,3}了"
)
"""Words that are Chinese and no Japanese ones."""


def is_chinese(text: str, known: Collection[str] = ()) -> bool:
    """Whether a text among Japanese ones has a Chinese clause. `known` are the terms of all that was said."""
    said = {sign for sign in set(_HAN.findall(text)) if _is_chinese_alone(sign)}
    strange = {sign for sign in said if not any(sign in term for term in known)}
    if len(strange) >= SURE_SIGNS:
        return True
    return any(
        not strange.isdisjoint(clause) or (_WORDS.search(clause) and clause not in known)
        for clause in _clauses(text)
    )


def _clauses(text: str) -> Iterator[str]:
    """The clauses of a text that have some of the signs and no kana."""
    for clause in _CLAUSE.split(text):
        if len(_HAN.findall(clause)) >= CLAUSE_SIGNS and not _KANA.search(clause):
            yield clause


@lru_cache(4_096)
def _is_chinese_alone(sign: str) -> bool:
    """Whether a sign is in the character sets of China and in none of Japan."""
    return _is_in(sign, "gb2312") and not _is_in(sign, "cp932")


def _is_in(sign: str, characters: str) -> bool:
    try:
        sign.encode(characters)
    except UnicodeEncodeError:
        return False
    return True
