"""Calls of many agents are read by their shape, results by their ends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Text, ToolCall, ToolResult
from palimpsest.text.identifiers import find_names, find_paths
from palimpsest.toolcalls.call_actions import decode
from palimpsest.toolcalls.outcomes import outcome
from tests.summarize.dialogues import ARGUMENTS, TEXTS, call

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: docs/b.md\n+hi\n*** End Patch"


@pytest.mark.parametrize(
    "made, files",
    [
        (call("1", "Edit", file_path="/p/a.py", old_string="x", new_string="y"), [("/p/a.py", "edited")]),
        (call("1", "Write", file_path="/p/a.py", content="x"), [("/p/a.py", "written")]),
        (call("1", "Read", file_path="/p/a.py"), [("/p/a.py", "read")]),
        (call("1", "read_file", absolute_path="/p/a.py"), [("/p/a.py", "read")]),
        (call("1", "replace", file_path="/p/a.py", old_string="x"), [("/p/a.py", "edited")]),
        (call("1", "edit_file", target_file="src/ä b.py"), [("src/ä b.py", "edited")]),
        (call("1", "write_file", TargetFile='"/p/n.md"'), [("/p/n.md", "written")]),
        (call("1", "str_replace_editor", command="create", path="/w/h.py"), [("/w/h.py", "written")]),
        (call("1", "str_replace_based_edit_tool", command="view", path="/w/h.py"), [("/w/h.py", "read")]),
        (call("1", "read_many_files", paths=["a/b.py", "c/d.py"]), [("a/b.py", "read"), ("c/d.py", "read")]),
        (ToolCall("1", "apply_patch", PATCH), [("src/a.py", "edited"), ("docs/b.md", "written")]),
        (
            call("1", "shell", command=["apply_patch", PATCH]),
            [("src/a.py", "edited"), ("docs/b.md", "written")],
        ),
        (call("1", "bash", command="create reproduce.py"), [("reproduce.py", "written")]),
        (call("1", "bash", command="open src/x/fields.py 1474"), [("src/x/fields.py", "read")]),
        (call("1", "Bash", command="sed -i 's/a/b/' src/x.py"), [("src/x.py", "edited")]),
        (call("1", "Bash", command="echo hi > out/log.txt"), [("out/log.txt", "written")]),
        (call("1", "Bash", command="node -e 'rows.map(r => r.text)' src/a.js"), [("src/a.js", "named")]),
        (call("1", "Bash", command="sed -i '' 's|a >b.py|rm c.py|' src/x.py"), [("src/x.py", "edited")]),
        (call("1", "Bash", command="cd '/w/a b' && cat 'src/x.py'"), [("/w/a b/src/x.py", "read")]),
        (
            call("1", "Bash", command="cat 'app/(site)/page.tsx' 2>/dev/null"),
            [("app/(site)/page.tsx", "read")],
        ),
        (call("1", "Bash", command="rm -rf build/old.txt"), [("build/old.txt", "deleted")]),
        (call("1", "Glob", pattern="**/*.py"), []),
    ],
)
def test_files_and_deeds_are_read_from_the_arguments(made: ToolCall, files: list[tuple[str, str]]) -> None:
    assert list(decode(made).files) == files


@pytest.mark.parametrize(
    "command, files",
    [
        ("docker run --rm quay:3.12 pytest && docker rm web; npm rm kit; helm rm release/tide", []),
        ("git remote rm origin", []),
        ("mv src/ferry.py src/boat.py", [("src/ferry.py", "deleted"), ("src/boat.py", "written")]),
        ("git mv -k a.py lib/", [("a.py", "deleted"), ("lib/a.py", "written")]),
        (
            "mv tide.md quay.md docs",
            [
                ("tide.md", "deleted"),
                ("docs/tide.md", "written"),
                ("quay.md", "deleted"),
                ("docs/quay.md", "written"),
            ],
        ),
        ("cp -r src/ferry.py src/boat.py", [("src/boat.py", "written"), ("src/ferry.py", "named")]),
        (
            "cp .env.example .env && docker cp web:/app/a.py a.py; mv -h",
            [(".env", "written"), ("a.py", "named")],
        ),
        ("git rm --cached .env", []),
        ("git rm src/ferry.py", [("src/ferry.py", "deleted")]),
        ("rm --force src/ferry.py", [("src/ferry.py", "deleted")]),
        ("cd harbour; sudo rm -rf -- build", [("harbour/build", "deleted")]),
        ("(rm -rf build dist) 2>/dev/null", [("build", "deleted"), ("dist", "deleted")]),
        ("if true; then rm a.py \\\n  b.py; fi", [("a.py", "deleted"), ("b.py", "deleted")]),
        ("rm -f tide.log; make > tide.log", [("tide.log", "written")]),
        ("# it's quay -> utils/quay\nls", []),
        ("cat ferry.py # > note.txt", [("ferry.py", "read")]),
        ("# the ferry's code\ncat ferry.py", [("ferry.py", "read")]),
        ("echo quay => a.py > b.py", [("b.py", "written"), ("a.py", "named")]),
        ("cat <<'EOF' > src/new.py\nx > y.py\nEOF", [("src/new.py", "written")]),
        ("cat > src/new.py <<EOF\nx > y.py", [("src/new.py", "written")]),
        ("echo $((1<<3))\nrm src/old.py", [("src/old.py", "deleted")]),
        ("echo $(( 1 << n ))\nrm src/old.py", [("src/old.py", "deleted")]),
        ("wc -c <<< tide\nrm src/old.py", [("src/old.py", "deleted")]),
        (
            "cat > a.py <<EOF\nx\nEOF\ncat > b.py <<EOF\ny\nEOF\nrm c.py",
            [("a.py", "written"), ("b.py", "written"), ("c.py", "deleted")],
        ),
        ("sed -ri 's/a/b/' src/x.py", [("src/x.py", "edited")]),
        ("sed --in-place 's/a/b/' src/x.py", [("src/x.py", "edited")]),
        ("sed -i 's/a/b/' src/x.py src/y.py", [("src/x.py", "edited"), ("src/y.py", "edited")]),
        ("sed -i 5d log", [("log", "edited")]),
        ("sed -n '1,5p' src/x.py", [("src/x.py", "read")]),
        ("make " + "quay " * 398 + "src/ferry/timetable.py", []),
    ],
)
def test_files_and_deeds_are_read_from_a_command(command: str, files: list[tuple[str, str]]) -> None:
    assert list(decode(call("1", "Bash", command=command)).files) == files


@pytest.mark.parametrize(
    "name, operation",
    [
        ("apply_diff", "edited"),
        ("modify_file", "edited"),
        ("rename_file", "edited"),
        ("moveFile", "edited"),
        ("format_file", "edited"),
        ("rename_symbol", "edited"),
        ("refactor", "edited"),
        ("push_files", "named"),
        ("upload_file", "named"),
        ("lint_file", "named"),
        ("duplicate_file", "named"),
        ("get_file_information", "read"),
        ("showFile", "read"),
        ("cat", "read"),
        ("mcp__editor__read_file", "read"),
    ],
)
def test_what_a_tool_does_to_its_file_is_told_by_its_name(name: str, operation: str) -> None:
    assert decode(call("1", name, path="src/ferry.py")).files == (("src/ferry.py", operation),)


@pytest.mark.parametrize("path", ["/w/app/routes/users.$id.tsx", "/w/src/quay a.py", "/w/{tide}/a.py"])
def test_a_path_that_was_asked_for_is_whole(path: str) -> None:
    made = decode(call("1", "Read", file_path=path))
    assert (made.files, made.text) == (((path, "read"),), "")


@pytest.mark.parametrize("path", ["src/*.py", "src/?.py", "src/{a,b}.py"])
def test_a_wildcard_is_no_path(path: str) -> None:
    assert decode(call("1", "Read", file_path=path)).files == ()


@pytest.mark.parametrize(
    "made, command",
    [
        (call("1", "Bash", command="make test", description="Runs"), "make test"),
        (call("1", "shell", command=["bash", "-lc", "make test"], workdir="/p"), "make test"),
        (call("1", "exec_command", cmd="make test"), "make test"),
        (call("1", "shell", command=["ls", "-la"]), "ls -la"),
        (ToolCall("1", "shell", '["ls"]'), "ls"),
        (ToolCall("1", "bash", "make test"), "make test"),
        (call("1", "task_tracker", command="plan", task_list=[]), ""),
        (call("1", "task_tracker", command="view"), ""),
        (call("1", "run_task", command="make test"), "make test"),
    ],
)
def test_commands_are_read_from_the_arguments(made: ToolCall, command: str) -> None:
    assert decode(made).command == command


@pytest.mark.parametrize(
    "made",
    [
        call(
            "1",
            "TodoWrite",
            todos=[{"content": "A", "status": "completed"}, {"content": "B", "status": "pending"}],
        ),
        call(
            "1",
            "update_plan",
            plan=[{"step": "A", "status": "completed"}, {"step": "B", "status": "pending"}],
        ),
        call("1", "write_todos", todos=[{"description": "B", "status": "pending"}]),
        call("1", "task_tracker", command="plan", task_list=[{"title": "B", "status": "todo"}]),
    ],
)
def test_open_tasks_are_read_from_the_list_of_any_agent(made: ToolCall) -> None:
    assert decode(made).tasks == ("[ ] B",)


def test_other_scalar_arguments_keep_their_keys() -> None:
    made = call(
        "1", "book", user_id="mia_3668", flights=[{"flight_number": "HAT136"}], note="x" * 500, ok=True
    )
    assert decode(made).values == (("user_id", "mia_3668"), ("flight_number", "HAT136"))


def test_the_path_of_a_huge_write_is_still_found() -> None:
    made = call("1", "Write", file_path="/p/big.json", content="x" * 5_000_000)
    assert decode(made).files == (("/p/big.json", "written"),)


@pytest.mark.parametrize(
    "text, error, label, line",
    [
        ("done", False, "ok", ""),
        (
            "exit code: 2\nmake: *** [Makefile:3: test] Error 2",
            False,
            "exit 2",
            "make: *** [Makefile:3: test] Error 2",
        ),
        ("Traceback (most recent call last):\n  File 'a'\nKeyError: 'id'", True, "error", "KeyError: 'id'"),
        (
            "==== 3 passed, 1 failed in 0.2s ====",
            False,
            "3 passed, 1 failed",
            "==== 3 passed, 1 failed in 0.2s ====",
        ),
        ('{"output":"no such test","metadata":{"exit_code":4}}', False, "exit 4", ""),
        ('{"stdout":"make\\nerror: no \\"quay\\"\\n","code":1}', True, "error", 'error: no "quay"'),
        ('["building\\n3 passed, 1 failed\\n"]', False, "3 passed, 1 failed", "3 passed, 1 failed"),
        ("\x1b[31merror: boom\x1b[0m", True, "error", "error: boom"),
        ("5 passed, 0 failed", False, "5 passed, 0 failed", ""),
        ("Output: quay\nError: (none)\nExit Code: 0", False, "ok", ""),
        (
            "Traceback (most recent call last):\n  File 'a'\nharbour.errors.FeedError: no feed\n",
            False,
            "error",
            "harbour.errors.FeedError: no feed",
        ),
        ("building\nerror: could not compile `quay`", False, "error", "error: could not compile `quay`"),
        ("bash: line 1: ferry: command not found", False, "error", "bash: line 1: ferry: command not found"),
        ("/bin/sh: 1: ferry: not found", False, "error", "/bin/sh: 1: ferry: not found"),
        ("ls: /quay: No such file or directory\n", False, "error", "ls: /quay: No such file or directory"),
        ("make: *** [Makefile:3: test] Error 2", False, "error", "make: *** [Makefile:3: test] Error 2"),
        ("error: one of two\ntried again\ndone", False, "ok", "error: one of two"),
        ("0 errors\nno error: all is well", False, "0 errors", ""),
        ("raises ValueError", False, "ok", ""),
        ("Bau\nFehler: kein Kai\nfertig\nexit code 2", False, "exit 2", "Fehler: kein Kai"),
        ("错误：没有码头", True, "error", "错误：没有码头"),
        ("exit code: 0\nfatal: is a word", False, "ok", "fatal: is a word"),
    ],
)
def test_outcomes_are_read_from_exit_codes_counts_and_error_lines(
    text: str, error: bool, label: str, line: str
) -> None:
    went = outcome(ToolResult("1", (Text(text),), is_error=error), "make quay")
    assert (went.label, went.error) == (label, line)


@pytest.mark.parametrize(
    "text, command, label",
    [
        ("Exit code: 1\nWall time: 2 s\nOutput:\nquay\nexit code 0", "make", "exit 1"),
        ("Wall time: 2 s\nProcess exited with code 2\nOutput:\nquay\nexit code 0", "make", "exit 2"),
        ("quay\n[The command completed with exit code 3.]", "make", "exit 3"),
        ("Exit code 1\nquay", "grep -c tide quay.log", "exit 1"),
        ("(no output)\n\nCommand exited with code 1", "grep tide quay.log", "exit 1"),
        ("Output: quay\nError: (none)\nExit Code: 4\nSignal: 0\nProcess Group PGID: 71", "make", "exit 4"),
        ("quay\nexit status 4\nquay\nexit status 0", "make", "ok"),
        ("quay\nEXIT: 1", "make; echo EXIT: $?", "exit 1"),
        ("error Command failed with exit code 1.", "yarn build", "exit 1"),
        ("<returncode>1</returncode>\n<output>quay</output>", "make", "exit 1"),
        ("sandbox denied exec error, exit code: 2, stdout: , stderr: no quay\nmore", "cat a.md", "exit 2"),
        ("the manual says exit code 2 is a closed quay", "./manual", "ok"),
        ("quay\nexit code 2", "cat quay.log", "ok"),
        ("14: exit code 2 means it leaks", "grep -n 'exit code' quay.md", "ok"),
        ('{"output":"1 failed\\nexit code 7","metadata":{"exit_code":0}}', "make", "ok"),
        ('{"output":"1 failed","metadata":{"exit_code":0}}', "pytest | tail -3", "1 failed"),
        ("3 passed\nexit code 1", "pytest --cov", "3 passed, exit 1"),
        ("a1b2c3d Mend 3 failed ferries", "git log --oneline | head -3", "ok"),
        ("run 7: 3 failed", "grep -n 'run | test' quay.log", "ok"),
        ("1 failed", "cat quay.log && pytest", "1 failed"),
        ("Command timed out after 120s", "make", "error"),
    ],
)
def test_a_code_counts_where_it_was_reported_or_stands_on_a_line_of_its_own(
    text: str, command: str, label: str
) -> None:
    went = outcome(ToolResult("1", (Text(text),)), command)
    assert (went.label, went.failed) == (label, label != "ok")


@pytest.mark.parametrize("unit", ["-", "a ", "'-", "a", " ", '"', "exit 1 ", "a.go:1:", "|"])
def test_outcomes_are_read_in_linear_time(unit: str) -> None:
    line = unit * (200_000 // len(unit))
    assert outcome(ToolResult("1", (Text(f"{line} exit code"),)), f"make {line}").label == "ok"
    assert outcome(ToolResult("1", (Text(line),)), f"cat {line}").label == "ok"


@pytest.mark.parametrize(
    "line",
    [
        "src/a.ts(245,9): error TS2769: No quay.",
        "src/a.ts:245:9 - error TS2769: No quay.",
        "./tide.go:3:4: undefined: quay",
        "error[E0425]: cannot find value `quay`",
        "src/a.c:3:4: error: no quay",
    ],
)
def test_the_line_of_a_compiler_says_that_a_build_failed_whose_code_is_hidden(line: str) -> None:
    reported = json.dumps({"output": f"building\n{line}\nmore", "metadata": {"exit_code": 0}})
    for text in (f"building\n{line}\nmore", reported):
        assert outcome(ToolResult("1", (Text(text),)), "make all 2>&1 | head -50").label == "error"
        assert outcome(ToolResult("1", (Text(text),)), "cat build.log | head -50").label == "ok"
        assert outcome(ToolResult("1", (Text(text),)), "ls && cat build.log").label == "ok"
    assert outcome(ToolResult("1", (Text(reported),)), "make all").label == "ok"


@pytest.mark.parametrize(
    "command",
    [
        "tail -5 build.log",
        "cd /quay && cat build.log",
        "docker logs quay",
        "git show",
        "find logs -name '*.log' -mtime -1 | xargs -n 5 grep -i error",
    ],
)
def test_a_command_that_shows_what_others_wrote_has_not_failed_by_what_it_shows(command: str) -> None:
    result = ToolResult("1", (Text("starting\nerror: no quay"),))
    assert outcome(result, command).label == "ok"
    assert outcome(result, "make quay").label == "error"


@given(ARGUMENTS, st.sampled_from(["Bash", "Edit", ""]), TEXTS, st.booleans())
def test_no_call_and_no_result_is_too_odd_to_read(arguments: str, name: str, text: str, error: bool) -> None:
    action = decode(ToolCall("1", name, arguments))
    went = outcome(ToolResult("1", (Text(text),), is_error=error), action.command)
    assert len(action.command) <= 100_000
    assert went.failed or not error


def test_paths_in_prose_are_found_without_their_surroundings() -> None:
    text = "请修改src/auth/login.py文件。See `docs/plan.md`, (app/(site)/page.tsx) and C:\\shop\\a.py, ~/notes.txt."
    assert list(find_paths(text)) == [
        "src/auth/login.py",
        "docs/plan.md",
        "app/(site)/page.tsx",
        "C:\\shop\\a.py",
        "~/notes.txt",
    ]


@pytest.mark.parametrize(
    "text",
    ["and/or", "application/json", "/dev/null", "2024/05/20", "https://x.org/a/b", "e.g. n/a", "1/2", "v1.2"],
)
def test_what_only_looks_like_a_path_is_left_out(text: str) -> None:
    assert list(find_paths(text)) == []


@pytest.mark.parametrize("prefix", ["ב-", "ל-"])
def test_a_hyphen_behind_a_prefix_is_no_part_of_a_path(prefix: str) -> None:
    assert list(find_paths(f"{prefix}config/prod.yaml")) == ["config/prod.yaml"]


def test_names_of_standards_are_no_tickets() -> None:
    text = "GPT-5, UTF-8, ISO-8601, SHA-256, HTTP-2, RFC-9110; QUAY-8, SHAPE-3 and HTTP-404"
    assert list(find_names(text)) == [("ticket", "QUAY-8"), ("ticket", "SHAPE-3"), ("code", "HTTP-404")]


def test_names_are_found_with_their_kinds() -> None:
    text = (
        "Fix #42 and ABC-17 on localhost:5173 since v2.3.1: parseToken and user_id raise E0432, see "
        "https://docs.example.org/a?b=1. Commit 9f8e7d6c by ada@example.org."
    )
    assert list(find_names(text)) == [
        ("ticket", "#42"),
        ("ticket", "ABC-17"),
        ("port", "localhost:5173"),
        ("version", "v2.3.1"),
        ("symbol", "parseToken"),
        ("symbol", "user_id"),
        ("code", "E0432"),
        ("link", "https://docs.example.org/a?b=1"),
        ("hash", "9f8e7d6c"),
        ("email", "ada@example.org"),
    ]


@pytest.mark.parametrize(
    "unit", ["aB", "a_", "a/", "a.", "0f", "http://", "A1", "((", "$1", "x:1", "[a]/", "E1-"]
)
def test_patterns_take_linear_time_on_one_endless_line(unit: str) -> None:
    line = unit * (200_000 // len(unit))
    assert sum(1 for _ in find_names(line)) + sum(1 for _ in find_paths(line)) < 100_000


def test_arguments_in_json_are_decoded_before_paths_are_taken() -> None:
    made = ToolCall("1", "Edit", json.dumps({"file_path": "/p/日本/a.py"}))
    assert "\\u" in made.arguments
    assert decode(made).files == (("/p/日本/a.py", "edited"),)
