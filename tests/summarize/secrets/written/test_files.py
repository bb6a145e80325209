"""Secrets in files of servers, in what checks a password and in what commands read; what is alike stays."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

VALUES = ["Hamster2031!", "kd0Wq8Zt5Lm2x", "5ThibD7SIClif"]
FRAMES = [
    "bindpw: {}x",
    "rootpw {}x",
    "snmp-server community {}x RW",
    "radius-server key {}x",
    "username ann privilege 15 password 0 {}x",
    "crypto isakmp key {}x address 192.0.2.1",
    '<property name="hibernate.connection.password">{}</property>',
    '<entry key="db.password">{}</entry>',
    "AUTH {}x",
    "passcode {}x",
    'security answer: "{}"',
    'assert verify_password("{}", stored)',
    "hash_password('{}')",
    'bcrypt.hashpw(b"{}", salt)',
    'check_password_hash(row.hash, "{}")',
    'await signIn("ann@example.com", "{}")',
    "createUserWithEmailAndPassword(auth, 'ann@example.com', '{}')",
    'server.login(user, "{}")',
    'new NetworkCredential("ann", "{}")',
    "poetry config http-basic.pier ann {}",
    'gcloud secrets versions add db --data-file=- <<< "{}"',
    "doppler secrets set DB_LOGIN={}",
    "bw login ann@example.com {}",
    "mysql -h db1 -u root -p'{}' app",
    "npm config set //registry.example.com/:_password {}",
    'sed -i "s/changeme/{}/" config.yml',
    "printf 'password=%s\\n' '{}'",
    '$pass = ConvertTo-SecureString "{}" -AsPlainText -Force',
    "SET PASSWORD FOR 'root'@'localhost' = PASSWORD('{}');",
    "| Password | {} |",
    "Use {} as the password.",
    "パスワードは{}xです",
    "비밀번호는 {}x입니다",
]
DOLLARS = [
    "https://ann:{}@git.example.com/a.git",
    '$pass = ConvertTo-SecureString "{}" -AsPlainText -Force',
    "npm config set //registry.example.com/:_password {}",
]
ORDINARY = [
    "https://ann:$TOKEN@git.example.com/a.git and https://ann:${TOKEN}@git.example.com",
    "verify_password(password, stored) and hash_password(request.password)",
    'signIn(email, password); server.login(user, os.environ["PW"])',
    "username ann password 0 hidden, enable secret 5, snmp-server community public RO",
    '<property name="password.min.length">12</property>',
    "cat <<< hello; secrets set up for the team; doppler secrets get DB_LOGIN",
    "sed -i 's/placeholder/value/' a.txt; printf 'key=%s\\n' name",
    "AUTH failed for user ann; AUTH SUCCESS",
    "AES256GCM is used. The passcode 4-digit rule stays.",
    "5th password in the list; password 16-digit; password v2 of the form",
]
CURSORS = [
    '"NextToken": "eyJOZXh0VG9rZW4iOiBudWxsLCAiYm90byI6IDJ9"',
    "next_page_token: CAUQAA7d8f9a0b1c2d3e4f",
    "pageToken=CDIQAA8x7y6z5w4v3u",
    '"NextContinuationToken": "1w41l63U0xa8q7smH50vCxyTQqdxo69O3EmK28Bi5Pc"',
    '"clientRequestToken": "1d2129a1-3d38-460a-9756-e5b91fddb951"',
    '<assemblyIdentity publicKeyToken="1fc8b3b9a1e18e3b">',
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-Ab1dEf",
    '"AWS::ApiGateway::ApiKey": "48205d4ffd7feba3", "AWS::Route53::KeySigningKey": "a9a67ae6c371fcf4"',
    '"AWS::Route53GlobalResolver::AccessToken": "ebce066c0deb24b4"',
]
CODE = [
    '_MARKER = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----")',
    "T_c = A^{{n0 d0}} * A^n1_d0^d2 * A^m0^a0_d1",
    "private_key: ed25519.Ed25519PrivateKey, credential: _win32typing.PyCredHandle2Type",
    "the type sk-ecdsa-sha2-nistp256@openssh.com",
    "creds = ['ann', 'password']\nsim_cram_md5_challenge = ('PENC',)",
    'INCORRECT_PASSWD = "Incorrect"',
    "password: Incomplete",
    "password: xxxxxxxx",
]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("frame", FRAMES)
def test_a_password_is_found_in_its_place_and_nothing_else(frame: str, value: str) -> None:
    secret = value + "x" if "{}x" in frame else value
    frame = frame.replace("{}x", "{}")
    assert redact(frame.format(secret)) == frame.format(placeholder(secret))


@pytest.mark.parametrize("frame", DOLLARS)
def test_a_dollar_sign_that_begins_no_variable_belongs_to_a_password(frame: str) -> None:
    assert redact(frame.format("Tiger2031$")) == frame.format(placeholder("Tiger2031$"))


@pytest.mark.parametrize("text", ORDINARY + CURSORS + CODE)
def test_what_is_alike_stays(text: str) -> None:
    assert redact(text) == text
