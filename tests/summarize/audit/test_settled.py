"""A summary tells what holds in the end: the newest value, the cause that was found, what the user allowed."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.deeds.settled import MAY_ALLOW
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

DESK = leaf(
    [
        user("The nightly job loses berths, please find out why. Never query the archive table, it is huge."),
        assistant("I suspect a lock time-out or the rotation of the partitions."),
        assistant(
            "A lock time-out is ruled out: the log shows no waiting. The rotation empties the partition."
        ),
        user("Good. Open a ticket for the refund as store credit."),
        assistant("", call("a", "update_ticket", ticket="TK-31", payout="store_credit")),
        result("a", '{"ok": true}'),
        user("On second thought, back to the card."),
        assistant("", call("b", "update_ticket", ticket="TK-31", payout="card")),
        result("b", '{"ok": true}'),
        assistant("TK-31 pays out to the card. The job has had 14 restarts so far."),
        user("Prepare the backfill, but ask me before you run it on production. Then open a merge request."),
        assistant("The backfill is prepared.", call("c", "Bash", command="git push -u origin fix/rotation")),
        result("c", "remote: To create a merge request visit https://git.example.net/new"),
    ]
)


def found(line: str, heading: str = "Progress") -> bool:
    """Whether a summary with this line is found to say what did not happen."""
    known = "- The nightly job loses berths, as the rotation empties the partition."
    return bool(audit(f"## {heading}\n{known}\n- {line}", grounds(DESK), whole=False).untrue)


@pytest.mark.parametrize(
    "line",
    [
        "TK-31 pays out as store credit.",
        "The loss was caused by a lock time-out of the job.",
        "The user allowed querying the archive table.",
        "The job was restarted.",
        "The merge request has been merged.",
        "The backfill has been run on production.",
    ],
)
def test_what_was_overtaken_ruled_out_forbidden_or_never_done_is_found(line: str) -> None:
    assert found(line)


@pytest.mark.parametrize(
    "line",
    [
        "TK-31 pays out to the card, after a detour to store credit.",
        "The customer first asked for store credit and then went back to the card.",
        "The rotation empties the partition; a lock time-out was ruled out.",
        "The archive table must not be queried.",
        "The user did not allow querying the archive table.",
        "A merge request is to be opened; the branch is pushed.",
        "The backfill is prepared and must not be run on production before the user agrees.",
        "The user asked to open a ticket for the refund.",
    ],
)
def test_what_holds_in_other_words_is_not_found(line: str) -> None:
    assert not found(line)


def test_the_newest_call_takes_the_place_of_the_one_before() -> None:
    told = audit("## Progress\n- TK-31 pays out as store credit.", grounds(DESK), whole=False)
    assert told.untrue == (
        ("- TK-31 pays out as store credit.", "- `update_ticket(ticket=TK-31, payout=card)`"),
    )


def test_two_ids_in_one_line_are_not_made_one() -> None:
    desk = leaf(
        [
            user("I was charged twice for shipping, PM-2 and PM-3."),
            assistant(
                "The ticket TK-31 for the refund of PM-3 is waiting for approval; the green teapot is sent."
            ),
            user("Thanks. Please pay to the card."),
            assistant("TK-31 pays out to the card."),
        ]
    )
    line = "- (1) the teapot is on its way; (2) refund TK-31 for PM-3 to the card, approval pending."
    assert not audit(f"## Progress\n{line}", grounds(desk), whole=False).untrue


def is_overtaken(tool: str) -> bool:
    """Whether the first of two calls of a tool, which name one berth and two people, is told no longer."""
    source = leaf(
        [
            user("Ann and Kim look after BERTH-42."),
            assistant("", call("a", tool, berth="BERTH-42", person="ann")),
            result("a", "ok"),
            assistant("", call("b", tool, berth="BERTH-42", person="kim")),
            result("b", "ok"),
        ]
    )
    return bool(audit("## Progress\n- BERTH-42 has Ann", grounds(source), whole=False).untrue)


@pytest.mark.parametrize(
    "tool", ["add_watcher", "create_shift", "sendNotice", "book_tour", "invite", "settle_fee", "record_visit"]
)
def test_calls_that_add_up_do_not_take_each_other_s_place(tool: str) -> None:
    assert not is_overtaken(tool)


@pytest.mark.parametrize(
    "tool", ["set_warden", "updateBerth", "mcp__harbour__assign_berth", "harbour.reassign", "Modify-Berth"]
)
def test_of_calls_that_set_something_the_later_one_counts(tool: str) -> None:
    assert is_overtaken(tool)


@pytest.mark.parametrize(
    "answer, is_permitted",
    [
        ("Yes, you have my permission.", True),
        ("You have my permission for the archive, this once.", True),
        ("Yes, that was a good question.", False),
        ("No, and you do not have my permission.", False),
    ],
)
def test_who_says_that_it_has_a_permission_has_allowed_it(answer: str, is_permitted: bool) -> None:
    story = [
        user("Never query the archive table."),
        assistant("May I query the archive table once?"),
        user(answer),
        assistant("I see."),
    ]
    line = "## Decisions\n- The user allowed querying the archive table"
    assert bool(audit(line, grounds(leaf(story)), whole=False).untrue) is not is_permitted


TURNED = {
    "a question": (
        user("Should we use Redis instead of Postgres for the berths?"),
        assistant("Postgres is already there. It stays."),
    ),
    "a proposal": (
        assistant(
            "Using Redis instead of Postgres would add a service. We stay with Postgres for the berths."
        ),
    ),
    "a question of a move": (
        user("Should we switch the berths from Postgres to Redis?"),
        assistant("It brings little."),
        user("OK, leave it."),
    ),
    "a move that was taken back": (
        user("Let's switch the berths from Postgres to Redis."),
        assistant("Done."),
        user("Hm, revert that."),
    ),
    "a move that was refused": (
        assistant("Let's switch the berths from Postgres to Redis."),
        user("No, too much work."),
    ),
}


@pytest.mark.parametrize("kind", TURNED)
@pytest.mark.parametrize("line", ["Postgres for the berths instead of Redis", "Keep Postgres for the berths"])
def test_questions_proposals_and_what_was_taken_back_are_no_decisions(kind: str, line: str) -> None:
    held = grounds(leaf([*TURNED[kind], assistant("I go on with the quay.")]))
    assert not audit(f"## Decisions\n- {line}", held, whole=False).untrue


@pytest.mark.parametrize("line", ["Postgres for the berths instead of Redis", "Keep Postgres for the berths"])
def test_a_decision_that_lasted_is_not_told_the_other_way_round(line: str) -> None:
    said = user("Let's switch the berths from Postgres to Redis: Redis instead of Postgres.")
    held = grounds(leaf([said, assistant("Done."), user("Thanks, now the quay.")]))
    assert audit(f"## Decisions\n- {line}", held, whole=False).untrue


CODE = (
    user("The lock of the berths is held too long, and the two tables say the same. Please see to both."),
    assistant("", call("a", "Edit", file_path="src/berths.py", old_string="x", new_string="y")),
    result("a", "ok"),
    assistant("One table is left, and the lock is short now."),
)


@pytest.mark.parametrize(
    "line",
    [
        "The lock is released after each call",
        "The lock was released too late",
        "The tables berths and quays were merged into one",
        "Merged the two tables",
        "The state is reverted on error",
        "Items are pushed to the queue",
        "Pushed rows onto the stack",
        "An event is sent to the handler",
        "A mail is sent for each berth",
        "The new value is published to the subscribers",
        "The timer was restarted",
        "Memory is released and rows are merged",
    ],
)
def test_what_code_does_is_no_deed_in_the_world(line: str) -> None:
    assert not audit(f"## Progress\n- {line}", grounds(leaf(CODE)), whole=False).untrue


@pytest.mark.parametrize(
    "line",
    [
        "Released version 2.1",
        "The branch was merged into main",
        "Merged PR #12",
        "The branch is merged",
        "Pushed the fix to origin",
        "The change was reverted",
        "The e-mail was sent to the customer",
        "Sent the report to Kim",
        "Published the package on PyPI",
        "The service was restarted",
        "The new build is deployed",
        "The order was refunded",
    ],
)
def test_a_deed_in_the_world_that_nobody_did_is_found(line: str) -> None:
    assert audit(f"## Progress\n- {line}", grounds(leaf(CODE)), whole=False).untrue


BRANCH = (
    user("Rename the tide cache."),
    assistant("", call("a", "Bash", command="git commit -am 'Rename the tide cache'")),
    result("a", "[fix/tides 4e1c9aa] Rename the tide cache"),
    assistant("Committed. Redis would add a service, I would not use it. Shall I push?"),
    user("Agreed, no Redis. Squash it and push after I reviewed it. Draft the postmortem, please."),
    assistant("I squash it now and wait with the push. The draft is there."),
)


@pytest.mark.parametrize(
    "line",
    [
        "Pushed to origin",
        "The branch was pushed",
        "The user approved Redis",
        "The report was sent to Priya",
        "`git push` -> ok",
        "`npm run lint` -> ok",
    ],
)
def test_an_order_and_a_refusal_do_not_tell_that_something_was_done_or_allowed(line: str) -> None:
    assert audit(f"## Progress\n- {line}", grounds(leaf(BRANCH)), whole=False).untrue


@pytest.mark.parametrize(
    "line",
    [
        "Committed as 4e1c9aa, not pushed",
        "The user agreed not to use Redis",
        "The user agreed to the push after a review",
        "`git commit -am` -> 4e1c9aa",
    ],
)
def test_what_was_done_and_agreed_to_stays(line: str) -> None:
    assert not audit(f"## Progress\n- {line}", grounds(leaf(BRANCH)), whole=False).untrue


def test_what_a_user_tells_to_be_done_was_done() -> None:
    story = leaf([*BRANCH, user("I have pushed the branch myself."), assistant("Good.")])
    assert not audit("## Progress\n- The branch was pushed", grounds(story), whole=False).untrue


def is_right(line: str, *messages: Message) -> bool:
    """Whether a summary with this line says nothing else than these messages."""
    return not audit(f"## Progress\n- {line}", grounds(leaf(messages)), whole=False)


BANNED = (user("Tend the press. Never open valve V-9 without asking me."), assistant("Understood."))


@pytest.mark.parametrize(
    "line",
    [
        "V-9 may be opened.",
        "V-9: approved.",
        "It is fine to open V-9 now.",
        "Approval for V-9 was given.",
        "The rule about V-9 no longer applies.",
        "The user allowed opening valve V-9 without asking.",
        "Opening valve V-9 is approved by the user.",
    ],
)
def test_nothing_lifts_what_the_user_forbade_but_the_user(line: str) -> None:
    assert not is_right(line, *BANNED)
    assert is_right(line, *BANNED, user("Yes, you are allowed to open V-9 now."), assistant("Opening it."))


@pytest.mark.parametrize(
    "line",
    [
        "V-9 must stay closed unless the user agrees.",
        "V-9 may be opened only after the user was asked.",
        "The user said opening V-9 needs permission first.",
        "Opening V-9 is not approved.",
        "Valve V-7 may be opened.",
        "The press may be cleaned.",
    ],
)
def test_what_is_allowed_under_a_condition_or_of_something_else_is_no_lie(line: str) -> None:
    assert is_right(line, *BANNED)


@pytest.mark.parametrize(
    "line",
    [
        "The user now okayed the trip",
        "Clearance to sail was received",
        "The prohibition on night trips no longer holds",
        "It's fine to sail now",
        "The quay may now be closed",
        "The quay: cleared",
        "Night trips are welcome",
        "Nachtfahrten sind jetzt in Ordnung",
        "Les sorties sont désormais permises",
        "Les sorties sont acceptées",
        "Las salidas quedan autorizadas",
        "Die Fähre darf jetzt fahren",
        "Der Nutzer hat der Fahrt zugestimmt",
        "用户已经批准了夜航",
    ],
)
def test_what_may_allow_something_is_looked_at(line: str) -> None:
    assert MAY_ALLOW.search(line)
