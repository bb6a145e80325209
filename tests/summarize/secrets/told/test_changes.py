"""Sentences that tell what a password was changed from, and to: both go, and what else is changed stays."""

from __future__ import annotations

import re

import pytest

from palimpsest.summarize.secrets.redact import redact

HELD = re.compile(r"\[secret:[0-9a-f]{6}\]")
PAIRS = (
    ("OldDog1", "NewTricks#9"),
    ("Winter2023!", "Summer2024!"),
    ("hunter2", "hunter3"),
    ("correct-horse-7", "battery-staple-9"),
    ("kaffee42", "9Bridges?Dock"),
)


@pytest.mark.parametrize("old, new", PAIRS)
@pytest.mark.parametrize(
    "sentence",
    [
        "I changed the root password on nas-2 from {} to {} this morning",
        "Please change the admin password from {} to {} today",
        "The password of user deploy on db01 has been updated from {} to {}.",
        "I replaced the old password for kim@harbour.example {} with {}, please confirm",
        "password change (nas-2): {} -> {}",
        "Updated passwords on nas-2: {} → {}",
        "Ich habe das root-Passwort vom Router von {} auf {} geändert",
        "Stell das WLAN-Passwort von {} auf {} um, bitte",
        "J'ai changé le mot de passe du routeur de {} à {}, merci",
        "La contraseña pasó de {} a {} hoy",
        "Ho cambiato la password su nas-2 da {} a {} oggi",
        "Troquei a senha do roteador de {} por {}, obrigado",
        "Wijzig het wachtwoord op nas-2 van {} naar {}.",
        "Zmień hasło na nas-2 z {} na {}, dzięki",
        "Пароль на nas-2 изменён с {} на {} сегодня",
        "请把路由器的密码从{}改为{}，谢谢",
        "ルーターのパスワードを {} から {} に変更しました",
    ],
)
def test_the_old_and_the_new_password_go(sentence: str, old: str, new: str) -> None:
    assert HELD.sub("{}", redact(sentence.format(old, new))) == sentence


@pytest.mark.parametrize(
    "text, old",
    [
        ("I set the wifi password to NewTricks#9 instead of OldDog1 today", "OldDog1"),
        ("I changed the wifi password from sunshine to moonlight.", "sunshine"),
        (
            "I rotated the API key from a7d3f45d5e3739ee3f2fc9 to b51c52592645d5e3739ee3 today",
            "a7d3f45d5e3739ee3f2fc9",
        ),
        ("Der Token wurde von kq3Zt7Vm1pXw9Bd2Lh auf z81Mmq0x4dTr6Yn3Uc geändert", "z81Mmq0x4dTr6Yn3Uc"),
        ("We changed the db password from changeme to Tulpe!2026 today", "Tulpe!2026"),
    ],
)
def test_further_ways_to_tell_an_old_password(text: str, old: str) -> None:
    assert old not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "We changed the password policy from 8 characters to 12 characters.",
        "The password hash was changed from sha256 to argon2id.",
        "Reset the passwords on all servers from web1 to web12 please.",
        "Change the password on the hosts from nas-2 to nas-9.",
        "Change the password of everyone from team1 to team2 members.",
        "We moved the password manager from 1Password to Bitwarden.",
        "I changed the password prompt from German to English.",
        "The password was changed from Monday to Tuesday.",
        "The password reset endpoint changed from /v1/reset to /v2/reset.",
        "I kept the password and moved the box from Rack12 to Rack14.",
        "Die Passwortrichtlinie wurde von v1 auf v2 umgestellt.",
        "J'ai changé la longueur du mot de passe de 8 à 12.",
        "Я изменил длину пароля с 8 на 12 символов.",
        "我把密码长度从 8 改成 12。",
        "Please update the password docs from Python3 to Python4.",
        "We rotated the signing key from signing-key-2024-01 to signing-key-2025-01.",
        "The session token limit was changed from 4096 to 8192.",
        "The user changed the password from the settings page to be safe.",
        "Rotate the password from the vault to the worker by hand.",
    ],
)
def test_other_changes_stay(text: str) -> None:
    assert redact(text) == text
