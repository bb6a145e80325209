"""Passwords as people choose them: hidden under every everyday name, by their look alone where nothing names them, and
what only looks a little so stays as it is.
"""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

MIXED, UNDIGITED, SHORT = "hK8q!2xLm4Zt9Rb7", "Kelp!Dune?Harbour", "dQ8xz7%kW2"
NAMED = (
    '{"user":"ann","pass":"%s"}',
    '{"user": "ann", "pw": "%s"}',
    'const pass = "%s";',
    "pass = '%s'",
    "<pass>%s</pass>",
    '<Pass kind="plain">%s</Pass>',
    "mdp: %s",
    "la clave es %s",
    "passcode: %s",
    "the password is %s",
    "Passwort ist %s",
    "密码是 %s",
    "set_password('%s')",
    'box.setPassword("%s");',
    "CREATE USER ann IDENTIFIED BY '%s'",
    "ALTER LOGIN ann WITH PASSWORD = N'%s'",
    '#define WIFI_PASS "%s"',
    "DB_PASS=%s",
    "smtp_pass: '%s'",
    "run --password %s",
    "cqlsh -u ann -p %s",
    "evil-winrm -i 10.0.0.4 -u ann -p '%s'",
    "mosquitto_pub -u ann -P %s",
    "xfreerdp /u:ann /p:%s",
    "https://ann:%s@pier.example/x",
    'new mysqli("localhost", "root", "%s", "shop")',
    'DriverManager.getConnection(url, "root", "%s")',
    "jwt.sign(payload, '%s', options)",
    "const pass = process.env.PASS ?? '%s'",
)
UNNAMED = (
    "ann wrote:\nadmin/%s works on staging",
    "bw unlock %s --raw",
    "net use Z: \\\\nas\\share %s /user:ann",
    "runas with %s, then reboot",
    "What's the password?\n%s",
    "I changed the root password from %s to something else",
    "use %s as the password",
    "nimm %s als Passwort",
    "The password for the vault has been set to `%s`",
    "you can ssh with root:%s@10.2.3.4",
    "login w/ ann@pier.example:%s",
    "把密码改成%s",
    "%s <- that's the password",
)
TOKENS = (
    "apify_api_" + "xSQjOVPsufMwfOhri8sKyCrzOYDR8ulhSW0a",
    "pcsk_M8YUg_" + "WxW4pbXtdkCNAWbPnRs69KHJa2rFtSGo5TUxKnpu0U746ilmtHlpJPs0QX",
    "napi_" + "h86eurauy7rrs9nq5l67aw96wepiy3cmco3ugfdhttqrzvgnuy3rbu",
    "hexpm_" + "zzNjUMVmZXpZGHUnzBLyZSRJYrIiGRzlf4A2w204",
    "sdk-" + "ad198225-1111-4222-8333-64dedd638a84",
    "access-production-" + "5acdb658-1111-4222-8333-23a5eb934172",
    "snyk_uat." + "8929e22d.gHe8NVSltwEYusFqGQLMoi40NsQoOl4ZUfOsoZPHZyIA",
    "SEC" + "594054d109d7011a03789265a8be14fc" * 2,
    "1/6164325978515542:" + "dd5f5cf73b3381b97b83d6b2db7950bf",
)
ELSEWHERE = {
    "recovery code: %s": "ABCD1-EFGH2-JKLM3",
    "身份证号 %s": "11010519491231002X",
    "passport number %s": "C01X00T47",
    "Cookie: _ga=GA1.2.1; JSESSIONID=%s": "59016314AB19CD5EECD137C25C9C2719",
    "open https://pier.example/auth/magic/%s": "HwUqsEWxuXnq5fWDole9ywtpYlqBVrcfZ5oS9MqBtChpUbJp",
    "ADMIN_PIN=%s": "235205",
    "VAULT_TOKEN=%s": "s.UGPKnIcaeixyNmziyItP7TMa",
    "Error: Incorrect API key provided: %s.": "WwxqtmY10FTQ7nVyYcQF",
    "The passphrase is: %s": "purple monkey dishwasher 42",
    "| host | password |\n|---|---|\n| db1 | %s |": "zGnrxQIqDs!rFYxJx",
}
ORDINARY = (
    "pk_live_51HarbourToPublicKey99",
    '{"lint": "pass", "pass": "passed", "fail": "none", "pass_rate": "0.98"}',
    "pass = 'none'; bypass = 'north12x'; first_pass = 2",
    "see Class2#method3 and Sheet1!A1:B2, HEAD~3, v1~rc2, C#8, F#7Core",
    "the password page (docs/Login2#Step3) has 3*x+2*Y and a%2b%3C in it",
    "time.strftime('%Y%m%dT%H%M%SZ'), 'S%02dE%02d' % (1, 2), password hints",
    "git@github.com:MyOrg22/repo.git, user@host.example:File2.txt, lodash@4.17.21",
    "npm:foo1@1.2.3 and mailto:Ann2@pier.example, token login",
    "pass:\tlogin2 and pass: berth12",
    "if password != Default2 and token!=None2: retry!Now2",
    "the recovery code is in the vault, backup codes are printed",
    "passport control, passport number is required, passport office",
    "token=s.value, DB_PASSWORD=${DB_PASSWORD:?missing}",
    "clave: user, mdp: voir la note, passcode: see above, KEY=value",
    "https://pier.example/invite/team and /reset/password, /verify/",
    "use sha256 as the hash and base64 as the password encoding",
    "changed the password policy from weak to strong yesterday",
    "wrong password attempt, invalid token header, incorrect API key format",
    "assert password1 == password2",
    "secret: db-creds-v2, secretName: my-app-secret-2024, wrong password, attempt3",
    "RSA_KEY=/etc/ssl/private/server2048.pem",
    "FEATURE_KEY=new-checkout-flow-2026-q1",
    "https://pier.example/?key=orders_2026_01_05_export_final&code=ERR_BAD_REQUEST_2024_0817&sid=winter-sale-2026",
    "Bearer authentication2 is required",
    "密码是Base64编码的, 密码：见1Password",
    "the pin is 12345678 Hz, pin: 4711abc",
    "http://ann:****@pier.example and http://ann:xxxx@pier.example",
)


@pytest.mark.parametrize("value", [MIXED, UNDIGITED, SHORT])
@pytest.mark.parametrize("frame", NAMED)
def test_a_password_under_an_everyday_name_is_hidden(frame: str, value: str) -> None:
    assert redact(frame % value) == frame % placeholder(value)


@pytest.mark.parametrize("frame", UNNAMED)
def test_a_password_is_known_by_its_look(frame: str) -> None:
    assert redact(frame % MIXED) == frame % placeholder(MIXED)


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_is_known_by_how_its_vendor_writes_it(token: str) -> None:
    assert redact(f"and then {token} was pasted") == f"and then {placeholder(token)} was pasted"


@pytest.mark.parametrize("frame", ELSEWHERE)
def test_what_its_place_makes_a_secret_is_hidden(frame: str) -> None:
    secret = ELSEWHERE[frame]
    assert redact(frame % secret) == frame % placeholder(secret)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_looks_a_little_so_stays(text: str) -> None:
    assert redact(text) == text
