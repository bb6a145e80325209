"""Numbers of papers, accounts, commands, codes and keys in further frames, and long values behind escapes."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact
from tests.summarize.pace import is_in_proportion

RUN = "q7fLk2Vw9Rn4tBxZ"
LOW = "k3v9q7f2w4n8t6bx"
PAPERS = (
    '"ssn": "%s"',
    "'ssn': '%s'",
    'ssn="%s"',
    "SSN #%s",
    "SSN - %s",
    "ssn (%s)",
    "| SSN | %s |",
    "the social security number is %s",
)
FRAMES = {
    # accounts
    "root / %s": "K3lp&dune7",
    "admin / %s": "Otter2031!",
    "ssh root / %s on 10.0.0.5": "K3lp&dune7",
    "db is at db1, postgres / %s": "Pg!2031xx",
    "kim@example.com:%s": "Otter2031!",
    # commands
    "snmpwalk -v3 -l authPriv -u kim -a SHA -A %s -x AES 10.0.0.5": "Kelp4uth",
    "snmpwalk -v3 -l authPriv -u kim -a SHA -x AES -X %s 10.0.0.5": "Kelp4uth",
    'send "%s\\r"': "Kelp4uth",
    'send -- "%s\\r"': "Kelp4uth",
    'echo "%s" | npx wrangler secret put API': "k3lpdun3",
    'echo -n "%s" | cryptsetup luksOpen /dev/sda1 x': "kelpdune22",
    # codes
    "--pin=%s": "4821",
    "SIM-PIN: %s": "4821",
    "my-pin: %s": "4821",
    "the pin for the gate is %s": "4821",
    "the door code %s": "4821",
    "my tan %s": "482913",
    "tan: %s": "482913",
    "your code is %s": "48213",
    "your code %s": "4821",
    "access code %s": "4821",
    "el pin de la tarjeta es %s": "4821",
    "Your Kelp code is %s": "482913",
    # keys of those who give them out
    "https://api.softlayer.com/soap/v3/%s": LOW * 4,
    "vault token=%s": "s." + RUN,
    "passport: %s": "CFGHJ1234",
    # words
    "Zugangsschlüssel ist %s": "Kw8812xx",
    "wifi-schlüssel: %s": "Otter8871x",
    "pw for kim@example.com: %s": "letotter9",
    "the pass now %s": "swordkelp9",
    "passcode %s!": "sunkelp9",
    "reset the pat by %s": RUN.lower(),
    "the password is %s": "kitchen",
}
WHOLE = ("FlyV1 " + RUN * 4, "BBDC-" + RUN * 4, "sbp_" + "ghk2mnp7qr" * 4, "SG." + RUN * 4)


@pytest.mark.parametrize("frame", PAPERS)
@pytest.mark.parametrize("number", ["123-45-6789", "123456789"])
def test_a_number_of_a_paper_is_not_shown_in_whatever_frame(frame: str, number: str) -> None:
    assert redact(frame % number) == frame % placeholder(number)


@pytest.mark.parametrize("frame, secret", FRAMES.items())
def test_a_secret_in_a_frame_of_its_own_is_not_shown(frame: str, secret: str) -> None:
    assert redact(frame % secret) == frame % placeholder(secret)


@pytest.mark.parametrize("key", WHOLE)
def test_a_key_that_begins_as_a_vendor_begins_it_is_not_shown(key: str) -> None:
    assert redact(f"I pasted {key} here") == f"I pasted {placeholder(key)} here"


def test_the_end_of_a_sentence_is_no_part_of_a_key() -> None:
    key = "SG." + RUN + "." + RUN * 2 + RUN[:11]
    assert redact(f"la clé est {key}.") == f"la clé est {placeholder(key)}."


@pytest.mark.parametrize("word", ["kitchen", "golden", "garden", "kitten", "maiden"])
def test_a_word_that_ends_as_a_participle_may_is_still_the_password(word: str) -> None:
    assert redact(f"the password is {word}") == f"the password is {placeholder(word)}"


@pytest.mark.parametrize("said", ["Het wachtwoord is verlopen.", "Das Passwort ist vergangen."])
def test_a_participle_is_none(said: str) -> None:
    assert redact(said) == said


@pytest.mark.parametrize("times", [1, 10, 25, 200])
@pytest.mark.parametrize("beside", ["", "a%3Db&" * 300])
def test_a_long_value_behind_an_escape_leaves_no_tail(beside: str, times: int) -> None:
    shown = redact(f"go?{beside}x=client_secret%3D{RUN * times} on")
    assert RUN[3:] not in shown
    assert shown.endswith(" on")


def test_a_text_of_escapes_is_read_in_proportion() -> None:
    assert is_in_proportion(lambda times: redact("password%3D" * times), 500, 5_000)


@pytest.mark.parametrize(
    "frame, secret",
    [
        (
            "twilio api:core:create -u ACf1964db2c2b30cc11678819ebf7817d8:%s",
            "275d691f8c258a9b314700461e080875",
        ),
        ("rabbitmq_default_pass = %s", "d5oku20J1Y4m9C"),
        ("[wifi-security]\nkey-mgmt=wpa-psk\npsk=%s\n", "otter-und-salz"),
        ('NewClient("https://api.quay.example", WithToken("%s"))', "zv1yRxNZ72r6mXlzaYembjWEbkUN"),
        ("Der Bestätigungscode war %s, er kam eben an.", "551-208"),
        ("Der Code aus der SMS war %s.", "551208"),
        ("Mon code secret pour le coffre est %s, merci", "90417"),
        ("La clé d'API de la météo : %s, merci", "WtMNPuBW4PMoLwUP0EA3SmUBvkUtkWsj"),
        ("La contraseña del panel es %s y el usuario es kim.", "Nutria#55"),
        ("Het token voor de sluis-API: %s en verder", "v3QfGpjodmJf989yiz26FGvQdovv"),
    ],
)
def test_secrets_told_beside_what_they_are_for_are_not_shown(frame: str, secret: str) -> None:
    account = "ACf1964db2c2b30cc11678819ebf7817d8"
    told = redact(frame % secret).replace(placeholder(account), account)
    assert told == frame % placeholder(secret)
