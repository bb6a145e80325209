"""Figures that were too small or too large, and which one is all right."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.set_anew import newest_of
from tests.summarize.dialogues import held


@pytest.mark.parametrize(
    "old, new",
    [
        ("单个文件不要超过 250 行", "行数改成最多 400 行吧，250 行太紧了"),
        ("每行最多 80 个字符", "字符数上限改到 120 吧，80 太少"),
        ("预算不要超过 5000 元", "预算提到 6000 元吧，5000 元不够"),
        (
            "keep the helper files under 200 lines pls",
            "hm actually 300 lines is ok for the helper files, 200 is too tight",
        ),
        ("keep the helper files under 200 lines pls", "hm make that 300 lines, 200 is too tight"),
        ("keep functions under 40 lines", "60 lines is fine for functions, 40 is too strict"),
        ("Max 10 guests per table.", "12 guests per table are ok too, 10 is too few"),
        ("Dateien höchstens 200 Zeilen", "300 Zeilen sind okay für die Dateien, 200 ist zu eng"),
        ("Fichiers de 200 lignes maximum.", "300 lignes c'est bon pour les fichiers, 200 c'est trop court"),
        ("Archivos de máximo 200 líneas.", "300 líneas están bien para los archivos, 200 es muy poco"),
        ("Arquivos com no máximo 200 linhas.", "300 linhas está bom para os arquivos, 200 é muito pouco"),
        ("File di massimo 200 righe.", "300 righe vanno bene per i file, 200 è troppo poco"),
        ("Файлы не длиннее 200 строк.", "300 строк нормально для файлов, 200 слишком мало"),
        ("Bestanden maximaal 200 regels.", "300 regels is prima voor bestanden, 200 is te krap"),
        ("Pliki maksymalnie 200 linii.", "300 linii jest ok dla plików, 200 to za mało"),
        ("ファイルは200行以内にしてください。", "ファイルは300行でも大丈夫です、200行は厳しすぎます"),
        ("파일은 200줄 이하로 해주세요.", "파일은 300줄도 괜찮아요, 200줄은 너무 적어요"),
        ("alles zusammen höchstens 4500 Euro", "wir dürfen jetzt bis 5200 Euro gehen statt 4500"),
        ("alles zusammen höchstens 4500 Euro", "Kommando zurück: doch nur höchstens 4800 Euro, nicht 4500"),
        ("行数最多 400 行", "再改一下：最多 300 行，不是 400 行"),
        ("Musik also nur bis 22 Uhr.", "Korrektur: Musik darf bis 23 Uhr gehen, nicht nur bis 22 Uhr"),
        ("hm make that 300 lines, 200 is too tight", "helper files max 250 lines, not 300"),
    ],
)
def test_what_says_that_a_figure_was_too_small_gives_the_rule_the_other(old: str, new: str) -> None:
    assert [newest_of(one) for one in held("Plan the season.", old, new)] == [new]


@pytest.mark.parametrize(
    "old, new",
    [
        (
            "keep the helper files under 200 lines pls",
            "the test files can have 300 lines, 200 is too tight for them",
        ),
        ("keep the helper files under 200 lines pls", "300 lines of the log are ok, 200 is where it fails"),
        ("keep functions under 40 lines", "ok 60 lines changed, 40 is too many for one commit"),
        ("单个文件不要超过 250 行", "日志改成保留最多 400 行，第 250 行太长了"),
        ("单个文件不要超过 250 行", "这个文件改成 400 行了，超过 250 行太多了"),
        ("单个文件不要超过 250 行", "预算改成最多 400 元吧，250 元太紧了"),
        ("Dateien höchstens 200 Zeilen", "In Zeile 300 sind 200 Zeichen zu viel"),
        ("ファイルは200行以内にしてください。", "ログは300行でも大丈夫です、200行は短すぎます"),
        ("commit messages max 50 chars", "branch names can be 72 chars, 50 is too short"),
    ],
)
def test_such_a_figure_of_something_else_or_in_a_report_changes_none(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


@pytest.mark.parametrize(
    "old, new",
    [
        ("Never use more than 20 connections.", "Padding of 20 is too large, make it 12."),
        ("Keep each PR under 300 lines.", "300 lines is too long for an email, make it 50."),
        ("Always wait 30 seconds between calls.", "The animation of 30 is too long, make it 10."),
        ("Never more than 3 retries.", "The rating of 3 was too low, make it 4."),
        ("Max 3 retries.", "The 3 columns are too narrow, make it 4."),
        ("Jede Funktion höchstens 40 Zeilen.", "Der Rand mit 40 ist zu groß, nimm 20."),
        ("响应时间不超过200毫秒。", "有人说200太紧，改成300，我不同意。"),
        ("响应时间不超过200毫秒。", "标题里200太长了，改成100。"),
        ("每页最多50条。", "首页的轮播50太大，改成20。"),
        ("Max 3 retries.", "A margin of 3 is too small, make it 8."),
        ("Max 3 retries.", "In the footer 3 is too small, make it 8."),
        ("Functions of at most 40 lines.", "40 is too large for the font, make it 20."),
        ("Functions of at most 40 lines.", "40 is too large for the font, 20 is fine."),
        ("Max 50 chars per subject.", "The logo with 50 is too small, make that 80."),
        ("Fichiers de 200 lignes maximum.", "La marge de 200 est trop grande, 100 c'est bon."),
        ("Archivos de máximo 200 líneas.", "El margen de 200 es muy grande, 100 está bien."),
        ("ファイルは200行以内にしてください。", "余白の200は大きすぎる、100でいい。"),
        ("Max 3 retries.", "Tim says 3 is too few, make it 5, I disagree."),
        ("Max 3 retries.", "Tim thinks 3 is too few, make it 5."),
        ("单个文件不要超过250行", "图标250太大了，改成100。"),
        ("Never more than 3 retries.", "The score was 3, too low, make it 4."),
        ("Keep each PR under 300 lines.", "300 lines is too long for an email, 50 is fine."),
    ],
)
def test_a_remark_about_another_thing_changes_no_figure(old: str, new: str) -> None:
    assert old in held("Plan the season.", old, new)


def test_what_names_no_rule_changes_none_where_two_have_its_figure() -> None:
    rules = "Quays of at most 40 metres.", "Piers of at most 40 metres."
    assert held("Plan the season.", *rules, "make that 60 metres, 40 is too tight")[:2] == [*rules]
