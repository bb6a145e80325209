"""Chinese lines in a Japanese summary go, Japanese ones without kana stay, and what a struck line told comes back."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import Findings, audit
from palimpsest.summarize.audit.repair import repair
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, leaf, quarter, user

FANS = leaf(
    [
        user(
            "温室の換気扇の記録を調べて、夜に止まっている棟を見つけてください。設定ファイルは変更しないでください。"
        ),
        assistant("3号棟の換気扇は夜に運転していません。制御盤のmodeがday_onlyでした。"),
        user("SMSで知らせる案もありましたが、有料なのでやめます。電子メールだけで。"),
        assistant("わかりました。電子メールだけにします。テストは2件とも通りました。"),
        user("記録をnotebooks/house3.mdに書いてください。"),
    ]
)
KNOWN = (
    "## Goal\n- 温室の換気扇の記録を調べて、夜に止まっている棟を見つける。\n"
    "## Constraints & preferences\n- 設定ファイルは変更しない。\n## Progress\n- テストは2件とも通った。\n"
)


def found(line: str, heading: str = "Decisions") -> Findings:
    text = f"{KNOWN}## {heading}\n- 設定は変えないことにした。\n- {line}"
    return audit(text, grounds(FANS), whole=False)


@pytest.mark.parametrize(
    "line",
    [
        "3号棟的换气扇晚上没有运行，控制面板的mode是day_only。",
        "没有修改设置文件",
        "只用邮件",
        "不会再改了",
        "config/fans.json: 已修改",
        "制御盤的mode已确认",
        "notebooks/house3.md: 创建记录",
        "測試都通過了",
        "因為要收費所以不用簡訊",
    ],
)
def test_a_chinese_line_is_in_another_language(line: str) -> None:
    assert f"- {line}" in found(line).mixed


@pytest.mark.parametrize(
    "line",
    [
        "設定変更、閾値更新、動作確認、本番環境反映",
        "目的達成、在庫確認完了",
        "現在調査中、是正処置予定",
        "湿度93%以上6時間継続時警報発報",
        "夜間運転停止原因調査完了報告書作成予定",
        "髙橋氏確認待、渡邉氏承認済",
        "制御盤mode=day_only確認済",
    ],
)
@pytest.mark.parametrize("heading", ["Files", "Decisions"])
def test_a_japanese_line_without_kana_stays(line: str, heading: str) -> None:
    told = found(line, heading)
    assert (told.mixed, told.foreign) == ((), ())


def test_a_section_of_files_in_japanese_stays() -> None:
    kinds = ("作成", "削除", "作成、編集", "名称変更", "設定読込変更", "試験追加", "新規作成")
    lines = "\n".join(f"- scripts/part{at}.py: {one}" for at, one in enumerate(kinds))
    text = f"{KNOWN}## Files\n{lines}\n- /data/fans/notebooks/house3.md: 3号棟の記録を作成"
    assert audit(text, grounds(FANS), whole=False).foreign == ()


def test_what_shares_no_sign_with_its_source_comes_back_in_the_user_s_words() -> None:
    held = grounds(FANS)
    text = f"{KNOWN}## Decisions\n- 設定は変えないことにした。\n- 短信需要付费，所以放弃，只用邮件通知。"
    left = repair(
        text, audit(text, held, whole=False), held, target_tokens=600, limit_tokens=1_200, count=quarter
    )[0]  # fmt: skip
    assert "短信" not in left
    assert "SMSで知らせる案もありましたが、有料なのでやめます。" in left
