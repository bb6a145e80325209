"""Versions that packages were brought to, lines in files beside each other, new names: told as the source has them."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, leaf, user

UPGRADES = user(
    "Upgrade django from 4.2.11 to 5.0.3 but leave celery at 5.3.6. src/pay/bill.py:88 fails, src/pay/tax.py:12 too. "
    "Rename getRate to fetch_rate."
)


@pytest.mark.parametrize(
    "line, right",
    [
        ("django was raised to 5.3.6", "django was raised to 5.0.3"),
        ("celery was upgraded to 5.0.3", "celery was upgraded to 5.3.6"),
        ("The error is in src/pay/tax.py:88", "The error is in src/pay/tax.py:12"),
        ("fetch_rate was renamed to getRate.", "getRate was renamed to fetch_rate."),
    ],
)
def test_what_the_source_brings_to_another_version_line_or_name_is_put_right(line: str, right: str) -> None:
    found = audit(f"## Progress\n- {line}", grounds(leaf([UPGRADES, assistant("Noted.")])), whole=False)
    assert [to for _, to in found.untrue] == [f"- {right}"]


@pytest.mark.parametrize(
    "line",
    [
        "django went from 4.2.11 to 5.0.3, celery stays at 5.3.6",
        "src/pay/bill.py:88 and src/pay/tax.py:12 fail",
        "getRate was renamed to fetch_rate.",
        "redis was raised to 5.0.3",
    ],
)
def test_what_the_source_brings_there_is_right(line: str) -> None:
    assert not audit(f"## Progress\n- {line}", grounds(leaf([UPGRADES, assistant("Noted.")])), whole=False)
