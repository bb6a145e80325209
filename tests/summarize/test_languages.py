"""The language of a summary: one that the user or the assistant speaks, and none where there are only terms."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from tests.summarize.dialogues import assistant, leaf, user
from tests.summarize.test_audit import HASH, grounds


def test_a_terse_summary_is_not_taken_for_another_language() -> None:
    terse = (
        f"## Goal\n- login: src/auth/session.py\n## Progress\n- UTC; commit {HASH}; port 8443\n- parse_token"
    )
    assert audit(terse, grounds()).unusable == ""


CHINESE = leaf(
    [
        user("请修复登录问题，不要修改数据库结构，完成之后运行所有测试。"),
        *[
            assistant(f"I look at part {n} of the session code, and run the tests that are in it.")
            for n in range(9)
        ],
    ]
)


@pytest.mark.parametrize(
    "reply",
    [
        "用户要求修复登录问题，不要修改数据库结构；助手查看了会话代码并运行了测试，完成之后还要运行所有测试。",
        (
            "The user wants the login to be fixed and the schema of the database to stay; the tests in the session "
            "code were run, and all of them are to be run at the end."
        ),
    ],
    ids=["the user's", "the assistant's"],
)
def test_the_languages_of_the_user_and_of_the_assistant_are_both_the_conversations(reply: str) -> None:
    assert audit(reply, grounds(CHINESE)).unusable == ""


def test_technical_terms_are_no_language() -> None:
    talk = leaf(
        [
            user("请修复登录问题，不要修改数据库结构，完成之后运行所有测试。"),
            assistant("好的，我先看会话代码。"),
        ]
        * 4
    )
    terse = "## Progress\n- login: session code; pytest ok\n- make check, lint, build, deploy staging: ok"
    assert audit(terse, grounds(talk)).unusable == ""
    english = "The user wants the login to be fixed and the schema of the database to stay as it is, and the tests run."
    assert audit(english, grounds(talk)).unusable.startswith("it is not in the language")
