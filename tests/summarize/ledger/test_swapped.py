"""What a user says anew takes the old back: a figure or a word that stands instead, a ban that is lifted."""

from __future__ import annotations

import pytest

from tests.summarize.dialogues import held

FIRST, BETWEEN = "Make the ferry board show tides.", "And how is the weather at the pier?"


@pytest.mark.parametrize(
    "old, new",
    [
        ("一度に送るのは最大100件までにして。", "やっぱり一度に送るのは100件じゃなくて50件までにして。"),
        ("報告は毎回三行以内でお願い", "三行だと短すぎるから、これからは報告は五行以内でいいよ"),
        ("報告は毎回三行以内でお願い。", "報告だけど、三行だと短すぎるから、これからは五行以内でいいよ。"),
        ("画像は横幅800px以内にしてください。", "画像の横幅は800pxではなく1200px以内にしてください。"),
        ("会議は10時に始めること。", "会議は10時じゃなく11時に始めることにします。"),
        ("Keep replies to 4 lines at most.", "Keep replies to 6 lines at most instead of 4."),
        ("Name releases after rivers.", "Name releases after lakes instead of rivers."),
        ("Never book tables before 6 pm.", "Never book tables before 5 pm instead of 6."),
        (
            "leg nie termine vor 9 uhr, da ist noch niemand im haus.",
            "wegen der termine: ab 8 uhr geht jetzt doch, also nie vor 8 uhr statt 9.",
        ),
        ("Höchstens 20 Gäste pro Führung.", "Ab jetzt höchstens 25 Gäste pro Führung statt 20."),
        ("Rechnungen immer auf 2 Stellen runden.", "Rechnungen immer auf 3 statt 2 Stellen runden."),
        ("每次最多发送100条。", "每次最多发送不是100条而是50条。"),
        ("报告不要超过三行。", "报告不要超过五行，不是三行，三行太短了。"),
        ("每批最多两百条记录。", "每批最多五百条记录，不再是两百条。"),
        ("文件名用下划线分隔。", "文件名用连字符分隔，而不是下划线。"),
        ("Pas plus de 15 élèves par groupe.", "Pas plus de 18 élèves par groupe au lieu de 15."),
        ("No más de 12 fotos por álbum.", "No más de 20 fotos por álbum en vez de 12."),
        ("Mai più di 30 righe per messaggio.", "Mai più di 40 righe per messaggio invece di 30."),
        ("Не больше 10 писем в день.", "Не больше 15 писем в день вместо 10."),
        ("Limit: 3 retries per request.", "Limit: 3 -> 5 retries per request."),
        ("Never more than 3 retries.", "retries: 3 → 6 from now on please"),
        ("보고는 항상 세 줄 이내로 해 주세요.", "보고는 세 줄이 아니라 다섯 줄 이내로 해 주세요."),
        ("Sempre no máximo 8 fotos por página.", "No máximo 10 fotos por página em vez de 8."),
        ("Nooit meer dan 10 foto's per pagina.", "Nooit meer dan 12 foto's per pagina in plaats van 10."),
        ("Reports must be at most three lines.", "Reports must be at most five lines, not three."),
        ("Use blue for the headings.", "Use green, not blue, for the headings."),
        ("Antworten bitte immer in drei Sätzen.", "Antworten bitte immer in fünf Sätzen statt drei."),
        ("Each voucher is good for 14 days.", "Make vouchers good for 21 days instead of 14."),
        ("Jede Mail höchstens zwei Absätze.", "Mails dürfen jetzt drei Absätze haben statt zwei."),
        ("Chaque lettre en deux pages maximum.", "Les lettres : trois pages maximum au lieu de deux."),
        ("予約は二週間前までに入れてください。", "予約は二週間前じゃなくて三週間前までに入れて。"),
        ("会议纪要不超过一百字。", "会议纪要改成两百字以内，不是一百字了。"),
        ("Порции по 40 граммов, не больше.", "Порции по 55 граммов вместо 40."),
        ("Cada turno dura como máximo 6 horas.", "Cada turno puede durar 8 horas en lugar de 6."),
        ("Show at most ten rows per page.", "Rows per page: 10 -> 25."),
        ("Nie mehr als 12 Kinder im Becken.", "Im Becken ab sofort 16 Kinder statt 12."),
        ("Cut the planks to 80 cm.", "cut planks to 85 cm, not 80"),
        ("Ogni gruppo al massimo 9 persone.", "Ogni gruppo: 12 persone invece di 9."),
        ("Timeout must stay below 30 seconds.", "lets raise the timeout from 30 to 45 seconds"),
        ("매번 최대 20명까지만 초대해 주세요.", "초대는 20명이 아니라 30명까지로 해 주세요."),
        ("Sign letters with green ink.", "Sign letters with blue ink instead of green."),
        ("Die Einladungen auf Papier drucken.", "Die Einladungen auf Karton drucken statt auf Papier."),
        ("表紙は赤にしてください。", "表紙は赤じゃなくて青にしてください。"),
        ("标题用黑体。", "标题用宋体，而不是黑体。"),
    ],
)
def test_what_names_the_old_value_takes_the_place_of_its_rule(old: str, new: str) -> None:
    said = held(FIRST, old, BETWEEN, new)
    assert old not in said
    assert new in said


@pytest.mark.parametrize(
    "old, new",
    [
        ("一度に送るのは最大100件までにして。", "ログは100件じゃなくて50件ずつ表示して。"),
        ("報告は毎回三行以内でお願い。", "見出しは三行じゃなくて一行にして。"),
        ("Keep replies to 4 lines at most.", "Use 6 colours instead of 4."),
        ("Name releases after rivers.", "Draw lakes instead of rivers on the map."),
        ("Höchstens 20 Gäste pro Führung.", "Die Führung kostet jetzt 25 Euro statt 20."),
        ("每次最多发送100条。", "日志每页显示50行，而不是100行。"),
        ("Pas plus de 15 élèves par groupe.", "Le bus part à 18 h au lieu de 15 h."),
        ("No más de 12 fotos por álbum.", "La sala cierra a las 20 en vez de las 12."),
        ("Не больше 10 писем в день.", "Встреча в 15 вместо 10."),
        ("Never more than 3 retries.", "Always show 5 rows instead of 3."),
        ("Reports must be at most three lines.", "Three people came, not five."),
        ("Never book tables before 6 pm.", "Instead of a table for 6 we got one for 5."),
        ("Limit: 3 retries per request.", "the 3 -> 5 bump in the chart looks odd"),
        ("报告不要超过三行。", "标题不是三行而是一行。"),
        ("Use tabs for indentation.", "Use spaces for indentation in YAML instead of tabs."),
        ("Each voucher is good for 14 days.", "The fair lasts 21 days instead of 14."),
        ("Jede Mail höchstens zwei Absätze.", "Der Flyer hat jetzt drei Seiten statt zwei."),
        ("Chaque lettre en deux pages maximum.", "Il y a trois lettres au lieu de deux."),
        ("会议纪要不超过一百字。", "今天来了两百人，不是一百人。"),
        ("Порции по 40 граммов, не больше.", "Гостей будет 55 вместо 40."),
        ("Show at most ten rows per page.", "We got 25 orders instead of 10."),
        ("Nie mehr als 12 Kinder im Becken.", "Die Karte kostet 16 Euro statt 12."),
        ("Ogni gruppo al massimo 9 persone.", "La sala apre alle 12 invece delle 9."),
        ("Timeout must stay below 30 seconds.", "The run took 45 seconds instead of 30, why?"),
        ("Sign letters with green ink.", "The door is blue instead of green now."),
        ("Never send more than 3 mails a day, and copy Ada on each.", "Send 5 mails a day instead of 3."),
        ("表紙は赤にしてください。", "しおりは赤じゃなくて青にしてください。"),
        ("Answer in 4 lines, and never use emojis or slang.", "Answer in 6 lines instead of 4."),
        ("Use red for errors and blue for links.", "Use green for warnings instead of red."),
    ],
)
def test_what_names_such_a_value_of_something_else_leaves_the_rule(old: str, new: str) -> None:
    assert old in held(FIRST, old, BETWEEN, new)


@pytest.mark.parametrize(
    "old, new",
    [
        (
            "freitags wird nie geliefert, da ist markt auf dem platz",
            "freitags darf jetzt doch geliefert werden, der markt ist umgezogen.",
        ),
        ("Never deploy on Fridays.", "Deploying on Fridays is ok now after all."),
        ("No new dependencies please.", "New dependencies are allowed again."),
        ("Sonntags darf nicht gesägt werden.", "Sonntags darf wieder gesägt werden."),
        ("Don't call the suppliers before noon.", "Calling the suppliers before noon is fine again."),
        ("On ne livre jamais le lundi.", "On peut de nouveau livrer le lundi."),
        ("No se puede entrar por la puerta norte.", "Ya se puede entrar por la puerta norte."),
        ("周五不要发布。", "现在周五可以发布了。"),
        ("本番への書き込みは禁止。", "本番への書き込みの禁止は解除。"),
        ("金曜日は配達しないでください。", "金曜日はもう配達してもいいです。"),
        ("Mai consegnare il venerdì.", "Adesso si può consegnare il venerdì."),
        ("По пятницам не доставляем, это запрещено.", "По пятницам теперь снова можно доставлять."),
        ("금요일에는 배달하지 마세요.", "금요일에도 이제 배달해도 됩니다."),
        ("Nunca entregar às sextas.", "Agora já pode entregar às sextas."),
        ("Never water the ferns at noon.", "The ferns can be watered at noon again."),
        ("Nie Fotos vom Lager verschicken.", "Fotos vom Lager dürfen jetzt doch verschickt werden."),
        ("Nunca abras la caja azul.", "Ya puedes abrir la caja azul."),
        ("Im Keller nie rauchen.", "Im Keller kann man jetzt wieder rauchen."),
        ("Keine Fotos im Lesesaal.", "Fotos im Lesesaal sind ab jetzt erlaubt."),
        ("Montags keine Führungen.", "Montags gehen jetzt wieder Führungen."),
        ("Never feed the swans.", "You can feed the swans again."),
        ("Keine Hunde im Saal.", "Hunde dürfen ab jetzt doch in den Saal."),
        ("No photos of the crew.", "Photos of the crew are ok now, they all signed."),
        ("Pas de musique après 22 h.", "La musique après 22 h est de nouveau permise."),
        ("Nunca uses la grúa vieja.", "La grúa vieja ya se puede usar."),
        ("Vietato usare la gru vecchia.", "Ora la gru vecchia si può usare di nuovo."),
        ("Не пускай гостей в мастерскую.", "Гостей в мастерскую теперь можно пускать."),
        ("不要联系旧供应商。", "现在可以联系旧供应商了。"),
        ("古い倉庫には入らないこと。", "古い倉庫にはもう入っていいです。"),
        ("Niet bellen op zondag.", "Bellen op zondag mag nu weer."),
        (
            "Nie mit Spedition Krause fahren, die kommen immer zu spät.",
            "Mit Spedition Krause dürfen wir wieder fahren.",
        ),
    ],
)
def test_a_ban_that_is_lifted_stands_no_longer(old: str, new: str) -> None:
    said = held(FIRST, old, BETWEEN, new)
    assert old not in said
    assert new in said


@pytest.mark.parametrize(
    "old, new",
    [
        (
            "freitags wird nie geliefert, da ist markt auf dem platz",
            "samstags darf jetzt doch geliefert werden.",
        ),
        ("Never deploy on Fridays.", "Deploying on Mondays is ok now."),
        ("No new dependencies please.", "New tests are allowed again."),
        ("Sonntags darf nicht gesägt werden.", "Sonntags darf wieder gebohrt werden."),
        ("On ne livre jamais le lundi.", "On peut de nouveau livrer le mardi."),
        ("周五不要发布。", "现在周四可以发布了。"),
        ("金曜日は配達しないでください。", "土曜日はもう配達してもいいです。"),
        ("Keine Fotos im Lesesaal.", "Fotos im Garten sind ab jetzt erlaubt."),
        ("Im Keller nie rauchen.", "Auf dem Hof kann man jetzt wieder rauchen."),
        ("Never deploy on Fridays.", "Deploying on Fridays is ok again if Ana is there."),
        ("Don't call the suppliers before noon.", "Calling the suppliers is fine again after noon."),
        ("Never push to main.", "Pushing to develop is ok now."),
        ("Nunca abras la caja azul.", "Ya puedes abrir la caja roja."),
        ("Montags keine Führungen.", "Dienstags gehen jetzt wieder Führungen."),
        ("Never feed the swans.", "You can feed the ducks again."),
        ("Keine Hunde im Saal.", "Hunde dürfen ab jetzt in den Hof."),
        ("No photos of the crew.", "Photos of the boats are ok now."),
        ("Nunca uses la grúa vieja.", "La grúa nueva ya se puede usar."),
        ("Не пускай гостей в мастерскую.", "Гостей в столовую теперь можно пускать."),
        ("不要联系旧供应商。", "现在可以联系新供应商了。"),
        ("古い倉庫には入らないこと。", "新しい倉庫にはもう入っていいです。"),
        ("Never feed the swans.", "The swans are fed again, it seems."),
        ("Keine Hunde im Saal.", "Im Saal geht das Licht jetzt wieder."),
        ("No photos of the crew.", "Can we take photos of the crew again?"),
        ("Niet bellen op zondag.", "Bellen op zaterdag mag nu weer."),
        (
            "Nie mit Spedition Krause fahren, die kommen immer zu spät.",
            "Mit Spedition Braun dürfen wir wieder fahren.",
        ),
    ],
)
def test_a_ban_is_not_lifted_by_what_speaks_of_something_else(old: str, new: str) -> None:
    assert old in held(FIRST, old, BETWEEN, new)
