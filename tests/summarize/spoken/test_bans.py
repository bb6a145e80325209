"""What a user bids once, nods or wonders is no condition; what bans by its never, or rules out, is one."""

from __future__ import annotations

import pytest

from palimpsest.summarize.ledger.rule_lists import RULE_WEIGHT
from palimpsest.summarize.spoken.remarks import as_rule
from tests.summarize.dialogues import held


@pytest.mark.parametrize(
    "text",
    [
        "Leg nie Termine vor 9 Uhr.",
        "leg nie termine vor 9 uhr, da ist noch niemand im haus.",
        "Termine nie vor 8 Uhr.",
        "Ruf niemals vor 10 Uhr bei Frau Sommer an.",
        "Mails ans Team nie per Sie.",
        "Plan nie mehr als drei Fahrten am Tag.",
        "Druck immer doppelseitig.",
        "Appointments never before 9.",
        "Book nothing before 9, nobody is in.",
        "Send invoices only to accounting.",
        "book never more than two rooms a day",
        "Calls never after 6 pm.",
        "Réunions jamais avant 9 h.",
        "Range toujours les dossiers par date.",
        "Citas nunca antes de las 9.",
        "Pon siempre el precio con IVA.",
        "Appuntamenti mai prima delle 9.",
        "Metti sempre il prezzo con IVA.",
        "Встречи никогда раньше 9.",
        "Ставь всегда цену с НДС.",
        "Reuniões nunca antes das 9.",
        "Põe sempre o preço com IVA.",
        "Plan nooit afspraken voor 9 uur.",
        "Boka aldrig möten före 9.",
        "Afspraken nooit voor 9 uur.",
        "Nie umawiaj spotkań przed 9.",
        "Spotkania nigdy przed 9.",
        "会议绝不安排在9点之前。",
        "约见从不早于9点。",
        "予約は絶対9時前に入れない。",
        "회의는 절대 9시 전에 잡지 마.",
        "die firma Brandt Transporte kommt nicht in frage",
        "retry max 3 times, then give up",
    ],
)
def test_what_bans_by_its_never_or_rules_out_is_a_rule(text: str) -> None:
    assert as_rule(text) >= RULE_WEIGHT


@pytest.mark.parametrize(
    "text",
    [
        "leg das mal weg",
        "Die Termine waren nie vor 9 Uhr.",
        "ja mach das",
        "schreib Frau Kuhl eine kurze nachricht dazu",
        "jetzt bitte Magazin",
        "竹の間の料金がおかしい気がする",
        "Das hat noch nie geklappt.",
        "Ich war noch nie dort.",
        "ok das passt nie im leben",
        "je n'ai jamais vu ça",
        "nunca lo he visto",
        "non l'ho mai visto",
        "я никогда этого не видел",
        "mach weiter mit dem nächsten raum",
        "und was ist mit RB 308?",
        "fine, next",
        "ms or batches",
        "ja, weiter",
        "sounds good, do it",
        "Schreib Herrn Ott, dass wir am Montag kommen.",
        "jetzt bitte der Lesesaal",
        "nun noch den Keller bitte",
        "now the exporter please",
        "maintenant le magasin s'il te plaît",
        "ahora el almacén por favor",
        "adesso il magazzino per favore",
        "теперь склад пожалуйста",
        "oui fais ça",
        "sí, haz eso",
        "да, сделай так",
        "はい、それでお願いします",
        "次は倉庫をお願いします",
        "write Ms Lang a short note about it",
        "écris un petit mot à Mme Roy",
        "escribe una nota corta a la señora Paz",
        "scrivi due righe alla signora Neri",
        "напиши Ольге короткую записку",
        "田中さんに短いメールを書いて",
        "给王经理写封短信",
        "松の間の数字がちょっと変な気がする",
        "这个价格好像不对",
        "가격이 좀 이상한 것 같아",
        "the price looks off to me",
        "der Preis kommt mir komisch vor",
        "le prix me semble bizarre",
        "el precio me parece raro",
        "il prezzo mi sembra strano",
        "цена кажется странной",
        "mach das",
        "ja mach das so",
        "gut, nimm das",
        "yes do that now",
        "ok send it please",
        "now the pier please",
        "jetzt Ostflügel",
        "now packages/money/src/webhook.ts",
        "next: the harbour page",
        "ensuite la cuisine",
        "luego el almacén",
        "poi la cucina",
        "потом кухня",
        "次は菊の間",
        "schreib Herrn Ott eine Mail",
        "write Mrs Lang that we come on Monday",
        "scrivi a Paolo una riga",
        "напиши Ивану пару строк",
        "佐藤さんにメールを送って",
        "给李总发条消息",
        "fine, next one",
        "ok weiter",
        "days or hours",
        "heute oder morgen",
        "der Ton kommt mir zu leise vor",
        "the label looks wrong",
        "この色はおかしい気がする",
        "帳簿の合計が気になる",
    ],
)
def test_an_errand_a_nod_and_an_impression_hold_on_in_no_way(text: str) -> None:
    assert held("Plan the harbour's season.", text)[1:] == []


@pytest.mark.parametrize(
    "text",
    [
        "The build never works on Mondays.",
        "I never got the mail.",
        "Herr Kuhl kommt nie pünktlich, das nervt.",
    ],
)
def test_a_report_with_a_never_is_no_rule(text: str) -> None:
    assert as_rule(text) < RULE_WEIGHT


@pytest.mark.parametrize(
    "text",
    [
        "Schreib kurze Sätze.",
        "Write a test for each bug.",
        "Schreib Kunden immer per Sie.",
        "Send the crew a mail before each trip.",
        "Antworte kurz.",
        "Jetzt bitte immer duzen.",
        "Ab jetzt bitte Englisch.",
        "jetzt bitte duzen",
        "Write to the crew in French.",
        "Schreib an die Gäste nur auf Deutsch.",
        "Nun haben wir zwei Kräne.",
        "ahora somos cuatro en el equipo",
        "maintenant on est douze à bord",
        "теперь нас двенадцать на борту",
        "danach ist die Halle immer zu",
        "We never sail on Sundays.",
        "Wir liefern nie sonntags.",
        "I'm lactose intolerant.",
        "we don't use Docker",
        "Keep it under 200 lines.",
        "Schick Rechnungen nur an die Kämmerei.",
        "Sag Gästen nie den Preis.",
        "Tell guests the price only when they ask.",
        "Use a queue for each pier.",
        "現在我们只有两台吊车。",
        "现在码头每周一关门。",
        "次はいつも私に確認してから進めて。",
        "Ruf Frau Kuhl nie vor 10 an.",
        "Nimm das nie ohne Handschuhe.",
        "Mach das immer zu zweit.",
    ],
)
def test_what_looks_like_an_errand_and_holds_on_is_kept(text: str) -> None:
    assert text in held("Plan the harbour's season.", text)
