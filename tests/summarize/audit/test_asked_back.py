"""A line of a summary that asks the user something, or has the user tell or read something, goes, in any language."""

from __future__ import annotations

import pytest

from palimpsest.record.message import Message
from palimpsest.summarize.audit.audit import audit
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, result, user


def mill(asked: str, told: str, newest: str) -> list[Message]:
    return [
        user(asked),
        assistant("", call("a", "Bash", command="ls mill")),
        result("a", "wheel.csv\nflour.csv\n"),
        assistant(told),
        user(newest),
    ]


TALKS = {
    "en": mill(
        "The mill sheets lack the rye. Tell me before you push. Find out why.",
        "The rye column was dropped in March. Whether the old sheets should be made again is open.",
        "Make the sheets of March again, one file a day, please do not overwrite old ones.",
    ),
    "de": mill(
        "In den Mühlenblättern fehlt der Roggen. Sag mir Bescheid, bevor du etwas löschst.",
        "Die Spalte für Roggen fiel im März weg.",
        "Erzeuge die Blätter vom März neu, für jeden Tag eine Datei, bitte nichts überschreiben.",
    ),
    "fr": mill(
        "Les feuilles du moulin n'ont pas le seigle. Cherche la cause.",
        "La colonne du seigle a disparu en mars.",
        "Refais les feuilles de mars, un fichier par jour, merci de ne rien écraser.",
    ),
    "es": mill(
        "A las hojas del molino les falta el centeno. Busca la causa.",
        "La columna del centeno se perdió en marzo.",
        "Haz otra vez las hojas de marzo, un archivo por día, por favor no borres nada.",
    ),
    "it": mill(
        "Nei fogli del mulino manca la segale. Trova la causa.",
        "La colonna della segale è caduta a marzo.",
        "Rifai i fogli di marzo, un file al giorno, per favore non sovrascrivere nulla.",
    ),
    "pt": mill(
        "Nas folhas do moinho falta o centeio. Procure a causa.",
        "A coluna do centeio caiu em março.",
        "Refaça as folhas de março, um ficheiro por dia, por favor não apague nada.",
    ),
    "ru": mill(
        "В листах мельницы нет ржи. Найди причину.",
        "Столбец ржи пропал в марте.",
        "Сделай листы за март заново, по файлу на день, пожалуйста, ничего не стирай.",
    ),
    "zh": mill(
        "磨坊的报表少了黑麦，请查明原因。推送之前先告诉我。",
        "三月起少了黑麦一列。",
        "请把三月份的报表重新生成，每天一个文件，不要覆盖旧文件。",
    ),
    "ja": mill(
        "製粉所の表にライ麦がありません。原因を調べてください。変更の前に教えてください。",
        "三月からライ麦の列がありません。",
        "三月の表を作り直してください。一日一ファイルで、上書きはしないでください。",
    ),
    "ko": mill(
        "제분소 표에 호밀이 없습니다. 원인을 찾아 주세요. 바꾸기 전에 알려 주세요.",
        "3월부터 호밀 열이 없습니다.",
        "3월 표를 다시 만들어 주세요. 하루에 한 파일, 덮어쓰지 마세요.",
    ),
}


def spoken(language: str, line: str, heading: str) -> tuple[str, ...]:
    held = grounds(leaf(TALKS[language]))
    first, _, _, told, newest = (message.text for message in held.source.messages)
    text = f"## Goal\n- {first}\n## Progress\n- {told}\n## Open tasks\n- {newest}\n## {heading}\n- {line}"
    return audit(text, held, whole=False).addressed


@pytest.mark.parametrize(
    "language, line",
    [
        ("en", "Should empty files be written for holidays? Please tell me."),
        ("en", "Is that naming all right?"),
        ("en", "The sheets are ready to write, please check the naming before I go on."),
        ("en", "Should holidays be skipped or written empty? Tell me which."),
        ("de", "Sollen für Feiertage auch leere Dateien entstehen? Bitte gib mir Bescheid."),
        ("de", "Passt das so?"),
        ("de", "Die Namen stehen fest, bitte bestätigen Sie sie kurz."),
        ("fr", "Faut-il aussi des fichiers vides pour les jours fériés ? Dites-le-moi."),
        ("fr", "Merci de me confirmer le nom des fichiers."),
        ("es", "¿Hay que crear archivos vacíos los festivos? Avísame."),
        ("es", "Por favor, confirme los nombres."),
        ("it", "Bisogna creare file vuoti nei giorni festivi? Mi faccia sapere."),
        ("it", "Va bene un nome per giorno?"),
        ("pt", "É preciso criar ficheiros vazios nos feriados? Diga-me."),
        ("pt", "Por favor, confirme os nomes."),
        ("ru", "Нужно ли создавать пустые файлы для праздников? Сообщите мне."),
        ("ru", "Имена выбраны, подтвердите, пожалуйста."),
        ("zh", "没有营业的日子要不要也生成空文件？请您告诉我。"),
        ("zh", "文件名这样可以吗？"),
        ("zh", "文件名已定，请您确认。"),
        ("zh", "磨坊的表格我已经重新生成好了，您可以看一下，有问题随时告诉我。"),
        ("de", "Die Blätter liegen bereit, du kannst sie dir ansehen, bei Fragen melde dich."),
        ("ja", "休業日にも空のファイルを作りますか？教えてください。"),
        ("ja", "ファイル名をご確認ください。"),
        ("ko", "휴업일에도 빈 파일을 만들까요? 알려 주세요."),
        ("ko", "파일 이름을 확인해 주세요."),
    ],
)
@pytest.mark.parametrize("heading", ["Next steps", "Open tasks", "Progress"])
def test_what_is_asked_of_the_user_goes(language: str, line: str, heading: str) -> None:
    assert spoken(language, line, heading)


@pytest.mark.parametrize(
    "language, line, heading",
    [
        ("en", "Tell the user before a push.", "Constraints"),
        ("en", "Tell me before you push.", "Constraints"),
        ("en", "Should the old sheets be made again? Still open.", "Open tasks"),
        ("en", "Open: should holidays get empty files?", "Open tasks"),
        ("en", "Should holidays be skipped?", "Open tasks"),
        ("zh", "节假日要不要生成空文件？", "Open tasks"),
        ("en", "Why was the rye column dropped?", "Open tasks"),
        ("en", "Ask the user to confirm the naming.", "Next steps"),
        ("en", "Confirm the naming with the user.", "Next steps"),
        ("en", "Please do not overwrite old ones.", "Constraints"),
        ("de", "Den Nutzer um Bestätigung der Namen bitten.", "Next steps"),
        ("de", "Sag mir Bescheid, bevor du etwas löschst.", "Constraints"),
        ("de", "Den Nutzer fragen, ob Feiertage leere Dateien bekommen.", "Open tasks"),
        ("fr", "Demander à l'utilisateur de confirmer les noms.", "Next steps"),
        ("es", "Confirmar los nombres con el usuario.", "Next steps"),
        ("it", "Chiedere all'utente se i nomi vanno bene.", "Next steps"),
        ("pt", "Confirmar os nomes com o usuário.", "Next steps"),
        ("ru", "Подтвердить имена у пользователя.", "Next steps"),
        ("zh", "请老周确认文件名。", "Open tasks"),
        ("zh", "有问题的表格在 out/ 里。", "Open tasks"),
        ("zh", "推送之前先告诉用户。", "Constraints"),
        ("zh", "告知用户结果。", "Next steps"),
        ("zh", "向用户确认文件名。", "Next steps"),
        ("ja", "ユーザーにファイル名を確認する。", "Next steps"),
        ("ja", "変更の前に教えてください。", "Constraints"),
        ("ko", "사용자에게 파일 이름을 확인한다.", "Next steps"),
        ("ko", "바꾸기 전에 알려 주세요.", "Constraints"),
    ],
)
def test_what_is_told_of_the_user_stays(language: str, line: str, heading: str) -> None:
    assert not spoken(language, line, heading)


def test_the_finding_says_that_it_speaks_to_the_user() -> None:
    text = "## Progress\n- The rye column was dropped in March.\n- Shall I go on with the sheets?"
    told = audit(text, grounds(leaf(TALKS["en"])), whole=False).told()
    assert "this speaks to the user: Shall I go on with the sheets?" in told
