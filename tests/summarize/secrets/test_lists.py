"""Rows of names as our own summaries have them: each name is judged by itself, and texts that were made from messages
without secrets are not searched again."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from palimpsest.record.summary import Summary
from palimpsest.summarize.secrets.redact import Redactor, protect, redact
from palimpsest.summarize.source import MessageEntry, Source, SummaryEntry
from tests.summarize.secrets.planted import PLANTED, ran

NAMED = (
    *"wrong_password reset_password user_password apiKey access_token clientSecret test_private_key".split(),
    *"authToken db_passwd hash_passphrase".split(),
)
NAMES = (
    *"parseV2Tide9x useTide2031 k8s_tide_pod2 sha256_of_tide readBerthV3x7 pk_live_aZ4kQ9xT2mB7wE1raZ4kQ9xT".split(),
    *"ERR-7F3A-2291 7f3c2b1a-9d4e-4c7a-8b21-5e0f9a6d3c11 b2Vec3_q8 XK7P2Q9 v9Kd21quay".split(),
)


@pytest.mark.parametrize("label", ["symbols", "ids", "error codes", "hashes"])
@pytest.mark.parametrize("named", NAMED)
def test_names_in_a_row_are_not_the_values_of_those_before_them(named: str, label: str) -> None:
    row = f"- {label}: " + " ".join(f"{named} {name}" for name in NAMES)
    assert redact(row) == row
    assert redact(f"## Identifiers\n{row}\n- files: 3") == f"## Identifiers\n{row}\n- files: 3"


@pytest.mark.parametrize(
    "text, secret",
    [
        *((f"- symbols: wrong_password {key} berth_id", key) for key in PLANTED.values() if "\n" not in key),
        ("- symbols: password hunter2x9", "hunter2x9"),
        ("- ids: mara;\n- password: hunter2x9", "hunter2x9"),
        ("- numbers: 4539 1488 0343 6467", "4539 1488 0343 6467"),
        ("- symbols: DB_PASSWORD=vX9kd02Lqz berth_id", "vX9kd02Lqz"),
        ("- hosts: postgresql://pier:v9Kd-quay77@db.example:5433/p", "v9Kd-quay77"),
    ],
)
def test_what_is_a_secret_by_itself_is_one_in_a_row_as_well(text: str, secret: str) -> None:
    assert secret not in redact(text)


def test_a_summary_is_not_searched_again_but_loses_what_is_known_since() -> None:
    text = "- Berths: user_password parseV2Tide9x, and vX9kd02Lqz"
    summary = SummaryEntry(Summary("s1", 0, text, 9, 1, 2, ("m1",), "normal"))
    told = MessageEntry("m3", Message("user", (Text("DB_PASSWORD=vX9kd02Lqz"),)), 9)
    shown, _ = ran(protect(Source("condense", (summary, told), earlier=(text,))))
    for one in shown.summaries:
        assert "user_password parseV2Tide9x" in one
        assert "vX9kd02Lqz" not in one


def test_a_reply_keeps_the_names_that_its_model_was_shown() -> None:
    redactor = Redactor()
    ran(redactor.learn("DB_PASSWORD=vX9kd02Lqz"))
    reply = "user_password parseV2Tide9x, user_password k8sTide4x7Qz and password vX9kd02Lqz"
    kept = redactor.redact_reply(reply, "def parseV2Tide9x(x):")
    assert "parseV2Tide9x" in kept
    assert "k8sTide4x7Qz" not in kept
    assert "vX9kd02Lqz" not in kept
