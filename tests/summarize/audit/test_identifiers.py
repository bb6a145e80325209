"""Exact strings of a summary against its source: known as they are, put right where one form fits, else invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Media, Message, Text
from palimpsest.summarize.audit.exact import Exact, exact_text
from palimpsest.summarize.audit.names.identifiers import doubts
from tests.summarize.dialogues import SOURCES, assistant, call, leaf, user

UUID = "550e8400-e29b-41d4-a716-446655440000"
HASH = "3f2a9c1e77aa001122334455667788990011aabb"
SAID = Exact(
    f"user: fix src/app/reader.py and deploy {UUID} at https://ci.example.dev/run/9912?x=1\n"
    f"commit {HASH}; db-7.internal.example:5432 and 10.0.4.17; 48,213 rows, 99.53 %; 1,048,576 bytes; "
    "parseHeader in lib/http/parse_header.ts; v1.4.2; port 8080; req_8fk2j3h4k5l6; tests/unit/test_reader.py, "
    "JIRA-1234 on 2026-03-01; [secret:ab12cd]; a limit of 250 ms, 247 MB used, p99 1,317 ms, thirty seconds, 12.74 GB"
)

KNOWN = [
    f"{UUID} at https://ci.example.dev/run/9912?x=1 with {HASH}",
    "48,213 rows, also written 48213; 99.53 %",
    "src/app/reader.py, reader.py and tests/unit/test_reader.py",
    "port 8080, v1.4.2, JIRA-1234, [secret:ab12cd], parseHeader in lib/http/parse_header.ts",
    "In 2026, three of 12 JavaScript files on GitHub used PostgreSQL 3 times.",
    "lib/http: parse_header.ts and so on...",
    "a limit of 0.25 s or 250 milliseconds, 247MB used, 30 seconds, 5 minutes, 1.317 seconds",
]
ALTERED = {
    "550e8400": UUID,
    "550e8400-e29b…": UUID,
    "550e8400...0000": UUID,
    "3f2a9c1": HASH,
    "3f2a9c1e77aa...": HASH,
    "src/reader.py": "src/app/reader.py",
    "/home/kim/src/app/reader.py": "src/app/reader.py",
    "tests/test_reader.py": "tests/unit/test_reader.py",
    "48,000": "48,213",
    "48k": "48,213",
    "1.05M": "1,048,576",
    "99.5": "99.53",
    "v1.4": "v1.4.2",
    "req_8fk2j3h4": "req_8fk2j3h4k5l6",
    "https://ci.example.dev/run/9912": "https://ci.example.dev/run/9912?x=1",
    "parseHeaders": "parseHeader",
    "550e8400-e29b-41d4-a716-446655440001": UUID,
    "550e8400-…-0000": UUID,
    "db-7.internal": "db-7.internal.example:5432",
    "250 MB": "247 MB",
    "1.3 s": "1,317 ms",
    "1,300 ms": "1,317 ms",
    "13 GB": "12.74 GB",
    "12.7 GB": "12.74 GB",
    "99.5 %": "99.53 %",
}
INVENTED = ["src/app/writer.py", "JIRA-1235", "10.0.4.18", "77123", "[secret:ffffff]", "port 9090", "v2.0.0"]
INVENTED += ["src/app/reader2.py", "https://ci.example.dev/run/9913", "db-8.internal.example", "evil.example"]
INVENTED += ["prod-main-7", "gpt-9o-mini", "300 ms", "45 %", "512 MB", "40 分钟"]


def test_the_address_of_an_image_is_known() -> None:
    shown = leaf([Message("user", (Text("see"), Media("image", uri="https://pics.example/pier-7f3a9.png")))])
    assert doubts("The drawing is https://pics.example/pier-7f3a9.png.", exact_text(shown)) == []


@pytest.mark.parametrize("text", KNOWN)
def test_what_the_source_says_is_in_no_doubt(text: str) -> None:
    assert doubts(text, SAID) == []


@pytest.mark.parametrize("text", ALTERED)
def test_an_altered_identifier_is_given_back_in_the_form_of_the_source(text: str) -> None:
    found = doubts(f"It is {text} now.", SAID)
    assert [(doubt.standing, doubt.text, doubt.right) for doubt in found] == [
        ("altered", text, ALTERED[text])
    ]


@pytest.mark.parametrize("text", INVENTED)
def test_an_identifier_that_fits_nothing_is_invented(text: str) -> None:
    found = doubts(f"It is {text} now.", SAID)
    assert [(doubt.standing, doubt.text) for doubt in found] == [("invented", text)]


def test_a_short_form_is_found_beside_another_of_the_same() -> None:
    found = doubts("tenant 550e8400…0000, in short 550e8400", SAID)
    assert {doubt.text for doubt in found} == {"550e8400…0000", "550e8400"}
    assert {doubt.right for doubt in found} == {UUID}


@pytest.mark.parametrize(
    "text, whole", [("3f2a9c1-aabb", HASH), ("550e8400-0000", UUID), ("550e8400-e29b-0000", UUID)]
)
def test_a_beginning_and_an_end_with_a_hyphen_between_are_the_whole(text: str, whole: str) -> None:
    found = doubts(f"- build: {text}", SAID)
    assert (text, whole) in {(doubt.text, doubt.right) for doubt in found}


@pytest.mark.parametrize("text", ["3f2a9c1-77aa", "1f2a9c1-aabb"])
def test_two_parts_that_make_no_whole_are_invented(text: str) -> None:
    assert (text, "") in {(doubt.text, doubt.right) for doubt in doubts(f"- build: {text}", SAID)}


def test_names_of_code_with_dots_are_no_hosts() -> None:
    assert doubts("self.app.run() and config.dev[1] use os.path.io(), see 3.io()", SAID) == []


@pytest.mark.parametrize(
    "name",
    [
        "/srv/harbour/src/berths/paixu.py",
        "https://api.harbour.example/v1/orders",
        "app.harbour.internal",
        "/srv/harbour/src/boats/fenpei.py.bak",
    ],
)
def test_another_thing_in_the_same_place_is_not_taken_for_a_misspelling(name: str) -> None:
    source = Exact(
        "/srv/harbour/src/berths/fenpei.py is served by api.harbour.internal and https://api.harbour.example/v1/users"
    )
    assert [(doubt.text, doubt.right) for doubt in doubts(f"See {name} too.", source)] == [(name, "")]


def test_a_misspelt_part_of_a_path_or_a_host_is_put_right() -> None:
    source = Exact("/srv/harbour/src/berths/fenpei.py is served by quayside.harbour.internal")
    found = doubts("/srv/harbour/src/berths/fenpi.py at quaysid.harbour.internal", source)
    assert {doubt.right for doubt in found} == {
        "/srv/harbour/src/berths/fenpei.py",
        "quayside.harbour.internal",
    }


WORKTREES = exact_text(
    leaf(
        [
            user("Fix it in both worktrees, /wt/east and /wt/west."),
            assistant("", call("a", "Read", file_path="/wt/east/src/quay/main.py")),
            assistant("", call("b", "Bash", command="cd /wt/west && sed -i s/x/y/ src/quay/util.py")),
            assistant("", call("c", "Bash", command="npx vitest src/quay/View.test.tsx", workdir="web")),
            assistant("", call("d", "Bash", command="ls /wt/west/etc; pytest tests/unit/test_main.py")),
            assistant("It lists ports.toml. The runner is quay.sh."),
            assistant("", call("e", "Read", file_path="/wt/east/etc/ports.toml")),
        ]
    )
)


@pytest.mark.parametrize(
    "path",
    [
        "/wt/west/src/quay/util.py",
        "/wt/west/src/quay/main.py",
        "web/src/quay/View.test.tsx",
        "/wt/west/etc/ports.toml",
        "/wt/east/tests/unit/test_main.py",
    ],
)
def test_a_path_of_the_source_in_a_folder_of_the_source_is_known(path: str) -> None:
    assert doubts(f"See {path} too.", WORKTREES) == []


@pytest.mark.parametrize(
    "path, right",
    [
        ("/wt/north/src/quay/main.py", "/wt/east/src/quay/main.py"),
        ("/wt/east/quay/main.py", "/wt/east/src/quay/main.py"),
        ("/wt/west/src/quay/mian.py", ""),
        ("tests/unit/quay.sh", "quay.sh"),
    ],
)
def test_a_path_in_a_folder_that_the_source_does_not_have_it_in_is_not_known(path: str, right: str) -> None:
    assert [doubt.right for doubt in doubts(f"See {path} too.", WORKTREES)] == [right]


def test_a_range_of_known_names_is_known_and_one_with_an_unknown_end_is_not() -> None:
    plan = Exact("STEP14 is done, STEP15 too; STEP20 is the last")
    assert doubts("STEP14-STEP20 are planned", plan) == []
    assert [doubt.text for doubt in doubts("STEP14-STEP29 are planned", plan)] == ["STEP14-STEP29"]


def test_where_two_forms_fit_none_is_chosen() -> None:
    two = Exact("abc1234def5678 and abc1234fff9999")
    assert [(doubt.right, len(doubt.among)) for doubt in doubts("commit abc1234", two)] == [("", 2)]
    assert [doubt.right for doubt in doubts("commit abc1239", two)] == [""]


def test_escaped_strings_in_arguments_count_as_they_read() -> None:
    source = leaf(
        [user("go"), assistant("", call("a", "Write", text='see "docs/Ünit.md"\nC:\\app\\main7788.cfg'))]
    )
    exact = exact_text(source)
    assert doubts('"docs/Ünit.md" and C:\\app\\main7788.cfg', exact) == []


@given(SOURCES)
def test_a_source_has_no_doubts_about_its_own_words(source) -> None:
    exact = exact_text(source)
    assert [doubt for doubt in doubts(exact.text[:3_000], exact) if doubt.standing == "invented"] == []


@given(st.text(max_size=400))
def test_any_text_can_be_held_against_any_source(text: str) -> None:
    assert len(doubts(text, SAID)) <= 800


@pytest.mark.parametrize("text", ["4k berths per hour", "4,000 berths per hour", "1M rows", "2.5k boats"])
def test_a_number_that_the_source_has_in_any_form_is_not_taken_for_a_rounded_one(text: str) -> None:
    source = Exact(
        "4000 berths, 4021 boats; 1,000,000 rows in 1048576 bytes; 2.5 thousand ferries, 2513 boats"
    )
    assert doubts(text, source) == []


@pytest.mark.parametrize(
    "text", ["30 minutes", "1.5 hours", "256 MB", "about 268 MB", "2.1 GB", "15 minutes", "2 GiB, 45 s"]
)
def test_what_a_plain_number_of_the_source_comes_to_is_known(text: str) -> None:
    source = Exact(
        "timeout=1800, ttl: 5400, interval_ms=900000, limit 268435456, size 2147483648, wait=45000"
    )
    assert doubts(text, source) == []
    assert doubts("35 minutes, 300 MB", source)
    assert [doubt.right for doubt in doubts("20 s, 45 ms", Exact("20 minutes and 45 s"))] == [
        "20 minutes",
        "45 s",
    ]


SALES = Exact(
    "128450 boats, 1312 of them in dock; fees rose from 12400 to 15100; 231 for each of 14; 1.4 GB, 96 MB"
)


@pytest.mark.parametrize(
    "text",
    [
        "128,450 boats, 1,312 in dock, 127,138 at sea",
        "fees rose from 12,400 to 15,100, about 22 %",
        "231 for each of 14: 3,234 in all",
        "12,400 and 15,100 are 27,500 together",
        "128,450 boats, 128k in short",
        "from 1.4 GB to 96 MB, 93 % less",
    ],
)
def test_a_number_that_is_reckoned_from_others_of_its_line_is_known(text: str) -> None:
    assert doubts(text, SALES) == []


@pytest.mark.parametrize(
    "text", ["127,138 at sea", "128,450 boats, 1,312 in dock, 126,138 at sea", "fees rose by 25 %"]
)
def test_a_number_that_nothing_in_its_line_comes_to_is_not(text: str) -> None:
    assert [doubt.standing for doubt in doubts(text, SALES)] == ["invented"]


def test_a_short_unit_is_a_unit() -> None:
    pods = Exact("checkout 17 restarts 41m, limit 512Mi, 31G of logs, 4.1 % errors")
    assert doubts("17 restarts in 41 minutes, 512 MiB, 31 GB of logs", pods) == []
    assert [doubt.text for doubt in doubts("restarts in 41 hours, 41 % errors", pods)] == [
        "41 hours",
        "41 %",
    ]


TRIP = Exact(
    "TP551 is booked as XK7P2Q, LH1166 is not; berths A1 and B2; lib/index.ts; the pier answers at pier-7.example:8443"
)


@pytest.mark.parametrize(
    "text, right", [("XK7P2Z", "XK7P2Q"), ("TP515", "TP551"), ("LH1161", "LH1166"), ("TP982", "")]
)
def test_a_code_of_a_few_signs_is_put_right_where_one_is_meant(text: str, right: str) -> None:
    assert [(doubt.text, doubt.right) for doubt in doubts(f"It is {text} now.", TRIP)] == [(text, right)]


@pytest.mark.parametrize(
    "text", ["TP551 and XK7P2Q", "ISO8601, RTX4090 and ES2022", "B2, SHA256 and A1", "H264"]
)
def test_a_code_of_a_kind_that_the_source_does_not_have_may_be_a_word(text: str) -> None:
    assert doubts(f"It is {text} now.", TRIP) == []


@pytest.mark.parametrize(
    "line", ["- subnet-7f", "- role: arn:quay:iam::1234:role/x", "- host: `harbour-prod`", "- web01.pier"]
)
def test_an_identifier_alone_in_the_list_of_them_that_occurs_nowhere_is_invented(line: str) -> None:
    assert doubts(f"## Critical identifiers\n{line}", TRIP)
    assert not doubts(f"## Critical identifiers\n{line}", Exact(f"{TRIP.text} {line}"))


@pytest.mark.parametrize(
    "line",
    ["- mode: read-only", "- day: Wednesday", "- XK7P2Q: the booking", "- pier-7:8443", "- none so far"],
)
def test_what_is_no_identifier_or_is_made_of_known_parts_stays_in_the_list(line: str) -> None:
    assert doubts(f"## Critical identifiers\n{line}", TRIP) == []


def test_a_file_of_the_same_name_in_another_folder_is_another_file() -> None:
    assert [doubt.right for doubt in doubts("Add docs/pier/index.ts", TRIP)] == [""]
    assert [doubt.right for doubt in doubts("Add src/lib/index.ts", TRIP)] == ["lib/index.ts"]


def test_a_misspelt_name_alone_in_the_list_is_put_right() -> None:
    found = doubts("## Critical identifiers\n- moor_all_boatz", Exact("moor_all_boats(pier)"))
    assert [doubt.right for doubt in found] == ["moor_all_boats"]


def test_a_port_is_known_by_the_address_that_has_it() -> None:
    at = Exact("The press listens at 10.0.0.7:8443 since Monday.")
    assert doubts("The press listens on port 8443.", at) == []
    assert [doubt.text for doubt in doubts("The press listens on port 8444.", at)] == ["port 8444"]


RUN_ID = "5b0f7a61-2c3d-4e8f-9a10-b7c6d5e4f302"
SHORT_FORMS = {
    "the midst": ("2c3d-4e8f-9a10", RUN_ID),
    "signs that hide": ("5b0f7a61-xxxx-xxxx-xxxx-b7c6d5e4f302", RUN_ID),
    "stars": ("5b0f7a61-****-****-****-b7c6d5e4f302", RUN_ID),
    "a bracket": ("5b0f7a61[...]f302", RUN_ID),
    "in words": ("ending in f302", RUN_ID),
    "in other words": ("que termina en f302", RUN_ID),
    "another ending": ("etc/tide.bak", "etc/tide.toml"),
    "another ending without a folder": ("tide.yaml", "etc/tide.toml"),
    "the beginning of a port": ("10.20.4.17:80", "10.20.4.17:8088"),
    "another port": ("10.20.4.17:5432", "10.20.4.17:8088"),
    "an anchor": ("https://tides.example/pier?v=3#top", "https://tides.example/pier?v=3"),
}


@pytest.mark.parametrize("wrong, right", SHORT_FORMS.values(), ids=SHORT_FORMS.keys())
def test_a_part_a_mask_and_another_ending_become_the_whole_of_the_source(wrong: str, right: str) -> None:
    source = exact_text(
        leaf(
            [
                user(f"Run {RUN_ID} of etc/tide.toml at 10.20.4.17:8088."),
                user("See https://tides.example/pier?v=3 for it."),
            ]
        )
    )
    assert [(one.text, one.right) for one in doubts(f"- It was {wrong} that failed", source)] == [
        (wrong, right)
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- the lines ending in 80 were cut",
        "- `tide.next` is called twice, and tide.height once",
        "- Pier v2 follows etc/tide.toml, as told in etc/",
        "- The host 10.20.4.17 answers on 10.20.4.17:8088",
    ],
)
def test_endings_of_other_things_and_names_in_code_are_left_alone(line: str) -> None:
    source = exact_text(leaf([user("Look at etc/tide.toml, and at 10.20.4.17:8088."), user("Run 5b0f7a61.")]))
    assert doubts(line, source) == []
