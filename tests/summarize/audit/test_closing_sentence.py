"""A free text that tells of the user and begins or ends with a sentence to the user is taken without it; an answer is
not.
"""

from __future__ import annotations

import pytest

from tests.summarize.audit.stories import GOOD, asked, grounds

TOLD = (
    "The user wants the login in src/auth/session.py fixed, and the database schema must never be touched. Times are "
    "compared in UTC now, because the tokens carry UTC; the service listens on port 8443. parse_token is to be renamed "
    "to read_token next."
)
QUOTING = f'{TOLD} The newest request: "Now rename parse_token to read_token."'


@pytest.mark.parametrize(
    "closing",
    [
        "Let me know whether I should go on.",
        "Please tell me if you want the alias kept as well.",
        "Shall I go on with the renaming?",
        "Do you want me to rename it now?",
        "Feel free to ask for more.",
    ],
)
@pytest.mark.parametrize("text", [TOLD, QUOTING])
@pytest.mark.parametrize("between", [" ", "\n\n"])
def test_the_last_sentence_to_the_user_goes_by_itself(text: str, between: str, closing: str) -> None:
    draft, _ = asked([f"{text}{between}{closing}"] * 2, grounds(form="prose"))
    assert draft.method == "normal"
    assert closing not in draft.text
    assert "compared in UTC now" in draft.text


@pytest.mark.parametrize(
    "opening",
    [
        "Understood, I will write the test now and run it.",
        "Sure, here is what I have so far!",
        "Okay. ",
        "I can do that.",
    ],
)
@pytest.mark.parametrize("between", [" ", "\n\n"])
def test_the_first_sentence_of_an_answer_goes_by_itself(opening: str, between: str) -> None:
    draft, _ = asked([f"{opening}{between}{TOLD}"] * 2, grounds(form="prose"))
    assert draft.method == "normal"
    assert opening.strip() not in draft.text
    assert "compared in UTC now" in draft.text


@pytest.mark.parametrize(
    "reply",
    [
        "Understood, I will fix the login in src/auth/session.py. I compare times in UTC now, and the tokens carry it.",
        "The login is fixed: times are compared in UTC now. All tests of the session pass. Shall I rename it next?",
        f"I fixed it as you wished. {TOLD} Shall I go on?",
        "The user table is untouched. Let me know whether I should go on.",
    ],
)
def test_an_answer_that_asks_at_its_end_is_not_taken(reply: str) -> None:
    draft, _ = asked([reply] * 2, grounds(form="prose"))
    assert draft.method != "normal"


@pytest.mark.parametrize(
    "before",
    [
        "Sure! In the settings of your router, under Advanced, the lease can be made longer.",
        "You can switch this on under Settings, Automation. Restart it afterwards.",
        "Gerne! Das stellen Sie unter Bearbeiten, Einstellungen ein.",
        "好的，您可以在设置里打开它。",
    ],
)
def test_what_stands_before_the_headings_and_answers_somebody_goes_in_whole(before: str) -> None:
    draft, _ = asked([f"{before}\n{GOOD}"] * 2)
    assert draft.method == "normal"
    assert not set(before.split(".")) & set(draft.text.split("."))
    assert "The user: never touch the database schema" in draft.text


def test_what_stands_before_the_headings_and_tells_of_the_session_stays() -> None:
    before = "The session is about the login; times are compared in UTC now."
    draft, _ = asked([f"{before}\n{GOOD}"] * 2)
    assert before in draft.text
