"""A section that a reply leaves out is asked for where something was told for it, and then filled by rule."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.left_out import told_apart
from palimpsest.summarize.source import Source
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

GOAL = "Find out why the night run of the tide gauges stops at station 14."
FOUND = "The gauge sends a comma where the reader wants a point."


def story(*between: Message) -> Source:
    return leaf(
        [
            user(GOAL),
            assistant("", call("a", "Bash", command="python -m gauge.night")),
            result("a", "13 stations read"),
            assistant(FOUND),
            *between,
            user("Write the fix into gauge/read.py now."),
        ]
    )


FAILED = (
    assistant("", call("b", "Bash", command="pytest tests/gauge")),
    result("b", "gauge_test.py:41: 59 levels stored twice\n1 failed, 12 passed", error=True),
    assistant("Reading the whole night again stores the first 59 levels twice."),
)
CHOSEN = (
    assistant("How long shall the reader wait between two stations?"),
    user("A fixed pause of 750 ms. Longer pauses run into the ferry's radio window."),
    assistant("The reader waits so."),
)
BARE = (
    f"## Goal\n- {GOAL}\n## Progress\n- {FOUND}\n## Commands and outcomes\n"
    "- `python -m gauge.night` -> 13 stations read"
)


@pytest.mark.parametrize(
    "between, heading, told",
    [
        (FAILED, "Errors and rejected approaches", "stores the first 59 levels twice"),
        (
            (assistant("No, it is not the radio: every station answered within 40 ms."),),
            "Errors and rejected approaches",
            "every station answered within 40 ms",
        ),
        (
            (assistant("Am Funk liegt es nicht: jede Station antwortet binnen 40 ms."),),
            "Errors and rejected approaches",
            "jede Station antwortet binnen 40 ms",
        ),
        (CHOSEN, "Decisions", "A fixed pause of 750 ms"),
        (
            (
                user(
                    "A fixed pause of 750 ms. Doubling it each time would run into the ferry's radio window."
                ),
                assistant("The reader waits so."),
            ),
            "Decisions",
            "Doubling it each time would run into",
        ),
        (
            (
                assistant("Wie lange soll der Leser warten?"),
                user("Gleich lang, nämlich 750 ms. Länger gerät er in das Funkfenster der Fähre."),
                assistant("Der Leser wartet so."),
            ),
            "Decisions",
            "Gleich lang, nämlich 750 ms",
        ),
        (
            (
                assistant("読み取りの間隔はどうしますか？"),
                user("間隔は常に750ミリ秒とします。長くするとフェリーの無線と重なります。"),
                assistant("そのようにしました。"),
            ),
            "Decisions",
            "750ミリ秒",
        ),
        (
            (assistant("Still open are the 3 stations without a clock and the manual docs/gauge.md."),),
            "Open tasks",
            "docs/gauge.md",
        ),
        (
            (assistant("Offen sind noch: die 3 Stationen ohne Uhr prüfen und docs/pegel.md ergänzen."),),
            "Open tasks",
            "docs/pegel.md",
        ),
        (
            (assistant("What is left:\n- check the 3 stations without a clock\n- extend docs/gauge.md"),),
            "Open tasks",
            "extend docs/gauge.md",
        ),
        (
            (
                assistant("", call("b", "reserve", offer="OFF-3391")),
                result("b", '{"esito": "errore", "codice": "PRN-412", "messaggio": "manca il telefono"}'),
                assistant("", call("c", "look", id="RG-7")),
                result("c", '{"id": "RG-7"}'),
                assistant("Il treno 2615 è opzionato. La barca non si prenota: PRN-412, manca il telefono."),
            ),
            "Errors and rejected approaches",
            "PRN-412, manca il telefono",
        ),
        (
            (user("Follow the five steps of docs/move.md on Saturday."), assistant("I will.")),
            "Open tasks",
            "five steps of docs/move.md on Saturday",
        ),
        (
            (user("N-31の電池は木曜に畑中さんが替えます。"), assistant("わかりました。")),
            "Open tasks",
            "N-31の電池は木曜に畑中さんが替えます",
        ),
    ],
)
def test_a_section_of_which_something_was_told_is_asked_for_and_filled(
    between: tuple[Message, ...], heading: str, told: str
) -> None:
    held = grounds(story(*between))
    draft, requests = asked([BARE, BARE], held)
    assert f'the section "{heading}" is left out' in requests[1]
    assert told in draft.text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    "between, more",
    [
        ((), ""),
        (FAILED, "## Errors and rejected approaches\n- Reading the night again stores 59 levels twice."),
        (FAILED, "## Decisions\n- Not the whole night: reading it again stores the first 59 levels twice."),
        (
            CHOSEN,
            "## Decisions\n- A fixed pause of 750 ms, as longer ones run into the ferry's radio window.",
        ),
        (
            (assistant("Still open are the 3 stations without a clock."),),
            "## Next steps\n- Check the 3 stations without a clock.",
        ),
        (
            (
                assistant("I read the manual next. Shall I go on?"),
                user("Yes, please do."),
                assistant("Done."),
            ),
            "",
        ),
        (
            (
                assistant("Still open: extend docs/gauge.md with the comma."),
                assistant("docs/gauge.md was extended with the comma."),
            ),
            "",
        ),
        (
            (
                assistant("", call("b", "Bash", command="pytest tests/gauge")),
                result("b", "1 failed", error=True),
                assistant("", call("c", "Bash", command="pytest tests/gauge")),
                result("c", "13 passed"),
                assistant("All stations are read in 40 seconds per night."),
            ),
            "## Errors and rejected approaches\n- The first run of the tests failed.",
        ),
    ],
)
def test_a_section_of_which_nothing_was_told_costs_no_second_call(
    between: tuple[Message, ...], more: str
) -> None:
    held = grounds(story(*between))
    request = f"## Pending user request\n{held.request}"
    extra = "- `pytest tests/gauge` -> 13 passed, 1 failed\n" * bool(between) + "## Files\n- notes\n"
    _, requests = asked([f"{BARE}\n{extra}{more}\n{request}"] * 2, held)
    assert not [one for one in requests[1:] if "is left out" in one]


def test_what_answers_the_newest_request_is_no_decision_yet() -> None:
    source = leaf(
        [user(GOAL), assistant("Which pause shall I take?"), user("A fixed pause of 750 ms for all.")]
    )
    assert not told_apart(source)


@pytest.mark.parametrize(
    "said",
    [
        "We keep the slow reader although it costs 4 minutes more each night.",
        "Wir lassen den Leser langsam, das hat die Leitung so beschlossen.",
        "La direction a décidé de garder le lecteur lent.",
        "Se decidió dejar el lector lento toda la noche.",
        "A equipe ficou decidido: mantemos o leitor lento de noite.",
        "La direzione ha deciso di tenere il lettore lento.",
        "De leiding heeft besloten de lezer langzaam te laten.",
        "Postanowiono zostawić wolny odczyt na całą noc.",
        "Решено оставить медленное чтение на всю ночь.",
        "领导决定保留慢速读取方式。",
        "読み取りは遅い方法にします。",
        "느린 읽기 방식을 유지하기로 했습니다.",
    ],
)
def test_what_the_user_tells_as_decided_is_a_decision(said: str) -> None:
    apart = told_apart(story(user(said), assistant("The reader stays as it is.")))
    assert ("Decisions", f"user: {said}") in apart


@pytest.mark.parametrize(
    "said",
    [
        "Have you decided how long the reader waits?",
        "Read station 14 once more and tell me what it sends.",
        "Bitte lies Station 14 noch einmal.",
        "请再读一次14号站。",
        "14番局をもう一度読んでください。",
    ],
)
def test_a_wish_or_a_question_is_no_decision(said: str) -> None:
    apart = told_apart(story(user(said), assistant("I read it once more.")))
    assert not [one for one in apart if one[0] == "Decisions"]


def test_a_no_is_told_with_the_question_that_it_answers() -> None:
    apart = told_apart(
        story(
            user("Could it be the quarterly antenna check instead?"),
            assistant("No, that is not the cause: the nights before it stop as well."),
        )
    )
    told = (
        "user: Could it be the quarterly antenna check instead? "
        "assistant: No, that is not the cause: the nights before it stop as well."
    )
    assert ("Errors", told) in apart


def test_progress_is_left_out_where_its_figures_stand_nowhere() -> None:
    talk = story(
        assistant("The reader is 41 minutes behind station 14."),
        assistant("The reader of station 14 waits 1.2 seconds at the gauge."),
        assistant("Station 14 sends 87 levels in the night run."),
        assistant("The night run of the gauges stops 17 minutes late."),
        assistant("The comma stands in 93 levels of the gauge."),
    )
    text = (
        f"## Goal\n- {GOAL}\n## Errors and rejected approaches\n- Station 14: the gauge sends a comma where the reader "
        "wants a point, so the reader waits minutes behind it, and the levels of the night run stop late.\n"
        "## Commands and outcomes\n- `python -m gauge.night` -> 13 stations read"
    )
    assert "Progress" in audit(text, grounds(talk)).dropped


@pytest.mark.parametrize(
    "question, said",
    [
        ("Shall I start with the reader?", said)
        for said in (
            "Thanks, that is very kind of you. I will have lunch now and come back at two.",
            "Thank you! Great work so far.",
            "Danke, das ist sehr nett von dir. Ich gehe jetzt essen und bin um zwei zurück.",
            "Merci beaucoup, c'est gentil. Je reviens à deux heures.",
            "谢谢，你真好。我先去吃饭，两点回来。",
            "One moment, my phone rings. Back at four.",
        )
    ]
    + [
        ("The gauge is read.", "I would say the reader is broken. It would crash on empty input."),
        ("The gauge is read.", "The run stops at 14. It would crash on empty input as well."),
    ],
)
def test_small_talk_and_guesses_are_no_decisions(question: str, said: str) -> None:
    assert not told_apart(story(assistant(question), user(said), assistant("Good.")))


@pytest.mark.parametrize(
    "question, said, told",
    [
        (
            "Which first?",
            "Thanks, start with the reader. The writer later.",
            "start with the reader. The writer",
        ),
        ("Which first?", "The writer of gauge/out.py, please. I will have lunch now.", "The writer of gauge"),
        ("Which first?", "I would take the reader in gauge/read.py. It is smaller.", "take the reader"),
        ("It is read.", "Use UTC everywhere. It would break the joins otherwise.", "Use UTC everywhere."),
        ("It is read.", "Keep it in memory. A file would be too slow.", "Keep it in memory."),
    ],
)
def test_what_is_said_beside_small_talk_is_decided(question: str, said: str, told: str) -> None:
    assert told in " ".join(
        line for _, line in told_apart(story(assistant(question), user(said), assistant("Good.")))
    )


@pytest.mark.parametrize(
    "said",
    [
        "The pump stopped on Friday.",
        "The market is on Monday, next week.",
        "I already told Runa, by Friday last.",
    ],
)
def test_what_was_or_is_on_a_day_is_not_left_to_do(said: str) -> None:
    assert not [one for one in told_apart(story(user(said), assistant("Good."))) if one[0] == "Open tasks"]
