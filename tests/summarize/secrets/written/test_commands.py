"""Secrets in addresses, commands, headers and files: none is shown, and places that look alike stay as they are."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

PASSWORD = "Kelp-Dune-38"
HEX = "3f9a1c7e5b2d8046"
LONG = "Kd83Lq02mZx7Pw93RtKd83Lq02mZx7Pw"
ID = "7f32eceb-28e9-4630-8f86-1827413cdff5"
CARRIED_IN = {
    "https://api.telegram.org/bot%s/sendMessage": f"8273645190:AA{LONG}q",
    "https://outlook.office.com/webhook/%s": f"{ID}@{ID}/IncomingWebhook/{HEX * 2}",
    "https://open.feishu.cn/open-apis/bot/v2/hook/%s": ID,
    "https://hooks.zapier.com/hooks/catch/%s/": "1234567/7q5f6ky",
    '{"kty": "oct", "k": "%s"}': LONG,
    '{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1","d":"%s"}': LONG,
    "Unseal Key 1: %s": f"{LONG}Kd83Lq02mZ8=",
    "sqlplus kim/%s@orcl": PASSWORD,
    "kim:%s@tcp(127.0.0.1:3306)/berths": PASSWORD,
    "curl -sSLu kim:%s https://x.example": PASSWORD,
    "curl -b 'session=%s' https://x.example": LONG,
    "http -a kim:%s GET x.example": PASSWORD,
    "net user kim %s /add": PASSWORD,
    "htpasswd -cb users kim %s": PASSWORD,
    "smbclient //pier/logs -U kim%%s": PASSWORD,
    "send --pass %s now": PASSWORD,
    '{"name": "x-api-key", "value": "%s"}': LONG,
    '{"name": "Set-Cookie", "value": "session=%s; Path=/"}': LONG,
    'requests.get(url, cookies={"session": "%s"})': LONG,
    '{"authorization": "%s"}': LONG,
    "Ocp-Apim-Subscription-Key: %s": LONG,
    '{"kind":"Secret","data":{"pw":"%s"}}': "S2VscC1EdW5lLTM4",
    "      MYSQL_ROOT_PASSWORD: %s\n": "kelpdune",
    "spring.datasource.password=%s": "kelpdune",
    "mysqldump --password=%s berths": "kelpdune",
    '#define WIFI_PASS "%s"': PASSWORD,
    "| DB_PASSWORD | %s |": PASSWORD,
    "password → %s": PASSWORD,
    "the new password will be %s": PASSWORD,
    "пароль от базы: %s": PASSWORD,
    "支付密码 %s": "482913",
    "%s is your verification code": "482913",
    "use %s to verify your account": "482913",
    "door code %s": "4821",
    "backup codes: %s": "6005-f445",
}
ORDINARY = (
    "GET /bot12/status, https://x.example/bot/v2/hooks and /with/key/frames",
    '{"kty":"RSA","n":"Kd83Lq02mZx7Pw93RtKd83Lq02mZx7Pw","e":"AQAB","kid":"k1"}',
    "curl -u kim https://x.example; curl -sSL https://x.example:8443/a",
    "net user kim /delete; mysql -u root -p shop; useradd -m kim",
    '{"name": "Content-Type", "value": "text/html; charset=utf8"}, {"name": "Cookie", "value": "lang=de"}',
    '{"kind": "ConfigMap", "data": {"port": "abcd8443"}}',
    'password: !vault |\n  x\n"api_key": "env:OPENAI_API_KEY"',
    "self.password=entry\nspring.datasource.password=changeme\nDB_PASSWORD: required\n--password=STRING",
    "| max_token_count | 4096 tokens |\n| db_pass_rate | 97 % |",
    "密码 8 位以上, 密码是6-12位",
    "use 200000 to fill the tank, 482913 is your highest score, the code of the door is in the office",
    "backup codes are in the safe; recovery code: see harbour-office",
)


@pytest.mark.parametrize("frame", CARRIED_IN)
def test_a_secret_is_not_shown_wherever_it_is_carried(frame: str) -> None:
    secret = CARRIED_IN[frame]
    assert redact(frame.replace("%s", secret)) == frame.replace("%s", placeholder(secret))


@pytest.mark.parametrize("text", ORDINARY)
def test_places_that_look_alike_stay_as_they_are(text: str) -> None:
    assert redact(text) == text
