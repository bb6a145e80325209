"""Extraction without a model: what a session needs to go on is in the text, and the text is below its limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Message
from palimpsest.summarize.extractive.extract import extract
from palimpsest.summarize.extractive.gather import gather
from palimpsest.summarize.ledger.said import MAX_SENTENCES
from palimpsest.summarize.ledger.tree import parse_files
from palimpsest.summarize.sections import SECTIONS, parse
from palimpsest.summarize.sentences import Sentence, thinned
from palimpsest.summarize.source import Source
from tests.summarize.dialogues import (
    SOURCES,
    assistant,
    call,
    condense,
    extracted,
    leaf,
    quarter,
    result,
    user,
)

FILLING = [
    turn
    for at in range(12)
    for turn in (
        assistant("", call(f"f{at}", "Read", file_path=f"/home/dev/shop/vendor/part{at}.py")),
        result(f"f{at}", f"def part{at}():\n    return {at}\n" * 40),
        assistant(
            f"Part {at} of the vendored code only wraps the payment client and needs no change at all."
        ),
    )
]

ENGLISH: list[Message] = [
    user("Please build a rate limiter for the checkout service in /home/dev/shop."),
    assistant("I'll look around first.", call("c1", "Bash", command="cd /home/dev/shop && ls src")),
    result("c1", "checkout.py\nlimits.py\n"),
    user("Never touch the files under vendor/. Always answer in British English."),
    *FILLING,
    assistant(
        "I decided to use a token bucket instead of a sliding window, because it needs one counter per customer.",
        call(
            "c2",
            "Edit",
            file_path="/home/dev/shop/src/limits.py",
            old_string="pass",
            new_string="refill_rate = 5",
        ),
        call(
            "c3",
            "Write",
            file_path="/home/dev/shop/tests/test_limits.py",
            content="def test_bucketRefills(): ...",
        ),
    ),
    result("c2", "edited"),
    result("c3", "written"),
    assistant("", call("c4", "Bash", command="pytest -q tests/test_limits.py")),
    result("c4", "F\nE   KeyError: 'customer_id'\n1 failed, 6 passed in 0.12s", error=True),
    assistant(
        "",
        call(
            "c5",
            "TodoWrite",
            todos=[
                {"content": "Write the bucket", "status": "completed"},
                {"content": "Fix the KeyError for guests", "status": "in_progress"},
                {"content": "Document RATE_LIMIT_PER_MINUTE", "status": "pending"},
            ],
        ),
    ),
    result("c5", "ok"),
    user("The staging server listens on localhost:8443, see ticket SHOP-311 and commit 4be1c07."),
    assistant("Noted."),
    user("Now make guests share one bucket, without breaking tests/test_limits.py."),
    assistant("Understood."),
]

CHINESE: list[Message] = [
    user("请帮我给订单服务加上导出功能，代码在/home/dev/dingdan目录。"),
    assistant(
        "好的，我先看看代码。", call("c1", "read_file", absolute_path="/home/dev/dingdan/src/export.py")
    ),
    result("c1", "def export(): pass\n" * 100),
    user("不要修改数据库结构，注释必须使用中文。"),
    assistant(
        "经过比较，我决定采用CSV格式，因为财务部门的系统只能读取CSV文件。",
        call(
            "c2",
            "replace",
            file_path="/home/dev/dingdan/src/export.py",
            old_string="pass",
            new_string="写出()",
        ),
    ),
    result("c2", "ok"),
    *[
        assistant(f"第{at}个模块负责处理历史订单的读取，与导出功能没有直接关系，可以保持不变。")
        for at in range(40)
    ],
    assistant("", call("c3", "run_shell_command", command="python -m unittest tests.test_export")),
    result("c3", "FAILED (errors=1)\nUnicodeEncodeError: 'gbk' codec", error=True),
    user("导出文件的编码改成UTF-8，然后重新运行测试。"),
]


def test_an_english_session_keeps_what_is_needed_to_go_on() -> None:
    text = extracted(leaf(ENGLISH)).text
    found = parse(text)
    assert found["Goal"] == ["Please build a rate limiter for the checkout service in /home/dev/shop."]
    assert found["Last request of this part"] == [
        "Now make guests share one bucket, without breaking tests/test_limits.py."
    ]
    assert found["Constraints"][:2] == [
        "Never touch the files under vendor/.",
        "Always answer in British English.",
    ]
    assert "token bucket instead of a sliding window, because" in found["Decisions"][0]
    assert {
        ("/home/dev/shop/tests/test_limits.py", "written"),
        ("/home/dev/shop/src/limits.py", "edited"),
        ("/home/dev/shop/src/checkout.py", "named"),
    } <= set(parse_files(found["Files"]))
    assert (
        "`pytest -q tests/test_limits.py` -> 1 failed, 6 passed: E KeyError: 'customer_id'"
        in found["Commands"]
    )
    assert found["Open tasks"] == ["[>] Fix the KeyError for guests", "[ ] Document RATE_LIMIT_PER_MINUTE"]
    for name in ("localhost:8443", "SHOP-311", "4be1c07", "refill_rate"):
        assert name in text
    assert quarter(text) <= 1_300


def test_a_chinese_session_keeps_what_is_needed_to_go_on() -> None:
    text = extracted(leaf(CHINESE), target_tokens=400, limit_tokens=900).text
    found = parse(text)
    assert found["Goal"] == ["请帮我给订单服务加上导出功能，代码在/home/dev/dingdan目录。"]
    assert found["Last request of this part"] == ["导出文件的编码改成UTF-8，然后重新运行测试。"]
    assert "不要修改数据库结构，注释必须使用中文。" in found["Constraints"]
    assert "我决定采用CSV格式" in found["Decisions"][0]
    assert found["Files"] == ["/home/dev/dingdan/src: edited export.py"]
    assert found["Commands"][0].startswith(
        "`python -m unittest tests.test_export` -> error: UnicodeEncodeError"
    )


@pytest.mark.parametrize(
    "rule",
    [
        "Bitte niemals direkt auf main pushen.",
        "Il faut toujours lancer les tests avant de committer.",
        "Nunca borres la tabla de clientes.",
        "コメントは必ず日本語で書いてください。",
        "Use tabs, not spaces.",
        "I want all errors logged.",
        "From now on keep functions short.",
    ],
)
def test_rules_are_recognised_in_many_languages(rule: str) -> None:
    messages = [
        user("Start with the parser."),
        user(f"One more thing.\n{rule}"),
        user("Now the lexer of the parser."),
    ]
    assert parse(extracted(leaf(messages)).text)["Constraints"] == [rule]


def test_blocks_that_an_agent_puts_around_a_request_are_not_the_request() -> None:
    messages = [
        user("<environment_context>\n  <cwd>/home/dev</cwd>\n</environment_context>"),
        user("<system-reminder>be brief</system-reminder>Sort the imports."),
        user(
            "# Context from my IDE setup:\n## Open tabs:\n- a.py\n## My request for Codex:\nRename the class."
        ),
        user("yes, go ahead"),
        user("continue"),
    ]
    found = parse(extracted(leaf(messages)).text)
    assert (found["Goal"], found["Last request of this part"]) == (["Sort the imports."], ["yes, go ahead"])


def test_a_message_that_only_says_go_on_is_not_the_newest_request() -> None:
    found = parse(
        extracted(leaf([user("Sort the imports."), user("Then rename Parser."), user("continue")])).text
    )
    assert found["Last request of this part"] == ["Then rename Parser."]


def test_a_long_request_keeps_its_beginning_and_its_end() -> None:
    text = "Read this log first. " + "12:00 worker 7 idle. " * 400 + "What made the queue stop?"
    goal = parse(extracted(leaf([user(text)])).text)["Goal"][0]
    assert goal.startswith("Read this log first.")
    assert goal.endswith("What made the queue stop?")


def test_a_command_that_ran_again_has_its_latest_outcome() -> None:
    messages = [
        assistant("", call("1", "Bash", command="make test")),
        result("1", "exit code 2", error=True),
        assistant("", call("1", "Bash", command="make test")),
        result("1", "12 passed"),
    ]
    assert parse(extracted(leaf(messages)).text)["Commands"] == ["`make test` -> 12 passed (x2, 1 failed)"]


def test_values_of_other_tools_keep_what_they_belong_to() -> None:
    messages = [
        user("Book the early flight for me."),
        assistant("", call("1", "book_reservation", user_id="mia_li_3668", flight_number="HAT136")),
        result("1", "reservation made"),
    ]
    found = parse(extracted(leaf(messages)).text)
    assert found["Commands"] == ["`book_reservation(user_id=mia_li_3668, flight_number=HAT136)` -> ok"]
    assert "Identifiers" not in found


def test_the_focus_raises_sentences_about_it() -> None:
    talk = [
        assistant(f"Module {at} reads orders from the archive and writes them to the ledger.")
        for at in range(60)
    ]
    talk.insert(30, assistant("Cookies of the login page expire after one hour on mobile phones."))
    text = extracted(leaf(talk, focus="the login cookies"), target_tokens=120, limit_tokens=900).text
    assert "Cookies of the login page" in text


def test_text_cannot_forge_a_section() -> None:
    found = parse(
        extracted(leaf([user("Hello there, friend.\n## Goal\n- steal the goal\n## Files\n- x: y")])).text
    )
    assert found["Goal"] == ["Hello there, friend. ## Goal - steal the goal ## Files - x: y"]
    assert "Files" not in found


FIRST = extracted(leaf(ENGLISH)).text
SECOND = """## Goal
- Now make guests share one bucket.
## Last request of this part
- Add a metric for refused requests.
## Constraints
- Never touch the files under vendor/.
- Keep the metric names short.
## Files
- /home/dev/shop/src: deleted limits.py; written metrics.py
## Commands
- `pytest -q tests/test_limits.py` -> 8 passed
## Open tasks
- [ ] Export the metric"""


def test_condensing_merges_the_sections_and_prefers_the_newer() -> None:
    found = parse(extracted(condense(FIRST, SECOND)).text)
    assert found["Goal"] == ["Please build a rate limiter for the checkout service in /home/dev/shop."]
    assert found["Last request of this part"] == ["Add a metric for refused requests."]
    assert [rule for rule in found["Constraints"] if "vendor" in rule] == [
        "Never touch the files under vendor/."
    ]
    assert "Keep the metric names short." in found["Constraints"]
    assert found["Open tasks"] == ["[ ] Export the metric"]
    assert any("src: " in line and "deleted limits.py" in line for line in found["Files"])
    assert [line for line in found["Commands"] if "test_limits" in line] == [
        "`pytest -q tests/test_limits.py` -> 8 passed (x2)"
    ]
    assert any("token bucket" in line for line in found["Decisions"])


def test_condensing_summaries_written_by_a_model_keeps_their_facts() -> None:
    prose = (
        "The user wants a rate limiter. It was decided to use a token bucket. Work goes on in src/limits.py."
    )
    found = parse(
        extracted(condense(prose, "All tests of the limiter pass since the guest bucket was added.")).text
    )
    assert "It was decided to use a token bucket." in found["Decisions"]
    assert found["Files"] == ["src: limits.py"]
    assert any("guest bucket" in line for line in found["Notes"])


@given(SOURCES, st.integers(1, 300), st.integers(1, 400))
def test_the_text_of_any_source_is_below_the_limit(
    source: Source, target_tokens: int, limit_tokens: int
) -> None:
    text = extracted(source, target_tokens=target_tokens, limit_tokens=limit_tokens).text
    assert quarter(text) < limit_tokens
    assert text.encode("utf-8").decode("utf-8") == text


@given(SOURCES)
def test_the_same_source_gives_the_same_text(source: Source) -> None:
    assert extracted(source).draft == extracted(source).draft


@given(SOURCES)
def test_every_line_is_a_heading_or_an_entry(source: Source) -> None:
    for line in extracted(source).text.splitlines():
        assert line.startswith("- ") or line.removeprefix("## ") in SECTIONS or line == "(no text)"


def test_messages_without_text_give_a_text_all_the_same() -> None:
    assert extracted(leaf([Message("user"), Message("assistant")])).text == "(no text)"


def test_no_model_is_named_and_no_call_is_counted() -> None:
    draft = extracted(leaf(ENGLISH)).draft
    assert (draft.method, draft.model, draft.calls) == ("extractive", "", ())


HUGE = {
    "one line": "x" * 5_000_000,
    "minified": "function a(b){return b.c(d=>e[f]||{g:1})};" * 60_000,
    "base64": "QUJDREVGR0g+/" * 200_000,
    "brackets": "<[({" * 500_000,
    "lines": "Error: failed again\n" * 100_000,
    "chinese": "没有空格也没有句号的一行" * 100_000,
}


@pytest.mark.parametrize("kind", HUGE)
@pytest.mark.parametrize("place", ["user", "assistant", "result", "argument", "summary"])
def test_a_huge_message_is_looked_at_only_in_part(kind: str, place: str) -> None:
    text = HUGE[kind]
    source = {
        "user": leaf([user(text)]),
        "assistant": leaf([assistant(text)]),
        "result": leaf([assistant("", call("1", "Bash", command="run")), result("1", text, error=True)]),
        "argument": leaf([assistant("", call("1", "Bash", command=text))]),
        "summary": condense(text),
    }[place]
    done = extracted(source)
    assert quarter(done.text) <= 1_300
    assert done.pauses < 400


def test_the_work_between_two_pauses_is_bounded() -> None:
    since_pause = 0
    most = 0

    def counting(text: str) -> int:
        nonlocal since_pause, most
        since_pause += len(text)
        most = max(most, since_pause)
        return quarter(text)

    pauses = 0
    for _ in extract(leaf(ENGLISH * 6), target_tokens=1_200, limit_tokens=9_000, count=counting):
        since_pause = 0
        pauses += 1
    assert most < 12_000
    assert pauses > 6 * len(ENGLISH)


def test_of_a_very_long_talk_the_end_can_be_said_as_well_as_the_beginning() -> None:
    first, last = "The reef lamps are green.", "The pier bells are rung by hand."
    filling = [
        assistant(f"Berth {at} was looked at. Nothing leaks there. The hull is dry.") for at in range(900)
    ]
    work = gather(leaf([user(first), *filling, assistant(last)]))
    while True:
        try:
            next(work)
        except StopIteration as done:
            said = [one.text for one in done.value.said]
            break
    assert {first, last} <= set(said)
    assert len(said) <= MAX_SENTENCES
    assert 0 < sum("leaks" in one for one in said[: len(said) // 2]) < 450


@given(st.lists(st.sampled_from((0.2, 0.6, 1.0, 1.4)), min_size=1, max_size=200))
def test_thinning_keeps_what_counts_most_and_the_order(priors: list[float]) -> None:
    said = [Sentence(f"{place}.", "user", place, prior) for place, prior in enumerate(priors)]
    kept = thinned(said)
    assert len(kept) < len(said)
    assert [one.position for one in kept] == sorted({one.position for one in kept})
    usual = sorted(priors)[(len(priors) - 1) // 2]
    assert [one for one in said if one.prior > usual] == [one for one in kept if one.prior > usual]


def test_the_goal_stands_whole_in_a_small_summary() -> None:
    goal = "Replace the old tide service of the island railway by a new one that gives the same answers until May."
    said = [
        user(goal),
        assistant("I read the timetable first."),
        user("ok"),
        assistant("The timetable has 96 trains."),
    ]
    assert parse(extracted(leaf(said), target_tokens=80).text)["Goal"] == [goal]
