"""Secrets behind what they are for, in conversions, in sentences that go on, on a line of their own; what is alike
stays.
"""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

KEY = "8WiOHJza4zdiqkbcYK8phgLIXwlnaVyw"
FRAMES = {
    'var jwtKey = []byte("%s")': KEY,
    'sessionKey := []byte("%s")': KEY,
    'const secret = Buffer.from("%s", "utf8")': "gullsoverholm",
    'password = SecretStr("%s")': "lobsterpot",
    'SECRET_KEY = b64decode("%s")': "aGFyYm9yLWxpZ2h0cy05",
    'let password = String::from("%s");': "lobsterpot",
    'buildConfigField("String", "MAPS_SECRET", "\\"%s\\"")': KEY,
    "buildConfigField 'String', 'API_KEY', '\"%s\"'": KEY,
    'API_KEY = "\\"%s\\""': KEY,
    "wifi psk='%s' ssid=Harbor": "Muschelsucher",
    "nmcli con modify Harbor wifi-sec.psk %s": "Muschelsucher",
    "The wifi password at the office is %s, in case you need it": "lobsterpot",
    "The password is %s and the user is mk.": "lobsterpot",
    'passphrase of the backup is "%s" with the spaces': "seven grey gulls over holm",
    "The passphrase of the backup is %s": "seven grey gulls over holm",
    "passphrase for the key: %s": "seven grey gulls over holm",
    "Hasło do bazy to %s, użytkownik boards.": "Latarnia_55",
    "parola d'ordine per il NAS: %s , utente ops": "gabbiano-nero",
    "La chiave del wifi è %s": "libeccio2024",
    "La clé de l'API est %s": KEY,
    "The code they texted me is %s, enter it quickly": "587128",
    "I got the SMS, it says %s": "587128",
    "password:\n%s": "seehund",
    "sudo on that machine wants %s as the password btw": "bilgewater",
    "https://crew.example/reset?user=anna&reset_token=%s": "jgCTwbbFblKuWgpwnx",
    "[db]\npass = %s": "hunter22Xy",
    "alarm code  %s": "4711",
    "one time code  %s": "4711",
    "verification pin %s": "4711",
    "passphrase is %s": "only three red birds here",
    "The SMS says %s and expires soon": "482913",
    "password for the wiki: %s": "lighthouse-keeper",
}
ORDINARY = [
    'jwtKey := []byte(os.Getenv("JWT_KEY")); secret := []byte("your-secret-key")',
    'password = getpass("enter yours"); password = prompt("Enter it"); cacheKey := []byte("users:list")',
    'buildConfigField("String", "API_KEY", "\\"${apiKey}\\""); resValue("string", "token_label", "Harbor")',
    "key_mgmt=wpa-psk pairwise=CCMP, modulation=psk rate=9600, psk='${WIFI_PSK}'",
    "The password is therefore rejected, and it stops",
    "The password is overdue and the user is root.",
    "The password is simple, I know. The password is unique, and long",
    "The passphrase of the backup is kept in the vault by Tom",
    "The passphrase of the vault is written down somewhere safe",
    "La chiave del problema è semplice. La clé primaire est user_id2",
    "the code they sent me is 404, the error code they got is 500123",
    "password:\n  type: string\npassword:\nrequired",
    "use email as the password, use uuid as the token, it takes strings as its passphrase",
    "https://crew.example/?design_token=primaryBackgroundColor&next_token=jgCTwbbFblKuWgpwnx",
    "pass = phase2",
    "pass = render_pass2",
    "pass = 12ms/op",
    "passphrase is only shown once here",
    "SMS says 482913 rows were sent. The text reads 202411 as the version.",
    "password for login: case-sensitive, at least eight characters",
    "Confirm password:\nmatches",
    "Nobody would use dragon as a password.",
    'public_key := []byte("abcdefgh12345678"); pubkey := []byte("abcdefgh12345678")',
    "gate pin 1024, connector pin 2201",
    "  account_sid: AC738ac4a6a1b2414f1cae0b7bee2fcf94",
    "TWILIO_ACCOUNT_SID=AC738ac4a6a1b2414f1cae0b7bee2fcf94",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_secret_is_found_where_its_sentence_or_its_code_goes_on(frame: str) -> None:
    assert redact(frame % FRAMES[frame]) == frame % placeholder(FRAMES[frame])


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_alike_stays(text: str) -> None:
    assert redact(text) == text
