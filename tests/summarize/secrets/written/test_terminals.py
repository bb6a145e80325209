"""What a command printed that prints a secret alone, in the envelopes of agents, in terminals and in what is told."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message, Text
from palimpsest.summarize.secrets.redact import redact
from tests.summarize.secrets.told.test_asked import asked, called, shown
from tests.summarize.test_envelopes import ENVELOPES, WITHOUT_CODE

STRONG, WEAK = "Delfin-Rot-41", "delfin-rot"
FORM = "<returncode>0</returncode>\n<output>\n{}\n</output>"
SHELL = "{}\n(Open file: n/a)\n(Current directory: /srv)\nbash-$"


def _wrapped(envelope: str, command: str, printed: str, code: int = 0) -> str:
    return envelope.replace("CODE", str(code)).replace("CMD", command).replace("{}", printed)


@pytest.mark.parametrize("envelope", ["{}\n", *ENVELOPES, *WITHOUT_CODE])
@pytest.mark.parametrize(
    "command, value",
    [("printenv DB_PASSWORD", STRONG), ("echo $PGPASSWORD", "delfin.Xq41"), ("pass show infra/nas", WEAK)],
)
def test_a_secret_that_a_command_printed_is_hidden_in_every_envelope(
    envelope: str, command: str, value: str
) -> None:
    assert value not in shown(*called({"command": command}, _wrapped(envelope, command, value)))[1]


@pytest.mark.parametrize("envelope", ["{}\n", *ENVELOPES, *WITHOUT_CODE])
def test_what_other_commands_print_and_a_complaint_stay(envelope: str) -> None:
    text = _wrapped(envelope, "make berths", STRONG)
    assert STRONG in shown(*called({"command": "make berths"}, text))[1]
    text = _wrapped(envelope, "printenv DB_PASSWORD", "connection refused")
    assert "connection refused" in shown(*called({"command": "printenv DB_PASSWORD"}, text))[1]


@pytest.mark.parametrize(
    "command, value",
    [
        ("echo $PGPASSWORD", "delfin"),
        ("printenv MYSQL_PWD", "zeester"),
        ("echo $DB_PASS", "zeester"),
        ('echo "${DB_PASSWORD}"', "delfin.rot"),
        ("docker exec db printenv POSTGRES_PASSWORD", "meerkat"),
        ("docker exec db sh -c 'echo $POSTGRES_PASSWORD'", "kolibri.example"),
        ("cat password.txt", "meeuw"),
        ("jq -r .db.password config.json", "delfin-rot"),
        ("grep DB_PASSWORD .env | cut -d= -f2", "delfin_rot"),
        ("terraform output -raw db_password", "delfin-rot"),
        ("heroku config:get DB_PASSWORD", "zeester"),
        ("python -c \"import os; print(os.environ['DB_PASSWORD'])\"", "kolibri.rot"),
    ],
)
def test_one_word_that_was_asked_for_as_a_password_is_one_however_weak(command: str, value: str) -> None:
    assert value not in shown(*called({"command": command}, f"{value}\n"))[1].replace(command, "")


@pytest.mark.parametrize(
    "command, value",
    [
        ("echo $PASSED", "twelve"),
        ("echo $COMPASS", "north"),
        ("echo $BYPASS", "harbour-loop"),
        ("echo $DB_PASSWORD", "unset"),
        ("printenv DB_PASSWORD", "changeme"),
        ("echo $PGPASSWORD", "/run/secrets/pg"),
        ("echo $PGPASSWORD", "vault:kv/app#key"),
        ("echo ${DB_PASSWORD:+present}", "present"),
        ("echo $PASSWORD_FILE", "pwfile.conf"),
        ("printenv PASSWORD_POLICY", "strict-nine"),
        ("printenv PASSENGERS", "kolibri"),
        ("echo $PASSPORT_OFFICE", "kolibri"),
        ("echo $PASSTHROUGH", "kolibri"),
        ("jq -r .password_hint cfg.json", "kolibri"),
        ("jq -r .password.length cfg.json", "fourteen"),
        ("printenv DB_PASSWORD | wc -c", "1466"),
    ],
)
def test_what_is_no_password_stays_beside_the_name_of_one(command: str, value: str) -> None:
    assert value in shown(*called({"command": command}, f"{value}\n"))[1]


def test_what_a_command_printed_that_failed_is_no_weak_password() -> None:
    failed = "delfin-rot\n[The command completed with exit code 1.]"
    assert WEAK in shown(*called({"command": "printenv DB_PASSWORD"}, failed))[1]


@pytest.mark.parametrize(
    "action",
    [
        "I look.\n```\nprintenv DB_PASSWORD\n```",
        "DISCUSSION\nI look.\n```bash\nprintenv DB_PASSWORD\n```\n",
        "THOUGHT: I look.\n```mswea_bash_command\nprintenv DB_PASSWORD\n```",
        "<execute_bash>\nprintenv DB_PASSWORD\n</execute_bash>",
        "<function=execute_bash>\n<parameter=command>printenv DB_PASSWORD</parameter>\n</function>",
    ],
)
@pytest.mark.parametrize("form", [FORM, SHELL])
@pytest.mark.parametrize("value", [STRONG, WEAK])
def test_an_action_in_text_is_a_command_too(action: str, form: str, value: str) -> None:
    assert value not in shown(*asked(action, form.format(value)))[1]


def test_a_command_that_the_user_ran_is_one_too() -> None:
    ran = Message("user", (Text("<bash-input>pass show infra/nas</bash-input>"),))
    came = Message("user", (Text(f"<bash-stdout>{WEAK}</bash-stdout><bash-stderr></bash-stderr>"),))
    assert WEAK not in shown(ran, came)[1]


@pytest.mark.parametrize("said", ["done", "thanks", "Nothing happens", "continue", "Quay 31 is shut"])
def test_what_a_user_says_to_a_command_in_a_fence_stays(said: str) -> None:
    assert shown(*asked("Please run\n```\nprintenv DB_PASSWORD\n```", said))[1] == said
    assert STRONG in shown(*asked("I ran\n```\nprintenv DB_PASSWORD\n```\nand go on.", STRONG))[1]


@pytest.mark.parametrize(
    "prompt",
    [
        "$ ",
        "mara@desk:~$ ",
        "root@quay:/srv# ",
        "[mara@quay ~]$ ",
        "mara@desk ~ % ",
        "❯ ",
        "➜  ~ ",
        "sh-5.1$ ",
        "(venv) mara@desk:~/quay$ ",
        "PS C:\\quay> ",
        "> $ ",
        "    $ ",
        "+ ",
        "++ ",
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "I get:\n{}vault kv get -field=password kv/quay\ndelfin-rot\n{}ls\na b",
        "これです。\n{}pass show infra/nas\ndelfin-rot\n\nWas nun?",
        "```console\n{}printenv DB_PASSWORD\ndelfin-rot\n```",
        "{}echo $PGPASSWORD\ndelfin-rot",
        "{}cd /srv && vault kv get -field=password kv/quay\ndelfin-rot\n[The command completed with exit code 0.]",
    ],
)
def test_a_secret_in_a_pasted_terminal_is_hidden(prompt: str, text: str) -> None:
    assert WEAK not in redact(text.replace("{}", prompt))


@pytest.mark.parametrize(
    "text",
    [
        "I ran `vault kv get -field=password kv/quay` and got `{}`.",
        "`printenv DB_PASSWORD` prints `{}`.",
        "`pass show infra/nas` -> `{}`",
        "- `pass show infra/nas`: `{}`",
        "`pass show infra/nas` → {}",
        "`printenv DB_PASSWORD` liefert `{}`",
        "Ich habe `pass show infra/nas` ausgeführt und bekam `{}`.",
        "J'ai lancé `pass show infra/nas`, ça donne `{}`.",
        "`pass show infra/nas` devuelve `{}`",
        "`printenv DB_PASSWORD` restituisce `{}`",
        "`printenv DB_PASSWORD` вернул `{}`",
        "我运行了 `printenv DB_PASSWORD`，得到 `{}`",
        "`printenv DB_PASSWORD` を実行すると `{}` が返りました",
        "`printenv DB_PASSWORD` 명령은 `{}`을 반환했습니다",
    ],
)
@pytest.mark.parametrize("value", [STRONG, WEAK])
def test_a_secret_that_is_told_beside_its_command_is_hidden(text: str, value: str) -> None:
    assert value not in redact(text.format(value))


@pytest.mark.parametrize(
    "text",
    [
        "Run `printenv DB_PASSWORD` in `web-7c9d5f-x2k9q`.",
        "`pass show infra/nas` needs `gpg2`",
        "`openssl rand -hex 32` > `seed-2031.txt`",
        "Use `pass show infra/nas` or `bw-get-nas2`",
        "`vault kv get -field=password kv/quay` before `deploy-quay-2`",
        "`make berths-2` returned `Delfin-Rot-41`",
        "`git rev-parse HEAD` -> `9c41f07be2d8`",
        "`printenv DB_PASSWORD` returned `permission denied`",
        "`printenv DB_PASSWORD` auf `quay-host-3` ausführen",
        "`printenv DB_PASSWORD` 在 `quay-host-3` 上运行",
        "`echo $DB_PASSWORD` returned nothing, `berth-db-2` is down",
        "`printenv DB_PASSWORD` returns `None`",
        "$ make berths\nDelfin-Rot-41",
        "$ printenv DB_PASSWORD\n$ ls\nquay-9b2",
        "$ vault kv get -field=password kv/quay\nError making API request.",
        "# cat password.txt\nQuay-Plan-31",
        "+ printenv DB_PASSWORD\n+ exit 0",
        "+ pass the berth list\nQuayside2031",
        "$ pass show infra/nas\n\nThen Quayside2031 came",
        "$ ls -1 /run/secrets\ndb-password-v2",
        "$ printenv HOSTNAME\nweb-7c9d5f-x2k9q",
        "$ cat password.txt\ncat: password.txt: No such file or directory",
        "Steps:\n+ pass show nas\n+ Quayside2031",
        "It cost $ 40 and the pass\nQuayside2031",
    ],
)
def test_what_only_stands_near_such_a_command_stays(text: str) -> None:
    assert redact(text) == text
