"""Secrets in code and commands whose place gives them away; the text around them stays."""

from __future__ import annotations

import json

import pytest

from palimpsest.summarize.secrets.redact import redact

WORD, KEY = "kestrel81q", "k9Zq72LmPx81aaWW"
PLACES = [
    'password: "correct lantern battery staple"',
    "passphrase = 'seven lazy otters swim'",
    '{"pin":"4821"}',
    '{"otp": 739201}',
    'otp = "739201"',
    f'API_KEY: Final[str] = "{KEY}"',
    f'const token: string = "{KEY}";',
    f'let secret: &str = "{KEY}";',
    f'password: Optional[str] = "{WORD}"',
    f'{{"value":"{KEY}","name":"DB_PASSWORD"}}',
    f'{{"name": "API_KEY", "value": "{KEY}"}}',
    f"INSERT INTO keepers (name, password) VALUES ('ann', '{WORD}');",
    f"insert into keepers (id, password, role) values (1, 'x', 'a'), (2,lower('b'),'b'), (3, '{WORD}', 'c');",
    f'curl -H "x-functions-key: {KEY}" https://f.example',
    f"Ocp-Apim-Subscription-Key: {KEY}",
    f'await page.fill("#password", "{WORD}");',
    f"page.type('input[name=\"password\"]', '{WORD}')",
    f'page.get_by_label("Password").fill("{WORD}")',
    f"cy.get('#password').type('{WORD}')",
    f'driver.find_element(By.ID, "password").send_keys("{WORD}")',
    f"az login -u ann@x.example -p {WORD}",
    f"twine upload -u ann -p {WORD} dist/*",
    f"vault login {KEY}",
    f"gh secret set DEPLOY_KEY --body {WORD}",
    f'gh secret set DEPLOY_KEY -b"{WORD}"',
    f"flyctl secrets set DB_URL={WORD}",
    f"aws ssm put-parameter --name /db/pw --type SecureString --value {WORD}",
    f"aws secretsmanager create-secret --name db --secret-string {WORD}",
    f"openssl enc -aes-256-cbc -k {WORD} -in a",
    f"ansible-vault encrypt_string '{WORD}' --name db",
    f"net use x: /user:ann {WORD}",
    f"npm config set //r.example/:_authToken {KEY}",
    f"rabbitmqctl add_user ann {WORD}",
    f"wpa_passphrase harbour {WORD}",
    f"lftp -u ann,{WORD} ftp.example",
    f"mc alias set pier https://s3.example ann {WORD}",
    f"api_key: >-\n  {KEY}\nnext: 1",
]
HIDDEN = ("correct lantern battery staple", "seven lazy otters swim", "4821", "739201", WORD, KEY)


@pytest.mark.parametrize("text", PLACES)
def test_a_secret_is_found_in_its_place_and_nothing_else(text: str) -> None:
    (hidden,) = [one for one in HIDDEN if one in text]
    before, _, after = text.partition(hidden)
    shown = redact(text)
    assert shown.startswith(f"{before}[secret:")
    assert shown.endswith(f"]{after}")


@pytest.mark.parametrize("text", PLACES)
def test_a_secret_in_what_a_tool_is_given_is_found_and_leaves_json(text: str) -> None:
    shown = redact(json.dumps({"content": text}))
    assert "[secret:" in json.loads(shown)["content"]
    assert not [one for one in HIDDEN if one in shown]


@pytest.mark.parametrize(
    "text",
    [
        'password: "Choose whatever seems safest"',
        '"password": "Ihr Kennwort bitte hier eintragen"',
        'password: "Mot de passe oublié"',
        "async def login(token: str, retries: int = 3) -> None:",
        'secret: string = "";',
        'const token: TokenKind = TokenKind.Bearer;',
        'password: str = Field(default="")',
        '{"value": "blue", "name": "color"}, {"value": "12px", "name": "token-size"}',
        '{"name": "password", "value": "${DB_PASSWORD}"}',
        "INSERT INTO ships (name, pier) VALUES ('ann81', 'north4');",
        "INSERT INTO keepers (name, password) VALUES (?, ?), ($1, $2), ('a', NULL);",
        "x-idempotency-key: 4f3a9c1e-11aa-4b6e-9c0f-aa11bb22cc33",
        "x-request-key: 4f3a9c1e11aa4b6e",
        'page.fill("#harbour", "north81")',
        'page.fill("#password", password)',
        'page.get_by_label("Password").click()',
        "mkdir -p az/login-pages; cp -p twine.txt dist/",
        "vault login -method=oidc role=keeper",
        "gh secret set DEPLOY_KEY --body $KEY",
        "aws ssm put-parameter --name /pier/count --value 12",
        "openssl enc -aes-256-cbc -in a -out b",
        "npm config set registry https://r.example",
        "api_key: >-\n  see the vault\n",
        "pin: 12, otp: none, the pin 4 of the board",
    ],
)  # fmt: skip
def test_ordinary_text_of_the_same_kind_stays(text: str) -> None:
    assert redact(text) == text
    said = json.dumps({"content": text})
    assert redact(said) == said
