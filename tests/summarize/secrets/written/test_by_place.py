"""Secrets that are handed to what they open, or stand in columns, links and groups; what is filled in, asked for or
only described stays.
"""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.places import FILLED
from palimpsest.summarize.secrets.prefixed import read_plainly
from palimpsest.summarize.secrets.redact import placeholder, redact

HEX = "8c1f02d7a94be3650ffb27c6d1e0a358"
MIXED = "Zk3Lq9TnW2vB7xYp0sRd"
FRAMES = {
    # letters beyond ASCII
    "La contraseña del almacén es %s y el usuario es ops.": "Bahía.verde4",
    "Le mot de passe du quai est %s, ne le note pas.": "Crêpe-salée3",
    "la clave del wifi es %s": "Piñata.2024",
    "heslo k databázi je %s": "Příliv-77x",
    # columns
    "INSERT INTO users (name, mail, password) VALUES ('mk', 'a@b.example', '%s');": "treibholz9",
    "insert into apps (id, password_plain) values (4, '%s')": "treibholz",
    "INSERT INTO bots (name, api_token) VALUES ('mk', '%s');": HEX,
    " id | login | api_token\n----+-------+-----------\n  7 | mk    | %s\n(1 row)": HEX,
    "| bot | session_token |\n|---|---|\n| ci | %s |": MIXED,
    "host,private_key\nweb-1,%s": HEX,
    # what is handed to a cipher, a signer, a client
    "cipher = AES.new(bytes.fromhex('%s'), AES.MODE_GCM)": HEX,
    'sig = hmac.new(b"%s", msg, sha256)': "gull-and-anchor",
    'f = Fernet("%s")': "mX3v7Zb0Lq9wTn2uRk5yPs8dHf1gJc4aVe6iOo0xNwE=",
    "crypto.createHmac('sha256', '%s').update(body)": "gullsoverholm",
    "jwt.sign({ id: u.id, role: 'x' }, '%s', { expiresIn: '1h' })": "treibholz",
    "$sig = hash_hmac('sha256', $body, '%s');": "treibholz",
    "const stripe = new Stripe('%s')": MIXED,
    'client = Client("AC1", "%s")': HEX,
    # names
    'Harbor.application.credentials_key = "%s"': HEX,
    'redis:\n  requirepass: "%s"\n  db: 2': "sturmflut",
    'boot ConfigService {"JWT_SECRET":"%s","PORT":"3000"}': "Kielwasser-alt",
    "app.use(session({ secret: '%s', resave: false }))": "kleiner krabbenkutter",
    # links
    "https://cal.example/ical/mk/private-%s/basic.ics": HEX,
    "see https://files.example/share/%s for it": MIXED,
    "PDO->__construct('mysql:host=10.20.0.7;port=3306', 'quay', '%s', Array)": "ruderboot",
    'DriverManager.getConnection("jdbc:mysql://db1/tides", "quay", "%s")': "ruderboot",
    "twilio('AC111fcbf1c28df1cce6feb7233030a95e', '%s')": HEX,
    "require('twilio')(accountSid, '%s')": HEX,
    "https://api.weather.example/f?q=T&appid=%s&units=metric": HEX,
    "define( 'AUTH_KEY',         '%s' );": "x|9Zk}q@7m2L;!u!R4<e8Wv^bT0yHs?cN6pJ&dGfAaEi1oUzXqKjYwMhVrCtPnBl",
    "smtp_port|587\nsmtp_password|%s\ntimezone|UTC": "Klabautermann3",
    '"type": "random_password",\n "instances": [\n {\n  "length": 24,\n  "result": "%s",': "YjewouftxYs2!T7xsbNoRDlO",
    "pagerduty_configs:\n  - routing_key: %s": HEX,
    "wifi_psk: %s": "nibp3t0gzcwigqjhjvd0",
    'arg="security.admin_password=%s"': "Wend3ltreppe!",
    "APIキーは %s です。": MIXED * 2,
    "токен %s": MIXED * 2,
    "Use the staging login: user qa-bot, password %s. Then check": "winterjacket",
    "Guest wifi is LarchGuest and the password's %s. Add that": "coffeeplease",
    "Book it with my card %s, valid until 11/28": "4929 7312 6604 8815",
    "token for the tide API = %s": HEX,
    "API key for the weather service: %s": HEX,
    '1) "requirepass"\n2) "%s"': "ib21ksjcprw2zacpl",
    "name,value,type\nAUTH_SALT,%s,constant": "fIXXEov36WOoPsAj8Z31Vwmh9TmADn|INpafsDOstfz7FE",
    "aws configure set aws_secret_access_key %s --profile quay": "/uX/PHNvPDtOwMWsWSR7beQr5P3LhaMtffXOzPWM",
    "echo '%s' | sudo -S apt-get install -y libpq-dev": "eel&torsk",
    # accounts and codes
    "creds for the small box: ops / %s": "Bootsmann9",
    "login on the NAS: ops/%s": "Bootsmann9",
    "ops:%s still works": "Bootsmann9",
    "Der Zutrittscode lautet %s und gilt bis morgen.": "7QK-291-XTB",
    "your activation code is %s": "QX4P-99LM",
    "Code d'activation : %s": "7QK-291-XTB",
    "my NINO is %s": "QQ 12 34 56 C",
    # a word that a sentence goes on behind
    "The wifi password is %s, in case you need it": "lobsterpot",
    "The password is %s and the user is mk.": "lobsterpot",
}
ORDINARY = [
    "Order 4410-882138 waits for payment, reference RF18539007547034",
    r'{"path": "/x", "old_string": "add(\"--password\", help=\"\")\nadd(\"--token-file\", type=Path, x=Path(\"/x\"))"}',
    "the password's length is 12, the password's fine.",
    "Het wachtwoord is verplicht, maar het veld is leeg.",
    "The password is overlong, and the form says so.",
    "Das Passwort ist zwingend, aber das Feld ist leer.",
    "Our password is plaintext, which is a problem.",
    "GITHUB_TOKEN=ghp_" + "x" * 36,
    "SLACK=xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxxxxxxxxxxxxxxxxxxxxxx",
    "AWS_ACCESS_KEY_ID=AKIA" + "X" * 16,
    "Password:\nremember",
    "Passwort:\nmerken",
    "El archivo contraseña.py y la función validación2 no usan clave",
    "INSERT INTO fields (name, password, type) VALUES ('mk', 'required', 'string');",
    "id,page_token\n1," + MIXED,
    "step,token_type,tokens\n1,bearer,512",
    "AES.new(key, AES.MODE_GCM); hmac.new(key, b'msg-with-7-words', sha256); jwt.verify(token, publicKey, opts)",
    "jwt.sign(payload, 'secret'); Fernet(key); new RestClient('users_service_internal_v2_api')",
    "const labels = { secret: 'Client secret', token: 'Access token' }; x = { secret: 'hidden from view' }",
    "https://x.example/share/how-to-mend-a-net-2026 https://x.example/feed/articles20260101",
    "https://x.example/token/0x541934c0880ae5dec8b846b1f70b6d24aabbccdd",
    "login / logout / signup are routes; login: POST /api/v2/login",
    "image nginx:alpine3 works, and boards:v2 works",
    "The error code is E-404-NF, the HTTP code is E2E-404, the flight code LH4-22B.",
    "der Fehlercode ist E40-12X, der Produktcode A12-B44; the code ERR-3604-3044 comes up",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_secret_is_found_by_the_place_it_is_handed_to(frame: str) -> None:
    text = frame.replace("%s", FRAMES[frame])
    assert redact(text) == frame.replace("%s", placeholder(FRAMES[frame]))


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_alike_and_opens_nothing_stays(text: str) -> None:
    assert redact(text) == text


def test_letters_are_read_plainly_in_values_with_numbers_alone_and_keep_their_places() -> None:
    text = "contraseña: Fiskmås_55 «Größe» łódź9"
    assert read_plainly(text) == 'contraseña: Fiskmas_55 "Größe" lodz9'


@pytest.mark.parametrize("value", ["ghp_xxxxxxxx", "sk_live_00000000", "xyxyxyxy", "AKIAXXXXXXXXXXXX"])
def test_one_or_two_signs_over_and_over_are_filled_in(value: str) -> None:
    assert FILLED.fullmatch(value)
    assert not FILLED.fullmatch(value + "9q")
