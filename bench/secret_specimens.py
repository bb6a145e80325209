"""Invented keys, tokens and passwords in the places where machines write them, and lines that look like them.

Each secret is drawn when it is asked for, so that no scanner finds one in this file. `KNOWN` and `FURTHER` were written
in this order: the table of patterns was finished between them.
"""

from __future__ import annotations

import json
import string
from base64 import b64encode
from collections.abc import Callable, Mapping
from random import Random

HEX, LOW, UP = (
    string.hexdigits[:16],
    string.ascii_lowercase + string.digits,
    string.ascii_uppercase + string.digits,
)
MIXED = string.ascii_letters + string.digits
BASE64, WORD = MIXED + "+/", MIXED + "-_"
MARK = "§"
Maker = Callable[[Random], str]
Frame = tuple[str, Maker]


def drawn(prefix: str, size: int, signs: str = MIXED, end: str = "") -> Maker:
    """A prefix and so many signs drawn by lot, with one of each kind among them."""

    def make(random: Random) -> str:
        body = "".join(random.choices(signs, k=size - 3))
        body += (
            "7"
            + next(sign for sign in signs if sign.isalpha())
            + next(reversed([s for s in signs if s.isalpha()]))
        )
        return f"{prefix}{body}{end}"

    return make


def fixed(value: str) -> Maker:
    return lambda _: value


def joined(*makers: Maker) -> Maker:
    return lambda random: "".join(make(random) for make in makers)


def armoured(kind: str, lines: int = 6, end: str = "\n") -> Maker:
    def make(random: Random) -> str:
        body = ["MIIE" + "".join(random.choices(BASE64, k=60)) for _ in range(lines)]
        return end.join((f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"))

    return make


def in_base64(text: str) -> Maker:
    return fixed(b64encode(text.encode()).decode())


jwt = joined(drawn("eyJ", 33, WORD), drawn(".eyJ", 60, WORD), drawn(".", 43, WORD))

KNOWN: Mapping[str, Frame] = {
    # vendors, each in a place of its own
    "aws id in an error": (
        "InvalidAccessKeyId: The key § does not exist in our records.",
        drawn("AKIA", 16, UP),
    ),
    "aws secret in credentials": (
        "[default]\naws_access_key_id = x\naws_secret_access_key = §\n",
        drawn("", 40, BASE64),
    ),
    "aws secret in env": ("export AWS_SECRET_ACCESS_KEY=§", drawn("", 40, BASE64)),
    "aws prompt": ("AWS Secret Access Key [None]: §", drawn("", 40, BASE64)),
    "github in a remote": ("origin  https://§@github.com/a/b.git (fetch)", drawn("ghp_", 36)),
    "github action output": ("Run gh auth login\n  env:\n    GH_TOKEN: §", drawn("ghs_", 36)),
    "github fine-grained": (
        'gh api -H "Authorization: token §" /user',
        drawn("github_pat_", 82, MIXED + "_"),
    ),
    "gitlab curl": (
        "curl --header 'PRIVATE-TOKEN: §' https://gitlab.example/api/v4/projects",
        drawn("glpat-", 20, WORD),
    ),
    "openai": ('client = OpenAI(api_key="§")', drawn("sk-proj-", 48, WORD)),
    "anthropic": ("ANTHROPIC_API_KEY=§ claude -p hello", drawn("sk-ant-api03-", 93, WORD)),
    "google": ("https://maps.googleapis.com/maps/api/js?key=§&callback=init", drawn("AIza", 35, WORD)),
    "google oauth": ('{"access_token": "§", "expires_in": 3599}', drawn("ya29.", 120, WORD)),
    "google client": ('"client_secret":"§"', drawn("GOCSPX-", 28, WORD)),
    "slack bot": ("slack: token § was revoked", drawn("xoxb-", 48, string.digits + MIXED)),
    "slack webhook": (
        "curl -X POST https://hooks.slack.com/services/§",
        joined(drawn("T", 9, UP), drawn("/B", 9, UP), drawn("/", 24)),
    ),
    "stripe": ("stripe.api_key = '§'", drawn("sk_live_", 24)),
    "stripe webhook": ("STRIPE_WEBHOOK=§", drawn("whsec_", 32)),
    "npm": ("//registry.npmjs.org/:_authToken=§", drawn("npm_", 36)),
    "pypi": ("[pypi]\nusername = __token__\npassword = §", drawn("pypi-AgEIcHlwaS5vcmc", 120, WORD)),
    "hugging face": ("huggingface-cli login --token §", drawn("hf_", 34)),
    "sendgrid": ("SENDGRID=§", joined(drawn("SG.", 22, WORD), drawn(".", 43, WORD))),
    "twilio": ("Client('AC', '§')", drawn("SK", 32, HEX)),
    "telegram": ("https://api.telegram.org/bot§/getMe", joined(fixed("8273645190:AA"), drawn("", 33, WORD))),
    "discord webhook": (
        "https://discord.com/api/webhooks/§",
        joined(fixed("112233445566778899/"), drawn("", 68, WORD)),
    ),
    "digital ocean": ("doctl auth init -t §", drawn("dop_v1_", 64, HEX)),
    "vault": ("Key                  Value\ntoken                §", drawn("hvs.", 90, WORD)),
    "databricks": ("databricks configure --token # §", drawn("dapi", 32, HEX)),
    "shopify": ("X-Shopify-Access-Token: §", drawn("shpat_", 32, HEX)),
    "mailgun": ("curl -s --user 'api:§' https://api.mailgun.net/v3", drawn("key-", 32, HEX)),
    "mailchimp": ("mailchimp: §", drawn("", 32, HEX, "-us21")),
    "linear": ("LINEAR=§", drawn("lin_api_", 40)),
    "figma": ("figma token § expires", drawn("figd_", 40, WORD)),
    "grafana": ("Bearer §", drawn("glsa_", 32, MIXED, "_1a2b3c4d")),
    "new relic": ("NEW_RELIC_USER=§", drawn("NRAK-", 27, UP)),
    "azure client": ("AZURE_CLIENT=§", joined(drawn("", 3, MIXED), fixed("8Q~"), drawn("", 34, MIXED))),
    "azure storage": (
        "AccountName=pier;AccountKey=§;EndpointSuffix=core.windows.net",
        drawn("", 86, BASE64, "=="),
    ),
    "azure sas": ("https://pier.blob.core.windows.net/c/a?sv=2024-01-01&sig=§", drawn("", 43, MIXED, "%3D")),
    "signed by aws": (
        "https://b.s3.amazonaws.com/k?X-Amz-Date=20260101&X-Amz-Signature=§",
        drawn("", 64, HEX),
    ),
    "docker hub": ("docker login -u kim -p §", drawn("dckr_pat_", 27, WORD)),
    "atlassian": ("curl -u kim@example.com:§ https://pier.atlassian.net", drawn("ATATT3", 180, WORD)),
    "unknown vendor": ("acme: §", drawn("acme_sk_live_", 40)),
    # keys in armour
    "rsa": ("$ cat id_rsa\n§\n$ ", armoured("RSA PRIVATE KEY")),
    "openssh in a view": ("     1\t§", armoured("OPENSSH PRIVATE KEY", end="\n     2\t")),
    "pem in json": ('{"type": "service_account", "private_key": "§\\n"}', armoured("PRIVATE KEY", end="\\n")),
    "pem in a diff": ("@@ -0,0 +1,8 @@\n+§\n", armoured("EC PRIVATE KEY", 3, "\n+")),
    "pem cut off": (
        "$ head -3 key.pem\n§",
        joined(
            fixed("-----BEGIN " + "PRIVATE KEY-----\n"),
            drawn("MIIE", 60, BASE64),
            fixed("\n"),
            drawn("", 64, BASE64),
        ),
    ),
    "age": ("# created: 2026-01-01\n§", drawn("AGE-SECRET-KEY-1", 58, UP)),
    "putty": (
        "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n§\nPrivate-MAC: 00",
        drawn("", 48, BASE64),
    ),
    "jwt in a header": ("authorization: Bearer §", jwt),
    "jwt in json": ('{"id_token":"§","token_type":"bearer"}', jwt),
    # addresses and headers
    "postgres": ("DATABASE_URL=postgres://app:§@db.internal.example:5432/main", drawn("", 14)),
    "mongo": ("mongodb+srv://kim:§@cluster0.example.mongodb.net/?retryWrites=true", drawn("", 12)),
    "redis": ("redis://:§@cache:6379/0", drawn("", 20)),
    "amqp with at": ("amqp://kim:§@mq:5672", fixed("p@ss" + "w9rd!x")),
    "proxy": ("HTTPS_PROXY=http://kim:§@proxy.example:3128 curl x", drawn("", 10)),
    "token alone in an address": ("git clone https://§@git.example/a/b", drawn("", 40, HEX)),
    "bearer": ('-H "Authorization: Bearer §"', drawn("", 40)),
    "basic": ("Authorization: Basic §\r\nHost: a", in_base64("kim:hunter" + "22xyz")),
    "api key header": ("X-Api-Key: §", drawn("", 32)),
    "vault header": ("-H 'X-Vault-Token: §'", drawn("s.", 24)),
    "cookie": ("Cookie: theme=dark; sessionid=§; lang=de", drawn("", 32, LOW)),
    "set-cookie": ("< Set-Cookie: connect.sid=§; Path=/; HttpOnly", drawn("s%3A", 40)),
    "query": ("GET /v1/items?api_key=§&page=2 HTTP/1.1", drawn("", 32, LOW)),
    # settings
    ".env": ("DEBUG=true\nDB_PASSWORD=§\nPORT=5432", drawn("", 12, MIXED + "!%")),
    ".env quoted": ('SECRET_KEY="§"', drawn("", 50, MIXED + "!@#%^*-_=+")),
    ".env word": ("POSTGRES_PASSWORD=§", fixed("marmal" + "adecake")),
    "json": ('{"user": "kim", "password": "§", "port": 5432}', drawn("", 12)),
    "json escaped": ('{"body": "{\\"api_key\\": \\"§\\"}"}', drawn("", 24)),
    "yaml": ("db:\n  user: kim\n  password: §\n  port: 5432", drawn("", 12)),
    "yaml short": ("  passwd: §\n", fixed("hun" + "ter29")),
    "toml": ('[auth]\ntoken = "§"', drawn("", 40)),
    "ini": ("[client]\nuser = kim\npassword = §\n", drawn("", 12, MIXED + "#!")),
    "properties": ("spring.datasource.password=§", drawn("", 14)),
    "xml": ("<server><id>a</id><password>§</password></server>", drawn("", 12)),
    "xml attribute": ('<add key="ApiKey" value="§"/>', drawn("", 24)),
    "kubernetes env": ("- name: DB_PASSWORD\n  value: §\n", drawn("", 14)),
    "hcl": ('variable "db_password" {\n  type = string\n  default = "§"\n}', drawn("", 14)),
    "ado.net": ("Server=db;Database=x;User Id=sa;Password=§;", drawn("", 12, MIXED + "!")),
    "wp-config": ("define( 'DB_PASSWORD', '§' );", drawn("", 16)),
    "python kwarg": ('connect(host="db", user="kim", password="§")', drawn("", 12)),
    "typescript": ('const apiKey: string = "§";', drawn("", 32)),
    "fallback": ("const k = process.env.API_KEY || '§'", drawn("", 32)),
    "line number": ("  12\tJWT_SECRET=§\n  13\tPORT=1", drawn("", 32)),
    "diff": ("-API_TOKEN=old\n+API_TOKEN=§", drawn("", 32)),
    "grep": ("config/.env:7:SMTP_PASS=§", drawn("", 14)),
    # commands
    "curl -u": ("curl -sS -u admin:§ https://api.example/v1", drawn("", 12)),
    "mysql": ("mysql -h db -u root -p§ main", drawn("", 12)),
    "sshpass": ("sshpass -p '§' ssh kim@host", drawn("", 12, MIXED + "!&")),
    "PGPASSWORD": ("PGPASSWORD=§ psql -h db -U kim", drawn("", 12)),
    "redis-cli": ("redis-cli -h cache -a § ping", drawn("", 20)),
    "--password": ("deploy --user kim --password § --force", drawn("", 12)),
    "openssl": ("openssl enc -d -aes-256-cbc -pass pass:§ -in a", drawn("", 12)),
    "sudo": ("echo '§' | sudo -S apt update", drawn("", 12)),
    "kubectl": ("kubectl create secret generic db --from-literal=pw=§", drawn("", 12)),
    "sql": ("CREATE USER kim WITH PASSWORD '§';", drawn("", 12)),
    "mysql grant": ("CREATE USER 'kim'@'%' IDENTIFIED BY '§';", drawn("", 12)),
    "netrc": ("machine api.example\n  login kim\n  password §\n", drawn("", 14)),
    "pgpass": ("db.example:5432:main:kim:§\n", drawn("", 14)),
    "json argument": (
        json.dumps({"command": "cat > .env <<'E'\nDB_PASSWORD=§\nPORT=1\nE"}, ensure_ascii=False),
        drawn("", 14),
    ),
    "words of a list": ('{"argv": ["deploy", "--token", "§"]}', drawn("", 24)),
    "powershell": ('$env:API_KEY = "§"', drawn("", 32)),
    "shadow": ("kim:§:19000:0:99999:7:::", drawn("$6$Kq82mZs1$", 86, MIXED + "./")),
}

LOOKALIKES: tuple[str, ...] = (
    "commit 3f2a9c1e77aa001122334455667788990011aabb touched src/auth/password.py",
    "Merge: 9fceb02 1f2e3d4\nAuthor: Kim <kim@example.com>",
    '"sessionId": "550e8400-e29b-41d4-a716-446655440000", "uuid": "6fa459ea-ee8a-3ca4-894e-db77e160355e"',
    "request_id=req_011CQkZ8mWxTyVbNc4Lp9RsA user_id=usr_8fK2mZq91LxPw0RtYv",
    "DB_PASSWORD=${DB_PASSWORD} API_KEY=$API_KEY TOKEN=<your-token> SECRET=%s",
    'api_key = os.environ["OPENAI_API_KEY"]',
    "const token = process.env.GITHUB_TOKEN;",
    "password: changeme",
    'api_key="your-api-key-here"',
    "OPENAI_API_KEY=sk-... ANTHROPIC_API_KEY=sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "tests/auth/test_password.py::test_password_reset_token_v2 PASSED",
    "--- PASS: TestLogin2 (0.00s)\npass=12 fail=0",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    '"integrity": "sha512-9Qx3mZk2Lw93Kq82mZs1Lw93Kq82mZs1Lw93Kq82mZs1Aa7uE2vNcR5tYb8WxQ0LpOz6HkJdFg1SaMnBvCxZ4w=="',
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    'checksum = "b4a6c2f1e8d97305c1a2b3c4d5e6f70819283746556473829100aabbccddeeff"',
    "token_count: 4096, max_tokens=8192, tokens: 1,204",
    "secretName: db-creds\nsecretKeyRef:\n  name: db-creds\n  key: password",
    "imagePullSecrets:\n- name: regcred2",
    "password: str = Field(min_length=8, max_length=64)",
    "def login(self, password: str, token: Optional[str] = None) -> Token:",
    "export function verify(token: string, secret: Uint8Array): Promise<JWTPayload>",
    'const passwordInput = document.getElementById("password2")',
    '<input type="password" name="password" autocomplete="current-password">',
    "token = get_token(user_id2)\npassword = hash_password(password1)",
    "self.api_key = api_key2; self.secret = config.secret_v2",
    'password = getpass.getpass("Password: ")',
    'secret = Secret.from_name("prod/db-2")',
    "pwd: /home/kim/project2\nPWD=/srv/app OLDPWD=/srv/app2",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3kq82mZs1Lw93Kq82mZs1Lw93Kq82mZs1Lw93Kq8 kim@host",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEr2T9mZs1Lw93Kq82mZs1\n-----END PUBLIC KEY-----",
    'if text.startswith("-----BEGIN RSA PRIVATE KEY-----"): raise ValueError("a key")',
    '"nextPageToken": "CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA", "continuation_token": "1ueGcxLPRx1Tr2Xm4Kq"',
    "cache_key = f'berths:{day}:page2'; CACHE_KEY=berths:list:2026-01-31:page2",
    'primary_key=True, foreign_key="user.id2", sort_key: created_at2',
    '"private_key_id": "3f9a1c7e5b2d80463f9a1c7e5b2d80463f9a1c7e"',
    '"client_id": "812734650912-8fk2mzq91lxpw0rtyv8fk2mzq91lxpw0.apps.googleusercontent.com"',
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbC12d",
    "vault kv get -field=password secret/prod/db2",
    "op://vault/item2/password",
    'password = "{{ vault_db_password }}"',
    "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256",
    "password: ENC[AES256_GCM,data:q8Zr2LmT90,iv:aKxw7B,tag:x,type:str]",
    "    password: *default_password\n    token: &tok",
    "the password must have 8 characters, 1 digit and 1 sign",
    '"password": "Must be at least 8 characters, 1 of them a digit"',
    '"password": "Mot de passe", "password_confirm": "Confirmez"',
    "'password.min8': '密码长度不能少于8位'",
    "token: Token { kind: Ident2, span: Span(12, 18) }",
    "PAD_TOKEN = '<|endoftext|>'; eos_token='</s>'; bos_token: '[BOS2]'",
    "https://example.com:8080/a@b/c?x=1&y=2",
    "git@github.com:team/app2.git and ssh://git@host:22/app2.git",
    "docker pull registry.example:5000/app@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "postgres://user:password@localhost:5432/db and redis://user:${REDIS_PASSWORD}@cache",
    "mongodb://<user>:<password>@cluster0.mongodb.net",
    "curl -u $USER:$PASS https://api.example; curl -u user:password https://a",
    "mysql -u root -p main; mysqldump -p$PASS",
    "Authorization: Bearer ${token}\nAuthorization: Bearer <access-token>\nAuthorization: Bearer token",
    "the Authorization: Bearer authentication-scheme2 is described in RFC 6750",
    "Cookie: theme=dark; lang=de; session=...",
    "css: .token.punctuation{color:#5f6364} .token.keyword2{color:#07a}",
    '<a href="#token-2" class="secret-link2">',
    "import { createHash2 } from './secrets/hash2.js'; import password from '../password2'",
    "key: value2, keys: [a1, b2], keyboard: qwertz2, monkey: banana2, keyCode: 13",
    '{"key": "3f9a1c7e5b2d8046", "etag": "W/\\"5e-8Kq82mZs1Lw93\\""}',
    "x-request-id: 8fk2mzq91lxpw0rtyv8f\nx-amz-id-2: Kq82mZs1Lw93Kq82mZs1Lw93Kq82mZs1=",
    "src/app.py:1204:5: error: name 'token2' is not defined",
    "host:8080:ok:yes:fine; db-1:5432:up:2:replicas3",
    'SECRET_KEY = "django-insecure-your-secret-key-here"',
    "password_hash = bcrypt.hashpw(password.encode(), salt2)",
    "assert token == expected_token2, 'token2 differs'",
    "auth: { type: 'oauth2', flow: 'pkce2' }, credentials: 'same-origin'",
    "--token-file .token2 --password-stdin --secret id=npm2,src=.npmrc",
    "apiVersion: v1\nkind: ConfigMap\ndata:\n  token.ttl: 3600s",
    'throw new Error("Invalid API key: check API_KEY_V2 in settings2")',
    "INFO token refreshed, expires at 2026-01-31T12:00:00Z (session 8412)",
    "const SECRET_LENGTH = 32; const TOKEN_TTL_MS = 86400000;",
    "passwords.length === 12 ? token2 : undefined",
    "go.sum: golang.org/x/crypto v0.21.0 h1:X31++rzVUdKhX5sWmSOFZxx8UW/ldWx55cbf08iNAMA=",
    "gem 'devise-secure_password', '~> 2.0'\ntoken-types@5.0.1",
    "🔑 Passwort vergessen? Passwort: mindestens 8 Zeichen",
    '"secret": true, "token": null, "password": "", "api_key": false',
    "private_key_path=/etc/ssl/private/key2.pem, access_key: ~/keys/a2.json",
    "0x71C7656EC7ab88b098defB751B7401B5f6d8976F is the address of the contract",
    "Token usage: 12,345 in, 678 out; token budget: 200000tokens",
    "secret-scanning: enabled2; secret_scanning_push_protection: disabled",
)


def told(frame: Frame) -> tuple[str, str]:
    """The text of a specimen, and the secret in it."""
    text, make = frame
    secret = make(Random(text))
    return text.replace(MARK, secret), secret
