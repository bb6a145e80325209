"""Names in texts: each kind is found as it is written, and what only looks like one is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.ledger.entries import Ledger
from palimpsest.ledger.update import update
from palimpsest.record.message import Message, Text, ToolResult
from palimpsest.text.identifiers import find_names, find_opaque, find_paths, find_quantities

NAMED = {
    "7d3f1c2e-9a4b-4c8d-8e5f-0a1b2c3d4e5f": "uuid",
    "9fceb02d0ae598e95dc970b74767f19372d61af8": "hash",
    "https://ci.example.dev/run/9912?x=1": "link",
    "db3.harbour.internal": "host",
    "cache.skerry.example:6379": "host",
    "10.2.3.4": "address",
    "10.2.3.4:8443": "address",
    "localhost:8080": "port",
    "port 8443": "port",
    "2.13.7": "version",
    "v1.4": "version",
    "HARB-231": "ticket",
    "10.9999/sg.2019.114": "link",
    "ECONNREFUSED": "code",
    "48213": "number",
    "read_tide": "symbol",
    "TideTable": "symbol",
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("frame", ["see %s.", "use %s, then stop", "(%s)", "请用 %s。", "%s"])
def test_a_name_is_found_whole_and_with_its_kind(name: str, frame: str) -> None:
    assert list(find_names(frame % name)) == [(NAMED[name], name)]


@pytest.mark.parametrize(
    "text", ["self.app.run()", "config.dev[1]", "session.info", "os.path.io(x)", "user.test.ts", "v.at"]
)
def test_names_in_code_are_no_hosts(text: str) -> None:
    assert "host" not in {kind for kind, _ in find_names(text)}


def test_numbers_are_found_with_their_units() -> None:
    text = (
        "At most 250 ms, 1.5 GB and 80 %; 37 seconds each, 超时 30 秒, not 12 files, port 8080 or v2.5 MB5."
    )
    assert list(find_quantities(text)) == ["250 ms", "1.5 GB", "80 %", "37 seconds", "30 秒"]


UNSPACED = (
    "실행 중에 %s을 확인했습니다.",
    "実行中に%sを確認しました。",
    "我们在运行中看到了%s，很奇怪。",
    "ในระบบพบ%sแล้ว",
    "ראינו את %s בריצה.",
    "We saw %s, then nothing.",
    "Мы видели %s.",
)
OPAQUE = (
    *("7f3c2b1a-9d4e-4c7a-8b21-5e0f9a6d3c11", "ERR-7F3A-2291", "prod-main-7f2", "subnet-0a1b2c3d4e"),
    *("XK7P2Q", "HARB-20417", "2001:db8::17", "fe80::1ff:fe23:4567:890a"),
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
)
QUANTITIES = (
    *("512 MiB", "48.3 s", "12 m/s", "4.5 kN", "60 fps", "18 knots", "25 m", "347 ms", "30 km/h", "12 MB/s"),
    *("3 m²", "1.5 A", "3,5 t", "24 h", "48.3s"),
)


@pytest.mark.parametrize("frame", UNSPACED)
@pytest.mark.parametrize("name", OPAQUE)
def test_letters_of_a_script_without_capitals_end_a_name(name: str, frame: str) -> None:
    text = frame % name
    assert {found for _, found in (*find_names(text), *find_opaque(text))} == {name}


@pytest.mark.parametrize("frame", UNSPACED)
@pytest.mark.parametrize("quantity", QUANTITIES)
def test_letters_of_a_script_without_capitals_end_a_quantity(quantity: str, frame: str) -> None:
    assert list(find_quantities(frame % quantity)) == [quantity]


@pytest.mark.parametrize(
    "text",
    [
        *("Straße_id", "größe_wert", "año_fiscal", "módulo-12345x", "Größe-7f2b91", "сервер-12345a"),
        *("naïve-2031-x7", "İzmir-35-2031", "Łódź-42-2031", "ReadÉtat2031x", "build-2031-x/", "a-2031-b_c/d"),
    ],
)
def test_a_part_of_a_longer_name_is_none(text: str) -> None:
    assert [*find_names(text), *find_opaque(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        *(
            "in the 1990s",
            "the 80s",
            "5m users",
            "chapter 3 A",
            "section 5 B",
            "12 files",
            "7 steps",
            "3 methods",
        ),
        *(
            "5 metres-long",
            "v2.5 MB5",
            "ab12 ms",
            "item-12 s",
            "17/25 m",
            "$12 m",
            "60 fpsx",
            "30 m/sec2x",
            "5 Nmap",
        ),
    ],
)
def test_a_letter_behind_a_number_is_not_always_a_unit(text: str) -> None:
    assert list(find_quantities(text)) == []


@pytest.mark.parametrize(
    "text",
    ["rows[10::2]", "a[1::2]", "fs::path2", "Face::Bad2", "12:30:45", "aa:bb:cc:dd:ee:ff", "std::a1", "::"],
)
def test_not_everything_with_colons_is_an_address(text: str) -> None:
    assert "address" not in {kind for kind, _ in find_names(text)}


@pytest.mark.parametrize(
    "text, paths",
    [
        ("src/app.py를 고쳤다", ["src/app.py"]),
        ("日志在/srv/quay/log里，config.toml。", ["/srv/quay/log", "config.toml"]),
        ("~/quayを見る", ["~/quay"]),
        ("docs/über.md", []),
        ("Größe/readme.md", []),
        ("siehe übersicht.md jetzt", []),
        ("/srv/größe/a.py", []),
        ("/srv/a-über/b.py", []),
        ("~/größe", []),
        ("год/отчёт_v2.md", []),
        ("src/Dockerfileé", []),
    ],
)
def test_a_part_of_a_path_in_letters_with_capitals_is_none(text: str, paths: list[str]) -> None:
    assert list(find_paths(text)) == paths


def test_the_ledger_notes_hosts_and_addresses_of_all_and_quantities_of_those_who_speak() -> None:
    ledger = Ledger()
    update(ledger, Message("user", (Text("Deploy to db3.harbour.internal within 250 ms."),)), 1)
    update(ledger, Message("tool", (ToolResult("c", (Text("10.2.3.4:8443 answered in 3.2 s, 91 ms"),)),)), 2)
    noted = {(entry.label, entry.text) for entry in ledger.of("name").values()}
    assert noted == {
        ("host", "db3.harbour.internal"),
        ("quantity", "250 ms"),
        ("address", "10.2.3.4:8443"),
    }


def test_an_escape_in_code_is_no_part_of_a_name() -> None:
    found = [name for _, name in find_names(r"print('\nFellBack'); App\Models\UserProfile; '\nExecuting'")]
    assert found == ["FellBack", "UserProfile"]


WORDS = st.lists(
    st.sampled_from(
        [
            *NAMED,
            "say",
            "(and,",
            "HTTP",
            "404",
            "CVE",
            "port",
            "8443",
            "Ports:",
            "über",
            "\\nTideTable",
            "x-y",
        ]
    ),
    max_size=12,
)


@given(WORDS, st.sampled_from([" ", "\n", "\t", "\u00a0", "  "]))
def test_what_stood_in_a_text_before_does_not_change_what_is_found_in_it(
    words: list[str], space: str
) -> None:
    text = space.join(words)
    before = list(find_names(text))
    for word in words:
        list(find_names(word))
    assert list(find_names(text)) == before
    assert [name for _, name in before if name not in text] == []


def test_names_that_a_space_parts_are_found_among_words_that_were_seen_before() -> None:
    for word in ("port", "8443", "HTTP", "404"):
        list(find_names(word))
    assert list(find_names("on port 8443: HTTP 404")) == [("port", "port 8443"), ("code", "HTTP 404")]


def test_what_stands_before_a_wildcard_is_no_file() -> None:
    found = list(find_paths("grep -c . /var/exports/2031-03-*.csv logs/day-1.log"))
    assert found == ["/var/exports", "logs/day-1.log"]


def test_a_password_in_an_address_is_no_mail() -> None:
    found = list(find_names("mysql://ann:tide4you@db.ferry.example:3306/app, ask bob@ferry.example"))
    assert ("host", "db.ferry.example") in found
    assert [name for kind, name in found if kind == "email"] == ["bob@ferry.example"]


def test_what_things_are_called_by_in_forms_of_their_own() -> None:
    text = "subnet-0a1b2c3d4e5f, pod gate-api-6d5f7c9b8-x2lqp, seat of XK7P2Q on 2031-03-04, step-by-step, v2"
    assert list(find_opaque(text)) == [
        ("opaque", "subnet-0a1b2c3d4e5f"),
        ("opaque", "gate-api-6d5f7c9b8-x2lqp"),
        ("short", "XK7P2Q"),
    ]
    assert ("ticket", "AB#7731") in list(find_names("see AB#7731"))


@pytest.mark.parametrize(
    "address",
    [
        "s3://ferry-backups/2031/tides.dump",
        "postgres://db.ferry.example/tides",
        "jdbc:postgresql://db.internal:5432/tides",
        "wss://push.ferry.example/ws",
        "git@git.ferry.example:quay/tides.git",
        "https://ferry.example/tides?day=3",
    ],
)
def test_an_address_of_any_kind_is_named_whole(address: str) -> None:
    assert list(find_names(f"See {address}, please.")) == [("link", address)]


@pytest.mark.parametrize(
    "text",
    [
        "kit@0.542.0_gate@19.1.0/esm",
        "logs/2026-03-04T16_08_48_364Z-debug-0.log",
        f"https://tide.example/go/{'aB3-' * 60}pier_Gate",
    ],
)
def test_what_begins_in_the_midst_of_a_version_a_date_or_a_link_is_no_name_from_code(text: str) -> None:
    assert "symbol" not in {kind for kind, _ in find_names(text)}


def test_a_long_link_is_named_whole() -> None:
    link = f"https://tide.example/go?to={'pier-' * 60}7"
    assert list(find_names(f"see {link}, then stop")) == [("link", link)]


@pytest.mark.parametrize(
    "text", ["this.result.details.diff", "self.gate.config.json", "res.body.json", "im.db.BeginTx"]
)
def test_a_chain_of_attributes_is_no_file(text: str) -> None:
    assert list(find_paths(text)) == []
