"""Whether texts state the figures and names of a line: lines that come from them, and lines that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.evidence import Texts

STEPS = {
    "en": "Step {k}: module m{k} is read, {rows} rows.",
    "de": "Schritt {k}: Modul m{k} ist gelesen, {rows} Zeilen.",
    "fr": "Étape {k} : le module m{k} est lu, {rows} lignes.",
    "es": "Paso {k}: el módulo m{k} se leyó, {rows} filas.",
    "zh": "第{k}步：模块m{k}已读取，共{rows}行。",
    "ja": "手順{k}：モジュールm{k}を読みました。{rows}行です。",
    "ko": "{k}단계: 모듈 m{k}을 읽었습니다. {rows}행.",
    "ru": "Шаг {k}: модуль m{k} прочитан, {rows} строк.",
}
ODD = Texts(
    (
        "The import took 48.3 s and wrote 18,412 rows.",
        "The gate config is config/gate-7.toml, port 5433.",
        "Run 7f3c2b1a-9d4e-4c7a-8b21-5e0f9a6d3c11 was seen.",
        "KeyError in plan() was raised by test_overlap.",
        "We keep three berths free; timeout is 1800 s.",
        "37 of 50 tests pass. Version v2.4.1 is out on 2026-03-04.",
    )
)


def steps(language: str) -> Texts:
    """24 steps from 247 on."""
    return Texts([STEPS[language].format(k=k, rows=k + 100) for k in range(247, 271)])


@pytest.mark.parametrize("language", STEPS)
@given(st.integers(0, 600))
def test_a_step_is_stated_where_it_was_told(language: str, step: int) -> None:
    line = f"- {STEPS[language].format(k=step, rows=step + 100)}"
    assert steps(language).state(line) == (247 <= step <= 270)


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "- Step 4 is read."),
        ("en", "2. Step 12 is read."),
        ("en", "- **m5**: read"),
        ("en", "- Modules m0 to m2 are read."),
        ("de", "- Schritt 12 ist gelesen."),
        ("es", "- Paso 3 se leyó."),
        ("zh", "- 第12步已读取。"),
        ("zh", "- 模块m3已读取。"),
        ("ja", "- モジュールm8を読みました。"),
        ("ko", "- 모듈 m6을 읽었습니다."),
        ("ru", "- Шаг 17 прочитан."),
    ],
)
def test_a_figure_that_was_not_told_is_not_stated(language: str, line: str) -> None:
    assert not steps(language).state(line)


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "- 23 modules were read."),
        ("en", "4. Step 250 is read."),
        ("de", "- 20 Module sind gelesen."),
        ("zh", "- 已读取20个模块。"),
        ("zh", "- 第251步已读取。"),
        ("ru", "- прочитано 20 модулей"),
    ],
)
def test_what_counts_the_texts_or_stands_in_them_is_stated(language: str, line: str) -> None:
    assert steps(language).state(line)


@pytest.mark.parametrize(
    "line",
    [
        "- The import took 51.7 s.",
        "- The import wrote 23,991 rows.",
        "- The gate listens on port 5432.",
        "- Run 9d3c2b1a-9d4e-4c7a-8b21-5e0f9a6d3c11 was seen.",
        "- ValueError in plan() was raised by test_gap.",
        "- config/gate-9.toml is the gate config.",
        "- Version v3.1.0 is out.",
        "- We keep 9 berths free.",
        "- tickets: HB-12 HB-14",
    ],
)
def test_another_figure_or_name_is_not_stated(line: str) -> None:
    assert not ODD.state(line)


@pytest.mark.parametrize(
    "line",
    [
        "- The import took 48.3 s and wrote 18412 rows.",
        "- The import took about 48 s",
        "- roughly 18,400 rows were written",
        "- The gate listens on port 5433 (config/gate-7.toml).",
        "- gate-7.toml holds the port",
        "- We keep 3 berths free",
        "- the timeout is 30 minutes",
        "- 74 % (37 of 50) tests pass",
        "- 37 of 50 tests pass, 13 do not",
        "- version 2.4.1 is out",
        "- `test_overlap` -> KeyError (x3, 2 failed)",
        "- symbols: test_overlap other_name",
        "- the password is [secret:1a2b3c]; three berths are free",
    ],
)
def test_the_same_in_another_form_is_stated(line: str) -> None:
    assert ODD.state(line)
