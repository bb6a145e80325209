"""Secrets in columns below a head that says so, in whatever way a table is drawn; other columns stay."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

TABLES = {
    "applicant,ssn,pier\nM. Keel,%s,3": "601-22-9734",
    "user,password\nmk,%s": "Seehund_77",
    "user;password\nmk;%s": "Seehund_77",
    "user\tpassword\nmk\t%s": "Seehund_77",
    "id;name;passwort\n1;mk;%s": "Seehund_77",
    "login,hasło\nola,%s": "Mewa_nad_molem",
    "device,pin\nfront door,%s": "4711",
    "email,db_password\nmk@crew.example,%s": "tangwald",
    '"user","password"\n"mk","%s"': "Seehund_77",
    'user,password,note\nmk,%s,"new, since May"': "Seehund_77",
    "| user | password |\n|---|---|\n| mk | %s |": "Seehund_77",
    "| id | password |\n|  1 | %s |": "Seehund_77",
    "+----+----------+\n| id | password |\n+----+----------+\n|  1 | %s |\n+----+----------+": "Seehund_77",
    " id |  user  |  password\n----+--------+-----------\n  1 | mk     | %s\n(1 row)": "Seehund_77",
    "│ id │ password │\n├────┼──────────┤\n│ 1  │ %s │": "Seehund_77",
    "| password | %s |": "seehund",
    "server;kennwort\nmole;%s": "treibholz",
    "topic,password\nwifi,%s": "Drift77wood",
    "| Member | PIN |\n|---|---|\n| Ola | %s |": "77120",
    "customer,ssn,pier\nM. Keel,%s,3": "601229734",
    "insert into crew (name, pin) values ('mk', '%s')": "4711",
}
ORDINARY = [
    "applicant,session,pier\nM. Keel,601,3",
    "user;passwort gesetzt;2fa\nmk;ja;nein",
    "| Field | Type | Required |\n|---|---|---|\n| password | string | yes |",
    "| Check | password | token |\n|---|---|---|\n| login | yes | no |\n| reset | optional | none |",
    "name,password,role\nmk,***,ops\ntom,changeme,dev\nann,,dev",
    "user, password, host,\nport, database, timeout,",
    "import user,password\nfrom a,lantern",
    "gpio,pin\nled,17\nmotor,18",
    "column,secret\nusers.password,true",
    "word,token,count\nthe,the,512",
    "village,pin,code\nHolm,411001,HLM",
    "insert into villages (name_of, pin) values ('Holm', '411001')",
    "| bolt | pin |\n|---|---|\n| M4 | 1234 |",
    "user,pin,bank\nmotor,12,A\nlamp,3411,B",
    "cpu,ssn,os\n4,601229734,linux",
    "host,ssn\nmole,21-575",
    "| password | strength |\n|---|---|\n| sunshine | weak |\n| correct-horse | strong |",
    "| Field | Password |\n|---|---|\n| min length | twelve |",
    "| Product name | Password |\n|---|---|\n| Kestrel | Printed-Inside |",
    "user | passwd\ndaemon | nologin",
    "+510 \t\t\t\tthis.model,\n+511 \t\t\t\tapiKey,\n+512 \t\t\t\tthis._abortController.signal,",
]


@pytest.mark.parametrize("table", TABLES)
def test_what_stands_below_a_name_of_a_secret_is_one_in_every_row(table: str) -> None:
    assert redact(table % TABLES[table]) == table % placeholder(TABLES[table])


def test_every_row_is_read_not_only_those_with_a_likely_value() -> None:
    shown = redact("name,password,role\nmk,Latarnia_55,ops\ntom,Hafen_8x,dev\nann,tang-und-salz,dev")
    hidden = [placeholder(one) for one in ("Latarnia_55", "Hafen_8x", "tang-und-salz")]
    assert shown == f"name,password,role\nmk,{hidden[0]},ops\ntom,{hidden[1]},dev\nann,{hidden[2]},dev"


@pytest.mark.parametrize("text", ORDINARY)
def test_other_tables_stay(text: str) -> None:
    assert redact(text) == text
