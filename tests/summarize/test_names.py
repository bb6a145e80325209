"""Names in texts: each kind is found as it is written, and what only looks like one is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Message, Text, ToolResult
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.names import find_names, find_opaque, find_paths, find_quantities

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
