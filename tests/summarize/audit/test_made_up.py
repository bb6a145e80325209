"""What a reply makes up without an identifier in it: outcomes, done tasks, names, decisions, what somebody allowed."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.deeds.acts import undone
from palimpsest.summarize.audit.deeds.claims import untrue
from palimpsest.summarize.audit.deeds.closest import told_as_done
from palimpsest.summarize.audit.exact import exact_text
from palimpsest.summarize.audit.names.identifiers import doubts
from palimpsest.summarize.audit.names.unheard import strangers
from palimpsest.summarize.audit.people.consent import unsaid
from palimpsest.summarize.audit.people.demands import baseless
from palimpsest.summarize.audit.repair import repair
from palimpsest.summarize.sentences import terms
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, quarter, result, user

TASKS = call(
    "t",
    "TodoWrite",
    todos=[
        {"content": "Mend the berth table", "status": "in_progress"},
        {"content": "Write the storm runbook", "status": "pending"},
        {"content": "Count the buoys", "status": "completed"},
    ],
)
STORY: list[Message] = [
    user("Move the harbour ledger from MySQL to PostgreSQL. Always run `make lint` before you commit."),
    assistant("I begin with the berths.", call("a", "Bash", command="pytest tests/berths")),
    result("a", "4 passed"),
    assistant("The berths are counted, at commit 3f2a9c1. Next I run `make docs`.", TASKS),
    result("t", "ok"),
    user("Go on with the berth table, and tell me what you find."),
    assistant("I read the table again; it is empty."),
]
SOURCE = leaf(STORY)


@pytest.mark.parametrize(
    "line",
    [
        "- `make lint` -> exit 0",
        "- `make docs` -> ok",
        "- The lint check passes.",
        "- The linter is clean",
        "- Type checks pass, the build is green.",
    ],
)
def test_what_was_only_ordered_or_planned_was_not_run(line: str) -> None:
    assert untrue(f"## Commands and outcomes\n{line}", {}, SOURCE) == [(line, "")]


@pytest.mark.parametrize(
    "line, more",
    [
        ("- `make lint` -> exit 0", [user("I ran make lint: all fine.")]),
        ("- `make lint` -> exit 0", [assistant("After the change I ran `make lint`, next is the berth table.")]),
        ("- `make lint` -> exit 0", [assistant("", call("b", "Bash", command="make lint"))]),
        ("- The lint check passes.", [assistant("", call("b", "Bash", command="ruff check src"))]),
        ("- The type check passes.", [assistant("", call("b", "Bash", command="npx tsc --noEmit"))]),
        ("- The build is green.", [assistant("", call("b", "Bash", command="cargo build")), result("b", "Finished")]),
        ("- Run `make lint` until the lint check passes.", []),
        ("- `pytest tests/berths` -> 4 passed", []),
    ],
)  # fmt: skip
def test_what_ran_or_is_wished_for_stands(line: str, more: list[Message]) -> None:
    assert untrue(f"## Commands and outcomes\n{line}", {}, leaf([*STORY, *more])) == []


def test_a_task_that_was_not_begun_is_not_done() -> None:
    said = "## Progress\n- The storm runbook was written.\n## Open tasks\n- [x] Write the storm runbook"
    assert untrue(said, {}, SOURCE) == [("- [x] Write the storm runbook", "- [ ] Write the storm runbook")]
    assert list(told_as_done(["- The storm runbook was written."], SOURCE)) == [
        "The storm runbook was written."
    ]


@pytest.mark.parametrize(
    "said",
    [
        "## Open tasks\n- [x] Count the buoys\n- [x] Mend the berth table\n- [ ] Write the storm runbook",
        "## Progress\n- The buoys are counted.\n- The storm runbook is to be written.\n- The berth table was mended.",
        "## Progress\n- A runbook was found.",
    ],
)
def test_a_task_that_is_done_or_under_way_may_be_done(said: str) -> None:
    assert untrue(said, {}, SOURCE) == []
    assert not list(told_as_done(said.splitlines(), SOURCE))


def test_a_task_that_somebody_spoke_of_since_may_be_done() -> None:
    said = "## Progress\n- The storm runbook was written.\n- [x] Write the storm runbook"
    spoken = leaf([*STORY, assistant("The storm runbook is there now.")])
    assert untrue(said, {}, spoken) == []
    assert not list(told_as_done(said.splitlines(), spoken))


def test_what_nobody_committed_is_not_committed() -> None:
    assert list(undone(["- The change was committed."], SOURCE)) == ["- The change was committed."]
    ran = [assistant("", call("b", "Bash", command="git add -A && git commit -m 'berths'"))]
    told = [assistant("I committed the change.")]
    for more in (ran, told):
        assert list(undone(["- The change was committed."], leaf([*STORY, *more]))) == []
    assert list(undone(["- The user is committed to the plan.", "- The offset is committed."], SOURCE)) == []


def test_what_the_user_never_looked_at_was_not_reviewed() -> None:
    quiet = leaf([user("Move the ledger."), assistant("I moved the berths."), user("What is left?")])
    assert list(unsaid("The user reviewed the berths and likes them.", quiet))
    pleased = leaf([user("Move the ledger."), assistant("I moved the berths."), user("Looks good, thanks.")])
    assert not list(unsaid("The user reviewed the berths and likes them.", pleased))
    assert not list(unsaid("Would you like me to call a human agent?", quiet))
    ordered = leaf([user("Look at the ledger."), assistant("I moved the berths."), user("Go on, please.")])
    assert list(unsaid("The user reviewed the berths.", ordered))


@pytest.mark.parametrize(
    "line",
    [
        "- Alice from the database team was informed.",
        "- The harbour team was alerted.",
        "- We contacted the vendor about it.",
    ],
)
def test_whom_nobody_told_anything_was_not_informed(line: str) -> None:
    assert list(undone([line], SOURCE)) == [line]
    posted = assistant("", call("b", "slack_post", channel="#db", text="The table is empty."))
    for more in (posted, assistant("I let Alice know."), user("I informed them.")):
        assert not list(undone([line], leaf([*STORY, more])))
    assert not list(undone(["- The decision is informed by the load.", "- Inform the team."], SOURCE))


ABROAD = {
    "german": ("Räum das Register auf.", "- Die Datenbank wurde neu gestartet.", "systemctl restart mysql"),
    "french": ("Range le registre.", "- Le rapport a été envoyé à l'équipe.", "sendmail report"),
    "spanish": ("Ordena el registro.", "- Los amarres ya están pagados.", "pay --all"),
    "chinese": ("请整理登记表。", "- 空白的行已经删除。", "delete_rows"),
    "portuguese": ("Arrume o registro.", "- O cais foi reiniciado.", "systemctl restart quay"),
    "korean": ("대장을 정리해 주세요.", "- 운영에 배포 완료", "deploy prod"),
    "russian": ("Приведи журнал в порядок.", "- Отчёт уже отправлен.", "sendmail report"),
    "japanese": ("台帳を整理してください。", "- 本番にデプロイした。", "deploy prod"),
}


def test_who_forbids_a_deed_does_not_tell_that_it_was_done() -> None:
    source = leaf(
        [user("대장을 정리해 주세요."), assistant("정리했습니다."), user("아직 배포하지는 마세요.")]
    )
    assert list(undone(["- 운영에 배포 완료"], source))


@pytest.mark.parametrize("asked, line, command", ABROAD.values(), ids=ABROAD.keys())
def test_what_nobody_did_was_not_done_in_other_languages(asked: str, line: str, command: str) -> None:
    quiet = leaf([user(asked), assistant("", call("a", "Read", path="register.csv")), result("a", "12")])
    assert list(undone([line], quiet)) == [line]
    ran = leaf([user(asked), assistant("", call("a", "Bash", command=command)), result("a", "ok")])
    assert not list(undone([line], ran))


@pytest.mark.parametrize(
    "line",
    [
        "- Die Funktion wurde gelöscht.",
        "- Le rapport doit être envoyé demain.",
        "- Se reservará un amarre.",
        "- 申请已经提交。",
        "- 本番にデプロイしたい。",
        "- 배포 완료 후 확인",
        "- 배포하지 않음",
        "- O relatório será enviado amanhã.",
        "- Отчёт будет отправлен завтра.",
    ],
)
def test_plans_and_changes_of_code_are_no_deeds_in_other_languages(line: str) -> None:
    assert not list(undone([line], leaf([user("Look."), assistant("I looked.")])))


def test_of_a_line_only_the_sentence_goes_that_tells_what_nobody_did() -> None:
    line = "- The fix was pushed to main. The berths are counted in tide.py."
    assert list(undone([line], SOURCE)) == ["- The fix was pushed to main."]


@pytest.mark.parametrize(
    "line",
    [
        "- Use MongoDB.",
        "- MongoDB was chosen.",
        "- Also move the reports to Redis.",
        "- Set up Grafana dashboards for the berths",
        "- Keep it in sync with GraphQL",
        "- Write the ledger anew in Rust.",
    ],
)
def test_a_name_that_nobody_said_is_a_stranger(line: str) -> None:
    assert list(strangers([line], exact_text(SOURCE))) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "- Move the harbour ledger from MySQL to PostgreSQL.",
        "- Move it to Postgres by Friday, on Linux.",
        "- The Ledger is moved in two steps, PostgreSQL's first",
        "- Fly to Dallas (DFW) for it",
        "## Key Decisions Made",
        "- Das Register zieht um, mit allen Liegeplätzen, in Ruhe und an Land.",
        "- Move the berths by Ledgers and by the ledger",
        "- `MongoClient` is gone",
    ],
)
def test_known_names_and_words_of_everybody_are_none(line: str) -> None:
    assert not list(strangers([line], exact_text(SOURCE)))


@pytest.mark.parametrize(
    "line, told",
    [
        ("- Keep the berths in Python.", "Open berths.py and see."),
        ("- Write the ledger in Rust.", "`cargo build` fails."),
        ("- Port the pages to TypeScript.", "Look at pages/berth.tsx."),
        ("- Put the ledger into Docker.", "Start it with compose."),
        ("- Answer on GitHub.", "gh pr view 12"),
    ],
)
def test_a_language_or_tool_is_known_by_its_files_and_commands(line: str, told: str) -> None:
    assert list(strangers([line], exact_text(leaf([user("Please go on with it.")])))) == [line]
    assert not list(strangers([line], exact_text(leaf([user(told)]))))


def test_a_name_may_be_written_out() -> None:
    short = exact_text(leaf([user("Put it on k8s, with mongo.")]))
    assert not list(strangers(["- Deploy it to Kubernetes, with MongoDB for the berths."], short))


def test_a_decision_of_which_no_word_was_said_is_baseless() -> None:
    words = frozenset(terms(exact_text(SOURCE).text))
    invented = "- Decided to use pgloader because it is faster."
    assert baseless([invented, "- The berths move first, since they are counted."], words) == [invented]
    reasoned = "- A nightly snapshot was rejected because of the berths, the ledger and the lint."
    assert baseless([reasoned], words) == [reasoned]


@pytest.mark.parametrize(
    "line, known", [("- user jsmith", False), ("- table berths", True), ("- user", True)]
)
def test_a_name_of_one_word_alone_in_its_line_is_known(line: str, known: bool) -> None:
    assert (doubts(line, exact_text(SOURCE)) == []) == known


@pytest.mark.parametrize(
    "line, kept",
    [
        ("- 重複分は苦情を避けるため、キャンセルせずに桟橋を移す。", True),
        ("- 二重予約はキャンセルせず、別の桟橋に移動する。", True),
        ("- 配管の交換は見積もりが高いため翌年度に延期する。", False),
        ("- 監視用サーバーを廃止し、外部の業者に委託する。", False),
    ],
)
def test_a_decision_told_in_other_words_has_the_signs_of_what_was_said(line: str, kept: bool) -> None:
    said = "重複した予約は取り消さずに別の桟橋へ移します。取り消すと苦情になります。二重予約の原因を避ける。"
    assert baseless([line], frozenset(terms(said))) == ([] if kept else [line])


@pytest.mark.parametrize(
    "line",
    [
        "- Decided to use pgloader because it is faster.",
        "- Use MongoDB.",
        "- Move it to Redis.",
        "- It was deployed.",
    ],
)
def test_a_made_up_decision_or_deed_is_in_no_summary(line: str) -> None:
    held = grounds(SOURCE)
    text = f"## Goal\n- {SOURCE.goal}\n## Progress\n- The berths are counted, at commit 3f2a9c1.\n## Decisions\n{line}"
    found = audit(text, held, whole=False)
    left = repair(text, found, held, target_tokens=600, limit_tokens=1_500, count=quarter)[0]
    assert "The berths are counted" in left
    assert line not in left
