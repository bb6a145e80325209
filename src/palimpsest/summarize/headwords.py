"""Which section a heading means, by its words, in the languages that models write summaries in.

Rules kept here:

- A heading means a section where one of its words is a name of it, and every other word is one that may stand beside
  that name: "errors and rejected approaches", but not "files and decisions", which names two.
- Scripts without spaces are read word by word as well, the longest first.
- Behind ` / ` in a table stand the words beside the name; `~` is any ending.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from palimpsest.patterns import later

_JOINING = """and or the of for a an with to und oder der die das dem den des von mit zu für et ou le la les l de
    du d aux pour avec y o el los las del con para e ed il lo gli i dei delle per em do da dos das com het een
    en van voor met w z dla и или для по s user users project session key main important current critical
    wichtige wichtigste wichtigen nutzer~ benutzer~ utilisateur usuario utente usuário gebruiker~ użytkownik~
    пользовател~ importants? importantes? importanti clés? clave chiave chave belangrijke? ważne kluczowe
    важн~ ключев~ principa~ aktuell~ actuel~ actual~ attual~ atual~ huidige? obecn~ текущ~ 用户 用戶 的 和 与
    及 及其 以及 被 了 重要 关键 主要 当前 目前 ユーザー ユーザ の と や な を した された および 及び 主な
    사용자 및 와 과 의 된 한 은 는 을 를 들 중요 중요한 주요 핵심 현재"""
_WORDS: Mapping[str, str] = {
    "Goal": """goals? objectives? aims? purpose ziele? hauptziele? zielsetzung~ objectifs? objetivos? obiettiv~
        scopo doel~ cel cele цел~ 目标 目標 目的 ゴール 목표 목적
        / overall task gesamt~ 任务 作業 总体 작업""",
    "Constraints & preferences": """constraints? rules? preferences? requirements? restrictions? guidelines?
        vorgaben? regeln einschränkung~ beschränkung~ randbeding~ präferenz~ wünsche anforderung~ contraintes?
        règles? préférences? exigences? restriccion~ reglas? preferencias? requisit~ vincol~ regol~ preferenz~
        restriç~ regras? preferências? regels? beperking~ voorkeur~ randvoorwaard~ ogranicze~ zasad~ preferencj~
        wymaga~ ограничен~ правил~ предпочтен~ требован~ пожелан~ 约束 限制 规则 偏好 要求 约定 制約 ルール 希望
        要望 条件 要件 好み 제약 규칙 선호 요구 조건 제한
        / ground 事项 事項 사항""",
    "Progress": """progress status accomplish~ completed done achieved fortschritt~ stand erledigt~ abgeschlossen~
        avancement~ progrès progreso~ avances? avanzament~ progressi progresso andamento voortgang afgerond~
        postęp~ stan прогресс~ ход 进展 進展 进度 進度 進捗 経過 完了 已完成 진행 진척 현황 완료
        / work tasks? items? so far bisher~ arbeit~ aufgaben travail travaux trabajo lavoro trabalho werk pracy?
        prac работ~ 情况 状況 现状 工作 作業 作业 こと 상황 상태 작업 사항""",
    "Decisions": """decisions? choices? entscheidung~ beschl~ décisions? choix decision~ elecciones decisioni
        scelte decis~ escolhas besluit~ beslissing~ keuze~ decyzj~ решени~ 决定 决策 決定 決断 결정
        / made taken rationale reasons? technical design why getroffen~ begründ~ gründe prises? raisons? tomadas?
        razones prese motiv~ razões genomen redenen podjęte принят~ причин~ 理由 原因 技术 設計 事項 事项 및이유
        이유 사항""",
    "Files": """files? artifacts? artefacts? dateien artefakte fichiers? archivos? ficheros? arquivos? ficheiros?
        bestanden pliki файл~ 文件 ファイル 파일 成果物
        / touched changed modified read edited created relevant involved geändert~ gelesen~ bearbeitet~ betroffen~
        modifi~ lus concernés leídos relevantes? lidos letti rilevanti gewijzigd~ gelezen zmienione przeczytane
        измен~ прочит~ затронут~ 修改 更改 变更 相关 涉及 读取 変更 関連 編集 閲覧 対象 변경 관련 수정 읽은""",
    "Commands and outcomes": """commands? befehle? kommandos? commandes? comandos? comandi commando~ polece~
        komend~ команд~ 命令 指令 コマンド 명령어 명령
        / outcomes? results? outputs? run executed log ergebnis~ ausgab~ ausgeführt~ résultats? sorties? exécut~
        resultad~ salidas? ejecut~ risultat~ esit~ esegui~ execut~ saídas? uitkomst~ resultaten uitvoer
        uitgevoerd~ wynik~ wykonan~ результат~ вывод~ выполнен~ 结果 結果 输出 执行 运行 実行 出力 결과 출력 실행""",
    "Errors and rejected approaches": """errors? problems? failures? issues? rejected discarded abandoned fehler
        probleme? fehlschl~ fehlgeschlag~ verworfen~ abgelehnt~ erreurs? problèmes? échecs? rejet~ écart~
        abandonn~ errores fallos? problemas? descartad~ rechazad~ errori problemi scartat~ respint~ rifiutat~
        erros falhas rejeitad~ fouten problemen verworpen afgewezen błęd~ problemy odrzuc~ ошибк~ проблем~ отклон~
        отверг~ 错误 問題 问题 失败 失敗 否决 放弃 拒绝 废弃 エラー 不具合 却下 棄却 不採用 断念 오류 문제 에러
        실패 기각 거부 배제 폐기
        / approaches attempts ideas failed ansätze? versuche ideen lösungen wege approches? tentativ~ pistes
        enfoques? intentos vías approcci idee abordagens ideias benadering~ aanpak~ pogingen podejści~ prób~
        подход~ попытк~ вариант~ 方法 方案 尝试 做法 思路 途径 手法 案 アプローチ 試み 접근법 접근 방법 시도 방식
        방안""",
    "Open tasks": """tasks todos? remaining outstanding open unfinished aufgaben offen~ ausstehend~ verbleibend~
        tâches tareas compiti attività tarefas pendências taken openstaand~ zadania задачи 待办 未完成 未完了 未完
        未着手 剩余 残り 残 タスク 할일 미완료 남은
        / noch items? points? pending still to do punkte? ouvert~ restant~ points? en cours faire pendientes?
        abiert~ puntos? apert~ restanti punti sospeso abert~ pontos aberto pendentes? resterende punten otwart~
        pozosta~ punkty открыт~ оставш~ незаверш~ невыполн~ пункты 事项 事項 任务 任務 工作 作業 事 もの 課題 과제
        작업 일 사항 할""",
    "Pending user request": """requests? anfragen? nutzeranfrage demandes? solicitud~ petición~ pedidos? richiest~
        verzoek~ prośb~ запрос~ 请求 請求 依頼 リクエスト 요청
        / pending latest last newest open offene letzte~ neueste~ dernièr~ attente en cours dell ultim~ sospeso
        pendiente últim~ pendente laatste openstaand~ ostatni~ oczekuj~ in последн~ необработ~ 最新 最后 待处理
        未处理 待回复 保留中 未対応 最後 최근 대기 중인 마지막 미처리""",
    "Next steps": """next nächste~ prochain~ suivant~ próxim~ siguientes? successiv~ prossim~ seguintes? volgende
        następn~ kolejn~ dalsz~ следующ~ дальнейш~ 下一步 后续 接下来 次 次回 今後 다음 향후
        / what steps? actions? planned plans? schritte? étapes? pasos? passi passos? stappen kroki шаги 步骤 计划
        行动 工作 ステップ 手順 予定 作業 단계 계획 작업""",
    "Critical identifiers": """identifiers? ids? kennung~ bezeichner~ identifiants? identificador~ identificat~
        identyfikator~ идентификатор~ 标识符 标识 識別子 식별자
        / names? values? references? kritisch~ namen werte noms? critiques? valeurs? crític~ nombres valores
        critici nomi valori nomes kritieke waarden krytyczn~ критич~ 名称 值 名前 値 이름 값""",
}
_STATE = later(
    r"(?:done|complet|achiev|open|remain|outstand|unfinish|reject|discard|abandon|erledigt|abgeschlossen|offen|aussteh|"
    r"verbleib|verworfen|abgelehnt|afgerond|openstaan|完了|已完成|剩余|残|완료|미완료|남은)\w{0,8}"
)
"""A state alone may head a part of any section."""
_UNSPACED = later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TOKEN = later(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|(?:(?![\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])[^\W\d_])+"
)


@lru_cache(maxsize=2_048)
def section_of(heading: str) -> str:
    """The section of ours that a heading means; "" where it means none, or more than one."""
    tokens = _TOKEN.findall(heading.lower())
    if not tokens or any(map(str.isdigit, heading)):
        return ""
    found = [section for section in _WORDS if _means(tokens, section)]
    return found[0] if len(found) == 1 else ""


def _means(tokens: list[str], section: str) -> bool:
    named, beside = _patterns(section)
    both = [
        part for token in tokens for part in (_parts(token, section) if _UNSPACED.match(token) else [token])
    ]
    if len(both) == 1 and _STATE.fullmatch(both[0]):
        return False
    return any(map(named.fullmatch, both)) and all(
        named.fullmatch(part) or beside.fullmatch(part) for part in both
    )


def _parts(token: str, section: str) -> list[str]:
    """The words of a token without spaces that a section has, and single signs where it has none."""
    return re.findall("|".join((*_unspaced(section), ".")), token)


@lru_cache(maxsize=32)
def _unspaced(section: str) -> tuple[str, ...]:
    words = f"{_WORDS[section]} {_JOINING}".replace("/", " ").split()
    return tuple(sorted(filter(_UNSPACED.match, words), key=lambda word: -len(word)))


@lru_cache(maxsize=32)
def _patterns(section: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The words that name a section, and those that may stand beside them."""
    named, _, beside = _WORDS[section].partition(" / ")
    tables = (named, f"{beside} {_JOINING}")
    first, second = ("|".join(one.replace("~", r"\w{0,12}") for one in table.split()) for table in tables)
    return re.compile(first), re.compile(second)
