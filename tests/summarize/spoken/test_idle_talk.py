"""Rows of tables, questions and errands without their marks, and what came by mistake are no remarks."""

from __future__ import annotations

import pytest

from palimpsest.summarize.spoken.remarks import is_remark
from tests.summarize.dialogues import held


@pytest.mark.parametrize(
    "text",
    [
        "1;Boote Kessel;Bier für Block 4;1.482,98 €;RE-2026-3316",
        "wann kommt Bäckerei Priem zum Aufbau",
        "kannst du Metzgerei Wulf und Druckerei Feldhoff vergleichen (3)",
        "wdyt about splitting packages/core/src/csv/x.ts",
        "what does releaseTariff return when it is empty",
        "sory wrong window.",
        "tenant 4be91d7c complained, find out why",
        "打错了，是 SweepNotice 不是 ReplayTicket",
        "いつ抜けているか調べてください。",
    ],
)
def test_idle_talk_is_no_remark(text: str) -> None:
    assert held("Plan the harbour feast.", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "column names in English",
        "kannst du ab jetzt immer brutto rechnen",
        "refunds over 50 euros need my approval",
        "12,400 and 15,100 are 27,500 together",
        "we meet at the quay; boats are at the pier",
    ],
)
def test_what_is_told_stays_a_remark(text: str) -> None:
    assert is_remark(text) or held("Plan the harbour feast.", text)
