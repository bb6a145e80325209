"""Codes of doors and alarms, phrases of wallets, numbers of papers and cards that people tell; what is alike stays."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

PHRASE = "ladder velvet orbit minor canyon tribe evoke puzzle shrimp anchor dune fossil"

TOLD = """my PIN is 0852
the PIN for the kiosk at pier 3 is 0852; the menu opens after five taps
die PIN für das Terminal am Kai 3 ist 0852
door code's 0852
they changed the gate code, it's 0852 now
use pin 0852 to unlock the tablet
the PIN of the alarm panel at the shed is 0852
519046 is the code they texted
the authenticator says 519046
the 6 digit code is 519046
der Code lautet 519046
le digicode c'est 0852
code de l'alarme 0852
me llegó el código 519046
the pin for the card is 0852
card pin: 0852
PIN 0852
the safe's code is 0852
door code 0852
the code for the door is 0852
the alarm code is 0852
enter 0852 on the keypad
the garage opens with 0852
phone unlock code 0852
my voicemail pin is 0852
sim pin 0852
the verification code is 519046
your code is 519046
the code they sent is 519046
OTP: 519046
here's the 2fa code 519046
the sms says 519046
the login code from the mail is 519046
meine PIN ist 0852
die PIN der Karte ist 0852
PIN: 0852
der Türcode ist 0852
Code für die Tür: 0852
der Alarmcode lautet 0852
gib 0852 am Tastenfeld ein
der Bestätigungscode ist 519046
der Code aus der SMS: 519046
TAN 519046
der Safe geht mit 0852 auf
Handy-PIN 0852
mon code PIN est 0852
le code de la carte est 0852
code de la porte : 0852
le code d'entrée est 0852
tape 0852 sur le digicode
le code reçu par SMS est 519046
code de vérification : 519046
le code de l'alarme : 0852
mi PIN es 0852
el PIN de la tarjeta es 0852
el código de la puerta es 0852
el código de la alarma: 0852
marca 0852 en el teclado
el código que me llegó es 519046
código de verificación: 519046
la caja fuerte se abre con 0852
meu PIN é 0852
o código da porta é 0852
o código que chegou por SMS é 519046
código de verificação: 519046
il mio PIN è 0852
il codice del cancello è 0852
il PIN della carta è 0852
il codice arrivato via SMS è 519046
codice di verifica: 519046
mijn pincode is 0852
de deurcode is 0852
de code van de poort is 0852
de sms-code is 519046
verificatiecode: 519046
mój PIN to 0852
kod do drzwi to 0852
kod z SMS-a: 519046
kod do bramy 0852
мой пин 0852
пин-код карты 0852
код от двери 0852
код домофона: 0852
код из смс 519046
код подтверждения: 519046
我的银行卡密码是0852
门禁密码 0852
验证码是 519046
短信验证码：519046
保险箱密码：0852
PIN码是0852
门锁密码是 0852
暗証番号は0852です
玄関のコードは 0852
PINは 0852 です
認証コードは 519046
SMSのコードは 519046
金庫の番号は 0852
비밀번호는 0852입니다
현관 비밀번호 0852
인증번호는 519046
PIN은 0852""".splitlines()
"""One code of four or of six digits each."""
ALIKE = """the error code is 4471
status code 5020
exit code 1234
port 4471 is taken
the PIN header has 4040 pins
code 404 means not found
zip code 90210
the area code is 4471
the code is 4471 lines long
order code 519046
PR 519046
the code has 519046 lines
build 519046
GPIO pin 4
set pin 2040
version code is 4471
the pin count is 2040
a code of 4471 is returned
the invoice number is 519046
Der Fehlercode ist 5020
die Postleitzahl ist 24103
code postal 75011
le code HTTP est 5020
el código postal es 28013
el código de error es 4471
código de estado: 5020
codice errore 4471
kod błędu 4471
код ошибки 4471
код ответа 5020
错误码是 4471
状态码 5020
エラーコードは 4471
端口 8080
the country code is 4471
year 2024
in 2024 the code was rewritten
press 2024 units
enter 1500 in the amount field
the door costs 1200
the safe weighs 4471 kg
the alarm went off at 0852
door 4471 is open
the gate was built in 1987
room 4471
extension 4471
dial 4471 for support
use 4471 as the port
the sms costs 5190 cents
code review 519046
your order is 519046
the code is in 4471.py
das Tor ist 1987 gebaut
Zimmer 4471
la puerta 4471
el año 2024""".splitlines()


@pytest.mark.parametrize("sentence", TOLD)
def test_a_code_is_hidden_in_many_languages(sentence: str) -> None:
    code = "0852" if "0852" in sentence else "519046"
    assert redact(sentence) == sentence.replace(code, placeholder(code))


@pytest.mark.parametrize("sentence", ALIKE)
def test_numbers_of_other_things_stay(sentence: str) -> None:
    assert redact(sentence) == sentence


@pytest.mark.parametrize(
    "sentence, code",
    [
        ("The gate code is {}, and the lights come on", "5908B"),
        ("Le code du portail est {}, mets-le dans la note.", "5908B"),
        ("le code de l'immeuble : {}", "A4471"),
        ("el código del portón es {}", "59081"),
        ("il codice del cancello è {}", "4471"),
        ("Der Tür-Code ist {}, bitte merken", "5908"),
        ("The alarm in the shed: disarm with code {}, then wait", "4471"),
        ("alarm at the boathouse: disarm with {} within 30 seconds", "0852"),
        ("die Anlage entschärfst du mit {} am Tastenfeld", "0852"),
        ("The 2FA code right now is {}, quick", "519046"),
        ("my seed phrase got printed in the log: {} - how bad is it?", PHRASE),
        ("metamask asks me to confirm it, is this the right order? {} . I think two were swapped", PHRASE),
        ("Use this card for the quay live test: {} exp 04/27", "4539648491895320"),
        ("passport_no: {}", "C01X4RXF7"),
        ("Meine Steuer-ID ist die {}, das Amt will sie", "41132061034"),
        ("the box lets you in as root with {}, sorry", "correcthorse42"),
        ("Recovery codes for kim\n{}\n", "4d084-2bcb2"),
    ],
)
def test_a_code_is_hidden(sentence: str, code: str) -> None:
    assert redact(sentence.format(code)) == sentence.format(placeholder(code))


@pytest.mark.parametrize(
    "text",
    [
        "the error code of the gate service is 5908",
        "the entry code path returns 404 and the safe code is in safe.py",
        "unlock 4 more seats; unlock with 30 % of the votes",
        "open the door with code review 4471",
        "le code du portail web renvoie 404 erreurs",
        "the ledger lists many small words that have been written down for the next year and more of it",
        "wallet: this text has words that only join others and you can see that they are not drawn by lot here",
        "the building code of 1987 says so",
        "disarm with 300 ms delay",
        "invoice 4539648491895321 was paid",
    ],
)
def test_what_is_alike_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("what", ["limit", "length", "count", "quota", "number limit", "attempts", "-Länge"])
@pytest.mark.parametrize("text", ["The PIN{} for the kiosk is 9552", "PIN{} for the door: 5000"])
def test_how_many_pins_there_are_stays(text: str, what: str) -> None:
    told = text.format(what if what.startswith("-") else f" {what}")
    assert redact(told) == told


def test_the_pin_of_a_limit_goes() -> None:
    assert "9552" not in redact("The PIN for the limit switch is 9552")
