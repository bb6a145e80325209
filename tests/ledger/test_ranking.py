"""What the ledger takes for a path or a name, and what it thinks likelier to be asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.ledger.entries import Entry, Ledger
from palimpsest.ledger.extraction import is_built, names_in, paths_in
from palimpsest.ledger.file_merging import merged_files
from palimpsest.ledger.render import ROOMY_TOKENS, render
from palimpsest.ledger.scoring import features, ranked, view_of
from palimpsest.ledger.sections import parse
from palimpsest.ledger.update import READ_CHARS, update
from palimpsest.record.message import Message
from palimpsest.text.cut import ELLIPSIS
from palimpsest.text.identifiers import find_names
from tests.ledger.noting import entries
from tests.patience import LIMIT_S
from tests.summarize.dialogues import assistant, call, result, user


def noted(messages: Sequence[Message]) -> Ledger:
    ledger = Ledger()
    for seq, message in enumerate(messages, start=1):
        update(ledger, message, seq)
    return ledger


def run(*commands: str) -> Ledger:
    """A session in which these commands ran."""
    return noted([assistant("", call(str(at), "Bash", command=one)) for at, one in enumerate(commands)])


def command_features(command: str) -> dict[str, float]:
    ledger = run(command)
    entry = next(entry for entry in entries(ledger, "command") if entry.text == command)
    return features(entry, view_of(ledger))


def order(ledger: Ledger) -> list[str]:
    """The names of a ledger, the likeliest first."""
    return [one.entry.text for one in ranked(ledger) if one.group == "symbol"]


@given(
    st.lists(
        st.sampled_from(
            ["plain", "Words", "tide_table", "readTide", "port", "3000", "#12", "a1b2c3d", "v1.2"]
        ),
        max_size=12,
    ),
    st.sampled_from([" ", ", ", " (", "\n", "; ", "='"]),
)
def test_plain_words_around_a_name_change_nothing(words: list[str], between: str) -> None:
    plain = [word for word in words if word != "port"]
    alone = [name for word in plain for _, name in find_names(word)]
    assert [name for _, name in find_names(between.join(plain))] == alone


@pytest.mark.timeout(LIMIT_S)  # what it would take beyond its length is far more
@pytest.mark.parametrize(
    "text", ["ab" * 200_000, "aB" * 100_000, "a " * 200_000, "from '" * 60_000, "-aZ_" * 90_000]
)
def test_texts_made_to_be_slow_are_read_in_proportion_to_their_length(text: str) -> None:
    assert len(list(names_in(text))) <= len(text)
    assert len(list(paths_in(text))) <= len(text)


def test_names_of_the_language_come_last() -> None:
    ledger = noted(
        [assistant("", call("1", "Bash", command="cat board.ts")), result("1", "toISOString drawBoard")]
    )
    assert order(ledger) == ["drawBoard", "toISOString"]


@pytest.mark.parametrize(
    "name, built",
    [
        ("root-vXJNkuOi.js", True),
        ("board.console-oFHVehBp.css", True),
        ("vendor-8e0d62a0.mjs", True),
        ("main.8e0d62a03f2b1c9d4e5f.js", True),
        ("dock-UserPage.js", False),
        ("chart.config02.js", False),
        ("tides-20260401.js", False),
        ("gull-notebook.js", False),
        ("pier.server.js", False),
        ("user-OAuth2Client.js", False),
    ],
)
def test_a_listing_of_what_a_build_made_names_no_files_and_a_call_does(name: str, *, built: bool) -> None:
    path = f"assets/{name}"
    assert is_built(path) == built
    listed = run("npm run build")
    update(listed, result("0", f"{path}  14 kB"), 2)
    assert (path in listed.of("file")) != built
    read = noted([assistant("", call("1", "Read", file_path=path))])
    assert path in read.of("file")


def test_a_working_folder_that_is_only_a_dot_is_no_file() -> None:
    ledger = noted([assistant("", call("1", "shell", command="ls", workdir="."))])
    assert not ledger.of("file")


@pytest.mark.parametrize(
    "command, flag",
    [
        ("git status", "routine"),
        ("cd /srv/ferry && git push origin main", "routine"),
        ("cd /srv/ferry && npm run check 2>&1 | tail -5", "checks"),
        ("mkdir -p src/board", "once"),
        ('git commit -m "Summer time"', "once"),
        ('git add -A && git commit -m "Test the summer"', "once"),
        ('gh pr comment 12 --body "The build is green"', "once"),
        ("git add src/board.py", "once"),
        ("git add -A", "routine"),
        ("cd src && cat src/tide.py", "reads"),
        ("sed -n '1,80p' src/tide.py", "reads"),
        ("grep -rn test src", "searches"),
        ("cat src/tide.py | grep test", "searches"),
    ],
)
def test_a_command_is_judged_by_what_it_does(command: str, flag: str) -> None:
    found = command_features(command)
    assert {name for name in ("routine", "checks", "once", "reads", "searches") if found[name]} == {flag}


def test_a_command_that_was_shortened_comes_behind_one_that_can_be_run_as_it_stands() -> None:
    docks = [f"--dock=pier-{number}" for number in range(40)]
    whole, newer = " ".join(("make", *docks[:14])), " ".join(("make", *docks))
    found = [one.entry.text for one in ranked(run(whole, newer)) if one.group == "command"]
    assert found[0] == whole
    assert found[1].endswith(ELLIPSIS)


def test_two_commands_that_differ_by_a_sign_are_two() -> None:
    texts = {entry.text for entry in entries(run("git add -A", "git add a", "pytest -x"), "command")}
    assert texts == {"git add -A", "git add a", "pytest -x"}


def test_the_middle_of_a_long_file_is_read_too() -> None:
    lines = [f"line {number} of many" for number in range(READ_CHARS // 30)]
    lines[len(lines) // 2] = "def middle_of_it(): ..."
    ledger = noted(
        [assistant("", call("1", "Read", file_path="/srv/long.py")), result("1", "\n".join(lines))]
    )
    assert "middle_of_it" in [entry.text for entry in entries(ledger, "name")]


@pytest.mark.parametrize("end", ["", " ", "\n"])
def test_a_mention_of_a_file_is_that_file(end: str) -> None:
    ledger = noted([user(f"Look at @src/board/clock.py please{end}")])
    assert [entry.text for entry in entries(ledger, "file")] == ["src/board/clock.py"]


def test_nothing_is_said_twice() -> None:
    ledger = run("pytest -q", "cd app && pytest -q", "cat src/tide_table.py")
    update(ledger, assistant("tide_table stands in tide_table.py"), 9)
    said = parse(render(ledger, 400))
    assert len([line for line in said["Commands"] if "pytest -q" in line]) == 1
    assert "tide_table" not in " ".join(said.get("Identifiers", []))
    assert "- ./: tide_table.py" not in render(ledger, 400)


def test_an_entry_without_a_use_has_every_feature_bounded() -> None:
    entry = Entry("name", "tide_table", "symbol", at=0)
    assert all(0.0 <= value <= 1.0 for value in features(entry, view_of(Ledger())).values())


def test_what_is_searched_for_in_code_is_used() -> None:
    ledger = noted(
        [assistant("", call("1", "Grep", pattern="class TideTable|read_tide", output_mode="content"))]
    )
    assert {entry.text for entry in entries(ledger, "name") if entry.used >= 0} == {"TideTable", "read_tide"}
    assert list(entries(ledger, "value")) == []


def test_a_prompt_for_another_agent_is_read_for_names() -> None:
    prompt = "Look for every use of port_offset in src/board and say what depends on it. " * 8
    ledger = noted([assistant("", call("1", "Task", subagent_type="explorer", prompt=prompt))])
    assert "port_offset" in [entry.text for entry in entries(ledger, "name")]


def test_a_file_that_a_tool_names_from_another_folder_is_that_file() -> None:
    messages = [
        assistant("", call("1", "Read", file_path="/srv/ferry/kit/test/clock.py")),
        result("1", "import time"),
        assistant("", call("2", "Bash", command="cd board && npm run check")),
        result("2", "../kit/test/clock.py(3,1): error: no zone\n../.config/ports.json: empty"),
    ]
    ledger = noted(messages)
    assert {"kit/test/clock.py", ".config/ports.json"} <= set(ledger.of("file"))
    assert [entry.results for entry in merged_files(ledger) if entry.text.endswith("clock.py")] == [1]
    assert "../" not in render(ledger, 400)


@pytest.mark.parametrize(
    "text, files",
    [
        ("Make a package called @packages/tide-board.", ["packages/tide-board"]),
        ("See @src/tide and @docs/harbour/pier", ["src/tide", "docs/harbour/pier"]),
        ("Write to pier@src/tide", []),
        ("Update @ferry/kit to the newest version", []),
    ],
)
def test_what_a_user_points_at_is_a_path_where_it_begins_as_one(text: str, files: list[str]) -> None:
    assert list(noted([user(text)]).of("file")) == files


@pytest.mark.parametrize(
    "again, other", [("npm install", "npm install left-pad"), ("uv sync", "uv add tide-kit")]
)
def test_installing_what_the_project_needs_is_run_again(again: str, other: str) -> None:
    assert command_features(again)["checks"]
    assert not command_features(other)["checks"]


def test_a_file_of_a_name_that_many_have_is_not_what_every_project_looks_at() -> None:
    listed = "\n".join(["AGENTS.md", *(f"docks/d{at}/package.json" for at in range(20))])
    ledger = noted([assistant("", call("1", "Bash", command="ls -R")), result("1", listed)])
    worth = {one.entry.text: one.worth for one in ranked(ledger) if one.group == "file"}
    assert worth["AGENTS.md"] > 1.5 * worth["docks/d7/package.json"]


def test_a_name_that_was_read_again_comes_before_one_read_once() -> None:
    results = [result("1", "moorBoat();"), result("2", "turnBoat();"), result("3", "turnBoat();")]
    assert order(noted([message for one in results for message in (assistant("look"), one)])) == [
        "turnBoat",
        "moorBoat",
    ]


def test_files_that_every_project_looks_at_come_before_others_like_them() -> None:
    ledger = noted(
        [assistant("", call("1", "Bash", command="ls")), result("1", "notes.md\nAGENTS.md\npier.md")]
    )
    assert next(one.entry.text for one in ranked(ledger) if one.group == "file") == "AGENTS.md"


def test_a_command_is_listed_once_it_ran_and_not_where_it_is_only_named() -> None:
    named, ran = "git checkout -b summer-time", "git checkout -b winter-time"
    ledger = noted(
        [assistant(f"First `{named}`, then `{ran}`."), assistant("", call("1", "Bash", command=ran))]
    )
    assert [one.entry.text for one in ranked(ledger) if one.group in ("command", "segment")] == [ran]
    assert named not in render(ledger, 1_000)


def test_a_search_that_ran_comes_behind_every_other_command() -> None:
    ledger = run("npm run check", "git status", "sed -n '1,80p' src/tide.py", "grep -rn tide src | head -5")
    ranks = [one.entry.text for one in ranked(ledger) if one.group == "command"]
    assert ranks[-1] == "grep -rn tide src | head -5"


def test_of_a_failed_command_a_short_text_says_that_it_failed_and_a_long_one_why() -> None:
    error = "TideError: no zone for the pier at the north end of the island, and none for the other one"
    ran = [assistant("", call("1", "Bash", command="npm test")), result("1", f"{error}\nexit code 1")]
    crowd = assistant(" ".join(f"tide_of_{at + 10}_{word}" for at in range(90) for word in ("low", "high")))
    short, long = (render(noted([*ran, crowd]), size) for size in (400, 2_000))
    empty = render(noted([*ran]), 400)
    assert "- `npm test` -> exit 1" in short.splitlines()
    for text in (long, empty):
        assert "`npm test` -> exit 1: TideError: no zone for the pier" in text
        assert error not in text


def test_links_and_versions_give_way_to_what_calls_are_made_of() -> None:
    link = "https://ferry.example/timetables/summer"
    ledger = noted(
        [assistant("", call("1", "Read", file_path="a.py")), result("1", f"{link} 9f2b6c0 v1.4.2 tide_of")]
    )
    groups = {one.entry.text: one.group for one in ranked(ledger)}
    assert link not in groups
    assert "v1.4.2" not in groups
    told = ranked(noted([user(f"See {link}, it is v1.4.2 by now.")]))
    assert {one.group for one in told if one.entry.text in (link, "v1.4.2")} == {"detail"}
    assert groups["9f2b6c0"] == "reference"
    assert groups["tide_of"] == "symbol"


def test_where_there_is_room_more_of_it_goes_to_files() -> None:
    messages: list[Message] = []
    for step in range(20):
        listed = "\n".join(f"docks/gate{step}/berth{at}.log" for at in range(40))
        named = "\n".join(f"tide_of_{step + 10}_{at + 10}" for at in range(20))
        calls = (call("1", "Bash", command="./look.sh"), call("2", "Write", path="a.py", content=named))
        messages += [assistant("", *calls), result("1", f"{listed}\n{'still water. ' * 400}")]
    small, roomy = (render(noted(messages), ROOMY_TOKENS - less) for less in (1, 0))
    assert roomy.count("berth") > small.count("berth") > 0
    assert small.count("tide_of") > roomy.count("tide_of") > 0


def test_a_file_that_is_named_like_what_it_defines_is_worth_that_name_as_well() -> None:
    worth = {
        one.entry.text: one.worth
        for one in ranked(noted([user("Look into src/readTide.ts and src/tides.ts, and mendGate.")]))
    }
    assert worth["src/readTide.ts"] > worth["src/tides.ts"] > 0
