"""Passwords and codes as people write them down: none is shown, and sentences of the same words stay as they are."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import redact
from tests.summarize.pace import is_in_proportion

PASSWORD = "hunter2x"
WRITTEN = (
    "**Password:** %s",
    "| password | %s |",
    "| host | db1 |\n| password | `%s` |\n",
    "<td>password</td><td>%s</td>",
    "password for prod: %s",
    "password (prod): %s",
    "the root password on db1 is %s",
    "pw: %s",
    "pass: %s",
    "ENV API_TOKEN %s",
    "requirepass %s",
    "echo 'ann:%s' | chpasswd",
    "IDENTIFIED BY '%s'",
    "şifre: %s",
    "Şifre: %s",
    "parola: %s",
    "كلمة المرور: %s",
    "पासवर्ड: %s",
    "パスワードは%s",
)
CODES = (
    "OTP 482913", "2FA code 482913", "your code is 482913", "passcode: 482913", "確認コード 482913",
    "password is 482913",
)  # fmt: skip
ORDINARY = (
    "パスワードは8文字以上",
    "密码是8位以上",
    "비밀번호는 8자이상",
    "auth: oauth2-proxy:v7.4.0",
    "password to Vault2 migration",
    "secret ingredient2",
    "**Password:** required",
    "| password | varchar(255) |",
    "| password | varchar255 |",
    "| user | password | host12a |",
    "| password | the harbour's word, at least 8 characters |",
    "<td>password</td><td>text</td>",
    "password for the demo is base64-encoded",
    "the password for ferry2 is in the vault",
    "the password on db1 is rotated daily",
    "password (min 8): required",
    "pass: test_login2",
    "pass: berth12",
    "pass: 12 of 15 tests",
    "pw: none",
    "password is 12345678 characters long",
    "ENV NODE_VERSION 20.11.1",
    "requirepass is set in redis.conf",
    "ferries are identified by 'H2O44x'",
    "Erlang/OTP 27.1",
    "your code is 200000 lines long",
    "確認コードは6桁です",
    "la parola chiave2",
    "parola: harbour",
    "पासवर्ड: आवश्यक",
)


@pytest.mark.parametrize("form", WRITTEN)
def test_a_password_is_not_shown_however_it_was_written_down(form: str) -> None:
    shown = redact(form % PASSWORD)
    assert (PASSWORD in shown, "[secret:" in shown) == (False, True)
    before, after = form.split("%s")
    assert shown.startswith(before)
    assert shown.endswith(after)


@pytest.mark.parametrize("text", CODES)
def test_a_code_for_one_time_is_not_shown(text: str) -> None:
    assert "482913" not in redact(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_sentences_that_speak_of_passwords_and_codes_stay_as_they_are(text: str) -> None:
    assert redact(text) == text


def test_a_password_that_was_changed_to_another_is_not_shown() -> None:
    assert "Hunter2" not in redact("they changed the password to Hunter2 yesterday")


def test_a_table_whose_every_row_looks_like_its_head_is_read_once() -> None:
    assert is_in_proportion(lambda rows: redact("password|a\n" * rows), 900, 9_000)
