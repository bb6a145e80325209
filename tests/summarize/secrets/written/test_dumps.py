"""Secrets in dumps, tables of cloud tools and manifests; what stands beside them stays."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from palimpsest.summarize.secrets.redact import placeholder, redact
from palimpsest.summarize.secrets.told.asked import Asked

KEY40 = "zK9+Vn2/Qw7XtLb0RmZc5Yd9Hj4Gs6Pa1Ue8TiWo"
KEY44 = "Kf83+Vn2/Qw7XtLb0RmZc5Yd9Hj4Gs6Pa1Ue8TiWo2E="
KEY88 = "Kf83Vn2Qw7XtLb0RmZc5Yd9Hj4Gs6Pa1Ue8TiWo2EzK9+Vn2/Qw7XtLb0RmZc5Yd9Hj4Gs6Pa1Ue8TiWo3Fq7w=="
TOKEN = "LX93jhLewBc8SsmiybHr8HjSdNu8HwrRhiDaM7MI"


@pytest.mark.parametrize(
    "frame, secret",
    [
        ("KeyName    Permissions    Value\n---------  ------  -----\nkey1       FULL           {}\n", KEY88),
        ('{{"primaryKey": "{}", "name": "desk"}}', KEY44),
        ('[{{"keyName": "key1", "permissions": "FULL", "value": "{}"}}]', KEY44),
        (
            "||  AccessKeyId     |  desk  ||\n||  SecretAccessKey |  {}      ||\n||  Status |  Active  ||\n",
            KEY40,
        ),
        (
            ".pier.example|connect.sid|s%3A{}",
            "FkGfGjUGIPljadTTUVkSP2k2eAxgNS3H.S_SZWnjHnSO6OK4VYqaR-K-j5uDA2BNYGYDcbzjhHID",
        ),
        (
            "COPY public.users (id, email, api_token) FROM stdin;\n1\tm@pier.example\t{}\n2\tj@a.example\t\\N\n\\.\n",
            TOKEN,
        ),
        ("ansible_user: deploy\nansible_become_pass: {}\nworkers: 4\n", "sluis kolk 9 meeuw"),
        (
            'kind: Secret\nstringData:\n  SMTP_HOST: smtp.pier.example\n  SMTP_PASSWORD: "{}"\n  username: desk\n',
            "Brieven-Bus!12",
        ),
        (
            '{{"SecretString": "{{\\"username\\":\\"desk\\",\\"password\\":\\"{}\\",\\"port\\":5432}}"}}',
            TOKEN[:20],
        ),
        ("[audit]\naws_secret_access_key = {}\nregion = us-east-2\n", "/" + KEY40[1:]),
        (
            'DriverManager.getConnection(\n                "jdbc:oracle:thin:@ora1:1521/FIN", "fin_import", "{}");',
            "Zonsopgang77",
        ),
        (
            "CREATE TABLE oauth(id INT, refresh_token TEXT);\nINSERT INTO oauth VALUES(8,'{}');\n",
            TOKEN,
        ),
        ('{{"fields": [{{"name": "One-time code", "value": "{}"}}]}}', "898441"),
        (
            "Key        Value\n---        -----\nmerchant    QuillBay\nsecret_key     {}\nregion    eu\n",
            "-Ru765TWX1WLjFPrnl4Xft",
        ),
        ("creds for the sandbox: user robot / pass {}, base url is https://pier.example", "Mch!ihpxbp"),
        ("command:\n  - redis-server\n  - --requirepass\n  - {}\nimage: redis\n", "TkDG7UiMwuMlmcojtFHDzfhn"),
        ('command: ["redis-server", "--requirepass", "{}"]', "TkDG7UiMwuMlmcojtFHDzfhn"),
        (
            'resource "random_password" "db" {{\n    length = 22\n    result = "{}"\n}}',
            "1pbRPyCuv3jHoCwZLV6ArY",
        ),
        ("restic --password-command 'echo {}' snapshots", "HKAoMVzLawVhenBU17vZ"),
        (
            "here is the weather api key you asked for {} put it in the settings",
            "9c41f07be2d85a3164f0b7c92e58d1a3",
        ),
        (
            "Restore the wallet with the seed phrase: {} then tell me the balance.",
            "orbit lunar velvet pistol basket ripple tunnel acid method fiber crane wisdom",
        ),
        ('{{"one_time_code": "{}"}}', "898441"),
        ("my recovery codes, in case the phone dies: {}. keep them out of the readme", "k3vx-9pqt"),
        ("ich hab das Kennwort vom NAS gestern auf {} geändert, damit geht der Mount", "Strandkorb"),
        ("the PIN of the alarm panel at the shed is {}, the script disarms at 06:30", "4096"),
    ],
)
def test_a_secret_is_hidden_and_what_stands_beside_it_is_not(frame: str, secret: str) -> None:
    assert redact(frame.format(secret)) == frame.format(placeholder(secret))


@pytest.mark.parametrize(
    "text",
    [
        "COPY public.tokens (id, name, count) FROM stdin;\n1\tdeploy\t4\n\\.\n",
        "db_password: must be at least 8 characters\nport: 1\n",
        'export const tokenBadge = "Login_tokenBadge__9fZpL";',
        'read -rs -p "Password: " PW; openssl passwd -6 -stdin <<<"$PW" | ssh pier',
        f'{{"contentHash": "{KEY88}", "name": "azure.storage"}}',
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE is only in the docs page, leave it there.",
        "password: \"{{ lookup('community.hashi_vault.hashi_vault', 'secret=kv/data/sw:password') }}\"",
        "CREATE TABLE t(id INT, name VARCHAR(20), count INT);\nINSERT INTO t VALUES(1,'tok',2);\n",
        "cache key: Linux-node-20-7f8e56b83f1776b29bef95ebbb791597d55ca561839ad7bfd6da59594a274716",
        "Cache restored from key: Linux-node-20-2c4cfa17aa3bd8bab2177127f29044d38856905e",
        "Cache saved with key: go-Linux-x64-1.22.3-f6d00a6d194d969991ae993cc3444ec853b30520685bdeddae98947d",
        "first pass / pass two, pass 3 of 4",
        "args:\n  - --password-file\n  - vault_pass2\n",
        "args:\n  - --token\n  - --verbose\n",
        '{"error_code": "898441", "status_code": 200111}',
        "Das Passwort wurde auf Wunsch geändert.",
    ],
)
def test_what_is_alike_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "question, answer, secret",
    [
        (
            "The archive is encrypted. What is the passphrase for backup.tar.gpg?",
            "seven grey herons wade",
            True,
        ),
        (
            "The archive is encrypted. What is the passphrase for backup.tar.gpg?",
            "leave it for now please",
            False,
        ),
        ("The archive is encrypted. What is the passphrase for backup.tar.gpg?", "no idea ask Ingrid", False),
        ("I opened the login page, it asks for a 6-digit verification code.", "517933", True),
        ("I opened the page, it shows 12 rows.", "517933", False),
    ],
)
def test_an_answer_is_a_secret_where_one_was_asked_for(question: str, answer: str, *, secret: bool) -> None:
    asked = Asked()
    assert not list(asked.answers(Message("assistant", (Text(question),))))
    found = [text[slice(*span)] for text, span in asked.answers(Message("user", (Text(answer),)))]
    assert found == [answer] * secret
