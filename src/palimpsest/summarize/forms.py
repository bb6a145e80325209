"""The forms a model's summary can have: which headings, and which of them rules can fill.

Rules kept here:

- A heading is recognised however a model decorates it: hashes, bold type, a number, a colon, a shorter wording, and in
  the words of other languages (`headwords.py`).
- What follows a heading and a colon on the same line is the first line of its section. Words in bold type before a
  text are headings only where no heading of the text has hashes: under one they are labels.
- What the rules know of is put under the heading of the form that it belongs to. The page's template has none for what
  the user demands: that stands under ours, since as goals it would hide the goal. Prose has no headings; what the user
  demanded and a prose summary leaves out follows it under ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import get_args

from palimpsest.patterns import later
from palimpsest.settings import SummaryForm
from palimpsest.summarize.sections import Section

_HEADING = later(
    r"\s{0,3}(?:(?P<hashes>#{1,4})\s{0,3}(?:\d{1,2}[.)]\s{0,2})?|(?:\d{1,2}[.)]\s{0,2})?(?=\*\*))(?:\*\*)?"
    r"(?P<title>[^\n#*:：]{2,60}?)(?:\*\*)?\s{0,2}(?:[:：](?:\*\*)?|(?<=\*\*)|\Z)\s{0,8}(?P<rest>\S.*)?\Z"
)
"""A heading: its hashes if it has any, its words, and what follows them on the line."""
EMPTY = (
    r"(?:n/?a|none|null|nil|nothing|kein\w?|nichts|aucune?|rien|ningun[oa]|nada|nessun[oa]|niente|"
    r"无|没有|なし|없음|нет)"
)
"""How it is said that there is nothing."""
_NONE = later(
    rf"\s{{0,8}}(?:[-*•]\s{{0,4}})?[(_]?{EMPTY}(?: (?:stated|given|known|mentioned|specified|identified|noted|recorded|"
    r"provided|so far|yet|explicitly)){0,2}[.)_]{0,2}\s*",
    re.IGNORECASE,
)
_MARK = later(r"\s{0,3}(#{1,4}) {0,3}\S")
_FENCE = later(r"\s{0,3}(```|~~~)")
_APART = later(r"[\W_]+")
_JOINS = later(r" (?:&|and|with) ")


HEADING_CHARS = 100
"""A longer line is no heading."""
PLANS = frozenset(("Open tasks", "Next steps"))
"""Headings under which stands what is to be done, and may be told as done as well."""
RULES_HEADING = "Constraints & preferences"


@dataclass(frozen=True, slots=True)
class Form:
    """A form's headings in order; where the facts of each section of ours go; the heading of the newest request.

    `others` are further wordings of a heading. No model is asked for headings that are `ours`: rules fill them.
    """

    headings: tuple[str, ...]
    homes: Mapping[Section, str]
    request: str = ""
    others: Mapping[str, str] | None = None
    ours: frozenset[str] = frozenset()

    @property
    def asked(self) -> tuple[str, ...]:
        """The headings that a model is asked for."""
        return tuple(heading for heading in self.headings if heading not in self.ours)

    def heading_of(self, line: str) -> str:
        """The heading that a line is, "" for any other line, also for one where text follows the heading."""
        match = _HEADING.match(line[:HEADING_CHARS].rstrip())
        return self._named(match["title"]) if match and not match["rest"] else ""

    def _named(self, words: str) -> str:
        """The heading that words are, "" for none."""
        said = _plain(words)
        if heading := _spellings(self.headings).get(said):
            return heading
        return (self.others or {}).get(said, "")

    def _lines(self, text: str) -> list[str]:
        """The lines of a text, with each heading on a line of its own."""
        lines = text.splitlines()
        fenced = fenced_lines(lines)
        hashed = any(
            line.lstrip().startswith("#") and at not in fenced and self._begun(line)
            for at, line in enumerate(lines)
        )
        found: list[str] = []
        for at, line in enumerate(lines):
            match = None if at in fenced else self._begun(line)
            if match and match["rest"] and (match["hashes"] or not hashed):
                found.extend((f"{match['hashes'] or '##'} {match['title']}", match["rest"]))
            else:
                found.append(line)
        return found

    def _begun(self, line: str) -> re.Match[str] | None:
        """A heading of ours at the beginning of a line."""
        match = _HEADING.match(line)
        return match if match and self._named(match["title"]) else None

    def parse(self, text: str) -> list[tuple[str, list[str]]]:
        """(heading, lines) in the order of the text; the first is "" for what stands before any heading. Headings of
        other forms are lines like others. What stands on the line of a heading, behind a colon, is the first of its
        lines.
        """
        found: list[tuple[str, list[str]]] = [("", [])]
        lines = self._lines(text)
        fenced = fenced_lines(lines)
        for at, line in enumerate(lines):
            heading = "" if at in fenced else self.heading_of(line)
            if heading:
                found.append((heading, []))
            else:
                found[-1][1].append(line)
        return found

    def filled(self, text: str) -> set[str]:
        """The headings of the form that something stands under in a text."""
        return {
            heading
            for heading, lines in self.parse(text)
            if heading and any(line.strip() and not _NONE.fullmatch(line) for line in lines)
        }

    def insert(self, parsed: list[tuple[str, list[str]]], heading: str, lines: Iterable[str]) -> None:
        """Put lines under a heading of `parsed`, in the place of one that says that there is nothing; a heading that is
        not there yet gets its place in the order.
        """
        at = next((at for at in reversed(range(len(parsed))) if parsed[at][0] == heading), None)
        if at is None:
            order = self.headings.index(heading)
            behind = (at for at, (name, _) in enumerate(parsed) if name in self.headings[order:])
            parsed.insert(next(behind, len(parsed)), (heading, list(lines)))
            return
        body = [line.rstrip() for line in parsed[at][1] if not _NONE.fullmatch(line)]
        fenced = fenced_lines(body)
        marks = (at for at, line in enumerate(body) if at not in fenced and _MARK.match(line))
        end = next(marks, len(body))
        parsed[at] = (heading, [*filter(None, body[:end]), *lines, *filter(None, body[end:])])

    def shaped(self, text: str, home: Callable[[str], Sequence[str]]) -> tuple[str, tuple[str, ...]]:
        """A text with the headings of the form in their order, and which it had in their place: a heading that the form
        does not know becomes the first of those that what stands under it is at `home` under and the text does not
        have. A title is none, nor is one with nothing under it; the first heading of all stays in front. Where a text
        has no heading at all, it tells of progress.
        """
        lines, done = self._lines(text), list[str]()
        named = {name for name, _ in self.parse(text)}
        fenced = fenced_lines(lines)
        marks = [
            (at, len(found[1]))
            for at, line in enumerate(lines)
            if at not in fenced and (found := _MARK.match(line))
        ]
        known = [(at, size) for at, size in marks if self.heading_of(lines[at])]
        sizes = {size for _, size in known} or _sizes([size for _, size in marks])
        ahead = self.headings.index(self.heading_of(lines[known[0][0]])) if known else len(self.headings)
        for (at, size), (end, _) in pairwise((*marks, (len(lines), 0))):
            body = "\n".join(lines[at + 1 : end])
            if size in sizes and body.strip() and not self.heading_of(lines[at]):
                free = [one for one in home(body) if one not in named]
                if at == marks[0][0]:
                    free = [one for one in free if self.headings.index(one) < ahead]
                if free:
                    done.append(f"{lines[at]} -> {free[0]}")
                    rest = _HEADING.match(lines[at])
                    lines[at] = f"## {free[0]}\n{rest['rest'] if rest and rest['rest'] else ''}".rstrip()
                    named.add(free[0])
        parsed = self.parse("\n".join(lines))
        if not any(name for name, _ in parsed):
            parsed = [("Progress", lines)]
        order = {name: place for place, name in enumerate(("", *self.headings))}
        ordered = sorted(parsed, key=lambda one: order[one[0]])
        return (text, ()) if ordered == self.parse(text) else (written(ordered), tuple(done))


def written(parsed: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Sections as text."""
    blocks = ("\n".join([f"## {heading}", *lines] if heading else lines) for heading, lines in parsed)
    return "\n".join(block for block in blocks if block.strip())


def fenced_lines(lines: Sequence[str]) -> set[int]:
    """Which lines stand in fenced code; a fence that never closes is none."""
    found: set[int] = set()
    opened, sign = -1, ""
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence and opened < 0:
            opened, sign = at, fence[1]
        elif fence and fence[1] == sign and not line.strip(" `~"):
            found.update(range(opened + 1, at))
            opened = -1
    return found


def _sizes(sizes: Sequence[int]) -> set[int]:
    """The sizes of a text's headings of sections, where all are unknown: without that of a title above them."""
    least = min(sizes, default=0)
    titles = sizes.count(least) == 1 and len(sizes) > 1 and sizes[0] == least
    return {size for size in sizes if size > least} if titles else set(sizes)


def _plain(heading: str) -> str:
    return _APART.sub("", heading.lower())


@lru_cache(len(get_args(SummaryForm)))
def _spellings(headings: tuple[str, ...]) -> Mapping[str, str]:
    """The headings of a form by how they are written, whole or up to what joins two; of two the first."""
    spelled = ((_plain(one), heading) for heading in headings for one in (heading, _JOINS.split(heading)[0]))
    return dict(reversed([*spelled]))


_WORDINGS: Mapping[str, str] = {
    "Goal": "objective objectives goals aim usersgoal usergoal maingoal ziel ziele objectif objectifs objetivo "
    "objetivos obiettivo 目标 目標 ゴール 목표 цель",
    RULES_HEADING: "rules groundrules userrules preferences userpreferences alsosaidbytheuser vorgaben "
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
            RULES_HEADING,
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
            "Constraints": RULES_HEADING,
            "Also said by the user": RULES_HEADING,
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
        headings=("Goal", RULES_HEADING, "Progress", "Decisions", "Files", "Next Steps"),
        homes={
            "Goal": "Goal",
            "Constraints": RULES_HEADING,
            "Also said by the user": RULES_HEADING,
            "Decisions": "Decisions",
            "Files": "Files",
            "Commands": "Progress",
            "Errors": "Progress",
            "Identifiers": "Progress",
            "Open tasks": "Next Steps",
        },
        others=_wordings(
            ("Goal", RULES_HEADING, "Progress", "Decisions", "Files", "Next Steps"),
            {"decisionswithrationale": "Decisions"},
        ),
        ours=frozenset({RULES_HEADING}),
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
