"""A plan under a heading of plans claims no deed, whatever participles it has; a deed told there is one."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.deeds.closest import told_as_done
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user


def weir(asked: str) -> list[Message]:
    """A conversation about a weir whose newest request nobody has answered."""
    return [
        user("Look at the weir."),
        assistant("", call("a", "read_file", path="conf/weir.toml")),
        result("a", "gate_count = 4\n"),
        assistant("I have looked at it."),
        user(asked),
    ]


ASKED = {
    "en": "Let the weir write its rejected readings into `log/refused.csv`, and seed the failed gates anew.",
    "de": "Schreib die verworfenen Messwerte nach `log/verworfen.csv`, und zähl nur geprüfte Tore.",
    "fr": "Fais écrire au barrage les mesures rejetées dans `log/rejets.csv`, avec l'heure et la vanne fermée.",
    "es": "Haz que la presa escriba las medidas rechazadas en `log/rechazos.csv`, con la hora y la compuerta.",
    "pt": "Faça a represa gravar as medidas recusadas em `log/recusas.csv`, com a hora e a comporta.",
    "it": "Fai scrivere alla diga le misure scartate in `log/scarti.csv`, con l'ora e la paratoia.",
    "ru": "Пусть плотина пишет отклонённые замеры в `log/refused.csv`, со временем и номером ворот.",
    "zh": "请把水闸拒绝的读数写到 `log/refused.csv`，要有时间和闸门编号。",
    "ja": "水門が拒否した測定値を `log/refused.csv` に書き出すようにしてください。時刻と門の番号も。",
    "ko": "수문이 거부된 측정값을 `log/refused.csv`에 쓰게 해 주세요. 시각과 문 번호도 넣어 주세요.",
}


def struck(language: str, line: str, heading: str) -> bool:
    text = f"## Progress\n- I have looked at it.\n## {heading}\n- {line}"
    return bool(audit(text, grounds(leaf(weir(ASKED[language]))), whole=False).untrue)


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "Write rejected readings into log/refused.csv."),
        ("en", "Write the readings that were rejected into log/refused.csv."),
        ("en", "Rejected readings go into log/refused.csv."),
        ("en", "Send refused and rejected readings to log/refused.csv now."),
        ("en", "Now write log/refused.csv, rejected readings only."),
        ("en", "Make log/refused.csv work with finished gates."),
        ("en", "Have the weir write its rejected readings into log/refused.csv."),
        ("en", "Embed the time in log/refused.csv."),
        ("de", "Verworfene Messwerte nach log/verworfen.csv schreiben, bereits geprüfte Tore zählen."),
        ("de", "Messwerte, die verworfen wurden, jetzt nach log/verworfen.csv schreiben."),
        ("fr", "Écrire les mesures déjà rejetées dans log/rejets.csv."),
        ("fr", "Écrire dans log/rejets.csv les mesures qui ont été rejetées."),
        ("es", "Escribir en log/rechazos.csv las medidas que fueron rechazadas."),
        ("es", "Escribir ahora las medidas ya rechazadas en log/rechazos.csv."),
        ("pt", "Gravar em log/recusas.csv as medidas que foram recusadas."),
        ("it", "Scrivere in log/scarti.csv le misure che sono state scartate."),
        ("ru", "Записывать уже отклонённые замеры в log/refused.csv."),
        ("zh", "把已经拒绝的读数写到 log/refused.csv"),
        ("zh", "完成 log/refused.csv 的写入"),
        ("ja", "拒否済みの測定値を log/refused.csv に書き出す"),
        ("ja", "拒否した測定値を log/refused.csv に保存"),
        ("ko", "거부 완료된 측정값을 log/refused.csv에 저장"),
    ],
)
@pytest.mark.parametrize("heading", ["Next steps", "Open tasks"])
def test_a_plan_claims_no_deed(language: str, line: str, heading: str) -> None:
    assert not struck(language, line, heading)


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "Rejected readings were written into log/refused.csv."),
        ("en", "The weir now writes rejected readings into log/refused.csv."),
        ("en", "Created log/refused.csv with the rejected readings."),
        ("en", "I have written log/refused.csv with the time and the gate."),
        ("en", "Write the rejected readings into log/refused.csv: done"),
        ("de", "Die verworfenen Messwerte wurden nach log/verworfen.csv geschrieben."),
        ("de", "Das Wehr schreibt jetzt verworfene Messwerte nach log/verworfen.csv."),
        ("fr", "Les mesures rejetées ont été écrites dans log/rejets.csv."),
        ("es", "Se escribieron las medidas rechazadas en log/rechazos.csv."),
        ("pt", "As medidas recusadas foram gravadas em log/recusas.csv."),
        ("it", "Le misure scartate sono state scritte in log/scarti.csv."),
        ("ru", "Отклонённые замеры уже пишутся в log/refused.csv."),
        ("zh", "已拒绝的读数已写到 log/refused.csv"),
        ("ja", "拒否した測定値を log/refused.csv に書き出しました"),
        ("ko", "거부된 측정값을 log/refused.csv에 저장했습니다"),
    ],
)
@pytest.mark.parametrize("heading", ["Next steps", "Open tasks"])
def test_a_deed_that_is_told_among_plans_is_one(language: str, line: str, heading: str) -> None:
    assert struck(language, line, heading)


@pytest.mark.parametrize(
    "language, line, clause",
    [
        (
            "en",
            "I have now written log/refused.csv with the time, please read it before I go on.",
            "I have now written log/refused.csv with the time",
        ),
        (
            "en",
            "Rejected readings were written into log/refused.csv, and the user should read it before the release.",
            "Rejected readings were written into log/refused.csv",
        ),
        (
            "de",
            "Die verworfenen Messwerte wurden nach log/verworfen.csv geschrieben, und der Nutzer soll sie lesen.",
            "Die verworfenen Messwerte wurden nach log/verworfen.csv geschrieben",
        ),
        (
            "fr",
            "Les mesures rejetées ont été écrites dans log/rejets.csv, il reste à les relire.",
            "Les mesures rejetées ont été écrites dans log/rejets.csv",
        ),
        (
            "es",
            "Se escribieron las medidas rechazadas en log/rechazos.csv, falta que el usuario las lea.",
            "Se escribieron las medidas rechazadas en log/rechazos.csv",
        ),
        (
            "zh",
            "拒绝的读数已经写到 log/refused.csv，下一步请用户检查。",
            "拒绝的读数已经写到 log/refused.csv",
        ),
    ],
)
def test_a_clause_that_tells_the_newest_request_as_done_goes(language: str, line: str, clause: str) -> None:
    assert clause in "\n".join(told_as_done([line], leaf(weir(ASKED[language]))))


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "The user wants a file for rejected readings, named log/refused.csv, with the time."),
        ("en", "Once log/refused.csv has been written, the user reads it."),
        ("en", "The user asked for log/refused.csv, which was wanted by the lab, and for the failed gates."),
        ("en", "Next comes log/refused.csv, the gates have been looked at."),
        ("de", "Sobald log/verworfen.csv geschrieben wurde, liest sie der Nutzer, so wurde es verlangt."),
        ("fr", "Il faut écrire log/rejets.csv, comme il a été demandé."),
        ("zh", "用户要求写 log/refused.csv，这是最后的要求。"),
    ],
)
def test_a_clause_beside_what_is_wanted_tells_of_itself_alone(language: str, line: str) -> None:
    assert not list(told_as_done([line], leaf(weir(ASKED[language]))))
