"""Lists of codes that let one in again: under what heads they stand, how they are set, and which lists are none."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import redact

CODES = ("a7d3f-45d5e", "3739e-e3f2f", "c9508-b4295", "b51c5-25926")
HEADS = (
    "Store my GitHub recovery codes in the vault:",
    "Save these recovery codes somewhere safe:",
    "Your two-factor recovery codes (keep them safe):",
    "The emergency codes for the NAS are below:",
    "GitHub recovery codes\n\nKeep these in a safe place.\n",
    "Hier sind meine Wiederherstellungscodes:",
    "Speichere bitte die Backup-Codes von GitHub:",
    "Garde ces codes de secours en lieu sûr :",
    "Guarda los códigos de respaldo de GitHub:",
    "Salva questi codici di backup:",
    "Guarde estes códigos de recuperação:",
    "Bewaar deze herstelcodes goed:",
    "Zapisz kody zapasowe do GitHuba:",
    "Вот мои резервные коды:",
    "这是我的恢复代码：",
    "リカバリーコードはこちらです：",
    "백업 코드:",
)
LAYOUTS = {
    "lines": "\n{}\n{}\n{}\n{}\nThe account is harbour-bot.",
    "numbered": "\n1. {}\n2. {}\n3. {}\n4. {}\n",
    "bullets": "\n\n- {}\n- {}\n- {}\n- {}",
    "columns": "\n{}   {}\n{}   {}\n",
    "numbered columns": "\n1) {}    2) {}\n3) {}    4) {}\n",
    "table": "\n\n| # | code | used |\n|---|---|---|\n| 1 | {} | no |\n| 2 | {} | no |\n"
    "| 3 | {} | no |\n| 4 | {} | yes |\n",
    "commas": " {}, {}, {} and {}",
    "semicolons": " {}; {}; {}; {}.",
    "fence": "\n```\n{}\n{}\n{}\n{}\n```\n",
    "checks": "\n- [ ] {}\n- [x] {}\n- [ ] {}\n- [ ] {}",
    "used": "\n{} (used)\n{}\n{}\n{}",
    "items": "\n<ul><li>{}</li><li>{}</li><li>{}</li><li>{}</li></ul>",
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_code_of_a_list_goes_and_nothing_else(head: str, layout: str) -> None:
    text = head + LAYOUTS[layout].format(*CODES)
    got = redact(text)
    kept = text
    for code in CODES:
        kept = kept.replace(code, redact(f"my recovery code is {code}").removeprefix("my recovery code is "))
    assert got == kept
    assert got.count("[secret:") == len(CODES)


@pytest.mark.parametrize(
    "text, secrets",
    [
        ("a7d3f-45d5e, 3739e-e3f2f and c9508-b4295 are my recovery codes", CODES[:3]),
        ("Meine Backup-Codes sind a7d3f-45d5e, 3739e-e3f2f und c9508-b4295", CODES[:3]),
        ("use the backup code a7d3f-45d5e if the phone is lost", CODES[:1]),
        ("I used recovery code a7d3f-45d5e today, the rest is 3739e-e3f2f and c9508-b4295", CODES[:3]),
        ('{"recovery_codes": ["4821 9930", "7716 2093"]}', ("4821 9930", "7716 2093")),
        ("Backup codes:\n439281\t439517\n438745\t412290\n422111\t498313", ("439281", "412290", "498313")),
        (
            "my recovery codes:\nkq3zt7vm1p\nabdefghijk\nz81mmq0x4d",
            ("kq3zt7vm1p", "abdefghijk", "z81mmq0x4d"),
        ),
        ("my backup codes are abcde-fghij, a7d3f-45d5e and c9508-b4295", ("abcde-fghij", "c9508-b4295")),
    ],
)
def test_codes_of_other_forms_and_places_go(text: str, secrets: tuple[str, ...]) -> None:
    got = redact(text)
    assert not [secret for secret in secrets if secret in got]


def test_what_other_keys_hold_beside_a_list_stays() -> None:
    text = redact('{"recovery_codes": ["a7d3f45d", "3739ee3f"], "commit": "c9508b42"}')
    assert text.count("[secret:") == 2
    assert text.endswith('"commit": "c9508b42"}')


@pytest.mark.parametrize(
    "text",
    [
        "Order numbers:\na7d3f-45d5e\n3739e-e3f2f\n",
        "The backup code is in these commits:\na7d3f45d\n3739ee3f\n",
        "Recovery code paths, by commit: a7d3f45, 3739ee3",
        "Commits with backup codes: a7d3f45d5e, 3739ee3f2f",
        "Error recovery codes: E1001, E1002 and E1003",
        "The backup codes are stored in the vault of harbour-bot.",
        "The recovery codes:\nThe account has eight of them.",
        "Backup codes: see section two-factor below",
        "Show the recovery codes once, then hide them: a user may print them.",
        "Backup codes, by day: 20261124, 20261125, 20261126",
        "Recovery codes:\n- page12345\n",
        "I deleted the backup. Code: see a7d3f45",
        "diesel backup coded by hand\nharbour7-crane8",
    ],
)
def test_lists_of_other_things_stay(text: str) -> None:
    assert redact(text) == text
