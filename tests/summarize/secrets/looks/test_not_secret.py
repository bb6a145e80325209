"""What anybody may see stays, whatever stands before it; what is private beside it goes."""

from __future__ import annotations

import json
import random
import re
import string

import pytest

from palimpsest.summarize.secrets.redact import redact

HELD = re.compile(r"\[secret:[0-9a-f]{6}\]")
SIGNS = string.ascii_letters + string.digits + "+/"
ADDRESS = "0xffd869221534f0f7e7ea0a7ae5a51409716559b7"
ONE_KEY = "be8d41447c982308139694f5334b677420be4cae02714d2f1d915de5db2a092a"
SCOPE = "/20261126/eu-central-1/s3/aws4_request"


def block(label: str, seed: int) -> str:
    draw = random.Random(seed)
    lines = ["".join(draw.choices(SIGNS, k=64)) for _ in range(12)]
    lines.append("".join(draw.choices(SIGNS, k=30)) + "==")
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""))


@pytest.mark.parametrize(
    "label",
    ["CERTIFICATE", "PUBLIC KEY", "CERTIFICATE REQUEST", "X509 CRL", "PGP SIGNATURE", "PGP MESSAGE", "CMS"],
)
@pytest.mark.parametrize("before", ["", "the token of the server key is in here:\n", "auth key:\n"])
def test_armoured_public_blocks_stay(label: str, before: str) -> None:
    texts = [before + block(label, seed) for seed in range(30)]
    texts += [text.replace("\n", "\r\n") for text in texts] + [
        text.rpartition("-----END")[0] for text in texts
    ]
    assert [redact(text) for text in texts] == texts


def test_an_armoured_private_key_beside_a_public_one_goes() -> None:
    public, private = block("CERTIFICATE", 1), block("EC PRIVATE KEY", 2)
    assert HELD.sub("?", redact(public + private + public)) == f"{public}?\n{public}"


def test_what_is_told_inside_of_a_block_goes() -> None:
    text = block("CERTIFICATE", 3).replace("\n-----END", "\npassword: Harbour7!x\n-----END")
    assert "Harbour7!x" not in redact(text)


BODY = block("CERTIFICATE", 4).split("\n", 1)[1][:129]
OPENS = "Xk29dk3lQ"


@pytest.mark.parametrize("label", ["CERTIFICATE", "PUBLIC KEY", "PGP MESSAGE"])
@pytest.mark.parametrize(
    "line",
    [
        "password: {}",
        "DB_PASSWORD: {}",
        "API-KEY: {}9Zr4TnL7vXc",
        "Authorization: Bearer {}9Zr4TnL7",
        "client_secret: {}",
    ],
)
@pytest.mark.parametrize(
    "frame",
    [
        "-----BEGIN {label}-----\n{body}\n{line}\n",
        "-----BEGIN {label}-----\nVersion: 2.4\n\n{body}\n{line}\n",
        "tls:\n  cert: |\n    -----BEGIN {label}-----\n    {body}\n  {line}\n  port: 8443\n",
        "-----BEGIN {label}-----\n{body}\n{line}\n{body}\n-----END {label}-----\n",
        "-----BEGIN {label}-----\nComment: {line}\n\n{body}\n-----END {label}-----\n",
    ],
)
def test_what_is_told_behind_armour_goes(frame: str, line: str, label: str) -> None:
    body = BODY.replace("\n", "\n    ") if "cert: |" in frame else BODY
    assert OPENS not in redact(frame.format(label=label, body=body.rstrip(), line=line.format(OPENS)))


@pytest.mark.parametrize("line", ['DB_PASSWORD = "{}"', "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPx{}"])
@pytest.mark.parametrize(
    "frame",
    [
        'HEAD = "-----BEGIN CERTIFICATE-----"\n{}\nFOOT = "-----END CERTIFICATE-----"\n',
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
    ],
)
def test_code_between_the_marks_of_armour_is_none(frame: str, line: str) -> None:
    assert OPENS not in redact(frame.format(line.format(OPENS)))


@pytest.mark.parametrize("label", ["CERTIFICATE", "PGP MESSAGE"])
def test_armour_stays_in_every_writing(label: str) -> None:
    for seed in range(12):
        lines = block(label, seed).splitlines()
        for text in (
            "auth key:\n" + "".join(f"+{line}\n" for line in lines),
            "secret:\n  tls.crt: |\n" + "".join(f"    {line}\n" for line in lines),
            "token_cert = (\n" + "".join(f'    "{line}\\n"\n' for line in lines) + ")\n",
            json.dumps({"secret_cert": "\n".join(lines), "token": "see cert"}),
            'SECRET_CERT="' + "\\n".join(lines) + '"',
            "token key: " + " ".join(lines),
            "token key: " + "".join(lines),
        ):
            assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "SSH_KEY=ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBmg48mU2z84ffaZLq0",
        "deploy key: sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAD1Kd5GgNFS6dL2L== kim",
        f'{{"BoardToken": "{ADDRESS}", "chainId": 1}}',
        f"tokenAddress = {ADDRESS}\n",
        f'const rewardToken = "{ADDRESS}";',
        f"export TOKEN_ADDRESS={ADDRESS}",
        f"tx 0x{ONE_KEY} in block 0x{ONE_KEY}",
        f'{{"txHash": "0x{ONE_KEY}", "tokenId": "0x{ONE_KEY}"}}',
        '{"cursor":"YXJyYXljb25uZWN0aW9uOjI0","hasNextPage":true}',
        'pageInfo { next_cursor: "4f1c2ab7e0d93b58c6617fa20e94b1d5" }',
        "https://a.example/v1/boats?first=50&sync_token=Y3Vyc29yOnYyOjIwMjYtMTEtMjY",
        f"X-Goog-Credential=tiles%40harbour.iam.gserviceaccount.com{SCOPE.replace('/', '%2F').replace('aws', 'goog')}",
        "nextPageToken=Ax+9dk2mZr4TnL7vXc1BpD5s took 12ms",
    ],
)
def test_public_values_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("name", ["private_key", "SECRET_KEY", "apiKey", "password", "access_token"])
def test_a_name_that_hides_its_value_counts_for_an_address_too(name: str) -> None:
    assert ADDRESS not in redact(f'{{"{name}": "{ADDRESS}"}}')


@pytest.mark.parametrize(
    "before",
    [
        *("token: ", "API_TOKEN=", "SESSION_TOKEN=", "X-Token: ", "--token ", "the token is ", "MASTER_KEY="),
        *(
            "ENCRYPTION_KEY=",
            "AES_KEY = ",
            "wallet key: ",
            "hmac key: ",
            "pw: ",
            "passphrase: ",
            "credential: ",
        ),
        *(
            "Kennwort ",
            "mot de passe : ",
            "contraseña: ",
            "密码：",
            "wachtwoord: ",
            "refresh_token=",
            "api token: ",
        ),
        *("key=", "my key is ", "refreshToken: ", "harbourToken="),
    ],
)
def test_an_address_that_no_name_calls_one_goes(before: str) -> None:
    assert ADDRESS not in redact(before + ADDRESS)


@pytest.mark.parametrize(
    "text",
    [
        f"owner of the token: wallet {ADDRESS}",
        f"TOKEN_CONTRACT={ADDRESS}",
        f"the token contract is {ADDRESS}",
        f"governance token: {ADDRESS}",
        f'"tokenIn": "{ADDRESS}"',
        f"address constant TOKEN = {ADDRESS}",
        f"token sender: {ADDRESS}",
        f'{{"contract": "Boats", "HarbourToken": "{ADDRESS}"}}',
    ],
)
def test_an_address_that_is_called_one_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("scope", ["/20240101/us/s3/aws4_request", SCOPE])
def test_a_password_before_a_scope_goes(scope: str) -> None:
    assert OPENS not in redact(f"https://anna:{OPENS}@host.example{scope}")


def test_a_private_key_of_a_chain_goes() -> None:
    assert ONE_KEY not in redact(f"PRIVATE_KEY=0x{ONE_KEY}\n")


@pytest.mark.parametrize("scope", [SCOPE, SCOPE.replace("/", "%2F")])
@pytest.mark.parametrize(
    "text",
    [
        "https://b.example/x.gz?X-Amz-Credential=AKIAQWERTYUIOP234567{}&X-Amz-Date=20261126T110412Z",
        "X-Amz-Credential=AKIAQWERTYUIOP234567{}&X-Amz-Date=20261126T110412Z",
        '{{"x-amz-credential": "AKIAQWERTYUIOP234567{}"}}',
        "Authorization: AWS4-HMAC-SHA256 Credential=AKIAQWERTYUIOP234567{}, SignedHeaders=host",
    ],
)
def test_the_scope_of_a_signature_stays_behind_the_id_of_its_key(text: str, scope: str) -> None:
    text = text.format(scope)
    assert HELD.sub("?", redact(text)) == text.replace("AKIAQWERTYUIOP234567", "?")
