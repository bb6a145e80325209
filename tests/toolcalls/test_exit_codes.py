"""A line with an exit code, in whatever language, says how a command went."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Text, ToolResult
from palimpsest.toolcalls.outcomes import Outcome, outcome

TRACE = 'Traceback (most recent call last):\n  File "mill.py", line 7\nUnicodeDecodeError: bad byte 0x8e'


def _ran(text: str) -> Outcome:
    return outcome(ToolResult("c1", (Text(text),)), "python tools/mill.py")


@pytest.mark.parametrize(
    "line, code",
    [
        ("終了コード 1", 1),
        ("[終了コード: 1]", 1),
        ("コマンドは終了コード 2で終了しました。", 2),
        ("退出码 1", 1),
        ("进程已退出，返回码为 3", 3),
        ("终了代码 1", 1),
        ("結束代碼：1", 1),
        ("Rückgabewert: 1", 1),
        ("Der Befehl endete mit Exit-Code 1.", 1),
        ("Le processus s'est terminé avec le code de sortie 1", 1),
        ("Code de retour : 1", 1),
        ("El proceso terminó con código de salida: 2.", 2),
        ("código de saída 1", 1),
        ("codice di uscita 1", 1),
        ("afsluitcode 1", 1),
        ("Proces zakończył się z kodem wyjścia 1", 1),
        ("Процесс завершился с кодом возврата 1", 1),
        ("종료 코드 1", 1),
        ("프로세스가 종료 코드 1로 종료되었습니다", 1),
    ],
)
@pytest.mark.parametrize("form", ["{trace}\n{line}", "{line}\n{trace}"])
def test_an_exit_code_in_another_language_tells_a_failure(line: str, code: int, form: str) -> None:
    error = "UnicodeDecodeError: bad byte 0x8e"
    assert _ran(form.format(trace=TRACE, line=line)) == Outcome(f"exit {code}", failed=True, error=error)


@pytest.mark.parametrize(
    "line",
    [
        "終了コード 0",
        "退出码 0",
        "Rückgabewert: 0",
        "終了コード 1 は警告を表します",
        "Код выхода 1 означает предупреждение",
        "el código de salida 1 indica un aviso",
        "Die Exit-Codes stehen in 1",
        "商品代码 12",
        "códigos 14",
        "注文コード 12",
    ],
)
def test_a_line_that_tells_of_no_failed_run_is_none(line: str) -> None:
    assert not _ran(f"grain: 40\n{line}").failed
