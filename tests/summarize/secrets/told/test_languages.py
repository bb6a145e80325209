"""Passwords that are words, told in sentences of many languages: hidden, and what one says of a password is not."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import Redactor, placeholder, redact

PHRASE = "kelp-ferry-lantern-dune"
PHRASES = [
    "the password is {}",
    "The password for the database is {}.",
    "Use the password {} to log in.",
    "log in with kim and the password {}",
    "Das Passwort für die Datenbank ist {}, bitte ändern.",
    "Nimm das Passwort {} für den Zugang.",
    "Utilise le mot de passe {} pour te connecter.",
    "usa la contraseña {} para entrar",
    "A senha do banco é {}",
    "la parola d'ordine è {}",
    "Мой пароль {}",
    "密码是{}。",
    "数据库密码为 {}",
    "パスワードは {} です",
    "비밀번호는 {} 입니다",
]
WORDS = [
    "Das Passwort lautet {}.",
    "mot de passe : {}",
    "Le mot de passe est {}.",
    "contraseña: {}",
    "La contraseña es {}.",
    "A senha é {}.",
    "Hasło to {}.",
    "Şifre: {}",
    "Пароль: {}",
    "пароль от базы — {}",
    "密码是{}。",
    "我的密码是{}，请登录",
    "パスワードは {} です",
    "비밀번호는 {} 입니다",
    'Warning: password "{}" is too short',
    "my smtp password is {}, can you check?",
]
WITH_A_DIGIT = [
    "Mon mot de passe pour la base est {}",
    "Mi contraseña de la base de datos es {}",
    "A senha do banco é {}",
    "пароль от базы — {}",
]
ORDINARY = [
    "Das Passwort ist falsch. Le mot de passe est incorrect. La contraseña es obligatoria.",
    "mot de passe : obligatoire\ncontraseña: requerida\nPasswort: erforderlich",
    "密码是 string\nパスワードは null です\nПароль required",
    "the password check is in fix-login-page, the password is out-of-date",
    "my password is wrong, try again; our password is secure, the password is state-of-the-art",
]


@pytest.mark.parametrize("frame", PHRASES)
def test_words_drawn_by_lot_are_hidden_where_a_password_is_told(frame: str) -> None:
    assert redact(frame.format(PHRASE)) == frame.format(placeholder(PHRASE))


@pytest.mark.parametrize("frame", WORDS)
def test_a_word_is_hidden_where_it_can_be_nothing_but_the_password(frame: str) -> None:
    assert redact(frame.format("oysterpatch")) == frame.format(placeholder("oysterpatch"))


@pytest.mark.parametrize("frame", WITH_A_DIGIT)
def test_a_word_with_one_digit_is_hidden_where_a_verb_tells_it(frame: str) -> None:
    assert redact(frame.format("dunlin7")) == frame.format(placeholder("dunlin7"))


@pytest.mark.parametrize("text", ORDINARY)
def test_what_a_sentence_says_of_a_password_stays(text: str) -> None:
    assert redact(text) == text


def test_codes_of_a_list_are_secrets_one_by_one_and_known_everywhere() -> None:
    codes = ["7b721-cbfb9", "2d91c-0aa37", "6005-f445"]
    redactor = Redactor()
    spans = redactor.learn(
        "Recovery codes:\n1. " + codes[0] + "\n2. " + codes[1] + "\n\nbackup codes: " + codes[2]
    )
    assert len([*spans]) == 1  # one slice of work
    told = redactor.redact(f"I used {codes[1]}, then {codes[0]} and {codes[2]}")
    assert not [code for code in codes if code in told]
    assert "0619 0540" not in redact("Your backup codes\n1. 1234 5678\n2. 0619 0540\n")
