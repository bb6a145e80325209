"""Headings in the words of many languages: each word names a section or stands beside what does."""

from __future__ import annotations

import pytest

from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.headwords import section_of

MEANT = {
    "Goal": """Hauptziel
    Ziel des Nutzers
    Objectif principal
    Objetivo del usuario
    Obiettivo
    Doel van de gebruiker
    Cel użytkownika
    Цель пользователя
    用户目标
    目的
    사용자의 목표
    Goal of the session""",
    "Constraints & preferences": """Vorgaben und Wünsche
    Einschränkungen & Präferenzen
    Contraintes et préférences
    Restricciones y preferencias
    Vincoli e preferenze
    Restrições e preferências
    Beperkingen en voorkeuren
    Ograniczenia i preferencje
    Ограничения и предпочтения
    约束与偏好
    制約と希望
    制約と要望
    제약 및 선호
    제약 조건과 선호 사항""",
    "Progress": """Bisheriger Fortschritt
    Stand der Arbeit
    Avancement des travaux
    Progreso
    Avanzamento
    Progresso
    Voortgang
    Postęp prac
    Ход работы
    进展情况
    作業の進捗
    진행 상황
    Completed tasks
    Erledigte Arbeiten""",
    "Decisions": """Getroffene Entscheidungen
    Décisions prises
    Decisiones tomadas
    Decisioni prese
    Decisões tomadas
    Genomen besluiten
    Podjęte decyzje
    Принятые решения
    关键决策
    決定事項と理由
    결정 사항
    Decisions and rationale""",
    "Files": """Geänderte Dateien
    Fichiers modifiés
    Archivos modificados
    File modificati
    Arquivos modificados
    Gewijzigde bestanden
    Pliki
    Изменённые файлы
    相关文件
    変更したファイル
    변경된 파일
    Relevant files""",
    "Commands and outcomes": """Befehle und Ergebnisse
    Commandes et résultats
    Comandos y resultados
    Comandi ed esiti
    Comandos e resultados
    Commando's en uitkomsten
    Polecenia i wyniki
    Команды и результаты
    命令和结果
    コマンドと結果
    実行したコマンド
    명령과 결과
    명령어 및 결과""",
    "Errors and rejected approaches": """Fehler und verworfene Ansätze
    Erreurs et approches rejetées
    Errores y enfoques descartados
    Errori e approcci scartati
    Erros e abordagens rejeitadas
    Fouten en verworpen benaderingen
    Błędy i odrzucone podejścia
    Ошибки и отклонённые подходы
    错误与放弃的方案
    错误和被否决的方法
    エラーと却下した方法
    エラーと却下されたアプローチ
    오류와 기각된 접근법
    Failures and abandoned attempts""",
    "Open tasks": """Offene Aufgaben
    Noch offene Punkte
    Tâches restantes
    Tareas pendientes
    Attività aperte
    Tarefas em aberto
    Openstaande taken
    Otwarte zadania
    Открытые задачи
    未完成的任务
    待办事项
    未完了の作業
    残りのタスク
    남은 작업
    미완료 과제""",
    "Pending user request": """Offene Anfrage des Nutzers
    Demande en cours
    Última petición del usuario
    Richiesta dell'utente in sospeso
    Pedido pendente do usuário
    Laatste verzoek van de gebruiker
    Ostatnia prośba użytkownika
    Последний запрос пользователя
    用户的最新请求
    ユーザーの最新の依頼
    사용자의 마지막 요청""",
    "Next steps": """Nächste Schritte
    Prochaines étapes
    Siguientes pasos
    Prossimi passi
    Próximos passos
    Volgende stappen
    Następne kroki
    Дальнейшие шаги
    后续步骤
    次の手順
    次のステップ
    다음 단계
    Planned next steps""",
    "Critical identifiers": """Wichtige Kennungen
    Identifiants critiques
    Identificadores clave
    Identificatori importanti
    Identificadores importantes
    Belangrijke identificatoren
    Kluczowe identyfikatory
    Важные идентификаторы
    关键标识符
    重要な識別子
    주요 식별자
    Key IDs""",
}


@pytest.mark.parametrize(
    "section, told", [(one, told) for one, all_told in MEANT.items() for told in all_told.splitlines()]
)
def test_a_heading_means_the_section_that_its_words_name(section: str, told: str) -> None:
    assert FORMS["sections"].heading_of(f"## {told.strip()}") == section


@pytest.mark.parametrize(
    "told",
    [
        "Files and decisions",
        "Weather",
        "Done",
        "Offen",
        "Open questions",
        "Results",
        "Dateien und Befehle",
        "Ziel und Fortschritt",
        "Steps",
        "Task",
        "Step 14",
        "Status codes",
        "Task runner",
        "Error handling",
        "Next.js",
        "Command line",
        "Goal keeper",
        "Rules engine",
        "港务",
        "設備一覧",
        "状態遷移",
        "회의록",
    ],
)
def test_a_heading_with_other_words_means_none(told: str) -> None:
    assert section_of(told) == ""
    assert FORMS["sections"].heading_of(f"## {told}") == ""


def test_a_page_has_only_headings_of_its_own() -> None:
    assert FORMS["page"].heading_of("## 次の手順") == "Next Steps"
    assert FORMS["page"].heading_of("## エラーと却下した方法") == ""
