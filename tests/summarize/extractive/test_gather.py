"""What is taken for a request, a rule, a decision or an outcome, and what is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.budget.pieces import count_text
from palimpsest.summarize.extractive.choice import fit_request
from palimpsest.summarize.sections import parse
from palimpsest.summarize.source import MessageEntry, Source, SummaryEntry
from tests.summarize.dialogues import assistant, call, condense, extracted, leaf, result, summary, user


def test_the_first_request_of_a_later_part_is_not_called_the_goal() -> None:
    later = replace(
        leaf([user("Now rename Parser."), assistant("Renamed."), user("Run make test.")]), begins=False
    )
    found = parse(extracted(later).text)
    assert "Goal" not in found
    assert found["Last request of this part"] == ["Run make test."]
    assert "user: Now rename Parser." in found["Notes"]
    roll = replace(later, kind="roll", goal="Sort the imports.")
    assert parse(extracted(roll).text)["Goal"] == ["Sort the imports."]
    before = "## Goal\n- Sort the imports.\n## Notes\n- Nothing yet."
    assert "Goal" not in parse(extracted(replace(roll, earlier=(before,))).text)


@pytest.mark.parametrize(
    "before, goal",
    [
        ("Sort the imports.\n\n## Constraints\n- Never use npm ci.", ["Sort the imports."]),
        ("## Notes\n- Nothing yet.\n## Constraints\n- Never use npm ci.", None),
        ("The imports are being sorted.", None),
        ("## Goal\n- Sort the imports.\n## Notes\n- Nothing yet.", ["Sort the imports."]),
    ],
)
def test_what_the_summary_before_does_not_call_the_goal_is_no_later_request(
    before: str, goal: list[str] | None
) -> None:
    entries = (SummaryEntry(summary("s1", before)), *leaf([user("Now rename Parser.")]).entries)
    found = parse(extracted(Source("roll", entries)).text)
    assert found.get("Goal") == goal


def test_a_command_of_the_client_is_no_request() -> None:
    found = parse(extracted(leaf([user("/mode"), user("Sort the imports."), user("/")])).text)
    assert (found["Goal"], "Last request of this part" in found) == (["Sort the imports."], False)


def test_what_a_user_pasted_from_a_terminal_is_no_rule_and_no_note() -> None:
    pasted = (
        "Use pnpm only.\n❯ ./run.sh\n158.5 npm error Exit handler never called!\nPlease report this error at:"
    )
    found = parse(
        extracted(leaf([user("Build it."), user(f"{pasted}\n\nNever use npm ci."), user("Try again.")])).text
    )
    assert found["Constraints"] == ["Use pnpm only.", "Never use npm ci."]
    assert not any("npm error" in line for line in found.get("Notes", ()))


def test_questions_and_what_programs_print_are_no_decisions() -> None:
    messages = [
        user("How hard would it be to switch to another queue?"),
        assistant("We decided to keep the queue.", call("1", "Bash", command="git switch -c tides")),
        result("1", "Switched to a new branch 'tides' instead of main."),
        assistant("Please let me know which option you would like to choose instead of this."),
        user("Go."),
    ]
    assert parse(extracted(leaf(messages)).text)["Decisions"] == ["We decided to keep the queue."]


def test_a_command_that_failed_is_told_without_its_error_rather_than_not_at_all() -> None:
    messages = [user("Mend the docks.")]
    for number in range(12):
        messages.append(assistant("", call("1", "Bash", command=f"pytest -q tests/test_dock_{number}.py")))
        said = f"FAILED tests/test_dock_{number}.py::test_get - AssertionError: {'the berth is taken ' * 9}\n1 failed"
        messages.append(result("1", said if number == 11 else "4 passed"))
    lines = parse(extracted(leaf(messages), target_tokens=500, limit_tokens=900).text)["Commands"]
    assert "`pytest -q tests/test_dock_11.py` -> 1 failed" in lines


def test_what_an_editing_tool_says_of_a_call_that_missed_is_no_error_to_keep() -> None:
    messages = [
        user("Rename the pier."),
        assistant("", call("1", "Edit", file_path="/srv/pier.py", old_string="a", new_string="b")),
        result(
            "1",
            "<tool_use_error>String to replace not found in file.\nString: a</tool_use_error>",
            error=True,
        ),
        assistant("", call("2", "Deploy", description="the pier")),
        result("2", "Error: pier 3 is closed for the season", error=True),
    ]
    assert parse(extracted(leaf(messages)).text)["Errors"] == ["Error: pier 3 is closed for the season"]


def test_a_request_in_an_earlier_summary_holds_rules_but_not_what_was_pasted_into_it() -> None:
    asked = (
        "Never use npm ci. Why is it slow? ```python def step_4(row): # always use the cache ``` Look at it."
    )
    printed = (
        'File "/srv/app/mod_4.py", line 8, in load_4 warning: do not use idx_7; you must rebuild it {idx_7=4}'
    )
    before = f"## Goal\n- Sort the imports.\n## Last request of this part\n- {asked}\n"
    for text in (before, before.replace("## Last", f"## Last request of this part\n- {printed}\n## Last")):
        entries = (SummaryEntry(summary("s1", text)), *leaf([user("Now rename Parser.")]).entries)
        assert parse(extracted(Source("roll", entries)).text)["Constraints"] == ["Never use npm ci."]


def test_what_was_told_in_a_whole_message_comes_back_as_told_and_not_as_a_rule() -> None:
    told = "Bosun asks for a cabin"
    source = replace(leaf([user("Mend the lamp."), assistant("I look.")]), rules=("Never sail alone.", told))
    sections = parse(extracted(source).text)
    assert sections["Constraints"] == ["Never sail alone."]
    assert sections["Also said by the user"] == [told]


@pytest.mark.parametrize(
    "request_said, said",
    [
        ("Now look at the queue.", "The offset of step 5 is settled: the batch takes 29 rows."),
        ("Und jetzt zur Schleuse.", "Die Pumpe an Tor 3 läuft seit dem Morgen mit halber Kraft."),
        ("接着看看闸门。", "第五步的偏移已经确定:每批二十九行。"),
    ],
)
def test_what_another_said_in_a_child_summary_is_not_put_into_the_user_s_mouth(
    request_said: str, said: str
) -> None:
    child = f"## Goal\n- Settle it.\n## Last request of this part\n- {request_said}\n## Notes\n- assistant: {said}"
    later = child.replace(request_said, "Ok.").replace(said, "The west door is painted and dry.")
    text = extracted(condense(child, later, later.replace("west", "east"))).text
    assert f"assistant: {said}" in text
    assert not any("user: " in line and said in line for line in text.splitlines())


@pytest.mark.parametrize(
    "old, new",
    [
        ("本番への書き込みは禁止。", "本番への書き込み禁止は解除します。"),
        ("Retry at most 3 times.", "Retry at most 5 times instead of 3."),
        ("Freitags wird nie geliefert.", "Freitags darf jetzt doch geliefert werden."),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_a_rule_that_was_taken_back_does_not_come_back_from_the_summary_before(
    old: str, new: str, *, again: bool
) -> None:
    before = SummaryEntry(summary("s1", f"## Goal\n- Plan.\n## Constraints\n- {old}\n- Never sail at night."))
    later = (MessageEntry("m1", user(new), 0),) if again else ()
    text = extracted(Source("roll", (before, *later), rules=(new, "Never sail at night."))).text
    assert f"- {old}" not in text
    assert new in text
    assert "- Never sail at night." in text


def test_what_a_model_writes_under_the_goal_is_nobodys_request() -> None:
    by_model = replace(
        summary("s2", "## Goal\n- Mended the mast in quay/mast.py.\n- Found the leak."), model="m"
    )
    entries = (
        SummaryEntry(summary("s1", "## Goal\n- Plan the regatta.\n## Constraints\n- Never sail at night.")),
        SummaryEntry(by_model),
        *leaf([user("Now rename the mast in the harbour."), user("And the stern as well, please.")]).entries,
    )
    text = extracted(Source("condense", entries)).text
    assert "user: Mended" not in text
    assert "user: Found" not in text


def test_a_conversation_that_begins_with_what_a_model_wrote_has_its_first_line_as_the_goal() -> None:
    by_model = replace(summary("s1", "## Goal\n- Plan the regatta.\n- Found the leak."), model="m")
    entries = (SummaryEntry(by_model), *leaf([user("Now rename the mast.")]).entries)
    text = extracted(Source("condense", entries)).text
    assert "## Goal\n- Plan the regatta." in text
    assert "## Last request of this part\n- Now rename the mast." in text


@pytest.mark.parametrize("room", range(25, 44))
def test_a_request_that_is_cut_keeps_what_it_asks_for_and_not_only_its_greeting_and_its_end(
    room: int,
) -> None:
    asked = "move the harbour board off the old clock to the new one, everything below the quay."
    text = f"hey. {asked} have a look around first and tell me what you would do. no new ropes besides that one ok"
    shown = fit_request(text, room, count_text)
    assert shown.removeprefix("hey. ").startswith("move the harbour board")
    assert count_text(shown) < room


@pytest.mark.parametrize(
    "told, asked",
    [
        (
            "hey. so i took over the rota of the quay, and it is a mess.",
            "what i want: one page for each berth.",
        ),
        ("Our pilots complain since Monday.", "Can you find out why the board takes eleven seconds?"),
        (
            "Die Liste der Boote ist alt und voller Fehler.",
            "Ich brauche ein Skript, das sie jede Nacht prüft.",
        ),
        ("La page des bateaux est lente depuis lundi.", "Je voudrais une page par quai."),
        ("La lista de los barcos está llena de errores.", "Necesito un script que la revise."),
        ("L'elenco delle barche è pieno di errori.", "Vorrei uno script che lo controlli."),
        ("A lista dos barcos está cheia de erros.", "Preciso de um script que a verifique."),
        ("Список лодок полон ошибок и дублей.", "Мне нужен скрипт, который его проверит."),
        ("Lista łodzi jest pełna błędów.", "Potrzebuję skryptu, który ją sprawdzi."),
        ("De lijst van de boten zit vol fouten.", "Kun je een script maken dat hem nakijkt?"),
        ("船的名单里有很多错误。", "我想要一个每天晚上检查它的脚本。"),
        ("船の一覧には間違いがたくさんあります。", "毎晩それを確かめるスクリプトを作ってほしいです。"),
        ("배 목록에 오류가 많습니다.", "매일 밤 확인하는 스크립트가 필요합니다."),
    ],
)
def test_of_a_long_request_what_it_asks_for_is_said_before_what_it_only_tells(told: str, asked: str) -> None:
    text = f"{told} {told} {asked} {told} {told}"
    assert asked in fit_request(text, count_text(f"{asked} {told}") + 6, count_text)
