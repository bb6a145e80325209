"""Values under names of secrets in what tools print: state files, lists of settings, tables, defaults in code."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

NAMES = ("db_password", "api_key", "deploy_key_secret", "rds_master_password", "jwt_secret")
VALUES = (
    "zK9+Vn2/Qw7XtLb0RmZc5Yd9Hj4Gs6Pa1Ue8TiWo",
    "9c41f07be2d85a3164f0b7c92e58d1a3",
    "Kranich-Hafen7",
    "k9f2m1xwq7",
)
FORMATS = {
    "a state file": '{{"outputs": {{\n  "{n}": {{\n    "value": "{v}",\n    "sensitive": true\n  }}\n}}}}',
    "a list of parameters": '{{"Name": "/prod/{n}", "Type": "SecureString", "Value": "{v}", "Version": 3}}',
    "a line of parameters": "PARAMETER\t/prod/{n}\tSecureString\t{v}\t3",
    "a property list": "<key>{n}</key>\n<string>{v}</string>",
    "a default in Ruby": "ENV['{n}'] ||= '{v}'",
    "a default in JavaScript": "const it = process.env.{n} ?? '{v}';",
    "a default of a call": 'os.getenv("{n}", "{v}")',
    "a default in Make": "{n} ?= {v}\n",
    "a row of a database": " name | value\n------+------\n {n} | {v}\n(1 row)\n",
    "a row between rules": "+------+------+\n| name | value |\n+------+------+\n| {n} | {v} |\n+------+------+\n",
    "a row with drawn lines": "│ {n} │ {v} │",
    "a table of a vault": "Key              Value\n---              -----\nlease    768h\n{n}    {v}\n",
    "an answer of a store": '127.0.0.1:6379> GET app:{n}\n"{v}"',
    "a part of a form": 'Content-Disposition: form-data; name="{n}"\r\n\r\n{v}\r\n--x',
    "a structure": "config: {{Host:db {n}:{v} Port:5432}}",
}

PLACES = (
    "rclone config create depot sftp pass {v}",
    "ssh-keygen -N {v} -f deploy_key",
    "nmcli dev wifi connect home password {v}",
    "smbclient //pier/share -U kim%{v}",
    "mount -t cifs //pier/share /mnt -o username=kim,password={v}",
    "vault kv put secret/db password={v}",
    "ACL SETUSER kim on >{v} ~* +@all",
    "username admin password 0 {v}",
    "enable secret 0 {v}",
    "snmp-server community {v} RO",
    '"kim" * "{v}" *',
    "Please use the following password to proceed to installation:\n\n{v}\n\nIt is also in a file.",
    "[Note] A temporary password is generated for root@localhost: {v}",
    "Changed password for user elastic\nPASSWORD elastic = {v}\n",
    '<param name="password"><string>{v}</string></param>',
    '<wsse:Password Type="text">{v}</wsse:Password>',
    "auth: {{ user: 'kim@pier.example', pass: '{v}' }}",
    "smtp://kim@pier.example:{v}@smtp.pier.example:587",
)


@pytest.mark.parametrize("frame", PLACES)
def test_a_password_is_known_by_its_place(frame: str) -> None:
    for value in ("gannetrock", "Kranich-Hafen7", "k9f2m1xwq7"):
        assert redact(frame.format(v=value)) == frame.format(v=placeholder(value))


@pytest.mark.parametrize("frame", FORMATS.values(), ids=FORMATS)
def test_a_value_under_the_name_of_a_secret_is_not_shown(frame: str) -> None:
    for name in NAMES:
        for value in VALUES:
            told = frame.format(n=name, v=value)
            assert redact(told) == frame.format(n=name, v=placeholder(value)), told


@pytest.mark.parametrize(
    "text",
    [
        '{"password": {"type": "string", "value": "text", "label": "Password"}}',
        '{"api_key": {"value": null, "required": true}}',
        '{"token": {"value": "#ff8800", "type": "color"}}',
        '{"password": {"value": "${var.db_password}"}}',
        '{"Name": "/prod/db_password", "Type": "SecureString", "Version": 3}',
        "<key>PasswordPolicy</key>\n<string>strong</string>",
        'x = os.getenv("DB_PASSWORD", "changeme")',
        'getenv("PASSWORD_FILE", "/run/secrets/db")',
        'env("API_KEY_HEADER", "X-Api-Key")',
        "const key = apiKey || options.apiKey",
        "token ? render(token) : null",
        "PASSWORD ?= $(DB_PASS)",
        "PASSWORD ?=\nPORT ?= 80",
        " column_name | data_type\n-------------+-----------\n password | text\n api_key | varchar\n(2 rows)",
        "+----------+-------+\n| password | email |\n+----------+-------+\n| x | y |\n+----------+-------+",
        "│ api_key │ missing │",
        "Key              Value\n---              -----\ntoken_type    service\nsecret_id_ttl    768h\n",
        "NAME          READY   STATUS\ndb-password   1/1     Running",
        '127.0.0.1:6379> GET app:token_count\n"1532"',
        "password  string   the password of the account",
        "snmp-server community public RO",
        "enable password recovery mode on boot",
        "use the following key bindings:\n\nctrl+s\n",
        "username: kim, password: required",
        '<input name="password" type="password">Password</input>',
        '<label name="token">required</label>',
        '{"keys": {"save": "ctrl+s", "password": "ctrl+alt+p"}}',
    ],
)
def test_what_is_laid_out_alike_and_no_secret_stays(text: str) -> None:
    assert redact(text) == text
