"""What was said leaves a trace: a reply that is thin is asked for again, and told what the source's notes say."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.source import Source
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

LOG = "\n".join(f"{at:>4} row of the log" for at in range(40))


def talk(goal: str, *turns: str) -> Source:
    """A goal, then what the assistant and the user say in turn, with a call before each of the assistant's."""
    messages = [user(goal)]
    for at, turn in enumerate(turns):
        if at % 2:
            messages.append(user(turn))
        else:
            messages.extend(
                (assistant("", call(f"c{at}", "Bash", command=f"show --part {at}")), result(f"c{at}", LOG))
            )
            messages.append(assistant(turn))
    return leaf(messages)


ENGLISH = talk(
    "The ferry bookings lose seats at night, find out why.",
    "Seats vanish because the sweeper in sweep.py frees holds after 40 seconds, while the till keeps them 90.",
    "Ok. Then raise it to 120 in the sweeper. Odile has agreed.",
    "The deploy to quay-4 was refused with exit status 7: a lock of the nightly ledger run is held.",
    "Wait until Bruno releases it by himself.",
    "Bruno released the lock at 04:10 and the deploy of revision 881 went through on both quays.",
    "How many bookings were hit?",
    "In all 212 bookings lost a seat, 31 of them from the Brekke travel agency.",
    "Good, give Brekke a voucher through Signe, the rest gets a letter.",
    "Signe has the list of the 31. The letter is not drafted yet; its template lies with the office in Moss.",
    "Draft the letter now.",
)
GERMAN = talk(
    "Die Waage im Lager meldet nachts falsche Gewichte, finde die Ursache.",
    "Die Waage verliert ihren Nullpunkt, weil tara.c den Sensor vor dem Aufwärmen abliest.",
    "Gut. Dann lies ihn erst nach 45 Sekunden. Frieda ist einverstanden.",
    "Das Aufspielen auf Rampe 6 ist fehlgeschlagen: der Bootlader hat die Signatur abgelehnt.",
    "Dann signiere mit dem Schlüssel von Herrn Okafor.",
    "Mit Okafors Schlüssel lief Version 3.8 auf allen neun Rampen an.",
    "Wie viele Paletten waren betroffen?",
    "Es waren 67 Paletten, davon 12 schon beim Kunden in Triest.",
    "Schreib denen in Triest, die anderen wiegen wir neu.",
    "Der Brief nach Triest ist raus. Das Nachwiegen der 55 steht noch aus, die Schicht beginnt um sechs.",
    "Plane das Nachwiegen.",
)
CHINESE = talk(
    "码头的闸机晚上打不开,请查明原因。",
    "闸机打不开是因为 gate.py 的令牌四十秒就过期,而读卡器要九十秒才上报。",
    "好的,令牌改成两分钟,老赵已经同意。",
    "在三号闸机上部署失败了:夜间备份任务占着锁,退出码是 7。",
    "等老赵自己放锁。",
    "老赵在四点放了锁,881 版已经部署到两台闸机。",
    "有多少乘客受影响?",
    "一共二百一十二名乘客受影响,其中三十一名来自远航旅行社。",
    "给远航的乘客发优惠券,其余的人写信道歉。",
    "优惠券名单已经交给小孟。道歉信还没有起草,模板在办公室。",
    "现在起草道歉信。",
)
THIN = [
    (
        ENGLISH,
        "## Goal\n- Find out why the ferry bookings lose seats\n## Progress\n- The deploy is done",
        "raise it to 120",
    ),
    (ENGLISH, "## Progress\n- The sweeper was changed\n- All is deployed", "exit status 7"),
    (ENGLISH, "The ferry bookings lost seats at night. The cause was found and put right.", "Brekke"),
    (
        ENGLISH,
        "## Goal\n- The ferry bookings lose seats at night\n## Next steps\n- Draft the letter",
        "raise it to 120",
    ),
    (
        GERMAN,
        "## Goal\n- Die Waage meldet falsche Gewichte\n## Progress\n- Die Ursache ist gefunden",
        "Frieda",
    ),
    (GERMAN, "## Progress\n- Die neue Version läuft auf der Waage im Lager", "Nachwiegen der 55"),
    (GERMAN, "Die Waage im Lager meldete nachts falsche Gewichte. Das ist jetzt behoben.", "Okafor"),
    (CHINESE, "## Goal\n- 查明码头的闸机晚上打不开的原因\n## Progress\n- 已经部署", "老赵已经同意"),
    (CHINESE, "## Progress\n- 码头的闸机晚上打不开,问题已经解决", "远航"),
    (CHINESE, "码头的闸机晚上打不开,原因已经查明,问题也解决了。", "道歉信还没有起草"),
]
SECTIONS = """## Goal
- Find out why ferry bookings lose seats at night
## Progress
- Revision 881 runs on both quays since Bruno let go of the lock at 04:10
- 212 bookings were hit, 31 of them Brekke's; Signe has that list for the vouchers
- The letter to the rest is still to be drafted, the template is in Moss
## Decisions
- The sweeper frees holds after 120 instead of 40 seconds, as the till keeps them 90; Odile agreed
- A first deploy was refused (exit status 7, lock of the ledger run)"""
PROSE = """\
Ferry bookings lost seats at night because sweep.py freed holds after 40 seconds and the till keeps them 90; it is 120
now, with Odile's consent. quay-4 refused the deploy at first (exit status 7, nightly ledger lock), Bruno let it go at
04:10, revision 881 is live. 212 bookings were hit, 31 of Brekke's: Signe sees to their vouchers. The letter for the
others has yet to be drafted; Moss has its template."""
WEIGHED = """\
Die Waage verlor nachts ihren Nullpunkt, weil tara.c den Sensor kalt ablas; nun wird nach 45 Sekunden gelesen, Frieda
ist einverstanden. Rampe 6 lehnte die Signatur erst ab, mit Okafors Schlüssel läuft 3.8 auf allen neun."""
PALLETS = """ 67 Paletten waren betroffen, 12 davon in Triest; der Brief dorthin ist raus. 55 sind noch
nachzuwiegen, die Schicht beginnt um sechs."""
GATES = """\
闸机晚上打不开,是因为 gate.py 的令牌四十秒就过期,读卡器九十秒才上报;令牌改成两分钟,老赵同意。
三号闸机部署失败,夜间备份占锁,退出码 7;老赵四点放锁后 881 版已部署。
二百一十二名乘客受影响,三十一名来自远航旅行社:发优惠券,名单在小孟那里。其余写道歉信,还没有起草,模板在办公室。"""
HEADED = "\n".join(
    f"## {one}\n- The seats of the ferry"
    for one in ("Goal", "Progress", "Decisions", "Files", "Open tasks", "Next steps")
)
FULL = [
    (ENGLISH, SECTIONS),
    (ENGLISH, PROSE),
    (GERMAN, WEIGHED + PALLETS),
    (CHINESE, GATES),
    (ENGLISH, HEADED),
]


@pytest.mark.parametrize("source, reply, said", THIN)
def test_what_a_thin_reply_leaves_out_is_asked_for_and_added_with_who_said_it(
    source: Source, reply: str, said: str
) -> None:
    draft, requests = asked([reply, reply], grounds(source))
    assert "it says nothing of this" in requests[1]
    line = next(line for line in draft.text.splitlines() if said in line)
    assert line.startswith(("- user: ", "- assistant: "))


@pytest.mark.parametrize("source, reply", FULL)
def test_a_full_reply_in_its_own_words_gets_no_notes(source: Source, reply: str) -> None:
    draft, requests = asked([reply, reply], grounds(source))
    assert not any("it says nothing of this" in one for one in requests)
    assert "- assistant: " not in draft.text


def test_an_answer_stands_with_what_it_answers_under_decisions_and_a_question_with_its_answer() -> None:
    reply = "## Goal\n- The ferry bookings lose seats at night\n## Progress\n- The cause was found"
    draft, _ = asked([reply, reply], grounds(ENGLISH))
    decided = draft.text.partition("## Decisions\n")[2].partition("\n## ")[0].splitlines()
    at = decided.index("- user: Then raise it to 120 in the sweeper.")
    assert decided[at - 1].startswith("- assistant: Seats vanish")
    reply = "## Goal\n- 查明码头的闸机晚上打不开的原因\n## Progress\n- 已经部署"
    lines = asked([reply, reply], grounds(CHINESE))[0].text.splitlines()
    assert lines[lines.index("- user: 有多少乘客受影响?") + 1].startswith("- assistant: 一共")


def test_what_was_said_in_another_language_comes_back_in_the_words_of_the_conversation() -> None:
    reply = f"{WEIGHED}\n\nThere were 67 pallets, 12 of them in Triest, and the rest of them must be weighed again."
    draft, _ = asked([reply, reply], grounds(GERMAN))
    assert "pallets" not in draft.text
    assert "- assistant: Es waren 67 Paletten, davon 12 schon beim Kunden in Triest." in draft.text


def test_an_open_task_is_said_only_where_one_line_says_it() -> None:
    tasks = call(
        "t", "TodoWrite", todos=[{"content": "Check the tide export for the gap", "status": "pending"}]
    )
    source = leaf(
        [
            user("Mend the gap in the berth export."),
            assistant("", tasks),
            result("t", "ok"),
            assistant("The gap of the berth export is closed. I did not look at tide.py."),
            user("Go on with it."),
        ]
    )
    reply = "## Goal\n- Mend the gap in the berth export\n## Progress\n- A check of berths is done\n- The tide is read"
    draft, _ = asked([reply, reply], grounds(source))
    assert "Check the tide export for the gap" in draft.text


YARD = [
    user("Build the ferry model, keel in oak."),
    assistant(
        "The keel is sawn from oak and weighs 31 kg. The ribs are steamed over night in the long trough."
    ),
    user("Fine, go on."),
    assistant(
        "Twelve planks fit at the first try. The rudder hangs from two bronze hinges by the sternpost."
    ),
    user("Good."),
    assistant(
        "The mast step was moved by 40 mm. Varnish dries until Thursday in the small loft above the gate."
    ),
    user("Now paint the waterline green."),
]
BARE = "## Goal\n- Build the ferry model, keel in oak.\n## Decisions\n- Oak for the keel.\n## Next steps\n- Paint it."


def test_progress_that_is_left_out_is_asked_for_and_comes_back() -> None:
    draft, requests = asked([BARE, BARE], grounds(leaf(YARD)), limit_tokens=2_000)
    assert 'the section "Progress" is left out' in requests[1]
    assert "## Progress\n" in draft.text
    assert "Twelve planks fit at the first try." in draft.text


def test_progress_that_is_told_under_other_headings_is_not_asked_for() -> None:
    told = "\n".join(f"- {message.text}" for message in YARD if message.role == "assistant")
    text = BARE.replace("- Oak for the keel.", f"- Oak for the keel.\n{told}")
    assert "Progress" not in audit(text, grounds(leaf(YARD))).dropped
