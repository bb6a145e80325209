"""The forms a model's summary can have: which headings, and which of them rules can fill.

Rules kept here:

- A heading is recognised however a model decorates it: hashes, bold type, a number, a colon, a shorter wording, and in
  the words of other languages.
- What the rules know of is put under the heading of the form that it belongs to. Prose has no headings; what the user
  demanded and a prose summary leaves out follows it under ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.settings import SummaryForm
from palimpsest.summarize.sections import Section

_HEADING = later(
    r"\s{0,3}(?:#{1,4}\s{0,3}(?:\d{1,2}[.)]\s{0,2})?|(?:\d{1,2}[.)]\s{0,2})?(?=\*\*))(?:\*\*)?([^\n#*:：]{2,60}?)(?:\*\*)?\s{0,2}[:：]?(?:\*\*)?\s*"
)
_APART = later(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Form:
    """A form's headings in order; where the facts of each section of ours go; the heading of the newest request.

    `others` are further wordings of a heading.
    """

    headings: tuple[str, ...]
    homes: Mapping[Section, str]
    request: str = ""
    others: Mapping[str, str] | None = None

    def heading_of(self, line: str) -> str:
        """The heading that a line is, "" for any other line."""
        match = _HEADING.fullmatch(line[:100])
        if not match:
            return ""
        said = _plain(match[1])
        for heading in self.headings:
            if said == _plain(heading) or said == _plain(re.split(r" (?:&|and|with) ", heading)[0]):
                return heading
        return (self.others or {}).get(said, "")

    def parse(self, text: str) -> list[tuple[str, list[str]]]:
        """(heading, lines) in the order of the text; the first is "" for what stands before any heading. Headings of
        other forms are lines like others.
        """
        found: list[tuple[str, list[str]]] = [("", [])]
        for line in text.splitlines():
            heading = self.heading_of(line)
            if heading:
                found.append((heading, []))
            else:
                found[-1][1].append(line)
        return found


def _plain(heading: str) -> str:
    return _APART.sub("", heading.lower())


_WORDINGS: Mapping[str, str] = {
    "Goal": "objective objectives goals aim usersgoal usergoal maingoal ziel ziele objectif objectifs objetivo "
    "objetivos obiettivo 目标 目標 ゴール 목표 цель",
    "Constraints & preferences": "rules groundrules userrules preferences userpreferences alsosaidbytheuser vorgaben "
    "regeln wünsche einschränkungen contraintes règles préférences restricciones reglas preferencias vincoli "
    "restrições 约束 限制 规则 制約 ルール 제약 ограничения",
    "Progress": "status whatwasdone workdone completedwork accomplishments stand fortschritt avancement progrès "
    "progreso avances progressi progresso 进展 進展 进度 進捗 完了したこと 진행 прогресс",
    "Decisions": "keydecisions decisionsmade keydecisionsmade choices entscheidungen décisions decisiones decisioni "
    "decisões 决定 决策 決定 決定事項 결정 решения",
    "Files": "filestouched fileschanged filesandartifacts artifacts dateien fichiers archivos ficheros arquivos "
    "文件 ファイル 파일 файлы",
    "Commands and outcomes": "commandsrun commandlog befehle commandes comandos comandi 命令 コマンド 명령 команды",
    "Errors and rejected approaches": "problems problemsandfailures failures fehler probleme erreurs problèmes errores "
    "problemas errori erros 错误 问题 エラー 問題 오류 ошибки",
    "Open tasks": "remainingtasks outstandingtasks openitems offeneaufgaben aufgaben tâches tâchesouvertes tareas "
    "tareaspendientes attività tarefas 待办 待办事项 未完成 タスク 残タスク 할일 задачи",
    "Pending user request": "pendingrequest latestrequest lastmessage lastrequest userrequest offeneanfrage "
    "letzteanfrage demandeencours dernièredemande solicitudpendiente últimapetición "
    "待处理请求 最新请求 用户请求 保留中の依頼",
    "Next steps": "next nextstep whatcomesnext whatsnext nächsteschritte prochainesétapes próximospasos "
    "passisuccessivi prossimipassi próximospassos 下一步 后续步骤 次のステップ 次の手順 다음단계 следующиешаги",
    "Critical identifiers": "ids keyidentifiers kennungen identifiants identificadores identificatori 标识符 "
    "标识 識別子 식별자 идентификаторы",
}
"""How else a heading of ours is said, without spaces and signs, in several languages."""


def _wordings(headings: tuple[str, ...], more: Mapping[str, str]) -> Mapping[str, str]:
    """Further wordings of those of ours that a form has, however it writes them."""
    own = {heading.lower(): heading for heading in headings}
    known = {
        word: own[heading.lower()]
        for heading, words in _WORDINGS.items()
        if heading.lower() in own
        for word in words.split()
    }
    return {**known, **more}


FORMS: Mapping[SummaryForm, Form] = {
    "sections": Form(
        headings=(
            "Goal",
            "Constraints & preferences",
            "Progress",
            "Decisions",
            "Files",
            "Commands and outcomes",
            "Errors and rejected approaches",
            "Open tasks",
            "Pending user request",
            "Next steps",
            "Critical identifiers",
        ),
        homes={
            "Goal": "Goal",
            "Constraints": "Constraints & preferences",
            "Also said by the user": "Constraints & preferences",
            "Decisions": "Decisions",
            "Files": "Files",
            "Commands": "Commands and outcomes",
            "Errors": "Errors and rejected approaches",
            "Identifiers": "Critical identifiers",
            "Open tasks": "Open tasks",
        },
        request="Pending user request",
        others=_wordings(
            tuple(_WORDINGS),
            {
                "decisionswithrationale": "Decisions",
                "identifiers": "Critical identifiers",
                "newestrequest": "Pending user request",
                "lastrequestofthispart": "Pending user request",
                "todo": "Open tasks",
                "opentodos": "Open tasks",
            },
        ),
    ),
    "page": Form(
        headings=("Goal", "Progress", "Decisions", "Files", "Next Steps"),
        homes={
            "Goal": "Goal",
            "Constraints": "Goal",
            "Also said by the user": "Goal",
            "Decisions": "Decisions",
            "Files": "Files",
            "Commands": "Progress",
            "Errors": "Progress",
            "Identifiers": "Progress",
            "Open tasks": "Next Steps",
        },
        others=_wordings(
            ("Goal", "Progress", "Decisions", "Files", "Next Steps"), {"decisionswithrationale": "Decisions"}
        ),
    ),
    "prose": Form(
        headings=("Goal", "Constraints", "Also said by the user", "Open tasks"),
        homes={
            "Goal": "Goal",
            "Constraints": "Constraints",
            "Also said by the user": "Also said by the user",
            "Open tasks": "Open tasks",
        },
    ),
}
