"""What failed, as the assistant told it, and what cured it stay in every form."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.settings import SummaryForm
from palimpsest.summarize.audit.left_out import told_apart
from palimpsest.summarize.source import Source
from tests.summarize.audit.stories import asked, grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user

RUN, ERROR = (
    "python tools/tides.py",
    "Traceback (most recent call last):\nUnicodeDecodeError: byte 0x8e in line 31",
)
TOLD = (
    "## Goal\n- Read the tides of the southern basin\n## Progress\n- All 812 levels of the gauges are stored."
)
STORIES = [
    ("The reading failed at line 31: it is no UTF-8.", "With cp932 every row was read."),
    (
        "The reading failed at line 31, since the code page is not there yet.",
        "With cp932 every row was read.",
    ),
    ("Das Lesen scheiterte in Zeile 31 an der Kodierung.", "Mit cp932 wurden alle Zeilen gelesen."),
    ("La lecture a échoué à la ligne 31, à cause du codage.", "Avec cp932, toutes les lignes ont été lues."),
    ("La lectura falló en la línea 31 por la codificación.", "Con cp932 se leyeron todas las filas."),
    ("La lettura è fallita alla riga 31 per la codifica.", "Con cp932 tutte le righe sono state lette."),
    ("A leitura falhou na linha 31 por causa da codificação.", "Com cp932 todas as linhas foram lidas."),
    ("Het lezen mislukte op regel 31 door de codering.", "Met cp932 zijn alle regels gelezen."),
    ("Odczyt nie powiódł się w wierszu 31 przez kodowanie.", "Z cp932 wczytano wszystkie wiersze."),
    ("Чтение упало на строке 31 из-за кодировки.", "С cp932 прочитаны все строки."),
    ("変換は31行目の文字コードのエラーで失敗しました。", "cp932で読み直して、すべて変換できました。"),
    ("读取在第31行因编码错误失败了。", "改用 cp932 后全部读取成功。"),
    ("읽기가 31번째 줄의 인코딩 오류로 실패했습니다.", "cp932로 모든 줄을 읽었습니다."),
]


def story(*between: Message) -> Source:
    return leaf(
        [
            user("Read the tides of the southern basin."),
            assistant("", call("a", "Bash", command=RUN)),
            result("a", f"{ERROR}\nexit code 1"),
            *between,
            user("Now draw them."),
        ]
    )


def cured(failed: str, cure: str) -> Source:
    again = assistant(failed, call("b", "Bash", command=RUN))
    return story(again, result("b", "812 levels\nexit code 0"), assistant(cure))


@pytest.mark.parametrize("form", ["page", "sections"])
@pytest.mark.parametrize("failed, cure", STORIES)
def test_what_failed_stays_with_what_cured_it(form: SummaryForm, failed: str, cure: str) -> None:
    source = cured(failed, cure)
    assert ("Errors", f"assistant: {failed} {cure}") in told_apart(source)
    draft, _ = asked([TOLD, TOLD], grounds(source, form=form))
    assert f"- assistant: {failed} {cure}" in draft.text.splitlines()


def test_what_a_page_tells_of_it_is_not_told_again() -> None:
    failed, cure = STORIES[0]
    page = f"{TOLD}\n- The reading failed at line 31, as it is no UTF-8; with cp932 every row was read"
    draft, _ = asked([page, page], grounds(cured(failed, cure), form="page"))
    assert "assistant:" not in draft.text


def test_another_command_that_goes_well_cures_nothing() -> None:
    failed, said = STORIES[0][0], "The harbour has 3 piers."
    other = assistant(failed, call("b", "Bash", command="python tools/piers.py"))
    source = story(other, result("b", "3 piers\nexit code 0"), assistant(said))
    assert [line for section, line in told_apart(source) if section == "Errors"] == [f"assistant: {failed}"]


def test_a_failure_is_no_open_task() -> None:
    failed, cure = STORIES[1]
    assert "Open tasks" not in {section for section, _ in told_apart(cured(failed, cure))}


def test_words_that_a_page_has_here_and_there_do_not_tell_it() -> None:
    failed, cure = STORIES[0]
    page = f"{TOLD}\n- Line 4 failed\n- UTF-8 is kept\n- 31 gauges are old\n- No row is lost with cp932"
    draft, _ = asked([page, page], grounds(cured(failed, cure), form="page"))
    assert f"- assistant: {failed} {cure}" in draft.text
