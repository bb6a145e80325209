"""The sections of a ledger can be read back exactly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.ledger.file_tree import file_entries, parse_files, split_path
from palimpsest.ledger.sections import command_entry, name_entries, parse, parse_names, render
from palimpsest.toolcalls.file_operation_kinds import FILE_OPERATIONS

FOLDERS = st.sampled_from(
    [
        "/home/dev/shop",
        "/home/dev/shop/src",
        "/home/dev/shop/src/auth",
        "/srv/x",
        "src",
        "a/b",
        "",
        "/",
        "..",
        "../x",
    ]
)
NAMES = st.text(alphabet="abcdé-_. 0", min_size=1, max_size=8).map(lambda name: f"n{name.strip()}.py")
PATHS = st.builds(lambda folder, name: f"{folder.rstrip('/')}/{name}" if folder else name, FOLDERS, NAMES)


@given(
    st.lists(st.tuples(PATHS, st.sampled_from(FILE_OPERATIONS)), max_size=30, unique_by=lambda file: file[0])
)
def test_every_path_can_be_put_together_again_with_its_deed(files: list[tuple[str, str]]) -> None:
    entries = file_entries(files)  # pyright: ignore[reportArgumentType]
    assert sorted(parse_files(entries)) == sorted(files)


def test_folders_below_one_root_are_written_once() -> None:
    files = [
        (f"/home/dev/shop/{inner}", "read")
        for inner in ("src/a.py", "src/b.py", "tests/test_a.py", "README.md")
    ]
    assert file_entries([*files, ("lib/c.py", "edited")]) == [  # pyright: ignore[reportArgumentType]
        "/home/dev/shop: read README.md tests/test_a.py",
        " src: read a.py b.py",
        "lib: edited c.py",
    ]


def test_a_file_alone_in_its_folder_stands_in_the_line_above() -> None:
    files = [
        "/srv/ferry/src/board/clock.py",
        "/srv/ferry/src/a.py",
        "/srv/ferry/src/b.py",
        "/etc/ferry/tide.conf",
    ]
    entries = file_entries([(path, "named") for path in files])
    assert entries == ["/srv/ferry/src: a.py b.py board/clock.py", "/etc/ferry: tide.conf"]
    assert sorted(path for path, _ in parse_files(entries)) == sorted(files)


def test_files_without_a_folder_stand_behind_one_that_says_here() -> None:
    files = [("notes.md", "read"), ("lib/c.py", "edited"), ("Makefile", "named")]
    entries = file_entries(files)  # pyright: ignore[reportArgumentType]
    assert entries == ["./: Makefile; read notes.md; edited lib/c.py"]
    assert sorted(parse_files(entries)) == sorted(files)


def test_two_projects_keep_two_roots() -> None:
    paths = [
        f"/srv/{project}/src/{part}/{name}"
        for project in ("one", "two")
        for part in ("a", "b", "c")
        for name in ("x.py", "y.py")
    ]
    entries = file_entries([(path, "named") for path in paths])
    assert [entry for entry in entries if entry.startswith("/")] == ["/srv/one/src/", "/srv/two/src/"]


def test_windows_paths_keep_their_own_marks() -> None:
    paths = ["C:\\shop\\src\\a.py", "C:\\shop\\src\\deep\\b.py", "C:\\shop\\src\\deeper\\c.py"]
    assert sorted(
        path for path, _ in parse_files(file_entries([(path, "named") for path in paths]))
    ) == sorted(paths)


@given(PATHS)
def test_a_path_is_its_folder_and_its_name(path: str) -> None:
    folder, name = split_path(path)
    assert path in (name, f"{folder}/{name}", f"/{name}")


@given(
    st.dictionaries(
        st.sampled_from(["Files", "Commands", "Open tasks"]), st.lists(st.just("an entry"), min_size=1)
    )
)
def test_rendered_sections_are_read_back(sections: dict[str, list[str]]) -> None:
    assert parse(render(sections)) == sections  # pyright: ignore[reportArgumentType]


def test_prose_has_no_sections() -> None:
    assert parse("The user wants a login page.\n- And tests.") == {}


def test_what_stands_under_another_heading_is_left_out() -> None:
    assert parse("## Commands\n- a\n## Blocked\n- b\n## Files:\n- c.py") == {
        "Commands": ["a"],
        "Files": ["c.py"],
    }


def test_a_command_is_written_with_its_outcome() -> None:
    assert command_entry("make test", "1 failed: KeyError", 3) == "`make test` -> 1 failed: KeyError (x3)"


@pytest.mark.parametrize(
    "group, names, line",
    [
        ("port", ["port 5433"], "ports: port 5433"),
        ("port", ["port 5433", "localhost:8080"], "ports: port 5433; localhost:8080"),
        ("quantity", ["48.3 s"], "quantities: 48.3 s"),
        ("quantity", ["30%", "5ms"], "quantities: 30% 5ms"),
        ("quantity", ["80 %", "512 MiB"], "quantities: 80 %; 512 MiB"),
        ("address", ["2001:db8::17", "10.4.0.17"], "addresses: 2001:db8::17 10.4.0.17"),
        ("code", ["E 404", "EACCES"], "error codes: E 404; EACCES"),
        ("city", ["New York"], "city: New York;"),
        ("city", ["Bonn", "Ulm"], "city: Bonn Ulm"),
    ],
)
def test_only_what_cannot_be_read_back_otherwise_ends_in_a_sign(
    group: str, names: list[str], line: str
) -> None:
    assert name_entries({group: names}) == [line]
    assert list(parse_names(line)) == [(group, name) for name in names]


def test_ports_of_older_summaries_are_read_as_well() -> None:
    assert list(parse_names("ports: port 5433;")) == [("port", "port 5433")]


def test_names_are_read_back_with_their_groups() -> None:
    entries = name_entries({"symbol": ["a_b", "cD"], "user_id": ["mia, 36"]})
    assert entries == ["symbols: a_b cD", "user_id: mia, 36;"]
    assert [pair for entry in entries for pair in parse_names(entry)] == [
        ("symbol", "a_b"),
        ("symbol", "cD"),
        ("user_id", "mia, 36"),
    ]
