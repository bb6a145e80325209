"""Passwords, codes and papers told in sentences of many languages; what such sentences name besides stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.secrets.prefixed import otherwise
from palimpsest.summarize.secrets.redact import Redactor, placeholder, redact

FRAMES = (
    "the old password no longer works, the new one is %s",
    "it asks for a password, it's %s",
    "the password should be %s",
    "the password was changed to %s today",
    "use kim@example.com as the user and %s as the password",
    "use %s as the password",
    "I tried %s as passwords, in vain",
    "%s (that is the password)",
    "their password, %s, is known",
    "das WLAN-Passwort war %s",
    "Das Kennwort für den Zugang heißt %s.",
    "%s ist das Passwort",
    "nimm %s als Datenbankpasswort",
    "das Passwort habe ich auf %s gesetzt",
    "le mdp du wifi c'est %s",
    "Le mot de passe est « %s », merci.",
    "utilise le mot de passe %s",
    "cambié la contraseña a %s",
    "usa %s como contraseña",
    "usa %s come password",
    "com a senha %s",
    "gebruik %s als wachtwoord",
    "пароль теперь %s",
    "пароль это %s",
    "zaloguj się z hasłem %s",
    "密码改成了%s。",
    "パスワードを%sに変更しました",
)
WORDS = st.sampled_from("kelp dune harbour lantern otter walrus meadow pebble".split())
PAIRS = st.builds("{}-{}-{}".format, WORDS, WORDS, st.integers(100, 989))
TRIPLES = st.lists(WORDS, min_size=3, max_size=3).map("-".join)
NAMED = st.builds("{}{}".format, WORDS.map(str.title), st.integers(1970, 2039))


@given(frame=st.sampled_from(FRAMES), secret=st.one_of(PAIRS, TRIPLES, NAMED))
def test_a_password_is_not_shown_in_whatever_words_it_is_told(frame: str, secret: str) -> None:
    assert redact(frame % secret) == frame % placeholder(secret)


def test_three_words_that_were_told_once_are_known_everywhere() -> None:
    redactor = Redactor()
    for _ in redactor.learn("the password is kelp-lantern-otter"):
        pass
    assert redactor.redact("I typed kelp-lantern-otter again") == (
        f"I typed {placeholder('kelp-lantern-otter')} again"
    )


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password, my user name is otter77",
        "the password of user kelp1987 was changed in release-2026",
        "la contraseña de la cuenta juan2000",
        "the password is in kelp-dune-12",
        "hash the password with argon2id, see build-2031",
        "use a passphrase of words that nobody else would choose",
        "the password reset of ticket kelp-2031 works",
        "to change the password of someone who has one, use ``drop-kelp-profile``",
        "a third-party-provided password store",
        "Het wachtwoord is verlopen.",
        '"IdempotencyToken": "527c5358-2a1a-4b9e-b1b9-7293b0ddff42"',
    ],
)
def test_what_a_sentence_of_passwords_names_besides_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "frame, code",
    [
        ("Die TAN-Code lautet %s", "208741"),
        ("Der Türcode lautet %s", "2087"),
        ("Il PIN è %s.", "99542"),
        ("The PIN for the safe is %s.", "2087"),
        ("Seu código de verificação é %s.", "208741"),
        ("Код подтверждения: %s", "208741"),
        ('{"pin":"%s"}', "2087"),
        ("access code %s", "20874"),
        ("the unlock code of the phone is %s", "208741"),
        ("mon code PIN est le %s", "2087"),
        ("Ваш код: %s. Никому его не сообщайте.", "208741"),
        ("Use %s as your one-time code to sign in.", "208741"),
        ("exp 09/29, cvc %s.", "208"),
        ("Mi DNI es %s y vivo en Soria.", "12345678Z"),
        ("Meu CPF é %s, pode atualizar?", "529.982.247-25"),
        ("sécurité sociale : %s", "2 69 05 75 116 024 40"),
        ("Steuer-ID: %s", "26954371827"),
    ],
)
def test_codes_and_numbers_of_papers_are_not_shown(frame: str, code: str) -> None:
    assert redact(frame % code) == frame % placeholder(code)


@pytest.mark.parametrize(
    "text",
    [
        "PIN 1024 of the bus, pin: 433 MHz, pin is 4330 MHz",
        "код ошибки: 100432, codice di errore",
        "the access code path is 1045 lines long",
        "the passport module of version 20260311 is installed",
        "PASS 2026-03-11 10:00:01 all tests, passport 2026-03-11 10:00",
        "das kostet nie 10.000.000 Euro, za 7 dni 2026.03.11 i nie 20260311",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "frame",
    [
        'The passphrase = "%s"',
        'set the passphrase to "%s" and restart',
        'password: "%s"',
    ],
)
@pytest.mark.parametrize(
    "phrase", ["two otters fly at noon", "wir essen zu viel Kelp", "an old dune of mine"]
)
def test_a_quoted_phrase_of_short_words_is_not_shown(frame: str, phrase: str) -> None:
    assert redact(frame % phrase) == frame % placeholder(phrase)


@pytest.mark.parametrize(
    "text",
    [
        'password: "is too short for us"',
        '"password": "Choose one that nobody knows"',
        'password="the password for the account"',
    ],
)
def test_what_a_form_says_of_a_password_stays(text: str) -> None:
    assert redact(text) == text


QUOTES = ('"%s"', "“%s”", "„%s“", "«%s»", "« %s »", "\u00ab\u00a0%s\u00a0\u00bb", "「%s」")


@pytest.mark.parametrize("quotes", QUOTES)
@pytest.mark.parametrize(
    "frame, phrase",
    [
        ("my password is %s", "kelp otter"),
        ("Das Passwort lautet %s.", "blaue Düne"),
        ("le mot de passe est %s, merci", "sept loutres bleues"),
        ("The passphrase is %s", "two otters fly at noon"),
        ("the password is %s", "Otter2031"),
    ],
)
def test_what_is_quoted_as_a_password_is_not_shown_whatever_the_quotes(
    quotes: str, frame: str, phrase: str
) -> None:
    assert redact(frame % quotes % phrase) == frame % quotes % placeholder(phrase)


@pytest.mark.parametrize("quotes", QUOTES)
@pytest.mark.parametrize("said", ["required here", "not set", "still too weak", "too short", "the old one"])
def test_what_is_quoted_of_a_password_stays(quotes: str, said: str) -> None:
    text = "It only says that the password is " + quotes % said
    assert redact(text) == text


SEED = "abandon ability able about above absent absorb abstract absurd abuse access accident"


@pytest.mark.parametrize("frame", ["seed phrase: %s", "mnemonic = '%s'", "my wallet words are %s"])
def test_words_of_a_wallet_are_not_shown_where_something_says_what_they_are(frame: str) -> None:
    assert redact(frame % SEED) == frame % placeholder(SEED)


def test_a_line_of_a_sentence_or_of_other_counts_is_no_wallet() -> None:
    sentence = "walrus otters often swim along some coast while their young sleep with kelp"
    assert redact(sentence) == sentence
    assert redact(SEED + " account") == SEED + " account"


def test_around_an_escape_only_what_is_near_is_read_again() -> None:
    far = "nothing to be seen here, line after line\n" * 2_000
    text = f"{far}a?x%3Dpassword%3DSommer2031x and &quot;kelp&quot;{far}"
    assert redact(text) == text.replace("Sommer2031x", placeholder("Sommer2031x"))
    assert sum(len(read.text) for _, read in otherwise(text)) < 4_000


@pytest.mark.parametrize(
    "frame, secret",
    [
        ("define('DB_PASSWORD', '%s');", "p3bbl3169"),
        ("pass: %s user: kim", "OtterKelp22"),
        ("smbclient //fs01/data -U 'CORP/kim%%%s'", "OtterKelp22"),
        ("| user | password |\n|---|---|\n| root | Otter2031 |\n| app | %s |", "KelpDune72"),
        ('Content-Disposition: form-data; name="password"\n\n%s\n--x', "kelp-lantern-77"),
        ("name,value\nsmtp_password,%s\nhost,x", "kelp-lantern-77"),
        ("keytool -importkeystore -srckeystore a.jks -srcstorepass %s -destkeystore b", "kelp-lantern-77"),
        ("I pasted %s, sorry.", "fo1_" + "Kq82mZs1Lw93" * 4),
        ("admin_pass := %s", "kelp-lantern-77"),
        ("curl -F 'webhook_secret=%s' https://x.example", "kelp-lantern-77"),
        ('setx BLOB_STORAGE_KEY "%s"', "Kq82mZs1Lw93/Qx7+" * 4 + "=="),
        ("private_token: %s", "kelp-lantern-77"),
        ("git clone https://oauth2:%s@git.example.com/team/app.git", "ZZ8cN2mTPHBYoGWGX-UjS5-3KT"),
        ("net use Z: \\\\fs01\\share /user:CORP\\kim %s", "OtterKelp22"),
    ],
)
def test_a_secret_is_taken_out_and_what_stands_beside_it_stays(frame: str, secret: str) -> None:
    told = redact(frame % secret).replace(placeholder("Otter2031"), "Otter2031")
    assert told == frame % placeholder(secret)
