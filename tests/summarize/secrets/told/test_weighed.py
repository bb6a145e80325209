"""Where a word or a number may be a secret or not: what opens something is hidden, what only looks so stays."""

from __future__ import annotations

import json
import random
import string

import pytest

from palimpsest.summarize.secrets.redact import redact

BEGIN = "-----BEGIN PRIVATE KEY-----"
SIGNS = string.ascii_letters + string.digits + "+/"
LINES = ["".join(random.Random(seed).choices(SIGNS, k=64)) for seed in range(5)]
WRITTEN = {
    "JSON in JSON": json.dumps(json.dumps({"private_key": "\n".join((BEGIN, *LINES))})),
    "one line": f"KEY={BEGIN}{''.join(LINES)}",
    "a log": "\n".join(f"[INFO] {line}" for line in (BEGIN, *LINES)),
    "a frame": "\n".join(f"│ {line} │" for line in (BEGIN, *LINES)),
    "a list": f"['{BEGIN}',\n '" + "',\n '".join(LINES) + "']",
    "two commands": f"echo '{BEGIN}' > k; echo '{LINES[0]}' >> k",
    "HTML": "<br>".join((BEGIN, *LINES)),
    "a gap": f"{BEGIN}\n{LINES[0]}\n[... 20 lines omitted ...]\n{LINES[1]}",
    "a short line first": f"{BEGIN}\nMIIEvQIBADAN\n{LINES[0]}",
    "short lines": "\n".join((BEGIN, *(LINES[0][at : at + 16] for at in range(0, 64, 16)))),
}
ORDINARY = [
    "OpenAI with 4096 context tokens",
    "OpenAI's embeddings come with 1536 dimensions",
    "OpenSSL with 2048 keys",
    "an open-source project with 2000 stars",
    "Opened a PR with 1200 changes",
    "There are open tickets with 2500 comments.",
    "Open Chrome with 9222 for debugging.",
    "Open the socket with 8443.",
    "Open the connection with 3306 as the port.",
    "Unlock Pro with 2000 credits",
    "Désactivez le cache avec 1000 entrées.",
    "Disattiva la cache con 2048 voci.",
    "Entsperrt das Level mit 3000 Punkten.",
    "The door opens with 1500 people waiting.",
    "Die Tür öffnet mit 2000 Besuchern.",
    "Das Tor geht mit 1000 Watt.",
    "Enter 4096 in the control panel.",
    "Press 000 on the pad",
    "The door code was merged in PR 4123.",
    "The gate code is documented in RFC 1234.",
    "lock wait timeout code 1205",
    "Card declined with code 2000.",
    "The gate returns code 5003.",
    "The password is Kerberos, not NTLM",
    "The password is ASCII",
    "The password is legit",
    "The admin password is bogus.",
    "das Passwort ist Murks",
    "das Passwort ist Klartext",
    "le mot de passe est bizarre",
    "la contraseña es basura",
    "het wachtwoord is onjuist",
    "La parola è importante.",
    "La parola è potere.",
    "La parola amore è bella.",
    "Parola magica: prego",
    "Jelszó szükséges.",
    "密码在1Password里",
    "The new pass is faster.",
    "The old pass was DCE2.",
    "boarding pass for the flight is LH1234",
    "root / administrator login is disabled",
    "guest / member sign in",
    "login tested with Chrome98 / Firefox97.",
    "Sign in works on iPhone13 / Pixel6.",
    "Login errors: E1001 / E1002",
    "To reset a password, use Ctrl-Alt-F2.",
    "For the password, use PBKDF2-HMAC-SHA256.",
    "Reset the password according to KB4711.",
    "Encrypt the password with Jasypt3.",
    "The password is checked with zxcvbn4.",
    "If the password is wrong, try account2.",
    "Use postgres as user and password.",
    "I used Notes as my password vault.",
    "one-time password from a two-factor authenticator",
    'create_engine("host=localhost", "db", "reader")',
    're.match("host=(.*)", "text", "IGNORECASE")',
    "tls-psk-identity=client1",
    "- numbers: 12 4439 2537 8993 1464 77",
    "password|minLength8",
    "token|Token2",
    "psk|wpa2",
    "DB_PASSWORD=\nDB_HOST=localhost",
]
HIDDEN = {
    "password: one-of-kind-wolf": "one-of-kind-wolf",
    "password: sunny-side-up-eggs": "sunny-side-up-eggs",
    "admin password: up-lamp-cat-dog": "up-lamp-cat-dog",
    "secret_key: time-horse-lamp-cup": "time-horse",
    "password to the wifi is out-of-time-91": "out-of-time-91",
    "The password is XkQpLmNsRtVwed": "XkQp",
    'The password is "GhTrWqPlMnBved"': "GhTr",
    "using dragonfly as root password": "dragonfly",
    "usa mariposa como contraseña": "mariposa",
    "put elephant as my password": "elephant",
    "wants butterfly as the sudo password": "butterfly",
    'use "dragonfly" as new password': "dragonfly",
    "use elephant as passphrase": "elephant",
    "the password is treasure": "treasure",
    "the password is chocolate": "chocolate",
    "the password is unicorn": "unicorn",
    "密码Abc12345": "Abc12345",
    "Zugangsschlüssel: Mond2024x": "Mond2024x",
    "client pass is Blue7fish": "Blue7fish",
    "password: hunter/two": "hunter/two",
    "PASSWORD=tiger/lion": "tiger/lion",
    "DB_PASSWORD=deployment": "deployment",
    "password: red-car-staging": "red-car",
    "The card 4111 1111 1111 1111 5": "4111 1111",
    "1 4111 1111 1111 1111": "4111 1111",
    "card 4111 1111 1111 1111 12/27": "4111 1111",
}


@pytest.mark.parametrize("way", WRITTEN)
def test_no_line_of_a_key_without_an_end_is_shown(way: str) -> None:
    shown = redact(WRITTEN[way])
    assert [line for line in LINES if line[8:30] in shown] == []


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_looks_so_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", HIDDEN)
def test_a_word_that_opens_something_is_hidden(text: str) -> None:
    assert HIDDEN[text] not in redact(text)
