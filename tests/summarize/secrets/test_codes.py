"""Codes of doors and alarms, phrases of wallets, numbers of papers and cards that people tell; what is alike stays."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

PHRASE = "ladder velvet orbit minor canyon tribe evoke puzzle shrimp anchor dune fossil"


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
