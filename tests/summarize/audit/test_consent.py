"""Who is said to have agreed to what, and what is said to have been done: held against what was said and run."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.deeds.acts import undone
from palimpsest.summarize.audit.deeds.settled import never_allowed
from palimpsest.summarize.audit.people.consent import unsaid, wishes
from palimpsest.summarize.audit.people.others import unconfirmed
from palimpsest.summarize.source import Source
from tests.summarize.dialogues import assistant, call, leaf, result, user

QUAY: list[Message] = [
    user(
        "Mend the berth export. Never run anything against the live database. Ada must review before it is merged."
    ),
    assistant("The export is mended; the tests pass, and the change is small."),
    user("Yes, look at the buoys after this."),
]


@pytest.mark.parametrize(
    "line",
    [
        "The user approved merging the change.",
        "The user allowed running the query against the live database.",
        "The user confirmed that the export is merged.",
    ],
)
def test_what_had_to_wait_or_was_forbidden_is_agreed_to_only_by_name(line: str) -> None:
    assert list(unsaid(line, leaf(QUAY))) == [line]
    merged = [*QUAY, user("Ada is fine with it. Merge it, and run the query against the live database once.")]
    assert list(unsaid(line, leaf(merged))) == []


def test_a_chinese_user_agrees_as_any_other() -> None:
    said = [user("不要修改 config/prod.yaml。"), assistant("好的。"), user("看一下日志。")]
    line = "用户同意修改 config/prod.yaml。"
    assert list(unsaid(line, leaf(said))) == [line]
    assert list(never_allowed([line], wishes(leaf(said)))) != []


@pytest.mark.parametrize(
    "line, told",
    [
        ("Ada reviewed the change and approved it.", "Ada says it looks ok to her."),
        ("Ada's review is done.", "Ada has approved the change."),
        ("Frau Brandt hat dem Vergleich zugestimmt.", "Frau Brandt ist einverstanden."),
        ("王敏已经评审通过。", "王敏说可以。"),
    ],
)
def test_somebody_else_agreed_only_where_that_is_told(line: str, told: str) -> None:
    waiting = [*QUAY, user("Frau Brandt muss noch zustimmen. 王敏要先评审。")]
    assert list(unconfirmed([line], leaf(waiting))) == [line]
    assert list(unconfirmed([line], leaf([*waiting, user(told)]))) == []


@pytest.mark.parametrize(
    "told, line",
    [
        ("小林建议改成 1000。同意,保持 500。", "小林建议改成 1000,但用户同意保持 500。"),
        ("小林同意改成 1000。", "建议保持 500,但小林同意改成 1000。"),
        ("Mara said yes to the berth.", "Then Mara approved the berth."),
    ],
)
def test_a_word_before_a_name_is_no_part_of_it(told: str, line: str) -> None:
    assert list(unconfirmed([line], leaf([user(told)]))) == []
    stranger = line.replace("用户", "小张").replace("小林同意", "小张同意").replace("Mara", "Lena")
    assert list(unconfirmed([stranger], leaf([user(told)]))) == [stranger]


def test_a_result_tells_who_agreed() -> None:
    answer = result("1", '{"reviews": [{"author": "Ada", "state": "APPROVED"}]}')
    source = leaf([*QUAY, assistant("", call("1", "get_reviews")), answer])
    assert list(unconfirmed(["Ada approved the change."], source)) == []


@pytest.mark.parametrize(
    "line", ["Both agreed on a quiet quay.", "The user approved it.", "Ada has not approved it yet."]
)
def test_nobody_in_particular_and_the_user_are_judged_elsewhere(line: str) -> None:
    assert list(unconfirmed([line], leaf(QUAY))) == []


def _with(*more: Message) -> Source:
    return leaf([user("Find a ferry and draft the letter; submit nothing before I say so."), *more])


@pytest.mark.parametrize(
    "line, tool",
    [
        ("The ferry was booked.", "book_ferry"),
        ("The flights were paid for.", "pay_invoice"),
        ("The seats are reserved.", "reserve_seats"),
        ("Der Entwurf wurde beim Gericht eingereicht.", "submit_document"),
        ("Der Entwurf wurde am Freitag verschickt.", "send_mail"),
        ("已经上线。", "deploy_service"),
    ],
)
def test_what_is_said_to_be_done_outside_was_done_by_a_call(line: str, tool: str) -> None:
    assert list(undone([line], _with())) == [line]
    assert list(undone([line], _with(assistant("", call("1", tool, to="x"))))) == []


@pytest.mark.parametrize(
    "line", ["Beim Gericht wurde bislang nichts eingereicht.", "Der Entwurf soll verschickt werden."]
)
def test_what_was_not_done_yet_is_no_deed(line: str) -> None:
    assert list(undone([line], _with())) == []


@pytest.mark.parametrize(
    "ban, line",
    [
        (
            "Nenne der Gegenseite auf keinen Fall die Adresse der Zeugin.",
            "Die Adresse der Zeugin darf der Gegenseite genannt werden.",
        ),
        ("Keine Urteile der OLG zitieren.", "Auch Urteile der OLG dürfen zitiert werden."),
        ("No flights with two stops.", "Flights with two stops are fine."),
        ("Leave legacy/soap.py alone.", "legacy/soap.py may be changed."),
        ("Keep the API of /v1/orders unchanged.", "The API of /v1/orders can be modified."),
        ("The price list stays as it is.", "The price list may be updated."),
        ("Lass die Liste der Zeugen in Ruhe.", "Die Liste der Zeugen darf geändert werden."),
    ],
)
def test_a_ban_is_not_turned_into_a_permission(ban: str, line: str) -> None:
    assert [one for one, _ in never_allowed([line], [ban])] == [line]


@pytest.mark.parametrize(
    "kept, line",
    [
        ("Leave legacy/soap.py alone.", "legacy/soap.py may be read."),
        ("Leave legacy/soap.py alone.", "legacy/rest.py may be changed."),
        ("Keep the list of prices short.", "The list of prices may be changed."),
    ],
)
def test_what_stays_as_it_is_forbids_only_that_it_is_changed(kept: str, line: str) -> None:
    assert not list(never_allowed([line], [kept]))
