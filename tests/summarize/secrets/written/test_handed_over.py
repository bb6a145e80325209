"""Secrets that are handed over in commands, forms, calls and outputs of tools, and what only looks like them."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import redact


@pytest.mark.parametrize(
    "text, secret",
    [
        ("sshpass -p '1x Anker!' ssh pi@192.168.4.20", "1x Anker!"),
        ('{"db_password": {"sensitive": true, "type": "string", "value": "Vm_7hq-TzR3w"}}', "Vm_7hq-TzR3w"),
        ('"admin": {\n  "sensitive": true,\n  "value": "kai-mauer-9"\n}', "kai-mauer-9"),
        ("user%5Bemail%5D=t%40q.example&user%5Bpassword%5D=moin%2Bmoin77&commit=1", "moin%2Bmoin77"),
        ('ssh.connect("10.4.0.20", 22, "pi", "raspberry-fisch", timeout=5)', "raspberry-fisch"),
        (
            'pub const PEPPER: &[u8] = b"3bNyORP1JJyzlG003DQpb2j8tDL6GNNz";',
            "3bNyORP1JJyzlG003DQpb2j8tDL6GNNz",
        ),
        ('fill_in "Passwort", with: "Fl1ederweg!"', "Fl1ederweg!"),
        ("CONNECTION 'host=pg1.example user=repl password=schlick-und-watt' PUBLICATION", "schlick-und-watt"),
        ("堡垒机口令改成 Hai7Yang 了，旧的今晚失效", "Hai7Yang"),
    ],
)
def test_it_is_not_shown(text: str, secret: str) -> None:
    before, _, after = text.partition(secret)
    told = redact(text)
    assert secret not in told
    assert told.startswith(before)
    assert told.endswith(after)


@pytest.mark.parametrize(
    "text",
    [
        'let pw = rpassword::prompt_password("Your password: ")?;',
        '{"items": [], "nextToken": "VKUDw8WGI0wCRTLV3FP+f2c7kT6Q3HgxuVn0oJp3MZkDD7Ay", "count": 0}',
        '{"sensitive": false, "type": "string", "value": "tides.rds.example:5432"}',
        'ssh.connect("10.4.0.20", 22, "pi", password)',
        'fill_in "Passwort", with: user.password',
    ],
)
def test_what_is_none_stays(text: str) -> None:
    assert redact(text) == text
