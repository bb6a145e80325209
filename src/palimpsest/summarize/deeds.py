"""What is done to a file, and the words with which summaries say so, in several languages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from palimpsest.patterns import as_key, later

Deed = Literal["named", "read", "written", "edited", "deleted", "restored"]
"""The last takes back what was done."""

DEEDS: tuple[Deed, ...] = ("named", "read", "written", "edited", "deleted")
"""What a file is marked with."""

CHANGES: frozenset[Deed] = frozenset(("edited", "written", "deleted"))
"""Deeds after which a file is another one."""

_WORDS: Mapping[Deed, str] = {
    "edited": "edited modified changed updated patched rewrote refactored bearbeitet geändert 修改 编辑 更新 編集 変更",
    "written": "created wrote written added erstellt 创建 新建 写入 作成",
    "deleted": "deleted removed gelöscht 删除 削除",
    "read": "read viewed inspected reviewed examined gelesen 读取 查看",
}
_DEED_OF: Mapping[str, Deed] = {word: deed for deed, words in _WORDS.items() for word in words.split()}
DID = later(
    rf"(?<![\w-])(?:{'|'.join(word for word in _DEED_OF if word[0] < '一')})(?![\w-])"
    rf"|{'|'.join(word for word in _DEED_OF if word[0] >= '一')}",
    re.IGNORECASE,
)


def deed_named(word: str) -> Deed | None:
    """The deed that a word stands for."""
    match word:
        case "named" | "read" | "written" | "edited" | "deleted":
            return word
        case _:
            return None


def deed_of(word: str) -> Deed:
    """The deed that a word found by `DID` stands for."""
    return _DEED_OF[as_key(word)]


def says_changed(line: str) -> bool:
    """Whether a line speaks of a change."""
    return any(deed_of(match[0]) in CHANGES for match in DID.finditer(line))
