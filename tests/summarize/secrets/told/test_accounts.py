"""Credentials as people tell them to each other: none is shown, and what only speaks of them stays as it is."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact
from palimpsest.summarize.secrets.told.accounts import TOLD
from palimpsest.summarize.secrets.written.code import CODE
from palimpsest.summarize.secrets.written.commands import COMMANDS
from palimpsest.summarize.secrets.written.files import FILES
from tests.summarize.pace import is_in_proportion

PASSWORD = "Kelp-Dune-38"
SHORT = "dune3842"
WORDS = "anchor basin cable drift ebb ferry gull harbour inlet jetty keel lamp"
TOLD_AS = {
    # names that end in "pass"
    'SMTP_PASS="%s"': "D1ngh&y",
    "export MAIL_PASS=%s": "ferry7ferry",
    "DB_PASS=%s": SHORT,
    "db_pass: %s": SHORT,
    'dbPass: "%s"': PASSWORD,
    "user: kim\npass: %s": SHORT,
    "user=kim pass=%s": SHORT,
    # pairs
    'config.set("db.password", "%s")': PASSWORD,
    '"DB_PASS","%s"': PASSWORD,
    "name,value\npassword,%s": PASSWORD,
    'setPassword("%s")': PASSWORD,
    'login("kim", "%s")': PASSWORD,
    "creds kim:%s": SHORT,
    "login: kim / %s": PASSWORD,
    "Zugangsdaten: kim / %s": SHORT,
    "log in as kim with %s": PASSWORD,
    "You can sign in as kim@pier.example with %s.": SHORT,
    "Password for key '/home/kim/.ssh/id': %s": PASSWORD,
    "kim> what is the root password?\nann> %s\n": "q7fLk2Vw9Rn4tB",
    "Q: api token?\nA: %s": "q7fLk2Vw9Rn4tB",
    "the root pw is %s": SHORT,
    "pw for staging: %s": SHORT,
    # phrases and words
    "passphrase: %s": "kelp dune ferry lamp",
    "ssh key passphrase is %s": "kelp dune ferry lamp",
    'Passphrase: "%s"': "kelp dune ferry lamp",
    "gpg passphrase: %s": "Möwen tragen keine Gummistiefel",
    "backup:\n  passphrase: %s\n  keep: 7": "el faro duerme bajo la lluvia",
    "助记词：%s": WORDS,
    "seed: %s": WORDS,
    "my wallet words are %s": f"{WORDS} {WORDS}",
    "mnemonic:\n%s": WORDS.replace(" ", "\n"),
    "password: %s": "seagull",
    "password=%s": "seagull",
    "WLAN-Passwort: %s": "Leuchtturm",
    "密码: %s": "seagull",
    # codes
    "PIN %s for the door": "4821",
    "pin code %s": "4821",
    "El PIN de la tarjeta es %s.": "4821",
    "TAN %s": "482913",
    "Your one-time code is %s": "482 913",
    "Dein Code lautet %s": "482913",
    "use the code %s to log in": "482 913",
    # cards
    '{"number":"%s"}': "378282246310005",
    '{"pan": "%s"}': "4111111111111111",
    "Kreditkarte: %s": "3782-8224-6310-005",
    "pay with %s": "6011111111111117",
    "%s is my Visa": "4111111111111111",
    # languages
    "mật khẩu là %s": PASSWORD,
    "salasana on %s": PASSWORD,
    "jelszó: %s": PASSWORD,
    "wachtwoord is %s": PASSWORD,
    "lösenordet är %s": PASSWORD,
    "lösenord: %s": PASSWORD,
    "adgangskode: %s": PASSWORD,
    "passordet er %s": PASSWORD,
    "hasło to %s": PASSWORD,
    "heslo je %s": PASSWORD,
    "ваш пароль — %s": PASSWORD,
    "κωδικός πρόσβασης: %s": PASSWORD,
    "הסיסמה היא %s": PASSWORD,
    "รหัสผ่านคือ%s": PASSWORD,
    "kata sandi: %s": PASSWORD,
    "Geheimnis: %s": "wpKt82Lq93mZxR4d",
    # files
    "DEPLOY_KEY: %s": "D7Cc#SVIzB",
    "SAMLResponse=%s": "wpKt82Lq93mZxR4dwpKt82Lq93mZ",
    "client_assertion=%s": "wpKt82Lq93mZxR4dwpKt82Lq93mZ",
}
ORDINARY = (
    "first_pass: berth12, RENDER_PASS = 2, compass = north12x, bypass: rule12x, tests pass: 12, pass: 41, fail: 0",
    'if pass == "": raise ValueError("no password")',
    'fields = ["user", "password", "created2"]; t("password", "token_v2", "oauthToken2")',
    "user,password,host\nkim,required,db1\n",
    "log in as kim with your badge; sign in with SSO; login: see /auth/login2",
    "credentials: config/app2.yaml and creds from vault:kv2",
    "pw: see above, 45 pw on the pier, 12 PW",
    "passphrase: must be at least twelve characters long",
    "passphrase: please enter something memorable here",
    "Which token?\nNothing is wrong with it.\n\nForgot your password?\nLogin2FAView opens.",
    "seed: 42\nseeds: apples pears and plums for the garden behind the house",
    "the words are short and plain and fit on one line of the page today",
    "password: required\npassword: string\npassword: the one from yesterday\npassword: hashed\npassword: incorrect\n",
    "{\n  user: name,\n  password: typed\n}\nlogin({\n  password: entry\n})",
    "password=getpass()\npassword = prompt\nuser.password: Hashed\n",
    "Passwort: erforderlich\nPasswort: geändert\nPasswort: falsch\n密码: string\n",
    "PIN 7 of the chip, GPIO pin 4821, PIN 1024 of the bus, pin 2024 to the board",
    "the code is 482 lines long, code is 404, exit code 100432, zip code 90210, error code 482 913",
    "order 4012888888881881, order number 4012888888881881, paid invoice 2026011500012345",
    '{"number": "4012888888881882", "id": 5500005555555559}',
    "encryption_key: primary\nmaster_key: secondary\nsigning_key: default\n",
    "salasana on vaihdettava, heslo je povinné, hasło to podstawa, jelszó: kötelező",
    "Das Geheimnis: gute Planung. Geheimnis: unbekannt",
)


@pytest.mark.parametrize("frame", TOLD_AS)
def test_credentials_are_not_shown_however_they_are_told(frame: str) -> None:
    secret = TOLD_AS[frame]
    assert redact(frame % secret) == frame % placeholder(secret)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_speaks_of_credentials_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("words", [form.words for form in (*TOLD, *FILES[::3], *CODE[::3], *COMMANDS[::3])])
def test_words_that_are_said_over_and_over_cost_no_more(words: tuple[str, ...]) -> None:
    for between in (" ", ": a", "=A1", '"\n', " is ", ","):
        text = f"{words[0]}{between}" * 10_000
        assert is_in_proportion(lambda chars, text=text: redact(text[:chars]), 1_000, 10_000)
