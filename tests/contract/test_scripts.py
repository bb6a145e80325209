"""Word search in scripts without spaces or with marks, and of emoji, over every store."""

from __future__ import annotations

import pytest

from palimpsest.ports import Store
from tests.contract.kit import append, dialogue, found


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("缓存", {"m1"}),
        ("存失", {"m1"}),
        ("存缓", set()),
        ("失效 检查", {"m1"}),
        ("テスト", {"m2"}),
        ("スト", {"m2"}),
        ("파일", {"m3"}),
        ("파일 열어", {"m3"}),
    ],
)
async def test_parts_of_texts_without_spaces_are_found(
    store: Store, pattern: str, expected: set[str]
) -> None:
    await append(store, dialogue("请检查缓存失效的原因", "テストを直してください", "파일을열어 주세요"))
    assert await found(store, pattern) == expected


@pytest.mark.parametrize(
    "pattern, expected",
    [
        ("เมือง", {"m1"}),
        ("ผ่าน คือ", {"m1"}),
        ("ສາລາວ", {"m2"}),
        ("ပန်း", {"m3"}),
        ("សម្ងាត់", {"m4"}),
        ("العربية", {"m5"}),
        ("पासवर्ड", {"m6"}),
        ("🚢", {"m6"}),
        ("❤️", {"m7"}),
        ("⚠", {"m8"}),
        ("👍 OR 🚢", {"m6", "m8"}),
        ("NOT 👍 ok", {"m7"}),
    ],
)
async def test_scripts_with_marks_and_emoji_are_found(store: Store, pattern: str, expected: set[str]) -> None:
    said = (
        "เมืองหลวง รหัสผ่านคือ",
        "ພາສາລາວ",
        "လျှို့ဝှက် ပန်းသီး",
        "ពាក្យសម្ងាត់",
        "العَرَبِيَّة",
        "मेरा पासवर्ड 🚢",
        "ok ❤️",
        "ok ⚠️ 👍🏽",
    )
    await append(store, dialogue(*said))
    assert await found(store, pattern) == expected


async def test_a_character_that_came_in_two_halves_is_found_whole(store: Store) -> None:
    await append(store, dialogue("before \ud840\udc0b after"))
    assert await found(store, "\U0002000b") == {"m1"}
    assert await found(store, "before \U0002000b") == {"m1"}
