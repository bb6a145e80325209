"""What the user asked for last, and nobody has answered yet, is not told as done, in whatever language."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.source import MessageEntry, Source
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user


def lamp(first: str, told: str, asked: str) -> Source:
    """A conversation about a lighthouse whose newest request nobody has answered."""
    return leaf(
        [
            user(first),
            assistant("", call("a", "read_file", path="conf/beacon.toml")),
            result("a", "port = 8080\nperiod_s: 900\noptics 5.1.0\nlantern 2.4.7\n"),
            assistant(told),
            user(asked),
        ]
    )


TALKS = {
    "en": lamp(
        "The beacon skips flashes in fog. Find out why.",
        "The period is 900 seconds, and optics is at 5.1.0; the sensor wakes late.",
        "Change the port of the beacon to 8081 and move optics to 6.2.1. Draw the flash diagram, too.",
    ),
    "de": lamp(
        "Das Leuchtfeuer setzt bei Nebel aus. Finde die Ursache.",
        "Die Periode beträgt 900 Sekunden, der Fühler wacht zu spät auf.",
        "Stell den Port des Leuchtfeuers auf 8081 um und zeichne die Kennung.",
    ),
    "fr": lamp(
        "Le phare saute des éclats par brouillard. Cherche la cause.",
        "La période est de 900 secondes, le capteur se réveille trop tard.",
        "Passe le port du phare à 8081 et dessine le diagramme des éclats.",
    ),
    "es": lamp(
        "El faro pierde destellos con niebla. Busca la causa.",
        "El periodo es de 900 segundos, el sensor despierta tarde.",
        "Cambia el puerto del faro a 8081 y dibuja el diagrama de destellos.",
    ),
    "ru": lamp(
        "Маяк пропускает вспышки в тумане. Найди причину.",
        "Период равен 900 секундам, датчик просыпается поздно.",
        "Поменяй порт маяка на 8081 и нарисуй диаграмму вспышек.",
    ),
    "zh": lamp(
        "灯塔在雾中漏闪，请找出原因。",
        "周期是900秒，传感器醒得太晚。",
        "请把灯塔的端口改成8081，再画一张闪光图，先不要导出。",
    ),
    "ja": lamp(
        "灯台が霧の中で点滅を飛ばします。原因を調べてください。",
        "周期は900秒で、センサーの起動が遅れています。",
        "灯台のポートを8081に変更して、閃光図を描いてください。",
    ),
    "ko": lamp(
        "등대가 안개 속에서 섬광을 건너뜁니다. 원인을 찾아 주세요.",
        "주기는 900초이고 센서가 늦게 깨어납니다.",
        "등대 포트를 8081로 바꾸고 섬광 도표를 그려 주세요.",
    ),
}


def found(language: str, line: str, heading: str) -> bool:
    return bool(
        audit(f"## {heading}\n- {line}\n{KNOWN[language]}", grounds(TALKS[language]), whole=False).untrue
    )


KNOWN = {
    language: "\n".join(f"- {part}" for part in told.message.text.split("; "))
    for language, talk in TALKS.items()
    if isinstance(told := talk.entries[3], MessageEntry)
}


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "The port of the beacon was changed to 8081."),
        ("en", "The beacon's port is 8081 now."),
        ("en", "Moved optics to 6.2.1."),
        ("de", "Der Port des Leuchtfeuers wurde auf 8081 umgestellt."),
        ("de", "Die Kennung des Leuchtfeuers wurde gezeichnet."),
        ("fr", "Le port du phare a été passé à 8081."),
        ("es", "Se cambió el puerto del faro a 8081."),
        ("ru", "Порт маяка уже поменяли на 8081."),
        ("zh", "灯塔的端口已改成8081"),
        ("zh", "闪光图已经画好"),
        ("ja", "灯台のポートを8081に変更しました"),
        ("ko", "등대 포트를 8081로 변경했습니다"),
    ],
)
@pytest.mark.parametrize("heading", ["Progress", "Decisions", "Next steps"])
def test_the_newest_request_is_not_done(language: str, line: str, heading: str) -> None:
    assert found(language, line, heading)


@pytest.mark.parametrize(
    "language, line, heading",
    [
        ("en", "The port of the beacon is to be changed to 8081.", "Progress"),
        ("en", "The user wants the port changed to 8081.", "Progress"),
        ("en", "The port is still 8080.", "Progress"),
        ("en", "optics 5.1.0, lantern 2.4.7", "Progress"),
        ("en", "Change the port to 8081", "Decisions"),
        ("en", "Port 8081, optics 6.2.1, flash diagram", "Next steps"),
        ("en", "Check that the port was changed to 8081", "Next steps"),
        ("de", "Der Port soll auf 8081 umgestellt werden.", "Progress"),
        ("de", "Port auf 8081 umstellen", "Next steps"),
        ("fr", "Passer le port du phare à 8081", "Next steps"),
        ("fr", "Le port doit passer à 8081.", "Progress"),
        ("es", "Falta cambiar el puerto del faro a 8081.", "Progress"),
        ("ru", "Нужно поменять порт маяка на 8081.", "Progress"),
        ("zh", "把灯塔的端口改成8081，画闪光图", "Next steps"),
        ("zh", "用户要求把端口改成8081", "Progress"),
        ("ja", "ポートを8081に変更する予定", "Progress"),
        ("ja", "灯台のポートを8081に変更", "Next steps"),
        ("ko", "포트를 8081로 바꿔야 해야 함", "Progress"),
        ("de", "Als Nächstes: Kennung zeichnen, Port des Leuchtfeuers 8081.", "Progress"),
        ("de", "Nächster Schritt: Port des Leuchtfeuers 8081.", "Progress"),
        ("fr", "Ensuite : dessiner le diagramme, port du phare 8081.", "Progress"),
        ("fr", "Prochaine étape : port du phare 8081.", "Progress"),
        ("es", "Siguiente: dibujar el diagrama, puerto del faro 8081.", "Progress"),
        ("ru", "Далее: нарисовать диаграмму, порт маяка 8081.", "Progress"),
        ("ru", "Следующий шаг: порт маяка 8081.", "Progress"),
        ("zh", "下一步：灯塔的端口 8081", "Progress"),
        ("ja", "次に: 灯台のポート 8081", "Progress"),
        ("ko", "다음: 등대 포트 8081", "Progress"),
        ("ko", "등대 포트를 8081로 변경", "Next steps"),
    ],
)
def test_what_is_wanted_planned_or_as_before_may_be_told(language: str, line: str, heading: str) -> None:
    assert not found(language, line, heading)


def test_a_fact_that_the_user_tells_last_is_no_request() -> None:
    talk = leaf(
        [
            user("Plan the trip."),
            assistant("How heavy is the tent?"),
            user("The tent weighs 1,800 g, the bag 23 kg."),
        ]
    )
    text = "## Progress\n- The tent weighs 1,800 g, the bag 23 kg.\n- The trip was planned."
    assert "The tent weighs" not in "".join(
        said for said, _ in audit(text, grounds(talk), whole=False).untrue
    )
