"""Names of files with letters beyond ASCII: the source's stay, and invented ones are put right or go."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.exact import exact_text
from palimpsest.summarize.audit.names.lettered import lettered
from tests.summarize.dialogues import assistant, call, leaf, user

TOLD = leaf(
    [
        user("Rechne die Messwerte in ablage/größe.csv zusammen, und lies docs/über.md."),
        assistant("座位表在年会/座位.xlsx，报名在年会/报名.csv。", call("1", "Write", path="年会/座位.xlsx")),
    ]
)


@pytest.mark.parametrize(
    "line",
    [
        "- 年会/座位.xlsx 已写入；年会/报名.csv 已读取",
        "- 已写入年会/座位.xlsx",
        "- ablage/größe.csv gelesen, über.md ebenso",
        "- src/plan.py edited",
    ],
)
def test_the_sources_files_are_known_also_behind_words(line: str) -> None:
    assert list(lettered(line, exact_text(TOLD))) == []


@pytest.mark.parametrize(
    "line, wrong, right",
    [
        ("- 年会/座位_最终版.xlsx 已写入", "年会/座位_最终版.xlsx", "年会/座位.xlsx"),
        ("- 已写入 资料/座位.xlsx", "资料/座位.xlsx", "年会/座位.xlsx"),
        ("- read alt/größe.csv", "alt/größe.csv", "ablage/größe.csv"),
        ("- 年会/预算.xlsx 已写入", "年会/预算.xlsx", ""),
        ("- prüfung.py was made", "prüfung.py", ""),
    ],
)
def test_what_is_none_of_them_is_put_right_where_one_is_meant(line: str, wrong: str, right: str) -> None:
    assert list(lettered(line, exact_text(TOLD))) == [(wrong, right)]
