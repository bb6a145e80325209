"""What is left to do is not done, however much a line tells of it; what was done since is."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.deeds.closest import told_as_done
from tests.summarize.dialogues import assistant, call, leaf, result, user


def _listed(asked: str, tasks: list[str], left: str, last: str) -> list[Message]:
    todos = [{"content": task, "status": "pending"} for task in tasks]
    return [
        user(asked),
        assistant("", call("a", "Edit", file_path="src/weir.py", old_string="a", new_string="b")),
        result("a", "The file src/weir.py has been updated."),
        assistant("", call("b", "TodoWrite", todos=todos)),
        result("b", "ok"),
        assistant("", call("c", "Read", file_path="src/gauges.py")),
        result("c", "def read(item):\n    return item\n"),
        assistant(left),
        user(last),
    ]


ENGLISH = _listed(
    "The weir opens too late. Find out why.",
    ["Add a counter for late openings", "Write a manual for the lock keepers"],
    "Two things are left: the counter for late openings and the manual for the lock keepers.",
    "Open a ticket with the supplier first, and tell me what comes of it.",
)
GERMAN = _listed(
    "Das Wehr öffnet zu spät. Finde die Ursache.",
    ["Zähler für späte Öffnungen einbauen", "Handbuch für die Wärter ergänzen"],
    "Offen sind der Zähler für späte Öffnungen und das Handbuch für die Wärter.",
    "Mach zuerst den Zähler.",
)
CHINESE = _listed(
    "水闸开得太晚。请查明原因。",
    ["给迟开加计数器", "更新闸工手册"],
    "剩下两件事:给迟开加计数器,以及更新闸工手册。",
    "先加计数器。",
)
JAPANESE = _listed(
    "水門が遅れて開きます。原因を調べてください。",
    ["遅い開門の計数を追加する", "番人の手引きを更新する"],
    "残りは遅い開門の計数と番人の手引きです。",
    "先に計数をお願いします。",
)
SPANISH = _listed(
    "La compuerta abre tarde. Busca la causa.",
    ["Añadir un contador de aperturas tardías", "Actualizar el manual del guarda"],
    "Quedan el contador de aperturas tardías y el manual del guarda.",
    "Haz primero el contador.",
)
FINISHED = [
    *ENGLISH[:-2],
    assistant("", call("d", "Edit", file_path="src/weir.py", old_string="b", new_string="count_late(b)")),
    result("d", "The file src/weir.py has been updated."),
    user("Good."),
]


@pytest.mark.parametrize(
    "talk, line",
    [
        (
            ENGLISH,
            "Add a counter for late openings: done, a gauge in src/gauges.py pages the team above 50 an hour",
        ),
        (
            ENGLISH,
            "The counter for late openings was added to src/gauges.py, with a panel and a page to the crew",
        ),
        (
            ENGLISH,
            "Write a manual for the lock keepers (completed, eight pages with a picture of each wheel)",
        ),
        (ENGLISH, "Done: write a manual for the lock keepers, with a picture of each wheel and an index"),
        (
            ENGLISH,
            "A ticket was opened with the supplier, who promised new seals for the western gate by Friday",
        ),
        (
            GERMAN,
            "Zähler für späte Öffnungen einbauen: erledigt, ab 3 Fällen geht jetzt eine Mail an die Meisterei",
        ),
        (
            GERMAN,
            "Das Handbuch für die Wärter wurde ergänzt, mit einem Kapitel über Eis und Bildern der Winden",
        ),
        (CHINESE, "给迟开加计数器:已完成,我已在 src/gauges.py 中加入计数,连续 3 次后通知值班人员"),
        (JAPANESE, "番人の手引きを更新しました。"),
        (JAPANESE, "遅い開門の計数を追加する:完了、src/gauges.py に処理を入れ、3 回続いたら係に通知します"),
        (
            SPANISH,
            "Añadir un contador de aperturas tardías: hecho, src/gauges.py avisa al equipo tras 3 casos",
        ),
    ],
)
def test_a_task_that_is_left_is_not_done_however_much_is_told_of_it(talk: list[Message], line: str) -> None:
    assert list(told_as_done([f"- {line}"], leaf(talk))) == [line]


@pytest.mark.parametrize(
    "talk, line",
    [
        (ENGLISH, "Add a counter for late openings: src/gauges.py was read, it has no counter"),
        (ENGLISH, "Add a counter for late openings (the cause was found in src/weir.py)"),
        (ENGLISH, "src/gauges.py was read for the counter for late openings, which is not written yet"),
        (ENGLISH, "The weir was edited in src/weir.py"),
        (FINISHED, "The counter for late openings was added to src/weir.py, which counts each of them"),
        (GERMAN, "Zähler für späte Öffnungen einbauen: src/gauges.py wurde gelesen"),
        (GERMAN, "Handbuch für die Wärter: noch zu ergänzen"),
        (CHINESE, "给迟开加计数器:已读 src/gauges.py,计数器还没加"),
        (JAPANESE, "遅い開門の計数を追加する(3 回続いたら通知)"),
        (SPANISH, "Actualizar el manual del guarda: pendiente, src/gauges.py fue leído"),
    ],
)
def test_what_is_told_beside_a_task_is_no_deed(talk: list[Message], line: str) -> None:
    assert list(told_as_done([f"- {line}"], leaf(talk))) == []
