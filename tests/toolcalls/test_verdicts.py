"""How programs say that they failed, where no exit code tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Text, ToolResult
from palimpsest.toolcalls.outcomes import DECLINED, STOPPED, Outcome, outcome, says_failed


def ended(command: str, text: str) -> Outcome:
    return outcome(ToolResult("1", (Text(text),)), command)


FAILED = {
    "./build/tides": "[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Tide.Low\n\n 1 FAILED TEST",
    "ctest --test-dir build": "75% tests passed, 1 tests failed out of 4\n\nTotal Test time (real) =   0.02 sec",
    "dotnet build Pier.sln": "Build FAILED.\n    0 Warning(s)\n    1 Error(s)\n\nTime Elapsed 00:00:01.20",
    "dotnet test | tail -3": "Failed!  - Failed:     2, Passed:    29, Skipped:     0, Total:    31, Duration: 812 ms",
    "mvn test | tail": "[ERROR] Tests run: 6, Failures: 0, Errors: 2, Skipped: 0\n[INFO] Total time:  3.4 s",
    "mvn verify | tail": "[INFO] BUILD FAILURE\n[INFO] ------\n[INFO] Total time:  3.4 s",
    "./gradlew test | tail": "BUILD FAILED in 12s\n31 actionable tasks: 4 executed, 27 up-to-date",
    "go test ./tide | cat": "--- FAIL: TestLow (0.00s)\n    tide_test.go:12: got 1\nok",
    "vendor/bin/phpunit": "FAILURES!\nTests: 4, Assertions: 7, Failures: 1.",
    "xcodebuild test -scheme Pier | tail": "Failing tests:\n\tPierTests.testLow()\n\n** TEST FAILED **",
    "swift test 2>&1 | tail -2": "\t Executed 9 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds",
    "bundle exec rspec | tail": "3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/tide_spec.rb:4 # low tide",
    "rake test": "5 runs, 9 assertions, 1 failures, 0 errors, 0 skips",
    "python -m unittest 2>&1 | tail": "Ran 5 tests in 0.002s\n\nFAILED (failures=1)",
    "node --test | tail": "not ok 2 - low tide\n# pass 4\n# cancelled 0",
    "git push origin main | cat": " ! [rejected]   main -> main (fetch first)\nhint: see the note",
    "git merge pier | tail": "Auto-merging gate.py\nCONFLICT (content): Merge conflict in gate.py\nThat is all.",
    "terraform plan | tail -8": "╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 3\n╵",
    "ansible-playbook pier.yml | tail -2": "pier1   : ok=4    changed=1    unreachable=0    failed=1    skipped=0",
    "docker build . | tail": '------\nfailed to solve: process "/bin/sh -c make" did not complete\nView it later',
    "docker start pier": "Error response from daemon: No such container: pier\nfailed containers: pier",
    "pip install tides | tail": "ERROR: Could not find a version that satisfies the requirement tides\nbye",
    "kubectl apply -f pier.yml": 'Error from server (NotFound): namespaces "pier" not found\n---',
    "psql -f tides.sql | tail": 'ERROR:  relation "tides" does not exist\nLINE 1: SELECT * FROM tides\n             ^',
    "curl -s localhost:8080/tide": "curl: (7) Failed to connect to localhost port 8080 after 0 ms\n",
    "Get-Tide": "Get-Tide: The term 'Get-Tide' is not recognized as a name of a cmdlet.\nCheck the spelling.",
    "ninja -C build | tail": "FAILED: src/tide.o\nninja: build stopped: subcommand failed.",
    "java -jar pier.jar": 'Exception in thread "main" java.io.IOException: closed\n\tat pier.Gate.open(Gate.java:7)',
    "./tides": "low 07:10\nSegmentation fault (core dumped)",
}


@pytest.mark.parametrize("command", FAILED)
def test_what_a_program_says_of_its_failure_counts(command: str) -> None:
    assert ended(command, FAILED[command]).failed


@pytest.mark.parametrize(
    "command, text",
    [
        ("./build/tides", "[==========] 4 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 4 tests."),
        ("ctest", "100% tests passed, 0 tests failed out of 4"),
        ("dotnet build", "Build succeeded.\n    0 Warning(s)\n    0 Error(s)\n"),
        ("mvn test | tail", "[INFO] Tests run: 6, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS"),
        ("./gradlew test | tail", "BUILD SUCCESSFUL in 4s\n31 actionable tasks: 4 executed"),
        ("vendor/bin/phpunit", "OK (4 tests, 7 assertions)"),
        ("xcodebuild test", "** TEST SUCCEEDED **"),
        ("swift test", "Executed 9 tests, with 0 failures (0 unexpected) in 0.1 (0.1) seconds"),
        ("bundle exec rspec", "3 examples, 0 failures"),
        ("prove tide.t", "not ok 2 - low tide # TODO not built yet\nok 3\n1..3"),
        ("terraform plan | tail", "Plan: 1 to add, 0 to change, 0 to destroy."),
        ("ansible-playbook pier.yml", "pier1  : ok=4  changed=1  unreachable=0  failed=0  skipped=0"),
        ("make notes", "The build FAILED yesterday.\nWe say why a CONFLICT (a real one) needs a person."),
        ("cat build.log", "BUILD FAILED in 12s"),
        ("git log -3", "panic: closed the gate\nCONFLICT (content): told in a message"),
    ],
)
def test_what_went_well_or_only_shows_a_failure_is_no_failure(command: str, text: str) -> None:
    assert not ended(command, text).failed


def test_an_exit_code_that_no_other_command_hides_is_surer() -> None:
    text = '{"output": "BUILD FAILED in 12s", "metadata": {"exit_code": 0}}'
    assert not ended("./retry.sh", text).failed
    assert ended("./gradlew test | tail", text).failed


def test_a_port_is_no_count() -> None:
    ending = ended("psql -c 'select 1'", 'psql: error: server at "localhost", port 5432 failed: refused')
    assert ending.failed
    assert ending.label == "error"


@given(st.text("[]FAILED!: \n*1,()tes", max_size=80))
def test_what_it_tells_is_a_line_of_the_text(text: str) -> None:
    assert says_failed(text) in (*text.split("\n"), "")


@pytest.mark.parametrize(
    "said, label, why",
    [
        ("exec command rejected by user", DECLINED, ""),
        ("patch rejected by user", DECLINED, ""),
        ("[Operation Cancelled] Reason: User cancelled the operation.", DECLINED, ""),
        ("The user denied this operation.", DECLINED, ""),
        ("The user rejected permission to use this specific tool call.", DECLINED, ""),
        (
            (
                "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
                "not on a Friday"
            ),
            DECLINED,
            "not on a Friday",
        ),
        ("aborted by user after 12.3s", STOPPED, ""),
        ("[Request interrupted by user for tool use]", STOPPED, ""),
        ("Command aborted", STOPPED, ""),
    ],
)
def test_what_the_user_declined_or_stopped_did_not_go_well(said: str, label: str, why: str) -> None:
    given = ToolResult("1", (Text(said),))
    assert outcome(given, "make quay") == Outcome(label, failed=True, error=why)
    assert outcome(given).error == (f"{label}: {why}" if why else "")


@pytest.mark.parametrize(
    "said",
    ["The user table was denied a lock.", "2 rows rejected by userid filter", "users: cancelled by userland"],
)
def test_what_a_program_says_of_users_is_no_word_of_theirs(said: str) -> None:
    assert outcome(ToolResult("1", (Text(said),)), "make quay").label == "ok"
