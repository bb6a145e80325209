"""The default token estimate: its bounds on any text, its size, and how near it comes on invented texts."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe.bpe import openai

from palimpsest.budget import margins, pieces
from palimpsest.budget.pieces import count_text

ANY_TEXT = st.text(st.characters(codec=None), max_size=300)
SCRIPTS = ("latin", "cjk", "other")

ENGLISH = (
    "The nightly export failed again because the disk filled up before the second archive was written. I moved the "
    "old archives away, freed about forty gigabytes, and started the export by hand. It has been running for ten "
    "minutes without an error, so I would leave it alone and look at the log tomorrow morning."
)
CODE = '''def merge(left: list[int], right: list[int]) -> list[int]:
    """Both lists in one, in order."""
    merged, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]
'''
RECORDS = (
    '[{"order_id": "W2378156", "status": "delivered", "items": [{"name": "Desk Lamp", "price": 135.24, "quantity": 1}, '
    '{"name": "Water Bottle", "price": 49.9, "quantity": 2}], "paid": true, "coupon": null}]'
)
SHELL = """$ pytest -q tests/store
....F...                                                                 [100%]
FAILED tests/store/test_lease.py::test_expired_lease_is_taken - AssertionError: assert 'old' == 'new'
1 failed, 7 passed in 0.42s
"""
GERMAN = (
    "Die nächtliche Sicherung ist wieder fehlgeschlagen, weil die Festplatte voll war, bevor das zweite Archiv "
    "geschrieben wurde. Ich habe die alten Archive verschoben und die Sicherung von Hand gestartet. Seit zehn Minuten "
    "läuft sie ohne Fehler, deshalb würde ich sie in Ruhe lassen und morgen früh ins Protokoll schauen."
)
VIETNAMESE = (
    "Bản sao lưu ban đêm lại thất bại vì ổ đĩa đã đầy trước khi kho lưu trữ thứ hai được ghi xong. Tôi đã chuyển các "
    "bản cũ sang chỗ khác và bắt đầu sao lưu bằng tay."
)
JAPANESE = (
    "夜間のバックアップがまた失敗しました。二つ目のアーカイブを書き込む前にディスクがいっぱいになったためです。"
    "古いアーカイブを移動して、手動でバックアップを開始しました。十分ほどエラーなしで動いているので、明日の朝にログを確認します。"
)
KOREAN = (
    "야간 백업이 또 실패했습니다. 두 번째 아카이브를 쓰기 전에 디스크가 가득 찼기 때문입니다. 오래된 아카이브를 옮기고 "
    "백업을 직접 시작했습니다. 십 분 동안 오류 없이 실행되고 있으니 내일 아침에 로그를 확인하겠습니다."
)
CHINESE = (
    "昨天晚上的备份又失败了，因为在写第二个归档之前磁盘就满了。我把旧的归档移到了别的地方，然后手动启动了备份。"
    "现在已经运行了十分钟，没有出现任何错误，所以我建议先不要动它，明天早上再看日志。"
)
NEAR = {
    "english": (ENGLISH, 0, 0.05),
}
